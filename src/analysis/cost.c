/*
 * The overhead of measuring: runs of measured samples against the samples beside them that were not
 * measured. A run's cost may fall on the two samples after it. The median of many runs, weighted by
 * their length, is robust against what the program does now and then.
 *
 * A cost is reported only where noise alone would hardly reach it (in about one of a hundred
 * programs, and in a few of those with the largest spread and the fewest samples). With RUNS_NOTE
 * runs and more, the confidence interval of the median, by order statistics, must lie above 0. With
 * fewer, the median must exceed its standard error, from the spread of measured samples and of
 * others, by Student's quantile for so few samples. That measuring costs nothing is reported only
 * where enough runs took less time than what surrounds them.
 */
#include "analysis/cost.h"

#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/column.h"
#include "table/slices.h"

#define CONTEXTS_MAX 64u   /* busier programs: the others' samples are counted, no more */
#define RUNS_MAX     1023u /* the last ones */
#define TAIL	     2u
#define NEAR	     32u  /* samples that were not measured which a run is compared with */
#define RUNS_NOTE    6u	  /* fewer would all cost something by chance in more than a hundredth */
#define SURE	     2.33 /* standard deviations that chance exceeds in a hundredth */
#define MEDIAN_ERROR 1.25 /* that of a median by that of a mean */

struct cost_sum {
	double cpu;
	uint64_t samples;
};

/* One context: the run that was measured last, and what lies around it. */
struct cost_context {
	uint64_t id;
	bool seen, measuring;
	struct cost_sum before, run, tail, after;
	double last[2]; /* sample that was not measured, and that was; 0: none */
};

struct cost_run {
	double extra; /* in unmeasured samples, for each measured one */
	double weight;
	double of_measured, of_plain; /* its variance, in those of single samples */
};

/* Samples of one kind, and how much they differ from the ones before them. */
struct cost_spread {
	double sum, squares;
	uint64_t samples, count; /* count: of differences */
};

struct cost_column {
	bool shows_none;  /* a constant of the device, which is no counter */
	bool has_turns;	  /* the column was left out of a sample */
	uint64_t pending; /* samples with a value of the column, in which nothing that has turns had
			     one */
};

struct costs {
	uint32_t cpu, gpu; /* columns of times, or SX_NONE */
	bool draws;	   /* samples are draws: the program's time between them is in none */
	bool counts_turn;  /* something else than GPU time was left out of a sample */
	struct cost_context contexts[CONTEXTS_MAX];
	uint32_t context_count;
	struct cost_run runs[RUNS_MAX];
	uint64_t run_count, measured, all;
	double cpu_sum, base_sum; /* of samples of known cost: measured, and estimated without it */
	uint64_t timed, timed_measured, plain;
	struct cost_spread
	    spread[2]; /* of samples that were not measured, and of those that were */
	struct cost_column *columns;
	uint32_t column_count;
};

static uint32_t cost_find_neutral(struct sx_catalog *catalog, const struct sx_table *like,
				  const char *name)
{
	const char *column = column_of_neutral(catalog, name, false);
	return column ? sx_table_find(like, column) : SX_NONE;
}

enum sx_status costs_create(struct sx_catalog *catalog, const struct sx_table *like,
			    struct costs **out, struct sx_error *err)
{
	struct costs *costs = calloc(1, sizeof(*costs));
	if (!costs)
		return error_nomem(err, "adding up what measuring cost");
	costs->cpu = cost_find_neutral(catalog, like, "cpu.time");
	costs->gpu = cost_find_neutral(catalog, like, "gpu.time");
	costs->draws = sx_table_kind(like) == SX_SAMPLE_DRAW;
	costs->column_count = sx_table_column_count(like);
	costs->columns = calloc(costs->column_count + 1, sizeof(*costs->columns));
	if (!costs->columns) {
		costs_destroy(costs);
		return error_nomem(err, "adding up what measuring cost");
	}
	/* What threads took is left out where GPU time is, or by itself. */
	uint32_t raster = cost_find_neutral(catalog, like, "gpu.software.total"),
		 any = cost_find_neutral(catalog, like, "cpu.any.time");
	for (uint32_t i = 0; i < costs->column_count; i++)
		costs->columns[i].shows_none =
		    i == raster || i == any ||
		    sx_catalog_find_constant(catalog, sx_table_column(like, i)->name) != SX_NONE;
	*out = costs;
	return SX_OK;
}

