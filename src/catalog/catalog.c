/* A catalog's life, and the getters of its parts. */
#include "catalog/internal.h"
#include "base/error.h"
#include "catalog/load.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static void catalog_free(struct sx_catalog *cat)
{
	index_finish(&cat->index);
	arena_finish(&cat->arena);
	free(cat);
}

static enum sx_status parse_into(struct sx_catalog *cat, const char *text, size_t size,
				 const char *origin, struct sx_error *err)
{
	struct arena nodes = {0};
	const struct yaml_node *root;
	enum sx_status status = yaml_read(text, size, origin, &nodes, &cat->arena, &root, err);
	if (status == SX_OK) {
		struct loader l = {.cat = cat, .origin = origin, .err = err};
		units_init(&l.units);
		if (!load_catalog(&l, root))
			status = l.status;
	}
	arena_finish(&nodes);
	return status;
}

enum sx_status sx_catalog_parse(const char *text, size_t size, const char *origin,
				struct sx_catalog **out, struct sx_error *err)
{
	struct sx_catalog *cat = calloc(1, sizeof(*cat));
	if (!cat)
		return error_nomem(err, "loading a catalog");
	atomic_init(&cat->refs, 1);
	cat->info.hash = XXH64(text, size, 0);
	cat->info.origin = arena_strndup(&cat->arena, origin, strlen(origin));
	enum sx_status status = cat->info.origin ? parse_into(cat, text, size, origin, err)
						 : error_nomem(err, "loading a catalog");
	if (status != SX_OK) {
		catalog_free(cat);
		return status;
	}
	*out = cat;
	return SX_OK;
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
