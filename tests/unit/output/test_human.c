/* Numbers for people: three digits of whatever there is, from the smallest to the largest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "output/write/text.h"

static const struct {
	double value;
	const char *unit, *text;
} cases[] = {
    {0, "count", "0"},
    {-0.0, "count", "0"},
    {-0.0, "s", "0 s"},
    {0.0396, "count", "0.0396"},
    {0.00123, "count", "0.00123"},
    {0.1234, "percent", "0.123 %"},
    {0.0004, "count", "4.00e-04"},
    {999.6, "count", "1.00 k"},
    {12.34, "percent", "12.3 %"},
    {9999, "s", "9999 s"},
    {1e30, "s", "1.00e+30 s"},
    {1e308, "s", "1.00e+308 s"},
    {-1e30, "percent", "-1.00e+30 %"},
    {1e25, "bytes", "1.00e+25 B"},
    {1e308, "ms", "1.00e+305 s"},
    {INFINITY, "s", "inf"},
    {-INFINITY, "count", "-inf"},
    {1e308, "MB/s", "inf"},
};

static void test_values(void **unused)
{
	struct human human;
	human_init(&human);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char text[HUMAN_MAX];
		human_value(&human, text, cases[i].value, cases[i].unit);
		assert_string_equal(text, cases[i].text);
	}
}

/* Whatever the value is, its text is short and reads back within half of its last digit. */
static void test_short_and_true(void **unused)
{
	struct human human;
	human_init(&human);
	for (int power = -300; power <= 300; power++) {
		char text[HUMAN_MAX];
		double value = 1.2345 * pow(10, power), back;
		char unit[HUMAN_MAX] = "";
		human_value(&human, text, value, "s");
		assert_true(strlen(text) <= 14);
		assert_int_equal(sscanf(text, "%lf %s", &back, unit), 2);
		back *= strcmp(unit, "ms") == 0	  ? 1e-3
			: strcmp(unit, "us") == 0 ? 1e-6
			: strcmp(unit, "ns") == 0 ? 1e-9
						  : 1;
		assert_true(fabs(back - value) <= 0.006 * value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_values),
	    cmocka_unit_test(test_short_and_true),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
