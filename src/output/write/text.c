/* Text tables and paragraphs. */
#include "output/write/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

#define GAP    2 /* blanks between columns */
#define INDENT 4 /* of what does not fit into a line */

struct row {
	struct cut *cells; /* NULL: a heading */
	const char *heading;
	enum text_style style;
};

struct text_table {
	struct arena arena;
	struct text_column *columns;
	size_t column_count;
	struct row *rows;
	size_t row_count, row_cap;
	/* For writing, which then needs no memory that may be missing: one a column, one a row. */
	size_t *widths;
	struct cut *titles;
	struct cut **order;
	size_t order_cap;
};

static const char *const styles[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m"};

/* Writes so many bytes of a text (where there is an `out`), and returns the columns they take. */
static size_t write_visible(FILE *out, const char *text, size_t size)
{
	const char *end = text + size;
	size_t columns = 0;
	char escape[8];
	while (text < end) {
		const char *from = text;
		size_t control = 0;
		while (text < end && !(control = utf8_control(text, escape)))
			text += utf8_length(text);
		if (out)
			fwrite(from, 1, (size_t)(text - from), out);
		columns += utf8_columns(from, (size_t)(text - from));
		if (control && out)
			fputs(escape, out);
		columns += control ? strlen(escape) : 0;
		text += control;
	}
	return columns;
}

size_t text_width(const char *text)
{
	return write_visible(NULL, text, strlen(text));
}

/* What is narrower has lines of this width, which the terminal breaks. */
#define TEXT_WIDTH_LEAST 20
#define TEXT_WIDTH_MOST	 1000
#define TEXT_WIDTH_USUAL 80

int text_terminal_width(FILE *out)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	int width = columns ? atoi(columns) : 0;
	if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col)
		width = size.ws_col;
	if (width <= 0 || width > TEXT_WIDTH_MOST)
		return TEXT_WIDTH_USUAL;
	return width < TEXT_WIDTH_LEAST ? TEXT_WIDTH_LEAST : width;
}

/* Bytes of a text without what would break or turn a line; `to` receives it, or is NULL. */
static size_t copy_visible(const char *text, char *to)
{
	size_t used = 0;
	char escape[8];
	while (*text) {
		size_t control = utf8_control(text, escape);
		const char *from = control ? escape : text;
		size_t size = control ? strlen(escape) : utf8_length(text);
		if (to)
			memcpy(to + used, from, size);
		used += size;
		text += control ? control : size;
	}
	return used;
}

/* A copy that stays in its line, whatever a file or a program put into its names. */
static const char *text_copy(struct arena *arena, const char *text)
{
	char *copy = arena_alloc(arena, copy_visible(text, NULL) + 1);
	if (copy)
		copy_visible(text, copy);
	return copy;
}

void text_write(FILE *out, const char *text)
{
	write_visible(out, text, strlen(text));
}

struct text_table *text_table_create(const struct text_column *columns, size_t count)
{
	struct text_table *table = calloc(1, sizeof(*table));
	if (!table)
		return NULL;
	table->columns = arena_alloc(&table->arena, count * sizeof(*columns));
	table->column_count = count;
	table->widths = arena_alloc(&table->arena, count * sizeof(*table->widths));
	table->titles = arena_alloc(&table->arena, count * sizeof(*table->titles));
	bool ok = table->columns && table->widths && table->titles &&
		  mem_grow(&table->order, &table->order_cap, count, sizeof(*table->order));
	for (size_t i = 0; ok && i < count; i++) {
		table->columns[i] = columns[i];
		table->titles[i].text = text_copy(&table->arena, columns[i].title);
		ok = table->titles[i].text != NULL;
	}
	if (!ok) {
		text_table_destroy(table);
		return NULL;
	}
	return table;
}

void text_table_destroy(struct text_table *table)
{
	if (!table)
		return;
	arena_finish(&table->arena);
	free(table->order);
	free(table->rows);
	free(table);
}

static struct row *add_row(struct text_table *table)
{
	size_t need = table->row_count + 1;
	if (!mem_grow(&table->rows, &table->row_cap, need, sizeof(*table->rows)) ||
	    !mem_grow(&table->order, &table->order_cap, need, sizeof(*table->order)))
		return NULL;
	struct row *row = &table->rows[table->row_count];
	*row = (struct row){0};
	return row;
}

bool text_table_row(struct text_table *table, const char *const *cells, enum text_style style)
{
	struct row *row = add_row(table);
	if (!row)
		return false;
	row->style = style;
	row->cells = arena_alloc(&table->arena, table->column_count * sizeof(*row->cells));
	for (size_t i = 0; row->cells && i < table->column_count; i++) {
		row->cells[i].text = text_copy(&table->arena, cells[i] ? cells[i] : "");
		if (!row->cells[i].text)
			return false;
	}
	if (!row->cells)
		return false;
	table->row_count++;
	return true;
}

