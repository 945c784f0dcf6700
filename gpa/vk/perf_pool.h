/* What counting and pools of performance queries share. */
#ifndef GPA_VK_PERF_POOL_H
#define GPA_VK_PERF_POOL_H

#include "gpa/vk/perf.h"

/* The driver's numbers of raws; to be freed. NULL: out of memory. */
uint32_t *vk_perf_indices(const struct vk_perf *perf, const uint32_t *raws, uint32_t count);
/* What a pool of these is made from; keeps a pointer to `indices`. */
VkQueryPoolPerformanceCreateInfoKHR vk_perf_describe(const struct vk_perf *perf,
						     const uint32_t *indices, uint32_t count);
/* The raws of a pool; they live as long as it does. */
const uint32_t *vk_perf_raws(const struct vk_perf_pool *pool, uint32_t *count);
/* Asks for the results of one query, one for each raw. */
VkResult vk_perf_results(const struct vk_api *vk, const struct vk_perf_pool *pool, uint32_t slot,
			 VkPerformanceCounterResultKHR *out);

#endif
