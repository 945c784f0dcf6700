/* Sums of OA intervals: one for each context, found by its id. */
#ifndef DECODE_I915_OA_SUMS_H
#define DECODE_I915_OA_SUMS_H

#include "base/slots.h"
#include "decode/oa/rows.h"

/* A sum under way: a stay, a context, or everything. */
struct oa_sum {
	bool used;
	struct oa_interval about; /* from the first to the last; reports are NULL */
	uint64_t values[SX_OA_SLOTS];
};

struct oa_sums {
	struct oa_sum *sums;
	size_t count, cap;
	struct slots slots; /* by owner */
};

/* Adds the intervals [from, end), one at least, all but their counters and qualities. */
void oa_sum_add(struct oa_sum *sum, const struct oa_burst *burst, size_t from, size_t end);
/* Adds an interval's qualities. */
void oa_sum_mark(struct oa_sum *sum, const struct oa_interval *flaw);
/*
 * The sum of an owner, added when it is new: then pointers to others are no longer valid. Errors:
 * SX_ERR_LIMIT for more than OA_CONTEXTS_MAX, SX_ERR_NO_MEMORY.
 */
enum sx_status oa_sums_find(struct oa_sums *sums, uint64_t owner, struct oa_sum **out,
			    struct sx_error *err);
void oa_sums_finish(struct oa_sums *sums);

#endif
