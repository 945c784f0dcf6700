/* See scenes.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "unit/analysis/scenes.h"

#define COLUMNS	  8
#define PEAK_MB	  12800.0
#define NOISE	  0.04
#define BUS_BYTES 16.0

const struct scene scenes[SCENES] = {
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

double run_chance(struct run *r)
{
	r->seed = r->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)(r->seed >> 11) / (double)(UINT64_C(1) << 52) - 1;
}

static double noisy(struct run *r, double value)
{
	return value * (1 + r->noise * run_chance(r));
}

struct sx_table *run_add_source(struct run *r, const char *catalog, const char *const *names,
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

size_t run_add_row(struct sx_table *t, uint64_t begin_ns, uint64_t end_ns)
{
	size_t row;
	assert_int_equal(sx_table_add_rows(t, 1, &row, NULL), SX_OK);
	sx_table_set_time(t, row, begin_ns, end_ns);
	return row;
}

void run_put(struct sx_table *t, size_t row, const double *values, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		sx_table_set_f64(t, i, row, values[i],
				 values[i] < 0 ? SX_QUALITY_NOT_COLLECTED : 0);
}

void run_add_frames(struct run *r)
{
	static const char *const names[] = {"Frames", "FrameTime", "ThreadTime", "ThreadWait"};
	struct sx_table *t = run_add_source(r, "opengl", names, 4, SX_SAMPLE_FRAME);
	for (uint64_t at = 0; at < RUN_NS;) {
		double length = r->scene->frame_ms * 1e6 * (1 + r->scene->jitter * run_chance(r));
		if (r->scene->jitter >= 1) /* events that come by chance */
			length =
			    -log((run_chance(r) + 1.001) / 2.002) * r->scene->frame_ms * 1e6 + 1e5;
		size_t row = run_add_row(t, r->begin_ns + at, r->begin_ns + at + (uint64_t)length);
		bool shown = r->scene->cpu >= 0;
		run_put(t, row,
			(double[]){1, length, shown ? noisy(r, length * r->scene->cpu) : -1,
				   shown ? noisy(r, length * r->scene->wait) : -1},
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
	struct sx_table *t = run_add_source(r, catalog, names, count, SX_SAMPLE_TIME);
	for (uint64_t at = 0; at < RUN_NS; at += SLICE_NS) {
		size_t row = run_add_row(t, r->begin_ns + at, r->begin_ns + at + SLICE_NS);
		assert_int_equal(fill(r, (double)SLICE_NS, values), count);
		run_put(t, row, values, count);
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

void run_add_mali(struct run *r)
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

void run_add_intel(struct run *r)
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

void run_add_amd(struct run *r)
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

void run_add_drm(struct run *r)
{
	static const char *const names[] = {"BusyTime", "Throttled", "ThrottledThermal"};
	add_slices(r, "drm", names, 3, drm_fill);
}

void run_begin(struct run *r, const struct scene *scene, uint64_t seed)
{
	*r = (struct run){.scene = scene, .seed = seed, .begin_ns = 1000 * RUN_NS, .noise = NOISE};
	assert_int_equal(sx_context_create(NULL, &r->context, NULL), SX_OK);
}

void run_end(struct run *r)
{
	for (uint32_t i = 0; i < r->count; i++) {
		sx_table_destroy(r->tables[i]);
		sx_catalog_unref(r->catalogs[i]);
	}
	sx_context_destroy(r->context);
}

struct verdict *run_judge(struct run *r)
{
	struct verdict *v = NULL;
	struct sx_error err = {0};
	if (verdict_judge(r->sources, r->count, &v, &err))
		fail_msg("%s", err.message);
	assert_non_null(v);
	return v;
}

void run_expect(const struct run *r, const struct verdict *v, const char *who)
{
	double all = 0;
	for (uint32_t i = 0; i < v->part_count; i++)
		all += v->parts[i].share;
	assert_true(fabs(all - 1) < 1e-9);
	if (strcmp(v->parts[0].name, r->scene->verdict) != 0 || v->parts[0].share < 0.9)
		fail_msg("%s, %s: %s for %.0f %%, not %s", who, r->scene->name, v->parts[0].name,
			 v->parts[0].share * 100, r->scene->verdict);
}
