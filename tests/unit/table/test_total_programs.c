/* Totals of rows of several programs and contexts, against plain sums over each of them. */
#include <sextant/table.h>
#include "table/total.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { U, F, MEAN, MAX, LAST, COLUMNS };
static const struct sx_column columns[COLUMNS] = {
    [U] = {"u", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
    [F] = {"f", "s", SX_F64, SX_REDUCE_SUM, NULL},
    [MEAN] = {"mean", "MHz", SX_F64, SX_REDUCE_MEAN, NULL},
    [MAX] = {"max", "bytes", SX_U64, SX_REDUCE_MAX, NULL},
    [LAST] = {"last", "count", SX_U64, SX_REDUCE_LAST, NULL},
};

#define STRATA 6 /* programs' contexts */

/* Totals of a stratum. */
struct stratum {
	double sum, fsum, weighted, weight, with, skipped, with_ns, skipped_ns;
};

struct due {
	struct stratum of[STRATA];
	uint64_t max, last;
	bool by_time;
};

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	return *state ^= *state << 17;
}

static void label(struct sx_table *table, size_t row, unsigned stratum)
{
	char name[32];
	int size = snprintf(name, sizeof(name), "p (%u)", stratum / 2);
	assert_int_equal(sx_table_set_label(table, SX_LABEL_PROCESS, row,
					    sx_table_intern(table, name, (size_t)size)),
			 SX_OK);
	assert_int_equal(sx_table_set_label(table, SX_LABEL_CONTEXT, row, stratum % 2), SX_OK);
}

/* A row of a stratum, measured in one of 1 + stratum % 4. */
static void add_row(struct sx_table *table, struct due *due, unsigned stratum, uint64_t *seed)
{
	static uint64_t at = 1000;
	size_t row;
	struct stratum *of = &due->of[stratum];
	uint64_t length = 100 + next_random(seed) % 900 * (stratum + 1);
	uint64_t value = next_random(seed) % 5000 * (stratum + 1);
	/* The first row of each is measured; programs without one have a test of their own. */
	bool measured = of->with == 0 || next_random(seed) % (1 + stratum % 4) == 0;
	uint8_t quality = measured ? 0 : SX_QUALITY_SKIPPED;
	assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
	sx_table_set_time(table, row, at, at + length);
	at += length;
	label(table, row, stratum);
	sx_table_set_u64(table, U, row, value, quality);
	sx_table_set_f64(table, F, row, (double)value / 3, quality);
	sx_table_set_f64(table, MEAN, row, (double)value, quality);
	sx_table_set_u64(table, MAX, row, value, quality);
	sx_table_set_u64(table, LAST, row, value, quality);
	*(measured ? &of->with : &of->skipped) += 1;
	*(measured ? &of->with_ns : &of->skipped_ns) += (double)length;
	if (!measured)
		return;
	of->sum += (double)value;
	of->fsum += (double)value / 3;
	of->weighted += (double)value * (double)length;
	of->weight += (double)length;
	due->max = value > due->max ? value : due->max;
	due->last = value;
}

/* The weight of a program's measured rows. */
static double times_of(const struct due *due, unsigned stratum)
{
	const struct stratum *of = &due->of[stratum];
	if (!(of->with > 0))
		return 0;
	return due->by_time ? 1 + of->skipped_ns / of->with_ns : 1 + of->skipped / of->with;
}

static void check_total(const struct total *total, const struct due *due)
{
	struct sx_table *out = NULL;
	double sum = 0, fsum = 0, weighted = 0, weight = 0;
	assert_int_equal(total_table(total, TOTAL_RUN, &out, NULL), SX_OK);
	for (unsigned i = 0; i < STRATA; i++) {
		sum += due->of[i].sum * times_of(due, i);
		fsum += due->of[i].fsum * times_of(due, i);
		weighted += due->of[i].weighted * times_of(due, i);
		weight += due->of[i].weight * times_of(due, i);
	}
	assert_true(fabs(sx_table_get(out, U, 0) - sum) <= STRATA / 2.0 + 1);
	assert_true(fabs(sx_table_get(out, F, 0) - fsum) <= 1e-9 * fsum);
	assert_true(fabs(sx_table_get(out, MEAN, 0) - weighted / weight) <=
		    1e-9 * weighted / weight);
	assert_true(sx_table_get(out, MAX, 0) == (double)due->max);
	assert_true(sx_table_get(out, LAST, 0) == (double)due->last);
	sx_table_destroy(out);
}

