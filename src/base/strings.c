/* A dictionary of strings: by FNV-1a, texts in an arena. */
#include "base/strings.h"

#include <stdlib.h>
#include <string.h>

static uint32_t hash_of(const char *text, size_t size)
{
	uint32_t hash = 2166136261u;
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (uint8_t)text[i]) * 16777619u;
	return hash;
}

static uint32_t find(const struct strings *strings, const char *text, size_t size, uint32_t hash)
{
	size_t at = hash;
	uint32_t i;
	while ((i = slots_next(&strings->slots, hash, &at)) != SLOTS_NONE)
		if (strings->sizes[i] == size && memcmp(strings->texts[i], text, size) == 0)
			break;
	return i;
}

uint32_t strings_intern(struct strings *strings, const char *text, size_t size, bool *added)
{
	uint32_t hash = hash_of(text, size), there = find(strings, text, size, hash);
	if (added)
		*added = false;
	if (there != SLOTS_NONE)
		return there;
	size_t need = (size_t)strings->count + 1;
	if (need == SLOTS_NONE || !slots_reserve(&strings->slots) ||
	    !mem_grow(&strings->sizes, &strings->size_cap, need, sizeof(*strings->sizes)) ||
	    !mem_grow(&strings->texts, &strings->text_cap, need, sizeof(*strings->texts)))
		return UINT32_MAX;
	char *copy = arena_strndup(&strings->arena, text, size);
	if (!copy)
		return UINT32_MAX;
	strings->sizes[strings->count] = size;
	strings->texts[strings->count] = copy;
	slots_add(&strings->slots, hash, strings->count);
	if (added)
		*added = true;
	return strings->count++;
}

uint32_t strings_find(const struct strings *strings, const char *text, size_t size)
{
	return find(strings, text, size, hash_of(text, size));
}

const char *strings_get(const struct strings *strings, uint64_t index)
{
	return index < strings->count ? strings->texts[index] : NULL;
}

void strings_clear(struct strings *strings)
{
	arena_finish(&strings->arena);
	strings->count = 0;
	slots_clear(&strings->slots);
}

void strings_finish(struct strings *strings)
{
	arena_finish(&strings->arena);
	free(strings->sizes);
	free(strings->texts);
	slots_finish(&strings->slots);
	*strings = (struct strings){0};
}
