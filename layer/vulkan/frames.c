/*
 * Samples of a device, in order: what was submitted between two presentations, or by one submission
 * where there are none. One is written when all that it submitted has given its results.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

static struct frame *frame_at(struct device *device, uint64_t number)
{
	return &device->frames[number % FRAMES_MAX];
}

struct frame *frame_now(struct device *device)
{
	return frame_at(device, device->current);
}

static void begin(struct device *device, uint64_t now_ns, uint64_t cpu_ns)
{
	struct frame *frame = frame_now(device);

	*frame = (struct frame){0};
	frame->record.begin_ns = now_ns;
	frame->record.cpu_begin_ns = cpu_ns;
	frame->record.frame = device->presented;
}

void frames_start(struct device *device)
{
	const struct wire_header *channel = guest_channel();

	device->identity.start_ns = guest_now_ns();
	pace_start(&device->pace, channel->overhead_permille * 1000);
	device->measure = true;
	begin(device, device->identity.start_ns, guest_cpu_ns());
}

/* Counters of a type of query, each with the state that the sample has it in. */
static enum wire_state state_of(const struct device *device, const struct frame *frame,
				uint32_t types)
{
	uint32_t bits = types & device->wanted;

	if ((frame->lost & bits) != 0)
		return WIRE_LATE;
	if ((frame->disturbed & bits) != 0)
		return WIRE_DISTURBED;
	if ((frame->spared & bits) != 0)
		return WIRE_SPARED;
	return WIRE_VALID;
}

static void set(struct frame *frame, unsigned counter, enum wire_state state, uint64_t value)
{
	frame->record.states[counter] = (uint8_t)state;
	frame->record.values[counter] = state == WIRE_VALID ? value : 0;
}

static void set_range(const struct device *device, struct frame *frame, unsigned first,
		      unsigned last, uint32_t types)
{
	for (unsigned i = first; i <= last; i++)
		set(frame, i, state_of(device, frame, types), frame->values[i]);
}

/* The busiest queue's time: clocks of several queues need not agree. */
static void set_time(const struct device *device, struct frame *frame)
{
	double most_ns = 0;
	enum wire_state state = state_of(device, frame, QUERY_BIT(QUERY_STAMPS));

	for (uint32_t i = 0; i < QUEUES_MAX; i++) {
		double ns = (double)frame->busy_ticks[i] * (double)device->tick_ns;

		most_ns = ns > most_ns ? ns : most_ns;
	}
	if (state == WIRE_VALID && most_ns > (double)(guest_now_ns() - frame->record.begin_ns))
		state = WIRE_IMPOSSIBLE;
	set(frame, WIRE_GPU_TIME, state, (uint64_t)most_ns);
}

/* A stream's three: written, needed, and whether one exceeds the other. */
static void set_streams(const struct device *device, struct frame *frame)
{
	uint64_t any = 0;

	for (uint32_t s = 0; s < STREAMS; s++) {
		unsigned first = WIRE_STREAM_FIRST + 3 * s;
		enum wire_state state = state_of(device, frame, QUERY_BIT(QUERY_STREAM + s));
		bool overflow = frame->values[first + 1] > frame->values[first];

		any |= overflow;
		set(frame, first, state, frame->values[first]);
		set(frame, first + 1, state, frame->values[first + 1]);
		set(frame, first + 2,
		    state == WIRE_VALID && !frame->feedback ? WIRE_NOT_COLLECTED : state, overflow);
	}
	for (unsigned i = 0; i < 2; i++)
		set(frame, WIRE_PRIMS_WRITTEN + i, frame->record.states[WIRE_STREAM_FIRST + i],
		    frame->values[WIRE_STREAM_FIRST + i]);
	set(frame, WIRE_OVERFLOW_PRED, frame->record.states[WIRE_OVERFLOW_PRED_S0], any);
}

