/*
 * sextant export: a capture's rows for other programs, in as much memory as one record needs.
 * Several devices follow each other: in CSV below one header, in JSON as one table each.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "tools/cli/input/capture_view.h"
#include "output/rows/rows.h"
#include "output/views.h"
#include "tools/cli/input/capture_report.h"
#include "tools/verbs/export.h"
#include "tools/verbs/export_join.h"

/* One device of the capture. */
struct exported {
	struct capture_view *view;
	struct sx_metrics *metrics; /* NULL: the raw columns as they are */
	struct sx_table *raw;
	struct rows_shape shape;
	struct sx_constant_value *constants; /* of all devices, this one's values; or NULL */
};

struct exporting {
	struct cli *cli;
	struct exported *devices;
	uint32_t count;
	struct sx_table *joined; /* CSV of several devices: the columns of all, each name once */
};

/* Only labels that some row has get a column, and the header comes first: a pass of its own. */
static enum sx_status labels_of(const struct capture_view *view, uint32_t *labels,
				struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	*labels = 0;
	enum sx_status status = sx_capture_open(view->path, &reader, err);
	if (status)
		return status;
	while ((status = sx_capture_next(reader, &record, err)) == SX_OK)
		for (int i = 0; record.device == view->device && i < SX_LABEL_COUNT; i++)
			if (record.type == SX_CAPTURE_ROWS && record.rows.labels[i])
				*labels |= 1u << i;
	sx_capture_close(reader);
	return status == SX_END || status == SX_AGAIN ? SX_OK : status;
}

enum sx_status export_shape(const struct cli *cli, const struct capture_view *view,
			    struct rows_shape *shape, struct sx_error *err)
{
	*shape = (struct rows_shape){.schema = cli->verb->name,
				     .catalog = sx_catalog_info(view->catalog)->name,
				     .times = true,
				     .quality = true,
				     .simulated = view->info->simulated};
	return labels_of(view, &shape->labels, err);
}

static enum sx_status export_select_metrics(const struct cli *cli, struct exported *d,
					    struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct sx_metrics_options options = capture_view_selection(cli, d->view, d->raw);
	if (o->counters && !o->metrics.count)
		return SX_OK;
	return sx_metrics_create(d->view->catalog, &options, &d->metrics, err);
}

static void close_device(struct exported *d)
{
	sx_metrics_destroy(d->metrics);
	sx_table_destroy(d->raw);
	capture_view_close(d->view);
	free(d->constants);
	*d = (struct exported){.view = NULL};
}

static enum sx_status open_device(const struct cli *cli, const char *path, uint32_t number,
				  struct exported *d, struct sx_error *err)
{
	enum sx_status status = capture_view_prepare(cli, &(struct capture_device){path, number},
						     &d->view, &d->raw, err);
	if (!status)
		status = export_select_metrics(cli, d, err);
	if (status)
		return status;
	status = export_shape(cli, d->view, &d->shape, err);
	d->shape.device = number;
	return status;
}

/* One name may have two units; below one header all numbers are in the base unit of theirs. */
static double factor_between(const struct exporting *e, const struct sx_column *own,
			     const struct sx_column *joined)
{
	char buf[2 * UNITS_TEXT_MAX];
	double from = 1, to = 1;
	const struct units *units = &e->cli->view.human.units;
	if (!own->unit || !joined->unit || strcmp(own->unit, joined->unit) == 0)
		return 1;
	units_base(units, own->unit, buf, &from);
	units_base(units, joined->unit, buf, &to);
	return from / to;
}

/* Rows of one device below the header of all. */
static enum sx_status join_rows(const struct exporting *e, const struct sx_table *t,
				struct sx_error *err)
{
	struct sx_table *to = e->joined;
	size_t rows = sx_table_row_count(t), first;
	sx_table_clear(to);
	enum sx_status status = sx_table_add_rows(to, rows, &first, err);
	for (size_t r = 0; !status && r < rows; r++) {
		sx_table_set_time(to, r, sx_table_begin_ns(t)[r], sx_table_end_ns(t)[r]);
		status = export_copy_labels(to, t, r, err);
	}
	for (uint32_t c = 0; !status && c < sx_table_column_count(t); c++) {
		struct sx_vector v = sx_table_vector(t, c);
		uint32_t at = sx_table_find(to, sx_table_column(t, c)->name);
		bool exact = sx_table_column(to, at)->type == SX_U64;
		double factor = factor_between(e, sx_table_column(t, c), sx_table_column(to, at));
		for (size_t r = 0; v.data && r < rows; r++) {
			uint8_t quality = v.quality ? v.quality[r] : 0;
			if (exact)
				sx_table_set_u64(to, at, r, ((const uint64_t *)v.data)[r], quality);
			else
				sx_table_set_f64(to, at, r, sx_table_get(t, c, r) * factor,
						 quality);
		}
	}
	return status;
}

