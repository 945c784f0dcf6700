/* Appending whole blocks of valid u64 values, row by row as decoders have them. */
#ifndef TABLE_BLOCK_H
#define TABLE_BLOCK_H

#include <sextant/table.h>

/* Every column of the table is u64 and gets a value; arrays have one element a row. */
struct table_block {
	size_t rows;
	const uint64_t *values; /* row after row */
	size_t stride;		/* values from one row to the next */
	const uint8_t *picks;	/* column i takes values[picks[i]] of its row */
	const uint64_t *begin_ns, *end_ns;
	const uint64_t *context, *reason; /* labels */
};

/* Appends the block; *first receives the index of its first row. Errors: SX_ERR_NO_MEMORY. */
enum sx_status table_append_block(struct sx_table *table, const struct table_block *block,
				  size_t *first, struct sx_error *err);

/*
 * Gives `to` as many rows as `from` has, with its times and labels. Values of columns that have
 * memory are undefined until the caller writes them all, with their qualities; the others are not
 * collected. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status table_take_heads(struct sx_table *to, const struct sx_table *from,
				struct sx_error *err);

#endif
