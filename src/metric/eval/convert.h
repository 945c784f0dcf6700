/* Columns of a table as the inputs that formulas want: in another type, or another unit. */
#ifndef METRIC_EVAL_CONVERT_H
#define METRIC_EVAL_CONVERT_H

#include "catalog/units.h"
#include "metric/metrics.h"

/*
 * A copy in another type, with qualities of its own where numbers are no u64; the caller frees it.
 * NULL: no memory.
 */
void *convert_type(struct sx_vector *vector, enum sx_type to, size_t rows);
/* A copy in another unit, as f64; the caller frees it. NULL: no memory. */
double *convert_unit(struct sx_vector *vector, struct units_step step, size_t rows);
/*
 * From a column's unit to that of the metric which it gives: a capture may have it in another one
 * of the kind than the catalog has now.
 */
struct units_step convert_step(const struct sx_metrics *m, uint32_t metric, const char *unit);

#endif
