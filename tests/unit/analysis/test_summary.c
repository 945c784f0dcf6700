/* Summaries and overviews of streams of rows, against the same over one table in memory. */
#include <sextant/analysis.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/overview.h"
#include "analysis/sketch.h"
#include "base/utf8.h"
#include "table/fill.h"
#include "unit/analysis/naive_stats.h"
#include "unit/context_catalog.h"
#include "unit/heap.h"

#define ROWS 30000

static uint64_t noise(uint64_t n)
{
	n = (n + 0x9e3779b97f4a7c15) * 0xbf58476d1ce4e5b9;
	return (n ^ n >> 27) * 0x94d049bb133111eb >> 33;
}

static struct sx_table *make_of(enum sx_sample_kind kind, size_t first, size_t rows)
{
	static const struct sx_column columns[] = {
	    {"Clocks", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"CoreCycles", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"Level", "percent", SX_F64, SX_REDUCE_LAST, NULL},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, 3, kind, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, rows, NULL, NULL), SX_OK);
	for (size_t i = 0; i < rows; i++) {
		uint64_t n = first + i, clocks = 1000000 + noise(n) % 9000000;
		sx_table_set_time(table, i, n * 10, n * 10 + 10);
		sx_table_set_u64(table, 0, i, clocks, 0);
		sx_table_set_u64(table, 1, i, noise(n + 7) % clocks, n % 50 ? 0 : SX_QUALITY_GAP);
		sx_table_set_f64(table, 2, i, sin((double)n) * 50, SX_QUALITY_STRETCHED);
	}
	return table;
}

static struct sx_table *make(size_t first, size_t rows)
{
	return make_of(SX_SAMPLE_TIME, first, rows);
}

static struct sx_metrics *select_counters(const struct sx_table *like)
{
	struct sx_metrics_options options = {.counters = true, .like = like};
	struct sx_metrics *metrics = NULL;
	assert_int_equal(sx_metrics_create(catalog, &options, &metrics, NULL), SX_OK);
	return metrics;
}

/* Rows are frames of contexts that take turns; the second one comes late. */
static void share_out(struct sx_table *table, size_t first)
{
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		size_t n = first + i;
		assert_int_equal(
		    sx_table_set_label(table, SX_LABEL_CONTEXT, i, n < 2000 ? 0 : n % 3), SX_OK);
	}
}

static void same(double a, double b, double tolerance)
{
	if (isnan(a) && isnan(b))
		return;
	if (!(fabs(a - b) <= tolerance * fabs(b) + 1e-300))
		fail_msg("%.17g is not %.17g within %g", a, b, tolerance);
}

/* `rows` rows in parts of `part` each, against all at once. */
static void compare_kind(enum sx_sample_kind kind, size_t rows, size_t part, double tolerance)
{
	struct sx_table *whole = make_of(kind, 0, rows);
	struct sx_metrics *metrics = select_counters(whole);
	struct sx_summary *summary = NULL;
	assert_int_equal(sx_summary_create(metrics, whole, &summary, NULL), SX_OK);
	for (size_t at = 0; at < rows; at += part) {
		struct sx_table *table = make_of(kind, at, rows - at < part ? rows - at : part);
		if (kind == SX_SAMPLE_FRAME)
			share_out(table, at);
		assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
		sx_table_destroy(table);
	}
	uint32_t count, due_count;
	const struct sx_stats *found = NULL;
	struct sx_stats *due = naive_stats(metrics, whole, &due_count);
	assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
	assert_int_equal(count, due_count);
	unsigned with_data = 0;
	for (uint32_t i = 0; i < count; i++) {
		assert_int_equal(found[i].count, due[i].count);
		assert_int_equal(found[i].quality, due[i].quality);
		assert_int_equal(found[i].why == NULL, due[i].why == NULL);
		assert_true(isnan(due[i].total) || found[i].total_u64 == due[i].total_u64);
		same(found[i].total, due[i].total, 1e-12);
		same(found[i].mean, due[i].mean, 1e-9);
		same(found[i].min, due[i].min, 0);
		same(found[i].max, due[i].max, 0);
		same(found[i].p50, due[i].p50, tolerance);
		same(found[i].p95, due[i].p95, tolerance);
		same(found[i].p99, due[i].p99, tolerance);
		with_data += due[i].count > 0;
	}
	assert_int_equal(with_data, rows > 1 ? 3 : 2); /* the first row has a gap */
	free(due);
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_table_destroy(whole);
}

