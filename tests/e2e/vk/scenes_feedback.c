/* Transform feedback: one stream, and two of a geometry shader. */
#include "scenes.h"

#define BUFFERS 2u
#define ENTRY	16u /* bytes of a vertex */

struct functions {
	PFN_vkCmdBindTransformFeedbackBuffersEXT bind;
	PFN_vkCmdBeginTransformFeedbackEXT begin;
	PFN_vkCmdEndTransformFeedbackEXT end;
};

struct stores {
	VkBuffer buffers[BUFFERS];
	VkDeviceMemory memory[BUFFERS];
};

static struct functions functions_of(struct world *world)
{
	return (struct functions){(PFN_vkCmdBindTransformFeedbackBuffersEXT)world_function(
				      world, "vkCmdBindTransformFeedbackBuffersEXT"),
				  (PFN_vkCmdBeginTransformFeedbackEXT)world_function(
				      world, "vkCmdBeginTransformFeedbackEXT"),
				  (PFN_vkCmdEndTransformFeedbackEXT)world_function(
				      world, "vkCmdEndTransformFeedbackEXT")};
}

static void make_store(struct world *world, struct stores *stores, uint32_t number,
		       VkDeviceSize bytes)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = bytes,
				   .usage = VK_BUFFER_USAGE_TRANSFORM_FEEDBACK_BUFFER_BIT_EXT};
	VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;

	MUST(vkCreateBuffer(world->device, &info, NULL, &stores->buffers[number]));
	vkGetBufferMemoryRequirements(world->device, stores->buffers[number], &needs);
	memory.allocationSize = needs.size;
	MUST(vkAllocateMemory(world->device, &memory, NULL, &stores->memory[number]));
	MUST(vkBindBufferMemory(world->device, stores->buffers[number], stores->memory[number], 0));
}

static void free_stores(struct world *world, const struct stores *stores, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		vkDestroyBuffer(world->device, stores->buffers[i], NULL);
		vkFreeMemory(world->device, stores->memory[i], NULL);
	}
}

/* One triangle to the screen in each round, and seven into the stores in every other. */
static void run(struct world *world, const struct stores *stores, uint32_t count,
		VkPipeline pipeline, int rounds)
{
	const VkDeviceSize zeros[BUFFERS] = {0};
	struct functions functions = functions_of(world);
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	VkMemoryBarrier written = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
				   .srcAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT,
				   .dstAccessMask = VK_ACCESS_TRANSFORM_FEEDBACK_WRITE_BIT_EXT};
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFORM_FEEDBACK_BIT_EXT;

	for (int i = 0; i < rounds; i++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		vkCmdPipelineBarrier(commands, stage, stage, 0, 1, &written, 0, NULL, 0, NULL);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 1);
		if (i % 2 == 0) {
			vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, pipeline);
			functions.bind(commands, 0, count, stores->buffers, zeros, NULL);
			functions.begin(commands, 0, 0, NULL, NULL);
			vkCmdDraw(commands, 21, 1, 0, 0);
			functions.end(commands, 0, 0, NULL, NULL);
		}
		vkCmdEndRenderPass(commands);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
}

/* Seven triangles into a buffer that holds four. */
void scene_feedback(struct world *world, int rounds)
{
	struct stores stores;

	make_store(world, &stores, 0, 4 * 3 * ENTRY);
	run(world, &stores, 1, world->feedback, rounds);
	free_stores(world, &stores, 1);
}

/* A point of each triangle to the first stream, with room for all, two to the second, for five. */
void scene_streams(struct world *world, int rounds)
{
	struct stores stores;

	make_store(world, &stores, 0, 64 * ENTRY);
	make_store(world, &stores, 1, 5 * ENTRY);
	run(world, &stores, 2, world->streams, rounds);
	free_stores(world, &stores, 2);
}
