/*
 * Rows on their way from a source that makes them itself (RAW_ROWS): memory for their numbers,
 * times and programs' names, shared by the sources that give a row a program.
 */
#ifndef SOURCE_SHEET_H
#define SOURCE_SHEET_H

#include <sextant/sample.h>
#include "base/sys.h"

#define SHEET_NAME_SIZE 64 /* "name (pid)" */

/* Zero-initialise, set column_count; sheet_finish() in every case. */
struct sheet {
	uint32_t column_count;
	/* The rest is this file's. */
	size_t cap;
	uint64_t *values; /* or doubles; a column after the other */
	uint8_t *qualities;
	uint64_t *begins, *ends, *labels;
	char (*names)[SHEET_NAME_SIZE];
	const char **strings;
	struct sx_vector *vectors;
	struct sx_rows out; /* what a sample points to */
};

/* Makes room for so many rows, which are then empty; false when memory is out. */
bool sheet_grow(struct sheet *sheet, size_t count);
/* A number as its 64 bits. */
void sheet_put(struct sheet *sheet, uint32_t column, size_t row, uint64_t bits, uint8_t quality);
/* Whose row it is. */
void sheet_name(struct sheet *sheet, size_t row, const char *name, pid_t pid);
/* What all rows of a sheet have. */
struct sheet_head {
	const struct sx_column *columns; /* the columns' types */
	bool named;			 /* each row has a program */
	uint64_t begin_ns, end_ns;
};
/* Fills sheet->out with `count` rows. */
void sheet_give(struct sheet *sheet, size_t count, const struct sheet_head *head);
void sheet_finish(struct sheet *sheet);

#endif
