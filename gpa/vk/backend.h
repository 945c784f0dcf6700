/* Internal declarations of the Vulkan back end. */
#ifndef GPA_VK_BACKEND_H
#define GPA_VK_BACKEND_H

#include <stdbool.h>

#include "gpa/GPUPerfAPIVK.h"
#include "gpa/GPUPerfAPI3.h"
#include "gpa/queries.h"
#include "query/vk/perf.h"

/* The Vulkan functions that counting needs, of the program's device (api.c). */
#define VK_API_DEVICE(X)                                                                           \
	X(vkCreateQueryPool)                                                                       \
	X(vkDestroyQueryPool)                                                                      \
	X(vkGetQueryPoolResults)                                                                   \
	X(vkCmdResetQueryPool)                                                                     \
	X(vkCmdBeginQuery)                                                                         \
	X(vkCmdEndQuery)                                                                           \
	X(vkCmdWriteTimestamp)                                                                     \
	X(vkCreateEvent)                                                                           \
	X(vkDestroyEvent)                                                                          \
	X(vkGetEventStatus)                                                                        \
	X(vkResetEvent)                                                                            \
	X(vkCmdSetEvent)
/* NULL without VK_EXT_transform_feedback. */
#define VK_API_OPTIONAL(X)                                                                         \
	X(vkCmdBeginQueryIndexedEXT)                                                               \
	X(vkCmdEndQueryIndexedEXT)

struct vk_api {
	VkDevice device;
#define VK_API_MEMBER(name) PFN_##name name;
	VK_API_DEVICE(VK_API_MEMBER)
	VK_API_OPTIONAL(VK_API_MEMBER)
#undef VK_API_MEMBER
	VkPhysicalDeviceProperties properties;
	uint32_t timestamp_bits;  /* of the queue family; 0: no timestamps */
	VkQueueFlags queue_flags; /* of the queue family */
};

/* Loads the functions and reads the device's features; on failure *why names what is missing. */
bool vk_api_load(struct vk_api *vk, const GPA_VulkanContext *context, const char **why);

/*
 * Completes the context of a version 3 client: with the first queue family that draws or computes,
 * and the features of the physical device. Returns `out`.
 */
const GPA_VulkanContext *vk_api_complete(const GpaVkContextOpenInfo *info, GPA_VulkanContext *out);

/* vkGetInstanceProcAddr() of the loader; NULL without Vulkan. */
PFN_vkGetInstanceProcAddr vk_api_loader(const GPA_VulkanContext *context);

/* Hardware counters of Vulkan drivers through VK_KHR_performance_query (perf.c, perf_pool.c). */
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
	uint32_t *indices; /* the driver's index of each of our counters */
	uint32_t count, first_counter;
	/* Whether a command buffer may use several pools (performanceCounterMultipleQueryPools). */
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
/* Destroys pools that have run; returns how many are leaked, because they may still be used. */
size_t vk_perf_close(struct vk_perf *perf, const struct vk_api *vk);
/* Whether raws (numbers from RAW_COUNT on) fit in one pass. */
bool vk_perf_fits(const struct vk_perf *perf, const uint32_t *raws, uint32_t count);
/* Raws that are counted for commands in a command buffer. */
struct vk_perf_wanted {
	VkCommandBuffer commands;
	const uint32_t *raws;
	uint32_t count;
};

/* A query for raws in a command buffer, already reset. false: none; a device's limit is logged. */
bool vk_perf_take(struct vk_perf *perf, const struct vk_api *vk,
		  const struct vk_perf_wanted *wanted, struct vk_perf_query *out);
/* Returns a query; `read`: its result was read, so that it has run. */
void vk_perf_give(const struct vk_perf_query *query, bool read);
void vk_perf_begin(const struct vk_api *vk, const struct vk_perf_query *query);
void vk_perf_end(const struct vk_api *vk, const struct vk_perf_query *query);
/* values[i] of the query's raws: integers, or the bits of a double. */
enum gpa_answer vk_perf_read(const struct vk_perf *perf, const struct vk_api *vk,
			     const struct vk_perf_query *query, uint64_t *values);
/* The value of counter number `index` of vk_perf. */
void vk_perf_value(const struct vk_perf *perf, uint32_t index, uint64_t raw, union gpa_value *out);

/* The driver's indices of raws; the caller frees them. NULL: out of memory. */
uint32_t *vk_perf_indices(const struct vk_perf *perf, const uint32_t *raws, uint32_t count);
/* What a pool of these is made from; keeps a pointer to `indices`. */
VkQueryPoolPerformanceCreateInfoKHR vk_perf_describe(const struct vk_perf *perf,
						     const uint32_t *indices, uint32_t count);
/* The raws of a pool; they live as long as it does. */
const uint32_t *vk_perf_raws(const struct vk_perf_pool *pool, uint32_t *count);
/* Asks for the results of one query, one for each raw. */
VkResult vk_perf_results(const struct vk_api *vk, const struct vk_perf_pool *pool, uint32_t slot,
			 VkPerformanceCounterResultKHR *out);

enum { VK_STREAMS = 4 };

enum vk_set_state { VK_SET_BUSY, VK_SET_IDLE, VK_SET_LEFT };

/* The pools of one sample. */
struct vk_count {
	uint32_t kinds; /* which pools there are */
	enum vk_set_state state;
	bool recorded;		  /* a command buffer uses them */
	VkCommandBuffer commands; /* that the sample began in */
	VkQueryPool time, statistics, occlusion, streams[VK_STREAMS];
	VkEvent done; /* set after the sample; none in queues that only copy */
};

/* Which raws a context can count, by its features and its queue family. */
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

struct vk_sets {
	struct vk_count **all;
	size_t count, capacity;
};

#endif
