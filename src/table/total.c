/* Totals: the state of each column is small, so that any number of rows takes the same memory. */
#include "table/total.h"
#include <sextant/table.h>
#include "base/error.h"
#include "table/cover.h"
#include "table/fill.h"
#include "table/like.h"

#include <math.h>
#include <stdlib.h>

/* How long rows with data are, those that they stand for, and all others. */
struct total_span {
	uint64_t with, skipped, lost;
};

struct total_column {
	enum sx_type type;
	enum sx_reduce rule;
	uint64_t with, without;	 /* rows with and without data */
	uint64_t skipped;	 /* of these, rows that the others stand for */
	struct total_span times; /* the same in time */
	uint8_t quality;	 /* of the rows with data */
	uint8_t absence;	 /* no-data bits of the others */
	unsigned __int128 sum;	 /* u64, exact */
	double fsum, carry;	 /* f64, compensated */
	double weighted, weight;
	uint64_t unweighted; /* rows with data whose length is not known */
	uint64_t pick;	     /* max or last */
	double fpick;
};

struct total {
	struct sx_table *like; /* no rows; owns the descriptors */
	struct total_column *columns;
	uint32_t count;
	uint64_t begin_ns;
	struct cover cover; /* time that rows enclose, once */
	bool by_time; /* rows are slices of time: a long one stands for more than a short one */
};

bool total_by_time(enum sx_sample_kind kind)
{
	return kind == SX_SAMPLE_TIME || kind == SX_SAMPLE_CONTEXT || kind == SX_SAMPLE_DUMP;
}

uint64_t total_length_ns(const struct sx_table *table, size_t row)
{
	uint64_t begin = sx_table_begin_ns(table)[row], end = sx_table_end_ns(table)[row];
	return begin != SX_TIME_UNKNOWN && end != SX_TIME_UNKNOWN && end > begin ? end - begin : 0;
}

enum sx_status total_create(const struct sx_table *like, struct total **out, struct sx_error *err)
{
	uint32_t count = sx_table_column_count(like);
	struct total *total = calloc(1, sizeof(*total));
	struct sx_column *infos = calloc(count ? count : 1, sizeof(*infos));
	enum sx_status status = SX_ERR_NO_MEMORY;
	if (!total || !infos ||
	    !(total->columns = calloc(count ? count : 1, sizeof(*total->columns))))
		goto fail;
	total->count = count;
	total->begin_ns = SX_TIME_UNKNOWN;
	total->by_time = total_by_time(sx_table_kind(like));
	for (uint32_t i = 0; i < count; i++) {
		infos[i] = *sx_table_column(like, i);
		total->columns[i].type = infos[i].type;
		total->columns[i].rule = infos[i].over_time;
	}
	status = sx_table_create(infos, count, sx_table_kind(like), &total->like, err);
	if (status != SX_OK)
		goto fail;
	free(infos);
	*out = total;
	return SX_OK;
fail:
	free(infos);
	total_destroy(total);
	return status == SX_ERR_NO_MEMORY ? error_nomem(err, "a total") : status;
}

void total_destroy(struct total *total)
{
	if (!total)
		return;
	sx_table_destroy(total->like);
	free(total->columns);
	free(total);
}

/* Neumaier's sum: exact enough that the order of rows does not show. */
static void add_f64(struct total_column *column, double value)
{
	double sum = column->fsum + value;
	column->carry += fabs(column->fsum) >= fabs(value) ? (column->fsum - sum) + value
							   : (value - sum) + column->fsum;
	column->fsum = sum;
}

