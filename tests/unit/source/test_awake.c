/* When threads are watched: against a program that switches at a known rate. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/guest/raster/watch.h"

#define MS UINT64_C(1000000)
#define S  UINT64_C(1000000000)

/* Nanoseconds that threads were watched, and the watch's cost, of 60 s at one CPU. */
struct run {
	uint64_t watched_ns, cost_ns, first_ns, rest_ns; /* the longest rest */
};

static struct run play(uint32_t overhead_ppm, uint32_t switches_per_ms)
{
	struct awake awake = {.overhead_ppm = overhead_ppm};
	struct run run = {0};
	uint64_t closed = 0;
	for (uint64_t now = MS; now <= 60 * S; now += MS) {
		if (!awake.resting) {
			awake.switches += switches_per_ms;
			run.watched_ns += MS;
			run.cost_ns += switches_per_ms * AWAKE_SWITCH_NS;
		}
		switch (awake_decide(&awake, now, now)) {
		case AWAKE_CLOSE:
			awake_close(&awake, closed = now);
			if (!run.first_ns)
				run.first_ns = now;
			break;
		case AWAKE_OPEN:
			awake_open(&awake, now);
			if (now - closed > run.rest_ns)
				run.rest_ns = now - closed;
			break;
		case AWAKE_GO_ON:
			break;
		}
	}
	return run;
}

static void without_a_limit_it_never_rests(void **state)
{
	assert_int_equal(play(0, 1000).watched_ns, 60 * S);
}

static void before_anything_is_known_it_does_not_rest(void **state)
{
	struct awake awake = {.overhead_ppm = 12500, .switches = 1000000};
	assert_int_equal(awake_decide(&awake, S, 0), AWAKE_GO_ON);
	assert_int_equal(awake_decide(&awake, S, S), AWAKE_CLOSE);
}

/* What a short program can cost at most is spent, so that all of it is known. */
static void a_short_program_is_watched_whole(void **state)
{
	struct awake awake = {.overhead_ppm = 12500, .switches = 2000};
	assert_int_equal(awake_decide(&awake, S, 1), AWAKE_GO_ON);
	awake.switches = 2001;
	assert_int_equal(awake_decide(&awake, S, 1), AWAKE_CLOSE);
}

static void what_costs_little_never_rests(void **state)
{
	assert_int_equal(play(12500, 12).watched_ns, 60 * S);
}

static void what_costs_much_keeps_to_the_limit(void **state)
{
	static const uint32_t rates[] = {14, 25, 100, 500, 1000};
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct run run = play(12500, rates[i]);
		uint64_t limit = 60 * S / 1000000 * 12500;
		assert_true(run.cost_ns <= limit + limit / 10 + AWAKE_START_NS);
		assert_true(run.cost_ns >= limit / 2); /* and uses what it may */
		assert_true(run.first_ns >= AWAKE_LEAST_NS);
		/* Not longer than it takes to earn the last least window and the next one. */
		uint64_t earned_ns = AWAKE_LEAST_NS * rates[i] / 12;
		assert_true(run.rest_ns <= 2 * earned_ns + 10 * MS);
	}
}

/* A range is known where one window holds all of it; the first one has no beginning. */
static void ranges(void **state)
{
	struct awake awake = {.overhead_ppm = 1};
	assert_true(awake_was(&awake, 0, 5 * S));
	awake_close(&awake, 100 * MS);
	assert_true(awake_was(&awake, 0, 100 * MS));
	assert_false(awake_was(&awake, 90 * MS, 110 * MS));
	assert_false(awake_was(&awake, 200 * MS, 210 * MS));
	awake_open(&awake, 300 * MS);
	assert_true(awake_was(&awake, 300 * MS, 400 * MS));
	assert_false(awake_was(&awake, 299 * MS, 400 * MS));
	assert_true(awake_was(&awake, 10 * MS, 20 * MS));
	awake_close(&awake, 350 * MS);
	assert_true(awake_was(&awake, 310 * MS, 350 * MS));
	assert_false(awake_was(&awake, 340 * MS, 360 * MS));
	assert_false(awake_was(&awake, 50 * MS, 310 * MS)); /* two windows are not one */
}

static void old_windows_are_forgotten(void **state)
{
	struct awake awake = {.overhead_ppm = 1};
	for (uint64_t i = 0; i <= AWAKE_REMEMBERED; i++) {
		awake_open(&awake, i * S);
		awake_close(&awake, i * S + 100 * MS);
	}
	assert_false(awake_was(&awake, 1 * MS, 2 * MS));
	assert_true(awake_was(&awake, S, S + MS));
	assert_true(awake_was(&awake, AWAKE_REMEMBERED * S, AWAKE_REMEMBERED * S + MS));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(without_a_limit_it_never_rests),
	    cmocka_unit_test(before_anything_is_known_it_does_not_rest),
	    cmocka_unit_test(a_short_program_is_watched_whole),
	    cmocka_unit_test(what_costs_little_never_rests),
	    cmocka_unit_test(what_costs_much_keeps_to_the_limit),
	    cmocka_unit_test(ranges),
	    cmocka_unit_test(old_windows_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
