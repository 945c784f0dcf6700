/* The kinds of samples, and the labels of their rows, by name. */
#include <sextant/sample.h>

#include <string.h>

#include "table/label.h"

static const char *const names[SX_SAMPLE_KINDS] = {
    [SX_SAMPLE_TIME] = "time",
    [SX_SAMPLE_FRAME] = "frame",
    [SX_SAMPLE_GROUP] = "group",
    [SX_SAMPLE_CONTEXT] = "context",
    [SX_SAMPLE_DUMP] = "dump",
    [SX_SAMPLE_PROCESS] = "process",
    [SX_SAMPLE_ROW] = "row",
    [SX_SAMPLE_PASS] = "pass",
    [SX_SAMPLE_DRAW] = "draw",
    [SX_SAMPLE_KERNEL] = "kernel",
    [SX_SAMPLE_COMMANDS] = "command-buffer",
    [SX_SAMPLE_SUBMIT] = "submit",
    [SX_SAMPLE_QUEUE] = "queue",
};

const char *sx_sample_kind_name(enum sx_sample_kind kind)
{
	return names[kind];
}

enum sx_sample_kind sx_sample_kind_find(const char *name)
{
	return kind_find(name, strlen(name));
}

enum sx_sample_kind kind_find(const char *name, size_t size)
{
	uint32_t kind = 0;
	while (kind < SX_SAMPLE_KINDS &&
	       (strlen(names[kind]) != size || memcmp(names[kind], name, size) != 0))
		kind++;
	return (enum sx_sample_kind)kind;
}

enum sx_sample_kind kind_by_labels(uint32_t labels)
{
	if (labels >> SX_LABEL_GROUP & 1)
		return SX_SAMPLE_GROUP;
	return labels >> SX_LABEL_FRAME & 1 ? SX_SAMPLE_FRAME : SX_SAMPLE_TIME;
}

const char *label_name(enum sx_label label)
{
	static const char *const labels[SX_LABEL_COUNT] = {
	    [SX_LABEL_FRAME] = "frame",	    [SX_LABEL_GROUP] = "group",
	    [SX_LABEL_CONTEXT] = "context", [SX_LABEL_INSTANCE] = "instance",
	    [SX_LABEL_REASON] = "reason",   [SX_LABEL_PROCESS] = "process",
	    [SX_LABEL_GROUP2] = "group2",   [SX_LABEL_GROUP3] = "group3",
	    [SX_LABEL_GROUP4] = "group4"};
	return labels[label];
}

enum sx_label label_next_group(uint32_t taken)
{
	static const enum sx_label groups[] = {SX_LABEL_GROUP, SX_LABEL_GROUP2, SX_LABEL_GROUP3,
					       SX_LABEL_GROUP4};
	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (!(taken >> groups[i] & 1))
			return groups[i];
	return SX_LABEL_COUNT;
}
