/* The clock of all sources and sessions. */
#include "base/clock.h"

bool sys_clock_ns(const struct sx_sys *sys, clockid_t clock, uint64_t *out)
{
	struct timespec now;
	if (sys->clock_gettime(sys->user, clock, &now) < 0)
		return false;
	*out = (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
	return true;
}

uint64_t sys_now_ns(const struct sx_sys *sys)
{
	uint64_t now_ns;
	return sys_clock_ns(sys, CLOCK_MONOTONIC, &now_ns) ? now_ns : 0;
}
