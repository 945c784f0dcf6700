/* Lines, cells, numbers and units in the text of other tools. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "import/formats.h"
#include "catalog/units.h"

#define RECORD_MAX ((ptrdiff_t)1 << 21) /* bytes of a cell in quotes */

struct import_lines import_lines(const struct import_job *job)
{
	return (struct import_lines){
	    .p = job->text, .end = job->text + job->size, .spill = job->spill};
}

bool import_line(struct import_lines *lines, struct import_cell *line)
{
	if (lines->p >= lines->end)
		return false;
	const char *eol = memchr(lines->p, '\n', (size_t)(lines->end - lines->p));
	const char *next = eol ? eol + 1 : lines->end;
	*line = (struct import_cell){lines->p, (size_t)((eol ? eol : lines->end) - lines->p)};
	if (line->size && line->text[line->size - 1] == '\r')
		line->size--;
	lines->unfinished = !eol;
	spill_pass(lines->spill, (size_t)(next - lines->p));
	lines->p = next;
	lines->number++;
	return true;
}

static const char *skip_quoted(const char *p, const char *end);

/* Behind the record that begins at `p`: its line end, which does not stand within quotes. */
static const char *record_end(const char *p, const char *end, char separator)
{
	while (p < end && *p != '\n') {
		while (p < end && *p == ' ' && *p != separator)
			p++;
		const char *closed = NULL, *most = end - p > RECORD_MAX ? p + RECORD_MAX : end;
		if (p < end && *p == '"')
			closed = skip_quoted(p, most);
		if (closed && closed <= most && closed - p > 1 && closed[-1] == '"')
			p = closed;
		while (p < end && *p != separator && *p != '\n')
			p++;
		p += p < end && *p == separator;
	}
	return p;
}

bool import_record(struct import_lines *lines, char separator, struct import_cell *record)
{
	const char *start = lines->p;
	if (!import_line(lines, record) || !memchr(record->text, '"', record->size))
		return lines->p != start;
	const char *end = record_end(start, lines->end, separator);
	while (end > lines->p - !lines->unfinished && import_line(lines, record))
		;
	size_t size = (size_t)(lines->p - start) - !lines->unfinished;
	*record = (struct import_cell){start, size};
	if (size && start[size - 1] == '\r')
		record->size--;
	return true;
}

/* "sep=;": for a spreadsheet, which asks nobody what it could see. */
static bool says_separator(struct import_cell line)
{
	return line.size == 5 && strncasecmp(line.text, "sep=", 4) == 0;
}

bool import_header_line(struct import_lines *lines, struct import_cell *header)
{
	while (import_line(lines, header))
		if (header->size && header->text[0] != '#' && !says_separator(*header))
			return true;
	return false;
}

static struct import_cell text_trim(struct import_cell cell)
{
	while (cell.size && (*cell.text == ' ' || *cell.text == '\t')) {
		cell.text++;
		cell.size--;
	}
	while (cell.size && (cell.text[cell.size - 1] == ' ' || cell.text[cell.size - 1] == '\t'))
		cell.size--;
	return cell;
}

/* The end of a quoted cell: behind its closing quote; or the end of the line. */
static const char *skip_quoted(const char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p != '"')
			continue;
		if (p + 1 >= end || p[1] != '"')
			return p + 1;
		p++;
	}
	return end;
}

static bool separates(char letter, char separator)
{
	return letter == separator || (letter == '\t' && separator == ' ');
}

size_t import_split(struct import_cell line, char separator, struct import_cell *cells, size_t max)
{
	if (separator == ' ')
		line = text_trim(line);
	const char *p = line.text, *end = line.text + line.size;
	size_t count = 0;
	for (;;) {
		const char *start = p;
		while (p < end && *p == ' ' && *p != separator)
			p++;
		if (p < end && *p == '"')
			p = skip_quoted(p, end);
		while (p < end && !separates(*p, separator))
			p++;
		struct import_cell cell =
		    text_trim((struct import_cell){start, (size_t)(p - start)});
		if (cell.size >= 2 && cell.text[0] == '"' && cell.text[cell.size - 1] == '"')
			cell = (struct import_cell){cell.text + 1, cell.size - 2};
		if (count < max)
			cells[count++] = cell;
		if (p >= end)
			return count;
		p++;
		while (separator == ' ' && p < end && separates(*p, ' '))
			p++;
	}
}

