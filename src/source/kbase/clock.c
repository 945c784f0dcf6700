/* The driver's clock against ours: pairs of readings, and the line through them. */
#include "source/kbase/kbase.h"
#include "base/clock.h"
#include "base/error.h"

#include <errno.h>

#define TRIES 4

enum sx_status kbase_clock_measure(const struct sx_sys *sys, struct kbase_clock *clock,
				   struct sx_error *err)
{
	struct clock_pair best = {.error_ns = UINT64_MAX};
	for (int i = 0; i < TRIES; i++) {
		uint64_t before, raw, after;
		if (!sys_clock_ns(sys, CLOCK_MONOTONIC, &before) ||
		    !sys_clock_ns(sys, CLOCK_MONOTONIC_RAW, &raw) ||
		    !sys_clock_ns(sys, CLOCK_MONOTONIC, &after))
			return error_errno(err, errno, "cannot read the clocks");
		uint64_t error = (after - before + 1) / 2;
		if (after < before || error >= best.error_ns)
			continue;
		best = (struct clock_pair){
		    .from_ns = raw, .to_ns = before + (after - before) / 2, .error_ns = error};
	}
	if (best.error_ns == UINT64_MAX)
		return error_set(err, SX_ERR_IO, "CLOCK_MONOTONIC ran backwards");
	clock_fit_add(&clock->fit, &best);
	return SX_OK;
}

uint64_t kbase_clock_convert(const struct sx_sys *sys, struct kbase_clock *clock, uint64_t raw_ns)
{
	/* The end of a sample is the begin of the next, also where the line moved in between. */
	if (clock->last_raw_ns && raw_ns == clock->last_raw_ns)
		return clock->last_ns;
	if (clock_fit_due(&clock->fit, raw_ns))
		kbase_clock_measure(sys, clock, NULL); /* on failure the old line still serves */
	uint64_t ns = clock_fit_convert(&clock->fit, raw_ns);
	if (clock->last_raw_ns && raw_ns > clock->last_raw_ns && ns < clock->last_ns)
		ns = clock->last_ns;
	clock->last_raw_ns = raw_ns;
	clock->last_ns = ns;
	return ns;
}

uint64_t kbase_clock_raw_now(const struct sx_sys *sys)
{
	uint64_t now_ns;
	return sys_clock_ns(sys, CLOCK_MONOTONIC_RAW, &now_ns) ? now_ns : 0;
}
