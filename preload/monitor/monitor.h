/*
 * Hardware counters of one context, through GL_AMD_performance_monitor or
 * GL_INTEL_performance_query: a pass of them is counted in each sample, in turn. Used by the thread
 * that the context is current in.
 */
#ifndef PRELOAD_MONITOR_MONITOR_H
#define PRELOAD_MONITOR_MONITOR_H

#include "preload/real/api.h"
#include "guest/channel.h"
#include "guest/passes.h"
#include "wire/counters.h"

#define MONITOR_PROGRAMS_OWN 32u /* monitors of the program that may run at once, as we know */

#define MONITOR_FUNCTIONS(X)                                                                       \
	X(void, GetPerfMonitorGroupsAMD, (GLint *, GLsizei, GLuint *))                             \
	X(void, GetPerfMonitorCountersAMD, (GLuint, GLint *, GLint *, GLsizei, GLuint *))          \
	X(void, GetPerfMonitorGroupStringAMD, (GLuint, GLsizei, GLsizei *, GLchar *))              \
	X(void, GetPerfMonitorCounterStringAMD, (GLuint, GLuint, GLsizei, GLsizei *, GLchar *))    \
	X(void, GetPerfMonitorCounterInfoAMD, (GLuint, GLuint, GLenum, void *))                    \
	X(void, GenPerfMonitorsAMD, (GLsizei, GLuint *))                                           \
	X(void, DeletePerfMonitorsAMD, (GLsizei, GLuint *))                                        \
	X(void, SelectPerfMonitorCountersAMD, (GLuint, GLboolean, GLuint, GLint, GLuint *))        \
	X(void, BeginPerfMonitorAMD, (GLuint))                                                     \
	X(void, EndPerfMonitorAMD, (GLuint))                                                       \
	X(void, GetPerfMonitorCounterDataAMD, (GLuint, GLenum, GLsizei, GLuint *, GLint *))        \
	X(void, GetPerfQueryIdByNameINTEL, (GLchar *, GLuint *))                                   \
	X(void, GetPerfQueryInfoINTEL,                                                             \
	  (GLuint, GLuint, GLchar *, GLuint *, GLuint *, GLuint *, GLuint *))                      \
	X(void, GetPerfCounterInfoINTEL,                                                           \
	  (GLuint, GLuint, GLuint, GLchar *, GLuint, GLchar *, GLuint *, GLuint *, GLuint *,       \
	   GLuint *, GLuint64 *))                                                                  \
	X(void, CreatePerfQueryINTEL, (GLuint, GLuint *))                                          \
	X(void, DeletePerfQueryINTEL, (GLuint))                                                    \
	X(void, BeginPerfQueryINTEL, (GLuint))                                                     \
	X(void, EndPerfQueryINTEL, (GLuint))                                                       \
	X(void, GetPerfQueryDataINTEL, (GLuint, GLuint, GLsizei, void *, GLuint *))

struct monitor_api {
#define MONITOR_FIELD(result, name, parameters) result(*name) parameters;
	MONITOR_FUNCTIONS(MONITOR_FIELD)
#undef MONITOR_FIELD
};

/* One counter of the program in this context. */
struct monitor_event {
	GLuint group, counter; /* the driver's numbers; group: of INTEL the query */
	uint32_t offset;       /* of INTEL: in its data */
	uint16_t value;
	uint8_t type;  /* enum wire_counter_type */
	uint8_t never; /* enum wire_never, or 0 */
};

/* What is counted together. */
struct monitor_pass {
	struct monitor_event *events;
	uint32_t event_count;
	uint32_t data_bytes; /* of INTEL; of AMD what an answer has */
	uint8_t never;	     /* enum wire_never, or 0 */
};

/* One object of the driver, made for a pass. */
struct monitor_slot {
	GLuint name;
	uint16_t pass;
	bool made, in_use;
	bool disturbed; /* ended before its segment was */
};

