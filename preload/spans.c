/*
 * GPU time between two timestamps holds what the GPU rested in between: where the program hands its
 * work over and goes on, a span ends with the work, and the next one begins with what follows,
 * since drivers send a timestamp along with it.
 */
#include "guest/clock.h"
#include "preload/sampler.h"

/* Hand-overs that follow one another faster than this are one: the GPU hardly rests between. */
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
 * The flag is cleared when it is read, whoever reads it: what the driver tells one of us, the other
 * must learn, too.
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

/* The span before goes on in place of one that has hardly begun. */
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
	if (set->spans == SAMPLER_SPANS) { /* the next set has room */
		sampler_next_set(sampler);
		return;
	}
	set->span_open = true;
	set->span_ns = guest_now_ns();
	stamp(sampler, set, 2 * set->spans++);
}

void sampler_hand_over(struct sampler *sampler, bool before)
{
	struct query_set *set = sampler_open_set(sampler);
	if (!set || !sampler->probe.timestamps || !sampler_may_call(sampler))
		return;
	if (before)
		end_span(sampler, set);
	else
		next_span(sampler, set);
}
