/* Statistics of few runs: moderated variances and Student's distribution. */
#include "analysis/compare/noise.h"

#include <math.h>

#define SERIES_LEAST   20  /* samples of a run that tell its own noise */
#define MODERATE_LEAST 4   /* metrics that have something in common */
#define FREEDOM_WHOLE  1e6 /* prior that holds for all */
#define FRACTION_STEPS 200
#define FRACTION_SMALL 1e-30
#define FRACTION_NEAR  1e-13
#define SERIES_AT      10.0 /* from where asymptotic series are exact to 1e-12 */
#define NEWTON_STEPS   60

double noise_mean(const double *values, size_t count)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	return count ? sum / (double)count : (double)NAN;
}

double noise_variance(const double *values, size_t count, double mean)
{
	double sum = 0;
	for (size_t i = 0; i < count; i++)
		sum += (values[i] - mean) * (values[i] - mean);
	return count > 1 ? sum / (double)(count - 1) : 0;
}

double noise_of_series(const double *values, size_t count, double *blocks)
{
	*blocks = 0;
	if (count < SERIES_LEAST)
		return 0;
	size_t length = (size_t)ceil(cbrt((double)count)), starts = count - length + 1;
	double mean = noise_mean(values, count), sum = 0, window = 0;
	for (size_t i = 0; i < length; i++)
		window += values[i];
	for (size_t s = 0;; s++) {
		double off = window / (double)length - mean;
		sum += off * off;
		if (s + 1 == starts)
			break;
		window += values[s + length] - values[s];
	}
	*blocks = (double)count / (double)length;
	return sum / (double)starts / *blocks;
}

static double digamma(double x)
{
	double shift = 0;
	for (; x < SERIES_AT; x += 1)
		shift -= 1 / x;
	double q = 1 / (x * x);
	return shift + log(x) - 0.5 / x - q * (1.0 / 12 - q * (1.0 / 120 - q / 252));
}

static double trigamma(double x)
{
	double shift = 0;
	for (; x < SERIES_AT; x += 1)
		shift += 1 / (x * x);
	double q = 1 / (x * x);
	return shift + 1 / x + q / 2 + q / x * (1.0 / 6 - q * (1.0 / 30 - q / 42));
}

/* Where trigamma is y, by halving: it falls from infinity to 0. */
static double trigamma_inverse(double y)
{
	double low = 1e-4, high = 1e7;
	for (int i = 0; i < NEWTON_STEPS; i++) {
		double middle = sqrt(low * high);
		if (trigamma(middle) > y)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}

/* What log variances have in common: mean and spread beyond that of chance. */
struct prior {
	double variance, freedom;
	size_t count;
};

static struct prior find_prior(const struct noise_variance *v, size_t count)
{
	double sum = 0, squares = 0, chance = 0;
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		double half = v[i].freedom / 2;
		if (!(v[i].variance > 0) || !(half > 0))
			continue;
		double e = log(v[i].variance) - digamma(half) + log(half);
		sum += e;
		squares += e * e;
		chance += trigamma(half);
		n++;
	}
	struct prior p = {.count = n};
	if (n < MODERATE_LEAST)
		return p;
	double mean = sum / (double)n;
	double spread = (squares - sum * mean) / (double)(n - 1) - chance / (double)n;
	p.freedom = spread > 0 ? 2 * trigamma_inverse(spread) : FREEDOM_WHOLE;
	p.variance = exp(mean + digamma(p.freedom / 2) - log(p.freedom / 2));
	return p;
}

void noise_moderate(struct noise_variance *v, size_t count)
{
	struct prior p = find_prior(v, count);
	if (p.count < MODERATE_LEAST)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!(v[i].variance > 0) || !(v[i].freedom > 0))
			continue;
		double freedom = v[i].freedom + p.freedom;
		v[i].variance = (p.freedom * p.variance + v[i].freedom * v[i].variance) / freedom;
		v[i].freedom = freedom;
	}
}

static double lift(double x)
{
	return fabs(x) < FRACTION_SMALL ? FRACTION_SMALL : x;
}

/* Lentz's continued fraction of the incomplete beta function. */
static double beta_fraction(double a, double b, double x)
{
	double c = 1, d = 1 / lift(1 - (a + b) * x / (a + 1)), h = d;
	for (int m = 1; m <= FRACTION_STEPS; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
		d = 1 / lift(1 + even * d);
		c = lift(1 + even / c);
		h *= d * c;
		d = 1 / lift(1 + odd * d);
		c = lift(1 + odd / c);
		h *= d * c;
		if (fabs(d * c - 1) < FRACTION_NEAR)
			break;
	}
	return h;
}

static double beta_share(double a, double b, double x)
{
	if (!(x > 0))
		return 0;
	if (x >= 1)
		return 1;
	double front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x));
	if (x < (a + 1) / (a + b + 2))
		return front * beta_fraction(a, b, x) / a;
	return 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double noise_chance(double t, double freedom)
{
	if (isnan(t) || !(freedom > 0))
		return (double)NAN;
	if (isinf(t))
		return 0;
	if (freedom >= FREEDOM_WHOLE)
		return erfc(fabs(t) / sqrt(2));
	return beta_share(freedom / 2, 0.5, freedom / (freedom + t * t));
}