struct monitor {
	const struct api *gl;
	struct channel_identity *identity;
	GLenum *kept_error; /* the program's, which it has not asked for yet */
	struct monitor_api call;
	const struct wire_program *program; /* of the process */
	struct channel_stream stream;
	struct monitor_pass *passes;
	struct monitor_event *events;
	struct monitor_slot *slots;
	unsigned slot_count;
	struct passes_turn turn;
	uint32_t pass; /* of the sample that runs */
	int open;      /* slot that counts, or -1 */
	int given_up;  /* of the segment that runs: MONITOR_…, when nothing counts */
	unsigned program_count;
	GLuint program_own[MONITOR_PROGRAMS_OWN]; /* that run */
	/* Of the oldest sample whose segments are being read. */
	uint64_t *sums;
	uint8_t *states, *nevers; /* of each value */
	uint8_t *is_zero;	  /* nothing feeds it */
	uint32_t segments;
	uint8_t *data; /* of one answer */
	uint32_t data_bytes;
	struct wire_value *values; /* of one sample */
};

/* What a segment has in place of a slot. */
enum { MONITOR_NONE = -1, MONITOR_LATE = -2, MONITOR_DISTURBED = -3 };

/*
 * Prepares the context that is current, with debug output off; NULL when nobody wants hardware
 * counters, or there is no memory. `kept_error` outlives it.
 */
struct monitor *monitor_create(const struct api *gl, struct channel_identity *identity,
			       GLenum *kept_error);
/* The next sample counts the next pass. NULL is fine here and below. */
void monitor_next_pass(struct monitor *monitor);
/* Begins to count, unless it does, or the program itself counts. */
void monitor_begin(struct monitor *monitor);
/* Ends the segment: its slot, or why there is none. */
int monitor_end(struct monitor *monitor);
/* Whether a segment's result is there. */
bool monitor_is_ready(const struct monitor *monitor, int slot);
/* Adds a segment's result to the sample. `late`: what is not there is given up. */
void monitor_read(struct monitor *monitor, int slot, uint32_t pass, bool late);
/* A segment's result is not wanted any more. No GL calls. */
void monitor_drop(struct monitor *monitor, int slot);
/* Writes the sample that `record` is of. */
void monitor_write(struct monitor *monitor, const struct wire_record *record);
/* What counts is not ended any more: the context is gone. No GL calls. */
void monitor_abandon(struct monitor *monitor);
bool monitor_counts(const struct monitor *monitor);

/* The program's own: before the driver's call, and behind it. */
void monitor_program_begins(struct monitor *monitor, GLuint name);
void monitor_program_ends(struct monitor *monitor, GLuint name);

/* Deletes all objects; the context is current. */
void monitor_delete(struct monitor *monitor);
/* Closes the stream and frees all. No GL calls. */
void monitor_destroy(struct monitor *monitor);

/* Between the files of it. What the process is asked to count, or NULL (program.c). */
const struct wire_program *monitor_program(void);
static inline bool monitor_is_amd(const struct monitor *monitor)
{
	return monitor->program->api == WIRE_AMD_MONITOR;
}
/* A counter of the pass that this context has, or NULL. */
const struct monitor_event *monitor_first_event(const struct monitor_pass *pass);
/* Objects (slots.c); false: the driver refuses. No error is left. */
bool monitor_slot_make(struct monitor *monitor, struct monitor_slot *slot, uint16_t pass);
bool monitor_slot_begin(struct monitor *monitor, const struct monitor_slot *slot);
void monitor_slot_end(struct monitor *monitor, const struct monitor_slot *slot);
void monitor_slot_delete(struct monitor *monitor, struct monitor_slot *slot);
/* Works out which values will never be had, after a pass was given up (make.c). */
void monitor_say_never(struct monitor *monitor);
/* Reads errors away; true when there was one. */
bool monitor_failed(const struct monitor *monitor);
/* Keeps an error of the program's for it, so that what comes then is ours. */
void monitor_keep_error(const struct monitor *monitor);
/* Finds the program's counters in this context by their names (names.c). */
void monitor_resolve(struct monitor *monitor);
/* Takes an answer of the driver apart (data.c). False: it has a form that cannot be. */
bool monitor_take_amd(struct monitor *monitor, const struct monitor_pass *pass, size_t size);
bool monitor_take_intel(struct monitor *monitor, const struct monitor_pass *pass, size_t size);

#endif
