/*
 * Hardware counters of one context, through GL_AMD_performance_monitor or
 * GL_INTEL_performance_query: each sample counts one pass, in turn. Used by the thread that has the
 * context current.
 */
#ifndef PRELOAD_MONITOR_MONITOR_H
#define PRELOAD_MONITOR_MONITOR_H

#include "preload/real/api.h"
#include "guest/channel.h"
#include "guest/passes.h"
#include "wire/counters.h"

#define MONITOR_PROGRAMS_OWN 32u /* active monitors of the program that are tracked */

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
	GLuint group, counter; /* the driver's ids; group: with INTEL the query's */
	uint32_t offset;       /* INTEL: in the query's data */
	uint16_t value;
	uint8_t type;  /* enum wire_counter_type */
	uint8_t never; /* enum wire_never, or 0 */
};

/* Counters that are counted together. */
struct monitor_pass {
	struct monitor_event *events;
	uint32_t event_count;
	uint32_t data_bytes; /* INTEL: of the query; AMD: expected size of the result */
	uint8_t never;	     /* enum wire_never, or 0 */
};

/* A monitor or query object for a pass. */
struct monitor_slot {
	GLuint name;
	uint16_t pass;
	bool made, in_use;
	bool disturbed; /* ended before its segment was */
};

struct monitor {
	const struct api *gl;
	struct channel_identity *identity;
	GLenum *kept_error; /* the program's, not yet read by it */
	struct monitor_api call;
	const struct wire_program *program; /* one for the process */
	struct channel_stream stream;
	struct monitor_pass *passes;
	struct monitor_event *events;
	struct monitor_slot *slots;
	unsigned slot_count;
	struct passes_turn turn;
	uint32_t pass; /* of the current sample */
	int open;      /* active slot, or -1 */
	int given_up;  /* MONITOR_… of the current segment, if nothing counts */
	unsigned program_count;
	GLuint program_own[MONITOR_PROGRAMS_OWN]; /* active ones */
	/* Of the oldest sample. */
	uint64_t *sums;
	uint8_t *states, *nevers; /* of each value */
	uint8_t *is_zero;	  /* no counter is part of it */
	uint32_t segments;
	uint8_t *data; /* of one answer */
	uint32_t data_bytes;
	struct wire_value *values; /* of one sample */
};

/* A segment without a slot. */
enum { MONITOR_NONE = -1, MONITOR_LATE = -2, MONITOR_DISTURBED = -3 };

/*
 * Prepares the current context; debug output must be disabled. NULL: no hardware counters are
 * wanted, or no memory. `kept_error` must outlive it.
 */
struct monitor *monitor_create(const struct api *gl, struct channel_identity *identity,
			       GLenum *kept_error);
/* The next sample counts the next pass. NULL is fine here and below. */
void monitor_next_pass(struct monitor *monitor);
/* Begins to count, unless it does already or the program itself counts. */
void monitor_begin(struct monitor *monitor);
/* Ends the segment. Returns its slot, or MONITOR_…. */
int monitor_end(struct monitor *monitor);
/* Whether a segment's result is available. */
bool monitor_is_ready(const struct monitor *monitor, int slot);
/* Adds a segment's result to the sample. `late`: an unavailable result is lost. */
void monitor_read(struct monitor *monitor, int slot, uint32_t pass, bool late);
/* Drops a segment's result. No GL calls. */
void monitor_drop(struct monitor *monitor, int slot);
/* Writes the sample of `record`. */
void monitor_write(struct monitor *monitor, const struct wire_record *record);
/* The context does not exist any more: the active slot is not ended. No GL calls. */
void monitor_abandon(struct monitor *monitor);
bool monitor_counts(const struct monitor *monitor);

/* The program's own monitors: before and after the driver's call. */
void monitor_program_begins(struct monitor *monitor, GLuint name);
void monitor_program_ends(struct monitor *monitor, GLuint name);

/* Deletes all objects; the context is current. */
void monitor_delete(struct monitor *monitor);
/* Closes the stream and frees all. No GL calls. */
void monitor_destroy(struct monitor *monitor);

/* Internal. The counters that the process should count, or NULL (program.c). */
const struct wire_program *monitor_program(void);
static inline bool monitor_is_amd(const struct monitor *monitor)
{
	return monitor->program->api == WIRE_AMD_MONITOR;
}
/* A counter of the pass that this context has, or NULL. */
const struct monitor_event *monitor_first_event(const struct monitor_pass *pass);
/* Objects (slots.c); false: the driver refuses. Leaves no GL error. */
bool monitor_slot_make(struct monitor *monitor, struct monitor_slot *slot, uint16_t pass);
bool monitor_slot_begin(struct monitor *monitor, const struct monitor_slot *slot);
void monitor_slot_end(struct monitor *monitor, const struct monitor_slot *slot);
void monitor_slot_delete(struct monitor *monitor, struct monitor_slot *slot);
/* Updates which values are never available, after a pass has failed (make.c). */
void monitor_say_never(struct monitor *monitor);
/* Clears GL errors; true: there was one. */
bool monitor_failed(const struct monitor *monitor);
/* Saves a pending error of the program, so that later errors are ours. */
void monitor_keep_error(const struct monitor *monitor);
/* Finds the program's counters in this context by their names (names.c). */
void monitor_resolve(struct monitor *monitor);
/* Decodes a result of the driver (data.c). False: it is invalid. */
bool monitor_take_amd(struct monitor *monitor, const struct monitor_pass *pass, size_t size);
bool monitor_take_intel(struct monitor *monitor, const struct monitor_pass *pass, size_t size);

#endif
