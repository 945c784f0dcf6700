/* One sample of one pass as Vulkan query pools. */
#ifndef GPA_VK_COUNT_H
#define GPA_VK_COUNT_H

#include "gpa/query_counters.h"
#include "gpa/vk_api.h"

enum { VK_STREAMS = 4 };

struct vk_count {
	VkCommandBuffer commands; /* that the sample began in */
	VkQueryPool time, statistics, occlusion, streams[VK_STREAMS];
	bool precise;
};

/* Which raws a context can count. */
void vk_count_probe(const struct vk_api *vk, const GPA_VulkanContext *context, bool *have);
/* Makes the pools that the raws need and records their beginning; false: out of memory. */
bool vk_count_begin(const struct vk_api *vk, struct vk_count *count, const uint32_t *raws,
		    uint32_t raw_count);
void vk_count_end(const struct vk_api *vk, const struct vk_count *count);
enum gpa_answer vk_count_read(const struct vk_api *vk, const struct vk_count *count,
			      const uint32_t *raws, uint32_t raw_count, uint64_t *values);
void vk_count_finish(const struct vk_api *vk, struct vk_count *count);

#endif
