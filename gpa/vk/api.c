/* Loading Vulkan's functions through the loader or through what the program gives. */
#include "gpa/vk/backend.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

PFN_vkGetInstanceProcAddr vk_api_loader(const GPA_VulkanContext *context)
{
	PFN_vkGetInstanceProcAddr get = context->getInstanceProcAddr;
	if (get)
		return get;
	void *symbol = dlsym(RTLD_DEFAULT, "vkGetInstanceProcAddr");
	if (!symbol) {
		void *library = dlopen("libvulkan.so.1", RTLD_LAZY);
		symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
	}
	memcpy(&get, &symbol, sizeof(get));
	return get;
}

static VkQueueFamilyProperties family_of(const GPA_VulkanContext *context,
					 PFN_vkGetInstanceProcAddr get)
{
	VkQueueFamilyProperties family = {0};
	PFN_vkGetPhysicalDeviceQueueFamilyProperties families =
	    (PFN_vkGetPhysicalDeviceQueueFamilyProperties)get(
		context->instance, "vkGetPhysicalDeviceQueueFamilyProperties");
	uint32_t count = 0;
	if (!families)
		return family;
	families(context->physicalDevice, &count, NULL);
	VkQueueFamilyProperties *list = calloc(count + 1, sizeof(*list));
	if (!list)
		return family;
	families(context->physicalDevice, &count, list);
	if (context->queueFamilyIndex < count)
		family = list[context->queueFamilyIndex];
	free(list);
	return family;
}

bool vk_api_load(struct vk_api *vk, const GPA_VulkanContext *context, const char **why)
{
	PFN_vkGetInstanceProcAddr get = vk_api_loader(context);
	*vk = (struct vk_api){.device = context->device};
	if (!get || !context->instance || !context->physicalDevice || !context->device) {
		*why = get ? "the instance or the device is missing" : "libvulkan.so.1 is not here";
		return false;
	}
	PFN_vkGetDeviceProcAddr get_device =
	    (PFN_vkGetDeviceProcAddr)get(context->instance, "vkGetDeviceProcAddr");
	PFN_vkGetPhysicalDeviceProperties properties = (PFN_vkGetPhysicalDeviceProperties)get(
	    context->instance, "vkGetPhysicalDeviceProperties");
	bool all = get_device && properties;
#define VK_API_LOAD(name)                                                                          \
	vk->name = all ? (PFN_##name)get_device(context->device, #name) : NULL;                    \
	all = all && vk->name;
	VK_API_DEVICE(VK_API_LOAD)
#undef VK_API_LOAD
	if (!all) {
		*why = "the device lacks query pools";
		return false;
	}
#define VK_API_LOAD(name) vk->name = (PFN_##name)get_device(context->device, #name);
	VK_API_OPTIONAL(VK_API_LOAD)
#undef VK_API_LOAD
	properties(context->physicalDevice, &vk->properties);
	VkQueueFamilyProperties family = family_of(context, get);
	vk->timestamp_bits = family.timestampValidBits;
	vk->queue_flags = family.queueFlags;
	return true;
}

static uint32_t first_family(const GPA_VulkanContext *context, PFN_vkGetInstanceProcAddr get)
{
	GPA_VulkanContext probe = *context;
	for (probe.queueFamilyIndex = 0; probe.queueFamilyIndex < 64; probe.queueFamilyIndex++) {
		VkQueueFlags flags = family_of(&probe, get).queueFlags;
		if (!flags)
			break;
		if (flags & VK_QUEUE_GRAPHICS_BIT)
			return probe.queueFamilyIndex;
	}
	return 0;
}

const GPA_VulkanContext *vk_api_complete(const GpaVkContextOpenInfo *info, GPA_VulkanContext *out)
{
	VkPhysicalDeviceFeatures features = {0};
	*out = (GPA_VulkanContext){.instance = info->instance,
				   .physicalDevice = info->physical_device,
				   .device = info->device};
	PFN_vkGetInstanceProcAddr get = vk_api_loader(out);
	if (!get || !out->instance || !out->physicalDevice)
		return out;
	PFN_vkGetPhysicalDeviceFeatures ask =
	    (PFN_vkGetPhysicalDeviceFeatures)get(out->instance, "vkGetPhysicalDeviceFeatures");
	if (ask)
		ask(out->physicalDevice, &features);
	out->pipelineStatisticsQuery = features.pipelineStatisticsQuery;
	out->occlusionQueryPrecise = features.occlusionQueryPrecise;
	out->queueFamilyIndex = first_family(out, get);
	return out;
}
