/*
 * perf stat's output as a file: its records, lines and objects of -j; text, -x and -j, with or
 * without -I and -A.
 */
#include <ctype.h>
#include <string.h>

#include <sextant/catalog.h>

#include "import/internal.h"
#include "import/perf_stat/parse.h"

#define OBJECT_MAX 8192 /* bytes; an object of perf's has some 300 */

/* Behind the closing brace of the object at p; NULL where it has none. */
static const char *object_end(const char *p, const char *end)
{
	size_t depth = 0;
	bool quoted = false;
	if (end - p > OBJECT_MAX)
		end = p + OBJECT_MAX;
	for (; p < end; p++) {
		if (quoted && *p == '\\')
			p++;
		else if (*p == '"')
			quoted = !quoted;
		else if (!quoted && *p == '{')
			depth++;
		else if (!quoted && *p == '}' && --depth == 0)
			return p + 1;
	}
	return NULL;
}

/* Skips what is between objects, to the end of the line at most. */
static const char *skip_between(struct perf_records *r, const char *p)
{
	while (p < r->end && memchr(" \t\r,]", *p, 5))
		p++;
	if (p < r->end && *p == '\n') {
		r->line++;
		p++;
	}
	return p;
}

static bool take_object(struct perf_records *r, const char *at, struct perf_record *out)
{
	const char *end = object_end(at, r->end);
	if (!end)
		return false;
	*out = (struct perf_record){at, (size_t)(end - at), r->line + 1, true};
	for (const char *p = at; p < end; p++)
		r->line += *p == '\n';
	r->p = skip_between(r, end);
	return true;
}

/* Whether a line is only the begin or end of an array, or a comma. */
static bool is_bracket(const char *p, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (!memchr(" \t\r,[]", p[i], 6))
			return false;
	return size > 0;
}

bool perf_record_next(struct perf_records *r, struct perf_record *out)
{
	if (r->p >= r->end)
		return false;
	const char *eol = memchr(r->p, '\n', (size_t)(r->end - r->p));
	const char *stop = eol ? eol : r->end;
	const char *first = perf_skip_blanks(r->p, stop);
	if (first < stop && *first == '[' && perf_skip_blanks(first + 1, stop) < stop)
		first = perf_skip_blanks(first + 1, stop);
	if (first < stop && *first == '{' && take_object(r, first, out))
		return true;
	*out = (struct perf_record){r->p, (size_t)(stop - r->p), ++r->line, eol != NULL};
	out->size -= out->size && out->text[out->size - 1] == '\r';
	if (is_bracket(out->text, out->size)) {
		out->size = 0;
		out->ended = true;
	}
	r->p = eol ? eol + 1 : r->end;
	return true;
}

bool perf_record_is_metric_only(const char *text, size_t size)
{
	static const char head[] = "#           time ", csv[] = " time,";
	if (size >= sizeof(head) - 1 && memcmp(text, head, sizeof(head) - 1) == 0)
		return !memmem(text, size, " counts ", 8);
	if (size >= sizeof(csv) - 1 && memcmp(text, csv, sizeof(csv) - 1) == 0)
		return true;
	return size && *text == '{' && !memmem(text, size, "\"event\"", 7) &&
	       (memmem(text, size, "\"interval\"", 10) ||
		memmem(text, size, "\"metric-value\"", 14));
}

/* An event is named by letters; a table of numbers has none, and one with texts has them quoted. */
static bool names_event(struct import_cell event)
{
	return event.size && !memchr(event.text, '"', event.size) &&
	       (isalpha((unsigned char)event.text[0]) || event.text[0] == '{');
}

#define LINE_CELLS_MAX 64

/* Whether a cell in quotes goes on in the next line, as those of tables may. */
static bool is_open(struct import_cell line)
{
	size_t quotes = 0;
	for (size_t i = 0; i < line.size; i++)
		quotes += line.text[i] == '"';
	return quotes % 2;
}

/*
 * Whether the text begins with a header over such lines: words, as many as they have cells. perf
 * writes none; what a program prints before perf's lines is cut otherwise.
 */
static bool has_header(const struct import_head *head, struct import_cell record, char separator)
{
	struct import_lines lines = import_lines_of(head->text, head->size);
	struct import_cell first, cells[LINE_CELLS_MAX];
	struct perf_line parsed;
	if (separator == PERF_JSON || !import_header_line(&lines, &first))
		return false;
	/* perf's human-readable output is separated by blanks, and has commas within numbers. */
	bool blanks = separator == PERF_TEXT;
	if (blanks)
		separator = import_separator(first);
	if (blanks)
		return separator != ',' && import_split(first, separator, cells, 2) > 1 &&
		       import_split(record, separator, cells, 2) > 1;
	size_t columns = import_split(first, separator, cells, LINE_CELLS_MAX);
	return (columns == import_split(record, separator, cells, LINE_CELLS_MAX) ||
		(columns > 1 && is_open(record))) &&
	       !perf_line_parse(first.text, first.size, separator, &parsed);
}

static bool perf_stat_recognise(const struct import_head *head)
{
	struct perf_records records = {.p = head->text, .end = head->text + head->size};
	struct perf_record record;
	while (records.line < 60 && perf_record_next(&records, &record)) {
		struct perf_line parsed;
		char separator = perf_line_separator(record.text, record.size);
		if (separator && perf_line_parse(record.text, record.size, separator, &parsed) &&
		    names_event(parsed.event))
			return !has_header(head, (struct import_cell){record.text, record.size},
					   separator);
		if (perf_record_is_metric_only(record.text, record.size))
			return true;
	}
	return false;
}

static enum sx_status perf_stat_read(struct import_job *job, struct sx_error *err)
{
	struct import *result = job->result;
	struct import_device *device = &result->devices[0];
	struct perf_stat_tally tally;
	struct sx_catalog *catalog = NULL;
	const char *name = job->request->catalog ? job->request->catalog : "cpu";
	enum sx_status status = sx_catalog_open(job->request->context, name, &catalog, err);
	if (status)
		return status;
	const struct perf_stat_input input = {job->text, job->size, job->request->path, catalog};
	status = perf_stat_parse(&input, &device->table, &tally, err);
	if (!status) {
		device->catalog = import_text(job, name, strlen(name));
		device->facts.source = job->format->kind;
		device->facts.driver = "perf";
		result->device_count = 1;
		/* Intervals of a run that was appended begin at 0 again. */
		status = import_times_mend_table(job, device->table, IMPORT_RUNS, err);
		const struct note_sink to = import_note_sink(job);
		if (!status)
			status = perf_stat_whole(&tally, job->request->path, &to, err);
	}
	sx_catalog_unref(catalog);
	return status;
}

const struct import_format import_perf_stat = {
    .kind = "perf-stat",
    .about = "counts of perf stat",
    .recognise = perf_stat_recognise,
    .read = perf_stat_read,
};
