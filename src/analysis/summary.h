/*
 * The state of a summary, shared by the file that adds rows and the one that computes statistics.
 */
#ifndef ANALYSIS_SUMMARY_H
#define ANALYSIS_SUMMARY_H

#include <sextant/analysis.h>

#include "analysis/part_sums.h"
#include "analysis/sketch.h"
#include "analysis/stats.h"

/*
 * What rows of a column say by their quality alone: samples without data by their reason; how long
 * the rows are, in ns.
 */
struct tally {
	uint64_t with_ns, skipped_ns, skipped;
	struct stats_missing missing;
	uint8_t quality; /* of rows with data; lost: something that no rows represent */
};

/* A first or last row, apart from the others: it may be short. */
struct summary_edge {
	bool held;
	uint64_t length_ns;
};
enum { EDGE_FIRST, EDGE_LAST, EDGES };

#define SUMMARY_WHOLE_BITS 53 /* of whole numbers that are doubles, all of them */

struct summary_column {
	struct sketch sketch;
	uint64_t long_min, long_max; /* of whole numbers with more bits; 0: there was none */
	struct tally tally;	     /* of all rows so far */
	double edges[EDGES];	     /* values of rows that are kept apart; NaN without data */
	enum basis basis; /* BASIS_NONE for times other than devices' and what is no amount */
	char *why;	  /* what is missing in words; NULL until there is need */
};

/* "Cycles@time": how long a counter was counted, where events took turns on a PMU. */
struct summary_share {
	uint32_t column; /* of the raw table */
	char *counter;	 /* owned */
	uint64_t counted_ns, of_ns;
};

struct sx_summary {
	const struct sx_metrics *metrics;
	struct sx_evaluation *evaluation;
	const struct sx_metric_column *columns;
	struct summary_column *of; /* one a column */
	uint32_t count;
	struct total *total;
	struct sx_table *summed;  /* counters of all rows */
	struct sx_table *totals;  /* metrics of all rows; owns the reasons that stats point to */
	struct total *ratios;	  /* of what ratios are made of, where rows are frames; or NULL */
	struct sx_table *divided; /* the same in one row */
	struct sx_table *rates;	  /* the same where rows lack amounts, see TOTAL_WHOLE; or NULL */
	struct sx_stats *stats;
	uint64_t rows, frame_rows; /* frame_rows: those that are no slices of time */
	/* Where rows are slices of time. */
	bool by_time, untimed; /* untimed: the length of a row is not known */
	uint64_t all_ns;       /* of all rows */
	struct summary_until {
		uint64_t ns, samples;
	} * until; /* [row]: what the current table's rows up to it are */
	size_t until_cap;
	bool many; /* some rows are several samples */
	struct summary_edge edges[EDGES];
	struct tally tally;	/* of the column that was asked last, */
	const uint8_t *tallied; /* by its quality; NULL: none of the current table was */
	struct part_sums apart; /* once there are several, or slices among frames */
	bool by_parts;		/* values are in the sketches of parts alone */
	struct summary_share *shares;
	uint32_t share_count;
};

/* Forgets what sx_summary_stats() worked out last. */
void summary_drop_totals(struct sx_summary *s);

#endif
