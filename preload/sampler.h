/*
 * Our queries in one context. A set of queries covers a segment, from one cut (a swap, a release of
 * the context) to the next. Sets are reused; results are read when the driver has them, are added
 * over the segments of a frame and written as one record. Used by the thread that has the context
 * current.
 */
#ifndef PRELOAD_SAMPLER_H
#define PRELOAD_SAMPLER_H

#include <GL/glcorearb.h>
#include <stdbool.h>
#include <stdint.h>

#include "guest/budget.h"
#include "preload/real/api.h"
#include "guest/channel.h"
#include "guest/pace.h"
#include "preload/monitor/monitor.h"

/* One query target and index. A set of slots is a bit mask. */
enum slot {
	SLOT_OCCLUSION,
	SLOT_OCCLUSION_ANY,
	SLOT_OCCLUSION_CONSERVATIVE, /* only programs use it */
	SLOT_TIME_ELAPSED,	     /* if timestamps have no bits */
	SLOT_STATISTICS_FIRST,
	SLOT_WRITTEN_0 = SLOT_STATISTICS_FIRST + 11,
	SLOT_GENERATED_0 = SLOT_WRITTEN_0 + 4,
	SLOT_OVERFLOW = SLOT_GENERATED_0 + 4, /* any stream, then streams 0 to 3 */
	SLOT_COUNT = SLOT_OVERFLOW + 5,
};
#define SLOT_BIT(slot) (UINT32_C(1) << (slot))
/* Overflow queries are active only while transform feedback is. */
#define SLOT_OVERFLOW_COUNT 5
#define SLOT_OVERFLOW_MASK  (UINT32_C(0x1f) << SLOT_OVERFLOW)

/*
 * Parts of the pipeline that few programs use. Until a program does, their counts are 0 and need no
 * queries. A set of parts is a bit mask.
 */
enum part {
	PART_GEOMETRY = 1 << 0,
	PART_TESSELLATION = 1 << 1,
	PART_COMPUTE = 1 << 2,
	PART_FEEDBACK = 1 << 3,
};
#define PART_SHADERS (PART_GEOMETRY | PART_TESSELLATION | PART_COMPUTE)

struct target {
	GLenum target;
	GLuint index;
	bool boolean;	/* the result is boolean */
	int8_t counter; /* enum wire_counter, or -1 */
	int8_t second;	/* a second counter of the same value, or -1 */
	size_t feature; /* offset in struct api_features */
	unsigned part;	/* enum part that it counts, or 0: always */
};

/* All slots, in the order of enum slot. */
extern const struct target targets[SLOT_COUNT];

/* The slot of a target that a program names, or -1. */
int target_slot(GLenum target, GLuint index);
/* Begins or ends a query of a slot; uses indexed calls only for index > 0. */
void target_begin(const struct api *gl, int slot, GLuint name);
void target_end(const struct api *gl, int slot);
/* The slots that count any of these parts. */
uint32_t target_slots_of(unsigned parts);
bool target_has_feature(const struct api *gl, int slot);

#define SAMPLER_SECTIONS 4u  /* transform feedbacks in one segment */
#define SAMPLER_LABELS	 64u /* nested debug groups that have names */
#define SAMPLER_SPANS	 8u  /* of GPU time in one segment, separated by flushes */
#define SAMPLER_NAMES                                                                              \
	(SLOT_COUNT + 2 * SAMPLER_SPANS + (SAMPLER_SECTIONS - 1) * SLOT_OVERFLOW_COUNT)

struct query_set {
	GLuint names[SLOT_COUNT];
	GLuint stamps[2 * SAMPLER_SPANS]; /* begin and end of each span, see spans.c */
	GLuint more[SAMPLER_SECTIONS - 1][SLOT_OVERFLOW_COUNT]; /* sections after the first */
	uint32_t begun;						/* queries that were begun */
	uint32_t active;					/* of these, not yet ended */
	uint32_t unused;    /* not begun: the program does not use their part of the pipeline */
	uint32_t late;	    /* unused, although another context has begun to use that part */
	uint32_t disturbed; /* incomplete in this segment */
	unsigned sections, spans;
	uint64_t span_ns;  /* when the last span began */
	bool measured;	   /* it has queries besides timestamps */
	uint64_t begin_ns; /* when the first of them began */
	bool section_open, sections_lost, span_open, named;
	bool outlived; /* it could not end with its segment because of a display list */
	int next_free; /* index, or -1 */
};

