/*
 * Many small submissions by two threads, each to a queue of its own where the device has two; else
 * by one. Says how many there were, and what CPU time, wall clock and waits they took.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>

#include "scenes.h"

#define BUFFERS 16

struct submitter {
	struct world world; /* a copy of the case's, with a queue and a pool of its own */
	VkCommandBuffer commands[BUFFERS];
	int rounds;
	const char *label; /* of its queue, around each; or NULL */
};

static void record(struct submitter *s)
{
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};

	MUST(vkCreateCommandPool(s->world.device, &info, NULL, &s->world.pool));
	for (int i = 0; i < BUFFERS; i++) {
		s->commands[i] = world_commands(&s->world, s->world.pool, false);
		world_begin(s->commands[i], 0);
		world_begin_pass(&s->world, s->commands[i], VK_SUBPASS_CONTENTS_INLINE);
		draw(&s->world, s->commands[i], 1);
		vkCmdEndRenderPass(s->commands[i]);
		MUST(vkEndCommandBuffer(s->commands[i]));
	}
}

static void *submit_all(void *user)
{
	struct submitter *s = user;

	for (int i = 0; i < s->rounds; i++) {
		if (s->label)
			scene_queue_begin(&s->world, s->label);
		world_submit(&s->world, s->commands[i % BUFFERS]);
		if (s->label)
			scene_queue_end(&s->world);
		if (i % BUFFERS == BUFFERS - 1)
			MUST(vkQueueWaitIdle(s->world.queue));
	}
	MUST(vkQueueWaitIdle(s->world.queue));
	return NULL;
}

/* Microseconds. */
static double wall_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static double time_us(struct timeval time)
{
	return (double)time.tv_sec * 1e6 + (double)time.tv_usec;
}

static double cpu_us(const struct rusage *usage)
{
	return time_us(usage->ru_utime) + time_us(usage->ru_stime);
}

static void submits(struct world *world, int rounds, const char *const labels[2])
{
	VkQueueFamilyProperties family;
	uint32_t one = 1;
	struct submitter all[2];
	struct rusage before, after;
	pthread_t threads[2];

	vkGetPhysicalDeviceQueueFamilyProperties(world->gpu, &one, &family);
	int count = family.queueCount > 1 ? 2 : 1;
	for (int i = 0; i < count; i++) {
		all[i] = (struct submitter){.world = *world, .rounds = rounds, .label = labels[i]};
		vkGetDeviceQueue(world->device, 0, (uint32_t)i, &all[i].world.queue);
		record(&all[i]);
	}
	double wall = wall_us();
	getrusage(RUSAGE_SELF, &before);
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, submit_all, &all[i]);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	getrusage(RUSAGE_SELF, &after);
	printf("%d submissions, %.0f us of CPU time, %.0f us, %ld waits\n", count * rounds,
	       cpu_us(&after) - cpu_us(&before), wall_us() - wall,
	       after.ru_nvcsw - before.ru_nvcsw);
	for (int i = 0; i < count; i++)
		vkDestroyCommandPool(world->device, all[i].world.pool, NULL);
}

void scene_submits(struct world *world, int rounds)
{
	static const char *const none[2];
	submits(world, rounds, none);
}

void scene_submits_labelled(struct world *world, int rounds)
{
	static const char *const labels[2] = {"One", "Two"};
	submits(world, rounds, labels);
}

/* Reading one thread's results takes long; another thread records its command buffer again. */
struct recorder {
	struct world world; /* as a submitter's */
	int rounds;
	uint32_t barriers, draws; /* that it recorded */
};

static void record_round(struct recorder *r, VkCommandBuffer commands, int round)
{
	uint32_t barriers = (uint32_t)round % 7;
	world_begin(commands, 0);
	for (uint32_t i = 0; i < barriers; i++)
		vkCmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT,
				     VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, 0, 0, NULL, 0, NULL, 0,
				     NULL);
	r->barriers += barriers;
	if (round % 3 == 0) {
		world_begin_pass(&r->world, commands, VK_SUBPASS_CONTENTS_INLINE);
		draw(&r->world, commands, 1);
		vkCmdEndRenderPass(commands);
		r->draws++;
	}
	MUST(vkEndCommandBuffer(commands));
}

