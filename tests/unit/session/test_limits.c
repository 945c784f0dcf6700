/* Limits, second runs and options of a session, replayed from a capture of two devices. */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/session.h"

#define ROWS	 80
#define STEP_NS	 1000000
#define FIRST_NS 5000000
#define NOTE	 "the clock of the GPU was read late"
#define REPEATED 2000

static struct sx_context *context;
static char path[] = "/tmp/sextant-limits-XXXXXX";

static void write_rows(struct sx_capture_writer *writer, uint32_t device, uint64_t step_ns)
{
	uint64_t begin[ROWS], end[ROWS], values[ROWS];
	for (uint64_t i = 0; i < ROWS; i++) {
		begin[i] = FIRST_NS + i * step_ns;
		end[i] = begin[i] + step_ns;
		values[i] = i + 1;
	}
	struct sx_vector columns[] = {{SX_U64, values, NULL}};
	struct sx_rows rows = {
	    .count = ROWS, .begin_ns = begin, .end_ns = end, .columns = columns, .column_count = 1};
	assert_int_equal(sx_capture_write(writer, device, &rows, NULL), SX_OK);
}

/* Samples of 1 ms, and of 0.4 ms beside them. */
static int write_capture(void **state)
{
	static const struct sx_column columns[] = {
	    {"UserTime", "nanoseconds", SX_U64, SX_REDUCE_SUM, NULL}};
	struct sx_capture_device device = {.catalog = "cpu",
					   .facts.source = "cpu",
					   .facts.name = "slow",
					   .kind = SX_SAMPLE_TIME,
					   .columns = columns,
					   .column_count = 1};
	struct sx_capture_writer *writer = NULL;
	uint32_t slow, fast;
	int fd = mkstemp(path);
	close(fd);
	if (fd < 0 || sx_context_create(NULL, &context, NULL) ||
	    sx_capture_create(path, NULL, &writer, NULL) ||
	    sx_capture_add_device(writer, &device, &slow, NULL))
		return 1;
	device.facts.name = "fast";
	if (sx_capture_add_device(writer, &device, &fast, NULL))
		return 1;
	write_rows(writer, slow, STEP_NS);
	write_rows(writer, fast, STEP_NS * 2 / 5);
	for (int i = 0; i < REPEATED; i++) {
		const struct sx_capture_mark mark = {
		    .begin_ns = SX_TIME_UNKNOWN, .end_ns = SX_TIME_UNKNOWN, .text = NOTE};
		if (sx_capture_mark(writer, slow, SX_CAPTURE_NOTE, &mark, NULL))
			return 1;
	}
	return sx_capture_finish(writer, NULL, NULL) != SX_OK;
}

static int remove_capture(void **state)
{
	unlink(path);
	sx_context_destroy(context);
	return 0;
}

/* The options do not outlive the call that uses them. */
static struct sx_session *open_replay(void)
{
	char *file = strdup(path), *name = strdup("UserTime"), *chosen = strdup("cpu");
	const char *names[] = {name}, *devices[] = {chosen};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = names,
					     .metric_count = 1,
					     .input = file};
	struct sx_session *session = NULL;
	assert_int_equal(sx_session_create(context, &options, &session, NULL), SX_OK);
	memset(file, 'x', strlen(file));
	memset(name, 'x', strlen(name));
	memset(chosen, 'x', strlen(chosen));
	names[0] = devices[0] = NULL;
	free(file);
	free(name);
	free(chosen);
	return session;
}

static void expect(struct sx_session *s, uint64_t slow, uint64_t fast)
{
	uint32_t count;
	const struct sx_session_device *d = sx_session_devices(s, &count);
	assert_int_equal(count, 2);
	assert_int_equal(d[0].samples, slow);
	assert_int_equal(d[1].samples, fast);
	assert_int_equal(sx_table_row_count(d[0].raw), slow);
	assert_int_equal(sx_table_row_count(d[1].raw), fast);
	if (slow)
		assert_int_equal(sx_table_begin_ns(d[0].raw)[0], FIRST_NS);
}

static void run(struct sx_session *s, uint64_t samples, uint64_t duration_ns)
{
	struct sx_session_limits limits = {.samples = samples, .duration_ns = duration_ns};
	assert_int_equal(sx_session_run(s, NULL, &limits, NULL), SX_OK);
}

/* The first device bounds; the other has the samples that begin before its last one ends. */
static void counts_are_exact(void **state)
{
	struct sx_session *s = open_replay();
	run(s, 3, 0);
	expect(s, 3, 8);
	run(s, 1, 0);
	expect(s, 1, 3);
	run(s, ROWS + 10, 0);
	expect(s, ROWS, ROWS);
	sx_session_destroy(s);
}

/* A duration is the recording's, whatever time its replay takes. */
static void durations_are_exact(void **state)
{
	struct sx_session *s = open_replay();
	run(s, 0, 2 * STEP_NS);
	expect(s, 2, 5);
	assert_int_equal(sx_session_duration_ns(s), 2 * STEP_NS);
	run(s, 1, 2 * STEP_NS);
	expect(s, 1, 3);
	sx_session_destroy(s);
}

static void a_second_run_is_the_first(void **state)
{
	struct sx_session *s = open_replay();
	for (int i = 0; i < 3; i++) {
		run(s, 0, 0);
		expect(s, ROWS, ROWS);
	}
	sx_session_destroy(s);
}

