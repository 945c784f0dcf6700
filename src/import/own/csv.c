/*
 * Rows as sextant export and eval write them as CSV: labels and times by name, then counters or
 * metrics; several devices have a column that numbers them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "base/number.h"
#include "import/read/cells.h"
#include "import/counters/rocm.h"
#include "table/label.h"

enum own_role { VALUE, DEVICE, MODEL, BEGIN, END, NUMBER, TEXT, QUALITY };

static const struct {
	const char *name;
	enum own_role role;
	enum sx_label label;
} own_roles[] = {
    {"device", DEVICE, 0},
    {"simulated", MODEL, 0},
    {"begin_ns", BEGIN, 0},
    {"end_ns", END, 0},
    {"quality", QUALITY, 0},
    {"frame", NUMBER, SX_LABEL_FRAME},
    {"context", NUMBER, SX_LABEL_CONTEXT},
    {"instance", NUMBER, SX_LABEL_INSTANCE},
    {"group", TEXT, SX_LABEL_GROUP},
    {"reason", TEXT, SX_LABEL_REASON},
    {"process", TEXT, SX_LABEL_PROCESS},
    {"group2", TEXT, SX_LABEL_GROUP2},
    {"group3", TEXT, SX_LABEL_GROUP3},
    {"group4", TEXT, SX_LABEL_GROUP4},
};
#define ROLES (sizeof(own_roles) / sizeof(own_roles[0]))

struct own_device {
	struct import_rows *rows;
	bool *any; /* of each column: it has data */
	uint32_t *column;
	struct import_cell
	    *same; /* of each column: what all its cells hold; no text: they differ */
	bool seen;
};

struct own_reader {
	struct import_job *job;
	struct cells cells;
	enum own_role *role;
	enum sx_label *label;
	bool *numbers, *words; /* of each column: some cell is one */
	size_t device_column, begin, end;
	struct own_device device[IMPORT_DEVICES_MAX];
};

static size_t find_role(struct import_cell cell)
{
	size_t i = 0;
	while (i < ROLES && !import_is(cell, own_roles[i].name))
		i++;
	return i;
}

/* The first line that is no comment. */
static bool own_recognise(const struct import_head *head)
{
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell line, cells[ROLES + 1];
	unsigned found = 0;
	if (!import_header_line(&lines, &line))
		return false;
	/* Ours stand before everything else. */
	size_t count = import_split(line, ',', cells, ROLES + 1);
	for (size_t i = 0; i < count; i++) {
		size_t at = find_role(cells[i]);
		found |= at < ROLES ? 1u << own_roles[at].role : 0;
	}
	return (found >> BEGIN & 1) && (found >> END & 1) &&
	       (found >> QUALITY & 1 || found >> MODEL & 1 || found >> DEVICE & 1);
}

static enum sx_status own_find_roles(struct own_reader *r, struct sx_error *err)
{
	r->role = calloc(r->cells.columns + 1, sizeof(*r->role));
	r->label = calloc(r->cells.columns + 1, sizeof(*r->label));
	r->numbers = calloc(r->cells.columns + 1, sizeof(*r->numbers));
	r->words = calloc(r->cells.columns + 1, sizeof(*r->words));
	if (!r->role || !r->label || !r->numbers || !r->words)
		return error_nomem(err, "importing");
	for (size_t i = 0; i < r->cells.columns; i++) {
		size_t at = find_role(r->cells.head[i]);
		r->role[i] = at < ROLES ? own_roles[at].role : VALUE;
		r->label[i] = at < ROLES ? own_roles[at].label : 0;
	}
	r->device_column = cells_find(&r->cells, "device");
	r->begin = cells_find(&r->cells, "begin_ns");
	r->end = cells_find(&r->cells, "end_ns");
	return SX_OK;
}

/* Whose a row is; NULL where that cannot be told. */
static struct own_device *device_of(struct own_reader *r)
{
	uint64_t number = 0;
	struct import_cell cell = cells_at(&r->cells, r->device_column);
	if (r->device_column != SIZE_MAX &&
	    (!cell.size || !number_u64(cell.text, cell.size, &number)))
		return NULL;
	return number < IMPORT_DEVICES_MAX ? &r->device[number] : NULL;
}

static void look_at(struct own_reader *r, struct own_device *d, size_t column,
		    struct import_cell cell)
{
	struct import_cell *same = &d->same[column];
	double number;
	if (import_no_data(cell))
		return;
	*(import_number(cell, &number) ? &r->numbers[column] : &r->words[column]) = true;
	if (!d->any[column])
		*same = cell;
	else if (same->size != cell.size || memcmp(same->text, cell.text, cell.size) != 0)
		same->size = 0;
	d->any[column] = true;
}

