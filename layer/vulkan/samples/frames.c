/*
 * Samples of a device, in order: of the work from one presentation to the next, or of one
 * submission where nothing is presented. A sample is written when it waits for no results.
 */
#include <stdio.h>
#include <stdlib.h>

#include "guest/clock.h"
#include "guest/labels.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

static struct frame *frame_at(struct device *device, uint64_t number)
{
	return &device->frames[number % device->frame_cap];
}

struct frame *frame_now(struct device *device)
{
	return frame_at(device, device->current);
}

/* The sample that a span of an execution belongs to. */
struct part *frame_part(struct device *device, const struct execution *execution, uint32_t span)
{
	struct frame *frame = frame_at(device, execution->frame);
	uint32_t at = execution->part + span;
	return at < frame->part_count ? &frame->parts[at] : &frame->whole;
}

static void frames_begin(struct device *device, uint64_t now_ns, uint64_t cpu_ns)
{
	struct frame *frame = frame_now(device);
	*frame = (struct frame){.parts = frame->parts, .part_cap = frame->part_cap};
	frame->record.begin_ns = now_ns;
	frame->record.cpu_begin_ns = cpu_ns;
	frame->record.frame = device->presented;
}

static enum wire_kind wanted_kind(const struct wire_header *channel)
{
	static const enum wire_kind parts[] = {WIRE_PASS, WIRE_GROUP, WIRE_COMMANDS, WIRE_SUBMIT,
					       WIRE_QUEUE};
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if ((channel->kinds & 1u << parts[i]) != 0)
			return parts[i];
	}
	return WIRE_FRAME;
}

void frames_start(struct device *device)
{
	const struct wire_header *channel = guest_channel();
	device->per = wanted_kind(channel);
	device->identity.start_ns = guest_now_ns();
	device->measure = true;
	frames_begin(device, device->identity.start_ns, guest_cpu_ns());
}

/* Some drivers (lavapipe) wait for all submitted work when results are read: read several at once.
 */
#define READ_TOGETHER  16u
#define READ_WITHIN_NS UINT64_C(20000000)
#define POLL_MOST      64u /* pending executions that are looked at: later ones have hardly ended */

static void execution_lose(struct device *device, struct execution *execution)
{
	for (uint32_t i = 0; i < execution->command->span_count; i++)
		frame_part(device, execution, i)->lost |= device->wanted;
	frame_at(device, execution->frame)->pending--;
}

static void execution_drop(struct device *device, struct execution **link)
{
	struct execution *execution = *link;
	struct command *command = execution->command;
	for (uint32_t i = 0; i < command->secondary_count; i++)
		__atomic_sub_fetch(&command->secondaries[i].command->unread, 1, __ATOMIC_RELEASE);
	if (execution->snapshot) {
		command->waits -= !execution->ended;
		if (execution->ended)
			snapshot_release(command, execution->snapshot);
	}
	if (command->pending == execution)
		__atomic_store_n(&command->pending, NULL, __ATOMIC_RELEASE);
	*link = execution->next;
	if (!*link)
		device->last_execution = link;
	free(execution);
}

/* Counts ended, unread executions, up to the `most`-th that is pending. */
static uint32_t count_ended(struct device *device, uint32_t most)
{
	uint32_t count = 0, run = 0;
	for (struct execution *e = device->executions; e && run < most; e = e->next) {
		if (!e->ended)
			queries_note_ended(device, e);
		count += e->ended;
		run += !e->ended;
	}
	if (count != 0 && device->ended_ns == 0)
		device->ended_ns = guest_now_ns();
	return count;
}

static void read_ended(struct device *device)
{
	struct execution **link = &device->executions;
	queries_collect(device);
	device->ended_ns = 0;
	while (*link) {
		if ((*link)->ended) {
			frame_at(device, (*link)->frame)->pending--;
			execution_drop(device, link);
		} else {
			link = &(*link)->next;
		}
	}
	if (!device->has_swapchain && frame_now(device)->worked && frame_now(device)->pending == 0)
		frames_draft(device, guest_now_ns()); /* with all results so far */
}

