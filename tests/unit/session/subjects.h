/* Every source with a fake of what it reads, and a program beside it: what the contract is of. */
#ifndef UNIT_SESSION_SUBJECTS_H
#define UNIT_SESSION_SUBJECTS_H

#include "devices/cpu.h"
#include "devices/i915_oa.h"
#include "devices/kbase.h"
#include "devices/machine.h"
#include "devices/nvml.h"
#include "devices/pmu.h"
#include "devices/tree.h"
#include "devices/xe_oa.h"

#define NS_PER_MS   UINT64_C(1000000)
#define INTERVAL_NS (20 * NS_PER_MS)

/* A source with its fake, opened and closed by name. */
struct subject {
	const char *name, *selector, *metric;
	const char *other;  /* a metric that is not counted with the first: sets take turns */
	uint64_t faulty_ns; /* how long a run with a failing call is; 0: three intervals */
	size_t errors;	    /* how many kinds of error it is tried with; 0: all */
	uint64_t period_ns; /* between samples, where the device has no such interval */
	bool timer;	    /* reports of a timer: the last one is before the end */
	bool goes;	    /* its device can be taken away */
	void (*begin)(struct subject *s);
	bool (*clean)(struct subject *s); /* the driver is as it was found */
	struct machine machine;
	struct fake_cpu cpu;
	struct fake_i915 i915;
	struct fake_kbase kbase;
	struct fake_pmu pmu;
	struct fake_nvml_machine nvml;
	struct fake_xe xe;
	struct tree tree;
};

enum { SUBJECT_MODEL = 5, SUBJECTS = 12 };
extern struct subject subjects[SUBJECTS];

#endif
