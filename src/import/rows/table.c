/* Makes a table of the rows; the catalog says what columns mean. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "import/internal.h"
#include "import/rows/rows.h"
#include "table/fill.h"
#include "table/slices.h"

/* Bytes of a row, about: of each column that is read, and of what precedes them. */
#define ROWS_CELL_BYTES (sizeof(union rows_value) + 1 + sizeof(struct import_span))
#define ROWS_HEAD_BYTES (4 * sizeof(struct import_span))

void rows_forget_values(struct import_rows *rows, struct rows_column *c)
{
	backing_free(rows->job->backing, c->values);
	backing_free(rows->job->backing, c->tags);
	c->values = NULL;
	c->tags = NULL;
	c->value_cap = c->tag_cap = 0;
}

/* What a table has of a row's value, and its quality: NaN or 0 where there is no data. */
static uint8_t resolve_value(const struct rows_column *c, enum rows_tag tag, uint8_t own,
			     union rows_value *value)
{
	bool skipped = c->in_turns || own & IMPORT_SKIPPED;
	uint8_t quality = own & (uint8_t)~IMPORT_SKIPPED;
	if (tag == TAG_NONE)
		quality = skipped ? SX_QUALITY_SKIPPED : SX_QUALITY_NOT_COLLECTED;
	else if (c->fraction && tag == TAG_U64)
		value->f = (double)value->u;
	else if (!c->fraction && tag == TAG_F64)
		value->u = (uint64_t)value->f;
	if (quality & SX_QUALITY_NO_DATA_MASK)
		*value =
		    c->fraction ? (union rows_value){.f = (double)NAN} : (union rows_value){.u = 0};
	return sx_quality_reduced(quality);
}

/* A column as a table has it, in place; *any: some row says something. False: memory is out. */
static bool resolve_column(struct import_rows *rows, struct rows_column *c, bool *any)
{
	struct backing *backing = rows->job->backing;
	size_t had = c->tag_cap;
	if (!backing_grow(backing, &c->values, &c->value_cap, rows->row_count,
			  sizeof(*c->values)) ||
	    !backing_grow(backing, &c->tags, &c->tag_cap, rows->row_count, 1))
		return false;
	for (size_t i = 0; i < rows->row_count; i++) {
		enum rows_tag tag = i < had ? (enum rows_tag)c->tags[i] : TAG_NONE;
		uint8_t own = i < rows->quality_cap ? rows->quality[i] : 0;
		union rows_value value = c->values[i];
		backing_row(backing, i, sizeof(value) + 1);
		c->tags[i] = resolve_value(c, tag, own, &value);
		if (tag == TAG_NONE || value.u != c->values[i].u) /* pages keep what they hold */
			c->values[i] = value;
		*any |= tag != TAG_NONE || c->tags[i] != SX_QUALITY_NOT_COLLECTED;
	}
	return true;
}

/* The table takes a column over, which has no values from then on. */
static enum sx_status fill_column(struct sx_table *table, uint32_t index, struct import_rows *rows)
{
	struct rows_column *c = &rows->columns[index];
	bool any = false;
	if (!resolve_column(rows, c, &any))
		return SX_ERR_NO_MEMORY;
	struct table_arrays arrays = {c->values, c->tags, c->value_cap, c->tag_cap};
	enum sx_status status = any ? table_adopt(table, index, &arrays) : SX_OK;
	c->values = arrays.data;
	c->tags = arrays.quality;
	rows_forget_values(rows, c);
	return status;
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
		if (c->any || c->cannot_be) {
			rows->columns[kept++] = *c;
			continue;
		}
		first = empty++ ? first : c->field.name;
		rows_forget_values(rows, c);
	}
	rows->column_count = kept;
	if (empty)
		import_remark(rows->job, "%s no value: %.80s%s", COUNTED(empty, "column has"),
			      first, empty == 1 ? "" : " is the first");
}

/* Whether a value is kept; a share a little above 100 percent is 100. */
static bool keep_value(const struct import_rows *rows, struct rows_column *c, size_t row,
		       const struct csv_range *range)
{
	const struct import_span *span = &rows->spans[row];
	bool known = span->begin_ns != SX_TIME_UNKNOWN && span->end_ns != SX_TIME_UNKNOWN;
	double value = c->tags[row] == TAG_F64 ? c->values[row].f : (double)c->values[row].u;
	if (c->tags[row] == TAG_U64 && value >= 0x1p64) /* the last ones are rounded up */
		value = 0x1p63;
	if (!csv_can_be(range, value, c->field.unit, known ? span->end_ns - span->begin_ns : 0))
		return false;
	if (rows->whole_shares && range->share && value > 100) {
		c->values[row].u = 100;
		c->tags[row] = TAG_U64;
	}
	return true;
}

