/* Columns in a unit that comes in several sizes, which the file does not say: told, once for all.
 */
#ifndef IMPORT_READ_BARE_UNITS_H
#define IMPORT_READ_BARE_UNITS_H

#include <sextant/catalog.h>

#include "base/teller.h"

/* Zero-initialise. */
struct bare_units {
	uint32_t count;
	char first[80], unit[48]; /* of the first */
	char text[256];		  /* "frame_time in ms, gpu_time in ms" */
};

/*
 * Whether a column of this name and the catalog's unit may be in another one: not what is a
 * counter letter by letter, whose unit its vendor fixed.
 */
bool bare_units_may_differ(const struct sx_catalog *catalog, const char *name, const char *unit);
void bare_units_add(struct bare_units *bare, const char *name, const char *unit);
/* Tells which units were taken, if any were. */
void bare_units_tell(const struct bare_units *bare, const struct teller *to);

#endif