static void compare(size_t rows, size_t part, double tolerance)
{
	compare_kind(SX_SAMPLE_TIME, rows, part, tolerance);
}

static void test_few_rows_are_exact(void **state)
{
	compare(1, 1, 0);
	compare(3000, 17, 0);
	compare(SKETCH_EXACT, 1000, 0);
}

/* Each context's values are apart, and of all of them together asked for. */
static void test_contexts_together(void **state)
{
	compare_kind(SX_SAMPLE_FRAME, 3000, 17, 0);
	compare_kind(SX_SAMPLE_FRAME, 9000, 1000, 0.004); /* no context alone has too many */
	compare_kind(SX_SAMPLE_FRAME, ROWS, 870, 0.004);
}

struct weighed {
	double value, weight;
};

static int by_value(const void *a, const void *b)
{
	double x = ((const struct weighed *)a)->value, y = ((const struct weighed *)b)->value;
	return (x > y) - (x < y);
}

/* The smallest value that this share of all weight does not exceed. */
static double weighed_percentile(struct weighed *all, size_t count, double percent)
{
	double whole = 0, sum = 0;
	qsort(all, count, sizeof(*all), by_value);
	for (size_t i = 0; i < count; i++)
		whole += all[i].weight;
	for (size_t i = 0; i < count; i++) {
		sum += all[i].weight;
		if (sum >= percent / 100 * whole - 1e-9)
			return all[i].value;
	}
	return all[count - 1].value;
}

/* Rows of 10 ns, but the first and the last, which are shorter, in parts of 7. */
static void short_ends(size_t rows, uint64_t first_ns, uint64_t last_ns)
{
	struct sx_table *like = make(0, 1);
	struct sx_metrics *metrics = select_counters(like);
	struct sx_summary *summary = NULL;
	const struct sx_stats *found;
	struct weighed all[200];
	uint32_t count;
	assert_int_equal(sx_summary_create(metrics, like, &summary, NULL), SX_OK);
	for (size_t at = 0; at < rows; at += 7) {
		struct sx_table *table = make(at, rows - at < 7 ? rows - at : 7);
		for (size_t i = 0; i < sx_table_row_count(table); i++) {
			size_t n = at + i;
			uint64_t length = !n ? first_ns : n + 1 == rows ? last_ns : 10;
			uint64_t value = n && n + 1 < rows ? 100 + noise(n) % 1000 : 50 + 2000 * n;
			sx_table_set_time(table, i, n * 10, n * 10 + length);
			sx_table_set_u64(table, 0, i, value, 0);
			all[n] = (struct weighed){(double)value, (double)length / 10};
		}
		assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
		sx_table_destroy(table);
	}
	assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
	assert_int_equal(found[0].count, rows);
	assert_true(found[0].running == 1);
	same(found[0].p50, weighed_percentile(all, rows, 50), 0);
	same(found[0].p95, weighed_percentile(all, rows, 95), 0);
	same(found[0].p99, weighed_percentile(all, rows, 99), 0);
	same(found[0].max, 50 + 2000 * (double)(rows - 1), 0);
	same(found[0].min, 50, 0);
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_table_destroy(like);
}

static void test_short_ends_weigh_by_their_length(void **state)
{
	for (size_t rows = 3; rows < 200; rows++) {
		short_ends(rows, 10, 10);
		short_ends(rows, 1, 10);
		short_ends(rows, 10, 2);
		short_ends(rows, 5, 1);
	}
	/* The last tenth of a sample in 100 is no 99th percentile of anything. */
	short_ends(100, 10, 1);
}

