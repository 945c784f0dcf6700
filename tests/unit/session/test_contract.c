/*
 * What every source must do, driven as the command drives it: through a session, on a fake machine.
 * Opened, started, read, stopped, read to the end, run again, closed; within its limits; with a
 * program that ends, and with every system call failing once.
 */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/session.h"
#include "unit/context.h"
#include "unit/session/subjects.h"

static struct sx_session *create(struct subject *s, bool child, struct sx_error *err)
{
	const char *const devices[] = {s->selector};
	const char *const metrics[] = {s->metric, s->other};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = metrics,
					     .metric_count = s->other ? 2 : 1,
					     .interval_ns = INTERVAL_NS,
					     .child = child};
	struct sx_session *session = NULL;
	enum sx_status status =
	    session_create_on(&s->rig.machine.sys, context, &options, &session, err);
	assert_true((status == SX_OK) == (session != NULL));
	return session;
}

static void end(struct subject *s, struct sx_session *session)
{
	sx_session_destroy(session);
	assert_true(machine_clean(&s->rig.machine));
	assert_true(s->clean(&s->rig));
	rig_finish(&s->rig);
}

/* Rows follow each other, none begins beyond the limit. */
static void check_rows(const struct sx_session_device *d, uint64_t until_ns)
{
	const uint64_t *begin = sx_table_begin_ns(d->raw), *stop = sx_table_end_ns(d->raw);
	for (size_t i = 0; i < sx_table_row_count(d->raw); i++) {
		assert_true(begin[i] < stop[i]);
		assert_true(begin[i] < until_ns);
		assert_true(i == 0 || begin[i] >= stop[i - 1]);
	}
}

/* What the fake's own process does then: a zombie, without descriptors. */
static void program_ends(struct subject *s, uint64_t lasts_ns)
{
	char text[256];
	s->rig.cpu.ends_ns = s->rig.pmu.ends_ns = s->rig.nvml.ends_ns =
	    machine_now_ns(&s->rig.machine) + lasts_ns;
	if (!s->rig.tree.nodes)
		return;
	snprintf(text, sizeof(text),
		 "at %lums\nfile /proc/%d/stat\n\t%d (program) Z 1 1 1\ngone /proc/%d/fd\n"
		 "gone /proc/%d/fdinfo\n",
		 (unsigned long)(lasts_ns / NS_PER_MS), MACHINE_PID, MACHINE_PID, MACHINE_PID,
		 MACHINE_PID);
	assert_true(tree_add(&s->rig.tree, text));
}

static char *const program[] = {(char[]){"program"}, NULL};

/* Two runs of 10 intervals: each has all its samples, and nothing went wrong or was lost. */
static void a_duration(struct subject *s)
{
	struct sx_error err = {0};
	s->begin(&s->rig);
	struct sx_session *session = create(s, false, &err);
	if (!session)
		fail_msg("%s: %s: %s", s->name, err.message, err.because);
	struct sx_session_limits limits = {.duration_ns = 10 * INTERVAL_NS};
	for (int run = 0; run < 2; run++) {
		uint32_t count;
		uint64_t before = machine_now_ns(&s->rig.machine);
		enum sx_status status = sx_session_run(session, NULL, &limits, &err);
		if (status)
			fail_msg("%s, run %d: %s: %s", s->name, run, err.message, err.because);
		uint64_t took = machine_now_ns(&s->rig.machine) - before;
		const struct sx_session_device *d = sx_session_devices(session, &count);
		assert_int_equal(count, s->other ? 2 : 1);
		assert_null(d->run.failure);
		assert_null(d->run.silence);
		assert_int_equal(d->run.lost, 0);
		assert_int_equal(d->samples, sx_table_row_count(d->raw));
		uint64_t period_ns = s->period_ns ? s->period_ns : INTERVAL_NS;
		assert_in_range(d->samples, limits.duration_ns / period_ns - 2,
				limits.duration_ns / period_ns + 2);
		assert_true(took < limits.duration_ns + 10 * NS_PER_MS);
		check_rows(d, before + limits.duration_ns + 5 * NS_PER_MS);
	}
	end(s, session);
}

static void a_count(struct subject *s)
{
	struct sx_error err = {0};
	s->begin(&s->rig);
	struct sx_session *session = create(s, false, &err);
	for (uint64_t n = 1; n <= 3; n += 2) {
		uint32_t count;
		struct sx_session_limits limits = {.samples = n};
		assert_int_equal(sx_session_run(session, NULL, &limits, &err), SX_OK);
		assert_int_equal(sx_session_devices(session, &count)->samples, n);
	}
	end(s, session);
}

