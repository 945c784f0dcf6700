/* sextant advise: the verdict, and the catalog's rules held against samples, ranked. */
#include "tools/cli/cli.h"
#include "base/number.h"
#include "analysis/report/report.h"
#include "output/report/report.h"
#include "tools/cli/request.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define FRAME_RATE "target_frame_rate"

/* Samples of one device and what the rules say of them. */
struct advised {
	struct report_fill *fill;    /* of all devices */
	struct input_device *device; /* of a recording, or a table */
	struct sx_catalog *catalog;
	struct sx_constant_value *constants;
	const struct sx_advice *advice; /* NULL without samples */
	uint32_t index;			/* in the fill */
	uint32_t number;		/* in the capture */
	bool simulated;
};

static void write_text(const struct cli *cli, const struct advised *a)
{
	char line[256];
	struct findings_count n = findings_count(a->advice);
	text_styled(&cli->view.out, TEXT_BOLD, sx_catalog_info(a->catalog)->title);
	fprintf(cli->view.out.out, ", %s", COUNTED(a->device->rows, "sample"));
	if (a->simulated)
		text_styled(&cli->view.out, TEXT_YELLOW, "  SIMULATED, not a real device");
	fputc('\n', cli->view.out.out);
	findings_text(&cli->view, a->catalog, a->advice);
	if (cli->options.verbose)
		findings_rest_text(&cli->view, a->advice);
	if (!n.all)
		return;
	fputc('\n', cli->view.out.out);
	snprintf(line, sizeof(line), "of %s %zu appl%s, %zu do%s not, not judged: %zu%s",
		 COUNTED(n.all, "rule"), n.fired, n.fired == 1 ? "ies" : "y", n.quiet,
		 n.quiet == 1 ? "es" : "", n.unjudged,
		 cli->options.verbose || n.fired == n.all ? "" : " (-v lists them)");
	text_wrap(&cli->view.out, 0, line);
}

static void about_json(struct json *json, const struct advised *a)
{
	struct findings_count n = findings_count(a->advice);
	json_kv_string(json, "for", sx_catalog_info(a->catalog)->name);
	json_kv_string(json, "set", a->advice ? sx_advice_set(a->advice) : NULL);
	json_kv_u64(json, "rows", a->device->rows);
	json_kv_object_flat(json, "rules");
	json_kv_u64(json, "all", n.all);
	json_kv_u64(json, "fired", n.fired);
	json_kv_u64(json, "quiet", n.quiet);
	json_kv_u64(json, "unjudged", n.unjudged);
	json_object_end(json);
}

/* Writes an object for each device, even for a single one, and the device of each finding. */
static void write_json(const struct cli *cli, const struct advised *all, uint32_t count,
		       const struct verdict *verdict)
{
	struct json json = view_json_begin(&cli->view, "advise");
	verdict_json(&json, verdict);
	json_kv_array(&json, "devices");
	for (uint32_t i = 0; i < count; i++) {
		json_object_begin(&json);
		json_kv_u64(&json, "id", all[i].number);
		json_kv_bool(&json, "simulated", all[i].simulated);
		about_json(&json, &all[i]);
		if (cli->options.verbose)
			findings_rest_json(&json, all[i].advice);
		json_object_end(&json);
	}
	json_array_end(&json);
	json_kv_array(&json, "findings");
	for (uint32_t i = 0; i < count; i++)
		findings_json(&cli->view, &json, all[i].advice, all[i].number);
	json_array_end(&json);
	view_json_end(&json);
}

static void write_csv(const struct cli *cli, const struct advised *all, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct findings_of of = {.device = all[i].number,
					 .column = cli->view.simulated,
					 .simulated = all[i].simulated,
					 .no_head = i > 0};
		findings_csv(&cli->view, all[i].advice, &of);
	}
}

static void write_all(struct cli *cli, const struct advised *all, uint32_t count,
		      const struct verdict *verdict)
{
	for (uint32_t i = 0; i < count; i++)
		cli->view.simulated |= all[i].simulated;
	if (cli->view.format == FORMAT_JSON)
		write_json(cli, all, count, verdict);
	else if (cli->view.format == FORMAT_CSV)
		write_csv(cli, all, count);
	else
		verdict_text(&cli->view, verdict);
	for (uint32_t i = 0; cli->view.format == FORMAT_TEXT && i < count; i++) {
		if (i)
			fputc('\n', cli->view.out.out);
		write_text(cli, &all[i]);
	}
}

/* The reason of the first rule that counters could have judged represents all rules. */
static enum sx_status nothing_judged(const struct advised *a, struct sx_error *err)
{
	size_t count;
	const struct sx_finding *all = sx_advice_findings(a->advice, &count);
	const struct sx_finding *first = NULL;
	for (size_t i = 0; !first && i < count; i++)
		first = all[i].rule->needs ? NULL : &all[i];
	error_set(err, SX_INCOMPLETE, "no rule of catalog %s could be judged",
		  sx_catalog_info(a->catalog)->name);
	if (first)
		error_because(err, "%s: %s", first->rule->rule, first->why);
	else
		error_because(err, "%s",
			      !a->advice ? "there are no samples"
			      : count	 ? "its rules need what no counter measures"
					 : "the catalog has no rules");
	error_try(err, first ? "sextant advise -v, for what every rule lacks"
			     : "sextant report or eval, for the metrics");
	return SX_INCOMPLETE;
}

