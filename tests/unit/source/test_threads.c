/* The busiest thread of a made-up /proc, and what samples get of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <errno.h>
#include "source/guest/guest.h"
#include "source/process_tree.h"

#define MS	UINT64_C(1000000)
#define PID	100
#define THREADS 4

/* Thread i has the number 100 + i; children of 100 are the program 200, with one thread. */
struct machine {
	uint64_t now_ns;
	uint64_t run_ns[THREADS], wait_ns[THREADS];
	const char *names[THREADS];
	int count;
	bool gone;
	bool open[THREADS], dead[THREADS];
	int opens, lists; /* ever */
};

static int fake_clock(void *user, clockid_t clock, struct timespec *out)
{
	struct machine *m = user;
	*out = (struct timespec){(time_t)(m->now_ns / 1000000000), (long)(m->now_ns % 1000000000)};
	return 0;
}

static ssize_t fake_read(void *user, const char *path, char *buf, size_t size)
{
	struct machine *m = user;
	int pid, tid;
	char name[32];
	errno = ENOENT;
	if (m->gone || sscanf(path, "/proc/%d/task/%d/%31s", &pid, &tid, name) != 3)
		return -1;
	int i = pid != PID ? 3 : tid - PID < 3 ? tid - PID : 0;
	if (strcmp(name, "comm") == 0)
		return snprintf(buf, size, "%s\n", m->names[i]);
	if (strcmp(name, "schedstat") == 0)
		return snprintf(buf, size, "%llu %llu 7\n", (unsigned long long)m->run_ns[i],
				(unsigned long long)m->wait_ns[i]);
	if (strcmp(name, "children") == 0 && tid == PID)
		return snprintf(buf, size, "200 ");
	return -1;
}

static int fake_list(void *user, const char *path, int (*visit)(void *arg, const char *name),
		     void *arg)
{
	struct machine *m = user;
	char name[16];
	bool main_one = strcmp(path, "/proc/100/task") == 0;
	m->lists++;
	if (m->gone)
		return -1;
	for (int i = 0; i < (main_one ? m->count : 1); i++) {
		snprintf(name, sizeof(name), "%d", main_one ? PID + i : 200);
		visit(arg, name);
	}
	return 0;
}

static int fake_open(void *user, const char *path, int flags)
{
	struct machine *m = user;
	int pid, tid;
	char name[32];
	if (m->gone || sscanf(path, "/proc/%d/task/%d/%31s", &pid, &tid, name) != 3 ||
	    strcmp(name, "schedstat") != 0 || m->dead[tid - PID])
		return -1;
	assert_false(m->open[tid - PID]);
	m->open[tid - PID] = true;
	m->opens++;
	return tid;
}

static int fake_close(void *user, int fd)
{
	struct machine *m = user;
	assert_true(m->open[fd - PID]);
	m->open[fd - PID] = false;
	return 0;
}

static ssize_t fake_read_at(void *user, int fd, void *buf, size_t size, off_t offset)
{
	struct machine *m = user;
	char path[64];
	errno = ESRCH;
	assert_int_equal(offset, 0);
	if (m->dead[fd - PID])
		return -1;
	snprintf(path, sizeof(path), "/proc/%d/task/%d/schedstat", PID, fd);
	return fake_read(user, path, buf, size);
}

static struct sx_sys make_sys(struct machine *m)
{
	*m = (struct machine){
	    .now_ns = 1000 * MS, .names = {"main", "worker", "llvmpipe-0", "child"}, .count = 3};
	return (struct sx_sys){.user = m,
			       .clock_gettime = fake_clock,
			       .read_file = fake_read,
			       .list_dir = fake_list,
			       .open = fake_open,
			       .close = fake_close,
			       .read_at = fake_read_at};
}

