/*
 * Display lists. While one is recorded no query can begin or end: glBeginQuery and glEndQuery would
 * be recorded, too. Frames go on ending: where the list is recorded only, nothing runs meanwhile,
 * so that the queries that were running have counted the first of those frames, and the others did
 * nothing. Where it runs at once, what belongs to which frame is not known.
 */
#include "guest/clock.h"
#include "preload/sampler.h"

/* With room in the queue, which is asked for next. */
int lists_end_segment(struct sampler *sampler)
{
	bool first = !sampler->list_ended;
	sampler->list_ended = true;
	if (!sampler->measuring || sampler->paused)
		return SEGMENT_EMPTY;
	if (first && sampler->open >= 0) {
		sampler->list_holds = true;
		sampler->list_owner = sampler->last_segment;
		return SEGMENT_LISTED;
	}
	if (!sampler->measured)
		return SEGMENT_PLAIN;
	return first && !sampler->list_runs ? SEGMENT_BLIND
	       : sampler->list_runs	    ? SEGMENT_LISTED
					    : SEGMENT_IDLE;
}

/* The queries that went on over ends of frames. */
static void end_of_list(struct sampler *sampler)
{
	struct query_set *set = sampler_open_set(sampler);
	struct segment *owner;
	monitor_drop(sampler->monitor, monitor_end(sampler->monitor));
	if (set)
		sampler_end_set(sampler, set);
	if (set && sampler->list_holds && !sampler->list_runs) {
		owner = &sampler->segments[sampler->list_owner % sampler->segment_count];
		set->outlived = true;
		owner->set = sampler->open;
		owner->submit_ns = guest_now_ns();
	} else if (set) {
		sampler_release_set(sampler, sampler->open);
	}
	sampler->open = -1;
	struct segment *mixed =
	    sampler->list_runs && sampler->measured ? sampler_end_segment(sampler) : NULL;
	if (mixed && mixed->set == SEGMENT_BLIND)
		mixed->set = SEGMENT_LISTED;
	sampler_resume(sampler);
}

void sampler_list(struct sampler *sampler, GLenum mode)
{
	bool was_open = sampler->list_open;
	sampler->list_open = mode != 0 && sampler->gl->has.lists;
	sampler->list_runs = mode == LISTS_RUN || (sampler->list_runs && was_open);
	if (sampler->list_open || !was_open)
		return;
	if (sampler->list_ended)
		end_of_list(sampler);
	else if (sampler->banned != 0 && sampler->open >= 0)
		yield_slots(sampler, sampler->banned);
	sampler->list_runs = sampler->list_holds = sampler->list_ended = false;
}
