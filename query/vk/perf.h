/*
 * Counters of VK_KHR_performance_query: a driver's list of them, and which ones a single pass
 * counts. Query pools and commands are in layer/vulkan and gpa/vk.
 */
#ifndef QUERY_VK_PERF_H
#define QUERY_VK_PERF_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan_core.h>

#define PERF_NO_SET UINT32_MAX /* as PASSES_NONE */

struct perf_api {
	VkPhysicalDevice gpu;
	PFN_vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR enumerate;
	PFN_vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR passes;
};

/* Counters of a queue family in the driver's order. */
struct perf_list {
	uint32_t count;
	VkPerformanceCounterKHR *counters;
	VkPerformanceCounterDescriptionKHR *texts; /* each NUL-terminated */
};

/*
 * Reads the driver's list; perf_list_finish() frees it. After an error (the driver's, or
 * VK_ERROR_OUT_OF_HOST_MEMORY) it is empty.
 */
VkResult perf_list_read(const struct perf_api *api, uint32_t family, struct perf_list *out);
void perf_list_finish(struct perf_list *list);

/* Whether a single pass counts all of these. */
bool perf_fits(const struct perf_api *api, uint32_t family, const uint32_t *indices,
	       uint32_t count);

/*
 * Divides counters into sets that a single pass counts: sets[i] is the set of indices[i], or
 * PERF_NO_SET if it alone needs several passes, or there are too many sets. Returns the number of
 * sets; out of memory 0, and no counter has one.
 */
uint32_t perf_part(const struct perf_api *api, uint32_t family, const uint32_t *indices,
		   uint32_t count, uint32_t *sets);

/* Conversion of a counter's values to the catalogs' units. */
struct perf_unit {
	const char *name;
	double factor, offset; /* value = the driver's * factor + offset */
	bool level;	       /* values of a sample are averaged, not added */
};
/* The unit that the driver declares, or the correct one where it is known to be wrong. */
VkPerformanceCounterUnitKHR perf_declared_unit(const VkPerformanceCounterKHR *counter,
					       const VkPerformanceCounterDescriptionKHR *text);
/* The same, with its conversion. Static storage. */
const struct perf_unit *perf_unit_of(const VkPerformanceCounterKHR *counter,
				     const VkPerformanceCounterDescriptionKHR *text);
/* A result as a number, in the driver's unit. */
double perf_value(VkPerformanceCounterStorageKHR storage,
		  const VkPerformanceCounterResultKHR *result);

#endif
