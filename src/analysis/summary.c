/* Summaries: distributions of metrics over tables that come one after another. */
#include "analysis/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "metric/metrics.h"
#include "table/total.h"
#include "wire/share.h"

/* Finds columns that say how long another was counted. */
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

/*
 * Finds each metric's normalisation basis: that of all its inputs, or calls. A metric of times
 * alone is a time, whatever its unit is; what is no amount has no basis.
 */
static void find_basis(struct sx_summary *s, const struct sx_table *like)
{
	uint32_t inputs, count;
	const struct sx_metric_input *input = sx_metrics_inputs(s->metrics, &inputs);
	for (uint32_t i = 0; i < s->count; i++) {
		const uint32_t *reads = sx_metrics_column_inputs(s->metrics, i, &count);
		enum basis goes_by = BASIS_CALLS;
		bool times = count > 0;
		for (uint32_t k = 0; k < count; k++) {
			uint32_t at = sx_table_find(like, input[reads[k]].name);
			const struct sx_column *column =
			    at != SX_NONE ? sx_table_column(like, at) : NULL;
			enum basis basis = column ? slices_basis_of(column) : BASIS_CALLS;
			times &= column && slices_unit_is_time(column->unit);
			goes_by = k == 0 || goes_by == basis ? basis : BASIS_CALLS;
		}
		bool adds_up = times ? goes_by == BASIS_DEVICE : stats_adds_up(s->columns[i].unit);
		s->of[i].basis = adds_up ? goes_by : BASIS_NONE;
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
	s->of = calloc(s->count + 1, sizeof(*s->of));
	s->stats = calloc(s->count + 1, sizeof(*s->stats));
	s->by_time = slices_by_time(sx_table_kind(like));
	parts_begin(&s->apart.parts, like);
	bool fine = s->of && s->stats && find_shares(s, like);
	enum sx_status status =
	    fine ? total_create(like, &s->total, err) : error_nomem(err, "a summary");
	if (!status)
		find_basis(s, like);
	if (!status)
		status = sx_evaluation_create(metrics, like, &s->evaluation, err);
	if (!status)
		status = evaluation_keep_ratios(s->evaluation, like, err);
	if (!status && evaluation_ratios(s->evaluation))
		status = total_create(evaluation_ratios(s->evaluation), &s->ratios, err);
	if (s->total)
		total_share(s->total, &s->apart.parts);
	if (s->ratios)
		total_share(s->ratios, &s->apart.parts);
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
	for (uint32_t i = 0; s->of && i < s->count; i++) {
		sketch_finish(&s->of[i].sketch);
		free(s->of[i].why);
	}
	total_destroy(s->total);
	total_destroy(s->ratios);
	sx_evaluation_destroy(s->evaluation);
	summary_drop_totals(s);
	free(s->of);
	free(s->stats);
	free(s->until);
	part_sums_finish(&s->apart);
	for (uint32_t i = 0; i < s->share_count; i++)
		free(s->shares[i].counter);
	free(s->shares);
	free(s);
}

/* Rows [from, end) of one quality. */
static void tally_run(struct sx_summary *s, uint8_t quality, size_t from, size_t end)
{
	struct tally *t = &s->tally;
	uint64_t samples = s->until[end].samples - s->until[from].samples;
	uint64_t length = s->until[end].ns - s->until[from].ns;
	if (!(quality & SX_QUALITY_NO_DATA_MASK)) {
		t->with_ns += length;
		t->quality |= quality;
		return;
	}
	stats_missing_add(&t->missing, quality, samples);
	if (sx_quality_is_skipped(quality)) {
		t->skipped += samples;
		t->skipped_ns += length;
	} else if (quality & (SX_QUALITY_GAP | SX_QUALITY_DISTURBED)) {
		t->quality |= SX_QUALITY_LOST;
	}
}

/*
 * Of all rows of the current table. Columns that were measured together have the same quality: rows
 * are asked once for all of them.
 */
static void tally_rows(struct sx_summary *s, const uint8_t *quality, size_t rows)
{
	static const uint8_t valid[1]; /* where all have data */
	const uint8_t *before = s->tallied;
	if (quality ? before && before != valid && memcmp(before, quality, rows) == 0
		    : before == valid)
		return;
	s->tally = (struct tally){.quality = 0};
	s->tallied = quality ? quality : valid;
	for (size_t from = 0, i = 0; from < rows; from = i) {
		uint8_t is = quality ? quality[from] : 0;
		i = quality ? from + 1 : rows;
		while (i < rows && quality[i] == is)
			i++;
		tally_run(s, is, from, i);
	}
}

/* Counts rows of a column by their quality; `v` may be without data. */
static void summary_count(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
			  size_t rows)
{
	struct tally *t = &s->of[column].tally;
	if (!v->data) {
		stats_missing_add(&t->missing, SX_QUALITY_NOT_COLLECTED, s->until[rows].samples);
		return;
	}
	tally_rows(s, v->quality, rows);
	for (int i = 0; i < STATS_REASONS; i++)
		t->missing.rows[i] += s->tally.missing.rows[i];
	t->skipped += s->tally.skipped;
	t->quality |= s->tally.quality;
	t->with_ns += s->tally.with_ns;
	t->skipped_ns += s->tally.skipped_ns;
}

/* False where a row has no data. */
static bool row_value(const struct sx_vector *v, size_t row, double *out)
{
	if (v->quality && v->quality[row] & SX_QUALITY_NO_DATA_MASK)
		return false;
	*out = v->type == SX_U64 ? (double)((const uint64_t *)v->data)[row]
				 : ((const double *)v->data)[row];
	return true;
}

/* A row that is several samples: an amount is shared out among them. */
static bool add_several(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
			size_t row)
{
	double value;
	uint64_t samples = parts_extent(s->apart.blocks, row)->rows;
	if (!row_value(v, row, &value))
		return true;
	if (stats_adds_up(s->columns[column].unit))
		value /= (double)samples;
	return sketch_add_times(&s->of[column].sketch, value, samples);
}

/* The bits of all of them, or-ed. */
static uint64_t any_bits(const uint64_t *from, size_t count)
{
	uint64_t any = 0;
	for (size_t i = 0; i < count; i++)
		any |= from[i];
	return any;
}

/* Values of which a double has not all digits, in rows with data. */
static void hold_long(struct summary_column *c, const struct sx_vector *v, size_t first,
		      size_t count)
{
	const uint64_t *values = v->data;
	for (size_t i = first; i < first + count; i++) {
		if (!(values[i] >> SUMMARY_WHOLE_BITS) ||
		    (v->quality && v->quality[i] & SX_QUALITY_NO_DATA_MASK))
			continue;
		c->long_min = c->long_min && c->long_min < values[i] ? c->long_min : values[i];
		c->long_max = c->long_max > values[i] ? c->long_max : values[i];
	}
}

/* Below 2^63 the conversion is that of signed numbers, which is one instruction. */
static void convert(const uint64_t *from, size_t count, uint64_t any, double *out)
{
	if (any >> 63)
		for (size_t i = 0; i < count; i++)
			out[i] = (double)from[i];
	else
		for (size_t i = 0; i < count; i++)
			out[i] = (double)(int64_t)from[i];
}

#define BLOCK 1024 /* rows: their values stay in the L1 cache */

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
	struct sketch *sketch = &s->of[column].sketch;
	double values[BLOCK];
	size_t used = 0;
	uint64_t any = v->type == SX_U64 ? any_bits((const uint64_t *)v->data + first, count) : 0;
	if (any >> SUMMARY_WHOLE_BITS)
		hold_long(&s->of[column], v, first, count);
	if (s->by_parts)
		return true;
	if (v->quality && !all_valid(v->quality + first, count)) {
		for (size_t row = first; row < first + count; row++)
			used += row_value(v, row, &values[used]);
		return sketch_add_many(sketch, values, used);
	}
	if (v->type == SX_F64)
		return sketch_add_many(sketch, (const double *)v->data + first, count);
	convert((const uint64_t *)v->data + first, count, any, values);
	return sketch_add_many(sketch, values, count);
}

