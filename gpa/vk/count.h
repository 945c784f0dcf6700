/* One sample of one pass as Vulkan query pools. */
#ifndef GPA_VK_COUNT_H
#define GPA_VK_COUNT_H

#include "gpa/queries.h"
#include "gpa/vk/api.h"

enum { VK_STREAMS = 4 };

enum vk_set_state { VK_SET_BUSY, VK_SET_IDLE, VK_SET_LEFT };

/* The pools of one sample. */
struct vk_count {
	uint32_t kinds; /* which pools there are */
	enum vk_set_state state;
	bool recorded;		  /* a command buffer uses them */
	VkCommandBuffer commands; /* that the sample began in */
	VkQueryPool time, statistics, occlusion, streams[VK_STREAMS];
	VkEvent done; /* set behind the sample; none in queues that only copy */
};

/* Which raws a context can count: by its features and by what its queue family can do. */
void vk_count_probe(const struct vk_api *vk, const GPA_VulkanContext *context, bool *have);
/* The pools that raws need, as bits. */
uint32_t vk_count_kinds(const uint32_t *raws, uint32_t raw_count);
/* Makes the pools of these bits; NULL: out of memory. */
struct vk_count *vk_count_create(const struct vk_api *vk, uint32_t kinds);
void vk_count_destroy(const struct vk_api *vk, struct vk_count *count);
/* Records the beginning and the end of a sample into count->commands. */
void vk_count_begin(const struct vk_api *vk, struct vk_count *count);
void vk_count_end(const struct vk_api *vk, struct vk_count *count);
enum gpa_answer vk_count_read(const struct vk_api *vk, const struct vk_count *count,
			      const uint32_t *raws, uint32_t raw_count, uint64_t *values);

#endif
