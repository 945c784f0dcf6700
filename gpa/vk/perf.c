/* Enumerating, planning and reading the counters of VK_KHR_performance_query. */
#include "gpa/vk/backend.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCOPE_COMMAND_BUFFER VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR
#define LOCK_WAIT_NS	     1000000000ull

static bool is_float(VkPerformanceCounterStorageKHR storage)
{
	return storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR ||
	       storage == VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR;
}

static GPA_Usage_Type usage_of(const VkPerformanceCounterKHR *c,
			       const VkPerformanceCounterDescriptionKHR *text)
{
	switch (perf_declared_unit(c, text)) {
	case VK_PERFORMANCE_COUNTER_UNIT_PERCENTAGE_KHR:
		return GPA_USAGE_TYPE_PERCENTAGE;
	case VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR:
		return GPA_USAGE_TYPE_MILLISECONDS;
	case VK_PERFORMANCE_COUNTER_UNIT_BYTES_KHR:
		return GPA_USAGE_TYPE_BYTES;
	case VK_PERFORMANCE_COUNTER_UNIT_CYCLES_KHR:
		return GPA_USAGE_TYPE_CYCLES;
	default:
		return GPA_USAGE_TYPE_ITEMS;
	}
}

static bool offer(struct vk_perf *perf, struct gpa_guide *guide, struct gpa_list *list,
		  const VkPerformanceCounterKHR *c, const VkPerformanceCounterDescriptionKHR *text)
{
	char line[2 * VK_MAX_DESCRIPTION_SIZE + 8];
	const uint32_t raw = RAW_COUNT + perf->count;
	GPA_Usage_Type usage = usage_of(c, text);
	bool real = is_float(c->storage) || usage == GPA_USAGE_TYPE_MILLISECONDS;
	snprintf(line, sizeof(line), "#%s#%s", text->category[0] ? text->category : "Vulkan",
		 text->description);
	struct gpa_counter counter = {
	    .name = arena_strndup(&guide->arena, text->name, strlen(text->name)),
	    .description = arena_strndup(&guide->arena, line, strlen(line)),
	    .type = real ? GPA_TYPE_FLOAT64 : GPA_TYPE_UINT64,
	    .usage = usage};
	memcpy(counter.uuid, c->uuid, sizeof(counter.uuid)); /* the driver's own */
	if (!counter.name || !counter.description || !guide_add(guide, list, counter, &raw, 1))
		return false;
	perf->counters[perf->count++] = *c;
	return true;
}

static bool offer_all(struct vk_perf *perf, struct gpa_guide *guide, struct gpa_list *list)
{
	struct perf_list all;
	VkResult result = perf_list_read(&perf->api, perf->family, &all);
	if (result != VK_SUCCESS)
		return result != VK_ERROR_OUT_OF_HOST_MEMORY;
	perf->counters = calloc((size_t)all.count + 1, sizeof(*perf->counters));
	perf->indices = calloc((size_t)all.count + 1, sizeof(*perf->indices));
	bool ok = perf->counters && perf->indices;
	for (uint32_t i = 0; ok && i < all.count; i++) {
		/* A sample is a part of a command buffer. */
		if (all.counters[i].scope == SCOPE_COMMAND_BUFFER)
			continue;
		perf->indices[perf->count] = i;
		ok = offer(perf, guide, list, &all.counters[i], &all.texts[i]);
	}
	perf_list_finish(&all);
	return ok;
}

static bool take_lock(struct vk_perf *perf, PFN_vkAcquireProfilingLockKHR acquire)
{
	const VkAcquireProfilingLockInfoKHR info = {
	    .sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = LOCK_WAIT_NS};
	perf->locked = acquire(perf->device, &info) == VK_SUCCESS;
	if (!perf->locked)
		gpa_log(GPA_LOGGING_ERROR, "another program holds the driver's profiling lock");
	return perf->locked;
}

/* Whether a command buffer of this device could use several pools. */
static bool asks_several_pools(const GPA_VulkanContext *context, PFN_vkGetInstanceProcAddr get)
{
	VkPhysicalDevicePerformanceQueryFeaturesKHR queries = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &queries};
	PFN_vkGetPhysicalDeviceFeatures2 ask = (PFN_vkGetPhysicalDeviceFeatures2)get(
	    context->instance, "vkGetPhysicalDeviceFeatures2");
	if (!ask)
		ask = (PFN_vkGetPhysicalDeviceFeatures2)get(context->instance,
							    "vkGetPhysicalDeviceFeatures2KHR");
	if (ask)
		ask(context->physicalDevice, &features);
	return queries.performanceCounterMultipleQueryPools;
}

