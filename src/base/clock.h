/* CLOCK_MONOTONIC, which all sources and sessions use. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include "base/sys.h"

#define CLOCK_NS_PER_S UINT64_C(1000000000)

/* A clock of the kernel's in ns; false, and errno, when it cannot be read. */
bool sys_clock_ns(const struct sx_sys *sys, clockid_t clock, uint64_t *out);
/* CLOCK_MONOTONIC in ns; 0, and errno, when it cannot be read. */
uint64_t sys_now_ns(const struct sx_sys *sys);

#endif
