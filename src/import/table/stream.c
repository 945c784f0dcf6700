/* CSV to tables: one pass over the text to learn types and rows, one to fill. */
#include "import/table/csv.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/backing.h"
#include "import/table/reader.h"
#include "table/fill.h"
#include "table/label.h"

/* More cells than this for each byte of text are lines that break off: no table is made of them. */
#define CELLS_PER_BYTE 8
#define CELLS_FREE     ((size_t)1 << 20)

/* A line that cannot be read, which may go on over several. */
struct unread_line {
	size_t first, lines, bytes;
};

struct csv_stream {
	struct csv_reader r;
	const char *text; /* all of it, or NULL for a source */
	size_t size;
	size_t rows;  /* of the whole text */
	size_t done;  /* rows that were handed out */
	size_t above; /* lines that do not count */
	bool json;    /* the text begins as JSON does */
	bool learned; /* which lines cannot be read */
	struct unread_line *unread;
	size_t unread_cap, unread_count, unread_at; /* at: the next one */
};

/* The text, from its start. */
static enum sx_status rewind_text(struct csv_stream *s)
{
	struct csv_cursor *c = &s->r.c;
	c->line = 1 - s->above;
	csv_rows_rewind(&s->r);
	c->p = s->text ? s->text : c->window;
	c->end = s->text ? s->text + s->size : c->window;
	c->more = c->source != NULL;
	c->taken = s->size;
	s->unread_at = 0;
	if (c->source && !c->source->rewind(c->source->user))
		return error_errno(s->r.err, errno, "cannot read %s again", c->origin);
	csv_ahead(c);
	if (c->end - c->p >= 3 && memcmp(c->p, "\xef\xbb\xbf", 3) == 0)
		c->p += 3;
	c->marks.separator = ',';
	csv_find_separator(c);
	return SX_OK;
}

/* A source that fails ends early, which must not pass for the end. */
static enum sx_status whole(const struct csv_stream *s)
{
	int failed = s->r.c.read_errno;
	if (!failed)
		return SX_OK;
	return error_input(s->r.err, failed, "cannot read", s->r.c.origin);
}

/* A row of a text was read, from where it begins. */
static void csv_pass(const struct csv_stream *s, const char *from)
{
	const struct csv_reader *r = &s->r;
	size_t made = r->table ? r->value_count * (sizeof(uint64_t) + 1) : 0;
	if (s->text && r->options)
		backing_pass(r->options->backing, (size_t)(r->c.p - from) + made);
}

/* Moves over a line that cannot be read. */
static void pass_over(struct csv_cursor *c, const struct unread_line *line)
{
	for (size_t left = line->bytes; left;) {
		csv_ahead(c);
		size_t some = (size_t)(c->end - c->p) < left ? (size_t)(c->end - c->p) : left;
		c->p += some;
		left = some ? left - some : 0;
	}
	c->line += line->lines;
}

/* The next line; those that are known as such that cannot be read are none. */
static bool stream_next_line(struct csv_stream *s)
{
	struct csv_cursor *c = &s->r.c;
	while (csv_next_line(c)) {
		if (s->unread_at == s->unread_count || s->unread[s->unread_at].first != c->line)
			return true;
		pass_over(c, &s->unread[s->unread_at++]);
	}
	return false;
}

/* How much of the text is behind the cursor. */
static size_t passed(const struct csv_cursor *c)
{
	return c->taken - (size_t)(c->end - c->p);
}

/* The cursor is behind a line that cannot be read. */
static enum sx_status note_unread(struct csv_stream *s, size_t line, size_t bytes)
{
	struct csv_cursor *c = &s->r.c;
	struct csv_unread *unread = &s->r.tally.unread;
	size_t lines = c->line - line + 1;
	if (s->learned)
		return csv_changed(&s->r);
	if (!mem_grow(&s->unread, &s->unread_cap, s->unread_count + 1, sizeof(*s->unread)))
		return error_nomem(s->r.err, "reading CSV");
	s->unread[s->unread_count++] = (struct unread_line){line, lines, bytes};
	s->unread_at = s->unread_count;
	if (c->wrong == CSV_WRONG_OPEN) {
		unread->cut = line;
		return SX_OK;
	}
	if (!unread->count) {
		unread->first = line;
		unread->why = c->wrong;
	}
	unread->count += lines;
	return SX_OK;
}

/* All lines behind the header; after one that cannot be read, only which ones cannot. */
static enum sx_status count_rows(struct csv_stream *s, enum sx_status status)
{
	struct csv_reader *r = &s->r;
	s->rows = 0;
	while (!status && stream_next_line(s)) {
		const char *from = r->c.p;
		size_t line = r->c.line, before = passed(&r->c);
		bool look = s->unread_count && !s->learned;
		status = look ? csv_row_look(r) : csv_row(r);
		csv_pass(s, from);
		s->rows += !status;
		if (status == SX_AGAIN)
			status = note_unread(s, line, passed(&r->c) - before);
		r->c.line++;
	}
	r->tally.open_end = r->c.open_end;
	return r->c.read_errno ? whole(s) : status;
}

