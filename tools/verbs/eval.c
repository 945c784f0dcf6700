/* sextant eval: raw counter values from CSV in, metrics out. */
#include "tools/cli/cli.h"
#include "tools/cli/capture_view.h"
#include "tools/cli/input.h"
#include "output/rows/rows.h"

static struct sx_metrics_options selection(const struct cli *cli, const struct sx_table *table)
{
	const struct options *o = &cli->options;
	return (struct sx_metrics_options){.patterns = o->metrics.items,
					   .pattern_count = (uint32_t)o->metrics.count,
					   .set = o->set,
					   .variant = o->api,
					   .constants = o->constants,
					   .constant_count = (uint32_t)o->constant_count,
					   .counters = o->counters,
					   .like = table};
}

/* Writes the metrics of every block of rows, of one without rows when there are none. */
static enum sx_status write_blocks(const struct cli *cli, const struct rows_shape *shape,
				   struct input_rows *raw, struct sx_evaluation *evaluation,
				   struct sx_error *err)
{
	struct rows_writer writer = rows_begin(&cli->view, shape);
	struct sx_table *values = NULL;
	enum sx_status status = input_rows_next(raw, err);
	for (bool first = true; !status || (status == SX_END && first); first = false) {
		bool end = status == SX_END;
		status = sx_evaluation_run(evaluation, input_rows_table(raw), &values, err);
		if (!status)
			status = rows_add(&writer, values, err);
		if (!status) /* main says why nobody reads on */
			status =
			    end || ferror(cli->view.out.out) ? SX_END : input_rows_next(raw, err);
	}
	if (status == SX_END)
		rows_end(&writer, values);
	rows_finish(&writer);
	return status == SX_END ? SX_OK : status;
}

static enum sx_status evaluate(const struct cli *cli, struct sx_catalog *catalog,
			       struct input_rows *raw, struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct sx_evaluation *evaluation = NULL;
	bool model = cli->view.simulated;
	struct rows_shape shape = {.schema = "eval",
				   .catalog = sx_catalog_info(catalog)->name,
				   .say_simulated = model && cli->view.format != FORMAT_JSON,
				   .simulated = model};
	struct sx_metrics_options options = selection(cli, input_rows_table(raw));
	enum sx_status status = sx_metrics_create(catalog, &options, &metrics, err);
	if (!status)
		status = sx_evaluation_create(metrics, input_rows_table(raw), &evaluation, err);
	if (!status)
		status = write_blocks(cli, &shape, raw, evaluation, err);
	sx_evaluation_destroy(evaluation);
	sx_metrics_destroy(metrics);
	return status;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct input_rows *raw = NULL;
	const char *path;
	enum sx_status status = cli_formats(
	    cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_NDJSON | 1u << FORMAT_CSV,
	    &err);
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status && cli->capture)
		status = capture_view_need_set(cli, cli->capture, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = input_rows_open(cli, path, catalog, &raw, &err);
	if (!status) {
		input_note_unknown(cli, input_rows_table(raw), catalog);
		status = evaluate(cli, catalog, raw, &err);
	}
	input_rows_close(raw);
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
	     .options = "for metric set api input output const counters format",
	     .max_args = 1,
	     .examples = "  sextant eval --for mali-g310 -i counters.csv --const shader_cores=2\n"},
    .run = run,
};
