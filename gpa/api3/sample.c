/* Version 3: command lists, samples and their results. */
#include "gpa/api3/api3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct gpa3_list *gpa3_list(GpaCommandListId id, GpaStatus *status)
{
	const void *handle = id;
	*status = kGpaStatusErrorNullPointer;
	if (!id)
		return NULL;
	*status = kGpaStatusOk;
	for (struct gpa_context *c = gpa_context_first(); c; c = c->next)
		for (struct gpa3_session *s = c->sessions3; s; s = s->next)
			for (struct gpa3_list *l = s->lists; l; l = l->next)
				if (l == handle)
					return l;
	*status = kGpaStatusErrorCommandListNotFound;
	return NULL;
}

/* Whether a list of this kind goes with the API: a command buffer with Vulkan, none with others. */
static GpaStatus judge_list(const void *commands, GpaCommandListType type)
{
	if ((unsigned)type >= kGpaCommandListLast)
		return kGpaStatusErrorInvalidParameter;
	if (!gpa_backend.commands)
		return commands || type != kGpaCommandListNone ? kGpaStatusErrorInvalidParameter
							       : kGpaStatusOk;
	if (!commands)
		return kGpaStatusErrorNullPointer;
	return type == kGpaCommandListPrimary ? kGpaStatusOk : kGpaStatusErrorInvalidParameter;
}

/* Lists that have ended are known by their handles until their session goes. */
static GpaStatus add_list(struct gpa3_session *s, uint32_t pass, void *commands,
			  GpaCommandListId *out)
{
	struct gpa3_list *list = calloc(1, sizeof(*list));
	if (!list)
		return kGpaStatusErrorFailed;
	*list = (struct gpa3_list){
	    .next = s->lists, .session = s, .commands = commands, .pass = pass, .running = true};
	s->lists = list;
	s->listed[pass] = true;
	*out = (GpaCommandListId)(void *)list;
	return kGpaStatusOk;
}

GpaStatus gpa3_BeginCommandList(GpaSessionId id, GpaUInt32 pass, void *commands,
				GpaCommandListType type, GpaCommandListId *out)
{
	struct gpa_call call = gpa_enter("GpaBeginCommandList");
	GpaStatus status, known;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (!s)
		return gpa3_leave(&call, status, "no such session");
	if (s->state != GPA3_STARTED)
		return gpa3_leave(&call, kGpaStatusErrorSessionNotStarted,
				  "the session is not active");
	status = judge_list(commands, type);
	if (status != kGpaStatusOk)
		return gpa3_leave(&call, status, "this API has no such command lists");
	if (!out)
		return gpa3_leave(&call, kGpaStatusErrorNullPointer, "no place for the handle");
	if (*out && gpa3_list(*out, &known))
		return gpa3_leave(&call, kGpaStatusErrorCommandListAlreadyStarted,
				  "the handle is one of a list");
	if (pass >= s->core.schedule.pass_count)
		return gpa3_leave(&call, kGpaStatusErrorFailed, "there are fewer passes");
	return gpa3_leave(&call, add_list(s, pass, commands, out), "out of memory");
}

GpaStatus gpa3_EndCommandList(GpaCommandListId id)
{
	struct gpa_call call = gpa_enter("GpaEndCommandList");
	GpaStatus status;
	struct gpa3_list *list = gpa3_list(id, &status);
	if (!list)
		return gpa3_leave(&call, status, "no such command list");
	if (!list->running)
		return gpa3_leave(&call, kGpaStatusErrorCommandListAlreadyEnded,
				  "the command list has ended");
	if (list->in_sample)
		return gpa3_leave(&call, kGpaStatusErrorFailed, "a sample is open");
	list->running = false;
	return gpa3_leave(&call, kGpaStatusOk, NULL);
}

static GpaStatus begin_sample(struct gpa3_list *list, uint32_t id)
{
	struct gpa3_session *s = list->session;
	struct gpa_pass *pass = &s->core.passes[list->pass];
	const struct gpa_pass_plan *plan = gpa_pass_plan(&s->core, pass);
	if (gpa_pass_find(pass, id))
		return kGpaStatusErrorFailed;
	struct gpa_request *request =
	    gpa_backend.begin(s->context, list->commands, plan->raws, plan->count);
	struct gpa_sample *sample = request ? gpa_pass_add(s->context, pass, id) : NULL;
	if (!sample) {
		if (request)
			gpa_backend.release(s->context, request);
		return kGpaStatusErrorFailed;
	}
	sample->open = true;
	sample->request = request;
	list->open_id = id;
	list->in_sample = true;
	return kGpaStatusOk;
}

