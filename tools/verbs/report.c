/* sextant report: a capture of any length as verdict, advice and numbers. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/by.h"
#include "output/report/groups.h"
#include "output/views.h"
#include "tools/cli/capture_view.h"
#include "tools/cli/gate_options.h"
#include "tools/cli/imported.h"

#define FPS_DEFAULT 60
#define TOP_TEXT    20
#define TOP_MACHINE 100000

/* One device of the capture. */
struct input {
	struct capture_view *view;
	struct sx_table *raw; /* one record's rows at a time */
	struct sx_metrics *metrics;
	struct report_by *by; /* --by */
};

static void input_close(struct input *in)
{
	report_by_destroy(in->by);
	sx_metrics_destroy(in->metrics);
	sx_table_destroy(in->raw);
	capture_view_close(in->view);
	*in = (struct input){0};
}

static enum sx_status input_open(const struct cli *cli, const char *path, uint32_t index,
				 struct input *in, struct sx_error *err)
{
	*in = (struct input){0};
	enum sx_status status = capture_view_prepare(cli, path, index, &in->view, &in->raw, err);
	if (status)
		return status;
	struct sx_metrics_options options = capture_view_selection(cli, in->view, in->raw);
	return sx_metrics_create(in->view->catalog, &options, &in->metrics, err);
}

static enum sx_status add_device(const struct cli *cli, const struct input *in,
				 struct report_fill *fill, struct sx_error *err)
{
	struct report_source source = capture_view_source(cli, in->view, in->metrics, in->raw);
	return report_add_device(fill, &source, NULL, err);
}

static enum sx_status by_begin(const struct cli *cli, struct input *in, struct sx_error *err)
{
	const struct options *o = &cli->options;
	const struct sx_capture_info *info = sx_capture_info(in->view->reader);
	struct report_by_options options = {.catalog = in->view->catalog,
					    .metrics =
						capture_view_selection(cli, in->view, in->raw),
					    .sort = o->sort,
					    .top = o->top,
					    .begin_ns = info->begin_ns,
					    .end_ns = info->end_ns,
					    .interval_ns = o->interval_ns,
					    .like = in->raw};
	if (!options.top)
		options.top = cli->view.format == FORMAT_TEXT ? TOP_TEXT : TOP_MACHINE;
	enum sx_status status = report_key_parse(o->by, &options.by, err);
	return status ? status : report_by_begin(&options, &in->by, err);
}

static enum sx_status read_rows(struct input *in, struct report_fill *fill, uint32_t device,
				struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = capture_view_next(in->view, in->raw, err);
		if (!status && in->by)
			status = report_by_add(in->by, in->raw, err);
		if (!status)
			status = report_add_rows(fill, device, in->raw, err);
	}
	return status == SX_END ? SX_OK : status;
}

static enum sx_status set_goal(const struct cli *cli, struct report_fill *fill,
			       struct sx_error *err)
{
	const struct options *o = &cli->options;
	unsigned width, height;
	char rest;
	if (!o->resolution && !(o->fps > 0))
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
	report_set_goal(fill,
			&(struct sx_budget_goal){width, height, o->fps > 0 ? o->fps : FPS_DEFAULT});
	return SX_OK;
}

static enum sx_status write_groups(const struct cli *cli, const struct input *inputs,
				   const struct report *report, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct view view = cli->view;
	struct groups_out *all = calloc(report->device_count + 1, sizeof(*all));
	if (!all)
		return error_nomem(err, "writing groups");
	for (uint32_t i = 0; !status && i < report->device_count; i++) {
		all[i] = (struct groups_out){.view = &view,
					     .report = report,
					     .device = &report->devices[i],
					     .number = inputs[i].view->device};
		view.simulated |= report->devices[i].simulated;
		status = report_by_finish(inputs[i].by, &all[i].g, err);
	}
	if (!status)
		status = groups_write(all, report->device_count, err);
	free(all);
	return status;
}

/* Holds the gates of the command line against the report; *code becomes their exit status. */
static enum sx_status judge_gates(const struct cli *cli, struct arena *arena, struct report *report,
				  int *code, struct sx_error *err)
{
	struct gate *gates = NULL;
	size_t count = 0;
	enum sx_status status = gate_options_read(cli, arena, &gates, &count, err);
	struct report_gate *judged =
	    status ? NULL : arena_alloc(arena, (count + 1) * sizeof(*judged));
	if (!status && !judged)
		status = error_nomem(err, "gates");
	if (status)
		return status;
	gate_judge_report(gates, count, report, arena, judged);
	report->gates = judged;
	report->gate_count = (uint32_t)count;
	*code = gate_options_exit(cli, judged, count);
	return SX_OK;
}

static enum sx_status write_report(const struct cli *cli, const struct input *inputs,
				   const struct report *report, struct sx_error *err);

static enum sx_status write(const struct cli *cli, const struct input *inputs,
			    struct report_fill *fill, int *code, bool *whole, struct sx_error *err)
{
	const struct report *finished;
	struct arena arena = {0};
	enum sx_status status = report_finish(fill, &finished, err);
	if (status)
		return status;
	struct report report = *finished;
	*whole = !report_lacks_named(finished);
	status = judge_gates(cli, &arena, &report, code, err);
	if (!status)
		status = write_report(cli, inputs, &report, err);
	arena_finish(&arena);
	return status;
}

