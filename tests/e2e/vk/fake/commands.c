/* Queries and the commands around them, as the specification wants them. */
#include "fake.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEXT(name) ((PFN_##name)fake_next(#name))

static struct fake_buffer buffers[BUFFERS];
static struct fake_pool pools[POOLS];

struct fake_buffer *fake_buffer_of(VkCommandBuffer handle, bool add)
{
	struct fake_buffer *free_one = NULL;

	for (size_t i = 0; i < BUFFERS; i++) {
		if (buffers[i].handle == handle)
			return &buffers[i];
		if (!buffers[i].handle && !free_one)
			free_one = &buffers[i];
	}
	if (add && free_one)
		*free_one = (struct fake_buffer){.handle = handle};
	if (add && !free_one)
		abort();
	return add ? free_one : NULL;
}

struct fake_pool *fake_pool_of(VkQueryPool handle)
{
	for (size_t i = 0; i < POOLS; i++)
		if (handle && pools[i].handle == handle)
			return &pools[i];
	return NULL;
}

/* One more command in the buffer; `draws` and `dispatches` of it work. */
static struct fake_buffer *note(VkCommandBuffer handle, uint64_t draws, uint64_t dispatches)
{
	struct fake_buffer *buffer = fake_buffer_of(handle, true);

	buffer->commands++;
	buffer->work[0] += draws;
	buffer->work[1] += dispatches;
	return buffer;
}

static bool counts(const struct fake_pool *pool, VkPerformanceCounterScopeKHR scope)
{
	for (uint32_t i = 0; i < pool->count; i++)
		if (fake_scope(pool->counters[i]) == scope)
			return true;
	return false;
}
#define WHOLE_BUFFER VK_PERFORMANCE_COUNTER_SCOPE_COMMAND_BUFFER_KHR
#define WHOLE_PASS   VK_PERFORMANCE_COUNTER_SCOPE_RENDER_PASS_KHR

/* FAKE_LOST: the submission that loses the device, from 1; everything fails from there on. */
static bool lost(bool submits)
{
	static uint32_t count; /* under fake_lock */
	const char *at = getenv("FAKE_LOST");

	pthread_mutex_lock(&fake_lock);
	count += submits;
	bool gone = at && count >= (uint32_t)atoi(at);
	pthread_mutex_unlock(&fake_lock);
	return gone;
}

static VkResult VKAPI_CALL create_pool(VkDevice device, const VkQueryPoolCreateInfo *info,
				       const VkAllocationCallbacks *allocator, VkQueryPool *out)
{
	VkQueryPoolCreateInfo below = *info;
	const VkQueryPoolPerformanceCreateInfoKHR *what = info->pNext;

	if (info->queryType != VK_QUERY_TYPE_PERFORMANCE_QUERY_KHR)
		return NEXT(vkCreateQueryPool)(device, info, allocator, out);
	below.queryType = VK_QUERY_TYPE_OCCLUSION;
	below.pNext = NULL;
	VkResult result = NEXT(vkCreateQueryPool)(device, &below, allocator, out);
	pthread_mutex_lock(&fake_lock);
	fake_rule(what && what->sType == VK_STRUCTURE_TYPE_QUERY_POOL_PERFORMANCE_CREATE_INFO_KHR,
		  "VUID-VkQueryPoolCreateInfo-queryType-03222");
	fake_rule(fake_device_of(device)->enabled,
		  "VUID-VkQueryPoolPerformanceCreateInfoKHR-performanceCounterQueryPools-03237");
	fake_rule(what->counterIndexCount > 0 && info->queryCount <= QUERIES,
		  "VUID-VkQueryPoolPerformanceCreateInfoKHR-counterIndexCount-arraylength");
	for (size_t i = 0; result == VK_SUCCESS && i < POOLS; i++) {
		struct fake_pool *pool = &pools[i];

		if (pool->handle)
			continue;
		*pool = (struct fake_pool){.handle = *out,
					   .device = fake_device_of(device),
					   .family = what->queueFamilyIndex,
					   .count = what->counterIndexCount};
		for (uint32_t k = 0; k < pool->count && k < COUNTERS; k++) {
			pool->counters[k] = what->pCounterIndices[k];
			fake_rule(pool->counters[k] < COUNTERS,
				  "VUID-VkQueryPoolPerformanceCreateInfoKHR-pCounterIndices-03321");
		}
		break;
	}
	pthread_mutex_unlock(&fake_lock);
	return result;
}

