/* Counters in passes over frames: the packing and the order of passes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "guest/passes.h"

#define COUNTERS 24

/* A driver with blocks that have so many registers each; counter c is of block c % 3. */
struct driver {
	uint32_t registers[3];
	uint32_t asked;
};

static bool has_registers(void *user, const uint32_t *counters, uint32_t count)
{
	struct driver *driver = user;
	uint32_t used[3] = {0};
	driver->asked++;
	for (uint32_t i = 0; i < count; i++)
		if (++used[counters[i] % 3] > driver->registers[counters[i] % 3])
			return false;
	return true;
}

static void each_alone(uint32_t *items)
{
	for (uint32_t i = 0; i < COUNTERS; i++)
		items[i] = i;
}

/* Every counter has a pass, every pass fits, and a block's registers decide how many there are. */
static void test_packs(void **state)
{
	struct driver driver = {.registers = {4, 2, 8}};
	uint32_t items[COUNTERS], pass_of[COUNTERS], room[COUNTERS], list[COUNTERS];
	struct passes_rules rules = {items, has_registers, &driver};
	(void)state;
	each_alone(items);
	uint32_t count = passes_pack(&rules, COUNTERS, pass_of, room);
	assert_int_equal(count, 4); /* 8 counters of a block that has 2 */
	for (uint32_t pass = 0; pass < count; pass++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < COUNTERS; i++)
			if (pass_of[i] == pass)
				list[n++] = i;
		assert_true(n > 0);
		assert_true(has_registers(&driver, list, n));
	}
	for (uint32_t i = 0; i < COUNTERS; i++)
		assert_true(pass_of[i] < count);
}

/* Inputs of one metric are never apart; what fits no pass is left out alone. */
static void test_items(void **state)
{
	struct driver driver = {.registers = {2, 2, 0}};
	uint32_t items[COUNTERS], pass_of[COUNTERS], room[COUNTERS];
	struct passes_rules rules = {items, has_registers, &driver};
	(void)state;
	each_alone(items);
	items[9] = items[0];
	items[10] = items[0];
	items[6] = items[3] = items[12] = items[21]; /* four of a block that has two registers */
	passes_pack(&rules, COUNTERS, pass_of, room);
	assert_true(pass_of[0] != PASSES_NONE);
	assert_int_equal(pass_of[9], pass_of[0]);
	assert_int_equal(pass_of[10], pass_of[0]);
	for (uint32_t i = 0; i < COUNTERS; i++) {
		bool too_many = i == 3 || i == 6 || i == 12 || i == 21;
		assert_int_equal(pass_of[i] == PASSES_NONE, i % 3 == 2 || too_many);
	}
}

/* Each pass comes once a round, and meets every phase of a program's own rhythm. */
static void test_turns(void **state)
{
	(void)state;
	for (uint32_t passes = 1; passes <= 7; passes++) {
		struct passes_turn turn;
		uint32_t seen[7][4] = {{0}}, frames = 700 * passes;
		passes_start(&turn, passes);
		for (uint32_t round = 0; round < frames / passes; round++) {
			uint32_t once = 0;
			for (uint32_t k = 0; k < passes; k++) {
				uint32_t pass = passes_next(&turn);
				assert_true(pass < passes);
				once |= 1U << pass;
				seen[pass][(round * passes + k) % 4]++;
			}
			assert_int_equal(once, (1U << passes) - 1);
		}
		for (uint32_t pass = 0; pass < passes; pass++)
			for (uint32_t phase = 0; phase < 4; phase++)
				assert_true(seen[pass][phase] > 100);
	}
}

/* More passes than PASSES_MOST: the remaining counters are in no pass. */
static void test_too_many(void **state)
{
	static uint32_t items[300], pass_of[300], room[300];
	struct driver driver = {.registers = {1, 1, 1}};
	struct passes_rules rules = {items, has_registers, &driver};
	uint32_t left_out = 0;
	(void)state;
	for (uint32_t i = 0; i < 300; i++)
		items[i] = i;
	assert_int_equal(passes_pack(&rules, 300, pass_of, room), PASSES_MOST);
	for (uint32_t i = 0; i < 300; i++)
		left_out += pass_of[i] == PASSES_NONE;
	assert_int_equal(left_out, 300 - 3 * PASSES_MOST);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_packs),
	    cmocka_unit_test(test_items),
	    cmocka_unit_test(test_turns),
	    cmocka_unit_test(test_too_many),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
