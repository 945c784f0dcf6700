/* Cells of CSV text, one after another. */
#ifndef IMPORT_READ_CSV_CELL_H
#define IMPORT_READ_CSV_CELL_H

#include "base/number.h"
#include "import/formats.h"
#include "import/read/csv/csv.h"

/* A cell never needs more than this many bytes at once: blanks before it are skipped on their own.
 */
#define CSV_AHEAD 16384

/* What stands between cells, and before fractions. */
struct csv_marks {
	char separator;
	bool decimal_comma; /* some number had one, beyond doubt */
	bool decimal_point; /* the same of a point */
};

/* A place in the text. Of a source, only a window of the text is in memory. */
struct csv_cursor {
	const char *p, *end;
	bool more; /* the source may have more behind `end` */
	const char *origin;
	size_t line;
	struct csv_marks marks;
	const struct csv_source *source; /* NULL: all of the text is in memory */
	char *window;			 /* of a source; owned */
	size_t source_bytes;		 /* read so far */
	bool open_end;			 /* the last cell had no line end behind it */
	int read_errno;			 /* the source failed; its text ends here */
	char scratch[CSV_CELL_MAX];	 /* a quoted cell without its quotes */
};

/* One cell, unquoted and trimmed; not terminated, valid until the next one is read. */
struct csv_cell {
	const char *text;
	size_t size;
	bool last; /* of its line */
	bool cut;  /* CSV_CELL_MAX has no room for all of it */
};

/* Reads the source's next bytes behind what is left of the window; sets `more` and read_errno. */
void csv_fill(struct csv_cursor *c);

/* Makes sure that CSV_AHEAD bytes are in memory, or all there are. What `p` pointed at may move. */
static inline void csv_ahead(struct csv_cursor *c)
{
	if (c->more && c->end - c->p < CSV_AHEAD)
		csv_fill(c);
}

/* Moves over blank lines, # comments and a Markdown table's rule; false at the end. */
bool csv_next_line(struct csv_cursor *c);
/* Reads the next cell and the comma or line end behind it. Errors: SX_ERR_BAD_INPUT. */
enum sx_status csv_read_cell(struct csv_cursor *c, struct csv_cell *cell, struct sx_error *err);
/* An error at the cursor's line. */
enum sx_status csv_bad(const struct csv_cursor *c, struct sx_error *err, const char *because,
		       const char *fmt, ...) SX_PRINTF(4, 5);

/* Empty, dashes, "N/A" and the other words that stand for no data. */
static inline bool csv_no_data(const struct csv_cell *cell)
{
	return import_no_data((struct import_cell){cell->text, cell->size});
}
/* A finite number, and whether it is a whole one that u64 holds. */
bool csv_number(const struct csv_cell *cell, bool *whole, uint64_t *u, double *f);

/*
 * A number with digits in groups of three ("1,234,567.8", "1 234"), or with a comma before its
 * fraction where commas do not separate cells. False also where both could be meant.
 */
bool csv_grouped(struct csv_marks *marks, const struct csv_cell *cell, bool *whole, uint64_t *u,
		 double *f);
/*
 * "1,234" where commas do not separate cells, and none is known to stand before fractions: a
 * fraction or a group, which other numbers of the file tell. *u is what it is as a group.
 */
bool csv_doubtful(const struct csv_marks *marks, const struct csv_cell *cell, uint64_t *u);
/* Whether a number has a point that can only stand before a fraction. */
bool csv_has_point(const struct csv_cell *cell);
/* "1.234.567": a whole number, where no point stands before fractions. */
bool csv_groups_of_points(const struct csv_cell *cell);
/* "2.000" where commas are known to stand before fractions: a whole number in groups of three. */
bool csv_pointed(const struct csv_marks *marks, const struct csv_cell *cell, uint64_t *u);
/* Finds the separator, at the beginning of the text: moves over a line "sep=". */
void csv_find_separator(struct csv_cursor *c);

/*
 * The quick way for what nearly every cell is: digits up to the comma or line end. Consumes all of
 * it, or nothing and returns false.
 */
static inline bool csv_quick_number(struct csv_cursor *c, uint64_t *value, bool *last)
{
	static const uint32_t powers[] = {1,	  10,	   100,	     1000,     10000,
					  100000, 1000000, 10000000, 100000000};
	csv_ahead(c);
	const char *p = c->p;
	uint64_t number = 0, some;
	unsigned digit, count = 8;
	for (; count == 8 && c->end - p >= 8; p += count) {
		count = number_digits8(p, &some);
		number = number * powers[count] + some;
	}
	while (p < c->end && (digit = (unsigned)((unsigned char)*p - '0')) <= 9) {
		number = number * 10 + digit;
		p++;
	}
	/* 19 digits always fit. */
	if (p == c->p || p - c->p > 19 || p >= c->end)
		return false;
	if (*p == '\r' && p + 1 < c->end && p[1] == '\n')
		p++;
	if (*p != c->marks.separator && *p != '\n')
		return false;
	*value = number;
	*last = *p == '\n';
	c->p = p + 1;
	return true;
}

/* A header, or what we call the column that a tool calls so; static storage. Thread-safe. */
struct import_cell csv_our_word(struct import_cell head);

#endif
