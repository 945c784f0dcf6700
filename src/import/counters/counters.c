/* Reads tables with a line a sample and a column a counter. */
#include "import/counters/counters.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "catalog/units.h"
#include "import/internal.h"

static bool counters_describe(struct import_job *job, const char *catalog,
			      struct import_field *field)
{
	struct sx_catalog *known = NULL;
	uint32_t count;
	if (sx_catalog_open(job->request->context, catalog, &known, NULL))
		return false;
	uint32_t metric = sx_catalog_find_metric(known, field->name, SX_NONE, NULL);
	uint32_t counter = column_identify(known, field->name).counter;
	if (metric == SX_NONE && counter == SX_NONE) { /* a title, or another case */
		struct column_meaning meaning = column_meaning(known, field->name, SX_NONE);
		metric = meaning.metric;
		counter = meaning.counter.counter;
	}
	if (metric != SX_NONE) {
		const struct sx_metric_info *info = &sx_catalog_metrics(known, &count)[metric];
		field->unit = import_text(job, info->unit, strlen(info->unit));
		field->over_time = alias_over_time(known, metric);
	} else if (counter != SX_NONE) {
		const struct sx_counter_info *info = &sx_catalog_counters(known, &count)[counter];
		field->unit = import_text(job, info->unit, strlen(info->unit));
		field->over_time = info->over_time;
	}
	sx_catalog_unref(known);
	return metric != SX_NONE || counter != SX_NONE;
}

/* "FetchSize (bytes)" is the catalog's FetchSize, whatever unit of the same kind that has. */
static bool convert(const struct import_field *head, struct import_field *field)
{
	struct units units;
	units_init(&units);
	double factor = units_factor(&units, head->unit, field->unit);
	field->factor = head->factor * (factor > 0 ? factor : 1);
	return factor > 0 || units_fit(&units, head->unit, field->unit);
}

/* "frame_time_ms", where frame_time is known, as "frame_time (ms)". */
static bool suffix_in_brackets(struct import_job *job, const char *catalog, struct import_cell name,
			       struct import_cell *out)
{
	char text[160];
	struct import_cell end, bare = import_split_suffix(name, &end);
	if (!bare.size || name.size + 4 > sizeof(text))
		return false;
	struct import_field field = {.name = import_text(job, bare.text, bare.size)};
	if (!field.name || !counters_describe(job, catalog, &field))
		return false;
	int size = snprintf(text, sizeof(text), "%s (%.*s)", field.name, (int)end.size, end.text);
	out->text = import_text(job, text, (size_t)size);
	out->size = (size_t)size;
	return out->text;
}

/* The unit of what the file says none of, or NULL: the catalog's. */
static const char *take_bare(struct import_job *job, const char *catalog,
			     const struct import_field *field)
{
	struct sx_catalog *known = NULL;
	if (sx_catalog_open(job->request->context, catalog, &known, NULL))
		return NULL;
	const char *unit = bare_units_of(known, field->name, field->unit);
	if (unit)
		bare_units_add(&job->bare, field->name, unit);
	unit = unit ? import_text(job, unit, strlen(unit)) : NULL;
	sx_catalog_unref(known);
	return unit;
}

uint32_t counters_column(struct import_job *job, struct import_rows *rows, const char *catalog,
			 struct import_cell name)
{
	enum sx_reduce over_time = import_is_raw(name) ? SX_REDUCE_SUM : SX_REDUCE_MEAN;
	struct import_field head = import_header(job, name, over_time),
			    field = {.unit = "count", .over_time = over_time, .factor = 1};
	bool given = head.name && strlen(head.name) < name.size; /* its unit, by the header */
	field.name = head.name;
	/* ROCm's name for what AMD's guide calls CacheHit: hits of the L2, in percent. */
	if (head.name && strcasecmp(head.name, "L2CacheHit") == 0)
		field.name = "CacheHit";
	bool known = field.name && counters_describe(job, catalog, &field);
	struct import_cell brackets = {"", 0};
	if (!given && !known && suffix_in_brackets(job, catalog, name, &brackets))
		return counters_column(job, rows, catalog, brackets);
	if (given && !known)
		return import_column(rows, &head); /* it is used as it is */
	const char *bare =
	    !given && known && job->format->spelled ? take_bare(job, catalog, &field) : NULL;
	if (bare)
		head.unit = bare;
	if ((!given && !bare) || !field.unit || convert(&head, &field))
		return import_column(rows, &field);
	import_remark(job, "column %.80s is in %.40s, which cannot be made into %.40s: no data",
		      head.name, head.unit, field.unit);
	return SX_NONE;
}

