/* Plans: which counters are counted together, in as few runs of the same work as the hardware
 * allows. */
#ifndef SEXTANT_PLAN_H
#define SEXTANT_PLAN_H

#include <sextant/metric.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_plan;

/* What one metric needs: indices of counters in the catalog, without duplicates. */
struct sx_plan_item {
	const uint32_t *counters;
	uint32_t count;
	const uint32_t *keep; /* wanted beside them where a pass has room; never worth a pass */
	uint32_t keep_count;
	/*
	 * An index of a group plus 1, or 0: the group that has to be programmed for this metric.
	 * Only metrics of one exclusive group share a pass, even where they read the same counters.
	 */
	uint32_t group;
	/*
	 * Not 0: items of one number are ways to the same thing, which a catalog with sets has in
	 * several of them. One is planned, such that few groups have to be programmed (of equals
	 * the first); the others need no pass. Each is of another group.
	 */
	uint32_t either;
};

/* Two counters that the driver cannot count at once. */
struct sx_plan_exclusion {
	uint32_t a, b;
};

/* All members may be zero. */
struct sx_plan_options {
	const uint32_t *block_limits; /* one for each block of the catalog, for its own; NULL */
	const struct sx_plan_exclusion *exclusions;
	uint32_t exclusion_count;
	uint32_t pass_size; /* most counters in one pass; 0: no limit */
};

/* What is planned. */
struct sx_plan_request {
	const struct sx_plan_item *items; /* NULL where count is 0 */
	uint32_t count;
	const struct sx_plan_options *options; /* NULL: no limits beside the catalog's */
};

/* Counters of one pass, as indices in the catalog, sorted. */
struct sx_plan_pass {
	const uint32_t *counters;
	uint32_t count;
	uint32_t group; /* index of the exclusive group that is programmed plus 1, or 0 */
};

/*
 * Distributes the items of a request over passes under the catalog's rules: limits of blocks, one
 * stage of a family, blocks that are alone, exclusive groups, pass-limits (`sq_events` limits
 * family `sq`). An item comes from as few passes as it needs on its own, and every counter of it
 * from one of them. The plan keeps no reference to its arguments. *out is owned by the caller.
 * Errors: SX_ERR_USAGE (an index out of range), SX_ERR_UNSUPPORTED (a counter that fits no pass),
 * SX_ERR_NO_MEMORY. Thread-safe.
 */
SX_API enum sx_status sx_plan_create(const struct sx_catalog *catalog,
				     const struct sx_plan_request *request, struct sx_plan **out,
				     struct sx_error *err);
/* Releases a plan; NULL is fine. */
SX_API void sx_plan_destroy(struct sx_plan *plan);

/* The passes in the order to run them. Lives as long as the plan. Thread-safe. */
SX_API const struct sx_plan_pass *sx_plan_passes(const struct sx_plan *plan, uint32_t *count);
/* The passes that an item reads, sorted. Lives as long as the plan. Thread-safe. */
SX_API const uint32_t *sx_plan_item_passes(const struct sx_plan *plan, uint32_t item,
					   uint32_t *count);
/*
 * The pass that an item takes a counter from (an index in the catalog), or SX_NONE when the item
 * does not need it. The same counter may come from another pass for another item.
 */
SX_API uint32_t sx_plan_source(const struct sx_plan *plan, uint32_t item, uint32_t counter);

#ifdef __cplusplus
}
#endif

#endif
