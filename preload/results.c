/* Reading results back: when they are there, in order, never waiting for the GPU by itself. */
#include <string.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "sampler.h"

static bool is_ready(const struct api *gl, GLuint name)
{
	GLuint ready = 0;

	gl->GetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
	return ready != 0;
}

static uint64_t value_of(const struct api *gl, GLuint name)
{
	GLuint64 wide = 0;
	GLuint narrow = 0;

	if (gl->has.results64) {
		gl->GetQueryObjectui64v(name, GL_QUERY_RESULT, &wide);
		return wide;
	}
	gl->GetQueryObjectuiv(name, GL_QUERY_RESULT, &narrow);
	return narrow;
}

static bool sections_ready(const struct api *gl, const struct query_set *set, int slot)
{
	for (unsigned k = 1; k < set->sections; k++) {
		if (!is_ready(gl, set->more[k - 1][slot - SLOT_OVERFLOW]))
			return false;
	}
	return true;
}

/* All results, or none: the last query that was ended first, since it is the last to finish. */
static bool set_ready(struct sampler *sampler, const struct query_set *set)
{
	const struct api *gl = sampler->gl;
	uint32_t wanted = set->begun & ~set->disturbed;

	for (int slot = SLOT_COUNT - 1; slot >= 0; slot--) {
		if ((wanted & SLOT_BIT(slot)) == 0)
			continue;
		if (!is_ready(gl, set->names[slot]))
			return false;
		if (slot >= SLOT_OVERFLOW && !sections_ready(gl, set, slot))
			return false;
	}
	return !sampler->probe.timestamps || is_ready(gl, set->stamps[1]);
}

static void add(struct sampler *sampler, int counter, uint64_t value, enum wire_state state,
		bool boolean)
{
	if (counter < 0)
		return;
	if (boolean)
		sampler->sums[counter] |= value != 0;
	else
		sampler->sums[counter] += value;
	if (sampler->states[counter] < state)
		sampler->states[counter] = (uint8_t)state;
}

static void add_slot(struct sampler *sampler, int slot, uint64_t value, enum wire_state state)
{
	add(sampler, targets[slot].counter, value, state, targets[slot].boolean);
	add(sampler, targets[slot].second, value, state, targets[slot].boolean);
	if (slot == SLOT_OCCLUSION &&
	    sampler->identity->why[WIRE_OCCLUSION_PREDICATE] == WIRE_WHY_DERIVED)
		add(sampler, WIRE_OCCLUSION_PREDICATE, value, state, true);
}

static uint64_t slot_value(const struct api *gl, const struct query_set *set, int slot)
{
	uint64_t value = value_of(gl, set->names[slot]);

	for (unsigned k = 1; slot >= SLOT_OVERFLOW && k < set->sections; k++)
		value |= value_of(gl, set->more[k - 1][slot - SLOT_OVERFLOW]);
	return value;
}

/* A count where none was expected: some use has passed our hooks by. */
static void add_counted(struct sampler *sampler, const struct query_set *set, int slot)
{
	uint64_t value = slot_value(sampler->gl, set, slot);

	if (value != 0 && targets[slot].part != 0)
		sampler_wake(NULL, targets[slot].part);
	add_slot(sampler, slot, value, WIRE_VALID);
}

/* Overflow queries that never ran, since no transform feedback did, leave their value uncollected.
 */
static void add_set(struct sampler *sampler, const struct query_set *set, uint64_t submit_ns)
{
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		uint32_t bit = SLOT_BIT(slot);

		if ((sampler->probe.usable & ~sampler->banned & bit) == 0)
			continue;
		if ((set->disturbed & bit) != 0)
			add_slot(sampler, slot, 0, WIRE_DISTURBED);
		else if (slot >= SLOT_OVERFLOW && set->sections_lost)
			add_slot(sampler, slot, 0, WIRE_LATE);
		else if ((set->late & bit) != 0)
			add_slot(sampler, slot, 0, WIRE_LATE);
		else if ((set->asleep & bit) != 0)
			add_slot(sampler, slot, 0, WIRE_VALID);
		else if ((set->begun & bit) != 0)
			add_counted(sampler, set, slot);
	}
	if (sampler->probe.timestamps) {
		uint64_t begin = value_of(sampler->gl, set->stamps[0]);
		uint64_t end = value_of(sampler->gl, set->stamps[1]);

		if (sampler->probe.stamps_tiles && submit_ns < begin)
			begin = submit_ns;
		add(sampler, WIRE_GPU_TIME, (end - begin) & sampler->probe.time_mask, WIRE_VALID,
		    false);
	}
}