void costs_destroy(struct costs *costs)
{
	if (!costs)
		return;
	free(costs->columns);
	free(costs);
}

/*
 * Whether anything was measured in a sample: nothing was left out of it, or what is left out of
 * others is in it, as where counters take turns. What is never left out says nothing; GPU time,
 * which may be had by other means than the rest and at other times, only where nothing else takes
 * turns. *before: earlier samples that are known only now to have been measured.
 */
static bool was_measured(struct costs *costs, const struct sx_table *rows, size_t row,
			 uint64_t *before)
{
	bool any_skipped = false, any_turn = false;
	*before = 0;
	for (uint32_t i = 0; i < costs->column_count; i++) {
		struct sx_vector v = sx_table_vector(rows, i);
		struct cost_column *column = &costs->columns[i];
		bool skipped = v.quality && sx_quality_is_skipped(v.quality[row]);
		if (column->shows_none || (i == costs->gpu && costs->counts_turn))
			continue;
		costs->counts_turn |= skipped && i != costs->gpu;
		any_skipped |= skipped;
		any_turn |= !skipped && column->has_turns;
		if (skipped && !column->has_turns && column->pending > *before)
			*before = column->pending;
		column->has_turns |= skipped;
	}
	for (uint32_t i = 0; *before && i < costs->column_count; i++)
		costs->columns[i].pending = 0; /* counted now, in whichever column */
	for (uint32_t i = 0; any_skipped && !any_turn && i < costs->column_count; i++)
		costs->columns[i].pending +=
		    !costs->columns[i].has_turns && !costs->columns[i].shows_none;
	return any_turn || !any_skipped;
}

static struct cost_context *context_of(struct costs *costs, uint64_t id)
{
	for (uint32_t i = 0; i < costs->context_count; i++)
		if (costs->contexts[i].id == id)
			return &costs->contexts[i];
	if (costs->context_count == CONTEXTS_MAX)
		return NULL;
	costs->contexts[costs->context_count] = (struct cost_context){.id = id};
	return &costs->contexts[costs->context_count++];
}

/* The run that lies between `before` and `after`. */
static bool weigh_run(const struct cost_context *c, struct cost_run *out)
{
	uint64_t plain = c->before.samples + c->after.samples;
	if (!plain || !c->run.samples || c->after.samples < TAIL)
		return false;
	double base = (c->before.cpu + c->after.cpu) / (double)plain;
	double extra = c->run.cpu + c->tail.cpu;
	extra -= base * (double)(c->run.samples + c->tail.samples);
	if (!(base > 0))
		return false;
	double run = (double)c->run.samples, tail = (double)c->tail.samples;
	*out = (struct cost_run){
	    .extra = extra / base / run,
	    .weight = run,
	    .of_measured = 1 / run,
	    .of_plain = (tail + (run + tail) * (run + tail) / (double)plain) / (run * run),
	};
	return true;
}

static void start_run(struct costs *costs, struct cost_context *c)
{
	struct cost_run run;
	if (weigh_run(c, &run))
		costs->runs[costs->run_count++ % RUNS_MAX] = run;
	c->before = c->after;
	c->run = c->tail = c->after = (struct cost_sum){0};
	c->measuring = true;
}

/* Of a long rest what is near counts. */
static void add_plain(struct cost_sum *sum, double cpu)
{
	if (sum->samples >= NEAR) {
		sum->cpu -= sum->cpu / (double)sum->samples;
		sum->samples--;
	}
	sum->cpu += cpu;
	sum->samples++;
}

/* Neighbours of a kind: what a program does in the long run is no noise. */
static void add_spread(struct costs *costs, struct cost_context *c, bool measured, double cpu)
{
	double by = cpu - c->last[measured];
	if (c->last[measured] > 0) {
		costs->spread[measured].squares += by * by / 2;
		costs->spread[measured].count++;
	}
	costs->spread[measured].sum += cpu;
	costs->spread[measured].samples++;
	c->last[measured] = cpu;
}

