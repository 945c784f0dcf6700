/* Reads tables in text: a line is a row. */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/units.h"
#include "import/internal.h"
#include "import/table/reader.h"

struct import_lines import_lines(const struct import_job *job)
{
	return (struct import_lines){
	    .p = job->text, .end = job->text + job->size, .backing = job->backing};
}

/* A unit as catalogs write it; *out stays where it is none. */
static bool text_catalog_unit(struct import_job *job, struct import_cell text, const char **out)
{
	struct units list;
	units_init(&list);
	const char *name =
	    import_catalog_unit(&list, text) ? import_text(job, text.text, text.size) : NULL;
	*out = name ? name : *out;
	return name;
}

const char *import_bare_name(struct import_job *job, struct import_cell head)
{
	const char *unit;
	double factor;
	struct import_cell text, bare = import_split_unit(head, &text);
	if (text.size && (import_unit(text, &unit, &factor) || text_catalog_unit(job, text, &unit)))
		head = bare;
	return import_text(job, head.text, head.size);
}

struct import_field import_header(struct import_job *job, struct import_cell cell,
				  enum sx_reduce over_time)
{
	struct import_field field = {.unit = "count", .over_time = over_time, .factor = 1};
	struct import_cell unit, bare = import_split_unit(cell, &unit);
	bool known = unit.size && (import_unit(unit, &field.unit, &field.factor) ||
				   text_catalog_unit(job, unit, &field.unit));
	if (known && strcmp(field.unit, "K") == 0) /* thousands or kelvin: it stays in the name */
		field.unit = "count";
	else if (known)
		cell = bare;
	if (field.unit && strcmp(field.unit, "count") != 0)
		field.over_time =
		    strcmp(field.unit, "cycles") == 0 || strcmp(field.unit, "bytes") == 0
			? over_time
			: SX_REDUCE_MEAN;
	field.name = cell.size ? import_text(job, cell.text, cell.size) : NULL;
	return field;
}

void import_odd_add(struct import_odd *odd, size_t place, struct import_cell column,
		    struct import_cell text)
{
	if (!odd->count++)
		*odd = (struct import_odd){1, place, column, text};
}

void import_odd_note(struct import_job *job, const struct import_odd *odd, const char *place)
{
	if (odd->count)
		import_remark(
		    job, "%s no number and left out, the first in %s %zu, column %.*s: \"%.*s\"",
		    COUNTED(odd->count, "cell is"), place, odd->place,
		    (int)(odd->column.size < 40 ? odd->column.size : 40), odd->column.text,
		    (int)(odd->text.size < 40 ? odd->text.size : 40), odd->text.text);
}

/* A quoted cell has doubled quotes where it means one. */
static struct import_cell undoubled(struct import_job *job, struct import_cell cell)
{
	bool is = cell.text > job->text && cell.text[-1] == '"' &&
		  memmem(cell.text, cell.size, "\"\"", 2);
	char *to = is ? import_text(job, cell.text, cell.size) : NULL;
	size_t used = 0;
	for (size_t i = 0; to && i < cell.size; i++) {
		to[used++] = cell.text[i];
		i += cell.text[i] == '"' && i + 1 < cell.size && cell.text[i + 1] == '"';
	}
	return to ? (struct import_cell){to, used} : cell;
}

enum sx_status cells_begin(struct cells *cells, struct import_job *job, struct import_lines lines,
			   struct import_cell header, struct sx_error *err)
{
	*cells = (struct cells){
	    .job = job, .lines = lines, .marks = {.separator = import_separator(header)}};
	size_t count = 1;
	for (size_t i = 0; i < header.size; i++)
		count += header.text[i] == cells->marks.separator;
	if (count > CELLS_COLUMNS_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d columns", job->request->path,
			  CELLS_COLUMNS_MAX);
		return SX_ERR_LIMIT;
	}
	/* One more, so that a line with too many cells shows. */
	cells->head = arena_alloc(&job->result->arena, count * sizeof(*cells->head));
	cells->row = arena_alloc(&job->result->arena, (count + 2) * sizeof(*cells->row));
	if (!cells->head || !cells->row)
		return error_nomem(err, "reading a table");
	cells->columns = import_split(header, cells->marks.separator, cells->head, count);
	/* Some writers end each line with a separator. */
	while (cells->columns && !cells->head[cells->columns - 1].size)
		cells->columns--;
	for (size_t i = 0; i < cells->columns; i++)
		cells->head[i] = undoubled(job, cells->head[i]);
	return SX_OK;
}

