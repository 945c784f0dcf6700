/* Hardware counters of Vulkan drivers through VK_KHR_performance_query. */
#ifndef GPA_VK_PERF_H
#define GPA_VK_PERF_H

#include "gpa/queries.h"
#include "gpa/vk/api.h"
#include "query/vk/perf.h"

struct vk_perf_pool;

/* One sample's query in a pool. */
struct vk_perf_query {
	struct vk_perf_pool *pool; /* NULL: none */
	uint32_t slot;
};

struct vk_perf {
	struct perf_api api;
	VkDevice device;
	uint32_t family;
	bool locked; /* the profiling lock is held while the context is open */
	VkPerformanceCounterKHR *counters;
	uint32_t *indices; /* the driver's number of each of ours */
	uint32_t count, first_counter;
	/* A command buffer may use one pool alone unless the device can have more. */
	bool several_pools;
	struct vk_perf_pool **pools;
	size_t pool_count, pool_capacity;
	PFN_vkReleaseProfilingLockKHR release;
	PFN_vkResetQueryPool reset;
};

/*
 * Adds the driver's counters to the list, as raws from RAW_COUNT on, and takes the profiling lock.
 * Without the extension nothing is added. false: out of memory.
 */
bool vk_perf_open(struct vk_perf *perf, const GPA_VulkanContext *context, struct gpa_guide *guide,
		  struct gpa_list *list);
/* Destroys the pools that have run; returns how many stay, because they may still be used. */
size_t vk_perf_close(struct vk_perf *perf, const struct vk_api *vk);
/* Whether raws (numbers from RAW_COUNT on) fit one run of the command buffer. */
bool vk_perf_fits(const struct vk_perf *perf, const uint32_t *raws, uint32_t count);
/* Raws that are counted for commands in a command buffer. */
struct vk_perf_wanted {
	VkCommandBuffer commands;
	const uint32_t *raws;
	uint32_t count;
};

/*
 * A query for raws in a command buffer, reset and ready. false: there is none, which is logged when
 * the device's limits are why.
 */
bool vk_perf_take(struct vk_perf *perf, const struct vk_api *vk,
		  const struct vk_perf_wanted *wanted, struct vk_perf_query *out);
/* Gives a query back; `read`: its result has been read, so that it has run. */
void vk_perf_give(const struct vk_perf_query *query, bool read);
void vk_perf_begin(const struct vk_api *vk, const struct vk_perf_query *query);
void vk_perf_end(const struct vk_api *vk, const struct vk_perf_query *query);
/* values[i] of the query's raws: integers, or the bits of a double. */
enum gpa_answer vk_perf_read(const struct vk_perf *perf, const struct vk_api *vk,
			     const struct vk_perf_query *query, uint64_t *values);
/* The value of counter number `index` of vk_perf. */
void vk_perf_value(const struct vk_perf *perf, uint32_t index, uint64_t raw, union gpa_value *out);

#endif
