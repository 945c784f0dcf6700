/* Totals where rows are slices of time, of unlike length, and some of them were not measured. */
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

#include "table/slices.h"

enum { FRAMES, CALLS, VERTICES, TIME, COLUMNS };

static struct sx_table *begin_of(enum sx_sample_kind kind, bool calls)
{
	const struct sx_column columns[COLUMNS] = {
	    [FRAMES] = {"Frames", "frames", SX_U64, SX_REDUCE_SUM, NULL},
	    [CALLS] = {calls ? "DrawCalls" : "Other", "draws", SX_U64, SX_REDUCE_SUM, NULL},
	    [VERTICES] = {"IAVertices", "vertices", SX_U64, SX_REDUCE_SUM, NULL},
	    [TIME] = {"D3DGPUTime", "ns", SX_U64, SX_REDUCE_SUM, NULL},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, kind, &table, NULL), SX_OK);
	return table;
}

static struct sx_table *begin(bool calls)
{
	return begin_of(SX_SAMPLE_FRAME, calls);
}

struct sample {
	uint64_t frames, calls, ns;
	bool measured;
};

/* Each call draws 3 vertices, and the device is at work for three quarters of the time. */
static void add(struct sx_table *table, uint64_t context, struct sample sample)
{
	static uint64_t at = 1000;
	uint8_t quality = sample.measured ? 0 : SX_QUALITY_SKIPPED;
	size_t row;
	assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
	sx_table_set_time(table, row, at, at + sample.ns);
	at += sample.ns;
	assert_int_equal(sx_table_set_label(table, SX_LABEL_CONTEXT, row, context), SX_OK);
	sx_table_set_u64(table, FRAMES, row, sample.frames, 0);
	sx_table_set_u64(table, CALLS, row, sample.calls, 0);
	sx_table_set_u64(table, VERTICES, row, 3 * sample.calls, quality);
	sx_table_set_u64(table, TIME, row, sample.ns / 4 * 3, quality);
}

static void summarise(const struct sx_table *table, const char *const names[2],
		      struct sx_stats out[2])
{
	struct sx_metrics_options options = {.patterns = names, .pattern_count = 2};
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct sx_metrics *metrics = NULL;
	struct sx_summary *summary = NULL;
	const struct sx_stats *stats = NULL;
	uint32_t count = 0;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(context, "opengl", &catalog, NULL), SX_OK);
	options.counters = true;
	options.like = table;
	assert_int_equal(sx_metrics_create(catalog, &options, &metrics, NULL), SX_OK);
	assert_int_equal(sx_summary_create(metrics, table, &summary, NULL), SX_OK);
	assert_int_equal(sx_summary_add(summary, table, NULL), SX_OK);
	assert_int_equal(sx_summary_stats(summary, &stats, &count, NULL), SX_OK);
	assert_int_equal(count, 2);
	memcpy(out, stats, 2 * sizeof(*out));
	sx_summary_destroy(summary);
	sx_metrics_destroy(metrics);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

/* The same by a summary, which computes its own sums of metrics. */
static void check_summary(const struct sx_table *table, double vertices, double time)
{
	static const char *const names[] = {"IAVertices", "gpu_time"};
	struct sx_stats stats[2];
	summarise(table, names, stats);
	assert_true(fabs(stats[0].total - vertices) <= 1);
	assert_true(fabs(stats[1].total - time * 1e-6) <= 1e-6);
	assert_true(stats[0].quality & SX_QUALITY_MULTIPLEXED);
}

static void check(struct sx_table *table, double vertices, double time)
{
	struct sx_table *total = NULL;
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	assert_true(fabs(sx_table_get(total, VERTICES, 0) - vertices) <= 1);
	assert_true(fabs(sx_table_get(total, TIME, 0) - time) <= 1);
	assert_int_equal(sx_table_vector(total, VERTICES).quality[0], SX_QUALITY_MULTIPLEXED);
	check_summary(table, vertices, time);
	sx_table_destroy(total);
	sx_table_destroy(table);
}

/* The first, long one is measured; where something is, half as many calls fit into the time. */
static void test_by_calls_and_times(void **state)
{
	struct sx_table *table = begin(true);
	add(table, 0, (struct sample){0, 5000, 1000000, true});
	for (int i = 0; i < 3; i++)
		add(table, 0, (struct sample){0, 500, 100000, true});
	for (int i = 0; i < 16; i++)
		add(table, 0, (struct sample){0, 1000, 100000, false});
	check(table, 3.0 * (5000 + 1500 + 16000), 0.75 * 2900000);
}

static void test_by_time_where_nobody_counts_calls(void **state)
{
	struct sx_table *table = begin(false);
	add(table, 0, (struct sample){0, 5000, 1000000, true});
	for (int i = 0; i < 19; i++)
		add(table, 0, (struct sample){0, 500, 100000, false});
	check(table, 3.0 * (5000 + 19 * 500), 0.75 * 2900000);
}

