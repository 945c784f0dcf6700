/* Reads a line's cells into a row. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "import/table/reader.h"
#include "table/fill.h"
#include "table/label.h"

#define SHOWN(cell) ((int)((cell)->size < 60 ? (cell)->size : 60)) /* of a cell in a message */

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

static enum sx_status csv_rows_take_special(struct csv_reader *r, const struct csv_column *column,
					    uint64_t value)
{
	if (column->role < CSV_NUMBER) {
		double ns = (double)value * column->to_ns;
		bool same = column->to_ns == 0 || column->to_ns == 1;
		csv_time_put(r, column->role,
			     same	   ? value
			     : ns < 0x1p63 ? (uint64_t)(ns + 0.5)
					   : UINT64_MAX - 1);
		return SX_OK;
	}
	if (column->label == SX_LABEL_INSTANCE)
		r->instance = value;
	if (r->table && sx_table_set_label(r->table, column->label, r->row, value))
		return error_nomem(r->err, "reading CSV");
	return SX_OK;
}

/* A value in the column's own unit. */
static inline void csv_rows_put(struct csv_reader *r, const struct csv_column *column, uint64_t u,
				double f)
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

static inline void csv_rows_store(struct csv_reader *r, const struct csv_column *column, uint64_t u,
				  double f)
{
	if (column->kelvin)
		f = (f * 100 - 27315) / 100; /* nearer than f - 273.15 */
	if (column->factor != 0) {
		f = units_unapply(column->written, f);
		u = f >= 0 && f < 0x1p64 ? (uint64_t)round(f) : 0;
	}
	csv_rows_put(r, column, u, f);
}

static enum sx_status take_text(struct csv_reader *r, struct csv_column *column,
				const struct csv_cell *cell)
{
	column->values += cell->size > 0;
	if (column->dates && !r->table)
		column->dates = csv_no_data(cell) || csv_date_learn(column, cell, r->c.line);
	if (column->role == CSV_IGNORED || !r->table || !cell->size)
		return SX_OK;
	uint32_t index = sx_table_intern(r->table, cell->text, cell->size);
	if (index == SX_NONE || sx_table_set_label(r->table, column->label, r->row, index))
		return error_nomem(r->err, "reading CSV");
	return SX_OK;
}

void csv_note_odd(struct csv_reader *r, enum csv_odd odd, size_t line,
		  const struct csv_column *column)
{
	struct csv_odd_lines *lines = &r->tally.odd[odd];
	if (r->table || lines->count++)
		return;
	lines->first = line;
	if (column)
		lines->column = strings_get(&r->names, (uint64_t)(column - r->columns));
}

static void note_outside(struct csv_reader *r, struct csv_column *column)
{
	column->outside += r->table == NULL;
	csv_note_odd(r, CSV_ODD_OUTSIDE, r->c.line, column);
}

/* "inf", and digits of which there are too many for any number. */
static bool is_endless(const struct csv_cell *cell)
{
	char text[CSV_CELL_MAX], *end;
	snprintf(text, sizeof(text), "%.*s", (int)cell->size, cell->text);
	double value = strtod(text, &end);
	return cell->size && end == text + cell->size && isinf(value);
}

/* A cell that should be a number and is none has no value; the first is remembered. */
static enum sx_status csv_rows_odd_cell(struct csv_reader *r, struct csv_column *column,
					const struct csv_cell *cell)
{
	if (r->table)
		return column->odd ? SX_OK : csv_changed(r);
	if (!r->numbers && !r->named && csv_header_is_name(r, cell))
		r->named = column;
	if (column->odd++)
		return SX_OK;
	column->first_odd = r->c.line;
	column->odd_cut = cell->cut;
	column->odd_text = strings_intern(&r->texts, cell->text, (size_t)SHOWN(cell), NULL);
	return column->odd_text == UINT32_MAX ? error_nomem(r->err, "reading CSV") : SX_OK;
}

/* Text makes a column a label that means nothing by its name, also what looks like numbers. */
static enum sx_status no_number(struct csv_reader *r, struct csv_column *column,
				const struct csv_cell *cell)
{
	if (!r->table && column->may_be_text) {
		column->role = CSV_TEXT;
		if (column->unit_in_cells)
			column->unit = NULL;
		column->dates = !column->values && csv_date_learn(column, cell, r->c.line);
		column->values++;
		return SX_OK;
	}
	if (column->known && is_endless(cell)) {
		note_outside(r, column);
		return SX_OK;
	}
	if (!column->many_units)
		return csv_rows_odd_cell(r, column, cell);
	enum sx_status status =
	    csv_bad(&r->c, r->err, CSV_ONE_UNIT, "column %u: \"%.*s\" is not a number",
		    (uint32_t)(column - r->columns) + 1, SHOWN(cell), cell->text);
	error_try(r->err, CSV_TRY_NUMBER);
	return status;
}

