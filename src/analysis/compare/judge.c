/* Joining two sets by name and judging each pair. */
#include "analysis/compare/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/noise.h"

#define PICTURE	     "framebuffer_pixels" /* of catalogs that know the size of a picture */
#define LOST_MOST    0.05		  /* share of samples that may be lost on either side */
#define CHANCE_ONE   0.02  /* that a given metric is named although nothing changed */
#define CHANCE_ALL   0.05  /* that any is */
#define CHANGE_LEAST 0.002 /* relative: less is the same, however certain */

const char *compare_verdict_name(enum compare_verdict verdict)
{
	static const char *const names[] = {"same", "better", "worse", "changed", "incomparable"};
	return names[verdict];
}

bool compare_row_is_told(const struct compare_row *row)
{
	return (row->a && row->a->runs) || (row->b && row->b->runs);
}

void comparison_finish(struct comparison *c)
{
	free(c->rows);
	free(c->advice);
	free(c->gates);
	arena_finish(&c->arena);
	*c = (struct comparison){0};
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : !a && !b;
}

/* Whether the devices behind two metrics are one kind of device under one kind of driver. */
static const char *differs(const struct compare_device *a, const struct compare_device *b)
{
	if (strcmp(a->catalog, b->catalog) != 0 || strcmp(a->name, b->name) != 0)
		return "the devices differ";
	if (!same_text(a->driver, b->driver))
		return "the drivers differ";
	return NULL;
}

static double lost_share(const struct compare_device *d)
{
	uint64_t all = d->samples + d->lost;
	return all ? (double)d->lost / (double)all : 0;
}

static const struct compare_metric *
partner(const struct compare_set *b, const struct compare_set *a, const struct compare_metric *m)
{
	const struct compare_device *mine = &a->devices[m->device];
	for (size_t i = 0; i < b->metric_count; i++) {
		const struct compare_metric *o = &b->metrics[i];
		if (strcmp(o->name, m->name) == 0 &&
		    strcmp(b->devices[o->device].catalog, mine->catalog) == 0)
			return o;
	}
	for (size_t i = 0; m->neutral && i < b->metric_count; i++)
		if (same_text(b->metrics[i].neutral, m->neutral))
			return &b->metrics[i];
	return NULL;
}

static const char *judge_pair(const struct comparison *c, const struct compare_row *row)
{
	const struct compare_metric *a = row->a, *b = row->b;
	if (!a || !b)
		return a ? "B does not have it" : "A does not have it";
	if (!a->runs || !b->runs)
		return a->why ? a->why : b->why ? b->why : "no data";
	if (strcmp(a->unit, b->unit) != 0)
		return "the units differ";
	const struct compare_device *da = &c->a->devices[a->device],
				    *db = &c->b->devices[b->device];
	if (da->simulated != db->simulated)
		return "one side is simulated";
	if (lost_share(da) > LOST_MOST || lost_share(db) > LOST_MOST)
		return "over 5 % of the samples are lost";
	/* What has a neutral name means the same everywhere. */
	return a->neutral ? NULL : differs(da, db);
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
	if (!m->counts)
		return false;
	*value = each_sample ? m->stats.min : m->totals[0];
	if (each_sample)
		return m->constant && m->stats.min == m->stats.max;
	for (uint32_t i = 1; i < m->runs; i++)
		if (m->samples[i] != m->samples[0])
			return false;
	return all_equal(m->totals, m->runs);
}