/* Slices of 30 ns measured and of 10 ns not: three quarters of the time, half of the rows. */
static void test_slices_are_scaled_by_time(void **state)
{
	struct sx_table *table = make(1, 100), *total = NULL;
	struct sx_metrics *metrics = select_counters(table);
	struct sx_summary *summary = NULL;
	const struct sx_stats *found;
	uint32_t count;
	for (size_t i = 0; i < 100; i++) {
		bool on = i % 2 == 0;
		uint64_t begin = i / 2 * 40 + (on ? 0 : 30);
		sx_table_set_time(table, i, begin, begin + (on ? 30 : 10));
		sx_table_set_u64(table, 0, i, on ? 300 : 0, on ? 0 : SX_QUALITY_SKIPPED);
	}
	assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
	same(found[0].running, 0.75, 1e-12);
	same(found[0].total, 20000, 1e-12); /* 10 in each of 2000 ns */
	assert_int_equal(found[0].total_u64, 20000);
	assert_true(found[0].quality & SX_QUALITY_MULTIPLEXED);
	same(found[0].p50, 300, 0);
	assert_true(found[1].running == 1 - 0.02 || found[1].running > 0.9);
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	same(sx_table_get(total, 0, 0), 20000, 0);
	sx_table_destroy(total);
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_table_destroy(table);
}

/* Multiplexed events of a PMU: each has the time that it was counted. */
static void test_running_of_events_that_take_turns(void **state)
{
	static const struct sx_column columns[] = {
	    {"Clocks", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"Clocks@time", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    {"CoreCycles", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"Level", "percent", SX_F64, SX_REDUCE_LAST, NULL},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, 4, SX_SAMPLE_TIME, &table, NULL), SX_OK);
	sx_table_add_rows(table, 20, NULL, NULL);
	for (size_t i = 0; i < 20; i++) {
		sx_table_set_time(table, i, i * 100, i * 100 + 100);
		sx_table_set_u64(table, 0, i, 7, SX_QUALITY_MULTIPLEXED);
		sx_table_set_u64(table, 1, i, i % 2 ? 20 : 40, 0);
		sx_table_set_u64(table, 2, i, 7, 0);
	}
	struct sx_metrics *metrics = select_counters(table);
	struct sx_summary *summary = NULL;
	const struct sx_stats *found;
	uint32_t count;
	const struct sx_metric_column *column = sx_metrics_columns(metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		assert_null(strchr(column[i].name, '@'));
	assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
	same(found[0].running, 0.3, 1e-12);
	same(found[0].total, 140, 0); /* scaled already */
	assert_true(found[1].running == 1);
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_table_destroy(table);
}

static void test_many_rows_are_near(void **state)
{
	compare(ROWS, 870, 0.004);
}

static void test_sketch_of_all_magnitudes(void **state)
{
	static const double percent[] = {0, 25, 50, 75, 100};
	struct sketch sketch = {0};
	double at[5];
	/* -1e6 … -1, as many zeros, 1e-9 … 1e9: nearest ranks are known. */
	for (int i = 0; i < 10000; i++) {
		assert_true(sketch_add(&sketch, -pow(10, 6.0 * i / 9999)));
		assert_true(sketch_add(&sketch, 0));
		assert_true(sketch_add(&sketch, pow(10, -9 + 18.0 * i / 9999)));
		assert_true(sketch_add(&sketch, 1e9));
	}
	sketch_percentiles(&sketch, percent, at, 5);
	same(at[0], -1e6, 0.004);
	same(at[1], -1, 0.004);
	assert_true(at[2] == 0);
	same(at[3], 1e9, 0.004);
	same(at[4], 1e9, 0);
	same(sketch.min, -1e6, 1e-12);
	sketch_finish(&sketch);
}

/* One value many times is the same as each for itself, and takes no time of its own. */
static void test_a_value_many_times(void **state)
{
	static const uint64_t times[] = {0, 1, 7, 4088, 1, 0, 5000, 3};
	static const double percent[] = {1, 50, 90, 99.9};
	struct sketch once = {0}, each = {0};
	double a[4], b[4];
	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		double value = 3.5 - (double)i;
		assert_true(sketch_add_times(&once, value, times[i]));
		for (uint64_t k = 0; k < times[i]; k++)
			assert_true(sketch_add(&each, value));
		assert_int_equal(once.count, each.count);
		assert_true(fabs(sum_value(&once.sum) - sum_value(&each.sum)) < 1e-6);
		assert_true(once.min == each.min && once.max == each.max);
		if (!once.count)
			continue;
		sketch_percentiles(&once, percent, a, 4);
		sketch_percentiles(&each, percent, b, 4);
		assert_memory_equal(a, b, sizeof(a));
	}
	assert_true(sketch_add_times(&once, NAN, 5));
	assert_true(sketch_add_times(&once, 1, UINT64_C(1) << 52));
	assert_int_equal(once.count, each.count + (UINT64_C(1) << 52));
	sketch_finish(&once);
	sketch_finish(&each);
}

