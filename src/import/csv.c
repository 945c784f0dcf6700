/* CSV to a table: one pass to learn types and rows, one to fill. */
#include "import/csv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/strings.h"
#include "import/csv_cell.h"

/* More cells than this for each byte of text are lines that break off: no table is made of them. */
#define CELLS_PER_BYTE 8
#define CELLS_FREE     ((size_t)1 << 20)

enum role { VALUE, DURATION, BEGIN, END, FRAME, CONTEXT, INSTANCE };

static const struct {
	const char *name;
	enum role role;
} roles[] = {
    {"duration_ns", DURATION}, {"timestamp_ns", BEGIN}, {"begin_ns", BEGIN},	{"end_ns", END},
    {"frame", FRAME},	       {"context", CONTEXT},	{"instance", INSTANCE},
};

/* One column of the file. */
struct column {
	enum role role;
	uint32_t target; /* value column of the table, or SX_NONE */
	enum sx_type type;
	size_t values; /* cells that hold one */
	union {
		uint64_t *u64;
		double *f64;
		void *any;
	} data; /* of the table, where every row has a value; else NULL */
};

struct reader {
	struct csv_cursor c;
	struct strings names; /* of columns, in the file's order */
	struct column *columns;
	size_t column_cap;
	uint32_t count, value_count;
	size_t rows;
	struct sx_table *table;
	uint64_t times[END + 1]; /* of the row at hand, by role; SX_TIME_UNKNOWN */
	struct sx_error *err;
};

static enum sx_status add_column(struct reader *r, const struct csv_cell *cell)
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
	struct column *column = &r->columns[r->count++];
	*column = (struct column){.target = SX_NONE, .type = SX_U64};
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, name) == 0)
			column->role = roles[i].role;
	if (column->role == VALUE)
		column->target = r->value_count++;
	return SX_OK;
}

static enum sx_status read_header(struct reader *r)
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

/* A time or label: a whole number, however it was printed. */
static bool as_whole(bool whole, uint64_t *u, double f)
{
	if (!whole && f >= 0 && f < 0x1p63)
		*u = (uint64_t)(f + 0.5);
	return whole || (f >= 0 && f < 0x1p63);
}

static enum sx_status take_special(struct reader *r, const struct column *column, uint64_t value)
{
	static const enum sx_label labels[] = {
	    [FRAME] = SX_LABEL_FRAME, [CONTEXT] = SX_LABEL_CONTEXT, [INSTANCE] = SX_LABEL_INSTANCE};
	if (column->role < FRAME) {
		r->times[column->role] = value;
		return SX_OK;
	}
	return r->table ? sx_table_set_label(r->table, labels[column->role], r->rows, value)
			: SX_OK;
}

static void store(struct reader *r, const struct column *column, uint64_t u, double f)
{
	if (column->data.any && column->type == SX_U64)
		column->data.u64[r->rows] = u;
	else if (column->data.any)
		column->data.f64[r->rows] = f;
	else if (column->type == SX_U64)
		sx_table_set_u64(r->table, column->target, r->rows, u, 0);
	else
		sx_table_set_f64(r->table, column->target, r->rows, f, 0);
}

/* A cell that the quick way did not take. */
static enum sx_status take_cell(struct reader *r, struct column *column,
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
	if (column->role != VALUE) {
		if (as_whole(whole, &u, f))
			return take_special(r, column, u);
		return csv_bad(&r->c, r->err, "times and labels are counted from 0",
			       "column %u: \"%.*s\" is no time or label",
			       (uint32_t)(column - r->columns) + 1, (int)cell->size, cell->text);
	}
	column->values++;
	if (!whole && !r->table)
		column->type = SX_F64;
	if (r->table)
		store(r, column, u, f);
	return SX_OK;
}

