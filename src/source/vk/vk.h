/*
 * The Vulkan source, and the counters of this machine's Vulkan drivers (VK_KHR_performance_query).
 */
#ifndef SOURCE_VK_VK_H
#define SOURCE_VK_VK_H

#include "source/source.h"
#include "wire/channel.h"

#define VK_COUNTERS_MOST 4096u

struct vk_counter {
	char name[128]; /* "hw." and the driver's, of letters, digits and _ */
	char unit[16];
	char text[328]; /* scope, category, title and description */
	uint8_t id[WIRE_ID_BYTES];
	bool level; /* values have a mean, not a sum */
};

struct vk_counters {
	struct vk_counter *items;
	uint32_t count;
};

/*
 * Asks all drivers, in a child. Nothing when there are none, or none answers; each counter once.
 * Released by vk_counters_finish(). Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status vk_counters_read(struct vk_counters *out, struct sx_error *err);
void vk_counters_finish(struct vk_counters *counters);
const struct vk_counter *vk_counters_find(const struct vk_counters *counters, const char *name);
/* The catalog of Vulkan with these in it. *out holds a reference. */
enum sx_status vk_counters_catalog(struct sx_context *catalogs, const struct vk_counters *counters,
				   struct sx_catalog **out, struct sx_error *err);
/*
 * Which of the passes over frames counts each of them, by the queue family that has most of them;
 * UINT32_MAX: none does. false: no driver answered.
 */
bool vk_counters_part(const uint8_t (*ids)[WIRE_ID_BYTES], uint32_t count, uint32_t *pass_of);

#endif
