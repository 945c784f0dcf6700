/* Render passes, labels, and transform feedback. */
#include <string.h>

#include "guest/labels.h"
#include "guest/process.h"
#include "layer/vulkan/layer.h"

static bool records(const struct command *command)
{
	return !command->untracked && command->span_count != 0;
}

static void before_pass(struct command *command, bool inline_contents, VkRenderingFlags parts)
{
	uint32_t begins = (parts & VK_RENDERING_RESUMING_BIT) == 0;
	if (command->untracked)
		return;
	if (records(command))
		queries_before_pass(command, inline_contents, parts);
	command->tally.passes += begins;
	command->now->tally.passes += begins;
	command->in_pass = true;
	command->inline_pass = inline_contents;
}

/* A query that begins in a subpass must end in it (VUID-vkCmdEndRenderPass-None-07004). */
static void next_subpass(struct command *command, bool inline_contents)
{
	if (!records(command))
		return;
	queries_end(command, command->inside & ~command->inherited);
	command->inline_pass = inline_contents;
}

static void end_pass(struct command *command)
{
	if (!records(command))
		return;
	queries_end(command, command->inside & ~command->inherited);
	command->in_pass = command->inline_pass = false;
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginRenderPass(VkCommandBuffer commandBuffer,
						   const VkRenderPassBeginInfo *info,
						   VkSubpassContents contents)
{
	struct command *command = command_of(commandBuffer);
	before_pass(command, contents == VK_SUBPASS_CONTENTS_INLINE, 0);
	command->device->next.CmdBeginRenderPass(commandBuffer, info, contents);
}

#define BEGIN_PASS2(name)                                                                          \
	VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commandBuffer,                      \
					       const VkRenderPassBeginInfo *info,                  \
					       const VkSubpassBeginInfo *subpass)                  \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
                                                                                                   \
		before_pass(command, subpass->contents == VK_SUBPASS_CONTENTS_INLINE, 0);          \
		command->device->next.name(commandBuffer, info, subpass);                          \
	}
BEGIN_PASS2(CmdBeginRenderPass2)
BEGIN_PASS2(CmdBeginRenderPass2KHR)

VKAPI_ATTR void VKAPI_CALL hook_CmdNextSubpass(VkCommandBuffer commandBuffer,
					       VkSubpassContents contents)
{
	struct command *command = command_of(commandBuffer);
	next_subpass(command, contents == VK_SUBPASS_CONTENTS_INLINE);
	command->device->next.CmdNextSubpass(commandBuffer, contents);
}

#define NEXT_SUBPASS2(name)                                                                        \
	VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commandBuffer,                      \
					       const VkSubpassBeginInfo *begin,                    \
					       const VkSubpassEndInfo *end)                        \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
                                                                                                   \
		next_subpass(command, begin->contents == VK_SUBPASS_CONTENTS_INLINE);              \
		command->device->next.name(commandBuffer, begin, end);                             \
	}
NEXT_SUBPASS2(CmdNextSubpass2)
NEXT_SUBPASS2(CmdNextSubpass2KHR)

/* Queries that were begun inside of the pass end before it does. */
#define END_PASS(name, parameters, arguments)                                                      \
	VKAPI_ATTR void VKAPI_CALL hook_##name parameters                                          \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
                                                                                                   \
		end_pass(command);                                                                 \
		command->device->next.name arguments;                                              \
		queries_after_pass(command);                                                       \
	}
END_PASS(CmdEndRenderPass, (VkCommandBuffer commandBuffer), (commandBuffer))
END_PASS(CmdEndRenderPass2, (VkCommandBuffer commandBuffer, const VkSubpassEndInfo *info),
	 (commandBuffer, info))
END_PASS(CmdEndRenderPass2KHR, (VkCommandBuffer commandBuffer, const VkSubpassEndInfo *info),
	 (commandBuffer, info))
END_PASS(CmdEndRendering, (VkCommandBuffer commandBuffer), (commandBuffer))
END_PASS(CmdEndRenderingKHR, (VkCommandBuffer commandBuffer), (commandBuffer))

