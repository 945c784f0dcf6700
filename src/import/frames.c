/* See frames.h. */
#include "import/frames.h"

#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "catalog/units.h"
#include "import/clock.h"
#include "table/fill.h"

#define FRAMES_AT_ONCE 1024

/* The columns that are made. */
struct frames_made {
	uint32_t column;    /* of the table: the metric, which becomes `times` */
	uint32_t times, of; /* counters: the time of frames, and their number */
	double factor;	    /* from the column's unit to that of `times` */
};

/* The counter that adds up what a metric tells of one frame, or SX_NONE. */
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
		import_tell(job,
			    "rows are not as long as their %.80s: each is an interval, and "
			    "tells of one frame in it",
			    name);
	} else if (found) {
		status = frames_table(device, catalog, &made, &table, err);
		if (!status)
			table_spill(table, job->spill);
		if (!status)
			status = frames_fill(device->table, &made, table, err);
		if (!status)
			import_tell(job, "each row is one frame, whose time column %.80s gives",
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
