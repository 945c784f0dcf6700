/* Clocks of the measured process. In a seccomp sandbox they make no system call. */
#ifndef GUEST_CLOCK_H
#define GUEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t guest_now_ns(void); /* CLOCK_MONOTONIC */
uint64_t guest_cpu_ns(void); /* CPU time of the process; 0 in a sandbox */
/* Waits 50 us, so that other threads can run. */
void guest_sleep(void);
/* From now on no system calls are made. */
void guest_clock_seal(void);
bool guest_clock_sealed(void);

#endif
