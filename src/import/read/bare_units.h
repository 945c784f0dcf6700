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
 * The unit that a column of this name is read in where the file says none and the catalog `unit`:
 * times of frames are in ms wherever people write them. NULL: nothing is to be told of it, as of
 * what is a counter letter by letter, whose unit its vendor fixed.
 */
const char *bare_units_of(const struct sx_catalog *catalog, const char *name, const char *unit);
void bare_units_add(struct bare_units *bare, const char *name, const char *unit);
/* Tells which units were taken, if any were. */
void bare_units_tell(const struct bare_units *bare, const struct teller *to);

#endif
