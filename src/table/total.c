/* Totals: the state of each column is small, so that any number of rows takes the same memory. */
#include "base/error.h"
#include "table/total_state.h"

#include <math.h>
#include <stdlib.h>

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
