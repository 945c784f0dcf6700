/* What may share a pass: the rules of a catalog's blocks, compiled for the counters in play. */
#ifndef METRIC_PLAN_PASS_RULES_H
#define METRIC_PLAN_PASS_RULES_H

#include "base/mem.h"
#include <sextant/plan.h>
#include "metric/choice.h"

/* One counter in play; small numbers instead of the catalog's indices. */
struct rule_counter {
	uint32_t index;		/* in the catalog */
	uint32_t block;		/* SX_NONE: no block */
	uint32_t family, stage; /* SX_NONE: none */
	uint32_t window;	/* the family whose stage decides what it counts, or SX_NONE */
	uint32_t group;		/* exclusive group, or SX_NONE */
	bool alone, narrow;	/* narrow: the counter's stage is one of several, not all of them */
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

#endif
