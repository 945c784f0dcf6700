/* Units that say more where it is known what is measured, or stand behind numbers. */
#include <stdio.h>
#include <string.h>

#include "import/read/csv/rows.h"

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
