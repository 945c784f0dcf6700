/* A client of libGPUPerfAPIVK: counts of a dispatch and a draw that are known (lavapipe in tests).
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vulkan/vulkan.h>

#include "gpa/GPUPerfAPI.h"
#include "check.h"
#include "gpa/GPUPerfAPIVK.h"
#include "gpa/GPUPerfAPI3.h"
#include "fake_vk_perf.h"

/* SPIR-V of an empty main(): of a compute shader with groups of 8x2, and of a vertex shader. */
#define WORD(count, op) ((uint32_t)(count) << 16 | (op))
static const uint32_t compute_code[] = {0x07230203,  0x00010000,
					0,	     6,
					0,	     WORD(2, 17),
					1,	     WORD(3, 14),
					0,	     1,
					WORD(5, 15), 5,
					4,	     0x6e69616d,
					0,	     WORD(6, 16),
					4,	     17,
					8,	     2,
					1,	     WORD(2, 19),
					2,	     WORD(3, 33),
					3,	     2,
					WORD(5, 54), 2,
					4,	     0,
					3,	     WORD(2, 248),
					5,	     WORD(1, 253),
					WORD(1, 56)};
static const uint32_t vertex_code[] = {
    0x07230203,	 0x00010000, 0, 6,	    0, WORD(2, 17),  1, WORD(3, 14),  0,	  1,
    WORD(5, 15), 0,	     4, 0x6e69616d, 0, WORD(2, 19),  2, WORD(3, 33),  3,	  2,
    WORD(5, 54), 2,	     4, 0,	    3, WORD(2, 248), 5, WORD(1, 253), WORD(1, 56)};

struct job {
	VkInstance instance;
	VkPhysicalDevice gpu;
	VkDevice device;
	VkQueue queue;
	VkCommandPool pool;
	VkPipelineLayout layout;
	VkPipeline compute, draw;
	VkRenderPass pass;
	VkFramebuffer framebuffer;
	VkShaderModule modules[2];
	VkPhysicalDeviceProperties properties;
};

static bool make_device(struct job *j)
{
	const float priority = 1;
	const VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
					       .apiVersion = VK_API_VERSION_1_1};
	const VkInstanceCreateInfo instance = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
					       .pApplicationInfo = &application};
	const VkDeviceQueueCreateInfo queue = {.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
					       .queueCount = 1,
					       .pQueuePriorities = &priority};
	const VkPhysicalDeviceFeatures features = {.pipelineStatisticsQuery = VK_TRUE,
						   .occlusionQueryPrecise = VK_TRUE};
	const VkDeviceCreateInfo device = {.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
					   .queueCreateInfoCount = 1,
					   .pQueueCreateInfos = &queue,
					   .pEnabledFeatures = &features};
	const VkCommandPoolCreateInfo pool = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	uint32_t count = 1;
	if (vkCreateInstance(&instance, NULL, &j->instance) != VK_SUCCESS ||
	    vkEnumeratePhysicalDevices(j->instance, &count, &j->gpu) < 0 || !count ||
	    vkCreateDevice(j->gpu, &device, NULL, &j->device) != VK_SUCCESS)
		return false;
	vkGetPhysicalDeviceProperties(j->gpu, &j->properties);
	vkGetDeviceQueue(j->device, 0, 0, &j->queue);
	return vkCreateCommandPool(j->device, &pool, NULL, &j->pool) == VK_SUCCESS;
}

static VkPipelineShaderStageCreateInfo stage(struct job *j, VkShaderStageFlagBits bit,
					     const uint32_t *code, size_t size)
{
	const VkShaderModuleCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
	VkShaderModule module = VK_NULL_HANDLE;
	vkCreateShaderModule(j->device, &info, NULL, &module);
	j->modules[bit == VK_SHADER_STAGE_COMPUTE_BIT] = module;
	return (VkPipelineShaderStageCreateInfo){
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
	    .stage = bit,
	    .module = module,
	    .pName = "main"};
}

