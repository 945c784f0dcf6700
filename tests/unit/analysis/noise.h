/* Numbers by chance, always the same ones, and metrics for comparisons of them. */
#ifndef UNIT_ANALYSIS_NOISE_H
#define UNIT_ANALYSIS_NOISE_H

#include <math.h>

#include "analysis/compare/compare.h"

#define SEED 20261121u

static uint64_t state_;

static inline double uniform(void)
{
	state_ ^= state_ << 13;
	state_ ^= state_ >> 7;
	state_ ^= state_ << 17;
	return ((double)(state_ >> 11) + 0.5) / 9007199254740992.0;
}

static inline double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static inline struct compare_metric *add(struct compare_set *set, const char *name, uint32_t runs)
{
	struct compare_metric *m = compare_set_metric(set, name, runs);
	assert_non_null(m);
	m->title = m->name;
	m->unit = "s";
	m->direction = SX_DIRECTION_LOWER;
	m->runs = runs;
	m->constant = false;
	return m;
}

#endif
