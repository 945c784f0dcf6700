/* What a device's metrics are at a moment, and over time. */
#include "analysis/live/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DIGITS_LOST 0x1p53 /* of a double, from here on */

static const char *keep_reason(struct live *live, const char *why)
{
	return why ? strings_get(&live->texts, strings_intern(&live->texts, why, strlen(why), NULL))
		   : NULL;
}

/* A value of a column of evaluated rows. */
static struct live_value value_of(struct live *live, const struct sx_table *values, uint32_t column,
				  const char *why)
{
	struct sx_vector vector = sx_table_vector(values, column);
	struct live_value out = {.value = sx_table_get(values, column, 0),
				 .quality = vector.quality ? vector.quality[0] : 0};
	if (!isnan(out.value)) {
		if (vector.type == SX_U64)
			out.u64 = ((const uint64_t *)vector.data)[0];
		return out;
	}
	why = why ? why : sx_table_column(values, column)->why;
	why = why ? why : table_reason(values, column, out.quality);
	out.why = keep_reason(live, why);
	return out;
}

static enum sx_status value_of_row(struct live *live, struct live_source *d,
				   const struct live_selection *from, struct live_value *out,
				   struct sx_error *err)
{
	struct sx_table *values = NULL;
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(from->metrics, &count);
	enum sx_status status = sx_evaluation_run(from->evaluation, d->scratch, &values, err);
	for (uint32_t i = 0; !status && i < count; i++)
		out[i] = value_of(live, values, i, columns[i].why);
	return status;
}

enum sx_status live_summarise(struct live *live, const struct sx_metrics *metrics,
			      const struct sx_table *rows, struct live_value *out,
			      struct sx_error *err)
{
	struct sx_summary *summary = NULL;
	const struct sx_stats *stats = NULL;
	uint32_t count = 0;
	enum sx_status status = sx_summary_create(metrics, rows, &summary, err);
	if (!status)
		status = sx_summary_add(summary, rows, err);
	if (!status)
		status = sx_summary_stats(summary, &stats, &count, err);
	for (uint32_t i = 0; !status && i < count; i++) {
		bool total = !isnan(stats[i].total);
		out[i] = (struct live_value){
		    .value = total ? stats[i].total : stats[i].mean,
		    .u64 = total && stats[i].total >= DIGITS_LOST ? stats[i].total_u64 : 0,
		    .quality = stats[i].quality};
		if (isnan(out[i].value))
			out[i].why = keep_reason(live, stats[i].why);
	}
	sx_summary_destroy(summary);
	return status;
}

static uint64_t known_time(uint64_t ns)
{
	return ns == SX_TIME_UNKNOWN ? 0 : ns;
}

/* The values of a selection at a moment; *any: whether there are samples. */
static enum sx_status values_at(struct live *live, struct live_source *d,
				const struct live_moment *at, const struct live_selection *from,
				struct live_value *out, bool *any, struct sx_error *err)
{
	enum sx_status status = live_rows_of_moment(d, at, err);
	size_t rows = status || !d->scratch ? 0 : sx_table_row_count(d->scratch);
	*any = rows && from->metrics;
	if (!*any)
		return status;
	return rows == 1 ? value_of_row(live, d, from, out, err)
			 : live_summarise(live, from->metrics, d->scratch, out, err);
}

enum sx_status live_values(struct live *live, uint32_t device, const struct live_moment *at,
			   const struct live_value **out, uint64_t *begin_ns, uint64_t *end_ns,
			   struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	const struct live_selection from = {d->source.metrics, d->selected};
	uint32_t count = 0;
	bool any = false;
	*out = NULL;
	if (from.metrics)
		sx_metrics_columns(from.metrics, &count);
	if (!d->values)
		d->values = calloc(count + 1, sizeof(*d->values));
	if (!d->values)
		return error_nomem(err, "a live view");
	enum sx_status status = values_at(live, d, at, &from, d->values, &any, err);
	if (status || !any)
		return status;
	if (begin_ns)
		*begin_ns = known_time(sx_table_begin_ns(d->scratch)[0]);
	if (end_ns)
		*end_ns = live_rows_end_of(d->scratch, sx_table_row_count(d->scratch) - 1);
	*out = d->values;
	return SX_OK;
}

