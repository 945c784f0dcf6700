/* Time that ranges enclose together, against a count of every nanosecond. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/sample.h>

#include "table/cover.h"

#define TIMES 3000u

static uint32_t roll(uint32_t *state)
{
	*state = *state * 1664525u + 1013904223u;
	return *state >> 8;
}

static uint64_t count(const uint8_t covered[TIMES])
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < TIMES; i++)
		sum += covered[i];
	return sum;
}

/* So few ranges that none is finished: any order gives the same. */
static void any_order_gives_the_union(void **state)
{
	uint32_t random = 7;
	for (int turn = 0; turn < 300; turn++) {
		uint8_t covered[TIMES] = {0};
		struct cover cover = {.count = 0};
		for (uint32_t n = roll(&random) % COVER_RANGES; n; n--) {
			uint32_t begin = roll(&random) % (TIMES - 100);
			uint32_t size = roll(&random) % 100;
			memset(covered + begin, 1, size);
			cover_add(&cover, begin, begin + size);
			assert_int_equal(cover_ns(&cover), count(covered));
		}
	}
}

/* Frames of two contexts, in order of their ends, with pauses: thousands of ranges. */
static void samples_of_two_contexts(void **state)
{
	uint8_t covered[TIMES] = {0};
	struct cover cover = {.count = 0};
	uint32_t begin[2] = {0, 3}, size[2] = {2, 11}, pause[2] = {5, 2};
	for (;;) {
		int next = begin[0] + size[0] <= begin[1] + size[1] ? 0 : 1;
		uint32_t end = begin[next] + size[next];
		if (end > TIMES)
			break;
		memset(covered + begin[next], 1, size[next]);
		cover_add(&cover, begin[next], end);
		begin[next] = end + pause[next];
	}
	assert_int_equal(cover_ns(&cover), count(covered));
	assert_true(cover.resolved_ns > 0);
}

/* What comes much too late is not counted twice. */
static void late_ranges_add_nothing(void **state)
{
	struct cover cover = {.count = 0};
	for (uint64_t i = 0; i < 1000; i++)
		cover_add(&cover, i * 10, i * 10 + 4);
	uint64_t before = cover_ns(&cover);
	assert_int_equal(before, 4000);
	cover_add(&cover, 20, 24);
	assert_int_equal(cover_ns(&cover), before);
	cover_add(&cover, 20, 10);
	assert_int_equal(cover_ns(&cover), before);
}

/* Rows that follow each other, overlap, go back, are empty or of unknown time. */
static void rows_are_as_each_for_itself(void **state)
{
	uint32_t random = 11;
	for (int turn = 0; turn < 200; turn++) {
		uint64_t begin[500], end[500], at = 1000;
		struct cover each = {.count = 0}, rows = {.count = 0};
		for (int i = 0; i < 500; i++) {
			uint32_t what = roll(&random) % 16;
			at += what == 0 ? roll(&random) % 50 : 0;
			begin[i] = what == 1 ? at - roll(&random) % 500 : at;
			end[i] = begin[i] + (what == 2 ? 0 : roll(&random) % 40);
			at = end[i] > at ? end[i] : at;
			begin[i] = what == 3 ? SX_TIME_UNKNOWN : begin[i];
			end[i] = what == 4 ? SX_TIME_UNKNOWN : end[i];
			if (what != 3 && what != 4)
				cover_add(&each, begin[i], end[i]);
		}
		cover_add_rows(&rows, begin, end, 500);
		assert_int_equal(cover_ns(&rows), cover_ns(&each));
		assert_memory_equal(&rows, &each, sizeof(rows));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_order_gives_the_union),
	    cmocka_unit_test(samples_of_two_contexts),
	    cmocka_unit_test(late_ranges_add_nothing),
	    cmocka_unit_test(rows_are_as_each_for_itself),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
