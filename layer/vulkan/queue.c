/* Submissions, presentations and waits: where samples begin and end; memory and swapchains. */
#include <stdlib.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

#define QUEUE_NS       UINT64_C(100000000)  /* of a queue's work in a sample, without a window */
#define UNPRESENTED_NS UINT64_C(1000000000) /* of a program that has a window */

/* Before the device runs it: what it counted the last time is read, and its end not yet reached. */
static void prepare(struct device *device, struct command *command)
{
	if (command->blind || !command->tells || command->overlapped)
		return;
	if (command->pending != NULL)
		frames_collect(device);
	if (command->pending != NULL) { /* it runs still: nobody can tell the two apart */
		frames_settle(device, command);
		command->overlapped = true;
		return;
	}
	queries_reset(command);
}

/* A submission is a sample of its own where nothing is presented. */
static void begin_submission(struct device *device)
{
	struct frame *frame = frame_now(device);
	uint64_t since_ns = guest_now_ns() - frame->record.begin_ns;
	bool ends = device->per != WIRE_QUEUE || since_ns > QUEUE_NS;

	if (frame->worked && (device->windowed ? since_ns > UNPRESENTED_NS : ends))
		frames_end(device, WIRE_TIME, 0);
}

/* Command buffers of a submission in either form, one after another; NULL: no more. */
struct submission {
	const VkSubmitInfo *first;
	const VkSubmitInfo2 *second;
	uint32_t count, info, buffer;
};

static uint32_t buffers_of(const struct submission *s)
{
	return s->first != NULL ? s->first[s->info].commandBufferCount
				: s->second[s->info].commandBufferInfoCount;
}

static struct command *next_command(struct submission *s)
{
	while (s->info < s->count && s->buffer == buffers_of(s)) {
		s->info++;
		s->buffer = 0;
	}
	if (s->info == s->count)
		return NULL;
	s->buffer++;
	return command_of(
	    s->first != NULL ? s->first[s->info].pCommandBuffers[s->buffer - 1]
			     : s->second[s->info].pCommandBufferInfos[s->buffer - 1].commandBuffer);
}

static void before_submit(struct device *device, struct submission all)
{
	struct guest_visit visit = guest_enter();
	struct command *command;

	pthread_mutex_lock(&device->lock);
	frames_look(device);
	begin_submission(device);
	while ((command = next_command(&all)) != NULL)
		prepare(device, command);
	pthread_mutex_unlock(&device->lock);
	guest_leave(visit);
}

static void after_submit(struct device *device, VkQueue queue, struct submission all)
{
	struct guest_visit visit = guest_enter();
	struct command *command;

	pthread_mutex_lock(&device->lock);
	for (bool first = true; (command = next_command(&all)) != NULL || first; first = false)
		frames_submitted(device, queue, command, first);
	pthread_mutex_unlock(&device->lock);
	guest_leave(visit);
}

static bool measures(const struct device *device)
{
	return device->measured && guest_still_here();
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueueSubmit(VkQueue queue, uint32_t submitCount,
						const VkSubmitInfo *pSubmits, VkFence fence)
{
	struct device *device = device_of(queue);
	struct submission all = {.first = pSubmits, .count = submitCount};
	VkResult result;

	if (!measures(device))
		return device->next.QueueSubmit(queue, submitCount, pSubmits, fence);
	before_submit(device, all);
	result = device->next.QueueSubmit(queue, submitCount, pSubmits, fence);
	if (result == VK_SUCCESS)
		after_submit(device, queue, all);
	return result;
}

#define SUBMIT2(name)                                                                              \
	VKAPI_ATTR VkResult VKAPI_CALL hook_##name(VkQueue queue, uint32_t submitCount,            \
						   const VkSubmitInfo2 *pSubmits, VkFence fence)   \
	{                                                                                          \
		struct device *device = device_of(queue);                                          \
		struct submission all = {.second = pSubmits, .count = submitCount};                \
		VkResult result;                                                                   \
                                                                                                   \
		if (!measures(device))                                                             \
			return device->next.name(queue, submitCount, pSubmits, fence);             \
		before_submit(device, all);                                                        \
		result = device->next.name(queue, submitCount, pSubmits, fence);                   \
		if (result == VK_SUCCESS)                                                          \
			after_submit(device, queue, all);                                          \
		return result;                                                                     \
	}
