/* Hooks of queues, at which samples begin and end; of memory and swapchains. */
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

/*
 * Reads the results of an earlier submission and resets the queries. If that one is pending on the
 * same queue, a snapshot is inserted between the two; on another queue, or out of memory, the
 * results are lost. Waits for the lock.
 */
static void prepare_again(struct device *device, struct command *command, bool others,
			  struct insertions *in)
{
	device_lock(device);
	if (!queries_prepare_secondaries(device, command, in->queue))
		frames_lose(device, command);
	others &=
	    command->simultaneous; /* without SIMULTANEOUS_USE the other submission has ended */
	if (!command->overlapped && !others && !frames_are_pending(device, command)) {
		queries_reset(command);
	} else if (!command->overlapped && !(command->simultaneous && command->queue == in->queue &&
					     snapshot_insert(command, in, others))) {
		frames_lose(device, command);
	}
	command->queue = in->queue;
	device_unlock(device);
}

/* It ends with a suspended rendering: a snapshot follows after the end of that. */
static void prepare_part(struct device *device, struct command *command, struct insertions *in)
{
	if (!command->prepared)
		return;
	device_lock(device);
	queries_reset(command);
	if (command->sets_event && !command->overlapped && !snapshot_insert(command, in, true))
		frames_lose(device, command);
	device_unlock(device);
}

/* Before a command buffer is submitted: reads earlier results, resets its queries and event. */
static void prepare(struct device *device, struct command *command, struct insertions *in)
{
	uint32_t others = command_add_unsampled(command, 1);
	if (!command->untracked && command->suspended)
		prepare_part(device, command, in);
	else if (command->untracked || !command->sets_event)
		return;
	else if (others != 0 || command->simultaneous || command->copies ||
		 __atomic_load_n(&command->pending, __ATOMIC_ACQUIRE))
		prepare_again(device, command, others != 0, in);
	else if (!command->overlapped)
		queries_reset(command);
}

/* The time of a submission. Its CPU time is needed where each submission is a sample. */
static struct moment moment_of(const struct device *device)
{
	bool ends = !device->has_swapchain && device->per != WIRE_QUEUE;
	return (struct moment){guest_now_ns(), ends ? guest_cpu_ns() : 0};
}

static struct moment before_submit(struct device *device, struct insertions *in)
{
	struct guest_visit visit = guest_enter();
	struct submission all = in->all;
	struct command *command;
	if (device_trylock(device)) {
		frames_poll(device);
		device_unlock(device);
	}
	struct moment now = moment_of(device);
	for (; (command = submission_next(&all)); in->at++) {
		in->info = all.info;
		prepare(device, command, in);
	}
	guest_leave(visit);
	return now;
}

/* The submission failed, and with it our snapshots. */
static void undo_submission(struct device *device, struct command *command, struct insertions *in)
{
	command_add_unsampled(command, -1);
	if (!in->fronts || command->untracked || (!command->simultaneous && !command->suspended))
		return;
	device_lock(device);
	while (snapshot_next_planned(command))
		continue;
	frames_lose(device, command);
	device_unlock(device);
}

static void after_submit(struct device *device, const struct queue_op *op, struct insertions *in,
			 VkResult result)
{
	struct guest_visit visit = guest_enter();
	struct submission all = op->all;
	struct command *command;
	if (result == VK_SUCCESS)
		queue_op_add(device, op);
	while (result != VK_SUCCESS && (command = submission_next(&all)))
		undo_submission(device, command, in);
	insertions_release(in);
	guest_leave(visit);
}

static bool measures(const struct device *device)
{
	return device->measured && guest_check_active();
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueueSubmit(VkQueue queue, uint32_t submitCount,
						const VkSubmitInfo *pSubmits, VkFence fence)
{
	struct device *device = device_of(queue);
	struct queue_op op = {.queue = queue, .all = {.first = pSubmits, .count = submitCount}};
	struct insertions in = {.queue = queue, .all = op.all};
	if (!measures(device))
		return device->next.QueueSubmit(queue, submitCount, pSubmits, fence);
	op.at = before_submit(device, &in);
	VkResult result =
	    device->next.QueueSubmit(queue, submitCount, insertions_first(&in), fence);
	after_submit(device, &op, &in, result);
	return result;
}

#define SUBMIT2(name)                                                                              \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkQueue queue, uint32_t submitCount,            \
						   const VkSubmitInfo2 *pSubmits, VkFence fence)   \
	{                                                                                          \
		struct device *device = device_of(queue);                                          \
		struct queue_op op = {.queue = queue,                                              \
				      .all = {.second = pSubmits, .count = submitCount}};          \
		struct insertions in = {.queue = queue, .all = op.all};                            \
		VkResult result;                                                                   \
                                                                                                   \
		if (!measures(device))                                                             \
			return device->next.name(queue, submitCount, pSubmits, fence);             \
		op.at = before_submit(device, &in);                                                \
		result = device->next.name(queue, submitCount, insertions_second(&in), fence);     \
		after_submit(device, &op, &in, result);                                            \
		return result;                                                                     \
	}
SUBMIT2(QueueSubmit2)
SUBMIT2(QueueSubmit2KHR)

