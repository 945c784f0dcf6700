/* CSV text to cells, and cells to numbers. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "import/table/reader.h"

void csv_fill(struct csv_cursor *c)
{
	size_t left = (size_t)(c->end - c->p);
	memmove(c->window, c->p, left);
	c->p = c->window;
	c->end = c->window + left;
	while (c->more && c->end - c->p < CSV_AHEAD) {
		size_t used = (size_t)(c->end - c->window);
		ssize_t n = c->source->read(c->source->user, c->window + used, CSV_WINDOW - used);
		c->more = n > 0;
		c->end += n > 0 ? n : 0;
		c->taken += n > 0 ? (size_t)n : 0;
		if (n < 0)
			c->read_errno = errno;
	}
}

enum sx_status csv_bad(const struct csv_cursor *c, struct sx_error *err, const char *because,
		       const char *fmt, ...)
{
	char what[CSV_CELL_MAX * 2 + 64];
	va_list args;
	va_start(args, fmt);
	vsnprintf(what, sizeof(what), fmt, args);
	va_end(args);
	error_set(err, SX_ERR_BAD_INPUT, "%s:%zu: %s", c->origin, c->line, what);
	error_because(err, "%s", because);
	error_try(err, "a header line with counter names, then one line of numbers a sample");
	return SX_ERR_BAD_INPUT;
}

const struct csv_wrong_text csv_wrong_texts[] = {
    [CSV_WRONG_WIDE] = {"a line has more cells than the header", "each cell needs a column name"},
    [CSV_WRONG_COMMAS] = {"a line has more cells than the header",
			  "each cell needs a column name; numbers with commas in them need quotes"},
    [CSV_WRONG_NARROW] = {"a line has fewer cells than the header", "the tool writes all of them"},
    [CSV_WRONG_QUOTED] = {"there is text after a closing quote",
			  "a quote within a cell is written twice"},
    [CSV_WRONG_OPEN] = {"a quoted cell has no end", "the closing quote is missing"},
    [CSV_WRONG_NUL] = {"a cell holds a NUL byte", "CSV is text"},
};

enum sx_status csv_refuse_line(const char *origin, size_t line, enum csv_wrong wrong,
			       struct sx_error *err)
{
	const struct csv_cursor at = {.origin = origin, .line = line};
	const struct csv_wrong_text *text = &csv_wrong_texts[wrong];
	return csv_bad(&at, err, text->because, "%s", text->what);
}

/* A tab may be what separates cells. */
static bool is_blank(const struct csv_cursor *c, char letter)
{
	return letter == ' ' || (letter == '\t' && c->marks.separator != '\t');
}

static bool ends_line(char c)
{
	return c == '\n' || c == '\r';
}

/* Cuts an incomplete UTF-8 character off the end. */
static size_t whole_letters(const char *text, size_t size)
{
	size_t last = size;
	while (last && !utf8_begins(text[last - 1]))
		last--;
	if (last && (unsigned char)text[last - 1] >= 0xc0 &&
	    !utf8_length_within(text + last - 1, size - last + 1))
		size = last - 1;
	return size;
}

static void cell_skip_blanks(struct csv_cursor *c)
{
	while (csv_ahead(c), c->p < c->end && is_blank(c, *c->p))
		c->p++;
}

static bool wrong_cell(struct csv_cursor *c, enum csv_wrong wrong)
{
	c->wrong = wrong;
	return false;
}

static bool read_quoted(struct csv_cursor *c, struct csv_cell *cell)
{
	size_t used = 0, line = c->line;
	bool cut = false;
	for (c->p++; csv_ahead(c), c->p < c->end; c->p++) {
		if (*c->p == '"' && (c->p + 1 >= c->end || c->p[1] != '"'))
			break;
		c->p += *c->p == '"';
		c->line += *c->p == '\n';
		cut |= used + 1 >= c->cell_max;
		if (!cut)
			c->scratch[used++] = *c->p;
	}
	if (c->p >= c->end) {
		c->line = line;
		return wrong_cell(c, CSV_WRONG_OPEN);
	}
	c->p++;
	if (cut)
		used = whole_letters(c->scratch, used);
	*cell = (struct csv_cell){.text = c->scratch, .size = used, .cut = cut};
	cell_skip_blanks(c);
	if (c->p < c->end && *c->p != c->marks.separator && !ends_line(*c->p))
		return wrong_cell(c, CSV_WRONG_QUOTED);
	return true;
}

