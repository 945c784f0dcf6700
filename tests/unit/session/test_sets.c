/*
 * Devices that are programmed by metric sets: what is shown is what is programmed, live and in
 * recordings.
 */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "devices/i915_oa.h"
#include "devices/machine.h"
#include "session/session.h"
#include "unit/context_file.h"

struct rig {
	struct fake_i915 fake;
	struct machine machine;
	struct sx_session *session;
};

static enum sx_status open_rig(struct rig *r, const char *set, const char *const *metrics,
			       uint32_t count, struct sx_error *err)
{
	static const char *const devices[] = {"i915"};
	struct sx_session_options options = {.devices = devices,
					     .device_count = 1,
					     .metrics = metrics,
					     .metric_count = count,
					     .set = set,
					     .interval_ns = 10000000};
	*r = (struct rig){.session = NULL};
	fake_i915_init(&r->fake);
	machine_init(&r->machine, &r->fake.sys, &r->fake.now_ns);
	return session_create_on(&r->machine.sys, context, &options, &r->session, err);
}

static void close_rig(struct rig *r)
{
	sx_session_destroy(r->session);
	assert_true(machine_clean(&r->machine));
	assert_int_equal(fake_i915_config_count(&r->fake), 0);
	fake_i915_finish(&r->fake);
}

static struct sx_catalog *broadwell(void)
{
	struct sx_catalog *catalog = NULL;
	assert_int_equal(sx_catalog_open(context, "intel-bdw", &catalog, NULL), SX_OK);
	return catalog;
}

/* A metric that one set alone has, and that set; `other`: not the source's own, nor this one. */
static const char *lonely(struct sx_catalog *catalog, const char *other, const char **set)
{
	uint32_t count, groups, matches;
	const struct sx_metric_info *all = sx_catalog_metrics(catalog, &count);
	const struct sx_group_info *group = sx_catalog_groups(catalog, &groups);
	for (uint32_t i = 0; i < count; i++) {
		*set = group[all[i].group].name;
		sx_catalog_find_metric(catalog, all[i].name, SX_NONE, &matches);
		if (matches == 1 && strcmp(*set, "RenderBasic") != 0 && strcmp(*set, other) != 0)
			return all[i].name;
	}
	fail_msg("every metric is in several sets");
	return NULL;
}

/* The set that the fake kernel runs is the one of these columns. */
static void expect_set(struct rig *r, const char *set)
{
	uint32_t count, columns, metrics;
	struct sx_catalog *catalog = broadwell();
	uint32_t group = sx_catalog_find_group(catalog, set);
	const struct sx_metric_info *all = sx_catalog_metrics(catalog, &metrics);
	const struct sx_session_device *d = sx_session_devices(r->session, &count);
	const struct sx_metric_column *column = sx_metrics_columns(d->metrics, &columns);
	assert_string_equal(d->facts.set, set);
	for (uint32_t i = 0; i < columns; i++)
		if (column[i].metric != SX_NONE)
			assert_int_equal(all[column[i].metric].group, group);
	assert_int_equal(sx_session_start(r->session, NULL, NULL, NULL), SX_OK);
	assert_non_null(r->fake.active);
	assert_string_equal(r->fake.active->uuid, sx_catalog_groups(catalog, &count)[group].uuid);
	assert_int_equal(sx_session_finish(r->session, NULL), SX_OK);
	sx_catalog_unref(catalog);
}

static void only_what_is_programmed_is_shown(void **state)
{
	struct rig r;
	assert_int_equal(open_rig(&r, NULL, NULL, 0, NULL), SX_OK);
	expect_set(&r, "RenderBasic");
	close_rig(&r);
	assert_int_equal(open_rig(&r, "ComputeBasic", NULL, 0, NULL), SX_OK);
	expect_set(&r, "ComputeBasic");
	close_rig(&r);
}

