/*
 * A device's lock, for which submissions and presentations do not wait: who finds it taken leaves a
 * note of what happened, and whoever has it takes notes in, after it was taken and before it goes.
 */
#include <stdlib.h>

#include "guest/clock.h"
#include "layer/vulkan/layer.h"

#define QUEUE_NS       UINT64_C(100000000)  /* of a queue's work in a sample, without a window */
#define UNPRESENTED_NS UINT64_C(1000000000) /* of a program that has a window */

static uint32_t buffers_of(const struct submission *s)
{
	return s->first ? s->first[s->info].commandBufferCount
			: s->second[s->info].commandBufferInfoCount;
}

struct command *submission_next(struct submission *s)
{
	if (s->list)
		return s->buffer < s->count ? command_of(s->list[s->buffer++]) : NULL;
	while (s->info < s->count && s->buffer == buffers_of(s)) {
		s->info++;
		s->buffer = 0;
	}
	if (s->info == s->count)
		return NULL;
	s->buffer++;
	return command_of(
	    s->first ? s->first[s->info].pCommandBuffers[s->buffer - 1]
		     : s->second[s->info].pCommandBufferInfos[s->buffer - 1].commandBuffer);
}

uint32_t submission_count(struct submission all)
{
	uint32_t count = 0;
	for (all.info = 0; all.info < all.count; all.info++)
		count += buffers_of(&all);
	return count;
}

/* Not below none: one that is waited for too long is forgotten. */
static uint32_t arrives(struct command *command, int more)
{
	uint32_t were = __atomic_load_n(&command->arriving, __ATOMIC_RELAXED), are;
	do {
		are = more < 0 && were == 0 ? 0 : were + (uint32_t)more;
	} while (!__atomic_compare_exchange_n(&command->arriving, &were, are, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return were;
}

uint32_t command_arrives(struct command *command, int more)
{
	if (command->untracked)
		return 0;
	for (uint32_t i = 0; i < command->child_count; i++)
		arrives(command->children[i].command, more);
	return arrives(command, more);
}

/* A submission is a sample of its own where nothing is presented. */
static void begin_submission(struct device *device, const struct moment *at)
{
	const struct frame *frame = frame_now(device);
	uint64_t begin_ns = frame->record.begin_ns;
	uint64_t since_ns = at->now_ns > begin_ns ? at->now_ns - begin_ns : 0;
	bool ends = device->per != WIRE_QUEUE || since_ns > QUEUE_NS;
	if (frame->worked && (device->has_swapchain ? since_ns > UNPRESENTED_NS : ends))
		frames_end(device, WIRE_TIME, 0, at);
}

static void note_submission(struct device *device, const struct arrival *arrival)
{
	struct submission all = arrival->all;
	struct submitted how = {arrival->queue, arrival->at.now_ns, true};
	struct command *command = submission_next(&all);
	if (!command) /* a fence or semaphores alone: no work */
		return;
	begin_submission(device, &arrival->at);
	for (; command; command = submission_next(&all)) {
		frames_submitted(device, &how, command);
		command_arrives(command, -1);
		how.first = false;
	}
	if (!device->has_swapchain)
		frames_draft(device, arrival->at.now_ns);
}

/* The size of what is presented, when it is one of ours. */
static void note_size(struct device *device, VkSwapchainKHR swapchain)
{
	struct wire_record *record = &frame_now(device)->record;
	for (uint32_t i = 0; i < SWAPCHAINS_MAX; i++) {
		if (device->swapchains[i].handle != swapchain)
			continue;
		record->width = device->swapchains[i].width;
		record->height = device->swapchains[i].height;
		record->flags |= WIRE_SIZE_KNOWN;
	}
}

/* Under the lock. */
static void take_in(struct device *device, const struct arrival *arrival)
{
	switch (arrival->kind) {
	case ARRIVAL_SUBMIT:
		note_submission(device, arrival);
		break;
	case ARRIVAL_PRESENT:
		note_size(device, arrival->swapchain);
		frame_now(device)->whole.values[WIRE_PRESENTS] += arrival->presents;
		frames_end(device, WIRE_FRAME, 0, &arrival->at);
		frames_look(device);
		break;
	case ARRIVAL_LABEL:
		queue_labels_begin(frames_labels(device, arrival->queue), arrival->label);
		break;
	case ARRIVAL_LABEL_END:
		queue_labels_end(frames_labels(device, arrival->queue), 1);
		break;
	}
}

/* The oldest first. Under the lock. */
static void take_all(struct device *device)
{
	struct arrival *newest = __atomic_exchange_n(&device->arrivals, NULL, __ATOMIC_ACQ_REL);
	struct arrival *oldest = NULL, *next;
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest;
		oldest = newest;
	}
	for (; oldest; oldest = next) {
		next = oldest->next;
		take_in(device, oldest);
		free(oldest);
	}
}

void device_lock(struct device *device)
{
	pthread_mutex_lock(&device->lock);
	take_all(device);
}

bool device_trylock(struct device *device)
{
	if (pthread_mutex_trylock(&device->lock) != 0)
		return false;
	take_all(device);
	return true;
}

void device_unlock(struct device *device)
{
	do {
		pthread_mutex_unlock(&device->lock);
		/* Either we see a note, or who leaves it sees the lock free. */
	} while (__atomic_load_n(&device->arrivals, __ATOMIC_SEQ_CST) && device_trylock(device));
}

/* A copy that outlives the call, without what the program's pointers point to. NULL: no memory. */
static struct arrival *copy_of(const struct arrival *arrival)
{
	struct submission all = arrival->all;
	uint32_t count = submission_count(all);
	struct arrival *copy = malloc(sizeof(*copy) + count * sizeof(copy->buffers[0]));
	if (!copy)
		return NULL;
	*copy = *arrival;
	copy->all = (struct submission){.list = copy->buffers, .count = count};
	count = 0;
	for (uint32_t i = 0; i < all.count; i++) {
		all.info = i;
		for (uint32_t k = 0; k < buffers_of(&all); k++)
			copy->buffers[count++] =
			    all.first ? all.first[i].pCommandBuffers[k]
				      : all.second[i].pCommandBufferInfos[k].commandBuffer;
	}
	return copy;
}

static void leave(struct device *device, struct arrival *note)
{
	note->next = __atomic_load_n(&device->arrivals, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&device->arrivals, &note->next, note, true,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		continue;
	if (device_trylock(device))
		device_unlock(device);
}

void arrival_note(struct device *device, const struct arrival *arrival)
{
	struct arrival *note;
	if (!device_trylock(device)) {
		note = copy_of(arrival);
		if (note) {
			leave(device, note);
			return;
		}
		device_lock(device); /* without memory it has to wait */
	}
	take_in(device, arrival);
	device_unlock(device);
}
