/* The context: search path, names, cache and threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <sextant/catalog.h>
#include "catalog/search/pack.h"

struct folders {
	char root[64];
	char first[128], second[128], config[128], path[300];
};

static void write_catalog(const char *folder, const char *name, const char *inner,
			  const char *title)
{
	char path[256];
	snprintf(path, sizeof(path), "%s/%s.yaml", folder, name);
	FILE *file = fopen(path, "w");
	assert_non_null(file);
	fprintf(file,
		"sextant-catalog: 1\nname: %s\ntitle: %s\nvendor: V\nkind: gpu\n"
		"dialect: standard\nnotation: infix\n",
		inner, title);
	fclose(file);
}

static int setup(void **state)
{
	struct folders *f = calloc(1, sizeof(*f));
	assert_non_null(f);
	strcpy(f->root, "/tmp/sextant-test-XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(f->first, sizeof(f->first), "%s/first", f->root);
	snprintf(f->second, sizeof(f->second), "%s/second", f->root);
	snprintf(f->config, sizeof(f->config), "%s/sextant/catalogs", f->root);
	snprintf(f->path, sizeof(f->path), ":%s:/nonexistent:%s:", f->first, f->second);
	char parent[128];
	snprintf(parent, sizeof(parent), "%s/sextant", f->root);
	assert_int_equal(mkdir(parent, 0700), 0);
	assert_int_equal(mkdir(f->config, 0700), 0);
	assert_int_equal(mkdir(f->first, 0700), 0);
	assert_int_equal(mkdir(f->second, 0700), 0);
	setenv("XDG_CONFIG_HOME", f->root, 1);
	unsetenv("SEXTANT_CATALOG_PATH");
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct folders *f = *state;
	char command[128];
	snprintf(command, sizeof(command), "rm -rf %s", f->root);
	int rc = system(command);
	free(f);
	return rc;
}

static struct sx_context *create(const char *path)
{
	struct sx_context *context = NULL;
	struct sx_context_options options = {.catalog_path = path};
	assert_int_equal(sx_context_create(path ? &options : NULL, &context, NULL), SX_OK);
	return context;
}

static void assert_title(struct sx_context *context, const char *name, const char *title)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	if (sx_catalog_open(context, name, &catalog, &err) != SX_OK)
		fail_msg("%s: %s", err.message, err.because);
	assert_string_equal(sx_catalog_info(catalog)->title, title);
	sx_catalog_unref(catalog);
}

static void test_precedence(void **state)
{
	const struct folders *f = *state;
	write_catalog(f->first, "a", "a", "from first");
	write_catalog(f->second, "a", "a", "from second");
	write_catalog(f->second, "b", "b", "from second");
	write_catalog(f->config, "a", "a", "from config");
	write_catalog(f->config, "b", "b", "from config");
	write_catalog(f->config, "c", "c", "from config");
	write_catalog(f->config, "opengl", "opengl", "from config");
	struct sx_context *context = create(f->path);
	assert_title(context, "a", "from first");
	assert_title(context, "b", "from second");
	assert_title(context, "c", "from config");
	assert_title(context, "opengl", "from config");
	sx_context_destroy(context);

	setenv("SEXTANT_CATALOG_PATH", f->second, 1);
	context = create(NULL);
	assert_title(context, "a", "from second");
	sx_context_destroy(context);
	/* What the program asks for wins over the environment. */
	context = create(f->first);
	assert_title(context, "a", "from first");
	sx_context_destroy(context);
	unsetenv("SEXTANT_CATALOG_PATH");
}

static void test_home_without_xdg(void **state)
{
	const struct folders *f = *state;
	char folder[256];
	static const char *const parts[] = {"/.config", "/.config/sextant",
					    "/.config/sextant/catalogs"};
	for (size_t i = 0; i < 3; i++) {
		snprintf(folder, sizeof(folder), "%s%s", f->root, parts[i]);
		assert_int_equal(mkdir(folder, 0700), 0);
	}
	write_catalog(folder, "h", "h", "from home");
	setenv("XDG_CONFIG_HOME", "relative/is/ignored", 1);
	setenv("HOME", f->root, 1);
	struct sx_context *context = create(NULL);
	assert_title(context, "h", "from home");
	sx_context_destroy(context);
	setenv("XDG_CONFIG_HOME", f->root, 1);
}

