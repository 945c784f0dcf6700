/*
 * The verdict over simulated runs: scenes with a known limit, counters of four vendors'
 * GPUs and of the program, with noise, twenty times each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/lint.h>
#include "catalog/lint/lint.h"
#include "unit/analysis/scenes.h"

#define TIMES 20

/* Scenes that a device can recognise: not every device has counters of traffic or throttling. */
struct vendor {
	const char *name;
	void (*add)(struct run *r);
	bool bandwidth, throttled;
};

/* Its kernel driver reports the clock: cycles over the highest one are a bound. */
static void add_mali_and_clock(struct run *r)
{
	static const char *const names[] = {"Clock"};
	run_add_mali(r);
	struct sx_table *t = run_add_source(r, "drm", names, 1, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS)
		run_put(t, run_add_row(t, r->begin_ns + at, r->begin_ns + at + SLICE_NS),
			(double[]){CLOCK_HZ}, 1);
}

static const struct vendor vendors[] = {
    {"mali", add_mali_and_clock, true, false},
    {"intel", run_add_intel, true, false},
    {"amd", run_add_amd, false, false},
    {"drm", run_add_drm, false, true},
};

static void check_vendor(const struct vendor *vendor, const struct scene *scene)
{
	for (uint64_t seed = 0; seed < TIMES; seed++) {
		struct run r;
		run_begin(&r, scene, seed);
		run_add_frames(&r);
		vendor->add(&r);
		struct verdict *v = run_judge(&r);
		run_expect(&r, v, vendor->name);
		verdict_destroy(v);
		run_end(&r);
	}
}

static void test_every_vendor(void **state)
{
	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		for (size_t s = 0; s < SCENES; s++)
			if ((scenes[s].throttled == 0 || vendors[i].throttled) &&
			    (scenes[s].bandwidth < 0.8 || vendors[i].bandwidth))
				check_vendor(&vendors[i], &scenes[s]);
}

/* What an idle program waits for may itself wait for a CPU: that is not want of work. */
static void test_idle_on_an_overloaded_machine(void **state)
{
	static const char *const names[] = {"Runnable"};
	static const struct sx_constant_value cpus[] = {{"cpus", 2}};
	for (int tasks = 1; tasks <= 6; tasks += 5) {
		struct scene idle = {
		    "idle", tasks > 2 ? "crowded" : "starved", 0.05, 0.08, 0.02, 0, 0, 0, 30, 1};
		struct run r;
		run_begin(&r, &idle, 11);
		run_add_frames(&r);
		run_add_drm(&r);
		r.options[r.count] =
		    (struct sx_metrics_options){.constants = cpus, .constant_count = 1};
		struct sx_table *t = run_add_source(&r, "cpu", names, 1, SX_SAMPLE_TIME);
		for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS)
			run_put(t, run_add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS),
				(double[]){tasks}, 1);
		struct verdict *v = run_judge(&r);
		run_expect(&r, v, "cpu");
		verdict_destroy(v);
		run_end(&r);
	}
}

/*
 * Frames of 16.7 ms, each length off by `jitter`: the shares of the time of each side, of all
 * threads of the program beside the rasteriser's, and of any at all; any < 0: a GPU's, of which
 * only each side's time is known.
 */
struct ticking {
	double gpu, cpu, own, any, jitter;
	const char *verdict;
};

/* `each`: frames that a row combines. */
static void check_ticking(const struct ticking *t, uint64_t each)
{
	static const char *const names[] = {"Frames",	     "FrameTime",	 "ThreadTime",
					    "D3DGPUTime",    "RasterThreadTime", "CPUTime",
					    "RasterCPUTime", "AnyThreadTime"};
	static const struct scene ticks = {.name = "ticks", .frame_ms = 16.7};
	struct run r;
	run_begin(&r, &ticks, 5);
	bool known = t->any >= 0;
	struct sx_table *table = run_add_source(&r, "opengl", names, 8, SX_SAMPLE_FRAME);
	for (uint64_t at = 0; at < RUN_NS;) {
		double length = 16.7e6 * (1 + t->jitter * run_chance(&r));
		size_t row =
		    run_add_row(table, r.begin_ns + at, r.begin_ns + at + (uint64_t)length);
		double raster = known ? length * t->gpu : -1;
		run_put(table, row,
			(double[]){1, length, length * t->cpu, length * t->gpu, raster,
				   length * (t->own + (known ? t->gpu : 0)), raster,
				   length * t->any},
			8);
		at += (uint64_t)length;
	}
	r.sources[0].each = each;
	struct verdict *v = run_judge(&r);
	if (strcmp(v->parts[0].name, t->verdict) != 0 || v->parts[0].share < 0.99)
		fail_msg("gpu %g, cpu %g, any %g, jitter %g: %s, not %s", t->gpu, t->cpu, t->any,
			 t->jitter, v->parts[0].name, t->verdict);
	verdict_destroy(v);
	run_end(&r);
}

