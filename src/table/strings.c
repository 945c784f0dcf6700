/* A dictionary of strings: open addressing over FNV-1a, texts in an arena. */
#include "table/strings.h"

#include <stdlib.h>
#include <string.h>

struct strings_entry {
	const char *text;
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
		const struct strings_entry *entry = &strings->entries[strings->slots[slot] - 1];
		if (entry->hash == hash && entry->size == size &&
		    memcmp(entry->text, text, size) == 0)
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
		uint32_t slot = strings->entries[i].hash & (count - 1);
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
	if (!mem_grow(&strings->entries, &strings->entry_cap, (size_t)strings->count + 1,
		      sizeof(*strings->entries)))
		return UINT32_MAX;
	char *copy = arena_strndup(&strings->arena, text, size);
	if (!copy)
		return UINT32_MAX;
	strings->entries[strings->count] = (struct strings_entry){copy, size, hash};
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
	return index < strings->count ? strings->entries[index].text : NULL;
}

void strings_finish(struct strings *strings)
{
	arena_finish(&strings->arena);
	free(strings->entries);
	free(strings->slots);
	*strings = (struct strings){0};
}