bool text_table_heading(struct text_table *table, const char *text)
{
	struct row *row = add_row(table);
	if (!row)
		return false;
	row->heading = text_copy(&table->arena, text);
	if (!row->heading)
		return false;
	table->row_count++;
	return true;
}

static void measure(const struct text_table *table, size_t *widths)
{
	for (size_t c = 0; c < table->column_count; c++) {
		widths[c] = text_width(table->titles[c].text);
		for (size_t r = 0; r < table->row_count; r++) {
			if (!table->rows[r].cells)
				continue;
			size_t width = text_width(table->rows[r].cells[c].text);
			if (width > widths[c])
				widths[c] = width;
		}
	}
}

/* The column to take a blank from: the widest of those with the highest rank. */
static size_t next_to_cut(const struct text_table *table, const size_t *widths)
{
	size_t best = table->column_count;
	for (size_t c = 0; c < table->column_count; c++) {
		const struct text_column *column = &table->columns[c];
		if (!column->min || widths[c] <= column->min)
			continue;
		if (best == table->column_count || column->rank > table->columns[best].rank ||
		    (column->rank == table->columns[best].rank && widths[c] > widths[best]))
			best = c;
	}
	return best;
}

static void fit(const struct text_table *table, size_t *widths, int limit)
{
	size_t total = GAP * (table->column_count - 1);
	for (size_t c = 0; c < table->column_count; c++)
		total += widths[c];
	for (; total > (size_t)limit; total--) {
		size_t cut = next_to_cut(table, widths);
		if (cut == table->column_count)
			return;
		widths[cut]--;
	}
}

static void pad(FILE *out, size_t count)
{
	while (count--)
		fputc(' ', out);
}

static const char *dots_of(const struct text_target *target)
{
	return target->ascii ? ".." : "\u2026";
}

/* Whether a first cell that does not fit its column has a line of its own. */
static bool has_own_line(const struct text_table *table, const struct row *row)
{
	return table->columns[0].own_line && text_width(row->cells[0].text) > table->widths[0];
}

/* Works out what is shown of a column's texts. */
static void cut_column(const struct text_table *table, size_t c, const struct text_target *target)
{
	const struct text_column *column = &table->columns[c];
	size_t count = 0;
	for (size_t r = 0; r < table->row_count; r++) {
		const struct row *row = &table->rows[r];
		if (!row->cells)
			continue;
		bool whole = c == 0 && has_own_line(table, row);
		row->cells[c].width = whole ? (size_t)target->width : table->widths[c];
		cut_end(&row->cells[c], dots_of(target));
		table->order[count++] = &row->cells[c];
	}
	if (column->middle || column->own_line)
		cut_apart(table->order, count, column->middle, dots_of(target));
}

static void cut_titles(const struct text_table *table, const struct text_target *target)
{
	for (size_t c = 0; c < table->column_count; c++) {
		table->titles[c].width = table->widths[c];
		table->order[c] = &table->titles[c];
	}
	cut_apart(table->order, table->column_count, true, dots_of(target));
}

/* Columns that do not fit, though others were cut, go on in the next line. */
static void write_cells(const struct text_table *table, const struct text_target *target,
			const struct cut *cells, bool blank_first)
{
	size_t pending = 0, end = 0; /* blanks are written only before something visible */
	bool folded = false, any = false;
	for (size_t c = 0; c < table->column_count; c++) {
		size_t width = table->widths[c];
		if (end && end + width > (size_t)target->width) {
			folded = true;
			pending = end = INDENT;
		}
		end += width + GAP;
		size_t shown = c == 0 && blank_first ? 0 : cut_width(&cells[c], dots_of(target));
		bool right = table->columns[c].align == TEXT_RIGHT;
		if (shown) {
			if (folded && any)
				fputc('\n', target->out);
			folded = false;
			any = true;
			pad(target->out, pending + (right ? width - shown : 0));
			cut_write(&cells[c], dots_of(target), target->out);
			pending = right ? 0 : width - shown;
		} else {
			pending += width;
		}
		pending += GAP;
	}
}

