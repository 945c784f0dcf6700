/* Query pools, and their chunks, which command buffers keep until they are freed. */
#include <stdlib.h>

#include "layer/vulkan/layer.h"

#define TIMESTAMPS_OF(slots) (2 * (slots))

static VkQueryType type_of(uint32_t type)
{
	switch (type) {
	case QUERY_STATISTICS:
	case QUERY_COMPUTE:
		return VK_QUERY_TYPE_PIPELINE_STATISTICS;
	case QUERY_OCCLUSION:
		return VK_QUERY_TYPE_OCCLUSION;
	case QUERY_GENERATED:
		return VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT;
	case QUERY_TIMESTAMPS:
		return VK_QUERY_TYPE_TIMESTAMP;
	default:
		return VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT;
	}
}

uint32_t pool_slots(uint32_t type, uint32_t slots)
{
	return type == QUERY_TIMESTAMPS ? TIMESTAMPS_OF(slots) : slots;
}

static void destroy_pools(struct device *device, struct query_block *block)
{
	for (int type = 0; type < QUERY_TYPES; type++) {
		if (block->pools[type] != VK_NULL_HANDLE)
			device->next.DestroyQueryPool(device->handle, block->pools[type], NULL);
	}
	copies_destroy(device, block);
	free(block);
}

static bool make_pools(struct device *device, struct query_block *block)
{
	for (uint32_t type = 0; type < QUERY_TYPES; type++) {
		VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					      .queryType = type_of(type),
					      .queryCount = pool_slots(type, BLOCK_SLOTS)};
		if ((device->wanted & QUERY_BIT(type)) == 0)
			continue;
		if (type == QUERY_STATISTICS)
			info.pipelineStatistics = device->statistic_bits;
		if (type == QUERY_COMPUTE)
			info.pipelineStatistics =
			    VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
		if (device->next.CreateQueryPool(device->handle, &info, NULL,
						 &block->pools[type]) != VK_SUCCESS)
			return false;
	}
	return true;
}

static bool make_block(struct device *device)
{
	struct query_block *block = calloc(1, sizeof(*block));
	if (!block)
		return false;
	if (!make_pools(device, block)) {
		destroy_pools(device, block);
		return false;
	}
	if (device->copies)
		copies_make(device, block);
	block->next = device->blocks;
	device->blocks = block;
	for (uint32_t i = 0; i < BLOCK_CHUNKS; i++) {
		struct query_chunk *chunk = &block->chunks[i];
		chunk->block = block;
		chunk->first = i * CHUNK_SLOTS;
		chunk->next = device->chunks;
		device->chunks = chunk;
	}
	return true;
}

/* Under the lock; NULL: no memory. */
static struct query_chunk *take_chunk(struct device *device)
{
	struct query_chunk *chunk = NULL;
	if (device->chunks || make_block(device)) {
		chunk = device->chunks;
		device->chunks = chunk->next;
	}
	return chunk;
}

void pool_give_back(struct device *device, struct query_chunk *chunk)
{
	chunk->next = device->chunks;
	device->chunks = chunk;
}

/* `copies` of a block is constant if device->copies: a recording reads it without the lock. */
bool pool_has_memory(struct device *device, struct query_chunk *chunk)
{
	return chunk->block->copies || (!device->copies && copies_make(device, chunk->block));
}

struct query_chunk *pool_copied_chunk(struct device *device)
{
	struct query_chunk *chunk = take_chunk(device);
	if (chunk && !pool_has_memory(device, chunk)) {
		pool_give_back(device, chunk);
		chunk = NULL;
	}
	return chunk;
}

bool queries_take_chunk(struct command *command)
{
	struct device *device = command->device;
	struct query_chunk **more =
	    realloc(command->chunks, (command->chunk_count + 1) * sizeof(struct query_chunk *));

	if (!more)
		return false;
	command->chunks = more;
	device_lock(device);
	struct query_chunk *chunk = take_chunk(device);
	device_unlock(device);
	if (!chunk)
		return false;
	command->chunks[command->chunk_count++] = chunk;
	return true;
}

void queries_free(struct command *command)
{
	struct device *device = command->device;
	snapshots_free(command);
	while (command->chunk_count > 0)
		pool_give_back(device, command->chunks[--command->chunk_count]);
	driver_release(command);
	if (command->done != VK_NULL_HANDLE)
		device->next.DestroyEvent(device->handle, command->done, NULL);
	free(command->chunks);
	free(command->uses);
	free(command->spans);
	free(command->secondaries);
	free(command->program);
}

void queries_destroy_all(struct device *device)
{
	device->chunks = NULL;
	while (device->blocks) {
		struct query_block *next = device->blocks->next;
		destroy_pools(device, device->blocks);
		device->blocks = next;
	}
}
