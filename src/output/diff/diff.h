/* Views of a comparison: one file each, chosen by format. */
#ifndef OUTPUT_DIFF_DIFF_H
#define OUTPUT_DIFF_DIFF_H

#include "analysis/compare/compare.h"
#include "output/view.h"

/* What rows of a table compare, where that is not the mean of a run. */
struct diff_kinds {
	size_t totals, rates, of_rows; /* how many rows */
};
void diff_kinds_add(struct diff_kinds *kinds, const struct compare_row *row);
/* A sentence for each kind that there is, in turn from *at, which is 0 at first; NULL: no more. */
const char *diff_kinds_next(const struct diff_kinds *kinds, unsigned *at);

/* "+3.1 %", "from 0", "-". */
void diff_change(char buf[32], const struct compare_row *row);
/* A row as tables show it: "12.5 ms", "13 ms", "+4.0 %"; "-" of a side that has none. */
struct diff_cells {
	char a[HUMAN_MAX], b[HUMAN_MAX], change[32];
};
void diff_cells(const struct view *view, const struct compare_row *row, struct diff_cells *out);

struct diff_view {
	enum format format;
	/* Writes the whole comparison. Errors: SX_ERR_NO_MEMORY; others show in ferror(). */
	enum sx_status (*write)(const struct view *view, const struct comparison *comparison,
				struct sx_error *err);
};

/* The view of a format, or NULL; a mask of 1 << enum format of all there are. */
const struct diff_view *diff_views_find(enum format format);

/* For views: rows in the order of what moved most, those that changed first; to be freed. */
const struct compare_row **diff_ranked(const struct comparison *comparison, size_t *count);
/* The files of a side, and what was measured: "a.sxc, b.sxc (2 runs)". */
void diff_side(const struct compare_set *set, char *buf, size_t size);
/* "means, but for some ratios, are without the first 1.00 s: the warm-up", or "" where none was. */
const char *diff_warm_up(const struct compare_set *set, char buf[96]);
/* "3 worse, 1 better, 40 same, 2 cannot be compared". */
void diff_counts(const struct comparison *comparison, char *buf, size_t size);

#endif
