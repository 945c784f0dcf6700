/*
 * The verdict over simulated runs: scenes whose limit is known, told by the counters of four
 * vendors' GPUs beside the program's own, with noise, twenty times each.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>
#include <sextant/context.h>
#include <sextant/lint.h>
#include "analysis/verdict/verdict.h"
#include "catalog/lint/verdict.h"

#define TIMES	  20
#define RUN_NS	  UINT64_C(6000000000)
#define SLICE_NS  UINT64_C(50000000)
#define SOURCES	  3
#define COLUMNS	  8
#define CLOCK_HZ  8e8
#define PEAK_MB	  12800.0
#define NOISE	  0.04
#define BUS_BYTES 16.0

/* Shares of time, 0 to 1; what is negative is not measured. */
struct scene {
	const char *name, *verdict;
	double gpu, cpu, wait, bandwidth, stall, throttled;
	double frame_ms, jitter;
};

static const struct scene scenes[] = {
    {"cpu", "cpu", 0.35, 0.97, 0.02, 0.1, 0.02, 0, 12, 0.1},
    {"cpu on a loaded machine", "cpu", 0.35, 0.82, 0.15, 0.1, 0.02, 0, 20, 0.1},
    {"cpu on an overloaded machine", "crowded", 0.35, 0.55, 0.42, 0.1, 0.02, 0, 20, 0.1},
    {"gpu", "gpu", 0.97, 0.30, 0.01, 0.3, 0.1, 0, 22, 0.1},
    {"turns", "turns", 0.52, 0.47, 0.01, 0.2, 0.05, 0, 20, 0.1},
    {"paced", "paced", 0.35, 0.25, 0.01, 0.1, 0.02, 0, 16.7, 0.02},
    {"even, but faster than any display", "starved", 0.35, 0.25, 0.01, 0.1, 0.02, 0, 0.5, 0.02},
    {"starved", "starved", 0.05, 0.08, 0.01, 0.02, 0, 0, 30, 1},
    {"bandwidth", "bandwidth", 0.95, 0.30, 0.01, 0.92, 0.4, 0, 30, 0.1},
    {"throttled", "throttled", 0.97, 0.30, 0.01, 0.3, 0.1, 1, 30, 0.1},
};
#define GPU_SCENE 3
#define SCENES	  (sizeof(scenes) / sizeof(scenes[0]))

struct run {
	const struct scene *scene;
	uint64_t seed;
	struct sx_context *context;
	struct sx_table *tables[SOURCES];
	struct sx_catalog *catalogs[SOURCES];
	struct sx_metrics_options options[SOURCES];
	struct verdict_source sources[SOURCES];
	uint32_t count;
	uint64_t begin_ns;
	double noise;
};

/* -1 to 1. */
static double chance(struct run *r)
{
	r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)(r->seed >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

static double noisy(struct run *r, double value)
{
	return value * (1 + r->noise * chance(r));
}

static struct sx_table *add_source(struct run *r, const char *catalog, const char *const *names,
				   uint32_t count, enum sx_sample_kind kind)
{
	struct sx_column columns[COLUMNS];
	uint32_t at = r->count++;
	struct sx_error err = {0};
	if (sx_catalog_open(r->context, catalog, &r->catalogs[at], &err))
		fail_msg("%s", err.message);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t n;
		uint32_t c = sx_catalog_find_counter(r->catalogs[at], names[i], SX_NONE, NULL);
		if (c == SX_NONE)
			fail_msg("%s has no %s", catalog, names[i]);
		const struct sx_counter_info *info = &sx_catalog_counters(r->catalogs[at], &n)[c];
		columns[i] = (struct sx_column){.name = names[i],
						.unit = info->unit,
						.type = SX_F64,
						.over_time = info->over_time};
	}
	assert_int_equal(sx_table_create(columns, count, kind, &r->tables[at], NULL), SX_OK);
	r->sources[at] = (struct verdict_source){.catalog = r->catalogs[at],
						 .options = &r->options[at],
						 .rows = r->tables[at],
						 .each = 1,
						 .device = at};
	return r->tables[at];
}

static size_t add_row(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(t, 1, &row, NULL), SX_OK);
	sx_table_set_time(t, row, begin_ns, end_ns);
	return row;
}

static void put(struct sx_table *t, size_t row, const double *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sx_table_set_f64(t, i, row, values[i],
				 values[i] < 0 ? SX_QUALITY_NOT_COLLECTED : 0);
}