static void VKAPI_CALL destroy_pool(VkDevice device, VkQueryPool handle,
				    const VkAllocationCallbacks *allocator)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_pool *pool = fake_pool_of(handle);
	if (pool)
		pool->handle = VK_NULL_HANDLE;
	pthread_mutex_unlock(&fake_lock);
	NEXT(vkDestroyQueryPool)(device, handle, allocator);
}

static void VKAPI_CALL reset_pool(VkDevice device, VkQueryPool handle, uint32_t first,
				  uint32_t count)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_pool *pool = fake_pool_of(handle);
	for (uint32_t i = first; pool && i < first + count && i < QUERIES; i++) {
		pool->reset[i] = true;
		pool->ran[i] = false;
	}
	pthread_mutex_unlock(&fake_lock);
	NEXT(vkResetQueryPool)(device, handle, first, count);
}

static void VKAPI_CALL cmd_reset(VkCommandBuffer c, VkQueryPool handle, uint32_t first,
				 uint32_t count)
{
	pthread_mutex_lock(&fake_lock);
	note(c, 0, 0);
	fake_rule(!fake_pool_of(handle), "VUID-vkCmdResetQueryPool-firstQuery-02862");
	pthread_mutex_unlock(&fake_lock);
	NEXT(vkCmdResetQueryPool)(c, handle, first, count);
}

static void begin_rules(struct fake_buffer *buffer, struct fake_pool *pool, uint32_t query)
{
	fake_rule(buffer->locked, "VUID-vkCmdBeginQuery-queryPool-03223");
	fake_rule(buffer->commands == 1 || !counts(pool, WHOLE_BUFFER),
		  "VUID-vkCmdBeginQuery-queryPool-03224");
	fake_rule(!buffer->in_pass || !counts(pool, WHOLE_PASS),
		  "VUID-vkCmdBeginQuery-queryPool-03225");
	fake_rule(buffer->family == pool->family, "VUID-vkCmdBeginQuery-queryPool-07289");
	for (uint32_t i = 0; i < buffer->use_count; i++) {
		const struct fake_use *other = &buffer->uses[i];

		fake_rule(other->pool == pool || pool->device->multiple,
			  "VUID-vkCmdBeginQuery-queryPool-03226");
		fake_rule(other->ended, "VUID-vkCmdBeginQuery-queryPool-04753");
		fake_rule(other->pool != pool || other->query != query,
			  "VUID-vkCmdBeginQuery-None-00807");
	}
}

static void VKAPI_CALL begin_query(VkCommandBuffer c, VkQueryPool handle, uint32_t query,
				   VkQueryControlFlags flags)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_buffer *buffer = note(c, 0, 0);
	struct fake_pool *pool = fake_pool_of(handle);
	if (pool) {
		begin_rules(buffer, pool, query);
		if (buffer->use_count == BUFFER_QUERY)
			abort();
		buffer->uses[buffer->use_count++] =
		    (struct fake_use){.pool = pool,
				      .query = query,
				      .in_pass = buffer->in_pass,
				      .first = buffer->passes,
				      .begun = {buffer->work[0], buffer->work[1]}};
	}
	pthread_mutex_unlock(&fake_lock);
	if (!pool)
		NEXT(vkCmdBeginQuery)(c, handle, query, flags);
}

static void end_one(struct fake_buffer *buffer, struct fake_use *use)
{
	use->ended = true;
	for (int i = 0; i < 2; i++)
		use->counted[i] = buffer->work[i] - use->begun[i];
	if (counts(use->pool, WHOLE_BUFFER))
		buffer->last_end = buffer->commands;
	fake_rule(!buffer->in_pass || !counts(use->pool, WHOLE_PASS),
		  "VUID-vkCmdEndQuery-queryPool-03228");
	fake_rule(use->in_pass == buffer->in_pass &&
		      (!use->in_pass || use->first == buffer->passes),
		  "VUID-vkCmdEndQuery-None-07007");
}

