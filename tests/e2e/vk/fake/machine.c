/* Heaps, queues and mesh shaders that the driver below has not. */
#include "machine.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vk_icd.h>

#include "fake.h"

#define NEXT(name) ((PFN_##name)fake_next(#name))
#define QUEUES	   3u
#define MORE_HEAPS 2u
#define STATISTICS 11u /* of the driver below */
#define MESH_POOLS 16u
#define MESH_USES  256u
#define MESH_BITS                                                                                      \
	((VkQueryPipelineStatisticFlags)(VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT | \
					 VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT))

/* The loader writes into a queue, as into a driver's own. */
struct queue {
	VK_LOADER_DATA loader;
	VkQueue below;
};

/* A pool of statistics: tasks and meshes of each query. */
struct mesh_pool {
	VkQueryPool handle;
	uint64_t (*counts)[2];
};

struct mesh_use {
	VkCommandBuffer buffer;
	struct mesh_pool *pool;
	uint32_t query;
	uint64_t begun, counted;
	bool ended;
};

static struct queue queues[QUEUES];
static struct mesh_pool mesh_pools[MESH_POOLS];
static struct mesh_use uses[MESH_USES];
static uint64_t tasks; /* recorded so far: one command buffer is recorded at a time */
static uint32_t types_below;
static VkBool32 wanted_mesh, wanted_queries;

bool machine_here(void)
{
	return getenv("FAKE_MACHINE") != NULL;
}

static VkPhysicalDeviceMeshShaderFeaturesEXT *mesh_in(const void *chain)
{
	const VkBaseInStructure *at = chain;

	while (at && at->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT)
		at = at->pNext;
	return (void *)(uintptr_t)at;
}

void machine_features(VkPhysicalDeviceFeatures2 *out)
{
	VkPhysicalDeviceMeshShaderFeaturesEXT *mesh = mesh_in(out->pNext);

	if (mesh)
		mesh->taskShader = mesh->meshShader = mesh->meshShaderQueries = VK_TRUE;
}

/* One queue of the first family represents all. */
void machine_create(VkDeviceCreateInfo *info)
{
	static const float priority = 1;
	static const VkDeviceQueueCreateInfo queue = {
	    .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
	    .queueCount = 1,
	    .pQueuePriorities = &priority};
	VkPhysicalDeviceMeshShaderFeaturesEXT *mesh = mesh_in(info->pNext);

	info->queueCreateInfoCount = 1;
	info->pQueueCreateInfos = &queue;
	if (!mesh)
		return;
	wanted_mesh = mesh->meshShader;
	wanted_queries = mesh->meshShaderQueries;
	mesh->taskShader = mesh->meshShader = mesh->meshShaderQueries = VK_FALSE;
}

void machine_created(const VkDeviceCreateInfo *info)
{
	VkPhysicalDeviceMeshShaderFeaturesEXT *mesh = mesh_in(info->pNext);

	if (!mesh)
		return;
	mesh->taskShader = mesh->meshShader = wanted_mesh;
	mesh->meshShaderQueries = wanted_queries;
}

static void add_heaps(VkPhysicalDeviceMemoryProperties *memory)
{
	types_below = memory->memoryTypeCount;
	for (uint32_t i = 0; i < MORE_HEAPS; i++) {
		VkMemoryType type = memory->memoryTypes[0];

		type.heapIndex = memory->memoryHeapCount;
		memory->memoryTypes[memory->memoryTypeCount++] = type;
		memory->memoryHeaps[memory->memoryHeapCount++] = (VkMemoryHeap){
		    1u << 30, i == 0 ? 0u : (VkMemoryHeapFlags)VK_MEMORY_HEAP_DEVICE_LOCAL_BIT};
	}
}

static void VKAPI_CALL memory(VkPhysicalDevice gpu, VkPhysicalDeviceMemoryProperties *out)
{
	NEXT(vkGetPhysicalDeviceMemoryProperties)(gpu, out);
	add_heaps(out);
}

