/* A line a sample, a column a counter. */
#include "import/counters/counters.h"

#include <stdlib.h>
#include <string.h>

#include "base/number.h"
#include "import/devices.h"
#include "import/counters/rocm.h"
#include "import/read/times.h"

struct counters_reader {
	struct import_job *job;
	const struct counters_format *format;
	struct cells cells;
	struct import_rows *rows;
	enum counters_role *role;
	double *to_ns;
	uint32_t *column;
	uint64_t now_ns; /* where the row before ended */
	bool absolute;	 /* some column tells where rows stand in time */
};

/* What --for says, else what the file says, else what most of its names fit. */
static const char *counters_find_catalog(struct counters_reader *r, const char *const *names,
					 size_t count)
{
	const struct counters_format *format = r->format;
	if (format->catalog && !r->job->request->catalog)
		return format->catalog;
	const char *catalog =
	    import_guess_catalog(r->job, format->family, names, count, format->otherwise);
	if (format->tell_guess && !r->job->request->catalog)
		import_tell(r->job,
			    "the file does not say which GPU it is of: its names fit %s as well as "
			    "any, whose rules are held against it; --for NAME says better",
			    catalog);
	return catalog;
}

static enum sx_status counters_learn(struct counters_reader *r, const char **names,
				     struct sx_error *err)
{
	size_t count = 0;
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct import_cell *cell = &r->cells.head[i];
		r->to_ns[i] = 1;
		r->role[i] =
		    cell->size ? r->format->role(r->job, cell, &r->to_ns[i]) : COUNTERS_SKIP;
		if (import_is(*cell, "simulated")) /* as our own rows say it */
			r->role[i] = COUNTERS_MODEL;
		if (r->job->part && import_tells_device(*cell))
			r->role[i] = COUNTERS_SKIP;
		r->absolute |= r->role[i] == COUNTERS_TIME || r->role[i] == COUNTERS_BEGIN;
		if (r->role[i] == COUNTERS_VALUE) {
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
		r->column[i] = SX_NONE;
		if (r->role[i] == COUNTERS_VALUE)
			r->column[i] = amd_column(r->job, r->rows, catalog, r->cells.head[i]);
	}
	return r->rows ? SX_OK : error_nomem(err, "importing");
}

/* "0.50000 ms": RenderDoc of 2019 to 2021 wrote units into cells. 0: it is no number with a time's.
 */
static double time_in_cell(struct import_cell cell, double *value)
{
	static const struct {
		const char *unit;
		double to_ns;
	} units[] = {{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"\xc2\xb5s", 1e3}, {"ns", 1}};
	const char *blank = memchr(cell.text, ' ', cell.size);
	size_t size = blank ? (size_t)(blank - cell.text) : 0;
	if (!size || !import_number((struct import_cell){cell.text, size}, value))
		return 0;
	struct import_cell unit = {blank + 1, cell.size - size - 1};
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (import_is(unit, units[i].unit))
			return units[i].to_ns;
	return 0;
}

static uint64_t scaled(const struct counters_reader *r, size_t column)
{
	double value;
	uint64_t whole;
	struct import_cell cell = r->cells.row[column];
	if (r->to_ns[column] == 1 && cell.size && number_u64(cell.text, cell.size, &whole) &&
	    import_time_can_be(whole))
		return whole;
	double own = time_in_cell(cell, &value);
	if (own > 0 && value >= 0 && value * own < 0x1p62)
		return (uint64_t)(value * own + 0.5);
	if (!import_number(cell, &value) || value < 0 || value * r->to_ns[column] > 0x1p62) {
		if (!import_no_data(cell))
			cells_bad_time(r->job, r->cells.head[column]);
		return SX_TIME_UNKNOWN;
	}
	return (uint64_t)(value * r->to_ns[column] + 0.5);
}

static void counters_set_times(struct counters_reader *r, size_t row)
{
	uint64_t begin = SX_TIME_UNKNOWN, end = SX_TIME_UNKNOWN, length = SX_TIME_UNKNOWN;
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->role[i] == COUNTERS_TIME)
			end = scaled(r, i);
		else if (r->role[i] == COUNTERS_BEGIN)
			begin = scaled(r, i);
		else if (r->role[i] == COUNTERS_LENGTH)
			length = scaled(r, i);
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
		if (r->role[i] == COUNTERS_VALUE)
			drop_percent(&r->cells.row[i]);
		struct import_cell cell = r->cells.row[i];
		uint64_t whole;
		if (r->role[i] == COUNTERS_GROUP)
			put_label(r, row, i);
		else if (r->role[i] == COUNTERS_MODEL && import_is(cell, "true"))
			import_rows_simulated(r->rows);
		else if (r->role[i] == COUNTERS_FRAME && cell.size &&
			 number_u64(cell.text, cell.size, &whole))
			import_number_label(r->rows, row, SX_LABEL_FRAME, whole);
		else
			cells_put(&r->cells, i, r->rows, r->column[i], row);
	}
}

enum sx_status counters_read(struct import_job *job, const struct counters_format *format,
			     struct import_lines lines, struct import_cell header,
			     struct sx_error *err)
{
	struct counters_reader r = {.job = job, .format = format};
	const char **names = NULL;
	enum sx_status status = cells_begin(&r.cells, job, lines, header, err);
	r.cells.loose = format->loose;
	if (!status)
		cells_name_once(&r.cells);
	r.cells.wide_first = format->wide_first;
	if (!status) {
		names = calloc(r.cells.columns + 1, sizeof(*names));
		r.role = calloc(r.cells.columns + 1, sizeof(*r.role));
		r.to_ns = calloc(r.cells.columns + 1, sizeof(*r.to_ns));
		r.column = calloc(r.cells.columns + 1, sizeof(*r.column));
		status = names && r.role && r.to_ns && r.column ? counters_learn(&r, names, err)
								: error_nomem(err, "importing");
	}
	while (!status && cells_next(&r.cells))
		counters_take_row(&r);
	if (!status)
		status = cells_end(&r.cells, err);
	free(names);
	free(r.role);
	free(r.to_ns);
	free(r.column);
	return import_rows_finish(r.rows, status, err);
}
