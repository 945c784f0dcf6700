/* Tables of handles that are read without a lock, and tables of functions. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "layer/vulkan/dispatch.h"

#define FIRST_SIZE 64u /* a power of two */
#define FREE	   0u
#define GONE	   1u

struct handle_slot {
	uint64_t key; /* atomic; FREE, GONE or a handle */
	void *value;  /* atomic */
};

struct handle_slots {
	struct handle_slots *older; /* other threads may still read it */
	size_t size, used;	    /* used: all that are not FREE */
	struct handle_slot items[];
};

static size_t slot_index(const struct handle_slots *slots, uint64_t key)
{
	return (size_t)((key * UINT64_C(0x9e3779b97f4a7c15)) >> 20) & (slots->size - 1);
}

void *handles_get(const struct handles *table, uint64_t key)
{
	const struct handle_slots *slots = __atomic_load_n(&table->slots, __ATOMIC_ACQUIRE);
	uint64_t found;
	if (!slots)
		return NULL;
	size_t at = slot_index(slots, key);
	while ((found = __atomic_load_n(&slots->items[at].key, __ATOMIC_ACQUIRE)) != key) {
		if (found == FREE)
			return NULL;
		at = (at + 1) & (slots->size - 1);
	}
	return __atomic_load_n(&slots->items[at].value, __ATOMIC_RELAXED);
}

static void slot_put(struct handle_slots *slots, uint64_t key, void *value)
{
	size_t at = slot_index(slots, key);
	while (slots->items[at].key > GONE && slots->items[at].key != key)
		at = (at + 1) & (slots->size - 1);
	slots->used += slots->items[at].key == FREE;
	__atomic_store_n(&slots->items[at].value, value, __ATOMIC_RELAXED);
	__atomic_store_n(&slots->items[at].key, key, __ATOMIC_RELEASE);
}

/* A new table without removed entries, larger if needed; the old one is kept for its readers. */
static bool handles_grow(struct handles *table)
{
	struct handle_slots *old = table->slots;
	size_t live = 0, size = FIRST_SIZE;
	for (size_t i = 0; old && i < old->size; i++)
		live += old->items[i].key > GONE;
	while (size < 4 * (live + table->reserved + 1))
		size *= 2;
	struct handle_slots *new = calloc(1, sizeof(*new) + size * sizeof(new->items[0]));
	if (!new)
		return false;
	new->size = size;
	new->older = old;
	for (size_t i = 0; old && i < old->size; i++) {
		if (old->items[i].key > GONE)
			slot_put(new, old->items[i].key, old->items[i].value);
	}
	__atomic_store_n(&table->slots, new, __ATOMIC_RELEASE);
	return true;
}

bool handles_put(struct handles *table, uint64_t key, void *value)
{
	struct handle_slots *slots = table->slots;

	/* Grows at three quarters. Out of memory, the remaining slots are used. */
	if ((!slots || 4 * (slots->used + 1) > 3 * slots->size) && !handles_grow(table) &&
	    (!slots || slots->used + table->reserved + 2 > slots->size))
		return false;
	slot_put(table->slots, key, value);
	return true;
}

bool handles_reserve(struct handles *table)
{
	struct handle_slots *slots = table->slots;
	if ((!slots || 4 * (slots->used + table->reserved + 1) > 3 * slots->size) &&
	    !handles_grow(table))
		return false;
	table->reserved++;
	return true;
}

void handles_unreserve(struct handles *table)
{
	table->reserved--;
}

void *handles_remove(struct handles *table, uint64_t key)
{
	struct handle_slots *slots = table->slots;
	size_t at;
	if (!slots)
		return NULL;
	for (at = slot_index(slots, key); slots->items[at].key != key;
	     at = (at + 1) & (slots->size - 1)) {
		if (slots->items[at].key == FREE)
			return NULL;
	}
	void *value = slots->items[at].value;
	__atomic_store_n(&slots->items[at].key, GONE, __ATOMIC_RELEASE);
	/* No chain continues over these slots, so they are free again. */
	while (slots->items[(at + 1) & (slots->size - 1)].key == FREE &&
	       slots->items[at].key == GONE) {
		__atomic_store_n(&slots->items[at].key, FREE, __ATOMIC_RELEASE);
		slots->used--;
		at = (at - 1) & (slots->size - 1);
	}
	return value;
}

void handles_finish(struct handles *table, void (*release)(void *value))
{
	struct handle_slots *slots = table->slots;
	for (size_t i = 0; release && slots && i < slots->size; i++) {
		if (slots->items[i].key > GONE)
			release(slots->items[i].value);
	}
	while (table->slots) {
		struct handle_slots *older = table->slots->older;
		free(table->slots);
		table->slots = older;
	}
}

void instance_functions_load(struct instance_functions *functions, VkInstance instance,
			     PFN_vkGetInstanceProcAddr next)
{
#define NEXT(name) functions->name = (PFN_vk##name)next(instance, "vk" #name);
#include "layer/vulkan/instance_functions.def"
#undef NEXT
}

PFN_vkVoidFunction instance_functions_find(const struct instance_functions *functions,
					   const char *name)
{
#define NEXT(one)                                                                                  \
	if (strcmp(name, "vk" #one) == 0)                                                          \
		return (PFN_vkVoidFunction)functions->one;
#include "layer/vulkan/instance_functions.def"
#undef NEXT
	return NULL;
}

void device_functions_load(struct device_functions *functions, VkDevice device,
			   PFN_vkGetDeviceProcAddr next)
{
#define HOOK(name) functions->name = (PFN_vk##name)next(device, "vk" #name);
#define NEXT(name) HOOK(name)
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT
}

PFN_vkVoidFunction hook_find(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction hook;
	} hooks[] = {
#define HOOK(name) {"vk" #name, (PFN_vkVoidFunction)hook_##name},
#define NEXT(name)
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT
	};

	for (size_t i = 0; i < sizeof(hooks) / sizeof(hooks[0]); i++) {
		if (strcmp(hooks[i].name, name) == 0)
			return hooks[i].hook;
	}
	return NULL;
}
