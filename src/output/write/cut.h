/* Texts shortened to columns of a terminal, so that no two of a list look alike. */
#ifndef OUTPUT_WRITE_CUT_H
#define OUTPUT_WRITE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* A text and its place; cut_end() and cut_apart() work out the rest. */
struct cut {
	const char *text;
	size_t width;	      /* columns that there are for it */
	const char *head_end; /* what is shown: text to head_end, ... */
	const char *part, *part_end;
	const char *tail; /* ... a part of the middle (or NULL), the end of the text (or NULL) */
	unsigned number;  /* and this, where nothing else tells it from another; 0: nothing */
};

/* Columns that a text takes on a terminal. */
size_t cut_columns(const char *begin, const char *end);
/* Shortens a text at its end; `dots` stand for what is left out. */
void cut_end(struct cut *cut, const char *dots);
/*
 * Shortens each in its middle (or its end), and elsewhere where two different ones would look
 * alike. The order of the pointers changes; what comes out depends on the texts and widths alone.
 */
void cut_apart(struct cut **cuts, size_t count, bool middle, const char *dots);
/* Columns of what cut_write() writes. */
size_t cut_width(const struct cut *cut, const char *dots);
void cut_write(const struct cut *cut, const char *dots, FILE *out);

#endif