/* Slow to start, and fast to sample: the samples are as many as fit into the duration. */
static void a_fast_duration(struct subject *s, uint64_t interval_ns)
{
	uint32_t count;
	const char *const devices[] = {s->selector};
	struct sx_session_options options = {
	    .devices = devices, .device_count = 1, .interval_ns = interval_ns};
	struct sx_session_limits limits = {.duration_ns = 300 * interval_ns};
	struct sx_session *session = NULL;
	s->begin(&s->rig);
	s->rig.machine.look_ns = interval_ns * 5 / 7;
	assert_int_equal(session_create_on(&s->rig.machine.sys, context, &options, &session, NULL),
			 SX_OK);
	assert_int_equal(sx_session_run(session, NULL, &limits, NULL), SX_OK);
	assert_int_equal(sx_session_devices(session, &count)->samples, 300);
	end(s, session);
}

/* A program's run ends with it, and its last moments are sampled, also where it is a short one. */
static void a_program(struct subject *s, uint64_t lasts_ns, bool process_fd)
{
	struct sx_error err = {0};
	uint32_t count;
	s->begin(&s->rig);
	s->rig.machine.lasts_ns = lasts_ns;
	s->rig.machine.no_process_fd = !process_fd;
	program_ends(s, lasts_ns);
	struct sx_session *session = create(s, true, &err);
	enum sx_status status = sx_session_run(session, program, NULL, &err);
	if (status)
		fail_msg("%s: %s: %s", s->name, err.message, err.because);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	assert_true(d->samples > 0 || !strcmp(s->name, "model"));
	uint64_t last = d->samples ? sx_table_end_ns(d->raw)[d->samples - 1] : 0;
	/* The reports of a timer come every so often; all others are asked at the end. */
	if (!s->timer && strcmp(s->name, "model") != 0)
		assert_true(last + NS_PER_MS >= s->rig.machine.ends_ns);
	assert_true(sx_session_child(session).ran);
	assert_int_equal(sx_session_child(session).exit_code, 0);
	assert_true(sx_session_duration_ns(session) < lasts_ns + 20 * NS_PER_MS);
	end(s, session);
}

static void every_source_keeps_limits(void **state)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		a_duration(&subjects[i]);
		a_count(&subjects[i]);
	}
	a_fast_duration(&subjects[SUBJECT_MODEL], NS_PER_MS / 10);
}

static void every_source_measures_programs(void **state)
{
	for (size_t i = 0; i < SUBJECTS; i++) {
		a_program(&subjects[i], 15 * INTERVAL_NS, true);
		a_program(&subjects[i], 15 * INTERVAL_NS, false);
		a_program(&subjects[i], INTERVAL_NS * 3 / 2, true);
	}
}

/* A program that outlives the limit is asked to end, and made to; it is never left behind. */
static void programs_end_with_the_limit(void **state)
{
	for (int ignores = 0; ignores < 2; ignores++) {
		struct sx_error err = {0};
		struct subject *s = &subjects[0];
		s->begin(&s->rig);
		s->rig.machine.lasts_ns = 0;
		s->rig.machine.ignores_sigterm = ignores;
		struct sx_session *session = create(s, true, &err);
		struct sx_session_limits limits = {.duration_ns = 5 * INTERVAL_NS};
		assert_int_equal(sx_session_run(session, program, &limits, &err), SX_OK);
		assert_int_equal(s->rig.machine.signals[SIGTERM], 1);
		assert_int_equal(s->rig.machine.signals[SIGKILL], ignores);
		assert_int_equal(sx_session_child(session).term_signal,
				 ignores ? SIGKILL : SIGTERM);
		end(s, session);
	}
}

/* Signals reach the program once each; what was typed at a terminal it has already. */
static void signals_are_passed_on(void **state)
{
	struct sx_error err = {0};
	struct subject *s = &subjects[0];
	s->begin(&s->rig);
	struct sx_session *session = create(s, true, &err);
	assert_int_equal(sx_session_start(session, program, NULL, &err), SX_OK);
	sx_session_stop(session, SIGUSR1);
	sx_session_stop(session, SIGINT);
	while (sx_session_poll(session, -1, NULL) != SX_END)
		;
	assert_int_equal(s->rig.machine.signals[SIGUSR1], 1);
	assert_int_equal(s->rig.machine.signals[SIGINT], 1);
	assert_int_equal(sx_session_finish(session, &err), SX_OK);
	end(s, session);
}

