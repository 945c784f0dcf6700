/* Every source with a fake of what it reads, and a program beside it: what the contract is of. */
#ifndef UNIT_SESSION_SUBJECTS_H
#define UNIT_SESSION_SUBJECTS_H

#include "unit/session/rig.h"

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
	void (*begin)(struct rig *rig);
	bool (*clean)(const struct rig *rig); /* the driver is as it was found */
	struct rig rig;
};

enum { SUBJECT_MODEL = 5, SUBJECTS = 12 };
extern struct subject subjects[SUBJECTS];

#endif
