/*
 * What sources share that are asked for their values, rather than told: one sample an interval on a
 * grid of times, notes before the first, the rest of the last interval kept by stop(); and rows of
 * numbers that such a source makes itself.
 */
#ifndef SOURCE_INTERVAL_H
#define SOURCE_INTERVAL_H

#include <sextant/sample.h>

#include "base/sys.h"
#include "source/source.h"

/* How a source takes part. `user` is handed to each. */
struct interval_ops {
	/*
	 * Reads everything and fills in what lies between the reading before and this one; the
	 * times are set already. The bytes hold until the next call. The first call is made by
	 * interval_start(), with `out` NULL: a reading to begin from.
	 */
	void (*take)(void *user, struct raw_sample *out);
	/* Whether what is measured has ended, so that its last sample is due at once; NULL: never.
	 */
	bool (*ended)(void *user);
	/* The n-th thing that the user should know, NULL beyond the last one; or NULL. */
	const char *(*note)(void *user, uint32_t index);
};

/* Between start() and close(). Zero-initialise. */
struct interval {
	const struct interval_ops *ops;
	void *user;
	const struct sx_sys *sys;
	bool watched; /* what is measured may end: ended() is asked */
	pid_t child; /* ... or the kernel, where it is a child whose end wakes the reader; else 0 */
	bool over;   /* what is measured has ended; take() may say so as well */
	uint64_t interval_ns, last_ns, due_ns;
	uint64_t reading_ns; /* how long the longest reading of all values took */
	bool started, stopped;
	uint32_t notes_told;
	bool has_pending;
	struct raw_sample pending; /* taken by stop() */
};

#define INTERVAL_MIN_NS UINT64_C(1000000)
#define INTERVAL_MAX_NS UINT64_C(3600000000000)

/* A source in words. */
struct interval_words {
	const char *what;   /* "the CPU source" */
	const char *no_set; /* why it has no sets, which are then refused; NULL: they are ignored */
	const char *no_finer; /* why its intervals are what they are */
};

/*
 * Refuses what cannot be started: a source that runs, a set, an interval below a millisecond or
 * above an hour. Errors: SX_ERR_USAGE, SX_ERR_NOT_FOUND (the set).
 */
enum sx_status interval_check(const struct interval *interval, const struct source_request *request,
			      const struct interval_words *words, struct sx_error *err);
/*
 * Takes the reading to begin from. Members up to `child` are set by the caller. Errors:
 * that of the clock.
 */
enum sx_status interval_start(struct interval *interval, uint64_t interval_ns,
			      struct sx_error *err);
/* As source_ops.read(), .clock(), .wake() and .stop(). */
enum sx_status interval_read(struct interval *interval, int timeout_ms, struct raw_sample *out,
			     struct sx_error *err);
bool interval_clock(const struct interval *interval, struct source_clock *out);
void interval_wake(const struct interval *interval, struct source_wake *out);
void interval_stop(struct interval *interval);

/* Whether a process is gone, or has ended and waits to be waited for. */
bool interval_process_ended(const struct sx_sys *sys, pid_t pid);
/* Writes u64 values as RAW_VALUES has them, for take(). */
void interval_put_u64(uint8_t *to, uint64_t value);

/*
 * Rows on their way from a source that makes them itself (RAW_ROWS): memory for their numbers,
 * times and programs' names, shared by the sources that give a row a program.
 */

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
