/* Counts of `perf stat -x` to a table: one pass learns intervals and columns, the next fills. */
#include "import/perf_stat/parse.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/strings.h"
#include "catalog/units.h"
#include "table/fill.h"

#define NAME_BYTES    256
#define COLUMNS_MAX   4096
#define DURATION_TIME "duration_time"

/* One event of one CPU, thread or socket: the same text in every interval. */
struct series {
	uint32_t column; /* of the table; SX_NONE: the run's length, or left out */
	bool duration, repeat;
	size_t last_row;	     /* the last row in which the event was seen, from 1 */
	struct import_factor factor; /* to the column's unit */
};

/* What a column of the table is, and how its values were printed. */
struct counter_column {
	uint32_t counter; /* in the catalog, or SX_NONE */
	uint32_t modifiers;
	bool fraction, supported, counted;
	size_t short_row; /* in which not all CPUs or threads were counted, from 1 */
};

struct perf_stat_reader {
	const struct sx_catalog *catalog;
	struct units units;
	const char *text, *end, *origin;
	char separator;
	struct strings keys;  /* of series, then of what they feed */
	struct strings names; /* of columns */
	struct strings modifiers;
	struct series *series; /* by index in keys; unused where the key is no series */
	size_t series_cap;
	struct counter_column *columns;
	struct sx_column *infos;
	size_t column_cap, info_cap;
	size_t rows;
	bool timed;	/* every line begins with a time, or none does */
	bool elapsed;	/* "seconds time elapsed" came: perf's text is whole */
	bool restarted; /* a remark came since the last count: a further run, appended */
	uint64_t time_ns;
	bool metric_only; /* some lines have ratios in the place of counts */
	struct perf_stat_tally tally;
	struct sx_table *table; /* NULL while learning */
	struct sx_error *err;
};

/* Up to a NUL, and as much as there is room for; false: that is not all, or nothing. */
static bool copy_text(struct import_cell from, char out[NAME_BYTES])
{
	size_t most = from.size < NAME_BYTES ? from.size : NAME_BYTES - 1;
	snprintf(out, NAME_BYTES, "%.*s", (int)most, from.size ? from.text : "");
	return from.size && strlen(out) == from.size;
}

/* The counter of an event, by its whole text first; `shown` is the column's name. */
static uint32_t perf_stat_find_counter(const struct perf_stat_reader *r, struct import_cell event,
				       const struct perf_event_name *name, char shown[NAME_BYTES])
{
	uint32_t count, found = SX_NONE;
	if (!copy_text(event, shown))
		return SX_NONE;
	found = sx_catalog_find_counter(r->catalog, shown, SX_NONE, NULL);
	if (found == SX_NONE && copy_text(name->name, shown))
		found = sx_catalog_find_counter(r->catalog, shown, SX_NONE, NULL);
	if (found == SX_NONE) {
		copy_text(event, shown);
		return SX_NONE;
	}
	const struct sx_counter_info *info = &sx_catalog_counters(r->catalog, &count)[found];
	/* A bare name that several groups share stays bare: it serves all of them. */
	if (info->group == SX_NONE || !strchr(shown, '.'))
		snprintf(shown, NAME_BYTES, "%s", info->name);
	return found;
}

static enum sx_status no_memory(struct perf_stat_reader *r)
{
	return error_nomem(r->err, "reading perf's counts");
}

static enum sx_status too_many(struct perf_stat_reader *r, const char *what, unsigned limit)
{
	error_set(r->err, SX_ERR_LIMIT, "%s: too many %s", r->origin, what);
	error_because(r->err, "the limit is %u", limit);
	error_try(r->err, "fewer events at once");
	return SX_ERR_LIMIT;
}

static enum sx_status perf_stat_add_column(struct perf_stat_reader *r, const char *name,
					   uint32_t counter, struct import_cell modifiers,
					   uint32_t *out)
{
	bool added;
	uint32_t count, at = strings_intern(&r->names, name, strlen(name), &added);
	if (at == UINT32_MAX)
		return no_memory(r);
	*out = at;
	if (!added)
		return SX_OK;
	if (at >= COLUMNS_MAX)
		return too_many(r, "events", COLUMNS_MAX);
	if (!mem_grow(&r->columns, &r->column_cap, at + 1, sizeof(*r->columns)) ||
	    !mem_grow(&r->infos, &r->info_cap, at + 1, sizeof(*r->infos)))
		return no_memory(r);
	const struct sx_counter_info *info =
	    counter == SX_NONE ? NULL : &sx_catalog_counters(r->catalog, &count)[counter];
	uint32_t own = strings_intern(&r->modifiers, modifiers.size ? modifiers.text : "",
				      modifiers.size, NULL);
	r->columns[at] = (struct counter_column){.counter = counter, .modifiers = own};
	r->infos[at] = (struct sx_column){.unit = info ? info->unit : "count",
					  .type = SX_U64,
					  .over_time = info ? info->over_time : SX_REDUCE_SUM};
	return own == UINT32_MAX ? no_memory(r) : SX_OK;
}

