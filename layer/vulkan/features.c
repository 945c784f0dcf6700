/*
 * Enables the features that our queries need, in a copy of the program's VkDeviceCreateInfo. If the
 * pNext chain holds a structure of unknown size, no feature is enabled.
 */
#include <stdlib.h>
#include <string.h>
#include <vulkan/vk_layer.h>

#include "guest/process.h"
#include "layer/vulkan/layer.h"

static size_t link_size(const VkBaseInStructure *link)
{
	if (link->sType == VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO)
		return sizeof(VkLayerDeviceCreateInfo);
	switch ((int)link->sType) {
#define LINK(id, type)                                                                             \
	case VK_STRUCTURE_TYPE_##id:                                                               \
		return sizeof(type);
#include "layer/vulkan/chain.def"
#undef LINK
	default:
		return 0;
	}
}

static const void *find(const void *chain, VkStructureType type)
{
	const VkBaseInStructure *link = chain;
	while (link && link->sType != type)
		link = link->pNext;
	return link;
}

/* Copies all structures up to this one, so that it can be changed; NULL: not possible. */
static void *copy_up_to(struct features_copy *out, VkStructureType type)
{
	const VkBaseInStructure *link = out->info.pNext;
	VkBaseInStructure *before = NULL, *copy = NULL;
	for (; link && (!copy || copy->sType != type); link = link->pNext) {
		size_t size = link_size(link);
		if (size == 0 || out->copy_count == sizeof(out->copies) / sizeof(out->copies[0]))
			return NULL;
		copy = malloc(size);
		if (!copy)
			return NULL;
		out->copies[out->copy_count++] = copy;
		memcpy(copy, link, size);
		if (before)
			before->pNext = copy;
		else
			out->info.pNext = copy;
		before = copy;
	}
	return copy && copy->sType == type ? copy : NULL;
}

/* A copy of the program's core features that can be changed, or NULL. */
static VkPhysicalDeviceFeatures *core_features(struct features_copy *out)
{
	VkPhysicalDeviceFeatures2 *chained;
	if (find(out->info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2)) {
		chained = copy_up_to(out, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2);
		return chained ? &chained->features : NULL;
	}
	if (out->info.pEnabledFeatures)
		out->enabled = *out->info.pEnabledFeatures;
	out->info.pEnabledFeatures = &out->enabled;
	return &out->enabled;
}

static void choose_core(struct device *device, struct features_copy *out)
{
	PFN_vkGetPhysicalDeviceFeatures get = device->instance->next.GetPhysicalDeviceFeatures;
	VkPhysicalDeviceFeatures has = {0}, *chosen = core_features(out);
	if (!chosen || !get)
		return;
	get(device->gpu, &has);
	chosen->pipelineStatisticsQuery |= has.pipelineStatisticsQuery;
	chosen->occlusionQueryPrecise |= has.occlusionQueryPrecise;
	chosen->inheritedQueries |= has.inheritedQueries;
	device->statistics = chosen->pipelineStatisticsQuery;
	device->precise = chosen->occlusionQueryPrecise;
	device->inherited_queries = chosen->inheritedQueries;
}

/* Reads the properties of the structures in `chain`. */
static bool read_properties(const struct device *device, void *chain)
{
	const struct instance *instance = device->instance;
	VkPhysicalDeviceProperties2 properties = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, .pNext = chain};
	PFN_vkGetPhysicalDeviceProperties2 get = instance->next.GetPhysicalDeviceProperties2KHR;
	if (instance->version >= VK_API_VERSION_1_1)
		get = instance->next.GetPhysicalDeviceProperties2;
	if (get)
		get(device->gpu, &properties);
	return get != NULL;
}

