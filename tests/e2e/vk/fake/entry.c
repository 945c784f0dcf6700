/*
 * The loader's entry points of the fake driver: it loads the driver of FAKE_BELOW and replaces some
 * of its functions.
 */
#include "fake.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_icd.h>

#include "machine.h"

#define EXTENSION VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME
#define MESH	  VK_EXT_MESH_SHADER_EXTENSION_NAME
#define DEVICES	  16u

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
static struct fake_device devices[DEVICES];
static unsigned reads;
static VkInstance last_instance; /* any will do to ask the driver below for a function */

static void tell_reads(void)
{
	fprintf(stderr, "READS %u\n", reads);
}

void fake_rule(bool kept, const char *rule)
{
	if (!kept)
		fprintf(stderr, "RULE %s\n", rule);
}

struct fake_device *fake_device_of(VkDevice handle)
{
	for (size_t i = 0; i < DEVICES; i++)
		if (devices[i].handle == handle)
			return &devices[i];
	abort();
}

static void *library(void)
{
	const char *path = getenv("FAKE_BELOW");
	void *handle = dlopen(path ? path : "libvulkan_lvp.so", RTLD_NOW | RTLD_LOCAL);

	if (!handle)
		fprintf(stderr, "%s\n", dlerror());
	return handle;
}

static PFN_vkVoidFunction below(VkInstance instance, const char *name)
{
	static PFN_vkGetInstanceProcAddr get;

	if (!get) {
		void *driver = library();

		if (driver)
			*(void **)&get = dlsym(driver, "vk_icdGetInstanceProcAddr");
	}
	return get ? get(instance, name) : NULL;
}

void fake_note_read(void)
{
	if (__atomic_add_fetch(&reads, 1, __ATOMIC_RELAXED) == 1)
		atexit(tell_reads);
}

PFN_vkVoidFunction fake_next(const char *name)
{
	return below(last_instance, name);
}
#define BELOW(name) ((PFN_##name)fake_next(#name))

static void *find_in(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *at = chain;

	while (at && at->sType != type)
		at = at->pNext;
	return (void *)(uintptr_t)at;
}

static VkResult VKAPI_CALL list_extensions(VkPhysicalDevice gpu, const char *layer, uint32_t *count,
					   VkExtensionProperties *out)
{
	static const char *const names[] = {EXTENSION, MESH};
	uint32_t room = *count, all = 0, more = machine_here() ? 2 : 1;

	VkResult result = BELOW(vkEnumerateDeviceExtensionProperties)(gpu, layer, &all, NULL);
	if (result != VK_SUCCESS || !out) {
		*count = all + more;
		return result;
	}
	if (room < all + more)
		return VK_INCOMPLETE;
	result = BELOW(vkEnumerateDeviceExtensionProperties)(gpu, layer, &all, out);
	*count = all + more;
	for (uint32_t i = 0; i < more; i++) {
		VkExtensionProperties *own = &out[all + i];

		memset(own, 0, sizeof(*own));
		snprintf(own->extensionName, sizeof(own->extensionName), "%s", names[i]);
		own->specVersion = 1;
	}
	return result;
}

/* FAKE_INHERITED: as lavapipe does, but does not say. */
static bool inherits(void)
{
	return getenv("FAKE_INHERITED") != NULL;
}

static void VKAPI_CALL list_core_features(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures *out)
{
	BELOW(vkGetPhysicalDeviceFeatures)(gpu, out);
	out->inheritedQueries |= inherits();
}

static void VKAPI_CALL list_features(VkPhysicalDevice gpu, VkPhysicalDeviceFeatures2 *out)
{
	VkPhysicalDevicePerformanceQueryFeaturesKHR *queries =
	    find_in(out->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);

	BELOW(vkGetPhysicalDeviceFeatures2)(gpu, out);
	out->features.inheritedQueries |= inherits();
	if (machine_here())
		machine_features(out);
	if (queries) {
		queries->performanceCounterQueryPools = VK_TRUE;
		queries->performanceCounterMultipleQueryPools = VK_FALSE;
	}
}

static bool has(const VkDeviceCreateInfo *info)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (strcmp(info->ppEnabledExtensionNames[i], EXTENSION) == 0)
			return true;
	return false;
}

static void keep(VkDevice handle, bool enabled, bool multiple)
{
	pthread_mutex_lock(&fake_lock);
	for (size_t i = 0; i < DEVICES; i++) {
		if (devices[i].handle)
			continue;
		devices[i] = (struct fake_device){
		    .handle = handle, .enabled = enabled, .multiple = multiple};
		break;
	}
	pthread_mutex_unlock(&fake_lock);
}

