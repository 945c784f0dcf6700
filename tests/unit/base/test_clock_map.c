/* Lines between pairs: drift, a suspend, a clock that was set back, and more pairs than are kept.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <math.h>
#include "base/clock_fit.h"

#define S UINT64_C(1000000000)

static void add(struct clock_map *map, uint64_t from_ns, uint64_t to_ns)
{
	assert_true(clock_map_add(map, &(struct clock_pair){from_ns, to_ns, 100}));
}

static void expect_near(uint64_t have, uint64_t due, uint64_t within)
{
	if ((have > due ? have - due : due - have) > within)
		fail_msg("%llu is not %llu", (unsigned long long)have, (unsigned long long)due);
}

static void test_without_pairs(void **state)
{
	struct clock_map map = {.count = 0};
	assert_int_equal(clock_map_to(&map, 77), 77);
	assert_int_equal(clock_map_from(&map, 77), 77);
	assert_true(isnan(clock_map_match(&map).drift));
	add(&map, 10 * S, 50 * S);
	assert_int_equal(clock_map_to(&map, 11 * S), 51 * S);
	assert_int_equal(clock_map_from(&map, 49 * S), 9 * S);
	clock_map_finish(&map);
}

static void test_drift(void **state)
{
	struct clock_map map = {.count = 0};
	for (uint64_t i = 0; i < 100; i++)
		add(&map, (10 + i) * S, 500 * S + (uint64_t)((double)(i * S) * (1 + 200e-6)));
	for (uint64_t t = 0; t < 200 * S; t += S / 7) { /* also before and behind all pairs */
		uint64_t due = 500 * S - 10 * S + t + (uint64_t)((double)t * 200e-6) - 2000000;
		expect_near(clock_map_to(&map, t), due, 20);
		expect_near(clock_map_from(&map, clock_map_to(&map, t)), t, 2);
	}
	struct clock_match match = clock_map_match(&map);
	assert_true(fabs(match.drift - 200e-6) < 1e-9);
	assert_int_equal(match.jumps, 0);
	assert_int_equal(match.error_ns, 100);
	clock_map_finish(&map);
}

/* The second clock advances by 5 s while the first is stopped. */
static void test_suspend(void **state)
{
	struct clock_map map = {.count = 0};
	for (uint64_t i = 0; i < 10; i++)
		add(&map, i * S, 100 * S + i * S + (i >= 5 ? 5 * S : 0));
	expect_near(clock_map_to(&map, 3 * S + S / 2), 103 * S + S / 2, 0);
	expect_near(clock_map_to(&map, 7 * S + S / 2), 112 * S + S / 2, 0);
	expect_near(clock_map_from(&map, 112 * S), 7 * S, 0);
	/* What happened meanwhile lies at its end. */
	expect_near(clock_map_from(&map, 108 * S), 5 * S, 0);
	expect_near(clock_map_from(&map, 104 * S + S / 2), 4 * S + S / 2, 0);
	struct clock_match match = clock_map_match(&map);
	assert_int_equal(match.jumps, 1);
	assert_int_equal(match.jump_ns, 5 * S);
	assert_true(fabs(match.drift) < 1e-12);
	clock_map_finish(&map);
}

static void test_set_back(void **state)
{
	struct clock_map map = {.count = 0};
	for (uint64_t i = 0; i < 10; i++)
		add(&map, i * S, 100 * S + i * S - (i >= 5 ? 2 * S : 0));
	assert_int_equal(clock_map_match(&map).jump_ns, -2 * (int64_t)S);
	expect_near(clock_map_to(&map, 8 * S), 106 * S, 0);
	uint64_t any = clock_map_from(&map, 103 * S); /* showed twice: one of both */
	assert_true(any == 3 * S || any == 5 * S);
	clock_map_finish(&map);
}

static void test_bounds(void **state)
{
	struct clock_map map = {.count = 0};
	for (uint64_t i = 0; i < 3 * CLOCK_MAP_PAIRS; i++)
		add(&map, i * S, 7 * S + i * S);
	assert_true(map.count <= CLOCK_MAP_PAIRS);
	expect_near(clock_map_to(&map, 200000 * S + 5), 200007 * S + 5, 0);
	add(&map, 5 * S, 900 * S); /* not behind the newest */
	expect_near(clock_map_to(&map, 5 * S), 12 * S, 0);
	clock_map_finish(&map);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_without_pairs), cmocka_unit_test(test_drift),
	    cmocka_unit_test(test_suspend),	  cmocka_unit_test(test_set_back),
	    cmocka_unit_test(test_bounds),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
