/* The driver's clock against ours: the offset between two clocks, with the error of its
 * measurement. */
#include "source/kbase/kbase.h"
#include "base/error.h"

#include <errno.h>

#define AGAIN_NS UINT64_C(1000000000) /* the clocks drift by up to 500 parts in a million */
#define TRIES	 4

static bool read_clock(const struct sx_sys *sys, clockid_t clock, int64_t *out)
{
	struct timespec t;
	if (sys->clock_gettime(sys->user, clock, &t) < 0)
		return false;
	*out = (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
	return true;
}

enum sx_status kbase_clock_measure(const struct sx_sys *sys, struct kbase_clock *clock,
				   struct sx_error *err)
{
	uint64_t best = UINT64_MAX;
	for (int i = 0; i < TRIES; i++) {
		int64_t before, raw, after;
		if (!read_clock(sys, CLOCK_MONOTONIC, &before) ||
		    !read_clock(sys, CLOCK_MONOTONIC_RAW, &raw) ||
		    !read_clock(sys, CLOCK_MONOTONIC, &after))
			return error_errno(err, errno, "cannot read the clocks");
		uint64_t error = (uint64_t)(after - before + 1) / 2;
		if (after < before || error >= best)
			continue;
		best = error;
		*clock = (struct kbase_clock){.offset_ns = before + (after - before) / 2 - raw,
					      .error_ns = error,
					      .measured_ns = (uint64_t)raw};
	}
	if (best != UINT64_MAX)
		return SX_OK;
	return error_set(err, SX_ERR_IO, "CLOCK_MONOTONIC ran backwards");
}

uint64_t kbase_clock_convert(const struct sx_sys *sys, struct kbase_clock *clock, uint64_t raw_ns)
{
	if (raw_ns > clock->measured_ns + AGAIN_NS)
		kbase_clock_measure(sys, clock, NULL); /* on failure the old offset still serves */
	return raw_ns + (uint64_t)clock->offset_ns;
}

uint64_t kbase_clock_raw_now(const struct sx_sys *sys)
{
	int64_t now;
	return read_clock(sys, CLOCK_MONOTONIC_RAW, &now) ? (uint64_t)now : 0;
}
