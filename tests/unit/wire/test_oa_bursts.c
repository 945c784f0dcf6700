/*
 * OA reports by the dozen: every copy of the loops against arithmetic byte by byte, and bursts of
 * samples against the same reports one at a time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include <sextant/table.h>

#include "wire/oa/oa.h"
#include "unit/wire/oa_build.h"

#define PAIRS 70

static uint64_t seed = 0x9e3779b97f4a7c15;

static uint64_t next(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

/* A counter as the manual has it: its value in both reports, and the difference modulo its width.
 */
static uint64_t counter(const uint8_t *report, const struct oa_run *run, size_t i)
{
	uint64_t value = 0;
	size_t width = run->wide ? 8 : 4;
	for (size_t b = 0; b < width; b++)
		value += (uint64_t)report[run->offset + width * i + b] << 8 * b;
	return run->high ? value + ((uint64_t)report[run->high + i] << 32) : value;
}

static uint64_t passed(const struct oa_pairs *pairs, size_t n, const struct oa_run *run, size_t i)
{
	uint64_t a = counter(pairs->first[n], run, i), b = counter(pairs->second[n], run, i);
	if (run->wide)
		return b - a;
	uint64_t modulus = UINT64_C(1) << (run->high ? 40 : 32);
	return b >= a ? b - a : modulus - a + b;
}

static void check_run(const struct oa_loops *loops, const struct oa_run *run,
		      const struct oa_pairs *pairs)
{
	uint64_t values[SX_OA_SLOTS][PAIRS + 1], sums[SX_OA_SLOTS], *to[SX_OA_SLOTS];
	for (size_t s = 0; s < SX_OA_SLOTS; s++) {
		to[s] = values[s];
		sums[s] = s;
		for (size_t n = 0; n <= PAIRS; n++)
			values[s][n] = 77;
	}
	loops->columns(run, pairs, to);
	loops->sum(run, pairs, sums);
	for (size_t s = 0; s < SX_OA_SLOTS; s++) {
		bool own = s >= run->slot && s < (size_t)run->slot + run->count;
		uint64_t sum = s;
		for (size_t n = 0; own && n < pairs->count; n++) {
			uint64_t expected = passed(pairs, n, run, s - run->slot);
			assert_int_equal(values[s][n], expected);
			sum += expected;
		}
		assert_int_equal(sums[s], sum);
		for (size_t n = own ? pairs->count : 0; n <= PAIRS; n++)
			assert_int_equal(values[s][n], 77);
	}
}

/* Reports are allocated alone, so that a sanitizer sees any read beyond one. */
static void check_format(const struct oa_loops *loops, enum sx_oa_format format)
{
	const uint8_t *first[PAIRS], *second[PAIRS];
	uint8_t *reports[2 * PAIRS];
	const struct oa_run *runs;
	size_t size = oa_format_size(format), run_count = oa_format_runs(format, &runs);
	for (size_t i = 0; i < 2 * PAIRS; i++) {
		reports[i] = malloc(size);
		assert_non_null(reports[i]);
		for (size_t b = 0; b < size; b++)
			reports[i][b] = (uint8_t)(next() >> 40);
	}
	for (size_t n = 0; n < PAIRS; n++) {
		first[n] = reports[2 * n];
		second[n] = reports[2 * n + 1];
	}
	for (size_t count = 0; count <= PAIRS; count += count < 20 ? 1 : 7)
		for (size_t r = 0; r < run_count; r++) {
			struct oa_pairs pairs = {first, second, count, size, 1 << 20};
			check_run(loops, &runs[r], &pairs);
		}
	for (size_t i = 0; i < 2 * PAIRS; i++)
		free(reports[i]);
}

