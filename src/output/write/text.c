/* Text tables and paragraphs. */
#include "output/write/text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/utf8.h"

#define GAP 2 /* blanks between columns */

struct row {
	char **cells; /* NULL: a heading */
	char *heading;
	enum text_style style;
};

struct text_table {
	struct arena arena;
	struct text_column *columns;
	size_t column_count;
	struct row *rows;
	size_t row_count, row_cap;
	/* For writing, which then needs no memory that may be missing. One a column. */
	size_t *widths;
	char **titles;
};

static const char *const styles[] = {"", "\033[1m", "\033[2m", "\033[31m", "\033[33m", "\033[32m"};

size_t text_width(const char *text)
{
	return utf8_count(text, strlen(text));
}

int text_terminal_width(FILE *out)
{
	struct winsize size;
	if (isatty(fileno(out)) && ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		return size.ws_col;
	const char *columns = getenv("COLUMNS");
	int width = columns ? atoi(columns) : 0;
	return width >= 40 && width <= 1000 ? width : 80;
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
	if (!table->widths || !table->titles)
		table->columns = NULL;
	for (size_t i = 0; table->columns && i < count; i++) {
		table->columns[i] = columns[i];
		table->columns[i].title =
		    arena_strndup(&table->arena, columns[i].title, strlen(columns[i].title));
		if (!table->columns[i].title)
			table->columns = NULL;
	}
	if (!table->columns) {
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
	free(table->rows);
	free(table);
}

static struct row *add_row(struct text_table *table)
{
	if (!mem_grow(&table->rows, &table->row_cap, table->row_count + 1, sizeof(*table->rows)))
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
	row->cells = arena_alloc(&table->arena, table->column_count * sizeof(char *));
	for (size_t i = 0; row->cells && i < table->column_count; i++) {
		const char *cell = cells[i] ? cells[i] : "";
		row->cells[i] = arena_strndup(&table->arena, cell, strlen(cell));
		if (!row->cells[i])
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
	row->heading = arena_strndup(&table->arena, text, strlen(text));
	if (!row->heading)
		return false;
	table->row_count++;
	return true;
}

static void measure(const struct text_table *table, size_t *widths)
{
	for (size_t c = 0; c < table->column_count; c++) {
		widths[c] = text_width(table->columns[c].title);
		for (size_t r = 0; r < table->row_count; r++) {
			if (!table->rows[r].cells)
				continue;
			size_t width = text_width(table->rows[r].cells[c]);
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

/* Writes the first `width` columns of a text and returns what is behind them. */
static const char *write_columns(FILE *out, const char *text, size_t width)
{
	size_t shown = 0;
	for (; *text; text++) {
		if (utf8_begins(*text) && shown++ == width)
			break;
		fputc(*text, out);
	}
	return text;
}

/* Where the last `width` columns of a text begin. */
static const char *last_columns(const char *text, size_t width)
{
	size_t skip = text_width(text) - width;
	for (; *text; text++)
		if (utf8_begins(*text) && skip-- == 0)
			break;
	return text;
}

/* Writes at most `width` columns of text; dots stand for what is cut. */
static void write_cut(const struct text_target *target, const char *text, size_t width, bool middle)
{
	const char *dots = target->ascii ? ".." : "\u2026";
	size_t room = width - text_width(dots);
	if (text_width(text) <= width) {
		fputs(text, target->out);
		return;
	}
	size_t tail = middle ? room / 2 : 0;
	write_columns(target->out, text, room - tail);
	fputs(dots, target->out);
	if (tail)
		fputs(last_columns(text, tail), target->out);
}

static void write_cells(const struct text_table *table, const struct text_target *target,
			const size_t *widths, char *const *cells, bool blank_first)
{
	size_t pending = 0; /* blanks are written only before something visible */
	for (size_t c = 0; c < table->column_count; c++) {
		size_t width = c == 0 && blank_first ? 0 : text_width(cells[c]);
		size_t shown = width < widths[c] ? width : widths[c];
		bool right = table->columns[c].align == TEXT_RIGHT;
		if (shown) {
			pad(target->out, pending + (right ? widths[c] - shown : 0));
			write_cut(target, cells[c], widths[c], table->columns[c].middle);
			pending = right ? 0 : widths[c] - shown;
		} else {
			pending += widths[c];
		}
		pending += GAP;
	}
}

/* Writes a first cell that does not fit its column on a line of its own; true when it did. */
static bool spill(const struct text_table *table, const struct text_target *target,
		  const size_t *widths, const struct row *row)
{
	if (!table->columns[0].spill || text_width(row->cells[0]) <= widths[0])
		return false;
	write_cut(target, row->cells[0], (size_t)target->width, false);
	fputc('\n', target->out);
	return true;
}

static void write_row(const struct text_table *table, const struct text_target *target,
		      const size_t *widths, const struct row *row)
{
	enum text_style style = row->heading ? TEXT_BOLD : row->style;
	if (target->color && style != TEXT_PLAIN)
		fputs(styles[style], target->out);
	if (row->heading)
		write_cut(target, row->heading, (size_t)target->width, false);
	else
		write_cells(table, target, widths, row->cells, spill(table, target, widths, row));
	if (target->color && style != TEXT_PLAIN)
		fputs("\033[0m", target->out);
	fputc('\n', target->out);
}

void text_table_write(const struct text_table *table, const struct text_target *target)
{
	size_t *widths = table->widths;
	char **titles = table->titles;
	bool titled = false;
	memset(widths, 0, table->column_count * sizeof(*widths));
	measure(table, widths);
	fit(table, widths, target->width);
	for (size_t c = 0; c < table->column_count; c++) {
		titles[c] = (char *)(uintptr_t)table->columns[c].title;
		titled = titled || titles[c][0];
	}
	if (titled)
		write_row(table, target, widths, &(struct row){.cells = titles, .style = TEXT_DIM});
	for (size_t r = 0; r < table->row_count; r++)
		write_row(table, target, widths, &table->rows[r]);
}

/* `begun`: what stands before the text in its first line is written already. */
static void wrap(const struct text_target *target, int indent, bool begun, const char *text)
{
	size_t limit = target->width > indent + 20 ? (size_t)(target->width - indent) : 20;
	size_t used = 0;
	while (*text) {
		text += strspn(text, " ");
		size_t bytes = strcspn(text, " ");
		if (bytes == 0)
			break;
		size_t width = utf8_count(text, bytes);
		if (used && used + 1 + width > limit) {
			fputc('\n', target->out);
			used = 0;
		}
		if (used)
			fputc(' ', target->out);
		else if (!begun)
			pad(target->out, (size_t)indent);
		begun = false;
		fwrite(text, 1, bytes, target->out);
		used += width + (used ? 1 : 0);
		text += bytes;
	}
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
	fputs(left, target->out);
	if (beside)
		pad(target->out, (size_t)column - width);
	else
		fputc('\n', target->out);
	wrap(target, column, beside, text);
}

void text_styled(const struct text_target *target, enum text_style style, const char *text)
{
	if (target->color && style != TEXT_PLAIN)
		fprintf(target->out, "%s%s\033[0m", styles[style], text);
	else
		fputs(text, target->out);
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
	if ((int)text_width(value) + column <= target->width) {
		fprintf(target->out, "  %-*s %s\n", column - 3, name, value);
		return;
	}
	fprintf(target->out, "  %s\n", name);
	text_wrap(target, column, value);
}
