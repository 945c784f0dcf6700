/*
 * How far the measured rows may be from what they represent, in memory that does not grow with
 * rows. Rows are measured in runs, and neighbours are correlated: a run is the unit that is drawn
 * by chance (cluster sampling).
 */
#ifndef ANALYSIS_SPREAD_H
#define ANALYSIS_SPREAD_H

#include <stdbool.h>
#include <stdint.h>

/* What a quantity may go by: the work of rows, or else their number or time. */
enum spread_by { SPREAD_WORK, SPREAD_REST, SPREAD_BYS };

/* Sums over a run of measured rows: of the quantity, and of what it may go by. */
struct spread_run {
	double value, size[SPREAD_BYS];
};

/* Zero-initialise. */
struct spread {
	struct spread_run all, open; /* all runs that have ended, and the one that goes on */
	double squares;		     /* of runs that have ended: of their values, */
	double products[SPREAD_BYS]; /* of these with sizes, */
	double sizes[SPREAD_BYS];    /* and of sizes */
	uint64_t runs;
	bool runs_on; /* the last row was measured */
	bool unknown; /* rows were measured of which it has not heard */
};

/* A total of several parts: how far it may be off, added up. */
struct spread_sum {
	double variance;
	double weakest; /* variances squared, each by its degrees of freedom */
	double freedom; /* of all that represent anything */
};

/* A row was measured. */
void spread_add(struct spread *spread, const struct spread_run *row);
/* One was not: the run is over. */
void spread_skip(struct spread *spread);
/*
 * The variance of a run's value beyond what its size explains, for each unit of size; NaN with
 * fewer than two runs, or without a size. *freedom receives its degrees of freedom.
 */
double spread_variance(const struct spread *spread, enum spread_by by, double *freedom);
/*
 * Adds that rows of so much size represent `times` as much besides themselves. The sum becomes NaN
 * where the variance is NaN.
 */
void spread_extrapolate(struct spread_sum *sum, double variance, double freedom, double times);
/*
 * Half the width of an interval that holds the truth in 19 of 20 cases; NaN: not known, or few runs
 * that are all alike, which say nothing of the others.
 */
double spread_error(const struct spread_sum *sum);

#endif
