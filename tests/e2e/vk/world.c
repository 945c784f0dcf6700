/* A device of the first driver that draws, with as little as the cases need. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "shaders.h"
#include "world.h"

#define COLOR VK_FORMAT_R8G8B8A8_UNORM

void must(VkResult result, const char *what)
{
	if (result == VK_SUCCESS)
		return;
	fprintf(stderr, "%s: %d\n", what, result);
	exit(result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_EXTENSION_NOT_PRESENT
		 ? 77
		 : 1);
}

static VkBool32 VKAPI_PTR say(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
			      VkDebugUtilsMessageTypeFlagsEXT types,
			      const VkDebugUtilsMessengerCallbackDataEXT *data, void *user)
{
	printf("VALIDATION %s\n", data->pMessage);
	return VK_FALSE;
}

static void open_instance(struct world *world)
{
	static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME};
	VkDebugUtilsMessengerCreateInfoEXT listen = {
	    .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
	    .messageSeverity = VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT |
			       VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
	    .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
	    .pfnUserCallback = say};
	VkApplicationInfo program = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
				     .apiVersion = VK_API_VERSION_1_3};
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
				     .pNext = &listen,
				     .pApplicationInfo = &program,
				     .enabledExtensionCount = 1,
				     .ppEnabledExtensionNames = extensions};
	uint32_t count = 1;

	MUST(vkCreateInstance(&info, NULL, &world->instance));
	PFN_vkCreateDebugUtilsMessengerEXT create =
	    (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
		world->instance, "vkCreateDebugUtilsMessengerEXT");
	MUST(create(world->instance, &listen, NULL, &world->messenger));
	if (vkEnumeratePhysicalDevices(world->instance, &count, &world->gpu) < 0 || count == 0)
		exit(77);
}

/* Features that a device is asked for, in a chain. */
struct wishes {
	VkPhysicalDeviceMeshShaderFeaturesEXT mesh;
	VkPhysicalDevicePrimitivesGeneratedQueryFeaturesEXT generated;
	VkPhysicalDeviceTransformFeedbackFeaturesEXT feedback;
	VkPhysicalDeviceVulkan13Features later;
	VkPhysicalDeviceVulkan12Features newer;
	VkPhysicalDeviceFeatures2 features;
	VkBaseOutStructure stranger;
};

static void *wish(struct wishes *w, const struct needs *needs)
{
	bool mesh = needs->machine || needs->mesh;
	void *special = mesh ? (void *)&w->mesh : needs->feedback ? &w->feedback : NULL;

	*w = (struct wishes){
	    .mesh = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MESH_SHADER_FEATURES_EXT,
		     .meshShader = VK_TRUE,
		     .taskShader = VK_TRUE,
		     .meshShaderQueries = needs->mesh && needs->statistics},
	    .generated =
		{.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PRIMITIVES_GENERATED_QUERY_FEATURES_EXT,
		 .primitivesGeneratedQuery = VK_TRUE},
	    .feedback = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT,
			 .pNext = &w->generated,
			 .transformFeedback = VK_TRUE,
			 .geometryStreams = VK_TRUE},
	    .later = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
		      .pNext = special,
		      .dynamicRendering = VK_TRUE,
		      .synchronization2 = VK_TRUE},
	    .newer = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
		      .pNext = &w->later,
		      .timelineSemaphore = VK_TRUE},
	    .features = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
			 .pNext = &w->newer,
			 .features = {.geometryShader = needs->feedback,
				      .pipelineStatisticsQuery = needs->statistics,
				      .occlusionQueryPrecise = needs->statistics}},
	    .stranger = {.sType = (VkStructureType)2000000000,
			 .pNext = (VkBaseOutStructure *)(void *)&w->features}};
	return needs->stranger ? (void *)&w->stranger : &w->features;
}

