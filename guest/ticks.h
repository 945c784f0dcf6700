/*
 * A clock that takes a few nanoseconds to read, for sums of short times: how long its ticks are
 * shows beside guest_now_ns().
 */
#ifndef GUEST_TICKS_H
#define GUEST_TICKS_H

#include <stdint.h>

#include "guest/clock.h"

/* Ticks since some moment. CPUs may differ a little: a later answer may be less. */
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
