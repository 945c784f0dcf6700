/* Writes a text again as a plain table: see struct layout in internal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "catalog/units.h"
#include "import/internal.h"
#include "import/table/reader.h"

enum layout_does { LAYOUT_KEEPS, LAYOUT_HEADS, LAYOUT_BLANKS, LAYOUT_SHOWS, LAYOUT_TABS };

struct layout_writer {
	const struct layout *layout;
	struct units units;
	struct import_cell head, unit, group; /* the lines */
	struct import_cell *cells;	      /* 3 times as many as columns: of these */
	struct import_cell *row;	      /* two more than columns */
	bool blank_before;		      /* of the current line */
	struct import_made made;
};

static bool is_same_line(struct import_cell a, struct import_cell b)
{
	return b.size && a.size == b.size && memcmp(a.text, b.text, a.size) == 0;
}

/* Digits first, and cells behind them: what nearly every line is. */
static bool is_quick_row(const struct layout *layout, struct import_cell line)
{
	size_t at = 0;
	while (at < line.size && memchr(" \t-\"", line.text[at], 4))
		at++;
	return at < line.size && line.text[at] >= '0' && line.text[at] <= '9' &&
	       (layout->columns == 1 || memchr(line.text, layout->separator, line.size));
}

/*
 * A remark: text alone, in fewer cells than rows have, where rows begin with a number or a blank
 * line precedes it.
 */
static bool is_no_row(const struct layout_writer *w, struct import_cell line)
{
	const struct layout *layout = w->layout;
	size_t kinds[LAYOUT_WORD + 1] = {0}, most = layout->columns + 2, same = 0;
	size_t count = layout_split(line, layout->separator, w->row, most);
	for (size_t i = 0; i < count; i++) {
		kinds[layout_cell(&w->units, w->row[i])]++;
		same += i < layout->columns && is_same_line(w->row[i], w->cells[i]);
	}
	bool blanks = layout->separator == ' ';
	if (same > 1 && 2 * same > layout->columns) /* the header once more */
		return true;
	if (blanks)
		return 2 * kinds[LAYOUT_NUMBER] < count &&
		       (count < layout->columns || !layout->text_first || w->blank_before);
	if (layout->columns == 1)
		return kinds[LAYOUT_WORD] && w->blank_before;
	return !kinds[LAYOUT_NUMBER] && kinds[LAYOUT_WORD] && count < layout->columns &&
	       (!layout->text_first || w->blank_before);
}

static enum layout_does what_is(const struct layout_writer *w, struct import_cell line,
				size_t number)
{
	const struct layout *layout = w->layout;
	bool blanks = layout->separator == ' ';
	size_t blank = 0;
	while (blank < line.size && memchr(" \t\r", line.text[blank], 3))
		blank++;
	if (number == layout->header)
		return layout->plain ? LAYOUT_KEEPS : LAYOUT_HEADS;
	if (number == layout->units)
		return LAYOUT_BLANKS;
	if (number == layout->group)
		return layout->grouped ? LAYOUT_BLANKS : LAYOUT_SHOWS;
	if (line.size && line.text[0] == '#')
		return layout->plain ? LAYOUT_KEEPS : LAYOUT_BLANKS;
	if (blank == line.size || (number < layout->header && import_begins(line, "sep=")))
		return LAYOUT_KEEPS;
	if (number < layout->header || layout_is_comment(line, layout->separator))
		return LAYOUT_SHOWS;
	if (is_quick_row(layout, line))
		return blanks ? LAYOUT_TABS : LAYOUT_KEEPS;
	if (is_same_line(line, w->head) || is_same_line(line, w->unit) ||
	    is_same_line(line, w->group))
		return LAYOUT_BLANKS;
	if (is_no_row(w, line))
		return LAYOUT_SHOWS;
	return blanks ? LAYOUT_TABS : LAYOUT_KEEPS;
}

/* The last cell has what is left, as names of programs with their arguments. */
static void layout_put_row(struct layout_writer *w, struct import_cell line)
{
	size_t columns = w->layout->columns;
	size_t count = layout_split(line, ' ', w->row, columns);
	for (size_t i = 0; i < count; i++) {
		struct import_cell cell = w->row[i];
		bool quoted = cell.text > line.text && cell.text[-1] == '"';
		if (i + 1 == columns)
			cell.size = (size_t)(line.text + line.size - cell.text);
		while (cell.size && memchr(" \t\r", cell.text[cell.size - 1], 3))
			cell.size--;
		if (i)
			import_append(&w->made, "\t", 1);
		if (quoted)
			import_append(&w->made, "\"", 1);
		import_append(&w->made, cell.text, cell.size);
		if (quoted && i + 1 < columns)
			import_append(&w->made, "\"", 1);
	}
}

