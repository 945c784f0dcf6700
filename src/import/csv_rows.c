/* Lines of CSV: the header's columns, and a line's cells into a row. */
#include "import/csv_rows.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

static const struct {
	const char *name;
	enum csv_role role;
} roles[] = {
    {"duration_ns", CSV_DURATION}, {"timestamp_ns", CSV_BEGIN}, {"begin_ns", CSV_BEGIN},
    {"end_ns", CSV_END},	   {"frame", CSV_FRAME},	{"context", CSV_CONTEXT},
    {"instance", CSV_INSTANCE},
};

static enum sx_status add_column(struct csv_reader *r, const struct csv_cell *cell)
{
	bool added;
	uint32_t at = strings_intern(&r->names, cell->text, cell->size, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&r->columns, &r->column_cap, (size_t)at + 1, sizeof(*r->columns)))
		return error_nomem(r->err, "reading CSV");
	const char *name = strings_get(&r->names, at);
	if (!added)
		return csv_bad(&r->c, r->err, "a column's name says what its cells are",
			       "two columns are called %s", name);
	struct csv_column *column = &r->columns[r->count++];
	*column = (struct csv_column){.target = SX_NONE, .type = SX_U64};
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, name) == 0)
			column->role = roles[i].role;
	if (column->role == CSV_VALUE)
		column->target = r->value_count++;
	return SX_OK;
}

enum sx_status csv_header(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	if (!csv_next_line(&r->c))
		return csv_bad(&r->c, r->err, "there is no header line", "the file is empty");
	do {
		enum sx_status status = csv_read_cell(&r->c, &cell, r->err);
		if (status)
			return status;
		if (cell.size == 0)
			return csv_bad(&r->c, r->err, "every column needs a counter's name",
				       "a column has no name");
		if (r->count >= CSV_COLUMNS_MAX)
			return csv_bad(&r->c, r->err, "the limit is 65536", "too many columns");
		status = add_column(r, &cell);
		if (status)
			return status;
	} while (!cell.last);
	r->c.line++;
	return SX_OK;
}

enum sx_status csv_changed(struct csv_reader *r)
{
	error_set(r->err, SX_ERR_BAD_INPUT, "%s:%zu: the file changed while it was read",
		  r->c.origin, r->c.line);
	error_because(r->err, "it is read twice: for the types of its columns, then for values");
	error_try(r->err, "again, once nothing writes to it, or a copy of it");
	return SX_ERR_BAD_INPUT;
}

/* A time or label: a whole number, however it was printed. */
static bool as_whole(bool whole, uint64_t *u, double f)
{
	if (!whole && f >= 0 && f < 0x1p63)
		*u = (uint64_t)(f + 0.5);
	return whole || (f >= 0 && f < 0x1p63);
}

static enum sx_status take_special(struct csv_reader *r, const struct csv_column *column,
				   uint64_t value)
{
	static const enum sx_label labels[] = {[CSV_FRAME] = SX_LABEL_FRAME,
					       [CSV_CONTEXT] = SX_LABEL_CONTEXT,
					       [CSV_INSTANCE] = SX_LABEL_INSTANCE};
	if (column->role < CSV_FRAME) {
		r->times[column->role] = value;
		return SX_OK;
	}
	if (r->table && sx_table_set_label(r->table, labels[column->role], r->row, value))
		return error_nomem(r->err, "reading CSV");
	return SX_OK;
}

static void store(struct csv_reader *r, const struct csv_column *column, uint64_t u, double f)
{
	if (column->data.any && column->type == SX_U64)
		column->data.u64[r->row] = u;
	else if (column->data.any)
		column->data.f64[r->row] = f;
	else if (column->type == SX_U64)
		sx_table_set_u64(r->table, column->target, r->row, u, 0);
	else
		sx_table_set_f64(r->table, column->target, r->row, f, 0);
}

/* A cell that the quick way did not take. */
static enum sx_status take_cell(struct csv_reader *r, struct csv_column *column,
				const struct csv_cell *cell)
{
	bool whole;
	uint64_t u = 0;
	double f;
	if (csv_no_data(cell))
		return SX_OK;
	if (!csv_number(cell, &whole, &u, &f))
		return csv_bad(&r->c, r->err, "values are plain numbers; no data is an empty cell",
			       "column %u: \"%.*s\" is not a number",
			       (uint32_t)(column - r->columns) + 1, (int)cell->size, cell->text);
	if (column->role != CSV_VALUE) {
		if (as_whole(whole, &u, f))
			return take_special(r, column, u);
		return csv_bad(&r->c, r->err, "times and labels are counted from 0",
			       "column %u: \"%.*s\" is no time or label",
			       (uint32_t)(column - r->columns) + 1, (int)cell->size, cell->text);
	}
	column->values++;
	if (!whole && !r->table)
		column->type = SX_F64;
	if (!whole && column->type == SX_U64)
		return csv_changed(r);
	if (r->table)
		store(r, column, u, f);
	r->filled += column->data.any != NULL;
	return SX_OK;
}

static enum sx_status end_row(struct csv_reader *r)
{
	uint64_t begin = r->times[CSV_BEGIN], end = r->times[CSV_END],
		 length = r->times[CSV_DURATION];
	bool no_begin = begin == SX_TIME_UNKNOWN, no_end = end == SX_TIME_UNKNOWN;
	if (length != SX_TIME_UNKNOWN && no_end) {
		begin = no_begin ? 0 : begin;
		if (__builtin_add_overflow(begin, length, &end))
			return csv_bad(&r->c, r->err, "times have 64 bits",
				       "a row ends after the end of time");
	} else if (length != SX_TIME_UNKNOWN && no_begin) {
		begin = end > length ? end - length : 0;
	}
	if (r->filled != r->direct) /* a value is gone that was there when types were learned */
		return csv_changed(r);
	if (r->table)
		sx_table_set_time(r->table, r->row, begin, end);
	r->filled = 0;
	memset(r->times, 0xff, sizeof(r->times));
	return SX_OK;
}

enum sx_status csv_row(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	for (uint32_t i = 0; !cell.last; i++) {
		uint64_t u;
		enum sx_status status = SX_OK;
		struct csv_column *column = &r->columns[i];
		if (i >= r->count)
			return csv_bad(&r->c, r->err, "each cell needs a column name",
				       "a line has more cells than the header");
		if (csv_quick_number(&r->c, &u, &cell.last)) {
			if (column->role != CSV_VALUE)
				status = take_special(r, column, u);
			else if (r->table)
				store(r, column, u, (double)u);
			column->values++;
			r->filled += column->data.any != NULL;
		} else {
			status = csv_read_cell(&r->c, &cell, r->err);
			if (!status)
				status = take_cell(r, column, &cell);
		}
		if (status)
			return status;
	}
	return end_row(r);
}
