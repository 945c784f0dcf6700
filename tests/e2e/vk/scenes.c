/*
 * Programs with known counts: `vk-scenes CASE ROUNDS`. Each round is one submission. test_layer.py
 * compares the counts with Sextant's.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "scenes.h"
#include "world.h"

void draw(struct world *world, VkCommandBuffer commands, uint32_t triangles)
{
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, world->draw);
	vkCmdDraw(commands, 3 * triangles, 1, 0, 0);
}

/* Five draws of two triangles. */
void record_draws(struct world *world, VkCommandBuffer commands)
{
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	for (int i = 0; i < 5; i++)
		draw(world, commands, 2);
	vkCmdEndRenderPass(commands);
}

static void each_round(struct world *world, int rounds,
		       void (*record)(struct world *world, VkCommandBuffer commands))
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		record(world, commands);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
}

static void draws(struct world *world, int rounds)
{
	each_round(world, rounds, record_draws);
}

/* Much in the first rounds, little in the others: draws of two triangles. */
static void uneven(struct world *world, int rounds)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		int count = i < 8 ? 100 : 1 + i % 3;

		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		for (int k = 0; k < count; k++)
			draw(world, commands, 2);
		vkCmdEndRenderPass(commands);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
}

static void record_part(struct world *world, VkCommandBuffer commands, VkRenderingFlags flags)
{
	VkImageMemoryBarrier ready = {.sType = VK_STRUCTURE_TYPE_IMAGE_MEMORY_BARRIER,
				      .dstAccessMask = VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT,
				      .newLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
				      .image = world->image,
				      .subresourceRange = {VK_IMAGE_ASPECT_COLOR_BIT, 0, 1, 0, 1}};
	VkRenderingAttachmentInfo color = {.sType = VK_STRUCTURE_TYPE_RENDERING_ATTACHMENT_INFO,
					   .imageView = world->view,
					   .imageLayout = VK_IMAGE_LAYOUT_COLOR_ATTACHMENT_OPTIMAL,
					   .loadOp = VK_ATTACHMENT_LOAD_OP_CLEAR,
					   .storeOp = VK_ATTACHMENT_STORE_OP_STORE};
	VkRenderingInfo info = {.sType = VK_STRUCTURE_TYPE_RENDERING_INFO,
				.flags = flags,
				.renderArea = {{0, 0}, {SIDE, SIDE}},
				.layerCount = 1,
				.colorAttachmentCount = 1,
				.pColorAttachments = &color};

	if ((flags & VK_RENDERING_RESUMING_BIT) == 0)
		vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
				     VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT, 0, 0, NULL, 0,
				     NULL, 1, &ready);
	vkCmdBeginRendering(commands, &info);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_GRAPHICS, world->dynamic);
	vkCmdDraw(commands, 6, 1, 0, 0);
	vkCmdEndRendering(commands);
}

void record_dynamic(struct world *world, VkCommandBuffer commands)
{
	record_part(world, commands, 0);
}

/* One dynamic rendering over two command buffers. */
static void suspended(struct world *world, int rounds)
{
	static const VkRenderingFlags flags[] = {VK_RENDERING_SUSPENDING_BIT,
						 VK_RENDERING_RESUMING_BIT};
	VkCommandBuffer parts[2];
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .commandBufferCount = 2,
			     .pCommandBuffers = parts};

	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < 2; k++) {
			parts[k] = world_commands(world, world->pool, false);
			world_begin(parts[k], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
			record_part(world, parts[k], flags[k]);
			MUST(vkEndCommandBuffer(parts[k]));
		}
		MUST(vkQueueSubmit(world->queue, 1, &info, VK_NULL_HANDLE));
		MUST(vkQueueWaitIdle(world->queue));
	}
}

/* In one, with a rendering behind it. */
static void record_suspended(struct world *world, VkCommandBuffer commands)
{
	record_part(world, commands, VK_RENDERING_SUSPENDING_BIT);
	record_part(world, commands, VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT);
	record_part(world, commands, VK_RENDERING_RESUMING_BIT);
	record_part(world, commands, 0);
}

static void suspended_once(struct world *world, int rounds)
{
	each_round(world, rounds, record_suspended);
}

static void dynamic(struct world *world, int rounds)
{
	each_round(world, rounds, record_dynamic);
}

static void record_compute(struct world *world, VkCommandBuffer commands)
{
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
	vkCmdDispatch(commands, 4, 2, 1);
	record_draws(world, commands);
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
	vkCmdDispatch(commands, 1, 1, 1);
}

