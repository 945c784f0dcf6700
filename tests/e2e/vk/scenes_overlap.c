/* A command buffer that runs again while it runs. */
#include "scenes.h"

#define EACH 4 /* times in a submission */

/* Five draws of two triangles, and a dispatch. */
static VkCommandBuffer record_shared(struct world *world, bool computes)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	world_begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	record_draws(world, commands);
	if (computes) {
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
		vkCmdDispatch(commands, 4, 2, 1);
	}
	MUST(vkEndCommandBuffer(commands));
	return commands;
}

void scene_overlap(struct world *world, int rounds)
{
	VkCommandBuffer commands = record_shared(world, false);

	for (int i = 0; i < rounds; i++)
		world_submit(world, commands);
	MUST(vkQueueWaitIdle(world->queue));
}

/* Three, once more, and once: each of these when the ones before have ended. */
void scene_overlap_waits(struct world *world, int rounds)
{
	VkCommandBuffer commands = record_shared(world, true);

	for (int i = 0; i < rounds; i++) {
		world_submit(world, commands);
		if (i % 5 > 1)
			MUST(vkQueueWaitIdle(world->queue));
	}
	MUST(vkQueueWaitIdle(world->queue));
}

/* None of them begins before all are submitted. */
static void submit_gated(struct world *world, VkCommandBuffer commands, int rounds)
{
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
					  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
				      .pNext = &type};
	uint64_t one = 1;
	VkTimelineSemaphoreSubmitInfo value = {.sType =
						   VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
					       .waitSemaphoreValueCount = 1,
					       .pWaitSemaphoreValues = &one};
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	VkSemaphore gate;

	MUST(vkCreateSemaphore(world->device, &info, NULL, &gate));
	VkSubmitInfo submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			       .pNext = &value,
			       .waitSemaphoreCount = 1,
			       .pWaitSemaphores = &gate,
			       .pWaitDstStageMask = &stage,
			       .commandBufferCount = 1,
			       .pCommandBuffers = &commands};
	for (int i = 0; i < rounds; i++)
		MUST(vkQueueSubmit(world->queue, 1, &submit, VK_NULL_HANDLE));
	VkSemaphoreSignalInfo open = {
	    .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO, .semaphore = gate, .value = 1};
	MUST(vkSignalSemaphore(world->device, &open));
	MUST(vkQueueWaitIdle(world->queue));
	vkDestroySemaphore(world->device, gate, NULL);
}

void scene_overlap_gated(struct world *world, int rounds)
{
	submit_gated(world, record_shared(world, true), rounds);
}

/* A secondary one that runs outside of passes, twice in each. */
void scene_overlap_computes(struct world *world, int rounds)
{
	VkCommandBufferInheritanceInfo inherited = {
	    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO};
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					 .flags = VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
					 .pInheritanceInfo = &inherited};
	VkCommandBuffer part = world_commands(world, world->pool, true);
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	VkCommandBuffer parts[2] = {part, part};

	MUST(vkBeginCommandBuffer(part, &info));
	vkCmdBindPipeline(part, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
	vkCmdDispatch(part, 4, 2, 1);
	record_dynamic(world, part);
	MUST(vkEndCommandBuffer(part));
	world_begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	vkCmdExecuteCommands(commands, 2, parts);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
	vkCmdDispatch(commands, 1, 1, 1);
	MUST(vkEndCommandBuffer(commands));
	submit_gated(world, commands, rounds);
}

/* One that runs in two passes, and another one beside it in the second. */
void scene_overlap_draws(struct world *world, int rounds)
{
	VkCommandBuffer parts[2] = {world_commands(world, world->pool, true),
				    world_commands(world, world->pool, true)};
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (uint32_t i = 0; i < 2; i++)
		record_secondary(world, parts[i], VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT,
				 1 + i);
	world_begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	for (uint32_t i = 0; i < 2; i++) {
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
		vkCmdExecuteCommands(commands, i + 1, parts);
		vkCmdEndRenderPass(commands);
	}
	MUST(vkEndCommandBuffer(commands));
	submit_gated(world, commands, rounds);
}

static void submit_first(struct world *world, VkCommandBuffer commands)
{
	VkCommandBuffer all[EACH - 1] = {commands, commands, commands};
	VkSubmitInfo infos[3] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				  .commandBufferCount = EACH - 1,
				  .pCommandBuffers = all},
				 {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO},
				 {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
				  .commandBufferCount = 1,
				  .pCommandBuffers = all}};

	MUST(vkQueueSubmit(world->queue, 3, infos, VK_NULL_HANDLE));
}

static void submit_second(struct world *world, VkCommandBuffer commands)
{
	VkCommandBufferSubmitInfo all[EACH - 1];
	VkSubmitInfo2 infos[2] = {{.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
				   .commandBufferInfoCount = 1,
				   .pCommandBufferInfos = all},
				  {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
				   .commandBufferInfoCount = EACH - 1,
				   .pCommandBufferInfos = all}};

	for (int i = 0; i < EACH - 1; i++)
		all[i] = (VkCommandBufferSubmitInfo){
		    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
		    .commandBuffer = commands};
	MUST(vkQueueSubmit2(world->queue, 2, infos, VK_NULL_HANDLE));
}

/* Several times in each submission. */
void scene_overlap_once(struct world *world, int rounds)
{
	VkCommandBuffer commands = record_shared(world, true);

	for (int i = 0; i < rounds; i++) {
		if (i % 2 == 0)
			submit_first(world, commands);
		else
			submit_second(world, commands);
	}
	MUST(vkQueueWaitIdle(world->queue));
}

/* On two queues by turns: which of them runs first is not known. */
void scene_overlap_queues(struct world *world, int rounds)
{
	struct world other = *world;
	VkCommandBuffer commands = record_shared(world, true);

	vkGetDeviceQueue(world->device, 0, 1, &other.queue);
	for (int i = 0; i < rounds; i++)
		world_submit(i % 2 == 0 ? world : &other, commands);
	MUST(vkQueueWaitIdle(world->queue));
	MUST(vkQueueWaitIdle(other.queue));
}
