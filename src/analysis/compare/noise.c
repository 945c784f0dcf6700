/* Statistics of few runs: moderated variances and Student's distribution. */
#include "analysis/compare/noise.h"

#include <math.h>

#define SERIES_LEAST   20  /* samples of a run from which its noise is estimated */
#define MODERATE_LEAST 4   /* metrics that have something in common */
#define FREEDOM_WHOLE  1e6 /* prior that holds for all */
#define FREEDOM_LONG   1e4 /* as good as that, for tables of F */
#define SPREAD_LEAST   1e-6
#define OUTLIER_CHANCE 0.02
#define OUTLIER_ROUNDS 3
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

/* What log variances have in common: mean, spread beyond that of chance, and how well it is known.
 */
struct prior {
	double variance, freedom;
	double freedom_most; /* of a variance that was moved towards it */
	size_t count;
};

static struct prior find_prior(const struct noise_variance *v, size_t count, double alike)
{
	double sum = 0, squares = 0, chance = 0;
	size_t n = 0;
	for (size_t i = 0; i < count; i++) {
		double half = v[i].freedom / 2;
		if (!(v[i].variance > 0) || !(half > 0) || v[i].stands_out)
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
	double mean = sum / (double)n, apart = chance / (double)n * (1 - alike);
	double spread = (squares - sum * mean) / (double)(n - 1) - apart;
	spread = spread > 0 ? spread : 0;
	p.freedom = spread > SPREAD_LEAST ? 2 * trigamma_inverse(spread) : FREEDOM_WHOLE;
	p.variance = exp(mean + digamma(p.freedom / 2) - log(p.freedom / 2));
	/*
	 * The mean is known from n values that are alike, the rest of a value from itself and from
	 * the spread: what is left is the variance of the log variance.
	 */
	double of_mean = chance / (double)n * (1 + (double)(n - 1) * alike) / (double)n;
	double of_rest = spread > 0 ? spread * apart / (spread + apart) : 0;
	p.freedom_most = 2 * trigamma_inverse(of_mean + of_rest * (double)(n - 1) / (double)n);
	return p;
}

/* Marks what is noisier than chance makes one of its kind: its noise is its own. */
static void find_outliers(struct noise_variance *v, size_t count, const struct prior *p)
{
	double prior = fmin(p->freedom, FREEDOM_LONG);
	for (size_t i = 0; i < count; i++) {
		double d = v[i].freedom, f = v[i].variance / p->variance;
		v[i].stands_out =
		    d > 0 && beta_share(prior / 2, d / 2, prior / (prior + d * f)) < OUTLIER_CHANCE;
	}
}

void noise_moderate(struct noise_variance *v, size_t count, double alike)
{
	struct prior p = find_prior(v, count, alike);
	for (int i = 0; i < OUTLIER_ROUNDS && p.count >= MODERATE_LEAST; i++) {
		find_outliers(v, count, &p);
		p = find_prior(v, count, alike);
	}
	if (p.count < MODERATE_LEAST)
		return;
	for (size_t i = 0; i < count; i++) {
		if (!(v[i].variance > 0) || !(v[i].freedom > 0) || v[i].stands_out)
			continue;
		double freedom = v[i].freedom + p.freedom;
		v[i].variance = (p.freedom * p.variance + v[i].freedom * v[i].variance) / freedom;
		v[i].freedom = fmax(v[i].freedom, fmin(freedom, p.freedom_most));
	}
}

/* A row of deviations as one of length 1; false when all are 0. */
static bool normalise(const double *row, size_t length, double *out)
{
	double sum = 0;
	for (size_t i = 0; i < length; i++)
		sum += row[i] * row[i];
	for (size_t i = 0; i < length; i++)
		out[i] = sum > 0 ? row[i] / sqrt(sum) : 0;
	return sum > 0;
}

double noise_alike(const double *rows, size_t count, size_t length, double freedom)
{
	double products[NOISE_RUNS_MAX * NOISE_RUNS_MAX] = {0}, unit[NOISE_RUNS_MAX], sum = 0;
	double n = 0;
	if (length > NOISE_RUNS_MAX || freedom < 2)
		return 0;
	for (size_t m = 0; m < count; m++) {
		n += normalise(rows + m * length, length, unit);
		for (size_t i = 0; i < length; i++)
			for (size_t k = 0; k < length; k++)
				products[i * length + k] += unit[i] * unit[k];
	}
	/* The sum of the squares of all correlations, those with themselves included. */
	for (size_t i = 0; i < length * length; i++)
		sum += products[i] * products[i];
	double mean = n > 1 ? (sum - n) / n / (n - 1) : 0;
	return fmin(fmax((mean - 1 / freedom) / (1 - 1 / freedom), 0), 1);
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
