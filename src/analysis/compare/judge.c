/* Judging each pair of two sets that are joined. */
#include "analysis/compare/compare.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/compare/noise.h"
#include "analysis/compare/steps.h"

#define CHANCE_ONE     0.019 /* of naming a given metric although nothing changed: 2 of 100 */
#define CHANCE_OWN     0.024 /* of naming a metric by its own runs alone */
#define CHANCE_ALL     0.05  /* of naming any metric */
#define WEIGHT_WORSE   0.75
#define CONSTANT_LEAST 20    /* samples */
#define CHANGE_LEAST   0.002 /* relative: less is the same, however certain */

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[] = {"same", "better", "worse", "changed", "incomparable"};
	return names[verdict];
}

bool compare_row_is_known(const struct compare_row *row)
{
	const struct compare_metric *const sides[] = {row->a, row->b};
	for (unsigned i = 0; i < 2; i++)
		if (sides[i] && (sides[i]->runs || sides[i]->named) && !sides[i]->hidden)
			return true;
	return false;
}

void comparison_finish(struct comparison *c)
{
	free(c->rows);
	free(c->advice);
	free(c->gates);
	arena_finish(&c->arena);
	*c = (struct comparison){0};
}

static bool all_equal(const double *values, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (values[i] != values[0])
			return false;
	return true;
}

/* The number that decides a count, when nothing but the work does: *value. */
static bool exact_value(const struct compare_metric *m, bool each_sample, double *value)
{
	if (!m->counts || m->partial)
		return false;
	*value = each_sample ? m->stats.min : m->totals[0];
	if (each_sample)
		return m->constant && m->stats.min == m->stats.max;
	if (m->scaled)
		return false;
	for (uint32_t i = 1; i < m->runs; i++)
		if (m->samples[i] != m->samples[0])
			return false;
	return all_equal(m->totals, m->runs);
}

static enum compare_verdict by_direction(const struct compare_row *row)
{
	double change = compare_row_value(row, row->b) - compare_row_value(row, row->a);
	if (row->a->direction == SX_DIRECTION_UNKNOWN || change == 0)
		return COMPARE_CHANGED;
	bool less = change < 0;
	return less == (row->a->direction == SX_DIRECTION_LOWER) ? COMPARE_BETTER : COMPARE_WORSE;
}

/* Counts are compared number by number: each sample's where all are alike, else the totals. */
static bool judge_exact(struct compare_row *row)
{
	double a, b;
	bool each = exact_value(row->a, true, &a) && exact_value(row->b, true, &b);
	if (!each && (!exact_value(row->a, false, &a) || !exact_value(row->b, false, &b) ||
		      row->a->samples[0] != row->b->samples[0]))
		return false;
	row->exact = true;
	row->noise = 0;
	row->change = a != 0 ? (b - a) / fabs(a) : b == 0 ? 0 : (double)NAN;
	row->verdict = a == b ? COMPARE_SAME : by_direction(row);
	return true;
}

bool compare_row_is_shown(const struct compare_row *row)
{
	bool named = (row->a && row->a->named) || (row->b && row->b->named);
	return named || (row->verdict != COMPARE_SAME && row->verdict != COMPARE_INCOMPARABLE);
}

double compare_row_value(const struct compare_row *row, const struct compare_metric *side)
{
	return row->total ? side->stats.total : row->rate ? side->stats.rate : side->stats.mean;
}

const double *compare_row_values(const struct compare_row *row, const struct compare_metric *side)
{
	return row->total ? side->totals : row->rate ? side->rates : side->means;
}

const char *compare_row_unit(const struct compare_row *row, const struct compare_metric *side)
{
	return row->rate ? side->rate_unit : side->unit;
}

/* A pair that is tested: its scale, and the variance of one run's mean relative to it. */
struct test {
	struct compare_row *row;
	double scale, difference;
	double share;			  /* of the variance that the difference of the means has */
	struct noise_variance noise, own; /* as tested, and as its own runs show */
	const struct compare_row *of;	  /* which says the same, and is tested for this one too */
};

