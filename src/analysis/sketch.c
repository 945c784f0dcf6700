/*
 * Sketches: exact up to a number of values, then a histogram over the sign, exponent and first
 * seven bits of the fraction, so that a bucket is at most 0.8 % wide and its middle 0.4 % off.
 */
#include "analysis/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/number.h"

#define OCTAVE 128  /* buckets of one power of two */
#define BLOCK  1024 /* values that stay in the nearest cache while they are counted */

static uint32_t size_of(double value)
{
	uint64_t bits;
	memcpy(&bits, &value, sizeof(bits));
	return (uint32_t)((bits & ~(UINT64_C(1) << 63)) >> SKETCH_DROPPED_BITS);
}

/* Makes a half count values of this size, with room around it. */
static bool reach(struct sketch_half *half, uint32_t size)
{
	uint32_t low = size / OCTAVE * OCTAVE, high = low + OCTAVE;
	uint32_t first = half->first, end = half->first + (half->count ? half->count - 1 : 0);
	if (half->count && (!size || (size >= first && size < end)))
		return true;
	low = low ? low : 1;
	if (!size) /* zero is no power of two: nothing is known of the others */
		high = low;
	if (end > first) {
		low = first < low ? first : low;
		high = end > high ? end : high;
	}
	uint64_t *grown = calloc(1 + high - low, sizeof(*grown));
	if (!grown)
		return false;
	if (half->count)
		grown[0] = half->buckets[0];
	if (end > first)
		memcpy(grown + 1 + (first - low), half->buckets + 1,
		       (end - first) * sizeof(*grown));
	free(half->buckets);
	*half = (struct sketch_half){grown, low, 1 + high - low};
	return true;
}

/* The first value that its half has no bucket for, or `count`. */
static size_t count_reached(struct sketch *sketch, const double *values, size_t count)
{
	struct sketch_half p = sketch->positive;
	for (size_t i = 0; i < count; i++) {
		uint32_t size = size_of(values[i]);
		uint32_t at = size ? size - p.first + 1 : 0;
		if (at >= p.count || values[i] < 0)
			return i;
		p.buckets[at]++;
	}
	return count;
}

static bool count_slowly(struct sketch *sketch, double value, uint64_t times)
{
	struct sketch_half *half = value < 0 ? &sketch->negative : &sketch->positive;
	uint32_t size = size_of(value);
	if (!reach(half, size))
		return false;
	half->buckets[size ? size - half->first + 1 : 0] += times;
	return true;
}

static bool count_values(struct sketch *sketch, const double *values, size_t count)
{
	for (size_t at = 0; at < count;) {
		at += count_reached(sketch, values + at, count - at);
		if (at < count && !count_slowly(sketch, values[at++], 1))
			return false;
	}
	return true;
}

/* Moves values that are kept to buckets. */
static bool count_kept(struct sketch *sketch)
{
	if (sketch->values && !count_values(sketch, sketch->values, (size_t)sketch->count))
		return false;
	free(sketch->values);
	sketch->values = NULL;
	sketch->value_cap = 0;
	return true;
}

static bool keep_or_count(struct sketch *sketch, const double *values, size_t count)
{
	size_t kept = (size_t)sketch->count;
	if (sketch->count + count <= SKETCH_EXACT) {
		if (!mem_grow(&sketch->values, &sketch->value_cap, kept + count,
			      sizeof(*sketch->values)))
			return false;
		memcpy(sketch->values + kept, values, count * sizeof(*values));
		return true;
	}
	return count_kept(sketch) && count_values(sketch, values, count);
}

/* Four of each at once: one addition need not wait for the one before it. */
struct lanes {
	double sum[4], min[4], max[4];
};

static void add_lanes(struct lanes *l, const double *values, size_t count)
{
	for (int k = 0; k < 4; k++) {
		l->sum[k] = 0;
		l->min[k] = l->max[k] = values[0];
	}
	for (size_t i = 0; i + 4 <= count; i += 4)
		for (size_t k = 0; k < 4; k++) {
			double v = values[i + k];
			l->sum[k] += v;
			l->min[k] = v < l->min[k] ? v : l->min[k];
			l->max[k] = v > l->max[k] ? v : l->max[k];
		}
	for (size_t i = count / 4 * 4; i < count; i++) {
		l->sum[0] += values[i];
		l->min[0] = values[i] < l->min[0] ? values[i] : l->min[0];
		l->max[0] = values[i] > l->max[0] ? values[i] : l->max[0];
	}
}

