/*
 * How AMD's drivers name their groups of counters: a block ("GRBM") or one of its instances
 * ("TA3"). A driver that splits by engine what is usually summed says "GRBM0", "TA0_3".
 */
#ifndef WIRE_AMD_GROUPS_H
#define WIRE_AMD_GROUPS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define AMD_GROUP_ENGINES 8 /* into which a driver may split */

/* The names that one block may have, in turn; starts as {.block = ..., .instance = ...}. */
struct amd_group_names {
	const char *block;
	uint32_t instance; /* SX_NONE: the block has none */
	uint32_t tried;
	char name[96];
};

/* Gives the next name; `found` says whether the driver has the one before. false: that was all. */
static inline bool amd_group_next(struct amd_group_names *n, bool found)
{
	bool is_whole = n->tried == 0;
	if (n->tried > AMD_GROUP_ENGINES || (!is_whole && found == (n->tried == 1)))
		return false;
	char engine[12] = "", instance[12] = "";
	bool has_instances = n->instance != UINT32_MAX;
	if (!is_whole)
		snprintf(engine, sizeof(engine), "%u", (unsigned)(n->tried - 1));
	if (has_instances)
		snprintf(instance, sizeof(instance), "%u", (unsigned)n->instance);
	snprintf(n->name, sizeof(n->name), "%s%s%s%s", n->block, engine,
		 has_instances && !is_whole ? "_" : "", instance);
	n->tried++;
	return true;
}

#endif
