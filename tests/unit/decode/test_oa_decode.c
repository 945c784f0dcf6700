/* Rows of OA reports: contexts, lost data, wraps, time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "unit/decode/oa_outcome.h"

static void test_row_kinds(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	oa_begin(&file, &device);
	five_reports(&file);
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_RESIDENCY);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	assert_int_equal(value(o.rows, 0, "A0"), 300);
	assert_int_equal(value(o.rows, 1, "A0"), 200);
	assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 0), 5);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDING, SX_OA_TOTAL);
	assert_int_equal(sx_table_row_count(o.rows), 1);
	assert_int_equal(value(o.rows, 0, "A0"), 500);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 5000);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDING, SX_OA_CONTEXTS);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	sx_oa_decoder_destroy(o.decoder);
	o = decode_steps(
	    &file,
	    (struct sx_oa_options){
		.input = SX_OA_RECORDING, .rows = SX_OA_TOTAL, .only_context = true, .context = 5},
	    0);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 3000);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->intervals, 3);
	finish(&o, &file);
}

/* One report without a valid id between two of the context belongs to it; two do not. */
static void test_stray_report(void **state)
{
	(void)state;
	const struct {
		const char *labels; /* x: the context, i: invalid, y: another */
		uint64_t time;
	} cases[] = {{"xix", 2}, {"xiix", 1}, {"xyx", 1}, {"ixi", 1}, {"xxx", 2}};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct oa_file file = {0};
		uint8_t r[256];
		for (uint32_t i = 0; cases[c].labels[i]; i++) {
			char l = cases[c].labels[i];
			oa_report(r, 1, 1000 + i,
				  l == 'x'   ? 5
				  : l == 'y' ? 6
					     : 0xffffffff,
				  l != 'i', i, i, i, i);
			memcpy(oa_more(&file, 256), r, 256);
		}
		struct outcome o = decode_steps(&file,
						(struct sx_oa_options){.input = SX_OA_REPORTS,
								       .rows = SX_OA_TOTAL,
								       .only_context = true,
								       .context = 5},
						0);
		assert_int_equal(value(o.rows, 0, "GPU_TIME"), cases[c].time);
		finish(&o, &file);
	}
}

static void test_lost(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	for (uint32_t i = 0; i < 6; i++) {
		oa_report(r, 1, 1000 * (i + 1), 5, true, 1000 * i, 100 * i, i, i);
		oa_sample(&file, r);
		if (i == 1)
			oa_record(&file, 2, 8);
		if (i == 3)
			oa_record(&file, 3, 8);
	}
	struct outcome o = decode(&file, SX_OA_RECORDS, SX_OA_EACH);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(o.rows), 4); /* 0-1, 1-2 lost, 2-3, 4-5 */
	assert_int_equal(quality(o.rows, 0, "A0"), 0);
	assert_int_equal(quality(o.rows, 1, "A0"), SX_QUALITY_LOST);
	assert_int_equal(value(o.rows, 1, "A0"), 100);
	assert_int_equal(quality(o.rows, 2, "A0"), 0);
	assert_int_equal(quality(o.rows, 3, "C7"), SX_QUALITY_LOST);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDS, SX_OA_TOTAL);
	assert_int_equal(value(o.rows, 0, "A0"), 400); /* the broken interval is in nothing */
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), 4000);
	assert_int_equal(quality(o.rows, 0, "A0"), SX_QUALITY_LOST);
	sx_oa_decoder_destroy(o.decoder);
	o = decode(&file, SX_OA_RECORDS, SX_OA_RESIDENCY);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	finish(&o, &file);
}

/* Ten hours at 1 s: 104 wraps of the timestamp, 8,382 of the clock; every sum is exact. */
static void test_ten_hours(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	const uint64_t seconds = 36000, start = 0xfffffff000;
	oa_begin(&file, &device);
	for (uint64_t s = 0; s <= seconds; s++) {
		uint64_t ticks = start + s * 12500000;
		if (s % 60 == 0)
			oa_pair(&file, 5000000000 + s * 1000000000, ticks & 0xfffffffff);
		oa_report(r, 1, (uint32_t)ticks, 5, true, (uint32_t)(s * 900000000),
			  s * 21600000000, (uint32_t)(s * 899999999), (uint32_t)(s * 123456789));
		oa_sample(&file, r);
	}
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_TOTAL);
	assert_int_equal(o.status, SX_OK);
	assert_int_equal(notes, 0);
	assert_int_equal(value(o.rows, 0, "GPU_TIME"), seconds * 12500000);
	assert_int_equal(value(o.rows, 0, "GPU_CLOCK"), seconds * 900000000);
	assert_int_equal(value(o.rows, 0, "A7"), seconds * 21600000000);
	assert_int_equal(value(o.rows, 0, "B3"), seconds * 899999999);
	assert_int_equal(value(o.rows, 0, "C7"), seconds * 123456789);
	assert_int_equal(quality(o.rows, 0, "B3"), 0);
	assert_int_equal(sx_table_begin_ns(o.rows)[0], 5000000000);
	assert_int_equal(sx_table_end_ns(o.rows)[0], 5000000000 + seconds * 1000000000);
	finish(&o, &file);
}

