/*
 * The channel's layout: memory that one measured program (guest/) writes and the command reads, one
 * for each process. docs/guest-channel.md explains it. Plain C without dependencies and without a
 * graphics API. Fields marked "shared" are accessed with atomic operations only. The reader trusts
 * nothing in here.
 */
#ifndef WIRE_CHANNEL_H
#define WIRE_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#define WIRE_MAGIC	  UINT64_C(0x545347544e545853) /* "SXTNTGST", little endian */
#define WIRE_VERSION	  3u
#define WIRE_ENV	  "SEXTANT_CHANNEL" /* path of the socket that hands the channel out */
#define WIRE_ENV_VULKAN	  "SEXTANT_CHANNEL_VULKAN" /* the same, for the Vulkan layer */
#define WIRE_ENV_OPENCL	  "SEXTANT_CHANNEL_OPENCL" /* the same, for the OpenCL layer */
#define WIRE_STREAMS	  64u			   /* contexts of a process at one time */
#define WIRE_RING_RECORDS 4096u			   /* a power of two */
#define WIRE_RING_MOST	  65536u
#define WIRE_LONG_RINGS	  4u /* streams with the ring length that was asked for; the others have */
#define WIRE_SHORT_RING	  2048u /* records at most: few programs draw with so many contexts */
#define WIRE_LABEL_BYTES  (UINT32_C(1) << 20) /* room for the texts of labels */
#define WIRE_COUNTER_ROOM 48u		      /* counters that a record has room for */
#define WIRE_ID_BYTES	  16u		      /* of a counter that a driver brings itself */
#define WIRE_DRIVER_MOST  128u		      /* such counters in the header's list */
#define WIRE_VALUES_MOST  3072u		      /* values of such counters in one sample */

/* What the socket sends with the descriptor of the memory, once, right after accepting. */
struct wire_hello {
	uint64_t magic;
	uint32_t version;
	uint32_t reserved;
	uint64_t bytes; /* of the memory */
};

/* The D3D11-style group. Values of records of graphics APIs are indexed by these. */
enum wire_counter {
#define QUERY(id, name, raw) WIRE_##id,
#include "wire/queries.def"
#undef QUERY
	WIRE_COUNTERS
};

/* Values of records of Vulkan go on behind those. */
enum wire_vulkan {
	WIRE_BEFORE_VULKAN = WIRE_COUNTERS - 1,
#define VULKAN(id, name) WIRE_##id,
#include "wire/vulkan.def"
#undef VULKAN
	WIRE_VULKAN_COUNTERS
};

/* Quality of one value of a record. */
enum wire_state {
	WIRE_NOT_COLLECTED, /* the stream's `why` says why; if that is none: overflow predicates
			     * are counted only while transform feedback is active */
	WIRE_VALID,
	WIRE_DISTURBED,	 /* the program used the same query target in this sample */
	WIRE_LATE,	 /* the driver had no result when it was needed */
	WIRE_SPARED,	 /* left out in this sample to keep the measurement's cost down */
	WIRE_IMPOSSIBLE, /* the driver's answer exceeds what can be */
	WIRE_DISJOINT,	 /* the driver says that its clock was not steady */
	WIRE_LISTED,	 /* a display list was open, in which no query can begin or end */
	WIRE_BARRED,	 /* a suspended pass, or a secondary command buffer that may run several
			  * times at once: no query counts it; of OpenCL: in a command buffer, no
			  * command of which has times */
};