static void test_loops(void **state)
{
	(void)state;
	static const enum sx_oa_format formats[] = {SX_OA_C4_B8,
						    SX_OA_A12,
						    SX_OA_A12_B8_C8,
						    SX_OA_A32U40_A4U32_B8_C8,
						    SX_OA_A24U40_A14U32_B8_C8,
						    SX_OA_A45_B8_C8,
						    SX_OA_MPEC8U64_B8_C8,
						    SX_OA_PEC64U64_B8_C8,
						    SX_OA_PEC64U32};
	const struct oa_loops *all[OA_LOOPS_MAX];
	size_t count = oa_loops_all(all);
	assert_true(count >= 1 && count <= OA_LOOPS_MAX);
	assert_ptr_equal(oa_loops(), all[count - 1]);
	for (size_t i = 0; i < count; i++)
		for (size_t f = 0; f < sizeof(formats) / sizeof(formats[0]); f++)
			check_format(all[i], formats[f]);
}

static void say_nothing(void *user, const char *line)
{
	(void)user;
	(void)line;
}

/* Decodes everything, `step` bytes at a time. */
static struct sx_oa_decoder *decode(const struct oa_file *file, struct sx_oa_options options,
				    size_t step)
{
	struct sx_oa_decoder *decoder;
	struct sx_error err;
	options.note = say_nothing;
	options.batch_rows = 1u << 20;
	assert_int_equal(sx_oa_decoder_create(&options, &decoder, &err), SX_OK);
	for (size_t at = 0, end = 0, used; end < file->size; at += used) {
		end = end + step > file->size ? file->size : end + step;
		uint8_t *copy = malloc(end - at);
		assert_non_null(copy);
		memcpy(copy, file->data + at, end - at);
		assert_int_equal(sx_oa_decoder_feed(decoder, copy, end - at, &used, &err), SX_OK);
		free(copy);
	}
	/* An error only where none of the intervals was wanted. */
	enum sx_status status = sx_oa_decoder_finish(decoder, 0, &err);
	bool any = sx_oa_decoder_stats(decoder)->intervals != 0;
	assert_true(any ? status <= SX_INCOMPLETE : status == SX_ERR_BAD_INPUT);
	return decoder;
}

static void same_tables(const struct sx_table *a, const struct sx_table *b)
{
	size_t rows = sx_table_row_count(a);
	static const uint8_t valid[4096];
	assert_int_equal(rows, sx_table_row_count(b));
	assert_true(rows <= sizeof(valid));
	if (!rows)
		return;
	assert_memory_equal(sx_table_begin_ns(a), sx_table_begin_ns(b), 8 * rows);
	assert_memory_equal(sx_table_end_ns(a), sx_table_end_ns(b), 8 * rows);
	for (uint32_t c = 0; c < sx_table_column_count(a); c++) {
		struct sx_vector x = sx_table_vector(a, c), y = sx_table_vector(b, c);
		assert_memory_equal(x.data, y.data, 8 * rows);
		assert_memory_equal(x.quality ? x.quality : valid, y.quality ? y.quality : valid,
				    rows);
	}
	for (size_t r = 0; r < rows; r++) {
		const char *x = sx_table_string(a, sx_table_label(a, SX_LABEL_REASON, r));
		const char *y = sx_table_string(b, sx_table_label(b, SX_LABEL_REASON, r));
		assert_string_equal(x, y);
		assert_int_equal(sx_table_label(a, SX_LABEL_CONTEXT, r),
				 sx_table_label(b, SX_LABEL_CONTEXT, r));
	}
}

/* `rate` clocks a tick. Reports of which some are out of the ordinary, as samples and bare. */
static void make_reports(struct oa_file *samples, struct oa_file *bare, size_t count, uint32_t rate)
{
	uint32_t time = (uint32_t)next(), clock = (uint32_t)next(), context = 5;
	uint64_t a = next();
	for (size_t i = 0; i < count; i++) {
		uint32_t span = (uint32_t)(next() % 100000), odd = (uint32_t)(next() % 64);
		uint8_t r[256];
		static const uint32_t spans[] = {0x60000000, 0xfffff000, 0x88000000};
		span = odd < 3 ? spans[odd] : span;
		time += span;
		clock += span * (odd == 3 ? 9 * rate : rate);
		a += next() % 1000000000;
		context = odd < 12 ? odd : context;
		oa_report(r, odd == 4 ? 0 : 1u << odd % 6, time, odd == 5 ? 0xffffffff : context,
			  odd != 6, clock, a, (uint32_t)(a >> 3), (uint32_t)(a >> 5));
		if (odd == 7)
			memset(r, 0, 8); /* never written */
		oa_sample(samples, r);
		memcpy(oa_more(bare, 256), r, 256);
	}
}