#define BEGIN_RENDERING(name)                                                                      \
	VKAPI_ATTR void VKAPI_CALL hook_##name(VkCommandBuffer commandBuffer,                      \
					       const VkRenderingInfo *info)                        \
	{                                                                                          \
		struct command *command = command_of(commandBuffer);                               \
		VkRenderingFlags parts = VK_RENDERING_SUSPENDING_BIT | VK_RENDERING_RESUMING_BIT;  \
		VkRenderingFlags other = VK_RENDERING_CONTENTS_SECONDARY_COMMAND_BUFFERS_BIT;      \
                                                                                                   \
		before_pass(command, (info->flags & other) == 0, info->flags & parts);             \
		command->device->next.name(commandBuffer, info);                                   \
	}
BEGIN_RENDERING(CmdBeginRendering)
BEGIN_RENDERING(CmdBeginRenderingKHR)

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginTransformFeedbackEXT(VkCommandBuffer commandBuffer,
							     uint32_t first, uint32_t count,
							     const VkBuffer *buffers,
							     const VkDeviceSize *offsets)
{
	struct command *command = command_of(commandBuffer);
	uint32_t streams = command->device->wanted & QUERY_ALL_STREAMS;
	if (records(command)) {
		command->used_feedback = command->feedback_active = true;
		if (command->streams == streams && command->prepared)
			queries_begin(command, streams);
		else if (command->measured)
			command->now->lost |= streams;
	}
	command->device->next.CmdBeginTransformFeedbackEXT(commandBuffer, first, count, buffers,
							   offsets);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndTransformFeedbackEXT(VkCommandBuffer commandBuffer,
							   uint32_t first, uint32_t count,
							   const VkBuffer *buffers,
							   const VkDeviceSize *offsets)
{
	struct command *command = command_of(commandBuffer);
	command->device->next.CmdEndTransformFeedbackEXT(commandBuffer, first, count, buffers,
							 offsets);
	if (records(command)) {
		command->feedback_active = false;
		queries_end(command, QUERY_ALL_STREAMS);
	}
}

/* Labels nest; those deeper than LABELS_MAX count for the last one that fits. */
static void push_label(struct command *command, const char *text)
{
	uint32_t depth = command->label_depth++;
	uint32_t parent = depth != 0 && depth <= LABELS_MAX ? command->label_stack[depth - 1] : 0;
	if (depth >= LABELS_MAX)
		return;
	uint32_t label = label_intern(parent, text, strlen(text));
	command->label_stack[depth] = label;
	if (depth == 0 && command->labels++ == 0) {
		command->label = label;
		command->label_ended = command->ended;
	}
	if (command->device->per == WIRE_GROUP)
		queries_next_span(command, label);
}

static void pop_label(struct command *command)
{
	if (command->label_depth == 0) /* it ends a label of the queue */
		command->ended++;
	else
		command->label_depth--;
	uint32_t depth = command->label_depth;
	if (depth < LABELS_MAX && command->device->per == WIRE_GROUP)
		queries_next_span(command, depth != 0 ? command->label_stack[depth - 1] : 0);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdBeginDebugUtilsLabelEXT(VkCommandBuffer commandBuffer,
							   const VkDebugUtilsLabelEXT *info)
{
	struct command *command = command_of(commandBuffer);
	struct guest_visit visit = guest_enter();
	if (!command->untracked)
		push_label(command, info->pLabelName);
	guest_leave(visit);
	if (command->device->next.CmdBeginDebugUtilsLabelEXT)
		command->device->next.CmdBeginDebugUtilsLabelEXT(commandBuffer, info);
}

VKAPI_ATTR void VKAPI_CALL hook_CmdEndDebugUtilsLabelEXT(VkCommandBuffer commandBuffer)
{
	struct command *command = command_of(commandBuffer);
	if (!command->untracked)
		pop_label(command);
	if (command->device->next.CmdEndDebugUtilsLabelEXT)
		command->device->next.CmdEndDebugUtilsLabelEXT(commandBuffer);
}
