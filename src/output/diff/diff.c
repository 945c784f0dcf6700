/* What the views of a comparison share. */
#include "output/diff/diff.h"
#include "base/text_buf.h"

#include <math.h>
#include <stdlib.h>

#include "output/report/report.h"

extern const struct diff_view diff_text, diff_json, diff_markdown, diff_junit;
static const struct diff_view *const views[] = {&diff_text, &diff_json, &diff_markdown,
						&diff_junit};
#define VIEW_COUNT (sizeof(views) / sizeof(views[0]))

const struct diff_view *diff_views_find(enum format format)
{
	for (size_t i = 0; i < VIEW_COUNT; i++)
		if (views[i]->format == format)
			return views[i];
	return NULL;
}

static int rank(enum compare_verdict verdict)
{
	static const int ranks[] = {[COMPARE_WORSE] = 0,
				    [COMPARE_BETTER] = 1,
				    [COMPARE_CHANGED] = 2,
				    [COMPARE_SAME] = 3,
				    [COMPARE_INCOMPARABLE] = 4};
	return ranks[verdict];
}

static int by_importance(const void *a, const void *b)
{
	const struct compare_row *x = *(const struct compare_row *const *)a;
	const struct compare_row *y = *(const struct compare_row *const *)b;
	if (rank(x->verdict) != rank(y->verdict))
		return rank(x->verdict) - rank(y->verdict);
	double one = isnan(x->change) ? 0 : fabs(x->change);
	double two = isnan(y->change) ? 0 : fabs(y->change);
	if (one != two)
		return one > two ? -1 : 1;
	return (x > y) - (x < y);
}

const struct compare_row **diff_ranked(const struct comparison *c, size_t *count)
{
	const struct compare_row **list = calloc(c->row_count + 1, sizeof(*list));
	*count = 0;
	for (size_t i = 0; list && i < c->row_count; i++)
		if (compare_row_is_known(&c->rows[i]))
			list[(*count)++] = &c->rows[i];
	if (list)
		qsort(list, *count, sizeof(*list), by_importance);
	return list;
}

void diff_kinds_add(struct diff_kinds *kinds, const struct compare_row *row)
{
	kinds->totals += row->total;
	kinds->rates += row->rate;
	kinds->of_rows += !row->total && !row->rate &&
			  ((row->a && row->a->of_rows) || (row->b && row->b->of_rows));
}

const char *diff_kinds_next(const struct diff_kinds *kinds, unsigned *at)
{
	const struct {
		size_t rows;
		const char *text;
	} all[] = {
	    {kinds->totals, "Amounts of what is sampled by time are those of a whole run."},
	    {kinds->rates, "Amounts in samples of unlike length are those of a second."},
	    {kinds->of_rows, "Ratios that were given by row are means of the rows: those of the "
			     "runs are not known."},
	};
	while (*at < sizeof(all) / sizeof(all[0]))
		if (all[(*at)++].rows)
			return all[*at - 1].text;
	return NULL;
}

void diff_change(char buf[32], const struct compare_row *row)
{
	if (isnan(row->change))
		snprintf(buf, 32, "%s",
			 row->a && row->b && row->a->runs && row->b->runs ? "from 0" : "-");
	else if (row->change == 0)
		snprintf(buf, 32, "0 %%");
	else
		snprintf(buf, 32, "%+.*f %%", fabs(row->change) < 0.1 ? 2 : 1, row->change * 100);
}

static void put_side(const struct view *view, const struct compare_row *row,
		     const struct compare_metric *side, char buf[HUMAN_MAX])
{
	snprintf(buf, HUMAN_MAX, "-");
	if (side)
		human_cell(&view->human, buf, compare_row_value(row, side),
			   compare_row_unit(row, side));
}

void diff_cells(const struct view *view, const struct compare_row *row, struct diff_cells *out)
{
	put_side(view, row, row->a, out->a);
	put_side(view, row, row->b, out->b);
	diff_change(out->change, row);
}

void diff_side(const struct compare_set *set, char *buf, size_t size)
{
	buf[0] = '\0';
	for (size_t i = 0; i < set->file_count; i++)
		text_append_item(buf, size, ", ", "%s", set->files[i]);
	if (set->runs > 1)
		text_append(buf, size, " (%u runs)", (unsigned)set->runs);
}

const char *diff_warm_up(const struct compare_set *set, char buf[96])
{
	char length[HUMAN_MAX];
	human_duration(length, set->warm_up_ns);
	snprintf(buf, 96, "means, but for some ratios, are without the first %s: the warm-up",
		 length);
	return set->warm_up_ns ? buf : "";
}

void diff_counts(const struct comparison *c, char *buf, size_t size)
{
	static const char *const words[] = {"same", "better", "worse", "changed",
					    "cannot be compared"};
	static const int order[] = {COMPARE_WORSE, COMPARE_BETTER, COMPARE_CHANGED, COMPARE_SAME,
				    COMPARE_INCOMPARABLE};
	size_t counts[5] = {0};
	for (size_t i = 0; i < c->row_count; i++)
		counts[c->rows[i].verdict] += compare_row_is_known(&c->rows[i]);
	buf[0] = '\0';
	for (size_t i = 0; i < 5; i++)
		if (counts[order[i]])
			text_append_item(buf, size, ", ", "%zu %s", counts[order[i]],
					 words[order[i]]);
}
