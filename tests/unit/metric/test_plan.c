/* Plans: every rule of a pass, on a small made-up device; and that an item stays together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/plan.h>

#include "metric/metrics.h"

#define COUNT(a) ((uint32_t)(sizeof(a) / sizeof((a)[0])))

/* Counters by index: T time; A0-A3 of a block with room for 2; V0 V1 and P0 P1 of two stages. */
enum { T0, T1, A0, A1, A2, A3, V0, V1, V2, P0, P1, G0, G1, FREE, COUNTERS };

static const char device[] =
    "sextant-catalog: 1\nname: made-up\ntitle: Made up\nvendor: None\nkind: gpu\n"
    "dialect: amd\nnotation: infix\n"
    "pass-limits: {sq_events: 2}\n"
    "blocks:\n"
    "  - {name: T, title: T, alone: true}\n"
    "  - {name: A, title: A, limit: 2}\n"
    "  - {name: SQ_V, title: V, limit: 16, family: sq, stage: v}\n"
    "  - {name: SQ_P, title: P, limit: 16, family: sq, stage: p}\n"
    "  - {name: FREE, title: Free}\n"
    "groups:\n"
    "  - {name: S0, title: S0, kind: set}\n"
    "  - {name: S1, title: S1, kind: set}\n"
    "counters:\n"
    "  - {name: T.T0, block: T, slot: 0, unit: cycles}\n"
    "  - {name: T.T1, block: T, slot: 1, unit: cycles}\n"
    "  - {name: A.A0, block: A, slot: 0, unit: cycles}\n"
    "  - {name: A.A1, block: A, slot: 1, unit: cycles}\n"
    "  - {name: A.A2, block: A, slot: 2, unit: cycles}\n"
    "  - {name: A.A3, block: A, slot: 3, unit: cycles}\n"
    "  - {name: SQ_V.V0, block: SQ_V, slot: 0, unit: cycles}\n"
    "  - {name: SQ_V.V1, block: SQ_V, slot: 1, unit: cycles}\n"
    "  - {name: SQ_V.V2, block: SQ_V, slot: 2, unit: cycles}\n"
    "  - {name: SQ_P.P0, block: SQ_P, slot: 0, unit: cycles}\n"
    "  - {name: SQ_P.P1, block: SQ_P, slot: 1, unit: cycles}\n"
    "  - {name: G0, group: S0, slot: 0, unit: cycles}\n"
    "  - {name: G1, group: S1, slot: 0, unit: cycles}\n"
    "  - {name: FREE.F, block: FREE, slot: 0, unit: cycles}\n";

static int load(void **state)
{
	struct sx_catalog *catalog = NULL;
	struct sx_error err = {0};
	if (sx_catalog_parse(device, sizeof(device) - 1, "made-up", &catalog, &err))
		print_error("%s: %s\n", err.message, err.because);
	*state = catalog;
	return catalog ? 0 : -1;
}

static int unload(void **state)
{
	sx_catalog_unref(*state);
	return 0;
}

static struct sx_plan *plan(void **state, const struct sx_plan_item *items, uint32_t count,
			    const struct sx_plan_options *options)
{
	struct sx_plan *out = NULL;
	struct sx_error err = {0};
	const struct sx_plan_request request = {items, count, options};
	assert_int_equal(sx_plan_create(*state, &request, &out, &err), SX_OK);
	return out;
}

static uint32_t pass_count(const struct sx_plan *p)
{
	uint32_t count;
	sx_plan_passes(p, &count);
	return count;
}

/* Passes that one item of these counters needs. */
static uint32_t alone(void **state, const uint32_t *counters, uint32_t count,
		      const struct sx_plan_options *options)
{
	struct sx_plan_item item = {.counters = counters, .count = count};
	struct sx_plan *p = plan(state, &item, 1, options);
	uint32_t passes = pass_count(p), used;
	sx_plan_item_passes(p, 0, &used);
	assert_int_equal(used, passes);
	for (uint32_t i = 0; i < count; i++)
		assert_true(sx_plan_source(p, 0, counters[i]) < passes);
	sx_plan_destroy(p);
	return passes;
}

