/*
 * Rows as sextant export and eval write them as CSV: labels and times by name, then counters or
 * metrics. Files of several devices have a column with the device's number, and are read here
 * device by device.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "catalog/column.h"
#include "import/counters/counters.h"
#include "import/internal.h"
#include "table/label.h"

struct own_column {
	enum import_role role;
	enum sx_label label;
	bool any, numbers, words; /* it has data; some cell is a number, or is none */
	struct import_cell same;  /* what all its cells hold; no text: they differ */
	uint32_t to;		  /* of the rows, or SX_NONE */
};

struct own_reader {
	struct import_job *job;
	struct cells cells;
	struct own_column *columns;
	size_t begin, end;
	struct import_rows *rows;
};

/* The first line that is no comment. */
static bool own_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[IMPORT_ROLES + 1];
	unsigned found = 0;
	if (!import_header_line(&lines, &line))
		return false;
	/* Our columns precede all others. */
	size_t count = import_split(line, ',', cells, IMPORT_ROLES + 1);
	for (size_t i = 0; i < count; i++)
		found |= 1u << import_role(cells[i], false, NULL);
	return (found >> IMPORT_ROLE_BEGIN & 1) && (found >> IMPORT_ROLE_END & 1) &&
	       (found >> IMPORT_ROLE_QUALITY & 1 || found >> IMPORT_ROLE_MODEL & 1 ||
		found >> IMPORT_ROLE_DEVICE & 1);
}

static enum sx_status own_find_roles(struct own_reader *r, struct sx_error *err)
{
	r->columns = calloc(r->cells.columns + 1, sizeof(*r->columns));
	if (!r->columns)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < r->cells.columns; i++)
		r->columns[i].role = import_role(r->cells.head[i], false, &r->columns[i].label);
	r->begin = cells_find(&r->cells, "begin_ns");
	r->end = cells_find(&r->cells, "end_ns");
	return SX_OK;
}

static void look_at(struct own_column *column, struct import_cell cell)
{
	double number;
	if (import_no_data(cell))
		return;
	*(import_number(cell, &number) ? &column->numbers : &column->words) = true;
	if (!column->any)
		column->same = cell;
	else if (column->same.size != cell.size ||
		 memcmp(column->same.text, cell.text, cell.size) != 0)
		column->same.size = 0;
	column->any = true;
}

/* Whether a column holds words; one that means nothing may have numbers among them. */
static bool is_text(const struct own_reader *r, const struct sx_catalog *known, size_t column)
{
	const struct own_column *c = &r->columns[column];
	if (c->role != IMPORT_ROLE_VALUE || !c->words || !c->numbers || !known)
		return c->role == IMPORT_ROLE_VALUE && c->words && !c->numbers;
	const char *name = import_bare_name(r->job, r->cells.head[column]);
	struct column_meaning meaning = column_meaning(known, name ? name : "", SX_NONE);
	return !column_is_known(&meaning);
}

/* Columns of words that the user added are labels. */
static void find_texts(struct own_reader *r, const struct sx_catalog *known)
{
	uint32_t taken = 0;
	for (size_t i = 0; i < r->cells.columns; i++)
		taken |= r->columns[i].role == IMPORT_ROLE_TEXT ? 1u << r->columns[i].label : 0;
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct own_column *column = &r->columns[i];
		enum sx_label label = label_next_group(taken);
		if (label == SX_LABEL_COUNT || !is_text(r, known, i))
			continue;
		column->role = IMPORT_ROLE_TEXT;
		column->label = label;
		taken |= 1u << label;
	}
}

/* What the columns hold. */
static void own_look(struct own_reader *r)
{
	struct cells ahead = r->cells;
	while (cells_next(&r->cells))
		for (size_t i = 0; i < r->cells.columns; i++)
			look_at(&r->columns[i], r->cells.row[i]);
	r->cells = ahead;
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct own_column *c = &r->columns[i];
		if (c->role == IMPORT_ROLE_KIND && c->any &&
		    kind_find(c->same.text, c->same.size) == SX_SAMPLE_KINDS)
			c->role = IMPORT_ROLE_VALUE; /* a column of the user's, of that name */
	}
}

