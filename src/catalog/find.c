/* Finds things by name, alias and qualified name, and suggests near names. */
#include "catalog/internal.h"
#include "base/suggest.h"

#include <string.h>

static const char *skip_dollar(const char *name)
{
	return *name == '$' ? name + 1 : name;
}

/* One name in one group, or anywhere. A name without a group wins over those of groups. */
static uint32_t find_plain(const struct sx_catalog *cat, enum index_kind kind, const char *name,
			   uint32_t group, uint32_t *matches)
{
	size_t len = strlen(name);
	const struct index_slot *slot =
	    index_find(&cat->index, kind, group == SX_NONE ? INDEX_NO_GROUP : group, name, len);
	uint32_t count = 1;
	if (!slot && group == SX_NONE) {
		slot = index_find(&cat->index, kind, INDEX_ANY_GROUP, name, len);
		count = slot ? slot->count : 0;
	}
	if (!slot)
		return SX_NONE;
	if (matches)
		*matches = count;
	return slot->value;
}

/* "Group.name", wherever the dot is; of one group, or of any. */
static uint32_t find_qualified(const struct sx_catalog *cat, enum index_kind kind, const char *name,
			       uint32_t only)
{
	for (const char *dot = strchr(name, '.'); dot; dot = strchr(dot + 1, '.')) {
		const struct index_slot *group = index_find(
		    &cat->index, INDEX_GROUP, INDEX_NO_GROUP, name, (size_t)(dot - name));
		const struct index_slot *slot =
		    group && (only == SX_NONE || only == group->value)
			? index_find(&cat->index, kind, group->value, dot + 1, strlen(dot + 1))
			: NULL;
		if (slot)
			return slot->value;
	}
	return SX_NONE;
}

static uint32_t find_named(const struct sx_catalog *cat, enum index_kind kind, const char *name,
			   uint32_t group, uint32_t *matches)
{
	if (matches)
		*matches = 0;
	name = skip_dollar(name);
	uint32_t index = find_plain(cat, kind, name, group, matches);
	if (index != SX_NONE)
		return index;
	index = find_qualified(cat, kind, name, group);
	if (matches)
		*matches = index != SX_NONE;
	return index;
}

uint32_t sx_catalog_find_counter(const struct sx_catalog *catalog, const char *name, uint32_t group,
				 uint32_t *matches)
{
	return find_named(catalog, INDEX_COUNTER, name, group, matches);
}

uint32_t sx_catalog_find_metric(const struct sx_catalog *catalog, const char *name, uint32_t group,
				uint32_t *matches)
{
	return find_named(catalog, INDEX_METRIC, name, group, matches);
}

uint32_t sx_catalog_find_constant(const struct sx_catalog *catalog, const char *name)
{
	return find_plain(catalog, INDEX_CONSTANT, skip_dollar(name), SX_NONE, NULL);
}

uint32_t sx_catalog_find_group(const struct sx_catalog *catalog, const char *name)
{
	return find_plain(catalog, INDEX_GROUP, name, SX_NONE, NULL);
}

uint32_t sx_catalog_find_variant(const struct sx_catalog *catalog, const char *name)
{
	for (uint32_t i = 0; i < catalog->info.variant_count; i++)
		if (strcmp(catalog->info.variants[i].name, name) == 0)
			return i;
	return SX_NONE;
}

bool sx_catalog_has_sets(const struct sx_catalog *catalog)
{
	for (uint32_t i = 0; i < catalog->group_count; i++)
		if (catalog->groups[i].kind == SX_GROUP_SET && catalog->groups[i].exclusive)
			return true;
	return false;
}

size_t sx_catalog_suggest(const struct sx_catalog *catalog, const char *name, const char **out,
			  size_t max)
{
	struct suggest near;
	suggest_begin(&near, skip_dollar(name), max);
	bool qualified = strchr(name, '.') != NULL;
	for (uint32_t i = 0; i < catalog->metric_count; i++) {
		suggest_offer(&near, catalog->metrics[i].name);
		if (qualified && catalog->metrics[i].group != SX_NONE)
			suggest_offer(&near, catalog->metrics[i].qualified);
	}
	for (uint32_t i = 0; i < catalog->counter_count; i++)
		suggest_offer(&near, catalog->counters[i].name);
	memcpy(out, near.items, near.count * sizeof(*out));
	return near.count;
}
