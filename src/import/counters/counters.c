/* Reads tables with a line a sample and a column a counter. */
#include "import/counters/counters.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "base/text_buf.h"
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
	const char *catalog;
	struct counters_column {
		enum counters_role role;
		double to_ns;
		const struct counters_word *word; /* or NULL */
	} * columns;
	size_t gpu, name, reading;		      /* columns of these roles, or SIZE_MAX */
	size_t time, frame_time;		      /* the same */
	struct strings gpus;			      /* as the file has them */
	struct import_rows *rows[IMPORT_DEVICES_MAX]; /* of each */
	uint32_t *to[IMPORT_DEVICES_MAX]; /* columns of these, by column of the file, or SX_NONE */
	uint64_t now_ns;		  /* where the row before ended */
	struct strings keys;		  /* of rows, where a line is one value */
	size_t *row, row_cap;		  /* by key */
	size_t tables, repeated, first_repeated; /* line */
	bool absolute;				 /* some column has absolute times */
	size_t parts, second;			 /* tables of the file; line of the second one */
	struct counters_table first;
	/* Of a log of frames: rows with a time, and those a frame behind the one before. */
	size_t timed, near;
	size_t mended;	  /* rows without a time, which follows from the frame's length */
	uint32_t frames;  /* the column that counts them */
	bool looks;	  /* only to see what rows are */
	bool frame_a_row; /* they are frames */
};

/* Names of counters may have a unit behind them. */
static bool counters_is_word(const struct counters_word *word, struct import_cell cell)
{
	struct import_cell unit;
	return import_word_of(cell, word->words) ||
	       (word->role == COUNTERS_VALUE &&
		import_word_of(import_split_unit(cell, &unit), word->words));
}

/* What a header cell is: by the hook, or by a word; all else is a counter. */
static void counters_find_role(const struct counters_reader *r, struct import_cell *cell,
			       struct counters_column *column)
{
	const struct counters_format *format = r->format;
	column->role = format->role ? format->role(r->job, cell, &column->to_ns) : COUNTERS_UNKNOWN;
	for (size_t i = 0; column->role == COUNTERS_UNKNOWN && i < format->word_count; i++) {
		const struct counters_word *word = &format->words[i];
		if (!counters_is_word(word, *cell))
			continue;
		column->role = word->role;
		column->word = word;
		column->to_ns = word->to_ns > 0 ? word->to_ns : 1;
		if (word->text && word->role != COUNTERS_PROPERTY && word->role != COUNTERS_VALUE)
			import_remark(r->job, "%s", word->text);
	}
	if (import_is(*cell, "simulated")) /* as our own rows say it */
		column->role = COUNTERS_MODEL;
	if (column->role == COUNTERS_UNKNOWN)
		column->role = format->by_name ? COUNTERS_SKIP : COUNTERS_VALUE;
}

/* What a column of a counter is read as: the name that its word says, or its header. */
static struct import_cell counters_name(const struct counters_reader *r, size_t column)
{
	const struct counters_word *word = r->columns[column].word;
	return word ? (struct import_cell){word->text, strlen(word->text)} : r->cells.head[column];
}

static void counters_find_roles(struct counters_reader *r)
{
	r->gpu = r->name = r->reading = r->time = r->frame_time = SIZE_MAX;
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct import_cell *cell = &r->cells.head[i];
		struct counters_column *column = &r->columns[i];
		*column = (struct counters_column){.role = COUNTERS_SKIP, .to_ns = 1};
		if (cell->size)
			counters_find_role(r, cell, column);
		if (r->job->part && import_names_device(*cell))
			column->role = COUNTERS_SKIP;
		r->absolute |= column->role == COUNTERS_TIME || column->role == COUNTERS_BEGIN;
		r->gpu = column->role == COUNTERS_GPU ? i : r->gpu;
		r->name = column->role == COUNTERS_NAME ? i : r->name;
		r->reading = column->role == COUNTERS_READING ? i : r->reading;
		r->time = column->role == COUNTERS_TIME ? i : r->time;
		r->frame_time = column->role == COUNTERS_FRAME_TIME ? i : r->frame_time;
	}
	if (r->frame_time != SIZE_MAX && r->format->frame_unit)
		r->columns[r->frame_time].to_ns = r->format->frame_unit(r->cells, r->time);
}