static void write_complete(struct device *device)
{
	while (device->first != device->current) {
		struct frame *frame = frame_at(device, device->first);
		if (!frame->ended || frame->pending != 0)
			return;
		records_write(device, frame);
		device->first++;
	}
}

void frames_collect(struct device *device)
{
	if (count_ended(device, UINT32_MAX) != 0)
		read_ended(device);
	write_complete(device);
}

void frames_poll(struct device *device)
{
	uint32_t count = count_ended(device, POLL_MOST);
	if (count >= READ_TOGETHER || (count != 0 && device->copies) ||
	    (count != 0 && guest_now_ns() - device->ended_ns > READ_WITHIN_NS))
		read_ended(device);
	write_complete(device);
}

/* Marks the pending results of the oldest sample as lost. */
static void lose_oldest(struct device *device)
{
	struct execution **link = &device->executions;
	while (*link) {
		if ((*link)->frame == device->first) {
			execution_lose(device, *link);
			execution_drop(device, link);
		} else {
			link = &(*link)->next;
		}
	}
	write_complete(device);
}

void frames_resolve(struct device *device, struct command *command)
{
	struct execution **link = &device->executions;
	if (!command->pending && command->unread == 0)
		return;
	frames_collect(device);
	while (*link) {
		if ((*link)->command == command ||
		    queries_has_secondary((*link)->command, command)) {
			execution_lose(device, *link);
			execution_drop(device, link);
		} else {
			link = &(*link)->next;
		}
	}
}

void frames_lose(struct device *device, struct command *command)
{
	frames_resolve(device, command);
	command->overlapped = true;
}

bool frames_are_pending(struct device *device, struct command *command)
{
	struct execution *last = command->pending;
	if (last && !last->ended)
		queries_note_ended(device, last);
	if (last && last->ended)
		frames_collect(device);
	return command->pending != NULL;
}

static uint32_t queue_number(struct device *device, VkQueue queue)
{
	for (uint32_t i = 0; i < device->queue_count; i++) {
		if (device->queues[i] == queue)
			return i;
	}
	if (device->queue_count < QUEUES_MAX)
		device->queues[device->queue_count++] = queue;
	return device->queue_count - 1;
}

struct queue_labels *frames_labels(struct device *device, VkQueue queue)
{
	uint32_t number = queue_number(device, queue);
	return device->queues[number] == queue ? &device->queue_labels[number] : NULL;
}

/* A deferred operation may be older than the current sample. */
static uint64_t not_before(uint64_t begin, uint64_t end)
{
	return end > begin ? end : begin;
}

/* Adds a sample for each span, unless a frame is one sample; returns the first one's number. */
static uint32_t add_parts(struct device *device, struct frame *frame, uint64_t at_ns,
			  uint32_t count)
{
	uint32_t first = frame->part_count, cap = frame->part_cap != 0 ? frame->part_cap : 16;
	if (device->per == WIRE_FRAME)
		return 0;
	while (cap < first + count)
		cap *= 2;
	struct part *more =
	    cap != frame->part_cap ? realloc(frame->parts, cap * sizeof(*more)) : frame->parts;
	if (!more) {
		frame->parts_lost += count;
		return UINT32_MAX - count; /* beyond all samples */
	}
	frame->parts = more;
	frame->part_cap = cap;
	frame->part_count += count;
	for (uint32_t i = 0; i < count; i++)
		more[first + i] =
		    (struct part){.begin_ns = not_before(frame->record.begin_ns, at_ns)};
	return first;
}

/* The sample of a queue, labelled by the queue's number. */
static uint32_t queue_part(struct device *device, struct frame *frame, const struct submitted *how)
{
	uint32_t number = queue_number(device, how->queue), first = 0;
	char name[24];
	while (first < frame->part_count && frame->parts[first].queue != number)
		first++;
	if (first < frame->part_count)
		return first;
	first = add_parts(device, frame, how->at_ns, 1);
	if (first < frame->part_count) {
		frame->parts[first].queue = number;
		frame->parts[first].label = label_intern(
		    0, name, (size_t)snprintf(name, sizeof(name), "queue %u", (unsigned)number));
	}
	return first;
}

