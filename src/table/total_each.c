/*
 * Totals of many short ranges of rows. In most columns every row has data; then no scaling is
 * needed, and such columns are summed directly, without a total's state.
 */
#include "table/table.h"
#include "table/total_state.h"

bool total_is_of_frames(const struct total *total)
{
	return total->pictures.frame_count != SX_NONE;
}

/* Rows of a table and the first of the rows that every `each` of them become. */
struct stretches {
	const struct sx_table *from;
	struct row_span rows;
	size_t each;
	struct sx_table *to;
	size_t row;
};

static size_t count_stretches(const struct stretches *s)
{
	return (s->rows.count + s->each - 1) / s->each;
}

/* A sum, the largest or the last value of each stretch. */
static void reduce_column(const struct stretches *s, uint32_t column, const uint64_t *values,
			  enum sx_reduce rule, uint64_t *out)
{
	for (size_t at = 0, row = s->row; at < s->rows.count; row++) {
		size_t end = s->rows.count - at < s->each ? s->rows.count : at + s->each;
		uint64_t all = 0;
		bool wrapped = false;
		for (; at < end; at++) {
			if (rule != SX_REDUCE_SUM) {
				bool stays = rule == SX_REDUCE_MAX && all > values[at];
				all = stays ? all : values[at];
				continue;
			}
			all += values[at];
			wrapped |= all < values[at];
		}
		out[row] = all;
		if (wrapped)
			sx_table_set_u64(s->to, column, row, all, SX_QUALITY_WRAPPED);
	}
}

/* False for a column that takes more than its values. */
static bool add_plainly(const struct stretches *s, uint32_t column)
{
	struct sx_vector v = sx_table_vector(s->from, column);
	enum sx_reduce rule = sx_table_column(s->from, column)->over_time;
	bool plain = rule == SX_REDUCE_SUM || rule == SX_REDUCE_MAX || rule == SX_REDUCE_SINGLE ||
		     rule == SX_REDUCE_LAST;
	uint8_t any = 0;
	if (!v.data) /* not collected, and so it stays */
		return true;
	for (size_t i = 0; v.quality && i < s->rows.count; i++)
		any |= v.quality[s->rows.first + i];
	if (any || v.type != SX_U64 || !plain)
		return false;
	const uint64_t *values = (const uint64_t *)v.data + s->rows.first;
	uint64_t *out = table_data(s->to, column);
	if (table_fill_quality(s->to, column, (struct row_span){s->row, count_stretches(s)}, 0,
			       NULL))
		return true; /* out of memory, which the table says */
	reduce_column(s, column, values, rule, out);
	return true;
}

enum sx_status total_append_each(struct total *total, const struct sx_table *from,
				 struct row_span rows, size_t each, struct sx_table *to,
				 struct sx_error *err)
{
	struct stretches s = {from, rows, each, to, 0};
	enum sx_status status = sx_table_add_rows(to, count_stretches(&s), &s.row, err);
	total->open_count = 0;
	for (uint32_t i = 0; !status && i < total->count; i++)
		if (!add_plainly(&s, i))
			total->open[total->open_count++] = i;
	for (size_t at = 0; !status && at < rows.count; at += each) {
		size_t some = rows.count - at < each ? rows.count - at : each;
		total_add_rows(total, from, rows.first + at, some);
		status = total_write_whole(total, to, s.row++, err);
		total_reset(total);
	}
	total_open(total);
	return status;
}