static void metrics_choose_their_set(void **state)
{
	struct rig r;
	const char *set;
	struct sx_catalog *catalog = broadwell();
	const char *names[] = {lonely(catalog, "", &set), "A7"};
	assert_int_equal(open_rig(&r, NULL, names, 2, NULL), SX_OK);
	expect_set(&r, set);
	close_rig(&r);
	static const char *const qualified[] = {"ComputeBasic.GpuBusy"};
	assert_int_equal(open_rig(&r, NULL, qualified, 1, NULL), SX_OK);
	expect_set(&r, "ComputeBasic");
	close_rig(&r);
	/* In many sets: the source's own. */
	static const char *const common[] = {"GpuBusy"};
	assert_int_equal(open_rig(&r, NULL, common, 1, NULL), SX_OK);
	expect_set(&r, "RenderBasic");
	close_rig(&r);
	sx_catalog_unref(catalog);
}

static void what_does_not_fit_is_told(void **state)
{
	struct rig r;
	struct sx_error err = {0};
	const char *set;
	struct sx_catalog *catalog = broadwell();
	const char *names[2] = {lonely(catalog, "ComputeBasic", &set), "NoSuchMetric"};
	assert_int_equal(open_rig(&r, "ComputeBasic", names, 1, &err), SX_ERR_NOT_FOUND);
	close_rig(&r);
	assert_int_equal(open_rig(&r, NULL, names, 2, &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.message, names[1]));
	close_rig(&r);
	sx_catalog_unref(catalog);
}

/* Two metrics that no set has together, and one that every set has. */
static void open_turns(struct rig *r, const char **one, const char **two)
{
	struct sx_catalog *catalog = broadwell();
	const char *names[3];
	names[0] = lonely(catalog, "", one);
	names[1] = lonely(catalog, *one, two);
	names[2] = "GpuBusy";
	struct sx_error err = {0};
	if (open_rig(r, NULL, names, 3, &err))
		fail_msg("%s: %s", err.message, err.because);
	sx_catalog_unref(catalog);
}

/* Rows of a device that were measured, and how long they lasted; all have one or the other. */
static uint64_t count_measured(const struct sx_session_device *d, uint64_t *measured_ns,
			       uint64_t *all_ns)
{
	struct sx_table *values = NULL;
	uint64_t measured = 0;
	*measured_ns = *all_ns = 0;
	assert_int_equal(sx_metrics_eval(d->metrics, d->raw, &values, NULL), SX_OK);
	struct sx_vector v = sx_table_vector(values, 0);
	for (size_t i = 0; i < sx_table_row_count(d->raw); i++) {
		uint64_t length = sx_table_end_ns(d->raw)[i] - sx_table_begin_ns(d->raw)[i];
		bool skipped = sx_quality_is_skipped(v.quality[i]);
		assert_true(skipped || !(v.quality[i] & SX_QUALITY_NOT_COLLECTED));
		*all_ns += length;
		*measured_ns += skipped ? 0 : length;
		measured += !skipped;
	}
	sx_table_destroy(values);
	return measured;
}

/* No time of the run is in no row: what is scaled is scaled to all of it. */
static void check_rows_touch(const struct sx_session_device *d)
{
	for (size_t i = 1; i < sx_table_row_count(d->raw); i++)
		assert_int_equal(sx_table_begin_ns(d->raw)[i], sx_table_end_ns(d->raw)[i - 1]);
}

static void sets_take_turns(void **state)
{
	struct rig r;
	const char *one, *two;
	uint32_t count;
	uint64_t measured_ns[2], all_ns[2];
	struct sx_session_limits limits = {.duration_ns = UINT64_C(2000000000)};
	open_turns(&r, &one, &two);
	for (int run = 0; run < 2; run++) {
		assert_int_equal(sx_session_run(r.session, NULL, &limits, NULL), SX_OK);
		const struct sx_session_device *d = sx_session_devices(r.session, &count);
		assert_int_equal(count, 2);
		for (uint32_t i = 0; i < 2; i++) {
			assert_string_equal(d[i].facts.set, i ? two : one);
			assert_int_equal(d[i].facts.number, i);
			assert_null(d[i].run.failure);
			assert_int_equal(d[i].run.lost, 0);
			assert_non_null(strstr(d[i].run.notes.items[0], "take turns"));
			assert_true(count_measured(&d[i], &measured_ns[i], &all_ns[i]) > 50);
		}
		/* A row is of one set or the other; while they change, of none. */
		assert_int_equal(d[0].samples, d[1].samples);
		assert_in_range(measured_ns[0], all_ns[0] * 4 / 10, all_ns[0] * 6 / 10);
		assert_in_range(measured_ns[0] + measured_ns[1], all_ns[0] * 8 / 10, all_ns[0] - 1);
		assert_in_range(all_ns[0], limits.duration_ns * 95 / 100, limits.duration_ns);
		check_rows_touch(&d[0]);
		check_rows_touch(&d[1]);
	}
	close_rig(&r);
}