enum sx_status cells_begin_text(struct cells *cells, struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	import_header_line(&lines, &header);
	enum sx_status status = cells_begin(cells, job, lines, header, err);
	cells->loose = true;
	return status;
}

/* How much of a cell a message shows. */
static int shown(struct import_cell cell)
{
	return (int)(cell.size < 40 ? cell.size : 40);
}

void cells_name_once(struct cells *cells)
{
	struct strings names = {0};
	struct csv_tally *tally = &cells->tally;
	for (size_t i = 0; i < cells->columns; i++) {
		struct import_cell *head = &cells->head[i];
		bool added = true;
		if (head->size)
			strings_intern(&names, head->text, head->size, &added);
		if (added)
			continue;
		if (!tally->twice++)
			tally->first_twice = import_text(cells->job, head->text, head->size);
		head->size = 0;
	}
	strings_finish(&names);
}

/* Splits a line from its end: what is too much belongs to the first cell. */
static size_t split_wide(struct cells *cells, struct import_cell line)
{
	size_t at = line.size;
	for (size_t left = cells->columns - 1; left && at; at--)
		left -= line.text[at - 1] == cells->marks.separator;
	struct import_cell rest = {line.text + at + 1, line.size - at - 1};
	cells->row[0] = (struct import_cell){line.text, at};
	return 1 + import_split(rest, cells->marks.separator, cells->row + 1, cells->columns);
}

static size_t cells_split(struct cells *cells, struct import_cell line)
{
	size_t count = import_split(line, cells->marks.separator, cells->row, cells->columns + 2);
	bool wide = cells->wide_first && cells->columns > 1 && count > cells->columns;
	return wide ? split_wide(cells, line) : count;
}

/* Whether a cell cannot be read, by the rules of any table. Where nothing is quoted, quotes are
 * text. */
static bool cells_wrong(const struct cells *cells, size_t count, enum csv_wrong *why)
{
	for (size_t i = 0; i < count && i < cells->columns; i++) {
		struct import_cell cell = cells->row[i];
		if (memchr(cell.text, '\0', cell.size)) {
			*why = CSV_WRONG_NUL;
			return true;
		}
		/* The quotes around a cell are left out, but for one that goes on after them. */
		bool begins = cell.size && cell.text[0] == '"' && cell.text[-1] != '"';
		if (begins && !cells->wide_first && memchr(cell.text + 1, '"', cell.size - 1)) {
			*why = CSV_WRONG_QUOTED;
			return true;
		}
	}
	return false;
}

bool cells_next(struct cells *cells)
{
	struct import_cell line;
	struct csv_odd_lines *narrow = &cells->tally.odd[CSV_ODD_SHORT];
	struct csv_unread *unread = &cells->tally.unread;
	while (cells->loose ? import_record(&cells->lines, cells->marks.separator, &line)
			    : import_line(&cells->lines, &line)) {
		size_t count = cells_split(cells, line);
		if (count == 1 && !cells->row[0].size)
			continue;
		/* A line that a writer did not end may lack cells, or digits of its last number. */
		if (cells->lines.unfinished && (!cells->loose || count < cells->columns)) {
			cells->cut = true;
			return false;
		}
		enum csv_wrong why =
		    count > cells->columns ? csv_too_wide(&cells->marks) : CSV_WRONG_NARROW;
		bool wrong = cells_wrong(cells, count, &why);
		if (!wrong && cells->loose && count < cells->columns) {
			for (size_t i = count; i < cells->columns; i++)
				cells->row[i] = (struct import_cell){"", 0};
			if (!narrow->count++)
				narrow->first = cells->lines.number;
			cells->rows++;
			return true;
		}
		bool trailing =
		    count > cells->columns && !cells->row[cells->columns].size &&
		    (count == cells->columns + 1 || !cells->row[cells->columns + 1].size);
		if (!wrong && (count == cells->columns || trailing)) {
			cells->rows++;
			return true;
		}
		if (!unread->count++) {
			unread->first = cells->lines.number;
			unread->why = why;
		}
	}
	return false;
}

