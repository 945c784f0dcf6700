/* Arrays that leave memory: what they hold stays, wherever it lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <sys/resource.h>

#include "base/backing.h"

#define ROWS ((size_t)3 << 20)

/* Two arrays that grow by turns, as columns do; the second is written to again far behind. */
static void fill(struct backing *backing, uint64_t **first, uint8_t **second, size_t caps[2])
{
	for (size_t i = 0; i < ROWS; i++) {
		assert_true(backing_grow(backing, first, &caps[0], i + 1, sizeof(**first)));
		assert_true(backing_grow(backing, second, &caps[1], i + 1, 1));
		(*first)[i] = i * 0x9e3779b97f4a7c15u;
		(*second)[i] = (uint8_t)(i * 7);
		(*second)[i / 2] ^= 1;
		backing_row(backing, i, sizeof(**first) + 1);
	}
}

static void check(struct backing *backing, const uint64_t *first, const uint8_t *second)
{
	uint8_t *want = calloc(ROWS, 1);
	for (size_t i = 0; i < ROWS; i++) {
		want[i] = (uint8_t)(i * 7);
		want[i / 2] ^= 1;
	}
	for (size_t i = 0; i < ROWS; i++) {
		backing_row(backing, i, sizeof(*first) + 1);
		assert_int_equal(first[i], i * 0x9e3779b97f4a7c15u);
		assert_int_equal(second[i], want[i]);
	}
	free(want);
}

static void fill_and_check(struct backing *backing)
{
	uint64_t *first = NULL;
	uint8_t *second = NULL;
	size_t caps[2] = {0};
	fill(backing, &first, &second, caps);
	check(backing, first, second);
	backing_free(backing, first);
	first = NULL;
	caps[0] = 0;
	assert_true(backing_grow(backing, &first, &caps[0], ROWS, sizeof(*first)));
	backing_fill(backing, first, 0x5a, ROWS * sizeof(*first));
	for (size_t i = 0; i < ROWS; i++)
		assert_int_equal(first[i], 0x5a5a5a5a5a5a5a5au);
	backing_free(backing, first);
	backing_free(backing, second);
}

static void test_arrays_leave_memory(void **state)
{
	(void)state;
	struct backing backing = {0};
	fill_and_check(&backing);
	assert_int_equal(backing.opened, true);
	assert_int_equal(backing.refused, false);
	backing_finish(&backing);
}

static void test_without_a_spill(void **state)
{
	(void)state;
	fill_and_check(NULL);
}

/* No file may be as large: all stays in memory. */
static void test_no_room(void **state)
{
	(void)state;
	struct rlimit before;
	struct backing backing = {0};
	getrlimit(RLIMIT_FSIZE, &before);
	struct rlimit limit = before;
	limit.rlim_cur = 1 << 20;
	setrlimit(RLIMIT_FSIZE, &limit);
	fill_and_check(&backing);
	setrlimit(RLIMIT_FSIZE, &before);
	assert_int_equal(backing.refused, true);
	backing_finish(&backing);
}

static void test_few_need_no_file(void **state)
{
	(void)state;
	struct backing backing = {0};
	char *text = NULL;
	size_t cap = 0;
	assert_true(backing_grow(&backing, &text, &cap, 1000, 1));
	assert_int_equal(backing.opened, false);
	backing_free(&backing, text);
	backing_finish(&backing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_arrays_leave_memory),
	    cmocka_unit_test(test_without_a_spill),
	    cmocka_unit_test(test_no_room),
	    cmocka_unit_test(test_few_need_no_file),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
