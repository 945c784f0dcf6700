/*
 * A capture as a Perfetto trace, written as its rows come and in memory that does not grow with
 * them. Raw counters become GPU counters, whose values stand at the end of what they measured;
 * metrics become counter tracks, whose values stand at its begin. Where there is no data there is
 * no value: a track is closed by a 0 where its values end. docs/perfetto.md says the rest.
 */
#ifndef OUTPUT_PERFETTO_PERFETTO_H
#define OUTPUT_PERFETTO_PERFETTO_H

#include "analysis/report/report.h"
#include "output/perfetto/lanes.h"
#include "output/view.h"

/* One device of the trace. Everything pointed at must outlive the writer. */
struct trace_device {
	const struct report_device *report;
	const struct sx_metrics *metrics; /* the selection that values are of; NULL: none */
	const struct sx_table *raw;	  /* the columns that raw rows have */
	/* Of which raw columns any row has data; NULL: counters are those of the selection. */
	const bool *raw_any;
	/* Of which raw columns any row was left to those that were measured; as long. */
	const bool *raw_skipped;
	const struct lanes *lanes; /* of all its rows */
	const char *clock;	   /* "monotonic", "realtime", ...; another: the trace's own */
	uint64_t interval_ns;	   /* 0: none */
	uint32_t number;	   /* in the capture */
	const char *labels[SX_LABEL_COUNT]; /* what its file calls each, or NULL: as we do */
};

struct trace_text {
	const char *key, *value;
};

/* Clocks that were read at the same moment; 0: not read. */
struct trace_clocks {
	uint64_t monotonic_ns, boottime_ns, realtime_ns;
};

struct trace_head {
	const struct report *report;
	const struct trace_device *devices; /* in the order of the report's */
	uint32_t device_count;
	const struct trace_text *texts; /* more that is known of the capture */
	uint32_t text_count;
	uint64_t created_ns;	    /* CLOCK_REALTIME; 0: not told */
	struct trace_clocks clocks; /* the first that were read */
};

struct trace;

/* What a mark is of. */
enum trace_mark_type { TRACE_LOSS, TRACE_GAP, TRACE_NOTE };

struct trace_event {
	enum trace_mark_type type;
	uint32_t device;	   /* index, or SX_NONE: none in particular */
	uint64_t begin_ns, end_ns; /* SX_TIME_UNKNOWN where not known */
	uint64_t lost;		   /* samples; UINT64_MAX: not known */
	const char *text;	   /* may be NULL */
};

/* Writes everything that does not need rows. *out is owned by the caller. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status trace_begin(FILE *out, const struct trace_head *head, struct trace **to,
			   struct sx_error *err);
/*
 * Writes rows of a device: raw counters, and their metrics where the device has a selection (else
 * NULL). Errors: SX_ERR_NO_MEMORY; those of the stream show in ferror().
 */
enum sx_status trace_rows(struct trace *p, uint32_t device, const struct sx_table *raw,
			  const struct sx_table *values, struct sx_error *err);
void trace_mark(struct trace *p, const struct trace_event *event);
void trace_clocks(struct trace *p, const struct trace_clocks *clocks);
/* Closes what is open. *untimed receives how many rows had no time, and so no place. */
enum sx_status trace_end(struct trace *p, uint64_t *untimed, struct sx_error *err);
void trace_destroy(struct trace *p); /* NULL is fine */

#endif