static void VKAPI_CALL end_query(VkCommandBuffer c, VkQueryPool handle, uint32_t query)
{
	bool found = false;

	pthread_mutex_lock(&fake_lock);
	struct fake_buffer *buffer = note(c, 0, 0);
	struct fake_pool *pool = fake_pool_of(handle);
	for (uint32_t i = 0; pool && i < buffer->use_count; i++) {
		struct fake_use *use = &buffer->uses[i];

		if (use->pool != pool || use->query != query || use->ended)
			continue;
		end_one(buffer, use);
		found = true;
	}
	fake_rule(!pool || found, "VUID-vkCmdEndQuery-None-01923");
	pthread_mutex_unlock(&fake_lock);
	if (!pool)
		NEXT(vkCmdEndQuery)(c, handle, query);
}

static VkResult VKAPI_CALL results(VkDevice device, VkQueryPool handle, uint32_t first,
				   uint32_t count, size_t size, void *data, VkDeviceSize stride,
				   VkQueryResultFlags flags)
{
	if (lost(false))
		return VK_ERROR_DEVICE_LOST;
	VkPerformanceCounterResultKHR *out = data;
	VkResult result = VK_SUCCESS;

	fake_note_read();
	pthread_mutex_lock(&fake_lock);
	struct fake_pool *pool = fake_pool_of(handle);
	if (pool) {
		fake_rule((flags & ~(VkQueryResultFlags)VK_QUERY_RESULT_WAIT_BIT) == 0,
			  "VUID-vkGetQueryPoolResults-queryType-03230");
		fake_rule(stride % sizeof(*out) == 0 && count == 1 && first < QUERIES &&
			      size >= pool->count * sizeof(*out),
			  "VUID-vkGetQueryPoolResults-queryType-04519");
		if (!pool->ran[first] || pool->unread[first] > 0) {
			pool->unread[first] -= pool->unread[first] > 0;
			result = VK_NOT_READY;
		}
		for (uint32_t i = 0; result == VK_SUCCESS && i < pool->count; i++)
			out[i] = fake_value(pool->counters[i], pool->commands[first]);
	}
	pthread_mutex_unlock(&fake_lock);
	if (pool)
		return result;
	return NEXT(vkGetQueryPoolResults)(device, handle, first, count, size, data, stride, flags);
}

static VkResult VKAPI_CALL begin_buffer(VkCommandBuffer c, const VkCommandBufferBeginInfo *info)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_buffer *buffer = fake_buffer_of(c, true);
	VkDevice device = buffer->device;

	*buffer = (struct fake_buffer){
	    .handle = c, .device = device, .locked = fake_device_of(device)->locked};
	buffer->in_pass = info->flags & VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT;
	pthread_mutex_unlock(&fake_lock);
	return NEXT(vkBeginCommandBuffer)(c, info);
}

static VkResult VKAPI_CALL end_buffer(VkCommandBuffer c)
{
	pthread_mutex_lock(&fake_lock);
	const struct fake_buffer *buffer = fake_buffer_of(c, true);

	fake_rule(!buffer->last_end || buffer->last_end == buffer->commands,
		  "VUID-vkCmdEndQuery-queryPool-03227");
	for (uint32_t i = 0; i < buffer->use_count; i++)
		fake_rule(buffer->uses[i].ended, "VUID-vkEndCommandBuffer-commandBuffer-00061");
	pthread_mutex_unlock(&fake_lock);
	return NEXT(vkEndCommandBuffer)(c);
}

/* Its queries run: the answers come a little later than the end of what they count. */
static void run(VkCommandBuffer c)
{
	struct fake_buffer *buffer = fake_buffer_of(c, false);

	for (uint32_t i = 0; buffer && i < buffer->use_count; i++) {
		struct fake_use *use = &buffer->uses[i];
		struct fake_pool *pool = use->pool;

		fake_rule(pool->handle != VK_NULL_HANDLE,
			  "VUID-vkDestroyQueryPool-queryPool-00793");
		fake_rule(pool->reset[use->query] && !pool->ran[use->query],
			  "VUID-vkCmdBeginQuery-None-00807");
		fake_rule(pool->device->locked, "VUID-vkQueueSubmit-pCommandBuffers-03220");
		pool->reset[use->query] = false;
		pool->ran[use->query] = true;
		pool->unread[use->query] = 2;
		memcpy(pool->commands[use->query], use->counted, sizeof(use->counted));
	}
}

static VkResult VKAPI_CALL event_status(VkDevice device, VkEvent event)
{
	return lost(false) ? VK_ERROR_DEVICE_LOST : NEXT(vkGetEventStatus)(device, event);
}

static VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
				  VkFence fence)
{
	if (lost(true))
		return VK_ERROR_DEVICE_LOST;
	pthread_mutex_lock(&fake_lock);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferCount; k++)
			run(infos[i].pCommandBuffers[k]);
	pthread_mutex_unlock(&fake_lock);
	return NEXT(vkQueueSubmit)(queue, count, infos, fence);
}

static VkResult VKAPI_CALL submit2(VkQueue queue, uint32_t count, const VkSubmitInfo2 *infos,
				   VkFence fence)
{
	pthread_mutex_lock(&fake_lock);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferInfoCount; k++)
			run(infos[i].pCommandBufferInfos[k].commandBuffer);
	pthread_mutex_unlock(&fake_lock);
	return NEXT(vkQueueSubmit2)(queue, count, infos, fence);
}

/* What was waited for is over, and has its answers. */
static void finish(void)
{
	pthread_mutex_lock(&fake_lock);
	for (size_t i = 0; i < POOLS; i++)
		memset(pools[i].unread, 0, sizeof(pools[i].unread));
	pthread_mutex_unlock(&fake_lock);
}

static VkResult VKAPI_CALL wait(VkDevice device, uint32_t count, const VkFence *fences,
				VkBool32 all, uint64_t timeout)
{
	VkResult result = lost(false) ? VK_ERROR_DEVICE_LOST
				      : NEXT(vkWaitForFences)(device, count, fences, all, timeout);

	if (result == VK_SUCCESS)
		finish();
	return result;
}

static VkResult VKAPI_CALL wait_idle(VkDevice device)
{
	VkResult result = NEXT(vkDeviceWaitIdle)(device);

	finish();
	return result;
}

static VkResult VKAPI_CALL allocate(VkDevice device, const VkCommandBufferAllocateInfo *info,
				    VkCommandBuffer *out)
{
	VkResult result = NEXT(vkAllocateCommandBuffers)(device, info, out);

	pthread_mutex_lock(&fake_lock);
	for (uint32_t i = 0; result == VK_SUCCESS && i < info->commandBufferCount; i++)
		*fake_buffer_of(out[i], true) =
		    (struct fake_buffer){.handle = out[i], .device = device};
	pthread_mutex_unlock(&fake_lock);
	return result;
}

static VkResult VKAPI_CALL acquire(VkDevice device, const VkAcquireProfilingLockInfoKHR *info)
{
	const char *how = getenv("FAKE_LOCK");

	(void)info;
	if (how && strcmp(how, "taken") == 0)
		return VK_TIMEOUT;
	if (how)
		return VK_ERROR_INITIALIZATION_FAILED;
	pthread_mutex_lock(&fake_lock);
	fake_rule(!fake_device_of(device)->locked, "the lock was held already");
	fake_device_of(device)->locked = true;
	pthread_mutex_unlock(&fake_lock);
	return VK_SUCCESS;
}

static void VKAPI_CALL release(VkDevice device)
{
	pthread_mutex_lock(&fake_lock);
	fake_rule(fake_device_of(device)->locked, "VUID-vkReleaseProfilingLockKHR-device-03235");
	fake_device_of(device)->locked = false;
	pthread_mutex_unlock(&fake_lock);
}

static void VKAPI_CALL destroy_device(VkDevice device, const VkAllocationCallbacks *allocator)
{
	PFN_vkDestroyDevice next = NEXT(vkDestroyDevice);

	pthread_mutex_lock(&fake_lock);
	struct fake_device *own = fake_device_of(device);

	for (size_t i = 0; i < POOLS; i++)
		fake_rule(!pools[i].handle || pools[i].device != own,
			  "VUID-vkDestroyDevice-device-05137");
	fake_rule(!own->locked, "the lock is held beyond the device's end");
	own->handle = VK_NULL_HANDLE;
	pthread_mutex_unlock(&fake_lock);
	next(device, allocator);
}

/* A command that is counted, with what it works. */
#define COMMAND(name, draws, dispatches, parameters, arguments)                                    \
	static void VKAPI_CALL noted_##name parameters                                             \
	{                                                                                          \
		pthread_mutex_lock(&fake_lock);                                                    \
		note(c, draws, dispatches);                                                        \
		pthread_mutex_unlock(&fake_lock);                                                  \
		NEXT(name) arguments;                                                              \
	}
