/* sextant report: a capture of any length as verdict, advice and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/compare/compare.h"
#include "analysis/report/by.h"
#include "analysis/report/by/keys.h"
#include "base/suggest.h"
#include "base/text_buf.h"
#include "output/html/html.h"
#include "output/report/report.h"
#include "output/views.h"
#include "tools/cli/request.h"
#include "tools/cli/gate_options.h"

#define TOP_TEXT    20
#define TOP_MACHINE 100000
#define FPS_DEFAULT 60

struct reporting {
	struct cli *cli;
	struct input_report read;
	struct report_by **by; /* --by: one a device */
	uint32_t by_count;
	/* --baseline: the run that the page pins beside this one. */
	struct input_report baseline;
	struct compare_set sets[2];
	struct comparison against;
	bool left_out;		 /* --by: a device of a named metric has no such key */
	bool baseline_lacks;	 /* the baseline is damaged, or samples were lost */
	struct budget_goal goal; /* with has_goal */
	bool has_goal;
	struct arena arena;
	struct gate *gates; /* of the command line */
	size_t gate_count;
};

/* What a table called a column of labels is the key `group`, `group2`, … of its rows. */
static const char *report_key_of(const struct sx_capture_device *info, const char *by)
{
	static const char label[] = "label.";
	size_t size = strlen(label);
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strncmp(info->properties[i].name, label, size) == 0 &&
		    strcasecmp(info->properties[i].value, by) == 0)
			return info->properties[i].name + size;
	return by;
}

/* After a key that there is not: one that is near, of the file's own columns or of ours. */
static void report_suggest_key(const struct sx_capture_device *info, const char *by,
			       struct sx_error *err)
{
	struct suggest near;
	suggest_begin(&near, by, 1);
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strncmp(info->properties[i].name, "label.", strlen("label.")) == 0)
			suggest_offer(&near, info->properties[i].value);
	for (int i = 0; i < REPORT_KEYS; i++)
		suggest_offer(&near, report_key_name((enum report_key)i));
	if (near.count)
		error_try(err, "--by %s", error_word((char[ERROR_WORD_MAX]){0}, near.items[0]));
}

/* What the file of a device calls the key; NULL: as we do. */
static const char *report_own_key(const struct sx_capture_device *info, const char *by)
{
	char property[64];
	snprintf(property, sizeof(property), "label.%s", report_key_of(info, by));
	return sx_capture_property(info, property);
}

/* What --sort names, as this device has it. */
static const char *report_sort(struct reporting *r, const struct input_device *d)
{
	const char *sort = r->cli->options.sort;
	size_t sign = sort && (*sort == '+' || *sort == '-');
	const char *own = sort ? input_device_name(d, sort + sign) : NULL;
	if (!own || own == sort + sign)
		return sort;
	char *text = arena_alloc(&r->arena, strlen(own) + 2);
	if (text)
		snprintf(text, strlen(own) + 2, "%.*s%s", (int)sign, sort, own);
	return text ? text : sort;
}

static enum sx_status report_begin_by(void *user, uint32_t index, const struct input_device *d,
				      struct sx_error *err)
{
	struct reporting *r = user;
	const struct options *o = &r->cli->options;
	const struct sx_capture_info *info = sx_capture_info(d->reader);
	struct report_by_options options = {.catalog = d->catalog,
					    .metrics = input_report_selection(d, false),
					    .sort = report_sort(r, d),
					    .top = o->top,
					    .begin_ns = info->begin_ns,
					    .end_ns = info->end_ns,
					    .interval_ns = o->interval_ns,
					    .like = d->raw};
	if (!options.top)
		options.top = r->cli->view.format == FORMAT_TEXT ? TOP_TEXT : TOP_MACHINE;
	bool asked = !input_only_also(d); /* else a gate alone is of it */
	struct report_by **by = realloc(r->by, ((size_t)index + 1) * sizeof(struct report_by *));
	if (!by)
		return error_nomem(err, "a report");
	r->by = by;
	by[index] = NULL;
	r->by_count = index + 1;
	if (!asked)
		return SX_OK;
	enum sx_status status = report_key_parse(report_key_of(d->info, o->by), &options.by, err);
	if (status)
		report_suggest_key(d->info, o->by, err);
	return status ? status : report_by_begin(&options, &by[index], err);
}

