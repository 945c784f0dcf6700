/*
 * Any table with counters, constants or metrics of a catalog in its header: what spreadsheets,
 * scripts and tools without a kind of their own write.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sextant/catalog.h>

#include "catalog/column.h"
#include "import/counters/counters.h"
#include "import/internal.h"
#include "import/table/csv.h"
#include "import/table/reader.h"
#include "table/fill.h"
#include "table/label.h"

#define NAMES_LOOKED_AT 256 /* of a header, to see whether it is one */

/* Whether a cell begins as a number, in any notation, or is no data in place of one. */
static bool begins_number(struct import_cell cell)
{
	return cell.size && (strchr("0123456789+-.", cell.text[0]) || import_no_data(cell) ||
			     import_is(cell, "inf") || import_is(cell, "infinity"));
}

/* A header of words, and below it, if there is a line, one with a number. */
static bool any_table_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell line, cells[NAMES_LOOKED_AT];
	size_t words = 0, numbers = 0;
	if (!import_header_line(&lines, &line))
		return false;
	char separator = import_separator(line);
	size_t columns = import_split(line, separator, cells, NAMES_LOOKED_AT);
	for (size_t i = 0; i < columns; i++)
		words += cells[i].size && !begins_number(cells[i]);
	if (2 * words < columns)
		return false;
	do {
		if (!import_record(&lines, separator, &line))
			return columns > 1;
	} while (!line.size || line.text[0] == '#');
	size_t count = import_split(line, separator, cells, NAMES_LOOKED_AT);
	for (size_t i = 0; i < count; i++)
		numbers += begins_number(cells[i]);
	return numbers && count <= columns + 1;
}

/* Whether only the unit after the name is unknown, of which there is a note already. */
static bool lacks_unit_alone(const struct sx_catalog *catalog, const char *name)
{
	char bare[CSV_UNIT_TEXT_MAX];
	struct import_cell unit,
	    cell = import_split_unit((struct import_cell){name, strlen(name)}, &unit);
	snprintf(bare, sizeof(bare), "%.*s", (int)cell.size, cell.text);
	struct column_meaning meaning = column_meaning(catalog, bare, SX_NONE);
	return unit.size && cell.size < sizeof(bare) && column_is_known(&meaning);
}

/* Notes columns that the catalog does not know. */
static void note_unknown(struct import_job *job, const struct import_device *device,
			 const struct sx_catalog *catalog)
{
	uint32_t unknown = 0;
	const char *first = NULL;
	for (uint32_t i = 0; i < sx_table_column_count(device->table); i++) {
		const char *name = sx_table_column(device->table, i)->name;
		struct column_meaning meaning = column_meaning(catalog, name, SX_NONE);
		if (!column_is_known(&meaning) && !column_is_imbalance(catalog, name) &&
		    !import_is_of_sets(catalog, name) && !lacks_unit_alone(catalog, name))
			first = unknown++ ? first : name;
	}
	if (unknown)
		import_remark(job, "%u column%s in catalog %s and %s: %.80s%s", unknown,
			      unknown == 1 ? " means nothing" : "s mean nothing", device->catalog,
			      unknown == 1 ? "stays as it is" : "stay as they are", first,
			      unknown == 1 ? "" : " is the first");
}

/*
 * No name of the header is one of the catalog's, or of any; or one is (`given`, else NULL), in a
 * unit of another kind or an unknown one.
 */
