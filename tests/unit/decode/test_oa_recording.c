/* OA recordings: what they say of themselves, and every kind of damage. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "unit/decode/oa_outcome.h"

static void test_recording(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	oa_begin(&file, &device);
	five_reports(&file);
	for (size_t step = 0; step < 600; step += 37) {
		struct outcome o =
		    decode_steps(&file, (struct sx_oa_options){.input = SX_OA_RECORDING}, step);
		assert_int_equal(o.status, SX_OK);
		assert_int_equal(sx_table_row_count(o.rows), 4);
		assert_int_equal(value(o.rows, 0, "GPU_TIME"), 1000);
		assert_int_equal(value(o.rows, 3, "GPU_TIME"), 2000);
		assert_int_equal(value(o.rows, 1, "A31"), 100);
		assert_int_equal(value(o.rows, 1, "C7"), 20);
		assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 2), 5);
		assert_int_equal(sx_table_label(o.rows, SX_LABEL_CONTEXT, 3), SX_LABEL_ABSENT);
		/* 1000 ticks after the first pair, 80 ns each. */
		assert_int_equal(sx_table_begin_ns(o.rows)[0], 1000080000);
		assert_int_equal(sx_table_end_ns(o.rows)[3], 1000480000);
		assert_string_equal(sx_oa_decoder_device(o.decoder)->set, "RenderBasic");
		assert_int_equal(sx_oa_decoder_stats(o.decoder)->switches, 2);
		sx_oa_decoder_destroy(o.decoder);
	}
	struct sx_oa_constants constants;
	sx_oa_device_constants(&device, &constants);
	assert_true(constants.count > 8);
	assert_string_equal(constants.items[3].name, "EuCoresTotalCount");
	assert_int_equal((int)constants.items[3].value, 24);
	free(file.data);
}

/* A record of a live stream that lies about its size costs itself, and not what it claims. */
static void test_malformed_live_record(void **state)
{
	(void)state;
	struct oa_file file = {0};
	for (uint32_t i = 0; i < 8; i++) {
		uint8_t r[256];
		if (i == 3)
			oa_record(&file, 77, 600); /* two samples lie within it, it says */
		if (i == 3)
			file.size -= 600 - 8;
		oa_report(r, 1, 2000 + 1000 * i, 5, true, 50000 * i, 100 * i, 10 * i, 20 * i);
		oa_sample(&file, r);
	}
	struct outcome o = decode_steps(&file, (struct sx_oa_options){.input = SX_OA_RECORDS}, 0);
	assert_int_equal(o.status, SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(o.rows), 7);
	for (size_t row = 0; row < 7; row++) {
		assert_int_equal(value(o.rows, row, "GPU_TIME"), 1000);
		/* The sample before it may be incomplete, and is marked. */
		bool marked = row == 1 || row == 2;
		assert_int_equal(quality(o.rows, row, "A0"), marked ? SX_QUALITY_LOST : 0);
	}
	assert_int_equal(sx_oa_decoder_stats(o.decoder)->skipped_bytes, 8);
	finish(&o, &file);
}

struct damage {
	const char *what;
	enum sx_status status;
	size_t rows;
	const char *note; /* part of the last one, or NULL */
};

static void damaged(struct oa_file *file, const char *what)
{
	struct sx_oa_device device = oa_gt2();
	uint8_t r[256];
	if (strcmp(what, "empty") == 0)
		return;
	if (strcmp(what, "xe") == 0) {
		oa_record(file, 4, 16);
		return;
	}
	if (strcmp(what, "format") == 0)
		device.format = (enum sx_oa_format)5;
	oa_begin(file, &device);
	if (strcmp(what, "version") == 0)
		file->data[8] = 2;
	if (strcmp(what, "samples") == 0)
		return;
	for (uint32_t i = 0; i < 4; i++) {
		oa_report(r, 1, 1000 * (i + 1), 5, true, i, i, i, i);
		oa_sample(file, r);
		if (i == 1 && strcmp(what, "zero") == 0)
			oa_record(file, 1, 0);
		if (i == 1 && strcmp(what, "unknown") == 0)
			oa_record(file, 99, 24);
		if (i == 1 && strcmp(what, "short") == 0)
			oa_record(file, 1, 72);
		if (i == 1 && strcmp(what, "unwritten") == 0)
			oa_record(file, 1, 264);
		if (i == 1 && strcmp(what, "noise") == 0)
			for (int n = 0; n < 10; n++)
				oa_le32(oa_more(file, 8) + 4, 0x00030000u + (unsigned)n);
	}
	if (strcmp(what, "cut") == 0)
		file->size -= 100;
}