static enum sx_status report_rows_by(void *user, uint32_t index, const struct sx_table *raw,
				     struct sx_error *err)
{
	struct reporting *r = user;
	return r->by[index] ? report_by_add(r->by[index], raw, err) : SX_OK;
}

/* Notes named metrics of a device without the key. */
static void note_left_out(struct reporting *r, const struct report_device *d)
{
	char names[160] = "";
	for (uint32_t i = 0; i < d->row_count && strlen(names) < 100; i++)
		text_append_item(names, sizeof(names), ", ", "%.40s", d->rows[i].name);
	cli_note(r->cli, "note: %s left out: no sample of %s has a %s%s",
		 names[0] ? names : "its metrics are", sx_catalog_info(d->catalog)->name,
		 r->cli->options.by,
		 d->kind == SX_SAMPLE_TIME && !r->cli->options.join
		     ? "; --join shows what it did during them"
		     : "");
	r->left_out = true;
}

/* One table has one name for its key: that of the files, where all call it so. */
static void report_agree_on_key(struct groups_out *all, uint32_t count)
{
	bool same = count && all[0].by;
	for (uint32_t i = 1; same && i < count; i++)
		same = all[i].by && strcmp(all[i].by, all[0].by) == 0;
	for (uint32_t i = 0; !same && i < count; i++)
		all[i].by = NULL;
}

static enum sx_status write_groups(struct reporting *r, const struct report *report,
				   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	uint32_t count = 0;
	struct view view = r->cli->view;
	struct groups_out *all = calloc(report->device_count + 1, sizeof(*all));
	if (!all)
		return error_nomem(err, "writing groups");
	struct sx_error first = {0}, why;
	for (uint32_t i = 0; i < report->device_count; i++) {
		struct groups_out *out = &all[count];
		if (!r->by[i])
			continue;
		const struct sx_capture_device *info = r->read.devices[i]->info;
		*out = (struct groups_out){.view = &view,
					   .report = report,
					   .device = &report->devices[i],
					   .by = report_own_key(info, r->cli->options.by),
					   .number = r->read.devices[i]->facts.number};
		status = report_by_finish(r->by[i], &out->g, &why);
		if (status && !first.message[0])
			first = why;
		if (status && status != SX_ERR_NOT_FOUND)
			break;
		if (status && report->devices[i].named)
			note_left_out(r, &report->devices[i]);
		view.simulated |= !status && report->devices[i].facts.simulated;
		count += !status;
	}
	report_agree_on_key(all, count);
	/* Devices without the key are skipped if others have it. */
	if (count && (!status || status == SX_ERR_NOT_FOUND))
		status = groups_write(all, count, err);
	else if (first.message[0])
		*err = first;
	free(all);
	return status;
}

static enum sx_status read_goal(struct reporting *r, struct sx_error *err)
{
	const struct options *o = &r->cli->options;
	unsigned width, height;
	char rest;
	if (!o->resolution && (!(o->fps > 0) || options_is_default(o, "fps")))
		return SX_OK;
	if (!o->resolution) {
		error_set(err, SX_ERR_USAGE, "--fps alone is no budget");
		error_because(err, "it takes the size of the picture too");
		error_try(err, "--fps %g --resolution 1920x1080", o->fps);
		return SX_ERR_USAGE;
	}
	if (sscanf(o->resolution, "%ux%u%c", &width, &height, &rest) != 2 || !width || !height ||
	    width > 65536 || height > 65536) {
		error_set(err, SX_ERR_USAGE, "--resolution cannot be \"%s\"", o->resolution);
		error_because(err, "it is a width and a height in pixels");
		error_try(err, "--resolution 1920x1080");
		return SX_ERR_USAGE;
	}
	r->goal = (struct budget_goal){width, height, o->fps > 0 ? o->fps : FPS_DEFAULT};
	r->has_goal = true;
	return SX_OK;
}

/* The gates of the command line; what they name is in the report whatever --metric selects. */
static enum sx_status read_gates(struct reporting *r, struct input_request *request,
				 struct sx_error *err)
{
	enum sx_status status =
	    gate_options_read(r->cli, &r->arena, &r->gates, &r->gate_count, err);
	struct gate_names names = {0};
	if (!status)
		status = gate_options_names(&r->arena, (struct gates){r->gates, r->gate_count},
					    &names, err);
	request->also = names.items;
	request->also_count = names.count;
	return status;
}

