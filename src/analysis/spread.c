/*
 * The variance of a ratio estimator over clusters: what rows hold beyond what their size explains,
 * a run of them at a time.
 */
#include "analysis/spread.h"

#include <math.h>

#define NORMAL	    1.959963985 /* holds 19 of 20 */
#define CAUCHY	    12.70620474 /* the same of Student's t with one degree of freedom, */
#define TWO_FREE    4.302652730 /* and with two */
#define ALIKE_LEAST 9		/* degrees of freedom: ten runs are alike if nearly all are */
#define ROUNDING    1e-13	/* of squares: what differences of sums leave of nothing */

static void run_add(struct spread_run *to, const struct spread_run *more)
{
	to->value += more->value;
	for (unsigned i = 0; i < SPREAD_BYS; i++)
		to->size[i] += more->size[i];
}

void spread_add(struct spread *s, const struct spread_run *row)
{
	s->runs_on = true;
	run_add(&s->open, row);
}

void spread_skip(struct spread *s)
{
	const struct spread_run *run = &s->open;
	if (!s->runs_on)
		return;
	s->squares += run->value * run->value;
	for (unsigned i = 0; i < SPREAD_BYS; i++) {
		s->products[i] += run->value * run->size[i];
		s->sizes[i] += run->size[i] * run->size[i];
	}
	s->runs++;
	run_add(&s->all, run);
	s->open = (struct spread_run){0};
	s->runs_on = false;
}

double spread_variance(const struct spread *spread, enum spread_by by, double *freedom)
{
	struct spread s = *spread;
	spread_skip(&s);
	*freedom = s.runs > 1 ? (double)s.runs - 1 : 0;
	if (s.unknown || s.runs < 2 || !(s.all.size[by] > 0))
		return (double)NAN;
	double ratio = s.all.value / s.all.size[by];
	double rest = s.squares - 2 * ratio * s.products[by] + ratio * ratio * s.sizes[by];
	if (rest < ROUNDING * s.squares)
		rest = 0;
	return rest * (double)s.runs / *freedom / s.all.size[by];
}

void spread_extrapolate(struct spread_sum *sum, double variance, double freedom, double times)
{
	double is = variance * times * (1 + times);
	if (!(times > 0))
		return;
	sum->variance += is;
	sum->weakest += freedom > 0 ? is * is / freedom : 0;
	sum->freedom += freedom;
}

/* Student's t that 19 of 20 lie within, by its series in 1 / freedom; the first two are exact. */
static double student_19_of_20(double freedom)
{
	double z = NORMAL, q = z * z, f = 4 * freedom;
	if (freedom < 2)
		return freedom > 1 ? CAUCHY + (TWO_FREE - CAUCHY) * (freedom - 1) : CAUCHY;
	if (freedom < 3)
		f = 12;
	double series = z + z * (q + 1) / f + z * ((5 * q + 16) * q + 3) / (6 * f * f) +
			z * (((3 * q + 19) * q + 17) * q - 15) / (6 * f * f * f);
	return freedom < 3 ? TWO_FREE + (series - TWO_FREE) * (freedom - 2) : series;
}

double spread_error(const struct spread_sum *sum)
{
	if (!(sum->variance > 0))
		return sum->freedom < ALIKE_LEAST ? (double)NAN : sum->variance;
	/* Welch and Satterthwaite: the freedom of a sum of variances. */
	double freedom = sum->weakest > 0 ? sum->variance * sum->variance / sum->weakest : 1;
	return student_19_of_20(freedom) * sqrt(sum->variance);
}
