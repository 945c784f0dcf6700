/*
 * Open labels of a queue. A command buffer's labels are paths from its begin; at each submission
 * they are nested in the labels that the queue has open then.
 */
#include "guest/labels.h"
#include "layer/vulkan/layer.h"

/* The open path when `ended` of the labels have ended, or 0. */
static uint32_t path_open(const struct queue_labels *labels, uint64_t ended)
{
	if (!labels || labels->depth <= ended)
		return 0;
	uint64_t depth = labels->depth - ended;
	return labels->stack[(depth < QUEUE_LABELS ? depth : QUEUE_LABELS) - 1];
}

uint32_t queue_labels_path(const struct queue_labels *labels, uint32_t ended, uint32_t label)
{
	if (label == LABEL_OUTSIDE)
		return 0;
	return label_below(path_open(labels, ended), label);
}

void queue_labels_begin(struct queue_labels *labels, uint32_t label)
{
	if (!labels)
		return;
	if (labels->depth < QUEUE_LABELS)
		labels->stack[labels->depth] = label_below(path_open(labels, 0), label);
	labels->depth++;
}

void queue_labels_end(struct queue_labels *labels, uint64_t count)
{
	if (labels)
		labels->depth -= count < labels->depth ? count : labels->depth;
}

void queue_labels_run(struct queue_labels *labels, const struct command *command)
{
	queue_labels_end(labels, command->ended);
	if (!labels || command->label_depth == 0)
		return;
	uint32_t above = path_open(labels, 0);
	for (uint32_t i = 0; i < command->label_depth && labels->depth + i < QUEUE_LABELS; i++)
		labels->stack[labels->depth + i] = label_below(above, command->label_stack[i]);
	labels->depth += command->label_depth;
}
