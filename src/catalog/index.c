/* Open addressing; a name is stored under its group and once more under "any group". */
#include "catalog/index.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

static uint32_t hash_of(const struct index *index, enum index_kind kind, uint32_t group,
			const char *name, size_t len)
{
	uint64_t seed = index->seed ^ ((uint64_t)kind << 32 | group);
	return (uint32_t)XXH3_64bits_withSeed(name, len, seed);
}

static struct index_slot *index_probe(const struct index *index, const struct index_slot *key,
				      size_t len)
{
	for (size_t i = key->hash & (index->cap - 1);; i = (i + 1) & (index->cap - 1)) {
		struct index_slot *s = &index->slots[i];
		if (!s->name)
			return s;
		if (s->hash == key->hash && s->kind == key->kind && s->group == key->group &&
		    strncmp(s->name, key->name, len) == 0 && s->name[len] == '\0')
			return s;
	}
}

static bool grow(struct index *index)
{
	size_t cap = index->cap ? index->cap * 2 : 256;
	struct index grown = *index;
	grown.slots = calloc(cap, sizeof(*grown.slots));
	grown.cap = cap;
	if (!grown.slots)
		return false;
	for (size_t i = 0; i < index->cap; i++) {
		const struct index_slot *old = &index->slots[i];
		if (old->name)
			*index_probe(&grown, old, strlen(old->name)) = *old;
	}
	free(index->slots);
	*index = grown;
	return true;
}

static struct index_slot *place(struct index *index, enum index_kind kind, uint32_t group,
				const char *name, bool *fresh)
{
	size_t len = strlen(name);
	struct index_slot key = {
	    .name = name,
	    .hash = hash_of(index, kind, group, name, len),
	    .group = group,
	    .kind = kind,
	};
	struct index_slot *slot = index_probe(index, &key, len);
	*fresh = !slot->name;
	if (*fresh) {
		*slot = key;
		index->used++;
	}
	return slot;
}

enum index_result index_add(struct index *index, struct index_key key, uint32_t value,
			    uint32_t *holder)
{
	/* The address differs from run to run, so no file can be made to collide everywhere. */
	if (index->cap == 0)
		index->seed = (uint64_t)(uintptr_t)index;
	if ((index->used + 2) * 4 > index->cap * 3 && !grow(index))
		return INDEX_NO_MEMORY;
	bool fresh;
	struct index_slot *slot = place(index, key.kind, key.group, key.name, &fresh);
	if (!fresh) {
		*holder = slot->value;
		return INDEX_TAKEN;
	}
	slot->value = value;
	slot = place(index, key.kind, INDEX_ANY_GROUP, key.name, &fresh);
	if (fresh)
		slot->value = value;
	slot->count++;
	return INDEX_ADDED;
}

const struct index_slot *index_find(const struct index *index, enum index_kind kind, uint32_t group,
				    const char *name, size_t len)
{
	if (index->cap == 0)
		return NULL;
	struct index_slot key = {
	    .name = name,
	    .hash = hash_of(index, kind, group, name, len),
	    .group = group,
	    .kind = kind,
	};
	const struct index_slot *slot = index_probe(index, &key, len);
	return slot->name ? slot : NULL;
}

void index_finish(struct index *index)
{
	free(index->slots);
	*index = (struct index){0};
}
