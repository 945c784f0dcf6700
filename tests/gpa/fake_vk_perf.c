/* The functions of the extension, and the pools that only the fake knows. */
#include "fake_vk_perf.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#define COUNTERS 5

struct fake_vk_perf fake_vk_perf;

struct pool {
	uint32_t magic, count, indices[COUNTERS];
	bool reset, begun[256];
	VkCommandBuffer commands;
};
#define MAGIC 0x50455246u

static struct pool *pools[256];

static struct pool *find(VkQueryPool handle)
{
	for (size_t i = 0; i < 256; i++)
		if (pools[i] && (uint64_t)(uintptr_t)pools[i] == (uint64_t)handle)
			return pools[i];
	return NULL;
}

static VkResult VKAPI_CALL enumerate(VkPhysicalDevice gpu, uint32_t family, uint32_t *count,
				     VkPerformanceCounterKHR *counters,
				     VkPerformanceCounterDescriptionKHR *texts)
{
	static const struct {
		const char *name;
		VkPerformanceCounterUnitKHR unit;
		VkPerformanceCounterScopeKHR scope;
		VkPerformanceCounterStorageKHR storage;
	} all[COUNTERS] = {
	    {"GPU active cycles", VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR,
	     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR},
	    {"L2 cache hit ratio", VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR,
	     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR},
	    {"Busy time", VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR,
	     VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR,
	     VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR},
	    {"Whole buffer", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
	     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR,
	     VK_PERFORMANCE_COUNTER_STORAGE_UINT64_KHR},
	    {"Waves", VK_PERFORMANCE_COUNTER_UNIT_GENERIC_KHR,
	     VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR, VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR},
	};
	(void)gpu;
	(void)family;
	for (uint32_t i = 0; counters && i < *count && i < COUNTERS; i++) {
		counters[i].unit = all[i].unit;
		counters[i].scope = all[i].scope;
		counters[i].storage = all[i].storage;
		snprintf(texts[i].name, sizeof(texts[i].name), "%s", all[i].name);
		snprintf(texts[i].category, sizeof(texts[i].category), "Fake");
		snprintf(texts[i].description, sizeof(texts[i].description), "Made up.");
	}
	*count = COUNTERS;
	return VK_SUCCESS;
}

static void VKAPI_CALL passes(VkPhysicalDevice gpu, const VkQueryPoolPerformanceCreateInfoKHR *info,
			      uint32_t *count)
{
	(void)gpu;
	*count = (info->counterIndexCount + 1) / 2;
}

static VkResult VKAPI_CALL lock(VkDevice device, const VkAcquireProfilingLockInfoKHR *info)
{
	(void)device;
	(void)info;
	fake_vk_perf.locked = true;
	return VK_SUCCESS;
}

static void VKAPI_CALL unlock(VkDevice device)
{
	(void)device;
	fake_vk_perf.locked = false;
}

