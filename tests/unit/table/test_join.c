/* Rows joined by common time: amounts are divided, levels are averaged, quality is set. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/table.h>

#define COLUMNS 5
enum { AMOUNT, RATE, HIGHEST, NEWEST, SHARE };
static const struct sx_column columns[COLUMNS] = {
    {.name = "amount", .unit = "bytes", .type = SX_U64, .over_time = SX_REDUCE_SUM},
    {.name = "rate", .unit = "Hz", .type = SX_F64, .over_time = SX_REDUCE_MEAN},
    {.name = "highest", .unit = "count", .type = SX_U64, .over_time = SX_REDUCE_MAX},
    {.name = "newest", .unit = "count", .type = SX_F64, .over_time = SX_REDUCE_LAST},
    {.name = "share", .unit = "percent", .type = SX_F64, .over_time = SX_REDUCE_RATIO},
};

static struct sx_table *make(void)
{
	struct sx_table *t = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_TIME, &t, NULL), SX_OK);
	return t;
}

static void add(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns, uint64_t amount,
		double state)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(t, 1, &row, NULL), SX_OK);
	sx_table_set_time(t, row, begin_ns, end_ns);
	sx_table_set_u64(t, AMOUNT, row, amount, 0);
	sx_table_set_f64(t, RATE, row, state, 0);
	sx_table_set_u64(t, HIGHEST, row, amount, 0);
	sx_table_set_f64(t, NEWEST, row, state, 0);
	sx_table_set_f64(t, SHARE, row, state, 0);
}

static struct sx_table *join(const struct sx_table *rows, const struct sx_table *from)
{
	struct sx_table *out = NULL;
	assert_int_equal(sx_table_join(rows, from, &out, NULL), SX_OK);
	assert_int_equal(sx_table_row_count(out), sx_table_row_count(rows));
	return out;
}

static void expect(const struct sx_table *t, uint32_t column, size_t row, double value,
		   uint8_t quality)
{
	double have = sx_table_get(t, column, row);
	struct sx_vector v = sx_table_vector(t, column);
	if (fabs(have - value) > 1e-9 * fabs(value) || (v.quality ? v.quality[row] : 0) != quality)
		fail_msg("%s of row %zu is %.17g (quality %u), not %.17g (%u)",
			 sx_table_column(t, column)->name, row, have,
			 v.quality ? v.quality[row] : 0, value, quality);
}

/* A frame over two samples: half of one, a quarter of the other. */
static void sums_are_split(void **state)
{
	struct sx_table *rows = make(), *from = make();
	add(rows, 150, 225, 0, 0);
	add(rows, 200, 300, 0, 0);
	add(from, 100, 200, 1000, 10);
	add(from, 200, 300, 400, 40);
	struct sx_table *out = join(rows, from);
	expect(out, AMOUNT, 0, 500 + 100, SX_QUALITY_STRETCHED);
	expect(out, RATE, 0, (10 * 50 + 40 * 25) / 75.0, SX_QUALITY_STRETCHED);
	expect(out, SHARE, 0, (10 * 50 + 40 * 25) / 75.0, SX_QUALITY_STRETCHED);
	expect(out, HIGHEST, 0, 1000, 0);
	expect(out, NEWEST, 0, 40, 0);
	expect(out, AMOUNT, 1, 400, 0); /* exactly its own sample */
	assert_int_equal(sx_table_column(out, AMOUNT)->type, SX_F64);
	assert_int_equal(sx_table_column(out, HIGHEST)->type, SX_U64);
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
}