/*
 * Values that cannot be become no data. A little above 100 percent is what comes of a tool's clock
 * against the GPU's: dropping it would lower the mean of a GPU at its limit.
 */
static void mend_values(struct import_rows *rows, struct rows_column *c,
			const struct csv_range *range)
{
	size_t kept = 0, first = SIZE_MAX, outside = 0;
	for (size_t i = 0; i < rows->row_count && i < c->tag_cap; i++) {
		backing_row(rows->job->backing, i, ROWS_CELL_BYTES);
		if (c->tags[i] == TAG_NONE)
			continue;
		bool keep = keep_value(rows, c, i, range);
		if (!keep) {
			c->tags[i] = TAG_NONE;
			first = outside++ ? first : i;
		}
		kept += keep;
	}
	c->any = kept > 0;
	c->cannot_be = outside > 0;
	if (outside)
		import_remark(
		    rows->job,
		    "%s of %.80s cannot be (below 0 or beyond 1e200, a share above 100 %%, "
		    "or more than its time allows), the first in %s %zu: no data",
		    COUNTED(outside, "value"), c->field.name,
		    first < rows->place_cap && rows->places[first] ? rows->job->place : "sample",
		    first < rows->place_cap && rows->places[first] ? rows->places[first]
								   : first + 1);
}

/* The counter that a column holds, by its own name or as a metric that is it alone. */
static const struct sx_counter_info *rows_counter_of(const struct sx_catalog *known,
						     const struct column_meaning *meaning)
{
	uint32_t count, at = meaning->counter.counter;
	if (at == SX_NONE && meaning->metric != SX_NONE) {
		struct alias alias;
		alias_find(known, meaning->metric, 0, &alias);
		at = alias.of_time ? SX_NONE : alias.counter;
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

/* Whether a column has whole numbers that would lose digits. */
static bool goes_beyond(const struct import_rows *rows, const struct rows_column *c)
{
	for (size_t i = 0; i < rows->row_count && i < c->tag_cap; i++) {
		backing_row(rows->job->backing, i, ROWS_CELL_BYTES);
		if (c->tags[i] == TAG_U64 && c->values[i].u > (uint64_t)1 << 53)
			return true;
	}
	return false;
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
		struct csv_range range = {.is = false};
		if (known && rows_are_judged(rows))
			range = import_range(known, field->name);
		const struct sx_counter_info *info =
		    known ? rows_counter_of(known, &meaning) : NULL;
		if (rows->whole_shares && is_share(known, &meaning, field->unit))
			range =
			    (struct csv_range){.is = true, .share = true, .most = CSV_SHARE_MAX};
		else if (!range.is && info && info->type == SX_U64)
			range =
			    (struct csv_range){.is = true, .whole = true, .most = CSV_AMOUNT_MAX};
		if (range.is)
			mend_values(rows, &rows->columns[i], &range);
		if (info)
			field->over_time = info->over_time;
		rows->columns[i].fraction |=
		    field->over_time == SX_REDUCE_MEAN && !goes_beyond(rows, &rows->columns[i]);
		rows->columns[i].fraction |= info && info->type == SX_F64;
	}
	sx_catalog_unref(known);
}

enum sx_status rows_make_table(struct import_rows *rows, struct sx_table **out,
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
						.why = rows->columns[i].any ? NULL : CSV_CANNOT_BE,
						.over_time = rows->columns[i].field.over_time};
	enum sx_status status = sx_table_create(columns, rows->column_count, rows->kind, out, err);
	free(columns);
	if (!status) {
		table_backing(*out, rows->job->backing);
		status = sx_table_add_rows(*out, rows->row_count, NULL, err);
	}
	for (uint32_t i = 0; !status && i < rows->column_count; i++) {
		if (fill_column(*out, i, rows))
			status = error_nomem(err, "importing");
	}
	for (size_t i = 0; !status && i < rows->row_count; i++) {
		backing_row(rows->job->backing, i, ROWS_HEAD_BYTES);
		if (fill_row(rows, i, *out))
			status = error_nomem(err, "importing");
	}
	if (!status)
		import_note_unweighed(rows->job, *out);
	return status;
}
