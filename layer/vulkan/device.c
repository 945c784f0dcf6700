/* Creates and destroys devices: with the features that our queries need. */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "guest/process.h"
#include "layer/vulkan/layer.h"

#define WAIT_AT_EXIT_NS UINT64_C(10000000)

static pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;
static struct device *devices; /* under devices_lock */
static uint32_t serials;       /* atomic; of the devices so far */

static VkLayerDeviceCreateInfo *device_find_link(const VkDeviceCreateInfo *info,
						 VkLayerFunction function)
{
	const VkLayerDeviceCreateInfo *link = info->pNext;
	while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO ||
			link->function != function))
		link = link->pNext;
	return (VkLayerDeviceCreateInfo *)(uintptr_t)link;
}

/* At exit, for devices that the program did not destroy; other threads may still use them. */
static void finish_all(void)
{
	pthread_mutex_lock(&devices_lock);
	for (struct device *device = devices; device; device = device->next_device) {
		if (!device_trylock(device))
			continue;
		frames_finish(device, WAIT_AT_EXIT_NS);
		device_unlock(device);
	}
	pthread_mutex_unlock(&devices_lock);
}

static void device_link(struct device *device)
{
	pthread_mutex_lock(&devices_lock);
	device->next_device = devices;
	devices = device;
	pthread_mutex_unlock(&devices_lock);
}

static void device_unlink(struct device *device)
{
	struct device **link = &devices;
	pthread_mutex_lock(&devices_lock);
	while (*link && *link != device)
		link = &(*link)->next_device;
	if (*link)
		*link = device->next_device;
	pthread_mutex_unlock(&devices_lock);
}

static bool enables(const VkDeviceCreateInfo *info, const char *extension)
{
	for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
		if (strcmp(info->ppEnabledExtensionNames[i], extension) == 0)
			return true;
	}
	return false;
}

static struct device *device_new(struct instance *instance, VkPhysicalDevice gpu,
				 const VkDeviceCreateInfo *info)
{
	struct device *device = calloc(1, sizeof(*device));
	if (!device)
		return NULL;
	device->frame_cap = FRAMES_FIRST;
	device->frames = calloc(device->frame_cap, sizeof(*device->frames));
	if (!device->frames) {
		free(device);
		return NULL;
	}
	device->instance = instance;
	device->gpu = gpu;
	device->untracked = (struct command){.device = device, .untracked = true};
	device->has_swapchain = enables(info, VK_KHR_SWAPCHAIN_EXTENSION_NAME);
	device->last_execution = &device->executions;
	pthread_mutex_init(&device->lock, NULL);
	return device;
}

static void device_free(struct device *device)
{
	for (unsigned i = 0; i < device->frame_cap; i++)
		free(device->frames[i].parts);
	free(device->frames);
	handles_finish(&device->query_pools, NULL);
	handles_finish(&device->allocations, free);
	pthread_mutex_destroy(&device->lock);
	free(device);
}

static void device_start(struct device *device)
{
	struct wire_header *channel = guest_channel();
	if (!channel)
		return;
	device->identity.serial = __atomic_add_fetch(&serials, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&channel->contexts, 1, __ATOMIC_RELAXED);
	frames_start(device);
	identity_fill(device);
	pace_start(&device->pace,
		   wire_query_ppm(channel->overhead_permille, device->identity.why[WIRE_GPU_TIME]),
		   device->identity.serial - 1);
	driver_start(device);
	device->measured = true;
	device_link(device);
	guest_at_exit(finish_all);
}

static void renew_device_locks(void)
{
	pthread_mutex_init(&devices_lock, NULL);
	keys_renew();
}

/*
 * Whether this process is measured. A forked child is, if no device existed before the fork:
 * drivers do not support a parent's device in the child. The instance may be the parent's.
 */
static bool is_here(void)
{
	if (guest_check_active())
		return true;
	return guest_may_reopen() && __atomic_load_n(&serials, __ATOMIC_RELAXED) == 0 &&
	       guest_reopen(renew_device_locks);
}

static VkResult device_create(PFN_vkCreateDevice next, struct device *device,
			      const VkDeviceCreateInfo *info,
			      const VkAllocationCallbacks *allocator, VkDevice *out)
{
	struct features_copy copy;
	if (!is_here())
		return next(device->gpu, info, allocator, out);
	features_prepare(device, info, &copy);
	VkResult result = next(device->gpu, &copy.info, allocator, out);
	features_release(&copy);
	return result;
}

static void device_remember(struct device *device, VkDevice handle)
{
	device->handle = handle;
	device_functions_load(&device->next, handle, device->next_proc);
	key_put(dispatch_key(handle), device);
	device_start(device);
}

VKAPI_ATTR VkResult VKAPI_CALL layer_create_device(VkPhysicalDevice physicalDevice,
						   const VkDeviceCreateInfo *pCreateInfo,
						   const VkAllocationCallbacks *pAllocator,
						   VkDevice *pDevice)
{
	struct instance *instance = instance_of(physicalDevice);
	VkLayerDeviceCreateInfo *link = device_find_link(pCreateInfo, VK_LAYER_LINK_INFO);
	const VkLayerDeviceCreateInfo *loader =
	    device_find_link(pCreateInfo, VK_LOADER_DATA_CALLBACK);
	struct guest_visit visit = guest_enter();
	struct device *device = NULL;
	PFN_vkCreateDevice next = NULL;
	VkResult result = VK_ERROR_INITIALIZATION_FAILED;
	if (link && link->u.pLayerInfo && instance)
		next = (PFN_vkCreateDevice)link->u.pLayerInfo->pfnNextGetInstanceProcAddr(
		    instance->handle, "vkCreateDevice");
	if (next) {
		result = VK_ERROR_OUT_OF_HOST_MEMORY;
		device = device_new(instance, physicalDevice, pCreateInfo);
	}
	if (device && !key_reserve()) {
		device_free(device);
		device = NULL;
	}
	if (device) {
		device->next_proc = link->u.pLayerInfo->pfnNextGetDeviceProcAddr;
		device->set_loader_data = loader ? loader->u.pfnSetDeviceLoaderData : NULL;
		link->u.pLayerInfo = link->u.pLayerInfo->pNext;
		guest_restore_errno(&visit);
		result = device_create(next, device, pCreateInfo, pAllocator, pDevice);
		guest_keep_errno(&visit);
		if (result == VK_SUCCESS)
			device_remember(device, *pDevice);
		else
			device_free(device);
		key_unreserve();
	}
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyDevice(VkDevice handle,
					      const VkAllocationCallbacks *pAllocator)
{
	if (handle == VK_NULL_HANDLE)
		return;
	struct guest_visit visit = guest_enter();
	struct device *device = key_remove(dispatch_key(handle));
	if (device->measured) {
		device_unlink(device);
		device_lock(device);
		frames_finish(device, 0);
		device_unlock(device);
		commands_finish(device);
		device_lock(device);
		snapshots_destroy_pools(device);
		queries_destroy_all(device);
		driver_finish(device);
		device_unlock(device);
	}
	guest_restore_errno(&visit);
	device->next.DestroyDevice(handle, pAllocator);
	guest_keep_errno(&visit);
	device_free(device);
	guest_leave(visit);
}