/* Columns of words that somebody added are labels. */
static void find_texts(struct own_reader *r)
{
	uint32_t taken = 0;
	for (size_t i = 0; i < r->cells.columns; i++)
		taken |= r->role[i] == TEXT ? 1u << r->label[i] : 0;
	for (size_t i = 0; i < r->cells.columns; i++) {
		enum sx_label label = label_next_group(taken);
		if (r->role[i] != VALUE || r->numbers[i] || !r->words[i] || label == SX_LABEL_COUNT)
			continue;
		r->role[i] = TEXT;
		r->label[i] = label;
		taken |= 1u << label;
	}
}

/* Which devices there are, and which columns are whose. */
static enum sx_status own_look(struct own_reader *r, struct sx_error *err)
{
	struct cells ahead = r->cells;
	while (cells_next(&r->cells)) {
		struct own_device *d = device_of(r);
		if (d && !d->seen) {
			d->any = calloc(r->cells.columns + 1, sizeof(*d->any));
			d->column = calloc(r->cells.columns + 1, sizeof(*d->column));
			d->same = calloc(r->cells.columns + 1, sizeof(*d->same));
			if (!d->any || !d->column || !d->same)
				return error_nomem(err, "importing");
			d->seen = true;
		}
		for (size_t i = 0; d && i < r->cells.columns; i++)
			look_at(r, d, i, r->cells.row[i]);
	}
	r->cells = ahead;
	find_texts(r);
	return SX_OK;
}

/* Whether rows of a device have a label; that of another leaves the cells empty. */
static bool has_label(const struct own_reader *r, const struct own_device *d, const char *name)
{
	size_t at = cells_find(&r->cells, name);
	return at != SIZE_MAX && d->any[at];
}

/* What a row encloses is not told, but frames and groups have their labels. */
static enum sx_sample_kind kind_of(const struct own_reader *r, const struct own_device *d)
{
	if (has_label(r, d, "group"))
		return SX_SAMPLE_GROUP;
	return has_label(r, d, "frame") ? SX_SAMPLE_FRAME : SX_SAMPLE_TIME;
}

/* The constant that all cells of a column are: its name, or NULL where it is another thing. */
static const char *constant_of(struct own_reader *r, const struct own_device *d,
			       const struct sx_catalog *catalog, size_t column, double *value)
{
	struct import_cell name = r->cells.head[column];
	if (!catalog || r->role[column] != VALUE || !name.size || !d->same[column].size ||
	    !import_number(d->same[column], value))
		return NULL;
	const char *text = import_text(r->job, name.text, name.size);
	return text && sx_catalog_find_constant(catalog, text) != SX_NONE ? text : NULL;
}

static bool any_device_has(const struct own_reader *r, size_t column)
{
	for (size_t i = 0; i < IMPORT_DEVICES_MAX; i++)
		if (r->device[i].seen && r->device[i].any[column])
			return true;
	return false;
}

/* Counters that the file names and never tells are not taken over. */
static void tell_empty(struct own_reader *r, const struct sx_catalog *known)
{
	const char *first = NULL;
	uint32_t empty = 0;
	for (size_t i = 0; i < r->cells.columns; i++) {
		if (r->role[i] != VALUE || !r->cells.head[i].size || any_device_has(r, i))
			continue;
		const char *name = import_bare_name(r->job, r->cells.head[i]);
		if (name && sx_catalog_find_counter(known, name, SX_NONE, NULL) != SX_NONE &&
		    !empty++)
			first = name;
	}
	if (empty)
		import_tell(r->job, "%s of no value left out: %.80s%s", COUNTED(empty, "column"),
			    first, empty == 1 ? "" : " is the first");
}

static void begin_columns(struct own_reader *r, struct own_device *d, const char *catalog)
{
	struct sx_catalog *known = NULL;
	double value;
	if (sx_catalog_open(r->job->request->context, catalog, &known, NULL))
		known = NULL;
	for (size_t i = 0; i < r->cells.columns; i++) {
		const char *constant = constant_of(r, d, known, i, &value);
		d->column[i] = SX_NONE;
		if (constant && import_rows_constant(d->rows, constant, value))
			continue;
		if (r->role[i] == VALUE && d->any[i])
			d->column[i] = amd_column(r->job, d->rows, catalog, r->cells.head[i]);
		if (r->role[i] == TEXT && find_role(r->cells.head[i]) == ROLES)
			import_rows_label_name(
			    d->rows, r->label[i],
			    import_text(r->job, r->cells.head[i].text, r->cells.head[i].size));
	}
	if (known)
		tell_empty(r, known);
	sx_catalog_unref(known);
}

