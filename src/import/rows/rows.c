/*
 * Rows that grow by columns as they are found: their device, their columns and times, and the
 * finished table.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/internal.h"
#include "import/rows/rows.h"

#define COLUMNS_MAX 16384

static const char *keep(struct import_job *job, const char *text)
{
	return text ? import_text(job, text, strlen(text)) : NULL;
}

void import_rows_describe(struct import_rows *rows, const struct import_rows_options *options)
{
	if (!rows)
		return;
	struct sx_device_facts *facts = &rows->device.facts;
	const struct {
		const char **to, *text;
	} texts[] = {{&rows->device.catalog, options->catalog},
		     {&facts->name, options->name && *options->name ? options->name : NULL},
		     {&facts->driver, options->driver},
		     {&facts->clock, options->clock},
		     {&facts->set, options->set}};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text)
			*texts[i].to = keep(rows->job, texts[i].text);
	if (options->numbered)
		facts->number = options->number;
	facts->simulated |= options->simulated;
	rows->any_order |= options->any_order;
	rows->whole_shares |= options->whole_shares;
}

struct import_rows *import_rows_create(struct import_job *job,
				       const struct import_rows_options *options)
{
	struct import_rows *rows = calloc(1, sizeof(*rows));
	job->no_memory |= !rows;
	if (!rows)
		return NULL;
	struct import_rows **last = &job->open;
	while (*last)
		last = &(*last)->next;
	*last = rows;
	rows->job = job;
	rows->kind = options->kind;
	rows->device = (struct import_device){.facts.source = job->format->kind,
					      .facts.number = SX_NONE,
					      .interval_ns = options->interval_ns};
	const struct import_part *part = job->part;
	if (part)
		import_rows_describe(rows, &(struct import_rows_options){.name = part->name});
	import_rows_describe(rows, options);
	if (part && part->number != SX_NONE)
		rows->device.facts.number = part->number;
	return rows;
}

void import_rows_label_name(struct import_rows *rows, enum sx_label label, const char *name)
{
	if (rows)
		rows->device.labels[label] = name;
}

bool import_rows_constant(struct import_rows *rows, const char *name, double value)
{
	if (!rows || rows->device.facts.constant_count >= IMPORT_CONSTANTS_MAX)
		return false;
	rows->device.constants[rows->device.facts.constant_count++] =
	    (struct sx_constant_value){keep(rows->job, name), value};
	return true;
}

uint32_t import_column(struct import_rows *rows, const struct import_field *field)
{
	bool added = false;
	/* Behind a name that found no memory for its column, others would leave a hole. */
	if (!rows || !field->name || rows->failed)
		return SX_NONE;
	if (rows->column_count >= COLUMNS_MAX &&
	    strings_find(&rows->names, field->name, strlen(field->name)) == UINT32_MAX) {
		rows->too_many = true;
		return SX_NONE;
	}
	uint32_t at = strings_intern(&rows->names, field->name, strlen(field->name), &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&rows->columns, &rows->column_cap, (size_t)at + 1, sizeof(*rows->columns))) {
		rows->failed = true;
		return SX_NONE;
	}
	if (added) {
		rows->columns[at] = (struct rows_column){.field = *field};
		rows->columns[at].field.name = strings_get(&rows->names, at);
		rows->columns[at].written = units_step(field->factor != 0 ? 1 / field->factor : 1);
		rows->columns[at].field.unit = keep(rows->job, field->unit ? field->unit : "count");
		rows->column_count = at + 1;
	}
	return at;
}

void import_column_in_turns(struct import_rows *rows, const char *name)
{
	uint64_t at = rows ? strings_find(&rows->names, name, strlen(name)) : UINT32_MAX;
	if (rows && at < rows->column_count)
		rows->columns[at].in_turns = true;
}

/* What a row takes, about. */
static size_t rows_bytes(const struct import_rows *rows)
{
	return sizeof(struct import_span) + rows->column_count * (sizeof(union rows_value) + 1);
}