/* Both sides at once, and then a rest: that is no waiting for each other, whatever the sum is. */
static void test_at_once_or_one_after_the_other(void **state)
{
	static const struct ticking cases[] = {
	    {0.6, 0.6, 0.6, 0.62, 0, "paced"},
	    {0.3, 0.7, 0.7, 0.72, 0, "paced"},
	    {0.5, 0.49, 0.49, 0.99, 0, "turns"},
	    {0.6, 0.6, 0.6, 0.99, 0, "turns"},
	    {0.47, 0.47, 0.47, 0.94, 0, "unknown"},    /* and a rest in every frame */
	    {0.47, 0.47, 0.47, 0.94, 0.1, "turns"},    /* which no timer sets */
	    {0.42, 0.44, 0.44, 0.86, 0.1, "turns"},    /* and a display server that copies */
	    {0.42, 0.44, 0.44, 0.86, 0.01, "unknown"}, /* a rest too short to be certain */
	    {0.40, 0.42, 0.42, 0.82, 0.01, "paced"},
	    {0.82, 0.3, 0.3, 0.9, 0.1, "unknown"}, /* enough to stay the GPU's, not to begin */
	    {0.5, 0.49, 0.9, 0.99, 0, "unknown"},  /* others may be what fills the time */
	    {0.97, 0.6, 0.6, 0.98, 0, "gpu"},
	    {0.6, 0.97, 0.97, 0.98, 0, "cpu"},
	    {0.5, 0.49, 0.49, -1, 0, "unknown"},
	    {0.5, 0.49, 0.49, -1, 0.1, "turns"},
	    {0.6, 0.6, 0.6, -1, 0.1, "unknown"}, /* at once: more than there is time */
	    {0.4, 0.4, 0.4, -1, 0, "paced"},
	    {0.1, 0.48, 0.96, 0.97, 0, "unknown"}, /* two threads in turn: there is no rest */
	    {0.1, 0.48, 0.96, 0.6, 0, "paced"},	   /* at once */
	    {0.1, 0.1, 0.1, 0.2, 0.12, "paced"},
	    {0.1, 0.1, 0.1, 0.2, 0.67, "starved"}, /* sleeps of 5 to 28 ms */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		check_ticking(&cases[i], 1);
	/* Sums of frames differ less than frames do. */
	check_ticking(&(struct ticking){0.1, 0.1, 0.1, 0.2, 0.2, "starved"}, 16);
}

/* Frames that come in a pattern: what several have in common is not what single ones are. */
static void test_a_pattern_is_no_pace(void **state)
{
	static const char *const names[] = {"Frames", "FrameTime", "ThreadTime", "D3DGPUTime"};
	static const struct {
		double ms[5];
		size_t count;
		const char *verdict;
		double least, most; /* of the spread */
	} cases[] = {
	    {{16.7}, 1, "paced", 0, 0.1},
	    {{8, 25}, 2, "starved", 51, 213},		       /* four together are even */
	    {{16.7, 16.7, 30, 16.7, 5}, 5, "starved", 69, 80}, /* and most are alike */
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene = {.name = "pattern", .frame_ms = 16.7};
		struct run r;
		run_begin(&r, &scene, 1);
		struct sx_table *t = run_add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
		uint64_t at = 0;
		for (size_t f = 0; at < RUN_NS; f++) {
			double length = cases[i].ms[f % cases[i].count] * 1e6;
			run_put(t,
				run_add_row(t, r.begin_ns + at, r.begin_ns + at + (uint64_t)length),
				(double[]){1, length, length * 0.4, length * 0.3}, 4);
			at += (uint64_t)length;
		}
		struct verdict *v = run_judge(&r);
		const struct verdict_part *part = &v->parts[0];
		double spread = -1;
		for (uint32_t e = 0; e < part->evidence_count; e++)
			if (strcmp(part->evidence[e].name, "frame.spread") == 0)
				spread = part->evidence[e].value;
		if (strcmp(part->name, cases[i].verdict) != 0 || !(spread >= cases[i].least) ||
		    !(spread <= cases[i].most))
			fail_msg("case %zu: %s, frames vary by %g %%", i, part->name, spread);
		verdict_destroy(v);
		run_end(&r);
	}
}

/* What is missing then is said, with what shows it. */
static void test_a_sum_that_a_timer_may_have_made(void **state)
{
	static const struct scene even = {"even", "unknown", 0.52, 0.47, 0, 0.1, 0, 0, 16.7, 0};
	struct run r;
	(void)state;
	run_begin(&r, &even, 1);
	run_add_frames(&r);
	run_add_drm(&r);
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "unknown");
	assert_non_null(strstr(v->parts[0].because, "only the sum of their time is known"));
	assert_non_null(strstr(v->parts[0].advice, "without a frame limit"));
	verdict_destroy(v);
	run_end(&r);
}