static void note_catalog(const struct counters_reader *r)
{
	const struct counters_format *format = r->format;
	if (format->note_before && !r->job->request->catalog)
		import_remark(r->job, "the file does not name its GPU: %s%s%s", format->note_before,
			      r->catalog, format->note_after);
}

/* What --for says, else what the file says, else what most of its names fit. */
static enum sx_status counters_find_catalog(struct counters_reader *r, const char *named,
					    struct sx_error *err)
{
	const struct counters_format *format = r->format;
	const char *asked = r->job->request->catalog;
	r->catalog = format->only ? format->only
		     : asked	  ? asked
		     : named	  ? named
				  : format->otherwise;
	if (r->catalog == format->only || asked || named || !format->family)
		return SX_OK;
	const char **names = calloc(r->cells.columns + 1, sizeof(*names));
	bool room = names;
	size_t count = 0;
	for (size_t i = 0; room && i < r->cells.columns; i++) {
		if (r->columns[i].role != COUNTERS_VALUE)
			continue;
		struct import_cell cell = counters_name(r, i);
		names[count] = import_text(r->job, cell.text, cell.size);
		room = names[count++];
	}
	if (room)
		r->catalog =
		    import_guess_catalog(r->job, format->family, names, count, format->otherwise);
	free(names);
	note_catalog(r);
	return room ? SX_OK : error_nomem(err, "importing");
}

/* The column for the time of a frame, and that of frames where a row is one. */
static uint32_t map_frame_time(struct counters_reader *r, struct import_rows *rows)
{
	struct import_field one = {.name = "Frames", .unit = "frames"};
	struct import_field field = {.name = r->frame_a_row ? "FrameTimes" : "LastFrameTime",
				     .unit = "ns",
				     .over_time = SX_REDUCE_MEAN,
				     .factor = r->columns[r->frame_time].word->to_ns};
	uint32_t to = import_column(rows, &field);
	r->frames = r->frame_a_row ? import_column(rows, &one) : SX_NONE;
	return to;
}

/* Adds a column for each counter and property to a GPU's rows. False: memory is out. */
static bool map_columns(struct counters_reader *r, uint32_t gpu)
{
	free(r->to[gpu]);
	r->to[gpu] = calloc(r->cells.columns + 1, sizeof(*r->to[gpu]));
	for (size_t i = 0; r->to[gpu] && i < r->cells.columns; i++) {
		const struct counters_column *column = &r->columns[i];
		struct import_cell head = r->cells.head[i];
		struct import_field field = {.over_time = SX_REDUCE_MEAN};
		uint32_t *to = &r->to[gpu][i];
		*to = SX_NONE;
		if (column->role == COUNTERS_VALUE)
			*to =
			    counters_column(r->job, r->rows[gpu], r->catalog, counters_name(r, i));
		if (column->role == COUNTERS_FRAME_TIME)
			*to = map_frame_time(r, r->rows[gpu]);
		if (column->role != COUNTERS_PROPERTY)
			continue;
		field.name =
		    import_text(r->job, import_word_of(head, column->word->words), head.size);
		field.unit = column->word->text;
		*to = import_column(r->rows[gpu], &field);
	}
	return r->to[gpu];
}

static enum sx_status add_gpu(struct counters_reader *r, uint32_t gpu, const char *name,
			      struct sx_error *err)
{
	const struct counters_format *format = r->format;
	r->rows[gpu] = import_rows_create(
	    r->job, &(struct import_rows_options){
			.catalog = r->catalog,
			.name = name,
			.driver = format->driver,
			/* A writer that is not known may go back for each core. */
			.clock = format->loose ? "file" : NULL,
			.kind = r->frame_a_row ? SX_SAMPLE_FRAME : format->kind});
	if (!r->rows[gpu] || !map_columns(r, gpu))
		return error_nomem(err, "importing");
	if (r->frame_time != SIZE_MAX && !r->frame_a_row)
		import_rows_constant(r->rows[gpu], "interval_log", 1);
	return SX_OK;
}

