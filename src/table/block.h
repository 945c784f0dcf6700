/* Whole blocks of rows that a caller writes column by column. */
#ifndef TABLE_BLOCK_H
#define TABLE_BLOCK_H

#include <sextant/table.h>

#define TABLE_BLOCK_COLUMNS_MAX 96

/* Where the caller writes new rows; arrays have one element a row and belong to the table. */
struct table_block {
	size_t first; /* index of the first row */
	uint64_t *begin_ns, *end_ns;
	uint64_t *context, *reason;		    /* labels */
	uint64_t *columns[TABLE_BLOCK_COLUMNS_MAX]; /* of each column */
};

/*
 * Adds one row or more to a table of TABLE_BLOCK_COLUMNS_MAX columns at most, all of them u64.
 * Their values, times and labels are undefined until the caller writes them all; every value is
 * valid. The arrays last until the table changes. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_add_block(struct sx_table *table, size_t rows, struct table_block *out,
			       struct sx_error *err);

/* The times of all rows, to write; they last until the table changes. */
void table_times(struct sx_table *table, uint64_t **begin_ns, uint64_t **end_ns);
/* From here on its rows enclose what their values have told. */
void table_become(struct sx_table *table, enum sx_sample_kind kind);

/*
 * Gives `to` as many rows as `from` has, with its times and labels. Values of columns that have
 * memory are undefined until the caller writes them all, with their qualities; the others are not
 * collected. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_take_heads(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err);

#endif
