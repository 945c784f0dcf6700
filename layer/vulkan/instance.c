/* The loader's entry points: instances, and vkGet*ProcAddr(). */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "guest/process.h"
#include "layer/vulkan/layer.h"

static pthread_mutex_t instance_lock = PTHREAD_MUTEX_INITIALIZER;
static struct handles objects; /* written under the lock */

bool key_reserve(void)
{
	pthread_mutex_lock(&instance_lock);
	bool ok = handles_reserve(&objects);
	pthread_mutex_unlock(&instance_lock);
	return ok;
}

void key_unreserve(void)
{
	pthread_mutex_lock(&instance_lock);
	handles_unreserve(&objects);
	pthread_mutex_unlock(&instance_lock);
}

bool key_put(uint64_t key, void *value)
{
	pthread_mutex_lock(&instance_lock);
	bool ok = handles_put(&objects, key, value);
	pthread_mutex_unlock(&instance_lock);
	return ok;
}

void *key_remove(uint64_t key)
{
	pthread_mutex_lock(&instance_lock);
	void *value = handles_remove(&objects, key);
	pthread_mutex_unlock(&instance_lock);
	return value;
}

void keys_renew(void)
{
	pthread_mutex_init(&instance_lock, NULL);
}

bool object_put(const void *handle, void *value)
{
	return key_put((uint64_t)(uintptr_t)handle, value);
}

void object_remove(const void *handle)
{
	key_remove((uint64_t)(uintptr_t)handle);
}

struct device *device_of(const void *handle)
{
	return handles_get(&objects, dispatch_key(handle));
}

struct instance *instance_of(const void *handle)
{
	return handles_get(&objects, dispatch_key(handle));
}

struct command *command_of(VkCommandBuffer handle)
{
	struct command *command = handles_get(&objects, (uint64_t)(uintptr_t)handle);
	return command ? command : &device_of(handle)->untracked;
}

/* The loader's link to the next layer; the caller advances it for that layer. */
static VkLayerInstanceCreateInfo *instance_find_link(const VkInstanceCreateInfo *info)
{
	const VkLayerInstanceCreateInfo *link = info->pNext;
	while (link && (link->sType != VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO ||
			link->function != VK_LAYER_LINK_INFO))
		link = link->pNext;
	return (VkLayerInstanceCreateInfo *)(uintptr_t)link;
}

static void instance_remember(struct instance *instance, VkInstance handle,
			      const VkInstanceCreateInfo *info)
{
	const VkApplicationInfo *program = info->pApplicationInfo;
	instance->handle = handle;
	instance_functions_load(&instance->next, handle, instance->next_proc);
	instance->version =
	    program && program->apiVersion != 0 ? program->apiVersion : VK_API_VERSION_1_0;
	key_put(dispatch_key(handle), instance);
}

/* Memory is allocated first: after the driver has created its instance we must not fail. */
VKAPI_ATTR VkResult VKAPI_CALL layer_create_instance(const VkInstanceCreateInfo *pCreateInfo,
						     const VkAllocationCallbacks *pAllocator,
						     VkInstance *pInstance)
{
	VkLayerInstanceCreateInfo *link = instance_find_link(pCreateInfo);
	if (!link || !link->u.pLayerInfo)
		return VK_ERROR_INITIALIZATION_FAILED;
	struct instance *instance = calloc(1, sizeof(*instance));
	if (!instance || !key_reserve()) {
		free(instance);
		return VK_ERROR_OUT_OF_HOST_MEMORY;
	}
	instance->next_proc = link->u.pLayerInfo->pfnNextGetInstanceProcAddr;
	PFN_vkCreateInstance create =
	    (PFN_vkCreateInstance)instance->next_proc(VK_NULL_HANDLE, "vkCreateInstance");
	link->u.pLayerInfo = link->u.pLayerInfo->pNext;
	VkResult result =
	    create ? create(pCreateInfo, pAllocator, pInstance) : VK_ERROR_INITIALIZATION_FAILED;
	if (result == VK_SUCCESS)
		instance_remember(instance, *pInstance, pCreateInfo);
	else
		free(instance);
	key_unreserve();
	return result;
}

VKAPI_ATTR void VKAPI_CALL layer_destroy_instance(VkInstance handle,
						  const VkAllocationCallbacks *pAllocator)
{
	if (handle == VK_NULL_HANDLE)
		return;
	struct instance *instance = key_remove(dispatch_key(handle));
	if (!instance)
		return;
	instance->next.DestroyInstance(handle, pAllocator);
	free(instance);
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_device_proc(VkDevice handle, const char *pName)
{
	struct device *device = device_of(handle);
	if (strcmp(pName, "vkGetDeviceProcAddr") == 0)
		return (PFN_vkVoidFunction)layer_get_device_proc;
	PFN_vkVoidFunction next = device->next_proc(handle, pName);
	PFN_vkVoidFunction hook = next ? hook_find(pName) : NULL;
	/* Calls of a device that is not measured go to the next layer directly. */
	if (!hook || (!device->measured && strcmp(pName, "vkDestroyDevice") != 0))
		return next;
	return hook;
}

VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL layer_get_instance_proc(VkInstance handle,
								 const char *pName)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} own[] = {
	    {"vkCreateInstance", (PFN_vkVoidFunction)layer_create_instance},
	    {"vkDestroyInstance", (PFN_vkVoidFunction)layer_destroy_instance},
	    {"vkGetInstanceProcAddr", (PFN_vkVoidFunction)layer_get_instance_proc},
	    {"vkGetDeviceProcAddr", (PFN_vkVoidFunction)layer_get_device_proc},
	    {"vkCreateDevice", (PFN_vkVoidFunction)layer_create_device},
	};

	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		if (strcmp(own[i].name, pName) == 0)
			return own[i].function;
	}
	struct instance *instance = handle != VK_NULL_HANDLE ? instance_of(handle) : NULL;
	if (!instance)
		return NULL;
	PFN_vkVoidFunction next = instance_functions_find(&instance->next, pName);
	if (!next)
		next = instance->next_proc(handle, pName);
	PFN_vkVoidFunction hook = next ? hook_find(pName) : NULL;
	return hook ? hook : next;
}

__attribute__((visibility("default"))) VKAPI_ATTR VkResult VKAPI_CALL
vkNegotiateLoaderLayerInterfaceVersion(VkNegotiateLayerInterface *pVersionStruct)
{
	if (!pVersionStruct || pVersionStruct->sType != LAYER_NEGOTIATE_INTERFACE_STRUCT ||
	    pVersionStruct->loaderLayerInterfaceVersion < 2)
		return VK_ERROR_INITIALIZATION_FAILED;
	pVersionStruct->loaderLayerInterfaceVersion = 2;
	pVersionStruct->pfnGetInstanceProcAddr = layer_get_instance_proc;
	pVersionStruct->pfnGetDeviceProcAddr = layer_get_device_proc;
	pVersionStruct->pfnGetPhysicalDeviceProcAddr = NULL;
	return VK_SUCCESS;
}
