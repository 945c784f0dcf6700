/* Rows in blocks: the newest are added to the last one, and the oldest go a block at a time. */
#include "analysis/live/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "table/table.h"

uint64_t live_rows_end_of(const struct sx_table *raw, size_t row)
{
	uint64_t end = sx_table_end_ns(raw)[row];
	return end == SX_TIME_UNKNOWN ? 0 : end;
}

enum sx_status live_rows_append(struct live_source *d, struct sx_table *to,
				const struct sx_table *from, struct row_span rows,
				struct sx_error *err)
{
	struct sx_rows span;
	if (!rows.count)
		return SX_OK;
	sx_table_rows(from, rows.first, rows.count, d->vectors, &span);
	enum sx_status status = sx_table_append(to, &span, err);
	if (!status && table_copy_whys(to, from))
		status = error_nomem(err, "a live view");
	return status;
}

static size_t table_bytes(const struct sx_table *table)
{
	size_t bytes = sizeof(*table) + table->cap * 2 * sizeof(uint64_t);
	for (uint32_t i = 0; i < table->column_count; i++)
		bytes += sizeof(struct table_column) +
			 (table->columns[i].data.any ? table->cap * (sizeof(uint64_t) + 1) : 0);
	for (int i = 0; i < SX_LABEL_COUNT; i++)
		bytes += table->labels[i] ? table->cap * sizeof(uint64_t) : 0;
	return bytes + table_text_bytes(table);
}

static void block_measure(struct live *live, struct live_block *b)
{
	size_t bytes = table_bytes(b->raw) + b->course_count * sizeof(float *);
	for (uint32_t i = 0; i < b->course_count; i++)
		bytes += b->course[i] ? LIVE_BLOCK_ROWS * sizeof(float) : 0;
	live->bytes += bytes - b->bytes;
	b->bytes = bytes;
}

static void course_finish(struct live_block *b)
{
	for (uint32_t i = 0; i < b->course_count; i++)
		free(b->course[i]);
	free(b->course);
	b->course = NULL;
	b->course_count = 0;
}

static void block_finish(struct live_block *b)
{
	course_finish(b);
	sx_table_destroy(b->raw);
}

void live_rows_finish(struct live_source *d)
{
	for (size_t i = 0; i < d->block_count; i++)
		block_finish(&d->blocks[i]);
	free(d->blocks);
	sx_table_destroy(d->scratch);
	free(d->vectors);
}

/* The columns are known: everything that rows go to can be made. */
enum sx_status live_rows_begin(struct live_source *d, const struct sx_table *raw,
			       struct sx_error *err)
{
	enum sx_status status = SX_OK;
	d->vectors = calloc(sx_table_column_count(raw) + 1, sizeof(*d->vectors));
	if (!d->vectors)
		return error_nomem(err, "a live view");
	d->kind = sx_table_kind(raw);
	status = table_like(raw, &d->scratch, err);
	if (!status && d->source.metrics)
		status = sx_evaluation_create(d->source.metrics, raw, &d->selected, err);
	if (!status)
		status = live_heading_create(d, raw, err);
	if (!status && d->heading.metrics)
		status = sx_evaluation_create(d->heading.metrics, raw, &d->headed, err);
	return status;
}

static bool course_put(float **to, size_t row, double value)
{
	if (isnan(value) && !*to)
		return true;
	if (!*to) {
		*to = malloc(LIVE_BLOCK_ROWS * sizeof(**to));
		for (size_t i = 0; *to && i < LIVE_BLOCK_ROWS; i++)
			(*to)[i] = NAN;
	}
	if (*to)
		(*to)[row] = (float)value;
	return *to != NULL;
}

/* Puts the values of evaluated rows into the course of a block, from a column and a row on. */
static bool course_put_all(struct live_block *b, uint32_t column, size_t row,
			   const struct sx_table *values, const uint32_t *which, uint32_t count)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < count; i++) {
		uint32_t from = which ? which[i] : i;
		for (size_t k = 0; ok && from != SX_NONE && k < sx_table_row_count(values); k++)
			ok = course_put(&b->course[column + i], row + k,
					sx_table_get(values, from, k));
	}
	return ok;
}

