/* Rows that pass a session's filter keep their labels and times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "session/session.h"
#include "table/fill.h"

static struct sx_table *table(void)
{
	static const struct sx_column columns[] = {{"A", "cycles", SX_U64, SX_REDUCE_SUM, NULL}};
	struct sx_table *out = NULL;
	assert_int_equal(sx_table_create(columns, 1, SX_SAMPLE_TIME, &out, NULL), SX_OK);
	return out;
}

/* "no query yet" of the first samples is no reason any more once there is a value. */
static void a_reason_goes_when_there_is_data(void **state)
{
	struct session_device device = {.raw = table(), .mixed = table()};
	struct sx_session session = {
	    .devices = &device, .device_count = 1, .cut_ns = UINT64_MAX, .limits = {.samples = 9}};
	sx_table_add_rows(device.mixed, 1, NULL, NULL);
	table_set_why(device.mixed, 0, "not yet");
	assert_int_equal(filter_rows(&session, 0, NULL), SX_OK);
	assert_string_equal(sx_table_column(device.raw, 0)->why, "not yet");
	sx_table_add_rows(device.mixed, 1, NULL, NULL);
	sx_table_set_u64(device.mixed, 0, 0, 5, 0);
	table_set_why(device.mixed, 0, NULL);
	assert_int_equal(filter_rows(&session, 0, NULL), SX_OK);
	assert_null(sx_table_column(device.raw, 0)->why);
	assert_int_equal(sx_table_row_count(device.raw), 2);
	table_set_why(device.mixed, 0, "another");
	assert_int_equal(filter_rows(&session, 0, NULL), SX_OK);
	assert_string_equal(sx_table_column(device.raw, 0)->why, "another");
	sx_table_destroy(device.raw);
	sx_table_destroy(device.mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_reason_goes_when_there_is_data),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
