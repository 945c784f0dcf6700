/* Filling a report from a capture: device by device, record by record. */
#include "tools/cli/input/capture_report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/budget.h"
#include "analysis/report/unread.h"
#include "base/error.h"
#include "tools/cli/input/capture_view.h"
#include "tools/cli/input/imported.h"

#define FPS_DEFAULT 60

static void input_close(struct capture_input *in)
{
	sx_metrics_destroy(in->metrics);
	sx_table_destroy(in->raw);
	capture_view_close(in->view);
	*in = (struct capture_input){0};
}

struct sx_metrics_options capture_report_selection(const struct cli *cli,
						   const struct capture_input *in, bool everything)
{
	static const char *const all = "*";
	struct sx_metrics_options options = capture_view_selection(cli, in->view, in->raw);
	if (everything && !options.pattern_count && !options.counters) {
		options.patterns = &all;
		options.pattern_count = 1;
	}
	return options;
}

/*
 * Counts without any time, as of perf stat -x without -I: rates cannot be worked out of them, so
 * that the counters are what there is to see.
 */
static bool counts_alone(const struct cli *cli, const struct capture_input *in)
{
	const struct sx_capture_info *info = sx_capture_info(in->view->reader);
	bool untimed = info->begin_ns == SX_TIME_UNKNOWN || info->end_ns <= info->begin_ns;
	if (!untimed || strcmp(in->view->info->facts.source, "perf-stat") != 0 || !info->rows ||
	    cli->options.counters || in->view->pattern_count)
		return false;
	cli_note(cli,
		 "note: the file has no time, which rates need: its counters are shown, as with "
		 "--counters; perf stat -I gives times");
	return true;
}

static bool is_timed(const struct capture_view *view)
{
	const struct sx_capture_info *info = sx_capture_info(view->reader);
	return info->begin_ns != SX_TIME_UNKNOWN && info->end_ns > info->begin_ns;
}

/* A row in which every column of the device has a value, and a length where the device's have. */
static enum sx_status make_row(const struct capture_view *view, struct sx_table **out,
			       struct sx_error *err)
{
	enum sx_status status = capture_view_table(view, out, err);
	if (!status)
		status = sx_table_add_rows(*out, 1, NULL, err);
	for (uint32_t i = 0; !status && i < sx_table_column_count(*out); i++)
		if (sx_table_column(*out, i)->type == SX_U64)
			sx_table_set_u64(*out, i, 0, 1, 0);
		else
			sx_table_set_f64(*out, i, 0, 1, 0);
	if (!status && is_timed(view))
		sx_table_set_time(*out, 0, 0, 1000000000);
	return status;
}

/*
 * Whether somebody chose what a file has. A recording has whatever its source can count, for
 * whoever asks, and so has what was written from one.
 */
static bool is_chosen(const struct capture_view *view)
{
	const char *source = view->info->facts.source;
	return *capture_view_property(sx_capture_info(view->reader), "imported-from") &&
	       strncmp(source, "sextant-", 8) != 0 && strcmp(source, "perfetto") != 0;
}

/*
 * Where nothing was chosen: beside all metrics, the counters that the file has and that go into
 * none of those which can be worked out of it; of recordings of ours, only where there is no such
 * metric.
 */
static enum sx_status add_unread(const struct cli *cli, struct capture_view *view,
				 const struct sx_table *raw, struct sx_error *err)
{
	uint32_t metric_count;
	struct sx_table *row = NULL;
	struct sx_metrics *metrics = NULL;
	if (cli->options.metrics.count || cli->options.counters)
		return SX_OK;
	const char **patterns = calloc((size_t)sx_table_column_count(raw) + 2, sizeof(*patterns));
	if (!patterns)
		return error_nomem(err, "choosing metrics");
	struct report_unread unread = {.names = patterns + 1};
	struct sx_metrics_options options = capture_view_selection(cli, view, raw);
	enum sx_status status = sx_metrics_create(view->catalog, &options, &metrics, err);
	if (!status)
		status = make_row(view, &row, err);
	if (!status)
		status = report_find_unread(view->catalog, metrics, row, &unread, err);
	if (!status && (is_chosen(view) || !unread.any)) {
		sx_metrics_columns(metrics, &metric_count);
		patterns[0] = "all";
		if (!metric_count)
			memmove(patterns, unread.names, unread.count * sizeof(*patterns));
		free(view->patterns);
		view->patterns = patterns;
		view->pattern_count = (uint32_t)unread.count + (metric_count > 0);
	} else {
		free(patterns);
	}
	sx_table_destroy(row);
	sx_metrics_destroy(metrics);
	return status;
}

