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
	double wall;

	vkGetPhysicalDeviceQueueFamilyProperties(world->gpu, &one, &family);
	int count = family.queueCount > 1 ? 2 : 1;
	for (int i = 0; i < count; i++) {
		all[i] = (struct submitter){.world = *world, .rounds = rounds, .label = labels[i]};
		vkGetDeviceQueue(world->device, 0, (uint32_t)i, &all[i].world.queue);
		record(&all[i]);
	}
	wall = wall_us();
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
