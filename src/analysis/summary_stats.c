/* Statistics of the rows that were added to a summary. */
#include "analysis/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "metric/metrics.h"
#include "table/fill.h"
#include "table/total.h"

void summary_drop_totals(struct sx_summary *s)
{
	sx_table_destroy(s->summed);
	sx_table_destroy(s->totals);
	sx_table_destroy(s->rates);
	sx_table_destroy(s->divided);
	s->summed = s->totals = s->rates = s->divided = NULL;
}

#define SHORT 0.9 /* of the usual length: more is the jitter of a timer */

/* Rows that are kept apart and have a value, rising; with the weight that their length gives. */
static size_t weigh_edges(const struct sx_summary *s, uint32_t column, struct sketch_extra out[2])
{
	size_t count = 0;
	uint64_t inner_ns = s->all_ns, inner = s->rows, longest = 0;
	for (int i = 0; i < EDGES; i++) {
		uint64_t length_ns = s->edges[i].held ? s->edges[i].length_ns : 0;
		inner_ns -= length_ns;
		inner -= s->edges[i].held;
		longest = length_ns > longest ? length_ns : longest;
	}
	double usual = inner ? (double)inner_ns / (double)inner : (double)longest;
	for (int i = 0; i < EDGES; i++) {
		double value = s->of[column].edges[i];
		if (!s->edges[i].held || !isfinite(value))
			continue;
		double weight = (double)s->edges[i].length_ns / usual;
		bool is_short = !s->untimed && weight > 0 && weight < SHORT;
		out[count++] = (struct sketch_extra){value, is_short ? weight : 1};
	}
	if (count == 2 && out[0].value > out[1].value) {
		struct sketch_extra first = out[0];
		out[0] = out[1];
		out[1] = first;
	}
	return count;
}

/* The least share of the time in which one of a column's events was on its PMU. */
static double least_share(const struct sx_summary *s, uint32_t column)
{
	uint32_t count, inputs;
	double least = 1;
	const uint32_t *reads = sx_metrics_column_inputs(s->metrics, column, &count);
	const struct sx_metric_input *input = sx_metrics_inputs(s->metrics, &inputs);
	for (uint32_t i = 0; i < count; i++)
		for (uint32_t k = 0; k < s->share_count; k++) {
			const struct summary_share *share = &s->shares[k];
			double is = (double)share->counted_ns / (double)share->of_ns;
			if (share->of_ns && strcmp(share->counter, input[reads[i]].name) == 0)
				least = is < least ? is : least;
		}
	return least;
}

/* Whether rows weigh by their time. */
static bool is_by_time(const struct sx_summary *s, uint32_t column)
{
	return s->by_time && !s->untimed && s->of[column].tally.with_ns;
}

/* Which share of the run was counted. */
static double running_share(const struct sx_summary *s, uint32_t column)
{
	bool timed = is_by_time(s, column);
	double with = timed ? (double)s->of[column].tally.with_ns : (double)s->stats[column].count;
	double all = timed						? (double)s->all_ns
		     : evaluation_use(s->evaluation, column) == USE_ANY ? (double)s->rows
									: (double)s->frame_rows;
	return with / all * least_share(s, column);
}

/* The sum of rows with data and of those that they represent. */
static void set_whole_sum(struct sx_summary *s, uint32_t column, struct stats_sum *sum)
{
	struct sx_stats *stats = &s->stats[column];
	bool timed = is_by_time(s, column);
	double with = timed ? (double)s->of[column].tally.with_ns : (double)stats->count;
	double skipped = timed ? (double)s->of[column].tally.skipped_ns : (double)stats->skipped;
	sum->overlaps = evaluation_use(s->evaluation, column) == USE_FRAME_TIME;
	sum->divides = metrics_divides(s->metrics, column);
	sum->whole = sum->sum;
	sum->mean = sum->sum / (double)stats->count;
	if (stats->skipped && s->apart.sums) {
		struct part_whole whole = part_sums_whole(&s->apart, column, s->of[column].basis);
		sum->whole = whole.sum;
		sum->mean = whole.sum / whole.rows;
		sum->error = whole.error;
	} else if (stats->skipped) {
		sum->whole = sum->sum * ((with + skipped) / with);
	}
}