/* The selection, and behind it what is wanted besides. */
static enum sx_status select_also(const struct cli *cli, const struct capture_report_hooks *hooks,
				  struct capture_input *in, struct sx_error *err)
{
	bool only_also = capture_view_only_also(cli, in->view);
	bool everything = !only_also && (hooks->everything || counts_alone(cli, in));
	enum sx_status status = everything ? SX_OK : add_unread(cli, in->view, in->raw, err);
	if (status)
		return status;
	struct sx_metrics_options options = capture_report_selection(cli, in, everything);
	const char **all = calloc(options.pattern_count + hooks->also_count + 2, sizeof(*all));
	uint32_t count = options.pattern_count;
	if (!all)
		return error_nomem(err, "choosing metrics");
	if (count)
		memcpy(all, options.patterns, count * sizeof(*all));
	for (size_t i = 0; i < hooks->also_count; i++) {
		const char *own = capture_view_name(cli, in->view, hooks->also[i]);
		if (!own)
			continue;
		if (!count && !only_also)
			all[count++] = "all";
		all[count++] = own;
	}
	options.patterns = all;
	options.pattern_count = count;
	status = sx_metrics_create(in->view->catalog, &options, &in->metrics, err);
	free(all);
	return status;
}

static enum sx_status open_device(const struct cli *cli, const struct capture_device *of,
				  const struct capture_report_hooks *hooks,
				  struct capture_input *in, struct sx_error *err)
{
	*in = (struct capture_input){0};
	enum sx_status status = capture_view_prepare(cli, of, &in->view, &in->raw, err);
	return status ? status : select_also(cli, hooks, in, err);
}

static enum sx_status capture_read_rows(struct report_fill *fill, struct capture_input *in,
					uint32_t device, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = capture_view_next(in->view, in->raw, err);
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
	report_set_goal(fill,
			&(struct budget_goal){width, height, o->fps > 0 ? o->fps : FPS_DEFAULT});
	return SX_OK;
}

static enum sx_status tell_losses(const struct capture_input *in, struct report_fill *fill,
				  uint32_t device, struct sx_error *err)
{
	const struct capture_view *view = in->view;
	bool damaged = sx_capture_account(view->reader)->what[0];
	bool cut = !sx_capture_info(view->reader)->clean;
	const char *notes[CAPTURE_NOTES_MAX + 2];
	uint32_t count = 0;
	if (damaged)
		notes[count++] = "the file is damaged: samples are missing";
	if (cut)
		notes[count++] =
		    "the recording did not end cleanly, or goes on: its end is missing";
	for (uint32_t i = 0; i < view->run.notes.count; i++)
		notes[count++] = view->notes[i];
	struct sx_error none = {0};
	struct sx_run_facts run = view->run;
	run.silence = capture_view_left_out(view, &none) ? &none : NULL;
	run.partial = damaged || cut;
	run.notes = (struct sx_strings){notes, count};
	run.lost_more |= damaged;
	return report_set_facts(fill, device, &view->facts, &run, err);
}

/*
 * Whether or not anything of a device is shown, its frames may be what others are joined to, and
 * the verdict is of it as well. Hidden devices stand behind all others in the report.
 */
static enum sx_status read_unseen(const struct cli *cli, const char *path, uint32_t number,
				  struct report_fill *fill, struct sx_error *err)
{
	struct capture_input in = {0};
	uint32_t index;
	if (capture_view_device(cli, path, number, &in.view, NULL) ||
	    capture_view_table(in.view, &in.raw, NULL)) {
		input_close(&in);
		return SX_OK;
	}
	struct report_source source = capture_view_source(cli, in.view, NULL, NULL);
	enum sx_status status = report_add_device(fill, &source, &index, err);
	if (!status) {
		report_hide(fill, index);
		status = capture_read_rows(fill, &in, index, err);
	}
	input_close(&in);
	return status;
}

static enum sx_status fill_device(struct cli *cli, struct capture_report *out, struct sx_error *err)
{
	uint32_t index = out->count - 1;
	struct capture_input *in = &out->devices[index];
	struct report_source source = capture_view_source(cli, in->view, in->metrics, in->raw);
	enum sx_status status = report_add_device(out->fill, &source, NULL, err);
	if (!status)
		status = capture_read_rows(out->fill, in, index, err);
	return status ? status : tell_losses(in, out->fill, index, err);
}

/* Devices of one capture. */
struct device_list {
	const char *path;
	const uint32_t *list;
	uint32_t count;
};

