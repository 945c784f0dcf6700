/* Filling a report from a file: device by device, record by record. */
#include <stdlib.h>
#include <string.h>

#include "analysis/report/unread.h"
#include "base/error.h"
#include "input/input.h"
#include "table/fill.h"

struct sx_metrics_options input_report_selection(const struct input_device *d, bool everything)
{
	static const char *const all = "*";
	struct sx_metrics_options options = input_selection(d);
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
static bool counts_alone(const struct input_device *d)
{
	const struct sx_capture_info *info = sx_capture_info(d->reader);
	bool untimed = info->begin_ns == SX_TIME_UNKNOWN || info->end_ns <= info->begin_ns;
	if (!untimed || strcmp(d->info->facts.source, "perf-stat") != 0 || !info->rows ||
	    d->of.counters || d->pattern_count)
		return false;
	input_note(&d->of,
		   "the file has no time, which rates need: its counters are shown, as with "
		   "--counters; perf stat -I gives times");
	return true;
}

static bool is_timed(const struct input_device *d)
{
	const struct sx_capture_info *info = sx_capture_info(d->reader);
	return info->begin_ns != SX_TIME_UNKNOWN && info->end_ns > info->begin_ns;
}

/* A row in which every column of the device has a value, and a length where the device's have. */
static enum sx_status make_row(const struct input_device *d, struct sx_table **out,
			       struct sx_error *err)
{
	enum sx_status status = table_like(d->raw, out, err);
	if (!status)
		status = sx_table_add_rows(*out, 1, NULL, err);
	for (uint32_t i = 0; !status && i < sx_table_column_count(*out); i++)
		if (sx_table_column(*out, i)->type == SX_U64)
			sx_table_set_u64(*out, i, 0, 1, 0);
		else
			sx_table_set_f64(*out, i, 0, 1, 0);
	if (!status && is_timed(d))
		sx_table_set_time(*out, 0, 0, 1000000000);
	return status;
}

/*
 * Whether the user chose what a file has. A recording has whatever its source can count, and so has
 * what was written from one.
 */
static bool is_chosen(const struct input_device *d)
{
	const char *source = d->info->facts.source;
	return input_is_imported(d) && strncmp(source, "sextant-", 8) != 0 &&
	       strcmp(source, "perfetto") != 0;
}

/*
 * Where the user chose nothing: beside all metrics, adds the counters of the file that no derivable
 * metric reads; for our own recordings, only where there is no such metric.
 */
static enum sx_status add_unread(struct input_device *d, struct sx_error *err)
{
	uint32_t metric_count;
	struct sx_table *row = NULL;
	struct sx_metrics *metrics = NULL;
	if (d->of.metric_count || d->of.counters)
		return SX_OK;
	const char **patterns =
	    calloc((size_t)sx_table_column_count(d->raw) + 2, sizeof(*patterns));
	if (!patterns)
		return error_nomem(err, "choosing metrics");
	struct report_unread unread = {.names = patterns + 1};
	struct sx_metrics_options options = input_selection(d);
	enum sx_status status = sx_metrics_create(d->catalog, &options, &metrics, err);
	if (!status)
		status = make_row(d, &row, err);
	if (!status)
		status = report_find_unread(d->catalog, metrics, row, &unread, err);
	if (!status && (is_chosen(d) || !unread.any)) {
		sx_metrics_columns(metrics, &metric_count);
		patterns[0] = "all";
		if (!metric_count)
			memmove(patterns, unread.names, unread.count * sizeof(*patterns));
		free(d->patterns);
		d->patterns = patterns;
		d->pattern_count = (uint32_t)unread.count + (metric_count > 0);
	} else {
		free(patterns);
	}
	sx_table_destroy(row);
	sx_metrics_destroy(metrics);
	return status;
}

/* The selection, and behind it what is wanted besides. */
static enum sx_status select_also(struct input_device *d, bool all_of_it, struct sx_error *err)
{
	bool only_also = input_only_also(d);
	bool everything = !only_also && (all_of_it || counts_alone(d));
	enum sx_status status = everything ? SX_OK : add_unread(d, err);
	if (status)
		return status;
	struct sx_metrics_options options = input_report_selection(d, everything);
	const char **all = calloc(options.pattern_count + d->of.also_count + 2, sizeof(*all));
	uint32_t count = options.pattern_count;
	if (!all)
		return error_nomem(err, "choosing metrics");
	if (count)
		memcpy(all, options.patterns, count * sizeof(*all));
	for (size_t i = 0; i < d->of.also_count; i++) {
		const char *own = input_device_name(d, d->of.also[i]);
		if (!own)
			continue;
		if (!count && !only_also)
			all[count++] = "all";
		all[count++] = own;
	}
	options.patterns = all;
	options.pattern_count = count;
	status = sx_metrics_create(d->catalog, &options, &d->metrics, err);
	free(all);
	return status;
}

enum sx_status input_device_report(struct input_device *d, struct report_fill *fill, uint32_t index,
				   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = input_device_next(d, err);
		if (!status)
			status = report_add_rows(fill, index, d->raw, err);
	}
	return status == SX_END ? SX_OK : status;
}

