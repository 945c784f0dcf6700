/* The clock of all sources and sessions. */
#include "base/clock.h"

uint64_t sys_now_ns(const struct sx_sys *sys)
{
	struct timespec now;
	if (sys->clock_gettime(sys->user, CLOCK_MONOTONIC, &now) < 0)
		return 0;
	return (uint64_t)now.tv_sec * CLOCK_NS_PER_S + (uint64_t)now.tv_nsec;
}
