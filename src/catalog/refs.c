/* Resolution of names in formulas. */
#include "catalog/refs.h"
#include "base/error.h"
#include "base/suggest.h"

#include <string.h>

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
