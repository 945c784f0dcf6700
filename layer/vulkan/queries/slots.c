/* Slots: a command buffer's queries in the pools, and their reset. */
#include <stdlib.h>
#include <string.h>

#include "layer/vulkan/layer.h"

uint32_t slots_possible(const struct command *command)
{
	const struct device *device = command->device;
	VkQueueFlags flags = device->families[command->pool->family].queueFlags;
	uint32_t types = device->wanted & ~QUERY_BIT(QUERY_DRIVER);
	if ((flags & VK_QUEUE_GRAPHICS_BIT) != 0)
		types &= ~QUERY_BIT(QUERY_COMPUTE);
	else
		types &= QUERY_BIT(QUERY_COMPUTE) | QUERY_BIT(QUERY_TIMESTAMPS);
	if ((flags & (VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT)) == 0)
		types = 0;
	if (device->families[command->pool->family].timestampValidBits == 0)
		types &= ~QUERY_BIT(QUERY_TIMESTAMPS);
	return command->measured ? types : types & QUERY_BIT(QUERY_TIMESTAMPS);
}

static bool make_event(struct command *command)
{
	const struct device *device = command->device;
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	return command->done != VK_NULL_HANDLE ||
	       device->next.CreateEvent(device->handle, &info, NULL, &command->done) == VK_SUCCESS;
}

/*
 * vkCmdResetQueryPool() is not allowed inside of a pass: the host resets them now, the primary
 * after each execution.
 */
static void reset_chunk(struct command *command, uint32_t index)
{
	const struct device *device = command->device;
	const struct query_chunk *chunk = command->chunks[index];
	uint32_t types = slots_possible(command);
	for (uint32_t type = 0; !command->host_resets && type < QUERY_TYPES; type++) {
		uint32_t first = pool_slots(type, chunk->first);
		uint32_t count = pool_slots(type, CHUNK_SLOTS);
		if ((types & QUERY_BIT(type)) == 0)
			continue;
		if (command->in_pass)
			device->next.ResetQueryPool(device->handle, chunk->block->pools[type],
						    first, count);
		else
			device->next.CmdResetQueryPool(command->handle, chunk->block->pools[type],
						       first, count);
	}
}

bool slots_may_grow(const struct command *command)
{
	return !command->in_pass || command->host_resets || command->device->resets_in_pass;
}

bool slots_prepare(struct command *command)
{
	if (command->prepared)
		return true;
	if (command->untracked || command->suspended ||
	    (command->secondary && !command->host_resets && !command->copied) ||
	    (command->chunk_count == 0 && !queries_take_chunk(command)) ||
	    (!command->secondary && !make_event(command)))
		return false;
	command->prepared = true;
	for (uint32_t i = 0; i < command->chunk_count; i++)
		reset_chunk(command, i);
	return true;
}

void slots_reserve(struct command *command)
{
	for (uint32_t type = 0; type < QUERY_TYPES; type++) {
		uint32_t all = command->chunk_count * CHUNK_SLOTS;
		if (all - command->slots[type] < CHUNK_SLOTS / 2 && queries_take_chunk(command))
			reset_chunk(command, command->chunk_count - 1);
	}
}

bool list_grow(void *array, uint32_t *cap, uint32_t count, size_t size)
{
	uint32_t more = *cap != 0 ? 2 * *cap : 8;
	void *old;
	if (count < *cap)
		return true;
	memcpy(&old, array, sizeof(old));
	void *list = realloc(old, more * size);
	if (!list)
		return false;
	memcpy(array, &list, sizeof(list));
	*cap = more;
	return true;
}

static bool reserve_use(struct command *command)
{
	return list_grow(&command->uses, &command->use_cap, command->use_count,
			 sizeof(*command->uses));
}

static bool add_chunk(struct command *command)
{
	if (!slots_may_grow(command) || !queries_take_chunk(command))
		return false;
	reset_chunk(command, command->chunk_count - 1);
	return true;
}

static bool take_slot(struct command *command, uint32_t type, uint32_t *slot)
{
	if (type == QUERY_DRIVER) {
		if (!driver_take(command))
			return false;
		*slot = command->driver_slots - 1;
		return true;
	}
	if (command->slots[type] == command->chunk_count * CHUNK_SLOTS && !add_chunk(command))
		return false;
	*slot = command->slots[type]++;
	return true;
}

struct query_use *slots_add_use(struct command *command, uint32_t type)
{
	uint32_t slot;
	if (!reserve_use(command) || !take_slot(command, type, &slot))
		return NULL;
	struct query_use *use = &command->uses[command->use_count++];
	*use = (struct query_use){
	    .type = (uint8_t)type, .slot = slot, .span = (uint32_t)(command->now - command->spans)};
	return use;
}

struct query_use *slots_add_copied(struct command *command, uint32_t type)
{
	struct device *device = command->device;
	struct query_use *use = slots_add_use(command, type);
	if (!use)
		return NULL;
	device_lock(device);
	bool has = pool_has_memory(device, command->chunks[use->slot / CHUNK_SLOTS]);
	device_unlock(device);
	if (!has) { /* frees the slot, too */
		command->use_count--;
		command->slots[type]--;
		return NULL;
	}
	use->copied = use->ended = command->copies = true;
	return use;
}

VkQueryPool slots_pool(const struct command *command, const struct query_use *use, uint32_t *number)
{
	if (use->type == QUERY_DRIVER) {
		*number = use->slot;
		return command->driver_pool->pool;
	}
	const struct query_chunk *chunk = command->chunks[use->slot / CHUNK_SLOTS];
	*number = pool_slots(use->type, chunk->first + use->slot % CHUNK_SLOTS);
	return chunk->block->pools[use->type];
}

static void reset_one(const struct command *command)
{
	const struct device *device = command->device;
	for (uint32_t i = 0; command->host_resets && i < command->chunk_count; i++) {
		const struct query_chunk *chunk = command->chunks[i];
		for (uint32_t type = 0; type < QUERY_TYPES; type++) {
			if (command->slots[type] > i * CHUNK_SLOTS)
				device->next.ResetQueryPool(
				    device->handle, chunk->block->pools[type],
				    pool_slots(type, chunk->first), pool_slots(type, CHUNK_SLOTS));
		}
	}
}

void queries_reset(struct command *command)
{
	reset_one(command);
	driver_reset(command);
	for (uint32_t i = 0; i < command->secondary_count; i++) {
		if (!command->secondaries[i].copied)
			reset_one(command->secondaries[i].command);
	}
	command->device->next.ResetEvent(command->device->handle, command->done);
}