/* One whole run with the k-th call failing; true when that call was reached. */
static bool faulty_run(struct subject *s, unsigned k, int why, bool child)
{
	struct sx_error err = {0};
	s->begin(&s->rig);
	uint64_t length_ns = s->faulty_ns ? s->faulty_ns : 3 * INTERVAL_NS;
	s->rig.machine.lasts_ns = length_ns;
	s->rig.cpu.ends_ns = s->rig.pmu.ends_ns = s->rig.nvml.ends_ns = 0;
	if (child)
		program_ends(s, s->rig.machine.lasts_ns);
	s->rig.machine.fail_at = k;
	s->rig.machine.fail_errno = why;
	struct sx_session *session = create(s, child, &err);
	struct sx_session_limits limits = {.duration_ns = length_ns};
	enum sx_status status = SX_OK;
	if (session)
		status = sx_session_run(session, child ? program : NULL, &limits, &err);
	if (!session || status) {
		assert_true(err.message[0] != '\0');
		if (session && status != SX_INCOMPLETE && err.status != status)
			fail_msg("%s: call %u, errno %d: status %d, but %d: %s", s->name, k, why,
				 status, err.status, err.message);
	}
	if (session && (!status || status == SX_INCOMPLETE)) {
		uint32_t count;
		const struct sx_session_device *d = sx_session_devices(session, &count);
		assert_int_equal(d->samples, sx_table_row_count(d->raw));
		assert_true((d->samples == 0) == (d->run.silence != NULL));
		check_rows(d, UINT64_MAX);
		/* Every failure has an error. */
		bool shown = status == SX_OK;
		for (uint32_t i = 0; i < count; i++)
			shown |= d[i].run.failure || d[i].run.lost || d[i].run.lost_more;
		assert_true(shown);
	}
	bool reached = s->rig.machine.calls >= k;
	sx_session_destroy(session);
	if (!machine_clean(&s->rig.machine))
		fail_msg("%s: call %u, errno %d: something was left open", s->name, k, why);
	if (!s->clean(&s->rig))
		fail_msg("%s: call %u, errno %d: the driver is not as it was", s->name, k, why);
	rig_finish(&s->rig);
	return reached;
}

#define ERRORS 5

static void every_call_fails_once(void **state)
{
	static const int errors[ERRORS] = {EIO, EINTR, ENOMEM, ENODEV, EPERM};
	for (size_t i = 0; i < SUBJECTS; i++)
		for (size_t e = 0; e < (subjects[i].errors ? subjects[i].errors : ERRORS); e++)
			for (int child = 0; child < (subjects[i].other ? 1 : 2); child++) {
				unsigned k = 1;
				while (faulty_run(&subjects[i], k, errors[e], child))
					k++;
				assert_true(k > 30);
			}
}

/* The card, the GPU or its driver is not there any more. */
static void take_away(struct subject *s)
{
	s->rig.i915.gone = true;
	s->rig.kbase.gone = ENODEV;
	if (s->rig.nvml.state)
		s->rig.nvml.state->lost = true;
	s->rig.xe.gone = FAKE_XE_NOISY;
}

/* A device is removed: its samples are kept, and the cause and the time are reported. */
static void a_device_goes(struct subject *s)
{
	struct sx_error err = {0};
	uint32_t count;
	s->begin(&s->rig);
	struct sx_session *session = create(s, false, &err);
	struct sx_session_limits limits = {.duration_ns = 20 * INTERVAL_NS};
	assert_int_equal(sx_session_start(session, NULL, &limits, &err), SX_OK);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	while (d->samples < 5)
		assert_true(sx_session_poll(session, -1, NULL) != SX_END);
	uint64_t measured = d->samples;
	take_away(s);
	while (sx_session_poll(session, -1, NULL) != SX_END)
		;
	if (sx_session_finish(session, &err) != SX_INCOMPLETE || !d->run.failure)
		fail_msg("%s: a device that goes is not told", s->name);
	assert_int_equal(d->run.failure->status, SX_ERR_DEVICE_LOST);
	assert_true(err.message[0] && err.because[0] && err.remedy[0]);
	assert_in_range(d->run.failed_after_ns, 3 * INTERVAL_NS, 9 * INTERVAL_NS);
	assert_true(d->samples >= measured);
	sx_session_destroy(session); /* the driver took its configurations along */
	assert_true(machine_clean(&s->rig.machine));
	rig_finish(&s->rig);
}

