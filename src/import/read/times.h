/* What the times of a file's samples can be, and what is done with those that cannot. */
#ifndef IMPORT_READ_TIMES_H
#define IMPORT_READ_TIMES_H

#include "import/formats.h"

/* Begin and end of a sample in ns; SX_TIME_UNKNOWN. */
struct import_span {
	uint64_t begin_ns, end_ns;
};

enum import_order {
	IMPORT_UNORDERED, /* samples stand as they were found */
	IMPORT_FORWARD,	  /* in the order of time, on a clock that only counts up */
	IMPORT_RUNS,	  /* the same; whatever begins at 0 is the first of a run */
	IMPORT_CLOCK,	  /* in the order of time, but they may go back: a clock that was set */
};

/* A time that some clock could show: within a century of its zero. */
bool import_time_can_be(uint64_t ns);
/* Such times, the end not before the begin, and at most a year apart. */
bool import_span_can_be(struct import_span span);

/*
 * Leaves out times that cannot be, also those further than a year from most others and single ones
 * that fall out of the order; where a counting clock begins again, what follows is put behind what
 * came before. Everything is told. Without memory spans stay as they are.
 */
void import_times_mend(struct import_job *job, struct import_span *spans, size_t count,
		       enum import_order order);
/* The same for the rows of a table. Errors: SX_ERR_NO_MEMORY. */
enum sx_status import_times_mend_table(struct import_job *job, struct sx_table *table,
				       enum import_order order, struct sx_error *err);
/*
 * Where most samples have a length, those without one get it, since a mean over time needs all: up
 * to their neighbours, sharing a gap alike, or at either end as long as the one beside it. Where
 * there is no room the length is 0, which has no weight. Told.
 */
void import_times_fill(struct import_job *job, struct import_span *spans, size_t count);

/* What of a row's times a column holds. */
enum import_time {
	IMPORT_TIME_NONE,
	IMPORT_TIME_LENGTH,
	IMPORT_TIME_BEGIN,
	IMPORT_TIME_END,
	IMPORT_TIME_MOMENT, /* its end, and the next one's begin */
};

/*
 * By its header: "Time (s)", "duration_us", "begin [ms]". *to_ns receives what makes nanoseconds of
 * its numbers.
 */
enum import_time import_time_head(struct import_cell head, double *to_ns);

#endif