struct sketch_look sketch_look(const double *values, size_t count)
{
	struct lanes l;
	add_lanes(&l, values, count);
	struct sketch_look look = {.sum = (l.sum[0] + l.sum[1]) + (l.sum[2] + l.sum[3]),
				   .min = l.min[0],
				   .max = l.max[0],
				   .count = count};
	for (int k = 1; k < 4; k++) {
		look.min = l.min[k] < look.min ? l.min[k] : look.min;
		look.max = l.max[k] > look.max ? l.max[k] : look.max;
	}
	return look;
}

static void add_counted(struct sketch *sketch, const struct sketch_look *look)
{
	bool first = !sketch->count;
	sum_add(&sketch->sum, look->sum);
	sketch->min = first || look->min < sketch->min ? look->min : sketch->min;
	sketch->max = first || look->max > sketch->max ? look->max : sketch->max;
	sketch->count += look->count;
}

bool sketch_add_looked(struct sketch *sketch, const double *values, const struct sketch_look *look)
{
	if (!keep_or_count(sketch, values, look->count))
		return false;
	add_counted(sketch, look);
	return true;
}

/* Only what is finite, one by one. */
static bool add_finite(struct sketch *sketch, const double *values, size_t count)
{
	bool fine = true;
	for (size_t i = 0; fine && i < count; i++)
		if (isfinite(values[i]))
			fine = sketch_add(sketch, values[i]);
	return fine;
}

static bool sketch_add_block(struct sketch *sketch, const double *values, size_t count)
{
	const struct sketch_look look = sketch_look(values, count);
	return isfinite(look.sum) ? sketch_add_looked(sketch, values, &look)
				  : add_finite(sketch, values, count);
}

bool sketch_add_many(struct sketch *sketch, const double *values, size_t count)
{
	bool fine = true;
	for (size_t at = 0; fine && at < count; at += BLOCK)
		fine =
		    sketch_add_block(sketch, values + at, count - at < BLOCK ? count - at : BLOCK);
	return fine;
}

bool sketch_add(struct sketch *sketch, double value)
{
	return sketch_add_looked(sketch, &value, &(struct sketch_look){value, value, value, 1});
}

bool sketch_add_times(struct sketch *sketch, double value, uint64_t times)
{
	if (!isfinite(value))
		return true;
	/* Values are kept up to their number; the one behind it makes them counts. */
	for (uint64_t kept = sketch->count; times && kept <= SKETCH_EXACT; kept++, times--)
		if (!sketch_add(sketch, value))
			return false;
	if (!times)
		return true;
	if (!count_slowly(sketch, value, times))
		return false;
	add_counted(sketch,
		    &(struct sketch_look){value * (double)times, value, value, (size_t)times});
	return true;
}

static bool join_half(struct sketch_half *to, const struct sketch_half *from)
{
	if (!from->count)
		return true;
	/* The ends, so that there is room for all between them. */
	if (!reach(to, 0) || (from->count > 1 && (!reach(to, from->first) ||
						  !reach(to, from->first + from->count - 2))))
		return false;
	to->buckets[0] += from->buckets[0];
	for (uint32_t i = 1; i < from->count; i++)
		to->buckets[from->first - to->first + i] += from->buckets[i];
	return true;
}

bool sketch_join(struct sketch *sketch, const struct sketch *more)
{
	const struct sketch_look look = {more->sum.sum + more->sum.carry, more->min, more->max,
					 (size_t)more->count};
	if (!more->count)
		return true;
	if (more->values)
		return sketch_add_looked(sketch, more->values, &look);
	if (!count_kept(sketch) || !join_half(&sketch->positive, &more->positive) ||
	    !join_half(&sketch->negative, &more->negative))
		return false;
	add_counted(sketch, &look);
	return true;
}

void sketch_finish(struct sketch *sketch)
{
	free(sketch->values);
	free(sketch->positive.buckets);
	free(sketch->negative.buckets);
	*sketch = (struct sketch){0};
}
