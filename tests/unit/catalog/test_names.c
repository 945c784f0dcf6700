/* The index of names: it never rules out a catalog that knows a column, and rules out others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include <sextant/catalog.h>
#include "catalog/column.h"
#include "catalog/internal.h"
#include "catalog/search/pack.h"

static struct sx_context *create(const char *path)
{
	const struct sx_context_options options = {.catalog_path = path};
	struct sx_context *context = NULL;
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	assert_int_equal(sx_context_create(&options, &context, NULL), SX_OK);
	return context;
}

static size_t most(struct sx_context *context, const char *catalog, const char *column)
{
	struct catalog_names names;
	catalog_names_begin(context, &column, 1, &names);
	return catalog_names_most(&names, catalog);
}

/* What a test of one catalog works with. */
struct subject {
	struct sx_context *context;
	const struct sx_catalog *catalog;
	const char *name;
	size_t known; /* columns that the index has of the catalog */
};

static void expect(struct subject *s, const char *column)
{
	bool may = most(s->context, s->name, column) == 1;
	s->known += may;
	/* Only then, since it is slow. */
	if (!may) {
		struct column_meaning meaning = column_meaning(s->catalog, column, SX_NONE);
		if (column_is_known(&meaning))
			fail_msg("%s knows %s", s->name, column);
	}
}

/* A name as it is, with marks and in capitals, and as instances of a counter. */
static void expect_spellings(struct subject *s, const char *name)
{
	char text[600];
	size_t used = 0;
	if (!name)
		return;
	expect(s, name);
	for (const char *p = name; *p && used + 2 < sizeof(text); p++) {
		text[used++] = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
		text[used++] = p == name ? '-' : ' ';
	}
	text[used] = '\0';
	expect(s, text);
	const char *dot = strchr(name, '.');
	int head = dot ? (int)(dot - name) : (int)strlen(name);
	snprintf(text, sizeof(text), "$%.*s[12]%s", head, name, dot ? dot : "");
	expect(s, text);
	snprintf(text, sizeof(text), "%s7", name);
	expect(s, text);
}

static void expect_all(struct subject *s, const struct sx_strings *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		expect_spellings(s, names->items[i]);
}

static void expect_catalog(struct subject *s)
{
	uint32_t count;
	const struct sx_constant_info *constants = sx_catalog_constants(s->catalog, &count);
	for (uint32_t i = 0; i < count; i++) {
		expect_spellings(s, constants[i].name);
		expect_all(s, &constants[i].aliases);
	}
	const struct sx_counter_info *counters = sx_catalog_counters(s->catalog, &count);
	/* Some of thousands: those that are not in the index are compared with all. */
	for (uint32_t i = 0; i<count; i += count> 500 ? 7 : 1) {
		expect_spellings(s, counters[i].name);
		expect_spellings(s, counters[i].title);
		expect_spellings(s, counters[i].neutral);
		expect_all(s, &counters[i].aliases);
	}
	const struct sx_metric_info *metrics = sx_catalog_metrics(s->catalog, &count);
	for (uint32_t i = 0; i<count; i += count> 500 ? 7 : 1) {
		expect_spellings(s, metrics[i].name);
		expect_spellings(s, metrics[i].qualified);
		expect_spellings(s, metrics[i].title);
		expect_spellings(s, metrics[i].neutral);
		expect_all(s, &metrics[i].aliases);
	}
	const struct sx_advice_info *advice = sx_catalog_advice(s->catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(most(s->context, s->name, advice[i].rule), 1);
}

static void test_no_catalog_that_knows_a_name_is_ruled_out(void **state)
{
	struct sx_context *context = create("");
	struct pack_file file;
	size_t known = 0;
	for (uint32_t i = 0; pack_get(i, &file); i++) {
		struct sx_catalog *catalog = NULL;
		if (!pack_is_catalog(&file))
			continue;
		assert_int_equal(sx_catalog_open(context, file.name, &catalog, NULL), SX_OK);
		struct subject subject = {
		    .context = context, .catalog = catalog, .name = file.name};
		expect_catalog(&subject);
		known += subject.known;
		sx_catalog_unref(catalog);
	}
	assert_true(known > 10000);
	sx_context_destroy(context);
}

static void test_others_are_ruled_out(void **state)
{
	struct sx_context *context = create("");
	struct catalog_names names;
	const char *const columns[] = {"frame_time", "IAVertices", "no_such_thing", "GpuBusy"};
	catalog_names_begin(context, columns, 4, &names);
	assert_int_equal(catalog_names_most(&names, "opengl"), 2);
	assert_int_equal(catalog_names_most(&names, "cpu"), 0);
	assert_int_equal(catalog_names_most(&names, "intel-bdw"), 1);
	assert_int_equal(most(context, "intel-bdw", "RenderBasic: gpu busy"), 1);
	assert_int_equal(most(context, "intel-bdw", "NoSuchSet.GpuBusy"), 0);
	/* One that is not the library's has to be opened, and for a name that is too long, each. */
	assert_int_equal(catalog_names_most(&names, "my-gpu"), SIZE_MAX);
	char longest[400];
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(most(context, "cpu", longest), 1);
	sx_context_destroy(context);
}

/* A file of the search path may be the catalog itself, or what others build upon. */
static void test_a_folder_with_one_of_the_librarys_names(void **state)
{
	static const char *const files[] = {"cpu.yaml", "intel.shared.yaml"};
	for (size_t i = 0; i < 2; i++) {
		char folder[] = "/tmp/sextant-test-XXXXXX", path[64];
		assert_non_null(mkdtemp(folder));
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		FILE *file = fopen(path, "w");
		assert_non_null(file);
		fclose(file);
		struct sx_context *context = create(folder);
		assert_int_equal(most(context, "opengl", "no_such_thing"), SIZE_MAX);
		sx_context_destroy(context);
		assert_int_equal(unlink(path), 0);
		assert_int_equal(rmdir(folder), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_no_catalog_that_knows_a_name_is_ruled_out),
	    cmocka_unit_test(test_others_are_ruled_out),
	    cmocka_unit_test(test_a_folder_with_one_of_the_librarys_names),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
