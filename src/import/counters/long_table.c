/*
 * Long tables: a line for each value, with the counter's name in one column and its value in
 * another, and what tells samples apart in the others.
 */
#include <stdlib.h>
#include <string.h>

#include "base/strings.h"
#include "base/number.h"
#include "import/read/cells.h"
#include "import/counters/rocm.h"

#define KEYS_MAX 12

static const char *const long_names[] = {"name",	 "counter", "metric",
					 "counter_name", "event",   "key"};
static const char *const values[] = {"value", "counter_value", "count", "reading"};

struct long_where {
	size_t name, value;
	size_t keys[KEYS_MAX]; /* columns that tell samples apart */
	size_t key_count;
};

static bool is_one(struct import_cell cell, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (import_is(cell, words[i]))
			return true;
	return false;
}

static bool find(const struct import_cell *cells, size_t count, struct long_where *at)
{
	*at = (struct long_where){.name = SIZE_MAX, .value = SIZE_MAX};
	for (size_t i = 0; i < count; i++) {
		if (at->name == SIZE_MAX &&
		    is_one(cells[i], long_names, sizeof(long_names) / sizeof(*long_names)))
			at->name = i;
		else if (at->value == SIZE_MAX &&
			 is_one(cells[i], values, sizeof(values) / sizeof(*values)))
			at->value = i;
		else if (at->key_count < KEYS_MAX)
			at->keys[at->key_count++] = i;
		else
			return false;
	}
	return at->name != SIZE_MAX && at->value != SIZE_MAX;
}

static bool long_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line, cells[KEYS_MAX + 3];
	struct long_where at;
	if (!import_header_line(&lines, &line))
		return false;
	size_t count = import_split(line, import_separator(line), cells, KEYS_MAX + 3);
	return count >= 2 && count <= KEYS_MAX + 2 && find(cells, count, &at);
}

struct long_reader {
	struct import_job *job;
	struct cells cells;
	struct long_where at;
	struct import_rows *rows;
	const char *catalog;
	struct strings samples, seen; /* keys of rows; names in the row at hand, without keys */
	size_t *row;
	size_t row_cap, current;
};

/* Which catalog fits the names that stand in the lines. */
static const char *guess(struct long_reader *r)
{
	struct strings found = {0};
	struct cells ahead = r->cells;
	const char *catalog = r->job->request->catalog;
	while (!catalog && found.count < 256 && cells_next(&ahead)) {
		struct import_cell name = cells_at(&ahead, r->at.name);
		strings_intern(&found, name.text, name.size, NULL);
	}
	if (!catalog)
		catalog = import_guess_catalog(r->job, "", found.texts, found.count, "monitor");
	/* The cells of a row are shared with the copy: the next row fills them anew. */
	strings_finish(&found);
	return catalog;
}

/* Times and labels among the keys. */
static void describe_row(struct long_reader *r, size_t row)
{
	uint64_t begin = SX_TIME_UNKNOWN, end = SX_TIME_UNKNOWN, length = SX_TIME_UNKNOWN;
	uint64_t frame;
	double number;
	bool labelled = false;
	for (size_t i = 0; i < r->at.key_count; i++) {
		struct import_cell head = r->cells.head[r->at.keys[i]];
		struct import_cell cell = cells_at(&r->cells, r->at.keys[i]);
		if (import_is(head, "simulated") && import_is(cell, "true"))
			import_rows_simulated(r->rows);
		else if (import_is(head, "simulated"))
			continue;
		else if (import_is(head, "begin_ns") || import_is(head, "timestamp_ns") ||
			 import_is(head, "time_ns"))
			begin = cells_ns(&r->cells, r->at.keys[i]);
		else if (import_is(head, "end_ns"))
			end = cells_ns(&r->cells, r->at.keys[i]);
		else if (import_is(head, "duration_ns"))
			length = cells_ns(&r->cells, r->at.keys[i]);
		else if (import_is(head, "frame") && cell.size &&
			 number_u64(cell.text, cell.size, &frame))
			import_number_label(r->rows, row, SX_LABEL_FRAME, frame);
		else if (!labelled && cell.size && !import_number(cell, &number)) {
			struct import_cell text = cells_text(&r->cells, r->at.keys[i]);
			import_label(r->rows, row, SX_LABEL_GROUP, text.text, text.size);
			labelled = true;
		}
	}
	if (end == SX_TIME_UNKNOWN && begin != SX_TIME_UNKNOWN && length < (uint64_t)1 << 62)
		end = begin + length;
	import_row_time(r->rows, row, begin, end);
}

/* The row of a line: by its keys, or, where there are none, until a name comes again. */
static enum sx_status long_find_row(struct long_reader *r, struct import_cell name, size_t *row,
				    struct sx_error *err)
{
	char key[512];
	size_t used = 0;
	bool added = false;
	if (!r->at.key_count) {
		uint32_t seen = strings_intern(&r->seen, name.text, name.size, &added);
		if (seen == UINT32_MAX)
			return error_nomem(err, "importing");
		if (!added) {
			strings_clear(&r->seen);
			strings_intern(&r->seen, name.text, name.size, NULL);
		}
		if (!added || r->current == SIZE_MAX)
			r->current = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		*row = r->current;
		return SX_OK;
	}
	for (size_t i = 0; i < r->at.key_count; i++) {
		struct import_cell cell = cells_at(&r->cells, r->at.keys[i]);
		size_t size = cell.size < 40 ? cell.size : 40;
		memcpy(key + used, cell.text, size);
		used += size;
		key[used++] = '\n';
	}
	uint32_t at = strings_intern(&r->samples, key, used, &added);
	if (at == UINT32_MAX || !mem_grow(&r->row, &r->row_cap, (size_t)at + 1, sizeof(*r->row)))
		return error_nomem(err, "importing");
	if (added) {
		r->row[at] = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		describe_row(r, r->row[at]);
	}
	*row = r->row[at];
	return SX_OK;
}

static enum sx_status long_take_line(struct long_reader *r, struct sx_error *err)
{
	size_t row = SIZE_MAX;
	struct import_cell name = cells_at(&r->cells, r->at.name);
	if (!name.size)
		return SX_OK;
	enum sx_status status = long_find_row(r, name, &row, err);
	if (status)
		return status;
	uint32_t column = amd_column(r->job, r->rows, r->catalog, name);
	cells_put(&r->cells, r->at.value, r->rows, column, row);
	return SX_OK;
}

static enum sx_status long_read(struct import_job *job, struct sx_error *err)
{
	struct long_reader r = {.job = job, .current = SIZE_MAX};
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	import_header_line(&lines, &header);
	enum sx_status status = cells_begin(&r.cells, job, lines, header, err);
	r.cells.loose_end = true;
	if (!status && !find(r.cells.head, r.cells.columns, &r.at))
		status = import_bad(job, 1, err, "one column names the counter, one has its value",
				    "the header has no name and value");
	if (!status) {
		r.catalog = guess(&r);
		r.rows = import_rows_create(job, &(struct import_rows_options){
						     .catalog = r.catalog, .kind = SX_SAMPLE_ROW});
	}
	while (!status && cells_next(&r.cells))
		status = long_take_line(&r, err);
	if (!status)
		status = cells_end(&r.cells, err);
	strings_finish(&r.samples);
	strings_finish(&r.seen);
	free(r.row);
	return import_rows_finish(r.rows, status, err);
}

const struct import_format import_long_table = {
    .kind = "long-table",
    .about = "a table with a line for each value",
    .recognise = long_recognise,
    .read = long_read,
};
