/* Telling change from noise: variances, their pooling, and how likely chance is. */
#ifndef ANALYSIS_COMPARE_NOISE_H
#define ANALYSIS_COMPARE_NOISE_H

#include <stdbool.h>
#include <stddef.h>

/* A variance and its degrees of freedom. */
struct noise_variance {
	double variance, freedom;
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
 * what they have in common is found, and each moves towards it by how alike they are. With fewer
 * than four nothing changes.
 */
void noise_moderate(struct noise_variance *variances, size_t count);

/* Two-sided: how likely a t of this size or more is by chance. */
double noise_chance(double t, double freedom);

#endif
