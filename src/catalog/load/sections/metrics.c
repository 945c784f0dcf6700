/* Metrics: one entry of a catalog becomes one metric for each group that it names. */
#include "catalog/load/load.h"

#include <string.h>

#define METRICS_MAX 32768

struct metric {
	struct sx_metric_info info;
	const char *expr;
	const struct yaml_node *section, *sections, *groups, *exprs;
};

static const char *const metrics_types[] = {"u64", "f64", NULL};
/* In the order of enum sx_reduce; "" is no choice here. */
static const char *const metrics_over_time[] = {"",	"sum", "mean",	"max",
						"last", "",    "ratio", NULL};

/* In the order of enum sx_direction; "" is no choice here. */
static const char *const metrics_directions[] = {"", "lower", "higher", NULL};

#define AT(member) offsetof(struct metric, member)

static const struct field metric_fields[] = {
    {"name", FIELD_NAME, true, AT(info.name), NULL},
    {"aliases", FIELD_ALIASES, false, AT(info.aliases), NULL},
    {"title", FIELD_TEXT, false, AT(info.title), NULL},
    {"section", FIELD_NODE, false, AT(section), NULL},
    {"sections", FIELD_NODE, false, AT(sections), NULL},
    {"groups", FIELD_NODE, false, AT(groups), NULL},
    {"category", FIELD_TEXT, false, AT(info.category), NULL},
    {"unit", FIELD_UNIT, true, AT(info.unit), NULL},
    {"expr", FIELD_TEXT, false, AT(expr), NULL},
    {"exprs", FIELD_NODE, false, AT(exprs), NULL},
    {"max", FIELD_TEXT, false, AT(info.max), NULL},
    {"when", FIELD_TEXT, false, AT(info.when), NULL},
    {"over-time", FIELD_ENUM, false, AT(info.over_time), metrics_over_time},
    {"direction", FIELD_ENUM, false, AT(info.direction), metrics_directions},
    {"peak", FIELD_TEXT, false, AT(info.peak), NULL},
    {"neutral", FIELD_NAME, false, AT(info.neutral), NULL},
    {"type", FIELD_ENUM, false, AT(info.type), metrics_types},
    {"usage", FIELD_TEXT, false, AT(info.usage), NULL},
    {"apis", FIELD_NAMES, false, AT(info.apis), NULL},
    {"keep", FIELD_STRINGS, false, AT(info.keep), NULL},
    {"unavailable", FIELD_TEXT, false, AT(info.unavailable), NULL},
    {"description", FIELD_TEXT, false, AT(info.description), NULL},
    {"notes", FIELD_STRINGS, false, AT(info.notes), NULL},
    {"tags", FIELD_NAMES, false, AT(info.tags), NULL},
};

/* The forms of a metric, one for each variant; NULL where there is none. */
static bool read_exprs(struct loader *l, const struct yaml_node *n, struct metric *m)
{
	uint32_t variants = l->cat->info.variant_count;
	uint32_t count = variants ? variants : 1;
	const char **exprs = arena_alloc(&l->cat->arena, count * sizeof(*exprs));
	if (!exprs)
		return load_no_memory(l);
	for (uint32_t i = 0; i < count; i++)
		exprs[i] = m->expr;
	m->info.exprs = exprs;
	if (m->exprs && !load_expect(l, m->exprs, YAML_MAP, "exprs"))
		return false;
	for (const struct yaml_node *e = m->exprs ? m->exprs->first : NULL; e; e = e->next) {
		uint32_t v = sx_catalog_find_variant(l->cat, e->key);
		if (v == SX_NONE)
			return load_fail(l, e->line, "unknown variant \"%s\"", e->key);
		if (!load_expect(l, e, YAML_SCALAR, "an expression"))
			return false;
		if (!e->len)
			return load_fail(l, e->line, "the expression is empty");
		exprs[v] = e->text;
	}
	bool has_form = m->expr || (m->exprs && m->exprs->count);
	if (has_form == (m->info.unavailable != NULL))
		return load_fail(l, n->line, "metric \"%s\" needs either expr or unavailable",
				 m->info.name);
	return true;
}

