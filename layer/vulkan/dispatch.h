/*
 * From handles to what we know of them, and on to the next layer or the driver. Looked up without a
 * lock; the specification keeps a handle from being freed while it is used.
 */
#ifndef LAYER_VULKAN_DISPATCH_H
#define LAYER_VULKAN_DISPATCH_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

/* Functions of a device, of the next layer or the driver; NULL: it has none. */
struct device_functions {
#define HOOK(name) PFN_vk##name name;
#define NEXT(name) PFN_vk##name name;
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT
};

/* Functions of an instance, of the next layer or the driver; NULL: it has none. */
struct instance_functions {
#define NEXT(name) PFN_vk##name name;
#include "layer/vulkan/instance_functions.def"
#undef NEXT
};

/* While the instance is being made, by the next layer's function. */
void instance_functions_load(struct instance_functions *functions, VkInstance instance,
			     PFN_vkGetInstanceProcAddr next);
/* One of them by its name, or NULL. */
PFN_vkVoidFunction instance_functions_find(const struct instance_functions *functions,
					   const char *name);

void device_functions_load(struct device_functions *functions, VkDevice device,
			   PFN_vkGetDeviceProcAddr next);

/* Our functions of these names. */
#define HOOK(name) extern __typeof__(vk##name) hook_##name;
#define NEXT(name)
#include "layer/vulkan/device_functions.def"
#undef HOOK
#undef NEXT

/* The hook of this name, or NULL. */
PFN_vkVoidFunction hook_find(const char *name);

struct handle_slots;

/* Zero-initialise. Calls that change a table are made by one thread at a time. */
struct handles {
	struct handle_slots *slots; /* atomic */
	size_t reserved;	    /* for handles that are about to come */
};

void *handles_get(const struct handles *table, uint64_t key);
/* Makes room for one more, so that putting it cannot fail. false: no memory. */
bool handles_reserve(struct handles *table);
/* What was reserved is not needed, or is there. */
void handles_unreserve(struct handles *table);
/* Keys are not 0 or 1. false: no memory. */
bool handles_put(struct handles *table, uint64_t key, void *value);
/* What was removed, or NULL. */
void *handles_remove(struct handles *table, uint64_t key);
/* Nobody looks at the table any more; what is in it goes to `release`, if that is not NULL. */
void handles_finish(struct handles *table, void (*release)(void *value));

/* What tells devices and instances, and all that belongs to them, apart: their first word. */
static inline uint64_t dispatch_key(const void *handle)
{
	return (uint64_t) * (const uintptr_t *)handle;
}

#endif