static enum sx_status no_column(struct import_job *job, const char *catalog,
				const struct csv_tally *given, struct sx_error *err)
{
	if (catalog)
		error_set(err, SX_ERR_BAD_INPUT, "no column of %s means anything in catalog %s",
			  job->request->path, catalog);
	else
		error_set(err, SX_ERR_BAD_INPUT, "no column of %s means anything in any catalog",
			  job->request->path);
	if (given && given->other_units) {
		error_because(err, "column %.80s is in %.40s, which cannot be made into %.40s",
			      given->first_other_unit, given->other_unit, given->other_unit_as);
		error_try(err, "the unit of its values in the header, as \"%.80s (%.40s)\"",
			  given->first_other_unit, given->other_unit_as);
		return SX_ERR_BAD_INPUT;
	}
	if (given && given->unknown_units) {
		error_because(err, "%s, after %s, is no known unit", given->unknown_unit,
			      given->unknown_unit_of);
		error_try(err, "\"%s (%s)\" in the header; its units are %s",
			  given->unknown_unit_of, given->unknown_unit_one, given->unknown_unit_as);
		return SX_ERR_BAD_INPUT;
	}
	error_because(err, "its header has no name of a counter, constant or metric");
	if (catalog)
		error_try(err, "--for with another catalog, or sextant list counters --for %s",
			  catalog);
	else
		error_try(err, "--for CATALOG, if the names are those of one; "
			       "sextant import --help names the kinds of files");
	return SX_ERR_BAD_INPUT;
}

/* Times are of any catalog. */
static bool is_time(struct import_cell head)
{
	double to_ns;
	return import_time_head(head, &to_ns) != IMPORT_TIME_NONE;
}

/* Whether a column may have the name of a counter; of an export of ours others have their names. */
static bool is_named(const struct import_job *job, struct import_cell head)
{
	return head.size && !is_time(head) &&
	       (!job->format->ours || import_role(head, false, NULL) == IMPORT_ROLE_VALUE);
}

/* Of several devices, names are those of columns in which this one has a value. */
static void leave_empty_out(struct cells *cells, bool *any)
{
	while (cells_next(cells))
		for (size_t i = 0; i < cells->columns; i++)
			any[i] |= cells->row[i].size && !import_no_data(cells->row[i]);
	for (size_t i = 0; i < cells->columns; i++)
		if (!any[i] || import_names_device(cells->head[i]))
			cells->head[i].size = 0;
}

/* The names of columns; people's also without a unit behind them. False: memory is out. */
static bool list_names(const struct cells *cells, const char **names, size_t *count)
{
	struct import_job *job = cells->job;
	for (size_t i = 0; i < cells->columns; i++) {
		if (!is_named(job, cells->head[i]))
			continue;
		struct import_cell end, head = csv_our_word(cells->head[i]);
		names[*count] = import_bare_name(job, head);
		if (!names[(*count)++])
			return false;
		struct import_cell bare = import_split_suffix(head, &end);
		if (!bare.size) /* an unknown unit is noted where the name is known */
			bare = import_split_unit(head, &end);
		if (job->format->ours || !bare.size)
			continue;
		names[*count] = import_text(job, bare.text, bare.size);
		if (!names[(*count)++])
			return false;
	}
	return true;
}

static enum sx_status find_by_header(struct import_job *job, const char **catalog,
				     struct sx_error *err)
{
	struct cells cells;
	size_t count = 0;
	enum sx_status status = cells_begin_text(&cells, job, err);
	if (status)
		return status;
	const char **names = calloc(2 * cells.columns + 1, sizeof(*names));
	bool *any = calloc(cells.columns + 1, sizeof(*any));
	if (names && any && job->part)
		leave_empty_out(&cells, any);
	if (!names || !any || !list_names(&cells, names, &count))
		status = error_nomem(err, "importing");
	else if (!job->format->ours)
		*catalog = import_table_catalog(job, names, count);
	else
		*catalog = job->part ? import_device_catalog(job, names, count)
				     : import_find_catalog(job, names, count);
	free(names);
	free(any);
	return status;
}

/* The file's own names of what labels have become, which --by takes. */
static void name_labels(struct import_job *job, const struct csv_tally *tally,
			struct import_device *device)
{
	for (int i = 0; i < SX_LABEL_COUNT; i++) {
		const char *name = tally->beside.label_names[i];
		if (name && strcmp(name, label_name((enum sx_label)i)) != 0)
			device->labels[i] = import_text(job, name, strlen(name));
	}
}

/* Pieces of a program's work. */
static bool encloses_work(enum sx_sample_kind kind)
{
	return kind == SX_SAMPLE_FRAME || kind == SX_SAMPLE_GROUP ||
	       (kind >= SX_SAMPLE_PASS && kind <= SX_SAMPLE_QUEUE);
}