static void test_names(void **state)
{
	const struct folders *f = *state;
	write_catalog(f->first, "zz", "zz", "Z");
	write_catalog(f->second, "zz", "zz", "Z");
	/* Names are found without parsing: what is broken is listed too. */
	write_catalog(f->first, "broken", "not a name", "B");
	struct sx_context *context = create(f->path);
	size_t count;
	const char *const *names = sx_catalog_names(context, &count);
	assert_non_null(names);
	assert_null(names[count]);
	size_t embedded = 0, zz = 0, broken = 0;
	for (size_t i = 0; i < count; i++) {
		assert_true(i == 0 || strcmp(names[i - 1], names[i]) < 0);
		zz += strcmp(names[i], "zz") == 0;
		broken += strcmp(names[i], "broken") == 0;
		struct pack_file file;
		embedded += pack_find(names[i], &file) && pack_is_catalog(&file);
		assert_string_not_equal(names[i], "neutral");
	}
	assert_int_equal(zz, 1);
	assert_int_equal(broken, 1);
	size_t all = 0;
	struct pack_file file;
	for (uint32_t i = 0; pack_get(i, &file); i++)
		all += pack_is_catalog(&file);
	assert_int_equal(embedded, all);
	assert_ptr_equal(sx_catalog_names(context, NULL), names);
	sx_context_destroy(context);
}

static void expect_error(struct sx_context *context, const char *name, enum sx_status status,
			 const char *message, const char *remedy)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	assert_int_equal(sx_catalog_open(context, name, &catalog, &err), status);
	assert_null(catalog);
	if (!strstr(err.message, message) || !strstr(err.remedy, remedy))
		fail_msg("%s | %s | %s", err.message, err.because, err.remedy);
	assert_true(err.because[0] && err.remedy[0]);
}

static void test_errors(void **state)
{
	const struct folders *f = *state;
	write_catalog(f->first, "other", "another", "O");
	write_catalog(f->first, "bad", "b d", "O");
	struct sx_context *context = create(f->path);
	expect_error(context, "opnegl", SX_ERR_NOT_FOUND, "no catalog is called \"opnegl\"",
		     "opengl");
	expect_error(context, "qqqqqqqqqqqqqq", SX_ERR_NOT_FOUND, "qqqq", "devices");
	expect_error(context, "", SX_ERR_NOT_FOUND, "no catalog", "");
	expect_error(context, "names.index", SX_ERR_NOT_FOUND, "no catalog", "");
	expect_error(context, "other", SX_ERR_BAD_INPUT, "other.yaml:2: ", "rename");
	expect_error(context, "bad", SX_ERR_BAD_INPUT, "bad.yaml:2: ", "");
	expect_error(context, "/proc/nonexistent/x.yaml", SX_ERR_NOT_FOUND,
		     "/proc/nonexistent/x.yaml", "path");
	expect_error(context, f->first, SX_ERR_BAD_INPUT, "not a regular file", "");
	expect_error(context, "/dev/zero", SX_ERR_BAD_INPUT, "not a regular file", "");
	char fifo[256];
	snprintf(fifo, sizeof(fifo), "%s/fifo", f->root);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	expect_error(context, fifo, SX_ERR_BAD_INPUT, "not a regular file", "");
	char *longest = malloc(10001);
	assert_non_null(longest);
	memset(longest, 'x', 10000);
	longest[10000] = '\0';
	expect_error(context, longest, SX_ERR_NOT_FOUND, "no catalog", "");
	free(longest);
	sx_context_destroy(context);
	sx_context_destroy(NULL);
	sx_catalog_unref(NULL);
}

