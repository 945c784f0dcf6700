/* The grid of a screen, and text in it. */
#include "output/live/screen.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/utf8.h"
#include "output/write/text.h"

static void screen_blank(struct screen_cell *cell)
{
	*cell = (struct screen_cell){.text = " ", .columns = 1};
}

bool screen_begin(struct screen *s, int width, int height, bool ascii)
{
	s->width = width > 0 ? width : 0;
	s->height = height > 0 ? height : 0;
	s->ascii = ascii;
	size_t count = (size_t)s->width * (size_t)s->height;
	if (count && !mem_grow(&s->cells, &s->cap, count, sizeof(*s->cells))) {
		s->width = s->height = 0;
		return false;
	}
	for (size_t i = 0; i < count; i++)
		screen_blank(&s->cells[i]);
	return true;
}

void screen_finish(struct screen *s)
{
	free(s->cells);
	*s = (struct screen){0};
}

struct screen_cell *screen_at(const struct screen *s, int x, int y)
{
	if (x < 0 || y < 0 || x >= s->width || y >= s->height)
		return NULL;
	return &s->cells[(size_t)y * (size_t)s->width + (size_t)x];
}

/* A cell that is written anew: the other half of a wide character there becomes a blank. */
static struct screen_cell *screen_renew(struct screen *s, int x, int y)
{
	struct screen_cell *cell = screen_at(s, x, y);
	if (!cell)
		return NULL;
	struct screen_cell *before = screen_at(s, x - 1, y), *after = screen_at(s, x + 1, y);
	if (!cell->columns && before)
		screen_blank(before);
	if (cell->columns == 2 && after)
		screen_blank(after);
	return cell;
}

/* One character in `columns` columns; false where it does not fit into the screen. */
static bool screen_put_character(struct screen *s, int x, int y, enum screen_style style,
				 const char *text, size_t size, size_t columns)
{
	struct screen_cell *cell = screen_renew(s, x, y);
	if (!cell || x + (int)columns > s->width || size >= SCREEN_CELL_BYTES)
		return false;
	if (columns == 2) {
		struct screen_cell *half = screen_renew(s, x + 1, y);
		*half = (struct screen_cell){.columns = 0, .style = (unsigned char)style};
	}
	*cell =
	    (struct screen_cell){.columns = (unsigned char)columns, .style = (unsigned char)style};
	memcpy(cell->text, text, size);
	return true;
}

/* A mark upon the character that ends before column x. */
static void screen_put_mark(struct screen *s, int x, int y, const char *text, size_t size)
{
	struct screen_cell *cell = screen_at(s, x - 1, y);
	if (cell && !cell->columns)
		cell = screen_at(s, x - 2, y);
	if (cell && strlen(cell->text) + size < SCREEN_CELL_BYTES)
		strncat(cell->text, text, size);
}

/* Bytes of the character or control at `text`; `escape`: what is written for a control, or "". */
static size_t screen_next(const char *text, char escape[8])
{
	escape[0] = '\0';
	size_t size = utf8_control(text, escape);
	return size ? size : utf8_length(text);
}

static int screen_columns_utf8(const char *text)
{
	int columns = 0;
	char escape[8];
	for (size_t size; *text; text += size) {
		size = screen_next(text, escape);
		columns += (int)(escape[0] ? strlen(escape) : utf8_columns(text, size));
	}
	return columns;
}

static int screen_put_utf8(struct screen *s, int x, int y, int width, enum screen_style style,
			   const char *text)
{
	const char *dots = s->ascii ? "~" : "…";
	bool cut = screen_columns_utf8(text) > width;
	int used = 0, room = cut ? width - 1 : width;
	char escape[8];
	for (size_t size; *text && room >= 0; text += size) {
		size = screen_next(text, escape);
		int columns = (int)(escape[0] ? strlen(escape) : utf8_columns(text, size));
		if (used + columns > room)
			break;
		for (int i = 0; escape[0] && i < columns; i++)
			screen_put_character(s, x + used + i, y, style, escape + i, 1, 1);
		if (!escape[0] && !columns)
			screen_put_mark(s, x + used, y, text, size);
		else if (!escape[0])
			screen_put_character(s, x + used, y, style, text, size, (size_t)columns);
		used += columns;
	}
	if (cut && width > 0)
		screen_put_character(s, x + used++, y, style, dots, strlen(dots), 1);
	return used;
}

