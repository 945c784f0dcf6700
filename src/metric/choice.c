/*
 * Chooses between equivalent metrics of several groups: a greedy set cover. Taking the most useful
 * group first is at most a factor ln(n) from the fewest groups; with Intel's sets it finds the
 * fewest.
 */
#include "metric/metrics.h"

#include <stdlib.h>

#include "base/error.h"

struct choice {
	const struct sx_catalog *catalog;
	const struct sx_plan_item *items;
	uint32_t count;
	bool *chosen;
	bool *resolved; /* [item]: it or another way to the same is chosen */
	bool *open;	/* [group + 1]: programmed anyway; 0, which means no group, is */
	uint32_t *serves;
	uint32_t groups;
};

uint32_t choice_group(const struct sx_catalog *catalog, const struct sx_plan_item *item)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	uint32_t group = item->group;
	return group && group <= count && groups[group - 1].exclusive ? group - 1 : SX_NONE;
}

/* The index of an item's group in `open` and `serves`. */
static uint32_t slot(const struct choice *c, uint32_t item)
{
	return choice_group(c->catalog, &c->items[item]) + 1; /* SX_NONE + 1 is 0 */
}

static void choice_choose(struct choice *c, uint32_t item)
{
	c->chosen[item] = c->resolved[item] = true;
	c->open[slot(c, item)] = true;
	for (uint32_t i = 0; c->items[item].either && i < c->count; i++)
		c->resolved[i] |= c->items[i].either == c->items[item].either;
}

static void choose_open(struct choice *c)
{
	for (uint32_t i = 0; i < c->count; i++)
		if (!c->resolved[i] && c->open[slot(c, i)])
			choice_choose(c, i);
}

/* The first item of the group that serves most unresolved items; SX_NONE: all are resolved. */
static uint32_t most_useful(struct choice *c)
{
	uint32_t best = SX_NONE;
	for (uint32_t g = 0; g <= c->groups; g++)
		c->serves[g] = 0;
	for (uint32_t i = 0; i < c->count; i++)
		c->serves[slot(c, i)] += !c->resolved[i];
	for (uint32_t i = 0; i < c->count; i++)
		if (!c->resolved[i] &&
		    (best == SX_NONE || c->serves[slot(c, i)] > c->serves[slot(c, best)]))
			best = i;
	return best;
}

enum sx_status choice_make(const struct plan_input *in, bool *chosen, struct arena *arena,
			   struct sx_error *err)
{
	const struct sx_plan_item *items = in->items;
	uint32_t count = in->count;
	struct choice c = {
	    .catalog = in->catalog, .items = items, .count = count, .chosen = chosen};
	sx_catalog_groups(in->catalog, &c.groups);
	c.resolved = arena_alloc(arena, (size_t)count + 1);
	c.open = arena_alloc(arena, (size_t)c.groups + 1);
	c.serves = arena_alloc(arena, ((size_t)c.groups + 1) * sizeof(*c.serves));
	if (!c.resolved || !c.open || !c.serves)
		return error_nomem(err, "planning passes");
	c.open[0] = true;
	for (uint32_t i = 0; i < count; i++)
		if (!items[i].either)
			choice_choose(&c, i);
	choose_open(&c);
	for (uint32_t i; (i = most_useful(&c)) != SX_NONE;) {
		choice_choose(&c, i);
		choose_open(&c);
	}
	return SX_OK;
}
