/* The example catalog: every key arrives in its descriptor, and everything is found by its names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/catalog.h>

static int open_example(void **state)
{
	char path[4096];
	snprintf(path, sizeof(path), "%s/example.yaml", getenv("SEXTANT_TEST_DATA"));
	struct sx_context *context = NULL;
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	assert_int_equal(sx_context_create(NULL, &context, &err), SX_OK);
	if (sx_catalog_open(context, path, &catalog, &err) != SX_OK)
		print_error("%s: %s\n", err.message, err.because);
	/* A catalog outlives the context that it was opened through. */
	sx_context_destroy(context);
	*state = catalog;
	return catalog ? 0 : -1;
}

static int close_example(void **state)
{
	sx_catalog_unref(*state);
	return 0;
}

static void test_head(void **state)
{
	const struct sx_catalog_info *info = sx_catalog_info(*state);
	assert_string_equal(info->name, "example");
	assert_string_equal(info->title, "Example of a catalog");
	assert_string_equal(info->vendor, "Nobody");
	assert_int_equal(info->kind, SX_KIND_GPU);
	assert_int_equal(info->dialect, SX_DIALECT_STANDARD);
	assert_int_equal(info->notation, SX_INFIX);
	assert_non_null(strstr(info->origin, "/example.yaml"));
	assert_true(info->hash != 0);
	assert_int_equal(info->facts.count, 1);
	assert_int_equal(info->notes.count, 2);
	assert_string_equal(info->notes.items[1], "and two notes");
	assert_int_equal(info->match_count, 1);
	assert_string_equal(info->matches[0].driver, "fake");
	assert_string_equal(info->matches[0].value, "0xa004");
	assert_int_equal(info->variant_count, 2);
	assert_string_equal(info->variants[1].title, "cores summed");
	assert_int_equal(info->pass_limit_count, 2);
	assert_string_equal(info->pass_limits[1].name, "stages");
	assert_int_equal(info->pass_limits[1].value, 2);
}

static void test_constants_and_blocks(void **state)
{
	uint32_t count;
	const struct sx_constant_info *c = sx_catalog_constants(*state, &count);
	assert_int_equal(count, 2);
	assert_false(c[0].has_value);
	assert_true(c[1].has_value && c[1].value == 128.0);
	assert_string_equal(c[1].aliases.items[0], "BusWidth");
	const struct sx_block_info *b = sx_catalog_blocks(*state, &count);
	assert_int_equal(count, 5);
	assert_int_equal(b[0].instances, 1);
	assert_int_equal(b[0].slots, 64);
	assert_int_equal(b[0].slot_bits, 32);
	assert_int_equal(b[0].code, 3);
	assert_null(b[0].instances_constant);
	assert_string_equal(b[1].instances_constant, "CoreCount");
	assert_int_equal(b[1].limit, 4);
	assert_string_equal(b[1].title, "core");
	assert_int_equal(b[2].instances, 4);
	assert_true(b[3].alone && !b[2].alone);
	assert_string_equal(b[4].family, "sq");
	assert_string_equal(b[4].stage, "vs");
}

static void test_sections_have_parents(void **state)
{
	uint32_t count;
	const struct sx_section_info *s = sx_catalog_sections(*state, &count);
	assert_int_equal(count, 4);
	assert_int_equal(s[0].parent, SX_NONE);
	assert_int_equal(s[1].parent, 0);
	assert_int_equal(s[2].parent, 1);
	assert_int_equal(s[3].parent, SX_NONE);
}

static void test_groups(void **state)
{
	uint32_t count;
	const struct sx_group_info *g = sx_catalog_groups(*state, &count);
	assert_int_equal(count, 3);
	assert_int_equal(g[0].kind, SX_GROUP_SET);
	assert_true(g[0].exclusive && !g[1].exclusive && !g[2].exclusive);
	assert_string_equal(g[0].counter_format, "A32u40_A4u32_B8_C8");
	assert_int_equal(g[0].program_count, 2);
	assert_int_equal(g[0].programs[0].kind, SX_PROGRAM_MUX);
	assert_int_equal(g[0].programs[0].priority, -1);
	assert_int_equal(g[0].programs[0].count, 2);
	assert_string_equal(g[0].programs[0].when, "$CoreCount 0x01 AND");
	assert_int_equal(g[0].programs[1].kind, SX_PROGRAM_FLEX);
	assert_int_equal(g[0].programs[1].count, 1);
	assert_string_equal(g[1].scope, "the chip");
	assert_int_equal(sx_catalog_find_group(*state, "Beta"), 1);
	assert_int_equal(sx_catalog_find_group(*state, "b541bd57-0e0f-4154-b4c0-5858010a2bf7"), 0);
	assert_int_equal(sx_catalog_find_group(*state, "Delta"), SX_NONE);
}

