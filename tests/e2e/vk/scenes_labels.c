/* Labels over command buffers: of queues, and opened in one and ended in the next. */
#include "scenes.h"

static void label_begin(struct world *world, VkCommandBuffer commands, const char *name)
{
	PFN_vkCmdBeginDebugUtilsLabelEXT begin =
	    (PFN_vkCmdBeginDebugUtilsLabelEXT)world_function(world, "vkCmdBeginDebugUtilsLabelEXT");
	VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
				      .pLabelName = name};
	begin(commands, &label);
}

void scene_queue_begin(struct world *world, const char *name)
{
	PFN_vkQueueBeginDebugUtilsLabelEXT begin =
	    (PFN_vkQueueBeginDebugUtilsLabelEXT)world_function(world,
							       "vkQueueBeginDebugUtilsLabelEXT");
	VkDebugUtilsLabelEXT label = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
				      .pLabelName = name};
	begin(world->queue, &label);
}

void scene_queue_end(struct world *world)
{
	((PFN_vkQueueEndDebugUtilsLabelEXT)world_function(world, "vkQueueEndDebugUtilsLabelEXT"))(
	    world->queue);
}

static void pass_of(struct world *world, VkCommandBuffer commands, uint32_t triangles)
{
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	draw(world, commands, triangles);
	vkCmdEndRenderPass(commands);
}

/* "Across" begins in the first and ends in the second. */
static void record_across(struct world *world, VkCommandBuffer two[2])
{
	PFN_vkCmdEndDebugUtilsLabelEXT end =
	    (PFN_vkCmdEndDebugUtilsLabelEXT)world_function(world, "vkCmdEndDebugUtilsLabelEXT");
	world_begin(two[0], 0);
	label_begin(world, two[0], "Across");
	pass_of(world, two[0], 1);
	MUST(vkEndCommandBuffer(two[0]));
	world_begin(two[1], 0);
	pass_of(world, two[1], 2);
	end(two[1]);
	pass_of(world, two[1], 4);
	MUST(vkEndCommandBuffer(two[1]));
}

/* What was recorded once is run outside of all labels and, the next time, within one. */
void scene_labels_across(struct world *world, int rounds)
{
	VkCommandBuffer two[2], again = world_commands(world, world->pool, false);
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .commandBufferCount = 2,
			       .pCommandBuffers = two};
	for (int i = 0; i < 2; i++)
		two[i] = world_commands(world, world->pool, false);
	record_across(world, two);
	world_begin(again, 0);
	pass_of(world, again, 3);
	MUST(vkEndCommandBuffer(again));
	for (int i = 0; i < rounds; i++) {
		scene_queue_begin(world, "Queue");
		MUST(vkQueueSubmit(world->queue, 1, &submit, VK_NULL_HANDLE));
		scene_queue_end(world);
		MUST(vkQueueWaitIdle(world->queue));
		world_run(world, again);
		scene_queue_begin(world, "Again");
		world_run(world, again);
		scene_queue_end(world);
	}
}