static enum sx_status fill_devices(struct cli *cli, const struct device_list *devices,
				   const struct capture_report_hooks *hooks,
				   struct capture_report *out, struct sx_error *err)
{
	uint32_t count = devices->count;
	enum sx_status passed = SX_OK;
	enum sx_status status = hooks->join ? report_join_begin(out->fill, err) : SX_OK;
	uint32_t unseen_count = 0, *unseen = calloc((size_t)count + 1, sizeof(*unseen));
	if (!status && !unseen)
		status = error_nomem(err, "a report");
	for (uint32_t i = 0; !status && i < count; i++) {
		struct capture_input *in = &out->devices[out->count++];
		struct sx_error why = {0};
		bool over = false;
		const struct capture_device of = {.path = devices->path,
						  .place = devices->list[i],
						  .also = hooks->also,
						  .also_count = hooks->also_count};
		status = open_device(cli, &of, hooks, in, &why);
		if (!status && hooks->begin) {
			status = hooks->begin(hooks->user, out->count - 1, in, &why);
			over = status == SX_ERR_NOT_FOUND && count > 1;
		}
		if (status && !passed && err)
			*err = why;
		if (over || capture_view_passes_over(cli, status, count)) {
			passed = passed ? passed : status;
			input_close(&out->devices[--out->count]);
			status = SX_OK;
			unseen[unseen_count++] = devices->list[i];
			continue;
		}
		if (!status)
			status = fill_device(cli, out, err);
	}
	for (uint32_t i = 0; !status && out->count && i < unseen_count; i++)
		status = read_unseen(cli, devices->path, unseen[i], out->fill, err);
	free(unseen);
	for (uint32_t i = 1; !status && hooks->join && i < out->count; i++)
		status = capture_view_related(out->devices[0].view, out->devices[i].view, err);
	if (!status)
		status = report_join_rows(out->fill, err);
	return !status && !out->count ? passed : status;
}

/* When a capture was recorded; of what was imported, nobody knows. */
static uint64_t created_ns(const struct capture_report *read)
{
	const struct sx_capture_info *info = sx_capture_info(read->devices[0].view->reader);
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strcmp(info->properties[i].name, "imported-from") == 0)
			return 0;
	return info->created_ns;
}

/* Where --process or --context left nothing of any device, the first says why. */
static enum sx_status anything_chosen(const struct capture_report *read, struct sx_error *err)
{
	for (uint32_t i = 0; i < read->count; i++)
		if (read->devices[i].view->chosen)
			return SX_OK;
	for (uint32_t i = 0; i < read->count; i++)
		if (capture_view_left_out(read->devices[i].view, err))
			return SX_INCOMPLETE;
	return SX_OK;
}

/* How the program ended, which the recording says behind all rows. */
static void set_ending(const struct capture_report *read, struct report *run)
{
	for (uint32_t i = 0; i < read->count; i++) {
		const struct capture_view *view = read->devices[i].view;
		if (!view->ended)
			continue;
		run->ran = true;
		run->term_signal = view->ending.term_signal;
		run->exit_code = run->term_signal ? 128 + run->term_signal : view->ending.exit_code;
		run->ended_by = view->ending.limit;
		return;
	}
}

enum sx_status capture_report_read(struct cli *cli, const char *path,
				   const struct capture_report_hooks *hooks,
				   struct capture_report *out, struct sx_error *err)
{
	char shown[IMPORTED_TEXT_MAX];
	uint32_t *list = NULL, count = 0;
	enum sx_status status = capture_view_list(cli, path, &list, &count, err);
	out->devices = calloc((size_t)count + 1, sizeof(*out->devices));
	if (!status)
		status =
		    out->devices ? report_begin(&out->fill, err) : error_nomem(err, "a report");
	if (!status && hooks->course_bytes)
		report_keep_course(out->fill, hooks->course_bytes);
	if (!status && hooks->rows)
		report_watch_rows(out->fill, hooks->rows, hooks->user);
	if (!status)
		status = set_goal(cli, out->fill, err);
	if (!status)
		status =
		    fill_devices(cli, &(struct device_list){path, list, count}, hooks, out, err);
	if (!status) {
		struct report run = {.schema = "report",
				     .file = imported_text(cli, path, shown),
				     .created_ns = created_ns(out)};
		set_ending(out, &run);
		status = report_set_run(out->fill, &run, err);
	}
	free(list);
	return status ? status : anything_chosen(out, err);
}

bool capture_report_note(const struct cli *cli, const struct capture_report *read)
{
	bool whole = !read->count || capture_view_note(cli, read->devices[0].view);
	for (uint32_t i = 0; i < read->count; i++)
		whole &=
		    !read->devices[i].view->run.failure && !read->devices[i].view->run.lost_more;
	return whole;
}

void capture_report_close(struct capture_report *read)
{
	report_destroy(read->fill);
	for (uint32_t i = 0; read->devices && i < read->count; i++)
		input_close(&read->devices[i]);
	free(read->devices);
	*read = (struct capture_report){0};
}