/* One that begins or ends a pass. */
#define PASS(name, begins, parameters, arguments)                                                  \
	static void VKAPI_CALL noted_##name parameters                                             \
	{                                                                                          \
		pthread_mutex_lock(&fake_lock);                                                    \
		struct fake_buffer *buffer = note(c, 0, 0);                                        \
		buffer->in_pass = begins;                                                          \
		buffer->passes++;                                                                  \
		pthread_mutex_unlock(&fake_lock);                                                  \
		NEXT(name) arguments;                                                              \
	}
COMMAND(vkCmdDraw, 1, 0, (VkCommandBuffer c, uint32_t a, uint32_t b, uint32_t d, uint32_t e),
	(c, a, b, d, e))
COMMAND(vkCmdDispatch, 0, 1, (VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z), (c, x, y, z))
COMMAND(vkCmdBindPipeline, 0, 0, (VkCommandBuffer c, VkPipelineBindPoint at, VkPipeline p),
	(c, at, p))
COMMAND(vkCmdWriteTimestamp, 0, 0,
	(VkCommandBuffer c, VkPipelineStageFlagBits at, VkQueryPool p, uint32_t q), (c, at, p, q))
COMMAND(vkCmdSetEvent, 0, 0, (VkCommandBuffer c, VkEvent e, VkPipelineStageFlags at), (c, e, at))
PASS(vkCmdBeginRenderPass, true,
     (VkCommandBuffer c, const VkRenderPassBeginInfo *info, VkSubpassContents contents),
     (c, info, contents))
PASS(vkCmdEndRenderPass, false, (VkCommandBuffer c), (c))
PASS(vkCmdBeginRendering, true, (VkCommandBuffer c, const VkRenderingInfo *info), (c, info))
PASS(vkCmdEndRendering, false, (VkCommandBuffer c), (c))

static void VKAPI_CALL execute(VkCommandBuffer c, uint32_t count, const VkCommandBuffer *list)
{
	pthread_mutex_lock(&fake_lock);
	struct fake_buffer *buffer = note(c, 0, 0);

	for (uint32_t i = 0; i < buffer->use_count; i++)
		fake_rule(buffer->uses[i].ended, "VUID-vkCmdExecuteCommands-commandBuffer-07594");
	pthread_mutex_unlock(&fake_lock);
	NEXT(vkCmdExecuteCommands)(c, count, list);
}

PFN_vkVoidFunction fake_command(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} table[] = {
#define ENTRY(name, function) {#name, (PFN_vkVoidFunction)(function)}
	    ENTRY(vkCreateQueryPool, create_pool),
	    ENTRY(vkDestroyQueryPool, destroy_pool),
	    ENTRY(vkResetQueryPool, reset_pool),
	    ENTRY(vkCmdResetQueryPool, cmd_reset),
	    ENTRY(vkCmdBeginQuery, begin_query),
	    ENTRY(vkCmdEndQuery, end_query),
	    ENTRY(vkGetQueryPoolResults, results),
	    ENTRY(vkBeginCommandBuffer, begin_buffer),
	    ENTRY(vkEndCommandBuffer, end_buffer),
	    ENTRY(vkGetEventStatus, event_status),
	    ENTRY(vkQueueSubmit, submit),
	    ENTRY(vkQueueSubmit2, submit2),
	    ENTRY(vkAllocateCommandBuffers, allocate),
	    ENTRY(vkAcquireProfilingLockKHR, acquire),
	    ENTRY(vkReleaseProfilingLockKHR, release),
	    ENTRY(vkDestroyDevice, destroy_device),
	    ENTRY(vkWaitForFences, wait),
	    ENTRY(vkDeviceWaitIdle, wait_idle),
	    ENTRY(vkCmdExecuteCommands, execute),
	    ENTRY(vkCmdDraw, noted_vkCmdDraw),
	    ENTRY(vkCmdDispatch, noted_vkCmdDispatch),
	    ENTRY(vkCmdBindPipeline, noted_vkCmdBindPipeline),
	    ENTRY(vkCmdWriteTimestamp, noted_vkCmdWriteTimestamp),
	    ENTRY(vkCmdSetEvent, noted_vkCmdSetEvent),
	    ENTRY(vkCmdBeginRenderPass, noted_vkCmdBeginRenderPass),
	    ENTRY(vkCmdEndRenderPass, noted_vkCmdEndRenderPass),
	    ENTRY(vkCmdBeginRendering, noted_vkCmdBeginRendering),
	    ENTRY(vkCmdEndRendering, noted_vkCmdEndRendering),
	};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].function;
	return NULL;
}
