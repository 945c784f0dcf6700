/* sextant eval: raw counter values from CSV in, metrics out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cli/cli.h"
#include "tools/cli/request.h"
#include "input/given.h"
#include "output/rows/rows.h"
#include "tools/verbs/export/export.h"

static struct rows_shape shape_of_table(const struct sx_catalog *catalog,
					const struct csv_beside *beside)
{
	struct rows_shape shape = {.schema = "eval",
				   .catalog = sx_catalog_info(catalog)->name,
				   .times = beside->times,
				   .labels = beside->labels,
				   .quality = beside->quality,
				   .say_simulated = beside->says_simulated,
				   .simulated = beside->simulated,
				   .say_kind = beside->says_kind,
				   .kind = beside->kind};
	memcpy(shape.label_names, beside->label_names, sizeof(shape.label_names));
	return shape;
}

/* What came beside values goes out again: eval of an export gives the export. */
static enum sx_status shape_of(const struct cli *cli, const struct input_device *d,
			       struct rows_shape *shape, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (d->beside)
		*shape = shape_of_table(d->catalog, d->beside);
	else
		status = export_shape(cli, d, shape, err);
	shape->known = d->catalog;
	shape->simulated |= cli->view.simulated;
	shape->say_simulated =
	    (shape->say_simulated || cli->view.simulated) && cli->view.format != FORMAT_JSON;
	if (cli->view.format != FORMAT_TEXT) { /* of a capture its own are among them */
		shape->constants = cli->options.constants;
		shape->constant_count = (uint32_t)cli->options.constant_count;
	}
	return status;
}

/* Constants say what the device is, not what happened. */
static bool has_value(const struct sx_metrics *metrics, const struct sx_table *table)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
	for (uint32_t c = 0; c < count && !columns[c].constant; c++)
		for (size_t r = 0; r < sx_table_row_count(table); r++)
			if (!isnan(sx_table_get(table, c, r)))
				return true;
	return false;
}

/* No metric had what it needs in any row. */
static enum sx_status nothing(const struct sx_catalog *catalog, const struct sx_table *values,
			      bool empty, struct sx_error *err)
{
	const char *why = empty ? "the table has no row" : NULL;
	for (uint32_t c = 0; !why && c < sx_table_column_count(values); c++)
		why = sx_table_column(values, c)->why;
	error_set(err, SX_INCOMPLETE, "no metric of catalog %s could be worked out",
		  sx_catalog_info(catalog)->name);
	error_because(err, "%s", why ? why : "every row lacks a value that they need");
	error_try(err, "sextant explain METRIC --for %s, for what it needs",
		  sx_catalog_info(catalog)->name);
	return SX_INCOMPLETE;
}

/* What one run of eval works with. */
struct evaluating {
	const struct cli *cli;
	struct input_device *device;
	struct sx_metrics *metrics;
	/* Two, in turn: one's rows are written while the other's are worked out. */
	struct sx_evaluation *evaluations[2];
	struct given_check check;
	const struct sx_table *last; /* rows that were worked out last */
	bool any;		     /* some value was worked out */
	bool empty;		     /* there was no row */
};

/* The next rows; at the end what is damaged or lost is noted. */
static enum sx_status eval_next(struct input_device *d, struct sx_error *err)
{
	enum sx_status status = input_device_next(d, err);
	if (status == SX_END)
		input_device_note(d);
	return status;
}

/*
 * Writes the metrics of every block of rows, of one without rows when there are none. *last is the
 * table that was written last.
 */
static enum sx_status write_blocks(struct evaluating *e, struct rows_pipe *pipe,
				   struct sx_table **last, struct sx_error *err)
{
	enum sx_status status = eval_next(e->device, err);
	for (size_t turn = 0; !status || (status == SX_END && !turn); turn++) {
		bool end = status == SX_END;
		const struct sx_table *raw = e->device->raw;
		struct sx_table *values;
		status = sx_evaluation_run(e->evaluations[turn % 2], raw, &values, err);
		if (status)
			break;
		status = rows_pipe_give(pipe, values, err);
		*last = values;
		e->last = values;
		if (!status && !end)
			given_rows(&e->check, raw, values);
		e->any = e->any || (!end && !status && has_value(e->metrics, values));
		e->empty = end;
		if (!status) /* main reports why the output failed */
			status = end || ferror(e->cli->view.out.out) ? SX_END
								     : eval_next(e->device, err);
	}
	return status;
}

static enum sx_status eval_write_all(struct evaluating *e, const struct rows_shape *shape,
				     struct sx_error *err)
{
	struct rows_writer writer = rows_begin(&e->cli->view, shape);
	struct rows_pipe pipe;
	struct sx_table *last = NULL;
	rows_pipe_begin(&pipe, &writer);
	enum sx_status status = write_blocks(e, &pipe, &last, err);
	struct sx_error why = {0};
	enum sx_status written = rows_pipe_end(&pipe, &why);
	if (status == SX_END && written) {
		*err = why;
		status = written;
	}
	if (status == SX_END)
		rows_end(&writer, last);
	rows_finish(&writer);
	return status == SX_END ? SX_OK : status;
}