static void write_row(const struct text_table *table, const struct text_target *target,
		      const struct row *row, bool is_title)
{
	enum text_style style = row->heading ? TEXT_BOLD : row->style;
	if (target->color && style != TEXT_PLAIN)
		fputs(styles[style], target->out);
	if (row->heading) {
		struct cut cut = {.text = row->heading, .width = (size_t)target->width};
		cut_end(&cut, dots_of(target));
		cut_write(&cut, dots_of(target), target->out);
	} else {
		bool above = !is_title && has_own_line(table, row);
		if (above) {
			cut_write(&row->cells[0], dots_of(target), target->out);
			fputc('\n', target->out);
		}
		write_cells(table, target, row->cells, above);
	}
	if (target->color && style != TEXT_PLAIN)
		fputs("\033[0m", target->out);
	fputc('\n', target->out);
}

/* Likenesses may be longer: they are what is measured and cut. */
static void spell_cell(struct text_table *table, struct cut *cell)
{
	char *plain = ascii_spell(cell->text);
	const char *copy = plain ? text_copy(&table->arena, plain) : NULL;
	if (copy)
		cell->text = copy;
	free(plain);
}

static void spell_cells(struct text_table *table)
{
	for (size_t c = 0; c < table->column_count; c++) {
		spell_cell(table, &table->titles[c]);
		for (size_t r = 0; r < table->row_count; r++)
			if (table->rows[r].cells)
				spell_cell(table, &table->rows[r].cells[c]);
	}
}

void text_table_write(struct text_table *table, const struct text_target *target)
{
	bool titled = false;
	if (target->ascii)
		spell_cells(table);
	memset(table->widths, 0, table->column_count * sizeof(*table->widths));
	measure(table, table->widths);
	fit(table, table->widths, target->width);
	for (size_t c = 0; c < table->column_count; c++)
		titled = titled || table->titles[c].text[0];
	cut_titles(table, target);
	if (titled)
		write_row(table, target, &(struct row){.cells = table->titles, .style = TEXT_DIM},
			  true);
	for (size_t c = 0; c < table->column_count; c++)
		cut_column(table, c, target);
	for (size_t r = 0; r < table->row_count; r++)
		write_row(table, target, &table->rows[r], false);
}

/* `begun`: what precedes the text in its first line is written already. */
static void wrap(const struct text_target *target, int indent, bool begun, const char *text)
{
	size_t limit = target->width > indent + 20 ? (size_t)(target->width - indent) : 20;
	size_t used = 0;
	char *plain = target->ascii ? ascii_spell(text) : NULL;
	text = plain ? plain : text;
	while (*text) {
		text += strspn(text, " ");
		size_t bytes = strcspn(text, " ");
		if (bytes == 0)
			break;
		size_t width = write_visible(NULL, text, bytes);
		if (used && used + 1 + width > limit) {
			fputc('\n', target->out);
			used = 0;
		}
		if (used)
			fputc(' ', target->out);
		else if (!begun)
			pad(target->out, (size_t)indent);
		begun = false;
		write_visible(target->out, text, bytes);
		used += width + (used ? 1 : 0);
		text += bytes;
	}
	free(plain);
	if (used)
		fputc('\n', target->out);
}

void text_wrap(const struct text_target *target, int indent, const char *text)
{
	wrap(target, indent, false, text);
}

void text_hang(const struct text_target *target, int indent, const char *text)
{
	pad(target->out, (size_t)indent);
	wrap(target, indent + 2, true, text);
}

void text_entry(const struct text_target *target, int column, const char *left, const char *text)
{
	size_t width = text_width(left);
	bool beside = width < (size_t)column;
	text_write(target->out, left);
	if (beside)
		pad(target->out, (size_t)column - width);
	else
		fputc('\n', target->out);
	wrap(target, column, beside, text);
}

void text_continue(const struct text_target *target, int column, const char *text)
{
	wrap(target, column, true, text);
}

void text_styled(const struct text_target *target, enum text_style style, const char *text)
{
	bool styled = target->color && style != TEXT_PLAIN;
	fputs(styled ? styles[style] : "", target->out);
	text_write(target->out, text);
	fputs(styled ? "\033[0m" : "", target->out);
}

void text_heading(const struct text_target *target, const char *text)
{
	fputc('\n', target->out);
	text_styled(target, TEXT_BOLD, text);
	fputc('\n', target->out);
}

void text_field(const struct text_target *target, int column, const char *name, const char *value)
{
	if (!value || !*value)
		return;
	int width = (int)text_width(name);
	if ((int)text_width(value) + column <= target->width) {
		fputs("  ", target->out);
		text_write(target->out, name);
		pad(target->out, column - 2 > width ? (size_t)(column - 2 - width) : 1);
		text_write(target->out, value);
		fputc('\n', target->out);
		return;
	}
	fputs("  ", target->out);
	text_write(target->out, name);
	fputc('\n', target->out);
	text_wrap(target, column, value);
}
