/*
 * Our queries in one context. A set of queries covers a segment: from one cut (a swap, a release of
 * the context) to the next. Sets go round in a ring; results are read when the driver has them, are
 * added up over the segments of a frame, and leave as one record. Used by the thread that the
 * context is current in.
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
	SLOT_OCCLUSION_CONSERVATIVE, /* the program's only */
	SLOT_TIME_ELAPSED,	     /* where timestamps have no bits */
	SLOT_STATISTICS_FIRST,
	SLOT_WRITTEN_0 = SLOT_STATISTICS_FIRST + 11,
	SLOT_GENERATED_0 = SLOT_WRITTEN_0 + 4,
	SLOT_OVERFLOW = SLOT_GENERATED_0 + 4, /* any stream, then streams 0 to 3 */
	SLOT_COUNT = SLOT_OVERFLOW + 5,
};
#define SLOT_BIT(slot) (UINT32_C(1) << (slot))
/* Overflow queries run only while transform feedback does. */
#define SLOT_OVERFLOW_COUNT 5
#define SLOT_OVERFLOW_MASK  (UINT32_C(0x1f) << SLOT_OVERFLOW)

/*
 * Parts of the pipeline that few programs use. Until one does, what they count is 0, and their
 * queries need not run. A set of parts is a bit mask.
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
	bool boolean;	/* the result is a truth value */
	int8_t counter; /* enum wire_counter, or -1 */
	int8_t second;	/* a second counter of the same value, or -1 */
	size_t feature; /* offset in struct api_features */
	unsigned part;	/* enum part that it counts, or 0: always */
};

/* All slots, in the order of enum slot. */
extern const struct target targets[SLOT_COUNT];

/* The slot of a target that a program names, or -1. */
int target_slot(GLenum target, GLuint index);
/* Begins or ends a query of a slot. Indexed calls only where they are needed. */
void target_begin(const struct api *gl, int slot, GLuint name);
void target_end(const struct api *gl, int slot);
/* The slots that count any of these parts. */
uint32_t target_slots_of(unsigned parts);
bool target_has_feature(const struct api *gl, int slot);

#define SAMPLER_SECTIONS 4u  /* runs of transform feedback in one segment */
#define SAMPLER_LABELS	 64u /* nested debug groups that have names */
#define SAMPLER_SPANS	 8u  /* of GPU time in one segment, with the hand-overs between them */
#define SAMPLER_NAMES                                                                              \
	(SLOT_COUNT + 2 * SAMPLER_SPANS + (SAMPLER_SECTIONS - 1) * SLOT_OVERFLOW_COUNT)

struct query_set {
	GLuint names[SLOT_COUNT];
	GLuint stamps[2 * SAMPLER_SPANS]; /* begin and end of each span, see spans.c */
	GLuint more[SAMPLER_SECTIONS - 1][SLOT_OVERFLOW_COUNT]; /* sections after the first */
	uint32_t begun;						/* queries that were begun */
	uint32_t active;					/* of these, not yet ended */
	uint32_t asleep;    /* not begun: the program has nothing that they count */
	uint32_t late;	    /* asleep, although another context woke them meanwhile */
	uint32_t disturbed; /* not whole in this segment */
	unsigned sections, spans;
	uint64_t span_ns;  /* when the last span began */
	bool measured;	   /* queries run, not the stamps alone */
	uint64_t begin_ns; /* when the first of them began */
	bool section_open, sections_lost, span_open, named;
	bool outlived; /* a display list kept it from ending with its segment */
	int next_free; /* index, or -1 */
};

/* Calls that draw or dispatch, and of them those that dispatch. */
struct calls {
	uint32_t all, dispatches;
};

/* What is known of a segment or frame on the CPU's side. */
struct sample_meta {
	uint32_t kind, flags;
	uint64_t frame, begin_ns, end_ns, cpu_begin_ns, cpu_end_ns;
	uint32_t width, height, group_count;
	struct calls calls;
	uint32_t label; /* of the first outermost debug group or of the one it lies in, or 0 */
	uint32_t index; /* in its frame */
	bool measured;
};

