/* sextant advise: the catalog's rules held against samples, ranked, with their evidence. */
#include "tools/cli/cli.h"
#include "output/report/findings.h"
#include "tools/cli/capture_view.h"
#include "tools/cli/input.h"

#include "base/mem.h"

#define FRAME_RATE "target_frame_rate"

static void write_text(const struct cli *cli, struct sx_catalog *catalog,
		       const struct sx_table *raw, const struct sx_advice *advice)
{
	char line[256];
	size_t rows = sx_table_row_count(raw);
	struct findings_count n = findings_count(advice);
	text_styled(&cli->view.out, TEXT_BOLD, sx_catalog_info(catalog)->title);
	fprintf(cli->view.out.out, ", %zu sample%s\n", rows, rows == 1 ? "" : "s");
	findings_text(&cli->view, catalog, advice);
	if (cli->options.verbose)
		findings_rest_text(&cli->view, advice);
	if (!n.all)
		return;
	fputc('\n', cli->view.out.out);
	snprintf(line, sizeof(line), "of %zu rules %zu appl%s, %zu do%s not, %zu were not judged%s",
		 n.all, n.fired, n.fired == 1 ? "ies" : "y", n.quiet, n.quiet == 1 ? "es" : "",
		 n.unjudged, cli->options.verbose || n.fired == n.all ? "" : " (-v lists them)");
	text_wrap(&cli->view.out, 0, line);
}

static void write_json(const struct cli *cli, struct sx_catalog *catalog,
		       const struct sx_table *raw, const struct sx_advice *advice)
{
	struct findings_count n = findings_count(advice);
	struct json json = view_json_begin(&cli->view, "advise");
	json_kv_string(&json, "for", sx_catalog_info(catalog)->name);
	json_kv_string(&json, "set", sx_advice_set(advice));
	json_kv_u64(&json, "rows", sx_table_row_count(raw));
	json_key(&json, "rules");
	json_object_begin_flat(&json);
	json_kv_u64(&json, "all", n.all);
	json_kv_u64(&json, "fired", n.fired);
	json_kv_u64(&json, "quiet", n.quiet);
	json_kv_u64(&json, "unjudged", n.unjudged);
	json_object_end(&json);
	json_key(&json, "findings");
	json_array_begin(&json);
	findings_json(&json, advice, FINDINGS_NO_DEVICE);
	json_array_end(&json);
	if (cli->options.verbose)
		findings_rest_json(&json, advice);
	view_json_end(&json);
}

/* Why there is nothing: the first rule that counters could have told of stands for all. */
static enum sx_status nothing_judged(const struct sx_advice *advice, struct sx_catalog *catalog,
				     struct sx_error *err)
{
	size_t count;
	const char *name = sx_catalog_info(catalog)->name;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	const struct sx_finding *first = NULL;
	for (size_t i = 0; !first && i < count; i++)
		first = all[i].rule->needs ? NULL : &all[i];
	error_set(err, SX_INCOMPLETE, "no rule of catalog %s could be judged", name);
	if (first)
		error_because(err, "%s: %s", first->rule->rule, first->why);
	else
		error_because(err, "%s",
			      count ? "its rules need what no counter tells"
				    : "the catalog has no rules");
	error_try(err, first ? "sextant advise -v, for what every rule lacks"
			     : "sextant report or eval, for the metrics");
	return SX_INCOMPLETE;
}

/* --fps is the constant of those catalogs whose rules know frames. */
static enum sx_status take_frame_rate(struct cli *cli, struct sx_catalog *catalog,
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

static enum sx_status advise(const struct cli *cli, struct sx_catalog *catalog,
			     const struct sx_table *raw, struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct sx_advice *advice = NULL;
	struct sx_metrics_options options = {.set = o->set,
					     .variant = o->api,
					     .constants = o->constants,
					     .constant_count = (uint32_t)o->constant_count};
	enum sx_status status = sx_advice_create(catalog, &options, raw, &advice, err);
	if (status)
		return status;
	if (!o->set && sx_advice_set(advice))
		cli_note(cli, "read as set %s; if it was another: --set NAME",
			 sx_advice_set(advice));
	if (cli->view.format == FORMAT_JSON)
		write_json(cli, catalog, raw, advice);
	else if (cli->view.format == FORMAT_CSV)
		findings_csv(&cli->view, advice);
	else
		write_text(cli, catalog, raw, advice);
	struct findings_count n = findings_count(advice);
	if (n.unjudged == n.all)
		status = nothing_judged(advice, catalog, err);
	sx_advice_destroy(advice);
	return status;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct sx_table *raw = NULL;
	const char *path;
	enum sx_status status =
	    cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV, &err);
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status && cli->capture)
		status = capture_view_need_set(cli, cli->capture, &err);
	if (!status)
		status = take_frame_rate(cli, catalog, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = input_table(cli, path, catalog, &raw, &err);
	if (!status) {
		input_note_unknown(cli, raw, catalog);
		status = advise(cli, catalog, raw, &err);
	}
	sx_table_destroy(raw);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_advise = {
    .verb = {.name = "advise",
	     .synopsis = "FILE [--for NAME] [--set NAME] [--const NAME=VALUE]",
	     .summary = "ranked findings with their evidence",
	     .about =
		 "Holds the rules of the catalog against every sample of a file (a capture, or CSV "
		 "as eval takes it) and prints those that apply: what limits the program first, "
		 "then advice by "
		 "severity and by the share of samples. Each comes with the value, the limit that "
		 "it was held against, and the longest run of samples that fulfil it, counted from "
		 "0. --fps is the frame rate to reach. -v also lists the rules that do not apply, "
		 "and those that could not be judged "
		 "with what they lack.",
	     .options = "for set api input output const fps device format",
	     .max_args = 1,
	     .examples = "  sextant advise counters.csv --for mali-g625\n"
			 "  sextant advise -i oa.csv --for intel-bdw --set RenderBasic --json\n"},
    .run = run,
};
