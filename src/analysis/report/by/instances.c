/* Sources that keep cores, slices or clusters in columns of their own: one row an instance. */
#include "analysis/report/by/instances.h"

#include "catalog/column.h"

bool instances_are_columns(const struct sx_catalog *catalog, const struct sx_table *table)
{
	bool any = false;
	for (uint32_t i = 0; !any && i < sx_table_column_count(table); i++)
		any = column_identify(catalog, sx_table_column(table, i)->name).instance != SX_NONE;
	return any;
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
	status = sx_metrics_create(o->catalog, &options, metrics, err);
	if (status) {
		sx_table_destroy(*out);
		*out = NULL;
	}
	return status;
}
