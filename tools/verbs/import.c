/* sextant import: another tool's files into a capture. */
#include "tools/cli/request.h"

static enum sx_status need(const struct cli *cli, struct sx_error *err)
{
	const struct options *o = &cli->options;
	if (!o->args.count && !o->input) {
		error_set(err, SX_ERR_USAGE, "no input file");
		error_because(err, "sextant import reads files of other tools");
		error_try(err, "sextant import FILE -o OUT.sxc");
		return SX_ERR_USAGE;
	}
	if (o->output)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "no output file");
	error_because(err, "a capture is written to a file");
	error_try(err, "sextant import %s -o OUT.sxc",
		  error_word((char[ERROR_WORD_MAX]){0}, o->input ? o->input : o->args.items[0]));
	return SX_ERR_USAGE;
}

static int import_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct options *o = &cli->options;
	enum sx_status status = need(cli, &err);
	if (!status && o->input)
		status = imported_write(cli, (const char *const *)&o->input, 1, o->output, &err);
	else if (!status)
		status = imported_write(cli, o->args.items, o->args.count, o->output, &err);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_import = {
    .verb = {.name = "import",
	     .synopsis = "FILE... -o OUT.sxc [--as KIND] [--for NAME]",
	     .summary = "another tool's files into a capture",
	     .about =
		 "Reads what other tools recorded and writes a capture of it. The content of a "
		 "file decides its kind, and a line names it. report, advise, explain, export and "
		 "eval read such files directly: import keeps the result, or puts several files "
		 "into one. Kinds of GPU tools: mangohud, rocprof, rocprofv3, codexl, gpa-csv, "
		 "renderdoc, perfetto, intel-gpu-top, nvtop, radeontop, gallium-hud (a folder), "
		 "mesa-utrace, hwcpipe-csv, streamline-csv. Other kinds: perf-stat, long-table, "
		 "sextant-csv, sextant-json, and table (any whose header names counters). "
		 "docs/import.md says what comes over of each, and what is lost. Files may be "
		 "packed with gzip or zstd. --for gives the catalog where a file does not name its "
		 "device.",
	     .reads = true,
	     .options = "for as input output",
	     .max_args = -1,
	     .files_from = 1,
	     .own_output = true,
	     .examples = "  sextant import game.csv -o game.sxc\n"
			 "  sextant report game.csv\n"
			 "  sextant import counters.csv --as rocprofv3 --for amd-gcn3 -o k.sxc\n"},
    .run = import_run,
};
