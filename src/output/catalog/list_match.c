/* What of a catalog a pattern asks for. */
#include <fnmatch.h>
#include <string.h>

#include "output/catalog/list.h"

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
