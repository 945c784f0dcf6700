/* The header line of CSV: the meaning of each column by its name, and its unit. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/mem.h"
#include "import/table/reader.h"
#include "table/label.h"

/* A unit in any usual spelling, or one that catalogs use. */
static bool csv_header_find_unit(struct csv_reader *r, struct import_cell text, const char **unit,
				 double *factor)
{
	if (import_unit(text, unit, factor))
		return true;
	if (!import_catalog_unit(&r->units, text))
		return false;
	uint32_t at = strings_intern(&r->texts, text.text, text.size, NULL);
	*unit = at == UINT32_MAX ? NULL : strings_get(&r->texts, at);
	return *unit;
}

/*
 * "frame_time_ms": a unit behind a name that means something without it, and nothing with it.
 */
static struct csv_cell split_suffix(struct csv_reader *r, const struct csv_cell *cell,
				    const char **unit, double *factor)
{
	char name[128];
	struct import_cell end,
	    bare = import_split_suffix((struct import_cell){cell->text, cell->size}, &end);
	if (!r->catalog || !bare.size || cell->size >= sizeof(name))
		return *cell;
	snprintf(name, sizeof(name), "%.*s", (int)cell->size, cell->text);
	if (csv_is_known(r->catalog, name))
		return *cell;
	name[bare.size] = '\0';
	if (!csv_is_known(r->catalog, name) || !import_unit(end, unit, factor))
		return *cell;
	return (struct csv_cell){.text = cell->text, .size = bare.size, .last = cell->last};
}

/* "gpu_time (furlongs)": without it the name means something, and with it nothing. */
static void learn_unknown_unit(struct csv_reader *r, struct import_cell bare,
			       struct import_cell whole, struct import_cell unit)
{
	struct csv_tally *tally = &r->tally;
	char name[CSV_UNIT_TEXT_MAX], text[CSV_UNIT_TEXT_MAX];
	struct sx_column info = {.name = name, .unit = "count"};
	if (!r->catalog || whole.size >= sizeof(text))
		return;
	snprintf(text, sizeof(text), "%.*s", (int)whole.size, whole.text);
	snprintf(name, sizeof(name), "%.*s", (int)bare.size, bare.text);
	if (csv_is_known(r->catalog, text) || !csv_is_known(r->catalog, name) ||
	    tally->unknown_units++)
		return;
	csv_describe_column(r->catalog, &info);
	memcpy(tally->unknown_unit_of, name, sizeof(name));
	snprintf(tally->unknown_unit, sizeof(tally->unknown_unit), "%.*s", (int)unit.size,
		 unit.text);
	import_units_like(&r->units, info.unit, tally->unknown_unit_as);
	snprintf(tally->unknown_unit_one, sizeof(tally->unknown_unit_one), "%s", info.unit);
}

/* "name (unit)": the unit is no part of the name. */
static struct csv_cell csv_header_split_unit(struct csv_reader *r, const struct csv_cell *cell,
					     const char **unit, double *factor)
{
	struct import_cell text;
	struct import_cell name =
	    import_split_unit((struct import_cell){cell->text, cell->size}, &text);
	if (!text.size)
		return split_suffix(r, cell, unit, factor);
	if (!csv_header_find_unit(r, text, unit, factor)) {
		learn_unknown_unit(r, name, (struct import_cell){cell->text, cell->size}, text);
		return *cell;
	}
	return (struct csv_cell){.text = name.text, .size = name.size, .last = cell->last};
}

bool csv_header_is_name(struct csv_reader *r, const struct csv_cell *cell)
{
	char text[128];
	const char *unit;
	double factor;
	struct import_cell behind;
	struct import_cell bare =
	    import_split_unit((struct import_cell){cell->text, cell->size}, &behind);
	struct csv_cell name = {.text = bare.text, .size = bare.size};
	if (!behind.size)
		name = split_suffix(r, cell, &unit, &factor);
	if (!r->catalog || name.size >= sizeof(text))
		return false;
	snprintf(text, sizeof(text), "%.*s", (int)name.size, name.text);
	return csv_is_known(r->catalog, text);
}