/* Gaps in which counters may wrap twice are marked; the clock is repaired if one value fits. */
static void test_ambiguous_wrap(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	device.gt_min_hz = 850000000;
	oa_begin(&file, &device);
	oa_pair(&file, 1, 1000);
	oa_report(r, 1, 1000, 5, true, 0, 0, 0, 0);
	oa_sample(&file, r);
	oa_report(r, 1, 1000 + 12500000 * 6u, 5, true, (uint32_t)(900000000 * UINT64_C(6)), 7, 8,
		  9);
	oa_sample(&file, r);
	struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(value(o.rows, 0, "GPU_CLOCK"), 900000000 * UINT64_C(6));
	assert_int_equal(quality(o.rows, 0, "GPU_CLOCK"), 0);
	assert_int_equal(quality(o.rows, 0, "B0"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 0, "A32"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 0, "A7"), 0);
	sx_oa_decoder_destroy(o.decoder);
	/* A gap of three minutes: also the 40-bit counters. */
	oa_report(r, 1, 1000 + 12500000 * 166u, 5, true, 1, 7, 8, 9);
	oa_sample(&file, r);
	o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(quality(o.rows, 1, "A7"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 1, "GPU_CLOCK"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 1, "GPU_TIME"), 0);
	sx_oa_decoder_destroy(o.decoder);
	/* More clocks than the device can. */
	oa_report(r, 1, 1000 + 12500000 * 166u + 100, 5, true, 1000001, 7, 8, 9);
	oa_sample(&file, r);
	o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->fast_clocks, 1);
	assert_int_equal(quality(o.rows, 2, "GPU_CLOCK"), SX_QUALITY_WRAPPED);
	finish(&o, &file);
}

static void test_backwards(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	const uint32_t times[] = {1000, 2000, 1500, 2500};
	for (uint32_t i = 0; i < 4; i++) {
		oa_report(r, 1, times[i], 5, true, i, i, i, i);
		memcpy(oa_more(&file, 256), r, 256);
	}
	struct outcome o = decode(&file, SX_OA_REPORTS, SX_OA_EACH);
	assert_int_equal(sx_table_row_count(o.rows), 2);
	assert_int_equal(value(o.rows, 1, "GPU_TIME"), 1000);
	assert_int_equal(sx_table_begin_ns(o.rows)[1], 1500 * 80);
	assert_int_equal(notes, 1);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->backwards, 1);
	finish(&o, &file);
}

/* Counters over EUs wrap sooner than others; with 32 bits that is a fifth of a second. */
static void test_short_wrap(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256] = {0};
	device.format = SX_OA_A12_B8_C8;
	for (uint32_t i = 0; i < 3; i++) {
		oa_le32(r, 1u << 19 | 1u << 25);
		oa_le32(r + 4, 1000 + (i == 2 ? 3000000 : i * 2000000)); /* 160 ms, then 80 */
		oa_le32(r + 12, i * 1000);
		memcpy(oa_more(&file, 128), r, 128);
	}
	oa_le32(r + 4, 1000 + 3000000 + 3000000); /* 240 ms */
	memcpy(oa_more(&file, 128), r, 128);
	struct outcome o = decode_steps(&file,
					(struct sx_oa_options){.input = SX_OA_REPORTS,
							       .rows = SX_OA_EACH,
							       .device = device,
							       .format = SX_OA_A12_B8_C8},
					0);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->ambiguous, 1);
	assert_int_equal(quality(o.rows, 0, "A7"), 0);
	assert_int_equal(quality(o.rows, 1, "A7"), 0);
	assert_int_equal(quality(o.rows, 2, "A7"), SX_QUALITY_WRAPPED);
	assert_int_equal(quality(o.rows, 2, "B0"), 0);
	finish(&o, &file);
}

/* A file of any length needs no more rows than a batch. */
static void test_drain(void **state)
{
	(void)state;
	struct sx_oa_options options = {.input = SX_OA_REPORTS, .batch_rows = 100};
	struct sx_oa_decoder *d;
	struct sx_error err;
	uint64_t sum = 0, rows = 0;
	uint8_t r[256];
	assert_int_equal(sx_oa_decoder_create(&options, &d, &err), SX_OK);
	for (uint32_t i = 0; i < 100000; i++) {
		size_t used;
		oa_report(r, 1, i * 1000 + 1, 5, true, i * 70000, (uint64_t)i * 1000000, i, i);
		enum sx_status status = sx_oa_decoder_feed(d, r, 256, &used, &err);
		assert_int_equal(used, 256);
		if (status == SX_AGAIN) {
			struct sx_table *t = sx_oa_decoder_rows(d);
			assert_int_equal(sx_table_row_count(t), 100);
			assert_null(sx_table_vector(t, 5).quality);
			for (size_t n = 0; n < 100; n++)
				sum += value(t, n, "A7");
			rows += 100;
			sx_oa_decoder_drain(d);
		} else {
			assert_int_equal(status, SX_OK);
		}
	}
	assert_int_equal(sx_oa_decoder_finish(d, 0, &err), SX_OK);
	rows += sx_table_row_count(sx_oa_decoder_rows(d));
	assert_int_equal(rows, 99999);
	assert_int_equal(sum, 99900 * UINT64_C(1000000));
	sx_oa_decoder_destroy(d);
}

static void test_many_contexts(void **state)
{
	(void)state;
	struct oa_file file = {0};
	uint8_t r[256];
	for (uint32_t i = 0; i < 3000; i++) {
		oa_report(r, 8, 10 * (i + 1), i % 1000, true, i, i, i, i);
		memcpy(oa_more(&file, 256), r, 256);
	}
	struct outcome o = decode(&file, SX_OA_REPORTS, SX_OA_CONTEXTS);
	assert_int_equal(sx_table_row_count(o.rows), 1000);
	assert_int_equal(value(o.rows, 17, "GPU_TIME"), 30);
	assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 17), 17);
	finish(&o, &file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_row_kinds),	   cmocka_unit_test(test_stray_report),
	    cmocka_unit_test(test_lost),	   cmocka_unit_test(test_ten_hours),
	    cmocka_unit_test(test_ambiguous_wrap), cmocka_unit_test(test_backwards),
	    cmocka_unit_test(test_short_wrap),	   cmocka_unit_test(test_drain),
	    cmocka_unit_test(test_many_contexts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