enum sx_status cells_end(struct cells *cells, struct sx_error *err)
{
	const struct note_sink to = import_note_sink(cells->job);
	struct csv_tally *tally = &cells->tally;
	const struct csv_unread *unread = &tally->unread;
	if (cells->loose && unread->count > cells->rows)
		return csv_refuse_line(cells->job->request->path, unread->first, unread->why, err);
	tally->place = cells->job->place;
	tally->open_end = cells->lines.unfinished && !cells->cut;
	csv_note(tally, &to);
	return cells->cut ? import_cut(cells->job, cells->lines.number, err) : SX_OK;
}

struct import_cell cells_at(const struct cells *cells, size_t column)
{
	return column < cells->columns ? cells->row[column] : (struct import_cell){"", 0};
}

struct import_cell cells_text(struct cells *cells, size_t column)
{
	return undoubled(cells->job, cells_at(cells, column));
}

/* The number of a cell; false for no data, and for what is neither. */
static bool cells_read(struct cells *cells, struct import_cell text, struct csv_value *value)
{
	text = import_trim(text);
	const struct csv_cell cell = {.text = text.text, .size = text.size};
	return !csv_no_data(&cell) && csv_any_number(&cells->marks, &cell, value);
}

void cells_odd(struct cells *cells, size_t column)
{
	struct csv_odd_lines *odd = &cells->tally.odd[CSV_ODD_CELLS];
	struct import_cell head = cells->head[column], cell = cells->row[column];
	if (odd->count++)
		return;
	odd->first = cells->lines.number;
	odd->column = import_text(cells->job, head.text, head.size);
	odd->text = import_text(cells->job, cell.text, cell.size < 60 ? cell.size : 60);
}

/* The same of a column of the row; what is neither is noted. */
static bool cells_value(struct cells *cells, size_t column, struct csv_value *value)
{
	struct import_cell cell = cells_at(cells, column);
	if (cells_read(cells, cell, value))
		return true;
	if (!import_no_data(cell))
		cells_odd(cells, column);
	return false;
}

bool cells_number(struct cells *cells, size_t column, double *value)
{
	struct csv_value number;
	bool is = cells_value(cells, column, &number);
	*value = is ? number.f : *value;
	return is;
}

void cells_put(struct cells *cells, size_t column, struct import_rows *rows, uint32_t to,
	       size_t row)
{
	struct import_cell cell = cells_at(cells, column);
	struct csv_value value;
	if (to == SX_NONE || (cell.size && import_set_exact(rows, to, row, cell)) ||
	    !cells_value(cells, column, &value))
		return;
	if (value.whole)
		import_set_u64(rows, to, row, value.u);
	else
		import_set(rows, to, row, value.f);
}

/* "0.50000 ms": RenderDoc of 2019 to 2021 wrote units into cells. The cell is cut to the number. */
static double cells_own_unit(struct import_cell *cell)
{
	const char *blank = memchr(cell->text, ' ', cell->size);
	size_t size = blank ? (size_t)(blank - cell->text) : 0;
	double to_ns =
	    blank ? import_time_unit((struct import_cell){blank + 1, cell->size - size - 1}) : 0;
	cell->size = to_ns > 0 ? size : cell->size;
	return to_ns;
}

uint64_t cells_time(struct cells *cells, size_t column, double to_ns)
{
	struct csv_value value;
	struct import_cell cell = cells_at(cells, column);
	double own = cells_own_unit(&cell);
	to_ns = own > 0 ? own : to_ns;
	if (cells_read(cells, cell, &value)) {
		if (to_ns == 1 && value.whole && import_time_can_be(value.u))
			return value.u;
		if (value.f >= 0 && value.f * to_ns < 0x1p62)
			return (uint64_t)(value.f * to_ns + 0.5);
	}
	if (!import_no_data(cell))
		import_remark(cells->job,
			      "column %.*s has times that are below 0, a century off or no "
			      "numbers: they were left out",
			      shown(cells->head[column]), cells->head[column].text);
	return SX_TIME_UNKNOWN;
}
