/* Summaries: distributions of metrics over tables that come one after another. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/part_sums.h"
#include "analysis/sketch.h"
#include "analysis/stats.h"
#include "base/error.h"
#include "base/mem.h"
#include "metric/about.h"
#include "wire/share.h"
#include "table/fill.h"
#include "table/total.h"

/* How long rows with data are, and those that they stand for, in ns. */
struct summary_span {
	uint64_t with, skipped;
};

/* A first or last row, apart from the others: it may be short. Values are NaN without data. */
struct summary_edge {
	bool held;
	uint64_t length_ns;
	double *values;
};

/* "Cycles@time": how long a counter was counted, where events took turns on a PMU. */
struct summary_share {
	uint32_t column; /* of the raw table */
	char *counter;	 /* owned */
	uint64_t counted_ns, of_ns;
};

struct sx_summary {
	const struct sx_metrics *metrics;
	struct sx_evaluation *evaluation;
	const struct sx_metric_column *columns;
	uint32_t count;
	struct total *total;
	struct sx_table *summed;  /* counters of all rows */
	struct sx_table *totals;  /* metrics of all rows; owns the reasons that stats point to */
	struct total *ratios;	  /* of what ratios are made of, where rows are frames; or NULL */
	struct sx_table *divided; /* the same in one row */
	struct sx_table *rates;	  /* the same where rows lack amounts, see total_whole(); or NULL */
	struct sketch *sketches;
	struct sx_stats *stats;
	struct stats_missing *missing; /* of each column */
	char (*why)[STATS_REASON_MAX]; /* the same in words; NULL until there is need */
	uint64_t rows, frame_rows;     /* frame_rows: those that are no slices of time */
	/* Where rows are slices of time. */
	bool by_time, untimed; /* untimed: the length of a row is not known */
	uint64_t all_ns;       /* of all rows */
	uint64_t *until;       /* [row]: length of the rows of the table at hand up to it */
	size_t until_cap;
	struct summary_span *spans; /* one a column */
	struct summary_edge first, last;
	struct part_sums apart; /* once there are several, or slices among frames */
	bool *times;		/* whether the values of a column are times */
	struct summary_share *shares;
	uint32_t share_count;
};

/* Columns that tell how long another was counted. */
static bool find_shares(struct sx_summary *s, const struct sx_table *like)
{
	uint32_t count = sx_table_column_count(like);
	s->shares = calloc(count + 1, sizeof(*s->shares));
	for (uint32_t i = 0; s->shares && i < count; i++) {
		const char *name = sx_table_column(like, i)->name;
		size_t length = share_length(name);
		if (!length)
			continue;
		char *counter = strndup(name, length);
		if (!counter)
			return false;
		s->shares[s->share_count++] =
		    (struct summary_share){.column = i, .counter = counter};
	}
	return s->shares != NULL;
}

/* Metrics of times alone are times, whatever unit their own is. */
static void find_times(struct sx_summary *s, const struct sx_table *like)
{
	uint32_t inputs, count;
	const struct sx_metric_input *input = sx_metrics_inputs(s->metrics, &inputs);
	for (uint32_t i = 0; i < s->count; i++) {
		const uint32_t *reads = sx_metrics_column_inputs(s->metrics, i, &count);
		s->times[i] = count > 0;
		for (uint32_t k = 0; k < count; k++) {
			uint32_t at = sx_table_find(like, input[reads[k]].name);
			s->times[i] &=
			    at != SX_NONE && slices_unit_is_time(sx_table_column(like, at)->unit);
		}
	}
}

