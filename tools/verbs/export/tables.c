/*
 * The rows of a capture, in as much memory as one record needs. Several devices follow each other:
 * in CSV below one header, in JSON as one table each, or in one, as eval writes it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "tools/cli/request.h"
#include "tools/verbs/export/export.h"

static bool has_label(const struct sx_rows *rows, int label)
{
	const uint64_t *values = rows->labels[label];
	size_t i = 0;
	while (values && i < rows->count && values[i] == SX_LABEL_ABSENT)
		i++;
	return values && i < rows->count;
}

/* Only labels that some row has get a column, and the header comes first: a pass of its own. */
static enum sx_status labels_of(const struct input_device *d, uint32_t *labels,
				struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	*labels = 0;
	enum sx_status status = input_open(&d->of, &reader, err);
	if (status)
		return status;
	while ((status = sx_capture_next(reader, &record, err)) == SX_OK)
		for (int i = 0; record.device == d->place && i < SX_LABEL_COUNT; i++)
			if (record.type == SX_CAPTURE_ROWS && !(*labels >> i & 1) &&
			    has_label(&record.rows, i))
				*labels |= 1u << i;
	sx_capture_close(reader);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

enum sx_status export_shape(const struct cli *cli, const struct input_device *d,
			    struct rows_shape *shape, struct sx_error *err)
{
	*shape = (struct rows_shape){.schema = cli->verb->name,
				     .catalog = sx_catalog_info(d->catalog)->name,
				     .name = *d->info->facts.name ? d->info->facts.name : NULL,
				     .times = true,
				     .quality = true,
				     .simulated = d->info->facts.simulated,
				     .kind = d->info->kind};
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		shape->label_names[i] = input_label(d->info, (enum sx_label)i);
	enum sx_status status = labels_of(d, &shape->labels, err);
	shape->say_kind = rows_need_kind(shape);
	return status;
}

static enum sx_status export_select_metrics(const struct cli *cli, struct exported *d,
					    struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct sx_metrics_options options = input_selection(d->device);
	if (o->counters && !o->metrics.count)
		return overruled_begin(&d->overruled, d->device->catalog,
				       &(struct overruling){o->constants, o->constant_count},
				       d->device->raw, err);
	return sx_metrics_create(d->device->catalog, &options, &d->device->metrics, err);
}

static void close_device(struct exported *d)
{
	overruled_finish(&d->overruled);
	input_device_close(d->device);
	free(d->constants);
	*d = (struct exported){.device = NULL};
}

/* What a table lacks, known behind its rows. */
static void export_losses(struct json *json, void *user)
{
	const struct input_device *d = user;
	if (d->run.lost)
		json_kv_u64(json, "lost", d->run.lost);
	if (d->run.lost_more || d->run.partial)
		json_kv_bool(json, "lost_more", true);
}

static enum sx_status open_device(const struct cli *cli, const struct input_request *request,
				  uint32_t place, struct exported *d, struct sx_error *err)
{
	enum sx_status status = input_device_prepare(request, place, &d->device, err);
	if (!status)
		status = export_select_metrics(cli, d, err);
	if (status)
		return status;
	status = export_shape(cli, d->device, &d->shape, err);
	d->shape.device = d->device->facts.number;
	d->shape.more = export_losses;
	d->shape.more_user = d->device;
	return status;
}

/* Writes the rows of a raw table; with `last` what ends the table. */
static enum sx_status convert(struct exporting *e, struct rows_writer *writer, struct exported *d,
			      bool last, struct sx_error *err)
{
	struct sx_table *values = NULL;
	const struct sx_table *out = d->device->raw;
	enum sx_status status = SX_OK;
	if (d->device->metrics)
		status = sx_metrics_eval(d->device->metrics, d->device->raw, &values, err);
	else
		status = overruled_rows(&d->overruled, d->device->raw, &out, err);
	if (values)
		out = values;
	if (!status && e->joined && last)
		status = export_join_whys(e, out, err);
	if (!status && e->joined) {
		status = export_join_rows(e, out, err);
		out = e->joined;
	}
	if (!status)
		status = rows_add(writer, out, err);
	if (!status && last && (!e->joined || d == &e->devices[e->count - 1]))
		rows_end(writer, out);
	sx_table_destroy(values);
	return status;
}

static enum sx_status export_device(struct exporting *e, struct rows_writer *writer,
				    struct exported *d, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	writer->shape = &d->shape;
	while (!status) {
		status = input_device_next(d->device, err);
		if (!status)
			status = convert(e, writer, d, false, err);
		if (!status && ferror(e->cli->view.out.out))
			return SX_OK; /* the output failed; main reports it */
	}
	return status == SX_END ? convert(e, writer, d, true, err) : status; /* without rows */
}

/* JSON has a table a device, one as well as several, unless it is to be one table. */
static bool in_tables(const struct exporting *e)
{
	return e->cli->view.format == FORMAT_JSON && !e->one_table;
}

static bool of_one_catalog(const struct exporting *e)
{
	bool same = true;
	for (uint32_t i = 1; i < e->count; i++)
		same &= strcmp(e->devices[i].shape.catalog, e->devices[0].shape.catalog) == 0;
	return same;
}

/* Distinguishes devices: by columns in rows, by members in tables. */
static void mark_devices(struct exporting *e, struct json *json)
{
	struct view *view = &e->cli->view;
	bool tables = in_tables(e), several = e->count > 1, same = of_one_catalog(e);
	bool kinds = false;
	for (uint32_t i = 0; i < e->count; i++) {
		view->simulated |= e->devices[i].shape.simulated;
		kinds |= e->devices[i].shape.say_kind;
	}
	for (uint32_t i = 0; i < e->count; i++) {
		struct rows_shape *shape = &e->devices[i].shape;
		shape->by_device = several && !tables;
		/* With one table the document says it. */
		shape->say_simulated =
		    view->simulated && !tables && (several || view->format != FORMAT_JSON);
		shape->say_kind = kinds && !tables;
		shape->within = tables ? json : NULL;
		if (e->one_table && !same)
			shape->catalog = NULL;
		shape->known =
		    same && e->devices[i].device->metrics ? e->devices[i].device->catalog : NULL;
	}
}

static struct json tables_begin(const struct exporting *e)
{
	struct json json = view_json_begin(&e->cli->view, e->cli->verb->name);
	json_kv_array(&json, "devices");
	return json;
}

static void tables_end(struct json *json)
{
	json_array_end(json);
	view_json_end(json);
}

/* In text each device has a table of its own below its name. */
static void name_table(const struct exporting *e, uint32_t index)
{
	struct view *view = &e->cli->view;
	const struct sx_capture_device *info = e->devices[index].device->info;
	if (index)
		fputc('\n', view->out.out);
	text_styled(&view->out, TEXT_BOLD, *info->facts.name ? info->facts.name : info->catalog);
	fputc('\n', view->out.out);
	view->simulated = e->devices[index].shape.simulated;
}

static enum sx_status export_all(struct exporting *e, struct sx_error *err)
{
	struct view *view = &e->cli->view;
	struct json json = {.out = NULL};
	bool several = e->count > 1, tables = in_tables(e);
	enum sx_status status = SX_OK;
	mark_devices(e, &json);
	if (several && (view->format == FORMAT_CSV || (view->format == FORMAT_JSON && !tables)))
		status = export_join_headers(e, err);
	if (!status && view->format != FORMAT_TEXT)
		status = export_gather_constants(e, err);
	if (!status && tables)
		json = tables_begin(e);
	struct rows_writer writer = rows_begin(view, &e->devices[0].shape);
	for (uint32_t i = 0; !status && i < e->count; i++) {
		/* One table has the header and the columns of all. */
		if (i && !e->joined) {
			rows_finish(&writer);
			writer = rows_begin(view, &e->devices[i].shape);
		}
		if (several && view->format == FORMAT_TEXT)
			name_table(e, i);
		status = export_device(e, &writer, &e->devices[i], err);
	}
	rows_finish(&writer);
	if (tables && !status)
		tables_end(&json);
	return status;
}

static enum sx_status nothing_to_join(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "there is nothing to join");
	error_because(err, "only one device of the capture is left");
	error_try(err, "without --join; record with several devices, as -d cpu,pmu");
	return SX_ERR_USAGE;
}

