/* A name is stored under its group and once more under "any group". */
#include "catalog/internal.h"

#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/mem.h"

static uint32_t hash_of(const struct index *index, enum index_kind kind, uint32_t group,
			const char *name, size_t len)
{
	uint64_t seed = index->seed ^ ((uint64_t)kind << 32 | group);
	return (uint32_t)XXH3_64bits_withSeed(name, len, seed);
}

static struct index_slot *index_probe(const struct index *index, const struct index_slot *key,
				      size_t len, uint32_t hash)
{
	size_t at = hash;
	for (uint32_t i; (i = slots_next(&index->slots, hash, &at)) != SLOTS_NONE;) {
		struct index_slot *s = &index->items[i];
		if (s->kind == key->kind && s->group == key->group &&
		    strncmp(s->name, key->name, len) == 0 && s->name[len] == '\0')
			return s;
	}
	return NULL;
}

/* The slot of a name, made when there is none; NULL when memory is out. */
static struct index_slot *place(struct index *index, enum index_kind kind, uint32_t group,
				const char *name, bool *fresh)
{
	size_t len = strlen(name);
	struct index_slot key = {.name = name, .group = group, .kind = kind};
	uint32_t hash = hash_of(index, kind, group, name, len);
	struct index_slot *slot = index_probe(index, &key, len, hash);
	*fresh = !slot;
	if (slot)
		return slot;
	if (index->count >= SLOTS_NONE - 1 || !slots_reserve(&index->slots) ||
	    !mem_grow(&index->items, &index->cap, index->count + 1, sizeof(*index->items)))
		return NULL;
	slots_add(&index->slots, hash, (uint32_t)index->count);
	index->items[index->count] = key;
	return &index->items[index->count++];
}

enum index_result index_add(struct index *index, struct index_key key, uint32_t value,
			    uint32_t *holder)
{
	/* The address differs from run to run, so no file can be made to collide everywhere. */
	if (index->count == 0)
		index->seed = (uint64_t)(uintptr_t)index;
	bool fresh;
	struct index_slot *slot = place(index, key.kind, key.group, key.name, &fresh);
	if (!slot)
		return INDEX_NO_MEMORY;
	if (!fresh) {
		*holder = slot->value;
		return INDEX_TAKEN;
	}
	slot->value = value;
	slot = place(index, key.kind, INDEX_ANY_GROUP, key.name, &fresh);
	if (!slot)
		return INDEX_NO_MEMORY;
	if (fresh)
		slot->value = value;
	slot->count++;
	return INDEX_ADDED;
}

const struct index_slot *index_find(const struct index *index, enum index_kind kind, uint32_t group,
				    const char *name, size_t len)
{
	const struct index_slot key = {.name = name, .group = group, .kind = kind};
	return index->count ? index_probe(index, &key, len, hash_of(index, kind, group, name, len))
			    : NULL;
}

void index_finish(struct index *index)
{
	free(index->items);
	slots_finish(&index->slots);
	*index = (struct index){0};
}
