/*
 * Display lists. While one is compiled, glBeginQuery() and glEndQuery() would be recorded, so no
 * query can begin or end. Frames may end in it. With GL_COMPILE nothing is executed, so active
 * queries have counted the first of these frames, and the others are empty. With
 * GL_COMPILE_AND_EXECUTE it is not known which counts belong to which frame.
 */
#include "guest/clock.h"
#include "preload/sampler.h"

/* The queue must have room. */
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

/* Ends the queries that were active over the ends of frames. */
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
