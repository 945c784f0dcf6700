/* Clocks of the measured process. In a sandbox that may kill for a system call, none is made. */
#ifndef GUEST_CLOCK_H
#define GUEST_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

uint64_t guest_now_ns(void); /* CLOCK_MONOTONIC */
uint64_t guest_cpu_ns(void); /* CPU time of the process, or 0 when it cannot be asked for */
/* Lets other threads run for a little while. */
void guest_nap(void);
/* From now on system calls are forbidden. */
void guest_clock_seal(void);
bool guest_clock_sealed(void);

#endif