GpaStatus gpa3_BeginSample(GpaUInt32 sample, GpaCommandListId id)
{
	struct gpa_call call = gpa_enter("GpaBeginSample");
	GpaStatus status;
	struct gpa3_list *list = gpa3_list(id, &status);
	if (!list)
		return gpa3_leave(&call, status, "no such command list");
	if (!list->running || list->in_sample)
		return gpa3_leave(&call, kGpaStatusErrorFailed,
				  "the command list has ended, or a sample is open in it");
	return gpa3_leave(&call, begin_sample(list, sample),
			  "the sample is in this pass already, or the driver cannot count");
}

GpaStatus gpa3_EndSample(GpaCommandListId id)
{
	struct gpa_call call = gpa_enter("GpaEndSample");
	GpaStatus status;
	struct gpa3_list *list = gpa3_list(id, &status);
	if (!list)
		return gpa3_leave(&call, status, "no such command list");
	if (!list->in_sample)
		return gpa3_leave(&call, kGpaStatusErrorFailed, "no sample is open");
	struct gpa_context *context = list->session->context;
	struct gpa_pass *pass = &list->session->core.passes[list->pass];
	struct gpa_sample *sample = gpa_pass_find(pass, list->open_id);
	list->in_sample = false;
	sample->open = false;
	if (gpa_backend.end(context, list->commands, sample->request))
		return gpa3_leave(&call, kGpaStatusOk, NULL);
	gpa_backend.release(context, sample->request);
	sample->request = NULL;
	return gpa3_leave(&call, kGpaStatusErrorFailed, "the driver cannot end counting");
}

static GpaStatus refuse_secondary(const char *name, GpaCommandListId id)
{
	struct gpa_call call = gpa_enter(name);
	GpaStatus status;
	if (gpa3_list(id, &status))
		status = kGpaStatusErrorApiNotSupported;
	return gpa3_leave(&call, status, "samples are in one primary command list each");
}

GpaStatus gpa3_ContinueSampleOnCommandList(GpaUInt32 sample, GpaCommandListId id)
{
	(void)sample;
	return refuse_secondary("GpaContinueSampleOnCommandList", id);
}

GpaStatus gpa3_CopySecondarySamples(GpaCommandListId secondary, GpaCommandListId primary,
				    GpaUInt32 count, GpaUInt32 *samples)
{
	(void)primary;
	(void)count;
	(void)samples;
	return refuse_secondary("GpaCopySecondarySamples", secondary);
}

/* A session that has ended, or why there is none to ask. */
static struct gpa3_session *api3_sample_ended(GpaSessionId id, const void *out, GpaStatus *status)
{
	*status = kGpaStatusErrorNullPointer;
	struct gpa3_session *s = out ? gpa3_session(id, status) : NULL;
	if (s && s->state == GPA3_STARTED)
		*status = kGpaStatusErrorSessionNotEnded;
	return *status == kGpaStatusOk ? s : NULL;
}

GpaStatus gpa3_GetSampleCount(GpaSessionId id, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetSampleCount");
	GpaStatus status;
	const struct gpa3_session *s = api3_sample_ended(id, out, &status);
	if (s)
		*out = s->core.begun ? (GpaUInt32)s->core.passes[0].count : 0;
	return gpa3_leave(&call, status, "the session is unknown or active");
}

GpaStatus gpa3_GetSampleId(GpaSessionId id, GpaUInt32 index, GpaUInt32 *out)
{
	struct gpa_call call = gpa_enter("GpaGetSampleId");
	GpaStatus status;
	const struct gpa3_session *s = api3_sample_ended(id, out, &status);
	if (s && (!s->core.begun || index >= s->core.passes[0].count))
		status = kGpaStatusErrorSampleNotFound;
	else if (s)
		*out = s->core.passes[0].samples[index].id;
	return gpa3_leave(&call, status, "there are fewer samples");
}

/* Whether the samples of passes from `first` up to `end` have all delivered. */
static bool delivered(struct gpa3_session *s, uint32_t first, uint32_t end)
{
	bool all = true;
	for (uint32_t p = first; p < end; p++) {
		struct gpa_pass *pass = &s->core.passes[p];
		for (size_t i = 0; i < pass->count; i++)
			all = gpa_sample_poll(s->context, &s->core, pass, &pass->samples[i]) ==
				  GPA_READY &&
			      all;
	}
	return all;
}

static GpaStatus pass_state(struct gpa3_session *s, uint32_t pass)
{
	if (pass >= s->core.schedule.pass_count || !s->listed[pass])
		return kGpaStatusErrorIndexOutOfRange;
	for (const struct gpa3_list *l = s->lists; l; l = l->next)
		if (l->pass == pass && l->running)
			return kGpaStatusErrorCommandListNotEnded;
	return delivered(s, pass, pass + 1) ? kGpaStatusOk : kGpaStatusResultNotReady;
}

