/* Trees put together: lists by the names of their entries, entries by their keys. */
#ifndef CATALOG_LOAD_MERGE_H
#define CATALOG_LOAD_MERGE_H

#include "catalog/load/fields.h"

/* What one inheritance works with. */
struct merge {
	struct loader *loader;
	struct arena *nodes;  /* new nodes and names */
	struct index removed; /* list and name to the position in `removals` */
	struct removal *removals;
	size_t removal_count, removal_cap;
};

/* Notes what the child removes (`remove` may be NULL). */
bool merge_begin(struct merge *m, struct yaml_node *root, const struct yaml_node *remove);
/* Hangs an empty list, or a copy of what is no list of named entries, into a mapping. */
struct yaml_node *merge_add_empty(struct merge *m, struct yaml_node *root,
				  const struct yaml_node *like);
/* Takes the parent's entries into the child's list: overridden, removed, or as they are. */
bool merge_lists(struct merge *m, struct yaml_node *mine, const struct yaml_node *theirs);
/* Every name under `remove` has to have removed something. */
bool merge_check_removed(struct merge *m);
/* Fills entries of the catalog with what the shared file says under their names. */
bool merge_shared(struct merge *m, struct yaml_node *root, const struct yaml_node *shared);
void merge_finish(struct merge *m);

#endif
