/*
 * Rows that are frames: times that follow only from their lengths, and frames that a metric counts.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "import/internal.h"
#include "table/fill.h"

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
		backing_row(job->backing, i, 2 * sizeof(*begin));
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
			backing_row(job->backing, row, sizeof(frames) + 1);
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
		backing_row(job->backing, i, CLOCK_ROW_BYTES);
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

/* By rows of which both are known; `to_ns` makes nanoseconds of the column's values. */
static enum import_pace import_clock_pace(struct import_job *job, const struct sx_table *table,
					  uint32_t column, double to_ns)
{
	size_t near = 0, timed = 0;
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		/* A row of which only the begin is known lasts until the next one's. */
		bool before = i && sx_table_end_ns(table)[i] == SX_TIME_UNKNOWN;
		double frame = sx_table_get(table, column, before ? i - 1 : i) * to_ns;
		double step = clock_step(table, i);
		backing_row(job->backing, i, CLOCK_ROW_BYTES);
		if (!(step > 0 && frame > 0))
			continue;
		timed++;
		near += fabs(step - frame) <= frame / PACE_NEAR;
	}
	return !timed ? IMPORT_PACE_UNKNOWN : 2 * near < timed ? IMPORT_INTERVALS : IMPORT_FRAMES;
}

/* Rows with only a begin or an end last as long as their frame. */
static size_t clock_complete(struct import_job *job, struct sx_table *table, uint32_t column,
			     double to_ns)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	size_t completed = 0;
	for (size_t i = 0; i < sx_table_row_count(table); i++) {
		double length = sx_table_get(table, column, i) * to_ns;
		backing_row(job->backing, i, CLOCK_ROW_BYTES);
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
		backing_row(job->backing, i, sizeof(uint64_t));
		status = sx_table_set_label(table, SX_LABEL_FRAME, i, i);
	}
	return status ? error_nomem(err, "importing") : SX_OK;
}

/* Rows that say when they were, and are as long as their frames, are these. */
static enum sx_status clock_keep(struct import_job *job, struct sx_table *table, uint32_t column,
				 double to_ns, struct sx_error *err)
{
	if (job->format->ours || import_clock_pace(job, table, column, to_ns) != IMPORT_FRAMES)
		return SX_OK;
	const char *name = sx_table_column(table, column)->name;
	size_t completed = clock_complete(job, table, column, to_ns);
	table_become(table, SX_SAMPLE_FRAME);
	if (completed)
		import_remark(job,
			      "of %s the file has only the begin or the end: %.80s gives the other",
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
		import_remark(
		    job,
		    "no column has times: frames follow each other by their %.80s, and what "
		    "lay between rows is not known",
		    sx_table_column(device->table, column)->name);
	}
	sx_catalog_unref(catalog);
	return status;
}

#define FRAMES_AT_ONCE 1024

/* The columns that are made. */
struct frames_made {
	uint32_t column;    /* of the table: the metric, which becomes `times` */
	uint32_t times, of; /* counters: the time of frames, and their number */
	double factor;	    /* from the column's unit to that of `times` */
};

/* The counter that adds up what a metric says of one frame, or SX_NONE. */
static uint32_t frames_times(const struct sx_catalog *catalog, const char *metric)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].same && strcmp(counters[i].same, metric) == 0 &&
		    counters[i].over_time == SX_REDUCE_SUM)
			return i;
	return SX_NONE;
}

/* The counter of frames in a metric's formula, or SX_NONE. */
static uint32_t frames_of(const struct sx_catalog *catalog, const struct sx_metric_info *metric)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(counters[i].unit, "frames") == 0 && metric->exprs && metric->exprs[0] &&
		    strstr(metric->exprs[0], counters[i].name))
			return i;
	return SX_NONE;
}

static bool frames_has(const struct sx_table *table, const struct sx_catalog *catalog,
		       uint32_t counter)
{
	for (uint32_t i = 0; i < sx_table_column_count(table); i++)
		if (column_meaning(catalog, sx_table_column(table, i)->name, SX_NONE)
			.counter.counter == counter)
			return true;
	return false;
}

/* From a unit to that of a counter; 0: it cannot be. */
static double frames_factor(const struct sx_catalog *catalog, uint32_t counter, const char *unit)
{
	uint32_t count;
	const char *own = sx_catalog_counters(catalog, &count)[counter].unit;
	struct units units;
	units_init(&units);
	return strcmp(unit, own) == 0 ? 1 : units_factor(&units, unit, own);
}

