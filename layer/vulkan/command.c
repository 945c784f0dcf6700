/* Command buffers: from their pools to the end of their recording. */
#include <stdlib.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

/* That another thread may take from the driver's return to its own. */
#define CALL_MOST_NS UINT64_C(1000000000)

static uint64_t pool_key(VkCommandPool pool)
{
	return (uint64_t)(uintptr_t)pool;
}

/* The pool's record; NULL: it has none. */
static struct command_pool *pool_of(struct device *device, VkCommandPool handle)
{
	return handles_get(&device->pools, pool_key(handle));
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateCommandPool(VkDevice handle,
						      const VkCommandPoolCreateInfo *pCreateInfo,
						      const VkAllocationCallbacks *pAllocator,
						      VkCommandPool *pCommandPool)
{
	struct device *device = device_of(handle);
	VkResult result =
	    device->next.CreateCommandPool(handle, pCreateInfo, pAllocator, pCommandPool);
	struct guest_visit visit = guest_enter();
	struct command_pool *pool = result == VK_SUCCESS ? calloc(1, sizeof(*pool)) : NULL;

	if (pool) {
		pool->handle = *pCommandPool;
		pool->family = pCreateInfo->queueFamilyIndex;
		pool->untracked = pool->family >= device->family_count ||
				  (pCreateInfo->flags & VK_COMMAND_POOL_CREATE_PROTECTED_BIT) != 0;
		device_lock(device);
		if (!handles_put(&device->pools, pool_key(*pCommandPool), pool)) {
			free(pool);
			pool = NULL;
		}
		device_unlock(device);
	}
	guest_leave(visit);
	return result;
}

static bool is_unsampled(const struct command *command)
{
	return __atomic_load_n(&command->unsampled, __ATOMIC_ACQUIRE) != 0;
}

static bool is_pending(const struct command *command)
{
	return __atomic_load_n(&command->pending, __ATOMIC_ACQUIRE) ||
	       __atomic_load_n(&command->unread, __ATOMIC_ACQUIRE) != 0;
}

/*
 * Reads all results of a command buffer before it is recorded again. After that its fields belong
 * to the recording thread. `unsampled` is read before `pending`, because a submission becomes
 * pending before it is counted as sampled. A submission may be unsampled even though the device has
 * finished it: the thread that submitted it may still be inside vkQueueSubmit().
 */
static void command_resolve(struct command *command)
{
	struct device *device = command->device;
	uint64_t until = 0;

	while (is_unsampled(command) || is_pending(command)) {
		device_lock(device);
		frames_resolve(device, command);
		device_unlock(device);
		if (!is_unsampled(command))
			break;
		until = until != 0 ? until : guest_now_ns() + CALL_MOST_NS;
		if (guest_now_ns() > until) /* that thread has probably ended */
			__atomic_store_n(&command->unsampled, 0, __ATOMIC_RELEASE);
		else
			guest_sleep();
	}
}

static void command_destroy(struct command *command)
{
	struct device *device = command->device;
	command_resolve(command); /* deferred operations refer to it by its handle */
	object_remove(command->handle);
	if (command->previous)
		command->previous->next = command->next;
	else
		command->pool->commands = command->next;
	if (command->next)
		command->next->previous = command->previous;
	device_lock(device);
	queries_free(command);
	device_unlock(device);
	free(command);
}

static void command_pool_destroy(void *value)
{
	struct command_pool *pool = value;
	while (pool && pool->commands)
		command_destroy(pool->commands);
	free(pool);
}

void commands_finish(struct device *device)
{
	handles_finish(&device->pools, command_pool_destroy);
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyCommandPool(VkDevice handle, VkCommandPool commandPool,
						   const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	struct command_pool *pool = NULL;
	if (commandPool != VK_NULL_HANDLE) {
		device_lock(device);
		pool = handles_remove(&device->pools, pool_key(commandPool));
		device_unlock(device);
	}
	command_pool_destroy(pool);
	guest_leave(visit);
	device->next.DestroyCommandPool(handle, commandPool, pAllocator);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_ResetCommandPool(VkDevice handle, VkCommandPool commandPool,
						     VkCommandPoolResetFlags flags)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	struct command_pool *pool = pool_of(device, commandPool);
	for (struct command *c = pool ? pool->commands : NULL; c; c = c->next)
		command_resolve(c);
	guest_leave(visit);
	return device->next.ResetCommandPool(handle, commandPool, flags);
}

static void command_create(struct device *device, struct command_pool *pool, VkCommandBuffer handle,
			   bool secondary)
{
	struct command *command = calloc(1, sizeof(*command));
	if (!command)
		return;
	*command = (struct command){.device = device,
				    .pool = pool,
				    .handle = handle,
				    .secondary = secondary,
				    .next = pool->commands};
	if (!object_put(handle, command)) {
		free(command);
		return;
	}
	if (pool->commands)
		pool->commands->previous = command;
	pool->commands = command;
}

VKAPI_ATTR VkResult VKAPI_CALL
hook_AllocateCommandBuffers(VkDevice handle, const VkCommandBufferAllocateInfo *pAllocateInfo,
			    VkCommandBuffer *pCommandBuffers)
{
	struct device *device = device_of(handle);
	VkResult result =
	    device->next.AllocateCommandBuffers(handle, pAllocateInfo, pCommandBuffers);
	struct guest_visit visit = guest_enter();
	struct command_pool *pool = pool_of(device, pAllocateInfo->commandPool);
	bool secondary = pAllocateInfo->level == VK_COMMAND_BUFFER_LEVEL_SECONDARY;

	if (secondary)
		__atomic_store_n(&device->driver.has_secondaries, true, __ATOMIC_RELAXED);
	for (uint32_t i = 0; result == VK_SUCCESS && pool && !pool->untracked &&
			     i < pAllocateInfo->commandBufferCount;
	     i++)
		command_create(device, pool, pCommandBuffers[i], secondary);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_FreeCommandBuffers(VkDevice handle, VkCommandPool commandPool,
						   uint32_t commandBufferCount,
						   const VkCommandBuffer *pCommandBuffers)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	for (uint32_t i = 0; i < commandBufferCount; i++) {
		struct command *command =
		    pCommandBuffers[i] ? command_of(pCommandBuffers[i]) : &device->untracked;

		if (!command->untracked)
			command_destroy(command);
	}
	guest_leave(visit);
	device->next.FreeCommandBuffers(handle, commandPool, commandBufferCount, pCommandBuffers);
}

/* Initialises all fields of a recording. */
static void command_restart(struct command *command, VkCommandBufferUsageFlags flags)
{
	struct device *device = command->device;
	command_resolve(command);
	snapshots_restart(command);
	command->measured = __atomic_load_n(&device->measure, __ATOMIC_RELAXED);
	command->prepared = command->in_pass = command->inline_pass = false;
	command->suspended = command->suspends = command->resumes = false;
	command->used_feedback = command->overlapped = command->sets_event = false;
	command->ran = command->multi_queue = command->copies = false;
	command->queue = VK_NULL_HANDLE;
	command->simultaneous = (flags & VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT) != 0;
	/* The host must not reset queries of a pending command buffer. */
	command->host_resets = device->host_reset && !command->simultaneous;
	command->continues_pass =
	    command->secondary && (flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT) != 0;
	command->copied = command->secondary && command->simultaneous &&
			  !device->inherited_queries && !device->validated &&
			  (!command->continues_pass || device->resets_in_pass);
	command->one_time = (flags & VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT) != 0;
	command->driver_slots = 0;
	command->secondary_count = command->due = command->inherited = 0;
	command->ran_untracked = false;
	command->outside = command->inside = command->streams = command->open = 0;
	command->program_open = command->program_used = command->can_inherit = 0;
	command->program_count = 0;
	command->feedback_active = false;
	command->label = command->labels = command->label_depth = 0;
	command->label_ended = command->ended = 0;
	for (int type = 0; type < QUERY_TYPES; type++)
		command->slots[type] = 0;
	command->use_count = 0;
	command->tally = (struct tally){0};
	if (command->span_cap == 0) {
		command->spans = calloc(1, sizeof(*command->spans));
		command->span_cap = command->spans != NULL;
	}
	command->span_count = command->span_cap != 0;
	if (command->span_count != 0)
		command->spans[0] =
		    (struct span){.label = device->per == WIRE_PASS ? LABEL_OUTSIDE : 0};
	command->now = command->span_count != 0 ? command->spans : &command->none;
}

/* Lets our queries be active in the primary: the program enabled only what its own ones need. */
static void command_inherit(struct command *command, VkCommandBufferInheritanceInfo *info)
{
	const struct device *device = command->device;
	if (!device->inherited_queries)
		return;
	if ((device->wanted & QUERY_BIT(QUERY_OCCLUSION)) != 0) {
		info->occlusionQueryEnable = VK_TRUE;
		info->queryFlags |= VK_QUERY_CONTROL_PRECISE_BIT;
	}
	if ((device->families[command->pool->family].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0)
		info->pipelineStatistics |= (device->wanted & QUERY_BIT(QUERY_STATISTICS)) != 0
						? device->statistic_bits
						: 0;
	else if ((device->wanted & QUERY_BIT(QUERY_COMPUTE)) != 0)
		info->pipelineStatistics |=
		    VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT;
	command->can_inherit = device->wanted & QUERY_INHERITED;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_BeginCommandBuffer(VkCommandBuffer handle,
						       const VkCommandBufferBeginInfo *pBeginInfo)
{
	struct command *command = command_of(handle);
	const struct device_functions *next = &command->device->next;
	VkCommandBufferBeginInfo info = *pBeginInfo;
	VkCommandBufferInheritanceInfo inherited;
	if (command->untracked || !guest_active())
		return next->BeginCommandBuffer(handle, pBeginInfo);
	struct guest_visit visit = guest_enter();
	command_restart(command, info.flags);
	if (command->secondary && info.pInheritanceInfo) {
		inherited = *info.pInheritanceInfo;
		command_inherit(command, &inherited);
		info.pInheritanceInfo = &inherited;
	}
	guest_restore_errno(&visit);
	VkResult result = next->BeginCommandBuffer(handle, &info);
	guest_keep_errno(&visit);
	if (command->continues_pass)
		command->in_pass = command->inline_pass = true;
	if (result == VK_SUCCESS && command->span_count != 0)
		queries_start(command);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_EndCommandBuffer(VkCommandBuffer handle)
{
	struct command *command = command_of(handle);
	if (!command->untracked && command->span_count != 0)
		queries_finish(command);
	return command->device->next.EndCommandBuffer(handle);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_ResetCommandBuffer(VkCommandBuffer handle,
						       VkCommandBufferResetFlags flags)
{
	struct command *command = command_of(handle);
	struct guest_visit visit = guest_enter();
	if (!command->untracked)
		command_resolve(command);
	guest_leave(visit);
	return command->device->next.ResetCommandBuffer(handle, flags);
}

static void command_add_tally(struct tally *to, const struct tally *from)
{
	to->draws += from->draws;
	to->dispatches += from->dispatches;
	to->barriers += from->barriers;
	to->passes += from->passes;
	to->moved += from->moved;
}

/* The primary's counts include those of its secondary command buffers. */
static void add_secondary(struct command *command, struct command *secondary)
{
	command_add_tally(&command->tally, &secondary->tally);
	command_add_tally(&command->now->tally, &secondary->tally);
	command->ran_untracked |= secondary->untracked;
	command->program_used |= secondary->program_used;
	command->used_feedback |= secondary->used_feedback;
	if (command->labels == 0) {
		command->label = secondary->label;
		command->label_ended = command->ended;
	}
	command->labels += secondary->labels;
	if (secondary->span_count != 0) {
		command->now->lost |= secondary->now->lost;
		command->now->disallowed |= secondary->now->disallowed;
		command->now->disturbed |= secondary->now->disturbed;
	}
	queries_before_secondary(command, secondary);
}

/* Executes them one by one where results must be copied after each. */
static void execute_secondaries(struct command *command, VkCommandBuffer handle, uint32_t count,
				const VkCommandBuffer *handles)
{
	PFN_vkCmdExecuteCommands next = command->device->next.CmdExecuteCommands;
	uint32_t first = 0;
	for (uint32_t i = 0; !command->untracked && i < count; i++) {
		const struct command *secondary = command_of(handles[i]);
		bool copied = secondary->copied && secondary->use_count != 0;
		if (!copied && (secondary->program_count == 0 || command->in_pass))
			continue;
		if (first < i)
			next(handle, i - first, handles + first);
		first = i + 1;
		queries_before_run(command, secondary);
		next(handle, 1, handles + i);
		queries_after_run(command, secondary);
	}
	if (first < count || count == 0)
		next(handle, count - first, handles + first);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdExecuteCommands(VkCommandBuffer handle,
						   uint32_t commandBufferCount,
						   const VkCommandBuffer *pCommandBuffers)
{
	struct command *command = command_of(handle);
	struct guest_visit visit = guest_enter();
	uint32_t can_inherit = QUERY_INHERITED;
	for (uint32_t i = 0; !command->untracked && i < commandBufferCount; i++) {
		const struct command *secondary = command_of(pCommandBuffers[i]);
		can_inherit &= secondary->can_inherit & ~secondary->program_used;
	}
	if (!command->untracked && command->span_count != 0) {
		queries_before_secondaries(command);
		queries_end(command, command->open & ~can_inherit);
		for (uint32_t i = 0; i < commandBufferCount; i++)
			add_secondary(command, command_of(pCommandBuffers[i]));
	}
	guest_leave(visit);
	execute_secondaries(command, handle, commandBufferCount, pCommandBuffers);
	if (!command->untracked && !command->in_pass)
		queries_after_pass(command);
}