static void set_program(const struct device *device, struct frame *frame)
{
	uint64_t local = 0;

	set(frame, WIRE_SUBMITS, WIRE_VALID, frame->submits);
	set(frame, WIRE_COMMAND_BUFFERS, WIRE_VALID, frame->buffers);
	set(frame, WIRE_RENDER_PASSES, WIRE_VALID, frame->tally.passes);
	set(frame, WIRE_DRAWS, WIRE_VALID, frame->tally.draws);
	set(frame, WIRE_DISPATCHES, WIRE_VALID, frame->tally.dispatches);
	set(frame, WIRE_BARRIERS, WIRE_VALID, frame->tally.barriers);
	set(frame, WIRE_PRESENTS, WIRE_VALID, frame->values[WIRE_PRESENTS]);
	for (uint32_t i = 0; i < device->memory.memoryHeapCount; i++) {
		if ((device->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
			local += device->heap_bytes[i];
		if (i < 4)
			set(frame, WIRE_HEAP0 + i, WIRE_VALID, device->heap_bytes[i]);
	}
	set(frame, WIRE_DEVICE_MEMORY, WIRE_VALID, local);
}

static void set_queries(struct device *device, struct frame *frame)
{
	uint32_t counting = QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE);
	uint64_t any = frame->values[WIRE_OCCLUSION] != 0;

	set_range(device, frame, WIRE_IA_VERTICES, WIRE_DS_INVOCATIONS,
		  QUERY_BIT(QUERY_STATISTICS));
	set_range(device, frame, WIRE_CS_INVOCATIONS, WIRE_CS_INVOCATIONS, counting);
	set_range(device, frame, WIRE_TASK_INVOCATIONS, WIRE_MESH_INVOCATIONS,
		  QUERY_BIT(QUERY_STATISTICS));
	set_range(device, frame, WIRE_OCCLUSION, WIRE_OCCLUSION, QUERY_BIT(QUERY_OCCLUSION));
	set(frame, WIRE_OCCLUSION_PREDICATE, frame->record.states[WIRE_OCCLUSION], any);
	set_range(device, frame, WIRE_PRIMITIVES_GENERATED, WIRE_PRIMITIVES_GENERATED,
		  QUERY_BIT(QUERY_GENERATED));
	set_streams(device, frame);
	if (device->stamps)
		set_time(device, frame);
}

static void write_frame(struct device *device, struct frame *frame)
{
	struct wire_record *record = &frame->record;

	set_queries(device, frame);
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		if (wire_is_collected(device->identity.why[i]))
			continue;
		record->states[i] = WIRE_NOT_COLLECTED;
		record->values[i] = 0;
	}
	if (guest_channel() != NULL)
		channel_write(guest_channel(), &device->stream, &device->identity, record);
}

static void lose(struct device *device, struct execution *execution)
{
	struct frame *frame = frame_at(device, execution->frame);

	frame->lost |= device->wanted;
	frame->pending--;
}

static void drop(struct device *device, struct execution **link)
{
	struct execution *execution = *link;

	__atomic_store_n(&execution->command->pending, NULL, __ATOMIC_RELEASE);
	*link = execution->next;
	if (*link == NULL)
		device->last_execution = link;
	free(execution);
}

/* Reads one; false: it is not there yet. */
static bool collect(struct device *device, struct execution **link)
{
	struct execution *execution = *link;

	if (!queries_collect(device, execution))
		return false;
	frame_at(device, execution->frame)->pending--;
	drop(device, link);
	return true;
}

static void write_complete(struct device *device)
{
	while (device->first != device->current) {
		struct frame *frame = frame_at(device, device->first);

		if (!frame->ended || frame->pending != 0)
			return;
		write_frame(device, frame);
		device->first++;
	}
}

void frames_collect(struct device *device)
{
	struct execution **link = &device->executions;

	while (*link != NULL) {
		if (!collect(device, link))
			link = &(*link)->next;
	}
	write_complete(device);
}

/* The oldest sample does not get its results any more. */
static void give_up(struct device *device)
{
	struct execution **link = &device->executions;

	while (*link != NULL) {
		if ((*link)->frame == device->first) {
			lose(device, *link);
			drop(device, link);
		} else {
			link = &(*link)->next;
		}
	}
	write_complete(device);
}

