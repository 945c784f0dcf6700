/* A comparison for a terminal: what changed first, then why the rest was not judged. */
#include "output/diff/diff.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"

static void head_side(const struct view *view, const char *name, const struct compare_set *set)
{
	char line[1024], files[900];
	diff_side(set, files, sizeof(files));
	snprintf(line, sizeof(line), "%s  %s", name, files);
	text_wrap(&view->out, 0, line);
	if (set->about)
		text_wrap(&view->out, 3, set->about);
	if (set->warm_up_ns)
		text_wrap(&view->out, 3, diff_warm_up(set, line));
	for (size_t d = 0; d < set->device_count; d++) {
		snprintf(line, sizeof(line), "%s%s%s%s", set->devices[d].name,
			 set->devices[d].driver ? ", " : "",
			 set->devices[d].driver ? set->devices[d].driver : "",
			 set->devices[d].simulated ? "  SIMULATED, not a real device" : "");
		text_wrap(&view->out, 3, line);
	}
}

static bool add_row(const struct view *view, struct text_table *table,
		    const struct compare_row *row)
{
	char noise[32] = "-";
	struct diff_cells is;
	static const enum text_style styles[] = {TEXT_PLAIN, TEXT_GREEN, TEXT_RED, TEXT_YELLOW,
						 TEXT_DIM};
	diff_cells(view, row, &is);
	if (row->exact)
		snprintf(noise, sizeof(noise), "exact");
	else if (!isnan(row->noise))
		snprintf(noise, sizeof(noise), "%.2f %%", row->noise * 100);
	const char *cells[] = {row->name, is.a,	 is.b,
			       is.change, noise, compare_verdict_name(row->verdict)};
	return text_table_row(table, cells, styles[row->verdict]);
}

static bool write_table(const struct view *view, const struct comparison *c)
{
	static const struct text_column columns[] = {
	    {.title = "", .align = TEXT_LEFT, .rank = 1, .min = 16, .middle = true},
	    {.title = "A", .align = TEXT_RIGHT},
	    {.title = "B", .align = TEXT_RIGHT},
	    {.title = "change", .align = TEXT_RIGHT},
	    {.title = "noise", .align = TEXT_RIGHT},
	    {.title = "verdict", .align = TEXT_LEFT}};
	size_t count, shown = 0;
	struct diff_kinds kinds = {0};
	const struct compare_row **rows = diff_ranked(c, &count);
	struct text_table *table = text_table_create(columns, 6);
	bool ok = rows && table;
	for (size_t i = 0; ok && i < count; i++) {
		if (!view->verbose && !compare_row_is_shown(rows[i]))
			continue;
		ok = add_row(view, table, rows[i]);
		shown++;
		diff_kinds_add(&kinds, rows[i]);
	}
	if (ok && shown) {
		fputc('\n', view->out.out);
		text_table_write(table, &view->out);
	}
	unsigned at = 0;
	for (const char *note; ok && (note = diff_kinds_next(&kinds, &at));)
		text_wrap(&view->out, 2, note);
	text_table_destroy(table);
	free(rows);
	return ok;
}

/* Sections by what moved in them. */
static void write_headings(const struct view *view, const struct comparison *c)
{
	const char *seen[64];
	size_t moved[64], all[64], count = 0;
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		const char *heading = row->a ? row->a->heading : NULL;
		size_t h = 0;
		if (!heading || row->verdict == COMPARE_INCOMPARABLE)
			continue;
		while (h < count && strcmp(seen[h], heading) != 0)
			h++;
		if (h == 64)
			continue;
		if (h == count) {
			seen[count] = heading;
			moved[count] = all[count] = 0;
			count++;
		}
		all[h]++;
		moved[h] += row->verdict != COMPARE_SAME;
	}
	for (size_t h = 0; h < count; h++)
		if (moved[h] && count > 1)
			fprintf(view->out.out, "  %s: %zu of %zu moved\n", seen[h], moved[h],
				all[h]);
}

static void write_advice(const struct view *view, const struct comparison *c)
{
	for (size_t i = 0; i < c->advice_count; i++) {
		char line[256];
		snprintf(line, sizeof(line), "%s: %s",
			 c->advice[i].appeared ? "new in B" : "gone in B", c->advice[i].title);
		text_wrap(&view->out, 2, line);
	}
}

#define REASONS_SHOWN 3
#define REASONS_MAX   32

struct reasons {
	const char *why[REASONS_MAX];
	size_t rows[REASONS_MAX], count, all;
};

static void count_reason(struct reasons *r, const struct compare_row *row)
{
	size_t at = 0;
	if (row->verdict != COMPARE_INCOMPARABLE || !row->why || !compare_row_is_known(row) ||
	    compare_row_is_shown(row))
		return;
	r->all++;
	while (at < r->count && strcmp(r->why[at], row->why) != 0)
		at++;
	if (at == REASONS_MAX)
		return;
	if (at == r->count)
		r->why[r->count++] = row->why;
	r->rows[at]++;
}

/* What was named and cannot be compared: why, below the rows. */
static void write_named(const struct view *view, const struct comparison *c)
{
	char line[512];
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_row *row = &c->rows[i];
		if (row->verdict != COMPARE_INCOMPARABLE || !row->why ||
		    !compare_row_is_known(row) || !compare_row_is_shown(row))
			continue;
		snprintf(line, sizeof(line), "%s: not compared: %s", row->name, row->why);
		text_wrap(&view->out, 2, line);
	}
}

/* Why rows were not compared: the reasons that most rows have, each once. */
static void write_reasons(const struct view *view, const struct comparison *c)
{
	struct reasons r = {.count = 0};
	char line[512];
	for (size_t i = 0; i < c->row_count; i++)
		count_reason(&r, &c->rows[i]);
	for (size_t shown = 0; shown < REASONS_SHOWN && shown < r.count; shown++) {
		size_t most = 0;
		for (size_t i = 1; i < r.count; i++)
			most = r.rows[i] > r.rows[most] ? i : most;
		snprintf(line, sizeof(line), "not compared: %zu, because %s", r.rows[most],
			 r.why[most]);
		text_wrap(&view->out, 2, line);
		r.all -= r.rows[most];
		r.rows[most] = 0;
	}
	snprintf(line, sizeof(line), "not compared: %zu for other reasons (--json says each)",
		 r.all);
	if (r.all)
		text_wrap(&view->out, 2, line);
}

static enum sx_status diff_write_text(const struct view *view, const struct comparison *c,
				      struct sx_error *err)
{
	char line[256];
	head_side(view, "A", c->a);
	head_side(view, "B", c->b);
	diff_counts(c, line, sizeof(line));
	text_heading(&view->out, line);
	if (c->why_not)
		text_wrap(&view->out, 0, c->why_not);
	write_reasons(view, c);
	if (!write_table(view, c))
		return error_nomem(err, "writing the comparison");
	write_named(view, c);
	if (c->advice_count || view->verbose)
		fputc('\n', view->out.out);
	if (view->verbose)
		write_headings(view, c);
	write_advice(view, c);
	gates_text(view, c->gates, c->gate_count);
	return SX_OK;
}

const struct diff_view diff_text = {.format = FORMAT_TEXT, .write = diff_write_text};