/* A bound decides in its own direction alone: of all threads together, or of the highest clock. */
static void test_bounds(void **state)
{
	static const char *const names[] = {"Frames", "FrameTime", "CPUTime", "D3DGPUTime"};
	static const struct {
		double cpu, gpu, mali; /* shares of time; < 0: not measured */
		const char *verdict, *says;
	} cases[] = {
	    {0.9, 0.4, -1, "unknown", "busiest thread: CPU time of all threads, an upper bound"},
	    {0.4, 0.3, -1, "paced", ""},
	    {0.9, 0.97, -1, "unknown",
	     "GPU at work: from the first command"}, /* gaps may be most of the GPU's time */
	    {0.4, 0.97, -1, "gpu", ""},
	    {0.3, -1, 0.3, "unknown", "GPU at work: cycles at work over the highest clock"},
	    {0.3, -1, 0.97, "gpu", ""},
	};
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct scene scene = {"bounds", "", cases[i].mali, 0, 0, 0.1, 0, 0, 16.7, 0};
		struct run r;
		run_begin(&r, &scene, 1);
		if (cases[i].mali >= 0)
			run_add_mali(&r);
		struct sx_table *t = run_add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
		for (uint64_t at = 0; at < RUN_NS; at += 16700000)
			run_put(t, run_add_row(t, r.begin_ns + at, r.begin_ns + at + 16700000),
				(double[]){1, 16.7e6, cases[i].cpu * 16.7e6, cases[i].gpu * 16.7e6},
				4);
		struct verdict *v = run_judge(&r);
		const char *because = v->parts[0].because ? v->parts[0].because : "";
		if (strcmp(v->parts[0].name, cases[i].verdict) != 0 ||
		    !strstr(because, cases[i].says))
			fail_msg("case %zu: %s, %s", i, v->parts[0].name, because);
		/* Even frames and a GPU time with gaps are what waits for a display look like. */
		if (strcmp(cases[i].verdict, "gpu") == 0 && cases[i].mali < 0)
			assert_true(v->parts[0].confidence < VERDICT_MEDIUM);
		verdict_destroy(v);
		run_end(&r);
	}
}

static void test_cannot_tell(void **state)
{
	struct scene half = {"half", "unknown", 0.4, -1, 0, 0.1, 0, 0, 16, 0.02};
	struct run r;
	run_begin(&r, &half, 1);
	run_add_mali(&r);
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "unknown");
	assert_non_null(strstr(v->parts[0].because, "busiest thread"));
	assert_non_null(strstr(v->parts[0].advice, "-d cpu"));
	for (uint32_t i = 0; i < v->parts[0].evidence_count; i++) /* a substitute is no evidence */
		assert_null(strstr(v->parts[0].evidence[i].name, "waiting"));
	assert_true(v->parts[0].confidence == 0);
	verdict_destroy(v);
	r.sources[0].imported = true; /* an option measures nothing of a file */
	v = run_judge(&r);
	assert_non_null(strstr(v->parts[0].advice, "sextant record -- PROGRAM"));
	verdict_destroy(v);
	run_end(&r);
	/* The same device, busy all the time, needs no other source. */
	half.gpu = 0.99;
	run_begin(&r, &half, 1);
	run_add_mali(&r);
	v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	/* A highest clock is only a bound of the clock that was. */
	assert_true(v->parts[0].confidence < 0.75);
	verdict_destroy(v);
	run_end(&r);
}

