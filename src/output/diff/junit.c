/* A comparison as a JUnit report, for CI: a case each gate, and one for each metric that got worse.
 */
#include "output/diff/diff.h"

#include "base/utf8.h"
#include "output/report/report.h"

/* Controls have no place in XML, not even as references. */
static void junit_put(FILE *out, const char *text)
{
	char escape[8];
	while (*text) {
		size_t control = utf8_control(text, escape), size = control ? control : 1;
		if (control)
			fputs(escape, out);
		else if (*text == '&')
			fputs("&amp;", out);
		else if (*text == '<')
			fputs("&lt;", out);
		else if (*text == '"')
			fputs("&quot;", out);
		else
			fwrite(text, 1, size = utf8_length(text), out);
		text += size;
	}
}

static void open_case(FILE *out, const char *class, const char *name)
{
	fprintf(out, "    <testcase classname=\"sextant.%s\" name=\"", class);
	junit_put(out, name);
	fputs("\">", out);
}

/* A gate that says nothing has not held, unless --gate-missing=skip asks for that. */
static void gate_case(const struct view *view, const struct report_gate *g, const char *unjudged)
{
	FILE *out = view->out.out;
	char value[HUMAN_MAX];
	open_case(out, "gate", g->text);
	gates_number(view, value, g, g->value);
	if (g->why || !g->passed) {
		fprintf(out, "<%s message=\"", g->why ? unjudged : "failure");
		junit_put(out, g->why ? g->why : value);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

/* Without gates a change for the worse is what CI asks about; with gates they alone decide. */
static void metric_case(const struct compare_row *row, bool gated, FILE *out)
{
	char change[32];
	open_case(out, "metric", row->name);
	diff_change(change, row);
	if (row->verdict == COMPARE_INCOMPARABLE) {
		fputs("<skipped message=\"", out);
		junit_put(out, row->why ? row->why : "");
		fputs("\"/>", out);
	} else if (row->verdict == COMPARE_WORSE && !gated) {
		fprintf(out, "<failure message=\"worse by %s\"/>", change);
	}
	fputs("</testcase>\n", out);
}

static enum sx_status diff_write_junit(const struct view *view, const struct comparison *c,
				       struct sx_error *err)
{
	FILE *out = view->out.out;
	size_t failures = 0, unjudged = 0, skipped = 0, shown = 0;
	(void)err;
	for (size_t i = 0; i < c->gate_count; i++) {
		unjudged += c->gates[i].why != NULL;
		failures += !c->gates[i].why && !c->gates[i].passed;
	}
	for (size_t i = 0; i < c->row_count; i++) {
		if (!compare_row_is_known(&c->rows[i]))
			continue;
		shown++;
		skipped += c->rows[i].verdict == COMPARE_INCOMPARABLE;
		failures += !c->gate_count && c->rows[i].verdict == COMPARE_WORSE;
	}
	fprintf(out,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
		"name=\"sextant diff\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\" "
		"skipped=\"%zu\">\n",
		c->gate_count + shown, failures, c->skip_unjudged ? 0 : unjudged,
		skipped + (c->skip_unjudged ? unjudged : 0));
	if (compare_set_is_simulated(c->a) || compare_set_is_simulated(c->b))
		fputs("    <properties><property name=\"simulated\" value=\"true\"/>"
		      "</properties>\n",
		      out);
	for (size_t i = 0; i < c->gate_count; i++)
		gate_case(view, &c->gates[i], c->skip_unjudged ? "skipped" : "error");
	for (size_t i = 0; i < c->row_count; i++)
		if (compare_row_is_known(&c->rows[i]))
			metric_case(&c->rows[i], c->gate_count > 0, out);
	fputs("  </testsuite>\n</testsuites>\n", out);
	return SX_OK;
}

const struct diff_view diff_junit = {.format = FORMAT_JUNIT, .write = diff_write_junit};
