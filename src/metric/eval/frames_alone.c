/* Metrics of frames, over rows that also have time slices: see evaluation.h. */
#include "metric/eval/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "metric/metrics.h"
#include "table/fill.h"

/*
 * What a formula that reads only these columns is about; `counter`: it is the first of them,
 * unchanged. USE_ANY for all where rows are no frames.
 */
static enum slices_use frames_use_of(const struct slices *slices, const char *const *names,
				     uint32_t count, bool counter)
{
	bool frames = false, length = slices->frames != SX_NONE && count > 0;
	for (uint32_t i = 0; i < count; i++) {
		frames |= strcmp(names[i], SLICES_FRAMES) == 0;
		length &= strcmp(names[i], SLICES_FRAME_TIME) == 0;
	}
	if (length)
		return USE_FRAME_TIME;
	return frames && !counter && slices->frames != SX_NONE ? USE_FRAMES : USE_ANY;
}

bool frames_find_uses(struct sx_evaluation *e)
{
	const char **names = calloc((size_t)e->m->input_count + 1, sizeof(*names));
	for (uint32_t c = 0; names && c < e->m->column_count; c++) {
		const struct column_plan *plan = &e->m->plans[c];
		for (uint32_t i = 0; i < plan->input_count; i++)
			names[i] = e->m->inputs[plan->inputs[i]].name;
		bool counter = e->m->columns[c].counter != SX_NONE || plan->copy;
		e->uses[c] = frames_use_of(&e->slices, names, plan->input_count, counter);
		e->of_frames |= e->uses[c] != USE_ANY;
	}
	free((void *)names);
	return names != NULL;
}

enum slices_use evaluation_use(const struct sx_evaluation *e, uint32_t column)
{
	return e->uses[column];
}

static bool is_empty(const struct sx_table *table, uint32_t column)
{
	size_t row = 0;
	while (row < sx_table_row_count(table) && isnan(sx_table_get(table, column, row)))
		row++;
	return row == sx_table_row_count(table);
}

/* In combined rows, the time of frames is that of all of them, overlaps counted once. */
static void cover_frames(struct sx_evaluation *e, uint32_t column, const struct sx_table *frames,
			 size_t row)
{
	uint32_t at = sx_table_find(frames, SLICES_FRAME_TIME);
	double sum = sx_table_get(frames, at, row), value = sx_table_get(e->table, column, row);
	double times = (double)slices_length_ns(frames, row) / sum;
	struct sx_vector v = sx_table_vector(e->table, column);
	if (e->m->columns[column].over_time != SX_REDUCE_SUM || !(times > 0 && times < 1))
		return;
	if (v.type == SX_U64)
		sx_table_set_u64(e->table, column, row, (uint64_t)(value * times + 0.5),
				 v.quality ? v.quality[row] : 0);
	else
		sx_table_set_f64(e->table, column, row, value * times,
				 v.quality ? v.quality[row] : 0);
}

/* A column of frames, from a table of frames alone; rows without frames have no data in it. */
static void take_frames(struct sx_evaluation *e, uint32_t column, const struct sx_table *in,
			const struct sx_table *from)
{
	const struct sx_table *frames = frames_of_table(in);
	struct sx_vector v = sx_table_vector(from, column);
	for (size_t row = 0; row < sx_table_row_count(in); row++) {
		bool none = !v.data || slices_kind_of(&e->slices, frames, row) != KIND_FRAME;
		uint8_t quality = none ? SX_QUALITY_NOT_COLLECTED : v.quality ? v.quality[row] : 0;
		if (!none && from == e->table)
			continue;
		if (sx_table_column(e->table, column)->type == SX_U64)
			sx_table_set_u64(e->table, column, row,
					 none ? 0 : ((const uint64_t *)v.data)[row], quality);
		else
			sx_table_set_f64(e->table, column, row,
					 none ? (double)NAN : ((const double *)v.data)[row],
					 quality);
		if (!none && e->uses[column] == USE_FRAME_TIME)
			cover_frames(e, column, frames, row);
	}
}

enum sx_status frames_take(struct sx_evaluation *e, const struct sx_table *in, struct sx_error *err)
{
	const struct sx_table *frames = frames_of_table(in);
	struct sx_table *values = NULL;
	bool any = frames != in;
	if (e->of_frames && !any)
		any = slices_count_frames(&e->slices, in) < sx_table_row_count(in);
	if (!e->of_frames || !any)
		return SX_OK;
	enum sx_status status = frames == in ? SX_OK : sx_metrics_eval(e->m, frames, &values, err);
	for (uint32_t c = 0; !status && c < e->m->column_count; c++) {
		if (e->uses[c] == USE_ANY)
			continue;
		take_frames(e, c, in, values ? values : e->table);
		if (!e->seen[c] && !e->m->columns[c].why && is_empty(e->table, c) &&
		    table_set_why(e->table, c, no_data_text(NO_DATA_NO_FRAME)))
			status = error_nomem(err, "evaluating metrics");
	}
	sx_table_destroy(values);
	return status;
}