/* A key of a few parts, with a byte between them that no text has. */
static uint32_t intern_parts(struct perf_stat_reader *r, char kind, const struct import_cell *parts,
			     size_t count, bool *added)
{
	char key[4 * NAME_BYTES];
	size_t used = 0;
	key[used++] = kind;
	for (size_t i = 0; i < count; i++) {
		if (used + parts[i].size + 1 > sizeof(key))
			return UINT32_MAX;
		if (parts[i].size)
			memcpy(key + used, parts[i].text, parts[i].size);
		used += parts[i].size;
		key[used++] = '\n';
	}
	return strings_intern(&r->keys, key, used, added);
}

/* What a new series feeds; one that would count something twice is marked as a repeat. */
static enum sx_status learn_series(struct perf_stat_reader *r, const struct perf_line *line,
				   struct series *series)
{
	char shown[NAME_BYTES];
	struct perf_event_name name = perf_event_split(line->event);
	uint32_t counter = perf_stat_find_counter(r, line->event, &name, shown);
	const char *unit = perf_unit(line->unit);
	*series = (struct series){.column = SX_NONE};
	if (import_is(line->event, DURATION_TIME)) {
		series->duration = true;
		return SX_OK;
	}
	struct import_cell modifiers =
	    counter == SX_NONE ? (struct import_cell){0} : name.modifiers;
	enum sx_status status = perf_stat_add_column(r, shown, counter, modifiers, &series->column);
	if (status)
		return status;
	if (counter == SX_NONE)
		r->infos[series->column].unit = unit ? unit : "count";
	bool added;
	const struct import_cell feeds[] = {line->unit_of, name.pmu, {shown, strlen(shown)}};
	uint32_t key = intern_parts(r, 'f', feeds, 3, &added);
	uint32_t own =
	    strings_find(&r->modifiers, modifiers.size ? modifiers.text : "", modifiers.size);
	if (key == UINT32_MAX)
		return no_memory(r);
	series->repeat = !added || own != r->columns[series->column].modifiers;
	return SX_OK;
}

static enum sx_status find_series(struct perf_stat_reader *r, const struct perf_line *line,
				  struct series **out)
{
	bool added;
	const struct import_cell parts[] = {line->unit_of, line->event};
	uint32_t key = intern_parts(r, 's', parts, 2, &added);
	if (key == UINT32_MAX)
		return no_memory(r);
	if (key >= PERF_STAT_SERIES_MAX)
		return too_many(r, "events of CPUs or threads", PERF_STAT_SERIES_MAX);
	if (added && r->table)
		return error_set(r->err, SX_ERR_BAD_INPUT, "%s changed while it was read",
				 r->origin);
	if (added) {
		struct series learnt;
		enum sx_status status = learn_series(r, line, &learnt);
		if (!status &&
		    !mem_grow(&r->series, &r->series_cap, r->keys.count, sizeof(*r->series)))
			status = no_memory(r);
		if (status)
			return status;
		r->series[key] = learnt;
	}
	*out = &r->series[key];
	return SX_OK;
}

static double perf_stat_value_of(const struct perf_stat_reader *r, const struct perf_line *line,
				 struct series *series)
{
	double known = import_unit_factor(&series->factor, &r->units, line->unit,
					  r->infos[series->column].unit);
	double factor = known > 0 ? known : 1;
	/* A clock's run time is its count, to the nanosecond; what is printed is cut. */
	if (factor == 1e6 && line->percent >= 100 && fabs(line->run_ns / 1e6 - line->value) < 0.006)
		return line->run_ns;
	return line->value * factor;
}