static void test_damage(void **state)
{
	(void)state;
	const struct damage cases[] = {
	    {"none", SX_OK, 3, NULL},
	    {"empty", SX_ERR_BAD_INPUT, 0, NULL},
	    {"xe", SX_ERR_BAD_INPUT, 0, NULL},
	    {"format", SX_ERR_UNSUPPORTED, 0, NULL},
	    {"version", SX_ERR_UNSUPPORTED, 0, NULL},
	    {"samples", SX_ERR_BAD_INPUT, 0, NULL},
	    {"zero", SX_INCOMPLETE, 3, "size 0 is impossible"},
	    {"unknown", SX_OK, 3, "unknown type 99"},
	    {"short", SX_INCOMPLETE, 3, "a sample of 64 bytes"},
	    {"unwritten", SX_INCOMPLETE, 3, "never written"},
	    {"noise", SX_INCOMPLETE, 3, "is impossible"},
	    {"cut", SX_INCOMPLETE, 2, "no whole record"},
	};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct oa_file file = {0};
		damaged(&file, cases[i].what);
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		if (o.status != cases[i].status)
			print_message("%s: status %d\n", cases[i].what, o.status);
		assert_int_equal(o.status, cases[i].status);
		if (o.status)
			assert_true(o.err.message[0] && strstr(o.err.message, "o"));
		if (cases[i].rows && sx_table_row_count(o.rows) != cases[i].rows)
			print_message("%s: rows %zu\n", cases[i].what, sx_table_row_count(o.rows));
		if (cases[i].rows)
			assert_int_equal(sx_table_row_count(o.rows), cases[i].rows);
		if (cases[i].note) {
			assert_int_not_equal(notes, 0);
			assert_non_null(strstr(last_note, cases[i].note));
			assert_non_null(strstr(last_note, "offset "));
		}
		finish(&o, &file);
	}
}

/* Replaces `size` bytes of the file by `count` others. */
static void splice(struct oa_file *file, size_t at, size_t size, size_t count, uint8_t byte)
{
	size_t rest = file->size - at - size;
	oa_more(file, count);
	memmove(file->data + at + count, file->data + at + size, rest);
	memset(file->data + at, byte, count);
	file->size -= size;
}

