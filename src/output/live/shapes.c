/* What a screen shows beside text: frames, gauges, curves; and the colours of all. */
#include "output/live/screen.h"

#include <math.h>
#include <string.h>

/* What curves and frames are made of. A curve's first character is zero, the last one is full. */
struct shapes {
	const char *across, *down, *corners[4]; /* upper left, upper right, lower left, right */
	const char *full, *parts, *empty;	/* of a gauge; parts: of the last column */
	const char *curve[9];
};

static const struct shapes shapes_utf8 = {
    .across = "─",
    .down = "│",
    .corners = {"┌", "┐", "└", "┘"},
    .full = "█",
    .parts = "▏▎▍▌▋▊▉",
    .empty = "·",
    .curve = {"_", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"},
};
static const struct shapes shapes_ascii = {
    .across = "-",
    .down = "|",
    .corners = {"+", "+", "+", "+"},
    .full = "#",
    .parts = "",
    .empty = ".",
    .curve = {"_", ".", ".", ":", "-", "=", "+", "*", "#"},
};

static const struct shapes *shapes_of(const struct screen *s)
{
	return s->ascii ? &shapes_ascii : &shapes_utf8;
}

static void shape_line(struct screen *s, int x, int y, int width, enum screen_style style)
{
	for (int i = 0; i < width; i++)
		screen_put(s, x + i, y, 1, style, shapes_of(s)->across);
}

void screen_rule(struct screen *s, int x, int y, int width, const char *title, bool focus)
{
	shape_line(s, x, y, width, SCREEN_FRAME);
	if (width < 6 || !*title)
		return;
	int used = screen_put(s, x + 2, y, 1, SCREEN_FRAME, " ");
	used += screen_put(s, x + 3, y, width - 5, focus ? SCREEN_BOLD : SCREEN_FRAME, title);
	screen_put(s, x + 2 + used, y, 1, SCREEN_FRAME, " ");
}

struct screen_area screen_box(struct screen *s, struct screen_area area, const char *title)
{
	const struct shapes *shapes = shapes_of(s);
	int right = area.x + area.width - 1, low = area.y + area.height - 1;
	struct screen_area inside = {area.x + 2, area.y + 1, area.width - 4, area.height - 2};
	screen_clear(s, area);
	if (area.width < 5 || area.height < 3)
		return area;
	screen_rule(s, area.x, area.y, area.width, title, true);
	shape_line(s, area.x, low, area.width, SCREEN_FRAME);
	for (int y = area.y + 1; y < low; y++) {
		screen_put(s, area.x, y, 1, SCREEN_FRAME, shapes->down);
		screen_put(s, right, y, 1, SCREEN_FRAME, shapes->down);
	}
	for (int i = 0; i < 4; i++)
		screen_put(s, i % 2 ? right : area.x, i / 2 ? low : area.y, 1, SCREEN_FRAME,
			   shapes->corners[i]);
	return inside;
}

struct screen_area screen_centre(const struct screen *s, int width, int height)
{
	width = width < s->width ? width : s->width;
	height = height < s->height ? height : s->height;
	return (struct screen_area){(s->width - width) / 2, (s->height - height) / 2, width,
				    height};
}

enum screen_style screen_level(double share)
{
	return share >= 0.9 ? SCREEN_BAD : share >= 0.7 ? SCREEN_WARNING : SCREEN_GOOD;
}

void screen_gauge(struct screen *s, int x, int y, int width, double share, enum screen_style style)
{
	const struct shapes *shapes = shapes_of(s);
	if (isnan(share)) {
		for (int i = 0; i < width; i++)
			screen_put(s, x + i, y, 1, SCREEN_DIM, " ");
		return;
	}
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	/* Eighths of a column: what is not zero shows one at least. */
	int steps = *shapes->parts ? 8 : 1, filled = (int)lround(share * width * steps);
	filled = share > 0 && !filled ? 1 : filled;
	for (int i = 0; i < width; i++) {
		int left = filled - i * steps;
		char part[4] = "";
		if (left > 0 && left < steps)
			memcpy(part, shapes->parts + (size_t)(left - 1) * 3, 3);
		screen_put(s, x + i, y, 1, left > 0 ? style : SCREEN_DIM,
			   left >= steps ? shapes->full
			   : left > 0	 ? part
					 : shapes->empty);
	}
}

/* Eighths of a line that a value fills: 0 for zero alone. */
static int curve_eighths(double value, double top, int height)
{
	double share = top > 0 ? value / top : 0;
	int eighths = (int)lround((share < 0 ? 0 : share > 1 ? 1 : share) * height * 8);
	return value > 0 && !eighths ? 1 : eighths;
}

void screen_curve(struct screen *s, struct screen_area area, const double *values, int count,
		  double top, enum screen_style style)
{
	const struct shapes *shapes = shapes_of(s);
	int skipped = count > area.width ? count - area.width : 0;
	int blank = count < area.width ? area.width - count : 0;
	for (int i = skipped; i < count; i++) {
		int x = area.x + blank + i - skipped;
		if (isnan(values[i]))
			continue;
		int eighths = curve_eighths(values[i], top, area.height);
		for (int line = 0; line < area.height; line++) {
			int left = eighths - 8 * line, y = area.y + area.height - 1 - line;
			if (left <= 0 && line)
				break;
			left = left > 8 ? 8 : left < 0 ? 0 : left;
			screen_put(s, x, y, 1, left ? style : SCREEN_DIM, shapes->curve[left]);
		}
	}
}

/* Colours of 16 and 256 on a dark and a light background; -1: the terminal's own. */
struct palette_row {
	int dark16, dark256, light16, light256;
	bool bold, dim, reverse; /* with colours */
	bool mono_bold, mono_dim, mono_reverse;
};

static const struct palette_row palette_rows[SCREEN_STYLES] = {
    [SCREEN_PLAIN] = {-1, -1, -1, -1, 0, 0, 0, 0, 0, 0},
    [SCREEN_DIM] = {8, 244, 8, 245, 0, 0, 0, 0, 1, 0},
    [SCREEN_BOLD] = {-1, -1, -1, -1, 1, 0, 0, 1, 0, 0},
    [SCREEN_HEADING] = {6, 80, 4, 24, 0, 0, 0, 1, 0, 0},
    [SCREEN_FRAME] = {8, 240, 8, 249, 0, 0, 0, 0, 1, 0},
    [SCREEN_GRAPH] = {6, 73, 4, 31, 0, 0, 0, 0, 0, 0},
    [SCREEN_GOOD] = {2, 71, 2, 28, 0, 0, 0, 0, 0, 0},
    [SCREEN_WARNING] = {3, 179, 5, 130, 0, 0, 0, 1, 0, 0},
    [SCREEN_BAD] = {1, 203, 1, 160, 1, 0, 0, 1, 0, 0},
    [SCREEN_SELECTED] = {-1, -1, -1, -1, 0, 0, 1, 0, 0, 1},
    [SCREEN_KEY] = {-1, -1, -1, -1, 1, 0, 0, 1, 0, 0},
};

struct screen_look palette_of(struct screen_palette palette, enum screen_style style)
{
	const struct palette_row *row = &palette_rows[style];
	int colour = palette.colours >= 256 ? palette.light ? row->light256 : row->dark256
		     : palette.light	    ? row->light16
					    : row->dark16;
	if (!palette.colours)
		return (struct screen_look){-1, -1, row->mono_bold, row->mono_dim,
					    row->mono_reverse};
	return (struct screen_look){colour, -1, row->bold, row->dim, row->reverse};
}