static void add_value(struct perf_stat_reader *r, uint32_t column, double value, uint8_t quality)
{
	size_t row = r->rows - 1;
	uint8_t *old = &table_quality(r->table, column)[row];
	bool first = (*old & SX_QUALITY_NO_DATA_MASK) != 0;
	if (r->columns[column].short_row == r->rows)
		quality |= SX_QUALITY_LOST;
	uint8_t joined = (uint8_t)((first ? 0 : *old) | quality);
	if (r->infos[column].type == SX_U64) {
		uint64_t *sum = &((uint64_t *)table_data(r->table, column))[row];
		*sum = (first ? 0 : *sum) + (uint64_t)value;
	} else {
		double *sum = &((double *)table_data(r->table, column))[row];
		*sum = (first ? 0 : *sum) + value;
	}
	*old = joined;
}

/* A sum without one of its CPUs or threads says so; without any of them it is no data. */
static void mark_short(struct perf_stat_reader *r, uint32_t column)
{
	if (!r->table)
		return;
	uint8_t *quality = &table_quality(r->table, column)[r->rows - 1];
	r->columns[column].short_row = r->rows;
	if (!(*quality & SX_QUALITY_NO_DATA_MASK))
		*quality |= SX_QUALITY_LOST;
}

static void take_value(struct perf_stat_reader *r, const struct perf_line *line,
		       struct series *series)
{
	struct counter_column *column = &r->columns[series->column];
	column->supported |= line->state != PERF_NOT_SUPPORTED;
	if (line->state != PERF_COUNTED) {
		mark_short(r, series->column);
		return;
	}
	double value = perf_stat_value_of(r, line, series);
	column->counted = true;
	column->fraction |= value != floor(value) || value < 0 || value >= 0x1p64;
	if (r->table)
		add_value(r, series->column, value,
			  line->percent < 100 ? SX_QUALITY_MULTIPLEXED : 0);
}

/* The interval that a line belongs to; its times come from the lines' own. */
static void take_time(struct perf_stat_reader *r, const struct perf_line *line)
{
	bool same = !line->timed || line->time_ns == r->time_ns;
	if (r->rows && same && !r->restarted)
		return;
	bool follows = r->rows && !r->restarted && line->time_ns > r->time_ns;
	uint64_t begin = follows ? r->time_ns : 0;
	r->rows++;
	r->restarted = false;
	r->timed = line->timed;
	r->time_ns = line->time_ns;
	if (r->table && line->timed)
		sx_table_set_time(r->table, r->rows - 1, begin, line->time_ns);
}

static enum sx_status perf_stat_take_line(struct perf_stat_reader *r, const struct perf_line *line)
{
	struct series *series = NULL;
	enum sx_status status = find_series(r, line, &series);
	if (status)
		return status;
	take_time(r, line);
	r->tally.records++;
	if (series->repeat || series->last_row == r->rows) {
		r->tally.repeats++;
		return SX_OK;
	}
	series->last_row = r->rows;
	r->elapsed |= series->duration;
	if (series->duration && r->table && !line->timed && line->state == PERF_COUNTED &&
	    line->value >= 0 && line->value < 0x1p62)
		sx_table_set_time(r->table, r->rows - 1, 0, (uint64_t)line->value);
	if (!series->duration)
		take_value(r, line, series);
	return SX_OK;
}

/* Blank lines, the date of a run, and totals, which the intervals give as well. */
static bool is_remark(struct perf_stat_reader *r, const char *line, size_t size)
{
	const char *first = perf_skip_blanks(line, line + size);
	size -= (size_t)(first - line);
	line = first;
	static const char *const remarks[] = {"summary", "Performance counter stats for"};
	static const char *const ends[] = {"seconds user", "seconds sys"};
	r->restarted |= size && *line == '#';
	for (size_t i = 0; i < 2; i++)
		if (size > strlen(remarks[i]) && !memcmp(line, remarks[i], strlen(remarks[i])))
			return true;
	for (size_t i = 0; r->separator == PERF_TEXT && i < 2; i++)
		if (memmem(line, size, ends[i], strlen(ends[i])))
			return true;
	return !size || *line == '#';
}

/* Goes over all lines. Those that are no counts are the program's own: they share the stream. */
static enum sx_status each_line(struct perf_stat_reader *r)
{
	struct perf_records records = {.p = r->text, .end = r->end};
	struct perf_record record;
	enum sx_status status = SX_OK;
	r->rows = 0;
	r->restarted = false;
	r->time_ns = 0;
	r->elapsed = false;
	r->tally = (struct perf_stat_tally){0};
	while (!status && perf_record_next(&records, &record)) {
		const char *p = record.text;
		size_t size = record.size;
		struct perf_line line;
		r->metric_only |= perf_record_is_metric_only(p, size);
		if (is_remark(r, p, size))
			continue;
		if (!r->separator)
			r->separator = perf_line_separator(p, size);
		/* perf ends every line: one without an end may lack digits. */
		if (!record.ended)
			r->tally.cut = record.line;
		else if (r->separator && perf_line_parse(p, size, r->separator, &line) &&
			 (!r->rows || line.timed == r->timed))
			status = perf_stat_take_line(r, &line);
		else if (r->tally.foreign++ == 0)
			r->tally.first_foreign = record.line;
	}
	r->tally.no_footer = r->separator == PERF_TEXT && !r->timed && !r->elapsed;
	return status;
}