/* One thing wrong in a long recording costs the reports that it touches, and no others. */
static void test_resync(void **state)
{
	(void)state;
	static const struct {
		size_t offset, size, count; /* within a record: what is replaced by how much */
		uint8_t byte;
		size_t intervals;
	} cases[] = {
	    {7, 1, 1, 0x81, 197}, /* size 33032 instead of 264 */
	    {6, 1, 1, 9, 197},	  /* 265 */
	    {0, 1, 1, 5, 197},	  /* an unknown type */
	    {4, 1, 1, 1, 198},	  /* padding that is not 0: still a sample */
	    {0, 0, 13, 0xee, 198},   {0, 0, 8, 0x09, 198},  {0, 0, 1, 0, 198},
	    {0, 0, 5000, 0xff, 198}, {100, 100, 0, 0, 197}, {8, 1, 0, 0, 197},
	    {0, 264, 0, 0, 197},     {0, 3, 0, 0, 197},
	};
	for (size_t c = 0; c < sizeof(cases) / sizeof(cases[0]); c++) {
		struct oa_file file = {0};
		struct sx_oa_device device = oa_gt2();
		uint8_t r[256];
		size_t at = 0;
		oa_begin(&file, &device);
		for (uint32_t i = 0; i < 199; i++) {
			at = i == 100 ? file.size : at;
			oa_report(r, 1, 1000 * i + 1, 5, true, 60000 * i, 100 * i, i, i);
			oa_sample(&file, r);
		}
		splice(&file, at + cases[c].offset, cases[c].size, cases[c].count, cases[c].byte);
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		uint64_t a0 = 0;
		for (size_t i = 0; i < sx_table_row_count(o.rows); i++)
			a0 += value(o.rows, i, "A0");
		if (sx_table_row_count(o.rows) != cases[c].intervals)
			print_message("case %zu\n", c);
		assert_int_equal(sx_table_row_count(o.rows), cases[c].intervals);
		assert_int_equal(a0, 19800); /* sums hold whatever is missing in between */
		finish(&o, &file);
	}
}

/* A record that claims to reach beyond the end of the file hides none that lie within it. */
static void test_cut_inside(void **state)
{
	(void)state;
	struct oa_file file = {0};
	struct sx_oa_device device = oa_gt2();
	struct sx_oa_decoder *decoder;
	struct sx_error err;
	size_t used, at;
	uint8_t r[256];
	oa_begin(&file, &device);
	for (uint32_t i = 0; i < 10; i++) {
		if (i == 3)
			oa_record(&file, 1, 8), file.data[file.size - 1] = 0xf0;
		oa_report(r, 1, 1000 * i + 1, 5, true, 60000 * i, 100 * i, i, i);
		oa_sample(&file, r);
	}
	struct sx_oa_options options = {.input = SX_OA_RECORDING};
	assert_int_equal(sx_oa_decoder_create(&options, &decoder, &err), SX_OK);
	assert_int_equal(sx_oa_decoder_feed(decoder, file.data, file.size, &at, &err), SX_OK);
	assert_true(at < file.size - 7 * 264);
	sx_oa_decoder_end(decoder);
	assert_int_equal(sx_oa_decoder_feed(decoder, file.data + at, file.size - at, &used, &err),
			 SX_OK);
	assert_int_equal(at + used, file.size);
	assert_int_equal(sx_oa_decoder_finish(decoder, 0, &err), SX_INCOMPLETE);
	assert_int_equal(sx_table_row_count(sx_oa_decoder_rows(decoder)), 9);
	sx_oa_decoder_destroy(decoder);
	free(file.data);
}

/* A recording behind another one: rows of both, none across; of another set: only the first. */
static void test_two_recordings(void **state)
{
	(void)state;
	for (int other = 0; other < 2; other++) {
		struct oa_file file = {0};
		uint8_t r[256];
		for (uint32_t part = 0; part < 2; part++) {
			struct sx_oa_device device = oa_gt2();
			if (part && other)
				snprintf(device.set, sizeof(device.set), "ComputeBasic");
			oa_begin(&file, &device);
			for (uint32_t i = 0; i < 5; i++) {
				oa_report(r, 1, 9000 - 5000 * part + 1000 * i, 5, true, i, i, i, i);
				oa_sample(&file, r);
			}
		}
		struct outcome o = decode(&file, SX_OA_RECORDING, SX_OA_EACH);
		assert_int_equal(o.status, other ? SX_INCOMPLETE : SX_OK);
		assert_int_equal(sx_table_row_count(o.rows), other ? 4 : 8);
		assert_int_equal(sx_oa_decoder_stats(o.decoder)->backwards, 0);
		finish(&o, &file);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_malformed_live_record),
	    cmocka_unit_test(test_recording),
	    cmocka_unit_test(test_damage),
	    cmocka_unit_test(test_resync),
	    cmocka_unit_test(test_cut_inside),
	    cmocka_unit_test(test_two_recordings),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