enum sx_status sx_summary_create(const struct sx_metrics *metrics, const struct sx_table *like,
				 struct sx_summary **out, struct sx_error *err)
{
	struct sx_summary *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "a summary");
	s->metrics = metrics;
	s->columns = sx_metrics_columns(metrics, &s->count);
	s->sketches = calloc(s->count + 1, sizeof(*s->sketches));
	s->stats = calloc(s->count + 1, sizeof(*s->stats));
	s->missing = calloc(s->count + 1, sizeof(*s->missing));
	s->spans = calloc(s->count + 1, sizeof(*s->spans));
	s->first.values = calloc(s->count + 1, sizeof(double));
	s->last.values = calloc(s->count + 1, sizeof(double));
	s->times = calloc(s->count + 1, sizeof(*s->times));
	s->by_time = total_by_time(sx_table_kind(like));
	parts_begin(&s->apart.parts, like);
	bool fine = s->sketches && s->stats && s->missing && s->spans && s->first.values &&
		    s->last.values && s->times && find_shares(s, like);
	enum sx_status status =
	    fine ? total_create(like, &s->total, err) : error_nomem(err, "a summary");
	if (!status)
		find_times(s, like);
	if (!status)
		status = sx_evaluation_create(metrics, like, &s->evaluation, err);
	if (!status)
		status = evaluation_keep_ratios(s->evaluation, like, err);
	if (!status && evaluation_ratios(s->evaluation))
		status = total_create(evaluation_ratios(s->evaluation), &s->ratios, err);
	if (status) {
		sx_summary_destroy(s);
		return status;
	}
	*out = s;
	return SX_OK;
}

static void drop_totals(struct sx_summary *s)
{
	sx_table_destroy(s->summed);
	sx_table_destroy(s->totals);
	sx_table_destroy(s->rates);
	sx_table_destroy(s->divided);
	s->summed = s->totals = s->rates = s->divided = NULL;
}

void sx_summary_destroy(struct sx_summary *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->sketches && i < s->count; i++)
		sketch_finish(&s->sketches[i]);
	total_destroy(s->total);
	total_destroy(s->ratios);
	sx_evaluation_destroy(s->evaluation);
	drop_totals(s);
	free(s->sketches);
	free(s->stats);
	free(s->missing);
	free(s->why);
	free(s->until);
	free(s->spans);
	free(s->first.values);
	free(s->last.values);
	free(s->times);
	part_sums_finish(&s->apart);
	for (uint32_t i = 0; i < s->share_count; i++)
		free(s->shares[i].counter);
	free(s->shares);
	free(s);
}

const struct sx_table *summary_total(const struct sx_summary *s)
{
	return s->summed;
}

const struct total *summary_run(const struct sx_summary *s)
{
	return s->total;
}

const struct sx_evaluation *summary_evaluation(const struct sx_summary *s)
{
	return s->evaluation;
}

const struct total *summary_ratios(const struct sx_summary *s)
{
	return s->ratios;
}

const struct part_sums *summary_parts(const struct sx_summary *s)
{
	return &s->apart;
}

struct row_range {
	size_t first, count;
};

/* Rows of a column as f64, those that have data. Returns how many. */
static size_t gather(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
		     struct row_range rows, double *out)
{
	const uint64_t *u64 = v->data;
	const double *f64 = v->data;
	size_t used = 0;
	for (size_t r = rows.first; r < rows.first + rows.count; r++) {
		uint8_t quality = v->quality[r];
		uint64_t length = s->until[r + 1] - s->until[r];
		if (quality & SX_QUALITY_NO_DATA_MASK) {
			bool skipped = sx_quality_is_skipped(quality);
			stats_missing_add(&s->missing[column], quality, 1);
			s->stats[column].skipped += skipped;
			s->spans[column].skipped += skipped ? length : 0;
			/* Something was there, and nothing stands for it. */
			if (!skipped && quality & (SX_QUALITY_GAP | SX_QUALITY_DISTURBED))
				s->stats[column].quality |= SX_QUALITY_LOST;
			continue;
		}
		s->spans[column].with += length;
		s->stats[column].quality |= quality;
		out[used++] = v->type == SX_U64 ? (double)u64[r] : f64[r];
	}
	return used;
}

/* Below 2^63 the conversion is that of signed numbers, which is one instruction. */
static void convert(const uint64_t *from, size_t count, double *out)
{
	uint64_t any = 0;
	for (size_t i = 0; i < count; i++)
		any |= from[i];
	if (any >> 63)
		for (size_t i = 0; i < count; i++)
			out[i] = (double)from[i];
	else
		for (size_t i = 0; i < count; i++)
			out[i] = (double)(int64_t)from[i];
}

