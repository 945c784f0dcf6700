/* A device's name and version, what of it is counted, and why the rest is not. */
#include <stdio.h>
#include <string.h>

#include "guest/process.h"
#include "layer/vulkan/layer.h"

#define FIRST_STATISTIC WIRE_IA_VERTICES
#define LAST_STATISTIC	WIRE_CS_INVOCATIONS

static uint64_t counter_bit(unsigned counter)
{
	return UINT64_C(1) << counter;
}

static uint64_t counter_bits(unsigned first, unsigned last)
{
	uint64_t bits = 0;
	for (unsigned i = first; i <= last; i++)
		bits |= counter_bit(i);
	return bits;
}

/* Counters that a query type measures. */
static uint64_t counters_of(enum query type)
{
	if (type == QUERY_STATISTICS)
		return counter_bits(FIRST_STATISTIC, LAST_STATISTIC) |
		       counter_bit(WIRE_TASK_INVOCATIONS) | counter_bit(WIRE_MESH_INVOCATIONS);
	if (type == QUERY_COMPUTE)
		return counter_bit(WIRE_CS_INVOCATIONS);
	if (type == QUERY_OCCLUSION)
		return counter_bit(WIRE_OCCLUSION) | counter_bit(WIRE_OCCLUSION_PREDICATE);
	if (type == QUERY_GENERATED)
		return counter_bit(WIRE_PRIMITIVES_GENERATED);
	if (type == QUERY_TIMESTAMPS)
		return counter_bit(WIRE_GPU_TIME);
	/* The first three are aliases: of the first stream, and of an overflow of any stream. */
	return counter_bits(WIRE_PRIMS_WRITTEN, WIRE_OVERFLOW_PRED_S3);
}

static void set_why(struct device *device, uint64_t counters, enum wire_why why)
{
	for (unsigned i = 0; i < WIRE_VULKAN_COUNTERS; i++) {
		if ((counters & counter_bit(i)) != 0)
			device->identity.why[i] = (uint8_t)why;
	}
}

static void read_memory(struct device *device)
{
	const struct instance *instance = device->instance;
	instance->next.GetPhysicalDeviceMemoryProperties(device->gpu, &device->memory);
	device->family_count = FAMILIES_MAX;
	instance->next.GetPhysicalDeviceQueueFamilyProperties(device->gpu, &device->family_count,
							      device->families);
}

static void copy_text(char *to, size_t size, const char *from)
{
	size_t length = strnlen(from, size - 1);
	memcpy(to, from, length);
	to[length] = '\0';
}

static void name_driver(struct device *device, const VkPhysicalDeviceDriverProperties *driver,
			const VkPhysicalDeviceProperties *properties)
{
	struct channel_identity *identity = &device->identity;
	uint32_t version = properties->apiVersion;
	copy_text(identity->renderer, sizeof(identity->renderer), properties->deviceName);
	if (driver->driverName[0] != '\0')
		copy_text(identity->vendor, sizeof(identity->vendor), driver->driverName);
	else
		snprintf(identity->vendor, sizeof(identity->vendor), "driver of vendor 0x%04x",
			 properties->vendorID);
	snprintf(identity->version, sizeof(identity->version), "%u.%u.%u%s%.150s",
		 VK_API_VERSION_MAJOR(version), VK_API_VERSION_MINOR(version),
		 VK_API_VERSION_PATCH(version), driver->driverInfo[0] != '\0' ? ", " : "",
		 driver->driverInfo);
	identity->major = (uint8_t)VK_API_VERSION_MAJOR(version);
	identity->minor = (uint8_t)VK_API_VERSION_MINOR(version);
}

static void read_names(struct device *device)
{
	const struct instance *instance = device->instance;
	VkPhysicalDeviceDriverProperties driver = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
	VkPhysicalDeviceProperties2 more = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
					    .pNext = &driver};
	VkPhysicalDeviceProperties properties = {0};
	PFN_vkGetPhysicalDeviceProperties2 get_more = instance->next.GetPhysicalDeviceProperties2;
	instance->next.GetPhysicalDeviceProperties(device->gpu, &properties);
	device->tick_ns = properties.limits.timestampPeriod;
	device->copies = properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
	if (instance->version >= VK_API_VERSION_1_1 &&
	    properties.apiVersion >= VK_API_VERSION_1_2 && get_more)
		get_more(device->gpu, &more);
	name_driver(device, &driver, &properties);
}

/* Whether any queue family has timestamps. */
static bool has_clock(const struct device *device)
{
	for (uint32_t i = 0; i < device->family_count; i++) {
		if (device->families[i].timestampValidBits != 0)
			return true;
	}
	return false;
}

/*
 * Mesa's lavapipe rasterises on llvmpipe's threads: a timestamp is that of the last tile. The
 * command reads the threads' CPU time instead.
 */
