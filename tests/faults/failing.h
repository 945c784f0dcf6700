/*
 * Counts all allocations of the process, and makes one fail. Without a sanitizer these functions
 * replace the C library's for every library of the process. A sanitizer replaces them, too; then
 * only the executable's calls come here, by -Wl,--wrap (the list is in meson.build).
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
