/* Sessions and command lists of version 3 over the core of version 2. */
#ifndef GPA_API3_API3_H
#define GPA_API3_API3_H

#include "gpa/GPUPerfAPI3.h"
#include "gpa/core.h"

enum gpa3_state { GPA3_NEW, GPA3_STARTED, GPA3_ENDED };

struct gpa3_session {
	struct gpa3_session *next; /* of the context */
	struct gpa_context *context;
	enum gpa3_state state;
	uint32_t *enabled, enabled_count; /* in the order of enabling */
	bool scheduled;			  /* core.schedule is that of `enabled` */
	struct gpa_session core;
	bool *listed; /* passes that have had a command list */
	struct gpa3_list *lists;
};

struct gpa3_list {
	struct gpa3_list *next; /* of the session */
	struct gpa3_session *session;
	void *commands; /* the program's command buffer, or NULL */
	uint32_t pass, open_id;
	bool running, in_sample;
};

/* Whether handles are known; the objects behind them. NULL and *status otherwise. */
struct gpa_context *gpa3_context(GpaContextId id, GpaStatus *status);
struct gpa3_session *gpa3_session(GpaSessionId id, GpaStatus *status);
/* Leaves a call; logs `message` (may be NULL) when the status is an error. */
GpaStatus gpa3_leave(struct gpa_call *call, GpaStatus status, const char *message);

/* Takes a session out of its context and releases it. */
void gpa3_session_destroy(struct gpa3_session *session);

#define GPA3_DECLARE(name, result, parameters) result gpa3_##name parameters;
GPA3_FUNCTIONS(GPA3_DECLARE)
#undef GPA3_DECLARE

#endif
