/*
 * The time between two timestamps includes idle time of the GPU. So a span ends at a flush, and the
 * next one begins after it: drivers submit its timestamp with the work that follows.
 */
#include "guest/clock.h"
#include "preload/sampler.h"

/* Flushes at shorter intervals do not end a span: the GPU is hardly idle between them. */
#define SPAN_LEAST_NS UINT64_C(100000)

static void stamp(struct sampler *sampler, struct query_set *set, unsigned at)
{
	sampler->gl->QueryCounter(set->stamps[at], GL_TIMESTAMP);
}

void spans_begin(struct sampler *sampler, struct query_set *set)
{
	set->span_open = false;
	if (!sampler->probe.timestamps)
		return;
	set->spans = 1;
	set->span_open = true;
	set->span_ns = set->begin_ns;
	stamp(sampler, set, 0);
}

void spans_end(struct sampler *sampler, struct query_set *set)
{
	if (set->span_open)
		stamp(sampler, set, 2 * set->spans - 1);
	set->span_open = false;
}

uint64_t spans_time_ns(const struct sampler *sampler, const struct query_set *set)
{
	uint64_t time_ns = 0;
	for (unsigned i = 0; i < set->spans; i++) {
		uint64_t begin = sampler_value(sampler->gl, set->stamps[2 * i]);
		uint64_t end = sampler_value(sampler->gl, set->stamps[2 * i + 1]);
		time_ns += (end - begin) & sampler->probe.time_mask;
	}
	return time_ns;
}

/*
 * Reading GL_GPU_DISJOINT_EXT clears it (EXT_disjoint_timer_query), so what we read is kept for the
 * program, and what the program reads is used here.
 */
void spans_ask_clock(struct sampler *sampler)
{
	GLint disjoint = 0;
	if (!sampler->probe.timestamps || !sampler->gl->has.disjoint)
		return;
	sampler->gl->GetIntegerv(SPANS_DISJOINT, &disjoint);
	if (disjoint == 0)
		return;
	sampler->owes_disjoint = true;
	sampler->disjoint_until = sampler->last_segment + 1;
}

bool spans_clock_asked(struct sampler *sampler, bool disjoint)
{
	bool owed = sampler->owes_disjoint;
	sampler->owes_disjoint = false;
	if (disjoint)
		sampler->disjoint_until = sampler->last_segment + 1;
	return disjoint || owed;
}

/* A very short span is dropped, and the one before it continues. */
static void end_span(struct sampler *sampler, struct query_set *set)
{
	if (set->spans > 1 && guest_now_ns() - set->span_ns < SPAN_LEAST_NS)
		set->spans--;
	spans_end(sampler, set);
}

static void next_span(struct sampler *sampler, struct query_set *set)
{
	if (set->span_open)
		return;
	if (set->spans == SAMPLER_SPANS) { /* continues in the next set */
		sampler_next_set(sampler);
		return;
	}
	set->span_open = true;
	set->span_ns = guest_now_ns();
	stamp(sampler, set, 2 * set->spans++);
}

void sampler_flush(struct sampler *sampler, bool before)
{
	struct query_set *set = sampler_open_set(sampler);
	if (!set || !sampler->probe.timestamps || !sampler_may_call(sampler))
		return;
	if (before)
		end_span(sampler, set);
	else
		next_span(sampler, set);
}
