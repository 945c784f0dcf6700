/*
 * Rows that are put together of frames and of slices of time: sums of the frames alone stand beside
 * them, of which metrics of frames are worked out.
 */
#ifndef TABLE_FRAMES_H
#define TABLE_FRAMES_H

#include <sextant/table.h>

#include "table/fill.h"

/* A table with as many rows and the same columns, each row the frames alone; often `table`. */
const struct sx_table *frames_of_table(const struct sx_table *table);
/*
 * From here on the rows of a table have frames of their own; those that it has are frames, or told
 * apart by themselves. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status frames_begin(struct sx_table *table, struct sx_error *err);
/*
 * Adds rows of a table with the same columns, and what it has of their frames alone; totals stay
 * totals. `vectors` has room for all columns. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status frames_append(struct sx_table *to, const struct sx_table *from, struct row_span rows,
			     struct sx_vector *vectors, struct sx_error *err);

#endif