/* Frames represent frames of any length; time slices represent time slices. */
static void test_frames_by_number(void **state)
{
	struct sx_table *table = begin(true);
	add(table, 0, (struct sample){0, 4000, 1000000, true});
	add(table, 0, (struct sample){0, 8000, 2000000, false});
	for (int i = 0; i < 10; i++)
		add(table, 0, (struct sample){1, 20, 1000 + (uint64_t)i * 400, i < 2});
	/* Lengths of frames: 1000 and 1400 measured, 28000 in all. */
	check(table, 3.0 * (12000 + 200), 0.75 * 3000000 + 10 * 0.75 * 1200);
}

/* A context's first frames are always measured, and represent only themselves. */
static void test_first_frames(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 200; i++) {
		bool first = i < 4, measured = first || i % 40 == 5;
		add(table, 0, (struct sample){1, first ? 2 : 50, first ? 40 : 400, measured});
		assert_int_equal(sx_table_set_label(table, SX_LABEL_FRAME, i, i), SX_OK);
	}
	check(table, 3.0 * (4 * 2 + 196 * 50), 0.75 * (4 * 40 + 196 * 400));
}

/* A program that draws more and more, measured at its begin: the rest is estimated by draws. */
static void test_frames_by_calls(void **state)
{
	struct sx_table *table = begin(true);
	double calls = 0;
	for (uint64_t i = 0; i < 600; i++) {
		bool measured = i < 4 || i == 14 || i == 33;
		add(table, 0, (struct sample){1, i / 10 + 1, 400, measured});
		assert_int_equal(sx_table_set_label(table, SX_LABEL_FRAME, i, i), SX_OK);
		calls += (double)(i / 10 + 1);
	}
	check(table, 3.0 * calls, 0.75 * 600 * 400);
}

/* Frames that draw nothing count nothing, and a mean is one of all frames. */
static void test_frames_without_calls(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 100; i++)
		add(table, 0, (struct sample){1, i % 2 ? 10 : 0, 400, i < 3});
	check(table, 3.0 * 500, 0.75 * 100 * 400);
}

/* An empty first frame cannot represent frames that draw: later ones do. */
static void test_idle_first_frame(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 12; i++) {
		bool measured = i == 0 || i == 6 || i == 7;
		add(table, 0, (struct sample){1, i == 0 ? 0 : 10 + i, 400, measured});
		assert_int_equal(sx_table_set_label(table, SX_LABEL_FRAME, i, i), SX_OK);
	}
	check(table, 3.0 * (11 * 10 + 66), 0.75 * 12 * 400);
}

/* Contexts of which an empty frame was measured and no other are as those that drew. */
static void test_idle_contexts(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 12; i++) {
		add(table, i / 4, (struct sample){1, i % 4 == 0 ? 0 : 5, 400, i < 2 || i % 4 == 0});
		assert_int_equal(sx_table_set_label(table, SX_LABEL_FRAME, i, i % 4), SX_OK);
	}
	check(table, 3.0 * 45, 0.75 * 12 * 400);
}

/* A second context without a measured frame is estimated from the first, by draws. */
static void test_unmeasured_context(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 40; i++)
		add(table, i / 20, (struct sample){1, i < 20 ? 4 : 30, 400, i < 3});
	check(table, 3.0 * (80 + 600), 0.75 * 40 * 400);
}

/* If nothing else was measured, they represent the others. */
static void test_first_frames_alone(void **state)
{
	struct sx_table *table = begin(true);
	for (uint64_t i = 0; i < 6; i++) {
		add(table, 0, (struct sample){1, 10, 400, i < 4});
		assert_int_equal(sx_table_set_label(table, SX_LABEL_FRAME, i, i), SX_OK);
	}
	check(table, 3.0 * 60, 0.75 * 2400);
}

/* Slices of which none was measured are as the frames of their context, not as anybody's. */
static void test_unmeasured_slices(void **state)
{
	struct sx_table *table = begin(true);
	add(table, 0, (struct sample){0, 600, 60000, false});
	for (int i = 0; i < 4; i++)
		add(table, 0, (struct sample){1, 20, 2000, i < 2});
	for (int i = 0; i < 4; i++)
		add(table, 1, (struct sample){1, 7, 400, true});
	check(table, 3.0 * (600 + 80 + 28), 0.75 * (60000 + 8000 + 1600));
}

/* Commands represent those of their name: one kernel takes 100 times as long as another. */
static void test_commands_by_name(void **state)
{
	const struct sx_column column = {"KernelTime", "ns", SX_U64, SX_REDUCE_SUM, NULL};
	static const struct {
		const char *name;
		uint64_t ns;
		int count, timed;
	} kinds[] = {{"long", 1000, 20, 2}, {"short", 10, 200, 100}, {"never", 7, 10, 0}};
	struct sx_table *table = NULL, *out = NULL;
	assert_int_equal(sx_table_create(&column, 1, SX_SAMPLE_KERNEL, &table, NULL), SX_OK);
	for (int i = 0; i < 200; i++)
		for (int k = 0; k < 3; k++) {
			size_t row;
			if (i >= kinds[k].count)
				continue;
			assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
			sx_table_set_time(table, row, 100, 200);
			uint32_t name =
			    sx_table_intern(table, kinds[k].name, strlen(kinds[k].name));
			sx_table_set_label(table, SX_LABEL_GROUP, row, name);
			sx_table_set_label(table, SX_LABEL_CONTEXT, row, (uint64_t)i % 4);
			bool timed = i < kinds[k].timed;
			sx_table_set_u64(table, 0, row, timed ? kinds[k].ns : 0,
					 timed ? 0 : SX_QUALITY_SKIPPED);
		}
	assert_int_equal(sx_table_total(table, &out, NULL), SX_OK);
	/* Of the third nothing is known: as the others. */
	uint64_t known = 20 * 1000 + 200 * 10;
	assert_int_equal(sx_table_get(out, 0, 0), known + known / 22);
	assert_int_equal(sx_table_vector(out, 0).quality[0], SX_QUALITY_MULTIPLEXED);
	sx_table_destroy(table);
	sx_table_destroy(out);
	(void)state;
}