static void test_busiest(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	struct threads t = {.sys = &sys, .prefix = "llvmpipe-"};
	struct threads_busiest b;
	pid_t pid = PID;
	m.run_ns[0] = 500 * MS; /* before it was looked at */
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_true(b.known && b.apart && !b.run_ns && !b.apart_run_ns);
	m.run_ns[0] += 3 * MS;
	m.run_ns[1] += 2 * MS;
	m.wait_ns[1] += 4 * MS; /* with its waits it is the busiest */
	m.run_ns[2] += 9 * MS;
	m.wait_ns[2] += 1 * MS;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_int_equal(b.run_ns, 2 * MS);
	assert_int_equal(b.wait_ns, 4 * MS);
	assert_int_equal(b.apart_run_ns, 9 * MS);
	assert_int_equal(b.apart_wait_ns, 1 * MS);
	/* One in the background, that hardly works but waits all the time, is not the busiest. */
	m.run_ns[0] += 5 * MS;
	m.wait_ns[0] += 30 * MS;
	m.run_ns[1] += MS / 10;
	m.wait_ns[1] += 90 * MS;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_int_equal(b.run_ns, 5 * MS);
	assert_int_equal(b.wait_ns, 30 * MS);
	threads_finish(&t);
}

static void test_busiest_of_those_that_come_and_go(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	struct threads t = {.sys = &sys, .prefix = "llvmpipe-"};
	struct threads_busiest b;
	pid_t pid = PID;
	m.run_ns[2] = 9 * MS;
	m.wait_ns[2] = 1 * MS;
	assert_true(threads_read(&t, &pid, 1, &b));
	/* A thread that appears later begins then; a reused id is another thread. */
	m.count = 2;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_int_equal(b.run_ns + b.apart_run_ns, 0);
	m.count = 3;
	m.run_ns[2] = 5 * MS;
	m.wait_ns[2] = 0;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_int_equal(b.apart_run_ns, 5 * MS);
	/* Of more than are looked at another one may be the busiest. */
	m.count = (int)THREADS_MOST;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_true(b.known);
	m.count++;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_false(b.known);
	m.count = 3;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_true(b.known);
	m.gone = true;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_false(b.known);
	threads_finish(&t);
}

static void test_family(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	pid_t pids[PROCESS_FAMILY_MOST];
	assert_int_equal(process_family(&sys, PID, pids), 2);
	assert_int_equal(pids[1], 200);
}

static struct wire_sample sample(uint64_t begin_ms, uint64_t end_ms)
{
	struct wire_sample s = {.pid = PID};
	s.record.begin_ns = begin_ms * MS;
	s.record.end_ns = end_ms * MS;
	return s;
}

static void pass(struct machine *m, struct load *load, uint64_t ms)
{
	m->now_ns += ms * MS;
	load_look(load);
}

/* The last work of an ended rasteriser thread is unknown, and is not zero. */
static void test_threads_that_end(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	struct load load = {.count = 0};
	(void)state;
	assert_true(load_add_process(&load, &sys, PID));
	m.run_ns[2] += 20 * MS;
	pass(&m, &load, 20);
	m.count = 2;
	m.dead[2] = true;
	pass(&m, &load, 20);
	pass(&m, &load, 20);
	struct wire_sample before = sample(1005, 1015), across = sample(1015, 1025),
			   after = sample(1045, 1055);
	assert_true(load_fill(&load, &before, true));
	assert_true(before.rasterises);
	assert_true(load_fill(&load, &across, true));
	assert_true(across.thread_known && !across.rasterises);
	assert_true(load_fill(&load, &after, true));
	assert_true(after.rasterises);
	assert_int_equal(after.raster_run_ns, 0);
	load_finish(&load);
}

