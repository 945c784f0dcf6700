/* Finds a table in a text: see struct layout in internal.h. */
#include <stdlib.h>
#include <string.h>

#include "catalog/units.h"
#include "import/internal.h"
#include "import/table/reader.h"

#define LINES_MAX 128 /* that are looked at, without blank ones */
#define CELLS_MAX 1024

struct layout_line {
	struct import_cell text;
	size_t number; /* from 1 */
	bool marked;   /* it begins with # */
	bool passed;   /* a comment, or the rule of a Markdown table */
	bool last_empty;
	size_t cells, numbers, units, words;
	enum layout_cell first;
};

struct layout_search {
	struct units units;
	struct layout_line lines[LINES_MAX];
	size_t count;
	char said; /* by "sep=", or 0 */
	char separator;
	bool alone; /* tables of one column are looked for */
	struct import_cell cells[CELLS_MAX];
};

size_t layout_split(struct import_cell line, char separator, struct import_cell *cells, size_t max)
{
	bool marked = line.size && line.text[0] == '#';
	line.text += marked;
	line.size -= marked;
	return import_split(line, separator, cells, max);
}

bool layout_is_comment(struct import_cell line, char separator)
{
	return import_begins(line, "//") || (separator != ';' && import_begins(line, ";"));
}

/* "(ms)" is "ms". */
static bool is_unit(const struct units *units, struct import_cell cell)
{
	const char *unit;
	double factor;
	bool brackets = cell.size > 2 && (cell.text[0] == '(' || cell.text[0] == '[');
	cell.text += brackets;
	cell.size -= brackets ? 2 : 0;
	return import_unit(cell, &unit, &factor) || import_catalog_unit(units, cell);
}

/* "---:", between the head and the rows of a Markdown table. */
static bool is_rule(struct import_cell cell)
{
	size_t at = 0;
	while (at < cell.size && (cell.text[at] == '-' || cell.text[at] == ':'))
		at++;
	return at == cell.size;
}

enum layout_cell layout_cell(const struct units *units, struct import_cell cell)
{
	size_t sign = cell.size > 1 && strchr("+-.", cell.text[0]) && cell.text[0];
	if (is_rule(cell) || import_no_data(cell) || import_is(cell, "#"))
		return LAYOUT_NOTHING;
	if (is_unit(units, cell))
		return LAYOUT_UNIT;
	bool number = (cell.text[sign] >= '0' && cell.text[sign] <= '9') ||
		      import_is(cell, "inf") || import_is(cell, "-inf");
	return number ? LAYOUT_NUMBER : LAYOUT_WORD;
}

/* What a line is where this separates cells. */
static void layout_measure(struct layout_search *s, struct layout_line *line)
{
	size_t cells = layout_split(line->text, s->separator, s->cells, CELLS_MAX);
	size_t kinds[LAYOUT_WORD + 1] = {0};
	for (size_t i = 0; i < cells; i++)
		kinds[layout_cell(&s->units, s->cells[i])]++;
	line->cells = cells;
	line->numbers = kinds[LAYOUT_NUMBER];
	line->units = kinds[LAYOUT_UNIT];
	line->words = kinds[LAYOUT_WORD] + kinds[LAYOUT_UNIT];
	line->first = cells ? layout_cell(&s->units, s->cells[0]) : LAYOUT_NOTHING;
	line->last_empty = cells > 1 && !s->cells[cells - 1].size;
	line->passed = layout_is_comment(line->text, s->separator) ||
		       (!line->numbers && !line->words && !line->marked);
}

static bool take_separator(struct import_cell line, char *separator)
{
	bool is = line.size == 5 && import_is((struct import_cell){line.text, 4}, "sep=");
	*separator = is ? line.text[4] : *separator;
	return is;
}

static void layout_collect(struct layout_search *s, const char *text, size_t size)
{
	struct import_job job = {.text = text,
				 .size = size < IMPORT_HEAD_BYTES ? size : IMPORT_HEAD_BYTES};
	struct import_lines lines = import_lines(&job);
	struct import_cell line;
	while (s->count < LINES_MAX && import_line(&lines, &line)) {
		size_t blank = 0;
		while (blank < line.size && memchr(" \t", line.text[blank], 2))
			blank++;
		if (blank == line.size || (lines.unfinished && job.size == IMPORT_HEAD_BYTES) ||
		    (!s->count && take_separator(line, &s->said)))
			continue;
		s->lines[s->count++] = (struct layout_line){
		    .text = line, .number = lines.number, .marked = line.text[0] == '#'};
	}
}

/* Whether lines have one number of cells, but for an empty one at the end. */
static bool layout_fits(const struct layout_line *a, const struct layout_line *b)
{
	return a->cells == b->cells || (a->last_empty && a->cells == b->cells + 1) ||
	       (b->last_empty && b->cells == a->cells + 1);
}

static bool layout_is_header(const struct layout_line *line)
{
	return line->words > line->numbers && 2 * line->words >= line->cells - line->last_empty;
}

static bool are_units(const struct layout_line *line)
{
	return line->units && !line->numbers && 2 * line->units >= line->words;
}

/* The nearest line above, comments or others; SX_NONE where there is none. */
static size_t line_above(const struct layout_search *s, size_t at, bool marked)
{
	while (at--)
		if (!s->lines[at].passed && s->lines[at].marked == marked)
			return at;
	return SX_NONE;
}

