/*
 * The program's own queries. Only one query of a type may be active (vkCmdBeginQuery), so ours are
 * ended before, and the result of the program's query is copied if it is exact.
 */
#include "guest/process.h"
#include "layer/vulkan/layer.h"

#define TYPE_BITS    16u     /* of a pool's entry; its statistics follow */
#define PROGRAM_MOST 256u    /* queries of the program that are copied in a recording */
#define STATISTICS   0x1fffu /* bits of VkQueryPipelineStatisticFlagBits that ours may have */

/* Our query types that conflict with a query of the program. */
static uint32_t conflicts(VkQueryType type)
{
	switch (type) {
	case VK_QUERY_TYPE_OCCLUSION:
		return QUERY_BIT(QUERY_OCCLUSION);
	case VK_QUERY_TYPE_PIPELINE_STATISTICS:
		return QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE);
	case VK_QUERY_TYPE_PRIMITIVES_GENERATED_EXT:
		return QUERY_BIT(QUERY_GENERATED);
	case VK_QUERY_TYPE_TRANSFORM_FEEDBACK_STREAM_EXT:
		return QUERY_ALL_STREAMS;
	default:
		return 0;
	}
}

VKAPI_ATTR VkResult VKAPI_CALL hook_CreateQueryPool(VkDevice handle,
						    const VkQueryPoolCreateInfo *pCreateInfo,
						    const VkAllocationCallbacks *pAllocator,
						    VkQueryPool *pQueryPool)
{
	struct device *device = device_of(handle);
	VkResult result = device->next.CreateQueryPool(handle, pCreateInfo, pAllocator, pQueryPool);
	uint32_t types = conflicts(pCreateInfo->queryType);
	uint32_t bits = (types & QUERY_BIT(QUERY_STATISTICS)) != 0 &&
				(pCreateInfo->pipelineStatistics & ~STATISTICS) == 0
			    ? pCreateInfo->pipelineStatistics
			    : 0;
	struct guest_visit visit = guest_enter();
	if (result == VK_SUCCESS && types != 0) {
		__atomic_fetch_or(&device->program_types, types, __ATOMIC_RELAXED);
		device_lock(device);
		handles_put(&device->query_pools, (uint64_t)(uintptr_t)*pQueryPool,
			    (void *)(uintptr_t)(types | bits << TYPE_BITS));
		device_unlock(device);
	}
	guest_leave(visit);
	return result;
}

VKAPI_ATTR void VKAPI_CALL hook_DestroyQueryPool(VkDevice handle, VkQueryPool queryPool,
						 const VkAllocationCallbacks *pAllocator)
{
	struct device *device = device_of(handle);
	struct guest_visit visit = guest_enter();
	if (queryPool != VK_NULL_HANDLE) {
		device_lock(device);
		handles_remove(&device->query_pools, (uint64_t)(uintptr_t)queryPool);
		device_unlock(device);
	}
	guest_leave(visit);
	device->next.DestroyQueryPool(handle, queryPool, pAllocator);
}

static uint32_t known_of(const struct command *command, VkQueryPool pool)
{
	return (uint32_t)(uintptr_t)handles_get(&command->device->query_pools,
						(uint64_t)(uintptr_t)pool);
}

static uint32_t types_of(const struct command *command, VkQueryPool pool)
{
	return known_of(command, pool) & ((1u << TYPE_BITS) - 1);
}

/* Our query type that counts the same as the program's query; QUERY_TYPES: none. */
static uint32_t same_type(const struct command *command, uint32_t types, uint32_t stream)
{
	types &= slots_possible(command);
	for (uint32_t type = 0; type < QUERY_STREAM; type++) {
		if ((types & QUERY_BIT(type)) != 0)
			return type;
	}
	return stream < STREAMS && (types & QUERY_BIT(QUERY_STREAM + stream)) != 0
		   ? QUERY_STREAM + stream
		   : QUERY_TYPES;
}

static struct program_query *add_query(struct command *command)
{
	if (command->program_count == PROGRAM_MOST ||
	    !list_grow(&command->program, &command->program_cap, command->program_count,
		       sizeof(*command->program)))
		return NULL;
	return &command->program[command->program_count++];
}

/* Its result replaces ours if it is exact. */
static void note_query(struct command *command, const struct program_query *query, bool exact)
{
	struct program_query *note = NULL;
	if (!command->measured)
		return;
	if (exact && query->type != QUERY_TYPES)
		note = add_query(command);
	if (note)
		*note = *query;
	uint32_t counted = query->type <= QUERY_COMPUTE ? query->types : QUERY_BIT(query->type);
	command->now->disturbed |= query->types & ~(note ? counted : 0);
}

static void program_begins(struct command *command, VkQueryPool pool, uint32_t number,
			   VkQueryControlFlags flags, uint32_t stream)
{
	uint32_t types = command->untracked ? 0 : types_of(command, pool);
	if (types == 0 || command->span_count == 0)
		return;
	/* Ours cannot end inside of this pass: it was begun before, when the program had no pool.
	 */
	if (command->in_pass)
		command->now->lost |= types & command->outside & command->open;
	queries_end(command, command->in_pass ? types & ~command->outside : types);
	command->program_open |= types;
	command->program_used |= types;
	const struct program_query query = {.pool = pool,
					    .number = number,
					    .types = types,
					    .type = same_type(command, types, stream),
					    .bits = known_of(command, pool) >> TYPE_BITS,
					    .span = (uint32_t)(command->now - command->spans),
					    .open = true};
	bool exact = query.type == QUERY_OCCLUSION
			 ? (flags & VK_QUERY_CONTROL_PRECISE_BIT) != 0
			 : query.bits != 0 || (types & QUERY_BIT(QUERY_STATISTICS)) == 0;
	note_query(command, &query, exact);
}

