/*
 * Long tables: a line for each value, with the counter's name in one column and its value in
 * another; the other columns are keys of samples.
 */
#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "base/strings.h"
#include "catalog/units.h"
#include "import/counters/counters.h"
#include "import/internal.h"
#include "table/label.h"

#define KEYS_MAX 12

struct long_where {
	size_t name, value, unit; /* unit: SIZE_MAX where there is none */
	size_t keys[KEYS_MAX];	  /* columns that distinguish samples */
	size_t key_count;
};

static bool find(const struct import_cell *cells, size_t count, struct long_where *at)
{
	*at = (struct long_where){.name = SIZE_MAX, .value = SIZE_MAX, .unit = SIZE_MAX};
	for (size_t i = 0; i < count; i++) {
		if (at->name == SIZE_MAX &&
		    import_word_of(cells[i], "name|counter|metric|counter_name|event|key|variable"))
			at->name = i;
		else if (at->value == SIZE_MAX &&
			 import_word_of(cells[i], "value|counter_value|count|reading"))
			at->value = i;
		else if (at->unit == SIZE_MAX && import_word_of(cells[i], "unit|units"))
			at->unit = i;
		else if (at->key_count < KEYS_MAX)
			at->keys[at->key_count++] = i;
		else
			return false;
	}
	return at->name != SIZE_MAX && at->value != SIZE_MAX;
}

/* What sextant report --csv and stat --csv write: sums of a run, and no samples. */
static bool is_report(const struct import_cell *cells, size_t count)
{
	static const char *const head[] = {"name", "device", "unit", "total", "mean",
					   "min",  "p50",    "p95",  "p99",   "max"};
	size_t same = 0, heads = sizeof(head) / sizeof(*head);
	while (same < heads && same < count && import_is(cells[same], head[same]))
		same++;
	return same == heads;
}

static bool long_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[KEYS_MAX + 4];
	struct long_where at;
	if (!import_header_line(&lines, &line))
		return false;
	size_t count = import_split(line, import_separator(line), cells, KEYS_MAX + 4);
	return count >= 2 && count <= KEYS_MAX + 3 && find(cells, count, &at);
}

/* What lines of one name in one unit are: a column, and what makes its numbers of theirs. */
struct long_column {
	uint32_t column;
	double factor; /* 0: they cannot be made into the column's unit */
};

struct long_reader {
	struct import_job *job;
	struct cells cells;
	struct long_where at;
	struct import_rows *rows;
	const char *catalog;
	struct strings samples, seen; /* keys of rows; names in the current row, without keys */
	size_t *row;
	size_t row_cap, current;
	uint64_t moment;	     /* of the row before */
	struct strings named, first; /* "name (unit)" as columns has them; the unit first met */
	struct long_column *columns;
	uint32_t *first_unit; /* of each column of rows: in `first` */
	size_t column_cap, unit_cap, other_units;
	enum sx_label label[KEYS_MAX]; /* of the keys that hold text */
	bool has_label[KEYS_MAX];
	uint32_t labels; /* that some key is, a bit each */
	char *text;	 /* of a key, or a name with its unit */
	size_t text_cap;
};

/* Which catalog fits the names in the lines. */
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
		catalog = import_table_catalog(r->job, found.texts, found.count);
	/* The cells of a row are shared with the copy: the next row fills them anew. */
	strings_finish(&found);
	return catalog ? catalog : "monitor";
}

/* The label of a key that holds text, the same for all rows; SX_LABEL_COUNT: none is left. */
static enum sx_label label_of_text(struct long_reader *r, size_t key)
{
	struct import_cell head = r->cells.head[r->at.keys[key]];
	enum sx_label own = import_is(head, "process") ? SX_LABEL_PROCESS : SX_LABEL_COUNT;
	if (r->has_label[key])
		return r->label[key];
	if (own == SX_LABEL_COUNT || r->labels >> own & 1)
		own = label_next_group(r->labels);
	r->has_label[key] = true;
	r->label[key] = own;
	if (own == SX_LABEL_COUNT) {
		import_remark(r->job, "column %.*s of text was left out: four are labels",
			      (int)(head.size < 80 ? head.size : 80), head.text);
		return own;
	}
	r->labels |= 1u << own;
	if (!import_is(head, label_name(own)))
		import_rows_label_name(r->rows, own, import_text(r->job, head.text, head.size));
	return own;
}

