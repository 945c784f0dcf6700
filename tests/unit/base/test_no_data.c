/* Reasons for no data: how one is written, and which a quality has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sextant/value.h>

#include "base/no_data.h"

static void each_has_one_wording(void **state)
{
	(void)state;
	for (int i = 0; i < NO_DATA_COUNT; i++) {
		assert_true(strlen(no_data_text((enum no_data)i)) > 10);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(no_data_text((enum no_data)i),
						no_data_text((enum no_data)k));
	}
}

static void a_detail_is_in_brackets(void **state)
{
	char text[128] = "Cycles: ";
	(void)state;
	no_data_append(text, sizeof(text), NO_DATA_NO_COUNTER, "cpu");
	assert_string_equal(text, "Cycles: the device or driver has no such counter (cpu)");
	text[0] = '\0';
	no_data_append(text, sizeof(text), NO_DATA_NO_CONSTANT, "bus_width");
	assert_string_equal(text,
			    "the constant is not known (bus_width); --const NAME=VALUE gives it");
	text[0] = '\0';
	no_data_append(text, sizeof(text), NO_DATA_NO_CONSTANT, "");
	assert_string_equal(text, no_data_text(NO_DATA_NO_CONSTANT));
}

static void the_graver_quality_counts(void **state)
{
	static const struct {
		uint8_t quality;
		enum no_data reason;
	} cases[] = {
	    {SX_QUALITY_SKIPPED, NO_DATA_SKIPPED},
	    {SX_QUALITY_SKIPPED | SX_QUALITY_GAP, NO_DATA_SKIPPED},
	    {SX_QUALITY_NOT_COLLECTED, NO_DATA_NOT_COLLECTED},
	    {SX_QUALITY_NOT_COLLECTED | SX_QUALITY_LOST, NO_DATA_NOT_COLLECTED},
	    {SX_QUALITY_NOT_COLLECTED | SX_QUALITY_GAP, NO_DATA_GAP},
	    {SX_QUALITY_DISTURBED | SX_QUALITY_GAP, NO_DATA_PROGRAMS_OWN},
	    {SX_QUALITY_UNDEFINED, NO_DATA_UNDEFINED},
	    {SX_QUALITY_NOT_COLLECTED | SX_QUALITY_UNDEFINED, NO_DATA_NOT_COLLECTED},
	    {SX_QUALITY_VALID, NO_DATA_NO_VALUE},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(no_data_of_quality(cases[i].quality), cases[i].reason);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(each_has_one_wording),
	    cmocka_unit_test(a_detail_is_in_brackets),
	    cmocka_unit_test(the_graver_quality_counts),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