/* The values of rows [first, end). */
static bool summary_add_column(struct sx_summary *s, uint32_t column, const struct sx_vector *v,
			       size_t first, size_t end)
{
	bool fine = true;
	for (size_t row = first; s->many && fine && row < end; row++)
		fine = add_several(s, column, v, row);
	for (size_t at = first; !s->many && fine && at < end; at += BLOCK)
		fine = summary_add_block(s, column, v, at, end - at < BLOCK ? end - at : BLOCK);
	return fine;
}

/* How much rows are, as sums. */
static bool measure_rows(struct sx_summary *s, size_t rows)
{
	if (!mem_grow(&s->until, &s->until_cap, rows + 1, sizeof(*s->until)))
		return false;
	struct summary_until all = {0, 0};
	s->many = false;
	s->until[0] = all;
	for (size_t i = 0; i < rows; i++) {
		const struct parts_rows *block = &s->apart.blocks[i / PARTS_BLOCK];
		const struct extent *row = &block->each[i % PARTS_BLOCK];
		all.ns += row->ns;
		all.samples += row->rows;
		s->until[i + 1] = all;
		s->untimed |= !row->ns;
		s->many |= row->rows > 1;
		s->frame_rows += block->classes[i % PARTS_BLOCK] != CLASS_SLICE;
	}
	s->rows += all.samples;
	s->all_ns += all.ns;
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
			share->of_ns += s->until[r + 1].ns - s->until[r].ns;
		}
	}
}