/* Times and labels, which are counted from 0. */
static enum sx_status csv_rows_take_count(struct csv_reader *r, struct csv_column *column,
					  const struct csv_cell *cell, struct csv_value n)
{
	/* A fraction of a second is a time all the same. */
	if (!n.whole && n.f >= 0 && column->to_ns > 1 && n.f * column->to_ns < 0x1p63) {
		csv_time_put(r, column->role, (uint64_t)(n.f * column->to_ns + 0.5));
		return SX_OK;
	}
	if (n.f < 0 && column->role < CSV_NUMBER) {
		csv_time_below(r, column, -n.f);
		return SX_OK;
	}
	if (as_whole(n.whole, &n.u, n.f))
		return csv_rows_take_special(r, column, n.u);
	return csv_rows_odd_cell(r, column, cell);
}

bool csv_can_be(const struct csv_range *range, double value, const char *unit, uint64_t length_ns)
{
	double most = range->most;
	if (!range->is)
		return true;
	if (range->share && unit && strcmp(unit, "ratio") == 0)
		most /= 100;
	if (range->cycles && length_ns)
		most = CSV_CYCLES_MAX * (double)length_ns;
	return value >= 0 && value <= most && !(range->whole && value >= 0x1p64);
}

static enum sx_status csv_rows_take_value(struct csv_reader *r, struct csv_column *column,
					  const struct csv_cell *cell, struct csv_value n)
{
	if (column->counts && !n.whole && !(n.f >= 0 && n.f < 0x1p64)) {
		csv_note_odd(r, CSV_ODD_NO_COUNT, r->c.line, column);
		return SX_OK;
	}
	double held = n.whole && n.f >= 0x1p64 ? 0x1p63 : n.f; /* the last ones are rounded up */
	if (!csv_can_be(&column->range, held, column->unit, 0)) {
		note_outside(r, column);
		return SX_OK;
	}
	column->last = column->factor != 0 ? n.f * column->factor : n.f;
	bool exact = r->table && column->type == SX_U64 && column->written.power &&
		     number_decimal(cell->text, cell->size, column->written.power, &n.u);
	column->values++;
	column->beyond |= n.whole && n.u > CSV_DOUBLE_WHOLE;
	if (!n.whole && !r->table)
		column->type = SX_F64;
	if (!n.whole && column->type == SX_U64 && column->factor == 0)
		return csv_changed(r);
	if (exact)
		csv_rows_put(r, column, n.u, n.f);
	else if (r->table)
		csv_rows_store(r, column, n.u, n.f);
	r->filled += column->data.any != NULL;
	return SX_OK;
}

static void note_doubt(struct csv_reader *r, struct csv_column *column, const struct csv_cell *cell)
{
	if (r->table || r->c.marks.decimal_point)
		return;
	column->doubtful = true;
	if (column->may_be_text || r->doubt.line)
		return;
	r->doubt.line = r->c.line;
	r->doubt.column = (uint32_t)(column - r->columns) + 1;
	snprintf(r->doubt.text, sizeof(r->doubt.text), "%.*s", (int)cell->size, cell->text);
}

/* In whatever notation; what it shows of points and commas is remembered. */
static bool csv_rows_read_number(struct csv_reader *r, struct csv_column *column,
				 const struct csv_cell *cell, struct csv_value *n)
{
	struct csv_marks *marks = &r->c.marks;
	bool comma = marks->decimal_comma, found = true;
	if (csv_doubtful(marks, cell, &n->u)) {
		n->f = (double)n->u, n->whole = true;
		note_doubt(r, column, cell);
	} else {
		found = csv_any_number(marks, cell, n);
		/* Once all is read: fractions beside it may have points. */
		if (marks->decimal_comma != comma && !r->table && column->role == CSV_VALUE &&
		    csv_groups_of_points(cell))
			marks->decimal_comma = comma;
	}
	if (!found || r->table || n->whole)
		return found;
	bool point = marks->separator == ',' ||
		     (csv_has_point(cell) && !memchr(cell->text, ',', cell->size));
	column->fractions |= point;
	if (!column->may_be_text && marks->separator != ',')
		marks->decimal_point |= point;
	return true;
}

/* All rows are of one kind, or what they say is no kind. */
static void csv_rows_learn_kind(struct csv_reader *r, enum sx_sample_kind kind)
{
	bool first = !r->tally.beside.says_kind;
	r->tally.beside.says_kind = true;
	r->tally.beside.kind = first || r->tally.beside.kind == kind ? kind : SX_SAMPLE_KINDS;
}

