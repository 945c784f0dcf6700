/* Which counter a column of a table means: exact names, aliases, and the spellings of instances. */
#ifndef CATALOG_COLUMN_H
#define CATALOG_COLUMN_H

#include <sextant/catalog.h>

struct column_id {
	uint32_t counter;  /* index in the catalog, or SX_NONE */
	uint32_t instance; /* or SX_NONE */
};

/*
 * Identifies a column name: NAME, $NAME, an alias, Group.NAME, and for counters whose instances
 * stay apart NAME[3], NAME3, BLOCK[3].EVENT and BLOCK3.EVENT.
 */
struct column_id column_identify(const struct sx_catalog *catalog, const char *name);

/* The canonical spelling of an instance: "BLOCK[3].EVENT", or "NAME[3]" for an undotted name. */
void column_spell(char *buf, size_t size, const char *name, uint32_t instance);

#endif
