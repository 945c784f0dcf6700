/* Divides a context's work into segments, and begins and ends our queries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "guest/process.h"
#include "preload/sampler.h"

/* One of so many measured frames has all queries, to detect a use that no hook has seen. */
#define AUDIT_EVERY 32u

static unsigned used_parts; /* atomic; of the process, because contexts share shaders */

static GLuint overflow_name(const struct query_set *set, unsigned section, int slot)
{
	return section == 0 ? set->names[slot] : set->more[section - 1][slot - SLOT_OVERFLOW];
}

/* Slots without a conflict with the program's active queries. */
static uint32_t free_slots(const struct sampler *sampler)
{
	uint32_t free = sampler->probe.usable & ~sampler->banned & ~sampler->program_active;
	for (int slot = 0; slot < SLOT_COUNT && sampler->program_active != 0; slot++) {
		if ((sampler->program_active & SLOT_BIT(slot)) != 0)
			free &= ~sampler->probe.conflicts[slot];
		if ((sampler->probe.conflicts[slot] & sampler->program_active) != 0)
			free &= ~SLOT_BIT(slot);
	}
	return free;
}

static void open_section(struct sampler *sampler, struct query_set *set)
{
	uint32_t want = free_slots(sampler) & SLOT_OVERFLOW_MASK;
	if (want == 0 || set->section_open || !set->measured)
		return;
	if (set->sections == SAMPLER_SECTIONS) {
		set->sections_lost = true;
		return;
	}
	for (int slot = SLOT_OVERFLOW; slot < SLOT_COUNT; slot++) {
		if ((want & SLOT_BIT(slot)) != 0)
			target_begin(sampler->gl, slot, overflow_name(set, set->sections, slot));
	}
	set->active |= want;
	set->begun |= want;
	set->disturbed |= SLOT_OVERFLOW_MASK & ~want;
	set->section_open = true;
	set->sections++;
}

void sampler_end_slots(struct sampler *sampler, struct query_set *set, uint32_t mask)
{
	mask &= set->active;
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if ((mask & SLOT_BIT(slot)) != 0)
			target_end(sampler->gl, slot);
	}
	set->active &= ~mask;
}

static void close_section(struct sampler *sampler, struct query_set *set)
{
	if (set->section_open)
		sampler_end_slots(sampler, set, SLOT_OVERFLOW_MASK);
	set->section_open = false;
}

/* The set that was freed last, so that few sets have query objects; else a new one. */
static int take_set(struct sampler *sampler)
{
	int set = sampler->free_set;
	if (set >= 0)
		sampler->free_set = sampler->sets[set].next_free;
	else if (sampler->fresh_set < sampler->set_count)
		set = (int)sampler->fresh_set++;
	return set;
}

void sampler_release_set(struct sampler *sampler, int set)
{
	sampler->sets[set].next_free = sampler->free_set;
	sampler->free_set = set;
}

static uint32_t unused_slots(const struct sampler *sampler)
{
	unsigned used = __atomic_load_n(&used_parts, __ATOMIC_ACQUIRE);
	return sampler->audits % AUDIT_EVERY == 0 ? 0 : target_slots_of(~used);
}

static void begin_set(struct sampler *sampler, struct query_set *set)
{
	uint32_t all = sampler->measured ? sampler->probe.usable & ~SLOT_OVERFLOW_MASK : 0;
	if (sampler->program_active != 0)
		yield_check(sampler);
	names_make(sampler, (unsigned)(set - sampler->sets));
	set->unused = unused_slots(sampler) & all;
	uint32_t want = free_slots(sampler) & all & ~set->unused;
	set->measured = sampler->measured;
	set->begin_ns = guest_now_ns();
	set->begun = set->active = want;
	set->late = 0;
	set->disturbed = all & ~want & ~set->unused;
	set->sections = 0;
	set->section_open = set->sections_lost = set->outlived = false;
	for (int slot = 0; slot < SLOT_OVERFLOW; slot++) {
		if ((want & SLOT_BIT(slot)) != 0)
			target_begin(sampler->gl, slot, set->names[slot]);
	}
	if (sampler->feedback_running)
		open_section(sampler, set);
	spans_begin(sampler, set);
}

