/* What of a selection and of a plan only the other rooms of the library ask. */
#ifndef METRIC_ABOUT_H
#define METRIC_ABOUT_H

#include <sextant/metric.h>
#include <sextant/plan.h>

/* The catalog that the selection was made from. */
struct sx_catalog *metrics_catalog(const struct sx_metrics *metrics);

/*
 * Tells which inputs have no value in any row of a table: missing[i] for each of
 * sx_metrics_inputs(); the array has their number. Errors: SX_ERR_NO_MEMORY. Thread-safe for
 * different tables.
 */
enum sx_status metrics_missing(const struct sx_metrics *metrics, const struct sx_table *in,
			       bool *missing, struct sx_error *err);

/* Whether an item is planned; false: another one with its number in `either` is. Thread-safe. */
bool plan_is_chosen(const struct sx_plan *plan, uint32_t item);

#endif
