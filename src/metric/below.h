/* Differences of counts that are below zero: which count was less than which. */
#ifndef METRIC_BELOW_H
#define METRIC_BELOW_H

#include "metric/metrics.h"

/*
 * Looks in a metric's formula for a difference of counts that is below zero in a row of `in` ("C3
 * counted less than C2"), and takes the first. False when there is none, or the formula is none of
 * the catalog's.
 */
bool below_reason(const struct sx_metrics *metrics, uint32_t column, const struct sx_table *in,
		  char *out, size_t size);

#endif
