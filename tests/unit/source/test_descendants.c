/* Programs that a launcher left, from a /proc that is read in the midst of exec and exit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/sys.h"
#include "source/guest/guest.h"

#define SOCKET	    "/run/sextant/socket"
#define NS_PER_MS   INT64_C(1000000)
#define NEVER_KNOWN (-1) /* the vector is not there any more */

/* One process that is younger than we are, as /proc shows it at one moment. */
struct moment {
	int64_t at_ms;
	const char *environment;
	int entries; /* of its auxiliary vector before the end, or NEVER_KNOWN */
	int number;  /* of the process */
};

static ssize_t moment_read_file(void *user, const char *path, char *buf, size_t size)
{
	const struct moment *moment = user;
	Elf64_auxv_t vector[2] = {{.a_type = AT_PAGESZ, .a_un = {4096}}};
	if (strstr(path, "/loadavg"))
		return snprintf(buf, size, "0.5 0.5 0.5 1/99 %ld\n", (long)getpid() + 9);
	if (strstr(path, "/environ"))
		return snprintf(buf, size, "%s", moment->environment);
	if (moment->entries == NEVER_KNOWN)
		return 0;
	size_t length = ((size_t)moment->entries + 1) * sizeof(vector[0]);
	/* A byte more than it gives, as of texts. */
	length = length < size ? length : size - 1;
	memcpy(buf, vector + 1 - moment->entries, length);
	return (ssize_t)length;
}

static ssize_t moment_read_link(void *user, const char *path, char *buf, size_t size)
{
	(void)user;
	(void)path;
	return snprintf(buf, size, "/bin/game");
}

static int moment_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			   void *arg)
{
	const struct moment *moment = user;
	char name[32];
	assert_string_equal(path, "/proc");
	snprintf(name, sizeof(name), "%ld", (long)getpid() + 1 + moment->number);
	return visit(arg, name);
}

static int moment_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	const struct moment *moment = user;
	(void)clock;
	*out = (struct timespec){100 + moment->at_ms / 1000, moment->at_ms % 1000 * NS_PER_MS};
	return 0;
}

static bool lives_nobody(void *user, pid_t pid)
{
	(void)user;
	(void)pid;
	return false;
}

/* Whether a process is waited for at the last of these moments. */
static bool awaits(const struct moment *moments, size_t count)
{
	struct descendants descendants = {.count = 0};
	bool any = false;
	for (size_t i = 0; i < count; i++) {
		struct moment moment = moments[i];
		struct sx_sys sys = {.user = &moment,
				     .read_file = moment_read_file,
				     .read_link = moment_read_link,
				     .list_dir = moment_list_dir,
				     .clock_gettime = moment_clock_gettime};
		any = descendants_awaited(&descendants, &sys, SOCKET, lives_nobody, NULL);
	}
	return any;
}

#define AWAITS(...)                                                                                \
	awaits((const struct moment[]){__VA_ARGS__},                                               \
	       sizeof((const struct moment[]){__VA_ARGS__}) / sizeof(struct moment))

static void test_heirs_have_time_to_begin(void **state)
{
	(void)state;
	assert_true(AWAITS({0, "SEXTANT=" SOCKET, 1, 0}, {1900, "SEXTANT=" SOCKET, 1, 0}));
	assert_false(AWAITS({0, "SEXTANT=" SOCKET, 1, 0}, {2100, "SEXTANT=" SOCKET, 1, 0}));
	assert_false(AWAITS({0, "HOME=/", 1, 0}));
}

/* On a busy machine exec takes as long as it takes: what begins then may be measured. */
static void test_within_exec(void **state)
{
	(void)state;
	assert_true(AWAITS({0, "", 0, 0}, {500, "", 0, 0}));
	assert_true(AWAITS({0, "", 0, 0}, {500, "", 0, 0}, {2400, "SEXTANT=" SOCKET, 1, 0}));
	assert_false(AWAITS({0, "", 0, 0}, {500, "HOME=/", 1, 0}));
	assert_false(AWAITS({0, "", 0, 0}, {2100, "", 0, 0})); /* the wait is bounded */
}

/* env -i, which is no exec, and programs that end. */
static void test_without_environment(void **state)
{
	(void)state;
	assert_true(AWAITS({0, "", 1, 0}, {40, "", 1, 0}));
	assert_false(AWAITS({0, "", 1, 0}, {60, "", 1, 0}));
	assert_false(AWAITS({0, "", NEVER_KNOWN, 0}, {60, "", NEVER_KNOWN, 0}));
}

/* Others' programs that come one after another, each of which may be one of ours, end some time. */
static void test_strangers_without_end(void **state)
{
	(void)state;
	assert_true(AWAITS({0, "", 1, 0}, {40, "", 1, 1}));
	assert_false(AWAITS({0, "", 1, 0}, {40, "", 1, 1}, {80, "", 1, 2}));
	assert_true(AWAITS({0, "", 0, 0}, {1900, "", 0, 1}));
	assert_false(AWAITS({0, "", 0, 0}, {1900, "", 0, 1}, {2100, "", 0, 2}));
	/* Unless one of ours is there. */
	assert_true(AWAITS({0, "", 1, 0}, {1000, "SEXTANT=" SOCKET, 1, 1}, {1040, "", 1, 2}));
	assert_false(AWAITS({0, "", 1, 0}, {1000, "SEXTANT=" SOCKET, 1, 1}, {1060, "", 1, 2}));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_heirs_have_time_to_begin),
	    cmocka_unit_test(test_within_exec),
	    cmocka_unit_test(test_without_environment),
	    cmocka_unit_test(test_strangers_without_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
