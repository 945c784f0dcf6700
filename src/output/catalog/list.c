/* Listings as text: one line each and cut to the terminal, or with -v in full. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "output/catalog/catalog.h"
#include "base/text_buf.h"

/* A glob when the pattern has * or ?, else any part, in any case. */
static bool text_matches(const char *pattern, const char *text)
{
	if (!text)
		return false;
	if (strpbrk(pattern, "*?"))
		return fnmatch(pattern, text, FNM_CASEFOLD) == 0;
	return strcasestr(text, pattern) != NULL;
}

bool list_wanted(const struct listing *l, const char *a, const char *b, const char *c)
{
	return !l->pattern || text_matches(l->pattern, a) || text_matches(l->pattern, b) ||
	       text_matches(l->pattern, c);
}

static bool alias_matches(const char *pattern, const struct sx_strings *aliases)
{
	for (uint32_t i = 0; i < aliases->count; i++)
		if (text_matches(pattern, aliases->items[i]))
			return true;
	return false;
}

bool list_metric_wanted(const struct listing *l, uint32_t i)
{
	const struct sx_metric_info *m = &l->view.metrics[i];
	if (l->set != SX_NONE && m->group != l->set)
		return false;
	return list_wanted(l, m->name, m->title, m->description) ||
	       (l->pattern &&
		(text_matches(l->pattern, m->qualified) || text_matches(l->pattern, m->neutral) ||
		 alias_matches(l->pattern, &m->aliases)));
}

bool list_counter_wanted(const struct listing *l, uint32_t i)
{
	const struct sx_counter_info *c = &l->view.counters[i];
	if (l->set != SX_NONE && c->group != SX_NONE && c->group != l->set)
		return false;
	return list_wanted(l, c->name, c->title, c->description) ||
	       text_matches(l->pattern, c->neutral) || alias_matches(l->pattern, &c->aliases);
}

uint32_t list_metrics_in(const struct catalog_view *view, uint32_t group)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < view->metric_count; i++)
		count += view->metrics[i].group == group;
	return count;
}

uint32_t list_registers_of(const struct sx_group_info *g, enum sx_program_kind kind)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < g->program_count; i++)
		if (g->programs[i].kind == kind)
			count += g->programs[i].count;
	return count;
}

bool list_group_wanted(const struct listing *l, uint32_t i, bool sets_only)
{
	const struct sx_group_info *g = &l->view.groups[i];
	if (sets_only && g->kind == SX_GROUP_LIST)
		return false;
	return list_wanted(l, g->name, g->title, g->uuid);
}

bool list_any(const struct listing *l, const char *what)
{
	bool any = false;
	const struct catalog_view *v = &l->view;
	if (strcmp(what, "metrics") == 0)
		for (uint32_t i = 0; !any && i < v->metric_count; i++)
			any = list_metric_wanted(l, i);
	else if (strcmp(what, "counters") == 0)
		for (uint32_t i = 0; !any && i < v->counter_count; i++)
			any = list_counter_wanted(l, i);
	else if (strcmp(what, "sections") == 0)
		for (uint32_t i = 0; !any && i < v->section_count; i++)
			any = list_wanted(l, v->sections[i].id, v->sections[i].title, NULL);
	else if (strcmp(what, "constants") == 0)
		for (uint32_t i = 0; !any && i < v->constant_count; i++)
			any = list_wanted(l, v->constants[i].name, NULL, NULL);
	else
		for (uint32_t i = 0; !any && i < v->group_count; i++)
			any = list_group_wanted(l, i, strcmp(what, "sets") == 0);
	return any;
}

/* One thing of a listing. */
struct item {
	const char *heading; /* NULL or "": as before */
	const char *name;
	const char *cells[3]; /* between name and meaning */
	const char *meaning;
	const char *more; /* shown with -v only */
	bool dim;
};

/* A listing while it is written: a table, or paragraphs. */
struct writer {
	struct listing *l;
	struct text_table *table; /* NULL with -v */
	size_t cells;
	char heading[256];
	bool ok;
};

static void list_begin(struct writer *w, struct listing *l, const struct text_column *columns,
		       size_t count)
{
	*w = (struct writer){.l = l, .cells = count - 2, .ok = true};
	if (l->to->verbose)
		return;
	w->table = text_table_create(columns, count);
	w->ok = w->table != NULL;
}

static void paragraph(struct writer *w, const struct item *item, bool headed)
{
	const struct text_target *target = &w->l->to->out;
	const char *indent = headed ? "  " : "";
	char details[512] = "";
	for (size_t i = 0; i < w->cells; i++) {
		const char *cell = item->cells[i];
		if (cell && *cell)
			text_append_item(details, sizeof(details), "; ", "%s", cell);
	}
	fputs(indent, target->out);
	text_styled(target, TEXT_BOLD, item->name);
	size_t width = strlen(indent) + text_width(item->name) + text_width(details) + 2;
	if (*details && width > (size_t)target->width)
		fprintf(target->out, "\n%s    %s\n", indent, details);
	else
		fprintf(target->out, "%s%s\n", *details ? "  " : "", details);
	text_wrap(target, headed ? 6 : 4, item->meaning ? item->meaning : "");
	if (item->more && *item->more)
		text_wrap(target, headed ? 6 : 4, item->more);
}