/* Why a counter of a stream is not collected at all, or how it is. */
enum wire_why {
	WIRE_WHY_COLLECTED,	/* by a query of its own */
	WIRE_WHY_DERIVED,	/* exactly, from another counter's query */
	WIRE_WHY_THREADS,	/* GPU time: busy time of the rasteriser's threads, which the
				 * command adds */
	WIRE_WHY_NO_EXTENSION,	/* neither the version nor an extension has the query */
	WIRE_WHY_ZERO_BITS,	/* the driver's counter has 0 bits */
	WIRE_WHY_REFUSED,	/* the driver refused the query beside the others */
	WIRE_WHY_DISPLAY_LIST,	/* the program records this target in display lists */
	WIRE_WHY_NAME_CONFLICT, /* the program uses the names of our query objects */
	WIRE_WHY_NO_QUERIES,	/* this kind of context has no queries */
	WIRE_WHY_NOT_WANTED,	/* the user asked for other counters */
	WIRE_WHY_NO_GPU,	/* the driver draws on the program's own threads */
	WIRE_WHY_NOT_WATCHED,	/* the command may not watch the rasteriser's threads */
	WIRE_WHY_DRAWN_LATER,	/* the software rasteriser draws what it was given in one go */
	WIRE_WHY_NO_FEATURE,	/* the device lacks the feature that counts it */
	WIRE_WHY_UNUSED,	/* the program does not enable the extension that it belongs to */
	WIRE_WHY_NO_HEAP,	/* the device has fewer memory heaps */
	/* Of the driver's own counters. */
	WIRE_WHY_OTHER_DRIVER, /* this device's driver brings no such counter */
	WIRE_WHY_LOCKED,       /* another process holds the driver's profiling lock */
	WIRE_WHY_FORBIDDEN,    /* the driver does not give its counters to this user */
	WIRE_WHY_PROGRAMS_OWN, /* the program counts them itself */
	WIRE_WHY_PASSES,       /* the counter needs the same commands to run several times */
	WIRE_WHY_SCOPE,	       /* the counter counts more than the sample encloses */
	WIRE_WHY_CHILDREN,     /* secondary command buffers run, around which it cannot count */
	/* Of GPU time. */
	WIRE_WHY_UNDRAWN,  /* nothing was drawn, and the rasteriser's threads do nothing else */
	WIRE_WHY_COMPUTED, /* something else was done besides, on other threads */
	WIRE_WHY_COUNT,
};

static inline int wire_is_collected(unsigned why)
{
	return why <= WIRE_WHY_THREADS;
}

/* What a context belongs to. */
enum wire_api { WIRE_OPENGL = 1, WIRE_OPENGL_ES = 2, WIRE_VULKAN = 3, WIRE_OPENCL = 4 };
enum wire_profile { WIRE_PROFILE_NONE, WIRE_CORE, WIRE_COMPATIBILITY };
enum wire_window_system { WIRE_GLX = 1, WIRE_EGL = 2 };

/* What a record encloses. Others may come; readers skip what they do not know. */
enum wire_kind {
	WIRE_FRAME = 1,	   /* swap to swap, present to present */
	WIRE_TIME = 2,	   /* work that no swap ended: since the last swap, flush or finish */
	WIRE_PASS = 3,	   /* a render pass */
	WIRE_GROUP = 4,	   /* what a debug group does itself, without the groups within it */
	WIRE_DRAW = 5,	   /* one draw or dispatch */
	WIRE_KERNEL = 6,   /* one kernel, copy or map */
	WIRE_COMMANDS = 7, /* one command buffer */
	WIRE_SUBMIT = 8,   /* one submission */
	WIRE_QUEUE = 9,	   /* what one queue was given, between two presentations or in 100 ms */
	WIRE_KINDS,
	/*
	 * No sample: values of the driver's own counters, of the next record in the ring that is
	 * one. `index` is the first of them, in the header's order, `group_count` how many.
	 */
	WIRE_DRIVER_VALUES = 32,
	/* No sample either: `group_count` OpenCL commands that were counted; wire/counted.h. */
	WIRE_COUNTED = 33,
	/* Nor this: `index` frames of which nothing was counted; wire/run.h. */
	WIRE_RUN = 34,
	/* Nor this: `index` samples of kind `of`, from number `group_count` of the frame on. */
	WIRE_PARTS = 35,
};

enum wire_record_flags {
	WIRE_SIZE_KNOWN = 1 << 0, /* width and height are those of what is drawn to */
	WIRE_CUT = 1 << 1,	  /* the context was released and bound again within it */
	WIRE_CPU_KNOWN = 1 << 2,  /* cpu_begin_ns and cpu_end_ns hold */
	WIRE_GPU_KNOWN = 1 << 3,  /* gpu_begin_ns and gpu_end_ns hold */
	WIRE_LAST = 1 << 4,	  /* what a context did after its last swap */
	WIRE_SWAPPED = 1 << 5,	  /* a swap ended it: the last of its frame */
	WIRE_WORKED = 1 << 6,	  /* something was submitted in it, whatever was counted */
	WIRE_UNDRAWN = 1 << 7,	  /* commands were given to the device, and none of them draws */
	WIRE_DRAWN = 1 << 8,	  /* some of them draw, or begin a pass */
	WIRE_COMPUTED = 1 << 9,	  /* some of them do what a software driver does on other threads */
	WIRE_KEPT = 1 << 10,	  /* it was to be spared, but commands that were recorded before it
				   * counted all the same */
	WIRE_SEVERAL = 1 << 11,	  /* draws of several frames; `frame` is the first of them */
};

