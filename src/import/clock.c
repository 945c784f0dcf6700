/* See clock.h. */
#include "import/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "import/read/times.h"
#include "table/block.h"

/* What runs for itself has frames of its own, which follow each other. */
static const enum sx_label clock_of[] = {SX_LABEL_PROCESS, SX_LABEL_CONTEXT, SX_LABEL_INSTANCE};
#define PACE_NEAR	8  /* a row may be off its frame by one in so many parts of it */
#define CLOCK_ROW_BYTES 64 /* that are looked at, about */
#define CLOCK_LABELS	(sizeof(clock_of) / sizeof(clock_of[0]))

/* Whatever runs for itself, by its labels, and how far its frames have come. */
struct clock_ends {
	struct strings labels;
	double *ends; /* in ns */
	size_t cap;
};

static bool clock_has_times(struct import_job *job, const struct sx_table *table)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		spill_row(job->spill, i, 2 * sizeof(*begin));
		if (begin[i] != SX_TIME_UNKNOWN || end[i] != SX_TIME_UNKNOWN)
			return true;
	}
	return false;
}

/* Whether a metric, or the counter that is the same, is the time of a frame. */
static bool clock_is_metric(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	const char *metric = column_of_neutral(catalog, "frame.time", true);
	if (metric && strcmp(metric, name) == 0)
		return true;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; metric && i < count; i++)
		if (strcmp(counters[i].name, metric) == 0)
			return counters[i].same && strcmp(counters[i].same, name) == 0;
	return false;
}

/* The time of each frame, and not the last of an interval. */
static bool clock_is_frame_time(const struct sx_catalog *catalog, const char *name)
{
	uint32_t count;
	struct column_meaning is = column_meaning(catalog, name, SX_NONE);
	if (is.metric != SX_NONE)
		return clock_is_metric(catalog,
				       sx_catalog_metrics(catalog, &count)[is.metric].name);
	if (is.counter.counter == SX_NONE || is.counter.instance != SX_NONE)
		return false;
	const struct sx_counter_info *counter =
	    &sx_catalog_counters(catalog, &count)[is.counter.counter];
	return counter->over_time == SX_REDUCE_SUM && counter->same &&
	       clock_is_metric(catalog, counter->same);
}

/* Some row is of several frames, or of none. */
static bool clock_counts_frames(struct import_job *job, const struct sx_table *table,
				const struct sx_catalog *catalog)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < sx_table_column_count(table); i++) {
		const char *name = sx_table_column(table, i)->name;
		uint32_t counter = column_meaning(catalog, name, SX_NONE).counter.counter;
		if (counter == SX_NONE || strcmp(counters[counter].unit, "frames") != 0)
			continue;
		for (size_t row = 0; row < sx_table_row_count(table); row++) {
			double frames = sx_table_get(table, i, row);
			spill_row(job->spill, row, sizeof(frames) + 1);
			if (!isnan(frames) && frames != 1)
				return true;
		}
	}
	return false;
}

/* The column, or SX_NONE; *to_ns receives what makes nanoseconds of its values. */
static uint32_t clock_find(struct import_job *job, const struct sx_table *table,
			   const struct sx_catalog *catalog, double *to_ns)
{
	struct units units;
	units_init(&units);
	for (uint32_t i = 0; i < sx_table_column_count(table); i++) {
		const struct sx_column *column = sx_table_column(table, i);
		if (!clock_is_frame_time(catalog, column->name))
			continue;
		*to_ns =
		    strcmp(column->unit, "ns") == 0 ? 1 : units_factor(&units, column->unit, "ns");
		if (*to_ns > 0)
			return clock_counts_frames(job, table, catalog) ? SX_NONE : i;
	}
	return SX_NONE;
}

/* Where the frames of what a row belongs to have ended so far; NULL: memory is out. */
static double *clock_end_of(struct clock_ends *known, const struct sx_table *table, size_t row)
{
	bool added;
	uint64_t labels[CLOCK_LABELS];
	for (size_t l = 0; l < CLOCK_LABELS; l++)
		labels[l] = sx_table_label(table, clock_of[l], row);
	uint32_t at = strings_intern(&known->labels, (char *)labels, sizeof(labels), &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&known->ends, &known->cap, (size_t)at + 1, sizeof(*known->ends)))
		return NULL;
	if (added)
		known->ends[at] = 0;
	return &known->ends[at];
}

static enum sx_status clock_set(struct import_job *job, struct sx_table *table, uint32_t column,
				double to_ns, struct sx_error *err)
{
	struct clock_ends known = {0};
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < sx_table_row_count(table); i++) {
		double *at = clock_end_of(&known, table, i);
		double length = sx_table_get(table, column, i) * to_ns;
		spill_row(job->spill, i, CLOCK_ROW_BYTES);
		if (!at)
			status = error_nomem(err, "importing");
		if (!at || !(length >= 0 && *at + length < 0x1p62)) /* or no data */
			continue;
		struct import_span span = {(uint64_t)(*at + 0.5), (uint64_t)(*at + length + 0.5)};
		*at += length;
		if (import_span_can_be(span))
			sx_table_set_time(table, i, span.begin_ns, span.end_ns);
	}
	strings_finish(&known.labels);
	free(known.ends);
	return status;
}

