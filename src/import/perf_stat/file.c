/* perf stat's output as a file: text, -x and -j, with or without -I and -A. */
#include <ctype.h>
#include <string.h>

#include <sextant/catalog.h>

#include "import/internal.h"
#include "import/perf_stat/parse.h"
#include "import/perf_stat/line.h"
#include "import/perf_stat/record.h"
#include "import/read/times.h"

/* An event is named by letters; a table of numbers has none, and one with texts has them quoted. */
static bool names_event(struct perf_text event)
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
	struct import_job job = {.text = head->text, .size = head->size};
	struct import_lines lines = import_lines(&job);
	struct import_cell first, cells[LINE_CELLS_MAX];
	struct perf_line parsed;
	if (separator == PERF_JSON || !import_header_line(&lines, &first))
		return false;
	/* Blanks separate what perf writes for people, and commas are within its numbers. */
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
		const struct teller to = import_teller(job);
		perf_stat_tell(&tally, &to);
		if (!status)
			status = perf_stat_whole(&tally, job->request->path, err);
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
