/*
 * Names of our query objects. If the profile accepts names that were not generated, we choose large
 * ones, so that glGenQueries() returns the same names to the program as without us. Otherwise ours
 * are generated, too.
 */
#include "preload/sampler.h"

#define INVENTED_LAST 0xfffffffeu

static void use_name(struct sampler *sampler, GLuint *slot, GLuint name)
{
	*slot = name;
	if (sampler->name_low == 0 || name < sampler->name_low)
		sampler->name_low = name;
	if (name > sampler->name_high)
		sampler->name_high = name;
}

/* Whether a set needs this name. The first set needs all, because the probe uses it. */
static bool needs(const struct sampler *sampler, unsigned set, unsigned name)
{
	const struct probe *probe = &sampler->probe;
	if (set == 0)
		return true;
	if (name < SLOT_COUNT)
		return (probe->usable & SLOT_BIT(name)) != 0;
	if (name < SLOT_COUNT + 2 * SAMPLER_SPANS)
		return probe->timestamps;
	return (probe->usable & SLOT_OVERFLOW_MASK) != 0;
}

/* The entry of a set's name, by its number. */
static GLuint *name_at(struct query_set *set, unsigned name)
{
	if (name < SLOT_COUNT)
		return &set->names[name];
	name -= SLOT_COUNT;
	if (name < 2 * SAMPLER_SPANS)
		return &set->stamps[name];
	name -= 2 * SAMPLER_SPANS;
	return &set->more[name / SLOT_OVERFLOW_COUNT][name % SLOT_OVERFLOW_COUNT];
}

/* Whether the driver accepts a name that was not generated; the object remains. */
static bool accepts_invented(const struct sampler *sampler)
{
	const struct api *gl = sampler->gl;
	GLenum target = gl->has.occlusion ? GL_SAMPLES_PASSED : GL_PRIMITIVES_GENERATED;
	if (!gl->invents_names || (!gl->has.occlusion && !gl->has.generated) ||
	    (sampler->identity->context_flags & WIRE_NO_ERROR_CONTEXT) != 0)
		return false;
	gl->BeginQuery(target, INVENTED_LAST);
	if (gl->GetError() != GL_NO_ERROR)
		return false;
	gl->EndQuery(target);
	return gl->GetError() == GL_NO_ERROR;
}

void names_choose(struct sampler *sampler)
{
	sampler->invents = accepts_invented(sampler);
	if (sampler->invents)
		sampler->name_low = sampler->name_high = INVENTED_LAST;
}

void names_make(struct sampler *sampler, unsigned set)
{
	GLuint names[SAMPLER_NAMES];
	unsigned count = 0, used = 0;
	if (sampler->sets[set].named)
		return;
	for (unsigned i = 0; i < SAMPLER_NAMES; i++)
		count += needs(sampler, set, i);
	for (GLuint i = 0; sampler->invents && i < count; i++)
		names[i] = INVENTED_LAST - 1 - set * SAMPLER_NAMES - i;
	if (!sampler->invents)
		sampler->gl->GenQueries((GLsizei)count, names);
	for (unsigned i = 0; i < SAMPLER_NAMES; i++) {
		if (needs(sampler, set, i))
			use_name(sampler, name_at(&sampler->sets[set], i), names[used++]);
	}
	sampler->sets[set].named = true;
}

void names_delete(struct sampler *sampler)
{
	const struct api *gl = sampler->gl;
	GLuint last = INVENTED_LAST;
	for (unsigned i = 0; i < sampler->set_count; i++) {
		struct query_set *set = &sampler->sets[i];
		if (!set->named)
			continue;
		gl->DeleteQueries(SLOT_COUNT, set->names);
		gl->DeleteQueries(2 * SAMPLER_SPANS, set->stamps);
		gl->DeleteQueries((GLsizei)((SAMPLER_SECTIONS - 1) * SLOT_OVERFLOW_COUNT),
				  set->more[0]);
	}
	if (sampler->invents)
		gl->DeleteQueries(1, &last);
	sampler->name_low = sampler->name_high = 0;
}

bool sampler_owns(const struct sampler *sampler, GLuint name)
{
	if (name == 0 || name < sampler->name_low || name > sampler->name_high)
		return false;
	for (unsigned i = 0; i < sampler->set_count; i++) {
		struct query_set *set = &sampler->sets[i];
		if (!set->named)
			continue;
		for (unsigned k = 0; k < SAMPLER_NAMES; k++) {
			if (*name_at(set, k) == name)
				return true;
		}
	}
	return sampler->invents && name == INVENTED_LAST;
}
