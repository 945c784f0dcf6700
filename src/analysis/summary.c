/* Summaries: distributions of metrics over tables that come one after another. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>

#include "analysis/sketch.h"
#include "analysis/stats.h"
#include "base/error.h"
#include "table/total.h"

struct sx_summary {
	const struct sx_metrics *metrics;
	struct sx_evaluation *evaluation;
	const struct sx_metric_column *columns;
	uint32_t count;
	struct total *total;
	struct sx_table *totals; /* metrics of all rows; owns the reasons that stats point to */
	struct sketch *sketches;
	struct sx_stats *stats;
	uint8_t *seen; /* quality bits of all rows, of each column */
	uint64_t rows;
};

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
	s->seen = calloc(s->count + 1, 1);
	enum sx_status status = s->sketches && s->stats && s->seen
				    ? total_create(like, &s->total, err)
				    : error_nomem(err, "a summary");
	if (!status)
		status = sx_evaluation_create(metrics, like, &s->evaluation, err);
	if (status) {
		sx_summary_destroy(s);
		return status;
	}
	*out = s;
	return SX_OK;
}

void sx_summary_destroy(struct sx_summary *s)
{
	if (!s)
		return;
	for (uint32_t i = 0; s->sketches && i < s->count; i++)
		sketch_finish(&s->sketches[i]);
	total_destroy(s->total);
	sx_evaluation_destroy(s->evaluation);
	sx_table_destroy(s->totals);
	free(s->sketches);
	free(s->stats);
	free(s->seen);
	free(s);
}

/* Rows [first, first + count) of a column as f64, those that have data. Returns how many. */
static size_t gather(struct sx_summary *s, uint32_t column, const struct sx_vector *v, size_t first,
		     size_t count, double *out)
{
	const uint64_t *u64 = v->data;
	const double *f64 = v->data;
	size_t used = 0;
	for (size_t r = first; r < first + count; r++) {
		uint8_t quality = v->quality[r];
		s->seen[column] |= quality;
		if (quality & SX_QUALITY_NO_DATA_MASK) {
			s->stats[column].skipped += sx_quality_is_skipped(quality);
			continue;
		}
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

static bool add_block(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
		      size_t first, size_t count)
{
	struct sketch *sketch = &s->sketches[column];
	double values[BLOCK];
	if (v->quality && !all_valid(v->quality + first, count))
		return sketch_add_many(sketch, values, gather(s, column, v, first, count, values));
	if (v->type == SX_F64)
		return sketch_add_many(sketch, (const double *)v->data + first, count);
	convert((const uint64_t *)v->data + first, count, values);
	return sketch_add_many(sketch, values, count);
}

static bool add_column(struct sx_summary *s, const struct sx_table *table, uint32_t column)
{
	struct sx_vector v = sx_table_vector(table, column);
	size_t rows = sx_table_row_count(table);
	bool fine = true;
	if (!v.data) {
		s->seen[column] |= SX_QUALITY_NOT_COLLECTED;
		return true;
	}
	for (size_t at = 0; fine && at < rows; at += BLOCK)
		fine = add_block(s, column, &v, at, rows - at < BLOCK ? rows - at : BLOCK);
	return fine;
}

enum sx_status sx_summary_add(struct sx_summary *s, const struct sx_table *raw,
			      struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_evaluation_run(s->evaluation, raw, &values, err);
	for (uint32_t i = 0; !status && i < s->count; i++)
		if (!add_column(s, values, i))
			status = error_nomem(err, "a summary");
	if (!status) {
		total_add(s->total, raw);
		s->rows += sx_table_row_count(raw);
	}
	return status;
}

static void describe(struct sx_summary *s, uint32_t column)
{
	static const double percent[] = {50, 95, 99};
	struct sketch *sketch = &s->sketches[column];
	struct sx_stats *stats = &s->stats[column];
	uint8_t quality = stats->quality;
	size_t skipped = stats->skipped;
	double at[3] = {NAN, NAN, NAN};
	*stats = (struct sx_stats){.count = (size_t)sketch->count,
				   .total = NAN,
				   .mean = NAN,
				   .quality = quality,
				   .skipped = skipped};
	if (skipped && stats->count)
		stats->quality |= SX_QUALITY_MULTIPLEXED;
	stats->min = stats->max = stats->p50 = stats->p95 = stats->p99 = NAN;
	stats->why = sx_table_column(s->totals, column)->why;
	if (!sketch->count) {
		if (!stats->why)
			stats->why = stats_reason(s->seen[column], s->rows);
		return;
	}
	stats_set_whole(stats, &s->columns[column], s->totals, column, sketch_sum(sketch));
	sketch_percentiles(sketch, percent, at, 3);
	stats->min = sketch->min;
	stats->p50 = at[0];
	stats->p95 = at[1];
	stats->p99 = at[2];
	stats->max = sketch->max;
}

enum sx_status sx_summary_stats(struct sx_summary *s, const struct sx_stats **out, uint32_t *count,
				struct sx_error *err)
{
	struct sx_table *summed = NULL;
	sx_table_destroy(s->totals);
	s->totals = NULL;
	enum sx_status status = total_table(s->total, &summed, err);
	if (!status)
		status = sx_metrics_eval(s->metrics, summed, &s->totals, err);
	for (uint32_t i = 0; !status && i < s->count; i++)
		describe(s, i);
	sx_table_destroy(summed);
	*out = s->stats;
	*count = s->count;
	return status;
}