/* Raw counters that export wrote, each instance for itself: as they are, whatever they mean. */
static bool is_raw_export(const struct cli *cli, const struct input_device *d)
{
	const struct options *o = &cli->options;
	return d->beside && d->beside->exported && o->counters && !o->metrics.count;
}

static enum sx_status eval_write_raw(const struct cli *cli, struct input_device *d,
				     const struct rows_shape *shape, struct sx_error *err)
{
	struct rows_writer writer = rows_begin(&cli->view, shape);
	const struct overruling by = {cli->options.constants, cli->options.constant_count};
	struct overruled overruled = {.table = NULL};
	const struct sx_table *rows;
	enum sx_status status = overruled_begin(&overruled, d->catalog, &by, d->raw, err);
	while (!status && !ferror(cli->view.out.out)) {
		status = eval_next(d, err);
		if (!status)
			status = overruled_rows(&overruled, d->raw, &rows, err);
		if (!status)
			status = rows_add(&writer, rows, err);
	}
	if (status == SX_END && !overruled_rows(&overruled, d->raw, &rows, err))
		rows_end(&writer, rows);
	rows_finish(&writer);
	overruled_finish(&overruled);
	return status == SX_END ? SX_OK : status;
}

static enum sx_status evaluate(const struct cli *cli, struct input_device *d, struct sx_error *err)
{
	struct sx_catalog *catalog = d->catalog;
	struct evaluating e = {.cli = cli, .device = d};
	char text[GIVEN_TEXT_MAX];
	const struct sx_table *like = d->raw;
	struct rows_shape shape;
	struct sx_metrics_options options = options_selection(&cli->options, like);
	options.keep_constants = cli->view.format != FORMAT_TEXT && d->beside;
	enum sx_status status = shape_of(cli, d, &shape, err);
	if (!status && is_raw_export(cli, d))
		return eval_write_raw(cli, d, &shape, err);
	if (!status)
		status = sx_metrics_create(catalog, &options, &e.metrics, err);
	for (int i = 0; !status && i < 2; i++)
		status = sx_evaluation_create(e.metrics, like, &e.evaluations[i], err);
	if (!status) {
		given_begin(&e.check, catalog, e.metrics, &options);
		status = eval_write_all(&e, &shape, err);
		if (given_end(&e.check, text))
			cli_note(cli, "note: %s", text);
	}
	if (!status && !e.any)
		status = nothing(catalog, e.last, e.empty, err);
	for (int i = 0; i < 2; i++)
		sx_evaluation_destroy(e.evaluations[i]);
	sx_metrics_destroy(e.metrics);
	return status;
}

/*
 * Whether the rows of a capture are exported: of several devices (no --for or --device chooses
 * one), or raw counters.
 */
static bool is_exported(struct cli *cli, const char **path)
{
	struct input_places places;
	if (cli_input(cli, path, NULL) || !imported_is_recording(cli, *path))
		return false;
	const struct input_request request = request_of(cli, *path);
	if (input_find(&request, &places, NULL))
		return false;
	free(places.list);
	return places.count > 1 || (cli->options.counters && !cli->options.metrics.count);
}

/* A plain table; that of a capture is open by then. */
static enum sx_status eval_open(struct cli *cli, struct sx_catalog *catalog, struct sx_error *err)
{
	const char *path;
	enum sx_status status = cli->capture ? input_need_set(cli->capture, err) : SX_OK;
	if (!status)
		status = cli_input(cli, &path, err);
	if (status)
		return status;
	const struct input_request request = request_of(cli, path);
	status = cli->capture ? input_device_peek(cli->capture, err)
			      : input_table_open(&request, catalog, &cli->capture, err);
	if (!status)
		status = input_need_columns(path, cli->capture->raw, catalog, err);
	if (status)
		return status;
	cli->view.simulated |= cli->capture->info->facts.simulated;
	input_note_unknown(&request, cli->capture->raw, catalog);
	return SX_OK;
}

static int eval_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	const char *path;
	if (is_exported(cli, &path))
		return export_tables(cli, path, true);
	enum sx_status status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = eval_open(cli, catalog, &err);
	if (!status)
		status = evaluate(cli, cli->capture, &err);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_eval = {
    .verb = {.name = "eval",
	     .synopsis = "--for NAME -i FILE.csv [-m LIST] [--const NAME=VALUE]",
	     .summary = "raw counter values from CSV in, metrics out",
	     .about =
		 "Reads counter values from a CSV file whose header names them (vendor's names "
		 "or any alias) and writes the metrics of the catalog for every row. Columns "
		 "duration_ns and timestamp_ns give the rows' times; a column may also hold a "
		 "constant. A missing column is no data, never zero.",
	     .formats = FORMATS_ROWS,
	     .reads = true,
	     .streams = true,
	     .options = "for metric set api input output const counters format",
	     .max_args = 1,
	     .files_from = 1,
	     .examples = "  sextant eval --for mali-g310 -i counters.csv --const shader_cores=2\n"},
    .run = eval_run,
};
