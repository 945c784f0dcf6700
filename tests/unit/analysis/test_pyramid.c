/* Pyramids against the same worked out from all samples at once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "analysis/pyramid.h"
#include "unit/context_catalog.h"

#define ROWS  30000
#define CHUNK 777

/* Samples of 10 ns, 10 ns apart; every 50th lacks the second counter. */
static uint64_t clocks_of(size_t n)
{
	return 1000000 + n * 7919 % 90001;
}

static bool lacks(size_t n)
{
	return n % 50 == 0 || (n >= 4000 && n < 4200);
}

static struct sx_table *make(size_t first, size_t rows)
{
	static const struct sx_column columns[] = {
	    {"Clocks", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"CoreCycles", "cycles", SX_U64, SX_REDUCE_SUM, NULL},
	    {"Level", "percent", SX_F64, SX_REDUCE_LAST, NULL},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, 3, SX_SAMPLE_TIME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, rows, NULL, NULL), SX_OK);
	for (size_t i = 0; i < rows; i++) {
		size_t n = first + i;
		const char *name = n / 1000 % 2 ? "odd" : "even";
		sx_table_set_time(table, i, n * 20, n * 20 + 10 + n % 3);
		sx_table_set_u64(table, 0, i, clocks_of(n), 0);
		sx_table_set_u64(table, 1, i, clocks_of(n) / 2, lacks(n) ? SX_QUALITY_GAP : 0);
		sx_table_set_f64(table, 2, i, sin((double)n) * 50, SX_QUALITY_STRETCHED);
		assert_int_equal(sx_table_set_label(table, SX_LABEL_GROUP, i,
						    sx_table_intern(table, name, strlen(name))),
				 SX_OK);
	}
	return table;
}

static struct sx_metrics *select_counters(void)
{
	struct sx_table *like = make(0, 0);
	struct sx_metrics_options options = {.counters = true, .like = like};
	struct sx_metrics *metrics = NULL;
	assert_int_equal(sx_metrics_create(catalog, &options, &metrics, NULL), SX_OK);
	sx_table_destroy(like);
	return metrics;
}

static struct pyramid *fill(const struct sx_metrics *metrics, size_t bytes, size_t rows)
{
	struct pyramid *pyramid = NULL;
	struct sx_table *like = make(0, 0);
	assert_int_equal(pyramid_create(metrics, like, bytes, &pyramid, NULL), SX_OK);
	sx_table_destroy(like);
	for (size_t at = 0; at < rows; at += CHUNK) {
		struct sx_table *table = make(at, rows - at < CHUNK ? rows - at : CHUNK);
		assert_int_equal(pyramid_add(pyramid, table, NULL), SX_OK);
		sx_table_destroy(table);
	}
	return pyramid;
}

/* One stretch of the second counter, which some samples lack. */
static void check_patchy(const struct pyramid_view *v, uint32_t column, size_t i, size_t first,
			 size_t last)
{
	const struct pyramid_column *c = &v->columns[column];
	double min = INFINITY, max = -INFINITY, sum = 0;
	uint32_t weight = 0;
	for (size_t n = first; n < last; n++) {
		double value = (double)(clocks_of(n) / 2);
		if (lacks(n))
			continue;
		min = fmin(min, value);
		max = fmax(max, value);
		sum += value;
		weight++;
	}
	assert_int_equal(c->weight[i], weight);
	if (!weight) {
		assert_true(isnan(c->min[i]) && isnan(c->max[i]));
		assert_int_equal(c->quality[i], SX_QUALITY_GAP);
		return;
	}
	assert_true(c->min[i] == min && c->max[i] == max && c->sum[i] == sum);
	assert_int_equal(c->quality[i], 0);
}

static void check_labels(const struct pyramid_view *v, size_t i, size_t first, size_t last)
{
	uint32_t label = v->labels[SX_LABEL_GROUP][i];
	const char *text = sx_table_string(v->strings, label);
	if (first / 1000 != (last - 1) / 1000)
		assert_int_equal(label, PYRAMID_MIXED);
	else
		assert_string_equal(text, first / 1000 % 2 ? "odd" : "even");
}

static uint32_t column_named(const struct sx_metrics *metrics, const char *name)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(columns[i].name, name) == 0)
			return i;
	fail_msg("no column %s", name);
	return 0;
}

static void check(const struct sx_metrics *metrics, const struct pyramid_view *v, size_t rows)
{
	uint32_t patchy = column_named(metrics, "CoreCycles");
	size_t first = 0;
	assert_int_equal(v->count, (rows + v->each - 1) / v->each);
	for (size_t i = 0; i < v->count; i++) {
		size_t last = first + v->each < rows ? first + (size_t)v->each : rows;
		const struct pyramid_column *length = &v->columns[v->column_count];
		assert_int_equal(v->rows[i], last - first);
		assert_int_equal(v->begin_ns[i], first * 20);
		assert_int_equal(v->end_ns[i], (last - 1) * 20 + 10 + (last - 1) % 3);
		assert_true(length->min[i] >= 10 && length->max[i] <= 12);
		check_patchy(v, patchy, i, first, last);
		check_labels(v, i, first, last);
		first = last;
	}
	assert_int_equal(first, rows);
}

static void test_samples(void **state)
{
	struct sx_metrics *metrics = select_counters();
	struct pyramid *pyramid = fill(metrics, 1 << 20, 5000);
	struct pyramid_view view = pyramid_get(pyramid);
	assert_int_equal(view.each, 1);
	check(metrics, &view, 5000);
	pyramid_destroy(pyramid);
	sx_metrics_destroy(metrics);
}

/* Whatever the room, stretches are exact and the room is kept. */
static void test_stretches(void **state)
{
	static const size_t rooms[] = {1 << 20, 1 << 16, 20000, 1};
	struct sx_metrics *metrics = select_counters();
	for (size_t i = 0; i < sizeof(rooms) / sizeof(rooms[0]); i++) {
		struct pyramid *pyramid = fill(metrics, rooms[i], ROWS);
		struct pyramid_view view = pyramid_get(pyramid);
		assert_true(view.each > 1);
		assert_true(pyramid_bytes(&view) <= rooms[i] || view.count <= 16);
		check(metrics, &view, ROWS);
		pyramid_destroy(pyramid);
	}
	sx_metrics_destroy(metrics);
}

static void test_fit(void **state)
{
	struct sx_metrics *metrics = select_counters();
	struct pyramid *pyramid = fill(metrics, 1 << 20, 5000);
	pyramid_fit(pyramid, 40000);
	struct pyramid_view view = pyramid_get(pyramid);
	assert_true(view.each > 1 && pyramid_bytes(&view) <= 40000);
	check(metrics, &view, 5000);
	pyramid_destroy(pyramid);
	sx_metrics_destroy(metrics);
}

static void test_empty(void **state)
{
	struct sx_metrics *metrics = select_counters();
	struct pyramid *pyramid = fill(metrics, 1 << 20, 0);
	struct pyramid_view view = pyramid_get(pyramid);
	assert_int_equal(view.count, 0);
	pyramid_fit(pyramid, 0);
	pyramid_destroy(pyramid);
	sx_metrics_destroy(metrics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_samples),
	    cmocka_unit_test(test_stretches),
	    cmocka_unit_test(test_fit),
	    cmocka_unit_test(test_empty),
	};
	return cmocka_run_group_tests(tests, context_catalog_open, context_catalog_close);
}