/* The length of a row, or from when it is to when the one before was; 0: not known. */
static double clock_step(const struct sx_table *table, size_t i)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	const uint64_t *at = end[i] == SX_TIME_UNKNOWN ? begin : end;
	uint64_t from = begin[i];
	if (at == begin || from == SX_TIME_UNKNOWN)
		from = i ? at[i - 1] : SX_TIME_UNKNOWN;
	bool known = from != SX_TIME_UNKNOWN && at[i] != SX_TIME_UNKNOWN && at[i] > from;
	return known ? (double)(at[i] - from) : 0;
}

enum import_pace import_clock_pace(struct import_job *job, const struct sx_table *table,
				   uint32_t column, double to_ns)
{
	size_t near = 0, timed = 0;
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		/* A row of which only the begin is known lasts until the next one's. */
		bool before = i && sx_table_end_ns(table)[i] == SX_TIME_UNKNOWN;
		double frame = sx_table_get(table, column, before ? i - 1 : i) * to_ns;
		double step = clock_step(table, i);
		spill_row(job->spill, i, CLOCK_ROW_BYTES);
		if (!(step > 0 && frame > 0))
			continue;
		timed++;
		near += fabs(step - frame) <= frame / PACE_NEAR;
	}
	return !timed ? IMPORT_PACE_UNKNOWN : 2 * near < timed ? IMPORT_INTERVALS : IMPORT_FRAMES;
}

/* Rows that tell when they began or ended last as long as their frame. */
static size_t clock_complete(struct import_job *job, struct sx_table *table, uint32_t column,
			     double to_ns)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	size_t completed = 0;
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		double length = sx_table_get(table, column, i) * to_ns;
		spill_row(job->spill, i, CLOCK_ROW_BYTES);
		bool begins = begin[i] != SX_TIME_UNKNOWN, ends = end[i] != SX_TIME_UNKNOWN;
		if (begins == ends || !(length > 0 && length < 0x1p62) ||
		    (ends && length > (double)end[i]))
			continue;
		uint64_t ns = (uint64_t)(length + 0.5);
		struct import_span span = {begins ? begin[i] : end[i] - ns,
					   begins ? begin[i] + ns : end[i]};
		if (!import_span_can_be(span))
			continue;
		sx_table_set_time(table, i, span.begin_ns, span.end_ns);
		completed++;
	}
	return completed;
}

static enum sx_status clock_number(struct import_job *job, struct sx_table *table,
				   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	bool numbered = sx_table_has_label(table, SX_LABEL_FRAME);
	for (size_t i = 0; !numbered && !status && i < sx_table_row_count(table); i++) {
		spill_row(job->spill, i, sizeof(uint64_t));
		status = sx_table_set_label(table, SX_LABEL_FRAME, i, i);
	}
	return status ? error_nomem(err, "importing") : SX_OK;
}

/* Rows that say when they were, and are as long as their frames, are these. */
static enum sx_status clock_keep(struct import_job *job, struct sx_table *table, uint32_t column,
				 double to_ns, struct sx_error *err)
{
	if (job->format->any_order || import_clock_pace(job, table, column, to_ns) != IMPORT_FRAMES)
		return SX_OK;
	const char *name = sx_table_column(table, column)->name;
	size_t completed = clock_complete(job, table, column, to_ns);
	table_become(table, SX_SAMPLE_FRAME);
	if (completed)
		import_tell(job,
			    "of %s the file has the begin or the end alone: %.80s tells the other",
			    COUNTED(completed, "row"), name);
	return clock_number(job, table, err);
}

enum sx_status import_clock_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	double to_ns = 0;
	if (!device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return SX_OK;
	enum sx_status status = SX_OK;
	uint32_t column = clock_find(job, device->table, catalog, &to_ns);
	if (column != SX_NONE && clock_has_times(job, device->table)) {
		status = clock_keep(job, device->table, column, to_ns, err);
	} else if (column != SX_NONE) {
		status = clock_set(job, device->table, column, to_ns, err);
		if (!status)
			status = clock_number(job, device->table, err);
		table_become(device->table, SX_SAMPLE_FRAME);
		device->facts.clock = NULL; /* each device's begins at 0 */
		import_tell(
		    job,
		    "no column has times: frames follow each other by their %.80s, and what "
		    "lay between rows is not known",
		    sx_table_column(device->table, column)->name);
	}
	sx_catalog_unref(catalog);
	return status;
}
