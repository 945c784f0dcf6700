/*
 * Strata: samples that represent each other. Each program and each of its contexts has a number
 * from 0, and of these its first frames, the others, and time slices, in order of appearance. Which
 * samples are left out depends on the cost of each program, so each stratum is scaled by itself.
 */
#ifndef TABLE_PARTS_H
#define TABLE_PARTS_H

#include <sextant/table.h>

#include "table/slices.h"

#define PARTS_MAX 64 /* strata; all further ones share the last number */
/* Of so many, those for contexts that have their first frames apart: two for each. */
#define PARTS_FIRST(most) ((most) / 4)
#define PARTS_BLOCK	  1024 /* rows that are looked at together */

struct part_key {
	const char *process; /* or a command's name; owned where kept; NULL: rows without one */
	uint64_t context;    /* or SX_LABEL_ABSENT */
	enum slices_class of;
};

/* Zero-initialise; then parts_begin(). */
struct parts {
	struct slices slices;
	bool by_name; /* rows are commands: those of one name represent each other, in any queue */
	struct part_key *keys;
	size_t cap;
	uint32_t count;
	uint32_t most; /* at most so many numbers; 0: PARTS_MAX */
	bool shared;   /* the last number is of several strata */
};

/* Adjacent rows: the stratum and the size of each, by which rows with data represent others. */
struct parts_rows {
	const struct sx_table *table;
	size_t first, count;
	bool one; /* all are of one: of[0] */
	uint8_t of[PARTS_BLOCK];
	uint8_t classes[PARTS_BLOCK]; /* class of each: enum slices_class */
	struct extent all;	      /* how much they are together */
	bool measured;		      /* `each` holds the size of each: see parts_measure() */
	struct extent each[PARTS_BLOCK];
};

/* Columns such as those of this table say what rows are; it may be destroyed. */
void parts_begin(struct parts *parts, const struct sx_table *like);
/*
 * Finds the strata of `count` rows from `first` on, at most PARTS_BLOCK of them (rows->count), and
 * how much they are together. One that there is no memory for shares the last number.
 */
void parts_note(struct parts *parts, const struct sx_table *table, struct row_span span,
		struct parts_rows *rows);
/* Finds the size of each of these rows, unless it is known. */
void parts_measure(const struct parts *parts, struct parts_rows *rows);
/* The stratum of a row, of all blocks of a table. */
static inline uint8_t parts_number(const struct parts_rows *blocks, size_t row)
{
	const struct parts_rows *block = &blocks[row / PARTS_BLOCK];
	return block->of[block->one ? 0 : row % PARTS_BLOCK];
}
/* The size of a row that was measured, likewise. */
static inline const struct extent *parts_extent(const struct parts_rows *blocks, size_t row)
{
	return &blocks[row / PARTS_BLOCK].each[row % PARTS_BLOCK];
}
/* The number here of a stratum of `other`, or PARTS_MAX. */
uint32_t parts_find(const struct parts *parts, const struct parts *other, uint32_t number);
/*
 * The part that represents one of which nothing was measured: the most alike of the same context of
 * which something was (bits of `measured`); PARTS_MAX: none. *slices: whether either is slices of
 * time, which represent frames never by their number, nor frames them.
 */
uint32_t parts_proxy(const struct parts *parts, uint32_t number, uint64_t measured, bool *slices);
/* Whether rows of this number are slices of time. */
bool parts_are_slices(const struct parts *parts, uint32_t number);
/* Removes all strata and frees their memory. */
void parts_finish(struct parts *parts);

#endif