/* A load at the edge of a rule: with noise of a tenth it crosses the edge all the time. */
static void test_steady_at_the_edge(void **state)
{
	struct scene edge = {"edge", "gpu", 0.85, 0.3, 0, 0.1, 0, 0, 10, 0.02};
	for (uint64_t seed = 0; seed < TIMES; seed++) {
		struct run r;
		run_begin(&r, &edge, seed);
		run_add_frames(&r);
		run_add_drm(&r);
		struct verdict *v = run_judge(&r);
		assert_false(v->flickers);
		assert_true(v->stretch_count <= 3);
		for (uint32_t i = 0; i < v->stretch_count; i++)
			assert_true(v->stretches[i].windows >= 3);
		verdict_destroy(v);
		run_end(&r);
	}
}

static double evidence(const struct verdict_part *part, const char *name)
{
	for (uint32_t i = 0; i < part->evidence_count; i++)
		if (strcmp(part->evidence[i].name, name) == 0)
			return part->evidence[i].value;
	return 0;
}

/* Whatever the noise does: what a verdict shows as its evidence does not speak against it. */
static void test_evidence_agrees(void **state)
{
	for (uint64_t seed = 0; seed < 10 * TIMES; seed++) {
		struct run r;
		struct scene wild = {"wild", "", 0, 0, 0, 0.1, 0, 0, 14, 0.3};
		run_begin(&r, &wild, seed);
		wild.gpu = 0.5 + 0.5 * run_chance(&r);
		wild.cpu = 0.45 + 0.45 * run_chance(&r);
		wild.wait = 0.2 + 0.2 * run_chance(&r);
		r.noise = 0.6;
		run_add_frames(&r);
		run_add_drm(&r);
		struct verdict *v = run_judge(&r);
		for (uint32_t i = 0; i < v->part_count; i++) {
			const struct verdict_part *p = &v->parts[i];
			double gpu = evidence(p, "gpu"), cpu = evidence(p, "cpu");
			double wait = evidence(p, "cpu.waiting");
			if (p->confidence <= 0.3) /* all of it was overruled */
				continue;
			if (strcmp(p->name, "starved") == 0 && (gpu > 85 || cpu > 85))
				fail_msg("starved, but gpu %g, cpu %g", gpu, cpu);
			if (strcmp(p->name, "gpu") == 0 && gpu < 70)
				fail_msg("bound by a GPU at %g", gpu);
			if (strcmp(p->name, "cpu") == 0 && cpu + wait < 70)
				fail_msg("bound by a CPU at %g, waiting %g", cpu, wait);
			if (strcmp(p->name, "crowded") == 0 && wait < 10)
				fail_msg("crowded, but waiting %g", wait);
		}
		verdict_destroy(v);
		run_end(&r);
	}
}

/* Two scenes one after the other are two stretches, and the border is where it was. */
static void test_changes(void **state)
{
	struct run r;
	run_begin(&r, &scenes[0], 3);
	run_add_frames(&r);
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	struct sx_table *t = run_add_source(&r, "drm", names, 3, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = run_add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		double busy = at < RUN_NS / 3 ? 0.2 : 0.99;
		run_put(t, row, (double[]){busy * (double)SLICE_NS, 0, 0}, 3);
	}
	struct verdict *v = run_judge(&r);
	assert_int_equal(v->stretch_count, 2);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_string_equal(v->parts[v->stretches[0].part].name, "cpu");
	uint64_t border = v->stretches[0].end_ns - r.begin_ns;
	assert_true(border > RUN_NS / 3 - 2 * v->window_ns &&
		    border < RUN_NS / 3 + 2 * v->window_ns);
	verdict_destroy(v);
	run_end(&r);
}

