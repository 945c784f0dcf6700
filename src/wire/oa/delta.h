/* The inner loops over reports, in copies for the processors that a build knows. */
#ifndef OA_DELTA_H
#define OA_DELTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Neighbouring counters of a report that fill neighbouring slots. */
struct oa_run {
	uint16_t offset; /* of the first one's low word */
	uint8_t high;	 /* of the first one's upper byte; 0: counters of 32 bits */
	uint8_t slot, count;
	bool wide; /* counters of 64 bits */
};

/* Intervals: of each the report that begins it and the one that ends it. */
struct oa_pairs {
	const uint8_t *const *first, *const *second;
	size_t count;
	size_t size;  /* bytes of a report */
	size_t ahead; /* bytes from here to the reports that come next, to fetch them by the way */
};

struct oa_loops {
	/* Differences of each pair, modulo a counter's width: to[slot] has one element a pair. */
	void (*columns)(const struct oa_run *run, const struct oa_pairs *pairs,
			uint64_t *const *to);
	/* The same, added to sums[slot]. */
	void (*sum)(const struct oa_run *run, const struct oa_pairs *pairs, uint64_t *sums);
};

/* The copies that run on this processor, the widest last. Returns how many, 1 at least. */
#define OA_LOOPS_MAX 2
size_t oa_loops_all(const struct oa_loops *out[OA_LOOPS_MAX]);
/* The copy that suits this processor. Static storage. */
const struct oa_loops *oa_loops(void);

#endif
