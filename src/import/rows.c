/* Rows that grow by columns as they are met, and become a table at the end. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "import/internal.h"
#include "import/read/times.h"

#define COLUMNS_MAX 16384
#define CELLS_MAX   ((size_t)1 << 28)

enum tag { TAG_NONE, TAG_U64, TAG_F64 };

union value {
	uint64_t u;
	double f;
};

struct rows_column {
	struct import_field field; /* strings of the result's arena */
	union value *values;
	uint8_t *tags;
	size_t value_cap, tag_cap;
	struct units_step written; /* how a value was made of one in the field's unit */
	bool fraction, any;
	bool in_turns; /* no value: not measured, and the others stand for it */
};

/* One a row, up to the last that has one. */
struct row_labels {
	uint64_t *values;
	size_t cap;
};

struct import_rows {
	struct import_job *job;
	struct import_rows *next; /* of those that are not finished */
	struct import_device device;
	enum sx_sample_kind kind;
	struct strings names, texts;
	struct rows_column *columns;
	size_t column_cap;
	uint32_t column_count;
	struct row_labels labels[SX_LABEL_COUNT];
	uint8_t *quality;
	struct import_span *spans; /* one a row */
	size_t quality_cap, span_cap, row_count, cells;
	bool failed, too_many;
	bool whole_shares; /* no percentage is outside 0 to 100 */
};

static const char *keep(struct import_job *job, const char *text)
{
	return text ? import_text(job, text, strlen(text)) : NULL;
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
	rows->device = (struct import_device){.catalog = keep(job, options->catalog),
					      .source = job->format->kind,
					      .name = keep(job, options->name),
					      .driver = keep(job, options->driver),
					      .clock = keep(job, options->clock),
					      .interval_ns = options->interval_ns};
	return rows;
}

void import_rows_name(struct import_rows *rows, const char *name)
{
	if (rows && name && name[0])
		rows->device.name = keep(rows->job, name);
}

void import_rows_catalog(struct import_rows *rows, const char *catalog)
{
	if (rows)
		rows->device.catalog = keep(rows->job, catalog);
}

void import_rows_clock(struct import_rows *rows, const char *clock)
{
	if (rows)
		rows->device.clock = keep(rows->job, clock);
}

void import_rows_set(struct import_rows *rows, const char *set)
{
	if (rows && set)
		rows->device.set = keep(rows->job, set);
}

void import_rows_driver(struct import_rows *rows, const char *driver)
{
	if (rows && driver)
		rows->device.driver = keep(rows->job, driver);
}

void import_rows_simulated(struct import_rows *rows)
{
	if (rows)
		rows->device.simulated = true;
}

void import_rows_whole_shares(struct import_rows *rows)
{
	if (rows)
		rows->whole_shares = true;
}

bool import_rows_constant(struct import_rows *rows, const char *name, double value)
{
	if (!rows || rows->device.constant_count >= IMPORT_CONSTANTS_MAX)
		return false;
	rows->device.constants[rows->device.constant_count++] =
	    (struct sx_constant_value){keep(rows->job, name), value};
	return true;
}

uint32_t import_column(struct import_rows *rows, const struct import_field *field)
{
	bool added = false;
	if (!rows || !field->name)
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

size_t import_row(struct import_rows *rows, uint64_t begin_ns, uint64_t end_ns)
{
	if (!rows ||
	    !mem_grow(&rows->spans, &rows->span_cap, rows->row_count + 1, sizeof(*rows->spans))) {
		if (rows)
			rows->failed = true;
		return SIZE_MAX;
	}
	rows->spans[rows->row_count] = (struct import_span){begin_ns, end_ns};
	return rows->row_count++;
}

void import_row_time(struct import_rows *rows, size_t row, uint64_t begin_ns, uint64_t end_ns)
{
	if (!rows || row >= rows->row_count)
		return;
	rows->spans[row] = (struct import_span){begin_ns, end_ns};
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

/* The place of a value, or NULL; what lies before it in the column is no data. */
static union value *place(struct import_rows *rows, uint32_t column, size_t row, uint8_t **tag)
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
		if (!mem_grow(&c->values, &c->value_cap, row + 1, sizeof(*c->values)) ||
		    !mem_grow(&c->tags, &c->tag_cap, row + 1, 1)) {
			rows->failed = true;
			return NULL;
		}
		memset(c->tags + had, TAG_NONE, c->tag_cap - had);
		rows->cells += c->tag_cap - had;
	}
	*tag = &c->tags[row];
	return &c->values[row];
}

static void set_f64(struct import_rows *rows, uint32_t column, size_t row, double value)
{
	uint8_t *tag;
	union value *at = isfinite(value) ? place(rows, column, row, &tag) : NULL;
	if (!at)
		return;
	struct rows_column *c = &rows->columns[column];
	bool whole = value >= 0 && value <= 0x1p53 && value == floor(value);
	c->fraction |= !whole;
	c->any = true;
	*tag = whole ? TAG_U64 : TAG_F64;
	if (whole)
		at->u = (uint64_t)value;
	else
		at->f = value;
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
	set_f64(rows, column, row, rows_in_unit(&rows->columns[column], value));
}

