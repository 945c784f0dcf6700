/*
 * When a program's threads are watched, so that watching costs it no more than it may: the kernel's
 * note of a switch is written on the thread's own time. Plain arithmetic: no clock, no system call.
 */
#ifndef SOURCE_GUEST_RASTER_AWAKE_H
#define SOURCE_GUEST_RASTER_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

/* 0.54 us where it was measured (two threads that wake each other, with and without). */
#define AWAKE_SWITCH_NS	 UINT64_C(1000)
#define AWAKE_START_NS	 UINT64_C(2000000)  /* may be spent at once: short programs are watched */
#define AWAKE_LEAST_NS	 UINT64_C(50000000) /* of a window */
#define AWAKE_REMEMBERED 16u

struct awake_window {
	uint64_t from_ns, to_ns;
};

/* Zero-initialise, with `window_ns` the time of now: one window that never ends. */
struct awake {
	uint32_t overhead_ppm; /* of the program's CPU time; 0: there is no limit */
	bool resting;
	uint64_t switches;     /* noted so far */
	uint64_t window_cost;  /* ns of the least window, as dear as the last one that is over */
	uint64_t window_first; /* switches before the window that is open */
	uint64_t window_ns;    /* when the window was opened */
	struct awake_window
	    over[AWAKE_REMEMBERED]; /* a ring: window n is at n % AWAKE_REMEMBERED */
	uint64_t count;		    /* of windows that are over */
};

enum awake_step { AWAKE_GO_ON, AWAKE_CLOSE, AWAKE_OPEN };

/* What to do now, `cpu_ns` of the program's CPU time after its start; 0: not known yet. */
enum awake_step awake_decide(const struct awake *awake, uint64_t now_ns, uint64_t cpu_ns);
/* All threads are watched from now on, or none any more. */
void awake_open(struct awake *awake, uint64_t now_ns);
void awake_close(struct awake *awake, uint64_t now_ns);
/* Whether a range of time lies in one window. */
bool awake_was(const struct awake *awake, uint64_t from_ns, uint64_t to_ns);

#endif
