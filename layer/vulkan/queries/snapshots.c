/*
 * Snapshots: results of command buffers that are submitted again while they are pending. Each
 * execution writes to the same queries, so a command buffer of ours in front of the next one copies
 * the results and sets an event of its own. Both must be on one queue.
 */
#include <stdlib.h>

#include "layer/vulkan/layer.h"

#define SNAPSHOTS_MOST 4096u /* of a device */

static VkCommandPool snapshot_pool(struct device *device, uint32_t family)
{
	const VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					      .flags =
						  VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT,
					      .queueFamilyIndex = family};
	VkCommandPool *pool = &device->snapshot_pools[family];
	if (*pool == VK_NULL_HANDLE)
		device->next.CreateCommandPool(device->handle, &info, NULL, pool);
	return *pool;
}

static bool make_commands(const struct command *command, struct snapshot *snapshot)
{
	struct device *device = command->device;
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					    .commandPool =
						snapshot_pool(device, command->pool->family),
					    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
					    .commandBufferCount = 1};
	return info.commandPool != VK_NULL_HANDLE && device->set_loader_data &&
	       device->next.AllocateCommandBuffers(device->handle, &info, &snapshot->handle) ==
		   VK_SUCCESS &&
	       device->set_loader_data(device->handle, snapshot->handle) == VK_SUCCESS;
}

static void snapshot_destroy(const struct command *command, struct snapshot *snapshot)
{
	struct device *device = command->device;
	while (snapshot->chunk_count > 0)
		pool_give_back(device, snapshot->chunks[--snapshot->chunk_count]);
	if (snapshot->done != VK_NULL_HANDLE)
		device->next.DestroyEvent(device->handle, snapshot->done, NULL);
	if (snapshot->handle)
		device->next.FreeCommandBuffers(device->handle,
						device->snapshot_pools[command->pool->family], 1,
						&snapshot->handle);
	device->snapshot_count--;
	free(snapshot->chunks);
	free(snapshot);
}

static struct snapshot *snapshot_make(struct command *command)
{
	struct device *device = command->device;
	VkEventCreateInfo info = {.sType = VK_STRUCTURE_TYPE_EVENT_CREATE_INFO};
	struct snapshot *snapshot =
	    device->snapshot_count < SNAPSHOTS_MOST ? calloc(1, sizeof(*snapshot)) : NULL;
	if (!snapshot)
		return NULL;
	device->snapshot_count++;
	if (!make_commands(command, snapshot) ||
	    device->next.CreateEvent(device->handle, &info, NULL, &snapshot->done) != VK_SUCCESS) {
		snapshot_destroy(command, snapshot);
		return NULL;
	}
	snapshot->next = command->snapshots;
	command->snapshots = snapshot;
	return snapshot;
}

static bool take_memory(const struct command *command, struct snapshot *snapshot)
{
	struct query_chunk **more =
	    realloc(snapshot->chunks, command->chunk_count * sizeof(struct query_chunk *));
	if (!more)
		return false;
	snapshot->chunks = more;
	while (snapshot->chunk_count < command->chunk_count) {
		struct query_chunk *chunk = pool_copied_chunk(command->device);
		if (!chunk)
			return false;
		snapshot->chunks[snapshot->chunk_count++] = chunk;
	}
	return true;
}

/* Resets the command buffer's event, so that the end of its next execution can be seen. */
static void record_end(const struct command *command, const struct snapshot *snapshot)
{
	const struct device_functions *next = &command->device->next;
	const VkPipelineStageFlags all = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
	const VkMemoryBarrier copied = {.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
					.srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
					.dstAccessMask =
					    VK_ACCESS_HOST_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT};
	next->CmdPipelineBarrier(snapshot->handle, VK_PIPELINE_STAGE_TRANSFER_BIT,
				 VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT, 0, 1,
				 &copied, 0, NULL, 0, NULL);
	next->CmdResetEvent(snapshot->handle, command->done, all);
	next->CmdPipelineBarrier(snapshot->handle, all, all, 0, 0, NULL, 0, NULL, 0, NULL);
	next->CmdSetEvent(snapshot->handle, snapshot->done, all);
}