/* The GPU that the current row is of. */
static enum sx_status find_gpu(struct counters_reader *r, uint32_t *gpu, struct sx_error *err)
{
	const char *what = r->format->gpu;
	struct import_cell id = cells_at(&r->cells, r->gpu);
	char name[64];
	bool added;
	if (!id.size)
		id = (struct import_cell){r->format->gpu_otherwise,
					  strlen(r->format->gpu_otherwise)};
	*gpu = strings_intern(&r->gpus, id.text, id.size, &added);
	if (*gpu == UINT32_MAX)
		return error_nomem(err, "importing");
	if (*gpu >= IMPORT_DEVICES_MAX) {
		error_set(err, SX_ERR_LIMIT, "%s has more than %d GPUs", r->job->request->path,
			  IMPORT_DEVICES_MAX);
		error_because(err, "each of them becomes a device of its own");
		error_try(err, "the file in parts, by its column of GPUs");
		return SX_ERR_LIMIT;
	}
	if (!added)
		return SX_OK;
	snprintf(name, sizeof(name), "%s%.*s", import_begins(id, what) ? "" : what,
		 (int)(id.size < 40 ? id.size : 40), id.text);
	return add_gpu(r, *gpu, id.size ? name : NULL, err);
}

/* How long the frame of the row was; SX_TIME_UNKNOWN: it does not say. */
static uint64_t counters_frame_length(const struct counters_reader *r)
{
	double value;
	if (!import_number(cells_at(&r->cells, r->frame_time), &value))
		return SX_TIME_UNKNOWN;
	value *= r->columns[r->frame_time].to_ns;
	return value > 0 && value < 0x1p62 ? (uint64_t)(value + 0.5) : SX_TIME_UNKNOWN;
}

/* What is missing of a row's times, by its length and by where the row before ended. */
static struct import_span counters_complete(struct counters_reader *r, struct import_span span,
					    uint64_t length, bool follows)
{
	bool has_length = length < (uint64_t)1 << 62, begins = span.begin_ns != SX_TIME_UNKNOWN;
	uint64_t before = r->now_ns;
	bool lost = span.end_ns == SX_TIME_UNKNOWN || !import_time_can_be(span.end_ns);
	if (!begins && has_length && r->frame_a_row && r->absolute && lost &&
	    before != SX_TIME_UNKNOWN && import_time_can_be(before)) {
		r->mended++;
		return (struct import_span){before, before + length};
	}
	if (begins && has_length && span.end_ns == SX_TIME_UNKNOWN)
		span.end_ns = span.begin_ns + length;
	else if (!begins && follows && before < span.end_ns &&
		 import_span_can_be((struct import_span){before, span.end_ns}))
		span.begin_ns = before;
	else if (!begins && has_length && span.end_ns != SX_TIME_UNKNOWN)
		span.begin_ns = span.end_ns > length ? span.end_ns - length : 0;
	return span;
}

static void counters_set_times(struct counters_reader *r, struct import_rows *rows, size_t row)
{
	uint64_t times[COUNTERS_LENGTH + 1];
	memset(times, 0xff, sizeof(times));
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->columns[i].role >= COUNTERS_TIME && r->columns[i].role <= COUNTERS_LENGTH)
			times[r->columns[i].role] = cells_time(&r->cells, i, r->columns[i].to_ns);
	if (r->frame_time != SIZE_MAX)
		times[COUNTERS_LENGTH] = counters_frame_length(r);
	uint64_t moment = times[COUNTERS_TIME], length = times[COUNTERS_LENGTH];
	struct import_span span = {times[COUNTERS_BEGIN], times[COUNTERS_END]};
	if (span.end_ns == SX_TIME_UNKNOWN)
		span.end_ns = moment;
	if (length < (uint64_t)1 << 62 && !r->absolute)
		span.begin_ns = r->now_ns;
	/* A length is exact; the time of a frame is rounded, and frames follow each other. */
	bool follows = moment != SX_TIME_UNKNOWN && row &&
		       (length == SX_TIME_UNKNOWN || r->frame_time != SIZE_MAX);
	span = counters_complete(r, span, length, follows);
	if (span.end_ns != SX_TIME_UNKNOWN || r->absolute)
		r->now_ns = span.end_ns;
	import_row_time(rows, row, span.begin_ns, span.end_ns);
}

