/* Units that stand in a line below the header, or behind the numbers of a column. */
#include <stdio.h>
#include <string.h>

#include "import/read/csv/rows.h"
#include "import/read/times.h"

/* The unit in a cell of a line of units: "ms", "(ms)"; no text: none. */
static bool read_unit(struct csv_cell cell, struct import_cell *out)
{
	const char *unit;
	double factor;
	bool brackets = cell.size > 2 && (cell.text[0] == '(' || cell.text[0] == '[');
	*out = (struct import_cell){cell.text + brackets, cell.size - (brackets ? 2 : 0)};
	if (csv_no_data(&cell))
		out->size = 0;
	return !out->size || import_unit(*out, &unit, &factor);
}

/* Whether a unit counts something in a second. */
static bool is_rate(const struct units *units, const char *unit)
{
	const struct unit *over, *under;
	return units_split(units, unit, &over, &under) && strcmp(under->name, "s") == 0 &&
	       over->scale == UNIT_SI;
}

void csv_take_kind(struct csv_reader *r, struct csv_column *column, const char *name)
{
	struct sx_column info = {.name = name, .unit = "count"};
	const struct csv_options *o = r->options;
	if (!column->unit || !column->known || !o->describe)
		return;
	bool kelvin = strcmp(column->unit, "K") == 0;
	o->describe(o->user, &info);
	if (kelvin && strcmp(info.unit, "degC") == 0) {
		column->unit = info.unit;
		column->kelvin = true;
	} else if (kelvin && strcmp(info.unit, "unknown") != 0 &&
		   units_fit(&r->units, "cycles", info.unit)) {
		column->unit = info.unit;
		column->factor = 1e3;
		column->written = units_step(1e-3);
	} else if (strcmp(column->unit, "Hz") == 0 && is_rate(&r->units, info.unit)) {
		column->unit = info.unit;
	}
}

/* Whether the next line has units and nothing else; of columns with times also what they are. */
static bool csv_is_unit_line(const struct csv_reader *r)
{
	struct csv_cursor ahead = r->c; /* reads what is in memory alone: the window is shared */
	struct csv_cell cell = {0};
	bool any = false;
	uint32_t i = 0;
	if (!memchr(ahead.p, '\n', (size_t)(ahead.end - ahead.p)))
		return false;
	ahead.more = false;
	for (; !cell.last && i < r->count; i++) {
		struct import_cell unit;
		if (csv_read_cell(&ahead, &cell, NULL))
			return false;
		if (r->columns[i].role == CSV_IGNORED)
			continue;
		if (!read_unit(cell, &unit))
			return false;
		any |= unit.size > 0;
	}
	return any && cell.last;
}

static void take_unit(struct csv_reader *r, uint32_t column, struct import_cell text)
{
	struct csv_column *c = &r->columns[column];
	double factor = 1;
	char head[80];
	if (!text.size || c->unit || c->role != CSV_VALUE || !import_unit(text, &c->unit, &factor))
		return;
	c->factor = factor == 1 ? 0 : factor;
	c->written = units_step(1 / factor);
	snprintf(head, sizeof(head), "%.40s (%.*s)", strings_get(&r->names, column),
		 (int)(text.size < 16 ? text.size : 16), text.text);
	if (!c->known && csv_take_time(c, (struct import_cell){head, strlen(head)}))
		c->unit = NULL;
	csv_take_kind(r, c, strings_get(&r->names, column));
	c->may_be_text = false;
}

enum sx_status csv_take_units(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	csv_ahead(&r->c);
	if (!csv_next_line(&r->c) || !csv_is_unit_line(r))
		return SX_OK;
	r->unit_line = true;
	for (uint32_t i = 0; !cell.last; i++) {
		struct import_cell unit;
		enum sx_status status = csv_read_cell(&r->c, &cell, r->err);
		if (status)
			return status;
		if (i < r->count && read_unit(cell, &unit))
			take_unit(r, i, unit);
	}
	r->c.line++;
	return SX_OK;
}

enum sx_status csv_skip_units(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	enum sx_status status = SX_OK;
	if (!r->unit_line)
		return SX_OK;
	if (!csv_next_line(&r->c))
		return csv_changed(r);
	while (!status && !cell.last)
		status = csv_read_cell(&r->c, &cell, r->err);
	r->c.line++;
	return status;
}

/* Where what stands behind a number begins: letters, signs of units, not the e of "1e3". */
static size_t number_size(const struct csv_cell *cell)
{
	size_t size = cell->size;
	while (size && !strchr("0123456789.", cell->text[size - 1]))
		size--;
	/* "12 1/s" */
	if (size > 2 && size < cell->size && memcmp(cell->text + size - 2, " 1/", 3) == 0)
		size -= 2;
	return size;
}

bool csv_cut_unit(struct csv_reader *r, struct csv_column *column, struct csv_cell *cell)
{
	size_t size = number_size(cell), at = size;
	const char *unit;
	double factor = 1;
	while (at < cell->size && cell->text[at] == ' ')
		at++;
	struct import_cell text = {cell->text + at, cell->size - at};
	bool may_have = column->known || column->may_be_text;
	if (!may_have || column->role != CSV_VALUE || !size || !text.size ||
	    text.size >= sizeof(column->cell_unit) || !import_unit(text, &unit, &factor))
		return false;
	double own = column->factor != 0 ? column->factor : 1;
	bool first = !r->table && !column->unit_in_cells;
	bool of_header = first && column->unit && strcmp(column->unit, unit) == 0 && own == factor;
	if (first && (!column->unit || of_header)) {
		column->unit_in_cells = true;
		column->unit = unit;
		column->factor = factor == 1 ? 0 : factor;
		column->written = units_step(1 / factor);
		snprintf(column->cell_unit, sizeof(column->cell_unit), "%.*s", (int)text.size,
			 text.text);
		csv_take_kind(r, column, strings_get(&r->names, (uint64_t)(column - r->columns)));
	}
	bool same = column->unit_in_cells && strlen(column->cell_unit) == text.size &&
		    memcmp(column->cell_unit, text.text, text.size) == 0;
	column->many_units |= !same;
	if (same)
		cell->size = size;
	return same;
}