struct counters_reader {
	struct import_job *job;
	const struct counters_format *format;
	struct cells cells;
	struct import_rows *rows;
	const char *catalog; /* that the file says, or NULL */
	struct counters_column {
		enum counters_role role;
		double to_ns;
		uint32_t to; /* of the rows, or SX_NONE */
	} * columns;
	uint64_t now_ns; /* where the row before ended */
	bool absolute;	 /* some column has absolute times */
};

/* What --for says, else what the file says, else what most of its names fit. */
static const char *counters_find_catalog(struct counters_reader *r, const char *const *names,
					 size_t count)
{
	const struct counters_format *format = r->format;
	if (r->catalog && !r->job->request->catalog)
		return r->catalog;
	const char *catalog =
	    import_guess_catalog(r->job, format->family, names, count, format->otherwise);
	if (format->note_guess && !r->job->request->catalog)
		import_remark(
		    r->job,
		    "the file does not name its GPU: its names fit %s as well as any other "
		    "catalog, so the rules are of that one; --for NAME chooses another",
		    catalog);
	return catalog;
}

/* What a header cell is: by the hook, or by a word; all else is a counter. */
static void counters_find_role(const struct counters_reader *r, struct import_cell *cell,
			       struct counters_column *column)
{
	const struct counters_format *format = r->format;
	column->to_ns = 1;
	column->role = format->role ? format->role(r->job, cell, &column->to_ns) : COUNTERS_UNKNOWN;
	for (size_t i = 0; column->role == COUNTERS_UNKNOWN && i < format->word_count; i++) {
		const struct counters_word *word = &format->words[i];
		if (!import_is_any(*cell, word->words))
			continue;
		column->role = word->role;
		column->to_ns = word->to_ns > 0 ? word->to_ns : 1;
		if (word->note)
			import_remark(r->job, "%s", word->note);
	}
	if (column->role == COUNTERS_UNKNOWN)
		column->role = COUNTERS_VALUE;
}

static enum sx_status counters_learn(struct counters_reader *r, const char **names,
				     struct sx_error *err)
{
	size_t count = 0;
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct import_cell *cell = &r->cells.head[i];
		struct counters_column *column = &r->columns[i];
		*column = (struct counters_column){.role = COUNTERS_SKIP, .to_ns = 1};
		if (cell->size)
			counters_find_role(r, cell, column);
		if (import_is(*cell, "simulated")) /* as our own rows say it */
			column->role = COUNTERS_MODEL;
		if (r->job->part && import_names_device(*cell))
			column->role = COUNTERS_SKIP;
		r->absolute |= column->role == COUNTERS_TIME || column->role == COUNTERS_BEGIN;
		if (column->role == COUNTERS_VALUE) {
			names[count] = import_text(r->job, cell->text, cell->size);
			if (!names[count++])
				return error_nomem(err, "importing");
		}
	}
	const char *catalog = counters_find_catalog(r, names, count);
	r->rows = import_rows_create(r->job,
				     &(struct import_rows_options){
					 .catalog = catalog,
					 .driver = r->format->driver,
					 /* A writer that is not known may go back for each core. */
					 .clock = r->format->loose ? "file" : NULL,
					 .kind = r->format->kind});
	for (size_t i = 0; r->rows && i < r->cells.columns; i++) {
		r->columns[i].to = SX_NONE;
		if (r->columns[i].role == COUNTERS_VALUE)
			r->columns[i].to =
			    counters_column(r->job, r->rows, catalog, r->cells.head[i]);
	}
	return r->rows ? SX_OK : error_nomem(err, "importing");
}

