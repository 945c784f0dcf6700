/* See rig.h. */
#include "unit/session/rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

void rig_begin_cpu(struct rig *r)
{
	fake_cpu_init(&r->cpu);
	machine_init(&r->machine, &r->cpu.sys, &r->cpu.now_ns);
}

void rig_begin_i915(struct rig *r)
{
	fake_i915_init(&r->i915);
	machine_init(&r->machine, &r->i915.sys, &r->i915.now_ns);
}

static void advance_kbase(void *device, uint64_t ns)
{
	fake_kbase_advance(device, ns);
}

void rig_begin_kbase(struct rig *r)
{
	fake_kbase_init(&r->kbase);
	machine_init_advance(&r->machine, &r->kbase.sys, &r->kbase, advance_kbase);
}

void rig_begin_vinstr(struct rig *r)
{
	rig_begin_kbase(r);
	r->kbase.version.minor = 12;
	r->kbase.gpu_id = 0xa0040000;
	r->kbase.slots = 64;
}

void rig_begin_pmu(struct rig *r)
{
	fake_pmu_init(&r->pmu);
	fake_pmu_uncore(&r->pmu);
	machine_init(&r->machine, &r->pmu.sys, &r->pmu.now_ns);
}

void rig_begin_nvml(struct rig *r)
{
	fake_nvml_init(&r->nvml);
	machine_init(&r->machine, &r->nvml.sys, &r->nvml.now_ns);
}

void rig_begin_xe(struct rig *r)
{
	fake_xe_init(&r->xe);
	machine_init(&r->machine, &r->xe.sys, &r->xe.now_ns);
}

static void advance_tree(void *device, uint64_t ns)
{
	tree_advance(device, ns);
}

void rig_begin_tree(struct rig *r, const char *more)
{
	char path[512];
	tree_init(&r->tree, NULL);
	snprintf(path, sizeof(path), "%s/drm/steam-deck.tree", getenv("SEXTANT_TEST_DATA"));
	if (!tree_load(&r->tree, path))
		fail_msg("%s", r->tree.why);
	r->tree.at_ns = 0;
	if (more && !tree_add(&r->tree, more))
		fail_msg("%s", r->tree.why);
	machine_init_advance(&r->machine, &r->tree.sys, &r->tree, advance_tree);
}

void rig_finish(struct rig *r)
{
	fake_i915_finish(&r->i915);
	fake_kbase_finish(&r->kbase);
	tree_finish(&r->tree);
}
