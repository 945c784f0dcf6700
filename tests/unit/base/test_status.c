/* Which statuses are failures, and whether the headers' version is the library's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include <string.h>

#include <sextant/status.h>

static void test_failed(void **state)
{
	static const enum sx_status fine[] = {SX_OK, SX_INCOMPLETE, SX_AGAIN, SX_END};
	for (size_t i = 0; i < sizeof(fine) / sizeof(fine[0]); i++)
		assert_false(sx_failed(fine[i]));
	int failures = 0;
	for (int i = 0; strcmp(sx_status_name((enum sx_status)i), "unknown status"); i++)
		failures += sx_failed((enum sx_status)i);
	assert_int_equal(failures, SX_ERR_NO_MEMORY - SX_ERR_USAGE + 1);
}

static void test_version(void **state)
{
	char text[40];
	snprintf(text, sizeof(text), "%d.%d.%d", SX_VERSION_MAJOR, SX_VERSION_MINOR,
		 SX_VERSION_PATCH);
	assert_string_equal(text, sx_version());
	assert_true(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR, SX_VERSION_MINOR, SX_VERSION_PATCH));
	assert_true(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR, SX_VERSION_MINOR - 1, 99));
	assert_true(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR - 1, 99, 99));
	assert_false(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR, SX_VERSION_MINOR, SX_VERSION_PATCH + 1));
	assert_false(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR, SX_VERSION_MINOR + 1, 0));
	assert_false(SX_VERSION_AT_LEAST(SX_VERSION_MAJOR + 1, 0, 0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_failed),
	    cmocka_unit_test(test_version),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
