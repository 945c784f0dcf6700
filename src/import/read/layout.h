/*
 * Where a table stands in a text: below which lines, what separates its cells, which line has the
 * units, and which lines are none of its rows.
 */
#ifndef IMPORT_READ_LAYOUT_H
#define IMPORT_READ_LAYOUT_H

#include "import/formats.h"

struct layout {
	char separator;	 /* ' ': blanks, however many */
	bool marked;	 /* the header is a comment: what its # is of is no part of it */
	bool grouped;	 /* names have their group's before them */
	bool text_first; /* rows begin with a text */
	bool first;	 /* the header is the first line that is no # comment */
	bool plain;	 /* and says all that there is */
	size_t columns;	 /* of the header */
	size_t header, units, group; /* lines, from 1; 0: there is none */
};

/* Lines that are none of the table's, and no # comments. */
struct layout_told {
	size_t lines, first; /* line */
	char text[64];	     /* the first one's beginning */
};

/*
 * Finds the table of most cells in the first lines: rows of one number of cells, each with a
 * number, below a line of as many words. false: there is none, or memory is out.
 */
bool layout_find(const char *text, size_t size, struct layout *layout);
/*
 * Writes the text again as a plain table: units stand behind the names of the header, which have
 * their group's before them where they are `grouped`; blanks between cells are tabs; lines that
 * are no rows are blank, so that all others keep their numbers. The data is replaced; where there
 * is nothing to change, it stays. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status layout_write(const struct layout *layout, struct import_bytes *bytes,
			    struct layout_told *told, struct sx_error *err);

/* For the two above: what a cell is. */
enum layout_cell { LAYOUT_NOTHING, LAYOUT_NUMBER, LAYOUT_UNIT, LAYOUT_WORD };
struct units;
enum layout_cell layout_cell(const struct units *units, struct import_cell cell);
/* Cells of a line, of which a # at the begin is left out. */
size_t layout_split(struct import_cell line, char separator, struct import_cell *cells, size_t max);
/* Whether a line is a comment of another kind than #. */
bool layout_is_comment(struct import_cell line, char separator);

#endif
