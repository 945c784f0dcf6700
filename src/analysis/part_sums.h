/*
 * Stratified sums of metrics: each program and context by itself, once there are several or samples
 * are time slices. What was skipped of a stratum is estimated from that stratum.
 */
#ifndef ANALYSIS_PART_SUMS_H
#define ANALYSIS_PART_SUMS_H

#include <sextant/table.h>

#include "analysis/spread.h"
#include "analysis/sketch.h"
#include "table/parts.h"

/*
 * The rows of a table by stratum, so that sums over neighbours of one stratum are differences: the
 * size of a row is worked out once, and not for each of its columns.
 */
struct sampled_size {
	struct extent extent;
	uint64_t rest;		     /* time in parts of slices, where it is known; else samples */
	uint64_t idle[BASIS_DEVICE]; /* samples without a call of this kind */
};

/* Places: rows of part 0, then of part 1 ... */
struct sampled_rows {
	uint32_t *order;	     /* [place]: its row */
	struct sampled_size *before; /* [place]: all before it */
	size_t first[PARTS_MAX + 1]; /* [part]: its first place */
	bool straight;		     /* each row is in its own place */
	size_t order_cap, before_cap;
};

/* Rows with data and those that they represent. */
struct part_sum {
	double sum;
	struct extent with, skipped;
	/* Samples without any work of the quantity's basis: these represent only each other. */
	uint64_t idle, idle_skipped;
	struct spread spread;
};

#define PART_RANKS    3	 /* percentiles that are asked for together */
#define PART_SKETCHES 16 /* strata with separate values; all further ones share the last */

/* Zero-initialise; then parts_begin(). */
struct part_sums {
	struct parts parts;
	struct part_sum *sums;	 /* PARTS_MAX a column; NULL while all rows are of one */
	struct sketch *sketches; /* PART_SKETCHES a column, and one of idle samples of all parts */
	uint32_t count;		 /* columns */
	/* Of the current table: strata and sizes of rows in their order, and by stratum. */
	struct parts_rows *blocks; /* PARTS_BLOCK rows each */
	size_t block_cap;
	struct sampled_rows rows;
};

/* A column over all parts. */
struct part_whole {
	double sum;  /* of all that rows represent */
	double rows; /* which are so many */
	/*
	 * By how much the sum may be wrong, see struct sx_stats; of a stratum that was measured too
	 * little, as of the others. NaN: not known.
	 */
	double error;
};

/* Finds the strata of a table's rows, and their size. False when memory is out. */
bool part_sums_look(struct part_sums *p, const struct sx_table *raw);
/*
 * Whether the last table is the first with rows of a second stratum, or with time slices where rows
 * are frames. Then *p has room for the sums of `count` columns; the caller puts the sums of earlier
 * tables there, as stratum 0. False as well when there is no memory for that; then all rows stay
 * one stratum.
 */
bool part_sums_begin(struct part_sums *p, uint32_t count);
/* Where values of part 0 that were added before are to be put. */
struct sketch *part_sums_sketch(const struct part_sums *p, uint32_t column);
/* Puts the values of all parts of a column together, in *out, which is empty. False: no memory. */
bool part_sums_join(const struct part_sums *p, uint32_t column, struct sketch *out);
/* Adds a metric of the last table, normalised by `basis`. False when memory is out. */
bool part_sums_add(struct part_sums *p, const struct sx_table *values, uint32_t column,
		   enum basis basis);
/* The total of a column, normalised by `basis`. */
struct part_whole part_sums_whole(const struct part_sums *p, uint32_t column, enum basis basis);
/* Whether only rows without any such call have data, and others, which made some, have none. */
bool part_sums_are_idle(const struct part_sums *p, uint32_t column, enum basis basis);
/*
 * Values at these ranks (percent, rising) of a column, each weighted by the number of rows that it
 * represents. False where there is none, or no memory.
 */
bool part_sums_percentiles(const struct part_sums *p, uint32_t column, enum basis basis,
			   const double percent[PART_RANKS], double out[PART_RANKS]);
/*
 * How many rows are of strata of which nothing was measured, in the column where they are most; the
 * other strata represent them.
 */
uint64_t part_sums_guessed(const struct part_sums *p);
void part_sums_finish(struct part_sums *p);

#endif
