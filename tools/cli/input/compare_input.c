/* Reading captures as runs of a comparison. */
#include "tools/cli/input/compare_input.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text_buf.h"
#include "tools/cli/gate_options.h"
#include "input/input.h"
#include "tools/cli/input/capture_view.h"
#include "tools/cli/input/imported.h"

#define WARM_UP_NS    UINT64_C(1000000000) /* at most; and a tenth of the run at most */
#define WARM_UP_SHARE 10
#define DEVICES_MAX   64

/* One capture while it is read. */
struct run {
	struct cli *cli;
	const char *path;
	struct report_fill *fill;
	uint32_t used;
	bool whole;
	uint32_t *order; /* numbers of its devices as views have them */
	bool ended;	 /* a program ran to its end, and the recording holds all of it */
	/* A device each: what is read, and what of it was asked for (NULL: all). */
	struct sx_metrics *metrics[DEVICES_MAX], *asked[DEVICES_MAX];
	uint64_t frames, late; /* all, and those over the deadline */
	uint64_t deadline_ns;  /* 0: none */
	struct arena arena;
	struct gate_names gates; /* what is compared whatever --metric selects */
};

/* Frames over the deadline, by the lengths of the rows. */
static void count_late(struct run *run, const struct sx_table *raw)
{
	size_t rows = sx_table_row_count(raw);
	const uint64_t *begin = sx_table_begin_ns(raw), *end = sx_table_end_ns(raw);
	if (!run->deadline_ns || sx_table_kind(raw) != SX_SAMPLE_FRAME)
		return;
	for (size_t i = 0; i < rows; i++) {
		if (begin[i] == SX_TIME_UNKNOWN || end[i] == SX_TIME_UNKNOWN)
			continue;
		run->frames++;
		run->late += end[i] - begin[i] > run->deadline_ns;
	}
}

static enum sx_status compare_read_rows(struct capture_view *view, struct sx_table *raw,
					struct run *run, uint32_t device, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = capture_view_next(view, raw, err);
		if (!status)
			count_late(run, raw);
		if (!status)
			status = report_add_rows(run->fill, device, raw, err);
	}
	return status == SX_END ? SX_OK : status;
}

static enum sx_status read_gates_of(struct run *run, struct sx_error *err)
{
	struct gates gates = {0};
	enum sx_status status =
	    gate_options_read(run->cli, &run->arena, &gates.items, &gates.count, err);
	return status ? status : gate_options_names(&run->arena, gates, &run->gates, err);
}

static void add_gates(const struct run *run, const struct capture_view *view, const char **patterns,
		      uint32_t *used)
{
	for (size_t i = 0; i < run->gates.count; i++)
		if (capture_view_name(run->cli, view, run->gates.items[i]))
			patterns[(*used)++] =
			    capture_view_name(run->cli, view, run->gates.items[i]);
}

/*
 * The selection of a device: what was asked for, or everything (counters too: they are compared
 * exactly), and what tells whether runs are comparable at all. `asked` has the first of these.
 */