static void test_counters(void **state)
{
	uint32_t count;
	const struct sx_counter_info *c = sx_catalog_counters(*state, &count);
	assert_int_equal(count, 7);
	assert_int_equal(c[0].block, 0);
	assert_int_equal(c[0].slot, 6);
	assert_int_equal(c[0].bits, 32);
	assert_int_equal(c[0].scale, 1);
	assert_int_equal(c[0].reduce, SX_REDUCE_SINGLE);
	assert_int_equal(c[0].over_time, SX_REDUCE_SUM);
	assert_string_equal(c[0].neutral, "gpu.clocks");
	assert_int_equal(c[1].scale, 4);
	assert_int_equal(c[1].reduce, SX_REDUCE_SUM);
	assert_int_equal(c[1].tags.count, 2);
	assert_int_equal(c[2].reduce, SX_REDUCE_EACH);
	assert_int_equal(c[3].type, SX_F64);
	assert_int_equal(c[3].over_time, SX_REDUCE_LAST);
	assert_int_equal(c[3].bits, 64);
	assert_int_equal(c[3].block, SX_NONE);
	assert_int_equal(c[3].slot, SX_NONE);
	assert_string_equal(c[3].title, "Fill level");
	assert_string_equal(c[3].description, "");
	assert_int_equal(c[4].group, 0);
	assert_int_equal(c[5].group, 1);
	assert_int_equal(c[6].reduce, SX_REDUCE_MAX);
}

static void test_metrics(void **state)
{
	uint32_t count;
	const struct sx_metric_info *m = sx_catalog_metrics(*state, &count);
	assert_int_equal(count, 5);
	assert_string_equal(m[0].exprs[0], "min($CoreCycles / $Clocks * 100, 100)");
	assert_string_equal(m[0].exprs[1], "min($CoreCycles / CoreCount / $Clocks * 100, 100)");
	assert_string_equal(m[0].max, "100");
	assert_string_equal(m[0].when, "$CoreCount 0x1 AND");
	assert_string_equal(m[0].category, "Timing");
	assert_string_equal(m[0].usage, "percentage");
	assert_string_equal(m[0].keep.items[0], "DB.Tiles");
	assert_int_equal(m[0].apis.count, 2);
	assert_int_equal(m[0].over_time, SX_REDUCE_MEAN);
	assert_int_equal(m[0].type, SX_U64);
	assert_int_equal(m[0].line, 51);
	assert_int_equal(m[0].section_count, 1);
	assert_int_equal(m[0].sections[0], 1);
	assert_int_equal(m[0].group, SX_NONE);
	assert_string_equal(m[0].qualified, "core_busy");
	/* One entry for each group, in the order in which the metric lists them. */
	assert_string_equal(m[1].qualified, "Beta.access_rate");
	assert_string_equal(m[2].qualified, "Alpha.access_rate");
	assert_string_equal(m[2].name, "access_rate");
	assert_int_equal(m[2].sections[0], 3);
	assert_int_equal(m[2].sections[1], 2);
	assert_int_equal(m[2].over_time, SX_REDUCE_RATIO);
	assert_null(m[3].exprs[0]);
	assert_non_null(m[3].exprs[1]);
	assert_string_equal(m[4].unavailable, "the vendor does not say");
	assert_null(m[4].exprs[0]);
}

static void test_advice(void **state)
{
	uint32_t count;
	const struct sx_advice_info *a = sx_catalog_advice(*state, &count);
	assert_int_equal(count, 2);
	assert_int_equal(a[0].severity, SX_SEVERITY_HIGH);
	assert_true(a[0].limit == 50.0 && a[0].min_share == 0.25);
	assert_true(a[0].threshold_from_guide && !a[1].threshold_from_guide);
	assert_string_equal(a[0].sections.items[0], "3.1");
	assert_null(a[0].needs);
	assert_null(a[1].when);
	assert_true(isnan(a[1].limit) && a[1].min_share == 0.05);
}

