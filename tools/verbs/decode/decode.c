/* sextant decode: hardware memory or another tool's file in, samples out. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/verbs/decode/formats.h"
#include "import/import.h"
#include "input/text.h"

static const struct decode_format *const formats[] = {&decode_i915_record, &decode_oa_reports,
						      &decode_mali_dump, &decode_perf_stat};
#define FORMATS (sizeof(formats) / sizeof(formats[0]))

static const struct decode_format *find_format(const char *kind)
{
	for (size_t i = 0; i < FORMATS; i++) {
		size_t length = strlen(formats[i]->kind);
		bool prefix = formats[i]->kind[length - 1] == ':';
		if (prefix ? !strncmp(kind, formats[i]->kind, length)
			   : !strcmp(kind, formats[i]->kind))
			return formats[i];
	}
	return NULL;
}

static enum sx_status choose_format(const struct cli *cli, const struct decode_format **out,
				    struct sx_error *err)
{
	const char *kind = cli->options.as;
	*out = kind ? find_format(kind) : NULL;
	if (*out)
		return SX_OK;
	static const char *const kinds[] = {"i915-record",   "oa:A32u40_A4u32_B8_C8",
					    "mali-dump:u32", "mali-dump:u64",
					    "perf-stat",     NULL};
	const char *near = kind ? options_nearest(kind, kinds) : NULL;
	for (uint32_t i = 0; kind && import_kind_at(i); i++) {
		if (strcmp(kind, import_kind_at(i)) != 0)
			continue;
		const struct options *o = &cli->options;
		const char *path = o->input || !o->args.count ? o->input : o->args.items[0];
		error_set(err, SX_ERR_USAGE, "decode does not read files of kind %s", kind);
		error_because(err, "every verb reads them as they are, as if they were captures");
		error_try(err, "sextant export %s --counters",
			  path ? error_word((char[ERROR_WORD_MAX]){0}, path) : "FILE");
		return SX_ERR_USAGE;
	}
	if (kind)
		error_set(err, SX_ERR_USAGE, "decode knows no kind of input \"%s\"", kind);
	else
		error_set(err, SX_ERR_USAGE, "decode needs the kind of the file");
	error_because(err, "kinds are i915-record, oa:FORMAT, mali-dump:u32, mali-dump:u64 and "
			   "perf-stat");
	if (near)
		error_try(err, "--as %s", near);
	else
		error_try(err, "--as KIND; sextant decode --help says more of them");
	return SX_ERR_USAGE;
}

static enum sx_status decode_begin(struct decode_job *job, const struct decode_format *format,
				   struct sx_error *err)
{
	const struct options *o = &job->cli->options;
	job->in.kind = o->as;
	job->in.set = o->set;
	job->in.variant = o->api;
	job->in.counters = o->counters;
	job->in.patterns = o->metrics.items;
	job->in.pattern_count = o->metrics.count;
	job->shape.schema = "decode";
	job->shape.marks = true;
	if (o->by && !options_word(format->by, o->by)) {
		error_set(err, SX_ERR_USAGE, "decode cannot split rows of %s by \"%s\"", o->as,
			  o->by);
		error_because(err, "its rows do not have that");
		error_try(err, "--by with one of: %s", format->by);
		return SX_ERR_USAGE;
	}
	if (o->by && o->summary) {
		error_set(err, SX_ERR_USAGE, "--by %s and --summary exclude each other", o->by);
		error_because(err, "one splits rows, the other makes one of all");
		error_try(err, "--by %s alone, or --summary alone", o->by);
		return SX_ERR_USAGE;
	}
	if (o->context.given && !options_word(format->by, "context")) {
		error_set(err, SX_ERR_USAGE, "--context does not apply to %s", o->as);
		error_because(err, "it does not distinguish contexts");
		error_try(err, "--context with reports of Intel's OA unit");
		return SX_ERR_USAGE;
	}
	job->in.instances = o->by && strcmp(o->by, "instance") == 0;
	if (o->constant_count > RAW_CONSTANTS_MAX)
		return error_set(err, SX_ERR_LIMIT, "more than %d constants were given",
				 RAW_CONSTANTS_MAX);
	for (size_t i = 0; i < o->constant_count; i++)
		job->in.constants[job->in.constant_count++] = o->constants[i];
	return o->catalog ? sx_catalog_open(job->cli->context, o->catalog, &job->in.catalog, err)
			  : SX_OK;
}

struct sx_metrics_options decode_selection(const struct decode_job *job,
					   const struct sx_table *like)
{
	struct sx_metrics_options selection = options_selection(&job->cli->options, like);
	selection.set = job->in.set;
	selection.constants = job->in.constants;
	selection.constant_count = job->in.constant_count;
	return selection;
}

/* Metrics of the raw table, or the counters themselves. */
static enum sx_status decode_write_rows(struct decode_job *job, struct sx_error *err)
{
	const struct options *o = &job->cli->options;
	struct sx_metrics_options selection = decode_selection(job, job->in.table);
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	job->shape.catalog = sx_catalog_info(job->in.catalog)->name;
	if (o->counters &&
	    job->in.instances) /* counters as they were decoded: each instance is a column */
		return rows_write(&job->cli->view, &job->shape, job->in.table, err);
	struct sx_table *split = NULL;
	enum sx_status status = SX_OK;
	if (job->in.instances)
		status = sx_table_by_instance(job->in.table, job->in.catalog, &split, err);
	else if (o->summary)
		status = sx_table_total(job->in.table, &split, err);
	if (status)
		return status;
	const struct sx_table *rows = split ? split : job->in.table;
	selection.like = rows;
	selection.by_instance = job->in.instances;
	job->shape.whole = o->summary;
	job->shape.labels |= job->in.instances ? 1u << SX_LABEL_INSTANCE : 0;
	status = sx_metrics_create(job->in.catalog, &selection, &metrics, err);
	if (!status)
		status = sx_metrics_eval(metrics, rows, &out, err);
	if (!status)
		status = rows_write(&job->cli->view, &job->shape, out, err);
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	sx_table_destroy(split);
	return status;
}