/* A key as a label. */
static void take_label(struct long_reader *r, size_t row, size_t key)
{
	size_t column = r->at.keys[key];
	struct import_cell head = r->cells.head[column], cell = cells_at(&r->cells, column);
	uint64_t number;
	enum sx_label label;
	double value;
	if (import_role(head, false, &label) == IMPORT_ROLE_NUMBER && cell.size &&
	    number_u64(cell.text, cell.size, &number)) {
		import_number_label(r->rows, row, label, number);
		return;
	}
	if (!cell.size || (r->job->part && import_names_device(head)) ||
	    (!r->has_label[key] && import_number(cell, &value)))
		return;
	label = label_of_text(r, key);
	struct import_cell text = cells_text(&r->cells, column);
	if (label != SX_LABEL_COUNT)
		import_label(r->rows, row, label, text.text, text.size);
}

/* Times and labels among the keys. */
static void describe_row(struct long_reader *r, size_t row)
{
	uint64_t times[IMPORT_TIME_MOMENT + 1];
	memset(times, 0xff, sizeof(times));
	for (size_t i = 0; i < r->at.key_count; i++) {
		size_t column = r->at.keys[i];
		struct import_cell head = r->cells.head[column], cell = cells_at(&r->cells, column);
		double to_ns;
		enum import_time time = import_time_head(head, &to_ns);
		if (import_is(head, "timestamp_ns"))
			time = IMPORT_TIME_BEGIN;
		if (import_is(head, "simulated") && import_is(cell, "true"))
			import_rows_describe(r->rows,
					     &(struct import_rows_options){.simulated = true});
		else if (import_is(head, "quality"))
			import_row_quality(r->rows, row, import_quality(cell.text, cell.size));
		else if (time != IMPORT_TIME_NONE)
			times[time] = cells_time(&r->cells, column, to_ns);
		else if (!import_is(head, "simulated"))
			take_label(r, row, i);
	}
	uint64_t begin = times[IMPORT_TIME_BEGIN], end = times[IMPORT_TIME_END],
		 length = times[IMPORT_TIME_LENGTH];
	uint64_t moment = times[IMPORT_TIME_MOMENT];
	/* As in any table: a row's end, and the next one's begin. */
	if (moment != SX_TIME_UNKNOWN) {
		end = end == SX_TIME_UNKNOWN ? moment : end;
		if (begin == SX_TIME_UNKNOWN && length == SX_TIME_UNKNOWN && r->moment < end)
			begin = r->moment;
		r->moment = moment;
	}
	if (end == SX_TIME_UNKNOWN && begin != SX_TIME_UNKNOWN && length < (uint64_t)1 << 62)
		end = begin + length;
	import_row_time(r->rows, row, begin, end);
}

/* Appends to the reader's text; false when memory is out. */
static bool long_append(struct long_reader *r, size_t *used, struct import_cell cell)
{
	if (!mem_grow(&r->text, &r->text_cap, *used + cell.size + 1, 1))
		return false;
	memcpy(r->text + *used, cell.text, cell.size);
	*used += cell.size;
	return true;
}

/* The factor from numbers in one written unit to another; 0: there is none. */
static double between(struct import_cell from, struct import_cell to)
{
	struct units units;
	const char *a = NULL, *b = NULL;
	double factor_a, factor_b;
	units_init(&units);
	if (from.size == to.size && memcmp(from.text, to.text, from.size) == 0)
		return 1;
	if (!import_unit(from, &a, &factor_a) || !import_unit(to, &b, &factor_b))
		return 0;
	return units_factor(&units, a, b) * factor_a / factor_b;
}

/* A name that comes in another unit than at first is made into that. */
static bool resolve_unit(struct long_reader *r, struct long_column *c, struct import_cell unit)
{
	bool added;
	size_t had = r->unit_cap;
	uint32_t at = strings_intern(&r->first, unit.text, unit.size, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&r->first_unit, &r->unit_cap, (size_t)c->column + 1, sizeof(*r->first_unit)))
		return false;
	memset(r->first_unit + had, 0xff, (r->unit_cap - had) * sizeof(*r->first_unit));
	if (r->first_unit[c->column] == UINT32_MAX)
		r->first_unit[c->column] = at;
	const char *first = strings_get(&r->first, r->first_unit[c->column]);
	c->factor = between(unit, (struct import_cell){first, strlen(first)});
	return true;
}

