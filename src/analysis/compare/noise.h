/* Separates change from noise: variances, their pooling, and how likely chance is. */
#ifndef ANALYSIS_COMPARE_NOISE_H
#define ANALYSIS_COMPARE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#define NOISE_RUNS_MAX 64 /* of both sides; more need no pooling */

/* A variance and its degrees of freedom. */
struct noise_variance {
	double variance, freedom;
	bool stands_out; /* far noisier than others: left as it is */
};

double noise_mean(const double *values, size_t count);
/* Of a sample; 0 with fewer than two. */
double noise_variance(const double *values, size_t count, double mean);

/*
 * What the moving-block bootstrap of the mean of a series converges to: neighbours that resemble
 * each other stay together. *blocks receives how many independent blocks the series has; 0, and a
 * result of 0, when it is too short.
 */
double noise_of_series(const double *values, size_t count, double *blocks);

/*
 * Lets relative variances of many metrics borrow strength from each other (Smyth's moderation):
 * finds the common variance, and moves each towards it by how alike they are; those that are far
 * noisier than the rest stay. `alike` is what noise_alike() returns for them: metrics that rise and
 * fall together count once as evidence of noise, not each time. With fewer than four nothing
 * changes.
 */
void noise_moderate(struct noise_variance *variances, size_t count, double alike);
/*
 * The mean squared correlation of metrics from run to run, beyond what chance makes: 0 to 1. `rows`
 * are `count` rows of `length` deviations from the mean of their side, NOISE_RUNS_MAX at most.
 */
double noise_alike(const double *rows, size_t count, size_t length, double freedom);

/* Two-sided: how likely a t of this size or more is by chance. */
double noise_chance(double t, double freedom);

#endif
