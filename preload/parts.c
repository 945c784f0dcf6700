/* Samples that are parts of frames: debug groups and draws. */
#include <stdio.h>
#include <string.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "guest/ticks.h"
#include "preload/sampler.h"

/* Drivers refuse longer names of groups, and the text may not be complete in memory. */
#define LABEL_MOST 4096

uint32_t sampler_innermost(const struct sampler *sampler)
{
	uint32_t depth = sampler->group_depth;
	if (depth > SAMPLER_LABELS)
		depth = SAMPLER_LABELS;
	return depth > 0 ? sampler->labels[depth - 1] : 0;
}

/*
 * Ends a sample within a frame. Reads results only when many are due; the rest is read at the end
 * of the frame.
 */
static void split(struct sampler *sampler)
{
	if (sampler->list_open || sampler->paused || sampler->segment_count == 0)
		return;
	struct segment *segment = sampler_end_sample(sampler, sampler->per);
	if (segment)
		times_begin(sampler, segment->meta.end_ns);
	sampler->flags = 0;
	sampler->group_count = 0;
	sampler->calls = (struct calls){0};
	sampler->index++;
	if (sampler->last_segment - sampler->first_segment >= sampler->segment_count / 4)
		sampler_collect(sampler, 0);
	sampler_resume(sampler);
}

/* A draw's number in its frame; at most DRAW_NAMES - 1. */
static uint32_t draw_number(const struct sampler *sampler)
{
	return sampler->index < DRAW_NAMES ? sampler->index : DRAW_NAMES - 1;
}

static struct draw_name *name_of_draw(const struct sampler *sampler)
{
	return &sampler->draw_names[draw_number(sampler)];
}

/* "37 glDrawElements" in the open groups; cached, because most frames repeat the last one. */
static uint32_t draw_label(struct sampler *sampler, const char *name)
{
	struct draw_name other = {0}, *known = &other;
	bool computes = strncmp(name, "glDispatch", 10) == 0;
	uint32_t above = sampler_innermost(sampler);
	char text[96];
	if (sampler->draw_names)
		known = name_of_draw(sampler);
	if (sampler->index >= DRAW_NAMES - 1)
		name = computes ? "and further ones that compute" : "and further ones";
	if (known->name == name && known->above == above)
		return known->label;
	if (known->count != 0)
		tally_write(sampler);
	int length = snprintf(text, sizeof(text), "%u %s", draw_number(sampler), name);
	*known = (struct draw_name){
	    .name = name,
	    .above = above,
	    .label = label_intern(above, text, (size_t)length),
	    .computes = computes,
	};
	return known->label;
}

/* Adds a draw that has no row of its own. */
static void add_draw(struct sampler *sampler)
{
	struct draw_name *name = name_of_draw(sampler);
	uint64_t ticks = guest_ticks();
	name->count++;
	name->ticks += ticks > sampler->tally.draw_ticks ? ticks - sampler->tally.draw_ticks : 0;
	if (sampler->tally.used <= draw_number(sampler))
		sampler->tally.used = draw_number(sampler) + 1;
}

void sampler_count_draw(struct sampler *sampler, bool computes)
{
	bool runs = !sampler->list_open || sampler->list_runs;
	if (computes)
		sampler->flags |= WIRE_COMPUTED;
	sampler->calls.all += runs;
	sampler->calls.dispatches += runs && computes;
}

bool sampler_begin_draw(struct sampler *sampler, const char *name)
{
	if (sampler->per != WIRE_DRAW || sampler->draws || sampler->list_open || sampler->paused ||
	    sampler->segment_count == 0)
		return false;
	sampler->draws = true;
	if (sampler->tally.on) {
		sampler->label = draw_label(sampler, name);
		sampler->tally.draw_ticks = guest_ticks();
		return true;
	}
	uint64_t now_ns = guest_now_ns();
	times_ask(sampler, now_ns);
	times_begin(sampler, now_ns);
	sampler->label = draw_label(sampler, name);
	sampler_resume(sampler);
	return true;
}

void sampler_end_draw(struct sampler *sampler)
{
	if (!sampler->draws)
		return;
	if (sampler->tally.on)
		add_draw(sampler);
	else
		sampler_end_sample(sampler, WIRE_DRAW);
	sampler->draws = false;
	sampler->calls = (struct calls){0};
	sampler->flags = 0;
	sampler->index++;
	if (sampler->last_segment - sampler->first_segment >= sampler->segment_count / 4)
		sampler_collect(sampler, 0);
}

void sampler_push_group(struct sampler *sampler, GLsizei length, const GLchar *label)
{
	bool outermost = sampler->group_depth == 0;
	bool named = sampler->per != WIRE_FRAME || (outermost && sampler->group_count == 0);
	uint32_t above = sampler_innermost(sampler), id = above;
	if (sampler->per == WIRE_GROUP)
		split(sampler);
	if (named && label && length <= LABEL_MOST)
		id = label_intern(above, label,
				  strnlen(label, length >= 0 ? (size_t)length : LABEL_MOST));
	if (outermost && sampler->group_count++ == 0 && sampler->per == WIRE_FRAME)
		sampler->label = id;
	if (sampler->group_depth < SAMPLER_LABELS)
		sampler->labels[sampler->group_depth] = id;
	sampler->group_depth++;
}

void sampler_pop_group(struct sampler *sampler)
{
	if (sampler->group_depth == 0)
		return;
	if (sampler->per == WIRE_GROUP)
		split(sampler);
	sampler->group_depth--;
}
