/*
 * The programs that a device's samples are of, each with its own rows: each may be bound by another
 * resource.
 */
#ifndef ANALYSIS_REPORT_PROGRAMS_H
#define ANALYSIS_REPORT_PROGRAMS_H

#include <sextant/analysis.h>

#include "analysis/overview.h"

#define PROGRAMS_KEPT 16 /* of more than these the least busy goes */

struct program {
	char *label;	       /* "name (pid)", as rows have it */
	struct overview *rows; /* see programs_rows() */
	uint64_t length_ns;    /* of its rows */
	double cpu_ns;	       /* CPU time */
	double gpu_ns;	       /* GPU time, */
	uint64_t gpu_known_ns; /* in rows of this length: it is not measured in all */
};

/* Zero-initialise. */
struct programs {
	struct program kept[PROGRAMS_KEPT];
	size_t count;
	bool begun;
	bool several; /* rows are of several programs, or of none */
	struct overview
	    *all; /* of all rows, not owned: that of the first program as well, until then */
	uint32_t cpu_time, gpu_time; /* columns; SX_NONE: not counted */
};

/*
 * Adds the rows that have a program. `all` is of all rows before these, which the caller adds to it
 * afterwards; as long as there is one program, it needs no rows of its own. Errors:
 * SX_ERR_NO_MEMORY.
 */
enum sx_status programs_add(struct programs *programs, const struct sx_catalog *catalog,
			    const struct sx_table *raw, struct overview *all, struct sx_error *err);
/* The overview of a program's rows. */
struct overview *programs_rows(const struct programs *programs, const struct program *program);
/* How busy a program kept a CPU or the GPU, whichever is more; else how long its samples are. */
double programs_busy_ns(const struct programs *programs, const struct program *program);
/* NULL where the device has no rows of it. */
const struct program *programs_find(const struct programs *programs, const char *label);
void programs_finish(struct programs *programs);

#endif