/* One window computing, the next two drawing: two thirds and one third, not the first by a hair. */
static void test_flicker_is_told_as_shares(void **state)
{
	struct run r;
	struct scene frames = {"flicker", "", 0, 0.97, 0.01, 0, 0, 0, 5, 0.01};
	run_begin(&r, &frames, 7);
	run_add_frames(&r);
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	struct sx_table *t = run_add_source(&r, "drm", names, 3, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = run_add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		double busy = at / (2 * SLICE_NS) % 3 ? 0.97 : 0.1;
		run_put(t, row, (double[]){busy * (double)SLICE_NS, 0, 0}, 3);
	}
	struct verdict *v = run_judge(&r);
	assert_true(v->flickers);
	assert_int_equal(v->part_count, 2);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_true(fabs(v->parts[0].share - 2.0 / 3) < 0.05);
	assert_string_equal(v->parts[1].name, "cpu");
	assert_true(evidence(&v->parts[0], "gpu") > 95 && evidence(&v->parts[1], "gpu") < 15);
	assert_true(v->stretch_count > 30);
	verdict_destroy(v);
	run_end(&r);
}

/* Of two GPUs the one that works is meant. */
static void test_two_gpus(void **state)
{
	struct scene idle = scenes[GPU_SCENE];
	struct run r;
	run_begin(&r, &scenes[GPU_SCENE], 4);
	run_add_frames(&r);
	run_add_drm(&r);
	idle.gpu = 0.01;
	r.scene = &idle;
	run_add_drm(&r);
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_int_equal(v->parts[0].evidence[0].device, 1);
	verdict_destroy(v);
	run_end(&r);
}

static void test_without_times(void **state)
{
	struct run r;
	run_begin(&r, &scenes[0], 5);
	static const char *const names[] = {"Frames", "FrameTime", "CPUTime", "D3DGPUTime"};
	struct sx_table *t = run_add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (int i = 0; i < 100; i++)
		run_put(t, run_add_row(t, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN),
			(double[]){1, 1e7, 3e6, 9.6e6}, 4);
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_int_equal(v->windows, 12);
	assert_int_equal(v->window_ns, 0);
	verdict_destroy(v);
	run_end(&r);
}

/* Samples of kernels enclose work: between them the device has none, which is known. */
static void test_kernels(void **state)
{
	static const char *const cl[] = {"SpanTime"}, *const cpu[] = {"ThreadTime", "ThreadWait"};
	static const char *const verdicts[] = {"gpu", "cpu", "starved"};
	static const double device[] = {0.96, 0.2, 0.03}, host[] = {0.1, 0.97, 0.05};
	for (int i = 0; i < 3; i++) {
		struct run r;
		run_begin(&r, &scenes[0], 12);
		struct sx_table *k = run_add_source(&r, "opencl", cl, 1, SX_SAMPLE_KERNEL);
		struct sx_table *t = run_add_source(&r, "cpu", cpu, 2, SX_SAMPLE_TIME);
		for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
			double length = (double)SLICE_NS * device[i];
			uint64_t from = r.begin_ns + at;
			run_put(k, run_add_row(k, from, from + (uint64_t)length), &length, 1);
			if (at % (3 * SLICE_NS) == 0) /* another queue's, at the same time */
				run_put(k, run_add_row(k, from, from + (uint64_t)length), &length,
					1);
			run_put(t, run_add_row(t, from, from + SLICE_NS),
				(double[]){host[i] * (double)SLICE_NS, 0}, 2);
		}
		struct verdict *v = run_judge(&r);
		assert_string_equal(v->parts[0].name, verdicts[i]);
		assert_true(v->parts[0].share > 0.95);
		assert_true(fabs(evidence(&v->parts[0], "gpu") - device[i] * 100) < 2);
		verdict_destroy(v);
		run_end(&r);
	}
}

/* Commands without times: skipped ones are estimated from the others, if there are any. */
static void test_kernels_without_times(void **state)
{
	static const char *const cl[] = {"BusyTime"};
	static const uint8_t why[] = {SX_QUALITY_SKIPPED, SX_QUALITY_NOT_COLLECTED};
	for (int i = 0; i < 2; i++) {
		struct run r;
		run_begin(&r, &scenes[0], 12);
		struct sx_table *k = run_add_source(&r, "opencl", cl, 1, SX_SAMPLE_KERNEL);
		for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
			double length = (double)SLICE_NS * 0.24;
			uint64_t from = r.begin_ns + at;
			run_put(k, run_add_row(k, from, from + (uint64_t)length), &length, 1);
			for (uint64_t n = 1; n < 4; n++) {
				uint64_t moment = from + n * SLICE_NS / 4;
				size_t row = run_add_row(k, moment, moment);
				sx_table_set_f64(k, 0, row, 0, why[i]);
			}
		}
		struct verdict *v = run_judge(&r);
		assert_true(v->part_count > 0);
		double gpu = evidence(&v->parts[0], "gpu");
		assert_true(i ? gpu == 0 : fabs(gpu - 96) < 2);
		verdict_destroy(v);
		run_end(&r);
	}
}

