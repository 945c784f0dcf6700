/*
 * The rows of a table by whose they are, so that sums over neighbours of one part are differences:
 * how much rows are is asked once for each row, and not for each of its columns.
 */
#ifndef ANALYSIS_SAMPLED_ROWS_H
#define ANALYSIS_SAMPLED_ROWS_H

#include "table/parts.h"

struct sampled_size {
	struct extent extent;
	uint64_t rest;		     /* time in parts of slices, where it is known; else samples */
	uint64_t idle[BASIS_DEVICE]; /* samples without a call of this kind */
};

/* Zero-initialise; then sampled_rows_look(). Places: rows of part 0, then of part 1 ... */
struct sampled_rows {
	uint32_t *order;	     /* [place]: its row */
	struct sampled_size *before; /* [place]: all before it */
	size_t first[PARTS_MAX + 1]; /* [part]: its first place */
	bool straight;		     /* each row is in its own place */
	struct extent *each;	     /* [row] */
	size_t order_cap, before_cap, each_cap;
};

/* `of`: whose each row of the table is. False when memory is out. */
bool sampled_rows_look(struct sampled_rows *rows, const struct parts *parts,
		       const struct sx_table *raw, const uint8_t *of);
/* How much `count` places from `first` on are. */
void sampled_rows_size(const struct sampled_rows *rows, size_t first, size_t count,
		       struct sampled_size *out);
/* How many from there on, at most `most`, have one quality; that is 0 where there is none. */
size_t sampled_rows_alike(const struct sampled_rows *rows, const struct sx_vector *v, size_t first,
			  size_t most, uint8_t *quality);
/* Their values; `room` has place for these. */
const double *sampled_rows_values(const struct sampled_rows *rows, const struct sx_vector *v,
				  size_t first, size_t count, double *room);
void sampled_rows_finish(struct sampled_rows *rows);

#endif