static enum sx_status select_metrics(struct run *run, const struct capture_view *view,
				     const struct sx_table *raw, struct sx_error *err)
{
	static const char *const everything = "*", *const needed[] = {"framebuffer_pixels",
								      "gpu.frequency",
								      "cpu.frequency"};
	struct sx_metrics_options selection = capture_view_selection(run->cli, view, raw);
	if (!view->pattern_count && !capture_view_only_also(run->cli, view)) {
		selection.patterns = &everything;
		selection.pattern_count = 1;
		return sx_metrics_create(view->catalog, &selection, &run->metrics[run->used], err);
	}
	const char **patterns =
	    calloc(view->pattern_count + run->gates.count + 3, sizeof(*patterns));
	if (!patterns)
		return error_nomem(err, "comparing");
	if (view->pattern_count)
		memcpy(patterns, view->patterns, view->pattern_count * sizeof(*patterns));
	selection.patterns = patterns;
	add_gates(run, view, patterns, &selection.pattern_count);
	enum sx_status status =
	    sx_metrics_create(view->catalog, &selection, &run->asked[run->used], err);
	for (size_t i = 0; !status && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (capture_view_name(run->cli, view, needed[i]))
			patterns[selection.pattern_count++] = needed[i];
	if (!status)
		status =
		    sx_metrics_create(view->catalog, &selection, &run->metrics[run->used], err);
	free(patterns);
	if (status) { /* the place is that of the next device */
		sx_metrics_destroy(run->asked[run->used]);
		run->asked[run->used] = NULL;
	}
	return status;
}

static bool compare_is_asked(const void *user, uint32_t device, const struct report_row *row)
{
	const struct run *run = user;
	uint32_t count = 0;
	if (run->cli->options.only_own)
		return false;
	if (!run->asked[device])
		return true;
	const struct sx_metric_column *columns = sx_metrics_columns(run->asked[device], &count);
	for (uint32_t i = 0; i < count; i++)
		if (columns[i].metric == row->metric && columns[i].counter == row->counter)
			return true;
	return false;
}

static enum sx_status compare_add_device(struct run *run, struct capture_view *view,
					 struct sx_table *raw, struct sx_error *err)
{
	uint32_t index = 0;
	enum sx_status status = select_metrics(run, view, raw, err);
	if (status)
		return status;
	struct report_source source =
	    capture_view_source(run->cli, view, run->metrics[run->used], raw);
	status = report_add_device(run->fill, &source, &index, err);
	if (!status)
		run->used++;
	return status ? status : compare_read_rows(view, raw, run, index, err);
}

static enum sx_status compare_read_device(struct run *run, uint32_t number, uint32_t devices,
					  enum sx_status *passed, struct sx_error *err)
{
	struct capture_view *view = NULL;
	struct sx_table *raw = NULL;
	const struct capture_device of = {.path = run->path,
					  .place = number,
					  .also = run->gates.items,
					  .also_count = run->gates.count};
	enum sx_status status = capture_view_prepare(run->cli, &of, &view, &raw, err);
	if (!status)
		status = compare_add_device(run, view, raw, err);
	if (!status) {
		/* A comparison shows neither notes nor reasons. */
		const struct sx_run_facts lost = {.lost = view->run.lost,
						  .lost_more = view->run.lost_more};
		status = report_set_facts(run->fill, run->used - 1, &view->facts, &lost, err);
		run->whole = run->whole && !view->run.failure && !view->run.lost_more;
	}
	/* What is damaged is told once a file, not once a device. */
	if (!status && run->used == 1)
		run->whole = capture_view_note(run->cli, view) && run->whole;
	sx_table_destroy(raw);
	capture_view_close(view);
	if (!capture_view_passes_over(run->cli, status, devices))
		return status;
	*passed = status;
	return SX_OK;
}

/* "COMMAND on HOST, commit COMMIT", as far as the capture knows. */
static void tell_about(struct compare_set *set, const struct sx_capture_info *info)
{
	const char *host = capture_view_property(info, "host"),
		   *command = capture_view_property(info, "command"),
		   *commit = capture_view_property(info, "commit");
	size_t size = strlen(command) + strlen(host) + strlen(commit) + 32;
	char *text = *command || *commit ? calloc(1, size) : NULL;
	if (!text)
		return;
	text_append(text, size, "%s%s%s%s%s", command, *host ? " on " : "", host,
		    *commit ? ", commit " : "", commit);
	set->about = compare_set_text(set, text);
	free(text);
}

/* What the head of a capture tells of the run. */
static enum sx_status read_head(struct run *run, struct compare_set *set, uint32_t *devices,
				struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = sx_capture_open(run->path, &reader, err);
	if (status)
		return status;
	const struct sx_capture_info *info = sx_capture_info(reader);
	run->order = calloc((size_t)info->device_count + 1, sizeof(*run->order));
	*devices = run->order ? sx_capture_order(reader, run->order) : 0;
	run->ended = info->clean && *capture_view_property(info, "command") &&
		     !*capture_view_property(info, "ends");
	if (!set->runs)
		tell_about(set, info);
	sx_capture_close(reader);
	return run->order ? SX_OK : error_nomem(err, "comparing");
}

static uint64_t warm_up(const struct report *report)
{
	uint64_t share = report->duration_ns / WARM_UP_SHARE;
	return share < WARM_UP_NS ? share : WARM_UP_NS;
}

static enum sx_status compare_no_device(const char *shown, struct sx_error *err)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s has no device", shown);
	error_because(err, "it is damaged before the first one");
	error_try(err, "sextant capture check %s", error_word((char[ERROR_WORD_MAX]){0}, shown));
	return SX_ERR_BAD_INPUT;
}