static void test_rules(void **state)
{
	const struct {
		uint32_t counters[4], count, passes;
	} cases[] = {
	    {{0}, 0, 0},
	    {{A0, A1}, 2, 1},
	    {{A0, A1, A2}, 3, 2},
	    {{A0, A1, A2, A3}, 4, 2},
	    {{T0, T1}, 2, 1},
	    {{T0, FREE}, 2, 2},
	    {{V0, V1}, 2, 1},
	    {{V0, P0}, 2, 2},
	    {{V0, V1, V2}, 3, 2},
	    {{G0, G1}, 2, 2},
	    {{G0, A0}, 2, 1},
	    {{V0, P0, A0, A1}, 4, 2},
	    {{T0, V0, P0, FREE}, 4, 3},
	    {{V0, A0, FREE, G0}, 4, 1},
	    {{A0, A0, A0, A1}, 4, 1},
	};
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(alone(state, cases[i].counters, cases[i].count, NULL),
				 cases[i].passes);
}

static void test_options(void **state)
{
	const uint32_t two[] = {A0, FREE}, three[] = {A0, A1, FREE};
	const uint32_t limits[] = {0, 1, 0, 0, 0};
	const struct sx_plan_exclusion apart[] = {{FREE, A0}};
	assert_int_equal(alone(state, three, 3, &(struct sx_plan_options){.block_limits = limits}),
			 2);
	assert_int_equal(alone(state, three, 3, &(struct sx_plan_options){.pass_size = 1}), 3);
	assert_int_equal(
	    alone(state, two, 2,
		  &(struct sx_plan_options){.exclusions = apart, .exclusion_count = 1}),
	    2);
}

/* Three items of which each fits one pass: two passes suffice when the right ones are together. */
static void test_sharing(void **state)
{
	const uint32_t a[] = {A0, A1}, b[] = {A2, A3}, c[] = {A1, A0, FREE};
	const struct sx_plan_item items[] = {
	    {.counters = a, .count = 2}, {.counters = b, .count = 2}, {.counters = c, .count = 3}};
	struct sx_plan *p = plan(state, items, 3, NULL);
	assert_int_equal(pass_count(p), 2);
	assert_int_equal(sx_plan_source(p, 0, A0), sx_plan_source(p, 2, A0));
	assert_int_equal(sx_plan_source(p, 2, A0), sx_plan_source(p, 2, FREE));
	assert_int_equal(sx_plan_source(p, 0, FREE), SX_NONE);
	sx_plan_destroy(p);
}

/* What could be pieced together from passes of others is not: an item of one pass stays in one. */
static void test_no_mixing(void **state)
{
	const uint32_t a[] = {A0, A1}, b[] = {A2, A3}, c[] = {A0, A2};
	const struct sx_plan_item items[] = {
	    {.counters = a, .count = 2}, {.counters = b, .count = 2}, {.counters = c, .count = 2}};
	struct sx_plan *p = plan(state, items, 3, NULL);
	uint32_t count;
	sx_plan_item_passes(p, 2, &count);
	assert_int_equal(count, 1);
	assert_int_equal(sx_plan_source(p, 2, A0), sx_plan_source(p, 2, A2));
	assert_int_equal(pass_count(p), 3);
	sx_plan_destroy(p);
}

/* Metrics of two sets never share a pass, although they read the same counter; others join any. */
static void test_groups_of_items(void **state)
{
	const uint32_t a[] = {FREE}, b[] = {FREE, A0};
	const struct sx_plan_item items[] = {{.counters = a, .count = 1, .group = 1},
					     {.counters = a, .count = 1, .group = 2},
					     {.counters = b, .count = 2, .group = 1},
					     {.counters = b, .count = 2}};
	struct sx_plan *p = plan(state, items, 4, NULL);
	assert_int_equal(pass_count(p), 2);
	assert_int_equal(sx_plan_source(p, 0, FREE), sx_plan_source(p, 2, FREE));
	assert_int_not_equal(sx_plan_source(p, 0, FREE), sx_plan_source(p, 1, FREE));
	sx_plan_destroy(p);
}

