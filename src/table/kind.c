/* What a sample encloses, in words. */
#include <sextant/sample.h>

#include <string.h>

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
	uint32_t kind = 0;
	while (kind < SX_SAMPLE_KINDS && strcmp(names[kind], name) != 0)
		kind++;
	return (enum sx_sample_kind)kind;
}
