/* Sets values and labels of growing rows. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "import/rows/rows.h"

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