/* The sum of squares of one side's runs about their mean. */
static double squares_of(const struct compare_row *row, const struct compare_metric *side)
{
	double mean = compare_row_value(row, side);
	return noise_variance(compare_row_values(row, side), side->runs, mean) *
	       ((double)side->runs - 1);
}

/* Spread between repeated runs of either side; both sides count together. */
static bool noise_between(const struct compare_row *row, struct test *t)
{
	const struct compare_metric *a = row->a, *b = row->b;
	double freedom = (double)a->runs - 1 + (double)b->runs - 1;
	if (freedom < 1)
		return false;
	double sum = squares_of(row, a) + squares_of(row, b);
	t->noise = (struct noise_variance){.variance = sum / freedom / (t->scale * t->scale),
					   .freedom = freedom};
	t->share = 1.0 / (double)a->runs + 1.0 / (double)b->runs;
	return true;
}

/* The variance of what is compared of a side's only run, from its samples. */
static double within_of(const struct compare_row *row, const struct compare_metric *side)
{
	double seconds = row->rate ? side->seconds[0] : 1;
	return side->within[0] / (seconds * seconds);
}

/* One run each: the noise from its own samples. */
static bool noise_within(const struct compare_row *row, struct test *t)
{
	const struct compare_metric *a = row->a, *b = row->b;
	if (!(a->blocks[0] > 0) || !(b->blocks[0] > 0))
		return false;
	double sum = within_of(row, a) + within_of(row, b);
	t->noise = (struct noise_variance){.variance = sum / 2 / (t->scale * t->scale),
					   .freedom = a->blocks[0] + b->blocks[0] - 2};
	t->share = 2;
	return true;
}

/*
 * Amounts of what is sampled by time are those of a whole run, where runs are comparable at all and
 * repeated: one run cannot show how much totals vary.
 */
static bool compares_totals(const struct comparison *c, const struct compare_row *row)
{
	return row->a->amount && row->b->amount && c->a->ended && c->b->ended &&
	       row->a->runs + row->b->runs > 2;
}

#define LENGTHS_APART 0.005 /* relative: as far as samples of one interval differ, or more */

/* The shortest and the longest sample of a side's runs, in s. */
static void widen_lengths(const struct compare_metric *side, double *least, double *most)
{
	for (uint32_t i = 0; i < side->runs; i++) {
		*least = fmin(*least, side->seconds[i]);
		*most = fmax(*most, side->seconds[i]);
	}
}

/* An amount in samples of another length is another amount, of the same work. */
static bool compares_rates(const struct compare_row *row)
{
	double least = (double)INFINITY, most = 0;
	if (row->total)
		return false;
	widen_lengths(row->a, &least, &most);
	widen_lengths(row->b, &least, &most);
	return least > 0 && most - least > LENGTHS_APART * most;
}

/* Prepares the test of a row; rows that need none, or cannot have one, are judged here. */
static bool prepare(const struct comparison *c, struct compare_row *row, struct test *t)
{
	row->total = compares_totals(c, row);
	row->rate = compares_rates(row);
	double a = compare_row_value(row, row->a), b = compare_row_value(row, row->b);
	*t = (struct test){.row = row, .difference = b - a, .scale = fmax(fabs(a), fabs(b))};
	row->change = a != 0 ? t->difference / fabs(a) : t->difference == 0 ? 0 : (double)NAN;
	if (!row->rate && judge_exact(row))
		return false;
	if (t->difference == 0) {
		row->verdict = COMPARE_SAME; /* whatever the noise is */
		return false;
	}
	if (!noise_between(row, t) && !noise_within(row, t)) {
		row->verdict = COMPARE_INCOMPARABLE;
		row->why = "too few samples to know the noise";
		return false;
	}
	return true;
}