/* Writes the rows of a raw table; with `last` what ends the table. */
static enum sx_status convert(const struct exporting *e, struct rows_writer *writer,
			      const struct exported *d, bool last, struct sx_error *err)
{
	struct sx_table *values = NULL;
	const struct sx_table *out = d->raw;
	enum sx_status status = SX_OK;
	if (d->metrics)
		status = sx_metrics_eval(d->metrics, d->raw, &values, err);
	if (values)
		out = values;
	if (!status && e->joined) {
		status = join_rows(e, out, err);
		out = e->joined;
	}
	if (!status)
		status = rows_add(writer, out, err);
	if (!status && last)
		rows_end(writer, out);
	sx_table_destroy(values);
	return status;
}

static enum sx_status export_device(const struct exporting *e, struct rows_writer *writer,
				    struct exported *d, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	writer->shape = &d->shape;
	while (!status) {
		status = capture_view_next(d->view, d->raw, err);
		if (!status)
			status = convert(e, writer, d, false, err);
		if (!status && ferror(e->cli->view.out.out))
			return SX_OK; /* nobody reads on; main says why */
	}
	return status == SX_END ? convert(e, writer, d, true, err) : status; /* without rows */
}

/* A column of this device in the header of all; a name of two types is written as f64. */
static void add_column(struct sx_column *list, uint32_t *count, const struct sx_column *own)
{
	for (uint32_t i = 0; i < *count; i++)
		if (strcmp(list[i].name, own->name) == 0) {
			bool same =
			    list[i].type == own->type && strcmp(list[i].unit, own->unit) == 0;
			list[i].type = same ? own->type : SX_F64;
			return;
		}
	list[(*count)++] = *own;
}

static uint32_t column_count(const struct exported *d)
{
	uint32_t count = sx_table_column_count(d->raw);
	if (d->metrics)
		sx_metrics_columns(d->metrics, &count);
	return count;
}

/* The columns of all devices, each name once. */
static enum sx_status join_headers(struct exporting *e, struct sx_error *err)
{
	uint32_t most = 0, count = 0, labels = 0, n;
	for (uint32_t i = 0; i < e->count; i++) {
		most += column_count(&e->devices[i]);
		labels |= e->devices[i].shape.labels;
	}
	struct sx_column *list = calloc(most + 1, sizeof(*list));
	if (!list)
		return error_nomem(err, "exporting");
	for (uint32_t i = 0; i < e->count; i++) {
		const struct exported *d = &e->devices[i];
		const struct sx_metric_column *own =
		    d->metrics ? sx_metrics_columns(d->metrics, &n) : NULL;
		for (uint32_t c = 0; c < column_count(d); c++)
			add_column(list, &count,
				   own ? &(struct sx_column){.name = own[c].name,
							     .unit = own[c].unit,
							     .type = own[c].type}
				       : sx_table_column(d->raw, c));
		e->devices[i].shape.labels = labels;
	}
	enum sx_status status = sx_table_create(list, count, SX_SAMPLE_ROW, &e->joined, err);
	free(list);
	return status;
}

static uint32_t find_constant(const struct sx_constant_value *list, uint32_t count,
			      const char *name)
{
	uint32_t i = 0;
	while (i < count && strcmp(list[i].name, name) != 0)
		i++;
	return i;
}

/* A device's constants among those of all; what comes later wins. A counter keeps its name. */
static uint32_t place_constants(const struct exported *d, struct sx_constant_value *list,
				uint32_t count)
{
	for (uint32_t i = 0; i < d->view->constant_count; i++) {
		const struct sx_constant_value *c = &d->view->constants[i];
		uint32_t at = find_constant(list, count, c->name);
		if (!d->metrics && sx_table_find(d->raw, c->name) != SX_NONE)
			continue;
		list[at] = *c;
		count += at == count;
	}
	return count;
}

