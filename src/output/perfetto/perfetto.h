/*
 * A capture as a Perfetto trace, written as its rows come and in memory that does not grow with
 * them. Raw counters become GPU counters, with values at the end of what they measured; metrics
 * become counter tracks, with values at its begin. Where there is no data there is no value: a
 * track is closed by a 0 where its values end. docs/perfetto.md says the rest.
 */
#ifndef OUTPUT_PERFETTO_PERFETTO_H
#define OUTPUT_PERFETTO_PERFETTO_H

#include <sextant/table.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/report/report.h"
#include "output/view.h"
#include "base/mem.h"
#include "output/perfetto/trace.pb-c.h"

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
	uint64_t created_ns;	    /* CLOCK_REALTIME; 0: unknown */
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

/* Sequences: anchors say where the time of the next values begins, everything else is on the first.
 */
enum { SEQUENCE_MAIN = 1, SEQUENCE_ANCHORS = 2 };
/* Numbers of the public protos that have no name in our part. */
enum { CLOCK_OF_REALTIME = 1, CLOCK_OF_MONOTONIC = 3, CLOCK_OF_RAW = 5, CLOCK_OF_BOOTTIME = 6 };
enum { EVENT_BEGIN = 1, EVENT_END = 2, EVENT_INSTANT = 3, EVENT_COUNTER = 4 };

#define PACKET_TEXT_BYTES 16384
#define PACKET_NOTES	  24

struct packet_stream {
	FILE *out;
	uint8_t *buffer;
	size_t cap;
	unsigned begun; /* bits of the sequences that have a packet */
	bool failed;	/* memory is out */
	char text[PACKET_TEXT_BYTES];
	size_t text_used; /* of this packet */
	char nothing[1];
};

/* A time in one of the builtin clocks; clock 0: the trace's own. */
struct packet_time {
	uint64_t ns;
	uint32_t clock;
};

/* Writes a packet. Texts of packet_text() end with it. */
void packet_write(struct packet_stream *stream, uint32_t sequence, const struct packet_time *time,
		  Pf__Packet *packet);
/* A text as a packet may hold it: UTF-8, and not longer than one needs. Never NULL. */
char *packet_text(struct packet_stream *stream, const char *text);
char *packet_format(struct packet_stream *stream, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void packet_finish(struct packet_stream *stream);

/* What an event says beside its name. */
struct packet_notes {
	Pf__Annotation items[PACKET_NOTES];
	Pf__Annotation *list[PACKET_NOTES];
	size_t count;
};
void note_text(struct packet_stream *stream, struct packet_notes *notes, const char *name,
	       const char *text); /* NULL: nothing */
void note_u64(struct packet_notes *notes, const char *name, uint64_t value);
void note_f64(struct packet_notes *notes, const char *name, double value); /* NaN: nothing */

/* An event of a track: EVENT_BEGIN, EVENT_END, EVENT_INSTANT; `notes` may be NULL. */
struct packet_event {
	uint64_t track;
	int type;
	const char *name;
	struct packet_notes *notes;
};
void packet_event(struct packet_stream *stream, const struct packet_time *time,
		  const struct packet_event *event);
/* A slice, or an instant where it has no extent. */
void packet_slice(struct packet_stream *stream, const struct packet_time *begin, uint64_t end_ns,
		  const struct packet_event *event);
/* Values of counter tracks. */
void packet_whole(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		  uint64_t value);
void packet_real(struct packet_stream *stream, const struct packet_time *time, uint64_t track,
		 double value);

#define LANES_MAX	64
#define LANE_TEXT_BYTES 96
#define LANE_NONE	UINT32_MAX

struct lane {
	uint64_t process, context, instance; /* the first as a hash */
	uint64_t end_ns;
	char text[LANE_TEXT_BYTES]; /* process, context and instance */
};

/* Zero-initialise. */
struct lanes {
	struct lane items[LANES_MAX];
	uint32_t count;
	uint64_t end_ns;
	bool overlap;		  /* without any, all is one lane */
	uint64_t untimed, beyond; /* rows without a time, and of lanes beyond the limit */
	uint64_t rows;
};

struct lane_span {
	uint64_t begin_ns, end_ns;
	uint32_t lane; /* or LANE_NONE */
};

/* First pass: which lanes there are. */
void lanes_scan(struct lanes *lanes, const struct sx_table *table);
/* How many a second pass has, at least 1. */
uint32_t lanes_count(const struct lanes *scanned);
/* Second pass: where a row goes. `now` begins as zeros. */
struct lane_span lanes_place(struct lanes *now, const struct lanes *scanned,
			     const struct sx_table *table, size_t row);

struct trace_unit {
	int32_t over, under;
	bool has_over, has_under;
};

/* A GPU counter: a column of the raw rows, or of the selection. */
struct trace_counter {
	uint32_t column;
	const char *name, *unit;
	uint32_t counter;	      /* index in the catalog, or SX_NONE */
	const struct report_row *row; /* what the report says of it, or NULL */
	int32_t group;		      /* heading of the first metric that reads it, or -1 */
	bool level;		      /* does not add up over time */
	bool skipped;		      /* in some rows, which the others represent */
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
/* A row with a known place. */
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
