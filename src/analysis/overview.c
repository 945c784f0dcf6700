/* Overviews: when there are too many rows, adjacent ones are combined in pairs, again and again. */
#include "analysis/overview.h"

#include <stdlib.h>

#include "base/error.h"
#include "table/fill.h"
#include "table/total.h"

#define ROWS_MAX 4096

struct overview {
	struct sx_table *table; /* at most ROWS_MAX rows, each of `each` rows that came */
	struct sx_table *shown; /* with the unfinished row, for callers */
	bool current;		/* `shown` holds all that was added */
	struct total *pending;
	struct total
	    *frames; /* of pending rows that hold other samples too; NULL: there are none */
	uint64_t each, pending_rows;
	struct sx_vector *vectors;
};

enum sx_status overview_create(const struct sx_table *like, struct overview **out,
			       struct sx_error *err)
{
	struct overview *o = calloc(1, sizeof(*o));
	if (!o)
		return error_nomem(err, "an overview");
	o->each = 1;
	o->vectors = calloc(sx_table_column_count(like) + 1, sizeof(*o->vectors));
	enum sx_status status =
	    o->vectors ? table_like(like, &o->table, err) : error_nomem(err, "an overview");
	if (!status)
		status = total_create(like, &o->pending, err);
	if (status) {
		overview_destroy(o);
		return status;
	}
	*out = o;
	return SX_OK;
}

void overview_use(struct overview *o, const struct total *run)
{
	total_use(o->pending, run);
}

void overview_destroy(struct overview *o)
{
	if (!o)
		return;
	sx_table_destroy(o->table);
	sx_table_destroy(o->shown);
	total_destroy(o->pending);
	total_destroy(o->frames);
	free(o->vectors);
	free(o);
}

/* Adds all that there is to a table, what is pending as one row. */
static enum sx_status overview_write(const struct overview *o, struct sx_table *to,
				     struct sx_error *err)
{
	enum sx_status status = frames_append(
	    to, o->table, (struct row_span){0, sx_table_row_count(o->table)}, o->vectors, err);
	return status || !o->pending_rows ? status
					  : total_append(o->pending, TOTAL_WHOLE, NULL, to, err);
}

/* Moves what is pending into a table as one row. */
static enum sx_status overview_resolve(struct overview *o, struct sx_table *to,
				       struct sx_error *err)
{
	enum sx_status status = total_append(o->pending, TOTAL_WHOLE, o->frames, to, err);
	total_reset(o->pending);
	total_destroy(o->frames);
	o->frames = NULL;
	o->pending_rows = 0;
	return status;
}

enum sx_status overview_copy(const struct overview *from, struct overview **out,
			     struct sx_error *err)
{
	struct overview *o = NULL;
	enum sx_status status = overview_create(from->table, &o, err);
	if (!status)
		status = overview_write(from, o->table, err);
	if (status) {
		overview_destroy(o);
		return status;
	}
	o->each = from->each;
	*out = o;
	return SX_OK;
}

/* Two rows, or the last one, become one. */
static enum sx_status put_together(struct overview *o, size_t first, struct sx_table *half,
				   struct sx_error *err)
{
	size_t left = sx_table_row_count(o->table) - first, count = left < 2 ? left : 2;
	const struct sx_table *frames = frames_of_table(o->table);
	enum sx_status status = frames == o->table ? SX_OK : total_create(frames, &o->frames, err);
	if (status)
		return status;
	total_add_rows(o->pending, o->table, first, count);
	if (o->frames)
		total_add_rows(o->frames, frames, first, count);
	return overview_resolve(o, half, err);
}

static enum sx_status halve(struct overview *o, struct sx_error *err)
{
	struct sx_table *half = NULL;
	size_t rows = sx_table_row_count(o->table);
	bool frames = total_is_of_frames(o->pending);
	enum sx_status status = table_like(o->table, &half, err);
	if (!status && !frames)
		status = total_append_each(o->pending, o->table, (struct row_span){0, rows}, 2,
					   half, err);
	for (size_t i = 0; frames && !status && i < rows; i += 2)
		status = put_together(o, i, half, err);
	if (status) {
		sx_table_destroy(half);
		return status;
	}
	sx_table_destroy(o->table);
	o->table = half;
	o->each *= 2;
	return SX_OK;
}

/* Adds rows from the first on, as many as go together: rows->count becomes how many. */
static enum sx_status add_some(struct overview *o, const struct sx_table *raw,
			       struct row_span *rows, size_t room, struct sx_error *err)
{
	if (o->each == 1) {
		rows->count = rows->count < room ? rows->count : room;
		return frames_append(o->table, raw, *rows, o->vectors, err);
	}
	if (!o->pending_rows && rows->count >= o->each && !total_is_of_frames(o->pending)) {
		size_t whole = rows->count / o->each;
		rows->count = (whole < room ? whole : room) * o->each;
		return total_append_each(o->pending, raw, *rows, o->each, o->table, err);
	}
	size_t open = o->each - o->pending_rows;
	rows->count = rows->count < open ? rows->count : open;
	total_add_rows(o->pending, raw, rows->first, rows->count);
	o->pending_rows += rows->count;
	return o->pending_rows == o->each ? overview_resolve(o, o->table, err) : SX_OK;
}

enum sx_status overview_add_rows(struct overview *o, const struct sx_table *raw, size_t first,
				 size_t count, struct sx_error *err)
{
	o->current = false;
	enum sx_status status = SX_OK;
	struct row_span rows = {first, 0};
	for (size_t end = first + count; !status && rows.first < end; rows.first += rows.count) {
		size_t room = ROWS_MAX - sx_table_row_count(o->table);
		rows.count = room ? end - rows.first : 0;
		status = room ? add_some(o, raw, &rows, room, err) : halve(o, err);
	}
	return status;
}

enum sx_status overview_add(struct overview *o, const struct sx_table *raw, struct sx_error *err)
{
	return overview_add_rows(o, raw, 0, sx_table_row_count(raw), err);
}

const struct sx_table *overview_table(struct overview *o, uint64_t *each)
{
	if (each)
		*each = o->each;
	if (!o->pending_rows)
		return o->table;
	if (o->current)
		return o->shown;
	sx_table_destroy(o->shown);
	o->shown = NULL;
	enum sx_status status = table_like(o->table, &o->shown, NULL);
	if (!status)
		status = overview_write(o, o->shown, NULL);
	o->current = status == SX_OK;
	return status ? NULL : o->shown;
}
