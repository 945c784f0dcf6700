/*
 * Catalogs that build upon others: what a catalog takes from the one that it extends and from its
 * vendor's shared file is put into its own tree before it is read.
 */
#ifndef CATALOG_LOAD_INHERIT_H
#define CATALOG_LOAD_INHERIT_H

#include "catalog/load/fields.h"

/* A file that a catalog builds upon. */
struct load_file {
	const char *origin;	/* for messages; lives as long as the load */
	uint64_t hash;		/* xxhash64 of its bytes */
	struct yaml_node *root; /* NULL: there is none */
};

/* A file by the name that `extends` or `shared` gives, and the arenas that it is read into. */
struct load_wanted {
	const char *name;
	bool is_shared;
	struct arena *nodes, *texts;
};

/* Finds such a file and reads it. Errors as sx_catalog_open(); SX_ERR_NOT_FOUND: there is none. */
struct load_fetch {
	enum sx_status (*read)(void *user, const struct load_wanted *wanted, struct load_file *out,
			       struct sx_error *err);
	void *user;
};

/*
 * Puts the parts of the catalog's parent and shared file into `root`, and what it learns of these
 * files into l->files. `nodes` holds what is new. false after load_fail().
 */
bool inherit_resolve(struct loader *l, struct yaml_node *root, const struct load_fetch *fetch,
		     struct arena *nodes);

#endif