/* Whether a name's unit is of any use: one that is known, or with which tools have a word. */
static bool is_given_unit(const struct layout_writer *w, struct import_cell name,
			  struct import_cell unit)
{
	char whole[128];
	struct import_cell own;
	import_split_unit(name, &own);
	if (!name.size || !unit.size || own.size || name.size + unit.size + 4 > sizeof(whole))
		return false;
	int size = snprintf(whole, sizeof(whole), "%.*s (%.*s)", (int)name.size, name.text,
			    (int)unit.size, unit.text);
	struct import_cell head = {whole, (size_t)size};
	return layout_cell(&w->units, unit) == LAYOUT_UNIT || csv_our_word(head).text != whole;
}

/* Names of columns with that of their group before them, and their unit behind. */
static void put_header(struct layout_writer *w)
{
	size_t columns = w->layout->columns;
	char separator = w->layout->separator == ' ' ? '\t' : w->layout->separator;
	struct import_cell above = {"", 0};
	for (size_t i = 0; i < columns; i++) {
		struct import_cell name = w->cells[i], unit = w->cells[columns + i];
		struct import_cell group = w->cells[2 * columns + i];
		bool quoted =
		    memchr(name.text, separator, name.size) || memchr(name.text, '"', name.size);
		above = group.size ? group : above;
		if (unit.size > 2 && (unit.text[0] == '(' || unit.text[0] == '['))
			unit = (struct import_cell){unit.text + 1, unit.size - 2};
		if (i)
			import_append(&w->made, &separator, 1);
		if (quoted)
			import_append(&w->made, "\"", 1);
		if (w->layout->grouped && above.size) {
			import_append(&w->made, above.text, above.size);
			import_append(&w->made, " ", 1);
		}
		import_append(&w->made, name.text, name.size);
		if (is_given_unit(w, name, unit)) {
			import_append(&w->made, " (", 2);
			import_append(&w->made, unit.text, unit.size);
			import_append(&w->made, ")", 1);
		}
		if (quoted)
			import_append(&w->made, "\"", 1);
	}
}

/* Lines of a text, records with quotes as one. */
static bool layout_next(const struct layout_writer *w, struct import_lines *lines,
			struct import_cell *line, size_t *number)
{
	*number = lines->number + 1;
	return import_record(lines, w->layout->separator, line);
}

static void layout_begin(struct layout_writer *w, struct import_lines lines)
{
	const struct layout *layout = w->layout;
	struct import_cell line;
	size_t number, columns = layout->columns;
	while (lines.number < layout->header + 2 && layout_next(w, &lines, &line, &number)) {
		w->head = number == layout->header ? line : w->head;
		w->unit = number == layout->units ? line : w->unit;
		w->group = number == layout->group ? line : w->group;
	}
	for (size_t i = 0; i < 3 * columns; i++)
		w->cells[i].text = "";
	layout_split(w->head, layout->separator, w->cells, columns);
	if (layout->units)
		layout_split(w->unit, layout->separator, w->cells + columns, columns);
	if (layout->group)
		layout_split(w->group, layout->separator, w->cells + 2 * columns, columns);
}

static void layout_put_line(struct layout_writer *w, struct import_cell line, enum layout_does does,
			    struct layout_given *given)
{
	if (does == LAYOUT_KEEPS)
		import_append(&w->made, line.text, line.size);
	else if (does == LAYOUT_HEADS)
		put_header(w);
	else if (does == LAYOUT_TABS)
		layout_put_row(w, line);
	else if (does == LAYOUT_SHOWS && !given->lines++)
		snprintf(given->text, sizeof(given->text), "%.*s",
			 (int)(line.size < 60 ? line.size : 60), line.text);
}

/* All lines; without a plan for any other than to keep it, there is nothing to write. */
static void write_lines(struct layout_writer *w, struct import_lines lines, bool *any,
			struct layout_given *given)
{
	struct import_cell line;
	size_t number;
	const char *done = lines.p;
	while (layout_next(w, &lines, &line, &number)) {
		enum layout_does does = what_is(w, line, number);
		w->blank_before = !line.size;
		if (does == LAYOUT_SHOWS && !given->lines)
			given->first = number;
		if (does == LAYOUT_KEEPS)
			continue;
		*any = true;
		import_append(&w->made, done, (size_t)(line.text - done));
		layout_put_line(w, line, does, given);
		done = line.text + line.size;
		for (const char *p = line.text; does != LAYOUT_HEADS && p < done; p++)
			if (*p == '\n') /* a record of several lines */
				import_append(&w->made, "\n", 1);
	}
	if (*any)
		import_append(&w->made, done, (size_t)(lines.end - done));
}