/* Whether a column is a time of the row, by its head with its unit. */
static bool take_time(struct csv_column *column, struct import_cell head)
{
	static const enum csv_role roles[] = {[IMPORT_TIME_LENGTH] = CSV_DURATION,
					      [IMPORT_TIME_BEGIN] = CSV_BEGIN,
					      [IMPORT_TIME_END] = CSV_END,
					      [IMPORT_TIME_MOMENT] = CSV_MOMENT};
	enum import_time time = import_time_head(head, &column->to_ns);
	if (time == IMPORT_TIME_NONE)
		return false;
	column->role = roles[time];
	return true;
}

/* A column that is not read gets a name that no other has. */
static enum sx_status leave_column_out(struct csv_reader *r)
{
	char name[32];
	int size = snprintf(name, sizeof(name), "\n%u", r->count);
	if (strings_intern(&r->names, name, (size_t)size, NULL) == UINT32_MAX ||
	    !mem_grow(&r->columns, &r->column_cap, (size_t)r->count + 1, sizeof(*r->columns)))
		return error_nomem(r->err, "reading CSV");
	r->columns[r->count++] = (struct csv_column){.role = CSV_IGNORED, .target = SX_NONE};
	return SX_OK;
}

static void csv_header_take_role(struct csv_column *column, const char *name)
{
	static const enum csv_role roles[] = {
	    [IMPORT_ROLE_BEGIN] = CSV_BEGIN,	 [IMPORT_ROLE_END] = CSV_END,
	    [IMPORT_ROLE_NUMBER] = CSV_NUMBER,	 [IMPORT_ROLE_TEXT] = CSV_TEXT,
	    [IMPORT_ROLE_QUALITY] = CSV_QUALITY, [IMPORT_ROLE_MODEL] = CSV_MODEL,
	    [IMPORT_ROLE_KIND] = CSV_KIND};
	enum sx_label label;
	enum import_role is = import_role((struct import_cell){name, strlen(name)}, true, &label);
	column->role = roles[is];
	if (is == IMPORT_ROLE_NUMBER || is == IMPORT_ROLE_TEXT)
		column->label = label;
	else if (strcmp(name, "label") == 0)
		column->role = CSV_TEXT;
	else if (strcmp(name, "duration_ns") == 0)
		column->role = CSV_DURATION;
	else if (strcmp(name, "timestamp_ns") == 0)
		column->role = CSV_BEGIN;
}

/* What values of a column are, by its name. */
static void csv_header_take_meaning(struct csv_reader *r, struct csv_column *column,
				    const char *name, bool unknown)
{
	bool value = column->role == CSV_VALUE;
	column->may_be_text = value && !column->unit && unknown;
	column->known = value && r->catalog && !unknown;
	column->counts = value && r->catalog && csv_is_count(r->catalog, name);
	csv_take_kind(r, column, name);
	if (column->known)
		column->range = import_range(r->catalog, name);
	r->cycles |= column->range.cycles;
	column->last = (double)NAN;
}

static enum sx_status csv_header_add_column(struct csv_reader *r, const struct csv_cell *cell)
{
	bool added;
	const struct import_cell ours = csv_our_word((struct import_cell){cell->text, cell->size});
	const struct csv_cell said = {.text = ours.text, .size = ours.size};
	cell = ours.text == cell->text ? cell : &said;
	const char *unit = NULL;
	double factor = 1;
	struct csv_cell bare = csv_header_split_unit(r, cell, &unit, &factor);
	if (!cell->size) {
		r->tally.first_unnamed = r->tally.unnamed++ ? r->tally.first_unnamed : r->count + 1;
		return leave_column_out(r);
	}
	uint32_t at = strings_intern(&r->names, bare.text, bare.size, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&r->columns, &r->column_cap, (size_t)at + 1, sizeof(*r->columns)))
		return error_nomem(r->err, "reading CSV");
	const char *name = strings_get(&r->names, at);
	if (!added) {
		r->tally.first_twice = r->tally.twice++ ? r->tally.first_twice : name;
		return leave_column_out(r);
	}
	struct csv_column *column = &r->columns[r->count++];
	*column = (struct csv_column){.target = SX_NONE,
				      .type = SX_U64,
				      .unit = unit,
				      .factor = factor == 1 ? 0 : factor,
				      .written = units_step(1 / factor),
				      .label = SX_LABEL_GROUP};
	csv_header_take_role(column, name);
	if (r->options && r->options->of_device && strcasecmp(name, "device") == 0)
		column->role = CSV_IGNORED;
	bool unknown = r->catalog && !csv_is_known(r->catalog, name);
	if (column->role == CSV_VALUE && (unknown || !r->catalog) &&
	    take_time(column, (struct import_cell){cell->text, cell->size}))
		return SX_OK;
	csv_header_take_meaning(r, column, name, unknown);
	return SX_OK;
}

