/* See unread.h. */
#include "analysis/report/unread.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "catalog/column.h"

/*
 * Marks the counters that go into a metric that can be worked out of such rows; *any says whether
 * there is such a metric.
 */
static enum sx_status mark_read(const struct sx_metrics *metrics, const struct sx_table *row,
				bool *read, bool *any, struct sx_error *err)
{
	bool timed = sx_table_begin_ns(row)[0] != SX_TIME_UNKNOWN;
	uint32_t inputs, columns, count;
	struct sx_table *values = NULL;
	const struct sx_metric_input *input = sx_metrics_inputs(metrics, &inputs);
	enum sx_status status = sx_metrics_eval(metrics, row, &values, err);
	sx_metrics_columns(metrics, &columns);
	for (uint32_t c = 0; !status && c < columns; c++) {
		const uint32_t *of = sx_metrics_column_inputs(metrics, c, &count);
		/* Without a time rates come to nothing, though none of their counters is missing.
		 */
		if (sx_table_column(values, c)->why ||
		    (!timed && isnan(sx_table_get(values, c, 0))))
			continue;
		*any = true;
		for (uint32_t i = 0; i < count; i++)
			if (input[of[i]].counter != SX_NONE)
				read[input[of[i]].counter] = true;
	}
	sx_table_destroy(values);
	return status;
}

/* Each counter that is a column and in none of them. */
static void add_unread(const struct sx_catalog *catalog, const struct sx_table *row, bool *read,
		       struct report_unread *out)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < sx_table_column_count(row); i++) {
		const char *name = sx_table_column(row, i)->name;
		struct column_meaning is = column_meaning(catalog, name, SX_NONE);
		if (is.metric != SX_NONE || is.counter.counter == SX_NONE ||
		    read[is.counter.counter])
			continue;
		read[is.counter.counter] = true;
		out->names[out->count++] = counters[is.counter.counter].name;
	}
}

enum sx_status report_find_unread(const struct sx_catalog *catalog,
				  const struct sx_metrics *metrics, const struct sx_table *row,
				  struct report_unread *out, struct sx_error *err)
{
	uint32_t count;
	sx_catalog_counters(catalog, &count);
	bool *read = calloc((size_t)count + 1, sizeof(*read));
	enum sx_status status = read ? mark_read(metrics, row, read, &out->any, err)
				     : error_nomem(err, "choosing metrics");
	if (!status)
		add_unread(catalog, row, read, out);
	free(read);
	return status;
}
