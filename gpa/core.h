/* The core of GPUPerfAPI: contexts, their counters, sessions, and the interface of a back end. */
#ifndef GPA_CORE_H
#define GPA_CORE_H

#include <sextant/catalog.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gpa/GPUPerfAPI.h"
#include "base/mem.h"

#define GPA_SESSIONS 8 /* kept per context; clients count on at least 4 */
#define GPA_WAIT_NS  5000000000ull

struct gpa_context;
struct gpa_request; /* one sample of one pass inside the back end */

/* One counter that clients see. Strings live as long as the context. */
struct gpa_counter {
	const char *name, *description; /* description: "#Group#text" */
	const char *group;		/* its group by itself */
	GPA_Type type;
	GPA_Usage_Type usage;
	const uint32_t *raws; /* the raw counts it is made of */
	uint32_t raw_count;
	uint8_t uuid[16];
};

/* Raw counts of one pass, sorted. */
struct gpa_pass_plan {
	uint32_t *raws;
	uint32_t count;
};

/* Where the counters of a selection come from. */
struct gpa_schedule {
	struct gpa_pass_plan *passes;
	uint32_t pass_count;
	uint32_t *enabled; /* indices of counters in the order of enabling */
	uint32_t enabled_count;
	uint32_t **places; /* for each enabled counter: the pass of each of its raws */
};

union gpa_value {
	uint64_t u64;
	double f64;
};

/* GPA_CANNOT: not from this thread or state; waiting does not help. */
enum gpa_answer { GPA_READY, GPA_NOT_YET, GPA_CANNOT, GPA_LOST };

/*
 * The functions of one API. They are called with the library's lock held; the client's context may
 * be any, and the back end checks that it is the right one. The caller logs statuses.
 */
struct gpa_backend {
	/* Fills the counters of the context from context->native. */
	GPA_Status (*open)(struct gpa_context *context);
	void (*close)(struct gpa_context *context);
	/* Fills passes and places for schedule->enabled; memory from malloc. */
	GPA_Status (*plan)(struct gpa_context *context, struct gpa_schedule *schedule);
	/*
	 * Starts counting; NULL when it cannot. `commands`: the program's command buffer, of an API
	 * that has such.
	 */
	struct gpa_request *(*begin)(struct gpa_context *context, void *commands,
				     const uint32_t *raws, uint32_t count);
	bool (*end)(struct gpa_context *context, void *commands, struct gpa_request *request);
	/* Asks for results, values[i] of raws[i], and whether each is valid; never waits. */
	enum gpa_answer (*collect)(struct gpa_context *context, struct gpa_request *request,
				   uint64_t *values, bool *valid);
	void (*release)(struct gpa_context *context, struct gpa_request *request);
	/* A counter from its raws, in their order. false: no data. */
	bool (*value)(struct gpa_context *context, uint32_t counter, const uint64_t *raws,
		      union gpa_value *out);
	/* The command buffer that a context of version 2 names; NULL in APIs without such. */
	void *(*commands)(const struct gpa_context *context);
	/* Whether `native` describes the context's device; NULL: handles are compared. */
	bool (*same)(const struct gpa_context *context, const void *native);
};

/* The one back end of this library. */
extern const struct gpa_backend gpa_backend;

struct gpa_sample {
	uint32_t id;
	bool open, ready, lost;
	struct gpa_request *request; /* NULL in surplus passes and once collected */
	uint64_t *values;	     /* of the pass's raws */
	bool *valid;		     /* behind the values, in the same memory */
};

struct gpa_pass {
	struct gpa_sample *samples; /* sorted by id */
	size_t count, capacity;
};

struct gpa_session {
	uint32_t id;
	bool ended, complete; /* complete: ended, and everything has been collected */
	struct gpa_schedule schedule;
	struct gpa_pass *passes; /* as many as the schedule has */
	size_t begun;		 /* passes begun so far, surplus ones too */
	struct gpa_pass surplus; /* the newest pass behind those of the schedule: ids alone */
};

