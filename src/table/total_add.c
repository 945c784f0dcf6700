/* Totals: the state of each column has a fixed size, however many rows are added. */
#include "base/error.h"
#include "base/mem.h"
#include "table/fill.h"
#include "table/total_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Adjacent rows, and how much they are together. */
struct run {
	const struct sx_table *table;
	struct parts_rows *rows;
	uint64_t parts; /* bits of those that they are of */
};

/* The rows of one part. */
struct sorted_part {
	struct total_span span;
	size_t first, count; /* those with data, in `order` */
};

/*
 * Rows of a block by stratum, those of one in their order. Columns that were measured together have
 * the same quality, so that the rows are sorted only once for them. Where `done` is false, nothing
 * else need be set.
 */
struct sorted {
	bool done;
	uint8_t quality[PARTS_BLOCK];	    /* that the rest is of */
	uint16_t order[PARTS_BLOCK];	    /* rows from the first of the run on */
	struct sorted_part part[PARTS_MAX]; /* those of the run */
};

static void clear_part(const struct total *total, struct total_column *columns)
{
	for (uint32_t k = 0; k < total->open_count; k++) {
		struct total_column *column = &columns[total->open[k]];
		*column = (struct total_column){
		    .type = column->type, .rule = column->rule, .basis = column->basis};
	}
}

/* The columns of a part; NULL when memory is out. */
static struct total_column *total_part(struct total *total, uint32_t part)
{
	if (part < total->of_count)
		return total->of[part];
	if (!mem_grow(&total->of, &total->cap, (size_t)part + 1, sizeof(*total->of)))
		return NULL;
	while (total->of_count <= part) {
		struct total_column *columns =
		    calloc(total->count ? total->count : 1, sizeof(*columns));
		if (!columns)
			return NULL;
		for (uint32_t i = 0; i < total->count; i++) {
			const struct sx_column *info = sx_table_column(total->like->table, i);
			columns[i].type = info->type;
			columns[i].rule = info->over_time;
			columns[i].basis = slices_basis_of(info);
		}
		total->of[total->of_count++] = columns;
	}
	return total->of[part];
}

/* Rows of a table without frames have none of these. */
static void find_pictures(struct total *total, const struct sx_table *like)
{
	struct total_pictures *p = &total->pictures;
	p->frame_count = total->own.slices.frames;
	p->width = sx_table_find(like, "FramebufferWidth");
	p->height = sx_table_find(like, "FramebufferHeight");
	bool whole = p->width != SX_NONE && p->height != SX_NONE &&
		     sx_table_column(like, p->width)->type == SX_U64 &&
		     sx_table_column(like, p->height)->type == SX_U64;
	if (!whole)
		p->width = p->height = SX_NONE;
}

static void like_leave(struct total_like *like)
{
	if (!like || --like->users)
		return;
	sx_table_destroy(like->table);
	free(like);
}

static enum sx_status like_create(const struct sx_table *table, struct total_like **out,
				  struct sx_error *err)
{
	struct total_like *like = calloc(1, sizeof(*like));
	if (!like)
		return error_nomem(err, "a total");
	like->users = 1;
	enum sx_status status = table_like(table, &like->table, err);
	if (status)
		like_leave(like);
	else
		*out = like;
	return status;
}

void total_open(struct total *total)
{
	total->open_count = total->count;
	for (uint32_t i = 0; i < total->count; i++)
		total->open[i] = i;
}

/* Of columns that were described before; takes one use of `like` over, also when it fails. */
static enum sx_status create_of(struct total_like *like, struct total **out, struct sx_error *err)
{
	struct total *total = calloc(1, sizeof(*total));
	if (!total) {
		like_leave(like);
		return error_nomem(err, "a total");
	}
	total->like = like;
	total->count = sx_table_column_count(like->table);
	total->begin_ns = SX_TIME_UNKNOWN;
	total->parts = &total->own;
	parts_begin(&total->own, like->table);
	find_pictures(total, like->table);
	total->open = calloc((size_t)total->count + 1, sizeof(*total->open));
	if (!total->open || !total_part(total, 0)) { /* the part that there always is room for */
		total_destroy(total);
		return error_nomem(err, "a total");
	}
	total_open(total);
	*out = total;
	return SX_OK;
}

enum sx_status total_create(const struct sx_table *like, struct total **out, struct sx_error *err)
{
	struct total_like *own = NULL;
	enum sx_status status = like_create(like, &own, err);
	return status ? status : create_of(own, out, err);
}

