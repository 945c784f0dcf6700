/* Sessions: the ring of those kept, their passes and samples, and the values read from them. */
#include "gpa/core.h"

#include <stdlib.h>
#include <string.h>

static void sample_finish(struct gpa_context *context, struct gpa_sample *sample)
{
	if (sample->request)
		gpa_backend.release(context, sample->request);
	free(sample->values);
	*sample = (struct gpa_sample){.id = sample->id};
}

static void pass_finish(struct gpa_context *context, struct gpa_pass *pass)
{
	for (size_t i = 0; i < pass->count; i++)
		sample_finish(context, &pass->samples[i]);
	free(pass->samples);
}

void gpa_session_finish(struct gpa_context *context, struct gpa_session *session)
{
	gpa_dump_session(context, session);
	for (uint32_t p = 0; session->passes && p < session->schedule.pass_count; p++)
		pass_finish(context, &session->passes[p]);
	pass_finish(context, &session->surplus);
	free(session->passes);
	gpa_schedule_finish(&session->schedule);
}

void gpa_session_destroy(struct gpa_context *context, struct gpa_session *session)
{
	if (session)
		gpa_session_finish(context, session);
	free(session);
}

struct gpa_session *gpa_session_oldest(const struct gpa_context *context)
{
	return context->sessions[(context->last_id + 1) % GPA_SESSIONS];
}

struct gpa_session *gpa_session_begin(struct gpa_context *context)
{
	struct gpa_session *session = calloc(1, sizeof(*session));
	if (session)
		session->passes =
		    calloc(context->schedule.pass_count + 1, sizeof(*session->passes));
	if (!session || !session->passes) {
		free(session);
		return NULL;
	}
	uint32_t id = ++context->last_id;
	struct gpa_session **slot = &context->sessions[id % GPA_SESSIONS];
	gpa_session_destroy(context, *slot);
	*slot = session;
	session->id = id;
	/* The session takes the schedule with it; the next one makes its own. */
	session->schedule = context->schedule;
	context->schedule = (struct gpa_schedule){0};
	context->scheduled = false;
	return session;
}

struct gpa_session *gpa_session_find(const struct gpa_context *context, uint32_t id)
{
	struct gpa_session *session = context->sessions[id % GPA_SESSIONS];
	return session && session->id == id ? session : NULL;
}

struct gpa_pass *gpa_session_add_pass(struct gpa_session *session)
{
	size_t index = session->begun++;
	if (index < session->schedule.pass_count)
		return &session->passes[index];
	/* Samples of a surplus pass are never read, so each pass reuses the memory of the last. */
	session->surplus.count = 0;
	return &session->surplus;
}

/* Passes of a session that have samples: those of the schedule that were begun. */
static size_t gpa_session_passes(const struct gpa_session *session)
{
	return session->begun < session->schedule.pass_count ? session->begun
							     : session->schedule.pass_count;
}