static void open_device(struct world *world, const struct needs *needs)
{
	static const char *const extensions[] = {VK_EXT_TRANSFORM_FEEDBACK_EXTENSION_NAME,
						 VK_EXT_PRIMITIVES_GENERATED_QUERY_EXTENSION_NAME};
	static const float priorities[] = {1, 1};
	struct wishes wishes;
	VkDeviceQueueCreateInfo queues[] = {
	    {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
	     .queueFamilyIndex = world->family,
	     .queueCount = needs->machine ? 2 : 1,
	     .pQueuePriorities = priorities},
	    {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
	     .queueFamilyIndex = 1,
	     .queueCount = 1,
	     .pQueuePriorities = priorities},
	};
	static const char *const more[] = {VK_EXT_MESH_SHADER_EXTENSION_NAME};
	static const char *const performance[] = {VK_KHR_PERFORMANCE_QUERY_EXTENSION_NAME};
	VkDeviceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
				   .pNext = wish(&wishes, needs),
				   .queueCreateInfoCount = needs->machine ? 2 : 1,
				   .pQueueCreateInfos = queues,
				   .enabledExtensionCount = needs->feedback ? 2 : 0,
				   .ppEnabledExtensionNames = extensions};

	if (needs->performance) {
		info.enabledExtensionCount = 1;
		info.ppEnabledExtensionNames = performance;
	}
	if (needs->machine || needs->mesh) {
		info.enabledExtensionCount = 1;
		info.ppEnabledExtensionNames = more;
	}
	MUST(vkCreateDevice(world->gpu, &info, NULL, &world->device));
	vkGetDeviceQueue(world->device, world->family, 0, &world->queue);
}

static uint32_t memory_type(struct world *world, uint32_t bits)
{
	uint32_t type = 0;

	while ((bits >> type & 1) == 0)
		type++;
	return type;
}

static void make_image(struct world *world)
{
	VkImageCreateInfo info = {.sType = VK_STRUCTURE_TYPE_IMAGE_CREATE_INFO,
				  .imageType = VK_IMAGE_TYPE_2D,
				  .format = COLOR,
				  .extent = {SIDE, SIDE, 1},
				  .mipLevels = 1,
				  .arrayLayers = 1,
				  .samples = VK_SAMPLE_COUNT_1_BIT,
				  .usage = VK_IMAGE_USAGE_COLOR_ATTACHMENT_BIT};
	VkImageViewCreateInfo view = {.sType = VK_STRUCTURE_TYPE_IMAGE_VIEW_CREATE_INFO,
				      .viewType = VK_IMAGE_VIEW_TYPE_2D,
				      .format = COLOR,
				      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	VkMemoryAllocateInfo memory = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
	VkMemoryRequirements needs;

	MUST(vkCreateImage(world->device, &info, NULL, &world->image));
	vkGetImageMemoryRequirements(world->device, world->image, &needs);
	memory.allocationSize = needs.size;
	memory.memoryTypeIndex = memory_type(world, needs.memoryTypeBits);
	MUST(vkAllocateMemory(world->device, &memory, NULL, &world->memory));
	MUST(vkBindImageMemory(world->device, world->image, world->memory, 0));
	view.image = world->image;
	MUST(vkCreateImageView(world->device, &view, NULL, &world->view));
}

static void make_pass(struct world *world)
{
	VkAttachmentDescription color = {.format = COLOR,
					 .samples = VK_SAMPLE_COUNT_1_BIT,
					 .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
					 .storeOp = VK_ATTACHMENT_STORE_OP_STORE,
					 .finalLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkAttachmentReference reference = {0, VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL};
	VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS,
					.colorAttachmentCount = 1,
					.pColorAttachments = &reference};
	VkPipelineStageFlags stage = VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT;
	VkAccessFlags writes =
	    VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT | VK_ACCESS_COLOR_ATTACHMENT_READ_BIT;
	VkSubpassDependency before = {VK_SUBPASS_EXTERNAL, 0, stage, stage, writes, writes, 0};
	VkRenderPassCreateInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
				       .attachmentCount = 1,
				       .pAttachments = &color,
				       .subpassCount = 1,
				       .pSubpasses = &subpass,
				       .dependencyCount = 1,
				       .pDependencies = &before};
	VkFramebufferCreateInfo framebuffer = {.sType = VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
					       .attachmentCount = 1,
					       .pAttachments = &world->view,
					       .width = SIDE,
					       .height = SIDE,
					       .layers = 1};

	MUST(vkCreateRenderPass(world->device, &info, NULL, &world->pass));
	framebuffer.renderPass = world->pass;
	MUST(vkCreateFramebuffer(world->device, &framebuffer, NULL, &world->framebuffer));
}