static void compare(const struct oa_file *samples, const struct oa_file *bare,
		    struct sx_oa_options options, size_t step)
{
	options.input = SX_OA_RECORDS;
	struct sx_oa_decoder *many = decode(samples, options, step);
	options.input = SX_OA_REPORTS;
	struct sx_oa_decoder *one = decode(bare, options, 256);
	const struct sx_oa_stats *x = sx_oa_decoder_stats(many), *y = sx_oa_decoder_stats(one);
	assert_int_equal(x->reports, y->reports);
	assert_int_equal(x->intervals, y->intervals);
	assert_int_equal(x->switches, y->switches);
	assert_int_equal(x->zero_reasons, y->zero_reasons);
	assert_int_equal(x->fast_clocks, y->fast_clocks);
	assert_int_equal(x->skipped_bytes, y->skipped_bytes);
	same_tables(sx_oa_decoder_rows(many), sx_oa_decoder_rows(one));
	sx_oa_decoder_destroy(many);
	sx_oa_decoder_destroy(one);
}

/* Bare reports go one at a time, samples in bursts: the rows are the same, whatever comes. */
static void test_bursts(void **state)
{
	(void)state;
	static const enum sx_oa_rows kinds[] = {SX_OA_EACH, SX_OA_RESIDENCY, SX_OA_CONTEXTS,
						SX_OA_TOTAL};
	for (int round = 0; round < 20; round++) {
		struct oa_file samples = {0}, bare = {0};
		/* A clock so slow that timestamps wrap first, or 900 MHz of 12.5. */
		bool slow = round % 2;
		struct sx_oa_device device = oa_gt2();
		device.gt_max_hz = slow ? 20000000 : device.gt_max_hz;
		make_reports(&samples, &bare, 50 + next() % 500, slow ? 1 : 60);
		for (int k = 0; k < 8; k++) {
			struct sx_oa_options options = {
			    .rows = kinds[k % 4],
			    .device = device,
			    .header = round % 4 >= 2 ? SX_OA_HEADER_COMMAND : SX_OA_HEADER_BUFFER,
			    .only_context = k >= 4,
			    .context = 5};
			compare(&samples, &bare, options, 264 + next() % 40000);
		}
		free(samples.data);
		free(bare.data);
	}
}

/* 344 s without a report are a wrap and 400 ms: only the pair in between shows it. */
static void test_pause(void **state)
{
	(void)state;
	const uint64_t pause = UINT64_C(344) * 12500000;
	struct oa_file file = {0};
	struct sx_oa_options options = {.input = SX_OA_RECORDS, .device = oa_gt2()};
	uint8_t r[256];
	for (uint32_t i = 0; i < 6; i++) {
		uint64_t ticks = 1000 + i * 1000 + (i < 4 ? 0 : pause);
		oa_report(r, 1, (uint32_t)ticks, 5, true, i * 1000, i, i, i);
		if (i == 0)
			oa_pair(&file, 1000000000, ticks);
		if (i == 4)
			oa_pair(&file, 1000000000 + 80 * (ticks - 2000), ticks - 1000);
		oa_sample(&file, r);
	}
	struct sx_oa_decoder *decoder = decode(&file, options, file.size);
	struct sx_table *rows = sx_oa_decoder_rows(decoder);
	const uint64_t *time = sx_table_vector(rows, SX_OA_TIME).data;
	assert_int_equal(sx_table_row_count(rows), 5);
	for (size_t i = 0; i < 5; i++)
		assert_int_equal(time[i], i == 3 ? pause + 1000 : 1000);
	sx_oa_decoder_destroy(decoder);
	free(file.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_loops),
	    cmocka_unit_test(test_bursts),
	    cmocka_unit_test(test_pause),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