#define BLOCK 1024 /* rows whose values stay in the nearest cache */

static bool all_valid(const uint8_t *bytes, size_t count)
{
	uint8_t any = 0;
	for (size_t i = 0; i < count; i++)
		any |= bytes[i];
	return !any;
}

static bool summary_add_block(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
			      size_t first, size_t count)
{
	struct sketch *sketch = &s->sketches[column];
	double values[BLOCK];
	if (v->quality && !all_valid(v->quality + first, count))
		return sketch_add_many(
		    sketch, values, gather(s, column, v, (struct row_range){first, count}, values));
	s->spans[column].with += s->until[first + count] - s->until[first];
	if (v->type == SX_F64)
		return sketch_add_many(sketch, (const double *)v->data + first, count);
	convert((const uint64_t *)v->data + first, count, values);
	return sketch_add_many(sketch, values, count);
}

/* Rows [first, end). */
static bool summary_add_column(struct sx_summary *s, const struct sx_table *table, uint32_t column,
			       size_t first, size_t end)
{
	struct sx_vector v = sx_table_vector(table, column);
	bool fine = true;
	if (!v.data) {
		stats_missing_add(&s->missing[column], SX_QUALITY_NOT_COLLECTED, end - first);
		return true;
	}
	for (size_t at = first; fine && at < end; at += BLOCK)
		fine = summary_add_block(s, column, &v, at, end - at < BLOCK ? end - at : BLOCK);
	return fine;
}

/* How long rows are, as sums. */
static bool measure_rows(struct sx_summary *s, const struct sx_table *raw)
{
	size_t rows = sx_table_row_count(raw);
	if (!mem_grow(&s->until, &s->until_cap, rows + 1, sizeof(*s->until)))
		return false;
	s->until[0] = 0;
	for (size_t i = 0; i < rows; i++) {
		uint64_t length = total_length_ns(raw, i);
		s->untimed |= !length;
		s->until[i + 1] = s->until[i] + length;
	}
	for (size_t i = 0; i < rows; i++)
		s->frame_rows += slices_is_frame(&s->apart.parts.slices, raw, i);
	s->all_ns += s->until[rows];
	return true;
}

static void add_shares(struct sx_summary *s, const struct sx_table *raw)
{
	for (uint32_t i = 0; i < s->share_count; i++) {
		struct summary_share *share = &s->shares[i];
		struct sx_vector v = sx_table_vector(raw, share->column);
		const uint64_t *counted = v.type == SX_U64 ? v.data : NULL;
		for (size_t r = 0; counted && r < sx_table_row_count(raw); r++) {
			if (v.quality && v.quality[r] & SX_QUALITY_NO_DATA_MASK)
				continue;
			share->counted_ns += counted[r];
			share->of_ns += s->until[r + 1] - s->until[r];
		}
	}
}

/* A row that is kept apart. */
static void hold_row(struct sx_summary *s, struct summary_edge *edge, const struct sx_table *values,
		     size_t row)
{
	edge->held = true;
	edge->length_ns = s->until[row + 1] - s->until[row];
	for (uint32_t i = 0; i < s->count; i++) {
		struct sx_vector v = sx_table_vector(values, i);
		double value = NAN;
		if (!v.data)
			stats_missing_add(&s->missing[i], SX_QUALITY_NOT_COLLECTED, 1);
		else if (!gather(s, i, &v, (struct row_range){row, 1}, &value))
			value = NAN;
		edge->values[i] = value;
	}
}

/* What was the last row is no longer: it counts as any other. */
static bool release_last(struct sx_summary *s)
{
	bool fine = true;
	for (uint32_t i = 0; s->last.held && fine && i < s->count; i++)
		if (isfinite(s->last.values[i]))
			fine = sketch_add(&s->sketches[i], s->last.values[i]);
	s->last.held = false;
	return fine;
}

