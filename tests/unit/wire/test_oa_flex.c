/* Flexible EU events, user-defined counters, triggers and custom events. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/oa.h>

#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

/* The published sets' seven values of RenderBasic, and what each of the fourteen fields means. */
static void test_published(void **state)
{
	(void)state;
	const uint32_t values[7] = {0x00005004, 0x00010003, 0x00012011, 0x00015014,
				    0x00051050, 0x00053052, 0x00055054};
	const struct oa_flex want[14] = {{4, 0, 0}, {5, 0, 0}, {3, 0, 0}, {0, 1, 0}, {1, 1, 0},
					 {2, 1, 0}, {4, 1, 0}, {5, 1, 0}, {0, 5, 0}, {1, 5, 0},
					 {2, 5, 0}, {3, 5, 0}, {4, 5, 0}, {5, 5, 0}};
	for (uint32_t i = 0; i < 14; i++) {
		struct oa_flex got = oa_flex_decode(7 + i, values[i / 2]);
		assert_memory_equal(&got, &want[i], sizeof(got));
		struct oa_flex_place place;
		assert_true(oa_flex_place(7 + i, &place));
		uint32_t field = values[i / 2] >> place.shift & 0xfff;
		assert_int_equal(oa_flex_field(&got), field);
	}
}

static void test_places(void **state)
{
	(void)state;
	struct oa_flex_place p;
	assert_false(oa_flex_place(6, &p));
	assert_false(oa_flex_place(21, &p));
	assert_true(oa_flex_place(7, &p));
	assert_int_equal(p.address, 0xe458);
	assert_int_equal(p.shift, 0);
	assert_true(oa_flex_place(16, &p));
	assert_int_equal(p.address, 0xe45c);
	assert_string_equal(p.register_name, "EU_PERF_CNT_CTL4");
	assert_int_equal(p.shift, 12);
	assert_true(oa_flex_place(20, &p));
	assert_int_equal(p.address, 0xe65c);
	assert_int_equal(oa_flex_register("EU_PERF_CNT_CTL6"), 19);
	assert_int_equal(oa_flex_register("EU_PERF_CNTL0"), 7);
	assert_int_equal(oa_flex_register("0xe558"), 9);
	assert_int_equal(oa_flex_register("EU_PERF_CNT_CTL7"), 0);
}

/* The manual's sentences, spelled out once more: which filters an event supports. */
static bool allowed(unsigned e, unsigned c, unsigned f)
{
	bool row = c == 0 || c == 7 || c == 8;
	bool eu = f == 0 || (f >= 7 && f <= 10);
	switch (e) {
	case 2:
		return eu || f == 5;
	case 4:
		return row && (eu || f == 5);
	case 3:
	case 5:
	case 8:
		return row && eu;
	default:
		return true;
	}
}

static void test_legality(void **state)
{
	(void)state;
	unsigned defined = 0, supported = 0;
	for (unsigned n = 0; n < 4096; n++) {
		struct oa_flex flex = {n & 15, n >> 4 & 15, n >> 8 & 15};
		bool known = (flex.event < 6 || flex.event == 8) && flex.coarse < 9 &&
			     flex.fine < 11 && flex.fine != 6;
		const char *warnings[OA_FLEX_WARNINGS_MAX];
		uint32_t count = 99;
		bool ok = false;
		struct sx_error err;
		enum sx_status status = oa_flex_check(&flex, warnings, &count, &ok, &err);
		assert_int_equal(status, known ? SX_OK : SX_ERR_UNSUPPORTED);
		if (!known)
			continue;
		assert_int_equal(ok, allowed(flex.event, flex.coarse, flex.fine));
		assert_true(ok || count > 0);
		assert_true(count <= OA_FLEX_WARNINGS_MAX);
		defined++;
		supported += ok;
		assert_int_equal(oa_flex_field(&flex), n);
	}
	assert_int_equal(defined, 7 * 9 * 10);
	assert_int_equal(supported, 2 * 90 + 9 * 6 + 3 * 6 + 3 * 15);
}

