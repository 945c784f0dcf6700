/*
 * What rows of a column say by their quality alone. Columns that were measured together have the
 * same bytes: these are asked once for all of them.
 */
#ifndef ANALYSIS_TALLY_H
#define ANALYSIS_TALLY_H

#include "analysis/stats.h"

/* Samples without data by their reason; how long the rows are, in ns. */
struct tally {
	uint64_t with_ns, skipped_ns, skipped;
	struct stats_missing missing;
	uint8_t quality; /* of rows with data; lost, where something was that nothing stands for */
};

/* Rows of a table: `until` and `each` as in struct sx_summary. */
struct tally_rows {
	const uint64_t *until, *each;
	size_t first, count;
};

/* The rows that were asked last; zero-initialise, and again for rows of another table. */
struct tally_last {
	const uint8_t *quality; /* borrowed */
	struct tally tally;
};

/* `quality`: of all rows of the table; NULL: all have data. */
struct tally tally_of(const struct tally_rows *rows, const uint8_t *quality);
/* The same of the next column; `last` goes with one span of rows. */
const struct tally *tally_next(struct tally_last *last, const struct tally_rows *rows,
			       const uint8_t *quality);

#endif