static void total_add_value(struct total_column *column, uint64_t value, double fvalue)
{
	bool first = column->with++ == 0;
	bool max = column->rule == SX_REDUCE_MAX;
	if (column->type == SX_U64) {
		column->sum += value;
		if (first || !max || value > column->pick)
			column->pick = value;
	} else {
		add_f64(column, fvalue);
		if (first || !max || fvalue > column->fpick)
			column->fpick = fvalue;
	}
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

static void add_all_u64(struct total_column *column, const uint64_t *values, size_t count)
{
	unsigned __int128 sum = 0;
	uint64_t max = values[0];
	for (size_t i = 0; i < count; i++)
		sum += values[i];
	for (size_t i = 1; column->rule == SX_REDUCE_MAX && i < count; i++)
		max = values[i] > max ? values[i] : max;
	column->sum += sum;
	if (column->rule != SX_REDUCE_MAX)
		column->pick = values[count - 1];
	else if (!column->with || max > column->pick)
		column->pick = max;
	column->with += count;
}

static void add_all_f64(struct total_column *column, const double *values, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		bool first = column->with++ == 0;
		add_f64(column, values[i]);
		if (first || column->rule != SX_REDUCE_MAX || values[i] > column->fpick)
			column->fpick = values[i];
	}
}

/* Rows that all have data and no reservation, which are most: without looking at each. */
static bool add_valid(struct total_column *column, const struct sx_vector *from, size_t first,
		      size_t rows)
{
	uint8_t any = 0;
	if (column->rule == SX_REDUCE_MEAN || !rows)
		return false;
	for (size_t i = first; from->quality && i < first + rows; i++)
		any |= from->quality[i];
	if (any)
		return false;
	if (column->type == SX_U64)
		add_all_u64(column, (const uint64_t *)from->data + first, rows);
	else
		add_all_f64(column, (const double *)from->data + first, rows);
	return true;
}

/* Rows of a table; `all_ns`: how long they are together, 0 where nobody knows. */
struct part {
	const struct sx_table *table;
	size_t first, rows;
	uint64_t all_ns;
};

static void add_column(struct total_column *column, uint32_t index, const struct part *part)
{
	const struct sx_table *table = part->table;
	size_t first = part->first, rows = part->rows;
	uint64_t all_ns = part->all_ns;
	struct sx_vector from = sx_table_vector(table, index);
	const uint64_t *u64 = from.data;
	const double *f64 = from.data;
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	if (!from.data) {
		column->without += rows;
		column->times.lost += all_ns;
		column->absence |= SX_QUALITY_NOT_COLLECTED;
		return;
	}
	if (add_valid(column, &from, first, rows)) {
		column->times.with += all_ns;
		return;
	}
	for (size_t i = first; i < first + rows; i++) {
		uint8_t quality = from.quality ? from.quality[i] : 0;
		uint64_t length = all_ns ? total_length_ns(table, i) : 0;
		if (quality & SX_QUALITY_NO_DATA_MASK) {
			bool skipped = sx_quality_is_skipped(quality);
			column->without++;
			column->skipped += skipped;
			column->times.skipped += skipped ? length : 0;
			column->times.lost += skipped ? 0 : length;
			column->absence |= sx_quality_settled(quality);
			continue;
		}
		column->quality |= quality;
		column->times.with += length;
		if (column->type == SX_U64)
			total_add_value(column, u64[i], 0);
		else
			total_add_value(column, 0, f64[i]);
		if (column->rule == SX_REDUCE_MEAN)
			add_weight(column, column->type == SX_U64 ? (double)u64[i] : f64[i],
				   begin[i], end[i]);
	}
}

static void add_times(struct total *total, const struct sx_table *table, size_t first, size_t rows)
{
	const uint64_t *begin = sx_table_begin_ns(table), *end = sx_table_end_ns(table);
	for (size_t i = first; i < first + rows; i++) {
		if (begin[i] == SX_TIME_UNKNOWN || end[i] == SX_TIME_UNKNOWN || end[i] < begin[i])
			continue;
		if (total->begin_ns == SX_TIME_UNKNOWN || begin[i] < total->begin_ns)
			total->begin_ns = begin[i];
		cover_add(&total->cover, begin[i], end[i]);
	}
}

