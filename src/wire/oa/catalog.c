/* Finds a device's catalog by the catalogs' match rules. */
#include "wire/oa/oa.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_SET "RenderBasic"
#define NEAR_MAX    128 /* ids that are tried on either side */

static bool catalog_find(struct sx_context *context, uint32_t id, struct match_found *out)
{
	char value[16];
	snprintf(value, sizeof(value), "0x%04x", id);
	const struct match_query queries[] = {{"i915", "device_id", value},
					      {"xe", "device_id", value}};
	return match_device(context, queries, 2, out);
}

enum sx_oa_match sx_oa_find_catalog(struct sx_context *context, uint32_t device_id,
				    char name[SX_OA_CATALOG_NAME_MAX])
{
	struct match_found found;
	const struct oa_platform *platform = oa_platform(device_id);
	enum sx_oa_match kind =
	    catalog_find(context, device_id, &found) ? SX_OA_MATCH_OWN : SX_OA_MATCH_NONE;
	for (uint32_t off = 1; !kind && platform && off <= NEAR_MAX; off++)
		if ((device_id + off <= platform->last &&
		     catalog_find(context, device_id + off, &found)) ||
		    (device_id >= platform->first + off &&
		     catalog_find(context, device_id - off, &found)))
			kind = SX_OA_MATCH_NEAR;
	if (kind)
		snprintf(name, SX_OA_CATALOG_NAME_MAX, "%s", found.catalog);
	return kind;
}

const struct sx_group_info *oa_group(const struct sx_catalog *catalog, const char *set)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	uint32_t at = sx_catalog_find_group(catalog, set ? set : DEFAULT_SET);
	if (at == SX_NONE && !set && count)
		at = 0;
	return at == SX_NONE ? NULL : &groups[at];
}

uint32_t oa_device_of(const struct sx_catalog *catalog)
{
	const struct sx_catalog_info *info = sx_catalog_info(catalog);
	for (uint32_t i = 0; i < info->match_count; i++)
		if (strcmp(info->matches[i].key, "device_id") == 0)
			return (uint32_t)strtoul(info->matches[i].value, NULL, 0);
	return 0;
}