/* The metrics of rows that are those of a block from `row` on. */
static enum sx_status block_evaluate(struct live_source *d, struct live_block *b,
				     const struct sx_table *rows, size_t row, struct sx_error *err)
{
	struct sx_table *values = NULL;
	uint32_t count = 0;
	enum sx_status status = SX_OK;
	if (d->source.metrics)
		sx_metrics_columns(d->source.metrics, &count);
	if (!b->course) {
		b->course = calloc(count + LIVE_GAUGES, sizeof(float *));
		b->course_count = b->course ? count + LIVE_GAUGES : 0;
	}
	bool ok = b->course != NULL;
	if (ok && d->selected) {
		status = sx_evaluation_run(d->selected, rows, &values, err);
		ok = !status && course_put_all(b, 0, row, values, NULL, count);
	}
	if (!status && ok && d->headed) {
		status = sx_evaluation_run(d->headed, rows, &values, err);
		ok = !status &&
		     course_put_all(b, count, row, values, d->heading.gauges, LIVE_GAUGES);
	}
	return status || ok ? status : error_nomem(err, "a live view");
}

static struct live_block *block_with_room(struct live_source *d, const struct sx_table *raw)
{
	struct live_block *last = d->block_count ? &d->blocks[d->block_count - 1] : NULL;
	if (last && sx_table_row_count(last->raw) < LIVE_BLOCK_ROWS)
		return last;
	if (!mem_grow(&d->blocks, &d->block_cap, d->block_count + 1, sizeof(*d->blocks)))
		return NULL;
	last = &d->blocks[d->block_count];
	*last = (struct live_block){0};
	if (table_like(raw, &last->raw, NULL))
		return NULL;
	d->block_count++;
	return last;
}

enum sx_status live_rows_alone(struct live_source *d, const struct sx_table *raw,
			       struct row_span rows, const struct sx_table **out,
			       struct sx_error *err)
{
	*out = raw;
	if (rows.count == sx_table_row_count(raw))
		return SX_OK;
	*out = d->scratch;
	sx_table_clear(d->scratch);
	return live_rows_append(d, d->scratch, raw, rows, err);
}

enum sx_status live_rows_keep(struct live *live, struct live_source *d, const struct sx_table *raw,
			      struct row_span rows, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status && rows.count) {
		struct live_block *b = block_with_room(d, raw);
		if (!b)
			return error_nomem(err, "a live view");
		size_t row = sx_table_row_count(b->raw), room = LIVE_BLOCK_ROWS - row;
		struct row_span now = {rows.first, rows.count < room ? rows.count : room};
		const struct sx_table *some = NULL;
		status = live_rows_alone(d, raw, now, &some, err);
		if (!status)
			status =
			    live_rows_append(d, b->raw, some, (struct row_span){0, now.count}, err);
		if (!status)
			status = block_evaluate(d, b, some, row, err);
		block_measure(live, b);
		for (size_t i = row; i < sx_table_row_count(b->raw); i++)
			if (live_rows_end_of(b->raw, i) > b->newest_ns)
				b->newest_ns = live_rows_end_of(b->raw, i);
		rows.first += now.count;
		rows.count -= now.count;
	}
	return status;
}

enum sx_status live_rows_evaluate_again(struct live *live, struct live_source *d,
					struct sx_error *err)
{
	enum sx_status status = SX_OK;
	sx_evaluation_destroy(d->selected);
	d->selected = NULL;
	if (d->scratch && d->source.metrics)
		status = sx_evaluation_create(d->source.metrics, d->scratch, &d->selected, err);
	for (size_t i = 0; !status && i < d->block_count; i++) {
		struct live_block *b = &d->blocks[i];
		course_finish(b);
		status = block_evaluate(d, b, b->raw, 0, err);
		block_measure(live, b);
	}
	return status;
}

static uint64_t block_end(const struct live_block *b)
{
	size_t rows = sx_table_row_count(b->raw);
	return rows ? live_rows_end_of(b->raw, rows - 1) : 0;
}

