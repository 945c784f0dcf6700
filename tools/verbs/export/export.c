/* sextant export: a capture's rows, or a view of the whole run, for other programs. */
#include "tools/verbs/export/export.h"

#include "output/views.h"
#include "tools/cli/request.h"

/* A view of the whole run instead of its rows. */
static int export_report(struct cli *cli, const char *path)
{
	struct sx_error err = {0};
	struct input_report read = {0};
	const struct input_request request = request_of(cli, path);
	const struct input_report_options options = {.everything = true};
	const struct report *report = NULL;
	bool whole = true;
	enum sx_status status = input_report_read(&request, &options, &read, &err);
	if (!status)
		status = report_finish(read.fill, &report, &err);
	if (!status)
		status = views_find(cli->view.format)->write(&cli->view, report, &err);
	if (!status)
		whole = input_report_note(&read) &&
			!(cli->options.metrics.count && report_lacks_named(report));
	input_report_close(&read);
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
	return export_tables(cli, path, false);
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
	     .files_from = 1,
	     .examples = "  sextant export game.sxc -m 'gpu_*' -o game.csv\n"
			 "  sextant export game.sxc --counters --format ndjson\n"
			 "  sextant export game.sxc -o game.prom\n"
			 "  sextant export game.sxc -o game.pftrace\n"},
    .run = export_run,
};
