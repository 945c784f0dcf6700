/*
 * Rows that are slices of time, among frames or instead of them: a source cuts them when a while
 * has passed, so that one holds more than another, and their number says nothing.
 */
#ifndef TABLE_SLICES_H
#define TABLE_SLICES_H

#include <sextant/table.h>

#define SLICES_FRAMES	  "Frames"    /* the column of how many frames a row is */
#define SLICES_FRAME_TIME "FrameTime" /* the column of how long frames take */
#define SLICES_CALLS	  3	      /* columns of calls that give a device work, at most */

/* Columns that tell what rows are, or SX_NONE. */
struct slices {
	bool all; /* every row is a slice */
	uint32_t frames, presented, calls[SLICES_CALLS];
};

/*
 * What stands for what. A context's first frames are measured always, and are seldom like the
 * others: they stand for themselves.
 */
enum slices_class { CLASS_USUAL, CLASS_FIRST, CLASS_SLICE };
#define SLICES_FIRST 4 /* frames; as many as guest/pace.h measures before anything is known */

/* What a quantity says of rows that are no frames. */
enum slices_use {
	USE_ANY,
	USE_FRAMES,	/* nothing: it is of frames, whose number it reads */
	USE_FRAME_TIME, /* nothing: it is how long frames take */
};

/* How much rows are. */
struct extent {
	uint64_t rows, ns; /* ns: each for itself, those whose length is known */
	uint64_t calls;	   /* that give a device work; 0 where nobody counts them */
};

/* By what rows with data stand for others. */
enum extent_by { EXTENT_ROWS, EXTENT_NS, EXTENT_CALLS };

/* What the columns of a table say. */
struct slices slices_of(const struct sx_table *like);
bool slices_is_one(const struct slices *slices, const struct sx_table *table, size_t row);
/* Whether a row is a frame, and all of it. */
bool slices_is_frame(const struct slices *slices, const struct sx_table *table, size_t row);
enum slices_class slices_class_of(const struct slices *slices, const struct sx_table *table,
				  size_t row);
/* Whether there are columns of calls. */
bool slices_know_calls(const struct slices *slices);
/* How much one row is; `table` has the columns that slices_of() looked at. */
struct extent slices_extent(const struct slices *slices, const struct sx_table *table, size_t row);
/*
 * What a formula is about that reads these columns alone; `counter`: it is the first of them as it
 * stands. USE_ANY for all where rows are no frames.
 */
enum slices_use slices_use_of(const struct slices *slices, const char *const *names, uint32_t count,
			      bool counter);
/* Whether amounts of a unit are time. */
bool slices_unit_is_time(const char *unit);

/* For each value of a table: short enough to stand where it is used. */
static inline void extent_add(struct extent *to, const struct extent *more)
{
	to->rows += more->rows;
	to->ns += more->ns;
	to->calls += more->calls;
}
/*
 * Rows stand for rows by the calls in them, which are counted in all: the few frames that are
 * measured may hold less work than others, and in slices counting slows the program down (llvmpipe:
 * half the work in the same time, or a seventeenth). Where no calls are counted, frames by their
 * number, and slices by their time; `time`, what is itself a time or no amount, always so: a device
 * is not at work for longer than there is time.
 */
enum extent_by extent_choose(const struct extent *with, const struct extent *more, bool slices,
			     bool time);
uint64_t extent_get(const struct extent *extent, enum extent_by by);
/* Whether rows with data made no call, and so cannot stand for those that did. */
bool extent_is_idle(const struct extent *with, const struct extent *more, bool time);

#endif