static void drop_block(struct live *live, struct live_source *d)
{
	live->bytes -= d->blocks[0].bytes;
	block_finish(&d->blocks[0]);
	memmove(d->blocks, d->blocks + 1, --d->block_count * sizeof(*d->blocks));
}

static void drop_interval(struct live *live, struct live_source *d)
{
	live_interval_finish(live, &d->intervals[0]);
	memmove(d->intervals, d->intervals + 1, --d->interval_count * sizeof(*d->intervals));
}

static bool is_old(const struct live *live, uint64_t end_ns)
{
	uint64_t newest = live_newest_ns(live);
	return newest > live->options.keep_ns && end_ns < newest - live->options.keep_ns;
}

/* The device with the rows that end first; of each the newest block stays. */
static struct live_source *find_oldest(struct live *live)
{
	struct live_source *oldest = NULL;
	for (size_t i = 0; i < live->device_count; i++) {
		struct live_source *d = live->devices[i];
		if (d->block_count > 1 &&
		    (!oldest || block_end(&d->blocks[0]) < block_end(&oldest->blocks[0])))
			oldest = d;
	}
	return oldest;
}

static struct live_source *find_oldest_interval(struct live *live)
{
	struct live_source *oldest = NULL;
	for (size_t i = 0; i < live->device_count; i++) {
		struct live_source *d = live->devices[i];
		if (d->interval_count > 1 &&
		    (!oldest || d->intervals[0].end_ns < oldest->intervals[0].end_ns))
			oldest = d;
	}
	return oldest;
}

void live_rows_drop_old(struct live *live)
{
	struct live_source *d;
	/* Programs may need a third of all memory. */
	while ((d = find_oldest_interval(live)) && (is_old(live, d->intervals[0].end_ns) ||
						    live->program_bytes > live->options.bytes / 3))
		drop_interval(live, d);
	while ((d = find_oldest(live)) && (is_old(live, block_end(&d->blocks[0])) ||
					   live->bytes + live->program_bytes > live->options.bytes))
		drop_block(live, d);
}

/* The newest row that ended by then; false: there is none. */
static bool find_row(const struct live_source *d, uint64_t end_ns, size_t *block, size_t *row)
{
	for (size_t i = d->block_count; i-- > 0;) {
		const struct sx_table *raw = d->blocks[i].raw;
		for (size_t k = sx_table_row_count(raw); k-- > 0;) {
			if (end_ns && live_rows_end_of(raw, k) > end_ns)
				continue;
			*block = i;
			*row = k;
			return true;
		}
	}
	return false;
}

uint64_t live_rows_newest(const struct live_source *d, uint64_t end_ns)
{
	size_t block, row;
	return find_row(d, end_ns, &block, &row) ? live_rows_end_of(d->blocks[block].raw, row) : 0;
}

enum sx_status live_rows_of_moment(struct live_source *d, const struct live_moment *at,
				   struct sx_error *err)
{
	size_t block, row;
	enum sx_status status = SX_OK;
	if (!d->scratch)
		return SX_OK;
	sx_table_clear(d->scratch);
	bool gone = d->state == LIVE_GONE && !at->end_ns; /* nothing is known of now */
	if (gone || !find_row(d, at->end_ns, &block, &row))
		return SX_OK;
	uint64_t end = at->end_ns ? at->end_ns : live_rows_end_of(d->blocks[block].raw, row);
	if (!at->span_ns)
		return live_rows_append(d, d->scratch, d->blocks[block].raw,
					(struct row_span){row, 1}, err);
	for (size_t i = 0; !status && i <= block; i++) {
		if (d->blocks[i].newest_ns + at->span_ns <= end)
			continue; /* all of it ended before */
		const struct sx_table *raw = d->blocks[i].raw;
		size_t from = 0, to = i == block ? row + 1 : sx_table_row_count(raw);
		while (from < to && live_rows_end_of(raw, from) + at->span_ns <= end)
			from++;
		status =
		    live_rows_append(d, d->scratch, raw, (struct row_span){from, to - from}, err);
	}
	return status;
}