char import_separator(struct import_cell line)
{
	static const char candidates[] = ",;\t|";
	char best = ',';
	size_t most = 1;
	for (const char *c = candidates; *c; c++) {
		struct import_cell cells[64];
		size_t count = import_split(line, *c, cells, 64);
		if (count > most) {
			most = count;
			best = *c;
		}
	}
	return best;
}

bool import_is(struct import_cell cell, const char *word)
{
	return cell.size == strlen(word) && strncasecmp(cell.text, word, cell.size) == 0;
}

bool import_begins(struct import_cell cell, const char *word)
{
	size_t length = strlen(word);
	return cell.size >= length && memcmp(cell.text, word, length) == 0;
}

/* "-", "--" and dashes of other lengths. */
static bool only_dashes(struct import_cell cell)
{
	size_t i = 0;
	while (i < cell.size) {
		const char *p = cell.text + i;
		bool wide = cell.size - i >= 3 && memcmp(p, "\xe2\x80", 2) == 0 &&
			    (unsigned char)p[2] >= 0x90 && (unsigned char)p[2] <= 0x95;
		if (*p != '-' && !wide)
			return false;
		i += wide ? 3 : 1;
	}
	return true;
}

bool import_no_data(struct import_cell cell)
{
	static const char *const words[] = {"N/A",
					    "NA",
					    "#N/A",
					    "n.a.",
					    "nan",
					    "-nan",
					    "null",
					    "#DIV/0!",
					    "none",
					    "[N/A]",
					    "[Not Supported]",
					    "[Unknown Error]",
					    "#VALUE!",
					    "#REF!",
					    "#NUM!",
					    "#NAME?",
					    "\\N"};
	bool may_be =
	    cell.size && strchr("nN#-[\\", cell.text[0]); /* numbers by the million are not */
	for (size_t i = 0; may_be && i < sizeof(words) / sizeof(words[0]); i++)
		if (import_is(cell, words[i]))
			return true;
	return only_dashes(cell);
}

bool import_number(struct import_cell cell, double *value)
{
	cell = text_trim(cell);
	return !import_no_data(cell) && number_f64(cell.text, cell.size, value);
}

/* Units as people write them, and ours. */
static const struct {
	const char *word, *unit;
	double factor;
} units[] = {
    {"%", "percent", 1},
    {"percent", "percent", 1},
    {"percentage", "percent", 1},
    {"ns", "ns", 1},
    {"nanoseconds", "ns", 1},
    {"us", "us", 1},
    {"\xc2\xb5s", "us", 1},
    {"\xce\xbcs", "us", 1},
    {"microseconds", "us", 1},
    {"ms", "ms", 1},
    {"milliseconds", "ms", 1},
    {"msec", "ms", 1},
    {"usec", "us", 1},
    {"nsec", "ns", 1},
    {"s", "s", 1},
    {"sec", "s", 1},
    {"seconds", "s", 1},
    {"min", "s", 60},
    {"minutes", "s", 60},
    {"h", "s", 3600},
    {"hours", "s", 3600},
    {"Hz", "Hz", 1},
    {"1/s", "Hz", 1},
    {"/s", "Hz", 1},
    {"kHz", "Hz", 1e3},
    {"MHz", "MHz", 1},
    {"mhz", "MHz", 1},
    {"khz", "Hz", 1e3},
    {"GHz", "MHz", 1e3},
    {"ghz", "MHz", 1e3},
    {"W", "mW", 1e3},
    {"w", "mW", 1e3},
    {"watts", "mW", 1e3},
    {"mW", "mW", 1},
    {"kW", "mW", 1e6},
    {"J", "uJ", 1e6},
    {"joules", "uJ", 1e6},
    {"mJ", "uJ", 1e3},
    {"uJ", "uJ", 1},
    {"kJ", "uJ", 1e9},
    {"V", "V", 1},
    {"mV", "V", 1e-3},
    {"A", "A", 1},
    {"mA", "A", 1e-3},
    {"rpm", "rpm", 1},
    {"C", "degC", 1},
    {"\xc2\xb0"
     "C",
     "degC", 1},
    {"celsius", "degC", 1},
    {"K", "K", 1}, /* kelvin, or thousands: what is measured tells */
    {"kelvin", "K", 1},
    {"B", "bytes", 1},
    {"bytes", "bytes", 1},
    {"KB", "bytes", 1e3},
    {"kB", "bytes", 1e3},
    {"TB", "bytes", 1e12},
    {"TiB", "bytes", 0x1p40},
    {"KiB", "KiB", 1},
    {"MB", "bytes", 1e6},
    {"MiB", "bytes", 0x1p20},
    {"GB", "bytes", 1e9},
    {"GiB", "bytes", 0x1p30},
    {"B/s", "bytes/s", 1},
    {"KB/s", "bytes/s", 1e3},
    {"kB/s", "bytes/s", 1e3},
    {"MBps", "MB/s", 1},
    {"GBps", "GB/s", 1},
    {"bit/s", "bytes/s", 0.125},
    {"kbit/s", "bytes/s", 125},
    {"Mbit/s", "bytes/s", 125e3},
    {"Gbit/s", "bytes/s", 125e6},
    {"MB/s", "MB/s", 1},
    {"KiB/s", "bytes/s", 0x1p10},
    {"MiB/s", "bytes/s", 0x1p20},
    {"GiB/s", "bytes/s", 0x1p30},
    {"GB/s", "GB/s", 1},
    {"cycles", "cycles", 1},
    {"kcycles", "cycles", 1e3},
    {"Mcycles", "cycles", 1e6},
    {"Gcycles", "cycles", 1e9},
    {"instructions", "instructions", 1},
    {"bits", "bits", 1},
    {"ratio", "ratio", 1},
    {"count", "count", 1},
};

