/* Estimates of unmeasured samples, by normalisation basis. */
#include <sextant/analysis.h>
#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/table.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { FRAMES, DRAWS, DISPATCHES, VERTICES, INVOCATIONS, TIME, BUSY, COLUMNS };

static struct sx_table *begin(void)
{
	static const struct sx_column columns[COLUMNS] = {
	    [FRAMES] = {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
	    [DRAWS] = {"Draws", "draws", SX_U64, SX_REDUCE_SUM, NULL},
	    [DISPATCHES] = {"Dispatches", "dispatches", SX_U64, SX_REDUCE_SUM, NULL},
	    [VERTICES] = {"IAVertices", "vertices", SX_U64, SX_REDUCE_SUM, NULL},
	    [INVOCATIONS] = {"CSInvocations", "invocations", SX_U64, SX_REDUCE_SUM, NULL},
	    [TIME] = {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	    [BUSY] = {"rasteriser_ns", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	return table;
}

struct sample {
	uint64_t draws, dispatches, busy_ns;
	bool counted, timed, shown;
};

/* A draw has 3 vertices, a dispatch 64 invocations; its threads are at work for 2/3 of their time.
 */
static void add(struct sx_table *table, struct sample sample)
{
	uint8_t counts = sample.counted ? 0 : SX_QUALITY_SKIPPED;
	size_t row;
	assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
	sx_table_set_time(table, row, 1000 * row, 1000 * row + 1000);
	sx_table_set_u64(table, FRAMES, row, 1, 0);
	sx_table_set_u64(table, DRAWS, row, sample.draws, 0);
	sx_table_set_u64(table, DISPATCHES, row, sample.dispatches, 0);
	sx_table_set_u64(table, VERTICES, row, 3 * sample.draws, counts);
	sx_table_set_u64(table, INVOCATIONS, row, 64 * sample.dispatches, counts);
	sx_table_set_u64(table, TIME, row, sample.busy_ns / 3 * 2,
			 sample.timed ? 0 : SX_QUALITY_SKIPPED);
	sx_table_set_u64(table, BUSY, row, sample.busy_ns,
			 sample.shown ? 0 : SX_QUALITY_NOT_COLLECTED);
}

/* Totals and means; NaN: there is none. */
struct due {
	double vertices, invocations, time_ns;
};

static void check_value(double value, double due)
{
	if (isnan(due) ? !isnan(value) : !(fabs(value - due) <= 1e-6 * due))
		fail_msg("%g, not %g", value, due);
}

static void check_summary(const struct sx_table *table, const struct due *due)
{
	static const char *const names[] = {"IAVertices", "CSInvocations", "gpu_time"};
	const double values[] = {due->vertices, due->invocations, due->time_ns * 1e-6};
	struct sx_metrics_options options = {
	    .patterns = names, .pattern_count = 3, .counters = true, .like = table};
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct sx_metrics *metrics = NULL;
	struct sx_summary *summary = NULL;
	const struct sx_stats *stats = NULL;
	uint32_t count = 0;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "vulkan", &catalog, NULL), SX_OK);
	assert_int_equal(sx_metrics_create(catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(summary, &stats, &count, NULL), SX_OK);
	assert_int_equal(count, 3);
	for (uint32_t i = 0; i < 3; i++) {
		check_value(stats[i].total, values[i]);
		check_value(stats[i].mean, values[i] / (double)sx_table_row_count(table));
		/* Whatever was measured: the largest is no less than the mean. */
		assert_false(stats[i].mean > stats[i].max * 1.001);
		assert_true(!isnan(values[i]) || (stats[i].why && stats[i].why[0]));
	}
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

static void check(struct sx_table *table, const struct due *due)
{
	struct sx_table *total = NULL;
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	check_value(sx_table_get(total, VERTICES, 0), due->vertices);
	check_value(sx_table_get(total, INVOCATIONS, 0), due->invocations);
	check_value(sx_table_get(total, TIME, 0), due->time_ns);
	check_summary(table, due);
	sx_table_destroy(total);
	sx_table_destroy(table);
}

/* Ten calls each: what was counted draws much, the rest computes much. */
static void test_draws_and_dispatches(void **state)
{
	struct sx_table *table = begin();
	(void)state;
	for (int i = 0; i < 3; i++)
		add(table, (struct sample){9, 1, 600, true, true, true});
	for (int i = 0; i < 7; i++)
		add(table, (struct sample){1, 9, 600, false, true, true});
	check(table, &(struct due){3 * (27 + 7), 64 * (3 + 63), 10 * 400});
}

/* The rasteriser is watched where frames are twice as long as in the rest of the run. */
static void test_rasterisers_time(void **state)
{
	struct sx_table *table = begin();
	(void)state;
	for (int i = 0; i < 40; i++)
		add(table, (struct sample){4, 2, i < 10 ? 900 : 450, true, i < 10, true});
	check(table, &(struct due){3 * 160, 64 * 80, 10 * 600 + 30 * 300});
}

/* Of three threads one worked at a time where they were watched, and all at once in the rest. */
static void test_no_more_than_there_is_time(void **state)
{
	struct sx_table *table = begin(), *total = NULL;
	(void)state;
	for (int i = 0; i < 40; i++)
		add(table, (struct sample){4, 2, i < 10 ? 900 : 3000, true, i < 10, true});
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	assert_true(sx_table_get(total, TIME, 0) <= 40 * 1000);
	sx_table_destroy(total);
	check(table, &(struct due){3 * 160, 64 * 80, 10 * 600 + 30 * 1000 * 2 / 3.0});
}

/* What the last frames took is not known, since the threads ended: they are as the others. */
static void test_threads_that_ended(void **state)
{
	struct sx_table *table = begin();
	(void)state;
	for (int i = 0; i < 40; i++)
		add(table, (struct sample){4, 2, i < 10 ? 900 : 450, true, i < 10, i < 30});
	check(table, &(struct due){3 * 160, 64 * 80, 10 * 600 + 30 * 300});
}

/* A driver without such threads: by the number of frames. */
static void test_time_of_others(void **state)
{
	struct sx_table *table = begin();
	(void)state;
	for (int i = 0; i < 40; i++)
		add(table, (struct sample){4, 2, i < 10 ? 900 : 450, true, i < 10, false});
	check(table, &(struct due){3 * 160, 64 * 80, 40 * 600});
}

/* Frames that do nothing say nothing of those that do: no data is not zero. */
static void test_idle_frames_alone(void **state)
{
	struct sx_table *table = begin();
	(void)state;
	add(table, (struct sample){0, 2, 300, true, true, true});
	for (int i = 0; i < 5; i++)
		add(table, (struct sample){4, 2, 300, false, true, true});
	check(table, &(struct due){NAN, 64 * 12, 6 * 200});
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_draws_and_dispatches),
	    cmocka_unit_test(test_rasterisers_time),
	    cmocka_unit_test(test_no_more_than_there_is_time),
	    cmocka_unit_test(test_threads_that_ended),
	    cmocka_unit_test(test_time_of_others),
	    cmocka_unit_test(test_idle_frames_alone),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