static enum sx_status no_value(const struct import_job *job, struct sx_error *err)
{
	const struct import *import = job->result;
	return import_bad(job, 0, err,
			  import->note_count ? import->notes[0]
					     : "the tool wrote its head, and no value after it",
			  "no sample with a value is in it");
}

static enum sx_status read_with(struct import_job *job, struct import_device *device,
				struct sx_catalog *catalog, struct sx_error *err)
{
	const struct import_given *given = import_given_of(job);
	bool ours = job->format->ours;
	const struct csv_options options = {.catalog = catalog,
					    .empty = given ? given->empty : NULL,
					    .empty_count = given ? given->why_count : 0,
					    .of_device = job->part ? job->part->any : NULL,
					    .ours = ours,
					    .units_given = ours && !job->format->spelled,
					    .place = job->place,
					    .above = job->above,
					    .backing = job->backing};
	struct csv_text text = {job->text, job->size, job->request->path};
	struct csv_stream *stream = NULL;
	enum sx_status status = csv_open_text(&text, &options, &stream, err);
	if (!status && !ours && !import_columns_known(csv_table(stream), catalog))
		status = no_column(job, device->catalog, csv_beside(stream), err);
	if (!status) {
		const struct note_sink to = import_note_sink(job);
		csv_note(csv_beside(stream), &to);
		device->facts.simulated = csv_beside(stream)->beside.simulated;
		device->left_out = csv_beside(stream)->unread.count;
		name_labels(job, csv_beside(stream), device);
		status = ours && !sx_table_column_count(csv_table(stream))
			     ? no_value(job, err)
			     : csv_all(stream, &device->table, err);
	}
	enum sx_status is_whole = status ? status : csv_whole(stream, err);
	csv_close(stream);
	if (!status && ours)
		device->encloses_work = encloses_work(sx_table_kind(device->table));
	if (!status && !sx_table_row_count(device->table))
		status = import_bad(job, 0, err, "it has a header and nothing after it",
				    "no row is in it");
	if (!status)
		status = import_times_mend_table(job, device->table, IMPORT_UNORDERED, err);
	if (status)
		return status;
	import_note_unweighed(job, device->table);
	if (!ours)
		note_unknown(job, device, catalog);
	status = import_leave_repeated(job, device->table, catalog, err);
	return status ? status : is_whole;
}

/* What sextant report --by writes as CSV: sums of groups, and no samples. */
static bool is_grouped(const struct import_job *job)
{
	struct import_lines lines = import_lines(job);
	struct import_cell header = {"", 0}, cells[8];
	import_header_line(&lines, &header);
	size_t count = import_split(header, import_separator(header), cells, 8);
	for (size_t i = 0; i + 2 < count; i++)
		if (import_is(cells[i], "rows") && import_is(cells[i + 1], "begin_ns") &&
		    import_is(cells[i + 2], "time_ns"))
			return true;
	return false;
}

#define COLUMNS_LOOKED_AT 256
#define ROWS_LEAST	  2 /* of one row a copy is its sum and its mean */

struct totals {
	double sum[COLUMNS_LOOKED_AT];
	size_t count[COLUMNS_LOOKED_AT];
};

static bool is_summary_word(struct import_cell cell)
{
	if (cell.size && cell.text[cell.size - 1] == ':')
		cell.size--;
	return import_word_of(cell, "total|totals|grand total|sum|average|avg|mean|gesamt|summe|"
				    "durchschnitt|mittel|mittelwert|moyenne|somme");
}

/* The last line that is not blank; false where there is none. */
static bool find_last(const struct import_job *job, struct import_cell *line)
{
	const char *end = job->text + job->size;
	while (end > job->text && memchr(" \t\r\n", end[-1], 4))
		end--;
	const char *begin = end;
	while (begin > job->text && !memchr("\r\n", begin[-1], 2))
		begin--;
	*line = (struct import_cell){begin, (size_t)(end - begin)};
	return line->size;
}