static bool make_compute(struct job *j)
{
	const VkPipelineLayoutCreateInfo layout = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
	vkCreatePipelineLayout(j->device, &layout, NULL, &j->layout);
	const VkComputePipelineCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
	    .stage = stage(j, VK_SHADER_STAGE_COMPUTE_BIT, compute_code, sizeof(compute_code)),
	    .layout = j->layout};
	return vkCreateComputePipelines(j->device, NULL, 1, &info, NULL, &j->compute) == VK_SUCCESS;
}

/* A pipeline without fragments and a pass without attachments. */
static bool make_draw(struct job *j)
{
	const VkSubpassDescription subpass = {.pipelineBindPoint = VK_PIPELINE_BIND_POINT_GRAPHICS};
	const VkRenderPassCreateInfo pass = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_CREATE_INFO,
					     .subpassCount = 1,
					     .pSubpasses = &subpass};
	vkCreateRenderPass(j->device, &pass, NULL, &j->pass);
	const VkFramebufferCreateInfo framebuffer = {.sType =
							 VK_STRUCTURE_TYPE_FRAMEBUFFER_CREATE_INFO,
						     .renderPass = j->pass,
						     .width = 64,
						     .height = 64,
						     .layers = 1};
	vkCreateFramebuffer(j->device, &framebuffer, NULL, &j->framebuffer);
	const VkPipelineShaderStageCreateInfo vertex =
	    stage(j, VK_SHADER_STAGE_VERTEX_BIT, vertex_code, sizeof(vertex_code));
	const VkPipelineVertexInputStateCreateInfo input = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO};
	const VkPipelineInputAssemblyStateCreateInfo assembly = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
	    .topology = VK_PRIMITIVE_TOPOLOGY_TRIANGLE_LIST};
	const VkPipelineRasterizationStateCreateInfo raster = {
	    .sType = VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
	    .rasterizerDiscardEnable = VK_TRUE,
	    .lineWidth = 1};
	const VkGraphicsPipelineCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
	    .stageCount = 1,
	    .pStages = &vertex,
	    .pVertexInputState = &input,
	    .pInputAssemblyState = &assembly,
	    .pRasterizationState = &raster,
	    .layout = j->layout,
	    .renderPass = j->pass};
	return vkCreateGraphicsPipelines(j->device, NULL, 1, &info, NULL, &j->draw) == VK_SUCCESS;
}

static void destroy_job(struct job *j)
{
	for (size_t i = 0; i < 2; i++)
		vkDestroyShaderModule(j->device, j->modules[i], NULL);
	vkDestroyPipeline(j->device, j->compute, NULL);
	vkDestroyPipeline(j->device, j->draw, NULL);
	vkDestroyPipelineLayout(j->device, j->layout, NULL);
	vkDestroyFramebuffer(j->device, j->framebuffer, NULL);
	vkDestroyRenderPass(j->device, j->pass, NULL);
	vkDestroyCommandPool(j->device, j->pool, NULL);
	vkDestroyDevice(j->device, NULL);
	vkDestroyInstance(j->instance, NULL);
}

static void record_work(const struct job *j, VkCommandBuffer c)
{
	const VkRenderPassBeginInfo begin = {.sType = VK_STRUCTURE_TYPE_RENDER_PASS_BEGIN_INFO,
					     .renderPass = j->pass,
					     .framebuffer = j->framebuffer,
					     .renderArea = {{0, 0}, {64, 64}}};
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_COMPUTE, j->compute);
	vkCmdDispatch(c, 3, 2, 1);
	vkCmdBeginRenderPass(c, &begin, VK_SUBPASS_CONTENTS_INLINE);
	vkCmdBindPipeline(c, VK_PIPELINE_BIND_POINT_GRAPHICS, j->draw);
	vkCmdDraw(c, 6, 1, 0, 0);
	vkCmdEndRenderPass(c);
}

