/* Distributions: percentiles over rows, and the whole run's value from the summed counters. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

struct sx_distribution {
	struct sx_table *rows;	 /* metrics of every row */
	struct sx_table *totals; /* metrics of the summed counters: one row */
	struct sx_stats *stats;
	uint32_t count;
};

bool sx_unit_adds_up(const char *unit)
{
	static const char *const intensive[] = {"percent", "ratio", "boolean",	   "Hz",
						"MHz",	   "mW",    "pixels/frame"};
	for (size_t i = 0; i < sizeof(intensive) / sizeof(intensive[0]); i++)
		if (strcmp(unit, intensive[i]) == 0)
			return false;
	return !strchr(unit, '/');
}

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
		      uint8_t *quality)
{
	size_t count = 0;
	struct sx_vector v = sx_table_vector(rows, column);
	for (size_t r = 0; r < sx_table_row_count(rows); r++) {
		double value = sx_table_get(rows, column, r);
		if (isnan(value))
			continue;
		values[count++] = value;
		if (v.quality)
			*quality |= v.quality[r];
	}
	return count;
}

/*
 * Whether the rows of a metric add up to its whole. A unit without a fraction bar does not tell:
 * cycles for each pixel are "cycles" too. A formula over summed counters gives the rows' sum only
 * where it is itself a sum.
 */
static bool adds_up(const struct sx_metric_column *column, double whole, double sum)
{
	if (!sx_unit_adds_up(column->unit))
		return false;
	if (column->over_time == SX_REDUCE_RATIO && !isnan(whole))
		return fabs(whole - sum) <= 1e-6 * fabs(sum);
	return column->over_time == SX_REDUCE_SUM || column->over_time == SX_REDUCE_RATIO;
}

static void set_whole(struct sx_stats *s, const struct sx_metric_column *column,
		      const struct sx_table *totals, uint32_t index, double sum)
{
	double whole = sx_table_get(totals, index, 0);
	if (!adds_up(column, whole, sum)) {
		/* The mean of a yes or no is its share of rows. */
		bool by_rows = column->over_time != SX_REDUCE_RATIO || isnan(whole) ||
			       strcmp(column->unit, "boolean") == 0;
		s->mean = by_rows ? sum / (double)s->count : whole;
		return;
	}
	s->total = column->over_time == SX_REDUCE_SUM && column->counter == SX_NONE ? sum : whole;
	if (isnan(s->total))
		s->total = sum;
	struct sx_vector v = sx_table_vector(totals, index);
	bool exact = v.type == SX_U64 && v.data && !isnan(whole);
	s->total_u64 = exact ? ((const uint64_t *)v.data)[0] : (uint64_t)s->total;
	s->mean = s->total / (double)s->count;
}

/* Why no row has data, from what the rows say. */
static const char *reason(const struct sx_table *rows, uint32_t column)
{
	static const struct {
		uint8_t bit;
		const char *text;
	} reasons[] = {
	    {SX_QUALITY_DISTURBED, "the program used the same query itself in every sample"},
	    {SX_QUALITY_GAP, "the device was off or hidden in every sample"},
	    {SX_QUALITY_NOT_COLLECTED, "not collected in any sample"},
	    {SX_QUALITY_UNDEFINED, "undefined in every sample (a division by zero)"},
	};
	struct sx_vector v = sx_table_vector(rows, column);
	uint8_t seen = 0;
	for (size_t r = 0; v.quality && r < sx_table_row_count(rows); r++)
		seen |= v.quality[r];
	for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
		if (seen & reasons[i].bit)
			return reasons[i].text;
	return sx_table_row_count(rows) ? "no sample has data" : "there are no samples";
}

static void describe(struct sx_distribution *d, const struct sx_metric_column *column,
		     uint32_t index, double *scratch)
{
	struct sx_stats *s = &d->stats[index];
	*s = (struct sx_stats){
	    .total = NAN, .mean = NAN, .min = NAN, .p50 = NAN, .p95 = NAN, .p99 = NAN, .max = NAN};
	s->why = sx_table_column(d->rows, index)->why;
	s->count = collect(d->rows, index, scratch, &s->quality);
	if (s->count == 0) {
		if (!s->why)
			s->why = reason(d->rows, index);
		return;
	}
	double sum = 0;
	for (size_t i = 0; i < s->count; i++)
		sum += scratch[i];
	set_whole(s, column, d->totals, index, sum);
	qsort(scratch, s->count, sizeof(*scratch), compare);
	s->min = scratch[0];
	s->p50 = percentile(scratch, s->count, 50);
	s->p95 = percentile(scratch, s->count, 95);
	s->p99 = percentile(scratch, s->count, 99);
	s->max = scratch[s->count - 1];
}

static enum sx_status evaluate(struct sx_distribution *d, const struct sx_metrics *metrics,
			       const struct sx_table *raw, struct sx_error *err)
{
	struct sx_table *summed = NULL;
	enum sx_status status = sx_metrics_eval(metrics, raw, &d->rows, err);
	if (!status)
		status = sx_table_total(raw, &summed, err);
	if (!status)
		status = sx_metrics_eval(metrics, summed, &d->totals, err);
	sx_table_destroy(summed);
	return status;
}

enum sx_status sx_distribution_create(const struct sx_metrics *metrics, const struct sx_table *raw,
				      struct sx_distribution **out, struct sx_error *err)
{
	struct sx_distribution *d = calloc(1, sizeof(*d));
	double *scratch = calloc(sx_table_row_count(raw) + 1, sizeof(*scratch));
	enum sx_status status =
	    d && scratch ? evaluate(d, metrics, raw, err) : error_nomem(err, "describing samples");
	if (!status) {
		const struct sx_metric_column *columns = sx_metrics_columns(metrics, &d->count);
		d->stats = calloc(d->count + 1, sizeof(*d->stats));
		if (!d->stats)
			status = error_nomem(err, "describing samples");
		for (uint32_t i = 0; !status && i < d->count; i++)
			describe(d, &columns[i], i, scratch);
	}
	free(scratch);
	if (status) {
		sx_distribution_destroy(d);
		return status;
	}
	*out = d;
	return SX_OK;
}

void sx_distribution_destroy(struct sx_distribution *d)
{
	if (!d)
		return;
	sx_table_destroy(d->rows);
	sx_table_destroy(d->totals);
	free(d->stats);
	free(d);
}

const struct sx_stats *sx_distribution_stats(const struct sx_distribution *d, uint32_t *count)
{
	if (count)
		*count = d->count;
	return d->stats;
}

const struct sx_table *sx_distribution_rows(const struct sx_distribution *d)
{
	return d->rows;
}