/* The same columns for all devices, for there is one header. */
static enum sx_status export_gather_constants(struct exporting *e, struct sx_error *err)
{
	uint32_t most = 1, count = 0;
	for (uint32_t i = 0; i < e->count; i++)
		most += e->devices[i].view->constant_count;
	struct sx_constant_value *all = calloc(most, sizeof(*all));
	for (uint32_t i = 0; all && i < e->count; i++)
		count = place_constants(&e->devices[i], all, count);
	for (uint32_t i = 0; i < count; i++)
		all[i].value = (double)NAN;
	for (uint32_t i = 0; all && i < e->count; i++) {
		struct exported *d = &e->devices[i];
		d->constants = calloc(most, sizeof(*d->constants));
		if (!d->constants)
			break;
		memcpy(d->constants, all, count * sizeof(*all));
		place_constants(d, d->constants, count);
		d->shape.constants = d->constants;
		d->shape.constant_count = count;
	}
	bool done = all && e->devices[e->count - 1].constants;
	free(all);
	return done ? SX_OK : error_nomem(err, "exporting");
}

/* What tells devices apart: columns in rows, members in tables. */
static void mark_devices(struct exporting *e, struct json *json)
{
	struct view *view = &e->cli->view;
	bool tables = view->format == FORMAT_JSON, several = e->count > 1;
	for (uint32_t i = 0; i < e->count; i++)
		view->simulated |= e->devices[i].shape.simulated;
	for (uint32_t i = 0; i < e->count; i++) {
		struct rows_shape *shape = &e->devices[i].shape;
		shape->by_device = several && !tables;
		shape->say_simulated = view->simulated && !tables;
		shape->within = several && tables ? json : NULL;
	}
}

/* In text each device has a table of its own below its name. */
static void name_table(const struct exporting *e, uint32_t index)
{
	struct view *view = &e->cli->view;
	const struct sx_capture_device *info = e->devices[index].view->info;
	if (index)
		fputc('\n', view->out.out);
	text_styled(&view->out, TEXT_BOLD, *info->name ? info->name : info->catalog);
	fputc('\n', view->out.out);
	view->simulated = e->devices[index].shape.simulated;
}

static enum sx_status export_all(struct exporting *e, struct sx_error *err)
{
	struct view *view = &e->cli->view;
	struct json json = {.out = NULL};
	bool several = e->count > 1, nested = several && view->format == FORMAT_JSON;
	enum sx_status status = SX_OK;
	mark_devices(e, &json);
	if (several && view->format == FORMAT_CSV)
		status = join_headers(e, err);
	if (!status && view->format != FORMAT_TEXT)
		status = export_gather_constants(e, err);
	if (!status && nested) {
		json = view_json_begin(view, e->cli->verb->name);
		json_kv_array(&json, "devices");
	}
	struct rows_writer writer = rows_begin(view, &e->devices[0].shape);
	for (uint32_t i = 0; !status && i < e->count; i++) {
		/* In CSV the header and the columns are of all. */
		if (i && !e->joined) {
			rows_finish(&writer);
			writer = rows_begin(view, &e->devices[i].shape);
		}
		if (several && view->format == FORMAT_TEXT)
			name_table(e, i);
		status = export_device(e, &writer, &e->devices[i], err);
	}
	rows_finish(&writer);
	if (nested && !status) {
		json_array_end(&json);
		view_json_end(&json);
	}
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
	const char *source = e->devices[index].view->info->source;
	uint32_t same = 0;
	for (uint32_t i = 0; i < e->count; i++)
		same += suggest_is_same(e->devices[i].view->info->source, source);
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
		    .view = e->devices[i].view,
		    .metrics = e->devices[i].metrics,
		    .prefix = prefix_of(e, i, prefixes[i], sizeof(prefixes[i]))};
	}
	if (!status)
		status = export_join(e->cli, devices, e->count, &e->joined, err);
	if (!status) {
		struct rows_shape *shape = &e->devices[0].shape;
		shape->say_simulated = view->simulated && view->format != FORMAT_JSON;
		shape->simulated = view->simulated;
		status = rows_write(view, shape, e->joined, err);
	}
	free(devices);
	free(prefixes);
	return status;
}

static enum sx_status open_devices(struct exporting *e, const char *path, struct sx_error *err)
{
	uint32_t *list = NULL, count = 0;
	enum sx_status passed = SX_OK, status = capture_view_list(e->cli, path, &list, &count, err);
	e->devices = calloc(count + 1, sizeof(*e->devices));
	if (!status && !e->devices)
		status = error_nomem(err, "exporting");
	for (uint32_t i = 0; !status && i < count; i++) {
		struct exported *d = &e->devices[e->count++];
		status = open_device(e->cli, path, list[i], d, err);
		if (!capture_view_passes_over(e->cli, status, count))
			continue;
		passed = status;
		status = SX_OK;
		close_device(d);
		e->count--;
	}
	free(list);
	return !status && !e->count ? passed : status;
}

