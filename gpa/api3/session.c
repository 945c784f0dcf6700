/* Version 3: sessions by handle, each with a selection of its own. */
#include "gpa/api3/api3.h"

#include <stdlib.h>

struct gpa3_session *gpa3_session(GpaSessionId id, GpaStatus *status)
{
	const void *handle = id;
	*status = kGpaStatusErrorNullPointer;
	if (!id)
		return NULL;
	*status = kGpaStatusOk;
	for (struct gpa_context *c = gpa_context_first(); c; c = c->next)
		for (struct gpa3_session *s = c->sessions3; s; s = s->next)
			if (s == handle)
				return s;
	*status = kGpaStatusErrorSessionNotFound;
	return NULL;
}

GpaStatus gpa3_CreateSession(GpaContextId id, GpaSessionSampleType type, GpaSessionId *out)
{
	struct gpa_call call = gpa_enter("GpaCreateSession");
	GpaStatus status = kGpaStatusErrorNullPointer;
	struct gpa_context *context = out ? gpa3_context(id, &status) : NULL;
	if (!context)
		return gpa3_leave(&call, status, "no such context");
	if (type != kGpaSessionSampleTypeDiscreteCounter)
		return gpa3_leave(&call, kGpaStatusErrorInvalidParameter,
				  "samples are discrete counters");
	struct gpa3_session *session = calloc(1, sizeof(*session));
	if (session)
		session->enabled = calloc(context->counter_count + 1, sizeof(uint32_t));
	if (!session || !session->enabled) {
		free(session);
		return gpa3_leave(&call, kGpaStatusErrorFailed, "out of memory");
	}
	session->context = context;
	session->core.id = ++context->last_id;
	session->next = context->sessions3;
	context->sessions3 = session;
	*out = (GpaSessionId)(void *)session;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

void gpa3_session_destroy(struct gpa3_session *session)
{
	struct gpa_context *context = session->context;
	struct gpa3_session **link = &context->sessions3;
	while (*link != session)
		link = &(*link)->next;
	*link = session->next;
	if (context->active3 == session)
		context->active3 = NULL;
	while (session->lists) {
		struct gpa3_list *list = session->lists;
		session->lists = list->next;
		free(list);
	}
	gpa_session_finish(context, &session->core);
	free(session->listed);
	free(session->enabled);
	free(session);
}

GpaStatus gpa3_DeleteSession(GpaSessionId id)
{
	struct gpa_call call = gpa_enter("GpaDeleteSession");
	GpaStatus status;
	struct gpa3_session *session = gpa3_session(id, &status);
	if (session)
		gpa3_session_destroy(session);
	return gpa3_leave(&call, status, "no such session");
}

/* The passes of what is enabled, planned when needed. */
static GpaStatus gpa3_schedule(struct gpa3_session *s)
{
	if (s->scheduled)
		return kGpaStatusOk;
	if (gpa_schedule_make(s->context, s->enabled, s->enabled_count, &s->core.schedule) !=
	    GPA_STATUS_OK)
		return kGpaStatusErrorFailed;
	s->scheduled = true;
	return kGpaStatusOk;
}

/* Makes the passes of a session that starts. */
static GpaStatus api3_session_start(struct gpa3_session *s)
{
	GpaStatus status = gpa3_schedule(s);
	if (status != kGpaStatusOk)
		return status;
	uint32_t count = s->core.schedule.pass_count;
	s->core.passes = calloc(count + 1, sizeof(*s->core.passes));
	s->listed = calloc(count + 1, sizeof(*s->listed));
	if (!s->core.passes || !s->listed) {
		free(s->core.passes);
		free(s->listed);
		s->core.passes = NULL;
		s->listed = NULL;
		return kGpaStatusErrorFailed;
	}
	s->core.begun = count;
	s->state = GPA3_STARTED;
	s->context->active3 = s;
	return kGpaStatusOk;
}

GpaStatus gpa3_BeginSession(GpaSessionId id)
{
	struct gpa_call call = gpa_enter("GpaBeginSession");
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (!s)
		return gpa3_leave(&call, status, "no such session");
	if (s->context->active3 && s->context->active3 != s)
		return gpa3_leave(&call, kGpaStatusErrorOtherSessionActive,
				  "another session is active");
	if (s->state != GPA3_NEW)
		return gpa3_leave(&call, kGpaStatusErrorSessionAlreadyStarted,
				  "the session was started before");
	if (!s->enabled_count)
		return gpa3_leave(&call, kGpaStatusErrorNoCountersEnabled, "no counter is enabled");
	return gpa3_leave(&call, api3_session_start(s), "the passes cannot be planned");
}

/* What keeps a session from ending: a pass without list, or with other samples than the first. */
static GpaStatus judge_end(const struct gpa3_session *s)
{
	const struct gpa_pass *first = &s->core.passes[0];
	for (uint32_t p = 0; p < s->core.schedule.pass_count; p++)
		if (!s->listed[p])
			return kGpaStatusErrorNotEnoughPasses;
	for (const struct gpa3_list *l = s->lists; l; l = l->next)
		if (l->running)
			return kGpaStatusErrorVariableNumberOfSamplesInPasses;
	for (uint32_t p = 1; p < s->core.schedule.pass_count; p++) {
		const struct gpa_pass *pass = &s->core.passes[p];
		if (pass->count != first->count)
			return kGpaStatusErrorVariableNumberOfSamplesInPasses;
		for (size_t i = 0; i < pass->count; i++)
			if (pass->samples[i].id != first->samples[i].id)
				return kGpaStatusErrorVariableNumberOfSamplesInPasses;
	}
	return kGpaStatusOk;
}

GpaStatus gpa3_EndSession(GpaSessionId id)
{
	struct gpa_call call = gpa_enter("GpaEndSession");
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (!s)
		return gpa3_leave(&call, status, "no such session");
	if (!s->context->active3)
		return gpa3_leave(&call, kGpaStatusErrorSessionNotStarted, "no session is active");
	if (s->context->active3 != s)
		return gpa3_leave(&call, kGpaStatusErrorOtherSessionActive,
				  "another session is active");
	status = judge_end(s);
	if (status == kGpaStatusOk) {
		s->state = GPA3_ENDED;
		s->core.ended = true;
		s->context->active3 = NULL;
	}
	return gpa3_leave(&call, status, "passes or samples are missing");
}

static GpaStatus change(struct gpa3_session *s, uint32_t counter, bool enable)
{
	if (s->state == GPA3_STARTED)
		return kGpaStatusErrorCannotChangeCountersWhenSampling;
	if (counter >= s->context->counter_count)
		return kGpaStatusErrorIndexOutOfRange;
	if (s->state == GPA3_ENDED) /* its results belong to the selection it had */
		return kGpaStatusErrorSessionAlreadyStarted;
	bool is = gpa_enabled(s->enabled, s->enabled_count, counter);
	if (is == enable)
		return enable ? kGpaStatusErrorAlreadyEnabled : kGpaStatusErrorNotEnabled;
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		if (s->enabled[i] != counter)
			s->enabled[n++] = s->enabled[i];
	if (enable)
		s->enabled[n++] = counter;
	s->enabled_count = n;
	s->scheduled = false;
	return kGpaStatusOk;
}

static GpaStatus change_one(const char *name, GpaSessionId id, uint32_t counter, bool enable)
{
	struct gpa_call call = gpa_enter(name);
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (s)
		status = change(s, counter, enable);
	return gpa3_leave(&call, status, "the counter stays as it is");
}

GpaStatus gpa3_EnableCounter(GpaSessionId id, GpaUInt32 counter)
{
	return change_one("GpaEnableCounter", id, counter, true);
}

GpaStatus gpa3_DisableCounter(GpaSessionId id, GpaUInt32 counter)
{
	return change_one("GpaDisableCounter", id, counter, false);
}

static GpaStatus change_by_name(const char *function, GpaSessionId id, const char *name,
				bool enable)
{
	struct gpa_call call = gpa_enter(function);
	GpaStatus status = kGpaStatusErrorNullPointer;
	struct gpa3_session *s = name ? gpa3_session(id, &status) : NULL;
	if (!s)
		return gpa3_leave(&call, status, "no such session");
	uint32_t counter = gpa_counter_find(s->context, name);
	if (counter == UINT32_MAX && s->state != GPA3_STARTED)
		return gpa3_leave(&call, kGpaStatusErrorCounterNotFound,
				  "no counter has this name");
	return gpa3_leave(&call, change(s, counter, enable), "the counter stays as it is");
}

GpaStatus gpa3_EnableCounterByName(GpaSessionId id, const char *name)
{
	return change_by_name("GpaEnableCounterByName", id, name, true);
}

GpaStatus gpa3_DisableCounterByName(GpaSessionId id, const char *name)
{
	return change_by_name("GpaDisableCounterByName", id, name, false);
}

static GpaStatus change_all(const char *function, GpaSessionId id, bool enable)
{
	struct gpa_call call = gpa_enter(function);
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (!s)
		return gpa3_leave(&call, status, "no such session");
	if (s->state != GPA3_NEW)
		return gpa3_leave(&call,
				  s->state == GPA3_STARTED
				      ? kGpaStatusErrorCannotChangeCountersWhenSampling
				      : kGpaStatusErrorSessionAlreadyStarted,
				  "the session was started");
	s->enabled_count = enable ? s->context->counter_count : 0;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		s->enabled[i] = i;
	s->scheduled = false;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

GpaStatus gpa3_EnableAllCounters(GpaSessionId id)
{
	return change_all("GpaEnableAllCounters", id, true);
}

GpaStatus gpa3_DisableAllCounters(GpaSessionId id)
{
	return change_all("GpaDisableAllCounters", id, false);
}

GpaStatus gpa3_GetPassCount(GpaSessionId id, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetPassCount");
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (s && !out)
		status = kGpaStatusErrorNullPointer;
	else if (s && (status = gpa3_schedule(s)) == kGpaStatusOk)
		*out = s->core.schedule.pass_count;
	return gpa3_leave(&call, status, "the passes cannot be planned");
}

GpaStatus gpa3_GetNumEnabledCounters(GpaSessionId id, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetNumEnabledCounters");
	GpaStatus status = kGpaStatusErrorNullPointer;
	const struct gpa3_session *s = out ? gpa3_session(id, &status) : NULL;
	if (s)
		*out = s->enabled_count;
	return gpa3_leave(&call, status, "no such session");
}

GpaStatus gpa3_GetEnabledIndex(GpaSessionId id, GpaUInt32 number, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetEnabledIndex");
	GpaStatus status = kGpaStatusErrorNullPointer;
	const struct gpa3_session *s = out ? gpa3_session(id, &status) : NULL;
	if (s && number >= s->enabled_count)
		status = kGpaStatusErrorIndexOutOfRange;
	else if (s)
		*out = s->enabled[number];
	return gpa3_leave(&call, status, "fewer counters are enabled");
}

GpaStatus gpa3_IsCounterEnabled(GpaSessionId id, GpaUInt32 counter)
{
	struct gpa_call call = gpa_enter("GpaIsCounterEnabled");
	GpaStatus status;
	const struct gpa3_session *s = gpa3_session(id, &status);
	if (s && counter >= s->context->counter_count)
		status = kGpaStatusErrorIndexOutOfRange;
	else if (s && !gpa_enabled(s->enabled, s->enabled_count, counter))
		status = kGpaStatusErrorCounterNotFound; /* an answer, not logged */
	return gpa3_leave(&call, status, NULL);
}