/* Rows in runs or in turn, over several tables, in as many pieces as it pleases. */
static void check_rows(enum sx_sample_kind kind, size_t rows, size_t run, uint64_t seed)
{
	struct due due = {.by_time = kind == SX_SAMPLE_TIME};
	struct sx_table *table = NULL;
	struct total *total = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, kind, &table, NULL), SX_OK);
	assert_int_equal(total_create(table, &total, NULL), SX_OK);
	for (int part = 0; part < 2; part++) {
		unsigned stratum = 0;
		sx_table_clear(table);
		for (size_t i = 0; i < rows; i++) {
			if (i % run == 0)
				stratum = (unsigned)(next_random(&seed) % STRATA);
			add_row(table, &due, stratum, &seed);
		}
		for (size_t at = 0, count; at < rows; at += count) {
			count = next_random(&seed) % rows + 1;
			count = count < rows - at ? count : rows - at;
			total_add_rows(total, table, at, count);
		}
		check_total(total, &due);
	}
	total_reset(total); /* and it may begin anew, with others first */
	due = (struct due){.by_time = due.by_time};
	sx_table_clear(table);
	for (size_t i = 0; i < rows; i++)
		add_row(table, &due, (unsigned)(STRATA - 1 - i % STRATA), &seed);
	total_add(total, table);
	check_total(total, &due);
	total_destroy(total);
	sx_table_destroy(table);
}

static void test_random(void **state)
{
	static const size_t runs[] = {1, 2, 7, 400, 1024, 3000};
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		check_rows(SX_SAMPLE_FRAME, 3000 + i, runs[i], 88172645463325252u + i);
		check_rows(SX_SAMPLE_TIME, 2500 + i, runs[i], 88172645463325252u + i);
	}
}

/* A program without measured rows is estimated from the others. */
static void test_unmeasured(void **state)
{
	uint64_t seed = 88172645463325252u;
	struct due due = {.by_time = false};
	struct sx_table *table = NULL, *out = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	for (int i = 0; i < 300; i++)
		add_row(table, &due, (unsigned)i % 3, &seed);
	for (size_t row = 0; row < 300; row += 3)
		for (uint32_t c = 0; c < COLUMNS; c++)
			if (columns[c].type == SX_U64)
				sx_table_set_u64(table, c, row, 0, SX_QUALITY_SKIPPED);
			else
				sx_table_set_f64(table, c, row, (double)NAN, SX_QUALITY_SKIPPED);
	assert_int_equal(sx_table_total(table, &out, NULL), SX_OK);
	double known = due.of[1].sum * times_of(&due, 1) + due.of[2].sum * times_of(&due, 2);
	assert_true(fabs(sx_table_get(out, U, 0) - known * 300 / 200) < 3);
	assert_int_equal(sx_table_vector(out, U).quality[0], SX_QUALITY_MULTIPLEXED);
	sx_table_destroy(table);
	sx_table_destroy(out);
}

/* Rows of each, of which F and MEAN lack some, and some sums of U leave 64 bits. */
static struct sx_table *make_mixed(size_t rows)
{
	uint64_t seed = 88172645463325252u;
	struct due due = {.by_time = true};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_TIME, &table, NULL), SX_OK);
	for (size_t row = 0; row < rows; row++) {
		add_row(table, &due, (unsigned)(next_random(&seed) % STRATA), &seed);
		sx_table_set_u64(table, U, row, next_random(&seed) >> next_random(&seed) % 3, 0);
		sx_table_set_u64(table, MAX, row, next_random(&seed) % 9, 0);
		sx_table_set_u64(table, LAST, row, next_random(&seed) % 9, 0);
	}
	return table;
}

static void check_same(const struct sx_table *a, const struct sx_table *b)
{
	size_t rows = sx_table_row_count(a);
	assert_int_equal(sx_table_row_count(b), rows);
	assert_memory_equal(sx_table_begin_ns(a), sx_table_begin_ns(b), rows * sizeof(uint64_t));
	assert_memory_equal(sx_table_end_ns(a), sx_table_end_ns(b), rows * sizeof(uint64_t));
	for (uint32_t c = 0; c < COLUMNS; c++) {
		struct sx_vector x = sx_table_vector(a, c), y = sx_table_vector(b, c);
		assert_memory_equal(x.data, y.data, rows * sizeof(uint64_t));
		assert_int_equal(!x.quality, !y.quality);
		if (x.quality)
			assert_memory_equal(x.quality, y.quality, rows);
	}
}

/* Of every few rows at once, as of each few alone. */
static void test_each(void **state)
{
	static const size_t each[] = {1, 2, 3, 7, 1030, 5000};
	struct sx_table *table = make_mixed(4000);
	for (size_t i = 0; i < sizeof(each) / sizeof(each[0]); i++) {
		const struct row_span rows = {i * 411, 4000 - i * 500};
		struct sx_table *one = NULL, *all = NULL;
		struct total *total = NULL;
		assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_TIME, &one, NULL), 0);
		assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_TIME, &all, NULL), 0);
		assert_int_equal(total_create(table, &total, NULL), SX_OK);
		assert_false(total_is_of_frames(total));
		for (size_t at = 0; at < rows.count; at += each[i]) {
			size_t some = rows.count - at < each[i] ? rows.count - at : each[i];
			total_add_rows(total, table, rows.first + at, some);
			assert_int_equal(total_append(total, TOTAL_WHOLE, NULL, one, NULL), SX_OK);
			total_reset(total);
		}
		assert_int_equal(total_append_each(total, table, rows, each[i], all, NULL), SX_OK);
		check_same(one, all);
		total_destroy(total);
		sx_table_destroy(one);
		sx_table_destroy(all);
	}
	sx_table_destroy(table);
}

