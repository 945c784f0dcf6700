/* Hardware counters of Vulkan drivers through VK_KHR_performance_query. */
#ifndef GPA_VK_PERF_H
#define GPA_VK_PERF_H

#include "gpa/query_counters.h"
#include "gpa/vk_api.h"

struct vk_perf {
	VkPhysicalDevice gpu;
	VkDevice device;
	uint32_t family;
	bool locked; /* the profiling lock is held while the context is open */
	VkPerformanceCounterKHR *counters;
	uint32_t *indices; /* the driver's number of each of ours */
	uint32_t count, first_counter;
	PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;
	PFN_vkReleaseProfilingLockKHR release;
	PFN_vkResetQueryPool reset;
};

/*
 * Adds the driver's counters to the list, as raws from RAW_COUNT on, and takes the profiling lock.
 * Without the extension nothing is added. false: out of memory.
 */
bool vk_perf_open(struct vk_perf *perf, const GPA_VulkanContext *context, struct gpa_guide *guide,
		  struct gpa_list *list);
void vk_perf_close(struct vk_perf *perf);
/* Whether raws (numbers from RAW_COUNT on) fit one run of the command buffer. */
bool vk_perf_fits(const struct vk_perf *perf, const uint32_t *raws, uint32_t count);
/* A query pool for raws, reset and ready; VK_NULL_HANDLE when it cannot be made. */
VkQueryPool vk_perf_pool(const struct vk_perf *perf, const struct vk_api *vk, const uint32_t *raws,
			 uint32_t count);
/* values[i] of raws[i]: integers, or the bits of a double. */
enum gpa_answer vk_perf_read(const struct vk_perf *perf, const struct vk_api *vk, VkQueryPool pool,
			     const uint32_t *raws, uint32_t count, uint64_t *values);
/* The value of counter number `index` of vk_perf. */
void vk_perf_value(const struct vk_perf *perf, uint32_t index, uint64_t raw, union gpa_value *out);

#endif
