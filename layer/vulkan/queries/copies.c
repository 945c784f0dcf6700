/*
 * Results that the command buffer itself copies into memory of ours. Drivers of GPUs answer from
 * memory, and copying would be work for the GPU; one that draws on the CPU (lavapipe) lets the
 * program wait, for each answer, for all that its queue was given. There the copy is cheap.
 */
#include "layer/vulkan/layer.h"

static VkDeviceSize stride_of(const struct device *device, uint32_t type)
{
	return (query_values(device, type) + 1) * sizeof(uint64_t);
}

/* A type's results begin where those of the types before it end. */
static VkDeviceSize place_of(const struct device *device, uint32_t type, uint32_t slot)
{
	VkDeviceSize at = 0;
	for (uint32_t t = 0; t < type; t++) {
		if ((device->wanted & QUERY_BIT(t)) != 0)
			at += pool_slots(t, BLOCK_SLOTS) * stride_of(device, t);
	}
	return at + pool_slots(type, slot) * stride_of(device, type);
}

static bool make_buffer(struct device *device, struct query_block *block)
{
	uint32_t families[FAMILIES_MAX];
	VkBufferCreateInfo info = {.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
				   .size = place_of(device, QUERY_TYPES, 0),
				   .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
				   .pQueueFamilyIndices = families};
	for (uint32_t i = 0; i < device->family_count; i++)
		families[i] = i;
	if (device->family_count > 1) {
		info.sharingMode = VK_SHARING_MODE_CONCURRENT;
		info.queueFamilyIndexCount = device->family_count;
	}
	return info.size != 0 &&
	       device->next.CreateBuffer(device->handle, &info, NULL, &block->buffer) == VK_SUCCESS;
}

static bool make_memory(struct device *device, struct query_block *block)
{
	const VkMemoryPropertyFlags flags =
	    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
	VkMemoryAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;
	uint32_t type = 0;
	void *memory = NULL;

	device->next.GetBufferMemoryRequirements(device->handle, block->buffer, &needs);
	while (type < device->memory.memoryTypeCount &&
	       ((needs.memoryTypeBits & 1u << type) == 0 ||
		(device->memory.memoryTypes[type].propertyFlags & flags) != flags))
		type++;
	info.allocationSize = needs.size;
	info.memoryTypeIndex = type;
	if (type == device->memory.memoryTypeCount ||
	    device->next.AllocateMemory(device->handle, &info, NULL, &block->memory) !=
		VK_SUCCESS ||
	    device->next.BindBufferMemory(device->handle, block->buffer, block->memory, 0) !=
		VK_SUCCESS ||
	    device->next.MapMemory(device->handle, block->memory, 0, VK_WHOLE_SIZE, 0, &memory) !=
		VK_SUCCESS)
		return false;
	block->copies = memory;
	return true;
}

void copies_make(struct device *device, struct query_block *block)
{
	if (device->copies && !(make_buffer(device, block) && make_memory(device, block)))
		copies_destroy(device, block);
}

void copies_destroy(struct device *device, struct query_block *block)
{
	if (block->buffer != VK_NULL_HANDLE)
		device->next.DestroyBuffer(device->handle, block->buffer, NULL);
	if (block->memory != VK_NULL_HANDLE)
		device->next.FreeMemory(device->handle, block->memory, NULL);
	block->buffer = VK_NULL_HANDLE;
	block->memory = VK_NULL_HANDLE;
	block->copies = NULL;
}

static bool record_some(struct command *command, const struct command *of)
{
	const struct device *device = command->device;
	bool any = false;
	for (uint32_t i = 0; i < of->use_count; i++) {
		const struct query_use *use = &of->uses[i];
		uint32_t slot, type = use->type;
		if (!use->ended || type == QUERY_DRIVER)
			continue;
		const struct query_chunk *chunk = of->chunks[use->slot / CHUNK_SLOTS];
		if (!chunk->block->copies)
			continue;
		slot = chunk->first + use->slot % CHUNK_SLOTS;
		device->next.CmdCopyQueryPoolResults(
		    command->handle, chunk->block->pools[type], pool_slots(type, slot),
		    pool_slots(type, 1), chunk->block->buffer, place_of(device, type, slot),
		    stride_of(device, type),
		    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT |
			VK_QUERY_RESULT_WAIT_BIT);
		any = true;
	}
	return any;
}

void copies_record(struct command *command)
{
	/* The next time that it runs it writes there again. */
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT |
							  VK_ACCESS_TRANSFER_WRITE_BIT};
	bool any = record_some(command, command);

	for (uint32_t i = 0; i < command->child_count; i++)
		any |= record_some(command, command->children[i].command);
	if (any)
		command->device->next.CmdPipelineBarrier(
		    command->handle, VK_PIPELINE_STAGE_TRANSFER_BIT,
		    VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1, &barrier, 0,
		    NULL, 0, NULL);
}

const uint64_t *copies_at(const struct device *device, const struct query_block *block,
			  uint32_t type, uint32_t slot)
{
	return block->copies + place_of(device, type, slot) / sizeof(uint64_t);
}