/* What the environment says, read once when a context is opened. Empty: not set. */
struct gpa_settings {
	char output[4096];    /* SEXTANT_GPA_OUTPUT */
	char constants[1024]; /* SEXTANT_GPA_CONSTANTS */
	bool raw;	      /* SEXTANT_GPA_RAW */
};

struct gpa_context {
	uint64_t serial;
	struct gpa_settings settings;
	int version;	     /* of the interface that opened it: 2 or 3 */
	void *native, *impl; /* impl: the back end's */
	struct gpa_counter *counters;
	uint32_t counter_count;
	const char *device_name; /* NULL: unknown */
	uint32_t device_id;	 /* 0: unknown */
	uint32_t generation;	 /* of AMD's graphics IP (7 is GFX7); 0: unknown */
	uint32_t *enabled;	 /* in the order of enabling */
	uint32_t enabled_count;
	struct gpa_schedule schedule; /* of the enabled set */
	bool scheduled;
	struct gpa_session *sessions[GPA_SESSIONS]; /* id modulo GPA_SESSIONS */
	struct gpa_session *active;
	struct gpa_pass *pass; /* open pass of the active session */
	uint32_t open_id;
	bool in_sample;
	uint32_t last_id;
	struct gpa3_session *sessions3, *active3; /* of version 3 */
	struct gpa_context *next;
};

/* State (state.c). gpa_enter() takes the lock and traces; gpa_leave() gives it back. */
struct gpa_call {
	const char *name;
	struct gpa_context *context; /* current one, or NULL */
};
struct gpa_call gpa_enter(const char *name);
/* Logs `message` (may be NULL) as an error when status is not OK; returns status. */
GPA_Status gpa_leave(struct gpa_call *call, GPA_Status status, const char *message);
/*
 * Sleeps without the lock, so that other threads can continue. Objects must be looked up again
 * after it. *delay_ns doubles up to a millisecond. false: the context is closed.
 */
bool gpa_pause(struct gpa_call *call, uint64_t *delay_ns);
uint64_t gpa_now_ns(void); /* CLOCK_MONOTONIC */
struct gpa_context *gpa_context_find(void *native);
/* Whether this is a context that is open; `maybe` is not followed. */
bool gpa_context_known(const void *maybe);
/* The first open context; the others follow it. */
struct gpa_context *gpa_context_first(void);
/*
 * Opens the counters of a native context for a version of the interface; `raw`: raw events are
 * counters too. *out belongs to the caller until it is added or released.
 */
GPA_Status gpa_context_create(void *native, int version, bool raw, struct gpa_context **out);
void gpa_context_destroy(struct gpa_context *context);
/* Adds a context to the list; makes one current; removes one. */
void gpa_context_add(struct gpa_context *context);
void gpa_context_use(struct gpa_context *context);
void gpa_context_remove(struct gpa_context *context);