/* Draws that were not measured may come several in a row: these are as many samples. */
static void test_several_draws_in_a_row(void **state)
{
	struct sx_table *table = begin_of(SX_SAMPLE_DRAW, true);
	for (int i = 0; i < 4; i++)
		add(table, 0, (struct sample){0, 1, 4000, true});
	add(table, 0, (struct sample){0, 96, 96 * 400, false});
	const struct slices slices = slices_of(table);
	assert_int_equal(slices_samples_in(table, 0, 5), 100);
	assert_int_equal(slices_samples(&slices, table, 3, 2), 97);
	static const char *const names[] = {"DrawCalls", "IAVertices"};
	struct sx_stats stats[2];
	summarise(table, names, stats);
	assert_int_equal(stats[0].count, 100);
	assert_true(stats[0].mean == 1 && stats[0].max == 1 && stats[0].total == 100);
	assert_int_equal(stats[1].count, 4);
	assert_int_equal(stats[1].skipped, 96);
	assert_true(fabs(stats[1].running - 0.04) < 1e-9);
	check(table, 300, 3000 * 100);
}

/* Contexts begin with an empty frame: it does not represent frames that draw. */
static void test_frames_of_nothing(void **state)
{
	static const char *const names[] = {"IAVertices", "gpu_time"};
	struct sx_table *table = begin(true);
	struct sx_stats stats[2];
	for (uint64_t context = 0; context < 30; context++)
		for (int i = 0; i < 5; i++)
			add(table, context, (struct sample){1, i == 0 ? 0 : 4, 1000, i < 2});
	summarise(table, names, stats);
	assert_true(stats[0].total == 30 * 4 * 12);
	assert_true(stats[0].min == 0 && stats[0].p50 == 12 && stats[0].p95 == 12);
	sx_table_destroy(table);
}

/* Draws of two contexts, one in nine measured; the eight between are one row, or each its own. */
static struct sx_stats draws_of_two(bool together)
{
	static const char *const names[] = {"DrawCalls", "IAVertices"};
	struct sx_table *table = begin_of(SX_SAMPLE_DRAW, true);
	struct sx_stats stats[2];
	for (uint64_t i = 0; i < 24; i++) {
		size_t row = sx_table_row_count(table);
		add(table, i % 2, (struct sample){0, 1, 4000, true});
		sx_table_set_u64(table, VERTICES, row, 3 + i / 2 % 5, 0);
		for (int k = 0; k < (together ? 1 : 8); k++)
			add(table, i % 2, (struct sample){0, together ? 8 : 1, 3200, false});
	}
	summarise(table, names, stats);
	sx_table_destroy(table);
	return stats[1];
}

/* How sure a total is does not hang on how many rows what was not measured is. */
static void test_errors_of_several_draws_in_a_row(void **state)
{
	double squares = 0, sum = 0;
	for (int i = 0; i < 12; i++) {
		sum += 3 + i % 5;
		squares += (3 + i % 5) * (3 + i % 5);
	}
	/* Twelve runs of each context, with a weight of eight. */
	double variance = 2 * 12.0 / 11 * (squares - sum * sum / 12) * 8 * 9;
	for (int together = 0; together < 2; together++) {
		struct sx_stats stats = draws_of_two(together);
		assert_true(fabs(stats.total - 2 * 9 * sum) <= 1);
		double times = stats.total_error / sqrt(variance);
		assert_true(times > 2.07 && times < 2.08); /* Student's t of 22 */
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_by_calls_and_times),
	    cmocka_unit_test(test_by_time_where_nobody_counts_calls),
	    cmocka_unit_test(test_frames_by_number),
	    cmocka_unit_test(test_several_draws_in_a_row),
	    cmocka_unit_test(test_frames_of_nothing),
	    cmocka_unit_test(test_errors_of_several_draws_in_a_row),
	    cmocka_unit_test(test_first_frames),
	    cmocka_unit_test(test_frames_by_calls),
	    cmocka_unit_test(test_frames_without_calls),
	    cmocka_unit_test(test_idle_first_frame),
	    cmocka_unit_test(test_idle_contexts),
	    cmocka_unit_test(test_unmeasured_context),
	    cmocka_unit_test(test_first_frames_alone),
	    cmocka_unit_test(test_unmeasured_slices),
	    cmocka_unit_test(test_commands_by_name),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