/* Calls that draw or dispatch, and of them those that dispatch. */
struct calls {
	uint32_t all, dispatches;
};

/* What the CPU knows about a segment or frame. */
struct sample_meta {
	uint32_t kind, flags;
	uint64_t frame, begin_ns, end_ns, cpu_begin_ns, cpu_end_ns;
	uint32_t width, height, group_count;
	struct calls calls;
	uint32_t label; /* of the first outermost debug group, or of the enclosing one, or 0 */
	uint32_t index; /* in its frame */
	bool measured;
};

/*
 * Query sets, and segments that wait for results, for frames and for parts of frames. llvmpipe
 * queues 64 frames before it renders the first, and a frame may have several sets.
 */
#define FRAME_SETS     256u
#define FRAME_SEGMENTS 512u
#define PART_SETS      4096u
#define PART_SEGMENTS  8192u
#define DRAW_NAMES     32768u /* a frame's draws with a label each; later ones share the last */

#define SEGMENT_BLIND  (-1) /* not measured: all sets wait for results */
#define SEGMENT_EMPTY  (-2) /* the context was not current */
#define SEGMENT_PLAIN  (-3) /* in a frame that is not measured */
#define SEGMENT_IDLE   (-4) /* recorded in a display list, not executed */
#define SEGMENT_LISTED (-5) /* recorded in a display list and executed */

struct segment {
	int set;	    /* index, or one of the above */
	int monitor;	    /* slot of hardware counters, or MONITOR_… */
	uint32_t pass;	    /* of them */
	bool ends;	    /* it ends a frame */
	bool whole;	    /* it is the whole frame */
	uint64_t number;    /* of the sample that ends with it */
	uint64_t submit_ns; /* when its queries ended */
	struct calls calls; /* of the sample, until then */
	struct sample_meta meta;
	struct wire_record *run; /* the record in the ring that covers several frames, or NULL */
};

/* The label of a draw's number, and the call that it was made for. */
struct draw_name {
	const char *name; /* static, or NULL */
	uint32_t above;	  /* enclosing label */
	uint32_t label;
	bool computes;
	uint32_t count; /* draws that were added, of several frames */
	uint64_t ticks; /* duration of these */
};

/* Draws that are added by label and have no rows of their own; see tally.c. */
struct tally {
	bool on;	       /* in the current frame */
	uint32_t used;	       /* entries of draw_names in use */
	uint64_t draw_ticks;   /* begin of the current draw */
	uint64_t frame;	       /* the first frame */
	uint64_t begin_ns;     /* its begin */
	uint64_t begin_cpu_ns; /* CPU time at its begin, or 0 */
	uint64_t begin_ticks;
	struct budget rows;	/* chooses frames with rows */
	uint64_t rest_until_ns; /* no frame has rows before then */
};

/* The process's CPU clock at a time. */
struct reading {
	uint64_t time_ns, cpu_ns; /* 0: not known */
};

/* Results of probe_targets(). */
struct probe {
	uint32_t usable;		/* slots that can be active together */
	uint32_t conflicts[SLOT_COUNT]; /* our slots that a slot conflicts with */
	uint64_t wanted;		/* bits of the wanted counters */
	bool software;			/* timestamps are meaningless, see probe.c */
	bool timestamps;
	uint64_t time_mask;
};

struct sampler {
	const struct api *gl;
	struct channel_identity *identity;
	struct channel_stream stream;
	struct probe probe;
	struct monitor *monitor;       /* of hardware counters, or NULL */
	GLenum *kept_error;	       /* the program's, see sampler_start() */
	uint32_t per;		       /* enum wire_kind: what a sample encloses */
	struct query_set *sets;	       /* set_count */
	unsigned set_count, fresh_set; /* fresh_set: the first set that was never used */
	int free_set;		       /* the last one that was freed, or -1 */
	GLuint name_low, name_high;    /* range of our names */
	bool invents;		       /* we choose names; else glGenQueries() does */
	bool measuring;		       /* queries are possible in this context */
	bool list_open;		       /* a display list is being compiled */
	bool list_runs;		       /* with GL_COMPILE_AND_EXECUTE */
	bool list_holds;	       /* the active queries belong to segment `list_owner` */
	bool list_ended;	       /* a segment has ended in the list */
	uint64_t list_owner;	       /* segment number */
	bool feedback_running;
	bool paused;		 /* the context is released */
	bool draws;		 /* the current draw is a sample */
	bool frame_over;	 /* inside of a swap */
	bool has_rest;		 /* it was current since the last record */
	bool measured;		 /* the current frame */
	struct pace pace;	 /* chooses measured frames */
	uint32_t audits;	 /* measured frames so far */
	uint32_t banned;	 /* slots that are not used any more */
	uint32_t program_active; /* slots of active queries of the program */