/*
 * PresentMon 2 writes milliseconds without saying so, some of them under names that are shares
 * elsewhere: GPUBusy is a time. Only its logs have a column SwapChainAddress.
 */
static void take_presentmon(struct csv_reader *r)
{
	static const char *const times[] = {
	    "FrameTime",     "CPUBusy",	       "CPUWait",     "GPULatency",	"GPUTime",
	    "GPUBusy",	     "VideoBusy",      "GPUWait",     "DisplayLatency", "DisplayedTime",
	    "AnimationTime", "AnimationError", "CPUStartTime"};
	bool is = false;
	for (uint32_t i = 0; i < r->count; i++)
		is |= strcmp(strings_get(&r->names, i), "SwapChainAddress") == 0;
	for (uint32_t i = 0; is && i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		size_t at = 0, count = sizeof(times) / sizeof(times[0]);
		double factor = 1;
		while (at < count && strcmp(strings_get(&r->names, i), times[at]) != 0)
			at++;
		if (at == count || column->role != CSV_VALUE || column->unit ||
		    !import_unit((struct import_cell){"ms", 2}, &column->unit, &factor))
			continue;
		column->factor = factor == 1 ? 0 : factor;
		column->written = units_step(1 / factor);
		column->may_be_text = false;
	}
}

enum sx_status csv_header(struct csv_reader *r)
{
	struct csv_cell cell = {0};
	uint32_t unnamed = 0; /* at the end */
	if (!csv_next_line(&r->c))
		return csv_bad(&r->c, r->err, "there is no header line", "the file is empty");
	do {
		if (!csv_read_cell(&r->c, &cell))
			return csv_refuse_line(r->c.origin, r->c.line, r->c.wrong, r->err);
		if (cell.cut)
			csv_note_odd(r, CSV_ODD_CUT, r->c.line, NULL);
		if (r->count >= CSV_COLUMNS_MAX)
			return csv_bad(&r->c, r->err, "the limit is 65536", "too many columns");
		unnamed = cell.size ? 0 : unnamed + 1;
		enum sx_status status = csv_header_add_column(r, &cell);
		if (status)
			return status;
	} while (!cell.last);
	/* Some writers end each line with a separator. */
	r->count -= unnamed;
	r->tally.unnamed -= unnamed;
	if (!r->count)
		return csv_bad(&r->c, r->err, "every column needs a counter's name",
			       "no column has a name");
	r->c.line++;
	take_presentmon(r);
	return SX_OK;
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
	if (!column->unit || !column->known)
		return;
	bool kelvin = strcmp(column->unit, "K") == 0;
	csv_describe_column(r->catalog, &info);
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

/*
 * The length of a number before its unit: before letters and signs of units, but not the e of
 * "1e3".
 */
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
	bool first = !r->table && !column->cell_unit[0];
	/* After numbers without a unit it says nothing of those. */
	bool of_all = first && !column->unit && !column->read && !column->values;
	bool of_header = first && column->unit && strcmp(column->unit, unit) == 0 && own == factor;
	if (of_all || of_header) {
		column->unit_in_cells = !column->unit;
		column->unit = unit;
		column->factor = factor == 1 ? 0 : factor;
		column->written = units_step(1 / factor);
		snprintf(column->cell_unit, sizeof(column->cell_unit), "%.*s", (int)text.size,
			 text.text);
		csv_take_kind(r, column, strings_get(&r->names, (uint64_t)(column - r->columns)));
	}
	bool same = strlen(column->cell_unit) == text.size &&
		    memcmp(column->cell_unit, text.text, text.size) == 0;
	column->many_units |= !same && column->unit_in_cells;
	column->other_unit |= !same;
	if (same)
		cell->size = size;
	return same;
}
