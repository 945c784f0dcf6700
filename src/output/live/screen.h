/*
 * A screen as a grid of cells, each a character and a style: what `top` shows, put together without
 * a terminal. Nothing is ever drawn outside of it.
 */
#ifndef OUTPUT_LIVE_SCREEN_H
#define OUTPUT_LIVE_SCREEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* What a cell is, from which palette_of() derives colours and attributes. */
enum screen_style {
	SCREEN_PLAIN,
	SCREEN_DIM,	 /* what is less important: units, no data, empty parts of gauges */
	SCREEN_BOLD,	 /* names */
	SCREEN_HEADING,	 /* titles of columns */
	SCREEN_FRAME,	 /* lines around parts of the screen */
	SCREEN_GRAPH,	 /* curves */
	SCREEN_GOOD,	 /* values far from their limit */
	SCREEN_WARNING,	 /* near it */
	SCREEN_BAD,	 /* at it */
	SCREEN_SELECTED, /* the row that keys act upon */
	SCREEN_KEY,	 /* a key in the last line; what it does is SCREEN_SELECTED */
	SCREEN_STYLES
};

#define SCREEN_CELL_BYTES 14
struct screen_cell {
	char text[SCREEN_CELL_BYTES]; /* a character with marks upon it, NUL-terminated */
	unsigned char columns;	      /* 1 or 2; 0: the right half of the wide one before it */
	unsigned char style;
};

/* Zero-initialise. Not thread-safe. */
struct screen {
	int width, height;
	bool ascii;
	struct screen_cell *cells; /* row by row */
	size_t cap;
};

/* A rectangle of a screen. */
struct screen_area {
	int x, y, width, height;
};

/* Gives the screen a size, all blanks. False when memory is out; it then has no cells. */
bool screen_begin(struct screen *s, int width, int height, bool ascii);
void screen_finish(struct screen *s);
/* A cell, or NULL outside of the screen. */
struct screen_cell *screen_at(const struct screen *s, int x, int y);

/*
 * Writes text from column x on, in at most `width` columns; longer text ends in an ellipsis.
 * Controls are escaped. Returns the columns written.
 */
int screen_put(struct screen *s, int x, int y, int width, enum screen_style style,
	       const char *text);
/* The same, right-aligned in exactly `width` columns. */
void screen_put_right(struct screen *s, int x, int y, int width, enum screen_style style,
		      const char *text);
/* Columns that a text takes on this screen. */
int screen_columns(const struct screen *s, const char *text);
/* Gives what is there another style. */
void screen_restyle(struct screen *s, struct screen_area area, enum screen_style style);
/* Blanks. */
void screen_clear(struct screen *s, struct screen_area area);
/* A line with a title in it: "── Processes ─────". */
void screen_rule(struct screen *s, int x, int y, int width, const char *title, bool focus);
/* Blanks within a frame, with a title in its upper line. Returns what is inside of the frame. */
struct screen_area screen_box(struct screen *s, struct screen_area area, const char *title);
/* Where a box of this size is in the middle of the screen, or as much of it as there is room. */
struct screen_area screen_centre(const struct screen *s, int width, int height);

/* SCREEN_GOOD, _WARNING or _BAD of a share of a limit. */
enum screen_style screen_level(double share);
/* A bar of `width` columns. NaN: no data, which looks unlike an empty bar. */
void screen_gauge(struct screen *s, int x, int y, int width, double share, enum screen_style style);
/*
 * A curve, one value a column, `height` lines high, drawn so that `top` fills it; the last value is
 * at the right. NaN: no data, a blank; a zero has a mark of its own.
 */
void screen_curve(struct screen *s, struct screen_area area, const double *values, int count,
		  double top, enum screen_style style);

/* Colours and attributes of a style. */
struct screen_look {
	int colour, background; /* 0 to 255, or -1: the terminal's own */
	bool bold, dim, reverse;
};

/* How many colours there are: 0, 16 or 256; and whether the background is light. */
struct screen_palette {
	int colours;
	bool light;
};

struct screen_look palette_of(struct screen_palette palette, enum screen_style style);
/* Writes the screen as lines without blanks at their ends, up to the last that is not empty. */
void screen_write(const struct screen *s, struct screen_palette palette, FILE *out);

#endif
