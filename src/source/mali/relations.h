/* What must hold between the counters of one block, whatever runs: for self-tests, here and on
 * hardware. */
#ifndef SOURCE_MALI_RELATIONS_H
#define SOURCE_MALI_RELATIONS_H

#include <sextant/catalog.h>
#include "source/mali/raw.h"

struct mali_relations;

/* Resolves the relations by a catalog; NULL when memory is out. */
struct mali_relations *mali_relations_create(const struct sx_catalog *catalog);
void mali_relations_destroy(struct mali_relations *relations);

/* What checking found so far. Zero-initialise. */
struct mali_outcome {
	uint32_t samples, checked, failed;
	uint32_t counted; /* checks in which a counter was not 0: the others prove nothing */
};

/*
 * Checks one dump, each present block by itself. `slack` is the share by which a side may be off
 * (the slots of a block are not read in one instant). *out grows.
 */
void mali_relations_check(struct mali_relations *relations, const struct mali_raw *raw,
			  double slack, struct mali_outcome *out);
/* Says each relation that failed once, with its first numbers; returns how many did. */
uint32_t mali_relations_report(const struct mali_relations *relations,
			       void (*say)(void *user, const char *line), void *user);

#endif