/* --fps sets a constant of catalogs that have rules on frames. */
static enum sx_status set_frame_rate(struct cli *cli, struct sx_catalog *catalog,
				     struct sx_error *err)
{
	struct options *o = &cli->options;
	if (o->fps <= 0)
		return SX_OK;
	if (sx_catalog_find_constant(catalog, FRAME_RATE) == SX_NONE) {
		error_set(err, SX_ERR_USAGE, "--fps says nothing to catalog %s",
			  sx_catalog_info(catalog)->name);
		error_because(err, "none of its rules judges frames by a rate");
		error_try(err, "sextant advise --fps with opengl or vulkan");
		return SX_ERR_USAGE;
	}
	if (!mem_grow(&o->constants, &o->constant_cap, o->constant_count + 1,
		      sizeof(*o->constants)))
		return error_nomem(err, "reading options");
	o->constants[o->constant_count++] = (struct sx_constant_value){FRAME_RATE, o->fps};
	return SX_OK;
}

/* The constants of a capture, then those of the command line, which win by coming later. */
static enum sx_status gather_constants(const struct cli *cli, struct advised *a,
				       struct report_source *source, struct sx_error *err)
{
	const struct options *o = &cli->options;
	uint32_t count = a->device->facts.constant_count;
	a->constants = calloc(count + o->constant_count + 1, sizeof(*a->constants));
	if (!a->constants)
		return error_nomem(err, "judging samples");
	if (count)
		memcpy(a->constants, a->device->constants, count * sizeof(*a->constants));
	for (size_t i = 0; i < o->constant_count; i++)
		if (a->device->beside ||
		    sx_catalog_find_constant(a->catalog, o->constants[i].name) != SX_NONE)
			a->constants[count++] = o->constants[i];
	source->facts.constants = a->constants;
	source->facts.constant_count = count;
	return SX_OK;
}

/* Reads all rows of a device; nothing of its metrics is to be shown. */
static enum sx_status judge(const struct cli *cli, struct advised *a, struct sx_error *err)
{
	struct report_source source = input_report_source(a->device);
	enum sx_status status = gather_constants(cli, a, &source, err);
	if (!status)
		status = report_add_device(a->fill, &source, &a->index, err);
	return status ? status : input_device_report(a->device, a->fill, a->index, err);
}

static void close_one(struct advised *a)
{
	free(a->constants);
	sx_catalog_unref(a->catalog);
	input_device_close(a->device);
}

/* Devices of which --process or --context left nothing are passed over for those with rows. */
static enum sx_status judge_all(const struct cli *cli, struct report_fill *fill,
				struct advised *all, uint32_t *count, struct sx_error *err)
{
	static const struct sx_run_facts nothing = {.unused = true};
	struct sx_error why = {0}, ignored = {0};
	enum sx_status status = SX_OK;
	uint32_t kept = 0;
	for (uint32_t i = 0; !status && i < *count; i++) {
		all[i].fill = fill;
		status = judge(cli, &all[i], err);
		struct advised one = all[i];
		all[i] = (struct advised){0};
		struct sx_error *first = why.message[0] ? &ignored : &why;
		if (!status && input_left_out(one.device, first)) {
			status =
			    report_set_facts(fill, one.index, &one.device->facts, &nothing, err);
			close_one(&one);
		} else {
			all[kept++] = one;
		}
	}
	if (!status && !kept && *count) {
		*err = why;
		status = SX_INCOMPLETE;
	}
	*count = status ? *count : kept;
	return status;
}

/* What the report says of each device. */
static enum sx_status read_advice(const struct cli *cli, struct report_fill *fill,
				  struct advised *all, const struct verdict **verdict,
				  struct sx_error *err)
{
	const struct report *report;
	enum sx_status status = report_finish(fill, &report, err);
	for (uint32_t i = 0; !status && i < report->device_count; i++) {
		const char *set = all[i].device->facts.set;
		all[i].advice = report->devices[i].advice;
		if (!set && all[i].advice && sx_advice_set(all[i].advice))
			cli_note(cli, "read as set %s; if it was another: --set NAME",
				 sx_advice_set(all[i].advice));
	}
	*verdict = status ? NULL : report->verdict;
	return status;
}

/* If no device has a judged rule, the error is that of the first. */
static enum sx_status anything_judged(const struct advised *all, uint32_t count,
				      struct sx_error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		struct findings_count n = findings_count(all[i].advice);
		if (n.unjudged != n.all)
			return SX_OK;
	}
	return nothing_judged(&all[0], err);
}

