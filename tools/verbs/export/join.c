/* export --join: what the other devices did during each row of the first. */
#include "tools/verbs/export/export.h"

#include <stdlib.h>
#include <string.h>

/* Values of one device over the rows of the first. */
static enum sx_status joined_values(const struct cli *cli, const struct join_device *d,
				    const struct sx_table *rows, struct sx_table **out,
				    struct sx_error *err)
{
	struct sx_table *own = NULL, *raw = NULL;
	struct sx_metrics *metrics = NULL;
	const struct options *o = &cli->options;
	enum sx_status status = input_device_load(d->device, &own, err);
	if (!status)
		status = sx_table_join(rows, own, &raw, err);
	sx_table_destroy(own);
	if (!status && o->counters && !o->metrics.count) {
		*out = raw;
		return SX_OK;
	}
	struct sx_metrics_options options = input_selection(d->device);
	options.like = raw;
	if (!status)
		status = sx_metrics_create(d->device->catalog, &options, &metrics, err);
	if (!status)
		status = sx_metrics_eval(metrics, raw, out, err);
	sx_metrics_destroy(metrics);
	sx_table_destroy(raw);
	return status;
}

static uint32_t column_count_of(const struct sx_table *t, const struct join_device *device)
{
	return device->bare ? 0 : sx_table_column_count(t);
}

/* Names of a table's columns behind those that are there, with the device's prefix. */
static bool add_names(struct sx_column *list, uint32_t *count, const struct sx_table *t,
		      const struct join_device *device)
{
	for (uint32_t i = 0; i < column_count_of(t, device); i++) {
		char *name = NULL;
		struct sx_column *c = &list[*count];
		*c = *sx_table_column(t, i);
		if (asprintf(&name, "%s%s", device->prefix, c->name) < 0)
			return false;
		c->name = name;
		(*count)++;
	}
	return true;
}

/* Rounding of divided amounts may give slightly more than 100 %. */
static double below_all(double value, const char *unit)
{
	bool over = value > 100 && value < 100 * (1 + 1e-12);
	return over && unit && strcmp(unit, "percent") == 0 ? 100 : value;
}

static void copy_values(struct sx_table *to, uint32_t first, const struct sx_table *from,
			uint32_t columns)
{
	size_t rows = sx_table_row_count(from);
	for (uint32_t c = 0; c < columns; c++) {
		const char *unit = sx_table_column(from, c)->unit;
		struct sx_vector v = sx_table_vector(from, c);
		for (size_t r = 0; v.data && r < rows; r++) {
			uint8_t quality = v.quality ? v.quality[r] : 0;
			if (v.type == SX_U64)
				sx_table_set_u64(to, first + c, r, ((const uint64_t *)v.data)[r],
						 quality);
			else
				sx_table_set_f64(to, first + c, r,
						 below_all(((const double *)v.data)[r], unit),
						 quality);
		}
	}
}

static enum sx_status copy_labels(struct sx_table *to, const struct sx_table *from, size_t row,
				  struct sx_error *err)
{
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		uint64_t label = sx_table_label(from, (enum sx_label)i, row);
		const char *text = sx_table_string(from, label);
		if (label == SX_LABEL_ABSENT)
			continue;
		bool word = SX_LABELS_OF_TEXT >> i & 1 && text;
		if (word)
			label = sx_table_intern(to, text, strlen(text));
		if ((word && label == SX_NONE) ||
		    sx_table_set_label(to, (enum sx_label)i, row, label))
			return error_nomem(err, "labels of rows");
	}
	return SX_OK;
}

enum sx_status export_copy_rows(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err)
{
	size_t rows = sx_table_row_count(from);
	enum sx_status status = sx_table_add_rows(to, rows, NULL, err);
	for (size_t r = 0; !status && r < rows; r++) {
		sx_table_set_time(to, r, sx_table_begin_ns(from)[r], sx_table_end_ns(from)[r]);
		status = copy_labels(to, from, r, err);
	}
	return status;
}

/* Joins the columns of tables with the same rows. */
static enum sx_status side_by_side(struct sx_table *const *parts, const struct join_device *devices,
				   uint32_t count, struct sx_table **out, struct sx_error *err)
{
	uint32_t columns = 0, first = 0;
	for (uint32_t i = 0; i < count; i++)
		columns += column_count_of(parts[i], &devices[i]);
	struct sx_column *list = calloc((size_t)columns + 1, sizeof(*list));
	columns = 0;
	bool good = list;
	for (uint32_t i = 0; good && i < count; i++)
		good = add_names(list, &columns, parts[i], &devices[i]);
	enum sx_status status =
	    good ? sx_table_create(list, columns, sx_table_kind(parts[0]), out, err)
		 : error_nomem(err, "joining devices");
	if (!status)
		status = export_copy_rows(*out, parts[0], err);
	for (uint32_t i = 0; !status && i < count; i++) {
		copy_values(*out, first, parts[i], column_count_of(parts[i], &devices[i]));
		first += column_count_of(parts[i], &devices[i]);
	}
	if (!status)
		status = sx_table_add_rows(*out, 0, NULL, err);
	for (uint32_t i = 0; i < columns; i++)
		free((char *)list[i].name);
	free(list);
	return status;
}

enum sx_status export_join(const struct cli *cli, const struct join_device *devices, uint32_t count,
			   struct sx_table **out, struct sx_error *err)
{
	struct sx_table *rows = NULL;
	struct sx_table **parts = calloc((size_t)count + 1, sizeof(*parts));
	enum sx_status status = parts ? input_device_load(devices[0].device, &rows, err)
				      : error_nomem(err, "joining devices");
	if (!status && devices[0].metrics)
		status = sx_metrics_eval(devices[0].metrics, rows, &parts[0], err);
	/* The other devices are the machine's: their rows have no process. */
	for (uint32_t i = 1; i < count; i++)
		devices[i].device->of.rows.unlabelled = true;
	for (uint32_t i = 1; !status && i < count; i++)
		status = input_related(devices[0].device, devices[i].device, err);
	for (uint32_t i = 1; !status && i < count; i++)
		status = joined_values(cli, &devices[i], rows, &parts[i], err);
	if (!status && !parts[0]) {
		parts[0] = rows;
		rows = NULL;
	}
	if (!status)
		status = side_by_side(parts, devices, count, out, err);
	for (uint32_t i = 0; parts && i < count; i++)
		sx_table_destroy(parts[i]);
	free(parts);
	sx_table_destroy(rows);
	return status;
}