static enum compare_verdict by_direction(const struct compare_row *row)
{
	double change = row->b->stats.mean - row->a->stats.mean;
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

/* A pair that is tested: its scale, and the variance of one run's mean relative to it. */
struct test {
	struct compare_row *row;
	double scale, difference;
	double share; /* of the variance that the difference of the means has */
	struct noise_variance noise;
};

/* Spread between repeated runs of either side; both sides count together. */
static bool noise_between(const struct compare_metric *a, const struct compare_metric *b,
			  struct test *t)
{
	double freedom = (double)a->runs - 1 + (double)b->runs - 1;
	if (freedom < 1)
		return false;
	double sum = noise_variance(a->means, a->runs, a->stats.mean) * ((double)a->runs - 1) +
		     noise_variance(b->means, b->runs, b->stats.mean) * ((double)b->runs - 1);
	t->noise = (struct noise_variance){sum / freedom / (t->scale * t->scale), freedom};
	t->share = 1.0 / (double)a->runs + 1.0 / (double)b->runs;
	return true;
}

/* One run each: what its own samples tell. */
static bool noise_within(const struct compare_metric *a, const struct compare_metric *b,
			 struct test *t)
{
	if (!(a->blocks[0] > 0) || !(b->blocks[0] > 0))
		return false;
	double sum = a->within[0] + b->within[0];
	t->noise = (struct noise_variance){sum / 2 / (t->scale * t->scale),
					   a->blocks[0] + b->blocks[0] - 2};
	t->share = 2;
	return true;
}

/* Prepares the test of a row; rows that need none, or cannot have one, are judged here. */
static bool prepare(struct compare_row *row, struct test *t)
{
	const struct compare_metric *a = row->a, *b = row->b;
	*t = (struct test){.row = row, .difference = b->stats.mean - a->stats.mean};
	t->scale = fmax(fabs(a->stats.mean), fabs(b->stats.mean));
	row->change = a->stats.mean != 0   ? t->difference / fabs(a->stats.mean)
		      : t->difference == 0 ? 0
					   : (double)NAN;
	if (judge_exact(row))
		return false;
	if (!(t->scale > 0)) {
		row->verdict = COMPARE_SAME; /* both are 0 */
		return false;
	}
	if (!noise_between(a, b, t) && !noise_within(a, b, t)) {
		row->verdict = COMPARE_INCOMPARABLE;
		row->why = "too few samples to know the noise";
		return false;
	}
	return true;
}

static double chance_of(const struct test *t)
{
	double deviation = sqrt(t->noise.variance * t->share) * t->scale;
	if (t->difference == 0)
		return 1;
	return deviation > 0 ? noise_chance(t->difference / deviation, t->noise.freedom) : 0;
}

static int by_chance(const void *a, const void *b)
{
	const struct test *x = a, *y = b;
	double d = x->row->chance - y->row->chance;
	return (d > 0) - (d < 0);
}

/* Holm: the least likely first, each against what its rank allows; the first that fails ends it. */
static void judge_tests(struct test *tests, size_t count)
{
	bool named = true;
	qsort(tests, count, sizeof(*tests), by_chance);
	for (size_t i = 0; i < count; i++) {
		struct compare_row *row = tests[i].row;
		double most = fmin(CHANCE_ALL / (double)(count - i), CHANCE_ONE);
		named = named && row->chance <= most;
		bool counts = named && fabs(tests[i].difference) >= CHANGE_LEAST * tests[i].scale;
		row->verdict = counts ? by_direction(row) : COMPARE_SAME;
	}
}

static enum sx_status judge_rows(struct comparison *c, struct sx_error *err)
{
	struct test *tests = calloc(c->row_count + 1, sizeof(*tests));
	struct noise_variance *variances = calloc(c->row_count + 1, sizeof(*variances));
	size_t count = 0;
	for (size_t i = 0; tests && variances && i < c->row_count; i++) {
		struct compare_row *row = &c->rows[i];
		row->why = judge_pair(c, row);
		if (row->why)
			row->verdict = COMPARE_INCOMPARABLE;
		else
			count += prepare(row, &tests[count]);
	}
	for (size_t i = 0; i < count; i++)
		variances[i] = tests[i].noise;
	if (variances)
		noise_moderate(variances, count);
	for (size_t i = 0; i < count; i++) {
		tests[i].row->noise = sqrt(tests[i].noise.variance);
		tests[i].noise = variances[i];
		tests[i].row->chance = chance_of(&tests[i]);
	}
	if (count)
		judge_tests(tests, count);
	bool ok = tests && variances;
	free(tests);
	free(variances);
	return ok ? SX_OK : error_nomem(err, "a comparison");
}

static enum sx_status join(struct comparison *c, struct sx_error *err)
{
	size_t most = c->a->metric_count + c->b->metric_count;
	c->rows = calloc(most + 1, sizeof(*c->rows));
	bool *used = calloc(c->b->metric_count + 1, sizeof(*used));
	for (size_t i = 0; c->rows && used && i < c->a->metric_count; i++) {
		const struct compare_metric *a = &c->a->metrics[i], *b = partner(c->b, c->a, a);
		bool named = b && strcmp(a->name, b->name) == 0;
		if (b && used[b - c->b->metrics])
			b = NULL;
		if (b)
			used[b - c->b->metrics] = true;
		c->rows[c->row_count++] = (struct compare_row){
		    .a = a, .b = b, .name = !b || named ? a->name : a->neutral};
	}
	for (size_t i = 0; c->rows && used && i < c->b->metric_count; i++)
		if (!used[i])
			c->rows[c->row_count++] = (struct compare_row){
			    .b = &c->b->metrics[i], .name = c->b->metrics[i].name};
	bool ok = c->rows && used;
	for (size_t i = 0; ok && i < c->row_count; i++)
		c->rows[i].change = c->rows[i].noise = c->rows[i].chance = (double)NAN;
	free(used);
	return ok ? SX_OK : error_nomem(err, "a comparison");
}

static bool has_advice(const struct compare_set *set, const char *title, bool every)
{
	for (size_t d = 0; d < set->device_count; d++)
		for (size_t i = 0; i < set->devices[d].advice_count; i++)
			if (strcmp(set->devices[d].advice[i], title) == 0 &&
			    (!every || set->devices[d].fired[i] == set->runs))
				return true;
	return false;
}

/* Advice of every run of one side and of none of the other's. */
static enum sx_status join_advice(struct comparison *c, struct sx_error *err)
{
	const struct compare_set *sides[2] = {c->a, c->b};
	size_t capacity = 0;
	if (c->a->no_advice || c->b->no_advice)
		return SX_OK;
	for (int s = 0; s < 2; s++)
		for (size_t d = 0; d < sides[s]->device_count; d++)
			for (size_t i = 0; i < sides[s]->devices[d].advice_count; i++) {
				const char *title = sides[s]->devices[d].advice[i];
				if (!has_advice(sides[s], title, true) ||
				    has_advice(sides[1 - s], title, false))
					continue;
				if (!mem_grow(&c->advice, &capacity, c->advice_count + 1,
					      sizeof(*c->advice)))
					return error_nomem(err, "a comparison");
				c->advice[c->advice_count++] =
				    (struct compare_advice){title, s == 1};
			}
	return SX_OK;
}

/* Pictures of another size are other work: numbers that depend on it are no result of a change. */
static bool other_pictures(const struct comparison *c)
{
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		if (row->a && row->b && row->a->runs && row->b->runs &&
		    strcmp(row->name, PICTURE) == 0)
			return row->a->stats.p50 != row->b->stats.p50;
	}
	return false;
}

