/* The inner loops over reports, in copies for the processors that a build knows. */
#ifndef OA_DELTA_H
#define OA_DELTA_H

#include <stdint.h>

struct oa_loops {
	/* A, B and C (slots 2 to 53) of two reports of 256 bytes: their differences. */
	void (*delta)(const uint8_t *a, const uint8_t *b, uint64_t *out);
	/* The same, added to sums. */
	void (*sum)(const uint8_t *a, const uint8_t *b, uint64_t *sums);
};

/* The copy that suits this processor. Static storage. */
const struct oa_loops *oa_loops(void);

#endif
