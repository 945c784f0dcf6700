/* The stream of the i915 source: reports, losses, the end, raw recordings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <cmocka.h>

#include "source/i915_oa/uapi.h"
#include "unit/source/i915_stream.h"
#include "unit/source/recorded.h"

/* A second of samples: sums are those of the model, times those of the clock. */
static void test_stream(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	assert_int_equal(fake.exponent, 13);
	assert_true(fake.properties & 1 << I915_PROP_POLL_PERIOD);
	assert_int_equal(fake_i915_config_count(&fake), 1);
	uint64_t begin_ns = fake.now_ns;
	while (fake.now_ns < begin_ns + 1000000000)
		assert_int_equal(step(&s, &err), SX_OK);
	size_t rows = sx_table_row_count(s.table);
	assert_in_range(rows, 750, 770);
	uint64_t ticks = sum(s.table, "GPU_TIME"), clocks = sum(s.table, "GPU_CLOCK");
	assert_int_equal(ticks, rows * 16384);
	assert_int_equal(clocks, ticks * 64);
	assert_in_range(sum(s.table, "A0"), clocks * 8 / 10 - 1, clocks * 8 / 10 + 1);
	assert_in_range(sum(s.table, "A7"), clocks * 12 - 1, clocks * 12 + 1);
	assert_in_range(sx_table_begin_ns(s.table)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(s.table)[rows - 1], fake.now_ns - 8000000, fake.now_ns);
	assert_int_equal(sx_table_label(s.table, SX_LABEL_CONTEXT, 0), 5);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
}

static void test_losses(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000000);
	for (int i = 0; i < 20; i++) {
		fake.lose_report = i == 5;
		fake.lose_buffer = i == 10;
		fake.false_poll = i == 15;
		enum sx_status status = step(&s, &err);
		assert_true(status == SX_OK || (i == 15 && status == SX_AGAIN));
	}
	size_t lost = 0, rows = sx_table_row_count(s.table);
	const uint8_t *quality = sx_table_vector(s.table, 2).quality;
	assert_non_null(quality);
	for (size_t i = 0; i < rows; i++)
		lost += quality[i] == SX_QUALITY_LOST;
	assert_int_equal(lost, 2);
	fake.gone = true;
	assert_int_equal(step(&s, &err), SX_ERR_DEVICE_LOST);
	assert_non_null(strstr(err.remedy, "dmesg"));
	end(&s);
	assert_int_equal(fake.open_fds, 0);
	fake_i915_finish(&fake);
}

/* What was written before stop() comes after it, to the last report, and then the end. */
static void test_read_after_stop(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	struct raw_sample raw;
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 1000000);
	uint64_t begin_ns = fake.now_ns;
	for (int i = 0; i < 4; i++)
		assert_int_equal(step(&s, &err), SX_OK);
	fake.now_ns += 500000000; /* without reads the hardware continues: more than one read() */
	uint64_t stop_ns = fake.now_ns;
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(fake.stream, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	int pieces = 0;
	while (step(&s, &err) == SX_OK)
		pieces++;
	assert_int_equal(step(&s, &err), SX_END);
	assert_true(pieces >= 1);
	size_t rows = sx_table_row_count(s.table);
	/* A report each 1.31 ms, all of them. */
	assert_in_range(rows, (stop_ns - begin_ns) / 1310720 - 2,
			(fake.now_ns - begin_ns) / 1310720);
	/* And again: a source starts anew. */
	assert_int_equal(start(s.source, "RenderBasic", 10000000, &err), SX_OK);
	assert_int_equal(source_i915_oa.read(s.source, 100, &raw, &err), SX_OK);
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
}

