/* What of a selection and of a plan only the other rooms of the library ask. */
#ifndef METRIC_ABOUT_H
#define METRIC_ABOUT_H

#include <sextant/metric.h>
#include <sextant/plan.h>

#include "table/slices.h"

/* The catalog that the selection was made from. */
struct sx_catalog *metrics_catalog(const struct sx_metrics *metrics);

/*
 * Tells which inputs have no value in any row of a table: missing[i] for each of
 * sx_metrics_inputs(); the array has their number. Errors: SX_ERR_NO_MEMORY. Thread-safe for
 * different tables.
 */
enum sx_status metrics_missing(const struct sx_metrics *metrics, const struct sx_table *in,
			       bool *missing, struct sx_error *err);

/* Whether a column is a quotient of what was counted, whatever its unit is. Thread-safe. */
bool metrics_divides(const struct sx_metrics *metrics, uint32_t column);
/* What a column says of rows that are no frames. Thread-safe. */
enum slices_use evaluation_use(const struct sx_evaluation *evaluation, uint32_t column);

/*
 * From the next run on evaluation_ratios() has, beside each table, what a ratio's mean over samples
 * is made of, where these are frames; else it stays NULL. `like` as at its creation. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status evaluation_keep_ratios(struct sx_evaluation *evaluation, const struct sx_table *like,
				      struct sx_error *err);
/* A row each of the last run's table, with sums; the evaluation's until the next run, or NULL. */
const struct sx_table *evaluation_ratios(const struct sx_evaluation *evaluation);
/* Where the mean of a ratio comes from. */
enum ratio_told {
	RATIO_OF_TOTALS, /* the formula over the totals of all counters, as that of any metric */
	RATIO_OF_ROWS,	 /* *mean: some rows lack what others have */
	RATIO_NONE,	 /* nowhere: no row has all that it takes */
};
/* What a row of totals of those says of a column's ratio. Thread-safe. */
enum ratio_told evaluation_ratio(const struct sx_evaluation *evaluation,
				 const struct sx_table *totals, uint32_t column, size_t row,
				 double *mean);

/* Whether an item is planned; false: another one with its number in `either` is. Thread-safe. */
bool plan_is_chosen(const struct sx_plan *plan, uint32_t item);

#endif
