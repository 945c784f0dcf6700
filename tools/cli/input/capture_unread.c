/* Counters of a capture that no metric of it makes anything of: they are shown for themselves. */
#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "catalog/column.h"
#include "tools/cli/input/capture_view.h"

static bool is_timed(const struct capture_view *view)
{
	const struct sx_capture_info *info = sx_capture_info(view->reader);
	return info->begin_ns != SX_TIME_UNKNOWN && info->end_ns > info->begin_ns;
}

/* A row in which every column of the device has a value, and a length where the device's have. */
static enum sx_status make_row(const struct capture_view *view, struct sx_table **out,
			       struct sx_error *err)
{
	enum sx_status status = capture_view_table(view, out, err);
	if (!status)
		status = sx_table_add_rows(*out, 1, NULL, err);
	for (uint32_t i = 0; !status && i < sx_table_column_count(*out); i++)
		if (sx_table_column(*out, i)->type == SX_U64)
			sx_table_set_u64(*out, i, 0, 1, 0);
		else
			sx_table_set_f64(*out, i, 0, 1, 0);
	if (!status && is_timed(view))
		sx_table_set_time(*out, 0, 0, 1000000000);
	return status;
}

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

/* Behind the metrics, each counter that is a column and in none of them. */
static void add_unread(struct capture_view *view, const struct sx_table *row, bool *read)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(view->catalog, &count);
	for (uint32_t i = 0; i < sx_table_column_count(row); i++) {
		const char *name = sx_table_column(row, i)->name;
		struct column_meaning is = column_meaning(view->catalog, name, SX_NONE);
		if (is.metric != SX_NONE || is.counter.counter == SX_NONE ||
		    read[is.counter.counter])
			continue;
		read[is.counter.counter] = true;
		view->patterns[view->pattern_count++] = counters[is.counter.counter].name;
	}
}

enum sx_status capture_view_add_unread(const struct cli *cli, struct capture_view *view,
				       const struct sx_table *raw, struct sx_error *err)
{
	uint32_t count, metric_count;
	struct sx_table *row = NULL;
	struct sx_metrics *metrics = NULL;
	if (cli->options.metrics.count || cli->options.counters)
		return SX_OK;
	sx_catalog_counters(view->catalog, &count);
	size_t most = (size_t)sx_table_column_count(raw) + 2;
	const char **patterns = calloc(most, sizeof(*patterns));
	bool *read = calloc((size_t)count + 1, sizeof(*read)), any = false;
	enum sx_status status = patterns && read ? SX_OK : error_nomem(err, "choosing metrics");
	struct sx_metrics_options options = capture_view_selection(cli, view, raw);
	if (!status)
		status = sx_metrics_create(view->catalog, &options, &metrics, err);
	if (!status)
		status = make_row(view, &row, err);
	if (!status)
		status = mark_read(metrics, row, read, &any, err);
	/* A recording of ours has whatever its source can count, for whoever asks. */
	bool whole = *capture_view_property(sx_capture_info(view->reader), "imported-from");
	if (!status && (whole || !any)) {
		free(view->patterns);
		view->patterns = patterns;
		view->pattern_count = 0;
		sx_metrics_columns(metrics, &metric_count);
		if (metric_count)
			view->patterns[view->pattern_count++] = "all";
		add_unread(view, row, read);
	} else {
		free(patterns);
	}
	sx_table_destroy(row);
	sx_metrics_destroy(metrics);
	free(read);
	return status;
}
