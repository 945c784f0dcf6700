/* Counters that a user defines by a flexible EU event: `A12=eu(fpu0-active, coarse=ps)`. */
#ifndef METRIC_FLEX_H
#define METRIC_FLEX_H

#include <sextant/oa.h>

#include "metric/metrics.h"

#define FLEX_FORMULA_MAX 160

/* Whether a pattern defines a counter rather than naming one. */
bool flex_is_definition(const char *pattern);
/* The formula of a definition, in the postfix notation of the catalogs. */
void flex_formula(const struct sx_oa_flex_counter *counter, char out[FLEX_FORMULA_MAX]);
/*
 * Makes the column of a definition, a share of EU time, and its formula, which the caller owns.
 * Errors: SX_ERR_USAGE (malformed, or the counter has another definition), SX_ERR_NOT_FOUND,
 * SX_ERR_UNSUPPORTED (no such event, or not on this catalog's device).
 */
enum sx_status flex_define(struct sx_metrics *m, const char *pattern,
			   struct sx_metric_column *column, struct sx_expr **expr,
			   struct sx_error *err);

#endif