static VkCommandBuffer begin_commands(const struct job *j)
{
	const VkCommandBufferAllocateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
	    .commandPool = j->pool,
	    .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
	    .commandBufferCount = 1};
	const VkCommandBufferBeginInfo begin = {.sType =
						    VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
	VkCommandBuffer c = NULL;
	vkAllocateCommandBuffers(j->device, &info, &c);
	vkBeginCommandBuffer(c, &begin);
	return c;
}

static void submit(const struct job *j, VkCommandBuffer c)
{
	const VkSubmitInfo info = {
	    .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO, .commandBufferCount = 1, .pCommandBuffers = &c};
	vkEndCommandBuffer(c);
	vkQueueSubmit(j->queue, 1, &info, VK_NULL_HANDLE);
}

static gpa_uint64 count_of(gpa_uint32 session, const char *name)
{
	gpa_uint32 index = 0;
	gpa_uint64 value = 99999;
	OK(GPA_GetCounterIndex(name, &index));
	OK(GPA_GetSampleUInt64(session, 1, index, &value));
	return value;
}

static gpa_uint32 run_session(const struct job *j, GPA_VulkanContext *context, gpa_uint32 passes)
{
	gpa_uint32 session = 0;
	OK(GPA_BeginSession(&session));
	for (gpa_uint32 p = 0; p < passes; p++) {
		context->commandBuffer = begin_commands(j);
		OK(GPA_BeginPass());
		OK(GPA_BeginSample(1));
		record_work(j, context->commandBuffer);
		OK(GPA_EndSample());
		OK(GPA_EndPass());
		submit(j, context->commandBuffer);
	}
	OK(GPA_EndSession());
	return session;
}

static void check_session(const struct job *j, GPA_VulkanContext *context)
{
	gpa_uint32 passes = 0, index = 0;
	gpa_float64 number = -1;
	bool ready = false;
	OK(GPA_EnableAllCounters());
	OK(GPA_GetPassCount(&passes));
	CHECK(passes == 2, "%u passes", passes);
	gpa_uint32 session = run_session(j, context, passes);
	CHECK(count_of(session, "IAVertices") == 6, "IAVertices");
	CHECK(count_of(session, "IAPrimitives") == 2, "IAPrimitives");
	CHECK(count_of(session, "VSInvocations") == 6, "VSInvocations");
	CHECK(count_of(session, "CSInvocations") == 96, "CSInvocations");
	CHECK(count_of(session, "GSInvocations") == 0, "GSInvocations");
	CHECK(count_of(session, "Occlusion") == 0, "Occlusion");
	OK(GPA_GetCounterIndex("CSThreads", &index));
	OK(GPA_GetSampleFloat64(session, 1, index, &number));
	CHECK(number == 96, "CSThreads %g", number);
	OK(GPA_GetCounterIndex("GPUTime", &index));
	OK(GPA_GetSampleFloat64(session, 1, index, &number));
	CHECK(number >= 0 && number < 10000, "GPUTime %g", number);
	OK(GPA_IsSessionReady(&ready, session));
	CHECK(ready, "not ready");
	vkDeviceWaitIdle(j->device);
}

static double perf_value(gpa_uint32 session, const char *name, GPA_Usage_Type usage)
{
	gpa_uint32 index = 0;
	gpa_uint64 count = 0;
	gpa_float64 number = -1;
	GPA_Type type = GPA_TYPE__LAST;
	GPA_Usage_Type is = GPA_USAGE_TYPE__LAST;
	OK(GPA_GetCounterIndex(name, &index));
	OK(GPA_GetCounterUsageType(index, &is));
	CHECK(is == usage, "%s: usage %d", name, (int)is);
	OK(GPA_GetCounterDataType(index, &type));
	if (type == GPA_TYPE_FLOAT64)
		OK(GPA_GetSampleFloat64(session, 1, index, &number));
	else
		OK(GPA_GetSampleUInt64(session, 1, index, &count));
	return type == GPA_TYPE_FLOAT64 ? number : (double)count;
}