/* A swap now and then among work that none ends: a few even frames pace nothing. */
static void test_work_between_frames(void **state)
{
	static const char *const names[] = {"Frames", "FrameTime", "ThreadTime", "ThreadWait"};
	static const struct scene idle = {"slices", "starved", 0.35, 0.25, 0.01, 0, 0, 0, 16, 0};
	struct run r;
	run_begin(&r, &idle, 9);
	struct sx_table *t = run_add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t at = 0, i = 0; at < RUN_NS; i++) {
		bool frame = i % 3 == 0;
		double length = frame ? 1.6e7 : 1e8;
		size_t row = run_add_row(t, r.begin_ns + at, r.begin_ns + at + (uint64_t)length);
		run_put(t, row, (double[]){frame, length, length * idle.cpu, 0}, 4);
		at += (uint64_t)length;
	}
	run_add_drm(&r);
	struct verdict *v = run_judge(&r);
	run_expect(&r, v, "opengl");
	assert_true(evidence(&v->parts[0], "frame.rate") == 0); /* it has none */
	verdict_destroy(v);
	run_end(&r);
}

/* To bound the cost of measuring, GPU time is taken in one frame of many. */
static void test_spared_frames(void **state)
{
	struct run r;
	run_begin(&r, &scenes[GPU_SCENE], 8);
	static const char *const names[] = {"FrameTime", "ThreadTime", "ThreadWait", "D3DGPUTime"};
	struct sx_table *t = run_add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t i = 0; i < RUN_NS / 20000000; i++) {
		uint64_t at = r.begin_ns + i * 20000000;
		size_t row = run_add_row(t, at, at + 20000000);
		run_put(t, row, (double[]){2e7, 3e6, 0, 0}, 3);
		sx_table_set_f64(t, 3, row, i % 25 ? 0 : 1.95e7, i % 25 ? SX_QUALITY_SKIPPED : 0);
	}
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_true(v->parts[0].share > 0.99);
	assert_true(fabs(evidence(&v->parts[0], "gpu") - 97.5) < 1);
	verdict_destroy(v);
	run_end(&r);
}

static void test_nothing(void **state)
{
	struct run r;
	struct verdict *v = (void *)1;
	run_begin(&r, &scenes[0], 6);
	assert_int_equal(verdict_judge(NULL, 0, &v, NULL), SX_OK);
	assert_null(v);
	static const char *const names[] = {"Frames"};
	run_add_source(&r, "opengl", names, 1, SX_SAMPLE_FRAME);
	assert_int_equal(verdict_judge(r.sources, r.count, &v, NULL), SX_OK);
	assert_null(v);
	run_end(&r);
}

/* A value that may have wrapped more than once decides nothing. */
static void test_quality_gates(void **state)
{
	struct run r;
	run_begin(&r, &scenes[GPU_SCENE], 7);
	run_add_frames(&r);
	static const char *const names[] = {"BusyTime"};
	struct sx_table *t = run_add_source(&r, "drm", names, 1, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = run_add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		sx_table_set_f64(t, 0, row, 0.97 * (double)SLICE_NS, SX_QUALITY_WRAPPED);
	}
	struct verdict *v = run_judge(&r);
	assert_string_equal(v->parts[0].name, "unknown");
	verdict_destroy(v);
	run_end(&r);
}

static void test_rules_are_checked(void **state)
{
	static const char *const bad[] = {
	    "facts: []\nverdicts: []\n",
	    "window: {time_ms: 0, frames: 1, most: 1, steady: 1}\nfacts: []\nverdicts: []\n",
	    "window: {time_ms: 1, frames: 1, most: 1, steady: 1}\nfacts: [{name: a, title: t, "
	    "unit: percent, from: [{expr: \"1 +\"}]}]\nverdicts: []\n",
	    "window: {time_ms: 1, frames: 1, most: 1, steady: 1}\nfacts: [{name: a, title: t, "
	    "unit: percent, from: [{expr: \"1\", trust: 2}]}]\nverdicts: []\n",
	    "window: {time_ms: 1, frames: 1, most: 1, steady: 1}\nfacts: []\nverdicts: [{name: v, "
	    "title: t, when: \"1\", keep: \"1\", needs: [b], evidence: [], advice: x}]\n",
	};
	struct verdict_rules rules;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct sx_error err = {0};
		assert_int_equal(
		    verdict_rules_parse(bad[i], strlen(bad[i]), "t.yaml", &rules, &err),
		    SX_ERR_BAD_INPUT);
		assert_non_null(strstr(err.message, "t.yaml:"));
	}
	assert_int_equal(verdict_rules_read(&rules, NULL), SX_OK);
	assert_true(rules.rule_count >= 7);
	verdict_rules_finish(&rules);
}

