/*
 * VK_KHR_performance_query in front of a real driver: a vkGetInstanceProcAddr to hand to the
 * library. Five counters, of which two fit one pass; the fourth cannot be used within a command
 * buffer.
 */
#ifndef TESTS_GPA_FAKE_VK_PERF_H
#define TESTS_GPA_FAKE_VK_PERF_H

#include <stdbool.h>
#include <vulkan/vulkan_core.h>

struct fake_vk_perf {
	bool locked;
	int pools;	     /* alive */
	int begun, ended;    /* queries recorded */
	int without_reset;   /* begun although the host has not reset them */
	int not_ready;	     /* answers of not ready to come */
	bool one_pool;	     /* no performanceCounterMultipleQueryPools */
	int several;	     /* queries begun in a command buffer that has another pool */
	int twice;	     /* queries begun that were begun before, without a reset between */
	VkQueueFlags family; /* what the queue family can, instead of what it says; or 0 */
	VkQueryPipelineStatisticFlags statistics; /* of the last pool of them */
};
/* One for the test program. */
extern struct fake_vk_perf fake_vk_perf;

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL fake_vk_loader(VkInstance instance, const char *name);

#endif