static void choose_clock(struct device *device)
{
	bool software = strstr(device->identity.renderer, "llvmpipe") != NULL;
	device->timestamps = !software && has_clock(device);
	/* lavapipe crashes in some passes (GStreamer's colour conversion) inside an active query.
	 */
	device->pass_queries_only = software;
	device->resets_in_pass = software && device->host_reset && !device->validated;
	device->identity.bits[WIRE_GPU_TIME] = 64;
	if (software)
		device->identity.why[WIRE_GPU_TIME] =
		    device->per == WIRE_FRAME ? WIRE_WHY_THREADS : WIRE_WHY_DRAWN_LATER;
	else if (!device->timestamps)
		device->identity.why[WIRE_GPU_TIME] = WIRE_WHY_ZERO_BITS;
}

/* Whether the device supports this query type, and if not, why. */
static bool can_count(const struct device *device, enum query type, enum wire_why *why)
{
	*why = WIRE_WHY_NO_FEATURE;
	switch (type) {
	case QUERY_STATISTICS:
	case QUERY_COMPUTE:
		return device->statistics;
	case QUERY_OCCLUSION:
		return device->precise;
	case QUERY_TIMESTAMPS:
		return device->timestamps;
	case QUERY_GENERATED:
		*why = WIRE_WHY_UNUSED;
		return device->generated;
	default:
		*why = WIRE_WHY_UNUSED;
		return device->feedback && (uint32_t)type - QUERY_STREAM < device->streams;
	}
}

static void choose_query(struct device *device, enum query type, uint64_t wanted)
{
	bool is_stream = type >= QUERY_STREAM && type < QUERY_TIMESTAMPS;
	enum wire_why why;
	if (can_count(device, type, &why)) {
		if ((counters_of(type) & wanted) != 0)
			device->wanted |= QUERY_BIT(type);
	} else if (type != QUERY_TIMESTAMPS && (!is_stream || !device->feedback)) {
		set_why(device, counters_of(type), why);
	}
}

/* Streams beyond maxTransformFeedbackStreams have no data. */
static void set_why_streams(struct device *device)
{
	for (uint32_t stream = device->streams; device->feedback && stream < STREAMS; stream++)
		set_why(device,
			counter_bits(WIRE_STREAM_FIRST + 3 * stream,
				     WIRE_STREAM_FIRST + 3 * stream + 2),
			WIRE_WHY_NO_FEATURE);
}

static void set_why_heaps(struct device *device)
{
	for (uint32_t heap = device->memory.memoryHeapCount; heap < 4; heap++)
		set_why(device, counter_bit(WIRE_HEAP0 + heap), WIRE_WHY_NO_HEAP);
}

#define TOOLS_MOST 16u

/*
 * The Khronos validation layer (1.3.239) takes a lock twice, and so ends the program, when a
 * secondary command buffer with queries is pending twice.
 */
static bool is_validated(const struct device *device)
{
	const struct instance *instance = device->instance;
	VkPhysicalDeviceToolProperties tools[TOOLS_MOST];
	/* The layer reports itself only through VK_EXT_tooling_info. */
	PFN_vkGetPhysicalDeviceToolPropertiesEXT get =
	    instance->next.GetPhysicalDeviceToolPropertiesEXT;
	uint32_t count = TOOLS_MOST;
	bool found = false;

	for (uint32_t i = 0; i < TOOLS_MOST; i++)
		tools[i] = (VkPhysicalDeviceToolProperties){
		    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TOOL_PROPERTIES};
	if (!get || get(device->gpu, &count, tools) < 0)
		return false;
	for (uint32_t i = 0; i < count; i++)
		found |= (tools[i].purposes & VK_TOOL_PURPOSE_VALIDATION_BIT) != 0;
	return found;
}

void identity_fill(struct device *device)
{
	uint64_t wanted = guest_channel()->counters;
	device->identity.api = WIRE_VULKAN;
	memset(device->identity.bits, 64, WIRE_VULKAN_COUNTERS);
	read_memory(device);
	read_names(device);
	device->validated = is_validated(device);
	choose_clock(device);
	if (!device->mesh)
		set_why(device,
			counter_bit(WIRE_TASK_INVOCATIONS) | counter_bit(WIRE_MESH_INVOCATIONS),
			WIRE_WHY_UNUSED);
	device->statistic_bits = (1u << (LAST_STATISTIC - FIRST_STATISTIC + 1)) - 1;
	if (device->mesh)
		device->statistic_bits |=
		    VK_QUERY_PIPELINE_STATISTIC_TASK_SHADER_INVOCATIONS_BIT_EXT |
		    VK_QUERY_PIPELINE_STATISTIC_MESH_SHADER_INVOCATIONS_BIT_EXT;
	for (int type = 0; type < QUERY_TYPES; type++)
		choose_query(device, (enum query)type, wanted);
	set_why_streams(device);
	set_why_heaps(device);
	set_why(device, ~wanted, WIRE_WHY_NOT_WANTED);
}
