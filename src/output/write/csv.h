/* RFC 4180: fields quoted where they must be, CRLF-free lines as every Unix tool reads them. */
#ifndef OUTPUT_WRITE_CSV_H
#define OUTPUT_WRITE_CSV_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "catalog/units.h"

struct csv {
	FILE *out;
	bool used; /* the line has a field */
};

void csv_text(struct csv *csv, const char *text); /* NULL: empty */
/* Which units are written after names: others than the catalog's, those with a symbol, or each. */
enum csv_units { CSV_UNITS_OTHER, CSV_UNITS_SYMBOLS, CSV_UNITS_EACH };
/* The head of a column in base units: "frame_time (s)" where the catalog's unit is another. */
void csv_column(struct csv *csv, const struct units *units, const char *name, const char *unit,
		enum csv_units which);
void csv_u64(struct csv *csv, uint64_t value);
void csv_f64(struct csv *csv, double value); /* not finite: empty */
void csv_end_line(struct csv *csv);

#endif
