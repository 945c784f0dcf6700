/* The search of a plan: items of local counters into as few passes as it finds. */
#ifndef METRIC_PLAN_PASSES_H
#define METRIC_PLAN_PASSES_H

#include <sextant/plan.h>

#include "base/mem.h"
#include "metric/metrics.h"

/* One counter in play; small numbers instead of the catalog's indices. */
struct rule_counter {
	uint32_t index;		/* in the catalog */
	uint32_t block;		/* SX_NONE: no block */
	uint32_t family, stage; /* SX_NONE: none */
	uint32_t window;    /* the family with the stage that decides what it counts, or SX_NONE */
	uint32_t group;	    /* exclusive group, or SX_NONE */
	bool alone, narrow; /* narrow: the counter's stage is one of several, not all of them */
};

struct pass_rules {
	struct rule_counter *counters;
	uint32_t counter_count, words; /* words of 64 bits that hold a set of counters */
	uint32_t *block_limit;	       /* 0: none */
	uint32_t block_count;
	uint32_t *family_limit; /* 0: none */
	uint32_t family_count;
	uint64_t *conflicts; /* counter_count sets, or NULL */
	uint32_t pass_size;
};

/* One pass while it is filled. The arrays lie behind each other in one allocation. */
struct pass {
	uint64_t *set;
	uint32_t *block_used, *family_used, *family_stage;
	uint32_t *family_narrow,
	    *family_windowed;	      /* counters that narrow a family, that it windows */
	uint32_t count, group, alone; /* alone: the block, or SX_NONE */
};

/* The counters that items use, in order and each once. */
struct plan_used {
	uint32_t *items, count;
};

/*
 * Compiles the rules for `used` (indices in the catalog, sorted, without duplicates) into memory of
 * the arena. Errors: SX_ERR_USAGE, SX_ERR_NO_MEMORY.
 */
enum sx_status pass_rules_compile(const struct plan_input *in, const struct plan_used *used,
				  struct arena *arena, struct pass_rules *out,
				  struct sx_error *err);

/* Bytes of one pass's arrays, and setting a pass up in them, empty. */
size_t pass_bytes(const struct pass_rules *rules);
void pass_init(struct pass *pass, const struct pass_rules *rules, void *memory);
void pass_clear(struct pass *pass, const struct pass_rules *rules);
void pass_copy(struct pass *to, const struct pass *from, const struct pass_rules *rules);

bool pass_has(const struct pass *pass, uint32_t counter);
/* Adds a counter when it is there already or the rules allow it beside what is there. */
bool pass_add(struct pass *pass, const struct pass_rules *rules, uint32_t counter);

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
