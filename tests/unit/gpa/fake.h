/* A back end of GPUPerfAPI without a GPU: eight counters of four types, two passes. */
#ifndef TESTS_GPA_FAKE_H
#define TESTS_GPA_FAKE_H

#include "gpa/core.h"

/*
 * Counters 0 to 3 are u64, f64, u32 and f32; 4 to 7 the same types again. Counter 0 is alone in its
 * pass. Counter n of sample k (in the order of beginning, from 0) is 1000 * k + n.
 */
enum { FAKE_COUNTERS = 8 };

struct fake_state {
	bool unusable; /* opening and beginning fail */
	bool end_fails;
	int delay;	    /* asks that are answered with not yet */
	_Atomic bool never; /* results never come; other threads wait for them */
	int open_requests;  /* begun and not released */
	uint32_t begun;
};
/* One for the test program. */
extern struct fake_state fake;

#endif
