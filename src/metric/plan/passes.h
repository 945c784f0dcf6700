/* The search behind a plan: items of local counters into as few passes as it finds. */
#ifndef METRIC_PLAN_PASSES_H
#define METRIC_PLAN_PASSES_H

#include "metric/plan/pass_rules.h"

/* One item: local counters, those first that constrain a pass most. */
struct pass_item {
	const uint32_t *counters;
	uint32_t count;
	uint32_t alone;	 /* passes that it needs on its own */
	uint32_t offset; /* of its counters in pass_search.where */
	uint32_t group;	 /* exclusive group that it needs, or SX_NONE */
};

struct pass_search {
	const struct pass_rules *rules;
	const struct pass_item *items;
	uint32_t item_count, counter_count; /* counter_count: of all items together */
	/* Results: the pass of each item's counters, and the passes. */
	uint32_t *where;
	struct pass *passes;
	uint32_t pass_count;
};

/* First fit into empty passes: how many an item needs on its own; 0 when a counter fits none. */
uint32_t passes_alone(const struct pass_rules *rules, const uint32_t *counters, uint32_t count,
		      struct pass *scratch);
/* Fills the results with memory of the arena. Errors: SX_ERR_NO_MEMORY. */
enum sx_status passes_search(struct pass_search *search, struct arena *arena, struct sx_error *err);
/* `count` empty passes in memory of the arena, or NULL. */
struct pass *passes_alloc(const struct pass_rules *rules, uint32_t count, struct arena *arena);

#endif
