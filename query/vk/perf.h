/*
 * Counters of VK_KHR_performance_query: a driver's list of them, and which ones a single run of a
 * command buffer counts. Counting itself is in front of no program here: no pools, no commands.
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
 * Asks the driver. An error: it gave no list, or there is no memory
 * (VK_ERROR_OUT_OF_HOST_MEMORY); then the list is empty. Released by perf_list_finish().
 */
VkResult perf_list_read(const struct perf_api *api, uint32_t family, struct perf_list *out);
void perf_list_finish(struct perf_list *list);

/* Whether a single run of a command buffer counts all of these. */
bool perf_fits(const struct perf_api *api, uint32_t family, const uint32_t *indices,
	       uint32_t count);

/*
 * Parts counters into sets that a single run counts: sets[i] is the set of indices[i], or
 * PERF_NO_SET where it alone takes several runs, or there are too many sets. Returns how many sets
 * there are; on no memory 0, and no counter has one.
 */
uint32_t perf_part(const struct perf_api *api, uint32_t family, const uint32_t *indices,
		   uint32_t count, uint32_t *sets);

/* How a counter's values read in the catalogs' units. */
struct perf_unit {
	const char *name;
	double factor, offset; /* value = the driver's * factor + offset */
	bool level;	       /* no sum: several values of a sample have a mean */
};
/* What the driver declares, or should have. */
VkPerformanceCounterUnitKHR perf_declared_unit(const VkPerformanceCounterKHR *counter,
					       const VkPerformanceCounterDescriptionKHR *text);
/* Where the driver declares the unit wrongly, the right one. Static storage. */
const struct perf_unit *perf_unit_of(const VkPerformanceCounterKHR *counter,
				     const VkPerformanceCounterDescriptionKHR *text);
/* What the driver wrote, in its own unit. */
double perf_value(VkPerformanceCounterStorageKHR storage,
		  const VkPerformanceCounterResultKHR *result);

#endif