/* Up to the separator or line end; of what has no room the beginning is kept. */
static void read_bare(struct csv_cursor *c, struct csv_cell *cell)
{
	const char *start = c->p;
	while (c->p < c->end && *c->p != c->marks.separator && !ends_line(*c->p))
		c->p++;
	*cell = (struct csv_cell){.text = start, .size = (size_t)(c->p - start)};
	if (cell->size < c->cell_max)
		return;
	c->p = start + c->cell_max - 1;
	cell->size = whole_letters(start, c->cell_max - 1);
	memcpy(c->scratch, start, cell->size);
	cell->text = c->scratch;
	for (; csv_ahead(c), c->p < c->end && *c->p != c->marks.separator && !ends_line(*c->p);
	     c->p++)
		cell->cut |= !is_blank(c, *c->p);
}

static void cell_trim(const struct csv_cursor *c, struct csv_cell *cell)
{
	while (cell->size && is_blank(c, *cell->text)) {
		cell->text++;
		cell->size--;
	}
	while (cell->size && is_blank(c, cell->text[cell->size - 1]))
		cell->size--;
}

bool csv_read_cell(struct csv_cursor *c, struct csv_cell *cell)
{
	cell_skip_blanks(c);
	if (c->p >= c->end || *c->p != '"')
		read_bare(c, cell);
	else if (!read_quoted(c, cell))
		return false;
	cell_trim(c, cell);
	if (memchr(cell->text, '\0', cell->size))
		return wrong_cell(c, CSV_WRONG_NUL);
	c->open_end = c->p >= c->end;
	cell->last = c->open_end || *c->p != c->marks.separator;
	if (c->p + 1 < c->end && c->p[0] == '\r' && c->p[1] == '\n')
		c->p++;
	c->p += c->p < c->end;
	return true;
}

/* A line without anything; moves behind it, or to the first cell of another line. */
static bool skip_blank_line(struct csv_cursor *c)
{
	cell_skip_blanks(c);
	if (c->p < c->end && !ends_line(*c->p))
		return false;
	if (c->p + 1 < c->end && c->p[0] == '\r' && c->p[1] == '\n')
		c->p++;
	c->p += c->p < c->end;
	return true;
}

void csv_skip_line(struct csv_cursor *c)
{
	while (csv_ahead(c), c->p < c->end && !ends_line(*c->p))
		c->p++;
	skip_blank_line(c);
}

/* The line between head and rows of a Markdown table: "|---|---:|". */
static bool is_rule(const struct csv_cursor *c)
{
	const char *p = c->p;
	bool dashes = false;
	if (c->marks.separator != '|')
		return false;
	for (; p < c->end && !ends_line(*p); p++) {
		if (!strchr("|-: \t", *p) || !*p)
			return false;
		/* One dash alone is a cell without data. */
		dashes |= *p == '-' && p + 1 < c->end && (p[1] == '-' || p[1] == ':');
		dashes |= *p == ':' && p + 1 < c->end && p[1] == '-';
	}
	return dashes;
}

bool csv_next_line(struct csv_cursor *c)
{
	for (; csv_ahead(c), c->p < c->end; c->line++) {
		if (*c->p == '#' || is_rule(c))
			csv_skip_line(c);
		else if (!skip_blank_line(c))
			return true;
	}
	return false;
}

/*
 * "-12.375" as 12375 / 10^3: both are exact while the digits fit 53 bits and the power is small, so
 * that the quotient is the nearest double, as strtod() has it.
 */
