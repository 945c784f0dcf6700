/* How fast records come: against streams of known rates. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "source/guest/guest.h"

#define MS UINT64_C(1000000)

/* Looks every 20 ms for so long, at so many records a second; the last answer. */
static uint64_t play(struct rate *rate, uint64_t *now_ns, uint64_t for_ms, uint64_t a_second)
{
	uint64_t peak = 0;
	for (uint64_t ms = 0; ms < for_ms; ms += 20) {
		*now_ns += 20 * MS;
		rate->records += a_second / 50;
		peak = rate_peak(rate, *now_ns);
	}
	return peak;
}

static void test_a_steady_rate_is_the_peak(void **state)
{
	struct rate rate = {0};
	uint64_t now_ns = 1000 * MS;
	rate_peak(&rate, now_ns);
	assert_int_equal(play(&rate, &now_ns, 1000, 4000), 4000);
	assert_int_equal(play(&rate, &now_ns, 20, 20000), 20000); /* at once */
}

static void test_a_burst_is_remembered_and_forgotten(void **state)
{
	struct rate rate = {0};
	uint64_t now_ns = 1000 * MS;
	rate_peak(&rate, now_ns);
	play(&rate, &now_ns, 200, 20000);
	uint64_t soon = play(&rate, &now_ns, 100, 100);
	assert_in_range(soon, 10000, 19999);
	assert_in_range(play(&rate, &now_ns, 2000, 100), 100, 200);
}

/* Two looks right after one another, as before and after a wait, say nothing of a rate. */
static void test_looks_too_close_are_one(void **state)
{
	struct rate rate = {0};
	uint64_t now_ns = 1000 * MS;
	rate_peak(&rate, now_ns);
	rate.records += 20;
	assert_int_equal(rate_peak(&rate, now_ns + 1), 0);
	assert_int_equal(rate_peak(&rate, now_ns), 0);
	assert_int_equal(rate_peak(&rate, now_ns + 10 * MS), 2000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_a_steady_rate_is_the_peak),
	    cmocka_unit_test(test_a_burst_is_remembered_and_forgotten),
	    cmocka_unit_test(test_looks_too_close_are_one),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