/* Without what the driver below does not know. */
static VkResult VKAPI_CALL create_device(VkPhysicalDevice gpu, const VkDeviceCreateInfo *info,
					 const VkAllocationCallbacks *allocator, VkDevice *out)
{
	VkPhysicalDevicePerformanceQueryFeaturesKHR *queries =
	    find_in(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PERFORMANCE_QUERY_FEATURES_KHR);
	VkBool32 wanted = queries && queries->performanceCounterQueryPools;
	VkPhysicalDeviceFeatures2 *all =
	    find_in(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
	VkPhysicalDeviceFeatures core;
	VkDeviceCreateInfo copy = *info;
	const char **names = calloc(info->enabledExtensionCount + 1, sizeof(*names));

	copy.ppEnabledExtensionNames = names;
	copy.enabledExtensionCount = 0;
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
		if (strcmp(info->ppEnabledExtensionNames[i], EXTENSION) != 0 &&
		    strcmp(info->ppEnabledExtensionNames[i], MESH) != 0)
			names[copy.enabledExtensionCount++] = info->ppEnabledExtensionNames[i];
	fake_rule(!queries || has(info), "a feature of an extension that is not enabled");
	if (queries)
		queries->performanceCounterQueryPools = VK_FALSE;
	if (inherits() && all)
		all->features.inheritedQueries = VK_FALSE;
	if (inherits() && info->pEnabledFeatures) {
		core = *info->pEnabledFeatures;
		core.inheritedQueries = VK_FALSE;
		copy.pEnabledFeatures = &core;
	}
	if (machine_here())
		machine_create(&copy);
	VkResult result = BELOW(vkCreateDevice)(gpu, &copy, allocator, out);
	if (machine_here())
		machine_created(&copy);
	if (queries)
		queries->performanceCounterQueryPools = wanted;
	free(names);
	if (result == VK_SUCCESS)
		keep(*out, has(info) && wanted,
		     queries && queries->performanceCounterMultipleQueryPools);
	return result;
}

static VkResult VKAPI_CALL create_instance(const VkInstanceCreateInfo *info,
					   const VkAllocationCallbacks *allocator, VkInstance *out)
{
	PFN_vkCreateInstance next = (PFN_vkCreateInstance)below(VK_NULL_HANDLE, "vkCreateInstance");
	VkResult result = next ? next(info, allocator, out) : VK_ERROR_INCOMPATIBLE_DRIVER;

	if (result == VK_SUCCESS)
		last_instance = *out;
	return result;
}

static PFN_vkVoidFunction VKAPI_CALL get_device_proc(VkDevice device, const char *name)
{
	PFN_vkVoidFunction first = machine_command(name);
	PFN_vkVoidFunction own = first ? first : fake_command(name);

	return own ? own : BELOW(vkGetDeviceProcAddr)(device, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetInstanceProcAddr(VkInstance instance, const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} table[] = {
	    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)get_device_proc},
	    {"vkCreateInstance", (PFN_vkVoidFunction)create_instance},
	    {"vkCreateDevice", (PFN_vkVoidFunction)create_device},
	    {"vkEnumerateDeviceExtensionProperties", (PFN_vkVoidFunction)list_extensions},
	    {"vkGetPhysicalDeviceFeatures", (PFN_vkVoidFunction)list_core_features},
	    {"vkGetPhysicalDeviceFeatures2", (PFN_vkVoidFunction)list_features},
	    {"vkEnumeratePhysicalDeviceQueueFamilyPerformanceQueryCountersKHR",
	     (PFN_vkVoidFunction)fake_enumerate},
	    {"vkGetPhysicalDeviceQueueFamilyPerformanceQueryPassesKHR",
	     (PFN_vkVoidFunction)fake_passes},
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].function;
	PFN_vkVoidFunction first = machine_command(name);
	PFN_vkVoidFunction own = first ? first : fake_command(name);

	return own ? own : below(instance, name);
}

/* Physical-device functions that replace the driver's. */
__attribute__((visibility("default"))) VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL
vk_icdGetPhysicalDeviceProcAddr(VkInstance instance, const char *name)
{
	if (strncmp(name, "vkGetPhysicalDevice", 19) != 0 &&
	    strncmp(name, "vkEnumeratePhysicalDeviceQueue", 30) != 0)
		return NULL;
	return vk_icdGetInstanceProcAddr(instance, name);
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vk_icdNegotiateLoaderICDInterfaceVersion(uint32_t *version)
{
	*version = *version < 5 ? *version : 5;
	return VK_SUCCESS;
}