static void keep_finding(void *user, const struct sx_lint_finding *finding)
{
	snprintf(user, 256, "%s", finding->message);
}

static void test_lint(void **state)
{
#define HEAD		 "window: {time_ms: 1, frames: 1, most: 1, steady: 1}\n"
#define FACT(name, expr) "{name: " name ", title: t, unit: percent, from: [{expr: \"" expr "\"}]}"
#define RULE(when, needs)                                                                          \
	"verdicts: [{name: v, title: t, when: \"" when "\", keep: \"a > 0\", needs: [" needs       \
	"], evidence: [], advice: x}]\n"
	static const struct {
		const char *text, *says;
	} cases[] = {
	    {HEAD "facts: [" FACT("a", "gpu.busy") "]\n" RULE("a > 1", "a"), NULL},
	    {HEAD "facts: [" FACT("a", "gpu.bussy") "]\n" RULE("a > 1", "a"), "gpu.bussy"},
	    {HEAD "facts: [" FACT("a", "no_such_constant") "]\n" RULE("a > 1", "a"),
	     "no_such_constant"},
	    {HEAD "facts: [" FACT("a", "gpu_max_clock_hz") "]\n" RULE("a > 1", "a"), NULL},
	    {HEAD "facts: [" FACT("a", "gpu.busy") "]\n" RULE("b > 1", "a"), "no fact \"b\""},
	    {HEAD "facts: [" FACT("a", "gpu.busy") "]\n" RULE("a > 1", ""), "needs do not name"},
	    {HEAD "facts: [" FACT("a", "gpu.busy") ", " FACT("b", "a + 1") "]\n" RULE("b > 1", "a"),
	     NULL},
	    {HEAD
	     "facts: [" FACT("a", "gpu.busy") ", " FACT("b", "gpu.busy") "]\n" RULE("a > 1", "a"),
	     "no rule uses"},
	};
	struct sx_context *context;
	uint32_t count;
	assert_int_equal(sx_context_create(NULL, &context, NULL), SX_OK);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char said[256] = "";
		const struct verdict_lint_request text = {cases[i].text, strlen(cases[i].text),
							  "t.yaml", keep_finding, said};
		assert_int_equal(verdict_lint(context, &text, &count, NULL), SX_OK);
		if (!cases[i].says != !count || (count && !strstr(said, cases[i].says)))
			fail_msg("case %zu: %u findings: %s", i, count, said);
	}
	char said[256] = "";
	const struct sx_lint_request embedded = {"verdict", keep_finding, said};
	assert_int_equal(sx_catalog_lint(context, &embedded, &count, NULL), SX_OK);
	if (count)
		fail_msg("the embedded rules: %s", said);
	sx_context_destroy(context);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_every_vendor),
	    cmocka_unit_test(test_idle_on_an_overloaded_machine),
	    cmocka_unit_test(test_at_once_or_one_after_the_other),
	    cmocka_unit_test(test_a_pattern_is_no_pace),
	    cmocka_unit_test(test_a_sum_that_a_timer_may_have_made),
	    cmocka_unit_test(test_bounds),
	    cmocka_unit_test(test_cannot_tell),
	    cmocka_unit_test(test_steady_at_the_edge),
	    cmocka_unit_test(test_evidence_agrees),
	    cmocka_unit_test(test_changes),
	    cmocka_unit_test(test_flicker_is_told_as_shares),
	    cmocka_unit_test(test_two_gpus),
	    cmocka_unit_test(test_without_times),
	    cmocka_unit_test(test_work_between_frames),
	    cmocka_unit_test(test_spared_frames),
	    cmocka_unit_test(test_kernels),
	    cmocka_unit_test(test_kernels_without_times),
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_quality_gates),
	    cmocka_unit_test(test_rules_are_checked),
	    cmocka_unit_test(test_lint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