enum sx_status total_create_same(const struct total *as, struct total **out, struct sx_error *err)
{
	as->like->users++;
	return create_of(as->like, out, err);
}

void total_destroy(struct total *total)
{
	if (!total)
		return;
	for (uint32_t i = 0; i < total->of_count; i++)
		free(total->of[i]);
	free(total->of);
	free(total->open);
	parts_finish(&total->own);
	like_leave(total->like);
	free(total);
}

void total_use(struct total *total, const struct total *run)
{
	total->run = run;
}

struct parts *total_parts(struct total *total)
{
	return total->parts;
}

void total_share(struct total *total, struct parts *parts)
{
	total->parts = parts;
}

void total_set_parts(struct total *total, uint32_t most)
{
	total->parts->most = most;
}

static void add_weight(struct total_column *column, double value, uint64_t begin, uint64_t end)
{
	if (begin == SX_TIME_UNKNOWN || end == SX_TIME_UNKNOWN || end < begin) {
		column->unweighted++;
		return;
	}
	column->weighted += value * (double)(end - begin);
	column->weight += (double)(end - begin);
}

/* Below 2^54 no sum of a block's rows leaves 64 bits. */
static unsigned __int128 sum_u64(const uint64_t *values, size_t count)
{
	uint64_t any = 0, sum = 0;
	unsigned __int128 wide = 0;
	_Static_assert(PARTS_BLOCK <= 1 << 10, "sums of a block fit");
	for (size_t i = 0; i < count; i++) {
		any |= values[i];
		sum += values[i];
	}
	for (size_t i = 0; any >> 54 && i < count; i++)
		wide += values[i];
	return any >> 54 ? wide : sum;
}

static void add_all_u64(struct total_column *column, const uint64_t *values, size_t count)
{
	uint64_t max = values[0];
	for (size_t i = 1; column->rule == SX_REDUCE_MAX && i < count; i++)
		max = values[i] > max ? values[i] : max;
	column->sum += sum_u64(values, count);
	if (column->rule != SX_REDUCE_MAX)
		column->pick = values[count - 1];
	else if (!column->span.with.rows || max > column->pick)
		column->pick = max;
}

#define LANES 4 /* sums at once: one addition need not wait for the one before it */

/* As sum_add() of each, where what a sum cannot hold is had without a comparison. */
static void sum_f64(struct total_column *column, const double *values, size_t count)
{
	double sum[LANES] = {0}, carry[LANES] = {0};
	size_t whole = count / LANES * LANES;
	for (size_t i = 0; i < whole; i += LANES)
		for (size_t k = 0; k < LANES; k++) {
			double value = values[i + k], next = sum[k] + value, by = next - sum[k];
			carry[k] += (sum[k] - (next - by)) + (value - by);
			sum[k] = next;
		}
	for (size_t k = 0; k < LANES; k++) {
		sum_add(&column->fsum, sum[k]);
		column->fsum.carry += carry[k];
	}
	for (size_t i = whole; i < count; i++)
		sum_add(&column->fsum, values[i]);
}

static void add_all_f64(struct total_column *column, const double *values, size_t count)
{
	double max = values[0];
	for (size_t i = 1; column->rule == SX_REDUCE_MAX && i < count; i++)
		max = values[i] > max ? values[i] : max;
	sum_f64(column, values, count);
	if (column->rule != SX_REDUCE_MAX)
		column->fpick = values[count - 1];
	else if (!column->span.with.rows || max > column->fpick)
		column->fpick = max;
}

/* Rows that all have data and no reservation, which are most. */
static bool are_valid(const struct sx_vector *from, const struct parts_rows *rows)
{
	uint8_t any = 0;
	for (size_t i = rows->first; from->quality && i < rows->first + rows->count; i++)
		any |= from->quality[i];
	return !any;
}

static void sort_row(struct sorted_part *part, uint8_t quality, const struct extent *extent)
{
	struct total_span *span = &part->span;
	if (!(quality & SX_QUALITY_NO_DATA_MASK)) {
		extent_add(&span->with, extent);
		span->quality |= quality;
		part->count++;
		return;
	}
	extent_add(sx_quality_is_skipped(quality) ? &span->skipped : &span->lost, extent);
	if (quality & (SX_QUALITY_GAP | SX_QUALITY_DISTURBED))
		extent_add(&span->uncounted, extent);
	span->absence |= sx_quality_reduced(quality);
}

