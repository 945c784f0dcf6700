/*
 * Joins rows of two tables by the time that they share: amounts are split in proportion, states and
 * rates are means, and the quality says where a value is less certain.
 */
#include <sextant/table.h>

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/mem.h"

/* The other table's rows in the order of their beginnings. */
struct order {
	size_t *rows;
	uint64_t *latest; /* end of any row up to this one */
	size_t count;
};

/* Time within a span that rows enclose together, which come in the order of their beginnings. */
struct enclosed {
	uint64_t ns, until_ns;
};

/* What one column says of one span so far. */
struct joined {
	double sum, weighted, highest, last;
	uint64_t weight_ns;	 /* of rows with data, each for itself */
	struct enclosed covered; /* by rows with data */
	struct enclosed
	    known;	/* by these, and by those that were not measured, which they represent */
	uint64_t whole; /* of LAST and MAX, exactly */
	uint64_t highest_whole;
	uint8_t quality;
	bool any, cut,
	    spared; /* cut: a row reaches beyond the span; spared: one was not measured */
};

struct span {
	uint64_t begin_ns, end_ns;
};

/* A row and what it shares with a span. */
struct overlap {
	size_t row;
	uint64_t since_ns, until_ns;
	double share; /* of the row */
	bool cut;     /* it reaches beyond the span */
};

struct overlaps {
	struct overlap *list;
	size_t count, cap;
};

struct sorting {
	uint64_t begin_ns;
	size_t row;
};

static int by_begin(const void *a, const void *b)
{
	const struct sorting *x = a, *y = b;
	return x->begin_ns < y->begin_ns ? -1 : x->begin_ns > y->begin_ns;
}

/* Rows without times or length can be laid beside nothing. */
static bool put_in_order(const struct sx_table *from, struct order *out)
{
	size_t count = sx_table_row_count(from);
	const uint64_t *begin = sx_table_begin_ns(from), *end = sx_table_end_ns(from);
	struct sorting *list = calloc(count + 1, sizeof(*list));
	out->rows = calloc(count + 1, sizeof(*out->rows));
	out->latest = calloc(count + 1, sizeof(*out->latest));
	if (!list || !out->rows || !out->latest) {
		free(list);
		return false;
	}
	for (size_t i = 0; i < count; i++)
		if (begin[i] != SX_TIME_UNKNOWN && end[i] != SX_TIME_UNKNOWN && end[i] > begin[i])
			list[out->count++] = (struct sorting){begin[i], i};
	qsort(list, out->count, sizeof(*list), by_begin);
	for (size_t i = 0; i < out->count; i++) {
		out->rows[i] = list[i].row;
		uint64_t before = i ? out->latest[i - 1] : 0;
		out->latest[i] = end[list[i].row] > before ? end[list[i].row] : before;
	}
	free(list);
	return true;
}

