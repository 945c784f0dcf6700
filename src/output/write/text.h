/* Tables and paragraphs for a terminal: columns sized to their content, cut to the width. */
#ifndef OUTPUT_WRITE_TEXT_H
#define OUTPUT_WRITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum text_align { TEXT_LEFT, TEXT_RIGHT };
enum text_style { TEXT_PLAIN, TEXT_BOLD, TEXT_DIM, TEXT_RED, TEXT_YELLOW, TEXT_GREEN };

/* How to write to one stream. */
struct text_target {
	FILE *out;
	int width; /* columns */
	bool color;
	bool terminal; /* somebody looks at it, perhaps through a pager */
	bool ascii;    /* the locale has nothing else */
};

struct text_column {
	const char *title;
	enum text_align align;
	/*
	 * When the table is too wide, columns with a min are cut (with an ellipsis) down to it, the
	 * highest rank first; a column without is never cut.
	 */
	int rank;
	size_t min;
	/* Text that would be cut stands on a line of its own instead; for the first column. */
	bool spill;
	/* What is cut loses its middle, and no two different ones are cut to the same. */
	bool middle;
};

struct text_table;

/* A table of `count` columns; titles are copied. NULL when memory is out. */
struct text_table *text_table_create(const struct text_column *columns, size_t count);
void text_table_destroy(struct text_table *table);
/* Adds a row of `count` cells (copied; NULL is empty). false when memory is out. */
bool text_table_row(struct text_table *table, const char *const *cells, enum text_style style);
/* A line across all columns: a heading within the table. */
bool text_table_heading(struct text_table *table, const char *text);
/* Writes and leaves the table as it is. Trailing blanks are never written. */
void text_table_write(struct text_table *table, const struct text_target *target);

/* Text as it stands in a line: controls, which might end it, are escaped, here and in all below. */
void text_write(FILE *out, const char *text);
/* A paragraph wrapped to the width, its lines indented. */
void text_wrap(const struct text_target *target, int indent, const char *text);
/* The same with all lines but the first two columns further in. */
void text_hang(const struct text_target *target, int indent, const char *text);
/* The same from a column on, behind what stands to its left, or below that where it is too long. */
void text_entry(const struct text_target *target, int column, const char *left, const char *text);
/* Text in a style, where the target has colours. */
void text_styled(const struct text_target *target, enum text_style style, const char *text);
/* A bold line of its own after an empty one. */
void text_heading(const struct text_target *target, const char *text);
/*
 * "  NAME      value", where the value begins at a column, or wrapped there below its name where it
 * is too long. NULL and "": nothing.
 */
void text_field(const struct text_target *target, int column, const char *name, const char *value);
/* Columns that UTF-8 text takes on a terminal. */
size_t text_width(const char *text);
/* Width of the terminal behind a stream, $COLUMNS, or 80. */
int text_terminal_width(FILE *out);

#endif
