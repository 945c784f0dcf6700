/* What kind of program a process runs, from a /proc that is read in the midst of exec and exit. */
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

#define ANOTHER (getuid() + 1)

/* A process as /proc shows it at one moment. */
struct moment {
	unsigned user;
	int secure; /* AT_SECURE, or -1: the vector is empty, -2: it is not there any more */
	const char *environment;
};

static ssize_t moment_auxv(const struct moment *moment, char *buf, size_t size)
{
	Elf64_auxv_t vector[3] = {0};
	assert_true(size >= sizeof(vector));
	if (moment->secure == -2) {
		errno = ESRCH;
		return -1;
	}
	if (moment->secure >= 0) {
		vector[0].a_type = AT_PAGESZ;
		vector[0].a_un.a_val = 4096;
		vector[1].a_type = AT_SECURE;
		vector[1].a_un.a_val = (uint64_t)moment->secure;
	}
	size_t length = moment->secure < 0 ? sizeof(vector[0]) : sizeof(vector);
	memcpy(buf, vector, length);
	return (ssize_t)length;
}

static ssize_t moment_exe(char *buf, size_t size)
{
	FILE *self = fopen("/proc/self/exe", "rb");
	assert_non_null(self);
	size_t length = fread(buf, 1, size, self);
	fclose(self);
	return (ssize_t)length;
}

static ssize_t moment_read_file(void *user, const char *path, char *buf, size_t size)
{
	const struct moment *moment = user;
	if (strstr(path, "/auxv"))
		return moment_auxv(moment, buf, size);
	if (strstr(path, "/exe"))
		return moment_exe(buf, size);
	if (strstr(path, "/status"))
		return snprintf(buf, size, "Name:\tp\nUid:\t%u\t%u\t%u\t%u\n", getuid(),
				moment->user, moment->user, moment->user);
	return snprintf(buf, size, "%s", moment->environment);
}

static ssize_t moment_read_link(void *user, const char *path, char *buf, size_t size)
{
	(void)user;
	return snprintf(buf, size, strstr(path, "self") ? "/bin/sextant" : "/bin/program");
}

/* What it says after having looked at these moments in turn. */
static enum program_kind looks(const struct moment *moments, size_t count)
{
	struct program program = {.variable = "LD_PRELOAD", .holds = "libsextant"};
	for (size_t i = 0; i < count; i++) {
		struct moment moment = moments[i];
		struct sx_sys sys = {
		    .user = &moment, .read_file = moment_read_file, .read_link = moment_read_link};
		program_look(&program, &sys, 42);
	}
	return program.kind;
}

#define LOOKS(...)                                                                                 \
	looks((const struct moment[]){__VA_ARGS__},                                                \
	      sizeof((const struct moment[]){__VA_ARGS__}) / sizeof(struct moment))

#define ASKED "LD_PRELOAD=/lib/libsextant-gl.so"

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(LOOKS({getuid(), 0, ASKED}), PROGRAM_DYNAMIC);
	assert_int_equal(LOOKS({getuid(), 0, "HOME=/"}), PROGRAM_CLEARED);
	assert_int_equal(LOOKS({getuid(), 1, ASKED}), PROGRAM_GUARDED);
	assert_int_equal(LOOKS({ANOTHER, 1, ASKED}), PROGRAM_GUARDED);
	assert_int_equal(LOOKS({ANOTHER, 0, ASKED}), PROGRAM_FOREIGN);
}

/* Within exec the user is the new one already, and the vector is not there yet. */
static void test_within_exec(void **state)
{
	(void)state;
	assert_int_equal(LOOKS({ANOTHER, -1, ASKED}), PROGRAM_UNKNOWN);
	assert_int_equal(LOOKS({ANOTHER, -1, ASKED}, {ANOTHER, 1, ASKED}), PROGRAM_GUARDED);
	assert_int_equal(LOOKS({ANOTHER, -1, ASKED}, {ANOTHER, 0, ASKED}), PROGRAM_FOREIGN);
	/* Set-group-ID: its user stays. */
	assert_int_equal(LOOKS({getuid(), -1, ASKED}, {getuid(), 1, ASKED}), PROGRAM_GUARDED);
}

/* What it was holds, whatever is gone while it ends. */
static void test_at_the_end(void **state)
{
	(void)state;
	assert_int_equal(LOOKS({ANOTHER, 1, ASKED}, {ANOTHER, -1, ""}), PROGRAM_GUARDED);
	assert_int_equal(LOOKS({ANOTHER, 1, ASKED}, {ANOTHER, -2, ""}), PROGRAM_GUARDED);
	assert_int_equal(LOOKS({ANOTHER, 0, ASKED}, {ANOTHER, -2, ""}), PROGRAM_FOREIGN);
	assert_int_equal(LOOKS({getuid(), 0, ASKED}, {getuid(), -1, ""}), PROGRAM_DYNAMIC);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_kinds),
	    cmocka_unit_test(test_within_exec),
	    cmocka_unit_test(test_at_the_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
