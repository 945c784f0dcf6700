/* Statistics the plain way: every value in memory, sorted. The oracle of summaries and reports. */
#ifndef TESTS_NAIVE_STATS_H
#define TESTS_NAIVE_STATS_H

#include <sextant/analysis.h>

/* One for each column of the selection, to be freed; `why` says only whether there is a reason. */
struct sx_stats *naive_stats(const struct sx_metrics *metrics, const struct sx_table *raw,
			     uint32_t *count);

#endif