/* Samples of the first set are counted with those of the others: limits are exact. */
static void turns_keep_limits(void **state)
{
	struct rig r;
	const char *one, *two;
	uint32_t count;
	open_turns(&r, &one, &two);
	for (uint64_t n = 1; n < 40; n += 7) {
		struct sx_session_limits limits = {.samples = n};
		assert_int_equal(sx_session_run(r.session, NULL, &limits, NULL), SX_OK);
		const struct sx_session_device *d = sx_session_devices(r.session, &count);
		assert_int_equal(d[0].samples, n);
		assert_int_equal(sx_table_row_count(d[0].raw), n);
	}
	close_rig(&r);
}

/* A recording keeps each set as a device, and says that they took turns. */
static void recorded_turns(void **state)
{
	struct rig r;
	const char *one, *two;
	uint32_t count;
	struct sx_capture_writer *writer = NULL;
	struct sx_session *session = NULL;
	struct sx_session_options options = {.input = path};
	struct sx_session_limits limits = {.duration_ns = UINT64_C(500000000)};
	open_turns(&r, &one, &two);
	assert_int_equal(sx_capture_create(path, NULL, &writer, NULL), SX_OK);
	sx_session_record(r.session, writer);
	assert_int_equal(sx_session_run(r.session, NULL, &limits, NULL), SX_OK);
	uint64_t samples = sx_session_devices(r.session, &count)->samples;
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	close_rig(&r);
	assert_int_equal(sx_session_create(context, &options, &session, NULL), SX_OK);
	assert_int_equal(sx_session_run(session, NULL, NULL, NULL), SX_OK);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	assert_int_equal(count, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_string_equal(d[i].facts.set, i ? two : one);
		assert_int_equal(d[i].facts.number, i);
		assert_int_equal(d[i].samples, samples);
		assert_non_null(strstr(d[i].run.notes.items[0], "take turns"));
		assert_non_null(strstr(d[i].run.notes.items[0], d[i].facts.set));
	}
	sx_session_destroy(session);
}

/* A set that the kernel stops taking ends by itself, and says so; the others go on. */
static void a_turn_that_fails(void **state)
{
	struct rig r;
	const char *one, *two;
	uint32_t count;
	struct sx_error err = {0};
	struct sx_session_limits limits = {.duration_ns = UINT64_C(1000000000)};
	open_turns(&r, &one, &two);
	assert_int_equal(sx_session_start(r.session, NULL, &limits, &err), SX_OK);
	const struct sx_session_device *d = sx_session_devices(r.session, &count);

	r.fake.open_errno = EACCES;
	while (sx_session_poll(r.session, -1, NULL) != SX_END)
		;
	assert_int_equal(sx_session_finish(r.session, &err), SX_INCOMPLETE);
	assert_true(d[0].run.failure || d[1].run.failure);
	assert_true(err.message[0] && err.because[0] && err.remedy[0]);
	assert_true(d[0].samples > 5);
	close_rig(&r);
}

static void record(const char *set, const char *const *metrics, uint32_t count)
{
	struct rig r;
	struct sx_capture_writer *writer = NULL;
	struct sx_session_limits limits = {.samples = 5};
	struct sx_error bad = {0};
	if (open_rig(&r, set, metrics, count, &bad))
		fail_msg("%s: %s", bad.message, bad.because);
	assert_int_equal(sx_capture_create(path, NULL, &writer, NULL), SX_OK);
	sx_session_record(r.session, writer);
	struct sx_error why = {0};
	if (sx_session_run(r.session, NULL, &limits, &why))
		fail_msg("%s: %s", why.message, why.because);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	close_rig(&r);
}

