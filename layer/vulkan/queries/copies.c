/*
 * Results that the command buffer copies into memory of ours. A GPU's driver reads results without
 * waiting, and a copy would be work for the GPU. A driver that renders on the CPU (lavapipe) waits
 * in vkGetQueryPoolResults() for all work of the queue; there a copy is cheap.
 */
#include "layer/vulkan/layer.h"

static VkDeviceSize stride_of(const struct device *device, uint32_t type)
{
	return (query_values(device, type) + 1) * sizeof(uint64_t);
}

/* Offset of a slot's results: those of the types before it come first. */
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
				   .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
					    VK_BUFFER_USAGE_TRANSFER_DST_BIT,
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

bool copies_make(struct device *device, struct query_block *block)
{
	if (make_buffer(device, block) && make_memory(device, block))
		return true;
	copies_destroy(device, block);
	return false;
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

/* Copies a copied result to another slot. */
static void copy_memory(const struct device *device, VkCommandBuffer into,
			const struct query_use *use, const struct query_chunk *from,
			const struct query_chunk *to)
{
	uint32_t type = use->type, at = use->slot % CHUNK_SLOTS;
	const VkBufferCopy region = {.srcOffset = place_of(device, type, from->first + at),
				     .dstOffset = place_of(device, type, to->first + at),
				     .size = pool_slots(type, 1) * stride_of(device, type)};
	if (from != to)
		device->next.CmdCopyBuffer(into, from->block->buffer, to->block->buffer, 1,
					   &region);
}

/* Copies a query's result, `values` and its availability, into the slot of a use. */
static void copy_results(const struct device *device, VkCommandBuffer into,
			 const struct query_use *use, const struct query_chunk *to,
			 VkQueryPool pool, uint32_t number, uint32_t values)
{
	device->next.CmdCopyQueryPoolResults(
	    into, pool, number, pool_slots(use->type, 1), to->block->buffer,
	    place_of(device, use->type, to->first + use->slot % CHUNK_SLOTS),
	    (values + 1) * sizeof(uint64_t),
	    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT |
		VK_QUERY_RESULT_WAIT_BIT);
}

void copies_record_one(struct command *command, const struct query_use *to, VkQueryPool pool,
		       uint32_t number, uint32_t values)
{
	copy_results(command->device, command->handle, to, command->chunks[to->slot / CHUNK_SLOTS],
		     pool, number, values);
}

bool copies_record_to(const struct command *of, VkCommandBuffer into,
		      struct query_chunk *const *chunks)
{
	const struct device *device = of->device;
	bool any = false;
	for (uint32_t i = 0; i < of->use_count; i++) {
		const struct query_use *use = &of->uses[i];
		uint32_t number, type = use->type;
		if (!use->ended || type == QUERY_DRIVER)
			continue;
		const struct query_chunk *to = chunks[use->slot / CHUNK_SLOTS];
		if (!to->block->copies)
			continue;
		any = true;
		if (use->copied) {
			copy_memory(device, into, use, of->chunks[use->slot / CHUNK_SLOTS], to);
			continue;
		}
		VkQueryPool pool = slots_pool(of, use, &number);
		copy_results(device, into, use, to, pool, number, query_values(device, type));
	}
	return any;
}

void copies_record(struct command *command)
{
	/* The next execution overwrites the memory, after a snapshot has read it. */
	const VkMemoryBarrier barrier = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					 .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					 .dstAccessMask = VK_ACCESS_HOST_READ_BIT |
							  VK_ACCESS_TRANSFER_READ_BIT |
							  VK_ACCESS_TRANSFER_WRITE_BIT};
	bool any = command->copies;
	if (command->device->copies)
		any |= copies_record_to(command, command->handle, command->chunks);
	for (uint32_t i = 0; command->device->copies && i < command->secondary_count; i++) {
		if (!command->secondaries[i].copied)
			any |= copies_record_to(command->secondaries[i].command, command->handle,
						command->secondaries[i].command->chunks);
	}
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