static void test_samples(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	struct load load = {.count = 0};
	assert_true(load_add_process(&load, &sys, PID));
	m.run_ns[0] += 10 * MS;
	m.wait_ns[0] += 4 * MS;
	m.run_ns[2] += 20 * MS;
	pass(&m, &load, 20); /* a reading at 1020 */
	struct wire_sample s = sample(1005, 1015), late = sample(1015, 1025);
	s.record.states[WIRE_GPU_TIME] = WIRE_SPARED; /* its threads were not watched */
	assert_true(load_fill(&load, &s, true));
	assert_true(s.thread_known && s.rasterises);
	assert_int_equal(s.raster_ns, 10 * MS);
	assert_int_equal(s.thread_run_ns, 5 * MS); /* half of the time between two readings */
	assert_int_equal(s.thread_wait_ns, 2 * MS);
	assert_int_equal(s.raster_run_ns, 10 * MS);
	assert_false(load_fill(&load, &late, true)); /* not read up to there */
	pass(&m, &load, 20);
	assert_true(load_fill(&load, &late, true));
	assert_int_equal(late.thread_run_ns, 5 * MS / 2);
	/* Another context's sample of the same time has nothing left. */
	struct wire_sample again = sample(1005, 1025);
	assert_true(load_fill(&load, &again, true));
	assert_int_equal(again.thread_run_ns, 0);
	/* A small unseen part of the last sample is extrapolated; a large one makes it unknown. */
	m.gone = true;
	pass(&m, &load, 20);
	struct wire_sample last = sample(1030, 1045), unseen = sample(1039, 1060);
	assert_true(load_fill(&load, &last, true));
	assert_true(last.thread_known);
	assert_true(load_fill(&load, &unseen, true));
	assert_false(unseen.thread_known);
	struct wire_sample stranger = sample(1000, 1010);
	stranger.pid = 7;
	assert_true(load_fill(&load, &stranger, true));
	assert_false(stranger.thread_known);
	pass(&m, &load, 5000);
	assert_int_equal(load.count, 0);
	for (int i = 0; i < THREADS; i++)
		assert_false(m.open[i]);
	load_finish(&load);
}

/* Files of threads that work stay open, within bounds; who comes and who goes is found. */
static void test_frequent_readings(void **state)
{
	struct machine m;
	struct sx_sys sys = make_sys(&m);
	struct threads t = {
	    .sys = &sys, .prefix = "llvmpipe-", .keep_open = 2, .list_every_ns = 90 * MS};
	struct threads_busiest b;
	pid_t pid = PID;
	m.count = 2;
	for (int i = 0; i < 100; i++) { /* two seconds */
		m.now_ns += 20 * MS;
		m.run_ns[0] += 3 * MS;
		m.run_ns[1] += 2 * MS;
		assert_true(threads_read(&t, &pid, 1, &b));
		assert_true(b.known);
		assert_int_equal(b.run_ns, i ? 3 * MS : 0);
	}
	assert_int_equal(m.opens, 2);
	assert_in_range(m.lists, 50 + 10, 50 + 12);
	/* A third one has no room for its file, and is read; it is found within 90 ms. */
	m.count = 3;
	uint64_t found_ns = 0;
	for (int i = 0; i < 5; i++) {
		m.now_ns += 20 * MS;
		m.run_ns[2] += 4 * MS;
		assert_true(threads_read(&t, &pid, 1, &b));
		found_ns += b.apart_run_ns;
	}
	assert_int_equal(found_ns, 20 * MS);
	assert_int_equal(m.opens, 2);
	/* One that ends gives its file back, at once; the other one's place is taken. */
	m.dead[0] = true;
	m.run_ns[1] += MS;
	m.run_ns[2] += MS;
	m.now_ns += MS;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_false(m.open[0]);
	assert_int_equal(b.run_ns, MS);
	m.now_ns += MS;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_true(m.open[2]);
	m.gone = true;
	assert_true(threads_read(&t, &pid, 1, &b));
	assert_false(b.known || m.open[1] || m.open[2]);
	threads_finish(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_busiest),
	    cmocka_unit_test(test_busiest_of_those_that_come_and_go),
	    cmocka_unit_test(test_family),
	    cmocka_unit_test(test_threads_that_end),
	    cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_frequent_readings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