/* Of the first input of which the decoder says why rows of this quality have no value. */
static const char *input_reason(const struct sx_summary *s, uint32_t column, uint8_t quality)
{
	uint32_t count, inputs;
	const uint32_t *reads = sx_metrics_column_inputs(s->metrics, column, &count);
	const struct sx_metric_input *input = sx_metrics_inputs(s->metrics, &inputs);
	const char *why = NULL;
	for (uint32_t i = 0; !why && i < count; i++)
		why = table_reason(s->summed, sx_table_find(s->summed, input[reads[i]].name),
				   quality);
	return why;
}

static struct stats_causes causes_of(const struct sx_summary *s, uint32_t column)
{
	return (struct stats_causes){.not_collected =
					 input_reason(s, column, SX_QUALITY_NOT_COLLECTED),
				     .gap = input_reason(s, column, SX_QUALITY_GAP)};
}

/* Where there is no memory for the words, that no sample has a value. */
static const char *summary_explain(struct sx_summary *s, uint32_t column)
{
	struct summary_column *c = &s->of[column];
	if (!c->why && !(c->why = malloc(STATS_REASON_MAX)))
		return no_data_text(NO_DATA_NO_VALUE);
	stats_reason(&c->tally.missing, s->rows, causes_of(s, column), c->why);
	return c->why;
}

static const char *why_missing(struct sx_summary *s, uint32_t column)
{
	const char *why = sx_table_column(s->totals, column)->why;
	return why ? why : summary_explain(s, column);
}

/* An amount of which the run's total misses more samples than it has (TOTAL_RUN). */
static bool is_mostly_lost(const struct sx_summary *s, uint32_t column)
{
	const struct sx_metric_column *c = &s->columns[column];
	struct sx_vector total = sx_table_vector(s->totals, column);
	bool amount = c->over_time == SX_REDUCE_SUM ||
		      (c->over_time == SX_REDUCE_RATIO && !metrics_divides(s->metrics, column));
	return amount && stats_adds_up(c->unit) && total.quality &&
	       total.quality[0] & SX_QUALITY_NO_DATA_MASK;
}

/* Whether a column has no value of the run; then why is said. */
static bool is_without_data(struct sx_summary *s, uint32_t column)
{
	struct sx_stats *stats = &s->stats[column];
	if (stats->count && s->apart.sums &&
	    part_sums_are_idle(&s->apart, column, s->of[column].basis)) {
		stats->count = 0;
		stats->why = no_data_text(NO_DATA_NO_WORK);
	} else if (!stats->count) {
		stats->why = why_missing(s, column);
	}
	return !stats->count;
}

/*
 * Without a total, the samples that were counted keep their mean and distribution. A column's own
 * reason is as old as the first rows: what decoders say of samples is of all.
 */
static void check_total(struct sx_summary *s, uint32_t column)
{
	if (!is_mostly_lost(s, column))
		return;
	const struct stats_causes causes = causes_of(s, column);
	bool known = causes.gap || causes.not_collected;
	stats_drop_total(&s->stats[column],
			 known ? summary_explain(s, column) : why_missing(s, column));
}

#define ROUNDED 1e-3 /* of a mean: totals of few are rounded */

/*
 * Samples that were left out may hold more than any measured one, as their calls say. Whatever each
 * of them holds, the maximum is no less than the mean of all.
 */
static void reach_mean(struct sx_stats *stats, bool whole)
{
	if (stats->mean * (1 - ROUNDED) > stats->max)
		stats->max = whole ? ceil(stats->mean) : stats->mean;
}

#define ROUNDING 1e-9 /* relative: what additions of doubles and of their lengths lose */

/* A mean that lies outside of all samples by rounding alone. */
static void round_mean(struct sx_stats *stats)
{
	double least = ROUNDING * fmax(fabs(stats->min), fabs(stats->max));
	if (stats->mean < stats->min && stats->min - stats->mean <= least)
		stats->mean = stats->min;
	if (stats->mean > stats->max && stats->mean - stats->max <= least)
		stats->mean = stats->max;
}

