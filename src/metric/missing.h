/* Names that no column has; for this folder only. */
#ifndef METRIC_MISSING_H
#define METRIC_MISSING_H

#include "metric/metrics.h"

/* Several groups have the metric. */
enum sx_status missing_ambiguous(const struct sx_metrics *m, const char *name, uint32_t matches,
				 struct sx_error *err);
/* Nothing has the name, or nothing of the set at hand. Without err it was only a question. */
enum sx_status missing_name(const struct sx_metrics *m, const char *name, struct sx_error *err);

#endif
