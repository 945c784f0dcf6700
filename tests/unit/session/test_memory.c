/* A run of any length takes the memory of a short one: driven as stat drives it, into a report. */
#include <sextant/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "analysis/report/report.h"
#include "devices/cpu.h"
#include "devices/machine.h"
#include "session/session.h"
#include "unit/heap.h"

#define INTERVAL_NS UINT64_C(100000)

static void take_rows(struct sx_session *session, struct report_fill *fill)
{
	uint32_t count;
	const struct sx_session_device *d = sx_session_devices(session, &count);
	if (sx_table_row_count(d->raw))
		assert_int_equal(report_add_rows(fill, 0, d->raw, NULL), SX_OK);
	sx_session_drop_rows(session);
}

/* 33,000 samples more, which in memory would be several MB. */
static void a_long_run_is_as_small_as_a_short_one(void **state)
{
	static const char *const devices[] = {"mali-g625"}, *const metrics[] = {"gpu.*"};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = metrics,
					     .metric_count = 1,
					     .interval_ns = INTERVAL_NS};
	struct sx_session_limits limits = {.samples = 50000};
	struct sx_context *context = NULL;
	struct sx_session *session = NULL;
	struct report_fill *fill = NULL;
	struct fake_cpu fake;
	struct machine machine;
	size_t early = 0;
	uint32_t count;
	fake_cpu_init(&fake);
	machine_init(&machine, &fake.sys, &fake.now_ns);
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(session_create_on(&machine.sys, context, &options, &session, NULL), SX_OK);
	assert_int_equal(report_begin(&fill, NULL), SX_OK);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	struct report_source source = {.catalog = d->catalog, .metrics = d->metrics};
	assert_int_equal(report_add_device(fill, &source, NULL, NULL), SX_OK);
	assert_int_equal(sx_session_start(session, NULL, &limits, NULL), SX_OK);
	while (sx_session_poll(session, -1, NULL) != SX_END) {
		take_rows(session, fill);
		if (!early && d->samples > 17000)
			early = heap_bytes();
	}
	assert_int_equal(sx_session_finish(session, NULL), SX_OK);
	take_rows(session, fill);
	size_t late = heap_bytes();
	assert_int_equal(d->samples, 50000);
	if (late > early + (256u << 10))
		fail_msg("%zu KiB after 17,000 samples, %zu KiB after 50,000", early >> 10,
			 late >> 10);
	report_destroy(fill);
	sx_session_destroy(session);
	sx_context_destroy(context);
}

/* A machine that is too slow: samples that are not read in time are reported as lost. */
static void what_is_left_unread_is_told(void **state)
{
	static const char *const devices[] = {"mali-g625"}, *const metrics[] = {"gpu.*"};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = metrics,
					     .metric_count = 1,
					     .interval_ns = INTERVAL_NS};
	struct sx_session_limits limits = {.duration_ns = UINT64_C(1000000000)};
	struct sx_context *context = NULL;
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	struct fake_cpu fake;
	struct machine machine;
	uint32_t count;
	fake_cpu_init(&fake);
	machine_init(&machine, &fake.sys, &fake.now_ns);
	machine.look_ns = UINT64_C(2000000); /* 20 samples come while one is read */
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	assert_int_equal(session_create_on(&machine.sys, context, &options, &session, NULL), SX_OK);
	assert_int_equal(sx_session_run(session, NULL, &limits, &err), SX_INCOMPLETE);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	assert_true(d->samples > 100 && d->samples < 10000);
	assert_true(d->run.lost_more);
	sx_session_destroy(session);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_long_run_is_as_small_as_a_short_one),
	    cmocka_unit_test(what_is_left_unread_is_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
