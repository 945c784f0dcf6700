/* Files as runs of a comparison. */
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"
#include "input/input.h"

#define WARM_UP_NS    UINT64_C(1000000000) /* at most; and a tenth of the run at most */
#define WARM_UP_SHARE 10

/* One file while it is read. */
struct run {
	const struct input_request *request;
	const struct input_compare_options *options;
	struct input_report read;
	uint32_t device_count;	   /* in the file */
	bool ended;		   /* a program ran to its end, and the recording holds all of it */
	struct sx_metrics **asked; /* a device each: what was asked for (NULL: all) */
	uint64_t frames, late;	   /* all, and those over the deadline */
	uint64_t deadline_ns;	   /* 0: none */
};

/* Frames over the deadline, by the lengths of the rows. */
static enum sx_status compare_count_late(void *user, uint32_t device, const struct sx_table *raw,
					 struct sx_error *err)
{
	struct run *run = user;
	size_t rows = sx_table_row_count(raw);
	const uint64_t *begin = sx_table_begin_ns(raw), *end = sx_table_end_ns(raw);
	if (!run->deadline_ns || sx_table_kind(raw) != SX_SAMPLE_FRAME)
		return SX_OK;
	for (size_t i = 0; i < rows; i++) {
		if (begin[i] == SX_TIME_UNKNOWN || end[i] == SX_TIME_UNKNOWN)
			continue;
		run->frames++;
		run->late += end[i] - begin[i] > run->deadline_ns;
	}
	return SX_OK;
}

/*
 * The selection of a device: what was asked for, or everything (counters too: they are compared
 * exactly), and the metrics that show whether runs are comparable at all. `asked` has the first of
 * these.
 */
static enum sx_status compare_select(void *user, uint32_t index, struct input_device *d,
				     struct sx_error *err)
{
	struct run *run = user;
	static const char *const everything = "*", *const needed[] = {"framebuffer_pixels",
								      "gpu.frequency",
								      "cpu.frequency"};
	struct sx_metrics_options selection = input_selection(d);
	if (!d->pattern_count && !input_only_also(d)) {
		selection.patterns = &everything;
		selection.pattern_count = 1;
		return sx_metrics_create(d->catalog, &selection, &d->metrics, err);
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
	enum sx_status status = sx_metrics_create(d->catalog, &selection, &run->asked[index], err);
	for (size_t i = 0; !status && i < sizeof(needed) / sizeof(needed[0]); i++)
		if (input_device_name(d, needed[i]))
			patterns[selection.pattern_count++] = needed[i];
	if (!status)
		status = sx_metrics_create(d->catalog, &selection, &d->metrics, err);
	free(patterns);
	if (status) { /* the place is that of the next device */
		sx_metrics_destroy(run->asked[index]);
		run->asked[index] = NULL;
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
static enum sx_status read_head(struct run *run, struct compare_set *set, struct sx_error *err)
{
	struct sx_capture_reader *reader = NULL;
	enum sx_status status = input_open(run->request, &reader, err);
	if (status)
		return status;
	const struct sx_capture_info *info = sx_capture_info(reader);
	run->device_count = info->device_count;
	run->ended =
	    info->clean && *input_property(info, "command") && !*input_property(info, "ends");
	if (!set->runs)
		note_about(set, info);
	sx_capture_close(reader);
	run->asked = calloc((size_t)run->device_count + 1, sizeof(*run->asked));
	return run->asked ? SX_OK : error_nomem(err, "comparing");
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
	for (uint32_t i = 0; run->asked && i < run->device_count; i++)
		sx_metrics_destroy(run->asked[i]);
	free(run->asked);
	input_report_close(&run->read);
}

/* Reads all devices into the report. */
static enum sx_status read_run(struct run *run, struct compare_set *set, struct sx_error *err)
{
	struct input_request all = *run->request;
	const struct input_report_options options = {.select = compare_select,
						     .rows = compare_count_late,
						     .user = run,
						     .numbers_alone = true};
	all.find_places = NULL;
	enum sx_status status = read_head(run, set, err);
	if (!status && !run->device_count)
		status = compare_no_device(all.shown, err);
	return status ? status : input_report_read(&all, &options, &run->read, err);
}

enum sx_status input_compare_add(const struct input_request *request,
				 const struct input_compare_options *options,
				 struct compare_set *set, bool *whole, struct sx_error *err)
{
	struct run run = {.request = request,
			  .options = options,
			  .deadline_ns = options->fps > 0 ? (uint64_t)(1e9 / options->fps) : 0};
	const struct report *report = NULL;
	enum sx_status status = read_run(&run, set, err);
	if (!status)
		status = report_finish(run.read.fill, &report, err);
	if (!status)
		*whole &= input_report_note(&run.read) && !report_lacks_named(report);
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
	return status;
}
