/*
 * What GPA_OpenContext() of libGPUPerfAPIVK takes: GPUPerfAPI 2.x knows no Vulkan, so this
 * structure is Sextant's own. Samples are recorded into the program's command buffer.
 */
#ifndef GPUPERFAPI_VK_H
#define GPUPERFAPI_VK_H

#include <stdint.h>
#include <vulkan/vulkan_core.h>

/*
 * Stays the program's, unchanged but for `commandBuffer`, until GPA_CloseContext(). Each
 * GPA_BeginSample() and GPA_EndSample() record into the command buffer that is set then: the same
 * for both, recording, and outside of a render pass. Results come once it has been submitted and
 * run; the program must submit it once, and close the context only when it has run. With
 * performance queries the driver's profiling lock is held from opening to closing: open the context
 * before command buffers are begun.
 */
typedef struct GPA_VulkanContext {
	VkInstance instance;
	VkPhysicalDevice physicalDevice;
	VkDevice device;
	uint32_t queueFamilyIndex; /* of the queue that the command buffers go to */
	VkCommandBuffer commandBuffer;
	/* Features that the device was created with. */
	VkBool32 pipelineStatisticsQuery;
	VkBool32 occlusionQueryPrecise;
	VkBool32 transformFeedbackQueries; /* VK_EXT_transform_feedback, with the feature on */
	VkBool32 performanceQueries;	   /* VK_KHR_performance_query; needs the next one too */
	VkBool32 hostQueryReset;
	PFN_vkGetInstanceProcAddr getInstanceProcAddr; /* NULL: libvulkan.so.1 */
} GPA_VulkanContext;

#endif
