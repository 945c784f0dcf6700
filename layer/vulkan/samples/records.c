/* Writes samples as records of the channel. */
#include <stdlib.h>

#include "guest/clock.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

/* Bytes. A copy of so many takes about as long as rendering some tiles. */
#define MOVED_LEAST 262144u

/* The state of counters of these query types. */
static enum wire_state state_of(const struct device *device, const struct part *part,
				uint32_t types)
{
	uint32_t bits = types & device->wanted;
	if ((part->disallowed & bits) != 0)
		return WIRE_BARRED;
	if ((part->lost & bits) != 0)
		return WIRE_LATE;
	if ((part->disturbed & bits) != 0)
		return WIRE_DISTURBED;
	if ((part->spared & bits) != 0)
		return WIRE_SPARED;
	return WIRE_VALID;
}

static void set_counter(struct wire_record *record, unsigned counter, enum wire_state state,
			uint64_t value)
{
	record->states[counter] = (uint8_t)state;
	record->values[counter] = state == WIRE_VALID ? value : 0;
}

static void set_range(struct wire_record *record, const struct part *part, unsigned first,
		      unsigned last, enum wire_state state)
{
	for (unsigned i = first; i <= last; i++)
		set_counter(record, i, state, part->values[i]);
}

/* The time of the busiest queue: the timestamps of two queues may not be comparable. */
static void set_time(const struct device *device, struct wire_record *record,
		     const struct part *part)
{
	double most_ns = 0;
	enum wire_state state = state_of(device, part, QUERY_BIT(QUERY_TIMESTAMPS));
	for (uint32_t i = 0; i < QUEUES_MAX; i++) {
		double ns = (double)part->busy_ticks[i] * (double)device->tick_ns;
		most_ns = ns > most_ns ? ns : most_ns;
	}
	if (state == WIRE_VALID && most_ns > (double)(guest_now_ns() - record->begin_ns))
		state = WIRE_IMPOSSIBLE;
	set_counter(record, WIRE_GPU_TIME, state, (uint64_t)most_ns);
}

/* Primitives written and needed of each stream, and whether it overflowed. */
static void set_streams(const struct device *device, struct wire_record *record,
			const struct part *part)
{
	uint64_t any = 0;
	for (uint32_t s = 0; s < STREAMS; s++) {
		unsigned first = WIRE_STREAM_FIRST + 3 * s;
		enum wire_state state = state_of(device, part, QUERY_BIT(QUERY_STREAM + s));
		bool overflow = part->values[first + 1] > part->values[first];
		any |= overflow;
		set_range(record, part, first, first + 1, state);
		set_counter(record, first + 2,
			    state == WIRE_VALID && !part->feedback ? WIRE_NOT_COLLECTED : state,
			    overflow);
	}
	for (unsigned i = 0; i < 2; i++)
		set_counter(record, WIRE_PRIMS_WRITTEN + i, record->states[WIRE_STREAM_FIRST + i],
			    part->values[WIRE_STREAM_FIRST + i]);
	set_counter(record, WIRE_OVERFLOW_PRED, record->states[WIRE_OVERFLOW_PRED_S0], any);
}

void records_note_memory(const struct device *device, struct wire_record *record)
{
	enum wire_state state = device->heaps_lost ? WIRE_LATE : WIRE_VALID;
	uint64_t local = 0;
	for (uint32_t i = 0; i < device->memory.memoryHeapCount; i++) {
		if ((device->memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) != 0)
			local += device->heap_bytes[i];
		if (i < 4)
			set_counter(record, WIRE_HEAP0 + i, state, device->heap_bytes[i]);
	}
	set_counter(record, WIRE_DEVICE_MEMORY, state, local);
}

static void set_commands(struct wire_record *record, const struct part *part)
{
	enum wire_state state = part->untracked ? WIRE_LATE : WIRE_VALID;
	set_range(record, part, WIRE_PRESENTS, WIRE_COMMAND_BUFFERS, WIRE_VALID);
	set_counter(record, WIRE_RENDER_PASSES, state, part->tally.passes);
	set_counter(record, WIRE_DRAWS, state, part->tally.draws);
	set_counter(record, WIRE_DISPATCHES, state, part->tally.dispatches);
	set_counter(record, WIRE_BARRIERS, state, part->tally.barriers);
}

static void set_queries(const struct device *device, struct wire_record *record,
			const struct part *part)
{
	uint32_t drawing = QUERY_BIT(QUERY_STATISTICS);
	enum wire_state drawn = state_of(device, part, drawing);
	enum wire_state passed = state_of(device, part, QUERY_BIT(QUERY_OCCLUSION));
	set_range(record, part, WIRE_IA_VERTICES, WIRE_DS_INVOCATIONS, drawn);
	set_range(record, part, WIRE_TASK_INVOCATIONS, WIRE_MESH_INVOCATIONS, drawn);
	set_range(record, part, WIRE_CS_INVOCATIONS, WIRE_CS_INVOCATIONS,
		  state_of(device, part, drawing | QUERY_BIT(QUERY_COMPUTE)));
	for (uint32_t i = 0; part->partial >> i != 0; i++) {
		unsigned counter = query_statistic(i);
		if ((part->partial >> i & 1) != 0 && record->states[counter] == WIRE_VALID)
			set_counter(record, counter, WIRE_DISTURBED, 0);
	}
	set_range(record, part, WIRE_OCCLUSION, WIRE_OCCLUSION, passed);
	set_counter(record, WIRE_OCCLUSION_PREDICATE, passed, part->values[WIRE_OCCLUSION] != 0);
	set_range(record, part, WIRE_PRIMITIVES_GENERATED, WIRE_PRIMITIVES_GENERATED,
		  state_of(device, part, QUERY_BIT(QUERY_GENERATED)));
	set_streams(device, record, part);
	if (device->timestamps)
		set_time(device, record, part);
}