static bool frames_find(const struct import_device *device, const struct sx_catalog *catalog,
			struct frames_made *made)
{
	uint32_t count;
	const struct sx_metric_info *metrics = sx_catalog_metrics(catalog, &count);
	for (uint32_t i = 0; i < sx_table_column_count(device->table); i++) {
		const char *name = sx_table_column(device->table, i)->name;
		uint32_t metric = column_meaning(catalog, name, SX_NONE).metric;
		if (metric == SX_NONE || metrics[metric].over_time != SX_REDUCE_RATIO)
			continue;
		*made = (struct frames_made){i, frames_times(catalog, metrics[metric].name),
					     frames_of(catalog, &metrics[metric]), 0};
		if (made->times != SX_NONE)
			made->factor = frames_factor(catalog, made->times,
						     sx_table_column(device->table, i)->unit);
		if (made->factor > 0 && made->of != SX_NONE &&
		    !frames_has(device->table, catalog, made->times) &&
		    !frames_has(device->table, catalog, made->of))
			return true;
	}
	return false;
}

/* The device's columns, the metric as its counter, and the number of frames. */
static enum sx_status frames_table(const struct import_device *device,
				   const struct sx_catalog *catalog, const struct frames_made *made,
				   struct sx_table **out, struct sx_error *err)
{
	uint32_t all, count = sx_table_column_count(device->table);
	const struct sx_counter_info *counters = sx_catalog_counters(catalog, &all);
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "importing");
	for (uint32_t i = 0; i < count; i++)
		columns[i] = *sx_table_column(device->table, i);
	columns[made->column].name = counters[made->times].name;
	columns[made->column].unit = counters[made->times].unit;
	columns[made->column].type = SX_F64;
	columns[made->column].over_time = SX_REDUCE_SUM;
	columns[count] = (struct sx_column){.name = counters[made->of].name,
					    .unit = counters[made->of].unit,
					    .type = SX_U64,
					    .over_time = SX_REDUCE_SUM};
	enum sx_status status =
	    sx_table_create(columns, count + 1, sx_table_kind(device->table), out, err);
	free(columns);
	return status;
}

static enum sx_status frames_fill(const struct sx_table *from, const struct frames_made *made,
				  struct sx_table *to, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(from);
	size_t row_count = sx_table_row_count(from);
	struct sx_vector *vectors = calloc((size_t)count + 1, sizeof(*vectors));
	uint64_t ones[FRAMES_AT_ONCE];
	double times[FRAMES_AT_ONCE];
	enum sx_status status = vectors ? SX_OK : error_nomem(err, "importing");
	for (size_t i = 0; i < FRAMES_AT_ONCE; i++)
		ones[i] = 1;
	for (size_t first = 0, some; !status && first < row_count; first += some) {
		struct sx_rows rows;
		some = row_count - first < FRAMES_AT_ONCE ? row_count - first : FRAMES_AT_ONCE;
		sx_table_rows(from, first, some, vectors, &rows);
		for (size_t i = 0; i < some; i++)
			times[i] = sx_table_get(from, made->column, first + i) * made->factor;
		/* What has no time is no frame: the same rows have data. */
		vectors[count] = vectors[made->column];
		vectors[count].type = SX_U64;
		vectors[count].data = vectors[count].data ? ones : NULL;
		vectors[made->column].type = SX_F64;
		vectors[made->column].data = vectors[made->column].data ? times : NULL;
		rows.column_count = count + 1;
		status = sx_table_append(to, &rows, err);
	}
	free(vectors);
	return status;
}

enum sx_status import_count_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	struct frames_made made;
	struct sx_table *table = NULL;
	if (!device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return SX_OK;
	enum sx_status status = SX_OK;
	bool found = frames_find(device, catalog, &made);
	const char *name = found ? sx_table_column(device->table, made.column)->name : "";
	/* What adds up frames counts nanoseconds, as every counter of time does. */
	if (found &&
	    import_clock_pace(job, device->table, made.column, made.factor) == IMPORT_INTERVALS) {
		import_remark(job,
			      "rows are not as long as their %.80s: each is an interval that "
			      "describes one frame in it",
			      name);
	} else if (found) {
		status = frames_table(device, catalog, &made, &table, err);
		if (!status)
			table_backing(table, job->backing);
		if (!status)
			status = frames_fill(device->table, &made, table, err);
		if (!status)
			import_remark(job, "each row is one frame, whose time column %.80s gives",
				      name);
		if (status) {
			sx_table_destroy(table);
		} else {
			sx_table_destroy(device->table);
			device->table = table;
		}
	}
	sx_catalog_unref(catalog);
	return status;
}