/* What the program's side tells: frames, and its busiest thread. */
static void add_frames(struct run *r)
{
	static const char *const names[] = {"Frames", "FrameTime", "ThreadTime", "ThreadWait"};
	struct sx_table *t = add_source(r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t at = 0; at < RUN_NS;) {
		double length = r->scene->frame_ms * 1e6 * (1 + r->scene->jitter * chance(r));
		if (r->scene->jitter >= 1) /* events that come by chance */
			length = -log((chance(r) + 1.001) / 2.002) * r->scene->frame_ms * 1e6 + 1e5;
		size_t row = add_row(t, r->begin_ns + at, r->begin_ns + at + (uint64_t)length);
		bool told = r->scene->cpu >= 0;
		put(t, row,
		    (double[]){1, length, told ? noisy(r, length * r->scene->cpu) : -1,
			       told ? noisy(r, length * r->scene->wait) : -1},
		    4);
		at += (uint64_t)length;
	}
}

/* A slice of time of a vendor's own counters. */
typedef uint32_t (*fill_fn)(struct run *r, double ns, double *values);

static void add_slices(struct run *r, const char *catalog, const char *const *names, uint32_t count,
		       fill_fn fill)
{
	double values[COLUMNS];
	struct sx_table *t = add_source(r, catalog, names, count, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = add_row(t, r->begin_ns + at, r->begin_ns + at + SLICE_NS);
		assert_int_equal(fill(r, (double)SLICE_NS, values), count);
		put(t, row, values, count);
	}
}

/* Bytes that cross the bus in some ns: 10^6 bytes a second are 1e-3 a ns. */
static double traffic(struct run *r, double ns)
{
	return noisy(r, r->scene->bandwidth) * PEAK_MB * 1e-3 * ns;
}

static uint32_t mali_fill(struct run *r, double ns, double *v)
{
	double cycles = ns * CLOCK_HZ / 1e9, active = fmin(noisy(r, r->scene->gpu), 1) * cycles;
	v[0] = active;
	v[1] = traffic(r, ns) * 0.6 / BUS_BYTES;
	v[2] = traffic(r, ns) * 0.4 / BUS_BYTES;
	v[3] = r->scene->stall * active;
	v[4] = r->scene->stall * active / 2;
	return 5;
}

static void add_mali(struct run *r)
{
	static const char *const names[] = {
	    "MaliGPUCyclesGPUActive", "MaliExternalBusBeatsReadBeats",
	    "MaliExternalBusBeatsWriteBeats", "MaliExternalBusStallCyclesReadStall",
	    "MaliExternalBusStallCyclesWriteStall"};
	static const struct sx_constant_value constants[] = {{"gpu_max_clock_hz", CLOCK_HZ},
							     {"MaliConstantsBusWidthBits", 128},
							     {"MaliConstantsL2SliceCount", 1},
							     {"memory_bandwidth_peak", PEAK_MB}};
	r->options[r->count] =
	    (struct sx_metrics_options){.constants = constants, .constant_count = 4};
	add_slices(r, "mali-g625", names, 5, mali_fill);
}

static uint32_t intel_fill(struct run *r, double ns, double *v)
{
	v[0] = ns * CLOCK_HZ / 1e9;
	v[1] = fmin(noisy(r, r->scene->gpu), 1) * v[0];
	v[2] = traffic(r, ns) * 0.6 / 64;
	v[3] = traffic(r, ns) * 0.4 / 64;
	return 4;
}

static void add_intel(struct run *r)
{
	static const char *const names[] = {"GPU_CLOCK", "A0", "C6", "C7"};
	static const struct sx_constant_value constants[] = {{"memory_bandwidth_peak", PEAK_MB}};
	r->options[r->count] = (struct sx_metrics_options){
	    .set = "RenderBasic", .constants = constants, .constant_count = 1};
	add_slices(r, "intel-bdw", names, 4, intel_fill);
}

static uint32_t amd_fill(struct run *r, double ns, double *v)
{
	v[0] = ns * CLOCK_HZ / 1e9;
	v[1] = fmin(noisy(r, r->scene->gpu), 1) * v[0];
	return 2;
}

static void add_amd(struct run *r)
{
	static const char *const names[] = {"GRBM.COUNT", "GRBM.GUI_ACTIVE"};
	add_slices(r, "amd-gcn3", names, 2, amd_fill);
}

