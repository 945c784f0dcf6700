/* Views of a comparison: one file each, chosen by format. */
#ifndef OUTPUT_DIFF_DIFF_H
#define OUTPUT_DIFF_DIFF_H

#include "analysis/compare/compare.h"
#include "output/view.h"

/* Where a row compares the totals of runs. */
#define DIFF_RATES  "Amounts in samples of unlike length are those of a second."
#define DIFF_TOTALS "Amounts of what is sampled by time are those of a whole run."

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
/* "+3.1 %", "from 0", "-". */
void diff_change(char buf[32], const struct compare_row *row);
/* The files of a side, and what was measured: "a.sxc, b.sxc (2 runs)". */
void diff_side(const struct compare_set *set, char *buf, size_t size);
/* "3 worse, 1 better, 40 same, 2 cannot be compared". */
void diff_counts(const struct comparison *comparison, char *buf, size_t size);

#endif