/*
 * Several samples in one row that were not measured: beyond those near, they are only added up.
 * Where there is no CPU time, one says as much as all.
 */
static uint64_t add_more(struct costs *costs, uint64_t samples, double each)
{
	uint64_t more = samples > NEAR + TAIL ? samples - NEAR - TAIL : 0;
	if (isnan(each))
		return 1;
	if (!more)
		return samples;
	costs->timed += more;
	costs->plain += more;
	costs->cpu_sum += each * (double)more;
	costs->base_sum += each * (double)more;
	return samples - more;
}

static void add_sample(struct costs *costs, struct cost_context *c, bool measured, double cpu)
{
	bool first = !c->seen; /* the first sample pays for the program's start */
	c->seen = true;
	if (measured && !c->measuring)
		start_run(costs, c);
	c->measuring = measured;
	if (isnan(cpu) || first)
		return;
	costs->timed++;
	costs->cpu_sum += cpu;
	costs->timed_measured += measured;
	add_spread(costs, c, measured, cpu);
	if (measured) {
		c->run.cpu += cpu;
		c->run.samples++;
	} else if (c->run.samples && c->tail.samples < TAIL) {
		c->tail.cpu += cpu;
		c->tail.samples++;
	} else {
		add_plain(&c->after, cpu);
		costs->base_sum += cpu;
		costs->plain++;
	}
}

/* Whether anything was left out of any of these rows; most tables are whole. */
static bool cost_leaves_out(const struct sx_table *rows)
{
	bool any = false;
	for (uint32_t i = 0; i < sx_table_column_count(rows); i++) {
		struct sx_vector v = sx_table_vector(rows, i);
		for (size_t r = 0; v.quality && r < sx_table_row_count(rows); r++)
			any |= sx_quality_is_skipped(v.quality[r]);
	}
	return any;
}

void costs_add(struct costs *costs, const struct sx_table *rows)
{
	const struct slices slices = slices_of(rows);
	bool partly = cost_leaves_out(rows);
	uint64_t id = 0;
	struct cost_context *c = NULL;
	for (size_t row = 0; row < sx_table_row_count(rows); row++) {
		uint64_t before = 0;
		bool measured = !partly || was_measured(costs, rows, row, &before);
		uint64_t label = sx_table_label(rows, SX_LABEL_CONTEXT, row);
		if (!row || label != id)
			c = context_of(costs, id = label);
		uint64_t samples = slices_samples(&slices, rows, row, 1);
		costs->all += samples;
		costs->measured += (measured ? samples : 0) + before;
		if (!c || costs->cpu == SX_NONE)
			continue;
		double each = sx_table_get(rows, costs->cpu, row) / (double)samples;
		for (uint64_t left = add_more(costs, samples, each); left; left--)
			add_sample(costs, c, measured, each);
	}
}

static int cost_compare(const void *a, const void *b)
{
	double x = ((const struct cost_run *)a)->extra, y = ((const struct cost_run *)b)->extra;
	return (x > y) - (x < y);
}

/* All runs, the cheapest first. */
struct cost_runs {
	struct cost_run list[RUNS_MAX + CONTEXTS_MAX];
	size_t count;
	double weight, squares; /* sums of weights and of their squares */
};

static void sort_runs(const struct costs *costs, struct cost_runs *runs)
{
	runs->count = costs->run_count < RUNS_MAX ? costs->run_count : RUNS_MAX;
	runs->weight = runs->squares = 0;
	memcpy(runs->list, costs->runs, runs->count * sizeof(*runs->list));
	for (uint32_t i = 0; i < costs->context_count; i++) /* runs that nothing has ended yet */
		runs->count += weigh_run(&costs->contexts[i], &runs->list[runs->count]);
	qsort(runs->list, runs->count, sizeof(*runs->list), cost_compare);
	for (size_t i = 0; i < runs->count; i++) {
		runs->weight += runs->list[i].weight;
		runs->squares += runs->list[i].weight * runs->list[i].weight;
	}
}

/* What this share of all weight does not exceed; NaN without runs. */
static double extra_at(const struct cost_runs *runs, double share)
{
	double below = 0;
	for (size_t i = 0; i < runs->count; i++) {
		below += runs->list[i].weight;
		if (below >= share * runs->weight || i + 1 == runs->count)
			return runs->list[i].extra;
	}
	return NAN;
}