void sampler_resume(struct sampler *sampler)
{
	if (sampler->paused)
		tally_resume(sampler);
	sampler->paused = false;
	if (sampler->per == WIRE_DRAW && !sampler->draws)
		return;
	sampler->has_rest = true;
	if (sampler->measured && !sampler->list_open)
		monitor_begin(sampler->monitor);
	if (!sampler_may_call(sampler) || sampler->open >= 0 ||
	    (!sampler->measured && !sampler->probe.timestamps))
		return;
	sampler->open = take_set(sampler);
	if (sampler->open >= 0)
		begin_set(sampler, &sampler->sets[sampler->open]);
}

void sampler_end_set(struct sampler *sampler, struct query_set *set)
{
	set->late = set->unused & target_slots_of(__atomic_load_n(&used_parts, __ATOMIC_ACQUIRE));
	spans_end(sampler, set);
	close_section(sampler, set);
	sampler_end_slots(sampler, set, UINT32_MAX);
}

/* Ends the active queries. Returns their set, or a SEGMENT_ constant. */
static int end_queries(struct sampler *sampler)
{
	int set = sampler->open;
	if (sampler->list_open)
		return lists_end_segment(sampler);
	sampler->open = -1;
	if (set >= 0)
		sampler_end_set(sampler, &sampler->sets[set]);
	else if (!sampler->measuring || sampler->paused)
		set = SEGMENT_EMPTY;
	else
		set = sampler->measured ? SEGMENT_BLIND : SEGMENT_PLAIN;
	return set;
}

/* Queues the segment that ends. If the queue is full it is counted as lost. */
struct segment *sampler_end_segment(struct sampler *sampler)
{
	int counters = sampler->list_open ? MONITOR_NONE : monitor_end(sampler->monitor);
	int set = end_queries(sampler);
	if (sampler->last_segment - sampler->first_segment == sampler->segment_count) {
		sampler->list_holds &= sampler->list_owner != sampler->last_segment;
		monitor_drop(sampler->monitor, counters);
		if (set >= 0)
			sampler_release_set(sampler, set);
		return NULL;
	}
	struct segment *segment =
	    &sampler->segments[sampler->last_segment++ % sampler->segment_count];
	sampler->pieces++;
	*segment = (struct segment){
	    .set = set, .monitor = counters, .submit_ns = guest_now_ns(), .calls = sampler->calls};
	if (sampler->monitor)
		segment->pass = sampler->monitor->pass;
	return segment;
}

void sampler_next_set(struct sampler *sampler)
{
	sampler_end_segment(sampler);
	sampler_resume(sampler);
}

void sampler_cut(struct sampler *sampler)
{
	if (!sampler->list_open && sampler_counts(sampler)) {
		sampler_end_segment(sampler);
		sampler->flags |= WIRE_CUT;
	}
	tally_write(sampler);
	times_need(sampler);
	sampler->paused = sampler->open < 0;
}

static void fill_meta(struct sampler *sampler, struct sample_meta *meta)
{
	meta->flags = sampler->flags;
	meta->frame = sampler->frame;
	meta->begin_ns = sampler->begin_ns;
	meta->cpu_begin_ns = sampler->begin_cpu_ns;
	meta->measured = sampler->measured;
	meta->group_count = sampler->group_count;
	meta->calls = sampler->calls;
	meta->label = sampler->label;
	meta->index = sampler->index;
	if (sampler->per == WIRE_GROUP)
		meta->label = sampler_innermost(sampler);
}

/* Ends a sample, except its time, which the caller sets. */
static struct segment *end_sample(struct sampler *sampler, uint32_t kind)
{
	struct segment *segment = sampler_end_segment(sampler);
	sampler->has_rest = false;
	if (!segment) {
		sampler->pieces = 0;
		channel_count_lost(&sampler->stream, 1);
		return NULL;
	}
	segment->ends = true;
	segment->number = sampler->samples++;
	fill_meta(sampler, &segment->meta);
	segment->meta.kind = kind;
	if (segment->set >= 0 && sampler->measured)
		sampler->awaited = sampler->samples;
	segment->whole = sampler->pieces == 1;
	sampler->pieces = 0;
	return segment;
}

