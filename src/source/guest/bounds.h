/* What a record of a program can say at all: its memory is the program's, which may write anything.
 */
#ifndef SOURCE_GUEST_BOUNDS_H
#define SOURCE_GUEST_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "wire/channel.h"

/* When the program got its channel, and now. */
struct bounds {
	uint64_t came_ns, now_ns;
};

/*
 * false: the sample cannot be, since it lies in the future or is longer than the program was here.
 * Values that no device counts in that time become WIRE_IMPOSSIBLE, a size that no window has is
 * not known.
 */
bool bounds_hold(const struct bounds *bounds, struct wire_sample *sample);

#endif