VKAPI_ATTR VkResult VKAPI_CALL hook_QueuePresentKHR(VkQueue queue,
						    const VkPresentInfoKHR *pPresentInfo)
{
	struct device *device = device_of(queue);
	VkResult result = device->next.QueuePresentKHR(queue, pPresentInfo);
	struct queue_op op = {.kind = QUEUE_OP_PRESENT, .presents = pPresentInfo->swapchainCount};
	if (!measures(device) || op.presents == 0)
		return result;
	struct guest_visit visit = guest_enter();
	op.at = (struct moment){guest_now_ns(), guest_cpu_ns()};
	op.swapchain = pPresentInfo->pSwapchains[0];
	queue_op_add(device, &op);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_QueueBeginDebugUtilsLabelEXT(VkQueue queue,
							     const VkDebugUtilsLabelEXT *info)
{
	struct device *device = device_of(queue);
	struct queue_op op = {.kind = QUEUE_OP_LABEL, .queue = queue};
	struct guest_visit visit = guest_enter();
	if (measures(device)) {
		op.label = label_intern(0, info->pLabelName, strlen(info->pLabelName));
		queue_op_add(device, &op);
	}
	guest_leave(visit);
	if (device->next.QueueBeginDebugUtilsLabelEXT)
		device->next.QueueBeginDebugUtilsLabelEXT(queue, info);
}

VKAPI_ATTR void VKAPI_CALL hook_QueueEndDebugUtilsLabelEXT(VkQueue queue)
{
	struct device *device = device_of(queue);
	struct queue_op op = {.kind = QUEUE_OP_LABEL_END, .queue = queue};
	struct guest_visit visit = guest_enter();
	if (measures(device))
		queue_op_add(device, &op);
	guest_leave(visit);
	if (device->next.QueueEndDebugUtilsLabelEXT)
		device->next.QueueEndDebugUtilsLabelEXT(queue);
}

/* After a wait some executions have probably ended. */
static void queue_poll(struct device *device)
{
	struct guest_visit visit = guest_enter();
	if (measures(device) && device_trylock(device)) {
		frames_poll(device);
		device_unlock(device);
	}
	guest_leave(visit);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueueWaitIdle(VkQueue queue)
{
	struct device *device = device_of(queue);
	VkResult result = device->next.QueueWaitIdle(queue);
	queue_poll(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_DeviceWaitIdle(VkDevice handle)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.DeviceWaitIdle(handle);
	queue_poll(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_WaitForFences(VkDevice handle, uint32_t fenceCount,
						  const VkFence *pFences, VkBool32 waitAll,
						  uint64_t timeout)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.WaitForFences(handle, fenceCount, pFences, waitAll, timeout);
	if (!device->has_swapchain)
		queue_poll(device);
	return result;
}

/* The entry of a swapchain (VK_NULL_HANDLE: a free one), or NULL. Under the lock. */
static struct swapchain *place_of(struct device *device, VkSwapchainKHR handle)
{
	for (uint32_t i = 0; i < SWAPCHAINS_MAX; i++) {
		if (device->swapchains[i].handle == handle)
			return &device->swapchains[i];
	}
	return NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateSwapchainKHR(VkDevice handle,
						       const VkSwapchainCreateInfoKHR *pCreateInfo,
						       const VkAllocationCallbacks *pAllocator,
						       VkSwapchainKHR *pSwapchain)
{
	struct device *device = device_of(handle);
	VkResult result =
	    device->next.CreateSwapchainKHR(handle, pCreateInfo, pAllocator, pSwapchain);
	struct guest_visit visit = guest_enter();

	device_lock(device);
	struct swapchain *place = result == VK_SUCCESS ? place_of(device, VK_NULL_HANDLE) : NULL;
	if (place)
		*place = (struct swapchain){*pSwapchain, pCreateInfo->imageExtent.width,
					    pCreateInfo->imageExtent.height};
	device_unlock(device);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
						    const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	struct swapchain *place = NULL;
	device_lock(device);
	if (swapchain != VK_NULL_HANDLE)
		place = place_of(device, swapchain);
	if (place)
		*place = (struct swapchain){0};
	device_unlock(device);
	guest_leave(visit);
	device->next.DestroySwapchainKHR(handle, swapchain, pAllocator);
}

/* One allocation of device memory. */
struct allocation {
	uint64_t bytes;
	uint32_t heap;
};

VKAPI_ATTR VkResult VKAPI_CALL hook_AllocateMemory(VkDevice handle,
						   const VkMemoryAllocateInfo *pAllocateInfo,
						   const VkAllocationCallbacks *pAllocator,
						   VkDeviceMemory *pMemory)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.AllocateMemory(handle, pAllocateInfo, pAllocator, pMemory);
	struct guest_visit visit = guest_enter();
	struct allocation *item = result == VK_SUCCESS ? malloc(sizeof(*item)) : NULL;
	bool noted = result != VK_SUCCESS;
	device_lock(device);
	if (item) {
		item->bytes = pAllocateInfo->allocationSize;
		item->heap = device->memory.memoryTypes[pAllocateInfo->memoryTypeIndex].heapIndex;
		noted = handles_put(&device->allocations, (uint64_t)(uintptr_t)*pMemory, item);
		device->heap_bytes[item->heap] += noted ? item->bytes : 0;
	}
	device->heaps_lost |= !noted;
	device_unlock(device);
	if (!noted)
		free(item);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_FreeMemory(VkDevice handle, VkDeviceMemory memory,
					   const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	struct allocation *item = NULL;
	device_lock(device);
	if (memory != VK_NULL_HANDLE)
		item = handles_remove(&device->allocations, (uint64_t)(uintptr_t)memory);
	if (item)
		device->heap_bytes[item->heap] -= item->bytes;
	device_unlock(device);
	free(item);
	guest_leave(visit);
	device->next.FreeMemory(handle, memory, pAllocator);
}
