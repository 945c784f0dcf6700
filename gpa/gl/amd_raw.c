/* The raw events behind AMD's derived counters, as counters of their own when the user asks. */
#include "gpa/gl/amd.h"
#include "gpa/uuid.h"

#include <stdio.h>
#include <string.h>

static bool add(struct gl_backend *b, const struct sx_counter_info *info, uint32_t raw,
		struct gpa_list *list)
{
	uint32_t blocks, instance = b->amd->raws[raw].instance;
	const char *block = sx_catalog_blocks(b->guide.catalog, &blocks)[info->block].name;
	char name[96], text[512];
	const uint32_t raws[1] = {RAW_COUNT + raw};
	const char *event = strchr(info->name, '.');
	struct gl_amd *amd = b->amd;
	if (instance == SX_NONE || !event)
		snprintf(name, sizeof(name), "%s", info->name);
	else
		snprintf(name, sizeof(name), "%s[%u]%s", block, (unsigned)instance, event);
	snprintf(text, sizeof(text), "#%s#%s", block, info->description);
	struct gpa_counter counter = {
	    .name = arena_strndup(&b->guide.arena, name, strlen(name)),
	    .description = arena_strndup(&b->guide.arena, text, strlen(text)),
	    .type = GPA_TYPE_UINT64,
	    .usage =
		strcmp(info->unit, "cycles") == 0 ? GPA_USAGE_TYPE_CYCLES : GPA_USAGE_TYPE_ITEMS};
	if (counter.name)
		uuid_make(counter.name, (uint64_t)info->slot << 32 | instance, counter.uuid);
	if (!counter.name || !counter.description ||
	    !mem_grow(&amd->metrics, &amd->metric_capacity, amd->metric_count + 1,
		      sizeof(*amd->metrics)) ||
	    !guide_add(&b->guide, list, counter, raws, 1))
		return false;
	amd->metrics[amd->metric_count++] = NULL;
	return true;
}

static bool amd_raw_add_event(struct gl_backend *b, uint32_t counter, struct gpa_list *list)
{
	uint32_t n;
	const struct sx_catalog *catalog = b->guide.catalog;
	const struct sx_counter_info *info = &sx_catalog_counters(catalog, &n)[counter];
	const struct sx_block_info *block = &sx_catalog_blocks(catalog, &n)[info->block];
	bool each = info->reduce == SX_REDUCE_EACH;
	for (uint32_t i = 0; i < (each ? block->instances : 1); i++) {
		uint32_t instance = each ? i : SX_NONE;
		uint32_t raw = amd_raw_find(b->amd, &b->gl, catalog, counter, instance);
		if (raw == UINT32_MAX || !b->amd->raws[raw].count)
			return true; /* the chip has no more of them */
		if (!add(b, info, raw, list))
			return false;
	}
	return true;
}

bool amd_offer_raw(struct gl_backend *b, struct gpa_list *list)
{
	uint32_t count;
	const struct sx_counter_info *counters = sx_catalog_counters(b->guide.catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (counters[i].block != SX_NONE && counters[i].slot != SX_NONE &&
		    !amd_raw_add_event(b, i, list))
			return false;
	return true;
}