/* Holds the gates against the report; *code becomes their exit status. */
static enum sx_status judge_gates(struct reporting *r, struct report *report, int *code,
				  struct sx_error *err)
{
	struct report_gate *judged = arena_alloc(&r->arena, (r->gate_count + 1) * sizeof(*judged));
	if (!judged)
		return error_nomem(err, "gates");
	enum sx_status status = gate_check_report(r->gates, r->gate_count, report, err);
	if (status)
		return status;
	gate_judge_report(r->gates, r->gate_count, report, &r->arena, judged);
	report->gates = judged;
	report->gate_count = (uint32_t)r->gate_count;
	*code = gate_options_exit(r->cli, judged, r->gate_count);
	return SX_OK;
}

static enum sx_status write_report(struct reporting *r, const struct report *report,
				   struct sx_error *err)
{
	struct cli *cli = r->cli;
	ticker_stop(cli);
	cli_ask_width(cli);
	if (cli->options.by)
		return write_groups(r, report, err);
	for (uint32_t i = 0; cli->options.resolution && i < report->device_count; i++)
		if (!report->devices[i].has_budget)
			cli_note(cli,
				 "note: %s has no budget, for it does not count cycles with work",
				 sx_catalog_info(report->devices[i].catalog)->name);
	return views_find(cli->view.format)->write(&cli->view, report, err);
}

static enum sx_status add_set(struct reporting *r, int side, const char *file,
			      const struct report *report, struct sx_error *err)
{
	const struct compare_recording run = {.file = file, .report = report};
	enum sx_status status = compare_set_add(&r->sets[side], &run, err);
	return status ? status : compare_set_done(&r->sets[side], err);
}

/* Reads the baseline and compares. */
static enum sx_status pin_baseline(struct reporting *r, struct report *report, struct sx_error *err)
{
	const char **path = &r->cli->options.baseline;
	const struct report *baseline = NULL;
	struct input_request request;
	const struct input_report_options options = {.course_bytes = COURSE_BYTES / 2,
						     .goal = r->has_goal ? &r->goal : NULL};
	if (!*path)
		return SX_OK;
	enum sx_status status = imported_replace(r->cli, path, err);
	if (!status)
		request = request_of(r->cli, *path);
	if (!status)
		status = input_report_read(&request, &options, &r->baseline, err);
	if (!status)
		r->baseline_lacks = !input_report_note(&r->baseline);
	if (!status)
		status = report_finish(r->baseline.fill, &baseline, err);
	if (!status)
		status = add_set(r, 0, "baseline", baseline, err);
	if (!status)
		status = add_set(r, 1, "run", report, err);
	if (!status)
		status = compare_run(&r->sets[0], &r->sets[1], &r->against, err);
	report->baseline = baseline;
	report->against = &r->against;
	return status;
}

static enum sx_status report_write(struct reporting *r, int *code, bool *whole,
				   struct sx_error *err)
{
	const struct report *finished;
	enum sx_status status = report_finish(r->read.fill, &finished, err);
	if (status)
		return status;
	struct report report = *finished;
	*whole = !report_lacks_named(finished);
	status = judge_gates(r, &report, code, err);
	if (!status)
		status = pin_baseline(r, &report, err);
	if (!status)
		status = write_report(r, &report, err);
	return status;
}

static enum sx_status report(struct cli *cli, const char *path, bool *whole, int *code,
			     struct sx_error *err)
{
	struct reporting r = {.cli = cli};
	struct input_request request = request_of(cli, path);
	struct input_report_options options = {.user = &r, .join = cli->options.join};
	compare_set_init(&r.sets[0]);
	compare_set_init(&r.sets[1]);
	if (cli->view.format == FORMAT_HTML)
		options.course_bytes = cli->options.baseline ? COURSE_BYTES / 2 : COURSE_BYTES;
	if (cli->options.by) {
		options.begin = report_begin_by;
		options.rows = report_rows_by;
	}
	enum sx_status status = read_gates(&r, &request, err);
	if (!status)
		status = read_goal(&r, err);
	options.goal = r.has_goal ? &r.goal : NULL;
	if (!status)
		status = input_report_read(&request, &options, &r.read, err);
	if (!status)
		status = report_write(&r, code, whole, err);
	if (!status)
		*whole = input_report_note(&r.read) && *whole && !r.baseline_lacks && !r.left_out;
	for (uint32_t i = 0; i < r.by_count; i++)
		report_by_destroy(r.by[i]);
	free(r.by);
	comparison_finish(&r.against);
	compare_set_finish(&r.sets[0]);
	compare_set_finish(&r.sets[1]);
	input_report_close(&r.baseline);
	input_report_close(&r.read);
	arena_finish(&r.arena);
	return status;
}

