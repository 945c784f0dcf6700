/* What a loaded catalog consists of. Outside this folder only the public getters are used. */
#ifndef CATALOG_INTERNAL_H
#define CATALOG_INTERNAL_H

#include "base/mem.h"
#include "catalog/index.h"

#include <stdatomic.h>
#include <sextant/catalog.h>

struct sx_catalog {
	atomic_uint refs;
	struct arena arena; /* every string and array below */
	struct index index;
	struct sx_catalog_info info;
	struct sx_constant_info *constants;
	struct sx_block_info *blocks;
	struct sx_section_info *sections;
	struct sx_group_info *groups;
	struct sx_counter_info *counters;
	struct sx_metric_info *metrics;
	struct sx_advice_info *advice;
	/* Where each thing stands, as yaml.h says; NULL when there are none. */
	uint32_t *lines[INDEX_KINDS];
	const char *files[3]; /* the files that the upper bits of lines mean */
	uint32_t constant_count, block_count, section_count, group_count;
	uint32_t counter_count, metric_count, advice_count;
};

/* Frees a catalog whatever its references; for those who build one. */
void catalog_free(struct sx_catalog *catalog);

/* Opens the library's own copy of a catalog, without the cache. As sx_catalog_open(). */
enum sx_status catalog_open_inside(const char *name, struct sx_catalog **out, struct sx_error *err);
/* Opens a catalog that stands in a file, without the cache. As sx_catalog_open(). */
enum sx_status catalog_open_file(const struct sx_context *context, const char *path,
				 struct sx_catalog **out, struct sx_error *err);

#endif
