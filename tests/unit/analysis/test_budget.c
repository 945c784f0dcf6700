/* The budget of a picture, against the guide's own example and numbers worked out by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>

#include <sextant/analysis.h>

#include "analysis/budget.h"
#include "unit/context.h"

#define ROWS 4

/* A G310: some seconds of which one runs at 500 MHz, the others at half of it. */
static struct sx_table *make_rows(void)
{
	static const struct sx_column columns[] = {
	    {.name = "MaliGPUCyclesGPUActive", .unit = "cycles"},
	    {.name = "MaliExternalBusBeatsReadBeat", .unit = "beats"},
	    {.name = "MaliExternalBusBeatsWriteBeat", .unit = "beats"},
	};
	struct sx_table *table = NULL;
	assert_int_equal(sx_table_create(columns, 3, SX_SAMPLE_TIME, &table, NULL), SX_OK);
	assert_int_equal(sx_table_add_rows(table, ROWS, NULL, NULL), SX_OK);
	for (size_t i = 0; i < ROWS; i++) {
		sx_table_set_time(table, i, i * 1000000000, (i + 1) * 1000000000);
		sx_table_set_u64(table, 0, i, i == 2 ? 500000000 : 250000000, 0);
		sx_table_set_u64(table, 1, i, 200000000, 0); /* 16 bytes each: 3.2 GB/s */
		sx_table_set_u64(table, 2, i, 50000000, 0);  /* 0.8 GB/s */
	}
	return table;
}

static const struct sx_constant_value constants[] = {
    {"shader_cores", 3}, {"MaliConstantsBusWidthBits", 128}, {"l2_slices", 1}};
static const struct budget_goal goal = {1920, 1080, 60};

static void near(double got, double want)
{
	if (!(fabs(got - want) <= 1e-9 * fabs(want)))
		print_message("%.12g instead of %.12g\n", got, want);
	assert_true(fabs(got - want) <= 1e-9 * fabs(want));
}

static void guides_example(void **state)
{
	struct sx_catalog *catalog = NULL;
	struct sx_table *table = make_rows();
	struct budget b;
	struct sx_metrics_options options = {.constants = constants, .constant_count = 3};
	assert_int_equal(sx_catalog_open(context, "mali-g310", &catalog, NULL), SX_OK);
	assert_int_equal(
	    budget_of(&(struct budget_source){catalog, &options, table}, &goal, &b, NULL), SX_OK);
	near(b.clock_hz, 500e6);
	near(b.cores, 3);
	assert_true(fabs(b.available - 12.06) < 0.005); /* 3 cores at 500 MHz, 1080p60 */
	assert_true(fabs(b.usable - 10.25) < 0.005);
	near(b.spent, 3 * 312.5e6 / (1920.0 * 1080 * 60));
	near(b.bytes_per_second, 4e9);
	near(b.low_mw, 320);
	near(b.high_mw, 400);
	assert_false(b.clock_known);
	/* The device's own highest clock counts, unless more than it was seen. */
	struct sx_constant_value more[4] = {
	    constants[0], constants[1], constants[2], {"gpu_max_clock_hz", 800e6}};
	options = (struct sx_metrics_options){.constants = more, .constant_count = 4};
	assert_int_equal(
	    budget_of(&(struct budget_source){catalog, &options, table}, &goal, &b, NULL), SX_OK);
	assert_true(b.clock_known);
	near(b.available, 3 * 800e6 / (1920.0 * 1080 * 60));
	more[3].value = 400e6;
	assert_int_equal(
	    budget_of(&(struct budget_source){catalog, &options, table}, &goal, &b, NULL), SX_OK);
	assert_false(b.clock_known);
	near(b.clock_hz, 500e6);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
}

static void what_is_missing(void **state)
{
	struct sx_catalog *catalog = NULL, *cpu = NULL;
	struct sx_table *table = make_rows();
	struct budget b;
	struct sx_error err = {0};
	struct sx_metrics_options options = {.constants = constants, .constant_count = 1};
	assert_int_equal(sx_catalog_open(context, "mali-g310", &catalog, NULL), SX_OK);
	/* Without the bus width there is no bandwidth: no power, and no guess. */
	assert_int_equal(
	    budget_of(&(struct budget_source){catalog, &options, table}, &goal, &b, &err), SX_OK);
	assert_true(isnan(b.low_mw) && isnan(b.bytes_per_second) && b.spent > 0);
	static const struct budget_goal wrong[] = {
	    {0, 1080, 60}, {1920, 1080, 0}, {-1, -1, 60}, {1920, 1080, INFINITY}};
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(budget_of(&(struct budget_source){catalog, &options, table},
					   &wrong[i], &b, &err),
				 SX_ERR_USAGE);
	sx_table_clear(table);
	assert_int_equal(
	    budget_of(&(struct budget_source){catalog, &options, table}, &goal, &b, &err), SX_OK);
	assert_true(isnan(b.available) && isnan(b.spent));
	options.constant_count = 0;
	assert_int_equal(sx_catalog_open(context, "cpu", &cpu, NULL), SX_OK);
	assert_int_equal(budget_of(&(struct budget_source){cpu, &options, table}, &goal, &b, &err),
			 SX_ERR_NOT_FOUND);
	sx_catalog_unref(cpu);
	sx_table_destroy(table);
	sx_catalog_unref(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(guides_example),
	    cmocka_unit_test(what_is_missing),
	};
	return cmocka_run_group_tests(tests, context_open, context_close);
}