/*
 * Writes the text again as a plain table: units follow the names of the header, and the groups'
 * names precede them where they are `grouped`; blanks between cells are tabs; lines that are no
 * rows are blank, so that all others keep their numbers. The data is replaced; where there is
 * nothing to change, it stays. Errors: SX_ERR_NO_MEMORY.
 */
static enum sx_status layout_write(const struct layout *layout, struct import_bytes *bytes,
				   struct layout_given *given, struct sx_error *err)
{
	struct import_job job = {
	    .text = bytes->data, .size = bytes->size, .backing = bytes->backing};
	struct import_lines lines = import_lines(&job);
	struct layout_writer *w = calloc(1, sizeof(*w));
	bool any = false;
	*given = (struct layout_given){0};
	if (!w)
		return error_nomem(err, "reading a table");
	w->layout = layout;
	w->made.backing = bytes->backing;
	units_init(&w->units);
	w->cells = calloc(3 * layout->columns, sizeof(*w->cells));
	w->row = calloc(layout->columns + 2, sizeof(*w->row));
	w->made.failed = !w->cells || !w->row;
	if (!w->made.failed) {
		layout_begin(w, lines);
		write_lines(w, lines, &any, given);
	}
	enum sx_status status = w->made.failed ? error_nomem(err, "reading a table") : SX_OK;
	if (!status && any) {
		import_bytes_free(bytes);
		bytes->data = w->made.text;
		bytes->size = w->made.size;
		w->made.text[w->made.size] = '\0';
	} else {
		backing_free(w->made.backing, w->made.text);
	}
	free(w->cells);
	free(w->row);
	free(w);
	return status;
}

#define NAMES_LOOKED_AT 64

/* How many names of the header some catalog knows, where the table is laid out so. */
static size_t known_names(struct import_job *job, const struct layout *layout, const char *text,
			  size_t size)
{
	struct layout_given given;
	struct import_cell header, cells[NAMES_LOOKED_AT];
	const char *names[NAMES_LOOKED_AT];
	size_t known = 0, count = 0;
	struct import_bytes copy = {.data = malloc(size + 1), .size = size};
	if (!copy.data)
		return 0;
	memcpy(copy.data, text, size);
	copy.data[size] = '\0';
	if (!layout_write(layout, &copy, &given, NULL)) {
		struct import_lines lines = import_lines_of(copy.data, copy.size);
		while (import_line(&lines, &header) && lines.number < layout->header)
			;
		count = import_split(header, layout->separator, cells, NAMES_LOOKED_AT);
	}
	for (size_t i = 0; i < count; i++) {
		names[i] = import_bare_name(job, cells[i]);
		for (size_t j = 0; j < i && names[i]; j++)
			if (strcmp(names[j], names[i]) == 0)
				names[i] = ""; /* read once */
		if (!names[i])
			count = i;
	}
	known = import_count_known(job, names, count);
	import_bytes_free(&copy);
	return known;
}

/* Of two lines of words, the lower one has the names, with or without the upper one's, or that. */
static void choose_names(struct import_job *job, const char *text, size_t size,
			 struct layout *layout)
{
	struct layout with = *layout, upper = *layout;
	size = size < IMPORT_HEAD_BYTES ? size : IMPORT_HEAD_BYTES;
	with.grouped = true;
	upper.header = layout->group;
	upper.group = layout->header;
	size_t best = known_names(job, layout, text, size);
	size_t of_both = known_names(job, &with, text, size);
	if (of_both > best) {
		*layout = with;
		best = of_both;
	}
	if (known_names(job, &upper, text, size) > best)
		*layout = upper;
}

enum sx_status import_lay_out(struct import_job *job, bool known, struct import_bytes *bytes)
{
	struct layout layout;
	struct layout_given given;
	size_t head = bytes->size < IMPORT_HEAD_BYTES ? bytes->size : IMPORT_HEAD_BYTES;
	if (memchr(bytes->data, '\0', head) || !layout_find(bytes->data, bytes->size, &layout) ||
	    (known && !layout.first))
		return SX_OK;
	if (layout.group && job->result)
		choose_names(job, bytes->data, bytes->size, &layout);
	enum sx_status status = layout_write(&layout, bytes, &given, NULL);
	if (!status && given.lines && job->result)
		import_remark(job, "%s none of the table's and left out, line %zu the first: %s",
			      COUNTED(given.lines, "line is"), given.first, given.text);
	return status;
}