/* Transform feedback is counted if the program enables it. */
static void read_feedback(struct device *device, const VkDeviceCreateInfo *info)
{
	const VkPhysicalDeviceTransformFeedbackFeaturesEXT *asked =
	    find(info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT);
	const VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT *generated = find(
	    info->pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT);
	VkPhysicalDeviceTransformFeedbackPropertiesEXT has = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_PROPERTIES_EXT};

	device->generated = generated && generated->primitivesGeneratedQuery;
	if (!asked || !asked->transformFeedback || !read_properties(device, &has))
		return;
	device->feedback = has.transformFeedbackQueries;
	device->streams = has.maxTransformFeedbackStreams;
	if (!asked->geometryStreams || device->streams < 1)
		device->streams = 1;
	if (device->streams > STREAMS)
		device->streams = STREAMS;
}

/* Statistics of mesh shaders need the feature meshShaderQueries. */
static void choose_mesh(struct device *device, struct features_copy *out)
{
	const VkPhysicalDeviceMeshShaderFeaturesEXT *asked =
	    find(out->info.pNext, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
	const struct instance *instance = device->instance;
	PFN_vkGetPhysicalDeviceFeatures2 get = instance->version >= VK_API_VERSION_1_1
						   ? instance->next.GetPhysicalDeviceFeatures2
						   : instance->next.GetPhysicalDeviceFeatures2KHR;
	VkPhysicalDeviceMeshShaderFeaturesEXT has = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &has};

	if (!asked || !asked->meshShader || !get || !device->statistics)
		return;
	get(device->gpu, &features);
	if (!has.meshShaderQueries)
		return;
	/* The chain may hold copies by now, which are copied again. */
	VkPhysicalDeviceMeshShaderFeaturesEXT *chosen =
	    copy_up_to(out, VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT);
	if (!chosen)
		return;
	chosen->meshShaderQueries = VK_TRUE;
	device->mesh = true;
}

/* Whether the device supports hostQueryReset. */
static bool can_reset(const struct device *device)
{
	const struct instance *instance = device->instance;
	VkPhysicalDeviceHostQueryResetFeatures has = {
	    .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES};
	VkPhysicalDeviceFeatures2 features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
					      .pNext = &has};
	PFN_vkGetPhysicalDeviceFeatures2 get = instance->next.GetPhysicalDeviceFeatures2;
	VkPhysicalDeviceProperties properties = {0};
	instance->next.GetPhysicalDeviceProperties(device->gpu, &properties);
	if (instance->version < VK_API_VERSION_1_2 || properties.apiVersion < VK_API_VERSION_1_2 ||
	    !get)
		return false;
	get(device->gpu, &features);
	return has.hostQueryReset;
}

static void choose_reset(struct device *device, struct features_copy *out)
{
	const VkStructureType own = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES;
	const VkStructureType all = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
	VkPhysicalDeviceHostQueryResetFeatures *chosen;
	VkPhysicalDeviceVulkan12Features *newer;
	if (!can_reset(device))
		return;
	if (find(out->info.pNext, all)) {
		newer = copy_up_to(out, all);
		if (newer)
			newer->hostQueryReset = VK_TRUE;
		device->host_reset = newer != NULL;
	} else if (find(out->info.pNext, own)) {
		chosen = copy_up_to(out, own);
		if (chosen)
			chosen->hostQueryReset = VK_TRUE;
		device->host_reset = chosen != NULL;
	} else {
		out->reset = (VkPhysicalDeviceHostQueryResetFeatures){
		    .sType = own,
		    .pNext = (void *)(uintptr_t)out->info.pNext,
		    .hostQueryReset = VK_TRUE};
		out->info.pNext = &out->reset;
		device->host_reset = true;
	}
}

void features_prepare(struct device *device, const VkDeviceCreateInfo *info,
		      struct features_copy *out)
{
	*out = (struct features_copy){.info = *info};
	if (!guest_channel())
		return;
	read_feedback(device, info);
	choose_core(device, out);
	choose_mesh(device, out);
	choose_reset(device, out);
	driver_prepare(device, info, out);
}

void features_release(struct features_copy *copy)
{
	while (copy->copy_count > 0)
		free(copy->copies[--copy->copy_count]);
	free(copy->extensions);
}