static bool short_decimal(const struct csv_cell *cell, double *f)
{
	static const double powers[] = {1e0, 1e1, 1e2,	1e3,  1e4,  1e5,  1e6,	1e7,
					1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
	uint64_t digits = 0;
	size_t i = cell->size && cell->text[0] == '-', first = i, point = SIZE_MAX;
	if (cell->size - i > 16)
		return false;
	for (; i < cell->size; i++) {
		unsigned digit = (unsigned)((unsigned char)cell->text[i] - '0');
		if (cell->text[i] == '.' && point == SIZE_MAX)
			point = i;
		else if (digit <= 9)
			digits = digits * 10 + digit;
		else
			return false;
	}
	if (point == SIZE_MAX || point == first || point + 1 == cell->size)
		return false;
	*f = (double)digits / powers[cell->size - point - 1];
	*f = first ? -*f : *f;
	return true;
}

/* A finite number of these bytes. */
static bool plain_number(const char *text, size_t size, struct csv_value *value)
{
	value->whole = number_u64(text, size, &value->u);
	if (!value->whole)
		return number_f64(text, size, &value->f);
	value->f = (double)value->u;
	return true;
}

/* Bytes of what groups digits at `p`: a blank of some kind, an apostrophe, a point or a comma. */
static size_t group_mark(const char *p, size_t size)
{
	if (size && strchr(" ',._", *p) && *p)
		return 1;
	if (size >= 2 && memcmp(p, "\xc2\xa0", 2) == 0) /* no-break space */
		return 2;
	return size >= 3 && memcmp(p, "\xe2\x80\xaf", 3) == 0 ? 3 : 0; /* the narrow one */
}

/* A number taken apart: digits without marks, and what the marks were. */
struct grouped {
	char digits[64];
	size_t size, groups;
	char mark; /* first byte of what separates groups */
	bool sign, fraction;
	char point;
};

static bool take_apart(const struct csv_cell *cell, struct grouped *g)
{
	size_t i = 0, run = 0;
	*g = (struct grouped){0};
	if (cell->size >= sizeof(g->digits))
		return false;
	if (cell->text[0] == '-' || cell->text[0] == '+')
		g->digits[g->size++] = cell->text[i++];
	for (; i < cell->size; i++) {
		char c = cell->text[i];
		size_t mark = group_mark(cell->text + i, cell->size - i);
		if (c >= '0' && c <= '9') {
			g->digits[g->size++] = c;
			run++;
			continue;
		}
		if (!mark || !run || g->fraction || (g->groups ? run != 3 : run > 3))
			return false;
		bool another = g->groups && c != g->mark;
		if (another && c != '.' && c != ',')
			return false;
		if (another) {
			g->fraction = true;
			g->point = c;
			g->digits[g->size++] = '.';
		} else {
			g->groups++;
			g->mark = c;
		}
		i += mark - 1;
		run = 0;
	}
	return run && (g->fraction || run == 3) && g->groups;
}

bool csv_groups_of_points(const struct csv_cell *cell)
{
	struct grouped g;
	const char *point = cell->size ? memchr(cell->text, '.', cell->size) : NULL;
	size_t before = point ? (size_t)(point + 1 - cell->text) : 0;
	return point && memchr(point + 1, '.', cell->size - before) && take_apart(cell, &g) &&
	       g.mark == '.' && g.groups > 1 && !g.fraction;
}

bool csv_has_point(const struct csv_cell *cell)
{
	struct grouped g;
	return cell->size && memchr(cell->text, '.', cell->size) &&
	       (cell->text[0] == '0' || !take_apart(cell, &g) || g.fraction);
}

bool csv_doubtful(const struct csv_marks *marks, const struct csv_cell *cell, uint64_t *u)
{
	struct grouped g;
	return marks->separator != ',' && !marks->decimal_comma && cell->size &&
	       cell->text[0] != '0' && memchr(cell->text, ',', cell->size) &&
	       take_apart(cell, &g) && g.mark == ',' && g.groups == 1 && !g.fraction &&
	       number_u64(g.digits, g.size, u);
}

/* "12,5": one comma, and no three digits behind it, or commas are known to be points here. */
static bool with_comma(struct csv_marks *marks, const struct csv_cell *cell, double *f)
{
	char copy[64];
	const char *comma = memchr(cell->text, ',', cell->size);
	if (marks->separator == ',' || !comma || cell->size >= sizeof(copy) ||
	    memchr(cell->text, '.', cell->size) ||
	    memchr(comma + 1, ',', cell->size - (size_t)(comma + 1 - cell->text)))
		return false;
	size_t behind = cell->size - (size_t)(comma + 1 - cell->text);
	size_t before = (size_t)(comma - cell->text);
	bool doubtful = behind == 3 && before && before <= 3 + (cell->text[0] == '-');
	if (doubtful && !marks->decimal_comma && cell->text[0] != '0')
		return false;
	memcpy(copy, cell->text, cell->size);
	copy[comma - cell->text] = '.';
	if (!number_f64(copy, cell->size, f))
		return false;
	marks->decimal_comma = true;
	return true;
}

/*
 * A number with digits in groups of three ("1,234,567.8", "1 234"), or with a comma before its
 * fraction where commas do not separate cells. False also where both could be meant.
 */
static bool grouped_number(struct csv_marks *marks, const struct csv_cell *cell,
			   struct csv_value *value)
{
	struct grouped g;
	if (with_comma(marks, cell, &value->f))
		return true;
	if (!cell->size || !take_apart(cell, &g))
		return false;
	/* "1,234" or "1.234" alone may be a fraction; a quoted one between commas is not. */
	bool point = g.mark == '.' || (g.mark == ',' && marks->separator != ',');
	if (point && g.groups < 2 && !g.fraction)
		return false;
	/* The character that groups digits is not the decimal mark. */
	bool comma = g.fraction ? g.point == ',' : g.mark == '.';
	bool dot = g.fraction ? g.point == '.' : g.mark == ',';
	marks->decimal_comma |= comma && marks->separator != ',';
	marks->decimal_point |= dot && marks->separator != ',';
	return plain_number(g.digits, g.size, value);
}

/* "2.000" where commas are decimal marks: a whole number in groups of three. */
static bool pointed_number(const struct csv_cell *cell, struct csv_value *value)
{
	struct grouped g;
	return cell->size && memchr(cell->text, '.', cell->size) && cell->text[0] != '0' &&
	       take_apart(cell, &g) && g.mark == '.' && !g.fraction &&
	       plain_number(g.digits, g.size, value) && value->whole;
}

bool csv_any_number(struct csv_marks *marks, const struct csv_cell *cell, struct csv_value *value)
{
	if (marks->decimal_comma && pointed_number(cell, value))
		return true;
	value->whole = false;
	return short_decimal(cell, &value->f) || plain_number(cell->text, cell->size, value) ||
	       grouped_number(marks, cell, value);
}

void csv_find_separator(struct csv_cursor *c)
{
	csv_ahead(c);
	if (c->end - c->p > 5 && strncasecmp(c->p, "sep=", 4) == 0 && !ends_line(c->p[4]) &&
	    c->p[4] != '"') {
		c->marks.separator = c->p[4];
		c->p += 5;
		skip_blank_line(c);
		c->line++;
		return;
	}
	/* Comments and blank lines have none. */
	const char *line = c->p;
	while (line < c->end && (*line == '#' || ends_line(*line))) {
		const char *next = memchr(line, '\n', (size_t)(c->end - line));
		line = next ? next + 1 : c->end;
	}
	const char *end = line;
	for (bool quoted = false; end < c->end && (quoted || !ends_line(*end)); end++)
		quoted ^= *end == '"';
	c->marks.separator = import_separator((struct import_cell){line, (size_t)(end - line)});
}
