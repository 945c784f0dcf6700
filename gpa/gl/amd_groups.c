/* The driver's groups and counters, and how the catalog's blocks and events map to them. */
#include "gpa/gl/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "wire/amd_groups.h"

bool amd_groups_read(struct gl_amd *amd, const struct gl_api *gl)
{
	GLint count = 0;
	gl->GetPerfMonitorGroupsAMD(&count, 0, NULL);
	if (count <= 0)
		return false;
	GLuint *ids = calloc((size_t)count, sizeof(*ids));
	amd->groups = calloc((size_t)count, sizeof(*amd->groups));
	if (ids && amd->groups) {
		gl->GetPerfMonitorGroupsAMD(&count, count, ids);
		amd->group_count = (size_t)count;
	}
	for (size_t i = 0; i < amd->group_count; i++) {
		struct amd_group *g = &amd->groups[i];
		GLsizei length = 0;
		g->id = ids[i];
		gl->GetPerfMonitorGroupStringAMD(g->id, sizeof(g->name), &length, g->name);
		g->name[sizeof(g->name) - 1] = '\0';
		gl->GetPerfMonitorCountersAMD(g->id, &g->counters, &g->limit, 0, NULL);
	}
	free(ids);
	return amd->group_count > 0;
}

static const struct amd_group *find_group(const struct gl_amd *amd, const char *name)
{
	for (size_t i = 0; i < amd->group_count; i++)
		if (strcmp(amd->groups[i].name, name) == 0)
			return &amd->groups[i];
	return NULL;
}

static bool amd_groups_add_event(struct gl_amd *amd, const struct gl_api *gl,
				 const struct amd_group *group, uint32_t slot, struct amd_raw *raw)
{
	struct amd_event event = {group->id, slot, GL_UNSIGNED_INT64_AMD};
	if ((GLint)slot >= group->counters ||
	    !mem_grow(&amd->events, &amd->event_capacity, amd->event_count + 1, sizeof(event)))
		return false;
	gl->GetPerfMonitorCounterInfoAMD(group->id, slot, GL_COUNTER_TYPE_AMD, &event.type);
	amd->events[amd->event_count++] = event;
	raw->count++;
	return true;
}

static void limit_block(struct gl_amd *amd, uint32_t block, const struct amd_group *group)
{
	uint32_t limit = group->limit > 0 ? (uint32_t)group->limit : 0;
	if (limit && (!amd->block_limits[block] || limit < amd->block_limits[block]))
		amd->block_limits[block] = limit;
}

static void map_instance(struct gl_amd *amd, const struct gl_api *gl, const char *block,
			 const struct sx_counter_info *info, struct amd_raw *raw)
{
	struct amd_group_names names = {.block = block, .instance = raw->instance};
	const struct amd_group *group = NULL;
	while (amd_group_next(&names, group != NULL)) {
		group = find_group(amd, names.name);
		if (group) {
			limit_block(amd, info->block, group);
			amd_groups_add_event(amd, gl, group, info->slot, raw);
		}
	}
}

uint32_t amd_raw_find(struct gl_amd *amd, const struct gl_api *gl, const struct sx_catalog *catalog,
		      uint32_t counter, uint32_t instance)
{
	uint32_t n;
	for (size_t i = 0; i < amd->raw_count; i++)
		if (amd->raws[i].counter == counter && amd->raws[i].instance == instance)
			return (uint32_t)i;
	const struct sx_counter_info *info = &sx_catalog_counters(catalog, &n)[counter];
	if (info->block == SX_NONE || info->slot == SX_NONE)
		return UINT32_MAX;
	const char *block = sx_catalog_blocks(catalog, &n)[info->block].name;
	struct amd_raw raw = {
	    .counter = counter, .instance = instance, .first = (uint32_t)amd->event_count};
	map_instance(amd, gl, block, info, &raw);
	/* A chip may have fewer instances, but not none. */
	if (!raw.count && (instance == SX_NONE || instance == 0))
		return UINT32_MAX;
	if (!mem_grow(&amd->raws, &amd->raw_capacity, amd->raw_count + 1, sizeof(raw)))
		return UINT32_MAX;
	amd->raws[amd->raw_count] = raw;
	return (uint32_t)amd->raw_count++;
}