static enum sx_status open_one(const struct input_request *request, uint32_t place,
			       struct advised *a, struct sx_error *err)
{
	enum sx_status status = input_device_open(request, place, &a->device, err);
	if (!status)
		status = input_need_set(a->device, err);
	if (status)
		return status;
	a->number = a->device->facts.number;
	a->catalog = sx_catalog_ref(a->device->catalog);
	a->simulated = a->device->info->facts.simulated;
	return SX_OK;
}

static enum sx_status open_capture(struct cli *cli, const char *path, struct advised **all,
				   uint32_t *count, struct sx_error *err)
{
	struct input_places places;
	bool rated = cli->options.fps <= 0;
	struct input_request request = request_of(cli, path);
	enum sx_status status = input_find(&request, &places, err);
	*count = places.count;
	*all = calloc(*count + 1, sizeof(**all));
	if (!status && !*all)
		status = error_nomem(err, "judging samples");
	for (uint32_t i = 0; !status && i < *count; i++) {
		request = request_of(cli, path); /* with constants that were added */
		status = open_one(&request, places.list[i], &(*all)[i], err);
		if (!status && !rated)
			rated = set_frame_rate(cli, (*all)[i].catalog, err) == SX_OK;
	}
	free(places.list);
	return status || rated ? status : SX_ERR_USAGE;
}

static enum sx_status check_choice(const struct cli *cli, struct sx_error *err)
{
	if (!cli->options.process && !cli->options.context.given)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "--process and --context choose of captures alone");
	error_because(err, "the rows of a table name no process");
	error_try(err,
		  "without them; or sextant import FILE, where the tool's file names processes");
	return SX_ERR_USAGE;
}

/* A table that needs a catalog to be named. */
static enum sx_status open_table(struct cli *cli, const char *path, struct advised **all,
				 uint32_t *count, struct sx_error *err)
{
	struct input_request request;
	*count = 1;
	*all = calloc(1, sizeof(**all));
	if (!*all)
		return error_nomem(err, "judging samples");
	enum sx_status status = check_choice(cli, err);
	if (!status)
		status = cli_catalog(cli, &(*all)->catalog, err);
	if (!status)
		status = set_frame_rate(cli, (*all)->catalog, err);
	if (!status)
		request = request_of(cli, path);
	if (!status)
		status = input_table_open(&request, (*all)->catalog, &(*all)->device, err);
	if (!status) {
		(*all)->simulated = (*all)->device->facts.simulated;
		input_note_unknown(&request, (*all)->device->raw, (*all)->catalog);
	}
	return status;
}

static int advise_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct advised *all = NULL;
	struct report_fill *fill = NULL;
	const struct verdict *verdict = NULL;
	uint32_t count = 0;
	bool whole = true;
	const char *path;
	enum sx_status status = cli_input(cli, &path, &err);
	if (!status)
		status = imported_is_recording(cli, path)
			     ? open_capture(cli, path, &all, &count, &err)
			     : open_table(cli, path, &all, &count, &err);
	if (!status)
		status = report_begin(&fill, &err);
	if (!status)
		status = judge_all(cli, fill, all, &count, &err);
	if (!status)
		status = read_advice(cli, fill, all, &verdict, &err);
	if (!status) {
		ticker_stop(cli);
		cli_ask_width(cli);
		write_all(cli, all, count, verdict);
		status = anything_judged(all, count, &err);
	}
	for (uint32_t i = 0; all && i < count; i++) {
		if (!status && all[i].device && i == 0)
			input_device_note(all[i].device);
		whole = whole &&
			!(all[i].device && (all[i].device->lacks || all[i].device->run.failure ||
					    all[i].device->run.lost_more));
		close_one(&all[i]);
	}
	free(all);
	report_destroy(fill);
	if (status)
		return cli_fail(cli, &err);
	return whole ? EXIT_OK : EXIT_INCOMPLETE;
}

const struct command cmd_advise = {
    .verb = {.name = "advise",
	     .synopsis = "FILE [--for NAME] [--set NAME] [--const NAME=VALUE]",
	     .summary = "ranked findings with their evidence",
	     .about =
		 "Holds the rules of the catalog against every sample of a file: a capture, or CSV "
		 "as eval reads it. Prints the rules that apply, by severity and by the share of "
		 "samples, below the verdict on the whole run. Each comes with its value, its "
		 "limit, and the longest run of samples that fulfil it, counted from 0. --fps is "
		 "the frame rate to reach. -v also lists the rules that do not apply, and those "
		 "that could not be judged with the reason.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON | 1u << FORMAT_CSV,
	     .reads = true,
	     .options = "for set api input output const fps device context process format",
	     .max_args = 1,
	     .files_from = 1,
	     .examples = "  sextant advise counters.csv --for mali-g625\n"
			 "  sextant advise -i oa.csv --for intel-bdw --set RenderBasic --json\n"},
    .run = advise_run,
};