/* "90.5 %" is what a bare number in a column of percent is. */
static void drop_percent(struct import_cell *cell)
{
	if (cell->size > 2 && memcmp(cell->text + cell->size - 2, " %", 2) == 0)
		cell->size -= 2;
}

/* Sets the current line's value of a counter, or of the time of a frame. */
static void counters_take_cell(struct counters_reader *r, size_t i, struct import_rows *rows,
			       uint32_t to, size_t row)
{
	const struct counters_format *format = r->format;
	const struct counters_column *column = &r->columns[i];
	struct import_cell *cell = &r->cells.row[i], head = r->cells.head[i];
	double value;
	drop_percent(cell);
	if (format->positive && cell->size && cell->text[0] == '-' &&
	    !memmem(head.text, head.size, "temp", 4) && import_number(*cell, &value) && value < 0) {
		cells_odd(&r->cells, i);
	} else if (column->role == COUNTERS_VALUE) {
		cells_put(&r->cells, i, rows, to, row);
	} else if (cells_number(&r->cells, i, &value)) {
		/* Tables of one file may have several units, and their column the word's. */
		import_set(rows, to, row, value * (column->to_ns / column->word->to_ns));
		/* A row that has a frame's time is that frame. */
		if (r->frame_a_row)
			import_set_u64(rows, r->frames, row, 1);
	}
}

/* A row with all that the current line has of it; its index. */
static size_t counters_add_row(struct counters_reader *r, uint32_t gpu)
{
	struct import_rows *rows = r->rows[gpu];
	size_t row = import_row(rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
	counters_set_times(r, rows, row);
	import_row_place(rows, row, r->cells.lines.number);
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct import_cell *cell = &r->cells.row[i], text;
		uint64_t whole;
		switch (r->columns[i].role) {
		case COUNTERS_GROUP:
			text = cells_text(&r->cells, i);
			import_label(rows, row, SX_LABEL_GROUP, text.text, text.size);
			break;
		case COUNTERS_MODEL:
			if (import_is(*cell, "true"))
				import_rows_describe(
				    rows, &(struct import_rows_options){.simulated = true});
			break;
		case COUNTERS_FRAME:
			if (cell->size && number_u64(cell->text, cell->size, &whole))
				import_number_label(rows, row, SX_LABEL_FRAME, whole);
			break;
		case COUNTERS_VALUE:
		case COUNTERS_FRAME_TIME:
			counters_take_cell(r, i, rows, r->to[gpu][i], row);
			break;
		case COUNTERS_PROPERTY:
			cells_put(&r->cells, i, rows, r->to[gpu][i], row);
			break;
		default:
			break;
		}
	}
	return row;
}

/* The row of a value; its lines need not be adjacent. SIZE_MAX: memory is out. */
static size_t row_of_value(struct counters_reader *r, uint32_t gpu)
{
	char key[256] = "";
	bool added;
	text_append(key, sizeof(key), "%zu %u", r->tables, (unsigned)gpu);
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct import_cell cell = r->cells.row[i];
		double value;
		if (r->columns[i].role != COUNTERS_KEY)
			continue;
		cells_number(&r->cells, i, &value); /* a word is noted, and still a row */
		text_append(key, sizeof(key), " %.*s", (int)(cell.size < 40 ? cell.size : 40),
			    cell.text);
	}
	uint32_t at = strings_intern(&r->keys, key, strlen(key), &added);
	if (at == UINT32_MAX || !mem_grow(&r->row, &r->row_cap, (size_t)at + 1, sizeof(*r->row)))
		return SIZE_MAX;
	if (added)
		r->row[at] = counters_add_row(r, gpu);
	return r->row[at];
}

static enum sx_status counters_take_value(struct counters_reader *r, uint32_t gpu,
					  struct sx_error *err)
{
	size_t row = row_of_value(r, gpu);
	double value;
	struct import_rows *rows = r->rows[gpu];
	struct import_cell name = cells_at(&r->cells, r->name);
	if (row == SIZE_MAX)
		return error_nomem(err, "importing");
	uint32_t column = counters_column(r->job, rows, r->catalog, name);
	if (!cells_number(&r->cells, r->reading, &value))
		return SX_OK;
	if (!import_has(rows, column, row)) {
		import_set(rows, column, row, value);
		return SX_OK;
	}
	if (!r->repeated++)
		r->first_repeated = r->cells.lines.number;
	/* Instances of a counter add up; shares and means do not. */
	if (import_adds_up(rows, column))
		import_add(rows, column, row, value);
	return SX_OK;
}