static void test_names(void **state)
{
	(void)state;
	const enum oa_flex_part parts[] = {OA_FLEX_EVENT, OA_FLEX_COARSE, OA_FLEX_FINE};
	struct sx_error err;
	uint8_t value;
	for (size_t p = 0; p < 3; p++)
		for (uint32_t i = 0; i < 16; i++) {
			const char *name = oa_flex_name(parts[p], i);
			if (!name)
				continue;
			assert_int_equal(oa_flex_find(parts[p], name, &value, &err), SX_OK);
			assert_int_equal(value, i);
			assert_non_null(oa_flex_describe(parts[p], i));
		}
	assert_int_equal(oa_flex_find(OA_FLEX_COARSE, "0b0101", &value, &err), SX_OK);
	assert_int_equal(value, 5);
	assert_int_equal(oa_flex_find(OA_FLEX_EVENT, "9", &value, &err), SX_ERR_UNSUPPORTED);
	assert_int_equal(oa_flex_find(OA_FLEX_EVENT, "nothing", &value, &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.remedy, "fpu0-active"));
}

static void test_counter_text(void **state)
{
	(void)state;
	struct oa_flex_counter c;
	struct sx_error err;
	assert_int_equal(oa_flex_parse("A12=eu(fpu0-active, coarse=ps, fine=ternary)", &c, &err),
			 SX_OK);
	assert_int_equal(c.counter, 12);
	assert_int_equal(c.flex.event, 0);
	assert_int_equal(c.flex.coarse, 5);
	assert_int_equal(c.flex.fine, 2);
	assert_int_equal(oa_flex_parse(" A7 = eu( 4 )", &c, &err), SX_OK);
	assert_int_equal(c.flex.event, 4);
	const char *const bad[] = {"",
				   "A12",
				   "A6=eu(4)",
				   "A21=eu(4)",
				   "B7=eu(4)",
				   "A7=eu",
				   "A7=eu(",
				   "A7=eu()",
				   "A7=fpu(4)",
				   "A7=eu(4) x",
				   "A7=eu(4, 5)",
				   "A7=eu(4,coarse=)",
				   "A7=eu(4,f=)",
				   "A7=eu(4,fine=6)",
				   "A99999999999999999999=eu(4)"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_not_equal(oa_flex_parse(bad[i], &c, &err), SX_OK);
}

/* TestOa's boolean registers. */
static const uint32_t test_oa[][2] = {
    {0x2740, 0x00000000}, {0x2744, 0x00800000}, {0x2714, 0xf0800000}, {0x2710, 0x00000000},
    {0x2724, 0xf0800000}, {0x2720, 0x00000000}, {0x2770, 0x00000004}, {0x2774, 0x00000000},
    {0x2778, 0x00000003}, {0x277c, 0x00000000}, {0x2780, 0x00000007}, {0x2784, 0x00000000},
    {0x2788, 0x00100002}, {0x278c, 0x0000fff7}, {0x2790, 0x00100002}, {0x2794, 0x0000ffcf},
    {0x2798, 0x00100082}, {0x279c, 0x0000ffef}, {0x27a0, 0x001000c2}, {0x27a4, 0x0000ffe7},
    {0x27a8, 0x00100001}, {0x27ac, 0x0000ffe7}};

static void test_trigger_text(void **state)
{
	(void)state;
	char text[OA_TRIGGER_TEXT_MAX];
	uint32_t address, value;
	struct sx_error err;
	for (size_t i = 0; i < sizeof(test_oa) / sizeof(test_oa[0]); i++) {
		assert_int_equal(oa_trigger_describe(test_oa[i][0], test_oa[i][1], text, &err),
				 SX_OK);
		assert_int_equal(oa_trigger_parse(text, &address, &value, &err), SX_OK);
		assert_int_equal(address, test_oa[i][0]);
		assert_int_equal(value, test_oa[i][1]);
	}
	assert_int_equal(oa_trigger_describe(0x2798, 0x00100082, text, &err), SX_OK);
	assert_string_equal(text, "OACEC5_0: compare=equal value=0x10 source=boolean");
	assert_int_equal(oa_trigger_describe(0x2714, 0xf0800000, text, &err), SX_OK);
	assert_non_null(strstr(text, "OASTARTTRIG2:"));
	assert_non_null(strstr(text, "threshold-enable=1"));
	assert_non_null(strstr(text, "events=0xf"));
}

/* Every register survives all its bits. */
static void test_trigger_registers(void **state)
{
	(void)state;
	char text[OA_TRIGGER_TEXT_MAX];
	uint32_t address, value;
	struct sx_error err;
	uint32_t registers = 0;
	for (uint32_t at = 0x2700; at < 0x2800; at++) {
		if (oa_trigger_describe(at, 0xffffffff, text, &err))
			continue;
		registers++;
		for (uint32_t bit = 0; bit < 32; bit++) {
			/* Of the first and the second start trigger. */
			bool zero = ((at | 0x30) == 0x2730 && bit >= 16) ||
				    ((at | 0x30) == 0x2734 && bit == 24);
			enum sx_status want = zero ? SX_ERR_UNSUPPORTED : SX_OK;
			assert_int_equal(oa_trigger_describe(at, 1u << bit, text, &err), SX_OK);
			assert_int_equal(oa_trigger_parse(text, &address, &value, &err), want);
			assert_int_equal(address, at);
			assert_int_equal(value, 1u << bit);
		}
	}
	assert_int_equal(registers, 8 + 8 + 16);
}

static void test_trigger_errors(void **state)
{
	(void)state;
	uint32_t address, value;
	struct sx_error err;
	assert_int_equal(
	    oa_trigger_parse("OACEC0_0: compare=less compare=greater", &address, &value, &err),
	    SX_ERR_USAGE);
	assert_int_equal(oa_trigger_parse("OACEC0_0: value=0 value=0", &address, &value, &err),
			 SX_ERR_USAGE);
	assert_int_equal(oa_trigger_parse("OACEC0_0: source=3", &address, &value, &err),
			 SX_ERR_UNSUPPORTED);
	assert_int_equal(oa_trigger_parse("OACEC8_0: value=1", &address, &value, &err),
			 SX_ERR_NOT_FOUND);
	assert_int_equal(oa_trigger_parse("OACEC0_0: value=0x10000", &address, &value, &err),
			 SX_ERR_USAGE);
	assert_int_equal(oa_trigger_parse("OACEC0_0: value", &address, &value, &err), SX_ERR_USAGE);
	assert_int_equal(oa_trigger_parse("OACEC0_0: what=1", &address, &value, &err),
			 SX_ERR_NOT_FOUND);
}

/* What the manual leaves undefined: a warning where a published set has it, else an error. */
static void test_trigger_check(void **state)
{
	(void)state;
	const char *warning = "";
	struct sx_error err;
	for (size_t i = 0; i < sizeof(test_oa) / sizeof(test_oa[0]); i++) {
		assert_int_equal(oa_trigger_check(test_oa[i][0], test_oa[i][1], &warning, &err),
				 SX_OK);
		assert_int_equal(warning != NULL, test_oa[i][0] == 0x2780); /* code 7 */
	}
	assert_int_equal(oa_trigger_check(0x2770, 0x8000e1, &warning, &err), SX_OK);
	assert_non_null(warning); /* as a published set writes */
	assert_int_equal(oa_trigger_check(0x2710, 1u << 16, &warning, &err), SX_ERR_UNSUPPORTED);
	assert_int_equal(oa_trigger_check(0x2724, 1u << 24, &warning, &err), SX_ERR_UNSUPPORTED);
	assert_int_equal(oa_trigger_check(0x2770, 3u << 19, &warning, &err), SX_ERR_UNSUPPORTED);
	assert_int_equal(oa_trigger_check(0x2700, 0, NULL, &err), SX_ERR_NOT_FOUND);
}

/* Fields with what they mean; bits are counted from what the register selects. */
static void test_trigger_fields(void **state)
{
	(void)state;
	struct oa_trigger_field f;
	assert_true(oa_trigger_field(0x2798, 0x00100082, 0, &f));
	assert_string_equal(f.text, "equal");
	assert_string_equal(f.meaning, "B5 counts while inputs equal the value");
	assert_true(oa_trigger_field(0x278c, 0x0000fff7, 0, &f));
	assert_string_equal(f.text, "0xfff7");
	assert_string_equal(f.meaning, "inputs left out: 0-2, 4-15");
	assert_true(oa_trigger_field(0x278c, 0, 0, &f));
	assert_true(f.shown);
	assert_string_equal(f.meaning, "inputs left out: none");
	assert_false(oa_trigger_field(0x278c, 0, 2, &f));
	assert_true(oa_trigger_field(0x2714, 0xb0000000, 7, &f));
	assert_string_equal(f.meaning, "events that start it: 0-1, 3");
	assert_true(oa_trigger_field(0x2724, 0xb0000000, 7, &f));
	assert_string_equal(f.meaning, "events that start it: 4-5, 7");
	assert_true(oa_trigger_field(0x2714, 0, 7, &f));
	assert_false(f.shown);
	uint32_t all = 0;
	for (uint32_t i = 0; oa_trigger_field(0x2744, UINT32_MAX, i, &f); i++)
		all++;
	assert_int_equal(all, 7);
}

/* A custom event: B counter n advances on each clock in which event n holds. */
struct cec {
	uint32_t control, mask; /* CECn_0 and CECn_1 */
};

/* Whether the event holds for 16 inputs: 1 or 0; -1: its compare code has no published meaning. */
static int cec_holds(const struct cec *cec, uint32_t inputs)
{
	uint32_t considered = ~cec->mask & 0xffff; /* a mask bit of 1 leaves its input out */
	uint32_t value = cec->control >> 3 & considered;
	uint32_t seen = inputs & considered;
	switch (cec->control & 7) {
	case 0:
		return (~(seen ^ value) & considered) != 0;
	case 1:
		return seen > value;
	case 2:
		return seen == value;
	case 3:
		return seen >= value;
	case 4:
		return seen < value;
	case 5:
		return seen != value;
	case 6:
		return seen <= value;
	default:
		return -1;
	}
}

/* Inputs that count clocks by two (bit 3) and by three (bits 4 and 5) give the published factors.
 */
static void test_cec_factors(void **state)
{
	(void)state;
	const int sixths[8] = {0, 6, -1, 3, 2, 2, 1, 4};
	for (uint32_t n = 0; n < 8; n++) {
		struct cec cec = {test_oa[6 + 2 * n][1], test_oa[7 + 2 * n][1]};
		int held = 0;
		for (uint32_t t = 0; t < 6; t++) {
			int holds = cec_holds(&cec, (t % 2) << 3 | (t % 3) << 4);
			held = holds < 0 ? -1 : held + holds;
		}
		assert_int_equal(held, sixths[n]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_published),	      cmocka_unit_test(test_places),
	    cmocka_unit_test(test_legality),	      cmocka_unit_test(test_names),
	    cmocka_unit_test(test_counter_text),      cmocka_unit_test(test_trigger_text),
	    cmocka_unit_test(test_trigger_registers), cmocka_unit_test(test_trigger_errors),
	    cmocka_unit_test(test_cec_factors),	      cmocka_unit_test(test_trigger_check),
	    cmocka_unit_test(test_trigger_fields),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
