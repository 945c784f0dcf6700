/* Reads the results of ended executions and adds them to their samples. */
#include <string.h>

#include "layer/vulkan/layer.h"

/* Counters in the order of VkQueryPipelineStatisticFlagBits. */
static const uint8_t statistics[] = {
    WIRE_IA_VERTICES,	   WIRE_IA_PRIMITIVES,	WIRE_VS_INVOCATIONS, WIRE_GS_INVOCATIONS,
    WIRE_GS_PRIMITIVES,	   WIRE_C_INVOCATIONS,	WIRE_C_PRIMITIVES,   WIRE_PS_INVOCATIONS,
    WIRE_HS_INVOCATIONS,   WIRE_DS_INVOCATIONS, WIRE_CS_INVOCATIONS, WIRE_TASK_INVOCATIONS,
    WIRE_MESH_INVOCATIONS,
};

unsigned query_statistic(uint32_t bit)
{
	return statistics[bit];
}

uint32_t query_values(const struct device *device, uint32_t type)
{
	if (type == QUERY_STATISTICS)
		return device->mesh ? 13 : 11;
	return type >= QUERY_STREAM && type < QUERY_TIMESTAMPS ? 2 : 1;
}

/* Command buffers of a queue may overlap; each tick of the queue is counted once. */
static void add_time(struct device *device, struct part *part, const struct execution *execution,
		     const uint64_t *timestamps)
{
	uint32_t bits = device->families[execution->command->pool->family].timestampValidBits;
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t *counted = &device->queue_end[execution->queue];
	uint64_t begin = timestamps[0] & mask, end = timestamps[2] & mask;
	uint64_t length = (end - begin) & mask, seen = (*counted - begin) & mask;
	if (length > mask / 2) { /* negative */
		part->lost |= QUERY_BIT(QUERY_TIMESTAMPS);
		return;
	}
	if (*counted != 0 && seen <= mask / 2)
		length -= seen < length ? seen : length;
	if (*counted == 0 || ((end - *counted) & mask) <= mask / 2)
		*counted = end;
	part->busy_ticks[execution->queue] += length;
}

/* `bits`: the statistics of the program's query, or 0 for all of ours. */
static void add_statistics(const struct device *device, struct part *part, uint32_t bits,
			   const uint64_t *values)
{
	bits = bits != 0 ? bits : device->statistic_bits;
	part->partial |= device->statistic_bits & ~bits;
	for (uint32_t i = 0; bits >> i != 0; i++) {
		if ((bits >> i & 1) != 0)
			part->values[statistics[i]] += *values++;
	}
}

static void add(struct device *device, struct part *part, const struct execution *execution,
		const struct query_use *use, const uint64_t *values)
{
	uint32_t type = use->type;
	if (type == QUERY_TIMESTAMPS) {
		add_time(device, part, execution, values);
	} else if (type == QUERY_STATISTICS) {
		add_statistics(device, part, use->bits, values);
	} else if (type == QUERY_COMPUTE) {
		part->values[WIRE_CS_INVOCATIONS] += values[0];
	} else if (type == QUERY_OCCLUSION) {
		part->values[WIRE_OCCLUSION] += values[0];
	} else if (type == QUERY_GENERATED) {
		part->values[WIRE_PRIMITIVES_GENERATED] += values[0];
	} else {
		part->values[WIRE_STREAM_FIRST + 3 * (type - QUERY_STREAM)] += values[0];
		part->values[WIRE_STREAM_FIRST + 3 * (type - QUERY_STREAM) + 1] += values[1];
	}
}

/* Results of a range of slots, read with one call. */
struct reading {
	struct device *device;
	uint32_t type;
	const struct query_block *block; /* NULL: nothing is read yet */
	uint32_t first, count;
	bool good;
};

/* Values of a slot, including the availability of its queries. */
static uint32_t slot_values(const struct reading *r)
{
	return pool_slots(r->type, 1) * (query_values(r->device, r->type) + 1);
}

static bool is_readable(const struct reading *r, const struct query_chunk *chunk)
{
	return chunk->reading == r->device->readings;
}

/* Reads a chunk and its readable neighbours. */
static void read_around(struct reading *r, const struct query_chunk *chunk)
{
	const struct query_chunk *first = chunk, *last = chunk, *all = chunk->block->chunks;
	size_t stride = (query_values(r->device, r->type) + 1) * sizeof(uint64_t);
	while (first > all && last - first + 1 < READ_CHUNKS && is_readable(r, first - 1))
		first--;
	while (last + 1 < all + BLOCK_CHUNKS && last - first + 1 < READ_CHUNKS &&
	       is_readable(r, last + 1))
		last++;
	r->block = chunk->block;
	r->first = first->first;
	r->count = last->first + last->used - first->first;
	uint32_t queries = pool_slots(r->type, r->count);
	/* Some of these queries were not used; the availability of each shows it. */
	r->good = r->device->next.GetQueryPoolResults(
		      r->device->handle, r->block->pools[r->type], pool_slots(r->type, r->first),
		      queries, queries * stride, r->device->results, stride,
		      VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT) >= 0;
}

