/*
 * A clock that takes a few nanoseconds to read, for sums of short times. The length of its ticks is
 * measured against guest_now_ns().
 */
#ifndef GUEST_TICKS_H
#define GUEST_TICKS_H

#include <stdint.h>

#include "guest/clock.h"

/* Ticks. CPUs may differ slightly, so a later value may be smaller. */
static inline uint64_t guest_ticks(void)
{
#if defined(__x86_64__) || defined(__i386__)
	return __builtin_ia32_rdtsc();
#elif defined(__aarch64__)
	uint64_t ticks;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(ticks));
	return ticks;
#else
	return guest_now_ns();
#endif
}

#endif
