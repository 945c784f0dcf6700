/*
 * The hash table: numbers of items by the hashes of their keys. The caller keeps items and keys,
 * and decides whether two keys are equal.
 */
#ifndef BASE_SLOTS_H
#define BASE_SLOTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SLOTS_NONE UINT32_MAX

/* Open addressing, at most half full. Zero-initialise. */
struct slots {
	struct slots_entry {
		uint32_t hash, after; /* the number of its item, and 1; 0: free */
	} * entries;
	size_t size, count; /* size: 0, or a power of two */
};

/* Makes room for one more; false when memory is out. */
bool slots_reserve(struct slots *slots);
/* Adds an item, for which there is room. */
void slots_add(struct slots *slots, uint32_t hash, uint32_t item);
/* Forgets all items, and keeps the memory. */
void slots_clear(struct slots *slots);
void slots_finish(struct slots *slots);

/*
 * The next item with this hash; its key may be another one, so the caller compares. *at begins as
 * the hash. SLOTS_NONE: there are no more.
 */
static inline uint32_t slots_next(const struct slots *slots, uint32_t hash, size_t *at)
{
	if (!slots->size)
		return SLOTS_NONE;
	for (;;) {
		const struct slots_entry *entry = &slots->entries[*at & (slots->size - 1)];
		if (!entry->after)
			return SLOTS_NONE;
		++*at;
		if (entry->hash == hash)
			return entry->after - 1;
	}
}

/* The hash of a number with low bits that may vary little. */
static inline uint32_t slots_hash(uint64_t key)
{
	return (uint32_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

#endif