/* A share of all has its most in its unit. */
static double peak_of(const struct live_heading *h, const struct live_value *values,
		      const char *unit, int gauge)
{
	if (h->peaks[gauge] != SX_NONE)
		return values[h->peaks[gauge]].value;
	return strcmp(unit, "percent") == 0 ? 100 : (double)NAN;
}

static void fill_headline(const struct live_heading *h, const struct live_value *values,
			  struct live_headline *out)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(h->metrics, &count);
	for (int i = 0; i < LIVE_GAUGES; i++) {
		uint32_t c = h->gauges[i];
		if (c != SX_NONE)
			out->gauges[i] = (struct live_gauge_value){
			    .title = columns[c].title,
			    .unit = columns[c].unit,
			    .name = columns[c].name,
			    .now = values[c],
			    .peak = peak_of(h, values, columns[c].unit, i)};
	}
	for (uint32_t i = 0; i < h->engine_count && out->engine_count < LIVE_ENGINES_MAX; i++) {
		uint32_t c = h->engines[i].column;
		if (!isnan(values[c].value))
			out->engines[out->engine_count++] =
			    (struct live_engine){h->engines[i].name, columns[c].name, values[c]};
	}
}

enum sx_status live_headline(struct live *live, uint32_t device, const struct live_moment *at,
			     struct live_headline *out, struct sx_error *err)
{
	struct live_source *d = live->devices[device];
	const struct live_selection from = {d->heading.metrics, d->headed};
	struct live_value values[LIVE_HEADING_MAX];
	bool any = false;
	*out = (struct live_headline){.engine_count = 0};
	for (int i = 0; i < LIVE_GAUGES; i++)
		out->gauges[i].now.value = out->gauges[i].peak = NAN;
	enum sx_status status = values_at(live, d, at, &from, values, &any, err);
	if (any && !status)
		fill_headline(&d->heading, values, out);
	return status;
}

static void point_add(struct live_point *p, double *weight, double value, double length)
{
	double before = *weight > 0 ? p->mean * *weight : 0;
	p->low = p->low <= value ? p->low : value;
	p->high = p->high >= value ? p->high : value;
	*weight += length;
	p->mean = (before + value * length) / *weight;
}

static double length_of(const struct sx_table *raw, size_t row)
{
	uint64_t begin = sx_table_begin_ns(raw)[row], end = sx_table_end_ns(raw)[row];
	bool known = begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > begin;
	return known ? (double)(end - begin) : 1;
}

/* The end of a line that moves by whole steps. */
static uint64_t line_end(const struct live *live, const struct live_line *line)
{
	uint64_t newest = live_newest_ns(live);
	if (line->end_ns)
		return line->end_ns;
	return (newest + line->step_ns - 1) / line->step_ns * line->step_ns;
}

/* The point that a moment of a line is in. */
static uint64_t point_of(const struct live_line *line, uint64_t at_ns)
{
	uint64_t back = (line->end_ns - at_ns) / line->step_ns;
	return back < line->count ? line->count - 1 - back : 0;
}

/* The end of the row before one of a block; 0: there is none. */
static uint64_t row_before(const struct live_source *d, size_t block, size_t row)
{
	const struct sx_table *raw = d->blocks[block].raw;
	if (!row && block)
		raw = d->blocks[block - 1].raw;
	row = row || !block ? row : sx_table_row_count(raw);
	return row ? live_rows_end_of(raw, row - 1) : 0;
}

