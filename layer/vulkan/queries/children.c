/* Secondary command buffers: what runs around them, and what they count themselves. */
#include <stdlib.h>

#include "layer/vulkan/layer.h"

/* What may run around a pass of secondary command buffers; else they count for themselves. */
uint32_t queries_around_children(struct command *command)
{
	uint32_t program = __atomic_load_n(&command->device->program_types, __ATOMIC_RELAXED);
	uint32_t types = (command->outer | command->inner) & QUERY_INHERITED & ~program;
	if (command->device->inherited)
		return types;
	queries_end(command, command->outer);
	return 0;
}

/* One that counts for itself is known to the one that runs it, so that it is read with it. */
static void adopt(struct command *command, struct command *child)
{
	struct child *more;
	if (command->child_count == command->child_cap) {
		uint32_t cap = command->child_cap != 0 ? 2 * command->child_cap : 8;
		more = realloc(command->children, cap * sizeof(*more));
		if (!more) {
			command->now->lost |= command->device->wanted;
			return;
		}
		command->children = more;
		command->child_cap = cap;
	}
	command->children[command->child_count++] =
	    (struct child){child, (uint32_t)(command->now - command->spans)};
}

void queries_before_children(struct command *command)
{
	command->had_children = true;
	if (command->in_pass || command->secondary)
		return;
	queries_break_driver(command);
	uint32_t types = command->around = queries_around_children(command);
	if ((types | command->outer | command->inner) != 0 && slots_touch(command))
		queries_begin(command, types);
}

void queries_before_child(struct command *command, struct command *child)
{
	uint32_t counts = (command->outer | command->inner) & ~command->open;
	if (child->use_count != 0 && command->touched) {
		adopt(command, child);
		return;
	}
	counts &= ~child->program_used;
	if (!child->blind && child->shared && !child->host_resets)
		command->now->barred |= child->tally.draws + child->tally.dispatches ? counts : 0;
	else if (child->blind || child->tally.draws + child->tally.dispatches != 0)
		command->now->lost |= counts;
}