/* The header above a row, and the line of units between. */
static size_t header_above(const struct layout_search *s, size_t row, bool marked, size_t *units)
{
	const struct layout_line *lines = s->lines;
	size_t at = line_above(s, row, marked), above = SX_NONE;
	*units = SX_NONE;
	if (at == SX_NONE || !layout_fits(&lines[at], &lines[row]))
		return SX_NONE;
	if (are_units(&lines[at]))
		above = line_above(s, at, marked);
	if (above != SX_NONE && layout_fits(&lines[above], &lines[row]) &&
	    layout_is_header(&lines[above])) {
		*units = at;
		return above;
	}
	return layout_is_header(&lines[at]) ? at : SX_NONE;
}

/* A line right above the header, with a cell for each group of its names. */
static bool is_group(const struct layout_search *s, size_t at, size_t header)
{
	const struct layout_line *line = &s->lines[at], *head = &s->lines[header];
	return s->separator != ' ' && line->number + 1 == head->number && !line->passed &&
	       line->marked == head->marked && !line->numbers && line->words && line->cells > 1 &&
	       line->cells <= head->cells;
}

static bool layout_header(const struct layout_search *s, size_t row, struct layout *layout)
{
	const struct layout_line *lines = s->lines;
	size_t units, first = 0;
	size_t header = header_above(s, row, false, &units);
	if (header == SX_NONE)
		header = header_above(s, row, true, &units);
	if (header == SX_NONE)
		return false;
	for (size_t i = header + 1; units == SX_NONE && i < row; i++)
		if (lines[i].marked && are_units(&lines[i]) && layout_fits(&lines[i], &lines[row]))
			units = i;
	while (lines[first].marked)
		first++;
	bool group = header && is_group(s, header - 1, header);
	*layout = (struct layout){.separator = s->separator,
				  .marked = lines[header].marked,
				  .text_first = lines[row].first == LAYOUT_WORD,
				  .columns = lines[header].cells - lines[header].last_empty,
				  .header = lines[header].number,
				  .units = units == SX_NONE ? 0 : lines[units].number,
				  .group = group ? lines[header - 1].number : 0,
				  .first = header == first};
	layout->plain = layout->first && !layout->units && s->separator != ' ' &&
			(s->said || s->separator == import_separator(lines[header].text));
	return true;
}

/* "16.6", "1 234", "5 ms": what a table of one column has. */
static bool is_one_number(struct import_cell line)
{
	struct csv_marks marks = {.separator = ';'};
	line = import_trim(line);
	struct csv_cell cell = {.text = line.text};
	const char *unit;
	double factor;
	struct csv_value value;
	size_t size = line.size;
	while (size && !memchr("0123456789.", line.text[size - 1], 11))
		size--;
	struct import_cell behind = {line.text + size, line.size - size};
	while (behind.size && behind.text[0] == ' ') {
		behind.text++;
		behind.size--;
	}
	if (!size || (behind.size && !import_unit(behind, &unit, &factor)))
		return false;
	cell.size = size;
	return csv_any_number(&marks, &cell, &value);
}

/* A row has a number; "16 ms" and "1 234" are no two cells. */
static bool layout_is_row(const struct layout_search *s, const struct layout_line *line)
{
	bool blanks = s->separator == ' ';
	if (line->marked || line->passed || !line->numbers)
		return false;
	if (s->alone || line->cells == 1)
		return s->alone && line->cells == 1 && is_one_number(line->text);
	return !blanks || line->cells > 2 || line->numbers == 2;
}

/* How many cells the rows from here on have, as far as they are alike. */
static size_t layout_score(const struct layout_search *s, size_t row)
{
	size_t rows = 0, others = 0, numbers = 0;
	for (size_t i = row; i < s->count && others <= rows; i++) {
		const struct layout_line *line = &s->lines[i];
		bool is = layout_is_row(s, line) && layout_fits(line, &s->lines[row]);
		rows += is;
		numbers += is && is_one_number(line->text);
		others += !is && !line->marked && !line->passed && line->numbers;
	}
	if (s->separator == ' ' && numbers == rows)
		return 0;
	return rows >= others ? (rows - others) * s->lines[row].cells + 1 : 0;
}

static size_t layout_best(struct layout_search *s, struct layout *out)
{
	size_t best = 0;
	for (size_t i = 0; i < s->count; i++)
		layout_measure(s, &s->lines[i]);
	for (size_t i = 1; i < s->count; i++) {
		struct layout found;
		size_t score = layout_is_row(s, &s->lines[i]) ? layout_score(s, i) : 0;
		if (score <= best || !layout_header(s, i, &found))
			continue;
		best = score;
		*out = found;
	}
	return best;
}

/* Blanks separate cells only where nothing else makes a table, and one column is the last resort.
 */
bool layout_find(const char *text, size_t size, struct layout *layout)
{
	static const char separators[] = ",;\t| ,";
	struct layout_search *s = calloc(1, sizeof(*s));
	size_t best = 0;
	*layout = (struct layout){.separator = ','};
	if (!s)
		return false;
	units_init(&s->units);
	layout_collect(s, text, size);
	for (const char *c = separators; *c; c++) {
		struct layout found;
		s->alone = !c[1];
		s->separator = s->alone && s->said ? s->said : *c;
		if ((s->said && s->separator != s->said) || (best && (*c == ' ' || s->alone)))
			continue;
		size_t score = layout_best(s, &found);
		if (score <= best)
			continue;
		best = score;
		*layout = found;
	}
	free(s);
	return best;
}