GpaStatus gpa3_IsPassComplete(GpaSessionId id, GpaUInt32 pass)
{
	struct gpa_call call = gpa_enter("GpaIsPassComplete");
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (s)
		status =
		    s->state == GPA3_NEW ? kGpaStatusErrorSessionNotStarted : pass_state(s, pass);
	return gpa3_leave(&call, status, "the pass is unknown or not ended");
}

GpaStatus gpa3_IsSessionComplete(GpaSessionId id)
{
	struct gpa_call call = gpa_enter("GpaIsSessionComplete");
	GpaStatus status;
	struct gpa3_session *s = gpa3_session(id, &status);
	if (s && s->state != GPA3_ENDED)
		status = s->state == GPA3_NEW ? kGpaStatusErrorSessionNotStarted
					      : kGpaStatusErrorSessionNotEnded;
	else if (s && !delivered(s, 0, s->core.schedule.pass_count))
		status = kGpaStatusResultNotReady;
	return gpa3_leave(&call, status, "the session is unknown or has not ended");
}

/* The session when it has ended and knows the sample. */
static struct gpa3_session *with_sample(GpaSessionId id, uint32_t sample, const void *out,
					GpaStatus *status)
{
	*status = kGpaStatusErrorNullPointer;
	struct gpa3_session *s = out ? gpa3_session(id, status) : NULL;
	if (s && (!s->core.begun || !gpa_pass_find(&s->core.passes[0], sample)))
		*status = kGpaStatusErrorSampleNotFound;
	else if (s && s->state == GPA3_STARTED)
		*status = kGpaStatusErrorSessionNotEnded;
	return *status == kGpaStatusOk ? s : NULL;
}

GpaStatus gpa3_GetSampleResultSize(GpaSessionId id, GpaUInt32 sample, size_t *out)
{
	struct gpa_call call = gpa_enter("GpaGetSampleResultSize");
	GpaStatus status;
	const struct gpa3_session *s = with_sample(id, sample, out, &status);
	if (s)
		*out = s->enabled_count * sizeof(GpaUInt64);
	return gpa3_leave(&call, status, "no such sample");
}

/* Waits without the lock. Returns the session, or NULL when it has gone or takes too long. */
static struct gpa3_session *wait_for(struct gpa_call *call, GpaSessionId id, GpaStatus *status)
{
	uint64_t delay_ns = 20000;
	uint64_t until = gpa_now_ns() + GPA_WAIT_NS;
	for (;;) {
		struct gpa3_session *s = gpa3_session(id, status);
		if (!s || delivered(s, 0, s->core.schedule.pass_count))
			return s;
		*status = kGpaStatusErrorTimeout;
		if (gpa_session_poll(s->context, &s->core) == GPA_CANNOT || gpa_now_ns() >= until)
			return NULL;
		call->context = s->context;
		gpa_pause(call, &delay_ns);
	}
}

/* Fills one place of a result; a counter without data is NaN or 0 there. */
static bool put_value(const struct gpa3_session *s, uint32_t counter, uint32_t sample,
		      unsigned char *out)
{
	GPA_Type type = s->context->counters[counter].type;
	bool real = type == GPA_TYPE_FLOAT64 || type == GPA_TYPE_FLOAT32;
	union gpa_value value = {0};
	bool ok = gpa_session_value(s->context, &s->core, counter, sample, &value) == GPA_STATUS_OK;
	if (!ok)
		value.u64 = 0;
	if (!ok && real)
		value.f64 = (double)NAN;
	memcpy(out, &value, sizeof(uint64_t));
	return ok;
}

static GpaStatus put_results(const struct gpa3_session *s, uint32_t sample, unsigned char *out)
{
	bool all = true;
	for (uint32_t i = 0; i < s->enabled_count; i++)
		all = put_value(s, s->enabled[i], sample, out + i * sizeof(uint64_t)) && all;
	return all ? kGpaStatusOk : kGpaStatusErrorReadingSampleResult;
}

GpaStatus gpa3_GetSampleResult(GpaSessionId id, GpaUInt32 sample, size_t size, void *out)
{
	struct gpa_call call = gpa_enter("GpaGetSampleResult");
	GpaStatus status;
	const struct gpa3_session *s = with_sample(id, sample, out, &status);
	if (!s)
		return gpa3_leave(&call, status, "no such sample");
	if (size < s->enabled_count * sizeof(GpaUInt64))
		return gpa3_leave(&call, kGpaStatusErrorReadingSampleResult,
				  "the place for the results is too small");
	s = wait_for(&call, id, &status);
	if (!s)
		return gpa3_leave(&call, status, "the results do not come");
	return gpa3_leave(&call, put_results(s, sample, out), "a counter has no data");
}