/* Half of the last digit that is written, and what sums of doubles lose. */
static double rounding(struct import_cell cell, double value)
{
	const char *point = memchr(cell.text, '.', cell.size);
	size_t decimals = point ? cell.size - (size_t)(point + 1 - cell.text) : 0;
	return 0.5 * pow(10, -(double)decimals) + 1e-6 * fabs(value);
}

/* Whether the current row sums up those before: each of its numbers is their sum or their mean. */
static bool agrees(struct cells *cells, const struct totals *totals, bool *any)
{
	bool all = true;
	for (size_t i = 0; i < cells->columns && i < COLUMNS_LOOKED_AT; i++) {
		double value;
		if (!totals->count[i] || !cells_number(cells, i, &value))
			continue;
		double most = rounding(cells->row[i], value);
		*any = true;
		all &= fabs(value - totals->sum[i]) <= most ||
		       fabs(value - totals->sum[i] / (double)totals->count[i]) <= most;
	}
	return *any && all;
}

static void add_row(struct cells *cells, struct totals *totals)
{
	for (size_t i = 0; i < cells->columns && i < COLUMNS_LOOKED_AT; i++) {
		double value;
		if (!cells_number(cells, i, &value))
			continue;
		totals->sum[i] += value;
		totals->count[i]++;
	}
}

/* Reads all rows up to the one with `word` in its cell at `label`. */
static void judge(struct import_job *job, struct cells *cells, size_t label,
		  struct import_cell word, struct totals *totals)
{
	size_t rows = 0;
	bool any = false;
	for (; cells_next(cells) && cells->row[label].text != word.text; rows++) {
		if (is_summary_word(cells->row[label]))
			return; /* a name that rows have */
		add_row(cells, totals);
	}
	if (rows < ROWS_LEAST || cells->row[label].text != word.text)
		return;
	int size = word.size < 40 ? (int)word.size : 40;
	if (agrees(cells, totals, &any)) {
		struct import_cell line;
		find_last(job, &line);
		job->size = (size_t)(line.text - job->text);
		import_remark(job,
			      "the last line, %.*s, has the sums or means of those above: it is "
			      "left out",
			      size, word.text);
	} else if (any) {
		import_remark(job,
			      "the last line is named %.*s, and its numbers are not all sums or "
			      "means of those above: it is read as a row",
			      size, word.text);
	}
}

/*
 * Cuts a last line off the text that is named as a sum or a mean and is one in all of its numbers,
 * with a note; notes it also where it is only named so. Errors: SX_ERR_NO_MEMORY, SX_ERR_LIMIT.
 */
static enum sx_status leave_summary_out(struct import_job *job, struct sx_error *err)
{
	struct import_cell last, row[COLUMNS_LOOKED_AT];
	struct cells cells;
	if (job->part || !find_last(job, &last))
		return SX_OK;
	enum sx_status status = cells_begin_text(&cells, job, err);
	size_t label = 0, count = import_split(last, cells.marks.separator, row, COLUMNS_LOOKED_AT);
	while (label < count && !is_summary_word(row[label]))
		label++;
	if (status || label >= count || label >= cells.columns || last.text < cells.lines.p)
		return status;
	struct totals *totals = calloc(1, sizeof(*totals));
	if (!totals)
		return error_nomem(err, "importing");
	judge(job, &cells, label, row[label], totals);
	free(totals);
	return SX_OK;
}

/* Columns without a value, as the document says why. */
static enum sx_status set_whys(struct sx_table *table, const struct import_given *given,
			       struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (size_t i = 0; given && !status && i < given->why_count; i++) {
		uint32_t column = sx_table_find(table, given->empty[i]);
		if (column != SX_NONE)
			status = table_set_why(table, column, given->whys[i]);
	}
	return status ? error_nomem(err, "importing") : SX_OK;
}