/* Zeros come first: they are no power of two, and there is none between them and the others. */
static void test_zeros_take_no_room(void **state)
{
	static const double percent[] = {10, 50, 90};
	struct sketch sketch = {0};
	double at[3];
	(void)state;
	size_t before = heap_bytes();
	for (int i = 0; i < 10000; i++)
		assert_true(sketch_add(&sketch, i < 5000 ? 0 : i % 2 ? 40 : 60));
	size_t bytes = heap_bytes() - before;
	if (bytes > 16384)
		fail_msg("%zu bytes", bytes);
	sketch_percentiles(&sketch, percent, at, 3);
	same(at[0], 0, 0);
	same(at[1], 0, 0);
	same(at[2], 60, 0.004);
	sketch_finish(&sketch);
}

static void test_overview(void **state)
{
	struct sx_table *like = make(0, 0), *total = NULL, *due = NULL;
	struct overview *overview = NULL;
	uint64_t each = 0;
	assert_int_equal(overview_create(like, &overview, NULL), SX_OK);
	for (size_t at = 0; at < ROWS; at += 777) {
		struct sx_table *part = make(at, ROWS - at < 777 ? ROWS - at : 777);
		assert_int_equal(overview_add(overview, part, NULL), SX_OK);
		sx_table_destroy(part);
	}
	const struct sx_table *few = overview_table(overview, &each);
	assert_ptr_equal(overview_table(overview, NULL), few); /* valid until more is added */
	assert_non_null(few);
	assert_int_equal(each, 8);
	assert_int_equal(sx_table_row_count(few), (ROWS + 7) / 8);
	for (size_t i = 0; i < sx_table_row_count(few); i++) {
		assert_int_equal(sx_table_begin_ns(few)[i], i * 80);
		assert_int_equal(sx_table_end_ns(few)[i], i * 80 + 80);
	}
	/* Nothing is counted twice or left out. */
	struct sx_table *whole = make(0, ROWS);
	assert_int_equal(sx_table_total(few, &total, NULL), SX_OK);
	assert_int_equal(sx_table_total(whole, &due, NULL), SX_OK);
	same(sx_table_get(total, 0, 0), sx_table_get(due, 0, 0), 0);
	same(sx_table_get(total, 2, 0), sx_table_get(due, 2, 0), 0);
	/* One row in 50 lacks this one: a line has it at the rate of its others. */
	same(sx_table_get(total, 1, 0), sx_table_get(due, 1, 0) * 50 / 49, 2e-3);
	sx_table_destroy(total);
	sx_table_destroy(due);
	sx_table_destroy(whole);
	sx_table_destroy(like);
	overview_destroy(overview);
}

/* A sum beyond u64 is reported as a double only; a smaller one has all digits. */
static void test_totals_beyond_64_bits(void **state)
{
	for (uint64_t last = UINT64_MAX - 7; last; last = last == UINT64_MAX ? 0 : UINT64_MAX) {
		struct sx_table *table = make(0, 2);
		struct sx_metrics *metrics = select_counters(table);
		struct sx_summary *summary = NULL;
		const struct sx_stats *found;
		uint32_t count;
		sx_table_set_u64(table, 0, 0, 7, 0);
		sx_table_set_u64(table, 0, 1, last, 0);
		assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
		assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
		assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
		same(found[0].total, 0x1p64, 1e-15);
		assert_true(found[0].total_u64 == (last == UINT64_MAX ? 0 : UINT64_MAX));
		sx_summary_destroy(summary);
		sx_metrics_destroy(metrics);
		sx_table_destroy(table);
	}
}