/* Whether a word before it says the same unit. */
static bool text_is_synonym(size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (strcmp(units[i].unit, units[at].unit) == 0 &&
		    units[i].factor == units[at].factor)
			return true;
	return false;
}

void import_units_like(const struct units *list, const char *unit, char out[IMPORT_UNITS_TEXT_MAX])
{
	size_t used = 0;
	out[0] = '\0';
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		bool like = strcmp(units[i].unit, unit) == 0 ||
			    units_factor(list, units[i].unit, unit) != 0;
		size_t size = strlen(units[i].word);
		if (!like || text_is_synonym(i) || used + size + 3 > IMPORT_UNITS_TEXT_MAX)
			continue;
		text_append_item(out, IMPORT_UNITS_TEXT_MAX, ", ", "%s", units[i].word);
		used = strlen(out);
	}
	if (!used && strcmp(unit, "unknown") != 0)
		snprintf(out, IMPORT_UNITS_TEXT_MAX, "%s", unit);
}

/* Nothing but small letters, or but large ones: "mb" is megabytes, while "Mb" may be megabits. */
static bool text_has_one_case(struct import_cell text)
{
	bool small = false, large = false;
	for (size_t i = 0; i < text.size; i++) {
		small |= text.text[i] >= 'a' && text.text[i] <= 'z';
		large |= text.text[i] >= 'A' && text.text[i] <= 'Z';
	}
	return !(small && large);
}

/* As names in one case have units ("gpu_power_w", "FRAME_TIME_MS"), where one alone is meant. */
static bool text_unit_of_case(struct import_cell text, const char **unit, double *factor)
{
	bool any = false;
	*unit = "";
	*factor = 0;
	bool may_be = text_has_one_case(text);
	for (size_t i = 0; may_be && i < sizeof(units) / sizeof(units[0]); i++) {
		if (!import_is(text, units[i].word))
			continue;
		if (any && (strcmp(*unit, units[i].unit) != 0 || *factor != units[i].factor))
			return false;
		any = true;
		*unit = units[i].unit;
		*factor = units[i].factor;
	}
	return any;
}

bool import_unit(struct import_cell text, const char **unit, double *factor)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		/* Case matters for prefixes (mW, MW), but not for words. */
		bool same = strlen(units[i].word) > 3
				? import_is(text, units[i].word)
				: text.size == strlen(units[i].word) &&
				      memcmp(text.text, units[i].word, text.size) == 0;
		if (!same)
			continue;
		*unit = units[i].unit;
		*factor = units[i].factor;
		return true;
	}
	const char *found;
	double of;
	if (!text_unit_of_case(text, &found, &of))
		return false;
	*unit = found;
	*factor = of;
	return true;
}

