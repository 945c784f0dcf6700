/* What a name means, for people: see explain.h. */
#include "tools/verbs/explain/explain.h"

#include <stdlib.h>
#include <string.h>

#include "base/no_data.h"
#include "base/number.h"
#include "base/text_buf.h"
#include "output/catalog/catalog.h"

static void field(const struct explanation *e, const char *name, const char *value)
{
	text_field(&e->cli->view.out, 12, name, value);
}

/* The same as text; empty without an input file. */
static void number_of(const struct explanation *e, const char *name, const char *unit,
		      char buf[HUMAN_MAX + 4])
{
	char value[HUMAN_MAX];
	buf[0] = '\0';
	if (!e->totals)
		return;
	human_value(&e->cli->view.human, value, explain_value(e, name), unit);
	snprintf(buf, HUMAN_MAX + 4, " = %s", value);
}

static void advice_using(const struct explanation *e, const char *name)
{
	bool any = false;
	for (uint32_t i = 0; i < e->view.advice_count; i++) {
		const struct sx_advice_info *a = &e->view.advice[i];
		if (!explain_advice_reads(e, a, name))
			continue;
		if (!any)
			text_heading(&e->cli->view.out, "advice");
		any = true;
		char line[1200];
		snprintf(line, sizeof(line), "%s (severity %s): %s", a->rule,
			 describe_severity(a->severity), a->when ? a->when : a->needs);
		text_wrap(&e->cli->view.out, 2, line);
		text_wrap(&e->cli->view.out, 4, a->advice);
	}
}

static void notes(const struct explanation *e, const struct sx_strings *s)
{
	if (!s->count)
		return;
	text_heading(&e->cli->view.out, "notes");
	for (uint32_t i = 0; i < s->count; i++)
		text_wrap(&e->cli->view.out, 2, s->items[i]);
}

static void names_line(const struct explanation *e, const char *name, const struct sx_strings *s)
{
	char line[512] = "";
	for (uint32_t i = 0; i < s->count; i++)
		text_append_item(line, sizeof(line), ", ", "%s", s->items[i]);
	field(e, name, line);
}

/* "4.2.4 Content behavior > Geometry culling": the last title is often the metric's own. */
static void section_path(const struct explanation *e, const struct sx_metric_info *m)
{
	for (uint32_t i = 0; i < m->section_count; i++) {
		uint32_t chain[16];
		size_t depth = 0;
		char line[512];
		const struct sx_section_info *own = &e->view.sections[m->sections[i]];
		bool shown = !m->title || strcmp(own->title, m->title) != 0;
		for (uint32_t s = m->sections[i]; s != SX_NONE && depth < 16;
		     s = e->view.sections[s].parent)
			chain[depth++] = s;
		snprintf(line, sizeof(line), "%s", own->id);
		for (size_t d = depth; d-- > (shown ? 0u : 1u);)
			text_append(line, sizeof(line), "%s%s", d + 1 == depth ? " " : " > ",
				    e->view.sections[chain[d]].title);
		field(e, i ? "and" : "section", line);
	}
}

static void heading(const struct explanation *e, const char *name, const char *number,
		    const char *what)
{
	const struct text_target *target = &e->cli->view.out;
	const char *title = what ? what : "";
	size_t width = text_width(name) + text_width(number) + text_width(title) + 2;
	text_styled(target, TEXT_BOLD, name);
	fputs(number, target->out);
	if (*title && width > (size_t)target->width)
		fputs("\n  ", target->out);
	fprintf(target->out, "%s%s\n", *title && width <= (size_t)target->width ? "  " : "", title);
}

static void formula_text(const struct explanation *e, const struct formula *f,
			 const struct sx_metric_info *m)
{
	char infix[8192];
	if (!f->expr)
		return;
	text_heading(&e->cli->view.out, "formula");
	text_wrap(&e->cli->view.out, 2, m->exprs[e->variant]);
	if (e->view.info->notation == SX_POSTFIX) {
		sx_node_text(sx_expr_root(f->expr), infix, sizeof(infix));
		fputs("  in other words\n", e->cli->view.out.out);
		text_wrap(&e->cli->view.out, 2, infix);
	}
	fputc('\n', e->cli->view.out.out);
	formula_tree_text(f, m->unit);
	text_heading(&e->cli->view.out, "inputs");
	formula_inputs_text(f);
}