/* Whether the text begins as JSON does: an error about quotes and commas would not help then. */
static bool begins_as_json(const struct csv_cursor *c)
{
	const char *p = c->p;
	while (p < c->end && memchr(" \t\r\n", *p, 4))
		p++;
	return p < c->end && (*p == '[' || *p == '{');
}

static enum sx_status no_such_json(const struct csv_stream *s)
{
	error_set(s->r.err, SX_ERR_BAD_INPUT, "%s is JSON of a kind that is not known",
		  s->r.c.origin);
	error_because(s->r.err,
		      "of JSON rows of numbers are read: an array of objects, an object a "
		      "line, and what sextant export, eval and decode write");
	error_try(s->r.err, "the same as CSV: a header line with counter names, then one line of "
			    "numbers a sample");
	return SX_ERR_BAD_INPUT;
}

/* One reading of all lines. */
static enum sx_status learn_once(struct csv_stream *s)
{
	enum sx_status status = rewind_text(s);
	s->json = begins_as_json(&s->r.c);
	return count_rows(s, status ? status : csv_header(&s->r));
}

/* A file of other lines than a table has. */
static enum sx_status refuse_unread(const struct csv_stream *s)
{
	const struct csv_reader *r = &s->r;
	const struct csv_unread *unread = &r->tally.unread;
	if (s->rows && unread->count <= s->rows)
		return SX_OK;
	return csv_refuse_line(r->c.origin, unread->count ? unread->first : unread->cut,
			       unread->count ? unread->why : CSV_WRONG_OPEN, r->err);
}

static void reader_finish(struct csv_reader *r)
{
	strings_finish(&r->names);
	strings_finish(&r->texts);
	free(r->columns);
	free(r->until);
}

/* Nothing is learned yet. */
static void reader_begin(struct csv_reader *r, struct csv_cursor c,
			 const struct csv_options *options, struct sx_error *err)
{
	*r = (struct csv_reader){.c = c,
				 .options = options,
				 .catalog = options ? options->catalog : NULL,
				 .tally.place = options && options->place ? options->place : "line",
				 .err = err};
	r->c.marks = (struct csv_marks){0};
	memset(r->times, 0xff, sizeof(r->times));
	units_init(&r->units);
}

/* Once it is known which lines cannot be read. */
static enum sx_status learn_again(struct csv_stream *s)
{
	struct csv_reader *r = &s->r;
	const struct csv_unread unread = r->tally.unread;
	reader_finish(r);
	reader_begin(r, r->c, r->options, r->err);
	r->tally.unread = unread;
	s->learned = true;
	return learn_once(s);
}

static enum sx_status csv_learn(struct csv_stream *s)
{
	struct csv_reader *r = &s->r;
	enum sx_status status = learn_once(s);
	if (!status && s->unread_count)
		status = refuse_unread(s);
	if (!status && s->unread_count)
		status = learn_again(s);
	if (!status)
		status = csv_odd_cells(r);
	if (s->json && !status && (r->tally.odd[CSV_ODD_CELLS].count || s->unread_count))
		status = SX_ERR_BAD_INPUT;
	return s->json && status == SX_ERR_BAD_INPUT && !r->c.read_errno ? no_such_json(s) : status;
}

static enum sx_status refuse_sparse(const struct csv_stream *s)
{
	const struct csv_reader *r = &s->r;
	if (!r->value_count ||
	    s->rows <= (CELLS_FREE + r->c.taken * CELLS_PER_BYTE) / r->value_count)
		return SX_OK;
	error_set(r->err, SX_ERR_LIMIT, "%s: %zu lines of %u columns hardly hold a value",
		  r->c.origin, s->rows, r->value_count);
	error_because(r->err, "most lines break off before most columns");
	error_try(r->err, "a file with fewer columns");
	return SX_ERR_LIMIT;
}

/*
 * A column with a unit of another kind in its header than is described measures another thing: it
 * is left out, with a note.
 */
static void leave_out_units(struct csv_reader *r)
{
	for (uint32_t i = 0; r->catalog && i < r->count; i++) {
		struct sx_column info = {.name = strings_get(&r->names, i), .unit = "count"};
		if (r->columns[i].role != CSV_VALUE || !r->columns[i].unit)
			continue;
		csv_describe_column(r->catalog, &info);
		if (!info.unit[0] || units_fit(&r->units, r->columns[i].unit, info.unit))
			continue;
		r->columns[i].role = CSV_IGNORED;
		if (r->tally.other_units++ == 0) {
			r->tally.first_other_unit = info.name;
			r->tally.other_unit = r->columns[i].unit;
			r->tally.other_unit_as = info.unit;
		}
	}
}

