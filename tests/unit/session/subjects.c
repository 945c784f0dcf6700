/* See subjects.h. */
#include "unit/session/subjects.h"

#include <stdio.h>

#define XE_PERIOD_NS UINT64_C(13653334) /* the nearest that its timer has */

static bool clean_nvml(const struct rig *r)
{
	return r->nvml.open_libraries == 0;
}

static bool clean_pmu(const struct rig *r)
{
	return r->pmu.open_fds == 0 && !r->pmu.misused;
}

static bool clean_cpu(const struct rig *r)
{
	return r->cpu.open_fds == 0;
}

static bool clean_i915(const struct rig *r)
{
	return r->i915.open_fds == 0 && fake_i915_config_count(&r->i915) == 0;
}

static bool clean_xe(const struct rig *r)
{
	return r->xe.open_fds == 0 && fake_xe_config_count(&r->xe) == 0;
}

static void begin_manual(struct rig *r)
{
	rig_begin_kbase(r);
	r->kbase.version.minor = 12;
}

static bool clean_kbase(const struct rig *r)
{
	return fake_kbase_clean(&r->kbase);
}

/* The program of the session is a process that has the card open until it ends. */
static void begin_tree(struct rig *r)
{
	char text[640];
	snprintf(text, sizeof(text),
		 "process %d 1 1000 program\ndescriptor %d 3 /dev/dri/renderD128\n"
		 "\tdrm-driver:\tamdgpu\n\tdrm-client-id:\t900\n"
		 "\tdrm-engine-gfx:\t{5+500000000/s} ns\n",
		 MACHINE_PID, MACHINE_PID);
	rig_begin_tree(r, text);
}

static bool clean_tree(const struct rig *r)
{
	return r->tree.open_fds == 0;
}

/* The model needs nothing but a clock. */
static bool clean_clock(const struct rig *r)
{
	return true;
}

struct subject subjects[SUBJECTS] = {
    {.name = "cpu",
     .selector = "cpu",
     .metric = "UserTime",
     .begin = rig_begin_cpu,
     .clean = clean_cpu},
    {.name = "i915",
     .selector = "i915_oa",
     .metric = "RenderBasic.EuActive",
     .timer = true,
     .goes = true,
     .begin = rig_begin_i915,
     .clean = clean_i915},
    {.name = "kinstr",
     .selector = "kbase",
     .metric = "MaliGPUActiveCy",
     .goes = true,
     .begin = rig_begin_kbase,
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
     .begin = rig_begin_vinstr,
     .clean = clean_kbase},
    {.name = "model",
     .selector = "mali-g625",
     .metric = "MaliGPUActiveCy",
     .begin = rig_begin_cpu,
     .clean = clean_clock},
    {.name = "pmu",
     .selector = "pmu",
     .metric = "memory_bandwidth",
     .begin = rig_begin_pmu,
     .clean = clean_pmu},
    {.name = "nvml",
     .selector = "nvml",
     .metric = "power",
     .goes = true,
     .begin = rig_begin_nvml,
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
     .begin = rig_begin_i915,
     .clean = clean_i915},
    {.name = "xe",
     .selector = "xe_oa",
     .metric = "RenderBasic.GPU_BUSY",
     .errors = 2, /* its own sweep has the others */
     .period_ns = XE_PERIOD_NS,
     .timer = true,
     .goes = true,
     .begin = rig_begin_xe,
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
     .begin = rig_begin_xe,
     .clean = clean_xe},
};