static void fill_record(const struct device *device, struct wire_record *record,
			const struct part *part)
{
	set_commands(record, part);
	set_queries(device, record, part);
	record->label = part->label;
	record->group_count = part->groups;
	record->flags &= ~(uint32_t)(WIRE_UNDRAWN | WIRE_DRAWN | WIRE_COMPUTED | WIRE_KEPT);
	if (part->tally.dispatches != 0 || part->tally.moved >= MOVED_LEAST)
		record->flags |= WIRE_COMPUTED;
	if (part->kept)
		record->flags |= WIRE_KEPT;
	if (part->tally.draws + part->tally.passes != 0)
		record->flags |= WIRE_DRAWN;
	if (part->values[WIRE_COMMAND_BUFFERS] != 0 && !part->untracked &&
	    part->tally.draws + part->tally.passes == 0)
		record->flags |= WIRE_UNDRAWN;
	for (unsigned i = 0; i < WIRE_COUNTER_ROOM; i++) {
		if (wire_is_collected(device->identity.why[i]))
			continue;
		record->states[i] = WIRE_NOT_COLLECTED;
		record->values[i] = 0;
	}
}

static void write_part(struct device *device, struct wire_record *record, struct part *part)
{
	struct wire_value values[WIRE_DRIVER_MOST];
	fill_record(device, record, part);
	driver_values(device, part, values);
	free(part->driver);
	part->driver = NULL;
	if (guest_channel()) {
		const struct channel_sample sample = {record, values, device->driver.count};
		channel_write_values(guest_channel(), &device->stream, &device->identity, &sample);
	}
}

static void begin_parts(const struct device *device, struct wire_record *record)
{
	record->kind = device->per;
	record->cpu_begin_ns = record->cpu_end_ns = 0;
	record->flags &= ~(uint32_t)(WIRE_CPU_KNOWN);
}

/* Prepares the record of a part. The presentation belongs to the last part of a frame. */
static struct part *begin_part(struct wire_record *record, struct frame *frame, uint32_t i)
{
	struct part *part = &frame->parts[i];
	record->index = i;
	if (i + 1 == frame->part_count && frame->record.kind == WIRE_FRAME) {
		record->flags |= WIRE_SWAPPED;
		part->values[WIRE_PRESENTS] = frame->whole.values[WIRE_PRESENTS];
	}
	record->begin_ns = part->begin_ns;
	/* A presentation of another thread may have ended the frame earlier. */
	if (record->end_ns < record->begin_ns)
		record->end_ns = record->begin_ns;
	part->lost |= frame->whole.lost;
	return part;
}

static void write_parts(struct device *device, struct frame *frame)
{
	struct wire_record record = frame->record;
	begin_parts(device, &record);
	for (uint32_t i = 0; i < frame->part_count; i++)
		write_part(device, &record, begin_part(&record, frame, i));
	for (; frame->parts_lost > 0; frame->parts_lost--)
		channel_count_lost(&device->stream, 1);
}

static void draft_part(struct device *device, struct wire_record *draft, struct part part,
		       uint64_t ahead)
{
	if (frame_now(device)->pending != 0)
		part.lost |= device->wanted;
	fill_record(device, draft, &part);
	draft->draft_sum = wire_draft_sum(draft);
	channel_draft(guest_channel(), &device->stream, &device->identity, draft, ahead);
}

/* With performance queries there are no drafts: a draft has no room for their values. */
void records_draft(struct device *device, uint64_t ahead, uint64_t end_ns)
{
	struct frame *frame = frame_now(device);
	struct wire_record draft = frame->record;
	if (device->driver.count != 0 || !guest_channel())
		return;
	if (!frame->ended) {
		draft.kind = WIRE_TIME;
		draft.end_ns = end_ns > draft.begin_ns ? end_ns : draft.begin_ns;
		draft.cpu_end_ns = draft.cpu_begin_ns;
		draft.flags |= WIRE_WORKED;
		records_note_memory(device, &draft);
	}
	if (device->per == WIRE_FRAME)
		draft_part(device, &draft, frame->whole, ahead);
	else
		begin_parts(device, &draft);
	for (uint32_t i = 0; i < frame->part_count; i++)
		draft_part(device, &draft, *begin_part(&draft, frame, i), ahead + i);
}

void records_write(struct device *device, struct frame *frame)
{
	if (device->per != WIRE_FRAME)
		write_parts(device, frame);
	else
		write_part(device, &frame->record, &frame->whole);
}
