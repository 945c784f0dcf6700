/* The rate of records between looks, and the highest of late. */
#include "source/guest/rate.h"

#define LEAST_NS UINT64_C(5000000) /* shorter stretches tell of bursts that the rings can hold */
#define KEPT(n)	 ((n) / 16 * 15)   /* of a peak, from one stretch to the next */

uint64_t rate_peak(struct rate *rate, uint64_t now_ns)
{
	uint64_t since_ns = now_ns - rate->before_ns;
	if (since_ns < LEAST_NS)
		return rate->peak;
	uint64_t since = (rate->records - rate->before) * 1000000 / (since_ns / 1000);
	rate->peak = since > KEPT(rate->peak) ? since : KEPT(rate->peak);
	rate->before = rate->records;
	rate->before_ns = now_ns;
	return rate->peak;
}