static enum sx_status replay(const char *set, struct sx_session **out, struct sx_error *err)
{
	struct sx_session_options options = {.input = path, .set = set};
	*out = NULL;
	return sx_session_create(context, &options, out, err);
}

static void recordings_know_their_program(void **state)
{
	static const char *const flex[] = {"ComputeBasic.GpuBusy", "A15=eu(fpu0-active)"};
	struct sx_capture_reader *reader = NULL;
	struct sx_session *s;
	struct sx_error err = {0};
	uint32_t count, columns;
	record(NULL, flex, 2);
	assert_int_equal(sx_capture_open(path, &reader, NULL), SX_OK);
	const struct sx_capture_device *d = sx_capture_device(reader, 0);
	assert_string_equal(sx_capture_property(d, "set"), "ComputeBasic");
	assert_string_equal(sx_capture_property(d, "format"), "A32u40_A4u32_B8_C8");
	assert_string_equal(sx_capture_property(d, "definition"), flex[1]);
	assert_non_null(sx_capture_property(d, "exponent"));
	assert_true(strtoull(sx_capture_property(d, "interval"), NULL, 10) > 5000000);
	assert_null(sx_capture_property(d, "no such thing"));
	sx_capture_close(reader);
	assert_int_equal(replay(NULL, &s, NULL), SX_OK);
	const struct sx_session_device *device = sx_session_devices(s, &count);
	assert_string_equal(device->facts.set, "ComputeBasic");
	const struct sx_metric_column *column = sx_metrics_columns(device->metrics, &columns);
	for (uint32_t i = 0; i < columns; i++)
		assert_null(strchr(column[i].name, '.'));
	sx_session_destroy(s);
	assert_int_equal(replay("ComputeBasic", &s, NULL), SX_OK);
	sx_session_destroy(s);
	assert_int_equal(replay("RenderBasic", &s, &err), SX_ERR_NOT_FOUND);
	assert_non_null(strstr(err.because, "ComputeBasic"));
}

/* As version 1.0 wrote it. */
static void old_recordings_are_asked_about(void **state)
{
	static const struct sx_column columns[] = {{"A7", "cycles", SX_U64, SX_REDUCE_SUM, NULL}};
	static const struct sx_capture_device device = {.catalog = "intel-bdw",
							.facts.source = "i915-oa",
							.facts.name = "Broadwell",
							.columns = columns,
							.column_count = 1};
	struct sx_capture_writer *writer = NULL;
	struct sx_session *s;
	struct sx_error err = {0};
	uint32_t number;
	assert_int_equal(sx_capture_create(path, NULL, &writer, NULL), SX_OK);
	assert_int_equal(sx_capture_add_device(writer, &device, &number, NULL), SX_OK);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	assert_int_equal(replay(NULL, &s, &err), SX_ERR_USAGE);
	assert_non_null(strstr(err.remedy, "--set"));
	assert_int_equal(replay("RenderBasic", &s, NULL), SX_OK);
	sx_session_destroy(s);
	/* Its source is called i915_oa today. */
	static const char *const names[] = {"i915_oa", "i915-oa", "xe_oa"};
	for (size_t i = 0; i < 3; i++) {
		const struct sx_session_options options = {
		    .input = path, .set = "RenderBasic", .devices = &names[i], .device_count = 1};
		assert_int_equal(sx_session_create(context, &options, &s, NULL),
				 i < 2 ? SX_OK : SX_ERR_NOT_FOUND);
		sx_session_destroy(s);
		s = NULL;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(only_what_is_programmed_is_shown),
	    cmocka_unit_test(metrics_choose_their_set),
	    cmocka_unit_test(what_does_not_fit_is_told),
	    cmocka_unit_test(sets_take_turns),
	    cmocka_unit_test(turns_keep_limits),
	    cmocka_unit_test(recorded_turns),
	    cmocka_unit_test(a_turn_that_fails),
	    cmocka_unit_test(recordings_know_their_program),
	    cmocka_unit_test(old_recordings_are_asked_about),
	};
	return cmocka_run_group_tests(tests, context_file_open, context_file_close);
}