static enum sx_status check_baseline(const struct cli *cli, struct sx_error *err)
{
	if (!cli->options.baseline || cli->view.format == FORMAT_HTML)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "report has --baseline in pages alone");
	error_because(err, "differences as text, JSON or Markdown are what sextant diff writes");
	error_try(err, "sextant diff %s FILE, or -o report.html",
		  error_word((char[ERROR_WORD_MAX]){0}, cli->options.baseline));
	return SX_ERR_USAGE;
}

/*
 * What --by does not go with: formats without rows, and a budget, which is of the whole run. A
 * default of the configuration gives way, as what was typed wins.
 */
static enum sx_status check_by(struct cli *cli, struct sx_error *err)
{
	struct options *o = &cli->options;
	const unsigned grouped = 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV;
	bool has_format = grouped >> cli->view.format & 1;
	bool budget = (o->resolution && !options_is_default(o, "resolution")) ||
		      (o->fps > 0 && !options_is_default(o, "fps"));
	if (!o->by || (has_format && !budget))
		return SX_OK;
	if (options_is_default(o, "by")) {
		o->by = NULL;
		return SX_OK;
	}
	if (!has_format)
		return cli_formats(cli, grouped, err);
	error_set(err, SX_ERR_USAGE, "%s does nothing with --by",
		  o->resolution ? "--resolution" : "--fps");
	error_because(err, "a budget is that of the whole run");
	error_try(err, "one of both; without --by the report has the budget");
	return SX_ERR_USAGE;
}

static int report_run(struct cli *cli)
{
	struct sx_error err = {0};
	const char *path;
	bool whole = true;
	int code = EXIT_OK;
	enum sx_status status = check_by(cli, &err);
	if (!status)
		status = check_baseline(cli, &err);
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = report(cli, path, &whole, &code, &err);
	if (status)
		return cli_fail(cli, &err);
	return code == EXIT_OK && !whole ? EXIT_INCOMPLETE : code;
}

const struct command cmd_report = {
    .verb = {.name = "report",
	     .synopsis = "FILE [-m LIST] [--by frame|group|time|instance] [--top N --sort METRIC]",
	     .summary = "a capture as verdict, advice and numbers",
	     .about =
		 "Reads a capture of any length. Writes what holds the program back, advice, and "
		 "the metrics that say most; -v has all of them, and wide terminals get more "
		 "columns. With --by, one line a frame, debug group, stretch of time (--interval "
		 "long) or instance instead, the first 20 or --top of them. They come in order, or "
		 "by --sort the worst first: largest, or smallest where more is better (+NAME "
		 "smallest, -NAME largest). With --join, devices that sample time (cpu, pmu, drm) "
		 "are shown by what they did during each frame. With --resolution, and --fps if it "
		 "is not 60, also the budget of such a picture: core cycles for each pixel, what "
		 "was spent of them, and the power of external memory. With --gate it holds limits "
		 "against the whole run: exit status 6 when one fails. With -o PAGE.html it writes "
		 "one page for a browser, which needs nothing else: verdict, charts on one time "
		 "axis, frame times, a table. --baseline pins a second capture in it.",
	     .pages = true,
	     .formats = VIEWS_FORMATS,
	     .reads = true,
	     .options = "for device metric set api interval input output const counters context "
			"process join by sort "
			"top fps resolution gate gates gate-missing gate-warn baseline format",
	     .max_args = 1,
	     .files_from = 1,
	     .examples = "  sextant report game.sxc\n"
			 "  sextant report game.sxc -o game.html --baseline yesterday.sxc\n"
			 "  sextant report game.sxc --by frame --top 10 --sort gpu_time\n"
			 "  sextant report game.sxc --gate 'frame_time.p99 < 33ms'\n"
			 "  sextant report game.sxc --resolution 1920x1080 --fps 60\n"
			 "  sextant report game.sxc --by time -I 1s -m 'cpu_*' --csv\n"},
    .run = report_run,
};
