/* Tables and paragraphs for a terminal: columns sized to their content, cut to the width. */
#ifndef OUTPUT_WRITE_TEXT_H
#define OUTPUT_WRITE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "catalog/units.h"

enum text_align { TEXT_LEFT, TEXT_RIGHT };
enum text_style { TEXT_PLAIN, TEXT_BOLD, TEXT_DIM, TEXT_RED, TEXT_YELLOW, TEXT_GREEN };

/* How to write to one stream. */
struct text_target {
	FILE *out;
	int width; /* columns */
	bool color;
	bool terminal; /* an interactive terminal, perhaps through a pager */
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
	/* A text that would be cut has a line of its own instead; for the first column. */
	bool own_line;
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

/* Text within a line: controls, which might end it, are escaped, here and in all below. */
void text_write(FILE *out, const char *text);
/* A paragraph wrapped to the width, its lines indented. */
void text_wrap(const struct text_target *target, int indent, const char *text);
/* The same with all lines but the first two columns further in. */
void text_hang(const struct text_target *target, int indent, const char *text);
/* The same from a column on, after the text to its left, or below that where it is too long. */
void text_entry(const struct text_target *target, int column, const char *left, const char *text);
/* The rest of a line of which so many columns are written, wrapped behind them. */
void text_continue(const struct text_target *target, int column, const char *text);
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

/*
 * A stream that writes its UTF-8 to `to` in ASCII; a character without a likeness there is escaped
 * ("\u6f22"), so that names stay apart. `to` outlives it, is flushed whenever the stream is, and
 * keeps the error of a write that fails. Closed by fclose(), which leaves `to` open. NULL when
 * memory is out.
 */
FILE *ascii_open(FILE *to);
/*
 * The text as such a stream writes it, owned by the caller, so that its columns can be counted.
 * NULL: it is ASCII already, or memory is out.
 */
char *ascii_spell(const char *text);

/* A text and its place; cut_end() and cut_apart() work out the rest. */
struct cut {
	const char *text;
	size_t width;	      /* columns that there are for it */
	const char *head_end; /* what is shown: text to head_end, ... */
	const char *part, *part_end;
	const char *tail; /* ... a part of the middle (or NULL), the end of the text (or NULL) */
	unsigned number;  /* and this, where the rest is not unique; 0: nothing */
};

/* Columns that a text takes on a terminal. */
size_t cut_columns(const char *begin, const char *end);
/* Shortens a text at its end; `dots` replace what is left out. */
void cut_end(struct cut *cut, const char *dots);
/*
 * Shortens each in its middle (or its end), and elsewhere where two different ones would look
 * alike. The order of the pointers changes; what comes out depends on the texts and widths alone.
 */
void cut_apart(struct cut **cuts, size_t count, bool middle, const char *dots);
/* Columns of what cut_write() writes. */
size_t cut_width(const struct cut *cut, const char *dots);
void cut_write(const struct cut *cut, const char *dots, FILE *out);

#define HUMAN_MAX 32

/* What the formats need to know of units; read once. */
struct human {
	struct units units;
};

void human_init(struct human *human);

/*
 * Formats a value with its unit's prefix ("12.3 M", "4.56 GiB", "16.7 ms", "87.0 %"); NaN is "-".
 * The unit's symbol is part of the text where the prefix needs it (bytes, time, rates of these,
 * percent); otherwise human_unit() belongs beside it. An unknown unit is a plain count.
 */
void human_value(const struct human *human, char buf[HUMAN_MAX], double value, const char *unit);
/* What to write in a column of units: "" where human_value() already shows it. */
const char *human_unit(const struct human *human, const char *unit);
/* "16.7 ms" as "16.7ms", for narrow columns. */
void human_cell(const struct human *human, char buf[HUMAN_MAX], double value, const char *unit);
/* A unit beside a number: "" where the number says it, and of quotients only rates. */
const char *human_cell_unit(const struct human *human, const char *unit);
/* A duration in ns: "12.3 ms", "2.00 s", "3 min 5 s". */
void human_duration(char buf[HUMAN_MAX], uint64_t ns);

#endif