static void add(struct writer *w, const struct item *item)
{
	bool headed = item->heading && *item->heading;
	w->l->shown++;
	if (headed && strcmp(item->heading, w->heading) != 0) {
		if (w->table) {
			w->ok = w->ok && text_table_heading(w->table, item->heading);
		} else {
			fputs(w->heading[0] ? "\n" : "", w->l->to->out.out);
			text_styled(&w->l->to->out, TEXT_BOLD, item->heading);
			fputc('\n', w->l->to->out.out);
		}
		snprintf(w->heading, sizeof(w->heading), "%s", item->heading);
	}
	if (!w->table) {
		paragraph(w, item, headed);
		return;
	}
	char name[256];
	const char *cells[5] = {name};
	snprintf(name, sizeof(name), "%s%s", headed ? "  " : "", item->name);
	for (size_t i = 0; i < w->cells; i++)
		cells[i + 1] = item->cells[i];
	cells[w->cells + 1] = item->meaning;
	w->ok = w->ok && text_table_row(w->table, cells, item->dim ? TEXT_DIM : TEXT_PLAIN);
}

static bool list_end(struct writer *w)
{
	if (w->ok && w->table && w->l->shown)
		text_table_write(w->table, &w->l->to->out);
	text_table_destroy(w->table);
	return w->ok;
}

/* The heading of a metric: its section's path, its group, or its category. */
static void heading_of(const struct listing *l, uint32_t i, char *buf, size_t size)
{
	const struct sx_metric_info *m = &l->view.metrics[i];
	buf[0] = '\0';
	if (m->section_count) {
		uint32_t parent = l->view.sections[m->sections[0]].parent;
		uint32_t at = parent == SX_NONE ? m->sections[0] : parent;
		snprintf(buf, size, "%s %s", l->view.sections[at].id, l->view.sections[at].title);
	} else if (m->group != SX_NONE) {
		const struct sx_group_info *g = &l->view.groups[m->group];
		snprintf(buf, size, "%s: %s", g->name, g->title ? g->title : "");
	} else if (m->category) {
		snprintf(buf, size, "%s", m->category);
	}
}

/* Behind what is said already. */
static void add_aliases(const struct sx_strings *aliases, char *buf, size_t size)
{
	if (aliases->count)
		text_append_item(buf, size, " ", "Also called ");
	for (uint32_t i = 0; i < aliases->count; i++)
		text_append(buf, size, "%s%s", i ? ", " : "", aliases->items[i]);
}

static void add_metric(struct writer *w, uint32_t i)
{
	char heading[256], more[512] = "";
	const struct sx_metric_info *m = &w->l->view.metrics[i];
	if (!list_metric_wanted(w->l, i))
		return;
	heading_of(w->l, i, heading, sizeof(heading));
	if (m->neutral)
		snprintf(more, sizeof(more), "Neutral name: %s.", m->neutral);
	add_aliases(&m->aliases, more, sizeof(more));
	if (m->unavailable)
		snprintf(more, sizeof(more), "No formula: %s", m->unavailable);
	bool brief = m->unavailable && !w->l->to->verbose;
	add(w, &(struct item){.heading = heading,
			      .name = m->name,
			      .cells = {m->unit},
			      .meaning = brief ? "(no formula)" : m->description,
			      .more = more,
			      .dim = m->unavailable != NULL});
}

/* In the template's order; where there are only sets, set by set. */
static bool list_metrics(struct listing *l)
{
	static const struct text_column columns[] = {{"metric", TEXT_LEFT, 1, 34, true, false},
						     {"unit", TEXT_LEFT, 0, 0, false, false},
						     {"meaning", TEXT_LEFT, 2, 24, false, false}};
	struct writer w;
	bool by_group = l->view.section_count == 0 && l->view.group_count > 0;
	list_begin(&w, l, columns, 3);
	for (uint32_t g = 0; by_group && g < l->view.group_count; g++)
		for (uint32_t i = 0; i < l->view.metric_count; i++)
			if (l->view.metrics[i].group == g)
				add_metric(&w, i);
	for (uint32_t i = 0; i < l->view.metric_count; i++)
		if (!by_group || l->view.metrics[i].group == SX_NONE)
			add_metric(&w, i);
	return list_end(&w);
}

