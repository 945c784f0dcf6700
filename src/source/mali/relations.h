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

/*
 * Checks one dump, each present block by itself. `slack` is the share by which a side may be off
 * (the slots of a block are not read in one instant). say() gets a line for each relation that
 * fails, with its numbers. Returns how many did; *checked (may be NULL) grows by the number looked
 * at.
 */
uint32_t mali_relations_check(const struct mali_relations *relations, const struct mali_raw *raw,
			      double slack, uint32_t *checked,
			      void (*say)(void *user, const char *line), void *user);

#endif