/* Losses come as a number, and a lost device with its cause and time. */
static void test_loss_is_counted(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct stream s;
	struct sx_error err = {0};
	struct raw_sample raw;
	uint64_t lost = 0;
	fake_i915_init(&fake);
	begin(&s, &fake, "RenderBasic", 10000000);
	for (int i = 0; i < 20; i++) {
		fake.lose_report = i == 5;
		if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
			lost += raw.lost;
	}
	assert_int_equal(lost, 1);
	/* The buffer holds 65536 reports; 70000 come without a read. */
	fake.now_ns += UINT64_C(70000) * 10485760;
	for (int i = 0; i < 3; i++)
		if (source_i915_oa.read(s.source, 100, &raw, &err) == SX_OK)
			lost += raw.lost;
	assert_in_range(lost, 69990, 70010);
	fake.read_errno = EIO;
	enum sx_status status;
	while ((status = source_i915_oa.read(s.source, 100, &raw, &err)) == SX_AGAIN)
		;
	assert_int_equal(status, SX_ERR_DEVICE_LOST);
	assert_non_null(strstr(err.message, " ended after 73"));
	assert_non_null(strstr(err.because, "GPU reset"));
	assert_int_equal(source_i915_oa.stop(s.source, &err), SX_OK);
	assert_int_equal(source_i915_oa.read(s.source, 100, &raw, &err), SX_END);
	end(&s);
	assert_int_equal(fake.open_fds, 0);
}

/* What is recorded is a recording: device and set in it, every time between two pairs. */
static void test_recording(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_error err = {0};
	struct sx_raw_recording recording = {.device = "i915:card0",
					     .set = "ComputeBasic",
					     .interval_ns = 1000000,
					     .duration_ns = 500000000};
	struct source_host host = {.sys = &fake.sys};
	fake_i915_init(&fake);
	uint64_t begin_ns = fake.now_ns;
	struct sx_oa_decoder *d = recorded_total(&host, &recording);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	const struct sx_table *t = sx_oa_decoder_rows(d);
	const struct sx_oa_device *device = sx_oa_decoder_device(d);
	assert_string_equal(device->set, "ComputeBasic");
	assert_string_equal(device->uuid, "35fbc9b2-a891-40a6-a38d-022bb7057552");
	assert_int_equal(device->device_id, 0x1616);
	assert_int_equal(device->eu_mask[0][2], 0xff);
	/* 500 ms, and what comes with the timer's next look. */
	assert_in_range(sum(t, "GPU_TIME"), 6200000, 6350000);
	assert_int_equal(sum(t, "GPU_CLOCK"), sum(t, "GPU_TIME") * 64);
	assert_in_range(sx_table_begin_ns(t)[0], begin_ns, begin_ns + 3000000);
	assert_in_range(sx_table_end_ns(t)[0], begin_ns + 480000000, fake.now_ns);
	sx_oa_decoder_destroy(d);
	struct recorded full = {.limit = 10000}; /* the disk is full */
	assert_int_equal(record_raw(&host, &recording, recorded_append, &full, &err), SX_ERR_IO);
	assert_int_equal(fake.open_fds, 0);
	assert_int_equal(fake_i915_config_count(&fake), 0);
	free(full.data);
}

static bool at_once(void *user)
{
	return true;
}

/* What the kernel holds when a recording is asked to end belongs to it, before the last pair. */
static void test_recording_ends(void **state)
{
	(void)state;
	struct fake_i915 fake;
	struct sx_raw_recording recording = {
	    .device = "i915:card0", .set = "ComputeBasic", .interval_ns = 1000000, .stop = at_once};
	struct source_host host = {.sys = &fake.sys};
	fake_i915_init(&fake);
	fake.look_ns = 10000000; /* time passes without anybody reading */
	struct sx_oa_decoder *d = recorded_total(&host, &recording);
	/* 5 ms at least, of a clock of 12.5 MHz. */
	assert_true(sum(sx_oa_decoder_rows(d), "GPU_TIME") > 62500);
	sx_oa_decoder_destroy(d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_stream),	    cmocka_unit_test(test_losses),
	    cmocka_unit_test(test_read_after_stop), cmocka_unit_test(test_loss_is_counted),
	    cmocka_unit_test(test_recording),	    cmocka_unit_test(test_recording_ends),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
