/* Numbers, UTF-8, suggestions and units. */
#include <setjmp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <locale.h>
#include <string.h>
#include <cmocka.h>

#include "base/number.h"
#include "base/suggest.h"
#include "base/utf8.h"
#include "catalog/units.h"

static void test_whole_numbers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		uint64_t value;
	} table[] = {
	    {"0", true, 0},
	    {"007", true, 7},
	    {"18446744073709551615", true, UINT64_MAX},
	    {"18446744073709551616", false, 0},
	    {"0xFFFFFFFFFFFFFFFF", true, UINT64_MAX},
	    {"0x10000000000000000", false, 0},
	    {"0x", false, 0},
	    {"", false, 0},
	    {"-1", false, 0},
	    {"+1", false, 0},
	    {" 1", false, 0},
	    {"1 ", false, 0},
	    {"1a", false, 0},
	    {"1.0", false, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		uint64_t value = 0;
		assert_int_equal(number_u64(table[i].text, strlen(table[i].text), &value),
				 table[i].good);
		assert_int_equal(value, table[i].value);
	}
	uint32_t narrow;
	assert_true(number_u32("4294967295", 10, &narrow) && narrow == UINT32_MAX);
	assert_false(number_u32("4294967296", 10, &narrow));
}

static void test_numbers(void **state)
{
	static const struct {
		const char *text;
		bool good;
		double value;
	} table[] = {
	    {"0.1", true, 0.1},	 {"-1", true, -1.0},   {"+2.5e-3", true, 0.0025},
	    {".5", true, 0.5},	 {"5.", true, 5.0},    {"1e308", true, 1e308},
	    {"1e309", false, 0}, {"0x10", true, 16.0}, {"1e", false, 0},
	    {".", false, 0},	 {"", false, 0},       {"nan", false, 0},
	    {"inf", false, 0},	 {"1,5", false, 0},    {"0x1p3", false, 0},
	    {"1e5x", false, 0},	 {"--1", false, 0},    {"1e+", false, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		double value = 0;
		if (number_f64(table[i].text, strlen(table[i].text), &value) != table[i].good)
			fail_msg("%s", table[i].text);
		assert_true(value == table[i].value);
	}
}

static void test_utf8(void **state)
{
	static const struct {
		const char *text;
		bool good;
		size_t bad;
	} table[] = {
	    {"plain\ttext\r\n", true, 0},
	    {"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", true, 0},
	    {"a\x01", false, 1},
	    {"a\x7f", false, 1},
	    {"\xc0\x80", false, 0},	    /* overlong */
	    {"\xe0\x80\x80", false, 0},	    /* overlong */
	    {"\xed\xa0\x80", false, 0},	    /* surrogate */
	    {"\xf4\x90\x80\x80", false, 0}, /* above 10FFFF */
	    {"ab\xe2\x82", false, 2},	    /* cut off */
	    {"\xc2\x85", false, 0},	    /* a C1 control */
	    {"\x80", false, 0},
	    {"\xff", false, 0},
	};
	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t bad = 0;
		assert_int_equal(utf8_is_text(table[i].text, strlen(table[i].text), &bad),
				 table[i].good);
		assert_int_equal(bad, table[i].bad);
	}
	assert_false(utf8_is_text("a\0b", 3, NULL));
	static const struct {
		const char *text;
		size_t size, length, printable;
	} heads[] = {
	    {"a", 1, 1, 1},
	    {"\t", 1, 1, 0},
	    {"\x7f", 1, 1, 0},
	    {"\xc2\x85", 2, 2, 0},
	    {"\xc2\xa0", 2, 2, 2},
	    {"\xe2\x82\xac", 2, 0, 0},
	    {"\xe2\x82\xac", 3, 3, 3},
	    {"\xf0\x9f\x98\x80", 4, 4, 4},
	    {"\xed\xa0\x80", 3, 0, 0},
	};
	for (size_t i = 0; i < sizeof(heads) / sizeof(heads[0]); i++) {
		assert_int_equal(utf8_length_within(heads[i].text, heads[i].size), heads[i].length);
		assert_int_equal(utf8_printable(heads[i].text, heads[i].size), heads[i].printable);
	}
}

static const char *best(const char *name, const char *const *candidates)
{
	struct suggest s;
	suggest_begin(&s, name, 3);
	for (; *candidates; candidates++)
		suggest_offer(&s, *candidates);
	return s.count ? s.items[0] : NULL;
}

static void test_suggest(void **state)
{
	static const char *const names[] = {
	    "GpuBusy", "GpuTime", "EuActive", "EuStall", "L3Lookups", "external_read_stall", NULL};
	assert_string_equal(best("GpuBsuy", names), "GpuBusy");
	assert_string_equal(best("gpubusy", names), "GpuBusy");
	assert_string_equal(best("EuActiv", names), "EuActive");
	assert_string_equal(best("external-read-stall", names), "external_read_stall");
	assert_string_equal(best("read_stall", names), "external_read_stall");
	assert_null(best("tessellation", names));
	assert_null(best("", names));
}

