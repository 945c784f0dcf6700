/* CSV to a table: one pass to learn types and rows, one to fill. */
#include "decode/csv.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

struct cursor {
	const char *p, *end;
	const char *origin;
	size_t line;
};

/* One cell, unquoted and trimmed. */
struct cell {
	char text[CSV_CELL_MAX];
	size_t len;
	bool last; /* of its line */
};

enum role { VALUE, DURATION, TIMESTAMP, BEGIN, END, FRAME, CONTEXT, INSTANCE };

static const struct {
	const char *name;
	enum role role;
} roles[] = {
    {"duration_ns", DURATION}, {"timestamp_ns", TIMESTAMP}, {"begin_ns", BEGIN},    {"end_ns", END},
    {"frame", FRAME},	       {"context", CONTEXT},	    {"instance", INSTANCE},
};

struct reader {
	struct cursor start; /* after the header */
	struct arena names;
	struct sx_column *columns; /* the value columns */
	enum role *column_roles;   /* one a column of the file */
	uint32_t *targets;	   /* value column of the table, or SX_NONE */
	size_t role_cap, target_cap, column_cap;
	uint32_t file_columns, value_columns;
	size_t rows;
};

static enum sx_status bad(const struct cursor *c, struct sx_error *err, const char *what,
			  const char *because)
{
	error_set(err, SX_ERR_BAD_INPUT, "%s:%zu: %s", c->origin, c->line, what);
	error_because(err, "%s", because);
	error_try(err, "a header line with counter names, then one line of numbers a sample");
	return SX_ERR_BAD_INPUT;
}

static bool put(struct cell *cell, char byte)
{
	if (cell->len + 1 >= sizeof(cell->text))
		return false;
	cell->text[cell->len++] = byte;
	return true;
}

static enum sx_status read_quoted(struct cursor *c, struct cell *cell, struct sx_error *err)
{
	for (c->p++; c->p < c->end; c->p++) {
		if (*c->p == '"' && c->p + 1 < c->end && c->p[1] == '"')
			c->p++;
		else if (*c->p == '"')
			break;
		if (*c->p == '\n')
			c->line++;
		if (!put(cell, *c->p))
			return bad(c, err, "a cell is too long", "a cell holds at most 255 bytes");
	}
	if (c->p >= c->end)
		return bad(c, err, "a quoted cell has no end", "the closing quote is missing");
	c->p++;
	return SX_OK;
}

/* Reads the next cell and the comma or line end behind it. */
static enum sx_status read_cell(struct cursor *c, struct cell *cell, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	cell->len = 0;
	while (c->p < c->end && (*c->p == ' ' || *c->p == '\t'))
		c->p++;
	if (c->p < c->end && *c->p == '"')
		status = read_quoted(c, cell, err);
	for (; !status && c->p < c->end && *c->p != ',' && *c->p != '\n' && *c->p != '\r'; c->p++)
		if (!put(cell, *c->p))
			return bad(c, err, "a cell is too long", "a cell holds at most 255 bytes");
	if (status)
		return status;
	while (cell->len && (cell->text[cell->len - 1] == ' ' || cell->text[cell->len - 1] == '\t'))
		cell->len--;
	cell->text[cell->len] = '\0';
	if (memchr(cell->text, '\0', cell->len))
		return bad(c, err, "a cell holds a NUL byte", "CSV is text");
	cell->last = c->p >= c->end || *c->p != ',';
	if (c->p < c->end && *c->p == '\r')
		c->p++;
	if (c->p < c->end)
		c->p++;
	return SX_OK;
}

static bool blank_line(const struct cursor *c)
{
	const char *p = c->p;
	while (p < c->end && (*p == ' ' || *p == '\t' || *p == '\r'))
		p++;
	return p >= c->end || *p == '\n';
}

static void skip_line(struct cursor *c)
{
	const char *eol = memchr(c->p, '\n', (size_t)(c->end - c->p));
	c->p = eol ? eol + 1 : c->end;
	c->line++;
}

/* Moves over blank lines and # comments; false at the end. */
static bool next_line(struct cursor *c)
{
	while (c->p < c->end && (blank_line(c) || *c->p == '#'))
		skip_line(c);
	return c->p < c->end;
}

static enum sx_status add_column(struct reader *r, const struct cell *cell, struct sx_error *err)
{
	enum role role = VALUE;
	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strcmp(roles[i].name, cell->text) == 0)
			role = roles[i].role;
	uint32_t at = r->file_columns;
	const char *name = arena_strndup(&r->names, cell->text, cell->len);
	if (!name || !mem_grow(&r->column_roles, &r->role_cap, at + 1, sizeof(*r->column_roles)) ||
	    !mem_grow(&r->targets, &r->target_cap, at + 1, sizeof(*r->targets)) ||
	    !mem_grow(&r->columns, &r->column_cap, at + 1, sizeof(*r->columns)))
		return error_nomem(err, "reading CSV");
	r->column_roles[at] = role;
	r->targets[at] = role == VALUE ? r->value_columns : SX_NONE;
	if (role == VALUE)
		r->columns[r->value_columns++] = (struct sx_column){
		    .name = name, .unit = "count", .type = SX_U64, .over_time = SX_REDUCE_SUM};
	r->file_columns++;
	return SX_OK;
}