/* The driver's own counters, from an extension that the fake adds. */
static void check_performance_queries(const struct job *j, GPA_VulkanContext *context)
{
	gpa_uint32 passes = 0, index = 0;
	context->performanceQueries = context->hostQueryReset = VK_TRUE;
	context->getInstanceProcAddr = fake_vk_loader;
	OK(GPA_OpenContext(context));
	CHECK(fake_vk_perf.locked, "the profiling lock was not taken");
	CHECK(GPA_GetCounterIndex("Whole buffer", &index) == GPA_STATUS_ERROR_NOT_FOUND,
	      "a counter of whole command buffers is offered");
	OK(GPA_EnableAllCounters());
	OK(GPA_GetPassCount(&passes));
	CHECK(passes == 4, "%u passes", passes); /* time, queries, two times two counters */
	gpa_uint32 session = run_session(j, context, passes);
	fake_vk_perf.not_ready = 3;
	CHECK(perf_value(session, "GPU active cycles", GPA_USAGE_TYPE_CYCLES) == 1000, "cycles");
	CHECK(perf_value(session, "L2 cache hit ratio", GPA_USAGE_TYPE_PERCENTAGE) == 2000,
	      "ratio");
	CHECK(perf_value(session, "Busy time", GPA_USAGE_TYPE_MILLISECONDS) == 0.003, "time");
	CHECK(perf_value(session, "Waves", GPA_USAGE_TYPE_ITEMS) == 5000, "waves");
	CHECK(count_of(session, "IAVertices") == 6, "IAVertices");
	vkDeviceWaitIdle(j->device);
	OK(GPA_CloseContext());
	CHECK(fake_vk_perf.begun == 2 && fake_vk_perf.ended == 2, "%d begun, %d ended",
	      fake_vk_perf.begun, fake_vk_perf.ended);
	CHECK(!fake_vk_perf.without_reset, "a pool was not reset");
	CHECK(!fake_vk_perf.pools && !fake_vk_perf.locked, "pools or the lock are left");
}

/* One session of performance queries with `samples` samples in each command buffer. */
static gpa_uint32 count_many(const struct job *j, GPA_VulkanContext *context, gpa_uint32 samples,
			     bool submits)
{
	gpa_uint32 session = 0, passes = 0;
	OK(GPA_GetPassCount(&passes));
	OK(GPA_BeginSession(&session));
	for (gpa_uint32 p = 0; p < passes; p++) {
		context->commandBuffer = begin_commands(j);
		OK(GPA_BeginPass());
		for (gpa_uint32 s = 1; s <= samples; s++) {
			OK(GPA_BeginSample(s));
			record_work(j, context->commandBuffer);
			OK(GPA_EndSample());
		}
		OK(GPA_EndPass());
		if (submits)
			submit(j, context->commandBuffer);
	}
	OK(GPA_EndSession());
	return session;
}

/* Many sessions use the same pools; a device with one pool a command buffer gets one. */
static void check_pools(const struct job *j, GPA_VulkanContext *context)
{
	int most = 0;
	fake_vk_perf = (struct fake_vk_perf){.one_pool = true};
	OK(GPA_OpenContext(context));
	OK(GPA_EnableCounterStr("GPU active cycles"));
	OK(GPA_EnableCounterStr("IAVertices"));
	for (int i = 0; i < 50; i++) {
		gpa_uint32 session = count_many(j, context, 5, true);
		CHECK(perf_value(session, "GPU active cycles", GPA_USAGE_TYPE_CYCLES) == 1000,
		      "cycles");
		CHECK(count_of(session, "IAVertices") == 6, "IAVertices");
		most = fake_vk_perf.pools > most ? fake_vk_perf.pools : most;
	}
	CHECK(most >= 1 && most <= 10, "%d pools at once", most);
	CHECK(!fake_vk_perf.several, "%d queries in a second pool", fake_vk_perf.several);
	CHECK(!fake_vk_perf.twice && !fake_vk_perf.without_reset, "queries without a reset");
	vkDeviceWaitIdle(j->device);
	OK(GPA_CloseContext());
	CHECK(!fake_vk_perf.pools, "%d pools are left", fake_vk_perf.pools);
}