SUBMIT2(QueueSubmit2)
SUBMIT2(QueueSubmit2KHR)

/* The size of what is presented, when it is one of ours. Under the lock. */
static void note_size(struct device *device, const VkPresentInfoKHR *info)
{
	struct wire_record *record = &frame_now(device)->record;

	for (uint32_t i = 0; i < SWAPCHAINS_MAX && info->swapchainCount != 0; i++) {
		if (device->swapchains[i].handle != info->pSwapchains[0])
			continue;
		record->width = device->swapchains[i].width;
		record->height = device->swapchains[i].height;
		record->flags |= WIRE_SIZE_KNOWN;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueuePresentKHR(VkQueue queue,
						    const VkPresentInfoKHR *pPresentInfo)
{
	struct device *device = device_of(queue);
	VkResult result = device->next.QueuePresentKHR(queue, pPresentInfo);
	struct guest_visit visit;

	if (!measures(device))
		return result;
	visit = guest_enter();
	pthread_mutex_lock(&device->lock);
	note_size(device, pPresentInfo);
	frame_now(device)->whole.values[WIRE_PRESENTS] += pPresentInfo->swapchainCount;
	frames_end(device, WIRE_FRAME, 0);
	frames_look(device);
	pthread_mutex_unlock(&device->lock);
	guest_leave(visit);
	return result;
}

/* The device has run something: a good time to look. */
static void queue_look(struct device *device)
{
	struct guest_visit visit = guest_enter();

	if (measures(device) && pthread_mutex_trylock(&device->lock) == 0) {
		frames_look(device);
		pthread_mutex_unlock(&device->lock);
	}
	guest_leave(visit);
}

VKAPI_ATTR VkResult VKAPI_CALL hook_QueueWaitIdle(VkQueue queue)
{
	struct device *device = device_of(queue);
	VkResult result = device->next.QueueWaitIdle(queue);

	queue_look(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_DeviceWaitIdle(VkDevice handle)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.DeviceWaitIdle(handle);

	queue_look(device);
	return result;
}

VKAPI_ATTR VkResult VKAPI_CALL hook_WaitForFences(VkDevice handle, uint32_t fenceCount,
						  const VkFence *pFences, VkBool32 waitAll,
						  uint64_t timeout)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.WaitForFences(handle, fenceCount, pFences, waitAll, timeout);

	if (!device->windowed)
		queue_look(device);
	return result;
}

/* The place of a swapchain, or a free one for VK_NULL_HANDLE, or NULL. Under the lock. */
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
	struct swapchain *place;

	pthread_mutex_lock(&device->lock);
	place = result == VK_SUCCESS ? place_of(device, VK_NULL_HANDLE) : NULL;
	if (place != NULL)
		*place = (struct swapchain){*pSwapchain, pCreateInfo->imageExtent.width,
					    pCreateInfo->imageExtent.height};
	pthread_mutex_unlock(&device->lock);
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroySwapchainKHR(VkDevice handle, VkSwapchainKHR swapchain,
						    const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	struct swapchain *place = NULL;

	pthread_mutex_lock(&device->lock);
	if (swapchain != VK_NULL_HANDLE)
		place = place_of(device, swapchain);
	if (place != NULL)
		*place = (struct swapchain){0};
	pthread_mutex_unlock(&device->lock);
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

	pthread_mutex_lock(&device->lock);
	if (item != NULL) {
		item->bytes = pAllocateInfo->allocationSize;
		item->heap = device->memory.memoryTypes[pAllocateInfo->memoryTypeIndex].heapIndex;
		noted = handles_put(&device->allocations, (uint64_t)(uintptr_t)*pMemory, item);
		device->heap_bytes[item->heap] += noted ? item->bytes : 0;
	}
	device->heaps_lost |= !noted;
	pthread_mutex_unlock(&device->lock);
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

	pthread_mutex_lock(&device->lock);
	if (memory != VK_NULL_HANDLE)
		item = handles_remove(&device->allocations, (uint64_t)(uintptr_t)memory);
	if (item != NULL)
		device->heap_bytes[item->heap] -= item->bytes;
	pthread_mutex_unlock(&device->lock);
	free(item);
	guest_leave(visit);
	device->next.FreeMemory(handle, memory, pAllocator);
}