void frames_settle(struct device *device, struct command *command)
{
	struct execution **link = &device->executions;

	if (command->pending == NULL)
		return;
	while (*link != NULL && *link != command->pending)
		link = &(*link)->next;
	if (*link == NULL || collect(device, link))
		return;
	lose(device, *link);
	drop(device, link);
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

/* What was recorded without queries, though it had something to count. */
static void note_state(struct device *device, struct frame *frame, const struct command *command)
{
	bool works = command->tally.draws + command->tally.dispatches != 0;
	uint32_t counting = device->wanted & ~QUERY_BIT(QUERY_STAMPS);

	if (works && !command->measured)
		frame->spared |= counting;
	if (command->span_count != 0)
		frame->lost |= command->spans[0].lost;
	frame->disturbed |= command->program_used;
	frame->feedback |= command->in_feedback;
	if (frame->record.group_count == 0)
		frame->record.label = command->label;
	frame->record.group_count += command->labels;
}

static void expect(struct device *device, VkQueue queue, struct command *command)
{
	struct execution *execution = calloc(1, sizeof(*execution));
	struct frame *frame = frame_now(device);

	if (execution == NULL) {
		frame->lost |= device->wanted;
		return;
	}
	*execution = (struct execution){
	    .command = command, .frame = device->current, .queue = queue_number(device, queue)};
	*device->last_execution = execution;
	device->last_execution = &execution->next;
	frame->pending++;
	__atomic_store_n(&command->pending, execution, __ATOMIC_RELEASE);
}

void frames_submitted(struct device *device, VkQueue queue, struct command *command)
{
	struct frame *frame = frame_now(device);

	frame->buffers++;
	frame->worked = true;
	if (command->blind)
		return;
	frame->tally.draws += command->tally.draws;
	frame->tally.dispatches += command->tally.dispatches;
	frame->tally.barriers += command->tally.barriers;
	frame->tally.passes += command->tally.passes;
	note_state(device, frame, command);
	if (command->use_count == 0)
		return;
	if (command->pending != NULL) { /* twice in one submission */
		frames_settle(device, command);
		command->overlapped = true;
	}
	if (command->overlapped)
		frame->lost |= device->wanted;
	else
		expect(device, queue, command);
}

static void choose_next(struct device *device, uint64_t cpu_ns)
{
	pace_sample(&device->pace, cpu_ns);
	__atomic_store_n(&device->measure, pace_measures(&device->pace), __ATOMIC_RELAXED);
}

void frames_end(struct device *device, enum wire_kind kind, uint32_t flags)
{
	struct frame *frame = frame_now(device);
	struct wire_record *record = &frame->record;
	uint64_t now_ns = guest_now_ns(), cpu_ns = guest_cpu_ns();

	record->kind = kind;
	record->flags |= flags;
	record->end_ns = now_ns;
	record->cpu_end_ns = cpu_ns;
	if (record->cpu_begin_ns != 0 && cpu_ns != 0)
		record->flags |= WIRE_CPU_KNOWN;
	set_program(device, frame);
	frame->ended = true;
	device->presented += kind == WIRE_FRAME;
	if (device->current + 1 - device->first == FRAMES_MAX)
		give_up(device);
	device->current++;
	choose_next(device, cpu_ns - record->cpu_begin_ns);
	begin(device, now_ns, cpu_ns);
}

void frames_finish(struct device *device, uint64_t wait_ns)
{
	uint64_t until = wait_ns != 0 ? guest_now_ns() + wait_ns : 0;

	if (device->finished)
		return;
	device->finished = true;
	frames_collect(device);
	while (device->executions != NULL && wait_ns != 0 && guest_now_ns() < until) {
		guest_nap();
		frames_collect(device);
	}
	if (frame_now(device)->worked)
		frames_end(device, WIRE_TIME, device->windowed ? WIRE_LAST : 0);
	while (device->first != device->current)
		give_up(device);
	channel_close(&device->stream);
}
