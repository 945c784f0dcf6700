/* CPU time of threads that were found only after they had run for a while. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>
#include <cmocka.h>

#include "source/guest/raster/watch.h"

#define MS UINT64_C(1000000)

/* One thread, born after 10 ms, watched since 50 ms, with 8 ms of CPU time until then. */
static struct watch_thread found_late = {
    .tid = 7, .born_ns = 10 * MS, .from_ns = 50 * MS, .missed_ns = 8 * MS};

static enum watch_answer ask(uint64_t from_ns, uint64_t to_ns, struct busy_time *time)
{
	struct watch watch = {.state = WATCH_FOUND,
			      .threads = &found_late,
			      .thread_count = 1,
			      .busy = {.resolved_ns = 1000 * MS}};
	*time = (struct busy_time){0};
	return watch_busy(&watch, from_ns, to_ns, time);
}

static void a_sample_that_holds_all_of_it(void **state)
{
	struct busy_time time;
	assert_int_equal(ask(10 * MS, 60 * MS, &time), WATCH_KNOWN);
	assert_int_equal(time.any_ns, 8 * MS);
	assert_int_equal(time.sum_ns, 8 * MS);
	assert_int_equal(ask(60 * MS, 70 * MS, &time), WATCH_KNOWN);
	assert_int_equal(time.any_ns, 0);
}

/* Two samples that end before the thread is watched: neither may have the 8 ms, nor both. */
static void samples_before_it_was_watched(void **state)
{
	struct busy_time time;
	assert_int_equal(ask(0, 30 * MS, &time), WATCH_UNKNOWN);
	assert_int_equal(ask(30 * MS, 45 * MS, &time), WATCH_UNKNOWN);
	assert_int_equal(ask(45 * MS, 60 * MS, &time), WATCH_UNKNOWN);
	/* Before its birth there was nothing to miss. */
	assert_int_equal(ask(0, 10 * MS, &time), WATCH_KNOWN);
	assert_int_equal(time.any_ns, 0);
}

/* It is unknown since when it existed: the sample has a part of its time only. */
static void a_thread_of_unknown_age(void **state)
{
	struct busy_time time;
	struct watch_thread before = found_late;
	found_late.born_ns = 0;
	assert_int_equal(ask(20 * MS, 60 * MS, &time), WATCH_UNKNOWN);
	found_late.missed_ns = 0;
	assert_int_equal(ask(20 * MS, 60 * MS, &time), WATCH_KNOWN);
	found_late = before;
}

static int one_thread(void *user, const char *path, int (*visit)(void *arg, const char *name),
		      void *arg)
{
	(void)user, (void)path;
	visit(arg, "7");
	return 0;
}

static ssize_t its_name(void *user, const char *path, char *text, size_t size)
{
	(void)user, (void)path;
	strncpy(text, "llvmpipe-0\n", size);
	return 11;
}

static int refuse(void *user, void *attr, pid_t pid, int cpu, int group, unsigned long flags)
{
	(void)attr, (void)pid, (void)cpu, (void)group, (void)flags;
	errno = *(int *)user;
	return -1;
}

/* A process that has ended is no missing permission, and does not mean that no one draws. */
static void a_thread_that_cannot_be_watched(void **state)
{
	(void)state;
	static const struct {
		int why;
		enum watch_answer answer;
	} cases[] = {{EACCES, WATCH_NO_RIGHT}, {ESRCH, WATCH_UNKNOWN}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		int why = cases[i].why;
		struct sx_sys sys = *sys_real();
		struct watch watch = {0};
		struct busy_time time;
		sys.user = &why;
		sys.list_dir = one_thread;
		sys.read_file = its_name;
		sys.perf_event_open = refuse;
		assert_true(watch_start(&watch, &sys, 42, "llvmpipe-"));
		watch_look(&watch, 0);
		assert_int_equal(watch_busy(&watch, 0, 1, &time), cases[i].answer);
		watch_finish(&watch);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_sample_that_holds_all_of_it),
	    cmocka_unit_test(samples_before_it_was_watched),
	    cmocka_unit_test(a_thread_of_unknown_age),
	    cmocka_unit_test(a_thread_that_cannot_be_watched),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
