/* Items that are ways to the same thing: which of them a plan takes. */
#ifndef METRIC_CHOICE_H
#define METRIC_CHOICE_H

#include "base/mem.h"
#include <sextant/plan.h>

/* What is to be planned. */
struct plan_input {
	const struct sx_catalog *catalog;
	const struct sx_plan_item *items;
	uint32_t count;
	const struct sx_plan_options *options;
};

/*
 * Marks in `chosen` one item of each number in `either`, and every item without one, such that few
 * groups have to be programmed: a group that is needed anyway costs nothing, and of the others
 * those come first that serve most. Of equals the earlier item is taken. Scratch memory is of the
 * arena. Errors: SX_ERR_NO_MEMORY.
 */
enum sx_status choice_make(const struct plan_input *in, bool *chosen, struct arena *arena,
			   struct sx_error *err);

/* The exclusive group that an item needs, as an index in the catalog, or SX_NONE. */
uint32_t choice_group(const struct sx_catalog *catalog, const struct sx_plan_item *item);

#endif