static void VKAPI_CALL memory2(VkPhysicalDevice gpu, VkPhysicalDeviceMemoryProperties2 *out)
{
	NEXT(vkGetPhysicalDeviceMemoryProperties2)(gpu, out);
	add_heaps(&out->memoryProperties);
}

static VkResult VKAPI_CALL allocate(VkDevice device, const VkMemoryAllocateInfo *info,
				    const VkAllocationCallbacks *allocator, VkDeviceMemory *out)
{
	VkMemoryAllocateInfo below = *info;

	if (below.memoryTypeIndex >= types_below)
		below.memoryTypeIndex = 0;
	return NEXT(vkAllocateMemory)(device, &below, allocator, out);
}

/* Two queues that draw, and one of another family that does not. */
static void VKAPI_CALL families(VkPhysicalDevice gpu, uint32_t *count, VkQueueFamilyProperties *out)
{
	VkQueueFamilyProperties first;
	uint32_t one = 1;

	if (!out) {
		*count = 2;
		return;
	}
	NEXT(vkGetPhysicalDeviceQueueFamilyProperties)(gpu, &one, &first);
	for (uint32_t i = 0; i < *count && i < 2; i++) {
		out[i] = first;
		out[i].queueCount = 2 - i;
	}
	if (*count >= 2)
		out[1].queueFlags = VK_QUEUE_COMPUTE_BIT | VK_QUEUE_TRANSFER_BIT;
	*count = *count < 2 ? *count : 2;
}

static void VKAPI_CALL get_queue(VkDevice device, uint32_t family, uint32_t index, VkQueue *out)
{
	struct queue *queue = &queues[2 * family + index];

	set_loader_magic_value(queue);
	NEXT(vkGetDeviceQueue)(device, 0, 0, &queue->below);
	*out = (VkQueue)(void *)queue;
}

static VkQueue below(VkQueue queue)
{
	return ((struct queue *)(void *)queue)->below;
}

static VkResult VKAPI_CALL create_pool(VkDevice device, const VkCommandPoolCreateInfo *info,
				       const VkAllocationCallbacks *allocator, VkCommandPool *out)
{
	VkCommandPoolCreateInfo below_info = *info;

	below_info.queueFamilyIndex = 0;
	return NEXT(vkCreateCommandPool)(device, &below_info, allocator, out);
}

static VkResult VKAPI_CALL create_queries(VkDevice device, const VkQueryPoolCreateInfo *info,
					  const VkAllocationCallbacks *allocator, VkQueryPool *out)
{
	VkQueryPoolCreateInfo below_info = *info;

	below_info.pipelineStatistics &= ~MESH_BITS;
	VkResult result = NEXT(vkCreateQueryPool)(device, &below_info, allocator, out);
	if (result != VK_SUCCESS || (info->pipelineStatistics & MESH_BITS) != MESH_BITS)
		return result;
	fake_rule(wanted_queries,
		  "VUID-VkQueryPoolCreateInfo-meshShaderQueries-07069"); /* the feature */
	for (size_t i = 0; i < MESH_POOLS; i++) {
		if (mesh_pools[i].handle)
			continue;
		mesh_pools[i] =
		    (struct mesh_pool){*out, calloc(info->queryCount, sizeof(uint64_t[2]))};
		break;
	}
	return result;
}

static struct mesh_pool *mesh_pool_of(VkQueryPool handle)
{
	for (size_t i = 0; i < MESH_POOLS; i++)
		if (handle && mesh_pools[i].handle == handle)
			return &mesh_pools[i];
	return NULL;
}

static void VKAPI_CALL begin_query(VkCommandBuffer c, VkQueryPool handle, uint32_t query,
				   VkQueryControlFlags flags)
{
	struct mesh_pool *pool = mesh_pool_of(handle);

	for (size_t i = 0; pool && i < MESH_USES; i++) {
		if (uses[i].buffer)
			continue;
		uses[i] = (struct mesh_use){c, pool, query, tasks, 0, false};
		break;
	}
	NEXT(vkCmdBeginQuery)(c, handle, query, flags);
}