static uint32_t drm_fill(struct run *r, double ns, double *v)
{
	v[0] = fmin(noisy(r, r->scene->gpu), 1) * ns;
	v[1] = r->scene->throttled * 100;
	v[2] = r->scene->throttled * 100;
	return 3;
}

static void add_drm(struct run *r)
{
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	add_slices(r, "drm", names, 3, drm_fill);
}

static void begin(struct run *r, const struct scene *scene, uint64_t seed)
{
	*r = (struct run){.scene = scene, .seed = seed, .begin_ns = 1000 * RUN_NS, .noise = NOISE};
	assert_int_equal(sx_context_create(NULL, &r->context, NULL), SX_OK);
}

static void end(struct run *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		sx_table_destroy(r->tables[i]);
		sx_catalog_unref(r->catalogs[i]);
	}
	sx_context_destroy(r->context);
}

static struct verdict *judge(struct run *r)
{
	struct verdict *v = NULL;
	struct sx_error err = {0};
	if (verdict_judge(r->sources, r->count, &v, &err))
		fail_msg("%s", err.message);
	assert_non_null(v);
	return v;
}

static void expect(const struct run *r, const struct verdict *v, const char *who)
{
	double all = 0;
	for (uint32_t i = 0; i < v->part_count; i++)
		all += v->parts[i].share;
	assert_true(fabs(all - 1) < 1e-9);
	if (strcmp(v->parts[0].name, r->scene->verdict) != 0 || v->parts[0].share < 0.9)
		fail_msg("%s, %s: %s for %.0f %%, not %s", who, r->scene->name, v->parts[0].name,
			 v->parts[0].share * 100, r->scene->verdict);
}

/* Which scenes a device can tell at all: traffic and throttling are not everybody's. */
struct vendor {
	const char *name;
	void (*add)(struct run *r);
	bool bandwidth, throttled;
};

static const struct vendor vendors[] = {
    {"mali", add_mali, true, false},
    {"intel", add_intel, true, false},
    {"amd", add_amd, false, false},
    {"drm", add_drm, false, true},
};

static void check_vendor(const struct vendor *vendor, const struct scene *scene)
{
	for (uint64_t seed = 0; seed < TIMES; seed++) {
		struct run r;
		begin(&r, scene, seed);
		add_frames(&r);
		vendor->add(&r);
		struct verdict *v = judge(&r);
		expect(&r, v, vendor->name);
		verdict_destroy(v);
		end(&r);
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
		begin(&r, &idle, 11);
		add_frames(&r);
		add_drm(&r);
		r.options[r.count] =
		    (struct sx_metrics_options){.constants = cpus, .constant_count = 1};
		struct sx_table *t = add_source(&r, "cpu", names, 1, SX_SAMPLE_TIME);
		for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS)
			put(t, add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS),
			    (double[]){tasks}, 1);
		struct verdict *v = judge(&r);
		expect(&r, v, "cpu");
		verdict_destroy(v);
		end(&r);
	}
}

static void test_cannot_tell(void **state)
{
	struct scene half = {"half", "unknown", 0.4, -1, 0, 0.1, 0, 0, 16, 0.02};
	struct run r;
	begin(&r, &half, 1);
	add_mali(&r);
	struct verdict *v = judge(&r);
	assert_string_equal(v->parts[0].name, "unknown");
	assert_non_null(strstr(v->parts[0].because, "busiest thread"));
	assert_non_null(strstr(v->parts[0].advice, "-d cpu"));
	for (uint32_t i = 0; i < v->parts[0].evidence_count; i++) /* a stand-in is no evidence */
		assert_null(strstr(v->parts[0].evidence[i].name, "waiting"));
	assert_true(v->parts[0].confidence == 0);
	verdict_destroy(v);
	end(&r);
	/* The same device at work all the time needs nobody else. */
	half.gpu = 0.99;
	begin(&r, &half, 1);
	add_mali(&r);
	v = judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	/* A highest clock is only a bound of the clock that was. */
	assert_true(v->parts[0].confidence < 0.75);
	verdict_destroy(v);
	end(&r);
}