static bool snapshot_record(const struct command *command, struct snapshot *snapshot)
{
	const struct device_functions *next = &command->device->next;
	/* It may be pending when its event is set, and is used again then. */
	const VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					       .flags =
						   VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT};
	if (!take_memory(command, snapshot) ||
	    next->BeginCommandBuffer(snapshot->handle, &info) != VK_SUCCESS)
		return false;
	copies_record_to(command, snapshot->handle, snapshot->chunks);
	record_end(command, snapshot);
	snapshot->recorded = next->EndCommandBuffer(snapshot->handle) == VK_SUCCESS;
	return snapshot->recorded;
}

static void put_idle(struct command *command, struct snapshot *snapshot)
{
	snapshot->other = command->idle;
	command->idle = snapshot;
}

static struct snapshot *snapshot_take(struct command *command)
{
	const struct device *device = command->device;
	struct snapshot *snapshot = command->idle;
	if (snapshot)
		command->idle = snapshot->other;
	else
		snapshot = snapshot_make(command);
	if (!snapshot)
		return NULL;
	if ((!snapshot->recorded && !snapshot_record(command, snapshot)) ||
	    device->next.ResetEvent(device->handle, snapshot->done) != VK_SUCCESS) {
		put_idle(command, snapshot);
		return NULL;
	}
	snapshot->other = NULL;
	return snapshot;
}

bool snapshots_may_follow(const struct command *command)
{
	return command->secondary_count + command->program_count + command->driver_slots == 0;
}

/*
 * Not possible inside of a suspended rendering, nor with secondary command buffers that have
 * queries which the snapshot does not copy.
 */
static bool may_insert(const struct command *command)
{
	bool may = !command->resumes || command->suspended;
	for (uint32_t i = 0; i < command->secondary_count; i++)
		may &= command->secondaries[i].copied;
	return may;
}

bool snapshot_insert(struct command *command, struct insertions *in, bool planned)
{
	struct snapshot *snapshot =
	    may_insert(command) && insertions_reserve(in) ? snapshot_take(command) : NULL;
	if (!snapshot)
		return false;
	insertions_put(in, snapshot->handle);
	command->reset_by = snapshot;
	if (planned) {
		if (!command->planned)
			command->planned_end = &command->planned;
		*command->planned_end = snapshot;
		command->planned_end = &snapshot->other;
	} else {
		command->pending->snapshot = snapshot;
		command->waits++;
	}
	return true;
}

struct snapshot *snapshot_next_planned(struct command *command)
{
	struct snapshot *snapshot = command->planned;
	if (snapshot)
		command->planned = snapshot->other;
	return snapshot;
}

bool snapshots_ran(struct command *command)
{
	const struct device *device = command->device;
	if (command->waits != 0)
		return false;
	if (command->reset_by &&
	    device->next.GetEventStatus(device->handle, command->reset_by->done) == VK_EVENT_RESET)
		return false;
	command->reset_by = NULL;
	return true;
}

void snapshot_release(struct command *command, struct snapshot *snapshot)
{
	if (command->reset_by == snapshot)
		command->reset_by = NULL;
	put_idle(command, snapshot);
}

void snapshots_restart(struct command *command)
{
	command->idle = command->planned = command->reset_by = NULL;
	command->waits = 0;
	for (struct snapshot *s = command->snapshots; s; s = s->next) {
		s->recorded = false;
		put_idle(command, s);
	}
}

void snapshots_free(struct command *command)
{
	while (command->snapshots) {
		struct snapshot *snapshot = command->snapshots;
		command->snapshots = snapshot->next;
		snapshot_destroy(command, snapshot);
	}
}

void snapshots_destroy_pools(struct device *device)
{
	for (uint32_t i = 0; i < FAMILIES_MAX; i++) {
		if (device->snapshot_pools[i] != VK_NULL_HANDLE)
			device->next.DestroyCommandPool(device->handle, device->snapshot_pools[i],
							NULL);
		device->snapshot_pools[i] = VK_NULL_HANDLE;
	}
}