/*
 * A value of a counter that the driver brings itself: the bits of a double; what is not collected
 * has the reason in their place, enum wire_why.
 */
struct wire_value {
	uint64_t bits;
	uint8_t state; /* enum wire_state */
	uint8_t reserved[7];
};

/* One sample. */
struct wire_record {
	uint32_t kind, flags;	   /* enum wire_kind, enum wire_record_flags */
	uint64_t frame;		   /* from 0, for each context: the frame, or the one it lies in */
	uint64_t begin_ns, end_ns; /* CLOCK_MONOTONIC */
	/* CPU clock of the whole process at both ends: samples of several contexts overlap. */
	uint64_t cpu_begin_ns, cpu_end_ns;
	uint64_t gpu_begin_ns, gpu_end_ns; /* CLOCK_MONOTONIC */
	uint64_t cost_ns;		   /* time that our own code took within the sample */
	uint32_t label;			   /* id of a label path, 0: none */
	uint32_t index;			   /* of a group, draw or pass in its frame, from 0 */
	uint32_t width, height;		   /* pixels */
	uint32_t group_count;		   /* outermost groups that began in it */
	uint32_t draws;			   /* calls in it that draw or dispatch */
	uint32_t draft_sum;  /* wire_draft_sum() of a draft that has valid values, else 0 */
	uint32_t of;	     /* of kind WIRE_PARTS: the kind of its samples */
	uint32_t dispatches; /* of `draws`, those that dispatch */
	uint32_t reserved0[5];
	uint64_t values[WIRE_COUNTER_ROOM]; /* by the API's own order */
	uint8_t states[WIRE_COUNTER_ROOM];  /* enum wire_state */
	uint8_t reserved1[16];
};

enum wire_stream_state {
	WIRE_FREE,    /* may be claimed */
	WIRE_CLAIMED, /* a writer fills in the identity */
	WIRE_OPEN,    /* identity is final, records flow */
	WIRE_CLOSED,  /* the writer is done; the reader frees it once it is drained */
};

enum wire_context_flags {
	WIRE_DEBUG_CONTEXT = 1 << 0,
	WIRE_ROBUST_CONTEXT = 1 << 1,
	WIRE_NO_ERROR_CONTEXT = 1 << 2,
};

/* One context (queue, device) of the process: its identity, then its ring of records. */
struct wire_stream {
	uint32_t state;	     /* shared, enum wire_stream_state */
	uint32_t generation; /* shared; incremented by each claim */
	uint32_t serial;     /* of the context in its process, from 1 */
	uint32_t reserved;
	uint64_t start_ns;
	uint8_t window_system, api, profile, context_flags;
	uint8_t major, minor; /* version of the API */
	uint8_t pad0[34];
	uint64_t head; /* shared; records written */
	uint64_t lost; /* shared; records that found the ring full */
	/*
	 * Shared; records from the head up to here are drafts: times of samples without results
	 * yet. They count once the program has ended.
	 */
	uint64_t drafted;
	uint8_t pad1[40];
	uint64_t tail; /* shared; records read; the only field of a stream that the reader writes,
			* apart from CLOSED to FREE */
	uint8_t pad2[56];
	char vendor[128], renderer[192], version[192];
	uint8_t bits[WIRE_COUNTER_ROOM]; /* width of each counter */
	uint8_t why[WIRE_COUNTER_ROOM];	 /* enum wire_why */
	uint8_t pad3[3296];
};

/*
 * A node of a label path, in the room for labels. Its id is its offset there. The path's other
 * nodes are those of its parents, which were written before it.
 */
struct wire_label {
	uint32_t parent; /* id, 0: none */
	uint32_t length; /* bytes of text that follow */
};

