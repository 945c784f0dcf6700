/*
 * What the columns of a table mean in a catalog, by their names, and the columns that say what the
 * device is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "import/internal.h"
#include "table/fill.h"
#include "table/slices.h"

/* A column that only counts, or that nothing at all is known of. */
static bool columns_is_bare(const struct sx_column *column)
{
	return !column->unit[0] || strcmp(column->unit, "count") == 0;
}

bool import_columns_known(const struct sx_table *table, const struct sx_catalog *catalog)
{
	for (uint32_t i = 0; i < sx_table_column_count(table); i++) {
		const struct sx_column *column = sx_table_column(table, i);
		struct column_meaning meaning = column_meaning(catalog, column->name, SX_NONE);
		if (column_is_known(&meaning) || !columns_is_bare(column))
			return true;
	}
	return false;
}

bool import_is_of_sets(const struct sx_catalog *catalog, const char *name)
{
	return sx_catalog_find_metric(catalog, name, SX_NONE, NULL) != SX_NONE;
}

uint32_t import_unknown_column(const struct sx_table *table, const struct sx_catalog *catalog,
			       uint32_t from)
{
	for (uint32_t i = from; i < sx_table_column_count(table); i++) {
		const struct sx_column *column = sx_table_column(table, i);
		struct column_meaning meaning = column_meaning(catalog, column->name, SX_NONE);
		if (!column_is_known(&meaning) && !column_is_imbalance(catalog, column->name) &&
		    !import_is_of_sets(catalog, column->name) && columns_is_bare(column))
			return i;
	}
	return SX_NONE;
}

#define REPEATS_MAX 1024 /* columns that are compared with each other */

static bool columns_are_one(const struct column_meaning *a, const struct column_meaning *b)
{
	if (a->counter.counter != SX_NONE)
		return a->counter.counter == b->counter.counter &&
		       a->counter.instance == b->counter.instance;
	if (a->metric != SX_NONE)
		return a->metric == b->metric;
	return a->constant != SX_NONE && a->constant == b->constant;
}

static bool columns_have_data(const struct sx_table *table, uint32_t column)
{
	return sx_table_vector(table, column).data;
}

/* A column means what those before it mean: one of them is read, with data rather than without. */
static void columns_compare(const struct sx_table *table, const struct column_meaning *meanings,
			    uint32_t at, uint32_t *instead)
{
	for (uint32_t i = 0; i < at; i++) {
		if (instead[i] != SX_NONE || !columns_are_one(&meanings[i], &meanings[at]))
			continue;
		if (columns_have_data(table, i) || !columns_have_data(table, at)) {
			instead[at] = i;
			return;
		}
		for (uint32_t j = 0; j < at; j++)
			instead[j] = j == i || instead[j] == i ? at : instead[j];
		return;
	}
}

bool import_repeated_columns(const struct sx_table *table, const struct sx_catalog *catalog,
			     uint32_t *instead)
{
	struct column_meaning meanings[REPEATS_MAX];
	uint32_t count = sx_table_column_count(table);
	bool any = false;
	for (uint32_t i = 0; i < count; i++) {
		instead[i] = SX_NONE;
		if (i >= REPEATS_MAX)
			continue;
		meanings[i] = column_meaning(catalog, sx_table_column(table, i)->name, SX_NONE);
		columns_compare(table, meanings, i, instead);
	}
	for (uint32_t i = 0; i < count; i++)
		any |= instead[i] != SX_NONE;
	return any;
}

enum sx_status import_leave_repeated(struct import_job *job, struct sx_table *table,
				     const struct sx_catalog *catalog, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(table), left = 0, first = SX_NONE;
	uint32_t *instead = calloc((size_t)count + 1, sizeof(*instead));
	if (!instead)
		return error_nomem(err, "importing");
	enum sx_status status = SX_OK;
	if (import_repeated_columns(table, catalog, instead)) {
		for (uint32_t i = count; i-- > 0;) {
			first = instead[i] == SX_NONE ? first : i;
			left += instead[i] != SX_NONE;
		}
		import_remark(job, "column %.80s means the same as %.80s, which is read instead%s",
			      sx_table_column(table, first)->name,
			      sx_table_column(table, instead[first])->name,
			      left == 1 ? "" : "; so do further columns");
		status = table_leave_out(table, instead, err);
	}
	free(instead);
	return status;
}

