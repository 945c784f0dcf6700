/* Reads results in order, when they are available, without waiting for the GPU. */
#include <string.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "preload/sampler.h"

#define BATCH	     4u			/* asks the driver when so many segments are due, */
#define BATCH_AGE_NS UINT64_C(20000000) /* or the oldest is as old as this */

static bool is_ready(const struct api *gl, GLuint name)
{
	GLuint ready = 0;
	gl->GetQueryObjectuiv(name, GL_QUERY_RESULT_AVAILABLE, &ready);
	return ready != 0;
}

uint64_t sampler_value(const struct api *gl, GLuint name)
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

/*
 * Whether all results of a set are available: asks for the query that ended last. If a driver
 * completes another one later, reading that waits for a moment.
 */
static bool set_ready(struct sampler *sampler, const struct query_set *set)
{
	uint32_t wanted = set->begun & ~set->disturbed;
	for (int slot = SLOT_COUNT - 1; slot >= 0; slot--) {
		if ((wanted & SLOT_BIT(slot)) != 0)
			return is_ready(sampler->gl, set->names[slot]);
	}
	return !sampler->probe.timestamps || is_ready(sampler->gl, set->stamps[2 * set->spans - 1]);
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
	uint64_t value = sampler_value(gl, set->names[slot]);
	for (unsigned k = 1; slot >= SLOT_OVERFLOW && k < set->sections; k++)
		value |= sampler_value(gl, set->more[k - 1][slot - SLOT_OVERFLOW]);
	return value;
}

/* A GPU time longer than the elapsed time is an error of the driver's clock. */
static enum wire_state time_state(const struct sampler *sampler, const struct query_set *set,
				  uint64_t time_ns)
{
	if (sampler->first_segment < sampler->disjoint_until)
		return WIRE_DISJOINT;
	if (set->outlived) /* it includes idle time */
		return WIRE_LISTED;
	return time_ns <= guest_now_ns() - set->begin_ns ? WIRE_VALID : WIRE_IMPOSSIBLE;
}

/* A count of an unused part of the pipeline: a use that no hook has seen. */
static void add_counted(struct sampler *sampler, const struct query_set *set, int slot)
{
	uint64_t value = slot_value(sampler->gl, set, slot);
	if (value != 0 && targets[slot].part != 0)
		sampler_use_parts(NULL, targets[slot].part);
	add_slot(sampler, slot, value,
		 slot == SLOT_TIME_ELAPSED ? time_state(sampler, set, value) : WIRE_VALID);
}

/* Overflow queries have no value if there was no transform feedback. */
static void add_queries(struct sampler *sampler, const struct query_set *set)
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
		else if ((set->unused & bit) != 0)
			add_slot(sampler, slot, 0, WIRE_VALID);
		else if ((set->begun & bit) != 0)
			add_counted(sampler, set, slot);
	}
}

static void add_set(struct sampler *sampler, const struct query_set *set)
{
	if (set->measured)
		add_queries(sampler, set);
	if (sampler->probe.timestamps) {
		uint64_t time_ns = spans_time_ns(sampler, set);
		spans_ask_clock(sampler);
		add(sampler, WIRE_GPU_TIME, time_ns, time_state(sampler, set, time_ns), false);
	}
}

static void add_missing(struct sampler *sampler, enum wire_state state)
{
	for (int counter = 0; counter < WIRE_COUNTERS; counter++) {
		if (wire_is_collected(sampler->identity->why[counter]))
			add(sampler, counter, 0, state, false);
	}
}

/* A segment without work: all counts are 0. */
static void add_idle(struct sampler *sampler)
{
	uint32_t slots = sampler->probe.usable & ~sampler->banned & ~SLOT_OVERFLOW_MASK;
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if ((slots & SLOT_BIT(slot)) != 0)
			add_slot(sampler, slot, 0, WIRE_VALID);
	}
	if (sampler->probe.timestamps)
		add(sampler, WIRE_GPU_TIME, 0, WIRE_VALID, false);
}

static void add_nothing(struct sampler *sampler, int why)
{
	if (why == SEGMENT_BLIND)
		add_missing(sampler, WIRE_LATE);
	else if (why == SEGMENT_LISTED)
		add_missing(sampler, WIRE_LISTED);
	else if (why == SEGMENT_IDLE)
		add_idle(sampler);
}

struct wire_record sampler_record(const struct sample_meta *meta)
{
	struct wire_record record = {
	    .kind = meta->kind,
	    .flags = meta->flags,
	    .frame = meta->frame,
	    .begin_ns = meta->begin_ns,
	    .end_ns = meta->end_ns,
	    .label = meta->label,
	    .index = meta->index,
	    .width = meta->width,
	    .height = meta->height,
	    .group_count = meta->group_count,
	    .draws = meta->calls.all,
	    .dispatches = meta->calls.dispatches,
	};
	if (meta->cpu_begin_ns != 0 && meta->cpu_end_ns != 0) {
		record.flags |= WIRE_CPU_KNOWN;
		record.cpu_begin_ns = meta->cpu_begin_ns;
		record.cpu_end_ns = meta->cpu_end_ns;
	}
	return record;
}