/* Sorts rows by stratum; within one they keep their order. */
static void sort_rows(struct sorted *sorted, const struct run *run)
{
	const struct parts_rows *rows = run->rows;
	size_t next[PARTS_MAX] = {0}, at = 0;
	for (unsigned k = 0; k < PARTS_MAX; k++)
		if (run->parts >> k & 1)
			sorted->part[k] = (struct sorted_part){.count = 0};
	for (size_t i = 0; i < rows->count; i++)
		sort_row(&sorted->part[rows->of[rows->one ? 0 : i]], sorted->quality[i],
			 &rows->each[i]);
	for (unsigned k = 0; k < PARTS_MAX; k++)
		if (run->parts >> k & 1) {
			sorted->part[k].first = next[k] = at;
			at += sorted->part[k].count;
		}
	for (size_t i = 0; i < rows->count; i++)
		if (!(sorted->quality[i] & SX_QUALITY_NO_DATA_MASK))
			sorted->order[next[rows->of[rows->one ? 0 : i]]++] = (uint16_t)i;
}

/* Sorts a run's rows as a column of it has them, which may have no data. */
static void sorted_column(struct sorted *sorted, const struct parts *parts, struct run *run,
			  const struct sx_vector *from)
{
	uint8_t known[PARTS_BLOCK];
	const uint8_t *quality = from->quality ? from->quality + run->rows->first : known;
	size_t count = run->rows->count;
	if (!from->data || !from->quality) {
		memset(known, from->data ? 0 : SX_QUALITY_NOT_COLLECTED, count);
		quality = known;
	}
	if (sorted->done && memcmp(sorted->quality, quality, count) == 0)
		return;
	memcpy(sorted->quality, quality, count);
	parts_measure(parts, run->rows);
	sort_rows(sorted, run);
	sorted->done = true;
}

/* Rows that have data, at least one, from the first of the run on. */
struct cells {
	const uint16_t *order; /* NULL: as they come */
	size_t count;
};

/* Weights in the order of the rows, so that it does not matter how many come at once. */
static void add_values(struct total_column *column, const struct sx_vector *from,
		       const struct run *run, const struct cells *cells)
{
	const uint64_t *begin = sx_table_begin_ns(run->table), *end = sx_table_end_ns(run->table);
	union {
		uint64_t u64[PARTS_BLOCK];
		double f64[PARTS_BLOCK];
	} sorted;
	const void *values = (const uint64_t *)from->data + run->rows->first;
	for (size_t i = 0; cells->order && i < cells->count; i++)
		memcpy(&sorted.u64[i], (const uint64_t *)values + cells->order[i],
		       sizeof(sorted.u64[i]));
	if (cells->order)
		values = &sorted;
	if (column->type == SX_U64)
		add_all_u64(column, values, cells->count);
	else
		add_all_f64(column, values, cells->count);
	for (size_t i = 0; column->rule == SX_REDUCE_MEAN && i < cells->count; i++) {
		size_t row = run->rows->first + (cells->order ? cells->order[i] : i);
		add_weight(column,
			   column->type == SX_U64 ? (double)((const uint64_t *)values)[i]
						  : ((const double *)values)[i],
			   begin[row], end[row]);
	}
}

/* Rows of several parts, or some without data; `from` may be without any. */
static void add_parts(struct total *total, uint32_t index, const struct run *run,
		      const struct sx_vector *from, const struct sorted *sorted)
{
	for (unsigned k = 0; k < PARTS_MAX; k++) {
		const struct sorted_part *part = &sorted->part[k];
		if (!(run->parts >> k & 1))
			continue;
		const struct cells cells = {sorted->order + part->first, part->count};
		struct total_column *column = &total->of[k][index];
		if (cells.count) {
			add_values(column, from, run, &cells);
			column->at = total->rows + cells.order[cells.count - 1];
		}
		total_span_add(&column->span, &part->span);
	}
}

static void add_column(struct total *total, uint32_t index, struct run *run, struct sorted *sorted)
{
	const struct parts_rows *rows = run->rows;
	struct sx_vector from = sx_table_vector(run->table, index);
	struct total_column *column = &total->of[rows->of[0]][index];
	if (rows->one && !from.data) {
		extent_add(&column->span.lost, &rows->all);
		column->span.absence |= SX_QUALITY_NOT_COLLECTED;
	} else if (rows->one && are_valid(&from, rows)) {
		add_values(column, &from, run, &(struct cells){NULL, rows->count});
		extent_add(&column->span.with, &rows->all);
		column->at = total->rows + rows->count - 1;
	} else {
		sorted_column(sorted, total->parts, run, &from);
		add_parts(total, index, run, &from, sorted);
	}
}