/* A second program comes: all that was added so far is of the first. */
static bool part_from_all(struct sx_summary *s)
{
	bool fine = true;
	const struct summary_edge *edges[] = {&s->first, &s->last};
	for (uint32_t i = 0; i < s->count; i++) {
		struct part_sum *sum = &s->apart.sums[(size_t)i * PARTS_MAX];
		*sum = (struct part_sum){
		    .sum = sketch_sum(&s->sketches[i]),
		    .with = {.rows = s->sketches[i].count, .ns = s->spans[i].with},
		    .skipped = {.rows = s->stats[i].skipped, .ns = s->spans[i].skipped}};
		for (int e = 0; e < 2; e++)
			if (edges[e]->held && isfinite(edges[e]->values[i])) {
				sum->sum += edges[e]->values[i];
				sum->with.rows++;
			}
		fine = fine &&
		       sketch_copy(&s->sketches[i], &s->apart.sketches[(size_t)i * PART_SKETCHES]);
	}
	return fine;
}

/* The rows of a table, of which the first and the last of all are kept apart. */
static bool add_values(struct sx_summary *s, const struct sx_table *raw,
		       const struct sx_table *values)
{
	size_t first = 0, end = sx_table_row_count(values);
	bool fine = part_sums_look(&s->apart, raw);
	if (fine && part_sums_begin(&s->apart, s->count))
		fine = part_from_all(s);
	fine = fine && measure_rows(s, raw);
	if (fine && s->by_time && end) {
		fine = release_last(s);
		if (fine)
			add_shares(s, raw);
		if (fine && !s->first.held)
			hold_row(s, &s->first, values, first++);
		if (fine && first < end)
			hold_row(s, &s->last, values, --end);
	}
	for (uint32_t i = 0; fine && i < s->count; i++)
		fine = summary_add_column(s, values, i, first, end);
	return fine && part_sums_add(&s->apart, values);
}

enum sx_status sx_summary_add(struct sx_summary *s, const struct sx_table *raw,
			      struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_evaluation_run(s->evaluation, raw, &values, err);
	if (!status && !add_values(s, raw, values))
		status = error_nomem(err, "a summary");
	if (!status) {
		total_add(s->total, raw);
		if (s->ratios)
			total_add(s->ratios, evaluation_ratios(s->evaluation));
		s->rows += sx_table_row_count(raw);
	}
	return status;
}

#define SHORT 0.9 /* of the usual length: more is the jitter of a timer */