/* A value that covers most of the row represents it, and is marked; a smaller part is no data. */
static void parts_that_were_not_seen(void **state)
{
	struct sx_table *rows = make(), *from = make();
	add(rows, 0, 100, 0, 0);
	add(rows, 100, 200, 0, 0);
	add(rows, 500, 600, 0, 0);
	add(from, 20, 100, 80, 7);
	add(from, 160, 200, 40, 8);
	struct sx_table *out = join(rows, from);
	expect(out, AMOUNT, 0, 100, SX_QUALITY_MULTIPLEXED);
	expect(out, RATE, 0, 7, SX_QUALITY_MULTIPLEXED);
	assert_true(isnan(sx_table_get(out, AMOUNT, 1)));
	expect(out, NEWEST, 1, 8, 0); /* a state needs no more than a moment */
	assert_true(isnan(sx_table_get(out, NEWEST, 2)));
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
}

/* Rows that were skipped by sampling: measured ones represent them. */
static void rows_that_were_spared(void **state)
{
	struct sx_table *rows = make(), *from = make();
	add(rows, 0, 100, 0, 0);
	add(rows, 100, 200, 0, 0);
	add(from, 0, 20, 30, 7);
	add(from, 20, 100, 0, 0);
	add(from, 100, 200, 0, 0);
	for (size_t r = 1; r < 3; r++) {
		sx_table_set_u64(from, AMOUNT, r, 0, SX_QUALITY_SKIPPED);
		sx_table_set_f64(from, RATE, r, 0, SX_QUALITY_SKIPPED);
	}
	struct sx_table *out = join(rows, from);
	expect(out, AMOUNT, 0, 150, SX_QUALITY_MULTIPLEXED);
	expect(out, RATE, 0, 7, SX_QUALITY_MULTIPLEXED);
	struct sx_vector v = sx_table_vector(out, AMOUNT);
	assert_true(isnan(sx_table_get(out, AMOUNT, 1)));
	assert_true(sx_quality_is_skipped(v.quality[1]));
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
}

/* Rows of two contexts overlap: the time that both enclose is known once, what they count is twice.
 */
static void rows_that_overlap(void **state)
{
	struct sx_table *rows = make(), *from = make(), *spared = make();
	add(rows, 0, 100, 0, 0);
	add(rows, 100, 200, 0, 0);
	add(from, 0, 30, 30, 4);
	add(from, 10, 40, 60, 8); /* together 40 of 100: less than half */
	add(from, 100, 160, 60, 4);
	add(from, 110, 180, 70, 8); /* together 80 of 100 */
	struct sx_table *out = join(rows, from);
	assert_true(isnan(sx_table_get(out, AMOUNT, 0)));
	assert_true(isnan(sx_table_get(out, RATE, 0)));
	expect(out, AMOUNT, 1, 130 * 100 / 80.0, SX_QUALITY_MULTIPLEXED);
	expect(out, RATE, 1, (4 * 60 + 8 * 70) / 130.0, SX_QUALITY_MULTIPLEXED);
	sx_table_destroy(out);
	/* So is what was spared beside what was measured. */
	add(spared, 0, 30, 30, 4);
	add(spared, 5, 35, 0, 0);
	sx_table_set_u64(spared, AMOUNT, 1, 0, SX_QUALITY_SKIPPED);
	out = join(rows, spared);
	assert_true(isnan(sx_table_get(out, AMOUNT, 0)));
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
	sx_table_destroy(spared);
}

/* Values without data, rows without times or length, and nothing at all. */
static void what_cannot_be_joined(void **state)
{
	struct sx_table *rows = make(), *from = make(), *none = make();
	add(rows, 0, 100, 0, 0);
	add(rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN, 0, 0);
	add(rows, 50, 50, 0, 0);
	add(rows, 90, 40, 0, 0);
	add(from, 0, 100, 5, 5);
	add(from, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN, 7, 7);
	add(from, 60, 60, 9, 9);
	sx_table_set_u64(from, HIGHEST, 0, 0, SX_QUALITY_NOT_COLLECTED);
	sx_table_set_f64(from, RATE, 0, 3, SX_QUALITY_LOST);
	struct sx_table *out = join(rows, from);
	expect(out, AMOUNT, 0, 5, 0);
	expect(out, RATE, 0, 3, SX_QUALITY_LOST);
	assert_true(isnan(sx_table_get(out, HIGHEST, 0)));
	for (size_t r = 1; r < 4; r++)
		for (uint32_t c = 0; c < COLUMNS; c++)
			assert_true(isnan(sx_table_get(out, c, r)));
	sx_table_destroy(out);
	out = join(rows, none);
	assert_true(isnan(sx_table_get(out, AMOUNT, 0)));
	sx_table_destroy(out);
	out = join(none, from);
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
	sx_table_destroy(none);
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return *seed >> 33;
}

