/* The processes and contexts that the samples of a device are of. */
#ifndef ANALYSIS_REPORT_PROCESSES_H
#define ANALYSIS_REPORT_PROCESSES_H

#include "analysis/report/report.h"
#include "base/mem.h"
#include "table/cover.h"

#define REPORT_PROCESSES_MAX  1024 /* processes that are listed */
#define REPORT_CONTEXTS_MAX   4096 /* numbers of contexts, likewise */
#define REPORT_CONTEXTS_SHOWN 16   /* of a process, each by itself */

/*
 * How many samples there were, and when; `slices`: of these, such as no frame ended; `frames`:
 * whole ones, and how long they are, each for itself.
 */
struct seen_span {
	uint64_t samples, slices, begin_ns, end_ns, frames, frames_ns;
};

struct seen_process {
	char *label;
	struct seen_span span, each[REPORT_CONTEXTS_SHOWN];
	struct cover frames;			 /* time that frames of any context take */
	uint64_t numbers[REPORT_CONTEXTS_SHOWN]; /* of the contexts in `each` */
	uint32_t each_count;
	uint64_t contexts[REPORT_CONTEXTS_MAX / 64]; /* bits */
	uint32_t context_count;
};

/* Zero-initialise. */
struct processes_seen {
	struct seen_process *items;
	size_t count, cap;
	uint64_t beyond; /* rows of processes beyond the limit */
};

/* Rows without the label, or when memory is out, are passed over. */
void processes_seen_add(struct processes_seen *seen, const struct sx_table *raw);
/* Fills in the processes of *out. False when memory is out. */
bool processes_seen_note(const struct processes_seen *seen, struct arena *arena,
			 struct report_device *out);
/* The number in a label "name (pid)", 0 without; *length becomes that of the name. */
uint32_t process_pid(const char *label, size_t *length);
void processes_seen_finish(struct processes_seen *seen);

#endif