/* The number of the sample for a command buffer's first span. */
static uint32_t choose_part(struct device *device, struct frame *frame, const struct submitted *how,
			    const struct command *command)
{
	if (device->per == WIRE_QUEUE)
		return queue_part(device, frame, how);
	if (device->per == WIRE_SUBMIT && !how->first && frame->part_count != 0)
		return frame->part_count - 1;
	return add_parts(device, frame, how->at_ns,
			 command->span_count != 0 ? command->span_count : 1);
}

static void frames_add_tally(struct tally *to, const struct tally *from)
{
	to->draws += from->draws;
	to->dispatches += from->dispatches;
	to->barriers += from->barriers;
	to->passes += from->passes;
	to->moved += from->moved;
}

/* Adds a span's counts and quality to its sample. */
static void note_span(const struct device *device, struct part *part, const struct command *command,
		      const struct span *span)
{
	bool works = span->tally.draws + span->tally.dispatches != 0;
	frames_add_tally(&part->tally, &span->tally);
	driver_expect(device, command, part);
	if (works && !command->measured)
		part->spared |= device->wanted & ~QUERY_BIT(QUERY_TIMESTAMPS);
	part->kept |= works && command->measured && command->ran && !device->measure;
	part->untracked |= command->ran_untracked;
	if (command->overlapped)
		part->lost |= device->wanted;
	part->lost |= span->lost;
	part->disallowed |= span->disallowed;
	part->disturbed |= span->disturbed;
	part->feedback |= command->used_feedback;
}

/* The label of a sample. One that covers several labels has the first, and their number. */
static void note_label(enum wire_kind per, struct part *part, const struct queue_labels *labels,
		       const struct command *command, const struct span *span)
{
	if (per == WIRE_QUEUE)
		return;
	if (per == WIRE_GROUP || per == WIRE_PASS) {
		part->label = queue_labels_path(labels, span->ended, span->label);
		return;
	}
	uint32_t label = queue_labels_path(labels, command->label_ended, command->label);
	if (part->groups == 0)
		part->label = label;
	part->groups += command->labels != 0 ? command->labels : label != 0;
}

static void add_execution(struct device *device, VkQueue queue, struct command *command,
			  struct execution *execution)
{
	execution->command = command;
	execution->frame = device->current;
	execution->queue = queue_number(device, queue);
	command->waits += execution->snapshot != NULL;
	*device->last_execution = execution;
	device->last_execution = &execution->next;
	frame_now(device)->pending++;
	__atomic_store_n(&command->pending, execution, __ATOMIC_RELEASE);
	for (uint32_t i = 0; i < command->secondary_count; i++)
		__atomic_add_fetch(&command->secondaries[i].command->unread, 1, __ATOMIC_RELEASE);
}

void frames_submitted(struct device *device, const struct submitted *how, struct command *command)
{
	struct frame *frame = frame_now(device);
	struct execution *execution = command->sets_event ? calloc(1, sizeof(*execution)) : NULL;
	struct execution blank = {0}, *at = execution ? execution : &blank;
	at->snapshot = snapshot_next_planned(command);
	if (queries_has_multi_queue(command))
		command->overlapped = true;
	if (command->pending && !command->pending->snapshot) { /* it is twice in one submission */
		frames_lose(device, command);
	}
	frame->worked = true;
	at->frame = device->current;
	at->part = choose_part(device, frame, how, command);
	struct part *part = frame_part(device, at, 0);
	part->values[WIRE_SUBMITS] += how->first;
	part->values[WIRE_COMMAND_BUFFERS]++;
	if (command->untracked || command->span_count == 0) {
		part->untracked |= command->untracked;
		part->lost |= device->wanted;
		driver_expect(device, command, part);
	}
	if (command->span_count == 0) /* out of memory */
		frames_add_tally(&part->tally, &command->tally);
	struct queue_labels *labels = frames_labels(device, how->queue);
	for (uint32_t i = 0; i < command->span_count; i++) {
		part = frame_part(device, at, i);
		note_span(device, part, command, &command->spans[i]);
		note_label((enum wire_kind)device->per, part, labels, command, &command->spans[i]);
	}
	queue_labels_run(labels, command);
	if (!command->untracked)
		command->ran = true;
	if (command->sets_event && !execution)
		frame->whole.lost |= device->wanted;
	if (execution && !command->overlapped)
		add_execution(device, how->queue, command, execution);
	else
		free(execution);
}

