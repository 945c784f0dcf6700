/* Entry points: sessions, passes, samples. */
#include "gpa/core.h"

#define NOT_OPEN     GPA_STATUS_ERROR_COUNTERS_NOT_OPEN, "no context is open"
#define NOT_STARTED  GPA_STATUS_ERROR_SAMPLING_NOT_STARTED, "no session is active"
#define NULL_POINTER GPA_STATUS_ERROR_NULL_POINTER, "no place for the result"
#define NO_SESSION   GPA_STATUS_ERROR_SESSION_NOT_FOUND, "the session is unknown or was overwritten"

GPA_Status GPA_BeginSession(gpa_uint32 *pSessionID)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!pSessionID)
		return gpa_leave(&call, NULL_POINTER);
	/* What the ring loses is collected first, so that nothing that was measured is lost. */
	const struct gpa_session *oldest = gpa_session_oldest(c);
	if (c->enabled_count && !c->active && oldest && !gpa_session_wait(&call, oldest->id))
		return gpa_leave(&call, NOT_OPEN);
	c = call.context;
	if (!c->enabled_count)
		return gpa_leave(&call, GPA_STATUS_ERROR_NO_COUNTERS_ENABLED,
				 "no counter is enabled");
	if (c->active)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLING_ALREADY_STARTED,
				 "a session is active");
	GPA_Status status = gpa_context_schedule(c);
	if (status != GPA_STATUS_OK)
		return gpa_leave(&call, status, "the passes cannot be planned");
	c->active = gpa_session_begin(c);
	if (!c->active)
		return gpa_leave(&call, GPA_STATUS_ERROR_FAILED, "out of memory");
	*pSessionID = c->active->id;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_EndSession(void)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!c->active)
		return gpa_leave(&call, NOT_STARTED);
	if (c->pass)
		return gpa_leave(&call, GPA_STATUS_ERROR_PASS_NOT_ENDED, "a pass is open");
	struct gpa_session *session = c->active;
	session->ended = true;
	c->active = NULL;
	if (session->begun < session->schedule.pass_count)
		return gpa_leave(&call, GPA_STATUS_ERROR_NOT_ENOUGH_PASSES,
				 "fewer passes ran than the counters need");
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_BeginPass(void)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!c->active)
		return gpa_leave(&call, NOT_STARTED);
	if (c->pass)
		return gpa_leave(&call, GPA_STATUS_ERROR_PASS_ALREADY_STARTED, "a pass is open");
	c->pass = gpa_session_add_pass(c->active);
	if (!c->pass)
		return gpa_leave(&call, GPA_STATUS_ERROR_FAILED, "out of memory");
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_EndPass(void)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!c->active)
		return gpa_leave(&call, NOT_STARTED);
	if (!c->pass)
		return gpa_leave(&call, GPA_STATUS_ERROR_PASS_NOT_STARTED, "no pass is open");
	if (c->in_sample)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLE_NOT_ENDED, "a sample is open");
	size_t count = c->pass->count;
	c->pass = NULL;
	if (count != c->active->passes[0].count)
		return gpa_leave(&call, GPA_STATUS_ERROR_VARIABLE_NUMBER_OF_SAMPLES_IN_PASSES,
				 "the first pass had another number of samples");
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_BeginSample(gpa_uint32 sampleID)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!c->active)
		return gpa_leave(&call, NOT_STARTED);
	if (!c->pass)
		return gpa_leave(&call, GPA_STATUS_ERROR_PASS_NOT_STARTED, "no pass is open");
	if (c->in_sample)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLE_ALREADY_STARTED,
				 "a sample is open");
	const struct gpa_pass_plan *plan = gpa_pass_plan(c->active, c->pass);
	struct gpa_request *request = NULL;
	void *commands = gpa_backend.commands ? gpa_backend.commands(c) : NULL;
	if (plan && !(request = gpa_backend.begin(c, commands, plan->raws, plan->count)))
		return gpa_leave(&call, GPA_STATUS_ERROR_FAILED,
				 "the driver cannot start counting");
	struct gpa_sample *sample = gpa_pass_add(c, c->pass, sampleID);
	if (!sample) {
		if (request)
			gpa_backend.release(c, request);
		return gpa_leave(&call, GPA_STATUS_ERROR_FAILED, "out of memory");
	}
	sample->open = true;
	sample->request = request;
	c->open_id = sampleID;
	c->in_sample = true;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_EndSample(void)
{
	struct gpa_call call = gpa_enter(__func__);
	struct gpa_context *c = call.context;
	if (!c)
		return gpa_leave(&call, NOT_OPEN);
	if (!c->in_sample)
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLE_NOT_STARTED, "no sample is open");
	struct gpa_sample *sample = gpa_pass_find(c->pass, c->open_id);
	c->in_sample = false;
	sample->open = false;
	void *commands = gpa_backend.commands ? gpa_backend.commands(c) : NULL;
	if (sample->request && !gpa_backend.end(c, commands, sample->request)) {
		gpa_backend.release(c, sample->request);
		sample->request = NULL;
		return gpa_leave(&call, GPA_STATUS_ERROR_FAILED, "the driver cannot end counting");
	}
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_GetSampleCount(gpa_uint32 sessionID, gpa_uint32 *pSamples)
{
	struct gpa_call call = gpa_enter(__func__);
	if (!pSamples)
		return gpa_leave(&call, NULL_POINTER);
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	const struct gpa_session *session = gpa_session_find(call.context, sessionID);
	if (!session)
		return gpa_leave(&call, NO_SESSION);
	*pSamples = (gpa_uint32)session->passes[0].count;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

/* Looks at a sample in every needed pass. false: some pass does not have it. */
static bool sample_ready(struct gpa_context *c, const struct gpa_session *session, uint32_t id,
			 bool *ready)
{
	*ready = true;
	for (uint32_t p = 0; p < session->schedule.pass_count; p++) {
		if (p >= session->begun)
			return false;
		struct gpa_sample *sample = gpa_pass_find(&session->passes[p], id);
		if (!sample)
			return false;
		gpa_sample_poll(c, session, &session->passes[p], sample);
		*ready = *ready && sample->ready;
	}
	return true;
}

/* Both questions; `sample`: of this one alone, or NULL. */
static GPA_Status note_ready(struct gpa_call call, bool *out, uint32_t id, const uint32_t *sample)
{
	bool ready;
	if (out)
		*out = false;
	if (!call.context)
		return gpa_leave(&call, NOT_OPEN);
	if (!out)
		return gpa_leave(&call, NULL_POINTER);
	struct gpa_session *session = gpa_session_find(call.context, id);
	if (!session)
		return gpa_leave(&call, NO_SESSION);
	if (!sample)
		ready = session->ended && gpa_session_poll(call.context, session) == GPA_READY;
	else if (!sample_ready(call.context, session, *sample, &ready))
		return gpa_leave(&call, GPA_STATUS_ERROR_SAMPLE_NOT_FOUND_IN_ALL_PASSES,
				 "a pass lacks the sample");
	*out = ready;
	return gpa_leave(&call, GPA_STATUS_OK, NULL);
}

GPA_Status GPA_IsSampleReady(bool *pReadyResult, gpa_uint32 sessionID, gpa_uint32 sampleID)
{
	return note_ready(gpa_enter(__func__), pReadyResult, sessionID, &sampleID);
}

GPA_Status GPA_IsSessionReady(bool *pReadyResult, gpa_uint32 sessionID)
{
	return note_ready(gpa_enter(__func__), pReadyResult, sessionID, NULL);
}

struct wanted {
	GPA_Type type;
	uint32_t session, sample, counter;
};

/* The checks and the wait that all four readers share; leaves the call. */
static GPA_Status read_value(struct gpa_call *call, const void *out, struct wanted want,
			     union gpa_value *value)
{
	struct gpa_context *c = call->context;
	if (!out)
		return gpa_leave(call, NULL_POINTER);
	if (!c)
		return gpa_leave(call, NOT_OPEN);
	if (want.counter >= c->counter_count)
		return gpa_leave(call, GPA_STATUS_ERROR_INDEX_OUT_OF_RANGE,
				 "no counter has this index");
	if (c->counters[want.counter].type != want.type)
		return gpa_leave(call, GPA_STATUS_ERROR_COUNTER_NOT_OF_SPECIFIED_TYPE,
				 "the counter is of another type");
	struct gpa_session *session = gpa_session_find(c, want.session);
	if (!session)
		return gpa_leave(call, NO_SESSION);
	if (!gpa_enabled(session->schedule.enabled, session->schedule.enabled_count, want.counter))
		return gpa_leave(call, GPA_STATUS_ERROR_NOT_ENABLED,
				 "the counter was not enabled in this session");
	if (!session->ended)
		return gpa_leave(call, GPA_STATUS_ERROR_SAMPLING_NOT_ENDED,
				 "the session is active");
	if (!gpa_session_wait(call, want.session))
		return gpa_leave(call, NOT_OPEN);
	session = gpa_session_find(call->context, want.session);
	if (!session)
		return gpa_leave(call, NO_SESSION);
	return gpa_leave(
	    call, gpa_session_value(call->context, session, want.counter, want.sample, value),
	    "the value cannot be read");
}

GPA_Status GPA_GetSampleUInt64(gpa_uint32 sessionID, gpa_uint32 sampleID, gpa_uint32 counterID,
			       gpa_uint64 *pResult)
{
	struct gpa_call call = gpa_enter(__func__);
	struct wanted want = {GPA_TYPE_UINT64, sessionID, sampleID, counterID};
	union gpa_value value = {0};
	GPA_Status status = read_value(&call, pResult, want, &value);
	if (status == GPA_STATUS_OK)
		*pResult = value.u64;
	return status;
}

GPA_Status GPA_GetSampleUInt32(gpa_uint32 sessionID, gpa_uint32 sampleID, gpa_uint32 counterIndex,
			       gpa_uint32 *pResult)
{
	struct gpa_call call = gpa_enter(__func__);
	struct wanted want = {GPA_TYPE_UINT32, sessionID, sampleID, counterIndex};
	union gpa_value value = {0};
	GPA_Status status = read_value(&call, pResult, want, &value);
	if (status == GPA_STATUS_OK)
		*pResult = (gpa_uint32)value.u64;
	return status;
}

GPA_Status GPA_GetSampleFloat64(gpa_uint32 sessionID, gpa_uint32 sampleID, gpa_uint32 counterIndex,
				gpa_float64 *pResult)
{
	struct gpa_call call = gpa_enter(__func__);
	struct wanted want = {GPA_TYPE_FLOAT64, sessionID, sampleID, counterIndex};
	union gpa_value value = {0};
	GPA_Status status = read_value(&call, pResult, want, &value);
	if (status == GPA_STATUS_OK)
		*pResult = value.f64;
	return status;
}

GPA_Status GPA_GetSampleFloat32(gpa_uint32 sessionID, gpa_uint32 sampleID, gpa_uint32 counterIndex,
				gpa_float32 *pResult)
{
	struct gpa_call call = gpa_enter(__func__);
	struct wanted want = {GPA_TYPE_FLOAT32, sessionID, sampleID, counterIndex};
	union gpa_value value = {0};
	GPA_Status status = read_value(&call, pResult, want, &value);
	if (status == GPA_STATUS_OK)
		*pResult = (gpa_float32)value.f64;
	return status;
}
