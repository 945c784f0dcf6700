/*
 * Our queries in the program's command buffers. Types that the program does not use are begun
 * outside, before the first pass, and secondary command buffers inherit them. Types that it has
 * pools of are begun inside of passes, and end before a query of the program begins.
 */
#include "layer/vulkan/layer.h"

static void begin_one(struct command *command, uint32_t type)
{
	const struct device_functions *next = &command->device->next;
	struct query_use *use = slots_add_use(command, type);
	VkQueryControlFlags flags = type == QUERY_OCCLUSION ? VK_QUERY_CONTROL_PRECISE_BIT : 0;
	uint32_t number;
	if (!use) {
		command->now->lost |= QUERY_BIT(type);
		return;
	}
	VkQueryPool pool = slots_pool(command, use, &number);
	if (type >= QUERY_STREAM && type < QUERY_TIMESTAMPS)
		next->CmdBeginQueryIndexedEXT(command->handle, pool, number, 0,
					      type - QUERY_STREAM);
	else
		next->CmdBeginQuery(command->handle, pool, number, flags);
	command->open |= QUERY_BIT(type);
}

void queries_begin(struct command *command, uint32_t types)
{
	types &= ~command->open & ~command->program_open;
	for (uint32_t type = 0; types != 0 && type < QUERY_TIMESTAMPS; type++) {
		if ((types & QUERY_BIT(type)) != 0)
			begin_one(command, type);
	}
	if ((types & QUERY_BIT(QUERY_DRIVER)) != 0)
		begin_one(command, QUERY_DRIVER);
}

void queries_end(struct command *command, uint32_t types)
{
	const struct device_functions *next = &command->device->next;
	types &= command->open;
	for (uint32_t i = command->use_count; types != 0 && i-- > 0;) {
		struct query_use *use = &command->uses[i];
		uint32_t number;
		if (use->ended || (types & QUERY_BIT(use->type)) == 0)
			continue;
		VkQueryPool pool = slots_pool(command, use, &number);
		if (use->type >= QUERY_STREAM && use->type < QUERY_TIMESTAMPS)
			next->CmdEndQueryIndexedEXT(command->handle, pool, number,
						    use->type - QUERY_STREAM);
		else
			next->CmdEndQuery(command->handle, pool, number);
		use->ended = true;
		types &= ~QUERY_BIT(use->type);
		command->open &= ~QUERY_BIT(use->type);
	}
}

static void write_timestamp(struct command *command, struct query_use *use, uint32_t which)
{
	uint32_t number;
	VkQueryPool pool = slots_pool(command, use, &number);
	command->device->next.CmdWriteTimestamp(command->handle,
						which == 0 ? VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT
							   : VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
						pool, number + which);
}

/*
 * A performance query covers a sample, as timestamps do. Where the sample is a command buffer, it
 * must be the first and the last command (VUID-vkCmdBeginQuery-queryPool-03224 and
 * VUID-vkCmdEndQuery-queryPool-03227).
 */
static void begin_driver(struct command *command)
{
	if (command->device->per == WIRE_GROUP || !driver_counts(command))
		return;
	if (slots_prepare(command))
		queries_begin(command, QUERY_BIT(QUERY_DRIVER));
	else
		command->now->lost |= QUERY_BIT(QUERY_DRIVER);
}

static void end_driver(struct command *command)
{
	queries_end(command, QUERY_BIT(QUERY_DRIVER));
}

void queries_break_driver(struct command *command)
{
	if ((command->open & QUERY_BIT(QUERY_DRIVER)) != 0)
		command->now->lost |= QUERY_BIT(QUERY_DRIVER);
	end_driver(command);
}

/* Whether a rendering is suspended here, so that no query may be recorded. */
static bool is_between(const struct command *command)
{
	return command->suspended && !command->in_pass;
}

