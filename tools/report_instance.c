/* The report by instance of sources that keep cores, slices or clusters in columns of their own. */
#include <math.h>
#include <string.h>

#include "table/total.h"
#include "tools/report.h"

/* The whole capture as one row of raw counters. */
static enum sx_status total_of(struct report_device *d, struct sx_table **out, struct sx_error *err)
{
	struct total *total = NULL;
	enum sx_status status = total_create(d->raw, &total, err);
	while (status == SX_OK) {
		status = capture_view_next(d->view, d->raw, err);
		if (status != SX_OK)
			break;
		d->rows += sx_table_row_count(d->raw);
		total_add_rows(total, d->raw, 0, sx_table_row_count(d->raw));
	}
	if (status == SX_END)
		status = total_table(total, out, err);
	total_destroy(total);
	return status;
}

/* How evenly instances were loaded, where the decoder tells it. */
static void note_imbalance(const struct cli *cli, const struct sx_table *whole)
{
	static const char suffix[] = "_imbalance";
	for (uint32_t i = 0; i < sx_table_column_count(whole); i++) {
		const char *name = sx_table_column(whole, i)->name;
		size_t length = strlen(name), cut = sizeof(suffix) - 1;
		double value = sx_table_get(whole, i, 0);
		if (length > cut && strcmp(name + length - cut, suffix) == 0 && !isnan(value))
			cli_note(cli, "%s %.3f: largest over mean, sample by sample", name, value);
	}
}

enum sx_status report_instances(const struct cli *cli, struct report_device *d,
				struct sx_table **out, struct sx_error *err)
{
	struct sx_table *whole = NULL;
	struct sx_metrics *metrics = NULL;
	enum sx_status status = total_of(d, &whole, err);
	if (status == SX_OK)
		status = sx_table_by_instance(whole, d->view->catalog, out, err);
	if (status == SX_OK)
		note_imbalance(cli, whole);
	sx_table_destroy(whole);
	if (status != SX_OK)
		return status;
	const struct options *o = &cli->options;
	struct sx_metrics_options options = {.patterns = o->metrics.items,
					     .pattern_count = (uint32_t)o->metrics.count,
					     .set = o->set,
					     .variant = o->api,
					     .constants = d->view->constants,
					     .constant_count = d->view->constant_count,
					     .counters = o->counters,
					     .like = *out};
	status = sx_metrics_create(d->view->catalog, &options, &metrics, err);
	if (status != SX_OK) {
		sx_table_destroy(*out);
		*out = NULL;
		return status;
	}
	sx_metrics_destroy(d->metrics);
	d->metrics = metrics;
	d->columns = sx_metrics_columns(metrics, &d->count);
	return SX_OK;
}
