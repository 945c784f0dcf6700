/* A trace while it is written; for this folder only. */
#ifndef OUTPUT_PERFETTO_STATE_H
#define OUTPUT_PERFETTO_STATE_H

#include "output/perfetto/packet.h"
#include "output/perfetto/perfetto.h"

/* A GPU counter: a column of the raw rows, or of the selection. */
struct trace_counter {
	uint32_t column;
	const char *name, *unit;
	uint32_t counter;	      /* index in the catalog, or SX_NONE */
	const struct report_row *row; /* what the report says of it, or NULL */
	int32_t group;		      /* heading of the first metric that reads it, or -1 */
	bool level;		      /* does not add up over time */
	bool skipped;		      /* in some rows, for which the others stand */
};

/* A metric: a column of the selection. */
struct trace_metric {
	uint32_t column;
	const struct report_row *row;
};

struct trace_lane {
	uint32_t gpu, first_id;		    /* of its counters */
	uint64_t parent;		    /* track */
	uint64_t slices;		    /* track of frames and the like; 0: not yet */
	uint64_t *counter_end, *metric_end; /* where each one's values end so far */
	uint64_t *metric_tracks;
};

/* Adjacent rows with the same reservation. */
struct trace_doubt {
	uint8_t quality;
	uint64_t begin_ns, end_ns, rows;
};

struct trace_state {
	const struct trace_device *in;
	uint32_t clock;
	char *name; /* says when the device is a model */
	struct lanes now;
	struct trace_lane *lanes;
	uint32_t lane_count;
	struct trace_counter *counters;
	struct trace_metric *metrics;
	uint32_t counter_count, metric_count;
	uint64_t track, quality_track, quality_end_ns;
	struct trace_doubt doubt;
	uint64_t kernels; /* so far */
};

struct trace {
	struct packet_stream stream;
	struct trace_head head;
	struct arena arena;
	struct trace_state *devices;
	Pf__GpuCounter *values; /* of one packet */
	Pf__GpuCounter **value_list;
	uint64_t next_track, root;
	struct trace_clocks first; /* what ties the clocks together */
};

/* A track to be described. */
struct trace_track {
	uint64_t parent;
	const char *name, *description; /* the latter may be NULL */
	int32_t rank;
	const struct report_row *row; /* of a counter, else NULL */
};

/* describe.c */
bool trace_columns(struct trace *p, struct trace_state *d);
uint64_t trace_track(struct trace *p, const struct trace_track *track);
bool trace_describe(struct trace *p, struct trace_state *d);
/* A row whose place is known. */
struct trace_work {
	struct trace *p;
	struct trace_state *d;
	struct trace_lane *lane;
	const struct sx_table *raw;
	size_t at;
	struct lane_span span;
};

/* work.c: what a row encloses, where that is more than time, and its labels. */
void trace_work(const struct trace_work *work);
/* findings.c */
void trace_findings(struct trace *p, struct trace_state *d);
void trace_verdict(struct trace *p, const struct verdict *verdict);
/* quality.c */
void trace_doubts(struct trace *p, struct trace_state *d, const struct sx_table *table, size_t row,
		  const struct lane_span *span);
void trace_end_doubt(struct trace *p, struct trace_state *d);
void trace_absent(struct trace *p, struct trace_state *d);

#endif