static void VKAPI_CALL end_query(VkCommandBuffer c, VkQueryPool handle, uint32_t query)
{
	const struct mesh_pool *pool = mesh_pool_of(handle);

	for (size_t i = 0; pool && i < MESH_USES; i++) {
		struct mesh_use *use = &uses[i];

		if (use->buffer != c || use->pool != pool || use->query != query || use->ended)
			continue;
		use->counted = tasks - use->begun;
		use->ended = true;
	}
	NEXT(vkCmdEndQuery)(c, handle, query);
}

/* Each task makes two meshes. */
static void VKAPI_CALL draw_tasks(VkCommandBuffer c, uint32_t x, uint32_t y, uint32_t z)
{
	(void)c;
	tasks += (uint64_t)x * y * z;
}

static VkResult VKAPI_CALL begin_buffer(VkCommandBuffer c, const VkCommandBufferBeginInfo *info)
{
	for (size_t i = 0; i < MESH_USES; i++)
		if (uses[i].buffer == c)
			uses[i].buffer = NULL;
	return ((PFN_vkBeginCommandBuffer)fake_command("vkBeginCommandBuffer"))(c, info);
}

/* FAKE_IDLE=US: submissions end at once, without being run; two queues then share nothing at all.
 */
static int idle_us(void)
{
	static int known = -1; /* atomic */
	int now = __atomic_load_n(&known, __ATOMIC_RELAXED);

	if (now < 0) {
		const char *us = getenv("FAKE_IDLE");

		now = us && *us ? 1 + atoi(us) : 0;
		__atomic_store_n(&known, now, __ATOMIC_RELAXED);
	}
	return now;
}

static bool idles(void)
{
	return idle_us() > 0;
}

/* FAKE_LATE=US: what is submitted has ended so long before the call returns. */
static useconds_t late_us(void)
{
	const char *us = getenv("FAKE_LATE");
	return us ? (useconds_t)atoi(us) : 0;
}

/* Of a driver that has run nothing, and takes some time to say so. */
static VkResult no_results(uint32_t count, void *data, VkDeviceSize stride)
{
	if (idle_us() > 1)
		usleep((useconds_t)idle_us() - 1);
	memset(data, 0, count * stride);
	for (uint32_t i = 0; i < count; i++)
		((uint64_t *)data)[(i + 1) * stride / sizeof(uint64_t) - 1] = 1; /* it is there */
	return VK_SUCCESS;
}

static void VKAPI_CALL reset_queries(VkDevice device, VkQueryPool pool, uint32_t first,
				     uint32_t count)
{
	if (!idles())
		((PFN_vkResetQueryPool)fake_command("vkResetQueryPool"))(device, pool, first,
									 count);
}

static VkResult VKAPI_CALL event_status(VkDevice device, VkEvent event)
{
	return idles() ? VK_EVENT_SET : NEXT(vkGetEventStatus)(device, event);
}

static VkResult VKAPI_CALL submit(VkQueue queue, uint32_t count, const VkSubmitInfo *infos,
				  VkFence fence)
{
	if (idles())
		return VK_SUCCESS;
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < infos[i].commandBufferCount; k++)
			for (size_t u = 0; u < MESH_USES; u++) {
				if (!uses[u].ended || uses[u].buffer != infos[i].pCommandBuffers[k])
					continue;
				uses[u].pool->counts[uses[u].query][0] = uses[u].counted;
				uses[u].pool->counts[uses[u].query][1] = 2 * uses[u].counted;
			}
	VkResult result = NEXT(vkQueueSubmit)(below(queue), count, infos, fence);
	if (late_us() > 0) {
		NEXT(vkQueueWaitIdle)(below(queue));
		usleep(late_us());
	}
	return result;
}

static VkResult VKAPI_CALL wait_queue(VkQueue queue)
{
	return idles() ? VK_SUCCESS : NEXT(vkQueueWaitIdle)(below(queue));
}

/* The driver below has one queue for all of ours; their labels would mix. */
static void VKAPI_CALL begin_label(VkQueue queue, const VkDebugUtilsLabelEXT *label)
{
	(void)queue;
	(void)label;
}