/* When a sample begins; one that follows within less than a point begins where that one ended. */
static uint64_t row_begin(const struct live_source *d, size_t block, size_t row,
			  const struct live_line *line)
{
	const struct sx_table *raw = d->blocks[block].raw;
	uint64_t end = live_rows_end_of(raw, row), begin = sx_table_begin_ns(raw)[row];
	uint64_t before = row_before(d, block, row);
	begin = begin < end ? begin : end;
	return before && before < begin && begin - before < line->step_ns ? before : begin;
}

/* A sample that lasts longer than a point is that of all points in which none ends. */
static bool fill_points(const struct live_line *line, uint64_t begin_ns, uint64_t end_ns,
			double value, struct live_point *out, const double *weights)
{
	bool any = false;
	if (begin_ns >= line->end_ns || begin_ns >= end_ns)
		return false;
	uint64_t to = end_ns > line->end_ns ? line->count : point_of(line, end_ns);
	for (uint64_t p = point_of(line, begin_ns + 1); p < to; p++)
		if (!(weights[p] > 0)) {
			out[p] = (struct live_point){value, value, value};
			any = true;
		}
	return any;
}

/* The value of a row in the point where it ends. */
static void end_in_point(uint64_t point, double value, double length, struct live_point *out,
			 double *weights)
{
	if (!(weights[point] > 0))
		out[point] = (struct live_point){NAN, NAN, NAN};
	if (!isnan(value))
		point_add(&out[point], &weights[point], value, length);
}

/* The points of a block's rows, the newest first; false: none. */
static bool course_of_block(const struct live_source *d, size_t block, uint32_t column,
			    const struct live_line *line, struct live_point *out, double *weights)
{
	const struct live_block *b = &d->blocks[block];
	const float *values = column < b->course_count ? b->course[column] : NULL;
	uint64_t all = line->step_ns * line->count;
	bool any = false;
	for (size_t k = sx_table_row_count(b->raw); k-- > 0;) {
		uint64_t at = live_rows_end_of(b->raw, k);
		double value = values ? (double)values[k] : (double)NAN;
		if (at + all <= line->end_ns || at >= line->end_ns + line->step_ns)
			continue; /* a moment of the past knows no more than what ends with it */
		if (at <= line->end_ns) {
			end_in_point(point_of(line, at), value, length_of(b->raw, k), out, weights);
			any |= !isnan(value);
		}
		if (!isnan(value))
			any |= fill_points(line, row_begin(d, block, k, line), at, value, out,
					   weights);
	}
	return any;
}

static bool course(const struct live *live, uint32_t device, uint32_t column,
		   const struct live_line *line, struct live_point *out)
{
	const struct live_source *d = live->devices[device];
	const struct live_line ended = {line_end(live, line), line->step_ns, line->count};
	double *weights = calloc(line->count + 1, sizeof(*weights));
	bool any = false;
	for (uint32_t i = 0; i < line->count; i++)
		out[i] = (struct live_point){NAN, NAN, NAN};
	for (size_t b = d->block_count; weights && b-- > 0;) {
		const struct sx_table *raw = d->blocks[b].raw;
		size_t rows = sx_table_row_count(raw);
		if (rows &&
		    live_rows_end_of(raw, rows - 1) + line->step_ns * line->count <= ended.end_ns)
			break;
		any |= course_of_block(d, b, column, &ended, out, weights);
	}
	free(weights);
	return any;
}

bool live_history(const struct live *live, uint32_t device, uint32_t column,
		  const struct live_line *line, struct live_point *out)
{
	return course(live, device, column, line, out);
}

bool live_gauge_history(const struct live *live, uint32_t device, enum live_gauge gauge,
			const struct live_line *line, struct live_point *out)
{
	const struct sx_metrics *metrics = live->devices[device]->source.metrics;
	uint32_t count = 0;
	if (metrics)
		sx_metrics_columns(metrics, &count);
	return course(live, device, count + (uint32_t)gauge, line, out);
}