struct import_cell import_split_suffix(struct import_cell head, struct import_cell *end)
{
	static const char marks[] = "_ /"; /* "time_ms", "time in ms", "time/ms" */
	const char *unit;
	double factor;
	for (const char *m = marks; *m; m++) {
		const char *mark = memrchr(head.text, *m, head.size);
		if (!mark || mark == head.text)
			continue;
		*end = (struct import_cell){mark + 1, head.size - (size_t)(mark + 1 - head.text)};
		/* "_min" is the least of something. */
		if (!end->size || import_is(*end, "min") || !import_unit(*end, &unit, &factor))
			continue;
		struct import_cell bare =
		    text_trim((struct import_cell){head.text, (size_t)(mark - head.text)});
		if (*m == ' ' && bare.size > 3 && memcmp(bare.text + bare.size - 3, " in", 3) == 0)
			bare.size -= 3;
		return bare;
	}
	return (struct import_cell){head.text, 0};
}

struct import_cell import_split_unit(struct import_cell head, struct import_cell *unit)
{
	char last = head.size ? head.text[head.size - 1] : 0;
	char opening = last == ')' ? '(' : last == ']' ? '[' : 0;
	size_t at = opening ? head.size - 1 : 0;
	while (at && head.text[at - 1] != opening)
		at--;
	*unit = (struct import_cell){head.text, 0};
	if (at < 2)
		return head;
	*unit = text_trim((struct import_cell){head.text + at, head.size - at - 1});
	return text_trim((struct import_cell){head.text, at - 1});
}

/* A unit as catalogs write it ("s/invocation"). */
static bool text_catalog_unit(struct import_job *job, struct import_cell text, const char **out)
{
	char *name = import_text(job, text.text, text.size);
	struct units *list = name ? malloc(sizeof(*list)) : NULL;
	if (!list)
		return false;
	units_init(list);
	bool known = units_known(list, name);
	free(list);
	if (known)
		*out = name;
	return known;
}

const char *import_bare_name(struct import_job *job, struct import_cell head)
{
	const char *unit;
	double factor;
	struct import_cell text, bare = import_split_unit(head, &text);
	if (text.size && (import_unit(text, &unit, &factor) || text_catalog_unit(job, text, &unit)))
		head = bare;
	return import_text(job, head.text, head.size);
}

struct import_field import_header(struct import_job *job, struct import_cell cell,
				  enum sx_reduce over_time)
{
	struct import_field field = {.unit = "count", .over_time = over_time, .factor = 1};
	struct import_cell unit, bare = import_split_unit(cell, &unit);
	bool known = unit.size && (import_unit(unit, &field.unit, &field.factor) ||
				   text_catalog_unit(job, unit, &field.unit));
	if (known && strcmp(field.unit, "K") == 0) /* thousands or kelvin: it stays in the name */
		field.unit = "count";
	else if (known)
		cell = bare;
	if (field.unit && strcmp(field.unit, "count") != 0)
		field.over_time =
		    strcmp(field.unit, "cycles") == 0 || strcmp(field.unit, "bytes") == 0
			? over_time
			: SX_REDUCE_MEAN;
	field.name = cell.size ? import_text(job, cell.text, cell.size) : NULL;
	return field;
}

void import_odd_add(struct import_odd *odd, size_t place, struct import_cell column,
		    struct import_cell text)
{
	if (!odd->count++)
		*odd = (struct import_odd){1, place, column, text};
}

void import_odd_tell(struct import_job *job, const struct import_odd *odd, const char *place)
{
	bool one = odd->count == 1;
	if (!odd->count)
		return;
	import_tell(job,
		    "%zu cell%s no number and %s left out; the first is \"%.*s\" in %s %zu, column "
		    "%.*s",
		    odd->count, one ? " holds" : "s hold", one ? "was" : "were",
		    (int)(odd->text.size < 40 ? odd->text.size : 40), odd->text.text, place,
		    odd->place, (int)(odd->column.size < 40 ? odd->column.size : 40),
		    odd->column.text);
}
