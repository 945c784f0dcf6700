/*
 * Sketches: exact up to a number of values, then a histogram over the sign, exponent and first
 * seven bits of the fraction, so that a bucket is at most 0.8 % wide and its middle 0.4 % off.
 */
#include "analysis/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define DROPPED_BITS 45

/* Buckets rise with the value: negative ones are mirrored below the middle. */
static uint32_t bucket_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	uint32_t size = (uint32_t)((bits & ~(UINT64_C(1) << 63)) >> DROPPED_BITS);
	uint32_t middle = UINT32_C(1) << (63 - DROPPED_BITS);
	return bits >> 63 ? middle - 1 - size : middle + size;
}

static double middle_of(uint32_t bucket)
{
	uint32_t middle = UINT32_C(1) << (63 - DROPPED_BITS);
	bool negative = bucket < middle;
	uint32_t size = negative ? middle - 1 - bucket : bucket - middle;
	uint64_t low = (uint64_t)size << DROPPED_BITS;
	uint64_t bits = size ? low + (UINT64_C(1) << (DROPPED_BITS - 1)) : 0;
	double value;
	memcpy(&value, &bits, sizeof(value));
	return negative ? -value : value;
}

/* Makes the histogram reach a bucket, with room around it. */
static bool reach(struct sketch *sketch, uint32_t bucket)
{
	uint32_t end = sketch->first + sketch->bucket_count;
	if (sketch->bucket_count && bucket >= sketch->first && bucket < end)
		return true;
	uint32_t low = bucket > 128 ? bucket - 128 : 0, high = bucket + 128;
	if (sketch->bucket_count) {
		low = low < sketch->first ? low : sketch->first;
		high = high > end ? high : end;
	}
	uint64_t *grown = calloc(high - low, sizeof(*grown));
	if (!grown)
		return false;
	if (sketch->bucket_count)
		memcpy(grown + (sketch->first - low), sketch->buckets,
		       sketch->bucket_count * sizeof(*grown));
	free(sketch->buckets);
	sketch->buckets = grown;
	sketch->first = low;
	sketch->bucket_count = high - low;
	return true;
}

static bool count_value(struct sketch *sketch, double value)
{
	uint32_t bucket = bucket_of(value);
	if (!reach(sketch, bucket))
		return false;
	sketch->buckets[bucket - sketch->first]++;
	return true;
}

static bool give_up_values(struct sketch *sketch)
{
	for (size_t i = 0; i < SKETCH_EXACT; i++)
		if (!count_value(sketch, sketch->values[i]))
			return false;
	free(sketch->values);
	sketch->values = NULL;
	sketch->value_cap = 0;
	return true;
}

bool sketch_add(struct sketch *sketch, double value)
{
	double sum = sketch->sum + value;
	sketch->carry += fabs(sketch->sum) >= fabs(value) ? (sketch->sum - sum) + value
							  : (value - sum) + sketch->sum;
	sketch->sum = sum;
	if (!sketch->count || value < sketch->min)
		sketch->min = value;
	if (!sketch->count || value > sketch->max)
		sketch->max = value;
	if (sketch->count == SKETCH_EXACT && !give_up_values(sketch))
		return false;
	size_t at = (size_t)sketch->count++;
	if (at >= SKETCH_EXACT)
		return count_value(sketch, value);
	if (!mem_grow(&sketch->values, &sketch->value_cap, at + 1, sizeof(*sketch->values)))
		return false;
	sketch->values[at] = value;
	return true;
}

double sketch_sum(const struct sketch *sketch)
{
	return isfinite(sketch->sum) ? sketch->sum + sketch->carry : sketch->sum;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

static uint64_t rank_of(const struct sketch *sketch, double percent)
{
	double rank = ceil(percent / 100 * (double)sketch->count);
	return rank < 1 ? 1 : (uint64_t)rank;
}

void sketch_percentiles(struct sketch *sketch, const double *percent, double *out, size_t count)
{
	if (sketch->values) {
		qsort(sketch->values, (size_t)sketch->count, sizeof(double), compare);
		for (size_t i = 0; i < count; i++)
			out[i] = sketch->values[rank_of(sketch, percent[i]) - 1];
		return;
	}
	uint64_t seen = 0;
	uint32_t at = 0;
	for (size_t i = 0; i < count; i++) {
		while (at < sketch->bucket_count &&
		       seen + sketch->buckets[at] < rank_of(sketch, percent[i]))
			seen += sketch->buckets[at++];
		out[i] = fmin(fmax(middle_of(sketch->first + at), sketch->min), sketch->max);
	}
}

void sketch_finish(struct sketch *sketch)
{
	free(sketch->values);
	free(sketch->buckets);
	*sketch = (struct sketch){0};
}