static enum sx_status begin_device(struct own_reader *r, struct own_device *d, const char **names,
				   struct sx_error *err)
{
	bool alone = r->device_column == SIZE_MAX; /* names without a value are its own, too */
	size_t count = 0;
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->role[i] == VALUE && (d->any[i] || alone) && r->cells.head[i].size)
			names[count++] = import_bare_name(r->job, r->cells.head[i]);
	for (size_t i = 0; i < count; i++)
		if (!names[i])
			return error_nomem(err, "importing");
	const char *catalog = alone ? import_find_catalog(r->job, names, count)
				    : import_device_catalog(r->job, names, count);
	if (!catalog) {
		enum sx_status status =
		    import_bad(r->job, 1, err, "no catalog has such names", "no column is known");
		error_try(err, "--for CATALOG, which names it");
		return status;
	}
	enum sx_sample_kind kind = kind_of(r, d);
	d->rows = import_rows_create(
	    r->job, &(struct import_rows_options){.catalog = catalog,
						  .clock = "file",
						  .kind = kind,
						  .encloses_work = kind != SX_SAMPLE_TIME});
	if (d->rows)
		begin_columns(r, d, catalog);
	return d->rows ? SX_OK : error_nomem(err, "importing");
}

static enum sx_status begin_devices(struct own_reader *r, struct sx_error *err)
{
	const char **names = calloc(r->cells.columns + 1, sizeof(*names));
	enum sx_status status = names ? own_look(r, err) : error_nomem(err, "importing");
	for (size_t i = 0; !status && i < IMPORT_DEVICES_MAX; i++)
		if (r->device[i].seen)
			status = begin_device(r, &r->device[i], names, err);
	free(names);
	return status;
}

static void own_take_special(struct own_reader *r, struct own_device *d, size_t column, size_t row)
{
	struct import_cell cell = cells_at(&r->cells, column);
	uint64_t whole;
	if (r->role[column] == MODEL && import_is(cell, "true")) {
		import_rows_simulated(d->rows);
	} else if (r->role[column] == QUALITY) {
		import_row_quality(d->rows, row, import_quality(cell.text, cell.size));
	} else if (r->role[column] == TEXT) {
		cell = cells_text(&r->cells, column);
		import_label(d->rows, row, r->label[column], cell.text, cell.size);
	} else if (r->role[column] == NUMBER && cell.size &&
		   number_u64(cell.text, cell.size, &whole)) {
		import_number_label(d->rows, row, r->label[column], whole);
	}
}

static void own_take_row(struct own_reader *r)
{
	struct own_device *d = device_of(r);
	if (!d) {
		import_tell(r->job, "lines whose device is no number below %d were left out",
			    IMPORT_DEVICES_MAX);
		return;
	}
	size_t row =
	    import_row(d->rows, cells_ns(&r->cells, r->begin), cells_ns(&r->cells, r->end));
	for (size_t i = 0; i < r->cells.columns; i++)
		if (r->role[i] == VALUE)
			cells_put(&r->cells, i, d->rows, d->column[i], row);
		else
			own_take_special(r, d, i, row);
}

static enum sx_status own_finish(struct own_reader *r, enum sx_status status, struct sx_error *err)
{
	for (size_t i = 0; i < IMPORT_DEVICES_MAX; i++) {
		struct own_device *d = &r->device[i];
		free(d->any);
		free(d->column);
		free(d->same);
	}
	free(r->role);
	free(r->label);
	free(r->numbers);
	free(r->words);
	return import_finish(r->job, status, "it has a header and nothing behind it",
			     "no row is in it", err);
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
	if (!status)
		status = own_find_roles(r, err);
	if (!status && (r->begin == SIZE_MAX || r->end == SIZE_MAX))
		status = import_bad(job, 1, err, "sextant export writes begin_ns and end_ns",
				    "the header lacks the columns of times");
	if (!status)
		status = begin_devices(r, err);
	while (!status && cells_next(&r->cells))
		own_take_row(r);
	if (!status)
		status = cells_end(&r->cells, err);
	status = own_finish(r, status, err);
	free(r);
	return status;
}

const struct import_format import_own_csv = {
    .kind = "sextant-csv",
    .about = "rows that sextant export wrote",
    .table = true,
    .any_order = true,
    .recognise = own_recognise,
    .read = own_read,
};
