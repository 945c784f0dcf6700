/* CLOCK_MONOTONIC comes from the vDSO; the CPU clock and naps are system calls. */
#include <stdbool.h>
#include <time.h>

#include "guest/clock.h"

static bool sealed; /* atomic */

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now = {0};
	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

bool guest_clock_sealed(void)
{
	return __atomic_load_n(&sealed, __ATOMIC_RELAXED);
}

uint64_t guest_now_ns(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

uint64_t guest_cpu_ns(void)
{
	return guest_clock_sealed() ? 0 : clock_ns(CLOCK_PROCESS_CPUTIME_ID);
}

void guest_sleep(void)
{
	const struct timespec nap = {.tv_nsec = 50000};
	uint64_t until = guest_now_ns() + 50000;
	if (!guest_clock_sealed()) {
		nanosleep(&nap, NULL);
		return;
	}
	while (guest_now_ns() < until)
		__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

void guest_clock_seal(void)
{
	__atomic_store_n(&sealed, true, __ATOMIC_RELAXED);
}