/* The head of the channel; labels follow, then streams, each with its ring right behind it. */
struct wire_header {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes, stream_bytes, record_bytes; /* sizeof of the three structs */
	uint32_t stream_count, ring_records, label_bytes;
	/* What the command wants; fixed before the program sees it. */
	uint32_t kinds;		    /* bit of each enum wire_kind */
	uint64_t counters;	    /* bit of each counter of the API's own order */
	uint32_t overhead_permille; /* how much slower the program may get; 0: measure all */
	uint32_t driver_count;	    /* of the ids below */
	uint8_t pad0[8];
	/* What the program says of itself. */
	uint32_t contexts;   /* shared; contexts that it has made current */
	uint32_t refused;    /* shared; contexts without a stream because all were taken */
	uint32_t label_used; /* shared; bytes of the room for labels in use, from 8 */
	uint32_t label_lost; /* shared; labels that found it full */
	uint32_t dropped;    /* shared; samples of contexts without a stream */
	uint8_t pad1[4];
	/*
	 * Shared; time that our own code took, as far as it was measured, and CPU time of the
	 * program meanwhile. 0: nothing was measured.
	 */
	uint64_t own_ns, program_ns;
	uint8_t pad3[24];
	/* Counters of the driver's own that the command wants, as the driver numbers them. */
	uint8_t driver_ids[WIRE_DRIVER_MOST][WIRE_ID_BYTES];
	uint8_t pad2[1920];
};

/* What a half-written record does not have. Not 0. */
static inline uint32_t wire_draft_sum(const struct wire_record *record)
{
	uint64_t sum = 14695981039346656037u ^ record->frame ^ record->end_ns;

	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++)
		sum = (sum ^ record->values[i] ^ ((uint64_t)record->states[i] << 56)) *
		      1099511628211u;
	return (uint32_t)(sum >> 32) | 1;
}

/*
 * What the source hands to the decoder as one raw sample (RAW_GUEST): a record with its context and
 * process, then the text of its label path, then the values of the driver's own counters (struct
 * wire_value). Never in the channel itself.
 */
struct wire_sample {
	uint32_t context; /* number of the context, from 0, in order of appearance */
	uint32_t process; /* number of the process, likewise */
	int32_t pid;
	uint32_t api;  /* enum wire_api */
	char name[32]; /* of the process */
	uint8_t why[WIRE_COUNTER_ROOM], bits[WIRE_COUNTER_ROOM];
	struct wire_record record;
	/* CPU time of the rasteriser's threads, where GPU time is theirs or was left out of it. */
	uint64_t raster_ns;
	/* Of the busiest thread of the process, and of a software rasteriser's: on a CPU, and ready
	 * without one. */
	uint64_t thread_run_ns, thread_wait_ns, raster_run_ns, raster_wait_ns;
	uint64_t any_ns;       /* in which any thread of the process was on a CPU */
	uint32_t label_length; /* bytes of text that follow the struct */
	uint32_t driver_count; /* values that follow the text */
	uint16_t thread_known; /* whether thread times are known, */
	uint16_t rasterises;   /* and whether there is such a rasteriser */
	uint8_t any_state;     /* enum wire_state */
};

/* Whether a swap or the like ended it, so that a frame is over. */
static inline int wire_ends_frame(const struct wire_record *record)
{
	return record->kind == WIRE_FRAME || (record->flags & WIRE_SWAPPED) != 0;
}

/* The samples of a context so far. Zero-initialise. */
struct wire_past {
	uint64_t frames, time_ns, gpu_ns;
};

static inline uint64_t wire_gpu_ns(const struct wire_record *record)
{
	return record->states[WIRE_GPU_TIME] == WIRE_VALID ? record->values[WIRE_GPU_TIME] : 0;
}

static inline void wire_add_past(struct wire_past *past, const struct wire_record *record)
{
	past->frames += (uint64_t)wire_ends_frame(record);
	past->time_ns += record->end_ns - record->begin_ns;
	past->gpu_ns += wire_gpu_ns(record);
}

/*
 * Whether the GPU was at work, whatever was given to it meanwhile: for 100 ms, or on what frames
 * have left, so that it has more time than they took. (A driver that draws later lets the program
 * wait for all of it in its last glFinish.)
 */
static inline int wire_works_on(const struct wire_record *record, const struct wire_past *past)
{
	return wire_gpu_ns(record) >= UINT64_C(100000000) || past->gpu_ns > past->time_ns;
}

/*
 * Whether a record becomes a row. One that did nothing does not: programs also create contexts only
 * to query a driver, and most only clean up after their last frame. Where nothing was counted,
 * draws decide: samples that are spared become rows, or no row would represent their time. `past`:
 * of its context, before it.
 */