/* Rows that were dropped are counted, and none is seen twice. */
static void driven_runs_give_every_row_once(void **state)
{
	struct sx_session *s = open_replay();
	uint64_t seen[2] = {0}, next[2] = {1, 1};
	uint32_t count;
	assert_int_equal(sx_session_poll(s, 0, NULL), SX_ERR_USAGE);
	assert_int_equal(sx_session_start(s, NULL, NULL, NULL), SX_OK);
	assert_int_equal(sx_session_start(s, NULL, NULL, NULL), SX_ERR_USAGE);
	const struct sx_session_device *d = sx_session_devices(s, &count);
	for (bool more = true; more;) {
		more = sx_session_poll(s, 10, NULL) != SX_END;
		for (uint32_t i = 0; i < count; i++)
			for (size_t r = 0; r < sx_table_row_count(d[i].raw); r++, seen[i]++)
				assert_true(sx_table_get(d[i].raw, 0, r) == (double)next[i]++);
		sx_session_drop_rows(s);
	}
	assert_int_equal(sx_session_finish(s, NULL), SX_OK);
	assert_int_equal(seen[0], ROWS);
	assert_int_equal(seen[1], ROWS);
	assert_int_equal(d[0].samples, ROWS);
	assert_int_equal(sx_table_row_count(d[0].raw), 0);
	sx_session_destroy(s);
}

/* Stopped before it runs, while, or after: nothing hangs, and the next run is a whole one. */
static void a_stop_is_for_one_run(void **state)
{
	struct sx_session *s = open_replay();
	sx_session_stop(s, 0);
	run(s, 0, 0);
	expect(s, 0, 0);
	run(s, 0, 0);
	expect(s, ROWS, ROWS);
	for (int i = 0; i < 3; i++) {
		sx_session_stop(s, SIGTERM);
		sx_session_stop(s, 0);
		run(s, 0, 0);
		expect(s, ROWS, ROWS);
	}
	sx_session_destroy(s);
}

/* A note that its source repeats is there once, and takes memory once. */
static void a_note_is_kept_once(void **state)
{
	uint32_t count;
	struct sx_session *s = open_replay();
	run(s, 0, 0);
	const struct sx_session_device *d = sx_session_devices(s, &count);
	assert_int_equal(d[0].run.notes.count, 1);
	assert_string_equal(d[0].run.notes.items[0], NOTE);
	assert_true(s->run_arena.used < REPEATED);
	sx_session_destroy(s);
}

static void *stop_again_and_again(void *session)
{
	for (int i = 0; i < 20000; i++)
		sx_session_stop(session, 0);
	return NULL;
}

/* Stops from another thread, during runs and between them, write to no descriptor of others. */
static void stops_write_to_nothing_else(void **state)
{
	struct sx_session *s = open_replay();
	pthread_t thread;
	int pipes[2];
	char byte;
	assert_int_equal(pthread_create(&thread, NULL, stop_again_and_again, s), 0);
	for (int i = 0; i < 200; i++) {
		run(s, 0, 0);
		/* What the run closed is free for others by now. */
		assert_int_equal(pipe2(pipes, O_NONBLOCK), 0);
		assert_true(read(pipes[0], &byte, 1) < 0);
		close(pipes[0]);
		close(pipes[1]);
	}
	pthread_join(thread, NULL);
	run(s, 0, 0);
	expect(s, ROWS, ROWS);
	sx_session_destroy(s);
}

/* An event loop of the caller waits for our descriptor; no call of ours blocks. */
static void a_descriptor_tells_when(void **state)
{
	static const char *const model[] = {"mali-g310"};
	struct sx_session_options options = {
	    .devices = model, .device_count = 1, .interval_ns = 5 * STEP_NS};
	struct sx_session_limits limits = {.samples = 5};
	struct sx_session *s = NULL;
	struct sx_error err = {0};
	uint32_t count, turns = 0;
	assert_int_equal(sx_session_create(context, &options, &s, NULL), SX_OK);
	assert_int_equal(sx_session_descriptor(s, &err), -1);
	assert_int_equal(err.status, SX_ERR_USAGE);
	assert_int_equal(sx_session_start(s, NULL, &limits, NULL), SX_OK);
	struct pollfd fd = {.fd = sx_session_descriptor(s, NULL), .events = POLLIN};
	assert_true(fd.fd >= 0);
	assert_int_equal(sx_session_descriptor(s, NULL), fd.fd);
	do {
		assert_int_equal(poll(&fd, 1, 10000), 1);
		turns++;
	} while (sx_session_poll(s, 0, NULL) != SX_END);
	assert_true(turns < 100);	      /* it is not ready all the time */
	assert_int_equal(poll(&fd, 1, 0), 1); /* but when all is over */
	assert_int_equal(sx_session_finish(s, NULL), SX_OK);
	assert_int_equal(sx_session_devices(s, &count)->samples, 5);
	sx_session_destroy(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(counts_are_exact),
	    cmocka_unit_test(durations_are_exact),
	    cmocka_unit_test(a_second_run_is_the_first),
	    cmocka_unit_test(driven_runs_give_every_row_once),
	    cmocka_unit_test(a_stop_is_for_one_run),
	    cmocka_unit_test(stops_write_to_nothing_else),
	    cmocka_unit_test(a_note_is_kept_once),
	    cmocka_unit_test(a_descriptor_tells_when),
	};
	return cmocka_run_group_tests(tests, write_capture, remove_capture);
}
