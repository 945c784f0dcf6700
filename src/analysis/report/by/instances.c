/* Rows with columns for each core, slice or cluster: one row an instance. */
#include "analysis/report/by/instances.h"

#include <stdlib.h>

#include "base/error.h"
#include "catalog/column.h"

bool instances_are_columns(const struct sx_catalog *catalog, const struct sx_table *table)
{
	bool any = false;
	for (uint32_t i = 0; !any && i < sx_table_column_count(table); i++)
		any = column_identify(catalog, sx_table_column(table, i)->name).instance != SX_NONE;
	return any;
}

/* How many instances of a counter the table keeps apart. */
static uint32_t count_apart(const struct sx_catalog *catalog, const struct sx_table *table,
			    uint32_t counter)
{
	uint32_t count = 0;
	for (uint32_t i = 0; counter != SX_NONE && i < sx_table_column_count(table); i++) {
		struct column_id id = column_identify(catalog, sx_table_column(table, i)->name);
		count += id.counter == counter && id.instance != SX_NONE;
	}
	return count;
}

/* Of how many instances what a metric reads is; 0: of the whole device alone. */
static uint32_t count_read(const struct sx_catalog *catalog, const struct sx_metrics *metrics,
			   uint32_t column, const struct sx_table *table)
{
	uint32_t count, all, most = 0;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &all);
	const uint32_t *of = sx_metrics_column_inputs(metrics, column, &count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t here = count_apart(catalog, table, inputs[of[i]].counter);
		most = here > most ? here : most;
	}
	return most;
}

/* Names of columns that are of instances; where none was named, those of the most first. */
static uint32_t list_apart(const struct report_by_options *o, const struct sx_metrics *metrics,
			   const struct sx_table *whole, const char **names)
{
	uint32_t count, most = 0, kept = 0;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
	bool as_named = o->metrics.pattern_count > 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t read = count_read(o->catalog, metrics, i, whole);
		most = read > most ? read : most;
	}
	for (int pass = 0; pass < 2; pass++)
		for (uint32_t i = 0; i < count; i++) {
			uint32_t read = count_read(o->catalog, metrics, i, whole);
			if (read && (as_named || read == most ? 0 : 1) == pass)
				names[kept++] = columns[i].name;
		}
	return kept;
}

/* What is of the whole device would be the same in each row: it is left out. */
static enum sx_status leave_out_whole(const struct report_by_options *o,
				      struct sx_metrics_options *options,
				      const struct sx_table *whole, struct sx_metrics **metrics,
				      struct sx_error *err)
{
	uint32_t count;
	struct sx_metrics *less = NULL;
	sx_metrics_columns(*metrics, &count);
	const char **names = calloc((size_t)count + 1, sizeof(*names));
	if (!names)
		return error_nomem(err, "a report");
	uint32_t kept = list_apart(o, *metrics, whole, names);
	options->patterns = names;
	options->pattern_count = kept;
	enum sx_status status = SX_OK;
	if (!kept) {
		error_set(err, SX_ERR_NOT_FOUND, "nothing that was chosen is of one instance");
		error_because(err, "it was counted of the whole device");
		error_try(err, "--by time, or other metrics with -m");
		status = SX_ERR_NOT_FOUND;
	} else
		status = sx_metrics_create(o->catalog, options, &less, err);
	if (less) {
		sx_metrics_destroy(*metrics);
		*metrics = less;
	}
	free(names);
	return status;
}

enum sx_status instances_split(const struct report_by_options *o, const struct sx_table *whole,
			       struct sx_table **out, struct sx_metrics **metrics,
			       struct sx_error *err)
{
	struct sx_metrics_options options = o->metrics;
	enum sx_status status = sx_table_by_instance(whole, o->catalog, out, err);
	if (status)
		return status;
	options.like = *out;
	options.by_instance = true;
	status = sx_metrics_create(o->catalog, &options, metrics, err);
	if (!status)
		status = leave_out_whole(o, &options, whole, metrics, err);
	if (status) {
		sx_table_destroy(*out);
		*out = NULL;
	}
	return status;
}
