/* Counters that a user defines; what they mean a decoder knows (decoder_ops.define). */
#ifndef METRIC_DEFINE_H
#define METRIC_DEFINE_H

#include "metric/metrics.h"

/*
 * Makes the column of a definition and its formula, which the caller owns. Errors: those of the
 * decoder, SX_ERR_NO_MEMORY.
 */
enum sx_status define_column(struct sx_metrics *m, const char *pattern,
			     struct sx_metric_column *column, struct sx_expr **expr,
			     struct sx_error *err);

#endif