/* The decoder's reason is that of a total of which most samples have none. */
static void test_reasons_of_the_decoder(void **state)
{
	struct sx_table *table = make(0, 5);
	struct sx_metrics *metrics = select_counters(table);
	struct sx_summary *summary = NULL;
	const struct sx_stats *found;
	uint32_t count;
	(void)state;
	for (size_t row = 0; row < 5; row++)
		sx_table_set_u64(table, 0, row, 7,
				 row == 2  ? 0
				 : row < 2 ? SX_QUALITY_GAP
					   : SX_QUALITY_NOT_COLLECTED);
	table_add_reason(table, 0, SX_QUALITY_NOT_COLLECTED, "it was refused");
	assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	table_add_reason(table, 0, SX_QUALITY_NOT_COLLECTED, "its bits are 0");
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
	assert_true(isnan(found[0].total));
	assert_string_equal(found[0].why,
			    "in 4 of 10 samples: the device delivered no result; in 4: it was "
			    "refused; its bits are 0");
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_table_destroy(table);
}

/* A reason that is too long ends with a whole character. */
static void test_long_reasons_stay_text(void **state)
{
	(void)state;
	for (size_t shift = 0; shift < 3; shift++) {
		struct sx_table *table = NULL;
		struct sx_metrics *metrics = NULL;
		struct sx_summary *summary = NULL;
		const struct sx_stats *found;
		uint32_t count;
		char why[1024] = "aa";
		why[shift] = '\0';
		while (strlen(why) < 1000)
			strcat(why, "\u20ac");
		const struct sx_column column = {"Clocks", "cycles", SX_U64, SX_REDUCE_SUM, why};
		assert_int_equal(sx_table_create(&column, 1, SX_SAMPLE_TIME, &table, NULL), SX_OK);
		assert_int_equal(sx_table_add_rows(table, 3, NULL, NULL), SX_OK);
		metrics = select_counters(table);
		assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
		assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
		assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
		assert_true(utf8_is_text(found[0].why, strlen(found[0].why), NULL));
		sx_summary_destroy(summary);
		sx_metrics_destroy(metrics);
		sx_table_destroy(table);
	}
}

/* The mean of equal values is that value, whatever their sum is rounded to. */
static void test_mean_of_equal_values(void **state)
{
	(void)state;
	for (size_t rows = 2; rows < 60; rows++) {
		struct sx_table *table = make(0, rows);
		struct sx_metrics *metrics = select_counters(table);
		struct sx_summary *summary = NULL;
		const struct sx_stats *found;
		uint32_t count;
		for (size_t i = 0; i < rows; i++) {
			sx_table_set_time(table, i, i * i * 7, (i + 1) * (i + 1) * 7);
			sx_table_set_f64(table, 2, i, 0.1, 0);
		}
		assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
		assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
		assert_int_equal(sx_summary_stats(summary, &found, &count, NULL), SX_OK);
		const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
		uint32_t level = 0;
		while (level < count && strcmp(columns[level].name, "Level") != 0)
			level++;
		assert_true(level < count);
		assert_true(found[level].mean == 0.1);
		sx_summary_destroy(summary);
		sx_metrics_destroy(metrics);
		sx_table_destroy(table);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_few_rows_are_exact),
	    cmocka_unit_test(test_many_rows_are_near),
	    cmocka_unit_test(test_contexts_together),
	    cmocka_unit_test(test_short_ends_weigh_by_their_length),
	    cmocka_unit_test(test_slices_are_scaled_by_time),
	    cmocka_unit_test(test_running_of_events_that_take_turns),
	    cmocka_unit_test(test_sketch_of_all_magnitudes),
	    cmocka_unit_test(test_a_value_many_times),
	    cmocka_unit_test(test_zeros_take_no_room),
	    cmocka_unit_test(test_overview),
	    cmocka_unit_test(test_totals_beyond_64_bits),
	    cmocka_unit_test(test_reasons_of_the_decoder),
	    cmocka_unit_test(test_mean_of_equal_values),
	    cmocka_unit_test(test_long_reasons_stay_text),
	};
	return cmocka_run_group_tests(tests, context_catalog_open, context_catalog_close);
}