static void add_times(struct total *total, const struct sx_table *table, size_t first, size_t rows)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	for (size_t i = first; i < first + rows; i++)
		if (begin[i] < total->begin_ns && end[i] != SX_TIME_UNKNOWN && end[i] >= begin[i])
			total->begin_ns = begin[i];
	cover_add_rows(&total->cover, begin + first, end + first, rows);
}

static void add_size(struct total_pictures *p, const struct sx_table *table, size_t row)
{
	double pixels = sx_table_get(table, p->width, row) * sx_table_get(table, p->height, row);
	double frames = sx_table_get(table, p->frame_count, row);
	if (!(pixels > 0 && pixels < 0x1p53))
		return;
	p->vary |= p->last && p->last != (uint64_t)pixels;
	p->last = (uint64_t)pixels;
	p->pixels += pixels * frames;
	p->frames += frames;
}

/* Frames of several sizes, and such as overlap, are more than what their sums say. */
static void add_pictures(struct total *total, const struct sx_table *table,
			 const struct parts_rows *rows)
{
	struct total_pictures *p = &total->pictures;
	const uint64_t *begin = sx_table_begin_ns(table) + rows->first;
	const uint64_t *end = sx_table_end_ns(table) + rows->first;
	if (p->frame_count == SX_NONE)
		return;
	for (size_t i = 0, next; i < rows->count; i = next) {
		next = i + 1;
		if (rows->classes[i] == CLASS_SLICE)
			continue;
		while (next < rows->count && rows->classes[next] != CLASS_SLICE)
			next++;
		cover_add_rows(&p->cover, begin + i, end + i, next - i);
		for (size_t k = i; k < next; k++)
			p->ns += slices_length_of(begin[k], end[k]);
		for (size_t k = i; p->width != SX_NONE && k < next; k++)
			add_size(p, table, rows->first + k);
	}
}

/* A stratum that there is no memory for is added to the first. */
static void prepare_parts(struct total *total, struct run *run)
{
	struct parts_rows *rows = run->rows;
	run->parts = 0;
	for (size_t i = 0; i < (rows->one ? 1 : rows->count); i++) {
		if (!total_part(total, rows->of[i])) {
			rows->of[i] = 0;
			total->parts->shared = true;
		}
		run->parts |= UINT64_C(1) << rows->of[i];
	}
	total->touched |= run->parts;
}

/* Adds rows of which the strata are known. */
static void add_block(struct total *total, const struct sx_table *table, struct parts_rows *rows)
{
	struct run run = {table, rows, 0};
	struct sorted sorted;
	prepare_parts(total, &run);
	sorted.done = false;
	for (uint32_t k = 0; k < total->open_count; k++)
		add_column(total, total->open[k], &run, &sorted);
	add_times(total, table, rows->first, rows->count);
	add_pictures(total, table, rows);
	total->rows += rows->count;
}

void total_add_both(struct total *total, const struct sx_table *table, struct row_span span,
		    struct total *other, const struct sx_table *of)
{
	struct parts_rows rows;
	for (; span.count; span.first += rows.count, span.count -= rows.count) {
		parts_note(total->parts, table, span, &rows);
		add_block(total, table, &rows);
		if (other)
			add_block(other, of, &rows);
	}
}

void total_add_rows(struct total *total, const struct sx_table *table, size_t first, size_t count)
{
	total_add_both(total, table, (struct row_span){first, count}, NULL, NULL);
}

/* Without memory the reasons alone are missing. */
static void add_reasons(struct total *total, const struct sx_table *table)
{
	(void)table_copy_reasons(total->like->table, table);
}

void total_add(struct total *total, const struct sx_table *table)
{
	total_add_rows(total, table, 0, sx_table_row_count(table));
	add_reasons(total, table);
}

void total_add_known(struct total *total, const struct sx_table *table, struct parts_rows *blocks)
{
	for (size_t at = 0, rows = sx_table_row_count(table); at < rows; at += blocks++->count)
		add_block(total, table, blocks);
	add_reasons(total, table);
}

void total_reset(struct total *total)
{
	for (uint32_t i = 0; i < total->of_count; i++)
		if (total->touched >> i & 1)
			clear_part(total, total->of[i]);
	/* Strata beyond the limit get numbers of their own again. */
	if (total->parts->shared)
		parts_finish(total->parts);
	total->touched = 0;
	total->rows = 0;
	total->begin_ns = SX_TIME_UNKNOWN;
	total->cover = (struct cover){.count = 0};
	total->pictures = (struct total_pictures){.width = total->pictures.width,
						  .height = total->pictures.height,
						  .frame_count = total->pictures.frame_count};
}