/* The timestamps at the begin and end of a sample. */
static void begin_time(struct command *command)
{
	if ((slots_possible(command) & QUERY_BIT(QUERY_TIMESTAMPS)) == 0 || command->secondary)
		return;
	struct query_use *use = !is_between(command) && slots_prepare(command)
				    ? slots_add_use(command, QUERY_TIMESTAMPS)
				    : NULL;
	if (use)
		write_timestamp(command, use, 0);
	else
		command->now->lost |= QUERY_BIT(QUERY_TIMESTAMPS);
}

static void end_time(struct command *command)
{
	for (uint32_t i = command->use_count; i-- > 0 && !is_between(command);) {
		struct query_use *use = &command->uses[i];
		if (use->type != QUERY_TIMESTAMPS)
			continue;
		if (!use->ended)
			write_timestamp(command, use, 1);
		use->ended = true;
		return;
	}
}

void queries_start(struct command *command)
{
	uint32_t program = __atomic_load_n(&command->device->program_types, __ATOMIC_RELAXED);
	uint32_t types = slots_possible(command) & ~QUERY_BIT(QUERY_TIMESTAMPS);
	bool own = command->secondary || command->device->per == WIRE_GROUP ||
		   command->device->pass_queries_only;

	if (command->untracked)
		return;
	/* A secondary one has queries of its own if the device has no inheritedQueries. */
	if (command->secondary &&
	    (command->device->inherited_queries || !(command->host_resets || command->copied)))
		types = 0;
	command->outside = own ? 0 : types & QUERY_INHERITED & ~program;
	command->inside = types & ~QUERY_ALL_STREAMS & ~command->outside;
	command->streams = types & QUERY_ALL_STREAMS;
	if (command->device->per == WIRE_GROUP && driver_counts(command))
		command->inside |= QUERY_BIT(QUERY_DRIVER);
	begin_driver(command);
	begin_time(command);
	command->recorded = true;
	command->had_secondaries = false;
}

static uint32_t label_now(const struct command *command)
{
	uint32_t depth = command->label_depth;
	if (depth > LABELS_MAX)
		depth = LABELS_MAX;
	return depth != 0 ? command->label_stack[depth - 1] : 0;
}

/*
 * A rendering that is suspended and resumed: between its parts there must be no action or
 * synchronisation command (vkQueueSubmit), so queries are begun inside of each part. They are reset
 * before the first part and copied after the last. If these are in other command buffers, the host
 * resets the queries, and a snapshot after the last of them copies the results.
 */
static void before_part(struct command *command, bool inline_contents, VkRenderingFlags parts)
{
	command->suspends = (parts & VK_RENDERING_SUSPENDING_BIT) != 0;
	if (!command->suspended) {
		queries_end(command, command->open);
		command->inside |= command->outside;
		bool resumes = (parts & VK_RENDERING_RESUMING_BIT) != 0;
		command->resumes |= resumes;
		if (resumes && !command->host_resets)
			command->now->disallowed |= command->inside | command->streams;
		else if ((command->inside | command->streams) != 0 && slots_prepare(command))
			slots_reserve(command);
	}
	command->suspended = true;
	if (!inline_contents && command->device->inherited_queries)
		command->now->disallowed |= command->inside;
}

void queries_before_pass(struct command *command, bool inline_contents, VkRenderingFlags parts)
{
	uint32_t types = command->outside;
	if (command->untracked || (command->secondary && !command->copied))
		return;
	queries_end(command, command->inside);
	if (command->device->per == WIRE_PASS && !command->suspended)
		queries_next_span(command, label_now(command));
	if (parts != 0 || !inline_contents)
		queries_break_driver(command);
	command->had_secondaries |= !inline_contents;
	if (parts != 0) {
		before_part(command, inline_contents, parts);
		return;
	}
	if (!inline_contents)
		types = command->inherited = queries_inherited(command, true);
	/* Secondary command buffers with queries of their own need the event at the end. */
	if ((types | command->inside | command->streams) == 0 &&
	    (inline_contents || command->outside == 0))
		return;
	if (!slots_prepare(command)) {
		command->now->lost |= types | command->inside;
		return;
	}
	slots_reserve(command);
	queries_begin(command, types);
}

