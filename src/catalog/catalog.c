/* Creating and freeing of catalogs, and the getters of their parts. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/internal.h"
#include "base/error.h"
#include "base/suggest.h"

const struct sx_constant_value *constants_given(const struct sx_catalog *catalog, uint32_t index,
						const struct constants_list *list)
{
	for (uint32_t i = list->count; index != SX_NONE && i-- > 0;)
		if (sx_catalog_find_constant(catalog, list->items[i].name) == index)
			return &list->items[i];
	return NULL;
}

double constants_value(const struct sx_catalog *catalog, uint32_t index,
		       const struct constants_list *list)
{
	uint32_t count;
	const struct sx_constant_value *given = constants_given(catalog, index, list);
	if (given || index == SX_NONE)
		return given ? given->value : NAN;
	const struct sx_constant_info *info = &sx_catalog_constants(catalog, &count)[index];
	return info->has_value ? info->value : NAN;
}

enum ref_target refs_resolve(const struct sx_catalog *cat, const char *name, uint32_t group,
			     uint32_t *index, uint32_t *matches)
{
	uint32_t ignored;
	matches = matches ? matches : &ignored;
	*matches = 1;
	if (group != SX_NONE) {
		*index = sx_catalog_find_metric(cat, name, group, NULL);
		if (*index != SX_NONE)
			return REF_METRIC;
		*index = sx_catalog_find_counter(cat, name, group, NULL);
		if (*index != SX_NONE)
			return REF_COUNTER;
	}
	*index = sx_catalog_find_counter(cat, name, SX_NONE, matches);
	if (*index != SX_NONE)
		return REF_COUNTER;
	*matches = 1;
	*index = sx_catalog_find_constant(cat, name);
	if (*index != SX_NONE)
		return REF_CONSTANT;
	*index = sx_catalog_find_metric(cat, name, SX_NONE, matches);
	if (*index != SX_NONE)
		return REF_METRIC;
	*matches = 1;
	name += *name == '$';
	if (strcmp(name, "duration_ns") == 0 || strcmp(name, "seconds") == 0)
		return REF_BUILTIN;
	return REF_NONE;
}

enum sx_status refs_no_group(const struct sx_catalog *cat, const char *name, struct sx_error *err)
{
	char text[256];
	uint32_t count;
	struct suggest near;
	const char *catalog = sx_catalog_info(cat)->name;
	const struct sx_group_info *groups = sx_catalog_groups(cat, &count);
	suggest_begin(&near, name, 3);
	for (uint32_t i = 0; i < count; i++)
		suggest_offer(&near, groups[i].name);
	error_set(err, SX_ERR_NOT_FOUND, "no set or group %.128s in catalog %s", name, catalog);
	error_because(err, count ? "no name or uuid matches" : "it has no sets or groups");
	if (near.count)
		error_try(err, "%s", suggest_text(&near, text, sizeof(text)));
	else if (count)
		error_try(err, "sextant list groups --for %s", catalog);
	else
		error_try(err, "leave out --set");
	return SX_ERR_NOT_FOUND;
}

enum sx_status refs_no_variant(const struct sx_catalog *cat, const char *name, struct sx_error *err)
{
	const struct sx_catalog_info *info = sx_catalog_info(cat);
	error_set(err, SX_ERR_NOT_FOUND, "catalog %s has no variant or API %.128s", info->name,
		  name);
	error_because(err, info->variant_count ? "it has %s and others" : "it has only one form",
		      info->variant_count ? info->variants[0].name : "");
	error_try(err, "sextant catalog show %s", info->name);
	return SX_ERR_NOT_FOUND;
}

void catalog_free(struct sx_catalog *cat)
{
	index_finish(&cat->index);
	arena_finish(&cat->arena);
	free(cat);
}

struct sx_catalog *sx_catalog_ref(struct sx_catalog *catalog)
{
	atomic_fetch_add_explicit(&catalog->refs, 1, memory_order_relaxed);
	return catalog;
}

void sx_catalog_unref(struct sx_catalog *catalog)
{
	if (catalog && atomic_fetch_sub_explicit(&catalog->refs, 1, memory_order_acq_rel) == 1)
		catalog_free(catalog);
}

const struct sx_catalog_info *sx_catalog_info(const struct sx_catalog *catalog)
{
	return &catalog->info;
}

const struct sx_constant_info *sx_catalog_constants(const struct sx_catalog *catalog,
						    uint32_t *count)
{
	*count = catalog->constant_count;
	return *count ? catalog->constants : NULL;
}

const struct sx_block_info *sx_catalog_blocks(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->block_count;
	return *count ? catalog->blocks : NULL;
}

const struct sx_section_info *sx_catalog_sections(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->section_count;
	return *count ? catalog->sections : NULL;
}

const struct sx_group_info *sx_catalog_groups(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->group_count;
	return *count ? catalog->groups : NULL;
}

const struct sx_counter_info *sx_catalog_counters(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->counter_count;
	return *count ? catalog->counters : NULL;
}

const struct sx_metric_info *sx_catalog_metrics(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->metric_count;
	return *count ? catalog->metrics : NULL;
}

const struct sx_advice_info *sx_catalog_advice(const struct sx_catalog *catalog, uint32_t *count)
{
	*count = catalog->advice_count;
	return *count ? catalog->advice : NULL;
}
