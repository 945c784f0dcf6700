/*
 * FAKE_MACHINE=1: what the driver below has not, and hardware has: three heaps of memory, three
 * queues of two families (one that cannot draw), mesh shaders with their statistics. All runs on
 * the driver's one queue; mesh shaders run nowhere, but are counted. With FAKE_IDLE=US nothing
 * runs, and all has ended at once: what a submission costs beside the driver. Reading results takes
 * so many microseconds. With FAKE_LATE=US submissions return so long after they have ended.
 */
#ifndef TESTS_VK_FAKE_MACHINE_H
#define TESTS_VK_FAKE_MACHINE_H

#include <stdbool.h>
#include <vulkan/vulkan.h>

/* Whether this process has such a machine. */
bool machine_here(void);
/* What a device wants, as the driver below can give it; it holds until machine_created(). */
void machine_create(VkDeviceCreateInfo *info);
void machine_created(const VkDeviceCreateInfo *info);
void machine_features(VkPhysicalDeviceFeatures2 *out);
/* The function of this name that replaces all others, or NULL. */
PFN_vkVoidFunction machine_command(const char *name);

#endif
