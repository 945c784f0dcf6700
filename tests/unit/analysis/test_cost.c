/* What measuring cost, and totals of counters that were measured in some samples only. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sextant/analysis.h>
#include <sextant/catalog.h>
#include <sextant/context.h>
#include <sextant/table.h>

#include "analysis/cost.h"
#include "guest/pace.h"
#include "table/slices.h"
#include "unit/analysis/noise.h"

enum { GPU, CPU, COUNT, RASTER, ANY, COLUMNS };

_Static_assert(SLICES_FIRST == PACE_FIRST, "frames that are always measured");

static void assert_near(double value, double expected, double play)
{
	assert_true(fabs(value - expected) <= play);
}

static struct sx_catalog *opengl(struct sx_context **context)
{
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_context_create(NULL, context, NULL), SX_OK);
	assert_int_equal(sx_catalog_open(*context, "opengl", &catalog, NULL), SX_OK);
	return catalog;
}

static struct sx_table *rows(void)
{
	const struct sx_column columns[COLUMNS] = {
	    [GPU] = {.name = "D3DGPUTime",
		     .unit = "ns",
		     .type = SX_U64,
		     .over_time = SX_REDUCE_SUM},
	    [CPU] = {.name = "CPUTime", .unit = "ns", .type = SX_U64, .over_time = SX_REDUCE_SUM},
	    [COUNT] = {.name = "IAVertices",
		       .unit = "vertices",
		       .type = SX_U64,
		       .over_time = SX_REDUCE_SUM},
	    [RASTER] = {.name = "rasteriser_ns",
			.unit = "ns",
			.type = SX_U64,
			.over_time = SX_REDUCE_SUM},
	    [ANY] = {.name = "AnyThreadTime",
		     .unit = "ns",
		     .type = SX_U64,
		     .over_time = SX_REDUCE_SUM},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, COLUMNS, SX_SAMPLE_FRAME, &table, NULL), SX_OK);
	return table;
}

static void add_row(struct sx_table *table, uint64_t context, bool measured, uint64_t cpu_ns)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(table, 1, &row, NULL), SX_OK);
	sx_table_set_label(table, SX_LABEL_CONTEXT, row, context);
	sx_table_set_u64(table, CPU, row, cpu_ns, 0);
	sx_table_set_u64(table, COUNT, row, 7, measured ? 0 : SX_QUALITY_SKIPPED);
}

/* GPU time that is watched in other samples than those that are counted says nothing of these. */
static void test_gpu_time_by_itself(void **state)
{
	struct sx_context *context;
	struct sx_catalog *catalog = opengl(&context);
	struct sx_table *table = rows();
	struct costs *costs;
	assert_int_equal(costs_create(catalog, table, &costs, NULL), SX_OK);
	for (unsigned i = 0; i < 400; i++) {
		bool measured = i % 20 < 4, watched = i % 50 < 20;
		add_row(table, 0, measured, measured ? 3000000 : 1000000);
		sx_table_set_u64(table, GPU, i, 5, watched ? 0 : SX_QUALITY_SKIPPED);
		sx_table_set_u64(table, RASTER, i, 9, watched ? 0 : SX_QUALITY_SKIPPED);
		sx_table_set_u64(table, ANY, i, 9, i % 60 < 30 ? 0 : SX_QUALITY_SKIPPED);
	}
	costs_add(costs, table);
	struct cost cost = costs_get(costs);
	assert_int_equal(cost.measured, 80);
	assert_near(cost.slowdown, 3, 0.01);
	costs_destroy(costs);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

/* A program with samples of 1 ms, measured ones `slow` times that, both with random noise. */
static struct cost play_noisy(double slow, double noise, unsigned samples, unsigned contexts)
{
	struct sx_context *context;
	struct sx_catalog *catalog = opengl(&context);
	struct sx_table *table = rows();
	struct costs *costs;
	struct pace pace[4];
	for (unsigned c = 0; c < contexts; c++)
		pace_start(&pace[c], 50000, 0);
	assert_int_equal(costs_create(catalog, table, &costs, NULL), SX_OK);
	for (unsigned i = 0; i < samples; i++) {
		for (unsigned c = 0; c < contexts; c++) {
			bool measured = pace_measures(&pace[c]);
			double chance = noise > 0 ? exp(noise * normal()) : 1;
			uint64_t cpu_ns = (uint64_t)(1e6 * chance * (measured ? slow : 1));
			pace_sample(&pace[c], cpu_ns);
			add_row(table, c, measured, cpu_ns);
		}
		if (i % 100 == 99) {
			costs_add(costs, table);
			sx_table_clear(table);
		}
	}
	costs_add(costs, table);
	struct cost cost = costs_get(costs);
	costs_destroy(costs);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
	return cost;
}

static struct cost play(double slow, unsigned samples, unsigned contexts)
{
	return play_noisy(slow, 0, samples, contexts);
}

static void test_cost_is_told_by_what_was_not_measured(void **state)
{
	for (unsigned contexts = 1; contexts <= 3; contexts++) {
		struct cost cost = play(17, 4000, contexts);
		assert_int_equal(cost.all, 4000 * contexts);
		assert_near(cost.slowdown, 17, 0.01);
		double extra = 16.0 * (double)cost.measured;
		assert_near(cost.share, extra / ((double)cost.all + extra), 1e-4);
		assert_true(cost.share < 0.055);
	}
	assert_near(play(1.25, 4000, 1).slowdown, 1.25, 0.01);
	assert_true(play(0.97, 4000, 1).share == 0);
}

/* Where measuring costs nothing, noise is taken for a cost in a few of a hundred programs at most.
 */
static void test_noise_is_no_cost(void **state)
{
	static const unsigned lengths[] = {16, 60, 1000};
	static const double noises[] = {0.05, 0.3, 1};
	for (size_t n = 0; n < 3; n++)
		for (size_t l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
			unsigned shown = 0, nothing = 0, hidden = 0;
			for (unsigned i = 0; i < 100; i++) {
				struct cost cost = play_noisy(1, noises[n], lengths[l], 1);
				shown += cost.slowdown > 1;
				nothing += cost.slowdown <= 1;
				hidden += cost.hidden;
				assert_true(isnan(cost.share) == isnan(cost.slowdown));
			}
			assert_true(shown <= 8);
			assert_true(nothing <= 8);
			assert_true(shown + nothing + hidden > 90); /* the others do not add up */
		}
}

/* A large effect is significant in few samples, a small one in many. */
static void test_effects_stand_out_of_noise(void **state)
{
	for (unsigned i = 0; i < 20; i++) {
		struct cost few = play_noisy(17, 0.3, 60, 1), many = play_noisy(1.3, 0.2, 6000, 1);
		assert_true(few.slowdown > 8 && few.slowdown < 34);
		assert_near(many.slowdown, 1.3, 0.1);
		assert_true(many.share > 0 && many.share < 0.08);
	}
}

/* A driver that does in its own threads, beside later samples, what results have forced. */
static void test_work_that_falls_on_others_is_told(void **state)
{
	struct sx_context *context;
	struct sx_catalog *catalog = opengl(&context);
	struct sx_table *table = rows();
	struct costs *costs;
	assert_int_equal(costs_create(catalog, table, &costs, NULL), SX_OK);
	for (unsigned i = 0; i < 400; i++)
		add_row(table, 0, i % 20 < 12, i % 20 < 14 ? 10000 : 4000000);
	costs_add(costs, table);
	struct cost cost = costs_get(costs);
	assert_true(cost.elsewhere && !cost.hidden);
	assert_true(isnan(cost.share) && isnan(cost.slowdown));
	assert_false(play(17, 4000, 1).elsewhere);
	costs_destroy(costs);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
	sx_context_destroy(context);
}

static void test_nothing_tells(void **state)
{
	struct cost cost = play(2, 3, 1);
	assert_int_equal(cost.measured, 3);
	assert_int_equal(cost.all, 3);
	assert_true(isnan(cost.share) && isnan(cost.slowdown));
}

static void test_totals_stand_for_all_samples(void **state)
{
	struct sx_table *table = rows(), *total = NULL;
	for (unsigned i = 0; i < 10; i++)
		add_row(table, 0, i < 3, 1000);
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	assert_near(sx_table_get(total, COUNT, 0), 70, 0);
	assert_int_equal(sx_table_vector(total, COUNT).quality[0], SX_QUALITY_MULTIPLEXED);
	assert_near(sx_table_get(total, CPU, 0), 10000, 0);
	assert_null(sx_table_vector(total, CPU).quality);
	sx_table_destroy(total);
	sx_table_destroy(table);
}

/* Combined unmeasured rows are still represented by others. */
static void test_totals_of_totals(void **state)
{
	struct sx_table *table = rows(), *total = NULL;
	add_row(table, 0, false, 1000);
	add_row(table, 0, false, 1000);
	assert_int_equal(sx_table_total(table, &total, NULL), SX_OK);
	assert_true(sx_quality_is_skipped(sx_table_vector(total, COUNT).quality[0]));
	sx_table_destroy(total);
	sx_table_destroy(table);
}

int main(void)
{
	state_ = SEED;
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_cost_is_told_by_what_was_not_measured),
	    cmocka_unit_test(test_noise_is_no_cost),
	    cmocka_unit_test(test_effects_stand_out_of_noise),
	    cmocka_unit_test(test_work_that_falls_on_others_is_told),
	    cmocka_unit_test(test_nothing_tells),
	    cmocka_unit_test(test_gpu_time_by_itself),
	    cmocka_unit_test(test_totals_stand_for_all_samples),
	    cmocka_unit_test(test_totals_of_totals),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