/* Student's t that chance exceeds in a hundredth, by degrees of freedom. */
static double student_99_of_100(uint64_t freedom)
{
	static const double t[] = {INFINITY, 31.8, 6.97, 4.54, 3.75, 3.37, 3.14, 3.0, 2.9, 2.82};
	size_t count = sizeof(t) / sizeof(t[0]);
	return freedom < count ? t[freedom] : freedom < 30 ? 2.77 : 2.46;
}

/* Of one sample, in the mean of its kind: what takes longer differs by more. */
static double spread_variance(const struct cost_spread *s)
{
	double mean = s->sum / (double)s->samples;
	return mean > 0 ? s->squares / (double)s->count / (mean * mean) : 0;
}

/* By how much the middle of a few runs may be off by chance where measuring costs nothing. */
static double few_runs_play(const struct costs *costs, const struct cost_runs *runs)
{
	const struct cost_spread *plain = &costs->spread[0], *measured = &costs->spread[1];
	double variance = 0;
	uint64_t freedom = plain->count < measured->count ? plain->count : measured->count;
	if (!freedom)
		return INFINITY;
	for (size_t i = 0; i < runs->count; i++) {
		const struct cost_run *r = &runs->list[i];
		double own = r->of_measured * spread_variance(measured) +
			     r->of_plain * spread_variance(plain);
		variance += r->weight * r->weight * own;
	}
	double error = sqrt(variance) / runs->weight;
	return student_99_of_100(freedom) * (runs->count > 2 ? MEDIAN_ERROR : 1) * error;
}

/*
 * What a measured sample costs, in unmeasured samples, and how far from that it may be. *extra is
 * NaN when no run lies between samples that were not measured.
 */
static void typical_extra(const struct costs *costs, double *extra, double *low, double *high)
{
	struct cost_runs runs;
	sort_runs(costs, &runs);
	*extra = extra_at(&runs, 0.5);
	if (!runs.count)
		return;
	double many = runs.weight * runs.weight / runs.squares; /* runs of equal weight */
	if (many < RUNS_NOTE) {
		*low = *extra - few_runs_play(costs, &runs);
		*high = INFINITY;
		return;
	}
	*low = extra_at(&runs, 0.5 - SURE / 2 / sqrt(many));
	*high = extra_at(&runs, 0.5 + SURE / 2 / sqrt(many));
}

/*
 * What a program does long after its calls (it draws without ever waiting) falls on samples that
 * have nothing to do with it. Then the parts do not add up to the whole, and no cost is reported. A
 * few measured samples may miss it by as much as they differ from each other.
 */
static bool adds_up(const struct costs *costs, double extra)
{
	if (!costs->plain || !(costs->cpu_sum > 0))
		return false;
	double base = costs->base_sum / (double)costs->plain;
	double shown = base * ((double)costs->timed + extra * (double)costs->timed_measured);
	const struct cost_spread *measured = &costs->spread[1];
	double play = 1;
	if (measured->count)
		play += SURE * sqrt(spread_variance(measured) / (double)measured->samples);
	return shown > 0.85 * costs->cpu_sum / play && shown < 1.2 * costs->cpu_sum * play;
}

struct cost costs_get(const struct costs *costs)
{
	double extra, low = 0, high = 0;
	typical_extra(costs, &extra, &low, &high);
	bool elsewhere = !isnan(extra) && !adds_up(costs, extra > 0 ? extra : 0);
	if (elsewhere)
		extra = NAN;
	bool hidden = !isnan(extra) && !(low > 0) && high > 0;
	if (hidden)
		extra = NAN;
	double spent = (extra > 0 ? extra : 0) * (double)costs->measured;
	return (struct cost){
	    .measured = costs->measured,
	    .all = costs->all,
	    .share = isnan(extra) || costs->draws ? NAN : spent / ((double)costs->all + spent),
	    .slowdown = isnan(extra) ? NAN : 1 + (extra > 0 ? extra : 0),
	    .hidden = hidden,
	    .elsewhere = elsewhere && costs->cpu_sum > 0,
	};
}