static void VKAPI_CALL end_label(VkQueue queue)
{
	(void)queue;
}

/* Behind the driver's statistics, before the word that says whether they are there. */
static VkResult VKAPI_CALL results(VkDevice device, VkQueryPool handle, uint32_t first,
				   uint32_t count, size_t size, void *data, VkDeviceSize stride,
				   VkQueryResultFlags flags)
{
	const struct mesh_pool *pool = mesh_pool_of(handle);
	uint64_t own[STATISTICS + 1];
	VkResult result = VK_SUCCESS;

	fake_note_read();
	if (idles())
		return no_results(count, data, stride);
	if (!pool)
		return NEXT(vkGetQueryPoolResults)(device, handle, first, count, size, data, stride,
						   flags);
	fake_rule(stride >= (STATISTICS + 3) * sizeof(uint64_t) && size >= count * stride,
		  "VUID-vkGetQueryPoolResults-dataSize-00817");
	for (uint32_t i = 0; i < count; i++) {
		uint64_t *out = (uint64_t *)(void *)((char *)data + i * stride);
		VkResult one = NEXT(vkGetQueryPoolResults)(device, handle, first + i, 1,
							   sizeof(own), own, sizeof(own), flags);

		result = one != VK_SUCCESS ? one : result;
		memcpy(out, own, STATISTICS * sizeof(*out));
		memcpy(out + STATISTICS, pool->counts[first + i], sizeof(pool->counts[first + i]));
		out[STATISTICS + 2] = own[STATISTICS];
	}
	return result;
}

/* No CPU: its answers are asked for. */
static void VKAPI_CALL properties(VkPhysicalDevice gpu, VkPhysicalDeviceProperties *out)
{
	NEXT(vkGetPhysicalDeviceProperties)(gpu, out);
	out->deviceType = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
}

static void VKAPI_CALL properties2(VkPhysicalDevice gpu, VkPhysicalDeviceProperties2 *out)
{
	NEXT(vkGetPhysicalDeviceProperties2)(gpu, out);
	out->properties.deviceType = VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU;
}

PFN_vkVoidFunction machine_command(const char *name)
{
	static const struct {
		const char *name;
		PFN_vkVoidFunction function;
	} table[] = {
#define ENTRY(name, function) {#name, (PFN_vkVoidFunction)(function)}
	    ENTRY(vkGetPhysicalDeviceProperties, properties),
	    ENTRY(vkGetPhysicalDeviceProperties2, properties2),
	    ENTRY(vkGetPhysicalDeviceMemoryProperties, memory),
	    ENTRY(vkGetPhysicalDeviceMemoryProperties2, memory2),
	    ENTRY(vkGetPhysicalDeviceQueueFamilyProperties, families),
	    ENTRY(vkGetDeviceQueue, get_queue),
	    ENTRY(vkAllocateMemory, allocate),
	    ENTRY(vkCreateCommandPool, create_pool),
	    ENTRY(vkCreateQueryPool, create_queries),
	    ENTRY(vkCmdBeginQuery, begin_query),
	    ENTRY(vkCmdEndQuery, end_query),
	    ENTRY(vkCmdDrawMeshTasksEXT, draw_tasks),
	    ENTRY(vkBeginCommandBuffer, begin_buffer),
	    ENTRY(vkQueueSubmit, submit),
	    ENTRY(vkQueueWaitIdle, wait_queue),
	    ENTRY(vkQueueBeginDebugUtilsLabelEXT, begin_label),
	    ENTRY(vkQueueEndDebugUtilsLabelEXT, end_label),
	    ENTRY(vkGetEventStatus, event_status),
	    ENTRY(vkResetQueryPool, reset_queries),
	    ENTRY(vkGetQueryPoolResults, results),
	};

	for (size_t i = 0; machine_here() && i < sizeof(table) / sizeof(table[0]); i++)
		if (strcmp(table[i].name, name) == 0)
			return table[i].function;
	return NULL;
}