/* The share of one value that falls into a span, by itself. */
static double shared(const struct sx_table *from, size_t row, uint64_t begin, uint64_t end)
{
	double b = (double)sx_table_begin_ns(from)[row], e = (double)sx_table_end_ns(from)[row];
	double since = fmax(b, (double)begin), until = fmin(e, (double)end);
	return until > since ? (until - since) / (e - b) : 0;
}

/* Rows of any length, order and overlap, against adding up all pairs. */
static void like_adding_up_all_pairs(void **state)
{
	uint64_t seed = 16;
	for (int round = 0; round < 50; round++) {
		struct sx_table *rows = make(), *from = make();
		for (uint64_t at = 0; at < 5000; at += 1 + next_random(&seed) % 60)
			add(rows, at, at + 1 + next_random(&seed) % 200, 0, 0);
		/* Without holes, so that nothing is scaled; some lie above others. */
		for (uint64_t at = 0, length; at < 6000; at += length) {
			length = 1 + next_random(&seed) % 300;
			add(from, at, at + length, next_random(&seed) % 100000, 0);
			if (next_random(&seed) % 4 == 0)
				add(from, at / 2, at / 2 + length, next_random(&seed) % 1000, 0);
		}
		struct sx_table *out = join(rows, from);
		for (size_t r = 0; r < sx_table_row_count(rows); r++) {
			double sum = 0;
			for (size_t i = 0; i < sx_table_row_count(from); i++)
				sum += sx_table_get(from, AMOUNT, i) *
				       shared(from, i, sx_table_begin_ns(rows)[r],
					      sx_table_end_ns(rows)[r]);
			double have = sx_table_get(out, AMOUNT, r);
			if (fabs(have - sum) > 1e-9 * sum + 1e-9)
				fail_msg("round %d, row %zu: %.17g, not %.17g", round, r, have,
					 sum);
		}
		sx_table_destroy(out);
		sx_table_destroy(rows);
		sx_table_destroy(from);
	}
}

/* Nothing is added or lost: consecutive rows share out the whole. */
static void the_whole_is_kept(void **state)
{
	struct sx_table *rows = make(), *from = make();
	double sum = 0;
	uint64_t whole = 0;
	for (uint64_t i = 0; i < 100; i++) {
		add(from, i * 100, i * 100 + 100, i * i, 0);
		whole += i * i;
	}
	for (uint64_t at = 0; at < 10000;) {
		uint64_t end = at + 7 + at % 13;
		end = end < 10000 ? end : 10000;
		add(rows, at, end, 0, 0);
		at = end;
	}
	struct sx_table *out = join(rows, from);
	for (size_t r = 0; r < sx_table_row_count(out); r++)
		sum += sx_table_get(out, AMOUNT, r);
	assert_true(fabs(sum - (double)whole) < 1e-6 * (double)whole);
	sx_table_destroy(out);
	sx_table_destroy(rows);
	sx_table_destroy(from);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(sums_are_split),		cmocka_unit_test(parts_that_were_not_seen),
	    cmocka_unit_test(rows_that_were_spared),	cmocka_unit_test(rows_that_overlap),
	    cmocka_unit_test(what_cannot_be_joined),	cmocka_unit_test(the_whole_is_kept),
	    cmocka_unit_test(like_adding_up_all_pairs),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
