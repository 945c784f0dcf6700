/* Reading a counter's description from its catalog. */
#include "gpa/core.h"

#include <sextant/lint.h>

#include <stdio.h>
#include <string.h>

bool guide_open(struct gpa_guide *guide, const char *catalog)
{
	struct sx_error err = {0};
	*guide = (struct gpa_guide){0};
	if (sx_context_create(NULL, &guide->context, &err) == SX_OK &&
	    sx_catalog_open(guide->context, catalog, &guide->catalog, &err) == SX_OK)
		return true;
	gpa_log(GPA_LOGGING_ERROR, "%s; %s", err.message, err.because);
	guide_close(guide);
	return false;
}

void guide_close(struct gpa_guide *guide)
{
	sx_catalog_unref(guide->catalog);
	sx_context_destroy(guide->context);
	arena_finish(&guide->arena);
	*guide = (struct gpa_guide){0};
}

static GPA_Usage_Type usage_of(const char *usage)
{
	static const char *const names[GPA_USAGE_TYPE__LAST] = {
	    "ratio", "percentage", "cycles", "milliseconds", "bytes", "items", "kilobytes"};
	for (int i = 0; usage && i < GPA_USAGE_TYPE__LAST; i++)
		if (strcmp(names[i], usage) == 0)
			return (GPA_Usage_Type)i;
	return GPA_USAGE_TYPE_ITEMS;
}

bool guide_counter(struct gpa_guide *guide, const char *name, const char *how,
		   struct gpa_counter *out)
{
	char text[1024];
	uint32_t count;
	uint32_t index = sx_catalog_find_metric(guide->catalog, name, SX_NONE, NULL);
	if (index == SX_NONE)
		return false;
	const struct sx_metric_info *m = &sx_catalog_metrics(guide->catalog, &count)[index];
	snprintf(text, sizeof(text), "#%s#%s%s%s", m->category ? m->category : "Other",
		 m->description, how ? " " : "", how ? how : "");
	char *copy = arena_strndup(&guide->arena, text, strlen(text));
	*out = (struct gpa_counter){.name = m->name,
				    .description = copy,
				    .type = m->type == SX_U64 ? GPA_TYPE_UINT64 : GPA_TYPE_FLOAT64,
				    .usage = usage_of(m->usage)};
	uint64_t meaning = 0;
	bool hashed = sx_catalog_metric_hash(guide->catalog, index, &meaning, NULL) == SX_OK;
	uuid_make(m->name, meaning, out->uuid);
	return copy && hashed;
}

bool guide_add(struct gpa_guide *guide, struct gpa_list *list, struct gpa_counter counter,
	       const uint32_t *raws, uint32_t raw_count)
{
	uint32_t *copy = arena_alloc(&guide->arena, (raw_count + 1) * sizeof(*copy));
	if (!copy || !mem_grow(&list->items, &list->capacity, list->count + 1, sizeof(counter)))
		return false;
	const char *group = counter.description + (*counter.description == '#');
	counter.group = arena_strndup(&guide->arena, group, strcspn(group, "#"));
	if (!counter.group)
		return false;
	memcpy(copy, raws, raw_count * sizeof(*copy));
	counter.raws = copy;
	counter.raw_count = raw_count;
	list->items[list->count++] = counter;
	return true;
}