static enum sx_status write_report(const struct cli *cli, const struct input *inputs,
				   const struct report *report, struct sx_error *err)
{
	if (cli->options.by)
		return write_groups(cli, inputs, report, err);
	for (uint32_t i = 0; cli->options.resolution && i < report->device_count; i++)
		if (!report->devices[i].has_budget)
			cli_note(cli,
				 "note: %s has no budget, for it does not count cycles with work",
				 sx_catalog_info(report->devices[i].catalog)->name);
	return views_find(cli->view.format)->write(&cli->view, report, err);
}

static enum sx_status tell_losses(const struct input *in, struct report_fill *fill, uint32_t device,
				  struct sx_error *err)
{
	const struct capture_view *view = in->view;
	struct report_facts facts = {.simulated = view->info->simulated,
				     .lost = view->lost,
				     .lost_more = view->lost_more,
				     .failure = view->failed ? &view->failure : NULL,
				     .failed_after_ns = view->failed_after_ns};
	return report_set_facts(fill, device, &facts, err);
}

static enum sx_status fill_devices(struct cli *cli, const char *path, const uint32_t *list,
				   uint32_t count, struct input *inputs, uint32_t *used,
				   struct report_fill *fill, struct sx_error *err)
{
	enum sx_status status = SX_OK, passed = SX_OK;
	for (uint32_t i = 0; !status && i < count; i++) {
		struct input *in = &inputs[(*used)++];
		status = input_open(cli, path, list[i], in, err);
		if (capture_view_passes_over(cli, status, count)) {
			passed = status;
			status = SX_OK;
			input_close(&inputs[--*used]);
			continue;
		}
		if (!status && cli->options.by)
			status = by_begin(cli, in, err);
		if (!status)
			status = add_device(cli, in, fill, err);
		if (!status)
			status = read_rows(in, fill, *used - 1, err);
		if (!status)
			status = tell_losses(in, fill, *used - 1, err);
	}
	return !status && !*used ? passed : status;
}

static enum sx_status report(struct cli *cli, const char *path, const uint32_t *list,
			     uint32_t count, bool *whole, int *code, struct sx_error *err)
{
	char shown[IMPORTED_TEXT_MAX];
	struct input *inputs = calloc(count + 1, sizeof(*inputs));
	struct report_fill *fill = NULL;
	uint32_t used = 0;
	enum sx_status status = inputs ? report_begin(&fill, err) : error_nomem(err, "a report");
	if (!status)
		status = report_set_run(
		    fill,
		    &(struct report){.schema = "report", .file = imported_text(cli, path, shown)},
		    err);
	if (!status)
		status = set_goal(cli, fill, err);
	if (!status)
		status = fill_devices(cli, path, list, count, inputs, &used, fill, err);
	if (!status)
		status = write(cli, inputs, fill, code, whole, err);
	if (!status && used)
		*whole = capture_view_note(cli, inputs[0].view) && *whole;
	for (uint32_t i = 0; !status && i < used; i++)
		*whole &= !inputs[i].view->failed && !inputs[i].view->lost_more;
	report_destroy(fill);
	for (uint32_t i = 0; inputs && i < used; i++)
		input_close(&inputs[i]);
	free(inputs);
	return status;
}

static int report_run(struct cli *cli)
{
	struct sx_error err = {0};
	const char *path;
	uint32_t *list = NULL, count = 0;
	bool whole = true;
	int code = EXIT_OK;
	unsigned grouped = 1u << FORMAT_TEXT | 1u << FORMAT_JSON | 1u << FORMAT_CSV;
	enum sx_status status = cli->options.by ? cli_formats(cli, grouped, &err) : SX_OK;
	if (!status)
		status = cli_input(cli, &path, &err);
	if (!status)
		status = capture_view_list(cli, path, &list, &count, &err);
	if (!status)
		status = report(cli, path, list, count, &whole, &code, &err);
	free(list);
	if (status)
		return cli_fail(cli, &err);
	return code == EXIT_OK && !whole ? EXIT_INCOMPLETE : code;
}

const struct command cmd_report = {
    .verb = {.name = "report",
	     .synopsis = "FILE [-m LIST] [--by frame|group|time|instance] [--top N --sort METRIC]",
	     .summary = "a capture as verdict, advice and numbers",
	     .about =
		 "Reads a capture of any length and writes what holds the program back, then "
		 "every metric in the catalog's order with its smallest, mean, 95th "
		 "percentile and largest value and its course over time; wide terminals get "
		 "more columns. With --by, one line a frame, debug group, stretch of time "
		 "(--interval long) or instance instead, the first 20 or --top of them, in "
		 "order or by --sort, largest first. With --resolution, and --fps if it is not "
		 "60, also the budget of such a picture: core cycles for each pixel, what was "
		 "spent of them, and the power of external memory. With --gate it holds limits "
		 "against the whole run: exit status 6 when one fails.",
	     .pages = true,
	     .formats = VIEWS_FORMATS,
	     .options = "for device metric set api interval input output const counters by sort "
			"top fps resolution gate gates gate-missing gate-warn format",
	     .max_args = 1,
	     .examples = "  sextant report game.sxc\n"
			 "  sextant report game.sxc --by frame --top 10 --sort gpu_time\n"
			 "  sextant report game.sxc --gate 'frame_time.p99 < 33ms'\n"
			 "  sextant report game.sxc --resolution 1920x1080 --fps 60\n"
			 "  sextant report game.sxc --by time -I 1s -m 'cpu_*' --csv\n"},
    .run = report_run,
};