void import_put(struct import_rows *rows, size_t row, struct import_field field, double value)
{
	import_set(rows, import_column(rows, &field), row, value);
}

static void rows_set_whole(struct import_rows *rows, uint32_t column, size_t row, uint64_t value)
{
	uint8_t *tag;
	union value *at = place(rows, column, row, &tag);
	if (!at)
		return;
	rows->columns[column].any = true;
	*tag = TAG_U64;
	at->u = value;
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
	union value *at = place(rows, column, row, &tag);
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
	struct row_labels *labels = &rows->labels[label];
	size_t had = labels->cap;
	if (!mem_grow(&labels->values, &labels->cap, row + 1, sizeof(*labels->values))) {
		rows->failed = true;
		return;
	}
	memset(labels->values + had, 0xff, (labels->cap - had) * sizeof(*labels->values));
	labels->values[row] = value;
}

void import_row_quality(struct import_rows *rows, size_t row, uint8_t quality)
{
	if (!rows || row >= rows->row_count || !quality)
		return;
	size_t had = rows->quality_cap;
	if (!mem_grow(&rows->quality, &rows->quality_cap, row + 1, 1)) {
		rows->failed = true;
		return;
	}
	memset(rows->quality + had, 0, rows->quality_cap - had);
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

static void forget_values(struct rows_column *c)
{
	free(c->values);
	free(c->tags);
	c->values = NULL;
	c->tags = NULL;
	c->value_cap = c->tag_cap = 0;
}

static void fill_column(struct sx_table *table, uint32_t index, const struct rows_column *c,
			const struct import_rows *rows)
{
	for (size_t i = 0; i < rows->row_count; i++) {
		enum tag tag = i < c->tag_cap ? (enum tag)c->tags[i] : TAG_NONE;
		uint8_t own = i < rows->quality_cap ? rows->quality[i] : 0;
		uint8_t quality = tag == TAG_NONE ? SX_QUALITY_SKIPPED : own;
		if (tag == TAG_NONE && !c->in_turns)
			continue;
		if (!c->fraction)
			sx_table_set_u64(table, index, i, tag == TAG_NONE ? 0 : c->values[i].u,
					 quality);
		else
			sx_table_set_f64(table, index, i,
					 tag == TAG_NONE  ? (double)NAN
					 : tag == TAG_U64 ? (double)c->values[i].u
							  : c->values[i].f,
					 quality);
	}
}

static enum sx_status fill_row(struct import_rows *rows, size_t i, struct sx_table *table)
{
	sx_table_set_time(table, i, rows->spans[i].begin_ns, rows->spans[i].end_ns);
	for (int l = 0; l < SX_LABEL_COUNT; l++) {
		uint64_t value =
		    i < rows->labels[l].cap ? rows->labels[l].values[i] : SX_LABEL_ABSENT;
		if (value == SX_LABEL_ABSENT)
			continue;
		if (SX_LABELS_OF_TEXT >> l & 1) {
			const char *text = strings_get(&rows->texts, value);
			value = sx_table_intern(table, text, strlen(text));
			if (value == SX_NONE)
				return SX_ERR_NO_MEMORY;
		}
		if (sx_table_set_label(table, (enum sx_label)l, i, value))
			return SX_ERR_NO_MEMORY;
	}
	return SX_OK;
}

/* A column without a single value was not measured: as if it were not there. */
static void drop_empty(struct import_rows *rows)
{
	uint32_t kept = 0, empty = 0;
	const char *first = NULL;
	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct rows_column *c = &rows->columns[i];
		if (c->any) {
			rows->columns[kept++] = *c;
			continue;
		}
		first = empty++ ? first : c->field.name;
		forget_values(c);
	}
	rows->column_count = kept;
	if (empty)
		import_tell(rows->job, "%u column%s no value: %.80s%s", empty,
			    empty == 1 ? " has" : "s have", first,
			    empty == 1 ? "" : " is the first");
}

/*
 * Percentages that cannot be become no data. A little above 100 is what comes of a tool's clock
 * against the GPU's: dropping it would lower the mean of a GPU at its limit, so it is 100.
 */
static void mend_shares(struct import_rows *rows, struct rows_column *c)
{
	size_t outside = 0, kept = 0;
	for (size_t i = 0; i < rows->row_count && i < c->tag_cap; i++) {
		double value = c->tags[i] == TAG_F64 ? c->values[i].f : (double)c->values[i].u;
		if (c->tags[i] == TAG_NONE)
			continue;
		if (value > 100 && value <= 101) {
			c->values[i].u = 100;
			c->tags[i] = TAG_U64;
		} else if (value < 0 || value > 100) {
			c->tags[i] = TAG_NONE;
			outside++;
			continue;
		}
		kept++;
	}
	c->any = kept > 0;
	if (outside)
		import_tell(rows->job, "%zu values of %.80s are no data: no share is %s", outside,
			    c->field.name, "below 0 or above 100 %");
}

