/* The inner loops over reports, in copies for the processors that a build knows. */
#ifndef OA_DELTA_H
#define OA_DELTA_H

#include <stdint.h>

struct oa_loops {
	/* Differences of all 54 slots between two reports of 256 bytes. */
	void (*delta)(const uint8_t *a, const uint8_t *b, uint64_t *out);
	/* sums += delta, 54 values. */
	void (*add)(uint64_t *sums, const uint64_t *delta);
};

/* The copy that suits this processor. Static storage. */
const struct oa_loops *oa_loops(void);

#endif