enum sx_status any_table_import(struct import_job *job, struct sx_error *err)
{
	struct import *import = job->result;
	const struct import_given *given = import_given_of(job);
	struct import_device device = {.facts.source = job->format->kind,
				       .facts.clock = "file",
				       .facts.name = job->part ? job->part->name : NULL,
				       .facts.number = job->part ? job->part->number : SX_NONE};
	if (given && given->name && *given->name)
		device.facts.name = given->name;
	if (given && device.facts.number == SX_NONE)
		device.facts.number = given->number;
	device.lost = given ? given->lost : 0;
	device.lost_more = given && given->lost_more;
	struct sx_catalog *catalog = NULL;
	enum sx_status status =
	    is_grouped(job) ? import_refuse_report(job, "--by adds up the samples of a group", err)
			    : find_by_header(job, &device.catalog, err);
	if (!status && !device.catalog)
		status = no_column(job, NULL, NULL, err);
	if (!status && !job->format->ours)
		status = leave_summary_out(job, err);
	if (!status)
		status = sx_catalog_open(job->request->context, device.catalog, &catalog, err);
	if (!status) {
		const char *name = sx_catalog_info(catalog)->name; /* --for takes products too */
		device.catalog = import_text(job, name, strlen(name));
		status = device.catalog ? read_with(job, &device, catalog, err)
					: error_nomem(err, "importing");
	}
	sx_catalog_unref(catalog);
	if (!sx_failed(status) && set_whys(device.table, given, err))
		status = SX_ERR_NO_MEMORY;
	if (sx_failed(status))
		sx_table_destroy(device.table);
	else
		import->devices[import->device_count++] = device;
	return status;
}

const struct import_format import_any_table = {
    .kind = "table",
    .about = "a table of counters",
    .table = true,
    .by_device = true,
    .recognise = any_table_recognise,
    .read = any_table_import,
};

/*
 * Rows as sextant export and eval write them as CSV: labels and times by name, then counters or
 * metrics. Files of several devices have a column with the device's number, and are read here
 * device by device.
 */
#define OWN_TIMES (1u << IMPORT_ROLE_BEGIN | 1u << IMPORT_ROLE_END)
#define OWN_OTHER (1u << IMPORT_ROLE_QUALITY | 1u << IMPORT_ROLE_MODEL | 1u << IMPORT_ROLE_DEVICE)

/* Which columns that are no values the header has, as 1 << role; *lines is then behind it. */
static unsigned own_roles(struct import_lines *lines)
{
	struct import_cell line, cells[IMPORT_ROLES + 1];
	unsigned found = 0;
	if (!import_header_line(lines, &line))
		return 0;
	/* Ours come before everything else. */
	size_t count = import_split(line, ',', cells, IMPORT_ROLES + 1);
	for (size_t i = 0; i < count; i++)
		found |= 1u << import_role(cells[i], false, NULL);
	return found;
}

static bool own_recognise(const struct import_head *head)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	unsigned found = own_roles(&lines);
	return (found & OWN_TIMES) == OWN_TIMES && found & OWN_OTHER;
}

/* Size without a last line that has no end, which our writer gives each; *line is its number. */
static size_t own_whole_lines(const struct import_job *job, size_t *line)
{
	struct import_lines lines = import_lines(job);
	struct import_cell record;
	size_t whole = 0;
	*line = 0;
	if (job->size && job->text[job->size - 1] == '\n')
		return job->size;
	while (import_record(&lines, ',', &record)) {
		*line = lines.number;
		if (!lines.unfinished)
			whole = (size_t)(lines.p - job->text);
	}
	return whole;
}

static enum sx_status own_read(struct import_job *job, struct sx_error *err)
{
	struct import_lines lines = import_lines(job);
	size_t line, whole = own_whole_lines(job, &line);
	if ((own_roles(&lines) & OWN_TIMES) != OWN_TIMES)
		return import_bad(job, 1, err, "sextant export writes begin_ns and end_ns",
				  "the header lacks the columns of times");
	bool cut = whole < job->size && whole >= (size_t)(lines.p - job->text);
	if (cut)
		job->size = whole;
	enum sx_status status = any_table_import(job, err);
	return !status && cut ? import_cut(job, line, err) : status;
}

const struct import_format import_own_csv = {
    .kind = "sextant-csv",
    .about = "rows that sextant export wrote",
    .table = true,
    .by_device = true,
    .only_by_device = true,
    .ours = true,
    .spelled = true,
    .recognise = own_recognise,
    .read = own_read,
};
