/*
 * The GL channel's layout: memory that a measured program (preload/) writes and the command reads.
 * docs/gl-channel.md explains it. Plain C without dependencies; both sides check sizes. Fields
 * marked "shared" are accessed with atomic operations only. The reader trusts nothing in here.
 */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#define GL_WIRE_MAGIC	     UINT64_C(0x4c4c47544e545853) /* "SXTNTGLL", little endian */
#define GL_WIRE_VERSION	     1u
#define GL_WIRE_ENV	     "SEXTANT_GL_CHANNEL" /* path of the channel */
#define GL_WIRE_STREAMS	     64u		  /* contexts at one time, all processes */
#define GL_WIRE_RING_RECORDS 1024u
#define GL_WIRE_COUNTER_ROOM 32u /* counters that a record has room for */

/* The D3D11-style group, in its customary order. Values of records are indexed by these. */
enum gl_wire_counter {
	GL_WIRE_GPU_TIME, /* nanoseconds */
	GL_WIRE_OCCLUSION,
	GL_WIRE_IA_VERTICES,
	GL_WIRE_IA_PRIMITIVES,
	GL_WIRE_VS_INVOCATIONS,
	GL_WIRE_GS_INVOCATIONS,
	GL_WIRE_GS_PRIMITIVES,
	GL_WIRE_C_INVOCATIONS,
	GL_WIRE_C_PRIMITIVES,
	GL_WIRE_PS_INVOCATIONS,
	GL_WIRE_HS_INVOCATIONS,
	GL_WIRE_DS_INVOCATIONS,
	GL_WIRE_CS_INVOCATIONS,
	GL_WIRE_OCCLUSION_PREDICATE,
	GL_WIRE_PRIMS_WRITTEN,
	GL_WIRE_PRIMS_STORAGE_NEED,
	GL_WIRE_OVERFLOW_PRED,
	/* Then PrimsWritten, PrimsStorageNeed and OverflowPred for each of the streams 0 to 3. */
	GL_WIRE_STREAM_FIRST,
	GL_WIRE_COUNTERS = GL_WIRE_STREAM_FIRST + 12,
};

/* Quality of one value of a record. */
enum gl_wire_state {
	GL_WIRE_NOT_COLLECTED, /* the stream's `why` says why; if that is none: overflow predicates
				* are counted only while transform feedback is active */
	GL_WIRE_VALID,
	GL_WIRE_DISTURBED, /* the program used the same query target in this frame */
	GL_WIRE_LATE,	   /* the driver had no result when it was needed */
};

/* Why a counter of a stream is not collected at all, or how it is. */
enum gl_wire_why {
	GL_WIRE_WHY_COLLECTED,	   /* by a query of its own */
	GL_WIRE_WHY_DERIVED,	   /* exactly, from another counter's query */
	GL_WIRE_WHY_FROM_FLUSH,	   /* GPU time from the hand-over of the frame to its last tile */
	GL_WIRE_WHY_NO_EXTENSION,  /* neither the version nor an extension has the query */
	GL_WIRE_WHY_ZERO_BITS,	   /* the driver's counter has 0 bits */
	GL_WIRE_WHY_REFUSED,	   /* the driver refused the query beside the others */
	GL_WIRE_WHY_DISPLAY_LIST,  /* the program records this target in display lists */
	GL_WIRE_WHY_NAME_CONFLICT, /* the program uses the names of our query objects */
	GL_WIRE_WHY_NO_QUERIES,	   /* this kind of context has no queries */
	GL_WIRE_WHY_COUNT,
};

static inline int gl_wire_is_collected(unsigned why)
{
	return why <= GL_WIRE_WHY_FROM_FLUSH;
}

enum gl_wire_api { GL_WIRE_DESKTOP = 1, GL_WIRE_ES = 2 };
enum gl_wire_profile { GL_WIRE_PROFILE_NONE, GL_WIRE_CORE, GL_WIRE_COMPATIBILITY };
enum gl_wire_window_system { GL_WIRE_GLX = 1, GL_WIRE_EGL = 2 };

/* Kinds of record. Others (a debug group's) may come; readers skip what they do not know. */
enum gl_wire_kind {
	GL_WIRE_FRAME = 1, /* swap to swap */
	GL_WIRE_REST =
	    2, /* what a context did after its last swap, or in all if it never swapped */
};

enum gl_wire_record_flags {
	GL_WIRE_SIZE_KNOWN = 1 << 0, /* width and height are those of the default framebuffer */
	GL_WIRE_CUT = 1 << 1,	     /* the context was released and bound again within it */
};