/*
 * Sets of queries, and cuts whose results are still to come, for samples of each kind. Mesa's
 * llvmpipe begins 64 frames before the first is drawn, and a frame has several sets at times.
 */
#define FRAME_SETS     256u
#define FRAME_SEGMENTS 512u
#define PART_SETS      4096u
#define PART_SEGMENTS  8192u
#define DRAW_NAMES     32768u /* of a frame's first draws; all others go by one name */

#define SEGMENT_BLIND  (-1) /* not measured because all sets were waiting */
#define SEGMENT_EMPTY  (-2) /* the context was not current: there was nothing to measure */
#define SEGMENT_PLAIN  (-3) /* in a frame that is not to be measured */
#define SEGMENT_IDLE   (-4) /* only recorded in a display list: nothing ran */
#define SEGMENT_LISTED (-5) /* a display list was open, which ran what it recorded */

struct segment {
	int set;	    /* index, or one of the above */
	int monitor;	    /* of hardware counters: a slot, or MONITOR_… */
	uint32_t pass;	    /* of them */
	bool ends;	    /* the frame ends with it, */
	bool whole;	    /* and began with it */
	uint64_t number;    /* of the sample that ends with it */
	uint64_t submit_ns; /* when its queries ended, */
	struct calls calls; /* and those of the sample until then */
	struct sample_meta meta;
	struct wire_record *run; /* in the ring, where it stands for several frames; or NULL */
};

/* What the draw of a number was called when it was last seen. */
struct draw_name {
	const char *name; /* static, or NULL */
	uint32_t above;	  /* label that it lay in */
	uint32_t label;
	bool computes;
	uint32_t count; /* that were added up, of several frames, */
	uint64_t ticks; /* and how long they took */
};

/* Draws that are added up and have no rows of their own, see tally.c. */
struct tally {
	bool on;	       /* in the frame that runs */
	uint32_t used;	       /* names from there on have no draws */
	uint64_t draw_ticks;   /* when the draw that runs began */
	uint64_t frame;	       /* the first one, */
	uint64_t begin_ns;     /* when it began, */
	uint64_t begin_cpu_ns; /* and the CPU time then, or 0 */
	uint64_t begin_ticks;
	struct budget rows;	/* frames that may have rows */
	uint64_t rest_until_ns; /* none has before then */
};

/* The process's CPU clock at a time. */
struct reading {
	uint64_t time_ns, cpu_ns; /* 0: not known */
};

/* What probe_targets() found out. */
struct probe {
	uint32_t usable;		/* slots that may run all at once */
	uint32_t conflicts[SLOT_COUNT]; /* of our slots, those that keep a slot from beginning */
	uint64_t wanted;		/* counters that are asked for, a bit each */
	bool software;			/* stamps mean nothing, see probe.c */
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
	unsigned set_count, fresh_set; /* sets from there on were never used */
	int free_set;		       /* the one that came free last, or -1 */
	GLuint name_low, name_high;    /* range that our names lie in */
	bool invents;		       /* names are our own; else the driver gives them */
	bool measuring;		       /* queries are possible in this context */
	bool list_open;		       /* a display list is being compiled, */
	bool list_runs;		       /* and executed at once */
	bool list_holds;	       /* the queries that run are `list_owner`'s */
	bool list_ended;	       /* segments have ended in it */
	uint64_t list_owner;	       /* a segment that ended in it */
	bool feedback_running;
	bool paused;		 /* the context is released */
	bool draws;		 /* a draw runs that is a sample */
	bool frame_over;	 /* a swap runs */
	bool has_rest;		 /* it was current since the last record */
	bool measured;		 /* the frame that runs */
	struct pace pace;	 /* which frames are */
	uint32_t audits;	 /* measured frames so far */
	uint32_t banned;	 /* slots given up for good */
	uint32_t program_active; /* slots on which the program has a query running */