static inline int wire_is_row(const struct wire_record *record, const struct wire_past *past)
{
	int measured = 0;
	int tidies = (record->flags & WIRE_LAST) && record->kind != WIRE_FRAME &&
		     (past->frames > 0 || wire_ends_frame(record));
	if (wire_works_on(record, past))
		return 1;
	if (record->draws != 0 || record->flags & WIRE_WORKED ||
	    (record->kind != WIRE_TIME && !(record->flags & WIRE_LAST)))
		return 1;
	for (int i = WIRE_OCCLUSION; i < (int)WIRE_COUNTER_ROOM; i++) {
		if (record->states[i] == WIRE_DISTURBED || record->values[i] != 0)
			return 1;
		measured |= record->states[i] != WIRE_NOT_COLLECTED;
	}
	return !measured && !tidies;
}

#define WIRE_STREAM_STRIDE(ring)                                                                   \
	(sizeof(struct wire_stream) + (size_t)(ring) * sizeof(struct wire_record))
#define WIRE_SHORT_OF(ring) ((ring) < WIRE_SHORT_RING ? (ring) : WIRE_SHORT_RING)
#define WIRE_LONG_BYTES(ring)                                                                      \
	(sizeof(struct wire_header) + WIRE_LABEL_BYTES + WIRE_LONG_RINGS * WIRE_STREAM_STRIDE(ring))
#define WIRE_BYTES(ring)                                                                           \
	(WIRE_LONG_BYTES(ring) +                                                                   \
	 (WIRE_STREAMS - WIRE_LONG_RINGS) * WIRE_STREAM_STRIDE(WIRE_SHORT_OF(ring)))

/* Records of a stream's ring, in a channel of `ring`. */
static inline uint32_t wire_ring(uint32_t ring, unsigned index)
{
	return index < WIRE_LONG_RINGS ? ring : WIRE_SHORT_OF(ring);
}

/* What watching a software rasteriser's threads may cost a program, in ppm: a twentieth. */
static inline uint32_t wire_watch_ppm(uint32_t overhead_permille)
{
	return overhead_permille * 50;
}

/* What is left for a context's own queries, by why its driver has no GPU time. */
static inline uint32_t wire_query_ppm(uint32_t overhead_permille, uint8_t why_no_time)
{
	bool watched = why_no_time == WIRE_WHY_THREADS;

	return overhead_permille * 1000 - (watched ? wire_watch_ppm(overhead_permille) : 0);
}

static inline uint8_t *wire_labels(struct wire_header *channel)
{
	return (uint8_t *)(channel + 1);
}

/* `ring` is the checked number of records: the header's own may change under the reader. */
static inline struct wire_stream *wire_stream_at(struct wire_header *channel, uint32_t ring,
						 unsigned index)
{
	size_t at = index * WIRE_STREAM_STRIDE(ring);

	if (index >= WIRE_LONG_RINGS)
		at = WIRE_LONG_RINGS * WIRE_STREAM_STRIDE(ring) +
		     (index - WIRE_LONG_RINGS) * WIRE_STREAM_STRIDE(WIRE_SHORT_OF(ring));
	return (struct wire_stream *)(void *)(wire_labels(channel) + WIRE_LABEL_BYTES + at);
}

_Static_assert(sizeof(struct wire_record) == 576, "a record is nine cache lines");
_Static_assert(sizeof(struct wire_stream) == 4096, "a stream's head is one page");
_Static_assert(sizeof(struct wire_header) == 4096, "the header is one page");
_Static_assert(offsetof(struct wire_record, values) == 128, "values start a cache line");
_Static_assert(offsetof(struct wire_stream, head) == 64, "head has a line of its own");
_Static_assert(offsetof(struct wire_stream, tail) == 128, "tail has a line of its own");
_Static_assert(offsetof(struct wire_stream, vendor) == 192, "identity follows");
_Static_assert(offsetof(struct wire_header, contexts) == 64, "the program's part starts a line");
_Static_assert(offsetof(struct wire_header, driver_ids) == 128, "the ids start a line");
_Static_assert(sizeof(struct wire_value) == 16, "a value without holes");
_Static_assert((int)WIRE_VULKAN_COUNTERS <= (int)WIRE_COUNTER_ROOM, "the counters fit a record");

#endif
