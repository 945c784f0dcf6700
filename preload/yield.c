/* Ends our queries when the program begins one of the same target. */
#include "preload/sampler.h"

#define NEVER_GIVEN 0xffffffffu /* no driver generates this name */

/* Calls that the hooks have seen may have failed; the driver knows which queries are active. */
void yield_check(struct sampler *sampler)
{
	const struct api *gl = sampler->gl;
	for (int slot = 0; slot < SLOT_COUNT && sampler->program_active != 0; slot++) {
		GLint name = 1;
		if ((sampler->program_active & SLOT_BIT(slot)) == 0)
			continue;
		if (targets[slot].index != 0)
			gl->GetQueryIndexediv(targets[slot].target, targets[slot].index,
					      GL_CURRENT_QUERY, &name);
		else
			gl->GetQueryiv(targets[slot].target, GL_CURRENT_QUERY, &name);
		if (name == 0)
			sampler->program_active &= ~SLOT_BIT(slot);
	}
}

void yield_slots(struct sampler *sampler, uint32_t mask)
{
	struct query_set *set = sampler_open_set(sampler);
	if (!set || !sampler_may_call(sampler))
		return;
	mask &= set->active;
	sampler_end_slots(sampler, set, mask);
	set->disturbed |= mask;
}

static void ban(struct sampler *sampler, uint32_t mask)
{
	sampler->banned |= mask;
	for (int slot = 0; slot < SLOT_COUNT; slot++) {
		const struct target *target = &targets[slot];
		if ((mask & sampler->probe.usable & SLOT_BIT(slot)) == 0)
			continue;
		if (target->counter >= 0)
			sampler->identity->why[target->counter] = WIRE_WHY_DISPLAY_LIST;
		if (target->second >= 0)
			sampler->identity->why[target->second] = WIRE_WHY_DISPLAY_LIST;
		if (slot == SLOT_OCCLUSION &&
		    sampler->identity->why[WIRE_OCCLUSION_PREDICATE] == WIRE_WHY_DERIVED)
			sampler->identity->why[WIRE_OCCLUSION_PREDICATE] = WIRE_WHY_DISPLAY_LIST;
	}
	channel_update_why(&sampler->stream, sampler->identity);
}

GLuint sampler_program_begins(struct sampler *sampler, GLenum target, GLuint index, GLuint name)
{
	int slot = target_slot(target, index);
	if (!sampler->measuring)
		return name;
	if (sampler_owns(sampler, name)) {
		if (!sampler->invents)
			return NEVER_GIVEN;
		if (sampler_may_call(sampler))
			sampler_stop(sampler, WIRE_WHY_NAME_CONFLICT);
	}
	if (slot < 0 || !sampler->measuring)
		return name;
	uint32_t mask = SLOT_BIT(slot) | sampler->probe.conflicts[slot];
	if (sampler->list_open) {
		ban(sampler, mask);
		return name;
	}
	yield_slots(sampler, mask);
	sampler->program_active |= SLOT_BIT(slot);
	return name;
}

void sampler_program_ends(struct sampler *sampler, GLenum target, GLuint index)
{
	int slot = target_slot(target, index);
	if (slot < 0 || sampler->list_open)
		return;
	/* The program has no active query: the call is an error, and must not end ours. */
	if ((sampler->program_active & SLOT_BIT(slot)) == 0)
		yield_slots(sampler, SLOT_BIT(slot));
	sampler->program_active &= ~SLOT_BIT(slot);
}