/* Concatenated tables have a header each; their columns may be in another order. */
static bool begins_table(struct counters_reader *r)
{
	struct import_cell reading = cells_at(&r->cells, r->reading);
	size_t found = 0;
	bool number = reading.size && reading.text[0] >= '0' && reading.text[0] <= '9';
	for (size_t i = 0; !number && i < r->cells.columns; i++)
		found += import_word_of(r->cells.row[i], r->format->by_name) != NULL;
	if (found != 3)
		return false;
	memcpy(r->cells.head, r->cells.row, r->cells.columns * sizeof(*r->cells.head));
	counters_find_roles(r);
	for (uint32_t gpu = 0; gpu < r->gpus.count; gpu++)
		if (!map_columns(r, gpu))
			r->job->no_memory = true;
	if (!r->tables++)
		import_remark(
		    r->job,
		    "tables follow each other, the second from line %zu: its dispatches are others",
		    r->cells.lines.number);
	return true;
}

static enum sx_status counters_take_line(struct counters_reader *r, struct sx_error *err)
{
	uint32_t gpu = 0;
	if (r->format->by_name && begins_table(r))
		return SX_OK;
	enum sx_status status = r->format->gpu ? find_gpu(r, &gpu, err) : SX_OK;
	if (status)
		return status;
	if (r->format->by_name)
		return counters_take_value(r, gpu, err);
	counters_add_row(r, gpu);
	return SX_OK;
}

/* The next line, in which the tool's own words for no data are empty cells. */
static bool counters_next_line(struct counters_reader *r)
{
	const char *words = r->format->no_data;
	bool any = cells_next(&r->cells);
	for (size_t i = 0; any && words && i < r->cells.columns; i++)
		if (import_word_of(r->cells.row[i], words))
			r->cells.row[i].size = 0;
	return any;
}

/* Whether rows follow each other by the length of a frame, as when each is one. */
static void counters_look(struct counters_reader *r)
{
	uint64_t length = counters_frame_length(r), before = r->now_ns;
	uint64_t end = r->time != SIZE_MAX
			   ? cells_time(&r->cells, r->time, r->columns[r->time].to_ns)
			   : SX_TIME_UNKNOWN;
	r->now_ns = end;
	if (before == SX_TIME_UNKNOWN || end == SX_TIME_UNKNOWN || end <= before ||
	    length == SX_TIME_UNKNOWN)
		return;
	r->timed++;
	r->near += fabs((double)(end - before) - (double)length) <= (double)length / 8;
}

/* The first line is a header where the format knows no other. */
static bool counters_find_header(const struct counters_format *format, struct import_lines *lines,
				 struct import_cell *header)
{
	bool any = import_line(lines, header);
	while (any && format->is_header && !format->is_header(*header))
		any = import_line(lines, header);
	return any || !format->is_header;
}

static bool counters_next_table(const struct counters_reader *r, struct import_lines *lines,
				struct counters_table *table)
{
	*table = (struct counters_table){.header = {"", 0}};
	if (r->format->next_table)
		return r->format->next_table(lines, table);
	if (r->parts || !counters_find_header(r->format, lines, &table->header))
		return false;
	table->rows = *lines;
	return true;
}

/* Gives each column of a table its role. */
static enum sx_status counters_begin(struct counters_reader *r, const struct counters_table *table,
				     struct sx_error *err)
{
	const struct counters_format *format = r->format;
	enum sx_status status = cells_begin(&r->cells, r->job, table->rows, table->header, err);
	if (status)
		return status;
	r->cells.loose = format->loose;
	r->cells.wide_first = format->wide_first;
	cells_name_once(&r->cells);
	free(r->columns);
	r->columns = calloc(r->cells.columns + 1, sizeof(*r->columns));
	if (!r->columns)
		return error_nomem(err, "importing");
	counters_find_roles(r);
	r->now_ns = r->absolute ? SX_TIME_UNKNOWN : r->now_ns;
	if (format->by_name && (r->name == SIZE_MAX || r->reading == SIZE_MAX))
		return import_bad(r->job, 1, err, format->because, format->nothing);
	return SX_OK;
}

