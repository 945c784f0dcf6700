/* What distributions over a table and over a stream of tables share. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <sextant/analysis.h>

/* Of rows with data. `scale`: by which to multiply it for the rows that they stand for. */
struct stats_sum {
	double sum, scale;
};
/*
 * Sets total and mean of a metric with s->count rows (and s->skipped for which they stand);
 * `totals` holds the metrics of the summed counters in one row.
 */
void stats_set_whole(struct sx_stats *s, const struct sx_metric_column *column,
		     const struct sx_table *totals, uint32_t index, const struct stats_sum *sum);
/* Why no row has data, from the quality bits of all rows. Static storage. */
const char *stats_reason(uint8_t seen, uint64_t rows);

/* Whether amounts of a unit add up over time; false for percent, ratios and rates. */
bool stats_adds_up(const char *unit);

#endif