/* A header may give another unit of the same kind than is described: values are converted. */
static void convert(struct csv_reader *r, struct csv_column *column, const struct sx_column *info)
{
	double factor = units_factor(&r->units, column->unit, info->unit);
	if (factor == 0)
		return;
	factor *= column->factor != 0 ? column->factor : 1;
	column->factor = factor == 1 ? 0 : factor;
	column->written = units_step(1 / factor);
}

/* What a row encloses: if the file does not say it, by labels in an export of ours, else by frame
 * numbers. */
static enum sx_sample_kind kind_of(const struct csv_reader *r)
{
	const struct csv_beside *beside = &r->tally.beside;
	const char *group = beside->label_names[SX_LABEL_GROUP];
	uint32_t labels = beside->labels;
	bool frames = r->catalog && labels >> SX_LABEL_FRAME & 1;
	if (r->catalog && beside->says_kind)
		return beside->kind;
	if (group && strcmp(group, label_name(SX_LABEL_GROUP)) != 0)
		labels &= ~(1u << SX_LABEL_GROUP); /* a column of other text */
	if (r->options && r->options->ours)
		return kind_by_labels(labels);
	return frames ? SX_SAMPLE_FRAME : SX_SAMPLE_ROW;
}

/* An export of ours has other units than the base ones in its head. */
static void take_bare(struct csv_reader *r, struct csv_column *column, const struct sx_column *info)
{
	if (column->unit || !column->values || !r->catalog || r->options->units_given)
		return;
	column->unit = bare_units_of(r->catalog, info->name, info->unit);
	bool noted = r->options->ours
			 ? !r->options->of_device &&
			       sx_catalog_find_constant(r->catalog, info->name) == SX_NONE
			 : !r->tally.beside.exported;
	if (column->unit && noted)
		bare_units_add(&r->tally.bare, info->name, column->unit);
}

static enum sx_status csv_describe(struct csv_reader *r)
{
	struct sx_column *infos = calloc((size_t)r->value_count + 1, sizeof(*infos));
	if (!infos)
		return error_nomem(r->err, "reading CSV");
	for (uint32_t i = 0; i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		if (column->role != CSV_VALUE)
			continue;
		struct sx_column *info = &infos[r->columns[i].target];
		*info = (struct sx_column){.name = strings_get(&r->names, i),
					   .unit = "count",
					   .type = r->columns[i].type,
					   .over_time = SX_REDUCE_SUM};
		bool raw = !column->unit &&
			   import_is_raw((struct import_cell){info->name, strlen(info->name)});
		if (r->options && r->options->ours && !raw)
			info->over_time = SX_REDUCE_MEAN;
		if (r->catalog)
			csv_describe_column(r->catalog, info);
		take_bare(r, column, info);
		if (column->unit && info->unit[0])
			convert(r, column, info);
		else if (column->unit)
			info->unit = column->unit;
		else if (!info->unit[0] && (r->tally.beside.exported || r->options->ours))
			info->unit = "count"; /* an export of ours: no catalog has its unit */
		if (!info->unit[0]) {
			info->unit = "count";
			info->over_time = SX_REDUCE_MEAN;
		}
		if (!column->values && column->outside)
			info->why = CSV_CANNOT_BE;
		if (column->factor != 0) /* what counts stays whole */
			info->type = column->type = column->counts ? SX_U64 : SX_F64;
		if (column->kelvin)
			info->type = column->type = SX_F64;
		/* A mean of whole numbers is not whole, but no number loses digits. */
		if (info->over_time == SX_REDUCE_MEAN && !column->beyond)
			info->type = column->type = SX_F64;
	}
	enum sx_status status =
	    sx_table_create(infos, r->value_count, kind_of(r), &r->table, r->err);
	free(infos);
	return status;
}

/* Moves behind the header, which was read once already. */
static enum sx_status skip_header(struct csv_stream *s)
{
	struct csv_cell cell = {0};
	enum sx_status status = rewind_text(s);
	if (!status && !csv_next_line(&s->r.c))
		return csv_changed(&s->r);
	while (!status && !cell.last)
		if (!csv_read_cell(&s->r.c, &cell))
			return csv_changed(&s->r);
	s->r.c.line++;
	return status;
}

