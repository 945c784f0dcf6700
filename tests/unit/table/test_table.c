/* Tables: values, quality, labels, growth, and totals by each rule over time. */
#include <sextant/metric.h>
#include "base/no_data.h"
#include "table/fill.h"
#include "table/total.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

enum { U, F, MEAN, MAX, LAST, RATIO, FMEAN, COLUMNS };
static const struct sx_column columns[COLUMNS] = {
    [U] = {"u", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
    [F] = {"f", "s", SX_F64, SX_REDUCE_SUM, NULL},
    [MEAN] = {"mean", "MHz", SX_U64, SX_REDUCE_MEAN, NULL},
    [MAX] = {"max", "bytes", SX_U64, SX_REDUCE_MAX, NULL},
    [LAST] = {"last", "count", SX_U64, SX_REDUCE_LAST, NULL},
    [RATIO] = {"ratio", "percent", SX_F64, SX_REDUCE_RATIO, NULL},
    [FMEAN] = {"fmean", "s", SX_F64, SX_REDUCE_MEAN, NULL},
};

static struct sx_table *make(size_t rows)
{
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, rows, NULL, NULL), SX_OK);
	return table;
}

static struct sx_table *total_of(struct sx_table *table)
{
	struct sx_table *total = NULL;
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	assert_int_equal(sx_table_row_count(total), 1);
	sx_table_destroy(table);
	return total;
}

static uint8_t quality_of(const struct sx_table *table, uint32_t column, size_t row)
{
	struct sx_vector vector = sx_table_vector(table, column);
	if (!vector.data)
		return SX_QUALITY_NOT_COLLECTED;
	return vector.quality ? vector.quality[row] : 0;
}

static uint64_t u64_of(const struct sx_table *table, uint32_t column, size_t row)
{
	return ((const uint64_t *)sx_table_vector(table, column).data)[row];
}

static void test_describes(void **state)
{
	struct sx_table *table = make(0);
	assert_int_equal(sx_table_column_count(table), COLUMNS);
	assert_int_equal(sx_table_kind(table), SX_SAMPLE_FRAME);
	assert_int_equal(sx_table_find(table, "last"), LAST);
	assert_int_equal(sx_table_find(table, "las"), SX_NONE);
	assert_string_equal(sx_table_column(table, MEAN)->unit, "MHz");
	assert_null(sx_table_column(table, COLUMNS));
	assert_int_equal(table_set_why(table, U, "no driver"), SX_OK);
	assert_string_equal(sx_table_column(table, U)->why, "no driver");
	sx_table_destroy(table);
	sx_table_destroy(NULL);
}

static void test_refuses_twins(void **state)
{
	struct sx_column twins[2] = {columns[U], columns[U]};
	struct sx_table *table = NULL;
	struct sx_error err = {0};
	assert_int_equal(sx_table_create(twins, 2, SX_SAMPLE_ROW, &table, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.message, "\"u\""));
	assert_null(table);
}