/* A load at the edge of a rule: with noise of a tenth it crosses the edge all the time. */
static void test_steady_at_the_edge(void **state)
{
	struct scene edge = {"edge", "gpu", 0.85, 0.3, 0, 0.1, 0, 0, 10, 0.02};
	for (uint64_t seed = 0; seed < TIMES; seed++) {
		struct run r;
		begin(&r, &edge, seed);
		add_frames(&r);
		add_drm(&r);
		struct verdict *v = judge(&r);
		assert_false(v->flickers);
		assert_true(v->stretch_count <= 3);
		for (uint32_t i = 0; i < v->stretch_count; i++)
			assert_true(v->stretches[i].windows >= 3);
		verdict_destroy(v);
		end(&r);
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
		begin(&r, &wild, seed);
		wild.gpu = 0.5 + 0.5 * chance(&r);
		wild.cpu = 0.45 + 0.45 * chance(&r);
		wild.wait = 0.2 + 0.2 * chance(&r);
		r.noise = 0.6;
		add_frames(&r);
		add_drm(&r);
		struct verdict *v = judge(&r);
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
		end(&r);
	}
}

/* Two scenes one after the other are two stretches, and the border is where it was. */
static void test_changes(void **state)
{
	struct run r;
	begin(&r, &scenes[0], 3);
	add_frames(&r);
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	struct sx_table *t = add_source(&r, "drm", names, 3, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		double busy = at < RUN_NS / 3 ? 0.2 : 0.99;
		put(t, row, (double[]){busy * (double)SLICE_NS, 0, 0}, 3);
	}
	struct verdict *v = judge(&r);
	assert_int_equal(v->stretch_count, 2);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_string_equal(v->parts[v->stretches[0].part].name, "cpu");
	uint64_t border = v->stretches[0].end_ns - r.begin_ns;
	assert_true(border > RUN_NS / 3 - 2 * v->window_ns &&
		    border < RUN_NS / 3 + 2 * v->window_ns);
	verdict_destroy(v);
	end(&r);
}

/* One window computing, the next two drawing: two thirds and one third, not the first by a hair. */
static void test_flicker_is_told_as_shares(void **state)
{
	struct run r;
	struct scene frames = {"flicker", "", 0, 0.97, 0.01, 0, 0, 0, 5, 0.01};
	begin(&r, &frames, 7);
	add_frames(&r);
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	struct sx_table *t = add_source(&r, "drm", names, 3, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		double busy = at / (2 * SLICE_NS) % 3 ? 0.97 : 0.1;
		put(t, row, (double[]){busy * (double)SLICE_NS, 0, 0}, 3);
	}
	struct verdict *v = judge(&r);
	assert_true(v->flickers);
	assert_int_equal(v->part_count, 2);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_true(fabs(v->parts[0].share - 2.0 / 3) < 0.05);
	assert_string_equal(v->parts[1].name, "cpu");
	assert_true(evidence(&v->parts[0], "gpu") > 95 && evidence(&v->parts[1], "gpu") < 15);
	assert_true(v->stretch_count > 30);
	verdict_destroy(v);
	end(&r);
}

/* Of two GPUs the one that works is meant. */
static void test_two_gpus(void **state)
{
	struct scene idle = scenes[GPU_SCENE];
	struct run r;
	begin(&r, &scenes[GPU_SCENE], 4);
	add_frames(&r);
	add_drm(&r);
	idle.gpu = 0.01;
	r.scene = &idle;
	add_drm(&r);
	struct verdict *v = judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_int_equal(v->parts[0].evidence[0].device, 1);
	verdict_destroy(v);
	end(&r);
}

static void test_without_times(void **state)
{
	struct run r;
	begin(&r, &scenes[0], 5);
	static const char *const names[] = {"Frames", "FrameTime", "CPUTime", "D3DGPUTime"};
	struct sx_table *t = add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (int i = 0; i < 100; i++)
		put(t, add_row(t, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN), (double[]){1, 1e7, 3e6, 9.6e6},
		    4);
	struct verdict *v = judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_int_equal(v->windows, 12);
	assert_int_equal(v->window_ns, 0);
	verdict_destroy(v);
	end(&r);
}