static void compute(struct world *world, int rounds)
{
	each_round(world, rounds, record_compute);
}

/* A secondary command buffer with one draw within the pass. */
void record_secondary(struct world *world, VkCommandBuffer commands,
		      VkCommandBufferUsageFlags flags, uint32_t triangles)
{
	VkCommandBufferInheritanceInfo inherited = {
	    .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_INHERITANCE_INFO,
	    .renderPass = world->pass,
	    .framebuffer = world->framebuffer};
	VkCommandBufferBeginInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
					 .flags = VK_COMMAND_BUFFER_USAGE_RENDER_PASS_CONTINUE_BIT |
						  flags,
					 .pInheritanceInfo = &inherited};

	MUST(vkBeginCommandBuffer(commands, &info));
	draw(world, commands, triangles);
	MUST(vkEndCommandBuffer(commands));
}

static void run_parts(struct world *world, VkCommandBuffer commands, const VkCommandBuffer *parts,
		      uint32_t count)
{
	world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_SECONDARY_COMMAND_BUFFERS);
	vkCmdExecuteCommands(commands, count, parts);
	vkCmdEndRenderPass(commands);
	MUST(vkEndCommandBuffer(commands));
	world_run(world, commands);
}

/* Two of one and of two triangles; the second is recorded anew in each round. */
static void secondaries(struct world *world, int rounds)
{
	VkCommandBuffer parts[2] = {world_commands(world, world->pool, true),
				    world_commands(world, world->pool, true)};
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	record_secondary(world, parts[0], 0, 1);
	for (int i = 0; i < rounds; i++) {
		record_secondary(world, parts[1], 0, 2);
		run_parts(world, commands, parts, 2);
	}
	vkFreeCommandBuffers(world->device, world->pool, 2, parts);
}

/* One that runs three times in each submission. */
static void shared_secondary(struct world *world, int rounds)
{
	VkCommandBuffer part = world_commands(world, world->pool, true);
	VkCommandBuffer commands = world_commands(world, world->pool, false);
	VkCommandBuffer parts[3] = {part, part, part};

	record_secondary(world, part, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT, 1);
	for (int i = 0; i < rounds; i++)
		run_parts(world, commands, parts, 3);
}

/* Recorded once, run many times, each after the other. */
static void reuse(struct world *world, int rounds)
{
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	world_begin(commands, 0);
	record_draws(world, commands);
	MUST(vkEndCommandBuffer(commands));
	for (int i = 0; i < rounds; i++)
		world_run(world, commands);
}

static VkQueryPool make_pool(struct world *world, VkQueryType type)
{
	VkQueryPoolCreateInfo info = {
	    .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO, .queryType = type, .queryCount = 1};
	VkQueryPool pool;

	if (type == VK_QUERY_TYPE_PIPELINE_STATISTICS)
		info.pipelineStatistics = VK_QUERY_PIPELINE_STATISTIC_INPUT_ASSEMBLY_VERTICES_BIT;
	MUST(vkCreateQueryPool(world->device, &info, NULL, &pool));
	return pool;
}

static uint64_t result(struct world *world, VkQueryPool pool)
{
	uint64_t value = 0;

	MUST(vkGetQueryPoolResults(world->device, pool, 0, 1, sizeof(value), &value, sizeof(value),
				   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
	return value;
}

/*
 * The program's own queries, around the second of three draws of one, two and three triangles;
 * every other round runs none.
 */
static void own_queries(struct world *world, int rounds)
{
	VkQueryPool samples = make_pool(world, VK_QUERY_TYPE_OCCLUSION);
	VkQueryPool vertices = make_pool(world, VK_QUERY_TYPE_PIPELINE_STATISTICS);
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		vkCmdResetQueryPool(commands, samples, 0, 1);
		vkCmdResetQueryPool(commands, vertices, 0, 1);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 1);
		if (i % 2 == 0) {
			vkCmdBeginQuery(commands, samples, 0, VK_QUERY_CONTROL_PRECISE_BIT);
			vkCmdBeginQuery(commands, vertices, 0, 0);
		}
		draw(world, commands, 2);
		if (i % 2 == 0) {
			vkCmdEndQuery(commands, vertices, 0);
			vkCmdEndQuery(commands, samples, 0);
		}
		draw(world, commands, 3);
		vkCmdEndRenderPass(commands);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
		if (i % 2 == 0 &&
		    (result(world, samples) != 2 * SIDE * SIDE || result(world, vertices) != 6)) {
			fprintf(stderr, "the program's own queries are wrong\n");
			exit(1);
		}
	}
	vkDestroyQueryPool(world->device, samples, NULL);
	vkDestroyQueryPool(world->device, vertices, NULL);
}