struct segment *sampler_end_sample(struct sampler *sampler, uint32_t kind)
{
	struct segment *segment = end_sample(sampler, kind);
	if (segment) {
		segment->meta.end_ns = segment->submit_ns;
		runs_join(sampler, segment);
		times_ask(sampler, segment->meta.end_ns);
	}
	return segment;
}

void sampler_end_frame(struct sampler *sampler, bool swapped, const uint32_t size[2])
{
	sampler->frame_over = swapped;
	if (sampler->per == WIRE_DRAW)
		return;
	if (swapped)
		sampler->flags |= WIRE_SWAPPED;
	struct segment *segment =
	    end_sample(sampler, swapped || sampler->per != WIRE_FRAME ? sampler->per : WIRE_TIME);
	sampler->ended = segment; /* the frame's time includes the swap */
	if (!segment)
		return;
	if (size) {
		segment->meta.width = size[0];
		segment->meta.height = size[1];
		segment->meta.flags |= WIRE_SIZE_KNOWN;
	}
}

void sampler_end_time(struct sampler *sampler, const uint32_t size[2])
{
	sampler_end_frame(sampler, false, size);
	sampler_start_clock(sampler);
}

static void quiet(struct sampler *sampler, void (*ask)(struct sampler *sampler))
{
	const struct api *gl = sampler->gl;
	bool debug = gl->has.debug && gl->IsEnabled(GL_DEBUG_OUTPUT) != GL_FALSE;
	if (debug)
		gl->Disable(GL_DEBUG_OUTPUT);
	ask(sampler);
	if (debug)
		gl->Enable(GL_DEBUG_OUTPUT);
}

static void make_and_probe(struct sampler *sampler)
{
	names_choose(sampler);
	names_make(sampler, 0);
	probe_targets(sampler);
}

/* Sets the reason of counters that are not wanted. */
static void set_why_unwanted(struct sampler *sampler)
{
	for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
		if ((sampler->probe.wanted & UINT64_C(1) << i) == 0)
			sampler->identity->why[i] = WIRE_WHY_NOT_WANTED;
	}
}

/* Out of memory, nothing is measured and every sample counts as lost. */
static void make_room(struct sampler *sampler, bool frames)
{
	unsigned sets = frames ? FRAME_SETS : PART_SETS;
	unsigned segments = frames ? FRAME_SEGMENTS : PART_SEGMENTS;
	sampler->sets = calloc(sets, sizeof(*sampler->sets));
	sampler->segments = calloc(segments, sizeof(*sampler->segments));
	if (sampler->per == WIRE_DRAW)
		sampler->draw_names = calloc(DRAW_NAMES, sizeof(*sampler->draw_names));
	if (!sampler->sets || !sampler->segments) {
		sampler_free(sampler);
		return;
	}
	sampler->set_count = sets;
	sampler->segment_count = segments;
}

void sampler_free(struct sampler *sampler)
{
	monitor_destroy(sampler->monitor);
	sampler->monitor = NULL;
	free(sampler->sets);
	free(sampler->segments);
	free(sampler->draw_names);
	sampler->draw_names = NULL;
	sampler->tally = (struct tally){0};
	sampler->ended = NULL;
	sampler->sets = NULL;
	sampler->segments = NULL;
	sampler->set_count = sampler->fresh_set = sampler->segment_count = 0;
	sampler->free_set = -1;
	sampler->first_segment = sampler->last_segment = sampler->timed = 0;
	sampler->samples = sampler->written = sampler->awaited = 0;
}

/* Hardware counters are measured for frames only. */
static void make_monitor(struct sampler *sampler)
{
	if (sampler->per == WIRE_FRAME && sampler->segment_count != 0)
		sampler->monitor =
		    monitor_create(sampler->gl, sampler->identity, sampler->kept_error);
}

