/* Sketches: how values are distributed, in memory that does not grow with their number. */
#ifndef ANALYSIS_SKETCH_H
#define ANALYSIS_SKETCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SKETCH_EXACT 8192 /* values that are kept as they are */

/* Zero-initialise. */
struct sketch {
	uint64_t count;
	double sum, carry, min, max;
	double *values; /* the first ones, until there are too many */
	size_t value_cap;
	uint64_t *buckets; /* then counts by the first bits of the value */
	uint32_t first, bucket_count;
};

/* Adds a finite value. False when memory is out. */
bool sketch_add(struct sketch *sketch, double value);
double sketch_sum(const struct sketch *sketch);
/* Values at these ranks (percent, rising) by nearest rank; sorts what is kept. Not when empty. */
void sketch_percentiles(struct sketch *sketch, const double *percent, double *out, size_t count);
void sketch_finish(struct sketch *sketch);

#endif