/* One that only says whether anything was drawn, in every other round. */
static void own_predicates(struct world *world, int rounds)
{
	VkQueryPool samples = make_pool(world, VK_QUERY_TYPE_OCCLUSION);
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	for (int i = 0; i < rounds; i++) {
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		vkCmdResetQueryPool(commands, samples, 0, 1);
		if (i % 2 == 0)
			vkCmdBeginQuery(commands, samples, 0, 0);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 1);
		vkCmdEndRenderPass(commands);
		if (i % 2 == 0)
			vkCmdEndQuery(commands, samples, 0);
		MUST(vkEndCommandBuffer(commands));
		world_run(world, commands);
	}
	vkDestroyQueryPool(world->device, samples, NULL);
}

/* The same two queries twice in a command buffer, which is submitted again while it runs. */
static void own_resets(struct world *world, int rounds)
{
	VkQueryPool samples = make_pool(world, VK_QUERY_TYPE_OCCLUSION);
	VkQueryPool all = make_pool(world, VK_QUERY_TYPE_PIPELINE_STATISTICS);
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	world_begin(commands, VK_COMMAND_BUFFER_USAGE_SIMULTANEOUS_USE_BIT);
	for (int i = 0; i < 2; i++) {
		vkCmdResetQueryPool(commands, samples, 0, 1);
		vkCmdResetQueryPool(commands, all, 0, 1);
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
		vkCmdDispatch(commands, 1, 1, 1);
		vkCmdBeginQuery(commands, samples, 0, VK_QUERY_CONTROL_PRECISE_BIT);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 1);
		vkCmdEndRenderPass(commands);
		vkCmdEndQuery(commands, samples, 0);
		world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(world, commands, 2);
		vkCmdEndRenderPass(commands);
		vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
		vkCmdDispatch(commands, 1, 1, 1);
	}
	MUST(vkEndCommandBuffer(commands));
	for (int i = 0; i < rounds; i++)
		world_submit(world, commands);
	MUST(vkQueueWaitIdle(world->queue));
	vkDestroyQueryPool(world->device, samples, NULL);
	vkDestroyQueryPool(world->device, all, NULL);
}

/* vkQueueSubmit2, each round waiting for the one before by a timeline semaphore. */
static void timeline(struct world *world, int rounds)
{
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
					  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
				      .pNext = &type};
	VkSemaphore semaphore;

	MUST(vkCreateSemaphore(world->device, &info, NULL, &semaphore));
	for (int i = 0; i < rounds; i++) {
		VkCommandBuffer commands = world_commands(world, world->pool, false);
		VkCommandBufferSubmitInfo part = {.sType =
						      VK_STRUCTURE_TYPE_COMMAND_BUFFER_SUBMIT_INFO,
						  .commandBuffer = commands};
		VkSemaphoreSubmitInfo wait = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SUBMIT_INFO,
					      .semaphore = semaphore,
					      .value = (uint64_t)i,
					      .stageMask = VK_PIPELINE_STAGE_2_ALL_COMMANDS_BIT};
		VkSemaphoreSubmitInfo signal = wait;
		VkSubmitInfo2 submit = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO_2,
					.waitSemaphoreInfoCount = 1,
					.pWaitSemaphoreInfos = &wait,
					.commandBufferInfoCount = 1,
					.pCommandBufferInfos = &part,
					.signalSemaphoreInfoCount = 1,
					.pSignalSemaphoreInfos = &signal};

		signal.value = (uint64_t)i + 1;
		world_begin(commands, VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
		record_draws(world, commands);
		MUST(vkEndCommandBuffer(commands));
		MUST(vkQueueSubmit2(world->queue, 1, &submit, VK_NULL_HANDLE));
	}
	MUST(vkQueueWaitIdle(world->queue));
	vkDestroySemaphore(world->device, semaphore, NULL);
}

#define THREADS 4

struct worker {
	struct world *world;
	pthread_mutex_t *lock;
	int rounds;
};