static VkShaderModule shader(struct world *world, const uint32_t *words, size_t size)
{
	VkShaderModuleCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = words};
	VkShaderModule module;

	MUST(vkCreateShaderModule(world->device, &info, NULL, &module));
	return module;
}

/* What all pipelines that draw have in common. */
static const VkPipelineVertexInputStateCreateInfo vertices = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
static const VkPipelineInputAssemblyStateCreateInfo assembly = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
static const VkViewport view = {0, 0, SIDE, SIDE, 0, 1};
static const VkRect2D all = {{0, 0}, {SIDE, SIDE}};
static const VkPipelineViewportStateCreateInfo viewport = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
    .viewportCount = 1,
    .pViewports = &view,
    .scissorCount = 1,
    .pScissors = &all};
static const VkPipelineRasterizationStateCreateInfo raster = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO, .lineWidth = 1};
static const VkPipelineMultisampleStateCreateInfo samples = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
    .rasterizationSamples = VK_SAMPLE_COUNT_1_BIT};
static const VkPipelineColorBlendAttachmentState target = {.colorWriteMask = 15};
static const VkPipelineColorBlendStateCreateInfo blend = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
    .attachmentCount = 1,
    .pAttachments = &target};
static const VkFormat format = COLOR;
static const VkPipelineRenderingCreateInfo rendering = {
    .sType = VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO,
    .colorAttachmentCount = 1,
    .pColorAttachmentFormats = &format};

VkPipeline world_pipeline(struct world *world, VkRenderPass pass, const struct stage *stages,
			  uint32_t count)
{
	VkPipelineShaderStageCreateInfo infos[STAGES_MAX];
	VkGraphicsPipelineCreateInfo info = {.sType =
						 VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
					     .pNext = pass == VK_NULL_HANDLE ? &rendering : NULL,
					     .stageCount = count,
					     .pStages = infos,
					     .pVertexInputState = &vertices,
					     .pInputAssemblyState = &assembly,
					     .pViewportState = &viewport,
					     .pRasterizationState = &raster,
					     .pMultisampleState = &samples,
					     .pColorBlendState = &blend,
					     .layout = world->layout,
					     .renderPass = pass};
	VkPipeline pipeline;

	for (uint32_t i = 0; i < count; i++)
		infos[i] = (VkPipelineShaderStageCreateInfo){
		    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		    .stage = stages[i].stage,
		    .module = shader(world, stages[i].words, stages[i].size),
		    .pName = "main"};
	MUST(vkCreateGraphicsPipelines(world->device, VK_NULL_HANDLE, 1, &info, NULL, &pipeline));
	for (uint32_t i = 0; i < count; i++)
		vkDestroyShaderModule(world->device, infos[i].module, NULL);
	return pipeline;
}

const struct stage world_fragment = STAGE(FRAGMENT_BIT, fragment_words);

static void make_pipelines(struct world *world, const struct needs *needs)
{
	VkPipelineLayoutCreateInfo layout = {.sType =
						 VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	VkComputePipelineCreateInfo compute = {
	    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	    .stage = {.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
		      .stage = VK_SHADER_STAGE_COMPUTE_BIT,
		      .pName = "main"}};

	MUST(vkCreatePipelineLayout(world->device, &layout, NULL, &world->layout));
	const struct stage plain[] = {STAGE(VERTEX_BIT, vertex_words), world_fragment};
	const struct stage feedback[] = {STAGE(VERTEX_BIT, feedback_words), world_fragment};
	const struct stage streams[] = {STAGE(VERTEX_BIT, vertex_words), world_fragment,
					STAGE(GEOMETRY_BIT, streams_words)};

	world->draw = world_pipeline(world, world->pass, plain, 2);
	world->dynamic = world_pipeline(world, VK_NULL_HANDLE, plain, 2);
	if (needs->feedback)
		world->feedback = world_pipeline(world, world->pass, feedback, 2);
	if (needs->feedback)
		world->streams = world_pipeline(world, world->pass, streams, 3);
	compute.stage.module = shader(world, compute_words, sizeof(compute_words));
	compute.layout = world->layout;
	MUST(vkCreateComputePipelines(world->device, VK_NULL_HANDLE, 1, &compute, NULL,
				      &world->compute));
	vkDestroyShaderModule(world->device, compute.stage.module, NULL);
}

void world_open(struct world *world, const struct needs *needs)
{
	VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};
	VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};

	memset(world, 0, sizeof(*world));
	open_instance(world);
	open_device(world, needs);
	MUST(vkCreateCommandPool(world->device, &pool, NULL, &world->pool));
	MUST(vkCreateFence(world->device, &fence, NULL, &world->fence));
	make_image(world);
	make_pass(world);
	make_pipelines(world, needs);
}

