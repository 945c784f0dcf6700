/* Numbers to digits and back, against printf and strtod. */
#include <math.h>
#include <stdarg.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/number.h"

#define NUMBERS 60000

static uint64_t next_random(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* printf's %g with the fewest of 15, 16 and 17 digits that read back the same. */
static void expected(char text[40], double value)
{
	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, 40, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			return;
	}
}

static void check(double value)
{
	char have[NUMBER_F64_MAX + 1], want[40];
	double back = 0;
	size_t size = number_put_f64(have, value);
	assert_true(size < NUMBER_F64_MAX);
	have[size] = '\0';
	expected(want, value);
	assert_string_equal(have, want);
	assert_true(number_f64(have, size, &back));
	assert_memory_equal(&back, &value, sizeof(value));
}

static void test_random(void **state)
{
	uint64_t random = UINT64_C(88172645463325252);
	for (int i = 0; i < NUMBERS; i++) {
		uint64_t bits = next_random(&random);
		double value;
		memcpy(&value, &bits, sizeof(value)); /* any double at all */
		if (isfinite(value))
			check(value);
		check((double)(bits >> 40) / (double)((next_random(&random) >> 44) + 1));
		check((double)(bits >> bits % 64));
		check((double)(int64_t)(bits % 2000000) / 1000.0 - 1000);
		check((double)(bits % 100000) * pow(10, (double)(bits >> 32) / 0x1p32 * 40 - 20));
	}
}

static void test_ends(void **state)
{
	static const double values[] = {0.0,
					-0.0,
					5e-324,
					2.2250738585072014e-308,
					2.2250738585072009e-308,
					1.7976931348623157e308,
					1e15,
					999999999999999,
					1e16,
					123456789012345678.0,
					1e17,
					1e21,
					0.0001,
					0.00001,
					0.1,
					-0.1,
					9007199254740993.0,
					0x1p63,
					0x1p64};
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		check(values[i]);
	for (int e = -1074; e < 1024; e++) {
		check(ldexp(1, e)); /* neighbours are not equally far */
		check(nextafter(ldexp(1, e), 0));
	}
}

static void test_reading(void **state)
{
	double value;
	assert_true(number_f64("+1.5", 4, &value) && value == 1.5);
	assert_true(number_f64(".5", 2, &value) && value == 0.5);
	assert_true(number_f64("5.", 2, &value) && value == 5);
	assert_true(number_f64("1e-400", 6, &value) && value == 0);
	assert_true(number_f64("4.9406564584124654e-324", 23, &value) && value == 5e-324);
	assert_true(number_f64("0x10", 4, &value) && value == 16);
	static const char *const bad[] = {"",	"+",  "-", "1e400", "nan", "inf", "1e",	 "1.5.",
					  "1 ", " 1", ".", "e5",    "1e+", "+-1", "-+1", "1,5"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_f64(bad[i], strlen(bad[i]), &value));
}

static void test_whole(void **state)
{
	char have[24], want[24];
	uint64_t random = 7;
	for (int i = 0; i < 64 * 100; i++) {
		uint64_t value = next_random(&random) >> i % 64;
		size_t size = number_put_u64(have, value);
		have[size] = '\0';
		snprintf(want, sizeof(want), "%llu", (unsigned long long)value);
		assert_string_equal(have, want);
	}
	assert_int_equal(number_put_u64(have, 0), 1);
	assert_int_equal(number_put_u64(have, UINT64_MAX), 20);
}

/* Fixed points keep all digits of a u64, both ways. */
static void test_decimals(void **state)
{
	static const struct {
		const char *text;
		uint64_t value;
		unsigned power;
	} rows[] = {{"9007199.254740993", 9007199254740993, 9},
		    {"18446744073.709551615", UINT64_MAX, 9},
		    {"0", 0, 9},
		    {"0.000000001", 1, 9},
		    {"1.5", 1500, 3},
		    {"12", 12, 0}};
	uint64_t back;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char have[32];
		have[number_put_decimal(have, rows[i].value, rows[i].power)] = '\0';
		assert_string_equal(have, rows[i].text);
		assert_true(number_decimal(have, strlen(have), rows[i].power, &back));
		assert_true(back == rows[i].value);
	}
	static const char *const bad[] = {"",	   ".",	 ".5",	"1.2345",
					  "1.2.3", "-1", "1e3", "18446744073709551.616"};
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(number_decimal(bad[i], strlen(bad[i]), 3, &back));
}

/* Every byte at every place, before others that may carry over. */
static void test_digits8(void **state)
{
	uint64_t seed = 88172645463325252u, number;
	for (unsigned i = 0; i < 256 * 8 * 64; i++) {
		char text[8];
		unsigned count = 0;
		uint64_t due = 0;
		for (unsigned k = 0; k < 8; k++)
			text[k] = (char)('0' + next_random(&seed) % (k % 2 ? 10 : 11));
		text[i % 8] = (char)(i / 8 % 256);
		for (; count < 8 && text[count] >= '0' && text[count] <= '9'; count++)
			due = due * 10 + (uint64_t)(text[count] - '0');
		assert_int_equal(number_digits8(text, &number), count);
		assert_int_equal(number, due);
	}
}

/* Nouns and verbs agree with their count. */
static void test_counted(void **state)
{
	assert_string_equal(COUNTED(1, "row"), "1 row");
	assert_string_equal(COUNTED(0, "row"), "0 rows");
	assert_string_equal(COUNTED(UINT64_MAX, "pass"), "18446744073709551615 passes");
	assert_string_equal(COUNTED(2, "further set"), "2 further sets");
	assert_string_equal(COUNTED(1, "line has"), "1 line has");
	assert_string_equal(COUNTED(2, "line has"), "2 lines have");
	assert_string_equal(COUNTED(3, "pass is"), "3 passes are");
	assert_string_equal(COUNTED(1, "row was"), "1 row was");
	assert_string_equal(COUNTED(0, "row was"), "0 rows were");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_decimals), cmocka_unit_test(test_random),
	    cmocka_unit_test(test_ends),     cmocka_unit_test(test_reading),
	    cmocka_unit_test(test_whole),    cmocka_unit_test(test_counted),
	    cmocka_unit_test(test_digits8),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