size_t import_row(struct import_rows *rows, uint64_t begin_ns, uint64_t end_ns)
{
	if (!rows || !backing_grow(rows->job->backing, &rows->spans, &rows->span_cap,
				   rows->row_count + 1, sizeof(*rows->spans))) {
		if (rows)
			rows->failed = true;
		return SIZE_MAX;
	}
	backing_row(rows->job->backing, rows->row_count, rows_bytes(rows));
	rows->spans[rows->row_count] = (struct import_span){begin_ns, end_ns};
	return rows->row_count++;
}

void import_row_time(struct import_rows *rows, size_t row, uint64_t begin_ns, uint64_t end_ns)
{
	if (!rows || row >= rows->row_count)
		return;
	rows->spans[row] = (struct import_span){begin_ns, end_ns};
}

void import_row_place(struct import_rows *rows, size_t row, size_t place)
{
	size_t had = rows ? rows->place_cap : 0;
	if (!rows || row >= rows->row_count)
		return;
	if (!backing_grow(rows->job->backing, &rows->places, &rows->place_cap, row + 1,
			  sizeof(*rows->places))) {
		rows->failed = true;
		return;
	}
	backing_fill(rows->job->backing, rows->places + had, 0,
		     (rows->place_cap - had) * sizeof(*rows->places));
	rows->places[row] = place;
}

void import_rows_kind(struct import_rows *rows, enum sx_sample_kind kind)
{
	if (rows)
		rows->kind = kind;
}

size_t import_row_count(const struct import_rows *rows)
{
	return rows ? rows->row_count : 0;
}

/* Samples of frames and of time come one after another; dispatches and passes may overlap. */
static enum import_order order_of(const struct import_rows *rows)
{
	if (rows->any_order || (rows->kind != SX_SAMPLE_TIME && rows->kind != SX_SAMPLE_FRAME))
		return IMPORT_UNORDERED;
	return rows->device.facts.clock ? IMPORT_CLOCK : IMPORT_FORWARD;
}

/* Telemetry is looked at all the time, and mostly means; other samples are apart. */
static bool is_looked_at_always(const struct import_rows *rows)
{
	return rows->device.catalog && strcmp(rows->device.catalog, "monitor") == 0;
}

static bool holds_a_value(const struct import_rows *rows)
{
	for (uint32_t i = 0; i < rows->column_count; i++)
		if (rows->columns[i].any)
			return true;
	return false;
}

static enum sx_status judge(struct import_rows *rows, enum sx_status status, struct sx_error *err)
{
	const struct import_job *job = rows->job;
	if (rows->failed)
		return error_nomem(err, "importing");
	if (rows->too_many) {
		error_set(err, SX_ERR_LIMIT, "%s has too many values", job->request->path);
		error_because(err, "the limits are 16384 columns and 2^28 values");
		error_try(err, "a part of it");
		return SX_ERR_LIMIT;
	}
	if (status && status != SX_INCOMPLETE)
		return status;
	if (!rows->row_count || !holds_a_value(rows))
		return import_bad(job, 0, err,
				  job->result->note_count
				      ? job->result->notes[0]
				      : "the tool wrote its head, and no value after it",
				  "no sample with a value is in it");
	if (job->result->device_count >= IMPORT_DEVICES_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d devices", job->request->path,
			  IMPORT_DEVICES_MAX);
		return SX_ERR_LIMIT;
	}
	return status;
}

static void rows_release(struct import_rows *rows)
{
	struct import_rows **at = &rows->job->open;
	while (*at != rows)
		at = &(*at)->next;
	*at = rows->next;
	struct backing *backing = rows->job->backing;
	for (uint32_t i = 0; i < rows->column_count; i++)
		rows_forget_values(rows, &rows->columns[i]);
	free(rows->columns);
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		backing_free(backing, rows->labels[l].values);
	backing_free(backing, rows->quality);
	backing_free(backing, rows->spans);
	backing_free(backing, rows->places);
	strings_finish(&rows->names);
	strings_finish(&rows->texts);
	free(rows);
}

/* Of a table that a person may have made. */
static enum sx_status rows_leave_repeated(struct import_job *job,
					  const struct import_device *device, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	if (!job->format->table || !device->catalog ||
	    sx_catalog_open(job->request->context, device->catalog, &catalog, NULL))
		return SX_OK;
	enum sx_status status = import_leave_repeated(job, device->table, catalog, err);
	sx_catalog_unref(catalog);
	return status;
}