void world_renew(struct world *world)
{
	vkDestroyFramebuffer(world->device, world->framebuffer, NULL);
	vkDestroyRenderPass(world->device, world->pass, NULL);
	vkDestroyImageView(world->device, world->view, NULL);
	vkDestroyImage(world->device, world->image, NULL);
	vkFreeMemory(world->device, world->memory, NULL);
	make_image(world);
	make_pass(world);
}

void world_close(struct world *world)
{
	VkDevice device = world->device;
	PFN_vkDestroyDebugUtilsMessengerEXT destroy =
	    (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
		world->instance, "vkDestroyDebugUtilsMessengerEXT");

	MUST(vkDeviceWaitIdle(device));
	vkDestroyPipeline(device, world->draw, NULL);
	vkDestroyPipeline(device, world->dynamic, NULL);
	vkDestroyPipeline(device, world->feedback, NULL);
	vkDestroyPipeline(device, world->streams, NULL);
	vkDestroyPipeline(device, world->compute, NULL);
	vkDestroyPipelineLayout(device, world->layout, NULL);
	vkDestroyFramebuffer(device, world->framebuffer, NULL);
	vkDestroyRenderPass(device, world->pass, NULL);
	vkDestroyImageView(device, world->view, NULL);
	vkDestroyImage(device, world->image, NULL);
	vkFreeMemory(device, world->memory, NULL);
	vkDestroyFence(device, world->fence, NULL);
	vkDestroyCommandPool(device, world->pool, NULL);
	vkDestroyDevice(device, NULL);
	destroy(world->instance, world->messenger, NULL);
	vkDestroyInstance(world->instance, NULL);
}

VkCommandBuffer world_commands(struct world *world, VkCommandPool pool, bool secondary)
{
	VkCommandBufferAllocateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
					    .commandPool = pool,
					    .level = secondary ? VK_COMMAND_BUFFER_LEVEL_SECONDARY
							       : VK_COMMAND_BUFFER_LEVEL_PRIMARY,
					    .commandBufferCount = 1};
	VkCommandBuffer commands;

	MUST(vkAllocateCommandBuffers(world->device, &info, &commands));
	return commands;
}

void world_begin(VkCommandBuffer commands, VkCommandBufferUsageFlags flags)
{
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					 .flags = flags};

	MUST(vkBeginCommandBuffer(commands, &info));
}

void world_begin_pass(struct world *world, VkCommandBuffer commands, VkSubpassContents contents)
{
	VkClearValue black = {0};
	VkRenderPassBeginInfo info = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
				      .renderPass = world->pass,
				      .framebuffer = world->framebuffer,
				      .renderArea = {{0, 0}, {SIDE, SIDE}},
				      .clearValueCount = 1,
				      .pClearValues = &black};

	vkCmdBeginRenderPass(commands, &info, contents);
}

void world_submit(struct world *world, VkCommandBuffer commands)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &commands};

	MUST(vkQueueSubmit(world->queue, 1, &info, VK_NULL_HANDLE));
}

void world_run(struct world *world, VkCommandBuffer commands)
{
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &commands};

	MUST(vkQueueSubmit(world->queue, 1, &info, world->fence));
	MUST(vkWaitForFences(world->device, 1, &world->fence, VK_TRUE, UINT64_MAX));
	MUST(vkResetFences(world->device, 1, &world->fence));
}

PFN_vkVoidFunction world_function(struct world *world, const char *name)
{
	PFN_vkVoidFunction function = vkGetDeviceProcAddr(world->device, name);

	must(function ? VK_SUCCESS : VK_ERROR_EXTENSION_NOT_PRESENT, name);
	return function;
}
