/* sextant export: a capture's rows for other programs, in as much memory as one record needs. */
#include <string.h>

#include "tools/cli/capture_view.h"
#include "output/rows/rows.h"

static struct sx_metrics_options selection(const struct cli *cli, const struct sx_table *like)
{
	const struct options *o = &cli->options;
	return (struct sx_metrics_options){.patterns = o->metrics.items,
					   .pattern_count = (uint32_t)o->metrics.count,
					   .set = o->set,
					   .variant = o->api,
					   .constants = o->constants,
					   .constant_count = (uint32_t)o->constant_count,
					   .counters = o->counters,
					   .like = like};
}

/* Only labels that some row has get a column, and the header comes first: a pass of its own. */
static uint32_t labels_of(const struct capture_view *view)
{
	struct sx_capture_reader *reader = NULL;
	struct sx_capture_record record;
	uint32_t labels = 0;
	if (sx_capture_open(view->path, &reader, NULL))
		return 0;
	while (sx_capture_next(reader, &record, NULL) == SX_OK)
		for (int i = 0; record.device == view->device && i < SX_LABEL_COUNT; i++)
			if (record.type == SX_CAPTURE_ROWS && record.rows.labels[i])
				labels |= 1u << i;
	sx_capture_close(reader);
	return labels;
}

struct exporting {
	struct cli *cli;
	struct sx_metrics *metrics; /* NULL: the raw columns as they are */
	struct rows_shape shape;
	struct rows_writer writer;
};

/* Writes the rows of a raw table; with `last` what ends the document. */
static enum sx_status convert(struct exporting *e, const struct sx_table *raw, bool last,
			      struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = SX_OK;
	if (e->metrics)
		status = sx_metrics_eval(e->metrics, raw, &values, err);
	if (!status)
		status = rows_add(&e->writer, values ? values : raw, err);
	if (!status && last)
		rows_end(&e->writer, values ? values : raw);
	sx_table_destroy(values);
	return status;
}

static enum sx_status begin(struct exporting *e, struct sx_table **raw, struct sx_error *err)
{
	const struct capture_view *view = e->cli->capture;
	enum sx_status status = capture_view_table(view, raw, err);
	bool plain = e->cli->options.counters && !e->cli->options.metrics.count;
	if (!status && !plain) {
		struct sx_metrics_options options = selection(e->cli, *raw);
		status = sx_metrics_create(view->catalog, &options, &e->metrics, err);
	}
	e->shape = (struct rows_shape){.schema = "export",
				       .catalog = sx_catalog_info(view->catalog)->name,
				       .times = true,
				       .quality = true,
				       .labels = labels_of(view)};
	e->writer = rows_begin(&e->cli->view, &e->shape);
	return status;
}

static enum sx_status export_rows(struct exporting *e, struct sx_error *err)
{
	struct sx_table *raw = NULL;
	enum sx_status status = begin(e, &raw, err);
	while (!status) {
		status = capture_view_next(e->cli->capture, raw, err);
		if (!status)
			status = convert(e, raw, false, err);
		if (!status && ferror(e->cli->view.out.out))
			break; /* nobody reads on; main says why */
	}
	if (status == SX_END)
		status = convert(e, raw, true, err); /* without rows */
	rows_finish(&e->writer);
	sx_metrics_destroy(e->metrics);
	sx_table_destroy(raw);
	return status;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct exporting e = {.cli = cli};
	const char *path;
	if (!cli->options.format_given)
		cli->view.format = FORMAT_CSV;
	enum sx_status status =
	    cli_formats(cli, 1u << FORMAT_CSV | 1u << FORMAT_JSON | 1u << FORMAT_NDJSON, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status && !capture_view_is(path)) {
		struct capture_view *none;
		status = capture_view_open(cli, path, &none, &err); /* says what is wrong with it */
	}
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = capture_view_need_set(cli, cli->capture, &err);
	if (!status)
		status = export_rows(&e, &err);
	sx_catalog_unref(catalog);
	if (status)
		return cli_fail(cli, &err);
	return capture_view_note(cli, cli->capture) ? EXIT_OK : EXIT_INCOMPLETE;
}

const struct command cmd_export = {
    .verb = {.name = "export",
	     .synopsis = "FILE [-m LIST | --counters] [--format csv|json|ndjson] [-o FILE]",
	     .summary = "the rows of a capture for other programs",
	     .about = "Writes every row of a capture with its times, labels and metrics, or with "
		      "--counters its raw counters as recorded. A capture of any size is written "
		      "in little memory. Where a row has no data the field is empty, null in JSON.",
	     .options = "for device metric set api input output const counters format",
	     .max_args = 1,
	     .examples = "  sextant export game.sxc -m 'gpu.*' -o game.csv\n"
			 "  sextant export game.sxc --counters --format ndjson\n"},
    .run = run,
};
