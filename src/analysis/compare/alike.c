/*
 * Rows that are one number under several names: a counter and the metric that equals it, a time and
 * its rate. They are one test; as separate tests, the correction for many tests would hide them.
 */
#include <math.h>

#include "analysis/compare/steps.h"

/* Relative; a hundredth of what the least change that counts is. */
#define ALIKE_WITHIN 2e-5

/* How one value of a run follows from another: the quotient, or the product. */
static double relation(double x, double y, bool inverse)
{
	return inverse ? x * y : x / y;
}

static bool alike_holds(const struct compare_row *x, const struct compare_row *y, bool inverse)
{
	double first =
	    relation(compare_row_values(x, x->a)[0], compare_row_values(y, y->a)[0], inverse);
	if (!isfinite(first) || first == 0)
		return false;
	for (int side = 0; side < 2; side++) {
		const struct compare_metric *mx = side ? x->b : x->a, *my = side ? y->b : y->a;
		if (mx->runs != my->runs)
			return false;
		for (uint32_t i = 0; i < mx->runs; i++)
			if (!(fabs(relation(compare_row_values(x, mx)[i],
					    compare_row_values(y, my)[i], inverse) -
				   first) <= ALIKE_WITHIN * fabs(first)))
				return false;
	}
	return true;
}

bool rows_are_alike(const struct compare_row *x, const struct compare_row *y)
{
	return x->a->device == y->a->device &&
	       (alike_holds(x, y, false) || alike_holds(x, y, true));
}