	int open;				/* set of the current segment, or -1 */
	uint64_t frame, begin_ns, begin_cpu_ns; /* of the current sample; CPU time 0: see times.c */
	struct reading reading;			/* the last one */
	uint64_t paced_cpu_ns;			/* CPU time up to the last pace_sample() */
	uint32_t flags;				/* of the current sample */
	uint32_t index;				/* of the sample in its frame */
	uint32_t group_count, group_depth, label;
	struct calls calls;		 /* in the sample that runs */
	uint32_t labels[SAMPLER_LABELS]; /* of the open debug groups */

	struct draw_name *draw_names; /* DRAW_NAMES, or NULL */
	struct tally tally;
	struct segment *segments; /* FIFO of segment_count */
	unsigned segment_count;
	uint64_t first_segment, last_segment;
	unsigned pieces;	   /* segments of the current sample */
	uint64_t timed;		   /* segments before this one have CPU times */
	uint64_t disjoint_until;   /* GL_GPU_DISJOINT was set in segments before this one */
	bool owes_disjoint;	   /* and must still be reported to the program */
	uint64_t awaited;	   /* number of samples up to the last measured one */
	uint64_t samples, written; /* ended ones, and of these the written ones */
	struct segment *ended;	   /* the frame that the current swap ends */
	uint64_t known_ns;	   /* end of the segments of the oldest frame that are read; or 0 */
	struct calls known_calls;  /* in these */
	uint64_t sums[WIRE_COUNTERS]; /* over the segments of the oldest frame */
	uint8_t states[WIRE_COUNTERS];
};

/*
 * Prepares the current context: names, probe, first segment. Saves pending errors of the program in
 * `kept_error`, because reading our own errors would lose them.
 */
void sampler_start(struct sampler *sampler, const struct api *gl, struct channel_identity *identity,
		   GLenum *kept_error);
/*
 * Ends a frame, before the driver's swap, the time of which still belongs to it. `size` is that of
 * the default framebuffer, or NULL.
 */
void sampler_end_frame(struct sampler *sampler, bool swapped, const uint32_t size[2]);
/* Ends a sample of a program that does not swap, and begins the next. */
void sampler_end_time(struct sampler *sampler, const uint32_t size[2]);
/*
 * Before and after a call that submits work: GPU time ends there and continues with the next work,
 * so that the idle time between is not counted.
 */
void sampler_flush(struct sampler *sampler, bool before);
/* Ends the segment without ending the frame, before the context is released. */
void sampler_cut(struct sampler *sampler);
/* Begins the next segment. */
void sampler_resume(struct sampler *sampler);
/* Ends the frame's time if it has not ended, because a swap may never return. */
void sampler_end_clock(struct sampler *sampler);
/* After the driver's swap: ends the frame's time and begins the next one's. */
void sampler_start_clock(struct sampler *sampler);

/* Reads available results, in order; waits at most wait_ns for the rest. */
void sampler_collect(struct sampler *sampler, uint64_t wait_ns);
/*
 * At glFinish() within a sample: whether the segment may end before it; after it, reads the results
 * and begins the next segment.
 */
bool sampler_may_resolve(const struct sampler *sampler);
void sampler_resolve(struct sampler *sampler);
/* Writes a draft of an ended frame, in case the program ends before its results are available. */
void sampler_draft(struct sampler *sampler, const struct segment *segment);
/*
 * A sample has ended. If it was not measured, adds it to the record of those before it, or begins
 * such a record. False: it was measured.
 */