static VkResult VKAPI_CALL create_pool(VkDevice device, const VkQueryPoolCreateInfo *info,
				       const VkAllocationCallbacks *allocator, VkQueryPool *out)
{
	const VkQueryPoolPerformanceCreateInfoKHR *what = info->pNext;
	if (info->queryType == VK_QUERY_TYPE_PIPELINE_STATISTICS)
		fake_vk_perf.statistics = info->pipelineStatistics;
	if (info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
		return vkCreateQueryPool(device, info, allocator, out);
	struct pool *pool = calloc(1, sizeof(*pool));
	size_t slot = 0;
	while (pools[slot])
		slot++;
	pools[slot] = pool;
	pool->magic = MAGIC;
	pool->count = what->counterIndexCount;
	memcpy(pool->indices, what->pCounterIndices, pool->count * sizeof(uint32_t));
	fake_vk_perf.pools++;
	*out = (VkQueryPool)(uintptr_t)pool;
	return VK_SUCCESS;
}

static void VKAPI_CALL destroy_pool(VkDevice device, VkQueryPool handle,
				    const VkAllocationCallbacks *allocator)
{
	struct pool *pool = find(handle);
	if (!pool) {
		vkDestroyQueryPool(device, handle, allocator);
		return;
	}
	for (size_t i = 0; i < 256; i++)
		if (pools[i] == pool)
			pools[i] = NULL;
	free(pool);
	fake_vk_perf.pools--;
}

static void VKAPI_CALL reset(VkDevice device, VkQueryPool handle, uint32_t first, uint32_t count)
{
	struct pool *pool = find(handle);
	(void)device;
	if (!pool)
		return;
	pool->reset = true;
	pool->commands = VK_NULL_HANDLE;
	for (uint32_t i = first; i < first + count && i < 256; i++)
		pool->begun[i] = false;
}

static void VKAPI_CALL begin(VkCommandBuffer c, VkQueryPool handle, uint32_t query,
			     VkQueryControlFlags flags)
{
	struct pool *pool = find(handle);
	if (!pool) {
		vkCmdBeginQuery(c, handle, query, flags);
		return;
	}
	fake_vk_perf.begun++;
	fake_vk_perf.without_reset += !pool->reset;
	fake_vk_perf.twice += pool->begun[query];
	pool->begun[query] = true;
	pool->commands = c;
	for (size_t i = 0; i < 256; i++)
		if (pools[i] && pools[i] != pool && pools[i]->commands == c)
			fake_vk_perf.several += fake_vk_perf.one_pool;
}

static void VKAPI_CALL end(VkCommandBuffer c, VkQueryPool handle, uint32_t query)
{
	if (find(handle))
		fake_vk_perf.ended++;
	else
		vkCmdEndQuery(c, handle, query);
}

/* The model: counter n counts 1000 * (n + 1), in its own storage. */
static VkResult VKAPI_CALL results(VkDevice device, VkQueryPool handle, uint32_t first,
				   uint32_t count, size_t size, void *data, VkDeviceSize stride,
				   VkQueryResultFlags flags)
{
	const struct pool *pool = find(handle);
	VkPerformanceCounterResultKHR *out = data;
	if (!pool)
		return vkGetQueryPoolResults(device, handle, first, count, size, data, stride,
					     flags);
	if (fake_vk_perf.not_ready-- > 0)
		return VK_NOT_READY;
	for (uint32_t i = 0; i < pool->count; i++) {
		uint32_t n = pool->indices[i], value = 1000 * (n + 1);
		memset(&out[i], 0xee, sizeof(out[i]));
		if (n == 1)
			out[i].float64 = value;
		else if (n == 2)
			out[i].uint32 = value;
		else if (n == 4)
			out[i].float32 = (float)value;
		else
			out[i].uint64 = value;
	}
	return VK_SUCCESS;
}

static void VKAPI_CALL features(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures2 *out)
{
	VkPhysicalDevicePerformanceQueryFeaturesKHR *queries = out->pNext;
	vkGetPhysicalDeviceFeatures(gpu, &out->features);
	queries->performanceCounterQueryPools = VK_TRUE;
	queries->performanceCounterMultipleQueryPools = !fake_vk_perf.one_pool;
}

static void VKAPI_CALL families(VkPhysicalDevice gpu, uint32_t *count, VkQueueFamilyProperties *out)
{
	vkGetPhysicalDeviceQueueFamilyProperties(gpu, count, out);
	for (uint32_t i = 0; out && fake_vk_perf.family && i < *count; i++)
		out[i].queueFlags = fake_vk_perf.family;
}

static PFN_vkVoidFunction VKAPI_CALL from_device(VkDevice device, const char *name);

static PFN_vkVoidFunction replaced(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} all[] = {
	    {"vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR",
	     (PFN_vkVoidFunction)enumerate},
	    {"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR", (PFN_vkVoidFunction)passes},
	    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)from_device},
	    {"vkGetPhysicalDeviceQueueFamilyProperties", (PFN_vkVoidFunction)families},
	    {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)features},
	    {"vkAcquireProfilingLockKHR", (PFN_vkVoidFunction)lock},
	    {"vkReleaseProfilingLockKHR", (PFN_vkVoidFunction)unlock},
	    {"vkResetQueryPool", (PFN_vkVoidFunction)reset},
	    {"vkCreateQueryPool", (PFN_vkVoidFunction)create_pool},
	    {"vkDestroyQueryPool", (PFN_vkVoidFunction)destroy_pool},
	    {"vkCmdBeginQuery", (PFN_vkVoidFunction)begin},
	    {"vkCmdEndQuery", (PFN_vkVoidFunction)end},
	    {"vkGetQueryPoolResults", (PFN_vkVoidFunction)results},
	};
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i].name, name) == 0)
			return all[i].function;
	return NULL;
}

static PFN_vkVoidFunction VKAPI_CALL from_device(VkDevice device, const char *name)
{
	PFN_vkVoidFunction mine = replaced(name);
	return mine ? mine : vkGetDeviceProcAddr(device, name);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_vk_loader(VkInstance instance, const char *name)
{
	PFN_vkVoidFunction mine = replaced(name);
	return mine ? mine : vkGetInstanceProcAddr(instance, name);
}