/* Whether rows of the device have a label; that of another leaves the cells empty. */
static bool has_label(const struct own_reader *r, const char *name)
{
	size_t at = cells_find(&r->cells, name);
	return at != SIZE_MAX && r->columns[at].any;
}

/* What a row encloses, as the file says it or else the labels. */
static enum sx_sample_kind kind_of(const struct own_reader *r)
{
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->columns[i].role == IMPORT_ROLE_KIND && r->columns[i].any)
			return kind_find(r->columns[i].same.text, r->columns[i].same.size);
	return kind_by_labels((uint32_t)has_label(r, "group") << SX_LABEL_GROUP |
			      (uint32_t)has_label(r, "frame") << SX_LABEL_FRAME);
}

/* Samples that are pieces of a program's work. */
static bool encloses_work(enum sx_sample_kind kind)
{
	return kind == SX_SAMPLE_FRAME || kind == SX_SAMPLE_GROUP ||
	       (kind >= SX_SAMPLE_PASS && kind <= SX_SAMPLE_QUEUE);
}

/* The constant that all cells of a column are: its name, or NULL where it is another thing. */
static const char *constant_of(struct own_reader *r, const struct sx_catalog *catalog,
			       size_t column, double *value)
{
	struct import_cell name = r->cells.head[column], same = r->columns[column].same;
	if (!catalog || r->columns[column].role != IMPORT_ROLE_VALUE || !name.size || !same.size ||
	    !import_number(same, value))
		return NULL;
	const char *text = import_text(r->job, name.text, name.size);
	return text && sx_catalog_find_constant(catalog, text) != SX_NONE ? text : NULL;
}

/* Counters that the file names without any value are not taken over. */
static void note_empty(struct own_reader *r, const struct sx_catalog *known)
{
	const char *first = NULL;
	uint32_t empty = 0;
	const struct import_part *part = r->job->part;
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->columns[i].role != IMPORT_ROLE_VALUE || !r->cells.head[i].size ||
		    r->columns[i].any || (part && part->any[i]))
			continue;
		const char *name = import_bare_name(r->job, r->cells.head[i]);
		if (name && sx_catalog_find_counter(known, name, SX_NONE, NULL) != SX_NONE &&
		    !empty++)
			first = name;
	}
	if (empty)
		import_remark(r->job, "%s of no value left out: %.80s%s", COUNTED(empty, "column"),
			      first, empty == 1 ? "" : " is the first");
}

static void begin_columns(struct own_reader *r, const char *catalog)
{
	struct sx_catalog *known = NULL;
	double value;
	if (sx_catalog_open(r->job->request->context, catalog, &known, NULL))
		known = NULL;
	find_texts(r, known);
	for (size_t i = 0; i < r->cells.columns; i++) {
		struct own_column *column = &r->columns[i];
		const char *constant = constant_of(r, known, i, &value);
		column->to = SX_NONE;
		if (constant && import_rows_constant(r->rows, constant, value))
			continue;
		if (column->role == IMPORT_ROLE_VALUE && column->any)
			column->to = counters_column(r->job, r->rows, catalog, r->cells.head[i]);
		if (column->role == IMPORT_ROLE_TEXT &&
		    import_role(r->cells.head[i], false, NULL) != IMPORT_ROLE_TEXT)
			import_rows_label_name(
			    r->rows, column->label,
			    import_text(r->job, r->cells.head[i].text, r->cells.head[i].size));
	}
	if (known)
		note_empty(r, known);
	sx_catalog_unref(known);
}