void sampler_start(struct sampler *sampler, const struct api *gl, struct channel_identity *identity,
		   GLenum *kept_error)
{
	const struct wire_header *channel = guest_channel();
	uint64_t wanted = channel->counters & ((UINT64_C(1) << WIRE_COUNTERS) - 1);
	bool queries = gl->has.occlusion || gl->has.occlusion_any || gl->has.timer ||
		       gl->has.generated || gl->has.feedback;
	*sampler = (struct sampler){.gl = gl,
				    .identity = identity,
				    .kept_error = kept_error,
				    .open = -1,
				    .free_set = -1,
				    .measured = true};
	sampler->per = channel->kinds & 1u << WIRE_DRAW	   ? WIRE_DRAW
		       : channel->kinds & 1u << WIRE_GROUP ? WIRE_GROUP
							   : WIRE_FRAME;
	make_room(sampler, sampler->per == WIRE_FRAME);
	tally_begin(sampler, channel->overhead_permille);
	sampler->probe.wanted = wanted;
	if (!queries)
		memset(identity->why, WIRE_WHY_NO_QUERIES, WIRE_COUNTERS);
	probe_software(sampler);
	pace_start(&sampler->pace,
		   wire_query_ppm(channel->overhead_permille, identity->why[WIRE_GPU_TIME]),
		   identity->serial - (sampler->per == WIRE_FRAME));
	sampler->pace.parts = sampler->per != WIRE_FRAME;
	if (queries && wanted != 0 && sampler->set_count != 0) {
		quiet(sampler, make_and_probe);
		sampler->measuring = sampler->probe.usable != 0 || sampler->probe.timestamps;
	}
	if (guest_counters())
		quiet(sampler, make_monitor);
	set_why_unwanted(sampler);
	times_start(sampler);
	sampler_resume(sampler);
}

void sampler_stop(struct sampler *sampler, enum wire_why why)
{
	if (sampler->open >= 0)
		sampler_end_segment(sampler);
	for (; sampler->first_segment != sampler->last_segment; sampler->first_segment++)
		channel_count_lost(
		    &sampler->stream,
		    runs_samples(
			&sampler->segments[sampler->first_segment % sampler->segment_count]));
	sampler->timed = sampler->last_segment;
	sampler->written = sampler->samples;
	channel_drop_drafts(&sampler->stream);
	names_delete(sampler);
	sampler->measuring = false;
	for (unsigned i = 0; i < WIRE_COUNTERS; i++) {
		if (wire_is_collected(sampler->identity->why[i]))
			sampler->identity->why[i] = (uint8_t)why;
	}
	channel_update_why(&sampler->stream, sampler->identity);
}

void sampler_use_parts(struct sampler *sampler, unsigned parts)
{
	if ((__atomic_fetch_or(&used_parts, parts, __ATOMIC_ACQ_REL) & parts) == parts)
		return;
	if (!sampler || !sampler_may_call(sampler) || sampler->open < 0)
		return;
	struct query_set *set = &sampler->sets[sampler->open];
	uint32_t slots = set->unused & target_slots_of(parts) & free_slots(sampler);
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		if ((slots & SLOT_BIT(slot)) != 0)
			target_begin(sampler->gl, slot, set->names[slot]);
	}
	set->begun |= slots;
	set->active |= slots;
	set->unused &= ~slots;
}

void sampler_feedback(struct sampler *sampler, bool before)
{
	const struct api *gl = sampler->gl;
	struct query_set *set = sampler_open_set(sampler);
	GLint active = 0, paused = 0;
	if (!sampler->measuring || !gl->has.overflow || sampler->list_open)
		return;
	if (before) {
		if (set)
			close_section(sampler, set);
		return;
	}
	gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_ACTIVE, &active);
	gl->GetIntegerv(GL_TRANSFORM_FEEDBACK_PAUSED, &paused);
	sampler->feedback_running = active != 0 && paused == 0;
	if (set && sampler->feedback_running)
		open_section(sampler, set);
}