static void counters_set_times(struct counters_reader *r, size_t row)
{
	uint64_t begin = SX_TIME_UNKNOWN, end = SX_TIME_UNKNOWN, length = SX_TIME_UNKNOWN;
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->columns[i].role == COUNTERS_TIME)
			end = cells_time(&r->cells, i, r->columns[i].to_ns);
		else if (r->columns[i].role == COUNTERS_BEGIN)
			begin = cells_time(&r->cells, i, r->columns[i].to_ns);
		else if (r->columns[i].role == COUNTERS_LENGTH)
			length = cells_time(&r->cells, i, r->columns[i].to_ns);
	}
	bool long_enough = length != SX_TIME_UNKNOWN && length < (uint64_t)1 << 62;
	if (long_enough && !r->absolute)
		begin = r->now_ns;
	if (long_enough && begin != SX_TIME_UNKNOWN && end == SX_TIME_UNKNOWN)
		end = begin + length;
	else if (end != SX_TIME_UNKNOWN && begin == SX_TIME_UNKNOWN && row && r->now_ns < end)
		begin = r->now_ns;
	if (end != SX_TIME_UNKNOWN)
		r->now_ns = end;
	import_row_time(r->rows, row, begin, end);
}

static void put_label(struct counters_reader *r, size_t row, size_t column)
{
	struct import_cell text = cells_text(&r->cells, column);
	import_label(r->rows, row, SX_LABEL_GROUP, text.text, text.size);
}

/* "90.5 %" is what a bare number in a column of percent is. */
static void drop_percent(struct import_cell *cell)
{
	if (cell->size > 2 && memcmp(cell->text + cell->size - 2, " %", 2) == 0)
		cell->size -= 2;
}

static void counters_take_row(struct counters_reader *r)
{
	size_t row = import_row(r->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
	counters_set_times(r, row);
	import_row_place(r->rows, row, r->cells.lines.number);
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->columns[i].role == COUNTERS_VALUE)
			drop_percent(&r->cells.row[i]);
		struct import_cell cell = r->cells.row[i];
		uint64_t whole;
		if (r->columns[i].role == COUNTERS_GROUP)
			put_label(r, row, i);
		else if (r->columns[i].role == COUNTERS_MODEL && import_is(cell, "true"))
			import_rows_describe(r->rows,
					     &(struct import_rows_options){.simulated = true});
		else if (r->columns[i].role == COUNTERS_FRAME && cell.size &&
			 number_u64(cell.text, cell.size, &whole))
			import_number_label(r->rows, row, SX_LABEL_FRAME, whole);
		else
			cells_put(&r->cells, i, r->rows, r->columns[i].to, row);
	}
}

/* The first line is one where the format knows no other. */
static bool counters_find_header(const struct counters_format *format, struct import_lines *lines,
				 struct import_cell *header)
{
	bool any = import_line(lines, header);
	while (any && format->is_header && !format->is_header(*header))
		any = import_line(lines, header);
	return any || !format->is_header;
}

enum sx_status counters_read(struct import_job *job, struct sx_error *err)
{
	const struct counters_format *format = job->format->counters;
	struct counters_reader r = {.job = job, .format = format};
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	const char **names = NULL;
	if (!counters_find_header(format, &lines, &header))
		return import_bad(job, 0, err, format->because, format->nothing);
	r.catalog = format->catalog ? format->catalog(job, lines, header) : NULL;
	enum sx_status status = cells_begin(&r.cells, job, lines, header, err);
	r.cells.loose = format->loose;
	if (!status)
		cells_name_once(&r.cells);
	r.cells.wide_first = format->wide_first;
	if (!status) {
		names = calloc(r.cells.columns + 1, sizeof(*names));
		r.columns = calloc(r.cells.columns + 1, sizeof(*r.columns));
		status = names && r.columns ? counters_learn(&r, names, err)
					    : error_nomem(err, "importing");
	}
	while (!status && cells_next(&r.cells))
		counters_take_row(&r);
	if (!status)
		status = cells_end(&r.cells, err);
	free(names);
	free(r.columns);
	return import_rows_finish(r.rows, status, err);
}