	int open; /* set of the segment that runs, or -1 */
	uint64_t frame, begin_ns,
	    begin_cpu_ns;	/* of the sample that runs; CPU time 0: see times.c */
	struct reading reading; /* of the process's CPU clock, the last one */
	uint64_t paced_cpu_ns;	/* CPU time that `pace` knows of */
	uint32_t flags;		/* of the sample that runs */
	uint32_t index;		/* of the sample in its frame */
	uint32_t group_count, group_depth, label;
	struct calls calls;		 /* in the sample that runs */
	uint32_t labels[SAMPLER_LABELS]; /* of the groups that are open */

	struct draw_name *draw_names; /* DRAW_NAMES, or NULL */
	struct tally tally;
	struct segment *segments; /* FIFO of segment_count */
	unsigned segment_count;
	uint64_t first_segment, last_segment;
	unsigned pieces;	   /* segments of the sample that runs */
	uint64_t timed;		   /* segments before this one have their CPU times */
	uint64_t disjoint_until;   /* the GPU's clock was not steady in segments before this one */
	bool owes_disjoint;	   /* the program was not told of it yet */
	uint64_t awaited;	   /* samples up to the last one of which anything was counted */
	uint64_t samples, written; /* that have ended, and of these that are no longer waited for */
	struct segment *ended;	   /* the frame whose swap runs; its time ends with that */
	uint64_t known_ns; /* segments of the oldest frame that ended until then were read; or 0 */
	struct calls known_calls;     /* in them */
	uint64_t sums[WIRE_COUNTERS]; /* over the segments of the oldest frame */
	uint8_t states[WIRE_COUNTERS];
};

/*
 * Prepares the context that is current: names, probe, first segment. `kept_error` is where errors
 * of the program's wait that were read on the way.
 */
void sampler_start(struct sampler *sampler, const struct api *gl, struct channel_identity *identity,
		   GLenum *kept_error);
/*
 * The frame ends: cut, before the driver's swap, with which its time goes on. `size` is the default
 * framebuffer's, or NULL.
 */
void sampler_end_frame(struct sampler *sampler, bool swapped, const uint32_t size[2]);
/* Work that no swap ends is a sample by itself: ends it, and begins the next one's clock. */
void sampler_end_time(struct sampler *sampler, const uint32_t size[2]);
/*
 * The program hands its work over, `before` the driver's call and after it: what the GPU rests
 * until more comes is not its time.
 */
void sampler_hand_over(struct sampler *sampler, bool before);
/* Ends the segment without ending the frame, before the context is released. */
void sampler_cut(struct sampler *sampler);
/* Begins the next segment. */
void sampler_resume(struct sampler *sampler);
/* The frame's time ends now, if it has not: a swap may never come back. */
void sampler_end_clock(struct sampler *sampler);
/* The frame's time ends now and the next one's starts; after the driver's swap. */
void sampler_start_clock(struct sampler *sampler);

/* Reads what the driver has, in order; waits at most wait_ns for the rest. */
void sampler_collect(struct sampler *sampler, uint64_t wait_ns);
/*
 * Around the driver's finish, within a sample: whether the segment may end before it; what was
 * counted is read, and the next segment begins.
 */
bool sampler_may_resolve(const struct sampler *sampler);
void sampler_resolve(struct sampler *sampler);
/* Writes what is known of a frame that has ended, should the program not live to see its results.
 */
void sampler_draft(struct sampler *sampler, const struct segment *segment);
/*
 * A sample has ended. If nothing was counted of it, it joins those before it, or others may join
 * it. False: it is a sample as any other.
 */
bool runs_join(struct sampler *sampler, struct segment *segment);
/* The record that begins with a sample of which nothing was counted, and has none yet. */
struct wire_record runs_record(const struct sampler *sampler, const struct sample_meta *meta);
/* The next record, of samples that were never queued: all times are known. */
void runs_send(struct sampler *sampler, const struct sample_meta *meta,
	       const struct wire_record *record);