/* Samples of command buffers that wait: their pools exist until they have run. */
static void check_left_behind(const struct job *j, GPA_VulkanContext *context)
{
	VkCommandBuffer waiting[12];
	gpa_uint32 session = 0;
	OK(GPA_OpenContext(context));
	OK(GPA_EnableCounterStr("IAVertices"));
	for (int i = 0; i < 12; i++) { /* more than the ring keeps */
		session = count_many(j, context, 1, false);
		waiting[i] = context->commandBuffer;
		if (i >= 4) /* the ring waits for what it loses: that has run by then */
			submit(j, waiting[i - 4]);
	}
	for (int i = 8; i < 12; i++)
		submit(j, waiting[i]);
	CHECK(count_of(session, "IAVertices") == 6, "IAVertices");
	vkDeviceWaitIdle(j->device);
	OK(GPA_CloseContext());
}

/* What a queue cannot do is not offered, and no pool asks for statistics of it. */
static void check_families(const struct job *j, GPA_VulkanContext *context)
{
	static const struct {
		VkQueueFlags family;
		bool draws, computes;
	} cases[] = {{VK_QUEUE_GRAPHICS_BIT | VK_QUEUE_COMPUTE_BIT, true, true},
		     {VK_QUEUE_COMPUTE_BIT, false, true},
		     {VK_QUEUE_TRANSFER_BIT, false, false}};
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		gpa_uint32 index = 0;
		fake_vk_perf = (struct fake_vk_perf){.family = cases[i].family};
		OK(GPA_OpenContext(context));
		bool draws = GPA_GetCounterIndex("IAVertices", &index) == GPA_STATUS_OK;
		bool passed = GPA_GetCounterIndex("Occlusion", &index) == GPA_STATUS_OK;
		bool computes = GPA_GetCounterIndex("CSInvocations", &index) == GPA_STATUS_OK;
		CHECK(draws == cases[i].draws && passed == draws, "family %x: IAVertices",
		      cases[i].family);
		CHECK(computes == cases[i].computes, "family %x: CSInvocations", cases[i].family);
		OK(GPA_GetCounterIndex("GPUTime", &index));
		if (computes && !draws) {
			OK(GPA_EnableCounterStr("CSInvocations"));
			CHECK(count_of(count_many(j, context, 1, true), "CSInvocations") == 96,
			      "CSInvocations");
			CHECK(fake_vk_perf.statistics ==
				  VK_QUERY_PIPELINE_STATISTIC_COMPUTE_SHADER_INVOCATIONS_BIT,
			      "statistics %x on a queue that computes", fake_vk_perf.statistics);
			vkDeviceWaitIdle(j->device);
		}
		OK(GPA_CloseContext());
	}
	fake_vk_perf = (struct fake_vk_perf){.family = 0};
}

static GpaUInt64 table_value(const GpaFunctionTable *gpa, GpaContextId context,
			     GpaSessionId session, const char *name)
{
	GpaUInt64 results[256] = {0};
	GpaUInt32 counter = 0;
	CHECK(gpa->GetSampleResult(session, 5, sizeof(results), results) == kGpaStatusOk,
	      "GetSampleResult");
	CHECK(gpa->GetCounterIndex(context, name, &counter) == kGpaStatusOk && counter < 256, "%s",
	      name);
	return results[counter]; /* all are enabled, in their order */
}

