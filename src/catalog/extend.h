/* A catalog with further counters, which a source found on the device at hand. */
#ifndef CATALOG_EXTEND_H
#define CATALOG_EXTEND_H

#include <sextant/catalog.h>

struct catalog_addition {
	const char *name; /* as docs/catalog-format.md says of names */
	const char *unit; /* a known one */
	const char *description;
};

/*
 * Opens a catalog by name and adds counters. It keeps its name and hash, since what it explains is
 * unchanged, and is not in the context's cache. *out holds a reference. Errors: as
 * sx_catalog_open_name(), SX_ERR_BAD_INPUT for names and units that are none.
 */
enum sx_status catalog_extend(struct sx_context *context, const char *name,
			      const struct catalog_addition *more, size_t count,
			      struct sx_catalog **out, struct sx_error *err);

#endif