/* Writes all that could be decoded; the exit status says whether something could not. */
static enum sx_status decode_and_write(struct decode_job *job, const struct decode_format *format,
				       struct sx_error *err)
{
	enum sx_status status = format->decode(job, err);
	if (sx_failed(status))
		return status;
	struct sx_error failed = {0};
	enum sx_status written = decode_write_rows(job, &failed);
	if (!written)
		return status;
	*err = failed;
	return written;
}

/* The whole file in memory, for formats that want it so. */
static enum sx_status run_whole(struct decode_job *job, const struct decode_format *format,
				const char *path, struct sx_error *err)
{
	char *text = NULL;
	enum sx_status status = input_bytes(path, &text, &job->in.size, err);
	if (!status) {
		job->in.data = (const uint8_t *)text;
		status = decode_and_write(job, format, err);
	}
	free(text);
	return status;
}

static enum sx_status decode_run_stream(struct decode_job *job, const struct decode_format *format,
					const char *path, struct sx_error *err)
{
	int fd = -1;
	enum sx_status status = input_fd_open(path, &fd, err);
	if (!status)
		status = format->stream(job, fd, err);
	if (fd > STDIN_FILENO)
		close(fd);
	return status;
}

static int decode_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct decode_job job = {.cli = cli,
				 .in = {.context = cli->context, .notes = cli->view.notes}};
	const struct decode_format *format = NULL;
	const char *path;
	enum sx_status status = choose_format(cli, &format, &err);
	if (!status)
		status = decode_begin(&job, format, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = format->stream ? decode_run_stream(&job, format, path, &err)
					: run_whole(&job, format, path, &err);
	sx_table_destroy(job.in.table);
	sx_catalog_unref(job.in.catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_decode = {
    .verb = {.name = "decode",
	     .synopsis = "-i FILE --as KIND [--for NAME] [--set NAME] [--const NAME=VALUE]",
	     .summary = "hardware memory or another tool's file in, samples out",
	     .about =
		 "Reads counters as hardware or a driver wrote them and writes the metrics of the "
		 "catalog, one row a sample. --summary writes one row for all. --counters gives "
		 "the raw counters, and with --by instance those of each core and slice. Kinds: "
		 "i915-record is a file of i915-perf-recorder, which names its device and metric "
		 "set. oa:A32u40_A4u32_B8_C8 (and C4_B8, A12, A12_B8_C8) are reports of Intel's OA "
		 "unit back to back. Rows are the intervals between reports, or by --by context "
		 "and --by residency their sums; --context leaves what ran in one context. "
		 "mali-dump:u32 and mali-dump:u64 are dumps of a Mali back to back. Each is the "
		 "front-end, the tiler, one block for each L2 slice and one for each core up to "
		 "the highest present. They need --for and the constants l2_slices and "
		 "shader_core_mask. perf-stat is what perf stat -x, prints, one row an interval of "
		 "-I; its events are matched with the counters of --for.",
	     .formats = FORMATS_ROWS,
	     .reads = true,
	     .streams = true,
	     .options =
		 "for metric set api as by context summary input output const counters format",
	     .by = "context or residency (Intel OA), or instance (Mali)",
	     .max_args = 1,
	     .files_from = 1,
	     .examples = "  perf stat -x, -I 100 -o cpu.csv -a sleep 5\n"
			 "  sextant decode cpu.csv --as perf-stat --for cpu --csv\n"
			 "  sextant decode -i trace.i915 --as i915-record --csv\n"
			 "  sextant decode -i dumps.bin --as mali-dump:u32 --for mali-g625 \\\n"
			 "      --const l2_slices=2 --const shader_core_mask=0x3f\n"},
    .run = decode_run,
};
