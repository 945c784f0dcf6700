/* The parts of a catalog, one function each; load_catalog() calls them in order of dependence. */
#ifndef CATALOG_LOAD_LOAD_H
#define CATALOG_LOAD_LOAD_H

#include "catalog/load/fields.h"

/* Fills l->cat from the root of a document. false after load_fail(). */
bool load_catalog(struct loader *l, const struct yaml_node *root);

bool load_matches(struct loader *l, const struct yaml_node *list);
bool load_variants(struct loader *l, const struct yaml_node *list);
bool load_pass_limits(struct loader *l, const struct yaml_node *map);
bool load_constants(struct loader *l, const struct yaml_node *list);
bool load_blocks(struct loader *l, const struct yaml_node *list);
bool load_sections(struct loader *l, const struct yaml_node *list);
bool load_groups(struct loader *l, const struct yaml_node *list);
bool load_counters(struct loader *l, const struct yaml_node *list);
bool load_metrics(struct loader *l, const struct yaml_node *list);
bool load_advice(struct loader *l, const struct yaml_node *list);

#endif
