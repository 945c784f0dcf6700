/* Rows with columns for each core, slice or cluster: one row an instance. */
#ifndef ANALYSIS_REPORT_INSTANCES_H
#define ANALYSIS_REPORT_INSTANCES_H

#include "analysis/report/by.h"

/* Whether a column of the table is of one instance. */
bool instances_are_columns(const struct sx_catalog *catalog, const struct sx_table *table);
/*
 * Splits the row of the whole run into one an instance, and compiles the selection for such rows.
 * Both are owned by the caller. Errors: SX_ERR_NOT_FOUND when there are no instances.
 */
enum sx_status instances_split(const struct report_by_options *options,
			       const struct sx_table *whole, struct sx_table **out,
			       struct sx_metrics **metrics, struct sx_error *err);

#endif
