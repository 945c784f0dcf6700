/*
 * A device's lock, for which submissions and presentations do not wait. A thread that finds it
 * taken appends a copy of its operation to a list; the thread that holds the lock applies the list,
 * once after it has locked and once after it has unlocked.
 */
#include <stdlib.h>

#include "guest/clock.h"
#include "layer/vulkan/layer.h"

#define QUEUE_NS       UINT64_C(100000000)  /* shortest WIRE_QUEUE sample */
#define UNPRESENTED_NS UINT64_C(1000000000) /* longest time between presentations */

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

/* Not below 0: command_resolve() sets it to 0 when a submission takes too long. */
static uint32_t add_unsampled(struct command *command, int more)
{
	uint32_t were = __atomic_load_n(&command->unsampled, __ATOMIC_RELAXED), are;
	do {
		are = more < 0 && were == 0 ? 0 : were + (uint32_t)more;
	} while (!__atomic_compare_exchange_n(&command->unsampled, &were, are, true,
					      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED));
	return were;
}

uint32_t command_add_unsampled(struct command *command, int more)
{
	if (command->untracked)
		return 0;
	for (uint32_t i = 0; i < command->secondary_count; i++)
		add_unsampled(command->secondaries[i].command, more);
	return add_unsampled(command, more);
}

/* Where nothing is presented, a submission ends the sample before it. */
static void begin_submission(struct device *device, const struct moment *at)
{
	const struct frame *frame = frame_now(device);
	uint64_t begin_ns = frame->record.begin_ns;
	uint64_t since_ns = at->now_ns > begin_ns ? at->now_ns - begin_ns : 0;
	bool ends = device->per != WIRE_QUEUE || since_ns > QUEUE_NS;
	if (frame->worked && (device->has_swapchain ? since_ns > UNPRESENTED_NS : ends))
		frames_end(device, WIRE_TIME, 0, at);
}

static void apply_submission(struct device *device, const struct queue_op *op)
{
	struct submission all = op->all;
	struct submitted how = {op->queue, op->at.now_ns, true};
	struct command *command = submission_next(&all);
	if (!command) /* only a fence or semaphores */
		return;
	begin_submission(device, &op->at);
	for (; command; command = submission_next(&all)) {
		frames_submitted(device, &how, command);
		command_add_unsampled(command, -1);
		how.first = false;
	}
	if (!device->has_swapchain)
		frames_draft(device, op->at.now_ns);
}

/* The size of the presented swapchain, if we have a record of it. */
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
static void apply_queue_op(struct device *device, const struct queue_op *op)
{
	switch (op->kind) {
	case QUEUE_OP_SUBMIT:
		apply_submission(device, op);
		break;
	case QUEUE_OP_PRESENT:
		note_size(device, op->swapchain);
		frame_now(device)->whole.values[WIRE_PRESENTS] += op->presents;
		frames_end(device, WIRE_FRAME, 0, &op->at);
		frames_poll(device);
		break;
	case QUEUE_OP_LABEL:
		queue_labels_begin(frames_labels(device, op->queue), op->label);
		break;
	case QUEUE_OP_LABEL_END:
		queue_labels_end(frames_labels(device, op->queue), 1);
		break;
	}
}

/* Oldest first. Under the lock. */
static void apply_queue_ops(struct device *device)
{
	struct queue_op *newest = __atomic_exchange_n(&device->deferred, NULL, __ATOMIC_ACQ_REL);
	struct queue_op *oldest = NULL, *next;
	for (; newest; newest = next) {
		next = newest->next;
		newest->next = oldest;
		oldest = newest;
	}
	for (; oldest; oldest = next) {
		next = oldest->next;
		apply_queue_op(device, oldest);
		free(oldest);
	}
}

void device_lock(struct device *device)
{
	pthread_mutex_lock(&device->lock);
	apply_queue_ops(device);
}

bool device_trylock(struct device *device)
{
	if (pthread_mutex_trylock(&device->lock) != 0)
		return false;
	apply_queue_ops(device);
	return true;
}

void device_unlock(struct device *device)
{
	do {
		pthread_mutex_unlock(&device->lock);
		/* Either we see a deferred operation, or its thread sees the lock free. */
	} while (__atomic_load_n(&device->deferred, __ATOMIC_SEQ_CST) && device_trylock(device));
}

/* A copy that needs none of the program's memory after the call. NULL: no memory. */
static struct queue_op *copy_queue_op(const struct queue_op *op)
{
	struct submission all = op->all;
	uint32_t count = submission_count(all);
	struct queue_op *copy = malloc(sizeof(*copy) + count * sizeof(copy->buffers[0]));
	if (!copy)
		return NULL;
	*copy = *op;
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

static void defer_queue_op(struct device *device, struct queue_op *copy)
{
	copy->next = __atomic_load_n(&device->deferred, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&device->deferred, &copy->next, copy, true,
					    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		continue;
	if (device_trylock(device))
		device_unlock(device);
}

void queue_op_add(struct device *device, const struct queue_op *op)
{
	struct queue_op *copy;
	if (!device_trylock(device)) {
		copy = copy_queue_op(op);
		if (copy) {
			defer_queue_op(device, copy);
			return;
		}
		device_lock(device);
	}
	apply_queue_op(device, op);
	device_unlock(device);
}
