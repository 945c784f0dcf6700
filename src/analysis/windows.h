/* Windows: the longest runs of samples that fulfil a condition, in memory of fixed size. */
#ifndef ANALYSIS_WINDOWS_H
#define ANALYSIS_WINDOWS_H

#include <sextant/analysis.h>

#include "base/mem.h"

#define WINDOWS_MAX 8

/* Zero-initialise. */
struct windows {
	struct sx_window kept[WINDOWS_MAX]; /* the longest so far, in order of time */
	struct sx_window open, longest;	    /* the run that goes on; the first of the longest */
	size_t count;			    /* of those kept */
	bool running;
};

/* Adds a sample (a window of one row) to the run that goes on, or begins one. */
void windows_extend(struct windows *windows, const struct sx_window *row);
/* Ends the run that goes on, if there is one. */
void windows_close(struct windows *windows);
/* The kept ones as memory of the arena; NULL without any. */
const struct sx_window *windows_keep(const struct windows *windows, struct arena *arena,
				     size_t *count);

#endif
