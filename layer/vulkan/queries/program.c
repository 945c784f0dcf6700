/* The program's own queries, for which ours give way. */
#include "guest/process.h"
#include "layer/vulkan/layer.h"

/* Ours of the types that a query of the program conflicts with. */
static uint32_t conflicts(VkQueryType type)
{
	switch (type) {
	case VK_QUERY_TYPE_OCCLUSION:
		return QUERY_BIT(QUERY_OCCLUSION);
	case VK_QUERY_TYPE_PIPELINE_STATISTICS:
		return QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE);
	case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
		return QUERY_BIT(QUERY_GENERATED);
	case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
		return QUERY_ALL_STREAMS;
	default:
		return 0;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateQueryPool(VkDevice handle,
						    const VkQueryPoolCreateInfo *pCreateInfo,
						    const VkAllocationCallbacks *pAllocator,
						    VkQueryPool *pQueryPool)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.CreateQueryPool(handle, pCreateInfo, pAllocator, pQueryPool);
	uint32_t types = conflicts(pCreateInfo->queryType);
	struct guest_visit visit = guest_enter();
	if (result == VK_SUCCESS && types != 0) {
		__atomic_fetch_or(&device->program_types, types, __ATOMIC_RELAXED);
		device_lock(device);
		handles_put(&device->query_pools, (uint64_t)(uintptr_t)*pQueryPool,
			    (void *)(uintptr_t)types);
		device_unlock(device);
	}
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyQueryPool(VkDevice handle, VkQueryPool queryPool,
						 const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	if (queryPool != VK_NULL_HANDLE) {
		device_lock(device);
		handles_remove(&device->query_pools, (uint64_t)(uintptr_t)queryPool);
		device_unlock(device);
	}
	guest_leave(visit);
	device->next.DestroyQueryPool(handle, queryPool, pAllocator);
}

static uint32_t types_of(const struct command *command, VkQueryPool pool)
{
	return (uint32_t)(uintptr_t)handles_get(&command->device->query_pools,
						(uint64_t)(uintptr_t)pool);
}

/* Ours give way. */
static void program_begins(struct command *command, VkQueryPool pool)
{
	uint32_t types = command->blind ? 0 : types_of(command, pool);
	if (types == 0 || command->span_count == 0)
		return;
	/* One that was begun before the pass cannot end in it; the pool came in between. */
	if (command->in_pass)
		command->now->lost |= types & command->outer & command->open;
	queries_end(command, command->in_pass ? types & ~command->outer : types);
	command->program_open |= types;
	command->program_used |= types;
}

static void program_ends(struct command *command, VkQueryPool pool)
{
	if (!command->blind)
		command->program_open &= ~types_of(command, pool);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool pool,
					      uint32_t query, VkQueryControlFlags flags)
{
	struct command *command = command_of(commandBuffer);
	program_begins(command, pool);
	command->device->next.CmdBeginQuery(commandBuffer, pool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool pool,
					    uint32_t query)
{
	struct command *command = command_of(commandBuffer);
	program_ends(command, pool);
	command->device->next.CmdEndQuery(commandBuffer, pool, query);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer,
							VkQueryPool pool, uint32_t query,
							VkQueryControlFlags flags, uint32_t index)
{
	struct command *command = command_of(commandBuffer);
	program_begins(command, pool);
	command->device->next.CmdBeginQueryIndexedEXT(commandBuffer, pool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer,
						      VkQueryPool pool, uint32_t query,
						      uint32_t index)
{
	struct command *command = command_of(commandBuffer);
	program_ends(command, pool);
	command->device->next.CmdEndQueryIndexedEXT(commandBuffer, pool, query, index);
}