/* Log (log.c). */
void gpa_log_set(GPA_Logging_Type mask, GPA_LoggingCallbackPtrType callback);
void gpa_log(GPA_Logging_Type kind, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Selections (select.c). */
uint32_t gpa_counter_find(const struct gpa_context *context, const char *name); /* or UINT32_MAX */
bool gpa_enabled(const uint32_t *list, uint32_t count, uint32_t counter);
/* The schedule of the enabled set, made when needed. */
GPA_Status gpa_context_schedule(struct gpa_context *context);
/* Makes the schedule of a selection; an earlier one is released. */
GPA_Status gpa_schedule_make(struct gpa_context *context, const uint32_t *enabled, uint32_t count,
			     struct gpa_schedule *schedule);
void gpa_schedule_finish(struct gpa_schedule *schedule);
/* Plans passes by class: raws of one class share a pass. Classes in use become passes in order. */
GPA_Status gpa_plan_classes(const struct gpa_context *context, struct gpa_schedule *schedule,
			    uint32_t (*class_of)(const struct gpa_context *context, uint32_t raw),
			    uint32_t class_count);
/* Room for `count` passes, of which each may hold every raw of the selection, and for places. */
bool gpa_schedule_alloc(const struct gpa_context *context, struct gpa_schedule *schedule,
			uint32_t count);
/* Drops passes that stayed empty. */
void gpa_schedule_trim(const struct gpa_context *context, struct gpa_schedule *schedule);
/* Adds a raw to a pass, in order; takes it away. */
void gpa_pass_plan_add(struct gpa_pass_plan *pass, uint32_t raw);
void gpa_pass_plan_remove(struct gpa_pass_plan *pass, uint32_t raw);

/* Sessions (session.c). */
struct gpa_session *gpa_session_begin(struct gpa_context *context);
/* The session that the next one will replace, or NULL. */
struct gpa_session *gpa_session_oldest(const struct gpa_context *context);
struct gpa_session *gpa_session_find(const struct gpa_context *context, uint32_t id);
void gpa_session_destroy(struct gpa_context *context, struct gpa_session *session);
/* Releases what is in a session. */
void gpa_session_finish(struct gpa_context *context, struct gpa_session *session);
struct gpa_pass *gpa_session_add_pass(struct gpa_session *session);
/* The sample of an id, or NULL; the place for a new one (an earlier one is emptied). */
struct gpa_sample *gpa_pass_find(const struct gpa_pass *pass, uint32_t id);
struct gpa_sample *gpa_pass_add(struct gpa_context *context, struct gpa_pass *pass, uint32_t id);
/* The plan of a pass of a session; NULL for a surplus pass. */
const struct gpa_pass_plan *gpa_pass_plan(const struct gpa_session *session,
					  const struct gpa_pass *pass);
/* Collects one sample when its results are there. */
enum gpa_answer gpa_sample_poll(struct gpa_context *context, const struct gpa_session *session,
				const struct gpa_pass *pass, struct gpa_sample *sample);
/* Reads missing results; GPA_READY if all passes have them. Never waits. */
enum gpa_answer gpa_session_poll(struct gpa_context *context, struct gpa_session *session);
/*
 * Waits, GPA_WAIT_NS at most and without the lock, until a session of the call's context has all
 * results, is deleted, or cannot be read from this thread. false: the context is closed.
 */
bool gpa_session_wait(struct gpa_call *call, uint32_t id);
/* Reads one counter of one sample of a session that is ready. */
GPA_Status gpa_session_value(struct gpa_context *context, const struct gpa_session *session,
			     uint32_t counter, uint32_t sample, union gpa_value *out);

/* Appends a session's results to the file of SEXTANT_GPA_OUTPUT, if that is set (dump.c). */
void gpa_dump_session(struct gpa_context *context, struct gpa_session *session);

struct gpa_guide {
	struct sx_context *context;
	struct sx_catalog *catalog;
	struct arena arena; /* holds the texts */
};

/* Opens a catalog; false, and a logged error, when it cannot be read. */
bool guide_open(struct gpa_guide *guide, const char *catalog);
void guide_close(struct gpa_guide *guide);

/*
 * Describes the counter `name` as the catalog does; `how` (may be NULL) is a sentence added to the
 * description. false: not in the catalog, or out of memory.
 */
bool guide_counter(struct gpa_guide *guide, const char *name, const char *how,
		   struct gpa_counter *out);

/* A growing list of counters for a context. */
struct gpa_list {
	struct gpa_counter *items;
	size_t count, capacity;
};
/* Adds the counter with a copy of its raws; false when memory is out. */
bool guide_add(struct gpa_guide *guide, struct gpa_list *list, struct gpa_counter counter,
	       const uint32_t *raws, uint32_t raw_count);

/* From a counter's name and a hash of what it means (formula and unit, or block and select). */
void uuid_make(const char *name, uint64_t meaning, uint8_t out[16]);

#endif
