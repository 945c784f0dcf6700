/* A catalog's life, and the getters of its parts. */
#include "catalog/internal.h"

#include <stdlib.h>

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