/* The catalog that has most of the names of a device's columns; *catalog NULL: none has. */
static enum sx_status find_catalog(struct own_reader *r, const char **catalog, struct sx_error *err)
{
	const char **names = calloc(r->cells.columns + 1, sizeof(*names));
	bool alone = !r->job->part; /* names without a value are its own, too */
	size_t count = 0, i = 0;
	for (; names && i < r->cells.columns; i++) {
		if (r->columns[i].role != IMPORT_ROLE_VALUE || !(r->columns[i].any || alone) ||
		    !r->cells.head[i].size || is_text(r, NULL, i))
			continue;
		names[count] = import_bare_name(r->job, r->cells.head[i]);
		if (!names[count++])
			break;
	}
	bool whole = names && i == r->cells.columns;
	if (whole)
		*catalog = alone ? import_find_catalog(r->job, names, count)
				 : import_device_catalog(r->job, names, count);
	free(names);
	return whole ? SX_OK : error_nomem(err, "importing");
}

static enum sx_status begin_device(struct own_reader *r, struct sx_error *err)
{
	const char *catalog = NULL;
	own_look(r);
	enum sx_status status = find_catalog(r, &catalog, err);
	if (status)
		return status;
	if (!catalog) {
		status =
		    import_bad(r->job, 1, err, "no catalog has such names", "no column is known");
		error_try(err, "--for CATALOG, which names it");
		return status;
	}
	enum sx_sample_kind kind = kind_of(r);
	r->rows = import_rows_create(
	    r->job, &(struct import_rows_options){.catalog = catalog,
						  .clock = "file",
						  .kind = kind,
						  .encloses_work = encloses_work(kind)});
	if (r->rows)
		begin_columns(r, catalog);
	return r->rows ? SX_OK : error_nomem(err, "importing");
}

static void own_take_special(struct own_reader *r, size_t column, size_t row)
{
	struct import_cell cell = cells_at(&r->cells, column);
	const struct own_column *c = &r->columns[column];
	uint64_t whole;
	if (c->role == IMPORT_ROLE_MODEL && import_is(cell, "true")) {
		import_rows_describe(r->rows, &(struct import_rows_options){.simulated = true});
	} else if (c->role == IMPORT_ROLE_QUALITY) {
		import_row_quality(r->rows, row, import_quality(cell.text, cell.size));
	} else if (c->role == IMPORT_ROLE_TEXT) {
		cell = cells_text(&r->cells, column);
		import_label(r->rows, row, c->label, cell.text, cell.size);
	} else if (c->role == IMPORT_ROLE_NUMBER && cell.size &&
		   number_u64(cell.text, cell.size, &whole)) {
		import_number_label(r->rows, row, c->label, whole);
	}
}

static void own_take_row(struct own_reader *r)
{
	size_t row =
	    import_row(r->rows, cells_ns(&r->cells, r->begin), cells_ns(&r->cells, r->end));
	import_row_place(r->rows, row, r->cells.lines.number - r->job->above);
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->columns[i].role == IMPORT_ROLE_VALUE)
			cells_put(&r->cells, i, r->rows, r->columns[i].to, row);
		else
			own_take_special(r, i, row);
}

static enum sx_status own_read(struct import_job *job, struct sx_error *err)
{
	struct own_reader *r = calloc(1, sizeof(*r));
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0};
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	import_header_line(&lines, &header);
	enum sx_status status = cells_begin(&r->cells, job, lines, header, err);
	r->cells.even = true;
	if (!status)
		status = own_find_roles(r, err);
	if (!status && (r->begin == SIZE_MAX || r->end == SIZE_MAX))
		status = import_bad(job, 1, err, "sextant export writes begin_ns and end_ns",
				    "the header lacks the columns of times");
	if (!status)
		status = begin_device(r, err);
	while (!status && cells_next(&r->cells))
		own_take_row(r);
	if (!status)
		status = cells_end(&r->cells, err);
	free(r->columns);
	free(r);
	return import_finish(job, status, "it has a header and nothing behind it",
			     "no row is in it", err);
}

const struct import_format import_own_csv = {
    .kind = "sextant-csv",
    .about = "rows that sextant export wrote",
    .table = true,
    .by_device = true,
    .only_by_device = true,
    .any_order = true,
    .spelled = true,
    .recognise = own_recognise,
    .read = own_read,
};
