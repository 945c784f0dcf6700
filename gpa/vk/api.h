/* The Vulkan functions that counting needs, of the program's device. */
#ifndef GPA_VK_API_H
#define GPA_VK_API_H

#include <stdbool.h>

#include "gpa/GPUPerfAPIVK.h"
#include "gpa/GPUPerfAPI3.h"

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

/* Loads the functions and asks the device; on failure *why says what is missing. */
bool vk_api_load(struct vk_api *vk, const GPA_VulkanContext *context, const char **why);

/*
 * Completes what a client of version 3 tells: the first queue family that draws or computes, and
 * the features that the physical device has. Returns `out`.
 */
const GPA_VulkanContext *vk_api_complete(const GpaVkContextOpenInfo *info, GPA_VulkanContext *out);

/* The entry that everything is found through; NULL without Vulkan. */
PFN_vkGetInstanceProcAddr vk_api_loader(const GPA_VulkanContext *context);

#endif
