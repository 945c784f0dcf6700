/* A catalog with further counters, which a source found on the device at hand. */
#ifndef CATALOG_EXTEND_H
#define CATALOG_EXTEND_H

#include <sextant/catalog.h>

struct catalog_addition {
	const char *name; /* as docs/catalog-format.md says of names */
	const char *unit; /* a known one */
	const char *description;
	const char *block; /* of the catalog or added with it, or NULL */
	bool is_real;	   /* f64 instead of u64 */
	bool is_mean;	   /* over time, instead of a sum */
};

/* A block, as docs/catalog-format.md has it; NULL and 0: without. */
struct catalog_block {
	const char *name;
	uint32_t limit;
	const char *family, *stage, *windowed;
};

/* Counters, and blocks that they live in. */
struct catalog_more {
	const struct catalog_addition *counters;
	size_t counter_count;
	const struct catalog_block *blocks;
	size_t block_count;
};

/*
 * Opens a catalog by name and adds to it. It keeps its name and hash, since what it explains is
 * unchanged, and is not in the context's cache. *out holds a reference. Errors: as
 * catalog_open_name(), SX_ERR_BAD_INPUT for names and units that are none.
 */
enum sx_status catalog_extend(struct sx_context *context, const char *name,
			      const struct catalog_more *more, struct sx_catalog **out,
			      struct sx_error *err);

/*
 * As sx_catalog_open(), for a name that comes from a file or a peer: one with a slash is refused
 * (SX_ERR_BAD_INPUT), so that it cannot make us read any file. Thread-safe.
 */
enum sx_status catalog_open_name(struct sx_context *context, const char *name,
				 struct sx_catalog **out, struct sx_error *err);

#endif