/* Where --process or --context left nothing of any device, the first says why. */
static enum sx_status anything_chosen(const struct exporting *e, struct sx_error *err)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->devices[i].view->chosen)
			return SX_OK;
	for (uint32_t i = 0; i < e->count; i++)
		if (capture_view_left_out(e->devices[i].view, err))
			return SX_INCOMPLETE;
	return SX_OK;
}

static void close_devices(struct exporting *e)
{
	for (uint32_t i = 0; e->devices && i < e->count; i++)
		close_device(&e->devices[i]);
	free(e->devices);
	sx_table_destroy(e->joined);
}

/* A view of the whole run instead of its rows. */
static int export_report(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct capture_report read = {0};
	struct capture_report_hooks hooks = {.everything = true};
	const struct report *report = NULL;
	bool whole = true;
	enum sx_status status = capture_report_read(cli, path, &hooks, &read, &err);
	if (!status)
		status = report_finish(read.fill, &report, &err);
	if (!status)
		status = views_find(cli->view.format)->write(&cli->view, report, &err);
	if (!status)
		whole = capture_report_note(cli, &read) &&
			!(cli->options.metrics.count && report_lacks_named(report));
	capture_report_close(&read);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}

static enum sx_status merge_what(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "--merge is for traces of Perfetto alone");
	error_because(err, "another format was asked for");
	error_try(err, "--format perfetto");
	return SX_ERR_USAGE;
}

int export_tables(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct exporting e = {.cli = cli};
	bool whole = true;
	enum sx_status status = open_devices(&e, path, &err); /* says so of what is no capture */
	if (!status)
		status = cli->options.join ? export_joined(&e, &err) : export_all(&e, &err);
	if (!status)
		status = anything_chosen(&e, &err);
	if (!status)
		whole = capture_view_note(cli, e.devices[0].view);
	close_devices(&e);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}

static int export_run(struct cli *cli)
{
	struct sx_error err = {0};
	const char *path;
	if (!cli->options.format_given)
		cli->view.format = FORMAT_CSV;
	enum sx_status status = cli_input(cli, &path, &err);
	if (!status && cli->options.merge && !cli->options.format_given)
		cli->view.format = FORMAT_PERFETTO;
	if (!status && cli->options.merge && cli->view.format != FORMAT_PERFETTO)
		status = merge_what(&err);
	if (!status && cli->options.join)
		status = cli_formats(
		    cli, 1u << FORMAT_CSV | 1u << FORMAT_JSON | 1u << FORMAT_NDJSON, &err);
	if (status)
		return cli_fail(cli, &err);
	if (cli->view.format == FORMAT_PERFETTO)
		return export_perfetto(cli, path);
	if (cli->view.format == FORMAT_OPENMETRICS)
		return export_report(cli, path);
	return export_tables(cli, path);
}

const struct command cmd_export = {
    .verb = {.name = "export",
	     .synopsis = "FILE [-m LIST | --counters] [--join] [-f FMT] [--merge TRACE] [-o FILE]",
	     .summary = "the rows of a capture for other programs",
	     .about =
		 "Writes every row of a capture with its times, labels and metrics, or with "
		 "--counters its raw counters as recorded. A capture of any size is written "
		 "in little memory. With --join there is one table: the rows of the first device, "
		 "and beside them what the others did meanwhile. Where a row has no data the field "
		 "is empty, null in JSON. As "
		 "OpenMetrics text it is the run as a whole for Prometheus: amounts as counters, "
		 "shares and rates as gauges of their mean, and no series for what has no data. As "
		 "a Perfetto trace it "
		 "is for ui.perfetto.dev: counters, metrics, frames, verdict, advice and what "
		 "was lost on one time axis, with --merge beside a trace of the system.",
	     .formats = 1u << FORMAT_CSV | 1u << FORMAT_JSON | 1u << FORMAT_NDJSON |
			1u << FORMAT_OPENMETRICS | 1u << FORMAT_PERFETTO,
	     .reads = true,
	     .streams = true,
	     .suffixes = "zip", /* what --merge writes */
	     .options = "for device metric set api input output const counters join merge "
			"context process format",
	     .max_args = 1,
	     .examples = "  sextant export game.sxc -m 'gpu_*' -o game.csv\n"
			 "  sextant export game.sxc --counters --format ndjson\n"
			 "  sextant export game.sxc -o game.prom\n"
			 "  sextant export game.sxc -o game.pftrace\n"},
    .run = export_run,
};