void total_add_rows(struct total *total, const struct sx_table *table, size_t first, size_t count)
{
	struct part part = {table, first, count, 0};
	for (size_t i = first; i < first + count; i++)
		part.all_ns += total_length_ns(table, i);
	for (uint32_t i = 0; i < total->count; i++)
		add_column(&total->columns[i], i, &part);
	add_times(total, table, first, count);
}

void total_add(struct total *total, const struct sx_table *table)
{
	total_add_rows(total, table, 0, sx_table_row_count(table));
}

void total_reset(struct total *total)
{
	for (uint32_t i = 0; i < total->count; i++)
		total->columns[i] = (struct total_column){.type = total->columns[i].type,
							  .rule = total->columns[i].rule};
	total->begin_ns = SX_TIME_UNKNOWN;
	total->cover = (struct cover){.count = 0};
}

static double mean_of(const struct total_column *column)
{
	if (!column->unweighted && column->weight > 0)
		return column->weighted / column->weight;
	double sum = column->type == SX_U64 ? (double)column->sum : column->fsum + column->carry;
	return sum / (double)column->with;
}

/* A value of a table of totals. */
struct place {
	struct sx_table *table;
	uint32_t column;
	size_t row;
};

static void set_mean(const struct total_column *column, const struct place *to, uint8_t quality)
{
	if (column->type == SX_F64) {
		sx_table_set_f64(to->table, to->column, to->row, mean_of(column), quality);
	} else if (column->unweighted || !(column->weight > 0)) {
		unsigned __int128 mean = (column->sum + column->with / 2) / column->with;
		sx_table_set_u64(to->table, to->column, to->row, (uint64_t)mean, quality);
	} else {
		double mean = round(mean_of(column));
		sx_table_set_u64(to->table, to->column, to->row,
				 mean >= 0x1p64 ? UINT64_MAX : (uint64_t)mean, quality);
	}
}

static void set_none(const struct total_column *column, const struct place *to, uint8_t quality)
{
	if (column->type == SX_U64)
		sx_table_set_u64(to->table, to->column, to->row, 0, quality);
	else
		sx_table_set_f64(to->table, to->column, to->row, (double)NAN, quality);
}

/*
 * What rows with data are, and what they stand for: of slices of time where it is known time, else
 * rows. `whole`: they stand for rows that were lost as well, by time where it is known.
 */
static struct total_span extent_of(const struct total *total, const struct total_column *column,
				   bool whole)
{
	const struct total_span *t = &column->times;
	struct total_span rows = {column->with, column->skipped, column->without - column->skipped};
	bool by_time = total->by_time && t->with && t->skipped;
	struct total_span extent = by_time ? *t : rows;
	if (whole && rows.lost && t->with && t->lost && !rows.skipped)
		extent = *t;
	extent.skipped += whole ? extent.lost : 0;
	return extent;
}

/* The sum over rows with data, times all that they stand for by what they are. */
static unsigned __int128 scaled_sum(const struct total_column *column, struct total_span extent)
{
	unsigned __int128 mean = column->sum / extent.with, rest = column->sum % extent.with;
	return column->sum + mean * extent.skipped +
	       (rest * extent.skipped + extent.with / 2) / extent.with;
}

static void set_sum(const struct total_column *column, struct total_span extent,
		    const struct place *to, uint8_t quality)
{
	if (column->type == SX_U64) {
		unsigned __int128 all = scaled_sum(column, extent);
		if (all > UINT64_MAX)
			quality |= SX_QUALITY_WRAPPED;
		sx_table_set_u64(to->table, to->column, to->row, (uint64_t)all, quality);
	} else {
		/* An infinite sum has a carry that is not a number. */
		double sum = isfinite(column->fsum) ? column->fsum + column->carry : column->fsum;
		if (extent.skipped)
			sum *= 1 + (double)extent.skipped / (double)extent.with;
		sx_table_set_f64(to->table, to->column, to->row, sum, quality);
	}
}