/* Learns everything and makes the table. */
static enum sx_status prepare(struct csv_stream *s, const struct csv_options *options)
{
	struct csv_reader *r = &s->r;
	s->above = options ? options->above : 0;
	r->c.cell_max = options && options->ours ? CSV_OURS_MAX : CSV_CELL_MAX;
	r->c.scratch = malloc(r->c.cell_max);
	if (!r->c.scratch)
		return error_nomem(r->err, "reading CSV");
	reader_begin(r, r->c, options, r->err);
	enum sx_status status = csv_learn(s);
	if (!status)
		status = csv_resolve_marks(r);
	if (!status) {
		leave_out_units(r);
		csv_resolve(r);
		status = refuse_sparse(s);
	}
	if (!status)
		status = csv_describe(r);
	if (!status && options)
		table_backing(r->table, options->backing);
	for (uint32_t i = 0; !status && i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		column->full = column->role == CSV_VALUE && column->values == s->rows;
		if (column->role == CSV_VALUE && column->values &&
		    !table_data(r->table, column->target))
			return error_nomem(r->err, "reading CSV");
	}
	return status ? status : skip_header(s);
}

/* The stream is closed where it cannot begin. */
static enum sx_status begin_reading(struct csv_stream *s, const struct csv_options *options,
				    struct csv_stream **out)
{
	enum sx_status status = prepare(s, options);
	if (status)
		csv_close(s);
	else
		*out = s;
	return status;
}

enum sx_status csv_open(const struct csv_source *source, const char *origin,
			const struct csv_options *options, struct csv_stream **out,
			struct sx_error *err)
{
	struct csv_stream *s = calloc(1, sizeof(*s));
	char *window = malloc(CSV_WINDOW);
	if (!s || !window) {
		free(s);
		free(window);
		return error_nomem(err, "reading CSV");
	}
	s->r.c = (struct csv_cursor){.origin = origin, .source = source, .window = window};
	s->r.err = err;
	return begin_reading(s, options, out);
}

void csv_close(struct csv_stream *s)
{
	if (!s)
		return;
	reader_finish(&s->r);
	sx_table_destroy(s->r.table);
	free(s->r.c.window);
	free(s->r.c.scratch);
	free(s->unread);
	free(s);
}

const struct sx_table *csv_table(const struct csv_stream *s)
{
	return s->r.table;
}

const struct csv_tally *csv_beside(const struct csv_stream *s)
{
	return &s->r.tally;
}

enum sx_status csv_whole(const struct csv_stream *s, struct sx_error *err)
{
	size_t line = s->r.tally.unread.cut;
	if (!line)
		return SX_OK;
	csv_refuse_line(s->r.c.origin, line, CSV_WRONG_OPEN, err);
	error_try(err, "the quote, if it is missing in the file; the lines before it were read");
	return error_as(err, SX_INCOMPLETE);
}

/* Room for rows; columns without a gap are filled directly. */
static enum sx_status make_room(struct csv_stream *s, size_t rows)
{
	struct csv_reader *r = &s->r;
	sx_table_clear(r->table);
	enum sx_status status = sx_table_add_rows(r->table, rows, NULL, r->err);
	r->direct = 0;
	for (uint32_t i = 0; !status && i < r->count; i++) {
		struct csv_column *column = &r->columns[i];
		if (!column->full)
			continue;
		column->data.any = table_data(r->table, column->target);
		status = table_fill_quality(r->table, column->target, (struct row_span){0, rows}, 0,
					    r->err);
		r->direct++;
	}
	return status;
}

enum sx_status csv_next(struct csv_stream *s, size_t most, struct sx_error *err)
{
	struct csv_reader *r = &s->r;
	size_t rows = s->rows - s->done < most ? s->rows - s->done : most;
	r->err = err;
	if (!rows)
		return SX_END;
	enum sx_status status = make_room(s, rows);
	for (r->row = 0; !status && r->row < rows; r->c.line++) {
		bool line = stream_next_line(s);
		const char *from = r->c.p;
		status = line ? csv_row(r) : csv_changed(r);
		if (status == SX_AGAIN)
			status = csv_changed(r);
		r->row++;
		csv_pass(s, from);
	}
	s->done += rows;
	return r->c.read_errno ? whole(s) : status;
}

enum sx_status csv_all(struct csv_stream *s, struct sx_table **out, struct sx_error *err)
{
	enum sx_status status = csv_next(s, SIZE_MAX, err);
	if (status && status != SX_END)
		return status;
	*out = s->r.table;
	s->r.table = NULL;
	return SX_OK;
}

enum sx_status csv_open_text(const struct csv_text *text, const struct csv_options *options,
			     struct csv_stream **out, struct sx_error *err)
{
	struct csv_stream *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "reading CSV");
	s->r.c.origin = text->origin;
	s->text = text->text;
	s->size = text->size;
	s->r.err = err;
	return begin_reading(s, options, out);
}

enum sx_status csv_parse(const struct csv_text *text, const struct csv_options *options,
			 struct sx_table **out, struct sx_error *err)
{
	struct csv_stream *s = NULL;
	enum sx_status status = csv_open_text(text, options, &s, err);
	if (!status)
		status = csv_all(s, out, err);
	csv_close(s);
	return status;
}