enum wire_state sampler_state_without(const struct sampler *sampler, unsigned counter,
				      bool measured)
{
	bool spared = !measured && wire_is_collected(sampler->identity->why[counter]);
	return spared ? WIRE_SPARED : WIRE_NOT_COLLECTED;
}

void sampler_draft(struct sampler *sampler, const struct segment *segment)
{
	struct wire_header *channel = guest_channel();
	struct wire_record record = sampler_record(&segment->meta);
	if (!channel || channel == guest_counters())
		return;
	for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
		if (wire_is_collected(sampler->identity->why[i]))
			record.states[i] = segment->meta.measured ? WIRE_LATE : WIRE_SPARED;
	}
	channel_draft(channel, &sampler->stream, sampler->identity, &record,
		      segment->number - sampler->written);
}

static void write_record(struct sampler *sampler, const struct segment *segment)
{
	struct wire_record record = sampler_record(&segment->meta);
	for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
		if (!wire_is_collected(sampler->identity->why[i]))
			continue;
		record.states[i] = sampler->states[i];
		if (record.states[i] == WIRE_NOT_COLLECTED)
			record.states[i] =
			    (uint8_t)sampler_state_without(sampler, i, segment->meta.measured);
		record.values[i] = record.states[i] == WIRE_VALID ? sampler->sums[i] : 0;
	}
	memset(sampler->sums, 0, sizeof(sampler->sums));
	memset(sampler->states, 0, sizeof(sampler->states));
	monitor_write(sampler->monitor, &record);
	if (guest_channel() && guest_channel() != guest_counters())
		channel_write(guest_channel(), &sampler->stream, sampler->identity, &record);
}

static void finish_segment(struct sampler *sampler, struct segment *segment)
{
	if (segment->set >= 0)
		sampler_release_set(sampler, segment->set);
	if (segment->run)
		runs_write(sampler, segment);
	else if (segment->ends)
		write_record(sampler, segment);
	sampler->written += segment->ends;
	sampler->known_ns = segment->ends ? 0 : segment->submit_ns;
	sampler->known_calls = segment->calls;
	sampler->first_segment++;
}

static struct segment *oldest(struct sampler *sampler)
{
	return &sampler->segments[sampler->first_segment % sampler->segment_count];
}

/* Restarts an empty queue at its first entry, so that it touches little memory. */
static void rewind_queue(struct sampler *sampler)
{
	uint64_t by = sampler->first_segment;
	if (by != sampler->last_segment)
		return;
	sampler->disjoint_until -= sampler->disjoint_until < by ? sampler->disjoint_until : by;
	sampler->first_segment = sampler->last_segment = sampler->timed = 0;
}

/* Reads the oldest segment; its results must be available. */
static void collect_one(struct sampler *sampler)
{
	struct segment *segment = oldest(sampler);
	if (segment->set >= 0)
		add_set(sampler, &sampler->sets[segment->set]);
	else
		add_nothing(sampler, segment->set);
	monitor_read(sampler->monitor, segment->monitor, segment->pass, false);
	finish_segment(sampler, segment);
}

static bool segment_ready(struct sampler *sampler, const struct segment *segment)
{
	return (segment->set < 0 || set_ready(sampler, &sampler->sets[segment->set])) &&
	       monitor_is_ready(sampler->monitor, segment->monitor);
}

static bool waits_for_nothing(const struct segment *segment)
{
	return segment->set < 0 && segment->monitor < 0;
}

/* Reads segments without queries at once. Returns whether enough others are due. */
static bool worth_asking(struct sampler *sampler)
{
	while (sampler->first_segment != sampler->timed && waits_for_nothing(oldest(sampler)))
		collect_one(sampler);
	return sampler->first_segment != sampler->timed &&
	       (sampler->last_segment - sampler->first_segment >= BATCH ||
		guest_now_ns() - oldest(sampler)->submit_ns > BATCH_AGE_NS);
}

/*
 * Queries complete in order, so the newest segment is asked about first. Hardware counters may
 * complete in any order, and are asked about one by one.
 */
static bool collect_ready(struct sampler *sampler)
{
	uint64_t last = sampler->timed;
	if (!sampler->monitor &&
	    segment_ready(sampler, &sampler->segments[(last - 1) % sampler->segment_count])) {
		while (sampler->first_segment != last)
			collect_one(sampler);
		return true;
	}
	if (!segment_ready(sampler, oldest(sampler)))
		return false;
	collect_one(sampler);
	return true;
}

