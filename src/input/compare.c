/* Files as runs of a comparison. */
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"
#include "input/input.h"

#define WARM_UP_NS    UINT64_C(1000000000) /* at most; and a tenth of the run at most */
#define WARM_UP_SHARE 10
#define DEVICES_MAX   64

/* One file while it is read. */
struct run {
	const struct input_request *request;
	const struct input_compare_options *options;
	struct report_fill *fill;
	uint32_t used;
	bool whole;
	uint32_t *order; /* places of its devices in the order of views */
	bool ended;	 /* a program ran to its end, and the recording holds all of it */
	/* A device each: what is read, and what of it was asked for (NULL: all). */
	struct sx_metrics *metrics[DEVICES_MAX], *asked[DEVICES_MAX];
	uint64_t frames, late; /* all, and those over the deadline */
	uint64_t deadline_ns;  /* 0: none */
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

static enum sx_status compare_read_rows(struct input_device *d, struct run *run, uint32_t index,
					struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = input_device_next(d, err);
		if (!status)
			count_late(run, d->raw);
		if (!status)
			status = report_add_rows(run->fill, index, d->raw, err);
	}
	return status == SX_END ? SX_OK : status;
}

/*
 * The selection of a device: what was asked for, or everything (counters too: they are compared
 * exactly), and the metrics that show whether runs are comparable at all. `asked` has the first of
 * these.
 */
static enum sx_status select_metrics(struct run *run, struct input_device *d, struct sx_error *err)
{
	static const char *const everything = "*", *const needed[] = {"framebuffer_pixels",
								      "gpu.frequency",
								      "cpu.frequency"};
	struct sx_metrics_options selection = input_selection(d);
	if (!d->pattern_count && !input_only_also(d)) {
		selection.patterns = &everything;
		selection.pattern_count = 1;
		return sx_metrics_create(d->catalog, &selection, &run->metrics[run->used], err);
	}
	const char **patterns = calloc(d->pattern_count + d->of.also_count + 3, sizeof(*patterns));
	if (!patterns)
		return error_nomem(err, "comparing");
	if (d->pattern_count)
		memcpy(patterns, d->patterns, d->pattern_count * sizeof(*patterns));
	selection.patterns = patterns;
	for (size_t i = 0; i < d->of.also_count; i++) {
		const char *own = input_device_name(d, d->of.also[i]);
		if (own)
			patterns[selection.pattern_count++] = own;
	}
	enum sx_status status =
	    sx_metrics_create(d->catalog, &selection, &run->asked[run->used], err);
	for (size_t i = 0; !status && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (input_device_name(d, needed[i]))
			patterns[selection.pattern_count++] = needed[i];
	if (!status)
		status = sx_metrics_create(d->catalog, &selection, &run->metrics[run->used], err);
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
	if (run->options->only_own)
		return false;
	if (!run->asked[device])
		return true;
	const struct sx_metric_column *columns = sx_metrics_columns(run->asked[device], &count);
	for (uint32_t i = 0; i < count; i++)
		if (columns[i].metric == row->metric && columns[i].counter == row->counter)
			return true;
	return false;
}

static enum sx_status compare_add_device(struct run *run, struct input_device *d,
					 struct sx_error *err)
{
	uint32_t index = 0;
	enum sx_status status = select_metrics(run, d, err);
	if (status)
		return status;
	struct report_source source = input_report_source(d);
	source.metrics = run->metrics[run->used];
	status = report_add_device(run->fill, &source, &index, err);
	if (!status)
		run->used++;
	return status ? status : compare_read_rows(d, run, index, err);
}

static enum sx_status compare_read_device(struct run *run, uint32_t place, uint32_t devices,
					  enum sx_status *passed, struct sx_error *err)
{
	struct input_device *d = NULL;
	enum sx_status status = input_device_prepare(run->request, place, &d, err);
	if (!status)
		status = compare_add_device(run, d, err);
	if (!status) {
		/* A comparison shows neither notes nor reasons. */
		const struct sx_run_facts lost = {.lost = d->run.lost,
						  .lost_more = d->run.lost_more};
		status = report_set_facts(run->fill, run->used - 1, &d->facts, &lost, err);
		run->whole = run->whole && !d->run.failure && !d->run.lost_more;
	}
	/* Damage is reported once a file, not once a device. */
	if (!status && run->used == 1)
		run->whole = input_device_note(d) && run->whole;
	input_device_close(d);
	if (!input_passes_over(run->request, status, devices))
		return status;
	*passed = status;
	return SX_OK;
}

/* "COMMAND on HOST, commit COMMIT", as far as the capture knows. */
static void note_about(struct compare_set *set, const struct sx_capture_info *info)
{
	const char *host = input_property(info, "host"), *command = input_property(info, "command"),
		   *commit = input_property(info, "commit");
	size_t size = strlen(command) + strlen(host) + strlen(commit) + 32;
	char *text = *command || *commit ? calloc(1, size) : NULL;
	if (!text)
		return;
	text_append(text, size, "%s%s%s%s%s", command, *host ? " on " : "", host,
		    *commit ? ", commit " : "", commit);
	set->about = compare_set_text(set, text);
	free(text);
}

/* What the head of a capture says of the run. */
static enum sx_status read_head(struct run *run, struct compare_set *set, uint32_t *devices,
				struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = input_open(run->request, &reader, err);
	if (status)
		return status;
	const struct sx_capture_info *info = sx_capture_info(reader);
	run->order = calloc((size_t)info->device_count + 1, sizeof(*run->order));
	*devices = run->order ? sx_capture_order(reader, run->order) : 0;
	run->ended =
	    info->clean && *input_property(info, "command") && !*input_property(info, "ends");
	if (!set->runs)
		note_about(set, info);
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
	for (uint32_t i = 0; i < DEVICES_MAX; i++) {
		sx_metrics_destroy(run->metrics[i]);
		sx_metrics_destroy(run->asked[i]);
	}
}

/* Reads all devices into the report. */
static enum sx_status read_run(struct run *run, struct compare_set *set, struct sx_error *err)
{
	uint32_t devices = 0;
	const char *shown = run->request->shown;
	enum sx_status passed = SX_OK, status = read_head(run, set, &devices, err);
	if (!status)
		status = report_begin(&run->fill, err);
	if (!status)
		status = report_set_run(run->fill,
					&(struct report){.schema = "report", .file = shown}, err);
	for (uint32_t i = 0; !status && i < devices && run->used < DEVICES_MAX; i++)
		status = compare_read_device(run, run->order[i], devices, &passed, err);
	if (!status && !devices)
		status = compare_no_device(shown, err);
	return !status && !run->used ? passed : status;
}

enum sx_status input_compare_add(const struct input_request *request,
				 const struct input_compare_options *options,
				 struct compare_set *set, bool *whole, struct sx_error *err)
{
	struct run run = {.request = request,
			  .options = options,
			  .whole = true,
			  .deadline_ns = options->fps > 0 ? (uint64_t)(1e9 / options->fps) : 0};
	const struct report *report = NULL;
	enum sx_status status = read_run(&run, set, err);
	if (!status)
		status = report_finish(run.fill, &report, err);
	if (!status)
		run.whole = run.whole && !report_lacks_named(report);
	if (!status)
		status = compare_set_add(set,
					 &(struct compare_recording){.file = request->shown,
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
