/* VK_KHR_performance_query: enables the extension, takes the lock, chooses counters. */
#include "layer/vulkan/driver.h"

#include <stdlib.h>
#include <string.h>

#include "guest/process.h"
#include "layer/vulkan/layer.h"
#include "query/vk/perf.h"

#define EXTENSION    VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME
#define LOCK_WAIT_NS UINT64_C(100000000)

static void set_why_all(struct device *device, enum wire_why why)
{
	for (uint32_t i = 0; i < device->driver.count; i++)
		device->driver.counters[i].why = why;
}

static bool lists_extension(const char *const *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		if (strcmp(list[i], EXTENSION) == 0)
			return true;
	}
	return false;
}

static bool has_extension(const struct device *device)
{
	PFN_vkEnumerateDeviceExtensionProperties list =
	    device->instance->next.EnumerateDeviceExtensionProperties;
	uint32_t count = 0;
	bool found = false;

	if (!list || list(device->gpu, NULL, &count, NULL) < 0)
		return false;
	VkExtensionProperties *all = calloc((size_t)count + 1, sizeof(*all));
	if (all && list(device->gpu, NULL, &count, all) >= 0) {
		for (uint32_t i = 0; i < count; i++)
			found |= strcmp(all[i].extensionName, EXTENSION) == 0;
	}
	free(all);
	return found;
}

static bool has_feature(const struct device *device)
{
	VkPhysicalDevicePerformanceQueryFeaturesKHR queries = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &queries};
	PFN_vkGetPhysicalDeviceFeatures2 get = device->instance->next.GetPhysicalDeviceFeatures2;
	if (device->instance->version < VK_API_VERSION_1_1 || !get)
		return false;
	get(device->gpu, &features);
	return queries.performanceCounterQueryPools;
}

/* Enables the extension in the copy; false: no memory. */
static bool enable_extension(struct features_copy *out)
{
	uint32_t count = out->info.enabledExtensionCount;
	out->extensions = calloc((size_t)count + 1, sizeof(*out->extensions));
	if (!out->extensions)
		return false;
	if (count != 0)
		memcpy(out->extensions, out->info.ppEnabledExtensionNames,
		       count * sizeof(*out->extensions));
	out->extensions[count] = EXTENSION;
	out->info.ppEnabledExtensionNames = out->extensions;
	out->info.enabledExtensionCount = count + 1;
	out->queries = (VkPhysicalDevicePerformanceQueryFeaturesKHR){
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR,
	    .pNext = (void *)(uintptr_t)out->info.pNext,
	    .performanceCounterQueryPools = VK_TRUE};
	out->info.pNext = &out->queries;
	return true;
}

/* Needs hostQueryReset: a command buffer must not reset a performance query that it begins. */
void driver_prepare(struct device *device, const VkDeviceCreateInfo *info,
		    struct features_copy *out)
{
	struct driver *driver = &device->driver;
	uint32_t count = guest_channel()->driver_count;
	driver->count = count < WIRE_DRIVER_MOST ? count : WIRE_DRIVER_MOST;
	if (driver->count == 0)
		return;
	set_why_all(device, WIRE_WHY_OTHER_DRIVER);
	if (lists_extension(info->ppEnabledExtensionNames, info->enabledExtensionCount))
		set_why_all(device, WIRE_WHY_PROGRAMS_OWN);
	else if (has_extension(device) && (!has_feature(device) || !device->host_reset))
		set_why_all(device, WIRE_WHY_NO_FEATURE);
	else if (has_extension(device))
		driver->enabled = enable_extension(out);
}

/* Whether a sample covers the counter's scope (VkPerformanceCounterScopeKHR). */
static bool scope_fits(const struct device *device, VkPerformanceCounterScopeKHR scope)
{
	if (device->per == WIRE_GROUP)
		return scope == VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_KHR;
	if (device->per == WIRE_PASS)
		return scope != VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR;
	return true;
}

/* The wanted counters that a queue family has. */
struct choice {
	uint32_t count;
	uint32_t indices[WIRE_DRIVER_MOST], wanted[WIRE_DRIVER_MOST], sets[WIRE_DRIVER_MOST];
};

static void choose_counters(struct device *device, const struct perf_list *list, struct choice *out)
{
	const struct wire_header *channel = guest_channel();
	for (uint32_t w = 0; channel && w < device->driver.count; w++) {
		struct driver_counter *counter = &device->driver.counters[w];
		uint32_t at = 0;
		while (at < list->count &&
		       memcmp(list->counters[at].uuid, channel->driver_ids[w], WIRE_ID_BYTES) != 0)
			at++;
		if (at == list->count)
			continue;
		const struct perf_unit *unit = perf_unit_of(&list->counters[at], &list->texts[at]);
		counter->factor = unit->factor;
		counter->offset = unit->offset;
		counter->level = unit->level;
		if (!scope_fits(device, list->counters[at].scope)) {
			counter->why = WIRE_WHY_SCOPE;
			continue;
		}
		out->indices[out->count] = at;
		out->wanted[out->count++] = w;
	}
}

