/* Statistics that tables and streams of tables share. */
#ifndef ANALYSIS_STATS_H
#define ANALYSIS_STATS_H

#include <sextant/analysis.h>

/*
 * `sum` and `mean`: of rows with data; `whole`: the sum with the rows that they represent; `rate`:
 * of what is none, the formula over amounts as if no row lacked any; `parts`: of how many sums each
 * is made; `error`: of `whole`, NaN where it is not known; `overlaps`: rows of several contexts
 * overlap in time, and the total is the time that they take together.
 */
struct stats_sum {
	double sum, whole, mean, rate, error;
	uint32_t parts;
	bool overlaps;
	bool divides; /* the formula divides by what was counted: nothing adds up */
};
/*
 * Sets total and mean of a metric with s->count rows (and s->skipped that they represent); `totals`
 * holds the metrics of the summed counters in one row.
 */
void stats_set_whole(struct sx_stats *s, const struct sx_metric_column *column,
		     const struct sx_table *totals, uint32_t index, const struct stats_sum *sum);
/* Takes an amount's total away, since too little of it was counted; `why` outlives the statistics.
 */
void stats_drop_total(struct sx_stats *s, const char *why);
/* All rows of a table as one, such that rates of it are those of a run (TOTAL_WHOLE). */
enum sx_status stats_whole(const struct sx_table *in, struct sx_table **out, struct sx_error *err);
#define STATS_REASONS	 6
#define STATS_REASON_MAX 400

/* Rows without data of a metric, by their reason. */
struct stats_missing {
	uint64_t rows[STATS_REASONS];
};
/* Of these, the rows in which something happened that no other rows represent. */
uint64_t stats_missing_lost(const struct stats_missing *missing);
/* Counts rows with a quality that means no data. */
void stats_missing_add(struct stats_missing *missing, uint8_t quality, uint64_t rows);
/* What is known of why rows have no data, by their quality: each may be NULL. */
struct stats_causes {
	const char *not_collected, *gap;
};
/* Why none of `rows` rows has data: each reason, and of how many of them it is. */
void stats_reason(const struct stats_missing *missing, uint64_t rows, struct stats_causes causes,
		  char buf[STATS_REASON_MAX]);

/* Whether amounts of a unit add up over time; false for percent, ratios and rates. */
bool stats_adds_up(const char *unit);

#endif
