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

#define RATE_LEAST_NS UINT64_C(5000000) /* shorter stretches are bursts that the rings can hold */
#define RATE_KEPT(n)  ((n) / 16 * 15)	/* of a peak, from one stretch to the next */

/* Records a second in the fastest stretch between two looks; those long ago count less and less. */
static inline uint64_t rate_peak(struct rate *rate, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - rate->before_ns;
	if (since_ns < RATE_LEAST_NS)
		return rate->peak;
	uint64_t since = (rate->records - rate->before) * 1000000 / (since_ns / 1000);
	rate->peak = since > RATE_KEPT(rate->peak) ? since : RATE_KEPT(rate->peak);
	rate->before = rate->records;
	rate->before_ns = now_ns;
	return rate->peak;
}

#endif
