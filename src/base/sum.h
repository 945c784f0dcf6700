/* Sums of doubles, exact enough that the order of values seldom shows. */
#ifndef BASE_SUM_H
#define BASE_SUM_H

#include <math.h>

/* Neumaier's sum: what `sum` cannot hold is carried. Zero-initialise. */
struct sum {
	double sum, carry;
};

static inline void sum_add(struct sum *to, double value)
{
	double sum = to->sum + value;
	to->carry +=
	    fabs(to->sum) >= fabs(value) ? (to->sum - sum) + value : (value - sum) + to->sum;
	to->sum = sum;
}

/* An infinite sum has a carry that is not a number. */
static inline double sum_value(const struct sum *of)
{
	return isfinite(of->sum) ? of->sum + of->carry : of->sum;
}

#endif
