/*
 * Sketches: how values are distributed, in memory that does not grow with their number: 32 KiB of
 * values, or 1 KiB for each power of two that they span (at most 4 MiB).
 */
#ifndef ANALYSIS_SKETCH_H
#define ANALYSIS_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/sum.h"

#define SKETCH_EXACT	    4096 /* values that are kept as they are */
#define SKETCH_DROPPED_BITS 45	 /* low bits of a value that its bucket drops */

/* Counts of values of one sign by the first bits of their size; [0] is of `first` - 1: zero. */
struct sketch_half {
	uint64_t *buckets;
	uint32_t first, count;
};

/* Zero-initialise. */
struct sketch {
	uint64_t count;
	struct sum sum;
	double min, max;
	double *values; /* the first ones, until there are too many */
	size_t value_cap;
	struct sketch_half positive, negative; /* then counts; zeros are positive */
};

/* Adds a finite value. False when memory is out. */
bool sketch_add(struct sketch *sketch, double value);
/* Adds many at once, which is several times quicker; values that are not finite are left out. */
bool sketch_add_many(struct sketch *sketch, const double *values, size_t count);
/*
 * Adds one value many times, in the time of SKETCH_EXACT values at most. One that is not finite is
 * left out. False when memory is out.
 */
bool sketch_add_times(struct sketch *sketch, double value, uint64_t times);
/* What a few thousand values at most come to, before it is known where they go. */
struct sketch_look {
	double sum, min, max; /* sum: not finite where a value is not */
	size_t count;	      /* at least 1 */
};
struct sketch_look sketch_look(const double *values, size_t count);
/* Adds values, all of which are finite. False when memory is out. */
bool sketch_add_looked(struct sketch *sketch, const double *values, const struct sketch_look *look);
/*
 * Values at these ranks (percent, rising) by nearest rank: exact while values are kept, then within
 * 0.4 % of the value there. Changes the order of what is kept. Not when empty.
 */
void sketch_percentiles(struct sketch *sketch, const double *percent, double *out, size_t count);
/* A value beside those of a sketch that weighs less than they do: more than 0, at most 1. */
struct sketch_extra {
	double value, weight;
};
struct sketch_extras {
	const struct sketch_extra *items;
	size_t count;
};
/*
 * As sketch_percentiles(), of these and the sketch's values together; extras rising, one of both
 * may be empty.
 */
void sketch_percentiles_with(struct sketch *sketch, const struct sketch_extras *extras,
			     const double *percent, double *out, size_t count);
/* A sketch, and what each of its values weighs. */
struct sketch_weighed {
	const struct sketch *sketch;
	double weight;
};
/*
 * Values at these ranks (percent, rising) of the weight of all values of several sketches, some of
 * which may be empty. False when memory is out, or there is no value.
 */
bool sketch_percentiles_weighed(const struct sketch_weighed *list, size_t list_count,
				const double *percent, double *out, size_t count);
/* Adds all that another one holds. False when memory is out. */
bool sketch_join(struct sketch *sketch, const struct sketch *more);
/* Mean of the largest `share` (0 to 1) of all values, of at least one. Not when empty. */
double sketch_top_mean(struct sketch *sketch, double share);
/* How many values are above a limit. */
uint64_t sketch_count_above(const struct sketch *sketch, double limit);
void sketch_finish(struct sketch *sketch);

#endif
