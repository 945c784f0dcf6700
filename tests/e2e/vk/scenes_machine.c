/* Cases for what hardware has and lavapipe has not: heaps, queues of two families, mesh shaders. */
#include <stdlib.h>
#include <unistd.h>

#include "scenes.h"

#define BYTES 65536u

static void record_some(struct world *world, VkCommandBuffer commands, uint32_t count)
{
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	for (uint32_t i = 0; i < count; i++)
		draw(world, commands, 1);
	vkCmdEndRenderPass(commands);
}

/* Each heap has one allocation more than the one before; the second half of the rounds has none. */
void scene_heaps(struct world *world, int rounds)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	VkPhysicalDeviceMemoryProperties memory;
	VkDeviceMemory all[VK_MAX_MEMORY_TYPES];
	uint32_t count = 0;

	vkGetPhysicalDeviceMemoryProperties(world->gpu, &memory);
	uint32_t last = memory.memoryTypeCount - 1;
	if (memory.memoryHeapCount != 3)
		exit(1);
	for (uint32_t heap = 1; heap < 3; heap++) {
		VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
					     .allocationSize = BYTES,
					     .memoryTypeIndex = last + heap - 2};

		for (uint32_t i = 0; i < heap; i++)
			MUST(vkAllocateMemory(world->device, &info, NULL, &all[count++]));
	}
	for (int i = 0; i < rounds; i++) {
		if (i == rounds / 2)
			while (count > 0)
				vkFreeMemory(world->device, all[--count], NULL);
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		record_some(world, commands, 1);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
}

struct filled {
	VkBuffer buffer;
	VkDeviceMemory memory;
};

static struct filled make_filled(struct world *world, VkDeviceSize bytes)
{
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = bytes,
				   .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT};
	VkMemoryAllocateInfo room = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	struct filled filled;

	MUST(vkCreateBuffer(world->device, &info, NULL, &filled.buffer));
	vkGetBufferMemoryRequirements(world->device, filled.buffer, &needs);
	room.allocationSize = needs.size;
	while ((needs.memoryTypeBits & 1u << room.memoryTypeIndex) == 0)
		room.memoryTypeIndex++;
	MUST(vkAllocateMemory(world->device, &room, NULL, &filled.memory));
	MUST(vkBindBufferMemory(world->device, filled.buffer, filled.memory, 0));
	return filled;
}

static void free_filled(struct world *world, struct filled filled)
{
	vkDestroyBuffer(world->device, filled.buffer, NULL);
	vkFreeMemory(world->device, filled.memory, NULL);
}

/* The device works, and draws nothing. */
void scene_fills(struct world *world, int rounds)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	struct filled filled = make_filled(world, BYTES);

	world_begin(commands, 0);
	for (uint32_t i = 0; i < 100; i++)
		vkCmdFillBuffer(commands, filled.buffer, 0, BYTES, i);
	MUST(vkEndCommandBuffer(commands));
	for (int round = 0; round < rounds; round++)
		world_run(world, commands);
	free_filled(world, filled);
}

/* One draw of a triangle beside a large fill. */
void scene_filled(struct world *world, int rounds)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	struct filled filled = make_filled(world, 256 * BYTES);

	for (int round = 0; round < rounds; round++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		vkCmdFillBuffer(commands, filled.buffer, 0, VK_WHOLE_SIZE, (uint32_t)round);
		record_some(world, commands, 1);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
	free_filled(world, filled);
}

/* Twelve command buffers that are recorded once, with 1 to 12 draws, and submitted in each round.
 */
void scene_many(struct world *world, int rounds)
{
	VkCommandBuffer commands[12];

	for (uint32_t i = 0; i < 12; i++) {
		commands[i] = world_commands(world, world->pool, false);
		world_begin(commands[i], 0);
		record_some(world, commands[i], i + 1);
		MUST(vkEndCommandBuffer(commands[i]));
	}
	for (int round = 0; round < rounds; round++) {
		for (uint32_t i = 0; i < 12; i++)
			world_submit(world, commands[i]);
		MUST(vkQueueWaitIdle(world->queue));
	}
}

/* A command buffer of its own for each submission. */
static void submit_many(struct world *world, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		VkCommandBuffer commands = world_commands(world, world->pool, false);

		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		record_some(world, commands, 2);
		MUST(vkEndCommandBuffer(commands));
		world_submit(world, commands);
	}
}

/* Waits only after all are submitted. */
void scene_flood(struct world *world, int rounds)
{
	submit_many(world, rounds);
	MUST(vkQueueWaitIdle(world->queue));
}

/* The program is gone before the device has done what it was given. */
void scene_vanish(struct world *world, int rounds)
{
	submit_many(world, rounds);
	_exit(0);
}

/* Three draws on the first queue, two on the second, a dispatch on one that cannot draw. */
void scene_queues(struct world *world, int rounds)
{
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
					.queueFamilyIndex = 1};
	VkCommandBuffer commands[3];
	VkCommandPool computes;
	VkQueue queues[3];

	vkGetDeviceQueue(world->device, 0, 0, &queues[0]);
	vkGetDeviceQueue(world->device, 0, 1, &queues[1]);
	vkGetDeviceQueue(world->device, 1, 0, &queues[2]);
	MUST(vkCreateCommandPool(world->device, &info, NULL, &computes));
	for (int k = 0; k < 3; k++)
		commands[k] = world_commands(world, k < 2 ? world->pool : computes, false);
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 3; k++) {
			world_begin(commands[k], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
			if (k < 2)
				record_some(world, commands[k], 3 - (uint32_t)k);
			else
				vkCmdBindPipeline(commands[k], VK_PIPELINE_BIND_POINT_COMPUTE,
						  world->compute);
			if (k == 2)
				vkCmdDispatch(commands[k], 4, 2, 1);
			MUST(vkEndCommandBuffer(commands[k]));
			world->queue = queues[k];
			world_run(world, commands[k]);
		}
	}
	vkDestroyCommandPool(world->device, computes, NULL);
}

void scene_mesh(struct world *world, int rounds)
{
	PFN_vkCmdDrawMeshTasksEXT draw_tasks =
	    (PFN_vkCmdDrawMeshTasksEXT)world_function(world, "vkCmdDrawMeshTasksEXT");
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 2);
		draw_tasks(commands, 4, 3, 2);
		draw_tasks(commands, 1, 1, 1);
		vkCmdEndRenderPass(commands);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
}