/* Whether every sample of a side has one and the same value, and there are enough to say so. */
static bool never_varies(const struct compare_metric *m)
{
	uint64_t samples = 0;
	for (uint32_t i = 0; i < m->runs; i++)
		samples += m->samples[i];
	return m->constant && samples >= CONSTANT_LEAST;
}

/*
 * Runs of a side that are all alike have no deviation, either because nothing varies or because a
 * clock has coarse ticks. This bounds the probability of such a result by chance: all runs of A
 * have one value and all of B another, of two that are as likely as the runs of their sides.
 */
static double chance_of_alike(const struct compare_row *row)
{
	double a = row->a->runs, b = row->b->runs, all = a + b;
	if (!row->total && !row->rate && never_varies(row->a) && never_varies(row->b))
		return 0;
	return fmin(2 * pow(a / all, a) * pow(b / all, b), 1);
}

/*
 * How likely chance makes such a difference. What is asked first is whether something got worse:
 * where the catalog knows a direction, three quarters of the error that is allowed are spent on
 * that, so that fewer changes for the worse are missed. Of five runs each no test that treats both
 * directions alike finds 95 of 100 (tests/unit/analysis/test_compare.c works out 94.1).
 */
static double chance_of(const struct test *t, const struct noise_variance *noise)
{
	double deviation = sqrt(noise->variance * t->share) * t->scale;
	double both = deviation > 0 ? noise_chance(t->difference / deviation, noise->freedom)
				    : chance_of_alike(t->row);
	enum compare_verdict verdict = by_direction(t->row);
	double weight = verdict == COMPARE_WORSE    ? WEIGHT_WORSE
			: verdict == COMPARE_BETTER ? 1 - WEIGHT_WORSE
						    : 0.5;
	return fmin(both / 2 / weight, 1);
}

static int by_chance(const void *a, const void *b)
{
	const struct test *x = a, *y = b;
	double d = x->row->chance - y->row->chance;
	return (d > 0) - (d < 0);
}

/*
 * Holm: the least likely first, each against what its rank allows; the first that fails ends it. A
 * metric's own runs have to bear it out as well: one that is noisier than the others, from which
 * the noise is known, would be named too often.
 */
static void judge_tests(struct test *tests, size_t count)
{
	bool named = true;
	qsort(tests, count, sizeof(*tests), by_chance);
	for (size_t i = 0; i < count; i++) {
		struct compare_row *row = tests[i].row;
		double most = fmin(CHANCE_ALL / (double)(count - i), CHANCE_ONE);
		named = named && row->chance <= most;
		bool counts = named && chance_of(&tests[i], &tests[i].own) <= CHANCE_OWN &&
			      fabs(tests[i].difference) >= CHANGE_LEAST * tests[i].scale;
		row->verdict = counts ? by_direction(row) : COMPARE_SAME;
	}
}

/* The deviations of all runs from the mean of their side. */
static void write_deviations(const struct test *t, double *row)
{
	const struct compare_metric *const sides[2] = {t->row->a, t->row->b};
	for (int s = 0; s < 2; s++)
		for (uint32_t i = 0; i < sides[s]->runs; i++)
			*row++ = compare_row_values(t->row, sides[s])[i] -
				 compare_row_value(t->row, sides[s]);
}

/* Whether the metric has the runs of all others, so that their noise is estimated together. */
static bool is_shared(const struct comparison *c, const struct test *t)
{
	return t->row->a->runs == c->a->runs && t->row->b->runs == c->b->runs &&
	       c->a->runs + c->b->runs > 2;
}

