/* Names to indices: one hash table for everything in a catalog that has a name. */
#ifndef CATALOG_INDEX_H
#define CATALOG_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/slots.h"

enum index_kind {
	INDEX_COUNTER,
	INDEX_METRIC,
	INDEX_CONSTANT,
	INDEX_BLOCK,
	INDEX_SECTION,
	INDEX_GROUP,
	INDEX_ADVICE,
	INDEX_PROGRAM,
	INDEX_KINDS
};

/* Groups a name may be asked in, besides the index of one. */
#define INDEX_ANY_GROUP (UINT32_MAX - 1)
#define INDEX_NO_GROUP	UINT32_MAX

struct index_slot {
	const char *name;
	uint32_t group, value;
	uint32_t count; /* how many of this name; counted for INDEX_ANY_GROUP only */
	uint32_t kind;
};

struct index {
	struct index_slot *items;
	size_t count, cap;
	struct slots slots; /* of items */
	uint64_t seed;
};

/* A name within its group (or INDEX_NO_GROUP). */
struct index_key {
	enum index_kind kind;
	uint32_t group;
	const char *name;
};

enum index_result { INDEX_ADDED, INDEX_TAKEN, INDEX_NO_MEMORY };

/*
 * Binds a name, which must outlive the index, to a value. INDEX_TAKEN when the same kind and group
 * has the name already; *holder is then its value.
 */
enum index_result index_add(struct index *index, struct index_key key, uint32_t value,
			    uint32_t *holder);
/*
 * The slot of a name of `len` bytes in a group (or INDEX_ANY_GROUP, INDEX_NO_GROUP), or NULL. Valid
 * until a name is added.
 */
const struct index_slot *index_find(const struct index *index, enum index_kind kind, uint32_t group,
				    const char *name, size_t len);
void index_finish(struct index *index);

#endif