/* A cell that the quick way did not take. */
static enum sx_status csv_rows_take_cell(struct csv_reader *r, struct csv_column *column,
					 const struct csv_cell *cell)
{
	struct csv_value n = {.u = 0};
	if (cell->cut && column->role != CSV_IGNORED && r->c.cell_max == CSV_CELL_MAX)
		csv_note_odd(r, CSV_ODD_CUT, r->c.line, NULL);
	if (column->role == CSV_TEXT || column->role == CSV_IGNORED)
		return take_text(r, column, cell);
	if (column->dates && column->role < CSV_NUMBER)
		return csv_date_take(r, column, cell);
	if (cell->cut)
		return no_number(r, column, cell);
	if (csv_no_data(cell))
		return SX_OK;
	if (column->role == CSV_MODEL) {
		r->tally.beside.says_simulated = true;
		r->tally.beside.simulated |= cell->size == 4 && memcmp(cell->text, "true", 4) == 0;
		return SX_OK;
	}
	if (column->role == CSV_KIND) {
		column->values++;
		csv_rows_learn_kind(r, kind_find(cell->text, cell->size));
		return SX_OK;
	}
	if (column->role == CSV_QUALITY) {
		r->quality |= import_quality(cell->text, cell->size);
		return SX_OK;
	}
	struct csv_cell bare = *cell;
	if (csv_cut_unit(r, column, &bare))
		cell = &bare;
	bool pointed = column->role == CSV_VALUE && csv_groups_of_points(cell);
	if (pointed && column->unclear)
		return SX_OK;
	if (!csv_rows_read_number(r, column, cell, &n))
		return no_number(r, column, cell);
	r->numbers = true;
	column->read |= column->role == CSV_VALUE || n.f >= 0;
	if (column->role != CSV_VALUE)
		return csv_rows_take_count(r, column, cell, n);
	size_t had = column->values;
	enum sx_status status = csv_rows_take_value(r, column, cell, n);
	if (pointed && column->values > had && !column->pointed++)
		column->first_pointed = r->c.line;
	return status;
}

/*
 * A row that ended at a moment began at that of the row before, unless it says better: one that
 * ended no later has no begin.
 */
static void use_moment(struct csv_reader *r)
{
	uint64_t moment = r->times[CSV_MOMENT];
	if (moment == SX_TIME_UNKNOWN)
		return;
	if (r->times[CSV_END] == SX_TIME_UNKNOWN)
		r->times[CSV_END] = moment;
	bool begins =
	    r->times[CSV_BEGIN] != SX_TIME_UNKNOWN || r->times[CSV_DURATION] != SX_TIME_UNKNOWN;
	if (!begins && r->moment < r->times[CSV_END])
		r->times[CSV_BEGIN] = r->moment;
	else if (!begins && r->moment != SX_TIME_UNKNOWN && !r->table)
		csv_note_odd(r, CSV_ODD_NO_LATER, r->c.line, NULL);
	r->moment = moment;
}

/* Cycles are checked against the row's length, which may come after them. */
static void hold_cycles(struct csv_reader *r, uint64_t begin, uint64_t end)
{
	bool known = begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN;
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		if (!column->range.cycles)
			continue;
		double value = column->last;
		column->last = (double)NAN;
		if (isnan(value) || !known || csv_can_be(&column->range, value, NULL, end - begin))
			continue;
		note_outside(r, column);
		column->values -= r->table == NULL;
		if (r->table)
			table_quality(r->table, column->target)[r->row] = SX_QUALITY_NOT_COLLECTED;
	}
}

#define INSTANCES_MAX 65536 /* separate ones, where rows have lengths alone */

/*
 * When the row before ended, of this row's instance: rows that have only a length follow each
 * other, while instances work at the same time. NULL: memory is out.
 */
static uint64_t *until_of(struct csv_reader *r)
{
	size_t at = r->instance < INSTANCES_MAX ? (size_t)r->instance + 1 : 0;
	size_t had = r->until_cap;
	if (!mem_grow(&r->until, &r->until_cap, at + 1, sizeof(*r->until)))
		return NULL;
	memset(r->until + had, 0, (r->until_cap - had) * sizeof(*r->until));
	return &r->until[at];
}

void csv_rows_rewind(struct csv_reader *r)
{
	r->moment = SX_TIME_UNKNOWN;
	r->instance = SX_LABEL_ABSENT;
	for (size_t i = 0; i < r->until_cap; i++)
		r->until[i] = 0;
}