/* One sample. */
struct gl_wire_record {
	uint32_t kind, flags;
	uint64_t frame;		   /* from 0, for each context */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	uint64_t cpu_ns;	   /* CPU time of the whole process in between */
	uint32_t width, height;	   /* pixels */
	uint32_t group_count;	   /* outermost debug groups that began in it */
	uint32_t reserved0[3];
	char group[64]; /* label of the first of them, NUL-terminated UTF-8, maybe cut */
	uint64_t values[GL_WIRE_COUNTER_ROOM];
	uint8_t states[GL_WIRE_COUNTER_ROOM]; /* enum gl_wire_state */
	uint8_t reserved1[96];
};

enum gl_wire_stream_state {
	GL_WIRE_FREE,	 /* may be claimed */
	GL_WIRE_CLAIMED, /* a writer fills in the identity */
	GL_WIRE_OPEN,	 /* identity is final, records flow */
	GL_WIRE_CLOSED,	 /* the writer is done; the reader frees it once it is drained */
};

enum gl_wire_context_flags {
	GL_WIRE_DEBUG_CONTEXT = 1 << 0,
	GL_WIRE_ROBUST_CONTEXT = 1 << 1,
	GL_WIRE_NO_ERROR_CONTEXT = 1 << 2,
};

/* One GL context of one process: its identity, then its ring of records. */
struct gl_wire_stream {
	uint32_t state;	     /* shared, enum gl_wire_stream_state */
	uint32_t generation; /* shared; incremented by each claim */
	int32_t pid;
	uint32_t serial; /* of the context in its process, from 1 */
	uint64_t start_ns;
	uint8_t window_system, api, profile, context_flags;
	uint8_t gl_major, gl_minor;
	uint8_t pad0[34];
	uint64_t head; /* shared; records written */
	uint64_t lost; /* shared; records that found the ring full */
	uint8_t pad1[48];
	uint64_t tail; /* shared; records read; the only field of a stream that the reader writes,
			* apart from CLOSED to FREE */
	uint8_t pad2[56];
	char process[32];
	char vendor[128], renderer[192], version[192];
	uint8_t bits[GL_WIRE_COUNTER_ROOM]; /* width of each counter */
	uint8_t why[GL_WIRE_COUNTER_ROOM];  /* enum gl_wire_why */
	uint8_t pad3[3296];
};

/* The head of the channel; the streams follow, each with its ring right behind it. */
struct gl_wire_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes, stream_bytes, record_bytes; /* sizeof of the three structs */
	uint32_t stream_count, ring_records;
	uint32_t processes; /* shared; programs that the library was loaded into */
	uint32_t contexts;  /* shared; contexts that it has seen */
	uint32_t refused;   /* shared; contexts without a stream because all were taken */
	uint8_t pad[4052];
};

/*
 * What the source hands to the decoder as one raw sample (RAW_GL): a record and whose it is. Never
 * in the channel itself.
 */
struct gl_wire_sample {
	uint32_t stream; /* number of the context, from 0, in order of appearance */
	int32_t pid;
	uint8_t why[GL_WIRE_COUNTER_ROOM], bits[GL_WIRE_COUNTER_ROOM];
	struct gl_wire_record record;
};

#define GL_WIRE_STREAM_STRIDE                                                                      \
	(sizeof(struct gl_wire_stream) + GL_WIRE_RING_RECORDS * sizeof(struct gl_wire_record))
#define GL_WIRE_BYTES (sizeof(struct gl_wire_header) + GL_WIRE_STREAMS * GL_WIRE_STREAM_STRIDE)

_Static_assert(sizeof(struct gl_wire_record) == 512, "a record is 512 bytes");
_Static_assert(sizeof(struct gl_wire_stream) == 4096, "a stream's head is one page");
_Static_assert(sizeof(struct gl_wire_header) == 4096, "the header is one page");
_Static_assert(offsetof(struct gl_wire_record, values) == 128, "values start a cache line");
_Static_assert(offsetof(struct gl_wire_stream, head) == 64, "head has a line of its own");
_Static_assert(offsetof(struct gl_wire_stream, tail) == 128, "tail has a line of its own");
_Static_assert(offsetof(struct gl_wire_stream, process) == 192, "identity follows");
_Static_assert((int)GL_WIRE_COUNTERS <= (int)GL_WIRE_COUNTER_ROOM, "the counters fit a record");

#endif
