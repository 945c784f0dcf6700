/*
 * Allocations of the whole process, counted, and one of them failing at will. Without a sanitizer
 * these functions stand in the place of the C library's for every library of the process; with one,
 * whose own stand there, the executable's calls alone are led here by -Wl,--wrap (the list is in
 * meson.build).
 */
#ifndef FAULTS_FAILING_H
#define FAULTS_FAILING_H

#include <stdint.h>

/* In memory that a forked child shares with its parent. */
struct failing {
	int64_t fail_at; /* the number of the allocation that fails, from 0; below 0: none does */
	int64_t count;	 /* allocations so far; negative values are not counted up */
	int64_t failed;	 /* allocations that failed: 0 or 1 */
};

/* Starts counting; NULL ends it. */
void failing_begin(struct failing *state);

#endif
