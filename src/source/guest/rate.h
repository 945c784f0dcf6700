/* How fast records come, so that they are fetched before their rings are full, and no oftener. */
#ifndef SOURCE_GUEST_RATE_H
#define SOURCE_GUEST_RATE_H

#include <stdint.h>

/* Zero-initialise. */
struct rate {
	uint64_t records;	    /* since the start; the caller counts them, */
	uint64_t before, before_ns; /* until the look before */
	uint64_t peak;
};

/* Records a second in the fastest stretch between two looks; those long ago count less and less. */
uint64_t rate_peak(struct rate *rate, uint64_t now_ns);

#endif