static enum sx_status read_header(struct reader *r, struct cursor *c, struct sx_error *err)
{
	struct cell cell = {0};
	if (!next_line(c))
		return bad(c, err, "the file is empty", "there is no header line");
	do {
		enum sx_status status = read_cell(c, &cell, err);
		if (status)
			return status;
		if (cell.len == 0)
			return bad(c, err, "a column has no name",
				   "every column needs a counter's name");
		if (r->file_columns >= CSV_COLUMNS_MAX)
			return bad(c, err, "too many columns", "the limit is 65536");
		status = add_column(r, &cell, err);
		if (status)
			return status;
	} while (!cell.last);
	c->line++;
	r->start = *c;
	return SX_OK;
}

static bool no_data(const struct cell *cell)
{
	return cell->len == 0 || strcmp(cell->text, "-") == 0 ||
	       strcasecmp(cell->text, "nan") == 0 || strcasecmp(cell->text, "null") == 0;
}

static bool whole_number(const char *text, uint64_t *value)
{
	char *end;
	errno = 0;
	if (!isdigit((unsigned char)text[0]))
		return false;
	*value = strtoull(text, &end, 10);
	return !*end && errno == 0;
}

static bool real_number(const char *text, double *value)
{
	char *end;
	*value = strtod(text, &end);
	return end != text && !*end && isfinite(*value);
}

/* Calls `take` for every cell of every row. */
static enum sx_status each_cell(struct reader *r, struct cursor c,
				enum sx_status (*take)(struct reader *, struct cursor *, size_t row,
						       uint32_t column, const struct cell *, void *,
						       struct sx_error *),
				void *user, struct sx_error *err)
{
	struct cell cell = {0};
	r->rows = 0;
	for (; next_line(&c); c.line++, r->rows++) {
		uint32_t column = 0;
		do {
			enum sx_status status = read_cell(&c, &cell, err);
			if (!status && column >= r->file_columns)
				status = bad(&c, err, "a line has more cells than the header",
					     "each cell needs a column name");
			if (!status)
				status = take(r, &c, r->rows, column, &cell, user, err);
			if (status)
				return status;
			column++;
		} while (!cell.last);
	}
	return SX_OK;
}

static enum sx_status learn(struct reader *r, struct cursor *c, size_t row, uint32_t column,
			    const struct cell *cell, void *user, struct sx_error *err)
{
	uint64_t u;
	double f;
	if (no_data(cell) || whole_number(cell->text, &u))
		return SX_OK;
	if (!real_number(cell->text, &f)) {
		char what[CSV_CELL_MAX + 64];
		snprintf(what, sizeof(what), "column %u: \"%s\" is not a number", column + 1,
			 cell->text);
		return bad(c, err, what, "values are plain numbers; no data is an empty cell");
	}
	if (r->targets[column] != SX_NONE)
		r->columns[r->targets[column]].type = SX_F64;
	return SX_OK;
}

/* Times of one row as far as they are known. */
static void set_time(struct sx_table *table, size_t row, enum role role, uint64_t value)
{
	uint64_t begin = sx_table_begin_ns(table)[row], end = sx_table_end_ns(table)[row];
	switch (role) {
	case DURATION:
		begin = begin == SX_TIME_UNKNOWN ? 0 : begin;
		sx_table_set_time(table, row, begin, begin + value);
		return;
	case TIMESTAMP:
	case BEGIN:
		if (end != SX_TIME_UNKNOWN && begin == 0)
			end += value; /* a duration came first */
		sx_table_set_time(table, row, value, end);
		return;
	case END:
		sx_table_set_time(table, row, begin, value);
		return;
	default:
		return;
	}
}

static enum sx_status fill(struct reader *r, struct cursor *c, size_t row, uint32_t column,
			   const struct cell *cell, void *user, struct sx_error *err)
{
	struct sx_table *table = user;
	uint32_t target = r->targets[column];
	enum role role = r->column_roles[column];
	uint64_t u = 0;
	double f = 0;
	if (no_data(cell))
		return SX_OK;
	bool whole = whole_number(cell->text, &u);
	if (target != SX_NONE && r->columns[target].type == SX_U64) {
		sx_table_set_u64(table, target, row, u, 0);
	} else if (target != SX_NONE) {
		if (real_number(cell->text, &f))
			sx_table_set_f64(table, target, row, f, 0);
	} else if (!whole) {
		return bad(c, err, "a time or label is not a whole number", cell->text);
	} else if (role >= FRAME) {
		enum sx_label label = role == FRAME	? SX_LABEL_FRAME
				      : role == CONTEXT ? SX_LABEL_CONTEXT
							: SX_LABEL_INSTANCE;
		return sx_table_set_label(table, label, row, u);
	} else {
		set_time(table, row, role, u);
	}
	return SX_OK;
}

enum sx_status csv_parse(const char *text, size_t size, const char *origin, struct sx_table **out,
			 struct sx_error *err)
{
	struct reader r = {0};
	struct sx_table *table = NULL;
	struct cursor c = {.p = text, .end = text + size, .origin = origin, .line = 1};
	if (size >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		c.p += 3;
	enum sx_status status = read_header(&r, &c, err);
	if (!status)
		status = each_cell(&r, r.start, learn, NULL, err);
	if (!status)
		status = sx_table_create(r.columns, r.value_columns, SX_SAMPLE_ROW, &table, err);
	if (!status)
		status = sx_table_add_rows(table, r.rows, NULL, err);
	if (!status)
		status = each_cell(&r, r.start, fill, table, err);
	arena_finish(&r.names);
	free(r.columns);
	free(r.column_roles);
	free(r.targets);
	if (status) {
		sx_table_destroy(table);
		return status;
	}
	*out = table;
	return SX_OK;
}