int screen_put(struct screen *s, int x, int y, int width, enum screen_style style, const char *text)
{
	char *plain = s->ascii ? ascii_spell(text) : NULL;
	int used = screen_put_utf8(s, x, y, width, style, plain ? plain : text);
	free(plain);
	return used;
}

int screen_columns(const struct screen *s, const char *text)
{
	char *plain = s->ascii ? ascii_spell(text) : NULL;
	int columns = screen_columns_utf8(plain ? plain : text);
	free(plain);
	return columns;
}

void screen_put_right(struct screen *s, int x, int y, int width, enum screen_style style,
		      const char *text)
{
	int columns = screen_columns(s, text), blank = columns < width ? width - columns : 0;
	screen_put(s, x + blank, y, width - blank, style, text);
}

void screen_restyle(struct screen *s, struct screen_area area, enum screen_style style)
{
	for (int y = area.y; y < area.y + area.height; y++)
		for (int x = area.x; x < area.x + area.width; x++) {
			struct screen_cell *cell = screen_at(s, x, y);
			if (cell)
				cell->style = (unsigned char)style;
		}
}

void screen_clear(struct screen *s, struct screen_area area)
{
	for (int y = area.y; y < area.y + area.height; y++)
		for (int x = area.x; x < area.x + area.width; x++) {
			struct screen_cell *cell = screen_renew(s, x, y);
			if (cell)
				screen_blank(cell);
		}
}

/* The end of what is written as a line: blanks at the end say nothing, unless they have a style. */
static int screen_row_end(const struct screen *s, int y, bool coloured)
{
	int end = s->width;
	while (end > 0) {
		const struct screen_cell *cell = screen_at(s, end - 1, y);
		bool shown = coloured && cell->style >= SCREEN_SELECTED;
		if (strcmp(cell->text, " ") != 0 || shown)
			break;
		end--;
	}
	return end;
}

static void screen_write_look(struct screen_look look, FILE *out)
{
	fputs("\033[0", out);
	if (look.bold)
		fputs(";1", out);
	if (look.dim)
		fputs(";2", out);
	if (look.reverse)
		fputs(";7", out);
	if (look.colour >= 16)
		fprintf(out, ";38;5;%d", look.colour);
	else if (look.colour >= 0)
		fprintf(out, ";%d", look.colour < 8 ? 30 + look.colour : 82 + look.colour);
	if (look.background >= 16)
		fprintf(out, ";48;5;%d", look.background);
	else if (look.background >= 0)
		fprintf(out, ";%d",
			look.background < 8 ? 40 + look.background : 92 + look.background);
	fputc('m', out);
}

static void screen_write_row(const struct screen *s, int y, struct screen_palette palette,
			     FILE *out)
{
	int end = screen_row_end(s, y, palette.colours > 0);
	int style = SCREEN_PLAIN;
	for (int x = 0; x < end; x++) {
		const struct screen_cell *cell = screen_at(s, x, y);
		if (palette.colours && cell->style != style) {
			style = cell->style;
			screen_write_look(palette_of(palette, (enum screen_style)style), out);
		}
		fputs(cell->text, out);
	}
	if (style != SCREEN_PLAIN)
		fputs("\033[0m", out);
	fputc('\n', out);
}

void screen_write(const struct screen *s, struct screen_palette palette, FILE *out)
{
	int rows = s->height;
	while (rows > 0 && !screen_row_end(s, rows - 1, palette.colours > 0))
		rows--;
	for (int y = 0; y < rows; y++)
		screen_write_row(s, y, palette, out);
}
