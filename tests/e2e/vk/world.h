/* What the Vulkan test programs share: a device, an image to draw on, pipelines, submissions. */
#ifndef TESTS_VK_WORLD_H
#define TESTS_VK_WORLD_H

#include <stdbool.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define SIDE 64u /* pixels */

/* Ends the program unless it went well; 77 where there is no Vulkan. */
#define MUST(call) must((call), #call)
void must(VkResult result, const char *what);

struct world {
	VkInstance instance;
	VkDebugUtilsMessengerEXT messenger;
	VkPhysicalDevice gpu;
	VkDevice device;
	VkQueue queue;
	uint32_t family;
	VkCommandPool pool;
	VkImage image;
	VkImageView view;
	VkDeviceMemory memory;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkPipelineLayout layout;
	VkPipeline draw, feedback, streams, dynamic, compute;
	VkFence fence;
};

/* What a case needs beside the plain things. */
struct needs {
	bool feedback, statistics; /* statistics: the program's own queries */
	bool stranger;		   /* an unknown structure in the device's pNext chain */
	bool performance;	   /* the program's own use of VK_KHR_performance_query */
	bool machine;		   /* two queue families and mesh shaders */
	bool bare;		   /* the case opens what it needs itself */
	bool mesh;		   /* mesh shaders alone; with `statistics` their queries, too */
};

/* A stage of a pipeline that draws. */
struct stage {
	VkShaderStageFlagBits stage;
	const uint32_t *words;
	size_t size;
};
#define STAGE(name, words)                                                                         \
	{                                                                                          \
		VK_SHADER_STAGE_##name, words, sizeof(words)                                       \
	}
#define STAGES_MAX 3u
extern const struct stage world_fragment; /* all white */

void world_open(struct world *world, const struct needs *needs);
void world_close(struct world *world);
/* What is drawn to goes, and comes again. */
void world_renew(struct world *world);
VkCommandBuffer world_commands(struct world *world, VkCommandPool pool, bool secondary);
void world_begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags);
void world_begin_pass(struct world *world, VkCommandBuffer commands, VkSubpassContents contents);
void world_submit(struct world *world, VkCommandBuffer commands);
/* Submits, and waits until it has run. */
void world_run(struct world *world, VkCommandBuffer commands);
/* `pass`: VK_NULL_HANDLE for dynamic rendering. Up to STAGES_MAX stages. */
VkPipeline world_pipeline(struct world *world, VkRenderPass pass, const struct stage *stages,
			  uint32_t count);
PFN_vkVoidFunction world_function(struct world *world, const char *name);

#endif
