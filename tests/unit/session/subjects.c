/* See subjects.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "unit/session/subjects.h"

#define XE_PERIOD_NS UINT64_C(13653334) /* the nearest that its timer has */

static void advance_kbase(void *device, uint64_t ns)
{
	fake_kbase_advance(device, ns);
}

static void begin_nvml(struct subject *s)
{
	fake_nvml_init(&s->nvml);
	machine_init(&s->machine, &s->nvml.sys, &s->nvml.now_ns);
}

static bool clean_nvml(struct subject *s)
{
	return s->nvml.open_libraries == 0;
}

static void begin_pmu(struct subject *s)
{
	fake_pmu_init(&s->pmu);
	fake_pmu_uncore(&s->pmu);
	machine_init(&s->machine, &s->pmu.sys, &s->pmu.now_ns);
}

static bool clean_pmu(struct subject *s)
{
	return s->pmu.open_fds == 0 && !s->pmu.misused;
}

static void begin_cpu(struct subject *s)
{
	fake_cpu_init(&s->cpu);
	machine_init(&s->machine, &s->cpu.sys, &s->cpu.now_ns);
}

static bool clean_cpu(struct subject *s)
{
	return s->cpu.open_fds == 0;
}

static void begin_i915(struct subject *s)
{
	fake_i915_init(&s->i915);
	machine_init(&s->machine, &s->i915.sys, &s->i915.now_ns);
}

static bool clean_i915(struct subject *s)
{
	bool clean = s->i915.open_fds == 0 && fake_i915_config_count(&s->i915) == 0;
	fake_i915_finish(&s->i915);
	return clean;
}

static void begin_xe(struct subject *s)
{
	fake_xe_init(&s->xe);
	machine_init(&s->machine, &s->xe.sys, &s->xe.now_ns);
}

static bool clean_xe(struct subject *s)
{
	return s->xe.open_fds == 0 && fake_xe_config_count(&s->xe) == 0;
}

static void begin_kbase(struct subject *s)
{
	fake_kbase_init(&s->kbase);
	machine_init_advance(&s->machine, &s->kbase.sys, &s->kbase, advance_kbase);
}

static void begin_manual(struct subject *s)
{
	begin_kbase(s);
	s->kbase.version.minor = 12;
}

static void begin_vinstr(struct subject *s)
{
	begin_kbase(s);
	s->kbase.version.minor = 12;
	s->kbase.gpu_id = 0xa0040000;
	s->kbase.slots = 64;
}

static bool clean_kbase(struct subject *s)
{
	bool clean = fake_kbase_clean(&s->kbase);
	fake_kbase_finish(&s->kbase);
	return clean;
}

static void advance_tree(void *device, uint64_t ns)
{
	tree_advance(device, ns);
}

/* The program of the session is a process that has the card open until it ends. */
static void begin_tree(struct subject *s)
{
	char path[512], text[640];
	const char *folder = getenv("SEXTANT_TEST_DATA");
	tree_init(&s->tree, NULL);
	snprintf(path, sizeof(path), "%s/drm/steam-deck.tree", folder);
	if (!tree_load(&s->tree, path))
		fail_msg("%s", s->tree.why);
	s->tree.at_ns = 0;
	snprintf(text, sizeof(text),
		 "process %d 1 1000 program\ndescriptor %d 3 /dev/dri/renderD128\n"
		 "\tdrm-driver:\tamdgpu\n\tdrm-client-id:\t900\n"
		 "\tdrm-engine-gfx:\t{5+500000000/s} ns\n",
		 MACHINE_PID, MACHINE_PID);
	if (!tree_add(&s->tree, text))
		fail_msg("%s", s->tree.why);
	machine_init_advance(&s->machine, &s->tree.sys, &s->tree, advance_tree);
}

static bool clean_tree(struct subject *s)
{
	bool clean = s->tree.open_fds == 0;
	tree_finish(&s->tree);
	return clean;
}

/* The model needs nothing but a clock. */
static bool clean_clock(struct subject *s)
{
	return true;
}

struct subject subjects[SUBJECTS] = {
    {.name = "cpu",
     .selector = "cpu",
     .metric = "UserTime",
     .begin = begin_cpu,
     .clean = clean_cpu},
    {.name = "i915",
     .selector = "i915_oa",
     .metric = "RenderBasic.EuActive",
     .timer = true,
     .goes = true,
     .begin = begin_i915,
     .clean = clean_i915},
    {.name = "kinstr",
     .selector = "kbase",
     .metric = "MaliGPUActiveCy",
     .goes = true,
     .begin = begin_kbase,
     .clean = clean_kbase},
    {.name = "manual",
     .selector = "kbase",
     .metric = "MaliGPUActiveCy",
     .goes = true,
     .begin = begin_manual,
     .clean = clean_kbase},
    {.name = "vinstr",
     .selector = "kbase",
     .metric = "MaliGPUActiveCy",
     .goes = true,
     .begin = begin_vinstr,
     .clean = clean_kbase},
    {.name = "model",
     .selector = "mali-g625",
     .metric = "MaliGPUActiveCy",
     .begin = begin_cpu,
     .clean = clean_clock},
    {.name = "pmu",
     .selector = "pmu",
     .metric = "memory_bandwidth",
     .begin = begin_pmu,
     .clean = clean_pmu},
    {.name = "nvml",
     .selector = "nvml",
     .metric = "power",
     .goes = true,
     .begin = begin_nvml,
     .clean = clean_nvml},
    {.name = "drm",
     .selector = "drm",
     .metric = "engine.gfx",
     .begin = begin_tree,
     .clean = clean_tree},
    {.name = "turns",
     .selector = "i915",
     .metric = "RenderBasic.GpuBusy",
     .other = "ComputeBasic.EuActive",
     .errors = 2,
     .faulty_ns = 15 * INTERVAL_NS,
     .timer = true,
     .goes = true,
     .begin = begin_i915,
     .clean = clean_i915},
    {.name = "xe",
     .selector = "xe_oa",
     .metric = "RenderBasic.GPU_BUSY",
     .errors = 2, /* its own sweep has the others */
     .period_ns = XE_PERIOD_NS,
     .timer = true,
     .goes = true,
     .begin = begin_xe,
     .clean = clean_xe},
    {.name = "xe-turns",
     .selector = "xe",
     .metric = "RenderBasic.GPU_BUSY",
     .other = "ComputeBasic.XVE_ACTIVE",
     .errors = 1,
     .faulty_ns = 15 * INTERVAL_NS,
     .period_ns = XE_PERIOD_NS,
     .timer = true,
     .goes = true,
     .begin = begin_xe,
     .clean = clean_xe},
};