static void expect_chosen(const struct sx_plan *p, uint32_t count, const char *expected)
{
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(plan_is_chosen(p, i), expected[i] == 'x');
}

/* Of ways to the same thing one is planned: in few groups, and in those that are needed anyway. */
static void test_either(void **state)
{
	const uint32_t a[] = {FREE}, b[] = {A0};
	/* Item 1 needs group 2, which serves the first as well. */
	const struct sx_plan_item forced[] = {
	    {a, 1, NULL, 0, 1, 1}, {b, 1, NULL, 0, 2, 0}, {a, 1, NULL, 0, 2, 1}};
	/* Group 1 comes first, but group 2 serves both. */
	const struct sx_plan_item few[] = {
	    {a, 1, NULL, 0, 1, 1}, {a, 1, NULL, 0, 2, 1}, {b, 1, NULL, 0, 2, 2}};
	/* Where all serve alike, the first way; and what needs no group costs nothing. */
	const struct sx_plan_item first[] = {{a, 1, NULL, 0, 2, 1},
					     {a, 1, NULL, 0, 1, 1},
					     {b, 1, NULL, 0, 1, 2},
					     {b, 1, NULL, 0, 0, 2}};
	/* No group has both. */
	const struct sx_plan_item apart[] = {{a, 1, NULL, 0, 2, 1}, {b, 1, NULL, 0, 1, 2}};
	const struct {
		const struct sx_plan_item *items;
		uint32_t count, passes, group;
		const char *chosen;
	} cases[] = {{forced, 3, 1, 2, ".xx"},
		     {few, 3, 1, 2, ".xx"},
		     {first, 4, 1, 2, "x..x"},
		     {apart, 2, 2, 2, "xx"}};
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint32_t count;
		struct sx_plan *p = plan(state, cases[i].items, cases[i].count, NULL);
		const struct sx_plan_pass *passes = sx_plan_passes(p, &count);
		assert_int_equal(count, cases[i].passes);
		assert_int_equal(passes[0].group, cases[i].group);
		expect_chosen(p, cases[i].count, cases[i].chosen);
		for (uint32_t k = 0; k < cases[i].count; k++) {
			sx_plan_item_passes(p, k, &count);
			assert_int_equal(count, plan_is_chosen(p, k));
		}
		sx_plan_destroy(p);
	}
}

static void test_keep_is_free(void **state)
{
	const uint32_t need[] = {A0}, keep[] = {A1, A2, FREE};
	const struct sx_plan_item item = {
	    .counters = need, .count = 1, .keep = keep, .keep_count = 3};
	struct sx_plan *p = plan(state, &item, 1, NULL);
	uint32_t count;
	const struct sx_plan_pass *passes = sx_plan_passes(p, &count);
	assert_int_equal(count, 1);
	assert_int_equal(passes[0].count, 3); /* A0, A1 and FREE; A2 would cost a pass */
	assert_int_equal(passes[0].counters[2], FREE);
	sx_plan_destroy(p);
}

static void test_bad_index(void **state)
{
	const uint32_t bad[] = {COUNTERS};
	const struct sx_plan_item item = {.counters = bad, .count = 1};
	struct sx_plan *p = NULL;
	struct sx_error err = {0};
	const struct sx_plan_request request = {.items = &item, .count = 1};
	assert_int_equal(sx_plan_create(*state, &request, &p, &err), SX_ERR_USAGE);
	assert_null(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_either),	 cmocka_unit_test(test_rules),
	    cmocka_unit_test(test_options),	 cmocka_unit_test(test_sharing),
	    cmocka_unit_test(test_no_mixing),	 cmocka_unit_test(test_groups_of_items),
	    cmocka_unit_test(test_keep_is_free), cmocka_unit_test(test_bad_index),
	};
	return cmocka_run_group_tests(tests, load, unload);
}