static void test_finding(void **state)
{
	struct sx_catalog *c = *state;
	uint32_t matches;
	assert_int_equal(sx_catalog_find_counter(c, "Clocks", SX_NONE, &matches), 0);
	assert_int_equal(matches, 1);
	assert_int_equal(sx_catalog_find_counter(c, "$ClocksOld", SX_NONE, NULL), 0);
	assert_int_equal(sx_catalog_find_counter(c, "Clocks[0..N]", SX_NONE, NULL), 0);
	assert_int_equal(sx_catalog_find_counter(c, "clocks", SX_NONE, &matches), SX_NONE);
	assert_int_equal(matches, 0);
	assert_int_equal(sx_catalog_find_counter(c, "core_busy", SX_NONE, NULL), SX_NONE);
	assert_int_equal(sx_catalog_find_metric(c, "CoreBusy", SX_NONE, NULL), 0);
	assert_int_equal(sx_catalog_find_constant(c, "$BusWidth"), 1);
	assert_int_equal(sx_catalog_find_variant(c, "summed"), 1);
	assert_int_equal(sx_catalog_find_variant(c, ""), SX_NONE);
}

static void test_names_that_groups_share(void **state)
{
	struct sx_catalog *c = *state;
	uint32_t matches;
	assert_int_equal(sx_catalog_find_counter(c, "Reads", SX_NONE, &matches), 4);
	assert_int_equal(matches, 2);
	assert_int_equal(sx_catalog_find_counter(c, "Reads", 1, &matches), 5);
	assert_int_equal(matches, 1);
	assert_int_equal(sx_catalog_find_counter(c, "Beta.Reads", SX_NONE, &matches), 5);
	assert_int_equal(matches, 1);
	assert_int_equal(sx_catalog_find_counter(c, "Gamma.Reads", SX_NONE, &matches), SX_NONE);
	assert_int_equal(matches, 0);
	assert_int_equal(sx_catalog_find_metric(c, "access_rate", SX_NONE, &matches), 1);
	assert_int_equal(matches, 2);
	assert_int_equal(sx_catalog_find_metric(c, "Alpha.access_rate", SX_NONE, NULL), 2);
	assert_int_equal(sx_catalog_find_metric(c, "access_rate", 0, NULL), 2);
	assert_int_equal(sx_catalog_find_metric(c, "access_rate", 2, NULL), SX_NONE);
	/* A qualified name is found in its own group alone. */
	assert_int_equal(sx_catalog_find_metric(c, "Alpha.access_rate", 0, &matches), 2);
	assert_int_equal(matches, 1);
	assert_int_equal(sx_catalog_find_metric(c, "Alpha.access_rate", 1, &matches), SX_NONE);
	assert_int_equal(matches, 0);
	assert_int_equal(sx_catalog_find_counter(c, "Beta.Reads", 1, NULL), 5);
	assert_int_equal(sx_catalog_find_counter(c, "Beta.Reads", 0, NULL), SX_NONE);
	/* A name of no group is not found in one. */
	assert_int_equal(sx_catalog_find_counter(c, "Clocks", 0, NULL), SX_NONE);
}

static void test_suggestions(void **state)
{
	const char *near[3];
	assert_int_equal(sx_catalog_suggest(*state, "CoreCylces", near, 3), 1);
	assert_string_equal(near[0], "CoreCycles");
	assert_true(sx_catalog_suggest(*state, "$clocks", near, 3) >= 1);
	assert_string_equal(near[0], "Clocks");
	assert_int_equal(sx_catalog_suggest(*state, "Alpha.access_rat", near, 1), 1);
	assert_string_equal(near[0], "Alpha.access_rate");
	assert_int_equal(sx_catalog_suggest(*state, "zzzzzzzz", near, 3), 0);
	assert_int_equal(sx_catalog_suggest(*state, "Clocks", near, 0), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_head),
	    cmocka_unit_test(test_constants_and_blocks),
	    cmocka_unit_test(test_sections_have_parents),
	    cmocka_unit_test(test_groups),
	    cmocka_unit_test(test_counters),
	    cmocka_unit_test(test_metrics),
	    cmocka_unit_test(test_advice),
	    cmocka_unit_test(test_finding),
	    cmocka_unit_test(test_names_that_groups_share),
	    cmocka_unit_test(test_suggestions),
	};
	return cmocka_run_group_tests(tests, open_example, close_example);
}
