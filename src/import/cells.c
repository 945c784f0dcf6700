/* Tables in text, a line a row. */
#include "import/cells.h"

#include "base/number.h"
#include "import/internal.h"
#include "import/times.h"

enum sx_status cells_begin(struct cells *cells, struct import_job *job, struct import_lines lines,
			   struct import_cell header, struct sx_error *err)
{
	*cells = (struct cells){.job = job, .lines = lines, .separator = import_separator(header)};
	size_t count = 1;
	for (size_t i = 0; i < header.size; i++)
		count += header.text[i] == cells->separator;
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
	cells->columns = import_split(header, cells->separator, cells->head, count);
	/* Some writers end each line with a separator. */
	while (cells->columns && !cells->head[cells->columns - 1].size)
		cells->columns--;
	return SX_OK;
}

bool cells_next(struct cells *cells)
{
	struct import_cell line;
	while (import_line(&cells->lines, &line)) {
		size_t count = import_split(line, cells->separator, cells->row, cells->columns + 2);
		if (count == 1 && !cells->row[0].size)
			continue;
		/* A line that a writer did not end may lack cells, or digits of its last number. */
		if (cells->lines.unfinished && (!cells->loose_end || count < cells->columns)) {
			cells->cut = true;
			return false;
		}
		bool trailing = count == cells->columns + 1 && !cells->row[cells->columns].size;
		if (count == cells->columns || trailing)
			return true;
		if (!cells->odd++)
			cells->first_odd = cells->lines.number;
	}
	return false;
}

enum sx_status cells_end(struct cells *cells, struct sx_error *err)
{
	if (cells->odd)
		import_tell(cells->job,
			    "%zu lines were left out: they have not as many cells as the header; "
			    "line %zu is the first",
			    cells->odd, cells->first_odd);
	if (cells->lines.unfinished && !cells->cut)
		import_tell(cells->job,
			    "the last line has no end: if the file was cut there, its last number "
			    "lacks digits");
	return cells->cut ? import_cut(cells->job, cells->lines.number, err) : SX_OK;
}

size_t cells_find(const struct cells *cells, const char *name)
{
	for (size_t i = 0; i < cells->columns; i++)
		if (import_is(cells->head[i], name))
			return i;
	return SIZE_MAX;
}

struct import_cell cells_at(const struct cells *cells, size_t column)
{
	return column < cells->columns ? cells->row[column] : (struct import_cell){"", 0};
}

uint64_t cells_ns(const struct cells *cells, size_t column)
{
	uint64_t whole;
	double value;
	struct import_cell cell = cells_at(cells, column);
	if (cell.size && number_u64(cell.text, cell.size, &whole) && import_time_can_be(whole))
		return whole;
	if (import_number(cell, &value) && value >= 0 && value < 0x1p62)
		return (uint64_t)(value + 0.5);
	if (!import_no_data(cell))
		cells_bad_time(cells->job, cells->head[column]);
	return SX_TIME_UNKNOWN;
}

void cells_bad_time(struct import_job *job, struct import_cell column)
{
	import_tell(job,
		    "column %.*s has times that are below 0, a century off or no numbers: they "
		    "were left out",
		    (int)(column.size < 80 ? column.size : 80), column.text);
}
