/*
 * Rows of a block by whose they are, those of one part in their order: of columns that were
 * measured together, and so have the same quality, they are sorted once.
 */
#ifndef TABLE_SORTED_H
#define TABLE_SORTED_H

#include "table/parts.h"

/* Rows with data, those that they stand for, and all others. */
struct total_span {
	struct extent with, skipped, lost;
	struct extent
	    uncounted; /* of the lost rows, those in which something was: gaps, disturbed */
};

/* Adjacent rows, and how much they are together. */
struct run {
	const struct sx_table *table;
	struct parts_rows rows;
	uint64_t parts; /* bits of those that they are of */
	struct extent all;
};

/* The rows of one part. */
struct sorted_part {
	struct total_span span;
	size_t first, count; /* those with data, in `order` */
	uint8_t quality;     /* of the rows with data */
	uint8_t absence;     /* no-data bits of the others */
};

/* Where `done` and `measured` are false, nothing else need be set. */
struct sorted {
	bool done, measured;
	uint8_t quality[PARTS_BLOCK]; /* that the rest is of */
	uint16_t order[PARTS_BLOCK];  /* rows from the first of the run on */
	struct extent each[PARTS_BLOCK];
	struct sorted_part part[PARTS_MAX]; /* those of the run */
};

/* Sorts a run's rows as a column of it has them, which may have no data. */
void sorted_column(struct sorted *sorted, const struct slices *slices, const struct run *run,
		   const struct sx_vector *from);

#endif
