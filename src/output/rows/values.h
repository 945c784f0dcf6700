/* The values of a row as text, by the thousand: gathered in memory, without a call for each. */
#ifndef OUTPUT_ROWS_VALUES_H
#define OUTPUT_ROWS_VALUES_H

#include <sextant/table.h>

#include "catalog/units.h"
#include "output/write/json.h"

struct values;

/*
 * Values of tables with the columns of `like`, written to `out` in base units. NULL when memory is
 * out. `named`: with keys, as the members of an object are written.
 */
struct values *values_create(FILE *out, const struct units *units, const struct sx_table *like,
			     bool named);
/* Writes what is gathered and releases it; NULL is fine. */
void values_destroy(struct values *values);
/* Points at the table whose rows come next. */
void values_of(struct values *values, const struct sx_table *table);
/* Writes what is gathered, before somebody else writes to the same stream. */
void values_flush(struct values *values);

/* All values of a row, each behind a comma unless it is the first: CSV, whose empty is no data. */
void values_csv(struct values *values, size_t row, bool first);
/* The same as elements (", ") or members (",") of JSON; null is no data. */
void values_json(struct values *values, size_t row, bool first);
/* Some text between. */
void values_text(struct values *values, const char *text);

#endif