/* The first row, in order, that may reach beyond a time. */
static size_t first_after(const struct order *order, uint64_t time_ns)
{
	size_t low = 0, high = order->count;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (order->latest[middle] <= time_ns)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Rows of two contexts overlap: what both enclose is enclosed once. */
static void enclose(struct enclosed *e, uint64_t since_ns, uint64_t until_ns)
{
	uint64_t from = since_ns > e->until_ns ? since_ns : e->until_ns;
	if (until_ns <= from)
		return;
	e->ns += until_ns - from;
	e->until_ns = until_ns;
}

/* Finds what rows share with a span. False when memory is out. */
static bool find_overlaps(struct overlaps *o, const struct sx_table *from,
			  const struct order *order, const struct span *span)
{
	const uint64_t *begin = sx_table_begin_ns(from), *end = sx_table_end_ns(from);
	*o = (struct overlaps){.list = o->list, .cap = o->cap};
	for (size_t i = first_after(order, span->begin_ns); i < order->count; i++) {
		size_t row = order->rows[i];
		uint64_t since = begin[row] > span->begin_ns ? begin[row] : span->begin_ns;
		uint64_t until = end[row] < span->end_ns ? end[row] : span->end_ns;
		if (begin[row] >= span->end_ns)
			break;
		if (end[row] <= span->begin_ns)
			continue;
		if (!mem_grow(&o->list, &o->cap, o->count + 1, sizeof(*o->list)))
			return false;
		o->list[o->count++] = (struct overlap){
		    .row = row,
		    .since_ns = since,
		    .until_ns = until,
		    .share = (double)(until - since) / (double)(end[row] - begin[row]),
		    .cut = begin[row] < span->begin_ns || end[row] > span->end_ns};
	}
	return true;
}

/* A row with data, or one that was not measured. */
static void join_add_time(struct joined *j, const struct overlap *at, bool measured)
{
	enclose(&j->known, at->since_ns, at->until_ns);
	j->spared |= !measured;
	if (!measured)
		return;
	enclose(&j->covered, at->since_ns, at->until_ns);
	j->weight_ns += at->until_ns - at->since_ns;
	j->cut |= at->cut;
	j->any = true;
}

static void join_add_value(struct joined *j, const struct sx_vector *v, const struct overlap *at)
{
	uint64_t exact = v->type == SX_U64 ? ((const uint64_t *)v->data)[at->row] : 0;
	double value = v->type == SX_U64 ? (double)exact : ((const double *)v->data)[at->row];
	j->sum += value * at->share;
	j->weighted += value * (double)(at->until_ns - at->since_ns);
	if (value > j->highest) {
		j->highest = value;
		j->highest_whole = exact;
	}
	j->last = value;
	j->whole = exact;
}

/* `all`: the times of rows that all have data. */
static struct joined join_column(const struct sx_vector *v, const struct overlaps *o,
				 const struct joined *all)
{
	struct joined j = v->data && !v->quality ? *all : (struct joined){.highest = -INFINITY};
	for (size_t i = 0; v->data && i < o->count; i++) {
		const struct overlap *at = &o->list[i];
		uint8_t quality = v->quality ? v->quality[at->row] : SX_QUALITY_VALID;
		bool measured = !(quality & SX_QUALITY_NO_DATA_MASK);
		if (v->quality && (measured || sx_quality_is_skipped(quality)))
			join_add_time(&j, at, measured);
		if (!measured)
			continue;
		join_add_value(&j, v, at);
		j.quality |= quality;
	}
	return j;
}

/*
 * An amount of a span that was measured in part is scaled to the whole of it, if most was measured.
 */
static void put_share(struct sx_table *to, uint32_t column, size_t row, const struct joined *j,
		      const struct span *span)
{
	uint64_t length = span->end_ns - span->begin_ns;
	bool is_sum = sx_table_column(to, column)->over_time == SX_REDUCE_SUM;
	bool missing = j->covered.ns < length - length / 1000;
	uint8_t quality = j->quality;
	if (j->known.ns < length / 2)
		return;
	if (!j->any) {
		if (j->spared)
			sx_table_set_f64(to, column, row, NAN, SX_QUALITY_SKIPPED);
		return;
	}
	if (j->cut)
		quality |= SX_QUALITY_STRETCHED;
	if (missing)
		quality |= SX_QUALITY_MULTIPLEXED;
	double value = j->weighted / (double)j->weight_ns;
	if (is_sum)
		value = missing ? j->sum * ((double)length / (double)j->covered.ns) : j->sum;
	sx_table_set_f64(to, column, row, value, quality);
}

/* A state is that of the last row, or the highest: nothing is split. */
static void put_state(struct sx_table *to, uint32_t column, size_t row, const struct joined *j,
		      bool last)
{
	if (!j->any)
		return;
	if (sx_table_column(to, column)->type == SX_U64)
		sx_table_set_u64(to, column, row, last ? j->whole : j->highest_whole, j->quality);
	else
		sx_table_set_f64(to, column, row, last ? j->last : j->highest, j->quality);
}

static bool is_state(enum sx_reduce over_time)
{
	return over_time == SX_REDUCE_LAST || over_time == SX_REDUCE_MAX;
}

static void join_row(struct sx_table *to, size_t row, const struct sx_table *from,
		     const struct overlaps *overlaps, const struct span *span)
{
	struct joined all = {.highest = -INFINITY};
	for (size_t i = 0; i < overlaps->count; i++)
		join_add_time(&all, &overlaps->list[i], true);
	for (uint32_t c = 0; c < sx_table_column_count(from); c++) {
		struct sx_vector v = sx_table_vector(from, c);
		struct joined j = join_column(&v, overlaps, &all);
		enum sx_reduce over_time = sx_table_column(from, c)->over_time;
		if (is_state(over_time))
			put_state(to, c, row, &j, over_time == SX_REDUCE_LAST);
		else
			put_share(to, c, row, &j, span);
	}
}

/* The other's columns; what is split or a mean has fractions. */
static enum sx_status join_make_table(const struct sx_table *rows, const struct sx_table *from,
				      struct sx_table **out, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(from);
	struct sx_column *columns = calloc((size_t)count + 1, sizeof(*columns));
	if (!columns)
		return error_nomem(err, "joining tables");
	for (uint32_t i = 0; i < count; i++) {
		columns[i] = *sx_table_column(from, i);
		if (!is_state(columns[i].over_time))
			columns[i].type = SX_F64;
	}
	enum sx_status status = sx_table_create(columns, count, sx_table_kind(rows), out, err);
	free(columns);
	if (!status)
		status = sx_table_add_rows(*out, sx_table_row_count(rows), NULL, err);
	return status;
}

enum sx_status sx_table_join(const struct sx_table *rows, const struct sx_table *from,
			     struct sx_table **out, struct sx_error *err)
{
	struct order order = {0};
	struct overlaps overlaps = {0};
	struct sx_table *to = NULL;
	const uint64_t *begin = sx_table_begin_ns(rows), *end = sx_table_end_ns(rows);
	enum sx_status status = join_make_table(rows, from, &to, err);
	if (!status && !put_in_order(from, &order))
		status = error_nomem(err, "joining tables");
	for (size_t r = 0; !status && r < sx_table_row_count(rows); r++) {
		struct span span = {begin[r], end[r]};
		sx_table_set_time(to, r, begin[r], end[r]);
		if (begin[r] == SX_TIME_UNKNOWN || end[r] == SX_TIME_UNKNOWN || end[r] <= begin[r])
			continue;
		if (find_overlaps(&overlaps, from, &order, &span))
			join_row(to, r, from, &overlaps, &span);
		else
			status = error_nomem(err, "joining tables");
	}
	if (!status) /* fails when a value got no memory */
		status = sx_table_add_rows(to, 0, NULL, err);
	free(order.rows);
	free(order.latest);
	free(overlaps.list);
	if (status)
		sx_table_destroy(to);
	else
		*out = to;
	return status;
}
