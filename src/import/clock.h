/* Times of frames that a table tells only the lengths of. */
#ifndef IMPORT_CLOCK_H
#define IMPORT_CLOCK_H

#include "import/formats.h"

/* What rows are that have times and the time of a frame. */
enum import_pace {
	IMPORT_PACE_UNKNOWN,
	IMPORT_FRAMES,	  /* most are as long as their frame: each is one */
	IMPORT_INTERVALS, /* they are not: each tells of one of its frames */
};

/* By rows of which both are known; `to_ns` makes nanoseconds of the column's values. */
enum import_pace import_clock_pace(struct import_job *job, const struct sx_table *table,
				   uint32_t column, double to_ns);

/*
 * Where no row of a table has a time and a column gives the time of one frame a row, each row
 * begins where the one before it in the same process, context and instance ended: the rows are
 * frames then, numbered from 0 where nothing numbers them. Rows with times are frames where these
 * agree; one that has only its begin or its end lasts as long as its frame. Told. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status import_clock_frames(struct import_job *job, struct import_device *device,
				   struct sx_error *err);

#endif