/* False when the rule says nothing about time. */
static bool set_column(const struct total *total, bool whole, const struct place *to)
{
	const struct total_column *column = &total->columns[to->column];
	if (!column->with) {
		/* What nobody collected stays a column without memory, as it was in the rows. */
		if (column->absence & ~SX_QUALITY_NOT_COLLECTED)
			set_none(column, to, column->absence);
		return true;
	}
	uint8_t quality = column->quality;
	if (column->without > column->skipped)
		quality |= SX_QUALITY_LOST;
	struct total_span extent = extent_of(total, column, whole);
	if (extent.skipped)
		quality |= SX_QUALITY_MULTIPLEXED;
	switch (column->rule) {
	case SX_REDUCE_SUM:
		set_sum(column, extent, to, quality);
		return true;
	case SX_REDUCE_MEAN:
		set_mean(column, to, quality);
		return true;
	case SX_REDUCE_SINGLE:
	case SX_REDUCE_MAX:
	case SX_REDUCE_LAST:
		if (column->type == SX_U64)
			sx_table_set_u64(to->table, to->column, to->row, column->pick, quality);
		else
			sx_table_set_f64(to->table, to->column, to->row, column->fpick, quality);
		return true;
	default:
		set_none(column, to, SX_QUALITY_UNDEFINED);
		return false;
	}
}

bool total_lacks(const struct total *total)
{
	bool any = false;
	for (uint32_t i = 0; i < total->count; i++)
		any |=
		    total->columns[i].with && total->columns[i].without > total->columns[i].skipped;
	return any;
}

/* Writes all columns of one row, which has none of them yet. */
static enum sx_status write_row(const struct total *total, bool whole, struct sx_table *table,
				size_t row, struct sx_error *err)
{
	for (uint32_t i = 0; i < total->count; i++)
		if (!set_column(total, whole, &(struct place){table, i, row}) &&
		    table_set_why(table, i,
				  "a ratio has no total of its own: it is evaluated "
				  "over the totals of its counters"))
			return error_nomem(err, "a table's totals");
	if (total->begin_ns != SX_TIME_UNKNOWN)
		sx_table_set_time(table, row, total->begin_ns,
				  total->begin_ns + cover_ns(&total->cover));
	return sx_table_add_rows(table, 0, NULL, err); /* tells when a value found no memory */
}

static enum sx_status append_row(const struct total *total, bool whole, struct sx_table *to,
				 struct sx_error *err)
{
	size_t row;
	enum sx_status status = sx_table_add_rows(to, 1, &row, err);
	return status ? status : write_row(total, whole, to, row, err);
}

enum sx_status total_append_whole(const struct total *total, struct sx_table *to,
				  struct sx_error *err)
{
	return append_row(total, true, to, err);
}

static enum sx_status total_make_table(const struct total *total, bool whole, struct sx_table **out,
				       struct sx_error *err)
{
	struct sx_table *table = NULL;
	enum sx_status status = table_like(total->like, &table, err);
	if (!status)
		status = append_row(total, whole, table, err);
	if (status) {
		sx_table_destroy(table);
		return status;
	}
	*out = table;
	return SX_OK;
}

enum sx_status total_table(const struct total *total, struct sx_table **out, struct sx_error *err)
{
	return total_make_table(total, false, out, err);
}

enum sx_status total_whole(const struct total *total, struct sx_table **out, struct sx_error *err)
{
	return total_make_table(total, true, out, err);
}

static enum sx_status total_of(const struct sx_table *in, bool whole, struct sx_table **out,
			       struct sx_error *err)
{
	struct total *total = NULL;
	enum sx_status status = total_create(in, &total, err);
	if (status != SX_OK)
		return status;
	total_add(total, in);
	status = total_make_table(total, whole, out, err);
	total_destroy(total);
	return status;
}

enum sx_status sx_table_total(const struct sx_table *in, struct sx_table **out,
			      struct sx_error *err)
{
	return total_of(in, false, out, err);
}

enum sx_status total_whole_of(const struct sx_table *in, struct sx_table **out,
			      struct sx_error *err)
{
	return total_of(in, true, out, err);
}
