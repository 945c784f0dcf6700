/* The state of a total, shared by the file that adds and the file that writes rows. */
#ifndef TABLE_TOTAL_STATE_H
#define TABLE_TOTAL_STATE_H

#include "base/sum.h"
#include "table/cover.h"
#include "table/parts.h"
#include "table/total.h"

/* Rows with data, those that they represent, and all others. */
struct total_span {
	struct extent with, skipped, lost;
	struct extent
	    uncounted;	 /* of the lost rows, those in which something was: gaps, disturbed */
	uint8_t quality; /* of the rows with data */
	uint8_t absence; /* no-data bits of the others */
};

static inline void total_span_add(struct total_span *to, const struct total_span *more)
{
	extent_add(&to->with, &more->with);
	extent_add(&to->skipped, &more->skipped);
	extent_add(&to->lost, &more->lost);
	extent_add(&to->uncounted, &more->uncounted);
	to->quality |= more->quality;
	to->absence |= more->absence;
}

struct total_column {
	enum sx_type type;
	enum sx_reduce rule;
	enum basis basis; /* what they go by */
	struct total_span span;
	unsigned __int128 sum; /* u64, exact */
	struct sum fsum;       /* f64 */
	double weighted, weight;
	uint64_t unweighted; /* rows with data of unknown length */
	uint64_t pick;	     /* max or last */
	double fpick;
	uint64_t at; /* the number of the row that was last */
};

/* What frames are that rows alone do not add up to. */
struct total_pictures {
	uint32_t width, height, frame_count; /* columns, or SX_NONE */
	bool vary;			     /* they are of several sizes */
	uint64_t last;			     /* pixels of the last one; 0: there was none */
	double pixels, frames;		     /* of all, and how many they are */
	uint64_t ns;			     /* each for itself */
	struct cover cover;		     /* together */
};

/* What totals of the same columns share. */
struct total_like {
	struct sx_table *table; /* no rows; owns the descriptors */
	size_t users;
};

struct total {
	struct total_like *like;
	const struct total *run;  /* see total_use(), or NULL */
	struct parts own, *parts; /* parts: its own, or see total_share() */
	struct total_column **of; /* [part]: its columns, NULL before its first row */
	size_t cap;
	uint32_t of_count;
	uint64_t touched; /* bits of parts that have rows */
	uint64_t rows;
	uint32_t count;
	uint32_t *open, open_count; /* columns that rows are added to: all, or see total_each.c */
	uint64_t begin_ns;
	struct cover cover; /* time that rows enclose, once */
	struct total_pictures pictures;
};

/* See total_append_each(): into a row that has no values yet. */
enum sx_status total_write_whole(const struct total *total, struct sx_table *to, size_t row,
				 struct sx_error *err);
/* Rows are added to all columns. */
void total_open(struct total *total);

#endif