static void choose_next(struct device *device, uint64_t cpu_ns)
{
	pace_sample(&device->pace, cpu_ns);
	__atomic_store_n(&device->measure, pace_measures(&device->pace), __ATOMIC_RELAXED);
	if (device->measure)
		driver_next_frame(device);
}

/* Doubles the ring of samples; false: at its limit, or out of memory. */
static bool grow(struct device *device)
{
	uint32_t cap = 2 * device->frame_cap;
	struct frame *more = cap <= FRAMES_MOST ? calloc(cap, sizeof(*more)) : NULL;
	if (!more)
		return false;
	/* All entries are in use or own an array of parts. */
	for (uint64_t i = 0; i < device->frame_cap; i++)
		more[(device->first + i) % cap] = *frame_at(device, device->first + i);
	free(device->frames);
	device->frames = more;
	device->frame_cap = cap;
	return true;
}

/* Room for the next sample. */
static void make_room(struct device *device)
{
	if (device->current + 1 - device->first == device->frame_cap)
		frames_collect(device);
	if (device->current + 1 - device->first != device->frame_cap || grow(device))
		return;
	channel_drop_drafts(&device->stream);
	channel_count_lost(&device->stream, 1); /* the oldest sample */
	lose_oldest(device);
}

void frames_draft(struct device *device, uint64_t now_ns)
{
	uint64_t ahead = device->current - device->first;
	if (device->per != WIRE_FRAME) {
		ahead = 0;
		for (uint64_t i = device->first; i < device->current; i++)
			ahead += frame_at(device, i)->part_count;
	}
	records_draft(device, ahead, now_ns);
}

void frames_end(struct device *device, enum wire_kind kind, uint32_t flags, const struct moment *at)
{
	struct frame *frame = frame_now(device);
	struct wire_record *record = &frame->record;
	uint64_t now_ns = not_before(record->begin_ns, at->now_ns);
	uint64_t cpu_ns = at->cpu_ns != 0 ? at->cpu_ns : guest_cpu_ns(), cpu_begin_ns;
	if (cpu_ns != 0)
		cpu_ns = not_before(record->cpu_begin_ns, cpu_ns);
	record->kind = kind;
	record->flags |= flags | (frame->worked ? (uint32_t)WIRE_WORKED : 0);
	record->end_ns = now_ns;
	record->cpu_end_ns = cpu_ns;
	if (record->cpu_begin_ns != 0 && cpu_ns != 0)
		record->flags |= WIRE_CPU_KNOWN;
	records_note_memory(device, record);
	frame->ended = true;
	if (device->has_swapchain)
		frames_draft(device, now_ns);
	device->presented += kind == WIRE_FRAME;
	cpu_begin_ns = record->cpu_begin_ns;
	make_room(device); /* may move the current sample */
	device->current++;
	choose_next(device, cpu_ns - cpu_begin_ns);
	frames_begin(device, now_ns, cpu_ns);
}

void frames_finish(struct device *device, uint64_t wait_ns)
{
	uint64_t until = wait_ns != 0 ? guest_now_ns() + wait_ns : 0;
	struct moment at = {0};
	if (device->finished)
		return;
	device->finished = true;
	frames_collect(device);
	while (device->executions && wait_ns != 0 && guest_now_ns() < until) {
		guest_sleep();
		frames_collect(device);
	}
	at.now_ns = guest_now_ns();
	if (frame_now(device)->worked)
		frames_end(device, WIRE_TIME, device->has_swapchain ? WIRE_LAST : 0, &at);
	while (device->first != device->current)
		lose_oldest(device);
	channel_drop_drafts(&device->stream);
	channel_close(&device->stream);
}