/* By version 3's table: command buffers come with their lists. */
static void check_table(const struct job *j)
{
	GpaFunctionTable gpa = {.major_version = 3, .minor_version = sizeof(gpa)};
	GpaVkContextOpenInfo info = {j->instance, j->gpu, j->device};
	GpaVkContextOpenInfo same = info;
	GpaContextId context = NULL, other = NULL;
	GpaSessionId session = NULL;
	GpaUInt32 passes = 0;
	CHECK(GpaGetFuncTable(&gpa) == kGpaStatusOk, "no table");
	CHECK(gpa.OpenContext(&info, 0, &context) == kGpaStatusOk, "OpenContext");
	CHECK(gpa.OpenContext(&same, 0, &other) == kGpaStatusErrorContextAlreadyOpen,
	      "the device was opened twice");
	CHECK(gpa.CreateSession(context, kGpaSessionSampleTypeDiscreteCounter, &session) == 0,
	      "CreateSession");
	CHECK(gpa.EnableAllCounters(session) == kGpaStatusOk, "EnableAllCounters");
	CHECK(gpa.GetPassCount(session, &passes) == kGpaStatusOk && passes == 2, "%u passes",
	      passes);
	CHECK(gpa.BeginSession(session) == kGpaStatusOk, "BeginSession");
	for (GpaUInt32 p = 0; p < passes; p++) {
		GpaCommandListId list = NULL;
		VkCommandBuffer c = begin_commands(j);
		CHECK(gpa.BeginCommandList(session, p, NULL, kGpaCommandListPrimary, &list) ==
			  kGpaStatusErrorNullPointer,
		      "a list without a command buffer");
		CHECK(gpa.BeginCommandList(session, p, c, kGpaCommandListPrimary, &list) ==
			  kGpaStatusOk,
		      "BeginCommandList");
		CHECK(gpa.BeginSample(5, list) == kGpaStatusOk, "BeginSample");
		record_work(j, c);
		CHECK(gpa.EndSample(list) == kGpaStatusOk, "EndSample");
		CHECK(gpa.EndCommandList(list) == kGpaStatusOk, "EndCommandList");
		submit(j, c);
	}
	CHECK(gpa.EndSession(session) == kGpaStatusOk, "EndSession");
	CHECK(table_value(&gpa, context, session, "IAVertices") == 6, "IAVertices");
	CHECK(table_value(&gpa, context, session, "CSInvocations") == 96, "CSInvocations");
	vkDeviceWaitIdle(j->device);
	CHECK(gpa.CloseContext(context) == kGpaStatusOk, "CloseContext");
}

/* Something that a validation layer has to find, so that its silence means something. */
static void offend(const struct job *j)
{
	const VkQueryPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
					    .queryType = VK_QUERY_TYPE_TIMESTAMP};
	VkQueryPool pool = VK_NULL_HANDLE;
	vkCreateQueryPool(j->device, &info, NULL, &pool);
	vkDestroyQueryPool(j->device, pool, NULL);
}

int main(int argc, char **argv)
{
	struct job job = {0};
	const char *name = "";
	gpa_uint32 id = 0;
	if (!make_device(&job) || !make_compute(&job) || !make_draw(&job)) {
		printf("SKIP: no Vulkan device with pipeline statistics\n");
		return 77;
	}
	if (argc > 1 && strcmp(argv[1], "offend") == 0)
		offend(&job);
	GPA_VulkanContext context = {.instance = job.instance,
				     .physicalDevice = job.gpu,
				     .device = job.device,
				     .pipelineStatisticsQuery = VK_TRUE,
				     .occlusionQueryPrecise = VK_TRUE};
	GPA_VulkanContext empty = {0};
	CHECK(GPA_OpenContext(&empty) == GPA_STATUS_ERROR_HARDWARE_NOT_SUPPORTED, "no device");
	OK(GPA_OpenContext(&context));
	OK(GPA_GetDeviceDesc(&name));
	CHECK(strcmp(name, job.properties.deviceName) == 0, "device %s", name);
	if (job.properties.deviceID)
		OK(GPA_GetDeviceID(&id));
	CHECK(id == job.properties.deviceID, "device id %#x", id);
	printf("device: %s\n", name);
	for (int i = 0; i < 3; i++)
		check_session(&job, &context);
	OK(GPA_CloseContext());
	check_left_behind(&job, &context);
	check_performance_queries(&job, &context);
	check_pools(&job, &context);
	check_families(&job, &context);
	check_table(&job);
	destroy_job(&job);
	printf("%d failures\n", failures);
	return failures != 0;
}