/* Lets metrics learn of the noise from each other. */
static bool share_noise(const struct comparison *c, struct test *tests, size_t count)
{
	size_t runs = (size_t)c->a->runs + c->b->runs, n = 0;
	if (runs > NOISE_RUNS_MAX)
		return true; /* each metric knows its own noise well */
	struct noise_variance *shared = calloc(count + 1, sizeof(*shared));
	double *rows = calloc((count + 1) * runs, sizeof(*rows));
	bool ok = shared && rows;
	for (size_t i = 0; ok && i < count; i++)
		if (is_shared(c, &tests[i])) {
			shared[n] = tests[i].own;
			write_deviations(&tests[i], rows + n++ * runs);
		}
	if (ok)
		noise_moderate(shared, n, noise_alike(rows, n, runs, (double)runs - 2));
	for (size_t i = n = 0; ok && i < count; i++)
		if (is_shared(c, &tests[i]))
			tests[i].noise = shared[n++];
	free(shared);
	free(rows);
	return ok;
}

/* Of a name that says what another one says: as that one was judged. */
static void judge_alike(const struct test *t)
{
	t->row->noise = sqrt(t->own.variance);
	t->row->chance = t->of->chance;
	t->row->verdict = t->of->verdict == COMPARE_SAME ? COMPARE_SAME : by_direction(t->row);
}

static bool is_alike(const struct test *x, const struct test *y)
{
	double most = fmax(x->noise.variance, y->noise.variance);
	return rows_are_alike(x->row, y->row) &&
	       fabs(x->noise.variance - y->noise.variance) <= 0.1 * most;
}

/*
 * Names for one number are one test, that of a name with a known direction if there is one. The
 * others go to the end; returns how many are left.
 */
static size_t set_alike_apart(struct test *tests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t first = i;
		for (size_t k = i + 1; k < count; k++)
			if (tests[first].row->a->direction == SX_DIRECTION_UNKNOWN &&
			    tests[k].row->a->direction != SX_DIRECTION_UNKNOWN &&
			    is_alike(&tests[first], &tests[k]))
				first = k;
		struct test chosen = tests[first];
		tests[first] = tests[i];
		tests[i] = chosen;
		for (size_t k = count; k-- > i + 1;) {
			if (!is_alike(&chosen, &tests[k]))
				continue;
			struct test other = tests[k];
			other.of = chosen.row;
			tests[k] = tests[--count];
			tests[count] = other;
		}
	}
	return count;
}

static enum sx_status judge_rows(struct comparison *c, struct sx_error *err)
{
	struct test *tests = calloc(c->row_count + 1, sizeof(*tests));
	size_t count = 0;
	for (size_t i = 0; tests && i < c->row_count; i++) {
		struct compare_row *row = &c->rows[i];
		row->why = reasons_pair(c, row);
		if (row->why)
			row->verdict = COMPARE_INCOMPARABLE;
		else if (compare_row_is_known(row))
			count += prepare(c, row, &tests[count]);
	}
	bool ok = tests != NULL;
	for (size_t i = 0; i < count; i++)
		tests[i].own = tests[i].noise;
	size_t all = count;
	count = set_alike_apart(tests, count);
	ok = ok && share_noise(c, tests, count);
	for (size_t i = 0; ok && i < count; i++) {
		tests[i].row->noise = sqrt(tests[i].own.variance);
		tests[i].row->chance = chance_of(&tests[i], &tests[i].noise);
	}
	if (ok && count)
		judge_tests(tests, count);
	for (size_t i = count; ok && i < all; i++)
		judge_alike(&tests[i]);
	free(tests);
	return ok ? SX_OK : error_nomem(err, "a comparison");
}

enum sx_status compare_run(const struct compare_set *a, const struct compare_set *b,
			   struct comparison *out, struct sx_error *err)
{
	*out = (struct comparison){.a = a, .b = b};
	enum sx_status status = join_rows(out, err);
	if (!status)
		status = judge_rows(out, err);
	if (!status)
		status = join_advice(out, err);
	if (!status)
		reasons_whole(out);
	if (!status && !out->comparable) /* then advice of one is not new or gone in the other */
		out->advice_count = 0;
	return status;
}