/* A row that is kept apart. */
static void hold_row(struct sx_summary *s, int edge, const struct sx_table *values, size_t row)
{
	s->edges[edge] = (struct summary_edge){true, s->until[row + 1].ns - s->until[row].ns};
	for (uint32_t i = 0; i < s->count; i++) {
		struct sx_vector v = sx_table_vector(values, i);
		s->of[i].edges[edge] = NAN;
		if (v.data)
			(void)row_value(&v, row, &s->of[i].edges[edge]);
		if (v.data && v.type == SX_U64)
			hold_long(&s->of[i], &v, row, 1);
	}
}

/* Whether a row is kept apart and has a finite value. */
static bool edge_counts(const struct sx_summary *s, int edge, uint32_t column)
{
	return s->edges[edge].held && isfinite(s->of[column].edges[edge]);
}

/* What was the last row is no longer: it counts as any other. */
static bool release_last(struct sx_summary *s)
{
	bool fine = true;
	for (uint32_t i = 0; fine && i < s->count; i++)
		if (edge_counts(s, EDGE_LAST, i))
			fine = sketch_add(&s->of[i].sketch, s->of[i].edges[EDGE_LAST]);
	s->edges[EDGE_LAST].held = false;
	return fine;
}

/* A second program comes: all that was added so far is of the first. */
static bool part_from_all(struct sx_summary *s)
{
	bool fine = true;
	for (uint32_t i = 0; i < s->count; i++) {
		struct summary_column *c = &s->of[i];
		struct part_sum *sum = &s->apart.sums[(size_t)i * PARTS_MAX];
		*sum = (struct part_sum){
		    .sum = sum_value(&c->sketch.sum),
		    .with = {.rows = c->sketch.count, .ns = c->tally.with_ns},
		    .skipped = {.rows = c->tally.skipped, .ns = c->tally.skipped_ns},
		    .spread.unknown = true};
		for (int e = 0; e < EDGES; e++)
			if (edge_counts(s, e, i)) {
				sum->sum += c->edges[e];
				sum->with.rows++;
			}
		struct sketch *to = part_sums_sketch(&s->apart, i);
		if (s->by_parts) {
			*to = c->sketch;
			c->sketch = (struct sketch){0};
		} else {
			fine = fine && sketch_join(to, &c->sketch);
		}
	}
	return fine;
}

/* The rows of a table, of which the first and the last of all are kept apart. */
static bool add_values(struct sx_summary *s, const struct sx_table *raw,
		       const struct sx_table *values)
{
	size_t first = 0, end = sx_table_row_count(values);
	bool fine = part_sums_look(&s->apart, raw);
	if (fine && part_sums_begin(&s->apart, s->count)) {
		s->by_parts = !s->by_time && s->apart.parts.slices.samples == SX_NONE;
		fine = part_from_all(s);
	}
	fine = fine && measure_rows(s, end);
	if (fine && s->by_time && end) {
		fine = release_last(s);
		if (fine)
			add_shares(s, raw);
		if (fine && !s->edges[EDGE_FIRST].held)
			hold_row(s, EDGE_FIRST, values, first++);
		if (fine && first < end)
			hold_row(s, EDGE_LAST, values, --end);
	}
	s->tallied = NULL;
	for (uint32_t i = 0; fine && i < s->count; i++) {
		struct sx_vector v = sx_table_vector(values, i);
		summary_count(s, i, &v, sx_table_row_count(values));
		fine = !v.data || summary_add_column(s, i, &v, first, end);
	}
	for (uint32_t i = 0; s->apart.sums && fine && i < s->count; i++)
		fine = part_sums_add(&s->apart, values, i, s->of[i].basis);
	return fine;
}

enum sx_status sx_summary_add(struct sx_summary *s, const struct sx_table *raw,
			      struct sx_error *err)
{
	struct sx_table *values = NULL;
	enum sx_status status = sx_evaluation_run(s->evaluation, raw, &values, err);
	if (!status && !add_values(s, raw, values))
		status = error_nomem(err, "a summary");
	if (!status) {
		total_add_known(s->total, raw, s->apart.blocks);
		if (s->ratios)
			total_add_known(s->ratios, evaluation_ratios(s->evaluation),
					s->apart.blocks);
	}
	return status;
}