/* Their CPU times are known, as of the samples before them. */
void runs_time(const struct segment *segment);
/* Writes them. */
void runs_write(struct sampler *sampler, const struct segment *segment);
/* Samples that a segment ends. */
uint32_t runs_samples(const struct segment *segment);
/* What a counter has in a sample of which nothing was counted. */
enum wire_state sampler_state_without(const struct sampler *sampler, unsigned counter,
				      bool measured);
/* A record without its counters. */
struct wire_record sampler_record(const struct sample_meta *meta);
/*
 * Gives up what was not read (values become late), writes what was done since the last frame as the
 * rest, which ends at `end_ns` (0: now), and closes the stream. No GL calls.
 */
void sampler_finish(struct sampler *sampler, uint64_t end_ns);

/*
 * The program's own queries. Called before the driver's call; the name to begin is returned: where
 * the driver gives names, one of ours is as wrong in the program's hands as one never given.
 */
GLuint sampler_program_begins(struct sampler *sampler, GLenum target, GLuint index, GLuint name);
void sampler_program_ends(struct sampler *sampler, GLenum target, GLuint index);
bool sampler_owns(const struct sampler *sampler, GLuint name);
/* Ends and deletes all our queries for good. */
void sampler_stop(struct sampler *sampler, enum wire_why why);
/* Transform feedback begins, pauses, resumes or ends; `before` the driver's call or after it. */
void sampler_feedback(struct sampler *sampler, bool before);
/*
 * A shader of a kind, or transform feedback, is about to be used in this process, maybe in another
 * context than the calling thread's (which may be NULL).
 */
void sampler_wake(struct sampler *sampler, unsigned parts);
/* A display list may have begun or ended: what the driver says of that (GL_LIST_MODE, or 0). */
void sampler_list(struct sampler *sampler, GLenum mode);
/* Debug groups. A negative length says that the label is NUL-terminated. */
void sampler_push_group(struct sampler *sampler, GLsizei length, const GLchar *label);
void sampler_pop_group(struct sampler *sampler);

/* The program draws, or computes: counted, unless a display list records it. */
void sampler_count_draw(struct sampler *sampler, bool computes);
/*
 * With a sample for each draw: one begins, before the driver's call, unless one runs; it goes by
 * the call's name. False when nothing began.
 */
bool sampler_begin_draw(struct sampler *sampler, const char *name);
/* The draw that runs is over, if one does. */
void sampler_end_draw(struct sampler *sampler);
/* Between the files of the sampler. The set whose queries run, or NULL. */
static inline struct query_set *sampler_open_set(struct sampler *sampler)
{
	return sampler->open >= 0 ? &sampler->sets[sampler->open] : NULL;
}
/* Whether anything of ours counts now. */
static inline bool sampler_counts(const struct sampler *sampler)
{
	return sampler->open >= 0 || monitor_counts(sampler->monitor);
}
/* Whether frames that are measured differ from those that are not. */
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
/* A segment ends while a display list is open: what it has in place of a set. */
int lists_end_segment(struct sampler *sampler);
/* Ends those of a set's queries that run, and its spans. */
void sampler_end_set(struct sampler *sampler, struct query_set *set);
/* Ends a segment without a sample's end. Its place in the queue, or NULL. */
struct segment *sampler_end_segment(struct sampler *sampler);
/* The sample that runs is over; NULL: there was no room for it. */
struct segment *sampler_end_sample(struct sampler *sampler, uint32_t kind);
/* Ends those of a set's queries that run. */
void sampler_end_slots(struct sampler *sampler, struct query_set *set, uint32_t mask);
/* The name of the debug group that is open; deeper ones go by that of the deepest that has one. */
uint32_t sampler_innermost(const struct sampler *sampler);
/* A set's results are read, or given up. */
void sampler_release_set(struct sampler *sampler, int set);
/* The segment goes on in another set, if one is free. */
void sampler_next_set(struct sampler *sampler);
/* What a query counted, which must be there. */
uint64_t sampler_value(const struct api *gl, GLuint name);
/* With a sample for each draw: how much their rows may cost. */
void tally_begin(struct sampler *sampler, uint32_t overhead_permille);
/*
 * A frame ends, which was measured or not and had so many rows: whether draws of the next one are
 * added up.
 */