static void fill_set(struct device *device, const struct perf_list *list,
		     const struct choice *chosen, uint32_t number, struct driver_set *set)
{
	for (uint32_t i = 0; i < chosen->count; i++) {
		if (chosen->sets[i] != number)
			continue;
		set->indices[set->count] = chosen->indices[i];
		set->wanted[set->count] = chosen->wanted[i];
		set->storage[set->count++] = list->counters[chosen->indices[i]].storage;
		device->driver.counters[chosen->wanted[i]].why = WIRE_WHY_COLLECTED;
	}
}

static void add_sets(struct device *device, uint32_t family, const struct perf_list *list,
		     const struct choice *chosen, uint32_t count)
{
	struct driver *driver = &device->driver;
	struct driver_set *more =
	    realloc(driver->sets, (driver->set_count + count) * sizeof(*more));

	if (!more)
		return;
	driver->sets = more;
	driver->families[family].first = driver->set_count;
	driver->families[family].count = count;
	passes_start(&driver->families[family].turn, count);
	for (uint32_t i = 0; i < count; i++) {
		struct driver_set *set = &more[driver->set_count++];
		*set = (struct driver_set){.family = family};
		fill_set(device, list, chosen, i, set);
	}
	driver->works = true;
}

static void add_family(struct device *device, const struct perf_api *api, uint32_t family)
{
	struct perf_list list;
	struct choice chosen = {0};
	if (perf_list_read(api, family, &list) != VK_SUCCESS)
		return;
	choose_counters(device, &list, &chosen);
	uint32_t count = perf_part(api, family, chosen.indices, chosen.count, chosen.sets);
	for (uint32_t i = 0; i < chosen.count; i++) {
		struct driver_counter *counter = &device->driver.counters[chosen.wanted[i]];
		if (chosen.sets[i] == PERF_NO_SET && counter->why != WIRE_WHY_COLLECTED)
			counter->why = WIRE_WHY_PASSES;
	}
	if (count != 0)
		add_sets(device, family, &list, &chosen, count);
	perf_list_finish(&list);
}

/* Held until the device is destroyed; needed before a command buffer with a query is begun. */
static bool driver_lock(struct device *device)
{
	const VkAcquireProfilingLockInfoKHR info = {
	    .sType = VK_STRUCTURE_TYPE_ACQUIRE_PROFILING_LOCK_INFO_KHR, .timeout = LOCK_WAIT_NS};
	VkResult result = device->next.AcquireProfilingLockKHR(device->handle, &info);
	device->driver.locked = result == VK_SUCCESS;
	if (result == VK_TIMEOUT)
		set_why_all(device, WIRE_WHY_LOCKED);
	else if (result != VK_SUCCESS)
		set_why_all(device, WIRE_WHY_FORBIDDEN);
	return device->driver.locked;
}

void driver_start(struct device *device)
{
	const struct instance *instance = device->instance;
	const struct perf_api api = {
	    .gpu = device->gpu,
	    .enumerate =
		instance->next.EnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR,
	    .passes = instance->next.GetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR};
	if (!device->driver.enabled || !api.enumerate || !api.passes ||
	    !device->next.AcquireProfilingLockKHR || !device->next.ReleaseProfilingLockKHR ||
	    !driver_lock(device))
		return;
	for (uint32_t family = 0; family < device->family_count; family++)
		add_family(device, &api, family);
	if (device->driver.works)
		device->wanted |= QUERY_BIT(QUERY_DRIVER);
	driver_next_frame(device);
}

void driver_next_frame(struct device *device)
{
	for (uint32_t i = 0; device->driver.works && i < DRIVER_FAMILIES; i++) {
		struct driver_family *family = &device->driver.families[i];
		if (family->count != 0)
			__atomic_store_n(&family->now, passes_next(&family->turn),
					 __ATOMIC_RELAXED);
	}
}

void driver_finish(struct device *device)
{
	struct driver *driver = &device->driver;
	while (driver->pools) {
		struct driver_pool *next = driver->pools->next_of_all;
		device->next.DestroyQueryPool(device->handle, driver->pools->pool, NULL);
		free(driver->pools);
		driver->pools = next;
	}
	if (driver->locked)
		device->next.ReleaseProfilingLockKHR(device->handle);
	driver->locked = driver->works = false;
	free(driver->sets);
	driver->sets = NULL;
}