static void *work(void *user)
{
	struct worker *worker = user;
	struct world *world = worker->world;
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;

	for (int i = 0; i < worker->rounds; i++) {
		VkCommandBuffer commands[2];

		MUST(vkCreateCommandPool(world->device, &info, NULL, &pool));
		for (int k = 0; k < 2; k++) {
			commands[k] = world_commands(world, pool, false);
			world_begin(commands[k], VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT);
			record_draws(world, commands[k]);
			MUST(vkEndCommandBuffer(commands[k]));
		}
		pthread_mutex_lock(worker->lock);
		world_run(world, commands[0]);
		world_run(world, commands[1]);
		pthread_mutex_unlock(worker->lock);
		MUST(vkResetCommandPool(world->device, pool, 0));
		vkFreeCommandBuffers(world->device, pool, 1, commands);
		vkDestroyCommandPool(world->device, pool, NULL);
	}
	return NULL;
}

static void threads(struct world *world, int rounds)
{
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct worker worker = {world, &lock, rounds};
	pthread_t all[THREADS];

	for (int i = 0; i < THREADS; i++)
		pthread_create(&all[i], NULL, work, &worker);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
}

static void record_labels(struct world *world, VkCommandBuffer commands)
{
	PFN_vkCmdBeginDebugUtilsLabelEXT begin =
	    (PFN_vkCmdBeginDebugUtilsLabelEXT)vkGetInstanceProcAddr(world->instance,
								    "vkCmdBeginDebugUtilsLabelEXT");
	PFN_vkCmdEndDebugUtilsLabelEXT end = (PFN_vkCmdEndDebugUtilsLabelEXT)vkGetInstanceProcAddr(
	    world->instance, "vkCmdEndDebugUtilsLabelEXT");
	VkDebugUtilsLabelEXT shadow = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
				       .pLabelName = "Shadow"};
	VkDebugUtilsLabelEXT part = {.sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_LABEL_EXT,
				     .pLabelName = "Cascade 2"};

	begin(commands, &shadow);
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	draw(world, commands, 1);
	begin(commands, &part);
	draw(world, commands, 2);
	draw(world, commands, 2);
	end(commands);
	draw(world, commands, 3);
	vkCmdEndRenderPass(commands);
	end(commands);
	world_begin_pass(world, commands, VK_SUBPASS_CONTENTS_INLINE);
	draw(world, commands, 4);
	vkCmdEndRenderPass(commands);
}

static void labels(struct world *world, int rounds)
{
	each_round(world, rounds, record_labels);
}

static void record_dispatch(struct world *world, VkCommandBuffer commands)
{
	vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, world->compute);
	vkCmdDispatch(commands, 4, 2, 1);
}

/* What was drawn to is gone as the next work begins: one round draws, the next computes. */
static void renew(struct world *world, int rounds)
{
	for (int i = 0; i < rounds; i++) {
		each_round(world, 1, i % 2 == 0 ? record_draws : record_dispatch);
		world_renew(world);
	}
}

/* A pool and its command buffer are left to the device's end. */
static void abandon(struct world *world, int rounds)
{
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
	VkCommandPool pool;

	MUST(vkCreateCommandPool(world->device, &info, NULL, &pool));
	VkCommandBuffer commands = world_commands(world, pool, false);
	world_begin(commands, 0);
	record_draws(world, commands);
	MUST(vkEndCommandBuffer(commands));
	for (int i = 0; i < rounds; i++)
		world_run(world, commands);
}

/* Something that a validation layer must find. */
static void offend(struct world *world, int rounds)
{
	VkQueryPool pool = make_pool(world, VK_QUERY_TYPE_OCCLUSION);
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	world_begin(commands, 0);
	vkCmdResetQueryPool(commands, pool, 7, 1);
	vkEndCommandBuffer(commands);
	vkDestroyQueryPool(world->device, pool, NULL);
}

/* A child that a fork made measures nothing, and takes nothing away. */
static void forks(struct world *world, int rounds)
{
	int status = 0;

	draws(world, rounds / 2);
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	if (child < 0 || waitpid(child, &status, 0) != child || status != 0)
		exit(1);
	draws(world, rounds - rounds / 2);
}

/* Children with a device of their own, of a program that has made an instance and no device. */
static void children(struct world *world, int rounds)
{
	static const struct needs none;
	VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
	VkInstance instance;
	int status = 0, count = 0;

	MUST(vkCreateInstance(&info, NULL, &instance));
	for (int i = 0; i < 2; i++) {
		if (fork() != 0)
			continue;
		world_open(world, &none);
		draws(world, rounds);
		world_close(world);
		exit(0);
	}
	while (wait(&status) > 0 && status == 0)
		count++;
	if (count != 2)
		exit(status != 0 && WEXITSTATUS(status) == 77 ? 77 : 1);
	vkDestroyInstance(instance, NULL);
}