static void refuse_all(struct comparison *c, const char *why)
{
	for (size_t i = 0; i < c->row_count; i++) {
		if (c->rows[i].verdict == COMPARE_INCOMPARABLE ||
		    strcmp(c->rows[i].name, PICTURE) == 0)
			continue;
		c->rows[i].verdict = COMPARE_INCOMPARABLE;
		c->rows[i].why = why;
	}
}

/* Whether anything can be compared, and what concerns all of it. */
static void judge_whole(struct comparison *c)
{
	size_t pairs = 0;
	bool other = other_pictures(c);
	if (other)
		refuse_all(c, "the pictures differ in size");
	for (size_t i = 0; i < c->row_count; i++)
		pairs += c->rows[i].verdict != COMPARE_INCOMPARABLE;
	c->comparable = pairs > 0;
	if (other) {
		c->comparable = false;
		c->why_not = "the pictures differ in size";
	} else if (!pairs) {
		c->why_not = "the two have nothing that can be compared";
	}
	for (size_t d = 0; d < c->a->device_count && d < c->b->device_count && !c->why_not; d++)
		c->why_not = differs(&c->a->devices[d], &c->b->devices[d]);
	if (!c->why_not && c->a->runs == 1 && c->b->runs == 1)
		c->why_not = "one run each: how much runs differ by themselves is not known";
}

enum sx_status compare_run(const struct compare_set *a, const struct compare_set *b,
			   struct comparison *out, struct sx_error *err)
{
	*out = (struct comparison){.a = a, .b = b};
	enum sx_status status = join(out, err);
	if (!status)
		status = judge_rows(out, err);
	if (!status)
		status = join_advice(out, err);
	if (!status)
		judge_whole(out);
	return status;
}
