/* Stated errors of totals against many runs with known totals, sampled as guest/pace.c does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>

#include "analysis/spread.h"
#include "guest/pace.h"

#define FRAMES 2000
#define TRIALS 400

struct crowd {
	uint64_t random;
	double value[FRAMES], size[FRAMES];
};

static double roll(struct crowd *crowd)
{
	crowd->random = crowd->random * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (double)(crowd->random >> 11) * 0x1p-53;
}

static double normal(struct crowd *crowd)
{
	double sum = -6;
	for (int i = 0; i < 12; i++)
		sum += roll(crowd);
	return sum;
}

static void fill_even(struct crowd *crowd)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		crowd->size[i] = 1;
		crowd->value[i] = -100 * log(1 - roll(crowd));
	}
}

static void fill_by_calls(struct crowd *crowd)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		crowd->size[i] = 1 + floor(200 * roll(crowd));
		crowd->value[i] = crowd->size[i] * (2 + 2 * roll(crowd));
	}
}

/* One in twelve is fifteen times as much. */
static void fill_uneven(struct crowd *crowd)
{
	for (unsigned i = 0; i < FRAMES; i++) {
		crowd->size[i] = 1;
		crowd->value[i] = roll(crowd) < 1 / 12.0 ? 900 : 60;
	}
}

/* Each resembles the one before it. */
static void fill_alike(struct crowd *crowd)
{
	double level = 0;
	for (unsigned i = 0; i < FRAMES; i++) {
		level = 0.8 * level + 0.6 * normal(crowd);
		crowd->size[i] = 1;
		crowd->value[i] = 1000 + 100 * level;
	}
}

struct outcome {
	double total, error, truth;
};

/* Measuring costs a fifth of a frame, of which 5 % may be spent. */
static struct outcome measure(struct crowd *crowd)
{
	struct pace pace;
	struct spread spread = {.runs_on = false};
	struct spread_sum sum = {0};
	double value = 0, size = 0, all = 0, truth = 0, freedom;
	pace_start(&pace, 50000, 0);
	for (unsigned i = 0; i < FRAMES; i++) {
		bool measured = pace_measures(&pace);
		double cost = 1e6 * (1 + 0.05 * roll(crowd));
		if (measured) {
			spread_add(&spread,
				   &(struct spread_run){crowd->value[i], {crowd->size[i], 1}});
			value += crowd->value[i];
			size += crowd->size[i];
			cost *= 1.2;
		} else {
			spread_skip(&spread);
		}
		all += crowd->size[i];
		truth += crowd->value[i];
		pace_sample(&pace, (uint64_t)cost);
	}
	double variance = spread_variance(&spread, SPREAD_WORK, &freedom);
	spread_extrapolate(&sum, variance * size, freedom, all / size - 1);
	return (struct outcome){value * all / size, spread_error(&sum), truth};
}

static void covers(void (*fill)(struct crowd *crowd), double least, double most)
{
	static struct crowd crowd;
	unsigned within = 0;
	crowd.random = 1;
	for (unsigned i = 0; i < TRIALS; i++) {
		fill(&crowd);
		struct outcome outcome = measure(&crowd);
		assert_true(outcome.error > 0);
		within += fabs(outcome.total - outcome.truth) <= outcome.error;
	}
	if (within < least * TRIALS || within > most * TRIALS)
		fail_msg("%u of %u within the error that is told", within, TRIALS);
}

static void test_covers(void **state)
{
	(void)state;
	covers(fill_even, 0.92, 0.98);
	covers(fill_by_calls, 0.92, 0.98);
	covers(fill_uneven, 0.92, 0.98);
	covers(fill_alike, 0.90, 0.98);
}

static void add_run(struct spread *spread, double value, double size)
{
	spread_add(spread, &(struct spread_run){value, {size, 1}});
	spread_skip(spread);
}

/* By hand: runs of 10, 20 and 60 over sizes 1, 2 and 3 are 15 for each; off by -5, -10 and 15. */
static void test_by_hand(void **state)
{
	(void)state;
	struct spread spread = {.runs_on = false};
	double freedom;
	add_run(&spread, 10, 1);
	assert_true(isnan(spread_variance(&spread, SPREAD_WORK, &freedom)));
	add_run(&spread, 20, 2);
	spread_add(&spread, &(struct spread_run){60, {3, 1}}); /* goes on */
	double variance = spread_variance(&spread, SPREAD_WORK, &freedom);
	assert_float_equal(variance, 350 * 3 / 2.0 / 6, 1e-9);
	assert_float_equal(freedom, 2, 0);
	struct spread_sum sum = {0};
	spread_extrapolate(&sum, variance * 6, freedom, 0); /* for nothing */
	assert_float_equal(sum.variance, 0, 0);
	spread_extrapolate(&sum, variance * 6, freedom, 2);
	assert_true(fabs(spread_error(&sum) - 4.302652730 * sqrt(525.0 * 6)) < 1e-6);
}

/* Two that are alike say nothing of others; a dozen do. */
static void test_all_alike(void **state)
{
	(void)state;
	struct spread spread = {.runs_on = false};
	double freedom;
	for (unsigned i = 1; i <= 12; i++) {
		struct spread_sum sum = {0};
		add_run(&spread, 3.3 * i, i);
		double variance = spread_variance(&spread, SPREAD_WORK, &freedom);
		spread_extrapolate(&sum, variance, freedom, 5);
		double error = spread_error(&sum);
		assert_true(i < 10 ? isnan(error) : error == 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_covers),
	    cmocka_unit_test(test_by_hand),
	    cmocka_unit_test(test_all_alike),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