/* "cpu.", or "cpu#2." where another device has that source. */
static const char *prefix_of(const struct exporting *e, uint32_t index, char *out, size_t size)
{
	const char *source = e->devices[index].device->info->facts.source;
	uint32_t same = 0;
	for (uint32_t i = 0; i < e->count; i++)
		same += suggest_is_same(e->devices[i].device->info->facts.source, source);
	if (same > 1)
		snprintf(out, size, "%s#%u.", source, e->devices[index].shape.device);
	else
		snprintf(out, size, "%s.", source);
	return index ? out : "";
}

/* One table, the rows of the first device. */
static enum sx_status export_joined(struct exporting *e, struct sx_error *err)
{
	struct view *view = &e->cli->view;
	struct join_device *devices = calloc(e->count + 1, sizeof(*devices));
	char(*prefixes)[80] = calloc(e->count + 1, sizeof(*prefixes));
	enum sx_status status = SX_OK;
	if (e->count < 2)
		status = nothing_to_join(err);
	else if (!devices || !prefixes)
		status = error_nomem(err, "exporting");
	for (uint32_t i = 0; !status && i < e->count; i++) {
		view->simulated |= e->devices[i].shape.simulated;
		devices[i] = (struct join_device){
		    .device = e->devices[i].device,
		    .metrics = e->devices[i].device->metrics,
		    .bare = e->devices[i].bare,
		    .prefix = prefix_of(e, i, prefixes[i], sizeof(prefixes[i]))};
	}
	if (!status)
		status = export_join(e->cli, devices, e->count, &e->joined, err);
	if (!status)
		status = export_join_constants(e, devices, err);
	if (!status) {
		struct rows_shape *shape = &e->devices[0].shape;
		struct json json = {.out = NULL};
		bool tables = in_tables(e);
		shape->say_simulated = view->simulated && !tables;
		shape->simulated = view->simulated;
		shape->say_kind &= !tables;
		shape->within = tables ? &json : NULL;
		shape->all_units = true;
		if (tables)
			json = tables_begin(e);
		status = rows_write(view, shape, e->joined, err);
		if (tables && !status)
			tables_end(&json);
	}
	free(devices);
	free(prefixes);
	return status;
}