bool runs_join(struct sampler *sampler, struct segment *segment);
/* A record that begins with an unmeasured sample. */
struct wire_record runs_record(const struct sampler *sampler, const struct sample_meta *meta);
/* Writes a record of samples that were not queued: their times are known. */
void runs_send(struct sampler *sampler, const struct sample_meta *meta,
	       const struct wire_record *record);
/* Sets the CPU time of a segment's unmeasured samples. */
void runs_time(const struct segment *segment);
/* Writes the record of a segment's unmeasured samples. */
void runs_write(struct sampler *sampler, const struct segment *segment);
/* How many samples a segment ends. */
uint32_t runs_samples(const struct segment *segment);
/* The state of a counter in an unmeasured sample. */
enum wire_state sampler_state_without(const struct sampler *sampler, unsigned counter,
				      bool measured);
/* A record without its counters. */
struct wire_record sampler_record(const struct sample_meta *meta);
/*
 * Marks unread values as late, writes a last sample of the work since the last frame, which ends at
 * `end_ns` (0: now), and closes the stream. No GL calls.
 */
void sampler_finish(struct sampler *sampler, uint64_t end_ns);

/*
 * Before the program begins a query: ends ours of the same target. Returns the name to begin: if it
 * is one of ours, a name that the driver refuses, as it would without us.
 */
GLuint sampler_program_begins(struct sampler *sampler, GLenum target, GLuint index, GLuint name);
void sampler_program_ends(struct sampler *sampler, GLenum target, GLuint index);
bool sampler_owns(const struct sampler *sampler, GLuint name);
/* Ends and deletes all our queries for good. */
void sampler_stop(struct sampler *sampler, enum wire_why why);
/* Before or after a call that begins, pauses, resumes or ends transform feedback. */
void sampler_feedback(struct sampler *sampler, bool before);
/*
 * The program is about to use parts of the pipeline, maybe in another context than the calling
 * thread's (which may be NULL).
 */
void sampler_use_parts(struct sampler *sampler, unsigned parts);
/* A display list may have begun or ended; `mode`: the driver's GL_LIST_MODE, or 0. */
void sampler_list(struct sampler *sampler, GLenum mode);
/* Debug groups. A negative length: the label is NUL-terminated. */
void sampler_push_group(struct sampler *sampler, GLsizei length, const GLchar *label);
void sampler_pop_group(struct sampler *sampler);

/* Counts a draw or dispatch, unless a display list records it. */
void sampler_count_draw(struct sampler *sampler, bool computes);
/*
 * With --per draw, before the driver's call: begins a sample labelled by the call's name, unless
 * one is open. False: none began.
 */
