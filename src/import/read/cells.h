/* A table in text with a header line: rows of cells, and what is wrong with some of them. */
#ifndef IMPORT_READ_CELLS_H
#define IMPORT_READ_CELLS_H

#include "import/formats.h"
#include "import/read/csv/cell.h"

#define CELLS_COLUMNS_MAX 65536

struct cells {
	struct import_job *job;
	struct import_lines lines;
	struct csv_marks marks;
	struct import_cell *head; /* of the header line */
	struct import_cell *row;  /* of the row at hand, as many as head */
	size_t columns;
	size_t odd, first_odd;	     /* lines with too few or too many cells, which are left out */
	size_t wider;		     /* of them with too many */
	size_t first_wider;	     /* line */
	size_t narrow, first_narrow; /* lines of a loose writer that lack cells: no data */
	struct import_odd garbage;   /* cells that should be numbers and are not */
	bool wide_first; /* the writer quotes nothing, and the first cell may hold separators */
	/*
	 * The writer is not known: lines may lack cells, digits may be in groups, and the last line
	 * may have no end; else it is cut.
	 */
	bool loose;
	bool even;     /* a line with too many cells is an error */
	bool cut;      /* the last line breaks off */
	char *scratch; /* of cells_text(), the result's */
	size_t scratch_size;
};

/*
 * Begins at a header line; `lines` stands behind it. The arrays are the result's. Errors:
 * SX_ERR_NO_MEMORY, SX_ERR_LIMIT.
 */
enum sx_status cells_begin(struct cells *cells, struct import_job *job, struct import_lines lines,
			   struct import_cell header, struct sx_error *err);
/* Leaves columns out whose name one before them has: their heads are empty then. */
void cells_name_once(struct cells *cells);
/* The next row that is whole; blank lines are passed over. */
bool cells_next(struct cells *cells);
/* Tells what was left out. SX_INCOMPLETE when the last line breaks off; SX_ERR_BAD_INPUT: `even`.
 */
enum sx_status cells_end(struct cells *cells, struct sx_error *err);
/* Index of a column by its name (case does not matter), or SIZE_MAX. */
size_t cells_find(const struct cells *cells, const char *name);
/* The cell of a column of the row; empty for SIZE_MAX. */
struct import_cell cells_at(const struct cells *cells, size_t column);
/* The text of such a cell with doubled quotes as one; lives until the next call. */
struct import_cell cells_text(struct cells *cells, size_t column);
/* The number of such a cell; false for no data, and for what is neither, which cells_end() tells.
 */
bool cells_number(struct cells *cells, size_t column, double *value);
/* Puts it into a column of rows, if it has one; digits alone stay exact. */
void cells_put(struct cells *cells, size_t column, struct import_rows *rows, uint32_t to,
	       size_t row);
/* A time in whole ns of such a cell; SX_TIME_UNKNOWN where there is none, told if it cannot be. */
uint64_t cells_ns(const struct cells *cells, size_t column);
/* Tells that a column holds times that cannot be. */
void cells_bad_time(struct import_job *job, struct import_cell column);

#endif