static void run_finish(struct run *run)
{
	report_destroy(run->fill);
	free(run->order);
	arena_finish(&run->arena);
	for (uint32_t i = 0; i < DEVICES_MAX; i++) {
		sx_metrics_destroy(run->metrics[i]);
		sx_metrics_destroy(run->asked[i]);
	}
}

static enum sx_status read_run(struct cli *cli, const char *path, struct compare_set *set,
			       bool *whole, struct sx_error *err)
{
	char text[IMPORTED_TEXT_MAX];
	const char *shown = imported_text(cli, path, text);
	double fps = cli->options.fps;
	struct run run = {.cli = cli,
			  .path = path,
			  .whole = true,
			  .deadline_ns = fps > 0 ? (uint64_t)(1e9 / fps) : 0};
	const struct report *report = NULL;
	uint32_t devices = 0;
	enum sx_status passed = SX_OK, status = imported_replace(cli, &run.path, err);
	if (!status)
		status = read_head(&run, set, &devices, err);
	if (!status)
		status = read_gates_of(&run, err);
	if (!status)
		status = report_begin(&run.fill, err);
	if (!status)
		status = report_set_run(run.fill,
					&(struct report){.schema = "report", .file = shown}, err);
	for (uint32_t i = 0; !status && i < devices && run.used < DEVICES_MAX; i++)
		status = compare_read_device(&run, run.order[i], devices, &passed, err);
	if (!status && !devices)
		status = compare_no_device(shown, err);
	if (!status && !run.used)
		status = passed;
	if (!status)
		status = report_finish(run.fill, &report, err);
	if (!status)
		run.whole = run.whole && !report_lacks_named(report);
	if (!status)
		status = compare_set_add(set,
					 &(struct compare_recording){.file = shown,
								     .report = report,
								     .warm_up_ns = warm_up(report),
								     .frames = run.frames,
								     .late = run.late,
								     .is_asked = compare_is_asked,
								     .user = &run,
								     .ended = run.ended},
					 err);
	run_finish(&run);
	*whole = *whole && run.whole;
	return status;
}

void compare_input_own(struct cli *cli)
{
	struct string_list *list = &cli->options.metrics;
	size_t kept = 0;
	for (size_t i = 0; i < list->count; i++)
		if (!compare_is_own(list->items[i]))
			list->items[kept++] = list->items[i];
	cli->options.only_own = list->count && !kept;
	list->count = kept;
}

enum sx_status compare_input_load(struct cli *cli, const char *files, struct compare_set *set,
				  bool *whole, struct sx_error *err)
{
	compare_set_init(set);
	char *list = strdup(files), *save = NULL;
	enum sx_status status = list ? SX_OK : error_nomem(err, "reading files");
	if (!status && baseline_is(files)) {
		status = baseline_read(files, set, err);
		free(list);
		return status;
	}
	/* A comma may be part of a name. */
	const char *apart = access(files, F_OK) == 0 ? "\n" : ",";
	char *path = status ? NULL : strtok_r(list, apart, &save);
	for (; path && !status; path = strtok_r(NULL, apart, &save))
		status = read_run(cli, path, set, whole, err);
	if (!status)
		status = compare_set_done(set, err);
	free(list);
	return status;
}