/* To bound the cost of measuring, GPU time is taken in one frame of many. */
/* Samples of kernels enclose work: between them the device has none, which is known. */
static void test_kernels(void **state)
{
	static const char *const cl[] = {"SpanTime"}, *const cpu[] = {"ThreadTime", "ThreadWait"};
	static const char *const verdicts[] = {"gpu", "cpu", "starved"};
	static const double device[] = {0.96, 0.2, 0.03}, host[] = {0.1, 0.97, 0.05};
	for (int i = 0; i < 3; i++) {
		struct run r;
		begin(&r, &scenes[0], 12);
		struct sx_table *k = add_source(&r, "opencl", cl, 1, SX_SAMPLE_KERNEL);
		struct sx_table *t = add_source(&r, "cpu", cpu, 2, SX_SAMPLE_TIME);
		for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
			double length = (double)SLICE_NS * device[i];
			uint64_t from = r.begin_ns + at;
			put(k, add_row(k, from, from + (uint64_t)length), &length, 1);
			if (at % (3 * SLICE_NS) == 0) /* another queue's, at the same time */
				put(k, add_row(k, from, from + (uint64_t)length), &length, 1);
			put(t, add_row(t, from, from + SLICE_NS),
			    (double[]){host[i] * (double)SLICE_NS, 0}, 2);
		}
		struct verdict *v = judge(&r);
		assert_string_equal(v->parts[0].name, verdicts[i]);
		assert_true(v->parts[0].share > 0.95);
		assert_true(fabs(evidence(&v->parts[0], "gpu") - device[i] * 100) < 2);
		verdict_destroy(v);
		end(&r);
	}
}

/* A swap now and then among work that none ends: a few even frames pace nothing. */
static void test_work_between_frames(void **state)
{
	static const char *const names[] = {"Frames", "FrameTime", "ThreadTime", "ThreadWait"};
	static const struct scene idle = {"slices", "starved", 0.35, 0.25, 0.01, 0, 0, 0, 16, 0};
	struct run r;
	begin(&r, &idle, 9);
	struct sx_table *t = add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t at = 0, i = 0; at < RUN_NS; i++) {
		bool frame = i % 3 == 0;
		double length = frame ? 1.6e7 : 1e8;
		size_t row = add_row(t, r.begin_ns + at, r.begin_ns + at + (uint64_t)length);
		put(t, row, (double[]){frame, length, length * idle.cpu, 0}, 4);
		at += (uint64_t)length;
	}
	add_drm(&r);
	struct verdict *v = judge(&r);
	expect(&r, v, "opengl");
	assert_true(evidence(&v->parts[0], "frame.rate") == 0); /* it has none */
	verdict_destroy(v);
	end(&r);
}

static void test_spared_frames(void **state)
{
	struct run r;
	begin(&r, &scenes[GPU_SCENE], 8);
	static const char *const names[] = {"FrameTime", "ThreadTime", "ThreadWait", "D3DGPUTime"};
	struct sx_table *t = add_source(&r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t i = 0; i < RUN_NS / 20000000; i++) {
		uint64_t at = r.begin_ns + i * 20000000;
		size_t row = add_row(t, at, at + 20000000);
		put(t, row, (double[]){2e7, 3e6, 0, 0}, 3);
		sx_table_set_f64(t, 3, row, i % 25 ? 0 : 1.95e7, i % 25 ? SX_QUALITY_SKIPPED : 0);
	}
	struct verdict *v = judge(&r);
	assert_string_equal(v->parts[0].name, "gpu");
	assert_true(v->parts[0].share > 0.99);
	assert_true(fabs(evidence(&v->parts[0], "gpu") - 97.5) < 1);
	verdict_destroy(v);
	end(&r);
}

static void test_nothing(void **state)
{
	struct run r;
	struct verdict *v = (void *)1;
	begin(&r, &scenes[0], 6);
	assert_int_equal(verdict_judge(NULL, 0, &v, NULL), SX_OK);
	assert_null(v);
	static const char *const names[] = {"Frames"};
	add_source(&r, "opengl", names, 1, SX_SAMPLE_FRAME);
	assert_int_equal(verdict_judge(r.sources, r.count, &v, NULL), SX_OK);
	assert_null(v);
	end(&r);
}

/* A value that may have wrapped more than once decides nothing. */
static void test_quality_gates(void **state)
{
	struct run r;
	begin(&r, &scenes[GPU_SCENE], 7);
	add_frames(&r);
	static const char *const names[] = {"BusyTime"};
	struct sx_table *t = add_source(&r, "drm", names, 1, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = add_row(t, r.begin_ns + at, r.begin_ns + at + SLICE_NS);
		sx_table_set_f64(t, 0, row, 0.97 * (double)SLICE_NS, SX_QUALITY_WRAPPED);
	}
	struct verdict *v = judge(&r);
	assert_string_equal(v->parts[0].name, "unknown");
	verdict_destroy(v);
	end(&r);
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
	    cmocka_unit_test(test_nothing),
	    cmocka_unit_test(test_quality_gates),
	    cmocka_unit_test(test_rules_are_checked),
	    cmocka_unit_test(test_lint),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