static void devices_that_go(void **state)
{
	unsigned gone = 0;
	for (size_t i = 0; i < SUBJECTS; i++) {
		if (subjects[i].other || !subjects[i].goes)
			continue;
		a_device_goes(&subjects[i]);
		gone++;
	}
	assert_true(gone >= 5);
}

static char path[] = "/tmp/sextant-contract-XXXXXX";

/* Rows of all devices of a recording, and whether it ends in an index. */
static uint64_t count_recorded(const char *file, bool *whole)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	uint64_t rows = 0;
	assert_int_equal(sx_capture_open(file, &reader, NULL), SX_OK);
	while (sx_capture_next(reader, &record, NULL) == SX_OK)
		rows += record.type == SX_CAPTURE_ROWS ? record.rows.count : 0;
	*whole = sx_capture_info(reader)->clean;
	assert_int_equal(sx_capture_account(reader)->damaged_records, 0);
	sx_capture_close(reader);
	return rows;
}

/* The file as it is at this moment, as a kill would leave it. */
static uint64_t count_after_kill(bool *whole)
{
	char copy[sizeof(path) + 2], block[65536];
	snprintf(copy, sizeof(copy), "%s.k", path);
	FILE *from = fopen(path, "rb"), *to = fopen(copy, "wb");
	assert_true(from && to);
	for (size_t n; (n = fread(block, 1, sizeof(block), from)) > 0;)
		assert_int_equal(fwrite(block, 1, n, to), n);
	fclose(from);
	assert_int_equal(fclose(to), 0);
	uint64_t rows = count_recorded(copy, whole);
	unlink(copy);
	return rows;
}

/*
 * A recording that is stopped for longer than any buffer holds and goes on (SIGSTOP, SIGCONT), is
 * killed (what was flushed is readable), and is ended by a signal (it is whole).
 */
static void a_recording(struct subject *s)
{
	struct sx_error err = {0};
	struct sx_capture_writer *writer = NULL;
	uint32_t count;
	bool whole;
	s->begin(&s->rig);
	struct sx_session *session = create(s, false, &err);
	assert_int_equal(sx_capture_create(path, NULL, &writer, NULL), SX_OK);
	sx_session_record(session, writer);
	assert_int_equal(sx_session_start(session, NULL, NULL, &err), SX_OK);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	while (d->samples < 10)
		assert_true(sx_session_poll(session, -1, NULL) != SX_END);
	assert_int_equal(sx_capture_flush(writer, NULL), SX_OK);
	uint64_t flushed = count_after_kill(&whole);
	assert_false(whole);
	assert_true(flushed >= 8);
	s->rig.machine.advance(s->rig.machine.device, 100 * INTERVAL_NS);
	uint64_t before = d->samples, stopped_ns = machine_now_ns(&s->rig.machine);
	while (d->end_ns == SX_TIME_UNKNOWN || d->end_ns < stopped_ns + 3 * INTERVAL_NS)
		assert_true(sx_session_poll(session, -1, NULL) != SX_END);
	assert_true(d->samples > before);
	sx_session_stop(session, SIGTERM);
	while (sx_session_poll(session, -1, NULL) != SX_END)
		;
	enum sx_status status = sx_session_finish(session, &err);
	if (status && (status != SX_INCOMPLETE || !(d->run.lost || d->run.lost_more)))
		fail_msg("%s: %s: %s", s->name, err.message, err.because);
	uint64_t samples = 0;
	for (uint32_t i = 0; i < count; i++)
		samples += d[i].samples;
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	assert_int_equal(count_recorded(path, &whole), samples);
	assert_true(whole);
	end(s, session);
}

static void recordings_that_are_interrupted(void **state)
{
	int fd = mkstemp(path);
	assert_true(fd >= 0);
	close(fd);
	for (size_t i = 0; i < SUBJECTS; i++)
		a_recording(&subjects[i]);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_source_keeps_limits),
	    cmocka_unit_test(every_source_measures_programs),
	    cmocka_unit_test(programs_end_with_the_limit),
	    cmocka_unit_test(signals_are_passed_on),
	    cmocka_unit_test(devices_that_go),
	    cmocka_unit_test(recordings_that_are_interrupted),
	    cmocka_unit_test(every_call_fails_once),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