static void drop_query(struct command *command, uint32_t i)
{
	command->program[i] = command->program[--command->program_count];
}

/* A result that covers several samples belongs to none. */
static void close_query(struct command *command, uint32_t i)
{
	struct program_query *query = &command->program[i];
	uint32_t now = (uint32_t)(command->now - command->spans);
	query->open = false;
	if (query->span == now)
		return;
	for (uint32_t span = query->span; span <= now; span++)
		command->spans[span].disturbed |= query->types;
	drop_query(command, i);
}

static void program_ends(struct command *command, VkQueryPool pool, uint32_t number)
{
	uint32_t types = command->untracked ? 0 : types_of(command, pool);
	command->program_open &= ~types;
	for (uint32_t i = 0; types != 0 && i < command->program_count; i++) {
		const struct program_query *query = &command->program[i];
		if (query->open && query->pool == pool && query->number == number) {
			close_query(command, i);
			break;
		}
	}
}

/* The program's query has ended; its result can be copied until it is reset. */
static void copy_query(struct command *command, const struct program_query *query, uint32_t span)
{
	uint32_t values = query->bits != 0 ? (uint32_t)__builtin_popcount(query->bits)
					   : query_values(command->device, query->type);
	struct query_use *use =
	    slots_prepare(command) ? slots_add_copied(command, query->type) : NULL;
	if (!use) {
		command->spans[span].disturbed |= query->types;
		return;
	}
	use->span = span;
	use->bits = query->bits;
	copies_record_one(command, use, query->pool, query->number, values);
}

void queries_copy_program(struct command *command)
{
	for (uint32_t i = command->program_count; i-- > 0 && !command->secondary;) {
		if (command->program[i].open)
			continue;
		copy_query(command, &command->program[i], command->program[i].span);
		drop_query(command, i);
	}
}

/* Whether its result waits to be copied: a second use of the query would overwrite it. */
static bool has_query(const struct command *command, const struct program_query *query)
{
	for (uint32_t i = 0; i < command->program_count; i++) {
		if (command->program[i].pool == query->pool &&
		    command->program[i].number == query->number)
			return true;
	}
	return false;
}

void queries_take_program(struct command *command, const struct command *secondary)
{
	uint32_t span = (uint32_t)(command->now - command->spans);
	for (uint32_t i = 0; i < secondary->program_count && command->measured; i++) {
		struct program_query query = secondary->program[i];
		query.span = span;
		if (!command->in_pass)
			copy_query(command, &query, span);
		else if (has_query(command, &query))
			command->now->disturbed |= query.types;
		else
			note_query(command, &query, true);
	}
}

VKAPI_ATTR void VKAPI_CALL hook_CmdResetQueryPool(VkCommandBuffer commandBuffer, VkQueryPool pool,
						  uint32_t first, uint32_t count)
{
	struct command *command = command_of(commandBuffer);
	for (uint32_t i = command->program_count; i-- > 0;) {
		const struct program_query *query = &command->program[i];
		if (query->pool != pool || query->number - first >= count)
			continue;
		command->spans[query->span].disturbed |= query->types;
		drop_query(command, i);
	}
	command->device->next.CmdResetQueryPool(commandBuffer, pool, first, count);
}

/* Begins ours again, and copies the result of the program's query. */
static void after_query(struct command *command)
{
	struct guest_visit visit = guest_enter();
	if (command->feedback_active && command->prepared)
		queries_begin(command, command->streams);
	if (!command->in_pass)
		queries_copy_program(command);
	guest_leave(visit);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginQuery(VkCommandBuffer commandBuffer, VkQueryPool pool,
					      uint32_t query, VkQueryControlFlags flags)
{
	struct command *command = command_of(commandBuffer);
	program_begins(command, pool, query, flags, 0);
	command->device->next.CmdBeginQuery(commandBuffer, pool, query, flags);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndQuery(VkCommandBuffer commandBuffer, VkQueryPool pool,
					    uint32_t query)
{
	struct command *command = command_of(commandBuffer);
	program_ends(command, pool, query);
	command->device->next.CmdEndQuery(commandBuffer, pool, query);
	after_query(command);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginQueryIndexedEXT(VkCommandBuffer commandBuffer,
							VkQueryPool pool, uint32_t query,
							VkQueryControlFlags flags, uint32_t index)
{
	struct command *command = command_of(commandBuffer);
	program_begins(command, pool, query, flags, index);
	command->device->next.CmdBeginQueryIndexedEXT(commandBuffer, pool, query, flags, index);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndQueryIndexedEXT(VkCommandBuffer commandBuffer,
						      VkQueryPool pool, uint32_t query,
						      uint32_t index)
{
	struct command *command = command_of(commandBuffer);
	program_ends(command, pool, query);
	command->device->next.CmdEndQueryIndexedEXT(commandBuffer, pool, query, index);
	after_query(command);
}