static void test_suggest_keeps_the_best(void **state)
{
	struct suggest s;
	char text[64];
	suggest_begin(&s, "abcdef", 2);
	static const char *const offers[] = {"abcxyf", "abcdeg", "abcdef", "abcdeg", "xbcdef"};
	for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++)
		suggest_offer(&s, offers[i]);
	assert_int_equal(s.count, 2);
	assert_string_equal(suggest_text(&s, text, sizeof(text)), "abcdef or abcdeg");
	assert_string_equal(suggest_text(&s, text, 8), "abcd...");
}

static void test_units(void **state)
{
	static struct units units;
	units_init(&units);
	assert_true(units.count > 40);
	assert_true(units_known(&units, "percent"));
	assert_true(units_known(&units, "cycles/pixel"));
	assert_true(units_known(&units, "bytes/s"));
	assert_true(units_known(&units, "accesses/s"));
	assert_false(units_known(&units, "cycles/pixels"));
	assert_false(units_known(&units, "cycle"));
	assert_false(units_known(&units, ""));
	assert_false(units_known(&units, "/"));
	assert_false(units_known(&units, "cycles/"));
	assert_false(units_known(&units, "/cycle"));
	assert_true(units_agree(&units, "percent", "percent"));
	assert_true(units_agree(&units, "cycles/pixel", "cycles/pixel"));
	assert_false(units_agree(&units, "percent", "ratio"));
	assert_false(units_agree(&units, "bytes", "KiB"));
	assert_false(units_agree(&units, "ns", "cycles"));
	assert_false(units_agree(&units, "nonsense", "nonsense"));
	assert_false(units_agree(&units, "cycles/pixel", "cycles/tile"));
	const struct unit *mb = units_find(&units, "MB/s");
	assert_non_null(mb);
	assert_true(mb->factor == 1e6 && mb->scale == UNIT_SI);
	assert_string_equal(mb->symbol, "B/s");
	assert_string_equal(units_find(&units, "ratio")->symbol, "");
	const struct unit *over, *under;
	assert_true(units_split(&units, "cycles/pixel", &over, &under));
	assert_string_equal(over->name, "cycles");
	assert_string_equal(under->name, "pixels");
	assert_false(units_split(&units, "bytes/cycle", &over, &under));
}

/* Every f64 that is written in base units and read is written alike again; whole ones are the same.
 */
static void test_base_units(void **state)
{
	static struct units units;
	static const char *const names[] = {"ns",   "us",  "ms", "KiB", "MB/s",
					    "GB/s", "MHz", "mW", "uJ",	"ns/invocation"};
	uint64_t random = 88172645463325252u;
	units_init(&units);
	for (size_t n = 0; n < sizeof(names) / sizeof(names[0]); n++) {
		char buf[2 * UNITS_TEXT_MAX];
		double factor;
		const char *base = units_base(&units, names[n], buf, &factor);
		struct units_step step = units_step(factor);
		assert_true(factor != 1 && base != names[n]);
		if (units_known(&units, base))
			assert_true(units_factor(&units, names[n], base) *
					units_factor(&units, base, names[n]) ==
				    1);
		for (int i = 0; i < 20000; i++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			double value = (double)(random >> 12) / (double)(1 + (random & 4095));
			double whole = (double)(random >> 13);
			double written = units_apply(step, value),
			       back = units_unapply(step, written);
			assert_true(units_apply(step, back) == written);
			assert_true(back == value || back == nextafter(value, back));
			assert_true(units_unapply(step, units_apply(step, whole)) == whole);
		}
	}
	assert_true(units_apply(units_step(1e-9), 16670001) == 0.016670001);
	assert_true(units_step(1e-6).power == 6 && units_step(1024).power == 0);
	assert_true(units_factor(&units, "ms", "cycles") == 0);
	assert_true(units_factor(&units, "nonsense", "ms") == 0);
	assert_true(units_factor(&units, "s/invocation", "ns/invocation") == 1e9);
}

static void test_names_that_are_one(void **state)
{
	assert_true(suggest_is_same("i915_oa", "i915-oa"));
	assert_true(suggest_is_same("", ""));
	assert_false(suggest_is_same("i915_oa", "i915oa"));
	assert_false(suggest_is_same("i915_oa", "i915_oa2"));
	assert_true(suggest_is_same("i915_oa", "I915-oa"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_whole_numbers),
	    cmocka_unit_test(test_numbers),
	    cmocka_unit_test(test_utf8),
	    cmocka_unit_test(test_suggest),
	    cmocka_unit_test(test_names_that_are_one),
	    cmocka_unit_test(test_suggest_keeps_the_best),
	    cmocka_unit_test(test_units),
	    cmocka_unit_test(test_base_units),
	};
	/* A program's own locale must not change how catalogs are read. */
	setlocale(LC_ALL, "de_DE.UTF-8");
	return cmocka_run_group_tests(tests, NULL, NULL);
}
