/* Analysis: statistics of metrics over samples, and advice with its evidence. */
#ifndef SEXTANT_ANALYSIS_H
#define SEXTANT_ANALYSIS_H

#include <sextant/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * How one metric is distributed over the rows of a table. Everything is in the metric's unit; a
 * member without data is NaN.
 */
struct sx_stats {
	size_t count; /* rows with data */
	/*
	 * Rows that were not measured, to bound the cost or because another group was counted.
	 * Total and mean are scaled from the rows with data, each process and context by itself, as
	 * sx_table_total() does.
	 */
	size_t skipped;
	/*
	 * Rows in which something happened and could not be counted. Totals are not scaled up for
	 * these, so they are too low by what was lost.
	 */
	size_t lost;
	/*
	 * The share of the run in which it was counted, 0 to 1: of the time where samples are time
	 * slices, else of the samples. For a metric, the smallest share of its counters.
	 */
	double running;
	/*
	 * The whole run's value where amounts add up (bytes, cycles, ...), NaN for intensive units
	 * (percent, ratios, rates). total_u64 holds the digits of a u64 metric, when total is not
	 * NaN and below 2^64.
	 */
	double total;
	uint64_t total_u64;
	/*
	 * The error of a total for which rows were skipped: in 19 of 20 runs the true total is
	 * within this distance. It is estimated from the spread of rows with data around their
	 * normalisation basis, with correlated neighbours taken together; it does not cover rows
	 * that are unlike all measured ones. NaN where no row was skipped, or where too few were
	 * measured.
	 */
	double total_error;
	/*
	 * Amounts: the total per row. Intensive units: the formula over the counters of the whole
	 * run. Where rows are frames and some lack data, the mean of the others, each weighted by
	 * its formula's divisor.
	 */
	double mean;
	/*
	 * Over rows with data. Percentiles are nearest-rank. Where rows are frames, each value is
	 * weighted by the number of frames that it represents; a short first or last time slice is
	 * weighted by its length.
	 */
	double min, p50, p95, p99, max;
	/*
	 * Minimum and maximum of a u64 metric with all digits, where a double cannot hold one of
	 * them; else 0.
	 */
	uint64_t min_u64, max_u64;
	/*
	 * The bits of all rows with data, or-ed; SX_QUALITY_LOST also where other rows had a gap or
	 * were disturbed, so that a total lacks them.
	 */
	uint8_t quality;
	/*
	 * The metric is a ratio that was given by row, and the table has nothing to compute the
	 * run's ratio from: the mean is that of the rows, and the run's ratio is somewhere between
	 * min and max.
	 */
	bool of_rows;
	/*
	 * Why there is no data, or no total because as many rows were lost as counted; else NULL.
	 * Lives as long as the stats.
	 */
	const char *why;
};

/*
 * Statistics of a selection over any number of tables, one after another, in memory that does not
 * grow with rows: at most 32 KiB a column, or 1 KiB for each power of two that its values span.
 * Percentiles of up to 4,096 rows are exact, of more within 0.4 % of the value at that rank.
 */
struct sx_summary;

/*
 * Begins a summary over tables with the columns of `like`. The selection must outlive it. *out is
 * owned by the caller. Errors: SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_summary_create(const struct sx_metrics *metrics,
					const struct sx_table *like, struct sx_summary **out,
					struct sx_error *err);
/* Releases a summary; NULL is fine. */
SX_API void sx_summary_destroy(struct sx_summary *summary);
/* Adds all rows of a table of raw counters. Errors: SX_ERR_NO_MEMORY. */
SX_API enum sx_status sx_summary_add(struct sx_summary *summary, const struct sx_table *raw,
				     struct sx_error *err);
/*
 * Describes every column of the selection, in its order. *out is owned by the
 * summary and valid until more is added. Errors: SX_ERR_NO_MEMORY.
 */
SX_API enum sx_status sx_summary_stats(struct sx_summary *summary, const struct sx_stats **out,
				       uint32_t *count, struct sx_error *err);

/*
 * Adjacent samples: rows counted from 0, and the times of their ends (SX_TIME_UNKNOWN: not known).
 */
struct sx_window {
	size_t first, last;
	uint64_t begin_ns, end_ns;
};

/*
 * One rule, evaluated over samples. A sample fulfils a rule where the condition is neither 0 nor no
 * data; it could be judged where the condition is not no data.
 */
struct sx_finding {
	const struct sx_advice_info *rule; /* owned by the catalog */
	const char *unit;		   /* of rule->metric, or NULL */
	/* At least one sample fulfils it, and of those judged a share of rule->min_share. */
	bool fired;
	double value; /* of rule->metric: mean over the samples that fulfil the rule, or NaN */
	/*
	 * The comparison of the condition that has the metric on one side and holds: the mean of
	 * both sides over the samples that fulfil the rule (NaN without), and the text of the
	 * metric's side, which is its name or a formula that contains it. NULL without one.
	 */
	double measured, limit; /* limit: rule->limit where the catalog has it */
	const char *compared;
	const char *compared_unit;	 /* unit of that side, if all its terms have one */
	size_t samples, rows;		 /* samples that fulfil it, of those that could be judged */
	size_t first, last;		 /* the longest run of such samples: row indices, from 0 */
	const struct sx_window *windows; /* the longest such runs, at most 8, in order of time */
	size_t window_count;
	const char *why;	   /* why it could not be judged, or NULL */
	struct sx_strings missing; /* counters and constants that were missing to judge it */
};

struct sx_advice;

/*
 * Evaluates every rule of the catalog over samples, which come as any number of tables, one after
 * another, in memory that does not grow with rows: create with the columns of `like`, add each
 * table, then finish once. The first rows decide in which set bare names are read. *out is owned by
 * the caller and keeps a reference to the catalog. `options` gives set, variant and constants; its
 * patterns are ignored, and what it points to must live as long as the advice. Errors:
 * SX_ERR_NO_MEMORY and those of sx_metrics_create() about the set and the constants.
 */
SX_API enum sx_status sx_advice_create(struct sx_catalog *catalog,
				       const struct sx_metrics_options *options,
				       const struct sx_table *like, struct sx_advice **out,
				       struct sx_error *err);
/* Judges the rows of a table that has the columns of `like`. Errors: SX_ERR_NO_MEMORY. */
SX_API enum sx_status sx_advice_add(struct sx_advice *advice, const struct sx_table *raw,
				    struct sx_error *err);
/* Makes the findings of what was added. Errors: SX_ERR_NO_MEMORY. */
SX_API enum sx_status sx_advice_finish(struct sx_advice *advice, struct sx_error *err);
/* Releases advice; NULL is fine. */
SX_API void sx_advice_destroy(struct sx_advice *advice);
/* All findings, which live as long as the advice; none of NULL. Thread-safe. */
SX_API const struct sx_finding *sx_advice_findings(const struct sx_advice *advice, size_t *count);
/*
 * The set in which bare names of metrics were read, or NULL. Where the options named none and the
 * catalog's sets use the same counters differently, it is the first set of which the table has
 * every counter of the rules, or else the set with most of them.
 * The text lives as long as the advice. Thread-safe.
 */
SX_API const char *sx_advice_set(const struct sx_advice *advice);

#ifdef __cplusplus
}
#endif

#endif