/* Values of an ended query; NULL: they are not available. */
static const uint64_t *read_use(struct reading *r, const struct execution *execution,
				const struct command *command, const struct query_use *use)
{
	const struct snapshot *snapshot = execution->snapshot;
	const struct query_chunk *chunk =
	    (snapshot ? snapshot->chunks : command->chunks)[use->slot / CHUNK_SLOTS];
	uint32_t slot = chunk->first + use->slot % CHUNK_SLOTS, all = slot_values(r);
	uint32_t each = query_values(r->device, r->type) + 1;
	const uint64_t *values;
	if (use->bits != 0)
		all = each = (uint32_t)__builtin_popcount(use->bits) + 1;
	if (snapshot || use->copied || (r->device->copies && chunk->block->copies)) {
		values = copies_at(r->device, chunk->block, r->type, slot);
	} else {
		if (r->block != chunk->block || slot - r->first >= r->count)
			read_around(r, chunk);
		if (!r->good)
			return NULL;
		values = &r->device->results[(slot - r->first) * all];
	}
	for (uint32_t i = each - 1; i < all; i += each) {
		if (values[i] == 0)
			return NULL;
	}
	return values;
}

/* Marks the chunks of a command buffer that have results of this type. */
static void mark_command_readable(struct reading *r, const struct command *command)
{
	uint32_t used = command->slots[r->type];
	for (uint32_t i = 0; i * CHUNK_SLOTS < used; i++) {
		struct query_chunk *chunk = command->chunks[i];
		chunk->reading = r->device->readings;
		chunk->used =
		    used - i * CHUNK_SLOTS < CHUNK_SLOTS ? used - i * CHUNK_SLOTS : CHUNK_SLOTS;
	}
}

static void collect_use(struct reading *r, const struct execution *execution,
			const struct command *command, const struct query_use *use,
			struct part *part)
{
	const uint64_t *values = NULL;
	bool there = false;
	if (use->ended && use->type == QUERY_DRIVER) {
		there = driver_add(r->device, command, use, part);
	} else if (use->ended) {
		values = read_use(r, execution, command, use);
		there = values != NULL;
	}
	if (values)
		add(r->device, part, execution, use, values);
	if (!there)
		part->lost |= QUERY_BIT(use->type);
}

/* A secondary one has a single span; its results belong to the primary's span. */
static void collect_one(struct reading *r, const struct execution *execution,
			const struct command *command, uint32_t secondary_span)
{
	bool secondary = command != execution->command;
	for (uint32_t i = 0; i < command->use_count; i++) {
		const struct query_use *use = &command->uses[i];
		if (use->type == r->type)
			collect_use(r, execution, command, use,
				    frame_part(r->device, execution,
					       secondary ? secondary_span : use->span));
	}
}

static void lose_all(struct device *device, const struct execution *execution)
{
	for (uint32_t i = 0; i < execution->command->span_count; i++)
		frame_part(device, execution, i)->lost |= device->wanted;
}

static void collect_type(struct reading *r)
{
	for (struct execution *e = r->device->executions; e; e = e->next) {
		if (!e->ended || e->lost)
			continue;
		collect_one(r, e, e->command, 0);
		for (uint32_t i = 0; i < e->command->secondary_count; i++) {
			const struct secondary *secondary = &e->command->secondaries[i];
			if (!secondary->copied)
				collect_one(r, e, secondary->command, secondary->span);
		}
	}
}

static void mark_readable(struct reading *r)
{
	r->device->readings++;
	for (struct execution *e = r->device->executions; e; e = e->next) {
		if (!e->ended || e->lost || e->snapshot)
			continue;
		mark_command_readable(r, e->command);
		for (uint32_t i = 0; i < e->command->secondary_count; i++) {
			if (!e->command->secondaries[i].copied)
				mark_command_readable(r, e->command->secondaries[i].command);
		}
	}
}

void queries_collect(struct device *device)
{
	for (struct execution *e = device->executions; e; e = e->next) {
		if (e->ended && e->lost)
			lose_all(device, e);
	}
	for (uint32_t type = 0; type <= QUERY_DRIVER; type++) {
		struct reading reading = {.device = device, .type = type};
		if ((device->wanted & QUERY_BIT(type)) == 0)
			continue;
		if (type != QUERY_DRIVER)
			mark_readable(&reading);
		collect_type(&reading);
	}
}

void queries_note_ended(const struct device *device, struct execution *execution)
{
	struct command *command = execution->command;
	const struct snapshot *snapshot = execution->snapshot;
	if (!snapshot && !snapshots_ran(command))
		return;
	VkResult state =
	    device->next.GetEventStatus(device->handle, snapshot ? snapshot->done : command->done);
	execution->lost = state != VK_EVENT_RESET && state != VK_EVENT_SET;
	execution->ended = execution->lost ||
			   (state == VK_EVENT_SET && (snapshot || driver_ready(device, command)));
	if (snapshot && execution->ended)
		command->waits--;
}