/* What is named may be of others alone: then the first device has rows, and no column. */
static enum sx_status open_bare(struct exporting *e, struct exported *d, uint32_t number,
				struct sx_error *err)
{
	enum sx_status status = export_shape(e->cli, d->device, &d->shape, err);
	d->shape.device = number;
	d->bare = true;
	return status;
}

static enum sx_status open_devices(struct exporting *e, const char *path, struct sx_error *err)
{
	struct input_places places;
	const struct input_request request = request_of(e->cli, path);
	enum sx_status passed = SX_OK, status = input_find(&request, &places, err);
	e->devices = calloc(places.count + 1, sizeof(*e->devices));
	if (!status && !e->devices)
		status = error_nomem(err, "exporting");
	for (uint32_t i = 0; !status && i < places.count; i++) {
		struct exported *d = &e->devices[e->count++];
		status = open_device(e->cli, &request, places.list[i], d, err);
		if (!input_passes_over(&request, status, places.count))
			continue;
		passed = passed ? passed : status;
		if (e->cli->options.join && !i && d->device) {
			status = open_bare(e, d, places.list[i], err);
			continue;
		}
		status = SX_OK;
		close_device(d);
		e->count--;
	}
	free(places.list);
	bool any = e->count > 1 || (e->count && !e->devices[0].bare);
	return !status && !any ? passed : status;
}

/* Where --process or --context left nothing of any device, the first says why. */
static enum sx_status anything_chosen(const struct exporting *e, struct sx_error *err)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->devices[i].device->rows)
			return SX_OK;
	for (uint32_t i = 0; i < e->count; i++)
		if (input_left_out(e->devices[i].device, err))
			return SX_INCOMPLETE;
	return SX_OK;
}

static void close_devices(struct exporting *e)
{
	for (uint32_t i = 0; e->devices && i < e->count; i++)
		close_device(&e->devices[i]);
	free(e->devices);
	export_join_finish(e);
}

int export_tables(struct cli *cli, const char *path, bool one_table)
{
	struct sx_error err = {0};
	struct exporting e = {.cli = cli, .one_table = one_table};
	bool whole = true;
	enum sx_status status = open_devices(&e, path, &err); /* says so of what is no capture */
	if (!status)
		status = cli->options.join ? export_joined(&e, &err) : export_all(&e, &err);
	if (!status)
		status = anything_chosen(&e, &err);
	if (!status)
		whole = input_device_note(e.devices[0].device);
	close_devices(&e);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}
