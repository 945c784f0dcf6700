/* A dictionary of strings: open addressing over FNV-1a, texts in an arena. */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

struct strings_key {
	size_t size;
	uint32_t hash;
};

static uint32_t hash_of(const char *text, size_t size)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

/* The slot that holds the text, or the free one where it belongs. */
static uint32_t slot_of(const struct strings *strings, const char *text, size_t size, uint32_t hash)
{
	uint32_t mask = strings->slot_count - 1;
	uint32_t slot = hash & mask;
	while (strings->slots[slot]) {
		uint32_t index = strings->slots[slot] - 1;
		const struct strings_key *key = &strings->keys[index];
		if (key->hash == hash && key->size == size &&
		    memcmp(strings->texts[index], text, size) == 0)
			break;
		slot = (slot + 1) & mask;
	}
	return slot;
}

static bool grow_slots(struct strings *strings)
{
	if (strings->slot_count >= UINT32_MAX / 4)
		return false;
	uint32_t count = strings->slot_count ? strings->slot_count * 2 : 16;
	uint32_t *slots = calloc(count, sizeof(*slots));
	if (!slots)
		return false;
	for (uint32_t i = 0; i < strings->count; i++) {
		uint32_t slot = strings->keys[i].hash & (count - 1);
		while (slots[slot])
			slot = (slot + 1) & (count - 1);
		slots[slot] = i + 1;
	}
	free(strings->slots);
	strings->slots = slots;
	strings->slot_count = count;
	return true;
}

uint32_t strings_intern(struct strings *strings, const char *text, size_t size, bool *added)
{
	if (added)
		*added = false;
	if (strings->count >= strings->slot_count / 2 && !grow_slots(strings))
		return UINT32_MAX;
	uint32_t hash = hash_of(text, size);
	uint32_t slot = slot_of(strings, text, size, hash);
	if (strings->slots[slot])
		return strings->slots[slot] - 1;
	size_t need = (size_t)strings->count + 1;
	if (!mem_grow(&strings->keys, &strings->key_cap, need, sizeof(*strings->keys)) ||
	    !mem_grow(&strings->texts, &strings->text_cap, need, sizeof(*strings->texts)))
		return UINT32_MAX;
	char *copy = arena_strndup(&strings->arena, text, size);
	if (!copy)
		return UINT32_MAX;
	strings->keys[strings->count] = (struct strings_key){size, hash};
	strings->texts[strings->count] = copy;
	strings->slots[slot] = ++strings->count;
	if (added)
		*added = true;
	return strings->count - 1;
}

uint32_t strings_find(const struct strings *strings, const char *text, size_t size)
{
	if (!strings->slot_count)
		return UINT32_MAX;
	uint32_t slot = slot_of(strings, text, size, hash_of(text, size));
	return strings->slots[slot] ? strings->slots[slot] - 1 : UINT32_MAX;
}

const char *strings_get(const struct strings *strings, uint64_t index)
{
	return index < strings->count ? strings->texts[index] : NULL;
}

void strings_clear(struct strings *strings)
{
	arena_finish(&strings->arena);
	strings->count = 0;
	if (strings->slots)
		memset(strings->slots, 0, strings->slot_count * sizeof(*strings->slots));
}

void strings_finish(struct strings *strings)
{
	arena_finish(&strings->arena);
	free(strings->keys);
	free(strings->texts);
	free(strings->slots);
	*strings = (struct strings){0};
}
