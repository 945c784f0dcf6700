/* The union of threads' times on CPUs, against a count of every nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "source/guest/raster/watch.h"

#define TIMES	20000u
#define THREADS 5u

static uint32_t roll(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

/* Random switches: on[t][k] is whether thread t is on a CPU in nanosecond k. */
static void fill(uint8_t on[THREADS][TIMES], uint32_t *random)
{
	for (uint32_t t = 0; t < THREADS; t++) {
		uint8_t now = 0;
		for (uint32_t k = 0, left = 0; k < TIMES; k++, left--) {
			if (left == 0) {
				now = !now;
				left = 1 + roll(random) % (now ? 30 : 200);
			}
			on[t][k] = now;
		}
	}
}

static uint64_t count(uint8_t on[THREADS][TIMES], uint64_t from, uint64_t to, uint64_t *all)
{
	uint64_t sum = 0;
	*all = 0;
	for (uint64_t k = from; k < to; k++) {
		bool any = false;
		for (uint32_t t = 0; t < THREADS; t++) {
			any |= on[t][k];
			*all += on[t][k];
		}
		sum += any;
	}
	return sum;
}

/* Threads hand over their switches in pieces, as rings are read one after another. */
static void feed(struct busy *busy, uint8_t on[THREADS][TIMES], uint32_t *random)
{
	for (uint32_t k = 0; k < TIMES;) {
		uint32_t until = k + 1 + roll(random) % 700;
		until = until > TIMES ? TIMES : until;
		for (uint32_t t = 0; t < THREADS; t++)
			for (uint32_t i = k; i < until; i++) {
				struct busy_switch item = {i, t, on[t][i]};
				if ((i == 0 && on[t][0]) || (i > 0 && on[t][i] != on[t][i - 1]))
					assert_true(busy_note(busy, &item));
			}
		assert_true(busy_resolve(busy, until));
		k = until;
	}
}

static void test_union_of_random_times(void **state)
{
	uint8_t(*on)[TIMES] = malloc(THREADS * sizeof(*on));
	uint32_t random = 7;
	uint64_t all;
	for (int round = 0; round < 5; round++) {
		struct busy busy = {0};
		fill(on, &random);
		feed(&busy, on, &random);
		for (int i = 0; i < 500; i++) {
			uint64_t from = roll(&random) % TIMES, to = roll(&random) % TIMES;
			if (from < to)
				assert_int_equal(busy_between(&busy, from, to).any_ns,
						 count(on, from, to, &all));
		}
		assert_int_equal(busy_between(&busy, 0, TIMES).any_ns, count(on, 0, TIMES, &all));
		assert_int_equal(busy_between(&busy, 0, TIMES).sum_ns, all);
		busy_finish(&busy);
	}
	free(on);
}

static void note(struct busy *busy, uint64_t time_ns, uint32_t thread, bool on)
{
	struct busy_switch item = {time_ns, thread, on};
	assert_true(busy_note(busy, &item));
}

static void test_who_still_runs_counts_up_to_now(void **state)
{
	struct busy busy = {0};
	note(&busy, 100, 3, true);
	assert_true(busy_resolve(&busy, 500));
	assert_int_equal(busy_between(&busy, 0, 400).any_ns, 300);
	note(&busy, 600, 3, false);
	assert_true(busy_resolve(&busy, 1000));
	assert_int_equal(busy_between(&busy, 0, 400).any_ns, 300);
	assert_int_equal(busy_between(&busy, 0, 1000).any_ns, 500);
	busy_finish(&busy);
}

static void test_switches_that_say_nothing_new(void **state)
{
	struct busy busy = {0};
	note(&busy, 10, 0, false); /* was off */
	note(&busy, 20, 0, true);
	note(&busy, 30, 0, true); /* was on */
	note(&busy, 40, 0, false);
	assert_true(busy_resolve(&busy, 100));
	assert_int_equal(busy_between(&busy, 0, 100).any_ns, 20);
	assert_int_equal(busy_between(&busy, 100, 0).any_ns, 0);
	busy_finish(&busy);
}

/* More than is kept: the newest stays, and how far back it reaches is known. */
static void test_old_times_are_forgotten(void **state)
{
	struct busy busy = {0};
	uint64_t last = 0;
	for (uint64_t i = 0; i < BUSY_SPANS_MAX + 10; i++) {
		note(&busy, 10 * i + 1, 0, true);
		note(&busy, 10 * i + 4, 0, false);
		last = 10 * i + 10;
		if (i % 1000 == 0)
			assert_true(busy_resolve(&busy, last));
	}
	assert_true(busy_resolve(&busy, last));
	assert_true(busy.span_count <= BUSY_SPANS_MAX);
	assert_true(busy.forgotten_ns > 0 && busy.forgotten_ns < last - 100000);
	assert_int_equal(busy_between(&busy, last - 100000, last).any_ns, 30000);
	busy_finish(&busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_union_of_random_times),
	    cmocka_unit_test(test_who_still_runs_counts_up_to_now),
	    cmocka_unit_test(test_switches_that_say_nothing_new),
	    cmocka_unit_test(test_old_times_are_forgotten),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