enum sx_status perf_stat_whole(const struct perf_stat_tally *tally, const char *origin,
			       const struct note_sink *to, struct sx_error *err)
{
	if (tally->foreign)
		note_sink_write(to, "no counts: %zu of %s, line %zu the first", tally->foreign,
				COUNTED(tally->foreign + tally->records, "line"),
				tally->first_foreign);
	if (tally->repeats)
		note_sink_write(
		    to,
		    "left out: %s, as the same counter was counted by another event of the "
		    "same time",
		    COUNTED(tally->repeats, "count"));
	if (!tally->cut && !tally->no_footer)
		return SX_OK;
	if (tally->cut)
		error_set(err, SX_INCOMPLETE, "%s breaks off in line %zu", origin, tally->cut);
	else
		error_set(err, SX_INCOMPLETE, "%s breaks off before its end", origin);
	error_because(err, tally->cut ? "perf ends every line, and that one has no end"
				      : "perf ends with the seconds that it took");
	error_try(err, "the file again, as perf wrote it; the lines before were read");
	return SX_INCOMPLETE;
}

static enum sx_status perf_stat_create(struct perf_stat_reader *r)
{
	for (uint32_t i = 0; i < r->names.count; i++) {
		r->infos[i].name = strings_get(&r->names, i);
		r->infos[i].type = r->columns[i].fraction ? SX_F64 : SX_U64;
		if (!r->columns[i].counted)
			r->infos[i].why = r->columns[i].supported ? "perf had it on no counter"
								  : "perf does not support it here";
	}
	for (size_t i = 0; i < r->keys.count && i < r->series_cap; i++)
		r->series[i].last_row = 0;
	enum sx_status status =
	    sx_table_create(r->infos, r->names.count, SX_SAMPLE_TIME, &r->table, r->err);
	if (!status)
		status = sx_table_add_rows(r->table, r->rows, NULL, r->err);
	for (uint32_t i = 0; !status && i < r->names.count; i++)
		if (!table_quality(r->table, i)) /* so that it is there from now on */
			status = error_nomem(r->err, "reading counts");
	return status;
}

static enum sx_status no_counts(struct perf_stat_reader *r)
{
	/* Of text only the time that it took is left. */
	bool ratios = r->metric_only || r->tally.records;
	error_set(r->err, SX_ERR_BAD_INPUT, "%s:%zu: no line is a count of perf stat", r->origin,
		  r->tally.first_foreign ? r->tally.first_foreign : 1);
	error_because(r->err,
		      ratios ? "perf stat --metric-only writes ratios without the counts that they "
			       "are made of"
			     : "a count is value, unit, event, run time and percent, with the time "
			       "of -I before it");
	error_try(r->err, ratios ? "perf stat without --metric-only: metrics are worked out here"
				 : "perf stat -x, -I 100 -o FILE -e EVENTS");
	return SX_ERR_BAD_INPUT;
}

enum sx_status perf_stat_parse(const struct perf_stat_input *input, struct sx_table **out,
			       struct perf_stat_tally *tally, struct sx_error *err)
{
	struct sx_error ignored;
	struct perf_stat_reader r = {.catalog = input->catalog,
				     .text = input->text,
				     .end = input->text + input->size,
				     .origin = input->origin,
				     .err = err ? err : &ignored};
	units_init(&r.units);
	enum sx_status status = each_line(&r);
	if (!status && !r.names.count)
		status = no_counts(&r);
	if (!status)
		status = perf_stat_create(&r);
	if (!status)
		status = each_line(&r);
	*tally = r.tally;
	strings_finish(&r.keys);
	strings_finish(&r.names);
	strings_finish(&r.modifiers);
	free(r.series);
	free(r.columns);
	free(r.infos);
	if (status) {
		sx_table_destroy(r.table);
		return status;
	}
	*out = r.table;
	return SX_OK;
}