/* A second device of the same program, with an instance of its own. */
static void two_devices(struct world *world, int rounds)
{
	static const struct needs none;
	struct world other;

	world_open(&other, &none);
	draws(&other, rounds);
	draws(world, rounds);
	world_close(&other);
	draws(world, rounds);
}

/* Goes on for ever, and says when it has done something. */
static void endless(struct world *world, int rounds)
{
	draws(world, rounds);
	printf("ready\n");
	fflush(stdout);
	for (;;)
		draws(world, rounds);
}

/* Leaves in the middle of its work. */
static void leave(struct world *world, int rounds)
{
	draws(world, rounds);
	exit(0);
}

/* The same by _exit(): the device has finished all work, and no exit handler runs. */
static void gone(struct world *world, int rounds)
{
	draws(world, rounds);
	_exit(0);
}

static const struct {
	const char *name;
	void (*run)(struct world *world, int rounds);
	struct needs needs;
} cases[] = {
    {"draws", draws, {0}},
    {"uneven", uneven, {0}},
    {"dynamic", dynamic, {0}},
    {"suspended", suspended, {0}},
    {"suspended-once", suspended_once, {0}},
    {"compute", compute, {0}},
    {"secondaries", secondaries, {0}},
    {"shared-secondary", shared_secondary, {0}},
    {"reuse", reuse, {0}},
    {"overlap", scene_overlap, {0}},
    {"overlap-waits", scene_overlap_waits, {0}},
    {"overlap-gated", scene_overlap_gated, {0}},
    {"overlap-computes", scene_overlap_computes, {0}},
    {"overlap-draws", scene_overlap_draws, {0}},
    {"overlap-once", scene_overlap_once, {0}},
    {"overlap-queues", scene_overlap_queues, {.machine = true}},
    {"own-queries", own_queries, {.statistics = true}},
    {"own-predicates", own_predicates, {0}},
    {"own-resets", own_resets, {.statistics = true}},
    {"feedback", scene_feedback, {.feedback = true}},
    {"streams", scene_streams, {.feedback = true}},
    {"timeline", timeline, {0}},
    {"threads", threads, {0}},
    {"labels", labels, {0}},
    {"labels-across", scene_labels_across, {0}},
    {"offend", offend, {0}},
    {"abandon", abandon, {0}},
    {"renew", renew, {0}},
    {"leave", leave, {0}},
    {"gone", gone, {0}},
    {"forks", forks, {0}},
    {"children", children, {.bare = true}},
    {"two-devices", two_devices, {0}},
    {"endless", endless, {0}},
    {"stranger", draws, {.stranger = true}},
    {"own-performance", draws, {.performance = true}},
    {"heaps", scene_heaps, {.machine = true}},
    {"flood", scene_flood, {0}},
    {"vanish", scene_vanish, {0}},
    {"fills", scene_fills, {0}},
    {"filled", scene_filled, {0}},
    {"many", scene_many, {0}},
    {"queues", scene_queues, {.machine = true}},
    {"submits", scene_submits, {0}},
    {"submits-empty", scene_submits_empty, {0}},
    {"submits-apart", scene_submits, {.machine = true}},
    {"submits-labelled", scene_submits_labelled, {.machine = true}},
    {"submits-anew", scene_submits_anew, {.machine = true}},
    {"submits-late", scene_submits_late, {.machine = true}},
    {"mesh", scene_mesh, {.machine = true}},
    {"mesh-shaders", scene_mesh_shaders, {.mesh = true}},
    {"mesh-queries", scene_mesh_queries, {.mesh = true, .statistics = true}},
};

int main(int argc, char **argv)
{
	int rounds = argc > 2 ? atoi(argv[2]) : 10;
	struct world world;

	for (size_t i = 0; argc > 1 && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (strcmp(cases[i].name, argv[1]) != 0)
			continue;
		if (!cases[i].needs.bare)
			world_open(&world, &cases[i].needs);
		cases[i].run(&world, rounds);
		if (!cases[i].needs.bare)
			world_close(&world);
		return 0;
	}
	fprintf(stderr, "usage: vk-scenes CASE [ROUNDS]\n");
	return 2;
}