bool sampler_begin_draw(struct sampler *sampler, const char *name);
/* Ends the sample of a draw, if one is open. */
void sampler_end_draw(struct sampler *sampler);
/* Internal to the sampler. The set with active queries, or NULL. */
static inline struct query_set *sampler_open_set(struct sampler *sampler)
{
	return sampler->open >= 0 ? &sampler->sets[sampler->open] : NULL;
}
/* Whether queries of ours are active. */
static inline bool sampler_counts(const struct sampler *sampler)
{
	return sampler->open >= 0 || monitor_counts(sampler->monitor);
}
/* Whether measured frames may take longer than others. */
static inline bool sampler_may_cost(const struct sampler *sampler)
{
	return sampler->measuring || sampler->monitor;
}
/* Inside a display list our calls would be recorded instead of executed. */
static inline bool sampler_may_call(const struct sampler *sampler)
{
	return sampler->measuring && !sampler->list_open;
}
#define LISTS_MODE 0x0b30u /* GL_LIST_MODE */
#define LISTS_RUN  0x1301u /* GL_COMPILE_AND_EXECUTE */
/* Ends a segment while a display list is open. Returns a SEGMENT_ constant or a set. */
int lists_end_segment(struct sampler *sampler);
/* Ends a set's active queries and its spans. */
void sampler_end_set(struct sampler *sampler, struct query_set *set);
/* Ends a segment, not the sample. Returns its place in the queue, or NULL. */
struct segment *sampler_end_segment(struct sampler *sampler);
/* Ends the current sample; NULL: the queue is full. */
struct segment *sampler_end_sample(struct sampler *sampler, uint32_t kind);
/* Ends a set's active queries of these slots. */
void sampler_end_slots(struct sampler *sampler, struct query_set *set, uint32_t mask);
/* The label of the innermost open debug group; beyond SAMPLER_LABELS, of the deepest with one. */
uint32_t sampler_innermost(const struct sampler *sampler);
/* Frees a set after its results are read or lost. */
void sampler_release_set(struct sampler *sampler, int set);
/* Continues the segment in another set, if one is free. */
void sampler_next_set(struct sampler *sampler);
/* The result of a query, which must be available. */
uint64_t sampler_value(const struct api *gl, GLuint name);
/* With --per draw: sets the overhead limit of rows. */
void tally_begin(struct sampler *sampler, uint32_t overhead_permille);
/* A frame with so many rows ends: decides whether the next one's draws have rows or are added. */
void tally_turn(struct sampler *sampler, uint64_t now_ns, bool measured, uint32_t rows);
/* Continues after the context was made current. */
void tally_resume(struct sampler *sampler);
/* Writes the added draws, if there are any. */
void tally_write(struct sampler *sampler);
/* Reads the CPU clock and sets the CPU times of all samples up to the current one. */
void times_read(struct sampler *sampler, uint64_t now_ns);
/* The first sample begins. */
void times_start(struct sampler *sampler);
/* Ends the time of the last sample, if it has not ended. */
void times_end(struct sampler *sampler, uint64_t now_ns);
/* Begins a sample; its CPU time at the begin is set now or at the next reading. */
void times_begin(struct sampler *sampler, uint64_t now_ns);
/* Reads the CPU clock if it is due, before or at the end of a sample. */
bool times_ask(struct sampler *sampler, uint64_t now_ns);
/* Reads it if segments have no CPU times yet. */
void times_need(struct sampler *sampler);
/* Begins and ends a span of GPU time. Does nothing if timestamps are meaningless. */
void spans_begin(struct sampler *sampler, struct query_set *set);
void spans_end(struct sampler *sampler, struct query_set *set);
#define SPANS_DISJOINT 0x8fbbu /* GL_GPU_DISJOINT_EXT */
/* Reads GL_GPU_DISJOINT_EXT. */
void spans_ask_clock(struct sampler *sampler);
/* The program has read it as `disjoint`. Returns the value for the program. */
bool spans_clock_asked(struct sampler *sampler, bool disjoint);
/* The sum of a set's spans; their results must be available. */
uint64_t spans_time_ns(const struct sampler *sampler, const struct query_set *set);
/* Ends our queries of these slots, and marks them as incomplete in this segment. */
void yield_slots(struct sampler *sampler, uint32_t mask);
/* Asks the driver which queries of the program are active. */
void yield_check(struct sampler *sampler);
/* Frees the sampler's memory. No GL calls. */
void sampler_free(struct sampler *sampler);

/* Sets how GPU time of a software rasteriser is measured, if at all. No GL calls. */
void probe_software(struct sampler *sampler);
/* Finds out which targets can be active together. Leaves no GL error and no debug message. */
void probe_targets(struct sampler *sampler);
/* Chooses how names are made; makes a set's names; deletes all names. */
void names_choose(struct sampler *sampler);
void names_make(struct sampler *sampler, unsigned set);
void names_delete(struct sampler *sampler);

struct size {
	uint32_t known[2];	   /* 0: not known */
	uint32_t viewport[2];	   /* at the end of the last frame, if its origin is 0, 0; else 0 */
	uint32_t asked[2];	   /* viewport at the last request to the window system */
	uint64_t due_ns, pause_ns; /* earliest time of the next request for the same viewport */
};

/* A drawable of EGL or GLX. */
struct size_drawable {
	bool egl;
	void *display;
	uint64_t drawable;
};

/* At the first make-current the viewport is the drawable's size (OpenGL, "Viewport"). */
void size_start(struct size *size, const struct api *gl);
/* Another drawable, of unknown size, is current. */
void size_forget(struct size *size);
/* At the end of a frame: the size, or NULL if it is not known. */
const uint32_t *size_at_end(struct size *size, const struct api *gl);
/*
 * After a swap: if the viewport differs from the known size, asks the window system for the size.
 * That waits for it, so requests for the same viewport come at growing intervals.
 */
void size_after_swap(struct size *size, const struct size_drawable *drawable);

#endif
