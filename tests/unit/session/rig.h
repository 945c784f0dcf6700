/* A fake machine around one of the fake devices, as sessions meet it. */
#ifndef UNIT_SESSION_RIG_H
#define UNIT_SESSION_RIG_H

#include "devices/cpu.h"
#include "devices/i915_oa.h"
#include "devices/kbase.h"
#include "devices/machine.h"
#include "devices/nvml.h"
#include "devices/pmu.h"
#include "devices/tree.h"
#include "devices/xe_oa.h"

#define NS_PER_MS UINT64_C(1000000)

/* One of the devices is used. */
struct rig {
	struct machine machine;
	struct fake_cpu cpu;
	struct fake_i915 i915;
	struct fake_kbase kbase;
	struct fake_pmu pmu;
	struct fake_nvml_machine nvml;
	struct fake_xe xe;
	struct tree tree;
};

void rig_begin_cpu(struct rig *r);
void rig_begin_i915(struct rig *r);
void rig_begin_kbase(struct rig *r);  /* with kinstr */
void rig_begin_vinstr(struct rig *r); /* an older driver and GPU */
void rig_begin_pmu(struct rig *r);
void rig_begin_nvml(struct rig *r);
void rig_begin_xe(struct rig *r);
/* A card of amdgpu, with what its kernel says of it, and `more` of the tree's language; or NULL. */
void rig_begin_tree(struct rig *r, const char *more);
/* Releases what the fakes hold. */
void rig_finish(struct rig *r);

#endif