/* The other sets that have it, in the same way or in another. */
static void also_in(const struct explanation *e, uint32_t index)
{
	struct also also;
	also_describe(&e->view, index, e->variant, &also);
	field(e, "also", also.other);
	field(e, also.other[0] ? "and" : "also", also.same);
}

void explain_metric_text(struct explanation *e, uint32_t index, const struct formula *f)
{
	const struct sx_metric_info *m = &e->view.metrics[index];
	char number[HUMAN_MAX + 4];
	e->set = m->group;
	number_of(e, m->qualified, m->unit, number);
	heading(e, describe_metric_name(&e->view, index), number, m->title);
	text_wrap(&e->cli->view.out, 2, m->description ? m->description : "");
	fputc('\n', e->cli->view.out.out);
	field(e, "catalog", e->view.info->title);
	field(e, "values", e->cli->view.simulated ? "SIMULATED, not a real device" : NULL);
	section_path(e, m);
	field(e, "set", m->group == SX_NONE ? NULL : e->view.groups[m->group].name);
	if (m->group != SX_NONE)
		also_in(e, index);
	field(e, "group", m->category);
	field(e, "unit", m->unit);
	field(e, "neutral", m->neutral);
	names_line(e, "APIs", &m->apis);
	names_line(e, "aliases", &m->aliases);
	field(e, "maximum", m->max);
	if (m->unavailable) {
		char why[256] = "";
		no_data_append(why, sizeof(why), NO_DATA_NO_FORMULA, m->unavailable);
		field(e, "no data", why);
	}
	formula_text(e, f, m);
	advice_using(e, m->name);
	notes(e, &m->notes);
}

/* How many groups have the metric, as far as they come after it; 0 when one came before. */
static uint32_t groups_from(const struct explanation *e, uint32_t index)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		if (strcmp(e->view.metrics[i].name, e->view.metrics[index].name) != 0)
			continue;
		if (i < index)
			return 0;
		count++;
	}
	return count;
}

static void metrics_using(const struct explanation *e, const char *counter)
{
	bool any = false;
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		const struct sx_metric_info *m = &e->view.metrics[i];
		uint32_t groups = explain_reads_counter(e, m, counter) ? groups_from(e, i) : 0;
		if (!groups)
			continue;
		if (!any)
			text_heading(&e->cli->view.out, "metrics that read it");
		any = true;
		if (groups > 1)
			fprintf(e->cli->view.out.out, "  %s, of %s and %s\n", m->name,
				e->view.groups[m->group].name, COUNTED(groups - 1, "further set"));
		else
			fprintf(e->cli->view.out.out, "  %s\n", describe_metric_name(&e->view, i));
	}
}

void explain_counter_text(struct explanation *e, uint32_t index)
{
	const struct sx_counter_info *c = &e->view.counters[index];
	char where[160], bits[64], number[HUMAN_MAX + 4];
	e->set = c->group;
	number_of(e, c->name, c->unit, number);
	heading(e, c->name, number, c->title);
	text_wrap(&e->cli->view.out, 2, c->description ? c->description : "");
	fputc('\n', e->cli->view.out.out);
	formula_place(&e->view, c, where, sizeof(where));
	snprintf(bits, sizeof(bits), "%s", COUNTED(c->bits, "bit"));
	if (c->scale > 1)
		snprintf(bits, sizeof(bits), "%s, each count is %llu", COUNTED(c->bits, "bit"),
			 (unsigned long long)c->scale);
	field(e, "catalog", e->view.info->title);
	field(e, "values", e->cli->view.simulated ? "SIMULATED, not a real device" : NULL);
	field(e, "place", where);
	field(e, "group", c->group == SX_NONE ? NULL : e->view.groups[c->group].name);
	field(e, "unit", c->unit);
	field(e, "width", bits);
	field(e, "neutral", c->neutral);
	names_line(e, "aliases", &c->aliases);
	metrics_using(e, c->name);
	advice_using(e, c->name);
	notes(e, &c->notes);
}