void queries_after_pass(struct command *command)
{
	if (command->untracked || command->span_count == 0 || command->suspends)
		return;
	if (command->suspended)
		command->inside &= ~command->outside;
	command->suspended = false;
	if (command->secondary)
		return;
	queries_end(command, command->inherited & ~command->outside);
	command->inherited = 0;
	queries_after_secondaries(command);
	queries_copy_program(command);
	if (command->device->per == WIRE_PASS)
		queries_next_span(command, LABEL_OUTSIDE);
}

static bool is_empty(const struct command *command)
{
	const struct span *now = command->now;
	for (uint32_t i = 0; i < command->use_count; i++) {
		if (command->uses[i].span == (uint32_t)(now - command->spans) &&
		    command->uses[i].type != QUERY_TIMESTAMPS &&
		    command->uses[i].type != QUERY_DRIVER)
			return false;
	}
	return (now->lost | now->disallowed) == 0 &&
	       now->tally.draws + now->tally.dispatches + now->tally.barriers + now->tally.passes ==
		   0;
}

void queries_next_span(struct command *command, uint32_t label)
{
	if (command->span_count == 0 || command->secondary)
		return;
	/* Queries that were begun outside of the pass stay active, and count for its first span. */
	queries_end(command, command->in_pass ? command->inside & ~command->inherited
					      : command->open & ~QUERY_BIT(QUERY_DRIVER));
	if (is_empty(command)) {
		command->now->label = label;
		command->now->ended = command->ended;
		return;
	}
	end_time(command);
	end_driver(command);
	if (!list_grow(&command->spans, &command->span_cap, command->span_count,
		       sizeof(*command->spans))) {
		command->now->lost |= command->device->wanted;
		return;
	}
	command->now = &command->spans[command->span_count++];
	*command->now = (struct span){.label = label, .ended = command->ended};
	begin_driver(command);
	begin_time(command);
}

void queries_before_draw(struct command *command)
{
	uint32_t types = command->inside & ~command->open & ~command->program_open;
	if (types == 0)
		return;
	if (command->in_pass && command->inline_pass &&
	    (command->prepared || (slots_may_grow(command) && slots_prepare(command))))
		queries_begin(command, types);
	else
		command->now->lost |= types;
}

void queries_before_dispatch(struct command *command)
{
	uint32_t counting =
	    QUERY_BIT(QUERY_STATISTICS) | QUERY_BIT(QUERY_COMPUTE) | QUERY_BIT(QUERY_DRIVER);
	uint32_t types = (command->outside | command->inside) & counting & ~command->open &
			 ~command->program_open;

	if (types == 0 || command->in_pass)
		return;
	if (slots_prepare(command))
		queries_begin(command, types);
	else
		command->now->lost |= types;
}

/* Removes the last span, which is empty, and its queries. */
static void drop_last(struct command *command)
{
	uint32_t last = command->span_count - 1, left = 0;
	for (uint32_t i = 0; i < command->use_count; i++) {
		if (command->uses[i].span != last)
			command->uses[left++] = command->uses[i];
	}
	command->use_count = left;
	command->now = &command->spans[--command->span_count - 1];
}

void queries_finish(struct command *command)
{
	queries_end(command, command->open & ~QUERY_BIT(QUERY_DRIVER));
	if (command->span_count > 1) {
		end_driver(command);
		if (is_empty(command))
			drop_last(command);
	}
	command->sets_event = command->prepared && !command->secondary &&
			      (!command->suspended || snapshots_may_follow(command));
	for (uint32_t i = 0; command->suspended && !command->sets_event && i < command->span_count;
	     i++)
		command->spans[i].disallowed |= command->device->wanted;
	if (!command->sets_event || command->suspended)
		return;
	end_time(command);
	copies_record(command);
	command->device->next.CmdSetEvent(command->handle, command->done,
					  VK_PIPELINE_STAGE_ALL_COMMANDS_BIT);
	end_driver(command);
}
