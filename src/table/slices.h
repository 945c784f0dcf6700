/*
 * Rows that are time slices, among frames or instead of them. A source cuts them when some time has
 * passed, so they differ in length, and their number means nothing.
 */
#ifndef TABLE_SLICES_H
#define TABLE_SLICES_H

#include <sextant/table.h>

#include "table/fill.h"

#define SLICES_FRAMES	  "Frames"    /* the column of how many frames a row is */
#define SLICES_FRAME_TIME "FrameTime" /* the column of how long frames take */

/* Columns that say what rows are, or SX_NONE. */
struct slices {
	bool all; /* every row is a slice */
	uint32_t frames, presented;
	uint32_t calls;		    /* that give a device work, OpenGL's; */
	uint32_t draws, dispatches; /* of these; an OpenGL dispatch is also one of the calls */
	uint32_t busy;		    /* CPU time of a software rasteriser */
	uint32_t samples;	    /* draws that a row of draws is */
};

/*
 * Which samples represent each other. A context's first frames are always measured, and are seldom
 * like the others: they represent themselves alone.
 */
enum slices_class { CLASS_USUAL, CLASS_FIRST, CLASS_SLICE };
#define SLICES_FIRST 4 /* frames; as many as guest/pace.h measures before anything is known */

/* What a quantity says of rows that are no frames. */
enum slices_use {
	USE_ANY,
	USE_FRAMES,	/* nothing: it is of frames, and reads their number */
	USE_FRAME_TIME, /* nothing: it is how long frames take */
};

/* How much rows are. */
struct extent {
	uint64_t rows, ns; /* ns: each for itself, those of known length */
	/*
	 * Calls that give a device work; both are all calls where draws and dispatches are not
	 * separate.
	 */
	uint64_t draws, dispatches;
	uint64_t busy_ns; /* of a rasteriser's threads, at most a row's length, in all but */
	uint64_t unknown; /* these */
};

/* The quantity by which rows with data represent others. */
enum extent_by {
	EXTENT_ROWS,
	EXTENT_NS,
	EXTENT_CALLS,
	EXTENT_DRAWS,
	EXTENT_DISPATCHES,
	EXTENT_BUSY
};

/* What there is more of, the more there is of a quantity. */
enum basis {
	BASIS_CALLS,	  /* calls that give a device work, */
	BASIS_DRAWS,	  /* of them, those that draw, */
	BASIS_DISPATCHES, /* or compute */
	BASIS_DEVICE,	  /* a device's time: that of the rasteriser, where a CPU is the device */
	BASIS_NONE,	  /* other times, and what is no amount */
};

/* What a row is of these. */
enum slices_kind { KIND_NEITHER, KIND_SLICE, KIND_FRAME };

/*
 * Whether samples of a kind are slices of time: what was not measured is then filled in by time,
 * else by the number of samples.
 */
bool slices_by_time(enum sx_sample_kind kind);
/* How long a row of these times is in ns; 0 where it is unknown. */
static inline uint64_t slices_length_of(uint64_t begin_ns, uint64_t end_ns)
{
	/* An unknown begin is behind every end. */
	return end_ns != SX_TIME_UNKNOWN && end_ns > begin_ns ? end_ns - begin_ns : 0;
}
/* The same of a row of a table. */
uint64_t slices_length_ns(const struct sx_table *table, size_t row);

/* What the columns of a table say. */
struct slices slices_of(const struct sx_table *like);
/* What each of these rows is, a byte each: enum slices_kind. */
void slices_note_kinds(const struct slices *slices, const struct sx_table *table,
		       struct row_span rows, uint8_t *kinds);
enum slices_kind slices_kind_of(const struct slices *slices, const struct sx_table *table,
				size_t row);
/* The class of each of these rows, a byte each: enum slices_class. */
void slices_note_classes(const struct slices *slices, const struct sx_table *table,
			 struct row_span rows, uint8_t *classes);
/* How many rows of a table are frames, and all of each. */
size_t slices_count_frames(const struct slices *slices, const struct sx_table *table);
/*
 * How many samples rows are: one row may be several draws that were not measured, as its calls say.
 * `slices`: of the table.
 */
uint64_t slices_samples(const struct slices *slices, const struct sx_table *table, size_t first,
			size_t count);
/* The same for a table that slices_of() was not called for. */
uint64_t slices_samples_in(const struct sx_table *table, size_t first, size_t count);
/* Whether there are columns of calls. */
bool slices_know_calls(const struct slices *slices);
/*
 * How much rows are together, where there are no columns of calls; `table` has the columns that
 * slices_of() looked at.
 */
struct extent slices_extent_of_rows(const struct slices *slices, const struct sx_table *table,
				    struct row_span rows);
/* How much each of these rows is. */
void slices_extents(const struct slices *slices, const struct sx_table *table, struct row_span rows,
		    struct extent *each);
/* Whether amounts of a unit are time. */
bool slices_unit_is_time(const char *unit);
/* The normalisation basis of a column of counters. */
enum basis slices_basis_of(const struct sx_column *column);

/* Called for each value of a table, so it is inline. */
static inline void extent_add(struct extent *to, const struct extent *more)
{
	to->rows += more->rows;
	to->ns += more->ns;
	to->draws += more->draws;
	to->dispatches += more->dispatches;
	to->busy_ns += more->busy_ns;
	to->unknown += more->unknown;
}
/*
 * The normalisation basis by which rows represent others is their calls, which are counted in all
 * rows: the few measured frames may hold less work than others, and in time slices counting slows
 * the program down (llvmpipe: half the work in the same time, or a seventeenth). A rasteriser's
 * time, which is watched now and then, is proportional to the CPU time of its threads, which is
 * known of all rows. Where neither is known, frames represent each other by their number, and time
 * slices by their time; times and what is no amount always do so: a device is not busy for longer
 * than there is time.
 */
enum extent_by extent_choose(const struct extent *with, const struct extent *more, bool slices,
			     enum basis basis);
/* The same of parts of which nothing was measured, and of all those that are known. */
enum extent_by extent_choose_unknown(const struct extent *known, const struct extent *unknown,
				     bool by_time, enum basis basis);
uint64_t extent_get(const struct extent *extent, enum extent_by by);
/* How many calls of its basis a quantity has; 0 where its basis is another. */
uint64_t extent_work(const struct extent *extent, enum basis basis);
/* Whether rows with data made no call, and so cannot represent those that did. */
bool extent_is_idle(const struct extent *with, const struct extent *more, enum basis basis);

#endif
