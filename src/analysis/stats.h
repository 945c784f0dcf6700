/* What distributions over a table and over a stream of tables share. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <sextant/analysis.h>

/*
 * Sets total and mean of a metric with s->count rows (and s->skipped for which they stand) whose
 * values have this sum; `totals` holds the
 * metrics of the summed counters in one row.
 */
void stats_set_whole(struct sx_stats *s, const struct sx_metric_column *column,
		     const struct sx_table *totals, uint32_t index, double sum);
/* Why no row has data, from the quality bits of all rows. Static storage. */
const char *stats_reason(uint8_t seen, uint64_t rows);

#endif