enum { FRAMES, DRAWS, VERTICES, OTHER, FRAME_COLUMNS };
static const struct sx_column frame_columns[FRAME_COLUMNS] = {
    [FRAMES] = {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
    [DRAWS] = {"DrawCalls", "calls", SX_U64, SX_REDUCE_SUM, NULL},
    [VERTICES] = {"IAVertices", "count", SX_U64, SX_REDUCE_SUM, NULL},
    [OTHER] = {"other", "count", SX_U64, SX_REDUCE_SUM, NULL},
};

/*
 * Frames of several programs, one of three measured; columns from the `shift`-th on. Draws are of
 * one program, and all measured but for a shift.
 */
static struct sx_table *make_frames(enum sx_sample_kind kind, size_t rows, uint32_t shift)
{
	uint64_t seed = 88172645463325252u;
	struct sx_table *table = NULL;
	struct sx_column turned[FRAME_COLUMNS];
	for (uint32_t c = 0; c < FRAME_COLUMNS; c++)
		turned[(c + shift) % FRAME_COLUMNS] = frame_columns[c];
	assert_int_equal(sx_table_create(turned, FRAME_COLUMNS, kind, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, rows, NULL, NULL), SX_OK);
	for (size_t row = 0; row < rows; row++) {
		uint64_t draws = 1 + next_random(&seed) % 50;
		const uint64_t values[FRAME_COLUMNS] = {row % 5 != 0, draws, draws * 7, row};
		uint8_t skipped = next_random(&seed) % 3 ? SX_QUALITY_SKIPPED : 0;
		unsigned stratum = (unsigned)(next_random(&seed) % STRATA);
		label(table, row, kind == SX_SAMPLE_DRAW ? 0 : stratum);
		skipped = kind == SX_SAMPLE_DRAW && !shift ? 0 : skipped;
		sx_table_set_time(table, row, row * 100, row * 100 + 10 + draws);
		for (uint32_t c = 0; c < FRAME_COLUMNS; c++)
			sx_table_set_u64(table, (c + shift) % FRAME_COLUMNS, row, values[c],
					 c < VERTICES ? 0 : skipped);
	}
	return table;
}

static void check_same_total(const struct total *a, const struct total *b)
{
	struct sx_table *x = NULL, *y = NULL;
	assert_int_equal(total_table(a, TOTAL_RUN, &x, NULL), SX_OK);
	assert_int_equal(total_table(b, TOTAL_RUN, &y, NULL), SX_OK);
	for (uint32_t c = 0; c < FRAME_COLUMNS; c++)
		assert_true(sx_table_get(x, c, 0) == sx_table_get(y, c, 0) &&
			    sx_table_get(x, c, 0) > 0);
	sx_table_destroy(x);
	sx_table_destroy(y);
}

/* Totals that share strata are those of each alone, also where columns are at other places. */
static void check_shared(enum sx_sample_kind kind)
{
	const size_t rows = 2500;
	struct sx_table *table = make_frames(kind, rows, 0), *turned = make_frames(kind, rows, 1);
	struct total *first = NULL, *other = NULL, *alone = NULL;
	assert_int_equal(total_create(table, &first, NULL), SX_OK);
	assert_int_equal(total_create(turned, &other, NULL), SX_OK);
	assert_int_equal(total_create(turned, &alone, NULL), SX_OK);
	total_share(other, total_parts(first));
	for (int again = 0; again < 2; again++) {
		total_add_both(first, table, (struct row_span){0, rows - 700}, other, turned);
		total_add_both(first, table, (struct row_span){rows - 700, 700}, other, turned);
		total_add_rows(alone, turned, 0, rows - 700);
		total_add_rows(alone, turned, rows - 700, 700);
		check_same_total(other, alone);
		total_reset(first);
		total_reset(other);
		total_reset(alone);
	}
	total_destroy(other);
	total_destroy(first);
	total_destroy(alone);
	sx_table_destroy(table);
	sx_table_destroy(turned);
}

static void test_shared(void **state)
{
	check_shared(SX_SAMPLE_FRAME);
	check_shared(SX_SAMPLE_DRAW); /* a row may be several draws */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_random),
	    cmocka_unit_test(test_unmeasured),
	    cmocka_unit_test(test_each),
	    cmocka_unit_test(test_shared),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