enum sx_status import_worse(enum sx_status a, enum sx_status b)
{
	return b && (!a || a == SX_INCOMPLETE) ? b : a;
}

enum sx_status import_rows_finish(struct import_rows *rows, enum sx_status status,
				  struct sx_error *err)
{
	if (!rows)
		return status && status != SX_INCOMPLETE ? status : error_nomem(err, "importing");
	struct import *import = rows->job->result;
	enum sx_status judged = judge(rows, status, err);
	if (!judged || judged == SX_INCOMPLETE) {
		import_times_mend(rows->job, rows->spans, rows->row_count, order_of(rows));
		if (is_looked_at_always(rows))
			import_times_fill(rows->job, rows->spans, rows->row_count);
		struct sx_table *table = NULL;
		enum sx_status made = rows_make_table(rows, &table, err);
		rows->device.table = table;
		if (!made)
			made = rows_leave_repeated(rows->job, &rows->device, err);
		if (made) {
			sx_table_destroy(table);
			judged = made;
		} else {
			import->devices[import->device_count++] = rows->device;
		}
	}
	rows_release(rows);
	return judged;
}

enum sx_status import_finish(struct import_job *job, enum sx_status status, const char *because,
			     const char *nothing, struct sx_error *err)
{
	import_forget_text(job); /* which tables would otherwise lie beside */
	if (job->no_memory && !sx_failed(status))
		status = error_nomem(err, "importing");
	if (!job->open && !sx_failed(status))
		status = import_bad(job, 0, err, because, nothing);
	while (job->open) {
		enum sx_status ended = import_rows_finish(job->open, status, err);
		status = import_worse(status, ended);
	}
	if (job->no_memory && !sx_failed(status)) /* since the rows were read */
		status = error_nomem(err, "importing");
	return status;
}

#define CELLS_MAX ((size_t)1 << 28)
#define WHOLE_MAX ((uint64_t)1 << 53) /* the doubles up to here are exact */

/* The place of a value, or NULL; what lies before it in the column is no data. */
static union rows_value *place(struct import_rows *rows, uint32_t column, size_t row, uint8_t **tag)
{
	if (!rows || column >= rows->column_count || row >= rows->row_count)
		return NULL;
	struct rows_column *c = &rows->columns[column];
	size_t had = c->tag_cap;
	if (row >= had) {
		if (rows->cells > CELLS_MAX) {
			rows->too_many = true;
			return NULL;
		}
		struct backing *backing = rows->job->backing;
		if (!backing_grow(backing, &c->values, &c->value_cap, row + 1,
				  sizeof(*c->values)) ||
		    !backing_grow(backing, &c->tags, &c->tag_cap, row + 1, 1)) {
			rows->failed = true;
			return NULL;
		}
		backing_fill(backing, c->tags + had, TAG_NONE, c->tag_cap - had);
		rows->cells += c->tag_cap - had;
	}
	*tag = &c->tags[row];
	return &c->values[row];
}

/* Whether a column will be one of fractions, so that whole numbers of it are best kept as such. */
static bool values_use(const struct rows_column *c)
{
	return c->fraction || c->field.over_time == SX_REDUCE_MEAN;
}

static void set_f64(struct import_rows *rows, uint32_t column, size_t row, double value)
{
	uint8_t *tag;
	union rows_value *at = isfinite(value) ? place(rows, column, row, &tag) : NULL;
	if (!at)
		return;
	struct rows_column *c = &rows->columns[column];
	bool whole = value >= 0 && value <= (double)WHOLE_MAX && value == floor(value);
	c->fraction |= !whole;
	c->any = true;
	*tag = whole && !values_use(c) ? TAG_U64 : TAG_F64;
	if (*tag == TAG_U64)
		at->u = (uint64_t)value;
	else
		at->f = value + 0.0; /* no -0 */
}

/* A value as the file has it, in the unit of its column. */
static double rows_in_unit(const struct rows_column *column, double value)
{
	double factor = column->field.factor;
	return factor == 0 || factor == 1 ? value : units_unapply(column->written, value);
}