bool vk_perf_open(struct vk_perf *perf, const GPA_VulkanContext *context, struct gpa_guide *guide,
		  struct gpa_list *list)
{
	PFN_vkGetInstanceProcAddr get = vk_api_loader(context);
	*perf = (struct vk_perf){.api = {.gpu = context->physicalDevice},
				 .device = context->device,
				 .family = context->queueFamilyIndex,
				 .first_counter = (uint32_t)list->count};
	if (!context->performanceQueries || !context->hostQueryReset || !get)
		return true;
#define FROM_INSTANCE(name) (PFN_##name) get(context->instance, #name)
	perf->api.enumerate =
	    FROM_INSTANCE(vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR);
	PFN_vkGetDeviceProcAddr get_device = FROM_INSTANCE(vkGetDeviceProcAddr);
	perf->api.passes = FROM_INSTANCE(vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR);
	if (!get_device || !perf->api.enumerate || !perf->api.passes)
		return true;
#define FROM_DEVICE(name) (PFN_##name) get_device(context->device, #name)
	PFN_vkAcquireProfilingLockKHR acquire = FROM_DEVICE(vkAcquireProfilingLockKHR);
	perf->release = FROM_DEVICE(vkReleaseProfilingLockKHR);
	perf->reset = FROM_DEVICE(vkResetQueryPool);
	if (!perf->reset)
		perf->reset = FROM_DEVICE(vkResetQueryPoolEXT);
	if (!acquire || !perf->release || !perf->reset || !take_lock(perf, acquire))
		return true;
	perf->several_pools = asks_several_pools(context, get);
	return offer_all(perf, guide, list);
}

uint32_t *vk_perf_indices(const struct vk_perf *perf, const uint32_t *raws, uint32_t count)
{
	uint32_t *list = calloc(count + 1, sizeof(*list));
	for (uint32_t i = 0; list && i < count; i++)
		list[i] = perf->indices[raws[i] - RAW_COUNT];
	return list;
}

VkQueryPoolPerformanceCreateInfoKHR vk_perf_describe(const struct vk_perf *perf,
						     const uint32_t *indices, uint32_t count)
{
	return (VkQueryPoolPerformanceCreateInfoKHR){
	    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
	    .queueFamilyIndex = perf->family,
	    .counterIndexCount = count,
	    .pCounterIndices = indices};
}

bool vk_perf_fits(const struct vk_perf *perf, const uint32_t *raws, uint32_t count)
{
	uint32_t *indices = vk_perf_indices(perf, raws, count);
	bool fits = indices && perf_fits(&perf->api, perf->family, indices, count);
	free(indices);
	return fits;
}

static uint64_t bits_of(VkPerformanceCounterStorageKHR storage,
			const VkPerformanceCounterResultKHR *result)
{
	double number;
	uint64_t bits;
	switch (storage) {
	case VK_PERFORMANCE_COUNTER_STORAGE_INT32_KHR:
		return (uint64_t)(int64_t)result->int32;
	case VK_PERFORMANCE_COUNTER_STORAGE_UINT32_KHR:
		return result->uint32;
	case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT32_KHR:
		number = (double)result->float32;
		break;
	case VK_PERFORMANCE_COUNTER_STORAGE_FLOAT64_KHR:
		number = result->float64;
		break;
	default:
		return result->uint64;
	}
	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

enum gpa_answer vk_perf_read(const struct vk_perf *perf, const struct vk_api *vk,
			     const struct vk_perf_query *query, uint64_t *values)
{
	uint32_t count;
	const uint32_t *raws = vk_perf_raws(query->pool, &count);
	VkPerformanceCounterResultKHR *results = calloc(count + 1, sizeof(*results));
	if (!results)
		return GPA_LOST;
	VkResult status = vk_perf_results(vk, query->pool, query->slot, results);
	for (uint32_t i = 0; status == VK_SUCCESS && i < count; i++)
		values[i] = bits_of(perf->counters[raws[i] - RAW_COUNT].storage, &results[i]);
	free(results);
	return status == VK_SUCCESS ? GPA_READY : status == VK_NOT_READY ? GPA_NOT_YET : GPA_LOST;
}

void vk_perf_value(const struct vk_perf *perf, uint32_t index, uint64_t raw, union gpa_value *out)
{
	const VkPerformanceCounterKHR *c = &perf->counters[index];
	double number = (double)raw;
	bool time = c->unit == VK_PERFORMANCE_COUNTER_UNIT_NANOSECONDS_KHR;
	if (is_float(c->storage))
		memcpy(&number, &raw, sizeof(number));
	if (is_float(c->storage) || time)
		out->f64 = time ? number / 1e6 : number;
	else
		out->u64 = raw;
}
