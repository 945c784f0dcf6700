/* Ranges of GPU time, and a trace of Perfetto while it is read. */
#ifndef IMPORT_TRACE_TRACE_H
#define IMPORT_TRACE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/strings.h"
#include "import/internal.h"

struct read_proto {
	const uint8_t *p, *end;
	bool bad; /* a field breaks off or has a wire type that does not exist */
};

struct read_proto_field {
	uint32_t number;
	uint8_t wire;	     /* 0 varint, 1 fixed64, 2 bytes, 5 fixed32 */
	uint64_t value;	     /* of 0, 1 and 5 */
	const uint8_t *data; /* of 2 */
	size_t size;
};

/* The next field of a message; false at its end, and where it is bad. */
bool read_proto_next(struct read_proto *message, struct read_proto_field *field);
/*
 * The last field of each number that has a letter in `kinds`, which begins at 0: v a varint, d a
 * fixed64, b bytes, * any, - none. Its own number is 0 where there is none.
 */
void read_proto_fields(struct read_proto message, struct read_proto_field *fields,
		       const char *kinds);
/* The fields of a field that is a message itself; empty when it is not of bytes. */
struct read_proto read_proto_message(const struct read_proto_field *field);
/* A fixed64 as the double that it holds. */
double read_proto_double(const struct read_proto_field *field);

/* Zero-initialise. */
struct import_ranges {
	struct import_range {
		uint64_t begin_ns, end_ns;
		size_t row;
	} * list;
	size_t count, cap;
	bool no_memory;
};

/* A row for a range; import_ranges_finish() sets its times. */
size_t import_ranges_add(struct import_ranges *ranges, struct import_rows *rows, uint64_t begin_ns,
			 uint64_t end_ns);
/*
 * GpuTime of a row is the part of its range that no range of an earlier beginning covers, so that
 * the sum of all is the time in which any ran; GpuTimeWithin is the rest of it. Returns rows that
 * say which share of the time that was, from each beginning to the next; NULL without a range that
 * lasts, and where memory is out (no_memory). Releases the list.
 */
struct import_rows *import_ranges_finish(struct import_ranges *ranges, struct import_job *job,
					 struct import_rows *rows);

struct perfetto_packet {
	uint64_t time_ns; /* SX_TIME_UNKNOWN without */
	uint32_t sequence, clock;
};

/* A counter of one GPU, as a descriptor introduced it. */
struct perfetto_counter {
	uint32_t gpu, column;
	bool forwards; /* a value holds from its time on; else since the one before */
	struct import_field field;
};

/* A value that holds until the next sample. */
struct perfetto_held {
	uint32_t column;
	double value;
};

/* A row that a slice or a piece of work made, until its values come. */
struct perfetto_made {
	size_t row;
	uint64_t begin_ns, end_ns;
	bool waits;
};

/* Samples of one GPU. */
struct perfetto_gpu {
	uint32_t id;
	/* The device of these rows: in our own traces several GPUs can be one device; or itself. */
	struct perfetto_gpu *device;
	struct import_rows *rows;    /* counters */
	struct import_rows *stages;  /* render stages */
	struct import_rows *events;  /* frequency and memory */
	struct import_ranges ranges; /* of the stages */
	uint64_t last_ns, event_ns;  /* times of the samples before; SX_TIME_UNKNOWN at first */
	size_t row;		     /* of last_ns */
	bool anchored;		     /* last_ns is where a row begins */
	struct perfetto_made made;   /* in our own traces */
	struct perfetto_held *held;
	size_t held_count, held_cap;
	struct strings names;		   /* of its counters */
	double frequency_hz, memory_bytes; /* last values; NaN */
};

/* What a trace says of a GPU: its name, and the rest where we wrote the trace. */
struct perfetto_facts {
	const char *gpu;   /* the driver's name */
	const char *model; /* our catalog's name */
	const char *name, *set, *kind, *driver;
	const char *labels[SX_LABEL_COUNT]; /* what its file called each */
	bool simulated, numbered;
	uint32_t number;
	struct sx_constant_value constants[IMPORT_CONSTANTS_MAX];
	uint32_t constant_count;
	struct strings levels;	/* counters that do not add up over time */
	struct strings skipped; /* counters that were not measured in every row */
};

struct perfetto {
	struct import_job *job;
	struct perfetto_gpu gpus[IMPORT_DEVICES_MAX];
	uint32_t gpu_count;
	struct perfetto_facts facts[IMPORT_DEVICES_MAX + 1]; /* the last are none, of other ids */
	/* Of our own traces: the sequence of values that only say where time begins; or 0. */
	uint32_t anchors;
	struct strings keys; /* of counters: sequence, descriptor, id, GPU */
	struct perfetto_counter *counters;
	size_t counter_cap;
	struct strings stage_keys; /* of stages: sequence and iid */
	const char **stage_names;
	size_t stage_cap;
	struct perfetto_gpu *slice_gpu; /* the GPU of the slice that began last, or NULL */
	uint64_t slice_track;
	uint32_t primary_clock, clock;
	size_t damaged, lost, early;
	bool marks; /* of what was lost or is known less well, in our own traces */
	bool cut, no_memory;
};

void perfetto_interned(struct perfetto *t, const struct perfetto_packet *packet,
		       struct read_proto message);
void perfetto_counters(struct perfetto *t, const struct perfetto_packet *packet,
		       struct read_proto message);
void perfetto_stage(struct perfetto *t, const struct perfetto_packet *packet,
		    struct read_proto message);
/* What is known of a GPU; of an id that is too large nothing. */
static inline struct perfetto_facts *perfetto_facts(struct perfetto *t, uint32_t id)
{
	return &t->facts[id < IMPORT_DEVICES_MAX ? id : IMPORT_DEVICES_MAX];
}
/* Facts of a GPU: fields of its entry in the list. */
void perfetto_fact(struct perfetto *t, uint32_t id, const struct read_proto_field *field);
/* What is said of the trace as a whole. */
void perfetto_attributes(struct perfetto *t, struct read_proto message);
void perfetto_memory(struct perfetto *t, const struct perfetto_packet *packet,
		     struct read_proto message);
void perfetto_frequency(struct perfetto *t, const struct perfetto_packet *packet,
			struct read_proto message);
/* Text of a field, cut where it is too long for a name. */
const char *perfetto_text(struct perfetto *t, const struct read_proto_field *field);
/* Rows of a GPU's counters; NULL when memory is out. */
struct import_rows *perfetto_counter_rows(struct perfetto *t, struct perfetto_gpu *gpu);
/* In our own traces: a row with the labels of a track's event, or of a GPU's work. */
void perfetto_slice(struct perfetto *t, const struct perfetto_packet *packet,
		    struct read_proto message);
void perfetto_own_stage(struct perfetto *t, uint32_t id, const struct import_span *span,
			struct read_proto message);
/* The GPU of an id, made when it is new; NULL when there are too many. */
struct perfetto_gpu *perfetto_gpu(struct perfetto *t, uint32_t id);

#endif