static void add_late(struct sampler *sampler)
{
	for (int counter = 0; counter < WIRE_COUNTERS; counter++) {
		if (wire_is_collected(sampler->identity->why[counter]))
			add(sampler, counter, 0, WIRE_LATE, false);
	}
}

static void write_record(struct sampler *sampler, const struct sample_meta *meta)
{
	struct wire_record record = {
	    .kind = meta->kind,
	    .flags = meta->flags,
	    .frame = meta->frame,
	    .begin_ns = meta->begin_ns,
	    .end_ns = meta->end_ns,
	    .cpu_begin_ns = meta->cpu_begin_ns,
	    .cpu_end_ns = meta->cpu_end_ns,
	    .label = meta->label,
	    .width = meta->width,
	    .height = meta->height,
	    .group_count = meta->group_count,
	};

	if (meta->cpu_begin_ns != 0 && meta->cpu_end_ns != 0)
		record.flags |= WIRE_CPU_KNOWN;
	for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
		if (!wire_is_collected(sampler->identity->why[i]))
			continue;
		record.states[i] = sampler->states[i];
		record.values[i] = record.states[i] == WIRE_VALID ? sampler->sums[i] : 0;
	}
	memset(sampler->sums, 0, sizeof(sampler->sums));
	memset(sampler->states, 0, sizeof(sampler->states));
	if (guest_channel() != NULL)
		channel_write(guest_channel(), &sampler->stream, sampler->identity, &record);
}

static void finish_segment(struct sampler *sampler, struct segment *segment)
{
	if (segment->set >= 0)
		sampler->sets[segment->set].in_use = false;
	if (segment->ends)
		write_record(sampler, &segment->meta);
	sampler->first_segment++;
}

static bool collect_one(struct sampler *sampler)
{
	struct segment *segment = &sampler->segments[sampler->first_segment % SAMPLER_SEGMENTS];

	if (segment->set >= 0) {
		const struct query_set *set = &sampler->sets[segment->set];

		if (!set_ready(sampler, set))
			return false;
		add_set(sampler, set, segment->submit_ns);
	} else if (segment->set == SEGMENT_BLIND) {
		add_late(sampler);
	}
	finish_segment(sampler, segment);
	return true;
}

void sampler_collect(struct sampler *sampler, uint64_t wait_ns)
{
	uint64_t until = wait_ns != 0 ? guest_now_ns() + wait_ns : 0;

	if (sampler->list_open)
		return;
	while (sampler->first_segment != sampler->last_segment) {
		if (collect_one(sampler))
			continue;
		if (wait_ns == 0 || guest_now_ns() >= until)
			return;
		guest_nap();
	}
}

void sampler_finish(struct sampler *sampler)
{
	if (sampler->open >= 0) { /* it cannot be ended without the context */
		sampler->sets[sampler->open].in_use = false;
		sampler->open = -1;
		sampler->paused = false;
	}
	while (sampler->first_segment != sampler->last_segment) {
		add_late(sampler);
		finish_segment(sampler,
			       &sampler->segments[sampler->first_segment % SAMPLER_SEGMENTS]);
	}
	if (sampler->has_rest) {
		sampler->list_open = false;
		sampler->flags |= WIRE_LAST;
		sampler_end_frame(sampler, false, NULL);
		collect_one(sampler);
	}
	channel_close(&sampler->stream);
}
