/* Queries of sketches: percentiles, the largest values, how many are above a limit. */
#include "analysis/sketch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/number.h"

static double middle_of(uint32_t size)
{
	uint64_t bits =
	    size ? (uint64_t)size << SKETCH_DROPPED_BITS | UINT64_C(1) << (SKETCH_DROPPED_BITS - 1)
		 : 0;
	double value;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/* Hoare's partition of [low, high]: everything up to the result is at most everything behind it. */
static size_t partition(double *v, size_t low, size_t high)
{
	double a = v[low], b = v[low + (high - low) / 2], c = v[high];
	double pivot = fmax(fmin(a, b), fmin(fmax(a, b), c));
	for (size_t i = low, j = high;; i++, j--) {
		while (v[i] < pivot)
			i++;
		while (v[j] > pivot)
			j--;
		if (i >= j)
			return j;
		double t = v[i];
		v[i] = v[j];
		v[j] = t;
	}
}

/*
 * Puts the value of this rank in its place, smaller ones before and larger ones behind it; those
 * before `low` are in theirs. Values that fool the pivot again and again are sorted.
 */
static void select_rank(double *v, size_t low, size_t count, size_t rank)
{
	size_t high = count - 1;
	for (int turns = 0; low < high; turns++) {
		if (turns == 64) {
			qsort(v + low, high - low + 1, sizeof(*v), number_compare_f64);
			return;
		}
		size_t cut = partition(v, low, high);
		if (rank <= cut)
			high = cut;
		else
			low = cut + 1;
	}
}

static uint64_t rank_of(const struct sketch *sketch, double percent)
{
	double rank = ceil(percent / 100 * (double)sketch->count);
	return rank < 1 ? 1 : (uint64_t)rank;
}

/* Buckets in the order of their values: the largest negative sizes first. */
static uint32_t bucket_count(const struct sketch *s)
{
	return s->negative.count + s->positive.count;
}

static uint64_t bucket(const struct sketch *s, uint32_t at, double *middle)
{
	bool below = at < s->negative.count;
	const struct sketch_half *half = below ? &s->negative : &s->positive;
	uint32_t place = below ? s->negative.count - 1 - at : at - s->negative.count;
	double size = place ? middle_of(half->first + place - 1) : 0;
	*middle = fmin(fmax(below ? -size : size, s->min), s->max);
	return half->buckets[place];
}

void sketch_percentiles(struct sketch *sketch, const double *percent, double *out, size_t count)
{
	if (sketch->values) {
		size_t low = 0;
		for (size_t i = 0; i < count; i++) {
			size_t rank = (size_t)rank_of(sketch, percent[i]) - 1;
			select_rank(sketch->values, low, (size_t)sketch->count, rank);
			out[i] = sketch->values[rank];
			low = rank;
		}
		return;
	}
	uint64_t seen = 0;
	double middle = sketch->min;
	for (uint32_t at = 0, i = 0; i < count && at < bucket_count(sketch); at++) {
		seen += bucket(sketch, at, &middle);
		for (; i < count && seen >= rank_of(sketch, percent[i]); i++)
			out[i] = middle;
	}
}

/* The value that this weight of all values and extras does not exceed, where values are kept. */
static double find_weight(struct sketch *sketch, const struct sketch_extra *extras,
			  size_t extra_count, double weight)
{
	size_t values = sketch->values ? (size_t)sketch->count : 0;
	double passed = 0; /* of extras */
	for (size_t k = 0;; k++) {
		double rank = ceil(weight - passed);
		size_t at = rank < 1 ? 0 : (size_t)rank - 1;
		bool within = at < values;
		if (within)
			select_rank(sketch->values, 0, values, at);
		if (within && (k == extra_count || sketch->values[at] <= extras[k].value))
			return sketch->values[at];
		if (k == extra_count) /* rounding went beyond the last */
			return values ? sketch->max : extras[k - 1].value;
		size_t below = 0;
		for (size_t i = 0; i < values; i++)
			below += sketch->values[i] <= extras[k].value;
		passed += extras[k].weight;
		if ((double)below + passed >= weight)
			return extras[k].value;
	}
}

void sketch_percentiles_with(struct sketch *sketch, const struct sketch_extras *extras,
			     const double *percent, double *out, size_t count)
{
	double whole = (double)sketch->count;
	/* Of thousands of values the last percent is not moved by a few. */
	if (!extras->count || sketch->count > SKETCH_EXACT) {
		sketch_percentiles(sketch, percent, out, count);
		return;
	}
	for (size_t i = 0; i < extras->count; i++)
		whole += extras->items[i].weight;
	for (size_t i = 0; i < count; i++)
		out[i] =
		    find_weight(sketch, extras->items, extras->count, percent[i] / 100 * whole);
}

/* A value, or as many like ones as a bucket holds. */
struct weighed {
	double value, weight;
};

static int compare_weighed(const void *a, const void *b)
{
	const struct weighed *x = a, *y = b;
	return (x->value > y->value) - (x->value < y->value);
}

static size_t weighed_count(const struct sketch *s)
{
	return s->values ? (size_t)s->count : bucket_count(s);
}

/* Appends what a sketch holds. */
static size_t collect_weighed(const struct sketch_weighed *from, struct weighed *out)
{
	size_t count = weighed_count(from->sketch);
	for (uint32_t at = 0; !from->sketch->values && at < count; at++) {
		uint64_t here = bucket(from->sketch, at, &out[at].value);
		out[at].weight = (double)here * from->weight;
	}
	for (size_t i = 0; from->sketch->values && i < count; i++)
		out[i] = (struct weighed){from->sketch->values[i], from->weight};
	return count;
}

#define ROUNDING 1e-12 /* of the whole weight, which is a sum */

bool sketch_percentiles_weighed(const struct sketch_weighed *list, size_t list_count,
				const double *percent, double *out, size_t count)
{
	size_t most = 0, used = 0, i = 0;
	double whole = 0, passed = 0;
	for (size_t k = 0; k < list_count; k++) {
		most += weighed_count(list[k].sketch);
		whole += (double)list[k].sketch->count * list[k].weight;
	}
	struct weighed *all = calloc(most + 1, sizeof(*all));
	for (size_t k = 0; all && k < list_count; k++)
		used += collect_weighed(&list[k], all + used);
	if (all)
		qsort(all, used, sizeof(*all), compare_weighed);
	for (size_t at = 0; all && i < count && at < used; at++) {
		passed += all[at].weight;
		for (; i < count && all[at].weight > 0 &&
		       passed >= whole * (percent[i] / 100 - ROUNDING);
		     i++)
			out[i] = all[at].value;
	}
	free(all);
	return i == count;
}

double sketch_top_mean(struct sketch *sketch, double share)
{
	uint64_t wanted = (uint64_t)(share * (double)sketch->count);
	double sum = 0, middle;
	wanted = wanted ? wanted : 1;
	if (sketch->values) {
		size_t from = (size_t)(sketch->count - wanted);
		select_rank(sketch->values, 0, (size_t)sketch->count, from);
		for (size_t i = from; i < (size_t)sketch->count; i++)
			sum += sketch->values[i];
		return sum / (double)wanted;
	}
	uint64_t left = wanted;
	for (uint32_t at = bucket_count(sketch); left && at; at--) {
		uint64_t here = bucket(sketch, at - 1, &middle);
		here = here < left ? here : left;
		sum += middle * (double)here;
		left -= here;
	}
	return sum / (double)wanted;
}

uint64_t sketch_count_above(const struct sketch *sketch, double limit)
{
	uint64_t count = 0;
	double middle;
	for (size_t i = 0; sketch->values && i < sketch->count; i++)
		count += sketch->values[i] > limit ? 1 : 0;
	for (uint32_t at = 0; !sketch->values && at < bucket_count(sketch); at++) {
		uint64_t here = bucket(sketch, at, &middle);
		count += middle > limit ? here : 0;
	}
	return count;
}