static void *record_anew(void *user)
{
	struct recorder *r = user;
	VkCommandPoolCreateInfo info = {.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
					.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT};

	MUST(vkCreateCommandPool(r->world.device, &info, NULL, &r->world.pool));
	VkCommandBuffer commands = world_commands(&r->world, r->world.pool, false);
	for (int i = 0; i < r->rounds; i++) {
		record_round(r, commands, i);
		world_submit(&r->world, commands);
		if (i % 2 == 0) /* one of the same handle, perhaps */
			continue;
		vkFreeCommandBuffers(r->world.device, r->world.pool, 1, &commands);
		commands = world_commands(&r->world, r->world.pool, false);
	}
	vkDestroyCommandPool(r->world.device, r->world.pool, NULL);
	return NULL;
}

void scene_submits_anew(struct world *world, int rounds)
{
	struct submitter reads = {.world = *world, .rounds = rounds};
	struct recorder records = {.world = *world, .rounds = rounds};
	pthread_t thread;

	vkGetDeviceQueue(world->device, 0, 1, &records.world.queue);
	record(&reads);
	pthread_create(&thread, NULL, record_anew, &records);
	submit_all(&reads);
	pthread_join(thread, NULL);
	printf("%u barriers, %u draws\n", records.barriers, records.draws + (uint32_t)rounds);
	vkDestroyCommandPool(world->device, reads.world.pool, NULL);
}

/* A buffer that another thread submits, and the semaphore that counts these. */
struct handed {
	struct world *world;
	VkCommandBuffer commands;
	VkSemaphore done;
	uint64_t number;
};

static void make_done(struct handed *handed)
{
	VkSemaphoreTypeCreateInfo type = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
					  .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE};
	VkSemaphoreCreateInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
				      .pNext = &type};
	MUST(vkCreateSemaphore(handed->world->device, &info, NULL, &handed->done));
}

static void *submit_handed(void *user)
{
	struct handed *handed = user;
	VkTimelineSemaphoreSubmitInfo value = {.sType =
						   VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
					       .signalSemaphoreValueCount = 1,
					       .pSignalSemaphoreValues = &handed->number};
	VkSubmitInfo info = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
			     .pNext = &value,
			     .commandBufferCount = 1,
			     .pCommandBuffers = &handed->commands,
			     .signalSemaphoreCount = 1,
			     .pSignalSemaphores = &handed->done};
	MUST(vkQueueSubmit(handed->world->queue, 1, &info, VK_NULL_HANDLE));
	return NULL;
}

static void wait_done(const struct handed *handed)
{
	VkSemaphoreWaitInfo info = {.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO,
				    .semaphoreCount = 1,
				    .pSemaphores = &handed->done,
				    .pValues = &handed->number};
	MUST(vkWaitSemaphores(handed->world->device, &info, UINT64_MAX));
}

void scene_submits_late(struct world *world, int rounds)
{
	struct recorder r = {.world = *world};
	struct handed handed = {world, world_commands(world, world->pool, false), NULL, 0};
	pthread_t thread;

	make_done(&handed);
	for (int i = 0; i < rounds; i++) {
		record_round(&r, handed.commands, i);
		if (i > 0)
			pthread_join(thread, NULL);
		handed.number++;
		pthread_create(&thread, NULL, submit_handed, &handed);
		wait_done(&handed);
	}
	pthread_join(thread, NULL);
	printf("%u barriers, %u draws\n", r.barriers, r.draws);
	vkDestroySemaphore(world->device, handed.done, NULL);
}

/* Around each submission others of no command buffer: a fence alone, and a batch of none. */
void scene_submits_empty(struct world *world, int rounds)
{
	const VkSubmitInfo none = {.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO};
	VkCommandBuffer commands = world_commands(world, world->pool, false);

	world_begin(commands, 0);
	record_draws(world, commands);
	MUST(vkEndCommandBuffer(commands));
	for (int i = 0; i < rounds; i++) {
		MUST(vkQueueSubmit(world->queue, 1, &none, VK_NULL_HANDLE));
		world_submit(world, commands);
		MUST(vkQueueSubmit(world->queue, 0, NULL, world->fence));
		MUST(vkWaitForFences(world->device, 1, &world->fence, VK_TRUE, UINT64_MAX));
		MUST(vkResetFences(world->device, 1, &world->fence));
	}
}