/* The counter that a column holds, by its own name or as a metric that is nothing but it. */
static const struct sx_counter_info *rows_counter_of(const struct sx_catalog *known,
						     const struct column_meaning *meaning)
{
	uint32_t count, at = meaning->counter.counter;
	if (at == SX_NONE && meaning->metric != SX_NONE) {
		const char *const *exprs = sx_catalog_metrics(known, &count)[meaning->metric].exprs;
		if (exprs && exprs[0])
			at = sx_catalog_find_counter(known, exprs[0], SX_NONE, NULL);
	}
	return at == SX_NONE ? NULL : &sx_catalog_counters(known, &count)[at];
}

/* Whether a column holds percentages; one without a unit, where the catalog says so. */
static bool is_share(const struct sx_catalog *known, const struct column_meaning *meaning,
		     const char *unit)
{
	uint32_t count;
	return strcmp(unit, "percent") == 0 ||
	       (strcmp(unit, "count") == 0 && meaning->metric != SX_NONE &&
		strcmp(sx_catalog_metrics(known, &count)[meaning->metric].unit, "percent") == 0);
}

/*
 * How samples combine is what the catalog says of a counter that it knows: levels do not add up.
 * Nor is a mean of whole numbers whole: what has a fraction there has one here.
 */
static void ask_catalog(struct import_rows *rows)
{
	struct sx_catalog *known = NULL;
	if (rows->device.catalog)
		(void)sx_catalog_open(rows->job->request->context, rows->device.catalog, &known,
				      NULL);
	for (uint32_t i = 0; i < rows->column_count; i++) {
		struct import_field *field = &rows->columns[i].field;
		struct column_meaning meaning = {{SX_NONE, SX_NONE}, SX_NONE, SX_NONE};
		if (known)
			meaning = column_meaning(known, field->name, SX_NONE);
		if (rows->whole_shares && is_share(known, &meaning, field->unit))
			mend_shares(rows, &rows->columns[i]);
		const struct sx_counter_info *info =
		    known ? rows_counter_of(known, &meaning) : NULL;
		if (!info)
			continue;
		field->over_time = info->over_time;
		rows->columns[i].fraction |= info->type == SX_F64;
	}
	sx_catalog_unref(known);
}

static enum sx_status make_table(struct import_rows *rows, struct sx_table **out,
				 struct sx_error *err)
{
	struct sx_column *columns = calloc((size_t)rows->column_count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "importing");
	ask_catalog(rows);
	drop_empty(rows);
	for (uint32_t i = 0; i < rows->column_count; i++)
		columns[i] = (struct sx_column){.name = rows->columns[i].field.name,
						.unit = rows->columns[i].field.unit,
						.type = rows->columns[i].fraction ? SX_F64 : SX_U64,
						.over_time = rows->columns[i].field.over_time};
	enum sx_status status = sx_table_create(columns, rows->column_count, rows->kind, out, err);
	free(columns);
	if (!status)
		status = sx_table_add_rows(*out, rows->row_count, NULL, err);
	for (uint32_t i = 0; !status && i < rows->column_count; i++) {
		fill_column(*out, i, &rows->columns[i], rows);
		forget_values(&rows->columns[i]); /* one column is there twice, not all */
	}
	for (size_t i = 0; !status && i < rows->row_count; i++)
		if (fill_row(rows, i, *out))
			status = error_nomem(err, "importing");
	return status;
}

/* Samples of frames and of time come one after another; dispatches and passes may overlap. */
static enum import_order order_of(const struct import_rows *rows)
{
	if (rows->kind != SX_SAMPLE_TIME && rows->kind != SX_SAMPLE_FRAME)
		return IMPORT_UNORDERED;
	return rows->device.clock ? IMPORT_CLOCK : IMPORT_FORWARD;
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
				      : "the tool wrote its head, and no value behind it",
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
	for (uint32_t i = 0; i < rows->column_count; i++)
		forget_values(&rows->columns[i]);
	free(rows->columns);
	for (int l = 0; l < SX_LABEL_COUNT; l++)
		free(rows->labels[l].values);
	free(rows->quality);
	free(rows->spans);
	strings_finish(&rows->names);
	strings_finish(&rows->texts);
	free(rows);
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
		/* Telemetry is looked at all the time, and mostly means; other samples stand alone.
		 */
		if (rows->device.catalog && strcmp(rows->device.catalog, "monitor") == 0)
			import_times_fill(rows->job, rows->spans, rows->row_count);
		struct sx_table *table = NULL;
		enum sx_status made = make_table(rows, &table, err);
		if (made) {
			sx_table_destroy(table);
			judged = made;
		} else {
			rows->device.table = table;
			import->devices[import->device_count++] = rows->device;
		}
	}
	rows_release(rows);
	return judged;
}

enum sx_status import_finish(struct import_job *job, enum sx_status status, const char *because,
			     const char *nothing, struct sx_error *err)
{
	if (job->no_memory && !sx_failed(status))
		status = error_nomem(err, "importing");
	if (!job->open && !sx_failed(status))
		status = import_bad(job, 0, err, because, nothing);
	while (job->open) {
		enum sx_status ended = import_rows_finish(job->open, status, err);
		status = import_worse(status, ended);
	}
	return status;
}
