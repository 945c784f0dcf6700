/* A comparison as Markdown, for a pull request. */
#include "output/diff/diff.h"

#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "output/report/report.h"

#define ROWS_MOST 30

/* Escapes text that could be read as markup, or as the end of a line. */
static void markdown_put(FILE *out, const char *text)
{
	char escape[8];
	while (*text) {
		size_t control = utf8_control(text, escape), size = control ? control : 1;
		if (control)
			fprintf(out, "\\%s", escape);
		else if (strchr("|`*_<[\\", *text))
			fprintf(out, "\\%c", *text);
		else
			fwrite(text, 1, size = utf8_length(text), out);
		text += size;
	}
}

static void markdown_side(FILE *out, const char *name, const struct compare_set *set)
{
	char files[900];
	diff_side(set, files, sizeof(files));
	fprintf(out, "- **%s** ", name);
	markdown_put(out, files);
	for (size_t d = 0; d < set->device_count; d++) {
		fputs(d ? "; " : ": ", out);
		markdown_put(out, set->devices[d].name);
		if (set->devices[d].driver) {
			fputs(", ", out);
			markdown_put(out, set->devices[d].driver);
		}
		if (set->devices[d].simulated)
			fputs(" (simulated, not a real device)", out);
	}
	if (set->about) {
		fputs("; ", out);
		markdown_put(out, set->about);
	}
	if (set->warm_up_ns)
		fprintf(out, "; %s", diff_warm_up(set, (char[96]){0}));
	fputc('\n', out);
}

static void row_line(const struct view *view, const struct compare_row *row)
{
	FILE *out = view->out.out;
	struct diff_cells is;
	static const char *const marks[] = {"", "✅ ", "❌ ", "⚠️ ", ""};
	diff_cells(view, row, &is);
	fputs("| ", out);
	markdown_put(out, row->name);
	fprintf(out, " | %s | %s | %s | %s%s", is.a, is.b, is.change, marks[row->verdict],
		compare_verdict_name(row->verdict));
	if (row->verdict == COMPARE_INCOMPARABLE && row->why) {
		fputs(": ", out);
		markdown_put(out, row->why);
	}
	fputs(" |\n", out);
}

static bool write_rows(const struct view *view, const struct comparison *c)
{
	FILE *out = view->out.out;
	size_t count, shown = 0, left = 0;
	struct diff_kinds kinds = {0};
	const struct compare_row **rows = diff_ranked(c, &count);
	for (size_t i = 0; i < count; i++) {
		if (!compare_row_is_shown(rows[i]) &&
		    !(view->verbose && rows[i]->verdict == COMPARE_SAME))
			continue;
		if (shown == ROWS_MOST) {
			left++;
			continue;
		}
		if (!shown++)
			fputs("\n| metric | A | B | change | verdict |\n|---|--:|--:|--:|---|\n",
			      out);
		row_line(view, rows[i]);
		diff_kinds_add(&kinds, rows[i]);
	}
	unsigned at = 0;
	for (const char *note; (note = diff_kinds_next(&kinds, &at));)
		fprintf(out, "\n%s\n", note);
	if (left)
		fprintf(out, "\n%zu more rows are not shown.\n", left);
	free(rows);
	return rows != NULL;
}

static void write_gates(const struct view *view, const struct comparison *c)
{
	FILE *out = view->out.out;
	if (c->gate_count)
		fputs("\n| gate | value | limit | |\n|---|--:|--:|---|\n", out);
	for (size_t i = 0; i < c->gate_count; i++) {
		const struct report_gate *g = &c->gates[i];
		char value[HUMAN_MAX], limit[HUMAN_MAX];
		gates_number(view, value, g, g->value);
		gates_number(view, limit, g, g->limit);
		fputs("| ", out);
		markdown_put(out, g->text);
		fprintf(out, " | %s | %s | %s%s", value, limit,
			g->why	    ? "⚠️ "
			: g->passed ? "✅ "
				    : "❌ ",
			gates_state(g));
		if (g->why) {
			fputs(": ", out);
			markdown_put(out, g->why);
		}
		fputs(" |\n", out);
	}
}

static enum sx_status diff_write_markdown(const struct view *view, const struct comparison *c,
					  struct sx_error *err)
{
	FILE *out = view->out.out;
	char line[256];
	diff_counts(c, line, sizeof(line));
	fprintf(out, "### Performance: %s\n\n", line);
	markdown_side(out, "A", c->a);
	markdown_side(out, "B", c->b);
	if (c->why_not)
		fprintf(out, "\n%s.\n", c->why_not);
	if (!write_rows(view, c))
		return error_nomem(err, "writing the comparison");
	for (size_t i = 0; i < c->advice_count; i++) {
		fprintf(out, "%s- %s: ", i ? "" : "\n",
			c->advice[i].appeared ? "New advice" : "Advice that is gone");
		markdown_put(out, c->advice[i].title);
		fputc('\n', out);
	}
	write_gates(view, c);
	return SX_OK;
}

const struct diff_view diff_markdown = {.format = FORMAT_MARKDOWN, .write = diff_write_markdown};