/* The catalog by the first table, and where its values go. */
static enum sx_status counters_begin_rows(struct counters_reader *r, const char *named,
					  struct sx_error *err)
{
	const struct counters_format *format = r->format;
	if (r->parts)
		return format->gpu || map_columns(r, 0) ? SX_OK : error_nomem(err, "importing");
	enum sx_status status = counters_find_catalog(r, named, err);
	return status || format->gpu ? status : add_gpu(r, 0, NULL, err);
}

static enum sx_status counters_read_table(struct counters_reader *r,
					  const struct counters_table *table, struct sx_error *err)
{
	const struct counters_format *format = r->format;
	bool first = !r->parts && !r->looks;
	const char *named =
	    first && format->catalog ? format->catalog(r->job, table->rows, table->header) : NULL;
	enum sx_status status = counters_begin(r, table, err);
	if (!status && !r->looks)
		status = counters_begin_rows(r, named, err);
	if (first)
		r->first = *table;
	if (!status && !r->looks && format->before_table)
		format->before_table(r->job, r->rows[0], table, &r->first);
	while (!status && counters_next_line(r))
		if (r->looks)
			counters_look(r);
		else
			status = counters_take_line(r, err);
	if (r->repeated)
		import_remark(
		    r->job,
		    "%s of a dispatch that had that counter already, line %zu the "
		    "first: counts were added, of shares and means the first one was taken",
		    COUNTED(r->repeated, "value is"), r->first_repeated);
	return status || r->looks ? status : cells_end(&r->cells, err);
}

static enum sx_status counters_each_table(struct counters_reader *r, struct sx_error *err)
{
	struct import_lines lines = import_lines(r->job);
	struct counters_table table;
	enum sx_status status = SX_OK;
	for (r->parts = 0; !sx_failed(status) && counters_next_table(r, &lines, &table);
	     r->parts++) {
		if (r->parts == 1)
			r->second = table.rows.number;
		status = import_worse(status, counters_read_table(r, &table, err));
	}
	if (!r->parts)
		return import_bad(r->job, 0, err, r->format->because, r->format->nothing);
	return status;
}

/* A log of frames is read twice: first to see whether its rows are frames. */
static enum sx_status counters_find_pace(struct counters_reader *r, struct sx_error *err)
{
	bool frames = false;
	for (size_t i = 0; i < r->format->word_count; i++)
		frames |= r->format->words[i].role == COUNTERS_FRAME_TIME;
	if (!frames)
		return SX_OK;
	r->looks = true;
	enum sx_status status = counters_each_table(r, err);
	r->looks = false;
	r->frame_a_row = r->frame_time != SIZE_MAX && 2 * r->near >= r->timed;
	r->now_ns = 0;
	return status;
}

static void counters_note(const struct counters_reader *r)
{
	if (r->parts > 1)
		import_remark(r->job, "%zu logs follow each other, the second from line %zu",
			      r->parts, r->second);
	if (r->mended)
		import_remark(r->job, "%s no valid time: the length of the frame replaces it",
			      COUNTED(r->mended, "line has"));
	if (r->frame_time != SIZE_MAX && !r->frame_a_row)
		import_remark(r->job, "the log has a line an interval, not one a frame: each "
				      "describes the last frame");
}

enum sx_status counters_read(struct import_job *job, struct sx_error *err)
{
	const struct counters_format *format = job->format->counters;
	struct counters_reader r = {
	    .job = job, .format = format, .frame_time = SIZE_MAX, .frames = SX_NONE};
	if (format->refuse_file && format->refuse_file(job, err))
		return SX_ERR_BAD_INPUT;
	enum sx_status status = counters_find_pace(&r, err);
	if (!status)
		status = counters_each_table(&r, err);
	if (!sx_failed(status))
		counters_note(&r);
	status = import_finish(job, status, format->line, "there is no line after the header", err);
	if (!sx_failed(status) && !format->family)
		note_catalog(&r);
	for (uint32_t i = 0; i < IMPORT_DEVICES_MAX; i++)
		free(r.to[i]);
	free(r.columns);
	free(r.row);
	strings_finish(&r.gpus);
	strings_finish(&r.keys);
	return status;
}
