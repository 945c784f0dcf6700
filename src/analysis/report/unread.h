/* Counters that no selected metric reads: they are shown by themselves. */
#ifndef ANALYSIS_REPORT_UNREAD_H
#define ANALYSIS_REPORT_UNREAD_H

#include <sextant/metric.h>

/* What metrics leave out of rows. */
struct report_unread {
	const char **names; /* of counters; room for each column of the rows, in any case owned by
			     * the caller */
	size_t count;
	bool any; /* whether a metric can be worked out of such rows */
};

/*
 * Finds the counters that are columns of `row`, and go into no metric that can be worked out of it;
 * every column of it has a value. Names live as long as the catalog. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status report_find_unread(const struct sx_catalog *catalog,
				  const struct sx_metrics *metrics, const struct sx_table *row,
				  struct report_unread *out, struct sx_error *err);

#endif