static void test_unset_is_not_collected(void **state)
{
	struct sx_table *table = make(3);
	assert_null(sx_table_vector(table, U).data);
	sx_table_set_u64(table, U, 1, UINT64_MAX, 0);
	assert_int_equal(quality_of(table, U, 0), SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(quality_of(table, U, 1), 0);
	assert_true(u64_of(table, U, 1) == UINT64_MAX);
	assert_true(isnan(sx_table_get(table, U, 0)));
	sx_table_set_f64(table, F, 0, (double)NAN, 0);
	assert_int_equal(quality_of(table, F, 0), SX_QUALITY_UNDEFINED);
	sx_table_set_f64(table, F, 1, 5.0, SX_QUALITY_GAP);
	assert_true(isnan(sx_table_get(table, F, 1)));
	assert_true(isnan(sx_table_get(table, F, 2)));
	assert_true(sx_table_begin_ns(table)[2] == SX_TIME_UNKNOWN);
	sx_table_destroy(table);
}

static void test_valid_columns_need_no_quality(void **state)
{
	struct sx_table *table = make(2);
	sx_table_set_u64(table, U, 0, 1, 0);
	sx_table_set_u64(table, U, 1, 2, 0);
	assert_null(sx_table_vector(table, U).quality);
	sx_table_set_u64(table, U, 1, 2, SX_QUALITY_LOST);
	assert_int_equal(quality_of(table, U, 1), SX_QUALITY_LOST);
	sx_table_set_u64(table, U, 1, 2, 0);
	assert_null(sx_table_vector(table, U).quality);
	sx_table_add_rows(table, 1, NULL, NULL);
	assert_int_equal(quality_of(table, U, 2), SX_QUALITY_NOT_COLLECTED);
	sx_table_clear(table);
	sx_table_add_rows(table, 1, NULL, NULL);
	assert_int_equal(quality_of(table, U, 0), SX_QUALITY_NOT_COLLECTED);
	sx_table_destroy(table);
}

static void test_grows(void **state)
{
	struct sx_table *table = make(0);
	for (size_t i = 0; i < 1000; i++) {
		size_t row = 0;
		assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
		assert_int_equal(row, i);
		sx_table_set_u64(table, U, row, i * i, 0);
		sx_table_set_time(table, row, i, i + 1);
		if (i % 2)
			sx_table_set_label(table, SX_LABEL_FRAME, row, i);
	}
	for (size_t i = 0; i < 1000; i++) {
		assert_true(u64_of(table, U, i) == i * i);
		assert_true(sx_table_end_ns(table)[i] == i + 1);
		assert_true(sx_table_label(table, SX_LABEL_FRAME, i) ==
			    (i % 2 ? i : SX_LABEL_ABSENT));
	}
	assert_false(sx_table_has_label(table, SX_LABEL_GROUP));
	assert_int_not_equal(sx_table_add_rows(table, SIZE_MAX - 10, NULL, NULL), SX_OK);
	assert_int_equal(sx_table_row_count(table), 1000);
	sx_table_destroy(table);
}

/* A recorder clears its table again and again; labels that never come back go with the rows. */
static void test_clear_forgets_strings(void **state)
{
	char text[32];
	uint32_t highest = 0;
	struct sx_table *table = make(0);
	for (int i = 0; i < 100000; i++) {
		int size = snprintf(text, sizeof(text), "frame %d", i);
		uint32_t index = sx_table_intern(table, text, (size_t)size);
		assert_string_equal(sx_table_string(table, index), text);
		highest = index > highest ? index : highest;
		if (i % 100 == 99)
			sx_table_clear(table);
	}
	assert_true(highest < 2000);
	sx_table_destroy(table);
}

static void test_bulk_access(void **state)
{
	struct sx_table *table = make(4);
	uint64_t *data = table_data(table, U);
	uint8_t *quality = table_quality(table, U);
	for (uint64_t i = 0; i < 4; i++) {
		data[i] = 10 + i;
		quality[i] = i == 3 ? SX_QUALITY_GAP : 0;
	}
	assert_true(sx_table_get(table, U, 2) == 12.0);
	assert_true(isnan(sx_table_get(table, U, 3)));
	assert_null(table_data(table, COLUMNS));
	sx_table_set_f64(table, U, 0, 1.5, 0); /* the wrong type changes nothing */
	sx_table_set_u64(table, U, 4, 1, 0);   /* nor does a row that is not there */
	assert_true(u64_of(table, U, 0) == 10);
	sx_table_destroy(table);
}

static void test_strings(void **state)
{
	struct sx_table *table = make(0);
	char text[16];
	for (int i = 0; i < 500; i++) {
		snprintf(text, sizeof(text), "group %d", i % 250);
		assert_int_equal(sx_table_intern(table, text, strlen(text)), i % 250);
	}
	assert_string_equal(sx_table_string(table, 249), "group 249");
	assert_null(sx_table_string(table, 250));
	assert_null(sx_table_string(table, SX_LABEL_ABSENT));
	sx_table_destroy(table);
}

static void test_totals(void **state)
{
	struct sx_table *table = make(3);
	for (uint64_t i = 0; i < 3; i++) {
		sx_table_set_u64(table, U, i, (1ULL << 60) + i, 0);
		sx_table_set_f64(table, F, i, 0.1, 0);
		sx_table_set_u64(table, MEAN, i, i * 10, 0);
		sx_table_set_u64(table, MAX, i, i == 1 ? 9 : 3, 0);
		sx_table_set_u64(table, LAST, i, i, 0);
		sx_table_set_f64(table, RATIO, i, 50, 0);
		sx_table_set_f64(table, FMEAN, i, (double)i, 0);
	}
	/* Lengths 10, 10 and 20 with a gap of 5 and an overlap of 10. */
	sx_table_set_time(table, 0, 100, 110);
	sx_table_set_time(table, 1, 115, 125);
	sx_table_set_time(table, 2, 115, 135);
	struct sx_table *total = total_of(table);
	assert_true(u64_of(total, U, 0) == 3 * (1ULL << 60) + 3);
	assert_true(fabs(sx_table_get(total, F, 0) - 0.3) < 1e-16);
	assert_true(sx_table_get(total, MEAN, 0) == 12.5); /* (0*10 + 10*10 + 20*20) / 40 */
	assert_true(sx_table_get(total, FMEAN, 0) == 1.25);
	assert_true(u64_of(total, MAX, 0) == 9);
	assert_true(u64_of(total, LAST, 0) == 2);
	assert_true(isnan(sx_table_get(total, RATIO, 0)));
	assert_string_equal(sx_table_column(total, RATIO)->why, no_data_text(NO_DATA_NO_TOTAL));
	assert_true(sx_table_begin_ns(total)[0] == 100 && sx_table_end_ns(total)[0] == 130);
	assert_int_equal(quality_of(total, U, 0), 0);
	sx_table_destroy(total);
}

static void test_total_of_partial_rows(void **state)
{
	struct sx_table *table = make(3);
	sx_table_set_u64(table, U, 0, 5, SX_QUALITY_STRETCHED);
	sx_table_set_u64(table, U, 1, 6, SX_QUALITY_GAP);
	sx_table_set_u64(table, U, 2, 7, 0);
	sx_table_set_u64(table, MAX, 0, 7, SX_QUALITY_DISTURBED);
	sx_table_set_u64(table, MEAN, 0, 1, 0);
	sx_table_set_u64(table, MEAN, 1, 2, 0);
	struct sx_table *total = total_of(table);
	assert_true(u64_of(total, U, 0) == 12);
	assert_int_equal(quality_of(total, U, 0), SX_QUALITY_LOST | SX_QUALITY_STRETCHED);
	assert_int_equal(quality_of(total, MAX, 0),
			 SX_QUALITY_DISTURBED | SX_QUALITY_NOT_COLLECTED);
	assert_int_equal(quality_of(total, LAST, 0), SX_QUALITY_NOT_COLLECTED);
	assert_true(sx_table_get(total, MEAN, 0) == 1.5);
	assert_true(sx_table_begin_ns(total)[0] == SX_TIME_UNKNOWN);
	sx_table_destroy(total);
}

/* A sum is one of the run while fewer rows were missed than counted; levels are sampled. */
static void test_total_of_missed_rows(void **state)
{
	for (size_t missed = 0; missed < 8; missed++) {
		struct sx_table *table = make(8);
		for (size_t r = 0; r < 8; r++) {
			sx_table_set_u64(table, U, r, 5, r < missed ? SX_QUALITY_GAP : 0);
			sx_table_set_f64(table, FMEAN, r, 2, r < missed ? SX_QUALITY_GAP : 0);
		}
		struct sx_table *total = total_of(table);
		bool counted = missed < 8 - missed;
		assert_int_equal(quality_of(total, U, 0), !counted ? SX_QUALITY_GAP
							  : missed ? SX_QUALITY_LOST
								   : 0);
		assert_true(!counted || u64_of(total, U, 0) == 5 * (8 - missed));
		assert_true(sx_table_get(total, FMEAN, 0) == 2);
		sx_table_destroy(total);
	}
}

static void test_total_that_does_not_fit(void **state)
{
	struct sx_table *table = make(2);
	sx_table_set_u64(table, U, 0, UINT64_MAX, 0);
	sx_table_set_u64(table, U, 1, 1, 0);
	struct sx_table *total = total_of(table);
	assert_int_equal(quality_of(total, U, 0), SX_QUALITY_WRAPPED);
	sx_table_destroy(total);
}

static void test_total_in_parts(void **state)
{
	struct sx_table *table = make(2), *out = NULL;
	struct total *total = NULL;
	sx_table_set_u64(table, U, 0, 1, 0);
	sx_table_set_u64(table, U, 1, 2, 0);
	assert_int_equal(total_create(table, &total, NULL), SX_OK);
	total_add(total, table);
	total_add(total, table);
	sx_table_destroy(table);
	assert_int_equal(total_table(total, TOTAL_RUN, &out, NULL), SX_OK);
	assert_true(u64_of(out, U, 0) == 6);
	sx_table_destroy(out);
	total_destroy(total);
	sx_table_destroy(total_of(make(0)));
}

/* Rows that are all valid are added without looking at each, by blocks, to the same end. */
static void test_total_of_many(void **state)
{
	const size_t rows = 2500;
	struct sx_table *table = make(rows), *one = NULL, *all = NULL;
	struct total *by_row = NULL, *at_once = NULL;
	for (size_t r = 0; r < rows; r++) {
		uint64_t mixed = (r + 1) * UINT64_C(0x9e3779b97f4a7c15);
		sx_table_set_time(table, r, r * 10, r * 10 + 1 + mixed % 9);
		sx_table_set_u64(table, U, r, r < 1200 ? mixed % 1000 : mixed >> 10, 0);
		sx_table_set_f64(table, F, r, (double)mixed * (r % 2 ? -1 : 1), 0);
		sx_table_set_u64(table, MEAN, r, mixed % 4000, 0);
		sx_table_set_u64(table, MAX, r, mixed, 0);
		sx_table_set_u64(table, LAST, r, mixed, 0);
		sx_table_set_f64(table, FMEAN, r, (double)(mixed % 777) / 7, 0);
	}
	assert_int_equal(total_create(table, &by_row, NULL), SX_OK);
	assert_int_equal(total_create(table, &at_once, NULL), SX_OK);
	for (size_t r = 0; r < rows; r++)
		total_add_rows(by_row, table, r, 1);
	total_add(at_once, table);
	assert_int_equal(total_table(by_row, TOTAL_RUN, &one, NULL), SX_OK);
	assert_int_equal(total_table(at_once, TOTAL_RUN, &all, NULL), SX_OK);
	for (uint32_t c = 0; c < COLUMNS; c++) {
		double a = sx_table_get(one, c, 0), b = sx_table_get(all, c, 0);
		assert_int_equal(quality_of(one, c, 0), quality_of(all, c, 0));
		assert_true(c == RATIO || a == b);
	}
	assert_true(u64_of(one, U, 0) == u64_of(all, U, 0));
	assert_true(sx_table_end_ns(one)[0] == sx_table_end_ns(all)[0]);
	sx_table_destroy(one);
	sx_table_destroy(all);
	total_destroy(by_row);
	total_destroy(at_once);
	sx_table_destroy(table);
}

static void test_rows_there_and_back(void **state)
{
	struct sx_table *table = make(3), *copy = make(1);
	struct sx_vector vectors[COLUMNS];
	struct sx_rows rows;
	sx_table_intern(copy, "other", 5); /* so that indices differ */
	for (uint64_t i = 0; i < 3; i++) {
		sx_table_set_u64(table, U, i, i + 7, i == 2 ? SX_QUALITY_GAP : 0);
		sx_table_set_f64(table, F, i, 0.5 * (double)i, 0);
		sx_table_set_time(table, i, i, i + 1);
	}
	sx_table_set_label(table, SX_LABEL_GROUP, 1, sx_table_intern(table, "shadow", 6));
	sx_table_set_label(table, SX_LABEL_FRAME, 2, 99);
	sx_table_rows(table, 1, 2, vectors, &rows);
	assert_int_equal(sx_table_append(copy, &rows, NULL), SX_OK);
	assert_int_equal(sx_table_row_count(copy), 3);
	assert_true(u64_of(copy, U, 1) == 8);
	assert_int_equal(quality_of(copy, U, 2), SX_QUALITY_GAP);
	assert_int_equal(quality_of(copy, U, 0), SX_QUALITY_NOT_COLLECTED);
	assert_true(sx_table_get(copy, F, 2) == 1.0);
	assert_null(sx_table_vector(copy, MAX).data);
	assert_true(sx_table_begin_ns(copy)[1] == 1);
	uint64_t group = sx_table_label(copy, SX_LABEL_GROUP, 1);
	assert_string_equal(sx_table_string(copy, group), "shadow");
	assert_true(sx_table_label(copy, SX_LABEL_GROUP, 2) == SX_LABEL_ABSENT);
	assert_int_equal(sx_table_label(copy, SX_LABEL_FRAME, 2), 99);
	rows.column_count--;
	assert_int_equal(sx_table_append(copy, &rows, NULL), SX_ERR_USAGE);
	sx_table_destroy(table);
	sx_table_destroy(copy);
}

static void test_leaves_columns_out(void **state)
{
	uint32_t instead[COLUMNS];
	struct sx_table *table = make(1);
	sx_table_set_u64(table, LAST, 0, 7, 0);
	for (uint32_t i = 0; i < COLUMNS; i++)
		instead[i] = i < LAST ? i + 1 : SX_NONE;
	assert_int_equal(table_leave_out(table, instead, NULL), SX_OK);
	assert_int_equal(sx_table_column_count(table), COLUMNS - LAST);
	assert_int_equal(sx_table_find(table, "last"), 0);
	assert_int_equal(sx_table_find(table, "ratio"), 1);
	assert_int_equal(sx_table_find(table, columns[0].name), SX_NONE);
	assert_int_equal(u64_of(table, 0, 0), 7);
	sx_table_destroy(table);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_describes),
	    cmocka_unit_test(test_refuses_twins),
	    cmocka_unit_test(test_leaves_columns_out),
	    cmocka_unit_test(test_unset_is_not_collected),
	    cmocka_unit_test(test_valid_columns_need_no_quality),
	    cmocka_unit_test(test_grows),
	    cmocka_unit_test(test_clear_forgets_strings),
	    cmocka_unit_test(test_bulk_access),
	    cmocka_unit_test(test_strings),
	    cmocka_unit_test(test_rows_there_and_back),
	    cmocka_unit_test(test_totals),
	    cmocka_unit_test(test_total_of_partial_rows),
	    cmocka_unit_test(test_total_of_missed_rows),
	    cmocka_unit_test(test_total_that_does_not_fit),
	    cmocka_unit_test(test_total_in_parts),
	    cmocka_unit_test(test_total_of_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
