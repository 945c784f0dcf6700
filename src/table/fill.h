/* Columns for those who fill them by the thousand, and why one has no data. */
#ifndef TABLE_FILL_H
#define TABLE_FILL_H

#include <sextant/table.h>

/* Sets why a whole column has no data (copied). Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_set_why(struct sx_table *table, uint32_t column, const char *why);
/* Writable values of a column (uint64_t or double by type), and its quality bytes. */
void *table_data(struct sx_table *table, uint32_t column);
/* See table_data(). Never NULL for a valid column with rows. */
uint8_t *table_quality(struct sx_table *table, uint32_t column);

struct spill;
/*
 * Of a table without rows: from here on its arrays are of a spill, which outlives it. Whoever goes
 * over many of its rows tells the spill (spill_row()).
 */
void table_spill(struct sx_table *table, struct spill *file);
/* Says that so many rows were read, in order: those of arrays in a file may leave memory. */
void table_pass(const struct sx_table *table, size_t rows);

/* Of a column: a value and a quality for each of a table's rows, as the table has them. */
struct table_arrays {
	void *data; /* uint64_t or double by the column's type; 0 or NaN where there is no data */
	uint8_t *quality;
	size_t data_cap, quality_cap;
};

/*
 * Gives a column without values such arrays, which are of malloc() or of the table's spill; what
 * the table did not take is left in *arrays. Errors: SX_ERR_USAGE (no such column, or it has
 * values), SX_ERR_NO_MEMORY.
 */
enum sx_status table_adopt(struct sx_table *table, uint32_t column, struct table_arrays *arrays);

struct row_span {
	size_t first, count;
};

/*
 * Gives rows of a column one quality at once, for a writer that fills table_data()
 * itself; rows that are filled with 0 stay as quick to evaluate as if set one by one. Errors:
 * SX_ERR_USAGE (rows or column out of range), SX_ERR_NO_MEMORY.
 */
enum sx_status table_fill_quality(struct sx_table *table, uint32_t column, struct row_span rows,
				  uint8_t quality, struct sx_error *err);

/*
 * Of totals: whether a ratio that was given is the mean of the rows' ratios, since nothing there is
 * makes that of the whole.
 */
void table_set_of_rows(struct sx_table *table, uint32_t column, bool is);
bool table_is_of_rows(const struct sx_table *table, uint32_t column);

#endif
