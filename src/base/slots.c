/* The hash table: probing and growth. */
#include "base/slots.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE 16

static void put(struct slots *slots, struct slots_entry entry)
{
	size_t at = entry.hash & (slots->size - 1);
	while (slots->entries[at].after)
		at = (at + 1) & (slots->size - 1);
	slots->entries[at] = entry;
}

bool slots_reserve(struct slots *slots)
{
	if (slots->count < slots->size / 2)
		return true;
	if (slots->size > UINT32_MAX / 2)
		return false;
	struct slots grown = {.size = slots->size ? slots->size * 2 : FIRST_SIZE,
			      .count = slots->count};
	grown.entries = calloc(grown.size, sizeof(*grown.entries));
	if (!grown.entries)
		return false;
	for (size_t i = 0; i < slots->size; i++)
		if (slots->entries[i].after)
			put(&grown, slots->entries[i]);
	free(slots->entries);
	*slots = grown;
	return true;
}

void slots_add(struct slots *slots, uint32_t hash, uint32_t item)
{
	put(slots, (struct slots_entry){hash, item + 1});
	slots->count++;
}

void slots_clear(struct slots *slots)
{
	if (slots->entries)
		memset(slots->entries, 0, slots->size * sizeof(*slots->entries));
	slots->count = 0;
}

void slots_finish(struct slots *slots)
{
	free(slots->entries);
	*slots = (struct slots){0};
}
