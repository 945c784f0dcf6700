/* What a record of a program can say at all: its memory is the program's, which may write anything.
 */
#ifndef SOURCE_GUEST_BOUNDS_H
#define SOURCE_GUEST_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

/* Of one program; set what is marked, the rest is zero before its first sample. */
struct bounds {
	uint64_t came_ns;     /* set: when it got its channel, */
	uint64_t now_ns;      /* and now, before each sample */
	uint32_t cpus;	      /* set: that it may run on at once; 0: not known */
	bool commands;	      /* set: its samples are commands; else none is */
	bool cpu_known;	      /* its CPU clock has been seen, */
	uint64_t cpu_from_ns; /* and was this first */
};

/*
 * false: the sample cannot be, since it lies in the future or before the program came, is longer
 * than it was here, has more draws than that leaves time for, or is of another API. Values that no
 * device counts in that time become WIRE_IMPOSSIBLE; a size that no window has is not known, nor is
 * CPU time beyond what its CPUs had.
 */
bool bounds_hold(struct bounds *bounds, struct wire_sample *sample);

#endif
