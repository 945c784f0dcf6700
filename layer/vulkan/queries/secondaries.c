/* Secondary command buffers: they inherit the primary's queries, or have their own. */
#include "guest/process.h"
#include "layer/vulkan/layer.h"

/* Inside of a pass we cannot end a query before a secondary one begins the program's. */
static uint32_t program_types(const struct command *command, bool in_pass)
{
	return in_pass && command->device->inherited_queries
		   ? __atomic_load_n(&command->device->program_types, __ATOMIC_RELAXED)
		   : 0;
}

/* Without inheritedQueries no query may be active here: secondary ones have queries of their own.
 */
uint32_t queries_inherited(struct command *command, bool in_pass)
{
	uint32_t types = (command->outside | command->inside) & QUERY_INHERITED &
			 ~program_types(command, in_pass);
	if (command->device->inherited_queries)
		return types;
	queries_end(command, command->outside);
	return 0;
}

/* Records in the primary a secondary one with own queries, which are read with the primary's. */
static void adopt(struct command *command, struct command *secondary)
{
	if (!list_grow(&command->secondaries, &command->secondary_cap, command->secondary_count,
		       sizeof(*command->secondaries))) {
		command->now->lost |= command->device->wanted;
		return;
	}
	command->secondaries[command->secondary_count++] =
	    (struct secondary){.command = secondary,
			       .span = (uint32_t)(command->now - command->spans),
			       .copied = secondary->copied,
			       .due = secondary->copied && command->in_pass};
}

void queries_before_secondaries(struct command *command)
{
	command->had_secondaries = true;
	if (command->in_pass || command->secondary)
		return;
	if (command->suspended) {
		command->now->disallowed |= command->outside | command->inside;
		return;
	}
	queries_break_driver(command);
	uint32_t types = command->inherited = queries_inherited(command, false);
	if ((types | command->outside | command->inside) != 0 && slots_prepare(command))
		queries_begin(command, types);
}

void queries_before_secondary(struct command *command, struct command *secondary)
{
	uint32_t counts =
	    (command->outside | command->inside) & ~command->open & ~command->program_open;
	uint32_t program = secondary->program_used | program_types(command, command->in_pass);
	bool works =
	    secondary->untracked || secondary->tally.draws + secondary->tally.dispatches != 0;
	if (command->in_pass)
		queries_take_program(command, secondary);
	if (secondary->use_count != 0 && (command->prepared || secondary->continues_pass))
		adopt(command, secondary);
	if (command->prepared)
		counts &= ~secondary->inside; /* it has queries of its own for them */
	if (!works)
		return;
	/* The program may have had queries active for a part of it only. */
	command->now->disturbed |= counts & program;
	if (!secondary->untracked && secondary->simultaneous && !secondary->host_resets &&
	    !secondary->copied)
		command->now->disallowed |= counts & ~program;
	else
		command->now->lost |= counts & ~program;
}

static void copy_use(struct command *command, const struct command *secondary,
		     const struct query_use *use, uint32_t span)
{
	struct query_use *copy = use->ended ? slots_add_copied(command, use->type) : NULL;
	uint32_t number;
	if (!copy) {
		command->spans[span].lost |= QUERY_BIT(use->type);
		return;
	}
	copy->span = span;
	VkQueryPool pool = slots_pool(secondary, use, &number);
	copies_record_one(command, copy, pool, number, query_values(command->device, use->type));
}

static void copy_uses(struct command *command, const struct command *secondary, uint32_t span)
{
	for (uint32_t i = 0; command->prepared && i < secondary->use_count; i++)
		copy_use(command, secondary, &secondary->uses[i], span);
}

/* It was executed in this pass before: copies those results, which it overwrites. */
void queries_before_run(struct command *command, const struct command *secondary)
{
	struct guest_visit visit = guest_enter();
	for (uint32_t i = command->due;
	     command->in_pass && secondary->copied && i < command->secondary_count; i++) {
		struct secondary *one = &command->secondaries[i];
		if (!one->due || one->command != secondary)
			continue;
		if (!one->ran) {
			one->ran = true;
			break;
		}
		copy_uses(command, secondary, one->span);
		one->due = false;
	}
	guest_leave(visit);
}

void queries_after_run(struct command *command, const struct command *secondary)
{
	struct guest_visit visit = guest_enter();
	if (!command->in_pass && !command->suspended && secondary->copied)
		copy_uses(command, secondary, (uint32_t)(command->now - command->spans));
	if (!command->in_pass && !command->suspended && command->span_count != 0)
		queries_take_program(command, secondary);
	guest_leave(visit);
}

static void reset_use(struct command *command, const struct command *secondary,
		      const struct query_use *use)
{
	uint32_t number;
	VkQueryPool pool = slots_pool(secondary, use, &number);
	command->device->next.CmdResetQueryPool(command->handle, pool, number,
						pool_slots(use->type, 1));
}

void queries_after_secondaries(struct command *command)
{
	for (uint32_t i = command->due; i < command->secondary_count; i++) {
		const struct secondary *one = &command->secondaries[i];
		if (!one->due)
			continue;
		copy_uses(command, one->command, one->span);
		for (uint32_t k = 0; k < one->command->use_count; k++)
			reset_use(command, one->command, &one->command->uses[k]);
	}
	command->due = command->secondary_count;
}

bool queries_has_secondary(const struct command *command, const struct command *secondary)
{
	for (uint32_t i = 0; i < command->secondary_count; i++) {
		if (command->secondaries[i].command == secondary)
			return true;
	}
	return false;
}

/* Whether another primary that executes it has a submission that is in no sample yet. */
static bool is_unsampled_elsewhere(const struct command *command, const struct command *secondary)
{
	uint32_t own = 0;
	for (uint32_t i = 0; i < command->secondary_count; i++)
		own += command->secondaries[i].command == secondary;
	return __atomic_load_n(&secondary->unsampled, __ATOMIC_ACQUIRE) > own;
}

/* The results of all pending primaries that execute it are lost. */
static void lose_users(struct device *device, struct command *secondary)
{
	struct execution *e = device->executions;
	secondary->multi_queue = true;
	while (e) {
		if (queries_has_secondary(e->command, secondary)) {
			frames_lose(device, e->command);
			e = device->executions;
		} else {
			e = e->next;
		}
	}
}

bool queries_prepare_secondaries(struct device *device, struct command *command, VkQueue queue)
{
	bool alone = true;
	for (uint32_t i = 0; i < command->secondary_count; i++) {
		struct command *secondary = command->secondaries[i].command;
		if (!command->secondaries[i].copied)
			continue;
		if (secondary->queue != VK_NULL_HANDLE && secondary->queue != queue &&
		    secondary->unread != 0)
			frames_collect(device);
		if (secondary->queue != VK_NULL_HANDLE && secondary->queue != queue &&
		    (secondary->unread != 0 || is_unsampled_elsewhere(command, secondary))) {
			lose_users(device, secondary);
			alone = false;
		}
		secondary->queue = queue;
	}
	return alone;
}

bool queries_has_multi_queue(const struct command *command)
{
	for (uint32_t i = 0; i < command->secondary_count; i++) {
		if (command->secondaries[i].copied && command->secondaries[i].command->multi_queue)
			return true;
	}
	return false;
}