static bool list_counters(struct listing *l)
{
	static const struct text_column columns[] = {{"counter", TEXT_LEFT, 1, 26, true, false},
						     {"block", TEXT_LEFT, 0, 0, false, false},
						     {"slot", TEXT_RIGHT, 0, 0, false, false},
						     {"unit", TEXT_LEFT, 0, 0, false, false},
						     {"meaning", TEXT_LEFT, 2, 12, false, false}};
	struct writer w;
	bool verbose = l->to->verbose;
	list_begin(&w, l, columns, 5);
	for (uint32_t i = 0; i < l->view.counter_count; i++) {
		const struct sx_counter_info *c = &l->view.counters[i];
		char slot[24] = "", more[512] = "";
		if (!list_counter_wanted(l, i))
			continue;
		if (c->slot != SX_NONE)
			snprintf(slot, sizeof(slot), verbose ? "slot %u" : "%u", c->slot);
		for (uint32_t a = 0; a < c->aliases.count; a++)
			text_append(more, sizeof(more), "%s%s",
				    a ? ", " : "Also: ", c->aliases.items[a]);
		const char *place = c->block != SX_NONE	  ? l->view.blocks[c->block].name
				    : c->group != SX_NONE ? l->view.groups[c->group].name
							  : "";
		add(&w, &(struct item){.name = c->name,
				       .cells = {place, slot, c->unit},
				       .meaning = c->description,
				       .more = more});
	}
	return list_end(&w);
}

static bool list_groups(struct listing *l, bool sets_only)
{
	static const struct text_column columns[] = {{"name", TEXT_LEFT, 0, 0, false, false},
						     {"metrics", TEXT_RIGHT, 0, 0, false, false},
						     {"registers", TEXT_RIGHT, 0, 0, false, false},
						     {"meaning", TEXT_LEFT, 2, 20, false, false}};
	struct writer w;
	bool verbose = l->to->verbose;
	list_begin(&w, l, columns, 4);
	for (uint32_t i = 0; i < l->view.group_count; i++) {
		const struct sx_group_info *g = &l->view.groups[i];
		char metrics[32], registers[32] = "", more[1024] = "";
		if (!list_group_wanted(l, i, sets_only))
			continue;
		snprintf(metrics, sizeof(metrics), verbose ? "%u metrics" : "%u",
			 list_metrics_in(&l->view, i));
		uint32_t writes = list_registers_of(g, SX_PROGRAM_MUX) +
				  list_registers_of(g, SX_PROGRAM_BOOLEAN) +
				  list_registers_of(g, SX_PROGRAM_FLEX);
		if (writes)
			snprintf(registers, sizeof(registers), verbose ? "%u registers" : "%u",
				 writes);
		for (uint32_t n = 0; n < g->notes.count; n++)
			text_append(more, sizeof(more), "%s%s",
				    n ? "; " : "Note: ", g->notes.items[n]);
		add(&w, &(struct item){.name = g->name,
				       .cells = {metrics, registers},
				       .meaning = g->title,
				       .more = more});
	}
	return list_end(&w);
}

static bool list_sections(struct listing *l)
{
	for (uint32_t i = 0; i < l->view.section_count; i++) {
		const struct sx_section_info *s = &l->view.sections[i];
		int depth = 0;
		if (!list_wanted(l, s->id, s->title, NULL))
			continue;
		for (uint32_t p = s->parent; p != SX_NONE; p = l->view.sections[p].parent)
			depth++;
		fprintf(l->to->out.out, "%*s%s  %s\n", 2 * depth, "", s->id, s->title);
		l->shown++;
	}
	return true;
}

static bool list_constants(struct listing *l)
{
	static const struct text_column columns[] = {{"constant", TEXT_LEFT, 0, 0, false, false},
						     {"default", TEXT_RIGHT, 0, 0, false, false},
						     {"unit", TEXT_LEFT, 0, 0, false, false},
						     {"meaning", TEXT_LEFT, 2, 20, false, false}};
	struct writer w;
	list_begin(&w, l, columns, 4);
	for (uint32_t i = 0; i < l->view.constant_count; i++) {
		const struct sx_constant_info *c = &l->view.constants[i];
		char number[32], value[64] = "";
		if (!list_wanted(l, c->name, c->description, NULL))
			continue;
		if (c->has_value) {
			json_format_f64(number, c->value);
			snprintf(value, sizeof(value), "%s%s", l->to->verbose ? "default " : "",
				 number);
		}
		add(&w, &(struct item){
			    .name = c->name, .cells = {value, c->unit}, .meaning = c->description});
	}
	return list_end(&w);
}

bool list_text(struct listing *l, const char *what)
{
	if (strcmp(what, "metrics") == 0)
		return list_metrics(l);
	if (strcmp(what, "counters") == 0)
		return list_counters(l);
	if (strcmp(what, "sections") == 0)
		return list_sections(l);
	if (strcmp(what, "constants") == 0)
		return list_constants(l);
	return list_groups(l, strcmp(what, "sets") == 0);
}