/* Index of the first sample with an id of at least `id`. */
static size_t lower(const struct gpa_pass *pass, uint32_t id)
{
	size_t lo = 0, hi = pass->count;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		if (pass->samples[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

struct gpa_sample *gpa_pass_find(const struct gpa_pass *pass, uint32_t id)
{
	size_t i = lower(pass, id);
	return i < pass->count && pass->samples[i].id == id ? &pass->samples[i] : NULL;
}

struct gpa_sample *gpa_pass_add(struct gpa_context *context, struct gpa_pass *pass, uint32_t id)
{
	size_t i = lower(pass, id);
	if (i < pass->count && pass->samples[i].id == id) {
		sample_finish(context, &pass->samples[i]);
		return &pass->samples[i];
	}
	if (pass->count == pass->capacity) {
		size_t capacity = pass->capacity ? pass->capacity * 2 : 16;
		struct gpa_sample *grown = realloc(pass->samples, capacity * sizeof(*grown));
		if (!grown)
			return NULL;
		pass->samples = grown;
		pass->capacity = capacity;
	}
	memmove(&pass->samples[i + 1], &pass->samples[i],
		(pass->count - i) * sizeof(*pass->samples));
	pass->samples[i] = (struct gpa_sample){.id = id};
	pass->count++;
	return &pass->samples[i];
}

const struct gpa_pass_plan *gpa_pass_plan(const struct gpa_session *session,
					  const struct gpa_pass *pass)
{
	if (pass == &session->surplus)
		return NULL;
	return &session->schedule.passes[pass - session->passes];
}

/* Values and their validity in one piece of memory. */
static bool sample_alloc(struct gpa_sample *sample, uint32_t count)
{
	if (!sample->values)
		sample->values = calloc(count + 1, sizeof(uint64_t) + sizeof(bool));
	if (sample->values)
		sample->valid = (bool *)(sample->values + count + 1);
	return sample->values != NULL;
}

enum gpa_answer gpa_sample_poll(struct gpa_context *context, const struct gpa_session *session,
				const struct gpa_pass *pass, struct gpa_sample *sample)
{
	const struct gpa_pass_plan *plan = gpa_pass_plan(session, pass);
	if (sample->open)
		return GPA_CANNOT;
	if (sample->ready)
		return GPA_READY;
	enum gpa_answer answer = plan ? GPA_LOST : GPA_READY;
	if (plan && sample->request && sample_alloc(sample, plan->count))
		answer =
		    gpa_backend.collect(context, sample->request, sample->values, sample->valid);
	if (answer == GPA_NOT_YET || answer == GPA_CANNOT)
		return answer;
	sample->ready = true;
	sample->lost = answer == GPA_LOST;
	if (sample->request)
		gpa_backend.release(context, sample->request);
	sample->request = NULL;
	return GPA_READY;
}

/* GPA_READY when everything is there; GPA_CANNOT wins over GPA_NOT_YET. */
enum gpa_answer gpa_session_poll(struct gpa_context *context, struct gpa_session *session)
{
	enum gpa_answer all = GPA_READY;
	if (session->complete)
		return all;
	for (size_t p = 0; p < gpa_session_passes(session); p++) {
		struct gpa_pass *pass = &session->passes[p];
		for (size_t i = 0; i < pass->count; i++) {
			enum gpa_answer one =
			    gpa_sample_poll(context, session, pass, &pass->samples[i]);
			if (one > all)
				all = one;
		}
	}
	session->complete = all == GPA_READY && session->ended;
	return all;
}

bool gpa_session_wait(struct gpa_call *call, uint32_t id)
{
	uint64_t until = gpa_now_ns() + GPA_WAIT_NS, delay_ns = 20000;
	for (;;) {
		struct gpa_session *session = gpa_session_find(call->context, id);
		if (!session || gpa_session_poll(call->context, session) != GPA_NOT_YET ||
		    gpa_now_ns() >= until)
			return true;
		if (!gpa_pause(call, &delay_ns))
			return false;
	}
}

/* Where a raw counter's value is. */
struct raw_place {
	uint32_t pass, raw, sample_id;
};

static bool raw_value(const struct gpa_session *session, const struct raw_place *at, uint64_t *out,
		      GPA_Status *status)
{
	uint32_t pass = at->pass, raw = at->raw, sample_id = at->sample_id;
	*status = GPA_STATUS_ERROR_SAMPLE_NOT_FOUND;
	if (pass >= gpa_session_passes(session))
		return false;
	const struct gpa_sample *sample = gpa_pass_find(&session->passes[pass], sample_id);
	if (!sample)
		return false;
	*status = GPA_STATUS_ERROR_READING_COUNTER_RESULT;
	if (!sample->ready || sample->lost)
		return false;
	const struct gpa_pass_plan *plan = &session->schedule.passes[pass];
	for (uint32_t i = 0; i < plan->count; i++) {
		if (plan->raws[i] == raw) {
			*out = sample->values[i];
			return sample->valid[i];
		}
	}
	return false;
}

GPA_Status gpa_session_value(struct gpa_context *context, const struct gpa_session *session,
			     uint32_t counter, uint32_t sample, union gpa_value *out)
{
	const struct gpa_counter *c = &context->counters[counter];
	const struct gpa_schedule *schedule = &session->schedule;
	uint32_t slot = 0;
	while (schedule->enabled[slot] != counter)
		slot++;
	uint64_t *raws = calloc(c->raw_count + 1, sizeof(*raws));
	GPA_Status status = raws ? GPA_STATUS_OK : GPA_STATUS_ERROR_FAILED;
	for (uint32_t i = 0; raws && i < c->raw_count; i++)
		if (!raw_value(session,
			       &(struct raw_place){schedule->places[slot][i], c->raws[i], sample},
			       &raws[i], &status))
			break;
		else
			status = GPA_STATUS_OK;
	if (status == GPA_STATUS_OK && !gpa_backend.value(context, counter, raws, out))
		status = GPA_STATUS_ERROR_READING_COUNTER_RESULT;
	free(raws);
	return status;
}
