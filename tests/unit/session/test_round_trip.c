/*
 * A run and its recording: what a session says live is what it says replayed, to the letter, for
 * every source that has a fake, with sets, multiplexed sets, counters of the user's own, losses and
 * limits. Runs on a fake machine are equal, so that one can be printed live and another recorded.
 */
#include <sextant/capture.h>
#include <sextant/session.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "analysis/report/report.h"
#include "output/views.h"
#include "session/session.h"
#include "unit/context_file.h"
#include "unit/session/rig.h"

static void begin_turned_cpu(struct rig *r)
{
	rig_begin_cpu(r);
	r->cpu.multiplexed = true;
}

/* A recorder looks at the clock more often, and runs shall be alike. */
static void begin_i915(struct rig *r)
{
	rig_begin_i915(r);
	r->i915.look_ns = 0;
}

static void begin_lossy_i915(struct rig *r)
{
	begin_i915(r);
	r->i915.lose_report = true;
}

static void begin_kbase(struct rig *r)
{
	rig_begin_kbase(r);
	r->kbase.look_ns = 0;
}

static void begin_vinstr(struct rig *r)
{
	rig_begin_vinstr(r);
	r->kbase.look_ns = 0;
}

static void begin_xe(struct rig *r)
{
	rig_begin_xe(r);
	r->xe.look_ns = 0;
}

static void begin_tree(struct rig *r)
{
	rig_begin_tree(r, NULL);
}

/* What is asked of which machine. */
struct trip {
	const char *name;
	void (*begin)(struct rig *r);
	const char *device, *set;
	const char *metrics[4];
	uint64_t duration_ns, samples, interval_ns;
	bool program;
	uint32_t devices; /* of the session */
	enum sx_status ends;
};

static const struct trip trips[] = {
    {.name = "cpu", .begin = rig_begin_cpu, .device = "cpu", .duration_ns = 900 * NS_PER_MS},
    {.name = "cpu, few",
     .begin = rig_begin_cpu,
     .device = "cpu",
     .metrics = {"UserTime"},
     .samples = 7},
    {.name = "cpu, a program", .begin = rig_begin_cpu, .device = "cpu", .program = true},
    {.name = "cpu, turns", .begin = begin_turned_cpu, .device = "cpu", .samples = 9},
    {.name = "model",
     .begin = rig_begin_cpu,
     .device = "mali-g310",
     .duration_ns = 300 * NS_PER_MS},
    {.name = "kinstr", .begin = begin_kbase, .device = "kbase", .duration_ns = 300 * NS_PER_MS},
    {.name = "vinstr", .begin = begin_vinstr, .device = "kbase", .samples = 12},
    {.name = "kinstr, a program",
     .begin = begin_kbase,
     .device = "kbase",
     .metrics = {"gpu.*"},
     .program = true},
    {.name = "i915", .begin = begin_i915, .device = "i915", .duration_ns = 400 * NS_PER_MS},
    {.name = "i915, a set",
     .begin = begin_i915,
     .device = "i915",
     .set = "ComputeBasic",
     .interval_ns = 5 * NS_PER_MS,
     .samples = 40},
    {.name = "i915, metrics of a set",
     .begin = begin_i915,
     .device = "i915",
     .metrics = {"ComputeExtended.EuActive", "A7"},
     .samples = 20},
    {.name = "i915, an event",
     .begin = begin_i915,
     .device = "i915",
     .metrics = {"ComputeBasic.GpuBusy", "A15=eu(fpu0-active)"},
     .samples = 20},
    {.name = "i915, turns",
     .begin = begin_i915,
     .device = "i915",
     .metrics = {"ComputeBasic.EuActive", "RenderBasic.GpuBusy"},
     .duration_ns = 1200 * NS_PER_MS,
     .devices = 2},
    {.name = "pmu", .begin = rig_begin_pmu, .device = "pmu", .duration_ns = 900 * NS_PER_MS},
    {.name = "pmu, few",
     .begin = rig_begin_pmu,
     .device = "pmu",
     .metrics = {"memory_bandwidth"},
     .samples = 5},
    {.name = "nvml", .begin = rig_begin_nvml, .device = "nvml", .duration_ns = 900 * NS_PER_MS},
    {.name = "drm", .begin = begin_tree, .device = "drm", .samples = 9},
    {.name = "xe", .begin = begin_xe, .device = "xe", .duration_ns = 400 * NS_PER_MS},
    {.name = "xe, few", .begin = begin_xe, .device = "xe", .samples = 12},
    {.name = "i915, losses",
     .begin = begin_lossy_i915,
     .device = "i915",
     .duration_ns = 400 * NS_PER_MS,
     .ends = SX_INCOMPLETE},
};

static struct sx_session *open_session(const struct sx_sys *sys, const struct trip *trip,
				       const char *input)
{
	struct sx_session_options options = {.devices = &trip->device,
					     .device_count = input ? 0 : 1,
					     .metrics = trip->metrics,
					     .set = trip->set,
					     .interval_ns = trip->interval_ns,
					     .child = trip->program && !input,
					     .input = input};
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	while (options.metric_count < 4 && trip->metrics[options.metric_count])
		options.metric_count++;
	if (session_create_on(sys, context, &options, &session, &err))
		fail_msg("%s: %s: %s", trip->name, err.message, err.because);
	return session;
}