void import_set(struct import_rows *rows, uint32_t column, size_t row, double value)
{
	if (!rows || column >= rows->column_count)
		return;
	double own = rows_in_unit(&rows->columns[column], value);
	/* No amount at all; a note says so where the format's values are checked. */
	if (isfinite(value) && isinf(own) && rows_are_judged(rows))
		own = copysign(DBL_MAX, own);
	set_f64(rows, column, row, own);
}

void import_put(struct import_rows *rows, size_t row, struct import_field field, double value)
{
	import_set(rows, import_column(rows, &field), row, value);
}

static void rows_set_whole(struct import_rows *rows, uint32_t column, size_t row, uint64_t value)
{
	uint8_t *tag;
	union rows_value *at = place(rows, column, row, &tag);
	if (!at)
		return;
	struct rows_column *c = &rows->columns[column];
	c->any = true;
	*tag = value <= WHOLE_MAX && values_use(c) ? TAG_F64 : TAG_U64;
	if (*tag == TAG_U64)
		at->u = value;
	else
		at->f = (double)value;
}

bool import_set_exact(struct import_rows *rows, uint32_t column, size_t row,
		      struct import_cell text)
{
	uint64_t whole;
	if (!rows || column >= rows->column_count || !rows->columns[column].written.power ||
	    !number_decimal(text.text, text.size, rows->columns[column].written.power, &whole))
		return false;
	rows_set_whole(rows, column, row, whole);
	return true;
}

void import_set_u64(struct import_rows *rows, uint32_t column, size_t row, uint64_t value)
{
	if (!rows || column >= rows->column_count)
		return;
	double factor = rows->columns[column].field.factor;
	if (factor != 0 && factor != 1)
		set_f64(rows, column, row, rows_in_unit(&rows->columns[column], (double)value));
	else
		rows_set_whole(rows, column, row, value);
}

void import_add(struct import_rows *rows, uint32_t column, size_t row, double value)
{
	uint8_t *tag;
	if (!rows || column >= rows->column_count)
		return;
	double factor = rows->columns[column].field.factor;
	union rows_value *at = place(rows, column, row, &tag);
	if (!at)
		return;
	double before = *tag == TAG_U64 ? (double)at->u : *tag == TAG_F64 ? at->f : 0;
	set_f64(rows, column, row, before + (factor != 0 ? value * factor : value));
}

bool import_has(const struct import_rows *rows, uint32_t column, size_t row)
{
	return rows && column < rows->column_count && row < rows->columns[column].tag_cap &&
	       rows->columns[column].tags[row] != TAG_NONE;
}

bool import_adds_up(const struct import_rows *rows, uint32_t column)
{
	return rows && column < rows->column_count &&
	       rows->columns[column].field.over_time == SX_REDUCE_SUM;
}

void import_number_label(struct import_rows *rows, size_t row, enum sx_label label, uint64_t value)
{
	if (!rows || row >= rows->row_count)
		return;
	struct rows_labels *labels = &rows->labels[label];
	size_t had = labels->cap;
	struct backing *backing = rows->job->backing;
	if (!backing_grow(backing, &labels->values, &labels->cap, row + 1,
			  sizeof(*labels->values))) {
		rows->failed = true;
		return;
	}
	backing_fill(backing, labels->values + had, 0xff,
		     (labels->cap - had) * sizeof(*labels->values));
	labels->values[row] = value;
}

void import_row_quality(struct import_rows *rows, size_t row, uint8_t quality)
{
	if (!rows || row >= rows->row_count || !quality)
		return;
	size_t had = rows->quality_cap;
	if (!backing_grow(rows->job->backing, &rows->quality, &rows->quality_cap, row + 1, 1)) {
		rows->failed = true;
		return;
	}
	backing_fill(rows->job->backing, rows->quality + had, 0, rows->quality_cap - had);
	rows->quality[row] |= quality;
}

void import_label(struct import_rows *rows, size_t row, enum sx_label label, const char *text,
		  size_t size)
{
	if (!rows || row >= rows->row_count || !size)
		return;
	uint32_t index = strings_intern(&rows->texts, text, size, NULL);
	rows->failed |= index == UINT32_MAX;
	if (index != UINT32_MAX)
		import_number_label(rows, row, label, index);
}