static enum sx_status end_row(struct csv_reader *r)
{
	use_moment(r);
	uint64_t *until = until_of(r);
	if (!until)
		return error_nomem(r->err, "reading CSV");
	uint64_t begin = r->times[CSV_BEGIN], end = r->times[CSV_END],
		 length = r->times[CSV_DURATION];
	bool no_begin = begin == SX_TIME_UNKNOWN, no_end = end == SX_TIME_UNKNOWN;
	if (length != SX_TIME_UNKNOWN && no_end) {
		begin = no_begin ? *until : begin;
		if (__builtin_add_overflow(begin, length, &end))
			return csv_bad(&r->c, r->err, "times have 64 bits",
				       "a row ends after the end of time");
	} else if (length != SX_TIME_UNKNOWN && no_begin) {
		begin = end > length ? end - length : 0;
	}
	if (!import_span_can_be((struct import_span){begin, end})) {
		csv_note_odd(r, CSV_ODD_TIMES, r->c.line, NULL);
		begin = end = SX_TIME_UNKNOWN;
	}
	*until = end != SX_TIME_UNKNOWN ? end : *until;
	if (r->cycles)
		hold_cycles(r, begin, end);
	if (r->filled != r->direct) /* a value is gone that was there when types were learned */
		return csv_changed(r);
	if (r->table)
		sx_table_set_time(r->table, r->row, begin, end);
	for (uint32_t i = 0; r->table && r->quality && i < r->value_count; i++) {
		uint8_t *quality = &table_quality(r->table, i)[r->row];
		if (!(*quality & SX_QUALITY_NO_DATA_MASK))
			*quality |= r->quality & (uint8_t)~IMPORT_SKIPPED;
		else if (r->quality & IMPORT_SKIPPED)
			*quality |= SX_QUALITY_SKIPPED;
	}
	r->quality = 0;
	r->numbers = false;
	r->named = NULL;
	r->filled = 0;
	r->instance = SX_LABEL_ABSENT;
	memset(r->times, 0xff, sizeof(r->times));
	return SX_OK;
}

/* The lines below it may have other columns, or other units: none of their numbers is known. */
static enum sx_status another_header(struct csv_reader *r, size_t line)
{
	r->c.line = line;
	enum sx_status status =
	    csv_bad(&r->c, r->err, "it has names and no number, and is not the line of names above",
		    "the table ends here, and another begins");
	error_try(r->err, "each table in a file of its own");
	return status;
}

/* Some writers end each line with a separator; other cells belong to no column. */
static bool read_cell(struct csv_reader *r, uint32_t column, struct csv_cell *cell)
{
	if (!csv_read_cell(&r->c, cell))
		return false;
	bool fits = column < r->count || !cell->size;
	if (!fits)
		r->c.wrong = csv_too_wide(&r->c.marks);
	return fits;
}

/* Behind a line of which this cell cannot be read. */
static enum sx_status give_line_up(struct csv_reader *r, const struct csv_cell *cell)
{
	if (!cell->last)
		csv_skip_line(&r->c);
	return SX_AGAIN;
}

enum sx_status csv_row_look(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	for (uint32_t i = 0; !cell.last; i++)
		if (!read_cell(r, i, &cell))
			return give_line_up(r, &cell);
	return SX_OK;
}

/* Whether digits alone need no look at what the column's values can be; cycles have one later. */
static bool is_quick(const struct csv_column *column)
{
	return column->role < CSV_TEXT && !column->range.share &&
	       !(column->range.cycles && column->factor != 0);
}

enum sx_status csv_row(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	size_t line = r->c.line;
	uint32_t i = 0;
	for (; !cell.last; i++) {
		uint64_t u;
		enum sx_status status = SX_OK;
		struct csv_column *column = &r->columns[i];
		if (i < r->count && is_quick(column) && csv_quick_number(&r->c, &u, &cell.last)) {
			if (column->role != CSV_VALUE)
				status = csv_rows_take_special(r, column, u);
			else if (r->table)
				csv_rows_store(r, column, u, (double)u);
			if (column->range.cycles)
				column->last = (double)u;
			column->beyond |= u > CSV_DOUBLE_WHOLE;
			column->values++;
			r->numbers = true;
			r->filled += column->data.any != NULL;
		} else {
			if (!read_cell(r, i, &cell))
				return give_line_up(r, &cell);
			if (i < r->count)
				status = csv_rows_take_cell(r, column, &cell);
		}
		if (status)
			return status;
	}
	if (r->named && !r->numbers)
		return another_header(r, line);
	if (i < r->count)
		csv_note_odd(r, CSV_ODD_SHORT, line, NULL);
	return end_row(r);
}