/* Whether a metric is of several counters, so that its rows do not make its whole. */
static bool is_ratio(const struct sx_catalog *catalog, uint32_t metric)
{
	uint32_t count;
	struct alias alias;
	if (sx_catalog_metrics(catalog, &count)[metric].over_time != SX_REDUCE_RATIO)
		return false;
	if (import_is_same(catalog, sx_catalog_metrics(catalog, &count)[metric].name))
		return false; /* frame times by frames: they add up */
	if (alias_over_time(catalog, metric) == SX_REDUCE_SUM)
		return false;
	alias_find(catalog, metric, 0, &alias);
	return alias.counter == SX_NONE;
}

uint32_t import_given_ratios(const struct sx_table *table, const struct sx_catalog *catalog,
			     const char **first)
{
	uint32_t ratios = 0;
	for (uint32_t i = 0; i < sx_table_column_count(table); i++) {
		const struct sx_column *column = sx_table_column(table, i);
		uint32_t metric = column_meaning(catalog, column->name, SX_NONE).metric;
		if (metric == SX_NONE || !sx_table_vector(table, i).data ||
		    !is_ratio(catalog, metric))
			continue;
		*first = ratios++ ? *first : column->name;
	}
	return ratios;
}

/* How many rows a column was not measured in, which the others represent. */
static size_t count_skipped(const struct import_job *job, const struct sx_table *table,
			    uint32_t column)
{
	struct sx_vector vector = sx_table_vector(table, column);
	size_t rows = sx_table_row_count(table), skipped = 0;
	for (size_t i = 0; vector.data && vector.quality && i < rows; i++) {
		backing_row(job->backing, i, 1);
		skipped += sx_quality_is_skipped(vector.quality[i]);
	}
	return skipped;
}

void import_note_unweighed(struct import_job *job, const struct sx_table *table)
{
	size_t most = 0;
	if (sx_table_kind(table) != SX_SAMPLE_FRAME || slices_of(table).frames != SX_NONE)
		return;
	for (uint32_t i = 0; i < sx_table_column_count(table); i++) {
		size_t skipped = count_skipped(job, table, i);
		most = skipped > most ? skipped : most;
	}
	if (most)
		import_remark(job,
			      "%s not measured, and no counter says how much work was in them. "
			      "Totals and percentiles weigh rows equally and have no total_error. "
			      "sextant export --counters writes what the report of a capture "
			      "weighs by",
			      COUNTED(most, "row was"));
}

static bool is_given(const struct sx_catalog *catalog, const struct import_device *device,
		     uint32_t constant)
{
	for (uint32_t i = 0; i < device->facts.constant_count; i++)
		if (sx_catalog_find_constant(catalog, device->constants[i].name) == constant)
			return true;
	return false;
}

/* One that is the same in each row is the device's. */
static void take_constant(struct import_job *job, struct import_device *device, uint32_t column)
{
	const char *name = sx_table_column(device->table, column)->name;
	size_t rows = sx_table_row_count(device->table);
	double first = rows ? sx_table_get(device->table, column, 0) : 0;
	for (size_t i = 0; i < rows; i++) {
		backing_row(job->backing, i, sizeof(first) + 1);
		if (!(sx_table_get(device->table, column, i) == first))
			return;
	}
	char *copy = import_text(job, name, strlen(name));
	if (rows && copy && device->facts.constant_count < IMPORT_CONSTANTS_MAX)
		device->constants[device->facts.constant_count++] =
		    (struct sx_constant_value){copy, first};
}

void import_constants(struct import_job *job, struct import_device *device)
{
	struct sx_catalog *catalog = NULL;
	if (!device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return;
	for (uint32_t i = 0; i < sx_table_column_count(device->table); i++) {
		const char *name = sx_table_column(device->table, i)->name;
		uint32_t constant = column_meaning(catalog, name, SX_NONE).constant;
		if (constant != SX_NONE && !is_given(catalog, device, constant))
			take_constant(job, device, i);
	}
	sx_catalog_unref(catalog);
}
