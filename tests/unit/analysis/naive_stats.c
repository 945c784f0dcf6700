/* Statistics the plain way: every value in memory, sorted. The oracle of summaries and reports. */
#include "unit/analysis/naive_stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/stats.h"

struct naive {
	struct sx_table *rows;	 /* metrics of every row */
	struct sx_table *totals; /* metrics of the summed counters: one row */
	struct sx_table *rates;	 /* the same, as if no row lacked an amount */
	struct sx_stats *out;
};

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* Nearest rank: the smallest value that at least `percent` of all values do not exceed. */
static double percentile(const double *sorted, size_t count, double percent)
{
	size_t rank = (size_t)ceil(percent / 100 * (double)count);
	return sorted[rank ? rank - 1 : 0];
}

static size_t collect(const struct sx_table *rows, uint32_t column, double *values,
		      uint8_t *quality, size_t *skipped)
{
	size_t count = 0;
	struct sx_vector v = sx_table_vector(rows, column);
	for (size_t r = 0; r < sx_table_row_count(rows); r++) {
		double value = sx_table_get(rows, column, r);
		if (isnan(value)) {
			bool skips = v.quality && sx_quality_is_skipped(v.quality[r]);
			bool lost = v.quality && !skips && v.quality[r] & 6; /* disturbed, gap */
			*skipped += skips;
			*quality |= lost ? SX_QUALITY_LOST : 0;
			continue;
		}
		values[count++] = value;
		if (v.quality)
			*quality |= v.quality[r];
	}
	return count;
}

static void describe(const struct naive *d, const struct sx_metric_column *column, uint32_t index,
		     double *scratch)
{
	struct sx_stats *s = &d->out[index];
	*s = (struct sx_stats){
	    .total = NAN, .mean = NAN, .min = NAN, .p50 = NAN, .p95 = NAN, .p99 = NAN, .max = NAN};
	s->why = sx_table_column(d->rows, index)->why;
	s->count = collect(d->rows, index, scratch, &s->quality, &s->skipped);
	if (s->count == 0) {
		if (!s->why)
			s->why = "no data";
		return;
	}
	if (s->skipped)
		s->quality |= SX_QUALITY_MULTIPLEXED;
	double sum = 0;
	for (size_t i = 0; i < s->count; i++)
		sum += scratch[i];
	struct stats_sum whole = {.sum = sum,
				  .whole =
				      sum * ((double)(s->count + s->skipped) / (double)s->count),
				  .mean = sum / (double)s->count,
				  .rate = sx_table_get(d->rates, index, 0),
				  .parts = 1};
	s->running = (double)s->count / (double)sx_table_row_count(d->rows);
	stats_set_whole(s, column, d->totals, index, &whole);
	qsort(scratch, s->count, sizeof(*scratch), compare);
	s->min = scratch[0];
	s->p50 = percentile(scratch, s->count, 50);
	s->p95 = percentile(scratch, s->count, 95);
	s->p99 = percentile(scratch, s->count, 99);
	s->max = scratch[s->count - 1];
}

static uint64_t length_of(const struct sx_table *t, size_t row)
{
	uint64_t begin = sx_table_begin_ns(t)[row], end = sx_table_end_ns(t)[row];
	return begin == SX_TIME_UNKNOWN || end == SX_TIME_UNKNOWN || end <= begin ? 0 : end - begin;
}

/* Amounts that a column's rows lack, at the rate of those that have them. */
static void fill_column(const struct sx_table *raw, struct sx_table *out, uint32_t column)
{
	double sum = 0, known = 0, rows = 0;
	struct sx_vector v = sx_table_vector(raw, column);
	bool amounts = sx_table_column(raw, column)->over_time == SX_REDUCE_SUM;
	for (size_t r = 0; r < sx_table_row_count(raw); r++) {
		double value = sx_table_get(raw, column, r);
		sum += isnan(value) ? 0 : value;
		known += isnan(value) ? 0 : (double)length_of(raw, r);
		rows += !isnan(value);
	}
	for (size_t r = 0; v.data && r < sx_table_row_count(raw); r++) {
		uint8_t quality = v.quality ? v.quality[r] : 0;
		double value = sx_table_get(raw, column, r);
		if (isnan(value) && amounts && rows > 0 && !sx_quality_is_skipped(quality)) {
			value = known > 0 ? sum / known * (double)length_of(raw, r) : sum / rows;
			quality = 0;
		}
		sx_table_set_f64(out, column, r, value, quality);
	}
}

static struct sx_table *fill_lost(const struct sx_table *raw)
{
	struct sx_table *out = NULL;
	uint32_t count = sx_table_column_count(raw);
	struct sx_column *columns = calloc(count + 1, sizeof(*columns));
	for (uint32_t i = 0; columns && i < count; i++) {
		columns[i] = *sx_table_column(raw, i);
		columns[i].type = SX_F64;
	}
	if (!columns || sx_table_create(columns, count, sx_table_kind(raw), &out, NULL) ||
	    sx_table_add_rows(out, sx_table_row_count(raw), NULL, NULL))
		abort();
	for (size_t r = 0; r < sx_table_row_count(raw); r++)
		sx_table_set_time(out, r, sx_table_begin_ns(raw)[r], sx_table_end_ns(raw)[r]);
	for (uint32_t i = 0; i < count; i++)
		fill_column(raw, out, i);
	free(columns);
	return out;
}

struct sx_stats *naive_stats(const struct sx_metrics *metrics, const struct sx_table *raw,
			     uint32_t *count)
{
	struct naive d = {0};
	struct sx_table *summed = NULL, *filled = fill_lost(raw), *all = NULL;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, count);
	double *scratch = calloc(sx_table_row_count(raw) + 1, sizeof(*scratch));
	d.out = calloc(*count + 1, sizeof(*d.out));
	if (!scratch || !d.out || sx_metrics_eval(metrics, raw, &d.rows, NULL) != SX_OK ||
	    sx_table_total(raw, &summed, NULL) != SX_OK ||
	    sx_metrics_eval(metrics, summed, &d.totals, NULL) != SX_OK ||
	    sx_table_total(filled, &all, NULL) != SX_OK ||
	    sx_metrics_eval(metrics, all, &d.rates, NULL) != SX_OK)
		abort();
	for (uint32_t i = 0; i < *count; i++) {
		describe(&d, &columns[i], i, scratch);
		d.out[i].why = d.out[i].why ? "no data" : NULL;
	}
	sx_table_destroy(summed);
	sx_table_destroy(filled);
	sx_table_destroy(all);
	sx_table_destroy(d.rates);
	sx_table_destroy(d.rows);
	sx_table_destroy(d.totals);
	free(scratch);
	return d.out;
}