/* Digits that doubles lack; samples that are shares of a row have none. */
static void set_long(struct sx_stats *stats, const struct summary_column *c)
{
	stats->min_u64 = c->long_min && (double)c->long_min == stats->min ? c->long_min : 0;
	stats->max_u64 = c->long_max && (double)c->long_max == stats->max ? c->long_max : 0;
}

static void summary_describe(struct sx_summary *s, uint32_t column, struct sketch *sketch)
{
	static const double percent[] = {50, 95, 99};
	struct sx_stats *stats = &s->stats[column];
	const struct tally *tally = &s->of[column].tally;
	struct sketch_extra edges[2];
	size_t edge_count = weigh_edges(s, column, edges);
	double at[3] = {NAN, NAN, NAN};
	*stats = (struct sx_stats){.count = (size_t)sketch->count + edge_count,
				   .total = NAN,
				   .total_error = NAN,
				   .mean = NAN,
				   .quality = tally->quality,
				   .skipped = (size_t)tally->skipped,
				   .lost = (size_t)stats_missing_lost(&tally->missing)};
	if (stats->skipped && stats->count)
		stats->quality |= SX_QUALITY_MULTIPLEXED;
	stats->min = stats->max = stats->p50 = stats->p95 = stats->p99 = NAN;
	struct stats_sum sum = {
	    .sum = sum_value(&sketch->sum), .error = NAN, .parts = s->apart.parts.count};
	if (is_without_data(s, column))
		return;
	stats->running = running_share(s, column);
	stats->min = sketch->count ? sketch->min : edges[0].value;
	stats->max = sketch->count ? sketch->max : edges[0].value;
	for (size_t i = 0; i < edge_count; i++) {
		sum.sum += edges[i].value;
		stats->min = fmin(stats->min, edges[i].value);
		stats->max = fmax(stats->max, edges[i].value);
	}
	set_whole_sum(s, column, &sum);
	if (!s->divided ||
	    evaluation_ratio(s->evaluation, s->divided, column, 0, &sum.rate) != RATIO_OF_ROWS)
		sum.rate = sx_table_get(s->rates ? s->rates : s->totals, column, 0);
	stats_set_whole(stats, &s->columns[column], s->totals, column, &sum);
	check_total(s, column);
	round_mean(stats);
	if (stats->skipped)
		reach_mean(stats, s->columns[column].type == SX_U64);
	set_long(stats, &s->of[column]);
	stats->of_rows = stats->count > 1 && table_is_of_rows(s->totals, column);
	bool weighed = stats->skipped && s->apart.sums && !s->by_time &&
		       part_sums_percentiles(&s->apart, column, s->of[column].basis, percent, at);
	if (!weighed)
		sketch_percentiles_with(sketch, &(struct sketch_extras){edges, edge_count}, percent,
					at, 3);
	stats->p50 = at[0];
	stats->p95 = at[1];
	stats->p99 = at[2];
}

enum sx_status sx_summary_stats(struct sx_summary *s, const struct sx_stats **out, uint32_t *count,
				struct sx_error *err)
{
	struct sx_table *whole = NULL;
	summary_drop_totals(s);
	enum sx_status status = total_table(s->total, TOTAL_RUN, &s->summed, err);
	if (!status)
		status = sx_metrics_eval(s->metrics, s->summed, &s->totals, err);
	if (!status && s->ratios)
		status = total_table(s->ratios, TOTAL_COUNTED, &s->divided, err);
	if (!status && total_lacks(s->total))
		status = total_table(s->total, TOTAL_WHOLE, &whole, err);
	if (!status && whole)
		status = sx_metrics_eval(s->metrics, whole, &s->rates, err);
	for (uint32_t i = 0; !status && i < s->count; i++) {
		struct sketch of_parts = {0};
		if (s->by_parts && !part_sums_join(&s->apart, i, &of_parts))
			status = error_nomem(err, "a summary");
		else
			summary_describe(s, i, s->by_parts ? &of_parts : &s->of[i].sketch);
		sketch_finish(&of_parts);
	}
	sx_table_destroy(whole);
	*out = s->stats;
	*count = s->count;
	return status;
}
