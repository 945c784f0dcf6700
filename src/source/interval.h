/*
 * The base of sources that are polled: one sample an interval on a grid of times, notes before the
 * first one, and stop() keeps the rest of the last interval. Samples are values of counters, or
 * rows of numbers that the source makes itself.
 */
#ifndef SOURCE_INTERVAL_H
#define SOURCE_INTERVAL_H

#include <sextant/sample.h>

#include "source/source.h"

/* How a source takes part, and its words. Static storage. */
struct interval_ops {
	const char *what;   /* "the CPU source" */
	const char *no_set; /* why it has no sets, which are then refused; NULL: they are ignored */
	const char *no_finer; /* why its intervals are what they are */
	/* The interval of a whole machine where none is asked for; 0: that of a program. */
	uint64_t machine_ns;
	/*
	 * Sets up what the request needs, and desc's counters or columns. Before it everything is
	 * as open() left it.
	 */
	enum sx_status (*begin)(struct source *source, const struct source_request *request,
				struct sx_error *err);
	/*
	 * Reads everything and fills in what lies between the reading before and this one; times
	 * and flags are set already. The bytes hold until the next call. The first call is made by
	 * start(), with `out` NULL: a reading to begin from.
	 */
	void (*take)(struct source *source, struct raw_sample *out);
	/* Whether the process that is measured has ended; NULL: as process_ended() has it. */
	bool (*ended)(struct source *source);
	/* After take() set `gone`: says that the device is lost. Returns SX_ERR_DEVICE_LOST. */
	enum sx_status (*lost)(struct source *source, struct sx_error *err);
	/* Any of these may be NULL. The n-th thing that the user should know, NULL beyond it. */
	const char *(*note)(struct source *source, uint32_t index);
	/* stop(): closes what no reading needs any more. */
	void (*halt)(struct source *source);
	/* What begin() set up, wherever it ended, or never began. */
	void (*release)(struct source *source);
	/* close(): what open() set up. */
	void (*finish)(struct source *source);
};

/* Between start() and close(). */
struct interval {
	pid_t pid;   /* the measured process; its end makes the last sample due; or 0 */
	pid_t child; /* the same where the kernel wakes the reader at its end; else 0 */
	bool over;   /* what is measured has ended; take() may say so as well */
	uint64_t interval_ns, last_ns, due_ns;
	uint64_t reading_ns; /* how long the longest reading of all values took */
	bool started, stopped;
	uint32_t notes_reported;
	bool has_pending;
	struct raw_sample pending; /* taken by stop() */
};

#define ROW_NAME_SIZE 64 /* "name (pid)" */

/* Rows on their way from a source that makes them itself (RAW_ROWS). */
struct row_buffer {
	size_t cap;	  /* rows */
	uint64_t *values; /* or doubles; a column after the other */
	uint8_t *qualities;
	uint64_t *begins, *ends, *labels;
	char (*names)[ROW_NAME_SIZE];
	const char **strings;
	struct sx_vector *vectors;
	struct sx_rows out; /* what a sample points to */
};

/* What an opened source has in front. */
struct interval_source {
	struct source base; /* first */
	struct source_desc desc;
	char name[256], driver[160]; /* of desc, for open() to fill in */
	const struct interval_ops *ops;
	struct interval run;
	uint8_t *values;	  /* of a sample: one each, then one quality byte each */
	struct row_buffer buffer; /* of a sample */
	bool by_process;	  /* its rows are one a process */
	bool programs;		  /* behind its row of the device are those of processes */
	bool out_of_memory;	  /* set by take(): the sample has no room */
	bool gone;		  /* set by take(): no more comes; the sample may be empty */
};

#define INTERVAL_MIN_NS UINT64_C(1000000)
#define INTERVAL_MAX_NS UINT64_C(3600000000000)

/* Memory of `bytes` for an opened source of a catalog; NULL and SX_ERR_NO_MEMORY. */
void *interval_create(size_t bytes, const struct source_ops *source, const struct interval_ops *ops,
		      const struct source_host *host, struct sx_error *err);
/*
 * The calls of source_ops. start() refuses a source that runs, a set, an interval below a
 * millisecond or above an hour. Errors: SX_ERR_USAGE, SX_ERR_NOT_FOUND (the set), those of begin()
 * and of the clock.
 */
enum sx_status interval_start(struct source *source, const struct source_request *request,
			      struct sx_error *err);
enum sx_status interval_read(struct source *source, int timeout_ms, struct raw_sample *out,
			     struct sx_error *err);
bool interval_clock(struct source *source, struct source_clock *out);
void interval_wake(struct source *source, struct source_wake *out);
enum sx_status interval_stop(struct source *source, struct sx_error *err);
void interval_close(struct source *source);
/* All of these in the table of a source. */
#define INTERVAL_SOURCE_OPS                                                                        \
	.start = interval_start, .read = interval_read, .clock = interval_clock,                   \
	.wake = interval_wake, .stop = interval_stop, .close = interval_close
/*
 * Says that there is no such process, or by errno that files are at their limit. Returns
 * SX_ERR_NOT_FOUND or SX_ERR_PERMISSION.
 */
enum sx_status interval_no_process(pid_t pid, struct sx_error *err);

/* Of desc's counters, in their order. */
void interval_put_value(struct interval_source *s, uint32_t counter, uint64_t value,
			uint8_t quality);
/* The values of all counters are the sample. */
void interval_give_values(struct interval_source *s, struct raw_sample *out);

/* A column of rows, with the unit and the rule over time that the catalog (or NULL) has for it. */
struct sx_column interval_column(const struct sx_catalog *catalog, const char *name,
				 enum sx_type type, const char *why);
/* Makes room for so many rows of desc's columns, which are then empty. Errors: SX_ERR_NO_MEMORY. */
enum sx_status interval_make_rows(struct interval_source *s, size_t count, struct sx_error *err);
/* A number as its 64 bits. */
void interval_put(struct interval_source *s, uint32_t column, size_t row, uint64_t bits,
		  uint8_t quality);
/* Sets the process of a row; a row of the device itself gets none. */
void interval_put_name(struct interval_source *s, size_t row, const char *name, pid_t pid);
/* The first `count` rows are the sample. */
void interval_give_rows(struct interval_source *s, size_t count, struct raw_sample *out);

#endif