static bool read_sections(struct loader *l, struct metric *m)
{
	if (!m->section && !m->sections)
		return true;
	if (m->section && m->sections)
		return load_fail(l, m->sections->line, "section and sections exclude each other");
	if (m->sections && !load_expect(l, m->sections, YAML_LIST, "sections"))
		return false;
	const struct yaml_node *n = m->section ? m->section : m->sections->first;
	uint32_t count = m->section ? 1 : m->sections->count;
	uint32_t *sections = arena_alloc(&l->cat->arena, count * sizeof(*sections));
	if (!sections)
		return load_no_memory(l);
	for (uint32_t i = 0; i < count; i++, n = n->next)
		if (!load_reference(l, n, INDEX_SECTION, &sections[i]))
			return false;
	m->info.sections = sections;
	m->info.section_count = count;
	return true;
}

static const char *qualify(struct loader *l, const char *group, const char *name)
{
	size_t group_len = strlen(group), name_len = strlen(name);
	char *text = arena_alloc(&l->cat->arena, group_len + 1 + name_len + 1);
	if (!text) {
		load_no_memory(l);
		return NULL;
	}
	memcpy(text, group, group_len);
	text[group_len] = '.';
	memcpy(text + group_len + 1, name, name_len);
	return text;
}

/* Adds one metric of one group (or SX_NONE) to the array, which has room for it. */
static bool add_metric(struct loader *l, const struct sx_metric_info *info, uint32_t group)
{
	struct sx_catalog *cat = l->cat;
	uint32_t index = cat->metric_count;
	struct sx_metric_info *out = &cat->metrics[index];
	*out = *info;
	out->group = group;
	out->qualified = out->name;
	cat->lines[INDEX_METRIC][index] = info->line;
	out->line = info->line & YAML_LINE_MASK;
	if (group != SX_NONE && !(out->qualified = qualify(l, cat->groups[group].name, out->name)))
		return false;
	cat->metric_count++;
	uint32_t key = group == SX_NONE ? INDEX_NO_GROUP : group;
	struct index_key named = {INDEX_METRIC, key, out->name};
	return load_bind(l, info->line, named, index) &&
	       load_bind_aliases(l, info->line, named, &out->aliases, index);
}

static bool load_metric(struct loader *l, const struct yaml_node *n)
{
	struct metric m = {.info = {.description = "",
				    .type = SX_F64,
				    .over_time = SX_REDUCE_RATIO,
				    .group = SX_NONE,
				    .line = n->line}};
	if (!fields_read(l, n, FIELDS("a metric", metric_fields), &m) || !read_exprs(l, n, &m) ||
	    !read_sections(l, &m))
		return false;
	if (!m.info.title)
		m.info.title = m.info.name;
	if (!m.groups)
		return add_metric(l, &m.info, SX_NONE);
	if (m.groups->count == 0)
		return load_fail(l, m.groups->line, "groups is empty");
	for (const struct yaml_node *g = m.groups->first; g; g = g->next) {
		uint32_t group;
		if (!load_reference(l, g, INDEX_GROUP, &group) || !add_metric(l, &m.info, group))
			return false;
	}
	return true;
}

/* How many metrics the list will become; a metric without groups is one. */
static uint32_t count_metrics(const struct yaml_node *list)
{
	uint32_t count = 0;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		uint32_t here = 1;
		for (const struct yaml_node *f = n->first; f; f = f->next)
			if (f->key && strcmp(f->key, "groups") == 0 && f->count)
				here = f->count;
		count += here;
	}
	return count;
}

bool load_metrics(struct loader *l, const struct yaml_node *list)
{
	uint32_t count = count_metrics(list);
	if (count > METRICS_MAX)
		return load_limit(l, list->line, "too many metrics",
				  "there may be 32768, counted once for each of their groups");
	l->cat->metrics = arena_alloc(&l->cat->arena, count * sizeof(*l->cat->metrics));
	l->cat->lines[INDEX_METRIC] = arena_alloc(&l->cat->arena, count * sizeof(uint32_t));
	if (!l->cat->metrics || !l->cat->lines[INDEX_METRIC])
		return load_no_memory(l);
	for (const struct yaml_node *n = list->first; n; n = n->next)
		if (!load_metric(l, n))
			return false;
	return true;
}