/*
 * Unbinds a GL_QUERY_BUFFER of the program, into which our results would be written. A deleted
 * buffer could not be bound again; then false: nothing can be read now.
 */
static bool take_binding(const struct api *gl, GLuint *buffer)
{
	GLint bound = 0;
	if (gl->has.query_buffer)
		gl->GetIntegerv(GL_QUERY_BUFFER_BINDING, &bound);
	*buffer = (GLuint)bound;
	if (bound == 0)
		return true;
	if (gl->IsBuffer(*buffer) == GL_FALSE)
		return false;
	gl->BindBuffer(GL_QUERY_BUFFER, 0);
	return true;
}

static void read_results(struct sampler *sampler, uint64_t wait_ns)
{
	uint64_t until = wait_ns != 0 ? guest_now_ns() + wait_ns : 0;
	while (sampler->first_segment != sampler->timed) {
		if (collect_ready(sampler))
			continue;
		if (wait_ns == 0 || guest_now_ns() >= until)
			return;
		guest_sleep();
	}
}

static void sampler_read(struct sampler *sampler, uint64_t wait_ns)
{
	GLuint buffer;
	if (sampler->first_segment == sampler->timed || !take_binding(sampler->gl, &buffer))
		return;
	read_results(sampler, wait_ns);
	if (buffer != 0)
		sampler->gl->BindBuffer(GL_QUERY_BUFFER, buffer);
}

void sampler_collect(struct sampler *sampler, uint64_t wait_ns)
{
	sampler_end_clock(sampler);
	if (wait_ns != 0) {
		tally_write(sampler);
		times_need(sampler);
	}
	if (sampler->list_open)
		return;
	if (wait_ns != 0 || worth_asking(sampler))
		sampler_read(sampler, wait_ns);
	rewind_queue(sampler);
}

bool sampler_may_resolve(const struct sampler *sampler)
{
	return sampler_counts(sampler) && !sampler->list_open && sampler->per == WIRE_FRAME;
}

void sampler_resolve(struct sampler *sampler)
{
	times_need(sampler);
	sampler_read(sampler, 0);
	rewind_queue(sampler);
	sampler_resume(sampler);
}

/* Some results of the current sample will never be read: those that were become a sample. */
static void keep_known(struct sampler *sampler)
{
	bool unread = sampler->first_segment != sampler->last_segment || sampler->open >= 0;
	for (uint64_t i = sampler->first_segment; i != sampler->last_segment; i++)
		unread &= !sampler->segments[i % sampler->segment_count].ends;
	if (!unread || sampler->known_ns <= sampler->begin_ns || sampler->per != WIRE_FRAME)
		return;
	const struct segment known = {.meta = {.kind = WIRE_TIME,
					       .flags = sampler->flags & ~(uint32_t)WIRE_CUT,
					       .frame = sampler->frame,
					       .begin_ns = sampler->begin_ns,
					       .end_ns = sampler->known_ns,
					       .label = sampler->label,
					       .calls = sampler->known_calls,
					       .measured = sampler->measured}};
	write_record(sampler, &known);
	sampler->begin_ns = sampler->known_ns;
	sampler->calls.all -= sampler->known_calls.all;
	sampler->calls.dispatches -= sampler->known_calls.dispatches;
}

/* With an overhead limit a sample without results is skipped; waiting for it costs more. */
static void add_unread(struct sampler *sampler, const struct segment *segment)
{
	enum wire_state unread = sampler->pace.overhead_ppm != 0 ? WIRE_SPARED : WIRE_LATE;
	if (segment->set >= 0 && !sampler->sets[segment->set].measured)
		add(sampler, WIRE_GPU_TIME, 0, unread, false); /* timestamps only */
	else if (segment->set >= 0)
		add_missing(sampler, unread);
	else
		add_nothing(sampler, segment->set);
	monitor_read(sampler->monitor, segment->monitor, segment->pass, true);
}

void sampler_finish(struct sampler *sampler, uint64_t end_ns)
{
	monitor_abandon(sampler->monitor);
	sampler_end_clock(sampler);
	tally_write(sampler);
	times_need(sampler);
	keep_known(sampler);
	if (sampler->open >= 0) { /* it cannot end without the context */
		sampler_release_set(sampler, sampler->open);
		sampler->open = -1;
		sampler->paused = false;
	}
	while (sampler->first_segment != sampler->last_segment) {
		add_unread(sampler, oldest(sampler));
		finish_segment(sampler, oldest(sampler));
	}
	if (sampler->has_rest) {
		sampler->list_open = false;
		sampler->flags |= WIRE_LAST;
		sampler_end_frame(sampler, false, NULL);
		times_end(sampler, end_ns != 0 ? end_ns : guest_now_ns());
		times_need(sampler);
		if (sampler->first_segment != sampler->last_segment)
			collect_one(sampler);
	}
	channel_close(&sampler->stream);
	sampler_free(sampler);
}