static enum sx_status note_losses(const struct input_device *d,
				  const struct input_report_options *how, struct report_fill *fill,
				  uint32_t device, struct sx_error *err)
{
	bool damaged = sx_capture_account(d->reader)->what[0];
	bool cut = !sx_capture_info(d->reader)->clean;
	const char *notes[INPUT_NOTES_MAX + 2];
	uint32_t count = 0;
	if (damaged)
		notes[count++] = "the file is damaged: samples are missing";
	if (cut)
		notes[count++] =
		    "the recording did not end cleanly, or goes on: its end is missing";
	for (uint32_t i = 0; i < d->run.notes.count; i++)
		notes[count++] = d->notes[i];
	struct sx_error none = {0};
	struct sx_run_facts run = d->run;
	run.silence = input_left_out(d, &none) ? &none : NULL;
	run.partial = damaged || cut;
	run.notes = (struct sx_strings){notes, count};
	run.lost_more |= damaged;
	if (how->numbers_alone)
		run = (struct sx_run_facts){.lost = d->run.lost,
					    .lost_more = d->run.lost_more,
					    .left_out = d->run.left_out};
	return report_set_facts(fill, device, &d->facts, &run, err);
}

/*
 * Reads a device of which nothing is shown: others may be joined to its frames, and the verdict
 * includes it. Hidden devices come after all others in the report.
 */
static enum sx_status read_unseen(const struct input_request *request, uint32_t place,
				  struct report_fill *fill, struct sx_error *err)
{
	struct input_device *d = NULL;
	uint32_t index;
	if (input_device_open(request, place, &d, NULL))
		return SX_OK;
	struct report_source source = input_report_source(d);
	source.like = NULL;
	enum sx_status status = report_add_device(fill, &source, &index, err);
	if (!status) {
		report_hide(fill, index);
		status = input_device_report(d, fill, index, err);
	}
	input_device_close(d);
	return status;
}

static enum sx_status fill_device(const struct input_report_options *how, struct input_report *out,
				  struct sx_error *err)
{
	uint32_t index = out->count - 1;
	struct input_device *d = out->devices[index];
	struct report_source source = input_report_source(d);
	enum sx_status status = report_add_device(out->fill, &source, NULL, err);
	if (!status)
		status = input_device_report(d, out->fill, index, err);
	return status ? status : note_losses(d, how, out->fill, index, err);
}

/* Opens a device, the last one of the report. */
static enum sx_status open_device(const struct input_request *request, uint32_t place,
				  const struct input_report_options *how, struct input_report *out,
				  struct sx_error *err)
{
	struct input_device **d = &out->devices[out->count++];
	enum sx_status status = input_device_prepare(request, place, d, err);
	if (!status && how->select)
		return how->select(how->user, out->count - 1, *d, err);
	return status ? status : select_also(*d, how->everything, err);
}

