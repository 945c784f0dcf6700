/* Counts draws, dispatches and barriers, and begins queries before the first of them. */
#include "layer/vulkan/layer.h"

static void count_draws(struct command *command, uint64_t count)
{
	if (command->untracked)
		return;
	command->tally.draws += count;
	command->now->tally.draws += count;
	if ((command->inside & ~command->open) != 0)
		queries_before_draw(command);
}

static void count_dispatches(struct command *command)
{
	if (command->untracked)
		return;
	command->tally.dispatches++;
	command->now->tally.dispatches++;
	if (command->span_count != 0)
		queries_before_dispatch(command);
}

static void count_barriers(struct command *command)
{
	if (command->untracked)
		return;
	command->tally.barriers++;
	command->now->tally.barriers++;
}

/* A hook that does `before` and calls the next layer. */
#define COMMAND(name, before, parameters, arguments)                                               \
	VKAPI_ATTR void VKAPI_CALL hook_##name parameters                                          \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
                                                                                                   \
		before;                                                                            \
		command->device->next.name arguments;                                              \
	}

COMMAND(CmdDraw, count_draws(command, 1),
	(VkCommandBuffer commandBuffer, uint32_t vertices, uint32_t instances, uint32_t first,
	 uint32_t firstInstance),
	(commandBuffer, vertices, instances, first, firstInstance))
COMMAND(CmdDrawIndexed, count_draws(command, 1),
	(VkCommandBuffer commandBuffer, uint32_t indices, uint32_t instances, uint32_t first,
	 int32_t offset, uint32_t firstInstance),
	(commandBuffer, indices, instances, first, offset, firstInstance))

#define INDIRECT(name)                                                                             \
	COMMAND(name, count_draws(command, drawCount),                                             \
		(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,              \
		 uint32_t drawCount, uint32_t stride),                                             \
		(commandBuffer, buffer, offset, drawCount, stride))
INDIRECT(CmdDrawIndirect)
INDIRECT(CmdDrawIndexedIndirect)
INDIRECT(CmdDrawMeshTasksIndirectEXT)
INDIRECT(CmdDrawMeshTasksIndirectNV)

/* The device reads the number of draws from a buffer: each command counts as one. */
#define INDIRECT_COUNT(name)                                                                       \
	COMMAND(name, count_draws(command, 1),                                                     \
		(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset,              \
		 VkBuffer countBuffer, VkDeviceSize countOffset, uint32_t most, uint32_t stride),  \
		(commandBuffer, buffer, offset, countBuffer, countOffset, most, stride))
INDIRECT_COUNT(CmdDrawIndirectCount)
INDIRECT_COUNT(CmdDrawIndirectCountKHR)
INDIRECT_COUNT(CmdDrawIndirectCountAMD)
INDIRECT_COUNT(CmdDrawIndexedIndirectCount)
INDIRECT_COUNT(CmdDrawIndexedIndirectCountKHR)
INDIRECT_COUNT(CmdDrawIndexedIndirectCountAMD)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountEXT)
INDIRECT_COUNT(CmdDrawMeshTasksIndirectCountNV)

COMMAND(CmdDrawIndirectByteCountEXT, count_draws(command, 1),
	(VkCommandBuffer commandBuffer, uint32_t instances, uint32_t first, VkBuffer counter,
	 VkDeviceSize offset, uint32_t counterOffset, uint32_t stride),
	(commandBuffer, instances, first, counter, offset, counterOffset, stride))
COMMAND(CmdDrawMultiEXT, count_draws(command, drawCount),
	(VkCommandBuffer commandBuffer, uint32_t drawCount, const VkMultiDrawInfoEXT *infos,
	 uint32_t instances, uint32_t first, uint32_t stride),
	(commandBuffer, drawCount, infos, instances, first, stride))
COMMAND(CmdDrawMultiIndexedEXT, count_draws(command, drawCount),
	(VkCommandBuffer commandBuffer, uint32_t drawCount, const VkMultiDrawIndexedInfoEXT *infos,
	 uint32_t instances, uint32_t first, uint32_t stride, const int32_t *offset),
	(commandBuffer, drawCount, infos, instances, first, stride, offset))
COMMAND(CmdDrawMeshTasksEXT, count_draws(command, 1),
	(VkCommandBuffer commandBuffer, uint32_t x, uint32_t y, uint32_t z),
	(commandBuffer, x, y, z))
COMMAND(CmdDrawMeshTasksNV, count_draws(command, 1),
	(VkCommandBuffer commandBuffer, uint32_t tasks, uint32_t first),
	(commandBuffer, tasks, first))

COMMAND(CmdDispatch, count_dispatches(command),
	(VkCommandBuffer commandBuffer, uint32_t x, uint32_t y, uint32_t z),
	(commandBuffer, x, y, z))
COMMAND(CmdDispatchIndirect, count_dispatches(command),
	(VkCommandBuffer commandBuffer, VkBuffer buffer, VkDeviceSize offset),
	(commandBuffer, buffer, offset))

#define BASE(name)                                                                                 \
	COMMAND(name, count_dispatches(command),                                                   \
		(VkCommandBuffer commandBuffer, uint32_t baseX, uint32_t baseY, uint32_t baseZ,    \
		 uint32_t x, uint32_t y, uint32_t z),                                              \
		(commandBuffer, baseX, baseY, baseZ, x, y, z))
BASE(CmdDispatchBase)
BASE(CmdDispatchBaseKHR)

COMMAND(CmdPipelineBarrier, count_barriers(command),
	(VkCommandBuffer commandBuffer, VkPipelineStageFlags from, VkPipelineStageFlags to,
	 VkDependencyFlags flags, uint32_t memoryCount, const VkMemoryBarrier *memory,
	 uint32_t bufferCount, const VkBufferMemoryBarrier *buffers, uint32_t imageCount,
	 const VkImageMemoryBarrier *images),
	(commandBuffer, from, to, flags, memoryCount, memory, bufferCount, buffers, imageCount,
	 images))
COMMAND(CmdPipelineBarrier2, count_barriers(command),
	(VkCommandBuffer commandBuffer, const VkDependencyInfo *info), (commandBuffer, info))
COMMAND(CmdPipelineBarrier2KHR, count_barriers(command),
	(VkCommandBuffer commandBuffer, const VkDependencyInfo *info), (commandBuffer, info))
COMMAND(CmdWaitEvents, count_barriers(command),
	(VkCommandBuffer commandBuffer, uint32_t eventCount, const VkEvent *events,
	 VkPipelineStageFlags from, VkPipelineStageFlags to, uint32_t memoryCount,
	 const VkMemoryBarrier *memory, uint32_t bufferCount, const VkBufferMemoryBarrier *buffers,
	 uint32_t imageCount, const VkImageMemoryBarrier *images),
	(commandBuffer, eventCount, events, from, to, memoryCount, memory, bufferCount, buffers,
	 imageCount, images))
COMMAND(CmdWaitEvents2, count_barriers(command),
	(VkCommandBuffer commandBuffer, uint32_t count, const VkEvent *events,
	 const VkDependencyInfo *infos),
	(commandBuffer, count, events, infos))
COMMAND(CmdWaitEvents2KHR, count_barriers(command),
	(VkCommandBuffer commandBuffer, uint32_t count, const VkEvent *events,
	 const VkDependencyInfo *infos),
	(commandBuffer, count, events, infos))