/* Rows that are kept apart and have a value, rising; with the weight that their length gives. */
static size_t weigh_edges(const struct sx_summary *s, uint32_t column, struct sketch_extra out[2])
{
	const struct summary_edge *edges[] = {&s->first, &s->last};
	size_t count = 0;
	uint64_t inner_ns = s->all_ns, inner = s->rows, longest = 0;
	for (int i = 0; i < 2; i++) {
		inner_ns -= edges[i]->held ? edges[i]->length_ns : 0;
		inner -= edges[i]->held;
		if (edges[i]->held && edges[i]->length_ns > longest)
			longest = edges[i]->length_ns;
	}
	double usual = inner ? (double)inner_ns / (double)inner : (double)longest;
	for (int i = 0; i < 2; i++) {
		if (!edges[i]->held || !isfinite(edges[i]->values[column]))
			continue;
		double weight = (double)edges[i]->length_ns / usual;
		bool is_short = !s->untimed && weight > 0 && weight < SHORT;
		out[count++] =
		    (struct sketch_extra){edges[i]->values[column], is_short ? weight : 1};
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

/* Whether values add up, and are no times. */
static bool summary_is_amount(const struct sx_summary *s, uint32_t column)
{
	return !s->times[column] && stats_adds_up(s->columns[column].unit);
}

/* What rows with data and those that they stand for are: of all, and what they come to. */
static void set_running(struct sx_summary *s, uint32_t column, struct stats_sum *sum)
{
	struct sx_stats *stats = &s->stats[column];
	bool timed = s->by_time && !s->untimed && s->spans[column].with;
	double with = timed ? (double)s->spans[column].with : (double)stats->count;
	double skipped = timed ? (double)s->spans[column].skipped : (double)stats->skipped;
	enum slices_use use = evaluation_use(s->evaluation, column);
	double all = timed	      ? (double)s->all_ns
		     : use == USE_ANY ? (double)s->rows
				      : (double)s->frame_rows;
	sum->overlaps = use == USE_FRAME_TIME;
	sum->divides = metrics_divides(s->metrics, column);
	stats->running = with / all * least_share(s, column);
	sum->whole = sum->sum;
	sum->mean = sum->sum / (double)stats->count;
	if (stats->skipped && s->apart.sums) {
		struct part_whole whole =
		    part_sums_whole(&s->apart, column, !summary_is_amount(s, column));
		sum->whole = whole.sum;
		sum->mean = whole.sum / whole.rows;
	} else if (stats->skipped) {
		sum->whole = sum->sum * ((with + skipped) / with);
	}
}

/* Where there is no memory for the words, "no data" alone is said. */
static const char *summary_explain(struct sx_summary *s, uint32_t column)
{
	if (!s->why)
		s->why = calloc(s->count, sizeof(*s->why));
	if (!s->why)
		return "no sample has data";
	stats_reason(&s->missing[column], s->rows, s->why[column]);
	return s->why[column];
}

static void summary_describe(struct sx_summary *s, uint32_t column)
{
	static const double percent[] = {50, 95, 99};
	struct sketch *sketch = &s->sketches[column];
	struct sx_stats *stats = &s->stats[column];
	uint8_t quality = stats->quality;
	size_t skipped = stats->skipped;
	struct sketch_extra edges[2];
	size_t edge_count = weigh_edges(s, column, edges);
	double at[3] = {NAN, NAN, NAN};
	*stats = (struct sx_stats){.count = (size_t)sketch->count + edge_count,
				   .total = NAN,
				   .mean = NAN,
				   .quality = quality,
				   .skipped = skipped,
				   .lost = (size_t)stats_missing_lost(&s->missing[column])};
	if (skipped && stats->count)
		stats->quality |= SX_QUALITY_MULTIPLEXED;
	stats->min = stats->max = stats->p50 = stats->p95 = stats->p99 = NAN;
	if (!stats->count) {
		stats->why = sx_table_column(s->totals, column)->why;
		if (!stats->why)
			stats->why = summary_explain(s, column);
		return;
	}
	struct stats_sum sum = {.sum = sketch_sum(sketch), .parts = s->apart.parts.count};
	stats->min = sketch->count ? sketch->min : edges[0].value;
	stats->max = sketch->count ? sketch->max : edges[0].value;
	for (size_t i = 0; i < edge_count; i++) {
		sum.sum += edges[i].value;
		stats->min = fmin(stats->min, edges[i].value);
		stats->max = fmax(stats->max, edges[i].value);
	}
	set_running(s, column, &sum);
	if (!s->divided ||
	    evaluation_ratio(s->evaluation, s->divided, column, 0, &sum.rate) != RATIO_OF_ROWS)
		sum.rate = sx_table_get(s->rates ? s->rates : s->totals, column, 0);
	stats_set_whole(stats, &s->columns[column], s->totals, column, &sum);
	stats->of_rows = stats->count > 1 && table_is_of_rows(s->totals, column);
	bool weighed =
	    skipped && s->apart.sums && !s->by_time &&
	    part_sums_percentiles(&s->apart, column, !summary_is_amount(s, column), percent, at);
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
	drop_totals(s);
	enum sx_status status = total_table(s->total, &s->summed, err);
	if (!status)
		status = sx_metrics_eval(s->metrics, s->summed, &s->totals, err);
	if (!status && s->ratios)
		status = total_table(s->ratios, &s->divided, err);
	if (!status && total_lacks(s->total))
		status = total_whole(s->total, &whole, err);
	if (!status && whole)
		status = sx_metrics_eval(s->metrics, whole, &s->rates, err);
	for (uint32_t i = 0; !status && i < s->count; i++)
		summary_describe(s, i);
	sx_table_destroy(whole);
	*out = s->stats;
	*count = s->count;
	return status;
}