void tally_turn(struct sampler *sampler, uint64_t now_ns, bool measured, uint32_t rows);
/* The context is current again. */
void tally_resume(struct sampler *sampler);
/* Sends what was added up so far, if anything was. */
void tally_write(struct sampler *sampler);
/* Asks the CPU clock, which gives all samples that have ended, and the one that runs, theirs. */
void times_read(struct sampler *sampler, uint64_t now_ns);
/* The first sample begins. */
void times_start(struct sampler *sampler);
/* The time of the sample that was ended last, if it still goes on. */
void times_end(struct sampler *sampler, uint64_t now_ns);
/* A sample begins, whose CPU time then is known now or with the next answer. */
void times_begin(struct sampler *sampler, uint64_t now_ns);
/* Asks the CPU clock when it is time to, before or at the end of a sample. */
bool times_ask(struct sampler *sampler, uint64_t now_ns);
/* Asks it where segments still wait for their CPU times. */
void times_need(struct sampler *sampler);
/* GPU time runs from here; up to here. Nothing where stamps mean nothing. */
void spans_begin(struct sampler *sampler, struct query_set *set);
void spans_end(struct sampler *sampler, struct query_set *set);
#define SPANS_DISJOINT 0x8fbbu /* GL_GPU_DISJOINT_EXT */
/* Asks whether the clock was steady up to now. */
void spans_ask_clock(struct sampler *sampler);
/* The program asked, and this was the driver's answer. What the program is to be told. */
bool spans_clock_asked(struct sampler *sampler, bool disjoint);
/* The sum of a set's spans, whose results are there. */
uint64_t spans_time_ns(const struct sampler *sampler, const struct query_set *set);
/* Ours on these slots end now, and what they counted in this segment is not whole. */
void yield_slots(struct sampler *sampler, uint32_t mask);
/* Asks the driver which of the program's queries still run. */
void yield_check(struct sampler *sampler);
/* Gives the room for queries back. No GL calls. */
void sampler_free(struct sampler *sampler);

/* Says of a software rasteriser how its GPU time is had, if at all. No GL calls. */
void probe_software(struct sampler *sampler);
/* Asks the driver which targets may run together. Leaves no error and no message behind. */
void probe_targets(struct sampler *sampler);
/* Decides how names are made; gives a set its names; frees those of all sets. */
void names_choose(struct sampler *sampler);
void names_make(struct sampler *sampler, unsigned set);
void names_delete(struct sampler *sampler);

struct size {
	uint32_t known[2];    /* 0 when it is not */
	uint32_t viewport[2]; /* at the last frame's end, where it begins in the corner; else 0 */
	uint32_t asked[2];    /* the viewport for which the window system was asked last */
	uint64_t due_ns, pause_ns; /* when it may be asked for the same one again */
};

/* Who knows the size of a drawable: EGL or the X server. */
struct size_drawable {
	bool egl;
	void *display;
	uint64_t drawable;
};

/* When a context is first current to a drawable its viewport is the drawable's size. */
void size_start(struct size *size, const struct api *gl);
/* The drawable is another one, whose size nobody has told. */
void size_forget(struct size *size);
/* At the end of a frame: the size, or NULL where it is not known. */
const uint32_t *size_at_end(struct size *size, const struct api *gl);
/*
 * After a swap: where the program's viewport says another size than was known, asks whether the
 * drawable has it by now. That waits for the window system, so the same is asked for at intervals
 * that grow.
 */
void size_after_swap(struct size *size, const struct size_drawable *drawable);

#endif