/* Root reads everything: the test does without its rights for a moment. */
static void test_permission(void **state)
{
	const struct folders *f = *state;
	write_catalog(f->first, "locked", "locked", "L");
	char path[256];
	snprintf(path, sizeof(path), "%s/locked.yaml", f->first);
	assert_int_equal(chmod(path, 0), 0);
	assert_int_equal(chmod(f->root, 0755) | chmod(f->first, 0755), 0);
	uid_t user = geteuid();
	if (user == 0)
		assert_int_equal(seteuid(65534), 0);
	struct sx_context *context = create(f->path);
	expect_error(context, "locked", SX_ERR_PERMISSION, "locked.yaml", "permission");
	sx_context_destroy(context);
	assert_int_equal(seteuid(user), 0);
}

static void test_cache(void **state)
{
	const struct folders *f = *state;
	write_catalog(f->first, "cached", "cached", "once");
	struct sx_context *context = create(f->path);
	struct sx_catalog *one = NULL, *two = NULL;
	assert_int_equal(sx_catalog_open(context, "cached", &one, NULL), SX_OK);
	write_catalog(f->first, "cached", "cached", "twice");
	assert_int_equal(sx_catalog_open(context, "cached", &two, NULL), SX_OK);
	assert_ptr_equal(one, two);
	sx_context_destroy(context);
	assert_string_equal(sx_catalog_info(one)->title, "once");
	assert_ptr_equal(sx_catalog_ref(one), one);
	sx_catalog_unref(one);
	sx_catalog_unref(one);
	sx_catalog_unref(two);
}

static void log_line(void *user, enum sx_log_level level, const char *line)
{
	if (level == SX_LOG_DEBUG && strstr(line, "opengl"))
		++*(int *)user;
}

static void test_log(void **state)
{
	int lines = 0;
	struct sx_context_options options = {.log = log_line, .log_user = &lines};
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_context_create(&options, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "opengl", &catalog, NULL), SX_OK);
	assert_int_equal(lines, 1);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

#define THREADS 8

struct job {
	struct sx_context *context;
	pthread_barrier_t *barrier;
	const struct sx_catalog *seen;
	bool good;
};

static void *open_all(void *arg)
{
	struct job *job = arg;
	job->good = true;
	pthread_barrier_wait(job->barrier);
	struct pack_file file;
	for (uint32_t i = 0; pack_get(i, &file); i++) {
		struct sx_catalog *catalog = NULL;
		if (!pack_is_catalog(&file))
			continue;
		if (sx_catalog_open(job->context, file.name, &catalog, NULL) != SX_OK) {
			job->good = false;
			continue;
		}
		if (strcmp(file.name, "cpu") == 0)
			job->seen = catalog;
		const char *near[3];
		sx_catalog_suggest(catalog, "busy", near, 3);
		sx_catalog_unref(sx_catalog_ref(catalog));
		sx_catalog_unref(catalog);
	}
	job->good = job->good && sx_catalog_names(job->context, NULL);
	return NULL;
}

static void test_threads_share_catalogs(void **state)
{
	struct sx_context *context = create(NULL);
	pthread_barrier_t barrier;
	pthread_barrier_init(&barrier, NULL, THREADS);
	pthread_t threads[THREADS];
	struct job jobs[THREADS];
	for (size_t i = 0; i < THREADS; i++) {
		jobs[i] = (struct job){.context = context, .barrier = &barrier};
		assert_int_equal(pthread_create(&threads[i], NULL, open_all, &jobs[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	for (size_t i = 0; i < THREADS; i++) {
		assert_true(jobs[i].good);
		assert_non_null(jobs[i].seen);
		assert_ptr_equal(jobs[i].seen, jobs[0].seen);
	}
	pthread_barrier_destroy(&barrier);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_precedence), cmocka_unit_test(test_home_without_xdg),
	    cmocka_unit_test(test_names),      cmocka_unit_test(test_errors),
	    cmocka_unit_test(test_permission), cmocka_unit_test(test_cache),
	    cmocka_unit_test(test_log),	       cmocka_unit_test(test_threads_share_catalogs),
	};
	return cmocka_run_group_tests(tests, setup, teardown);
}
