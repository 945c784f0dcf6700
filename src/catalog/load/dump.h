/* A tree as YAML again: what a catalog is once its parent and its shared file are put in. */
#ifndef CATALOG_LOAD_DUMP_H
#define CATALOG_LOAD_DUMP_H

#include "catalog/load/yaml.h"

/* Text that grows; NUL-terminated, `data` to be freed. */
struct dump_text {
	char *data;
	size_t size, cap;
};

/*
 * Appends the tree of a catalog, without the keys that tell what it builds upon: the entries of its
 * lists a line each. Reading it gives the same tree. false when memory is out.
 */
bool dump_catalog(const struct yaml_node *root, struct dump_text *out);

#endif