static enum sx_status end_row(struct reader *r)
{
	uint64_t begin = r->times[BEGIN], end = r->times[END], length = r->times[DURATION];
	bool no_begin = begin == SX_TIME_UNKNOWN, no_end = end == SX_TIME_UNKNOWN;
	if (length != SX_TIME_UNKNOWN && no_end) {
		begin = no_begin ? 0 : begin;
		if (__builtin_add_overflow(begin, length, &end))
			return csv_bad(&r->c, r->err, "times have 64 bits",
				       "a row ends after the end of time");
	} else if (length != SX_TIME_UNKNOWN && no_begin) {
		begin = end > length ? end - length : 0;
	}
	if (r->table)
		sx_table_set_time(r->table, r->rows, begin, end);
	memset(r->times, 0xff, sizeof(r->times));
	return SX_OK;
}

static enum sx_status take_row(struct reader *r)
{
	struct csv_cell cell = {0};
	for (uint32_t i = 0; !cell.last; i++) {
		uint64_t u;
		enum sx_status status = SX_OK;
		struct column *column = &r->columns[i];
		if (i >= r->count)
			return csv_bad(&r->c, r->err, "each cell needs a column name",
				       "a line has more cells than the header");
		if (csv_quick_number(&r->c, &u, &cell.last)) {
			if (column->role != VALUE)
				status = take_special(r, column, u);
			else if (r->table)
				store(r, column, u, (double)u);
			column->values++;
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

static enum sx_status each_row(struct reader *r)
{
	enum sx_status status = SX_OK;
	memset(r->times, 0xff, sizeof(r->times));
	for (r->rows = 0; !status && csv_next_line(&r->c); r->c.line++) {
		status = take_row(r);
		r->rows += !status;
	}
	return status;
}

static enum sx_status describe(struct reader *r, const struct csv_options *options)
{
	struct sx_column *infos = calloc((size_t)r->value_count + 1, sizeof(*infos));
	if (!infos)
		return error_nomem(r->err, "reading CSV");
	for (uint32_t i = 0; i < r->count; i++) {
		if (r->columns[i].role != VALUE)
			continue;
		struct sx_column *info = &infos[r->columns[i].target];
		*info = (struct sx_column){.name = strings_get(&r->names, i),
					   .unit = "count",
					   .type = r->columns[i].type,
					   .over_time = SX_REDUCE_SUM};
		if (options && options->describe)
			options->describe(options->user, info);
	}
	enum sx_status status =
	    sx_table_create(infos, r->value_count, SX_SAMPLE_ROW, &r->table, r->err);
	free(infos);
	return status;
}

/* Makes the table; columns without a gap are filled directly. */
static enum sx_status create(struct reader *r, const struct csv_options *options, size_t size)
{
	if (r->value_count && r->rows > (CELLS_FREE + size * CELLS_PER_BYTE) / r->value_count) {
		error_set(r->err, SX_ERR_LIMIT, "%s: %zu lines of %u columns hardly hold a value",
			  r->c.origin, r->rows, r->value_count);
		error_because(r->err, "most lines break off before most columns");
		error_try(r->err, "a file with fewer columns");
		return SX_ERR_LIMIT;
	}
	size_t rows = r->rows;
	enum sx_status status = describe(r, options);
	if (!status)
		status = sx_table_add_rows(r->table, rows, NULL, r->err);
	for (uint32_t i = 0; !status && rows && i < r->count; i++) {
		struct column *column = &r->columns[i];
		if (column->role != VALUE || column->values != rows)
			continue;
		column->data.any = sx_table_data(r->table, column->target);
		status = sx_table_fill_quality(r->table, column->target, 0, rows, 0, r->err);
	}
	return status;
}

enum sx_status csv_parse(const char *text, size_t size, const char *origin,
			 const struct csv_options *options, struct sx_table **out,
			 struct sx_error *err)
{
	struct reader r = {.c = {.p = text, .end = text + size, .origin = origin, .line = 1},
			   .err = err};
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		r.c.p += 3;
	enum sx_status status = read_header(&r);
	const char *start = r.c.p;
	size_t line = r.c.line;
	if (!status)
		status = each_row(&r);
	if (!status)
		status = create(&r, options, size);
	r.c.p = start;
	r.c.line = line;
	if (!status)
		status = each_row(&r);
	strings_finish(&r.names);
	free(r.columns);
	if (status) {
		sx_table_destroy(r.table);
		return status;
	}
	*out = r.table;
	return SX_OK;
}
