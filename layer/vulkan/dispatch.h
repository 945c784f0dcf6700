/*
 * Tables from handles to our records, and the functions of the next layer or the driver. Look-ups
 * take no lock: a program must not destroy an object while another thread uses it (Vulkan, "Object
 * Lifetime").
 */
#ifndef LAYER_VULKAN_DISPATCH_H
#define LAYER_VULKAN_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* Device functions of the next layer or the driver; NULL: it has none. */
struct device_functions {
#define HOOK(name) PFN_vk##name name;
#define NEXT(name) PFN_vk##name name;
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT
};

/* Instance functions of the next layer or the driver; NULL: it has none. */
struct instance_functions {
#define NEXT(name) PFN_vk##name name;
#include "layer/vulkan/instance_functions.def"
#undef NEXT
};

/* Called within vkCreateInstance(): later a loader returns the first layer's functions. */
void instance_functions_load(struct instance_functions *functions, VkInstance instance,
			     PFN_vkGetInstanceProcAddr next);
/* One of them by its name, or NULL. */
PFN_vkVoidFunction instance_functions_find(const struct instance_functions *functions,
					   const char *name);

void device_functions_load(struct device_functions *functions, VkDevice device,
			   PFN_vkGetDeviceProcAddr next);

/* Our functions, which the program calls. */
#define HOOK(name) extern __typeof__(vk##name) hook_##name;
#define NEXT(name)
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT

/* The hook of this name, or NULL. */
PFN_vkVoidFunction hook_find(const char *name);

struct handle_slots;

/* Zero-initialise. Only one thread at a time may change a table. */
struct handles {
	struct handle_slots *slots; /* atomic */
	size_t reserved;	    /* slots that handles_reserve() keeps free */
};

void *handles_get(const struct handles *table, uint64_t key);
/* Keeps a slot free, so that the next handles_put() cannot fail. false: no memory. */
bool handles_reserve(struct handles *table);
/* Ends handles_reserve(). */
void handles_unreserve(struct handles *table);
/* Keys are not 0 or 1. false: no memory. */
bool handles_put(struct handles *table, uint64_t key, void *value);
/* Returns the removed value, or NULL. */
void *handles_remove(struct handles *table, uint64_t key);
/* Calls `release` (or NULL) for each value. No thread may read the table any more. */
void handles_finish(struct handles *table, void (*release)(void *value));

/* A dispatchable handle points to the loader's table, which all handles of a device share. */
static inline uint64_t dispatch_key(const void *handle)
{
	return (uint64_t) * (const uintptr_t *)handle;
}

#endif
