/* Totals as rows: what was added, and what stands for that which was not measured. */
#include "base/error.h"
#include "table/fill.h"
#include "table/like.h"
#include "table/total_state.h"

#include <math.h>

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