static enum sx_status fill_devices(const struct input_request *request,
				   const struct input_places *places,
				   const struct input_report_options *how, struct input_report *out,
				   struct sx_error *err)
{
	enum sx_status passed = SX_OK, status = SX_OK;
	uint32_t unseen_count = 0, *unseen = calloc((size_t)places->count + 1, sizeof(*unseen));
	if (!unseen)
		return error_nomem(err, "a report");
	for (uint32_t i = 0; !status && i < places->count; i++) {
		struct sx_error why = {0};
		bool over = false;
		status = open_device(request, places->list[i], how, out, &why);
		if (!status && how->begin) {
			uint32_t index = out->count - 1;
			status = how->begin(how->user, index, out->devices[index], &why);
			over = status == SX_ERR_NOT_FOUND && places->count > 1;
		}
		if (status && !passed && err)
			*err = why;
		if (over || input_passes_over(request, status, places->count)) {
			passed = passed ? passed : status;
			input_device_close(out->devices[--out->count]);
			out->devices[out->count] = NULL;
			status = SX_OK;
			unseen[unseen_count] = places->list[i];
			unseen_count += !how->numbers_alone;
			continue;
		}
		if (!status)
			status = fill_device(how, out, err);
	}
	for (uint32_t i = 0; !status && out->count && i < unseen_count; i++)
		status = read_unseen(request, unseen[i], out->fill, err);
	free(unseen);
	for (uint32_t i = 1; !status && how->join && i < out->count; i++)
		status = input_related(out->devices[0], out->devices[i], err);
	if (!status)
		status = report_join_rows(out->fill, err);
	return !status && !out->count ? passed : status;
}

/* When a capture was recorded; unknown of imported files. */
static uint64_t created_ns(const struct input_report *read)
{
	const struct sx_capture_info *info = sx_capture_info(read->devices[0]->reader);
	for (uint32_t i = 0; i < info->property_count; i++)
		if (strcmp(info->properties[i].name, "imported-from") == 0)
			return 0;
	return info->created_ns;
}

/* Where --process or --context left nothing of any device, the first says why. */
static enum sx_status anything_chosen(const struct input_report *read, struct sx_error *err)
{
	for (uint32_t i = 0; i < read->count; i++)
		if (read->devices[i]->rows)
			return SX_OK;
	for (uint32_t i = 0; i < read->count; i++)
		if (input_left_out(read->devices[i], err))
			return SX_INCOMPLETE;
	return SX_OK;
}

/* How the program ended, which the recording says behind all rows. */
static void set_ending(const struct input_report *read, struct report *run)
{
	for (uint32_t i = 0; i < read->count; i++) {
		const struct input_device *d = read->devices[i];
		if (!d->ended)
			continue;
		run->ran = true;
		run->term_signal = d->ending.term_signal;
		run->exit_code = run->term_signal ? 128 + run->term_signal : d->ending.exit_code;
		run->ended_by = d->ending.limit;
		return;
	}
}

enum sx_status input_report_read(const struct input_request *request,
				 const struct input_report_options *how, struct input_report *out,
				 struct sx_error *err)
{
	struct input_places places;
	enum sx_status status = input_find(request, &places, err);
	out->devices = calloc((size_t)places.count + 1, sizeof(struct input_device *));
	if (!status)
		status =
		    out->devices ? report_begin(&out->fill, err) : error_nomem(err, "a report");
	if (!status && how->course_bytes)
		report_keep_course(out->fill, how->course_bytes);
	if (!status && how->rows)
		report_watch_rows(out->fill, how->rows, how->user);
	if (!status && how->goal)
		report_set_goal(out->fill, how->goal);
	if (!status && how->join)
		status = report_join_begin(out->fill, err);
	if (!status)
		status = fill_devices(request, &places, how, out, err);
	if (!status) {
		struct report run = {
		    .schema = "report", .file = request->shown, .created_ns = created_ns(out)};
		set_ending(out, &run);
		status = report_set_run(out->fill, &run, err);
	}
	free(places.list);
	return status || how->numbers_alone ? status : anything_chosen(out, err);
}

bool input_report_note(const struct input_report *read)
{
	bool whole = !read->count || input_device_note(read->devices[0]);
	for (uint32_t i = 0; i < read->count; i++)
		whole &= !read->devices[i]->run.failure && !read->devices[i]->run.lost_more;
	return whole;
}

void input_report_close(struct input_report *read)
{
	report_destroy(read->fill);
	for (uint32_t i = 0; read->devices && i < read->count; i++)
		input_device_close(read->devices[i]);
	free(read->devices);
	*read = (struct input_report){0};
}
