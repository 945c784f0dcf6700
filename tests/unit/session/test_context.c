/* A session of one hardware context, replayed from a capture in which several ran. */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "unit/context_file.h"

#define ROWS 200

/* Idle, 5, 5, 77, … in stretches of uneven length. */
static uint64_t owner(uint64_t row)
{
	static const uint64_t owners[] = {SX_LABEL_ABSENT, 5, 5, 77, 5, 77, 77, SX_LABEL_ABSENT};
	return owners[row * 5 / 3 % 8];
}

static uint64_t value(uint64_t row)
{
	return 1000 + row * row;
}

static void write_rows(struct sx_capture_writer *writer, uint32_t device, bool labels)
{
	uint64_t begin[ROWS], end[ROWS], values[ROWS], owners[ROWS];
	for (uint64_t i = 0; i < ROWS; i++) {
		begin[i] = 1000000 + i * 1000;
		end[i] = begin[i] + 1000;
		values[i] = value(i);
		owners[i] = owner(i);
	}
	struct sx_vector columns[] = {{SX_U64, values, NULL}};
	struct sx_rows rows = {
	    .count = ROWS, .begin_ns = begin, .end_ns = end, .columns = columns, .column_count = 1};
	rows.labels[SX_LABEL_CONTEXT] = labels ? owners : NULL;
	assert_int_equal(sx_capture_write(writer, device, &rows, NULL), SX_OK);
}

static void write_capture(bool labels)
{
	static const struct sx_column columns[] = {{"A7", "cycles", SX_U64, SX_REDUCE_SUM, NULL}};
	static const struct sx_capture_device device = {.catalog = "intel-bdw",
							.facts.source = "i915",
							.facts.name = "Broadwell",
							.kind = SX_SAMPLE_TIME,
							.columns = columns,
							.column_count = 1};
	struct sx_capture_options options = {0};
	struct sx_capture_writer *writer = NULL;
	uint32_t number;
	assert_int_equal(sx_capture_create(path, &options, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, &device, &number, NULL), SX_OK);
	write_rows(writer, number, labels);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
}

static struct sx_session *replay(uint32_t id, const struct sx_session_device **device)
{
	static const char *const names[] = {"A7"};
	struct sx_session_options options = {.metrics = names,
					     .metric_count = 1,
					     .input = path,
					     .only_context = true,
					     .context = id};
	struct sx_session *session = NULL;
	uint32_t count;
	assert_int_equal(sx_session_create(context, &options, &session, NULL), SX_OK);
	assert_int_equal(sx_session_run(session, NULL, NULL, NULL), SX_OK);
	*device = sx_session_devices(session, &count);
	assert_int_equal(count, 1);
	return session;
}

static void test_rows(void **state)
{
	static const uint32_t ids[] = {5, 77};
	write_capture(true);
	for (int n = 0; n < 2; n++) {
		const struct sx_session_device *device;
		struct sx_session *session = replay(ids[n], &device);
		const struct sx_table *raw = device->raw;
		size_t at = 0;
		for (uint64_t i = 0; i < ROWS; i++) {
			if (owner(i) != ids[n])
				continue;
			assert_true(at < sx_table_row_count(raw));
			assert_int_equal(sx_table_begin_ns(raw)[at], 1000000 + i * 1000);
			assert_int_equal(sx_table_label(raw, SX_LABEL_CONTEXT, at), ids[n]);
			assert_true(sx_table_get(raw, 0, at) == (double)value(i));
			at++;
		}
		assert_int_equal(at, sx_table_row_count(raw));
		assert_null(device->run.silence);
		sx_session_destroy(session);
	}
}

static void expect_silence(uint32_t id)
{
	const struct sx_session_device *device;
	struct sx_session *session = replay(id, &device);
	assert_int_equal(sx_table_row_count(device->raw), 0);
	assert_non_null(device->run.silence);
	assert_string_equal(device->run.silence->because,
			    "all of 200 samples are of other contexts, or idle");
	sx_session_destroy(session);
}

/* A context that never ran, and rows without a context: no rows, and a note. */
static void test_none(void **state)
{
	write_capture(true);
	expect_silence(6);
	write_capture(false);
	expect_silence(5);
}

static void test_device_without(void **state)
{
	static const char *const cpu[] = {"cpu"};
	struct sx_session_options options = {
	    .devices = cpu, .device_count = 1, .only_context = true};
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	enum sx_status status = sx_session_create(context, &options, &session, &err);
	assert_null(session);
	if (status == SX_ERR_PERMISSION || status == SX_ERR_NOT_FOUND)
		skip(); /* the counters of this CPU are not to be had here */
	assert_int_equal(status, SX_ERR_UNSUPPORTED);
	assert_string_equal(err.message, "source cpu does not distinguish contexts");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_rows),
	    cmocka_unit_test(test_none),
	    cmocka_unit_test(test_device_without),
	};
	return cmocka_run_group_tests(tests, context_file_open, context_file_close);
}
