/* Which of many short samples are measured: programs of known cost, and what they come to. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "guest/budget.h"

struct outcome {
	uint32_t measured, odd; /* odd: of odd number */
	uint64_t plain_ns, own_ns;
	uint32_t last; /* the last measured one */
};

/* Samples of `sample_ns`; measuring one takes own_ns of our code, and as much again beside it. */
static struct outcome play(uint64_t sample_ns, uint64_t own_ns, uint32_t samples, uint32_t ppm)
{
	struct outcome out = {0};
	struct budget budget;
	uint64_t now_ns = 1000;
	uint32_t left = 0;
	budget_start(&budget, ppm, now_ns);
	for (uint32_t i = 0; i < samples; i++) {
		if (!left)
			left = budget_ask(&budget, now_ns);
		if (left) {
			left--;
		} else {
			out.measured++;
			out.odd += i & 1;
			out.own_ns += own_ns + own_ns / 2;
			out.last = i;
			now_ns += own_ns + own_ns / 2;
			budget_spend(&budget, own_ns, 1);
		}
		now_ns += sample_ns;
		out.plain_ns += sample_ns;
	}
	return out;
}

static void test_long_samples_are_all_measured(void **state)
{
	struct outcome out = play(100000, 1000, 50000, 20000);
	assert_int_equal(out.measured, 50000);
	(void)state;
}

static void test_short_samples_keep_the_limit(void **state)
{
	for (uint64_t own_ns = 200; own_ns <= 20000; own_ns *= 10) {
		struct outcome out = play(4000, own_ns, 1000000, 20000);
		/* What was saved up at the start comes on top, once. */
		assert_true(out.own_ns <=
			    out.plain_ns / 50 + out.own_ns / 50 + BUDGET_SAVED_NS + 2 * own_ns);
		assert_true(out.own_ns >= out.plain_ns / 50 / 2);
		assert_true(out.last > 990000);					  /* to the end, */
		assert_in_range(out.odd, out.measured / 3, out.measured * 2 / 3); /* in no step */
	}
	(void)state;
}

static void test_a_higher_limit_measures_more(void **state)
{
	uint32_t least = play(4000, 1000, 200000, 5000).measured;
	assert_true(play(4000, 1000, 200000, 20000).measured > 2 * least);
	assert_int_equal(play(4000, 1000, 200000, 0).measured, 200000);
	(void)state;
}

static void test_little_is_saved_up(void **state)
{
	struct budget budget;
	uint32_t measured = 0;
	budget_start(&budget, 20000, 0);
	/* An hour later a burst comes: it pays for itself, but for what was saved. */
	uint64_t now_ns = UINT64_C(3600000000000);
	while (budget_ask(&budget, now_ns) == 0)
		measured++;
	assert_int_equal(measured, BUDGET_SAVED_NS / BUDGET_FIRST_NS);
	(void)state;
}

/* A clock that goes back earns nothing. */
static void test_time_that_goes_back(void **state)
{
	struct budget budget;
	budget_start(&budget, 20000, 1000000);
	while (budget_ask(&budget, 1000000) == 0)
		;
	assert_true(budget_ask(&budget, 500000) >= BUDGET_REST);
	assert_true(budget_ask(&budget, 1000000) < 2 * BUDGET_REST);
	assert_true(budget_ask(&budget, 1000000) >= BUDGET_REST);
	(void)state;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_long_samples_are_all_measured),
	    cmocka_unit_test(test_short_samples_keep_the_limit),
	    cmocka_unit_test(test_a_higher_limit_measures_more),
	    cmocka_unit_test(test_little_is_saved_up),
	    cmocka_unit_test(test_time_that_goes_back),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