/* The column of a line; NULL when memory is out. */
static const struct long_column *long_find_column(struct long_reader *r, struct import_cell name)
{
	struct import_cell unit = cells_at(&r->cells, r->at.unit);
	size_t used = 0;
	bool added;
	if (import_no_data(unit))
		unit.size = 0;
	if (!long_append(r, &used, name) ||
	    (unit.size && (!long_append(r, &used, (struct import_cell){" (", 2}) ||
			   !long_append(r, &used, unit) ||
			   !long_append(r, &used, (struct import_cell){")", 1}))))
		return NULL;
	uint32_t at = strings_intern(&r->named, r->text, used, &added);
	if (at == UINT32_MAX ||
	    !mem_grow(&r->columns, &r->column_cap, (size_t)at + 1, sizeof(*r->columns)))
		return NULL;
	struct long_column *c = &r->columns[at];
	if (!added)
		return c;
	*c = (struct long_column){
	    counters_column(r->job, r->rows, r->catalog, (struct import_cell){r->text, used}), 1};
	if (c->column == SX_NONE || resolve_unit(r, c, unit))
		return c;
	return NULL;
}

/* The row of a line: by its keys, or, where there are none, until a name comes again. */
static enum sx_status long_find_row(struct long_reader *r, struct import_cell name, uint32_t column,
				    size_t *row, struct sx_error *err)
{
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
	bool room = true;
	for (size_t i = 0; i < r->at.key_count; i++)
		room = room && long_append(r, &used, cells_at(&r->cells, r->at.keys[i])) &&
		       long_append(r, &used, (struct import_cell){"\n", 1});
	uint32_t at = room ? strings_intern(&r->samples, r->text, used, &added) : UINT32_MAX;
	if (at == UINT32_MAX || !mem_grow(&r->row, &r->row_cap, (size_t)at + 1, sizeof(*r->row)))
		return error_nomem(err, "importing");
	/* Keys that do not distinguish samples: another one begins where a name comes again. */
	if (added || import_has(r->rows, column, r->row[at])) {
		r->row[at] = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
		describe_row(r, r->row[at]);
	}
	*row = r->row[at];
	return SX_OK;
}

static enum sx_status long_take_line(struct long_reader *r, struct sx_error *err)
{
	size_t row = SIZE_MAX;
	double value;
	struct import_cell name = cells_at(&r->cells, r->at.name);
	if (!name.size)
		return SX_OK;
	const struct long_column *column = long_find_column(r, name);
	if (!column)
		return error_nomem(err, "importing");
	enum sx_status status = long_find_row(r, name, column->column, &row, err);
	if (status)
		return status;
	if (column->factor == 1)
		cells_put(&r->cells, r->at.value, r->rows, column->column, row);
	else if (column->factor == 0)
		r->other_units++;
	else if (cells_number(&r->cells, r->at.value, &value))
		import_set(r->rows, column->column, row, value * column->factor);
	return SX_OK;
}

static enum sx_status long_read(struct import_job *job, struct sx_error *err)
{
	struct long_reader r = {.job = job, .current = SIZE_MAX, .moment = SX_TIME_UNKNOWN};
	enum sx_status status = cells_begin_text(&r.cells, job, err);
	if (!status && is_report(r.cells.head, r.cells.columns))
		status = import_refuse_report(
		    job, "report and stat write totals and means of a whole run", err);
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
	if (r.other_units)
		import_remark(job,
			      "%s in another unit than the first of the name, which "
			      "cannot be made into that: left out",
			      COUNTED(r.other_units, "value is"));
	strings_finish(&r.samples);
	strings_finish(&r.seen);
	strings_finish(&r.named);
	strings_finish(&r.first);
	free(r.columns);
	free(r.first_unit);
	free(r.text);
	free(r.row);
	return import_rows_finish(r.rows, status, err);
}

const struct import_format import_long_table = {
    .kind = "long-table",
    .about = "a table with a line for each value",
    .by_device = true,
    .spelled = true,
    .recognise = long_recognise,
    .read = long_read,
};
