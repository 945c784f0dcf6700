/* What a command buffer's queries counted, when the device has run them. */
#include <string.h>

#include "layer/vulkan/layer.h"

#define VALUES_MAX 14u /* of one query, with its availability */

/* Counters in the order of the statistics' bits. */
static const uint8_t statistics[] = {
    WIRE_IA_VERTICES,	   WIRE_IA_PRIMITIVES,	WIRE_VS_INVOCATIONS, WIRE_GS_INVOCATIONS,
    WIRE_GS_PRIMITIVES,	   WIRE_C_INVOCATIONS,	WIRE_C_PRIMITIVES,   WIRE_PS_INVOCATIONS,
    WIRE_HS_INVOCATIONS,   WIRE_DS_INVOCATIONS, WIRE_CS_INVOCATIONS, WIRE_TASK_INVOCATIONS,
    WIRE_MESH_INVOCATIONS,
};

static uint32_t value_count(const struct device *device, uint32_t type)
{
	if (type == QUERY_STATISTICS)
		return device->mesh ? 13 : 11;
	return type >= QUERY_STREAM && type < QUERY_STAMPS ? 2 : 1;
}

/* Queries of a pool, and how many values each has. */
struct query_range {
	VkQueryPool pool;
	uint32_t number, count, values;
};

/* Reads queries; false: not all are there. */
static bool results_read(const struct device *device, const struct query_range *range,
			 uint64_t *out)
{
	uint32_t count = range->count, values = range->values;
	size_t stride = (values + 1) * sizeof(uint64_t);
	VkResult result = device->next.GetQueryPoolResults(
	    device->handle, range->pool, range->number, count, count * stride, out, stride,
	    VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WITH_AVAILABILITY_BIT);

	if (result != VK_SUCCESS)
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (out[i * (values + 1) + values] == 0)
			return false;
	}
	return true;
}

/* Parts of one queue overlap where they run at once; each tick is counted for one of them. */
static void add_time(struct device *device, struct part *part, const struct execution *execution,
		     const uint64_t *stamps)
{
	uint32_t bits = device->families[execution->command->pool->family].timestampValidBits;
	uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
	uint64_t *counted = &device->queue_end[execution->queue];
	uint64_t begin = stamps[0] & mask, end = stamps[2] & mask;
	uint64_t length = (end - begin) & mask, seen = (*counted - begin) & mask;

	if (length > mask / 2) { /* it ends before it begins */
		part->lost |= QUERY_BIT(QUERY_STAMPS);
		return;
	}
	if (*counted != 0 && seen <= mask / 2)
		length -= seen < length ? seen : length;
	if (*counted == 0 || ((end - *counted) & mask) <= mask / 2)
		*counted = end;
	part->busy_ticks[execution->queue] += length;
}

static void add(struct device *device, struct part *part, const struct execution *execution,
		uint32_t type, const uint64_t *values)
{
	if (type == QUERY_STAMPS) {
		add_time(device, part, execution, values);
	} else if (type == QUERY_STATISTICS) {
		for (uint32_t i = 0; i < value_count(device, type); i++)
			part->values[statistics[i]] += values[i];
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

static bool read_use(const struct device *device, const struct command *command,
		     const struct query_use *use, uint64_t *values)
{
	const struct query_chunk *chunk = command->chunks[use->slot / CHUNK_SLOTS];
	uint32_t per_slot = use->type == QUERY_STAMPS ? 2 : 1;
	uint32_t number = per_slot * (chunk->first + use->slot % CHUNK_SLOTS);

	const struct query_range range = {.pool = chunk->block->pools[use->type],
					  .number = number,
					  .count = per_slot,
					  .values = value_count(device, use->type)};

	return results_read(device, &range, values);
}

/* A child's queries count for the part that it was run in; it has one span. */
static void collect_one(struct device *device, const struct execution *execution,
			const struct command *command, uint32_t child_span)
{
	bool child = command != execution->command;
	uint64_t values[VALUES_MAX];

	for (uint32_t i = 0; i < command->use_count; i++) {
		const struct query_use *use = &command->uses[i];
		struct part *part = frame_part(device, execution, child ? child_span : use->span);

		if (use->type == QUERY_DRIVER) {
			if (!use->ended || !driver_add(device, command, use, part))
				part->lost |= QUERY_BIT(QUERY_DRIVER);
		} else if (use->ended && read_use(device, command, use, values))
			add(device, part, execution, use->type, values);
		else
			part->lost |= QUERY_BIT(use->type);
	}
}

bool queries_collect(struct device *device, struct execution *execution)
{
	const struct command *command = execution->command;
	VkResult state = device->next.GetEventStatus(device->handle, command->done);

	if (state == VK_EVENT_RESET)
		return false;
	if (state != VK_EVENT_SET) { /* the device is lost */
		for (uint32_t i = 0; i < command->span_count; i++)
			frame_part(device, execution, i)->lost |= device->wanted;
		return true;
	}
	if (!driver_ready(device, command))
		return false;
	collect_one(device, execution, command, 0);
	for (uint32_t i = 0; i < command->child_count; i++)
		collect_one(device, execution, command->children[i].command,
			    command->children[i].span);
	return true;
}
