/* Cells of CSV text, one after another. */
#ifndef IMPORT_CSV_CELL_H
#define IMPORT_CSV_CELL_H

#include "import/csv.h"

struct csv_cursor {
	const char *p, *end;
	const char *origin;
	size_t line;
	char scratch[CSV_CELL_MAX]; /* a quoted cell without its quotes */
};

/* One cell, unquoted and trimmed; not terminated, valid until the next one is read. */
struct csv_cell {
	const char *text;
	size_t size;
	bool last; /* of its line */
};

/* Moves over blank lines and # comments; false at the end. */
bool csv_next_line(struct csv_cursor *c);
/* Reads the next cell and the comma or line end behind it. Errors: SX_ERR_BAD_INPUT. */
enum sx_status csv_read_cell(struct csv_cursor *c, struct csv_cell *cell, struct sx_error *err);
/* An error at the cursor's line. */
enum sx_status csv_bad(const struct csv_cursor *c, struct sx_error *err, const char *because,
		       const char *fmt, ...) SX_PRINTF(4, 5);

bool csv_no_data(const struct csv_cell *cell);
/* A finite number, and whether it is a whole one that u64 holds. */
bool csv_number(const struct csv_cell *cell, bool *whole, uint64_t *u, double *f);

/*
 * The quick way for what nearly every cell is: digits up to the comma or line end. Consumes all of
 * it, or nothing and returns false.
 */
static inline bool csv_quick_number(struct csv_cursor *c, uint64_t *value, bool *last)
{
	const char *p = c->p;
	uint64_t number = 0;
	unsigned digit;
	while (p < c->end && (digit = (unsigned)((unsigned char)*p - '0')) <= 9) {
		number = number * 10 + digit;
		p++;
	}
	/* 19 digits always fit. */
	if (p == c->p || p - c->p > 19 || p >= c->end)
		return false;
	if (*p == '\r' && p + 1 < c->end && p[1] == '\n')
		p++;
	if (*p != ',' && *p != '\n')
		return false;
	*value = number;
	*last = *p == '\n';
	c->p = p + 1;
	return true;
}

#endif