/* As stat does it; the text of the report in this format. */
static char *note(struct sx_session *session, enum format format)
{
	char *text = NULL;
	size_t size;
	uint32_t count;
	struct report_fill *fill = NULL;
	const struct report *report;
	const struct report run = {.schema = "stat", .duration_ns = 1};
	struct view view = {.format = format, .verbose = 2};
	const struct sx_session_device *d = sx_session_devices(session, &count);
	assert_int_equal(report_begin(&fill, NULL), SX_OK);
	for (uint32_t i = 0; i < count; i++) {
		/* What is no part of samples is not compared here: names of the machine. */
		struct report_source source = {.catalog = d[i].catalog,
					       .facts.source = "any",
					       .facts.simulated = d[i].facts.simulated,
					       .facts.constants = d[i].facts.constants,
					       .facts.constant_count = d[i].facts.constant_count,
					       .facts.set = d[i].facts.set,
					       .metrics = d[i].metrics};
		const struct sx_run_facts lost = {.lost = d[i].run.lost};
		assert_int_equal(report_add_device(fill, &source, NULL, NULL), SX_OK);
		assert_int_equal(report_add_rows(fill, i, d[i].raw, NULL), SX_OK);
		assert_int_equal(report_set_facts(fill, i, &d[i].facts, &lost, NULL), SX_OK);
	}
	assert_int_equal(report_set_run(fill, &run, NULL), SX_OK);
	assert_int_equal(report_finish(fill, &report, NULL), SX_OK);
	human_init(&view.human);
	view.out.out = open_memstream(&text, &size);
	assert_int_equal(views_find(format)->write(&view, report, NULL), SX_OK);
	fclose(view.out.out);
	report_destroy(fill);
	return text;
}

static void run(struct rig *r, const struct trip *trip, struct sx_session *session)
{
	char *const program[] = {(char[]){"program"}, NULL};
	struct sx_session_limits limits = {.duration_ns = trip->duration_ns,
					   .samples = trip->samples};
	struct sx_error err = {0};
	r->machine.lasts_ns = 700 * NS_PER_MS;
	r->cpu.ends_ns = machine_now_ns(&r->machine) + r->machine.lasts_ns;
	enum sx_status status =
	    sx_session_run(session, trip->program ? program : NULL, &limits, &err);
	if (status != trip->ends)
		fail_msg("%s: status %d: %s: %s", trip->name, status, err.message, err.because);
}

static void end(struct rig *r, struct sx_session *session)
{
	sx_session_destroy(session);
	rig_finish(r);
}

static const enum format formats[] = {FORMAT_JSON, FORMAT_CSV, FORMAT_TEXT};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static void record(const struct trip *trip)
{
	struct rig r = {.machine = {.calls = 0}};
	struct sx_capture_writer *writer = NULL;
	trip->begin(&r);
	struct sx_session *session = open_session(&r.machine.sys, trip, NULL);
	assert_int_equal(sx_capture_create(path, NULL, &writer, NULL), SX_OK);
	sx_session_record(session, writer);
	run(&r, trip, session);
	assert_int_equal(sx_capture_finish(writer, NULL, NULL), SX_OK);
	end(&r, session);
}

static void tell_live(const struct trip *trip, char *texts[FORMATS])
{
	struct rig r = {.machine = {.calls = 0}};
	uint32_t count;
	trip->begin(&r);
	struct sx_session *session = open_session(&r.machine.sys, trip, NULL);
	run(&r, trip, session);
	const struct sx_session_device *d = sx_session_devices(session, &count);
	assert_int_equal(count, trip->devices ? trip->devices : 1);
	assert_true(d[0].samples > 3);
	assert_true(!trip->samples || d[0].samples == trip->samples);
	for (size_t f = 0; f < FORMATS; f++)
		texts[f] = note(session, formats[f]);
	end(&r, session);
}

/* Line by line, so that a failure shows the line that differs. */
static void expect_same(const char *name, const char *live, const char *replayed)
{
	while (*live || *replayed) {
		size_t a = strcspn(live, "\n"), b = strcspn(replayed, "\n");
		if (a != b || memcmp(live, replayed, a) != 0)
			fail_msg("%s: live: %.*s\nreplayed: %.*s", name, (int)a, live, (int)b,
				 replayed);
		live += a + (live[a] != '\0');
		replayed += b + (replayed[b] != '\0');
	}
}

static void go(const struct trip *trip)
{
	char *live[FORMATS];
	struct sx_error err = {0};
	tell_live(trip, live);
	record(trip);
	struct sx_session *session = open_session(sys_real(), trip, path);
	enum sx_status status = sx_session_run(session, NULL, NULL, &err);
	if (status != trip->ends)
		fail_msg("%s: status %d: %s", trip->name, status, err.message);
	for (size_t f = 0; f < FORMATS; f++) {
		char *replayed = note(session, formats[f]);
		expect_same(trip->name, live[f], replayed);
		free(replayed);
		free(live[f]);
	}
	sx_session_destroy(session);
}

static void every_source_with_every_option(void **state)
{
	for (size_t i = 0; i < sizeof(trips) / sizeof(trips[0]); i++)
		go(&trips[i]);
}

/* Each of Broadwell's sets: what was programmed is what is read back. */
static void every_set(void **state)
{
	struct sx_catalog *catalog = NULL;
	uint32_t count, seen = 0;
	assert_int_equal(sx_catalog_open(context, "intel-bdw", &catalog, NULL), SX_OK);
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	for (uint32_t g = 0; g < count; g++) {
		struct trip trip = {.name = groups[g].name,
				    .begin = begin_i915,
				    .device = "i915",
				    .set = groups[g].name,
				    .samples = 5};
		if (groups[g].kind != SX_GROUP_SET)
			continue;
		go(&trip);
		seen++;
	}
	assert_true(seen > 20);
	sx_catalog_unref(catalog);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(every_source_with_every_option),
	    cmocka_unit_test(every_set),
	};
	return cmocka_run_group_tests(tests, context_file_open, context_file_close);
}
