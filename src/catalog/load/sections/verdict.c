/* Reads verdict.yaml with the same tables and limits as catalogs. */
#include "catalog/verdict.h"

#include <string.h>

#include "catalog/embedded.h"
#include "catalog/load/load.h"

struct file {
	const struct yaml_node *window, *facts, *verdicts;
};

static const struct field file_fields[] = {
    {"window", FIELD_NODE, true, offsetof(struct file, window), NULL},
    {"facts", FIELD_NODE, true, offsetof(struct file, facts), NULL},
    {"verdicts", FIELD_NODE, true, offsetof(struct file, verdicts), NULL},
};

struct window {
	uint32_t time_ms, frames, most, steady;
};

static const struct field window_fields[] = {
    {"time_ms", FIELD_U32, true, offsetof(struct window, time_ms), NULL},
    {"frames", FIELD_U32, true, offsetof(struct window, frames), NULL},
    {"most", FIELD_U32, true, offsetof(struct window, most), NULL},
    {"steady", FIELD_U32, true, offsetof(struct window, steady), NULL},
};

/* By enum verdict_bound. */
static const char *const bounds[] = {"", "lower", "upper", NULL};

static const struct field way_fields[] = {
    {"expr", FIELD_TEXT, true, offsetof(struct verdict_way, expr), NULL},
    {"trust", FIELD_F64, false, offsetof(struct verdict_way, trust), NULL},
    {"bound", FIELD_ENUM, false, offsetof(struct verdict_way, bound), bounds},
    {"of", FIELD_TEXT, false, offsetof(struct verdict_way, of), NULL},
};

struct fact {
	struct verdict_fact fact;
	const struct yaml_node *from;
};

static const struct field fact_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct fact, fact.name), NULL},
    {"title", FIELD_TEXT, true, offsetof(struct fact, fact.title), NULL},
    {"unit", FIELD_UNIT, true, offsetof(struct fact, fact.unit), NULL},
    {"from", FIELD_NODE, true, offsetof(struct fact, from), NULL},
    {"remedy", FIELD_TEXT, false, offsetof(struct fact, fact.remedy), NULL},
    {"files", FIELD_TEXT, false, offsetof(struct fact, fact.in_files), NULL},
    {"nowhere", FIELD_TEXT, false, offsetof(struct fact, fact.nowhere), NULL},
    {"undecided", FIELD_TEXT, false, offsetof(struct fact, fact.undecided), NULL},
    {"elsewhere", FIELD_TEXT, false, offsetof(struct fact, fact.elsewhere), NULL},
};

static const struct field rule_fields[] = {
    {"name", FIELD_NAME, true, offsetof(struct verdict_rule, name), NULL},
    {"title", FIELD_TEXT, true, offsetof(struct verdict_rule, title), NULL},
    {"when", FIELD_TEXT, true, offsetof(struct verdict_rule, when), NULL},
    {"keep", FIELD_TEXT, true, offsetof(struct verdict_rule, keep), NULL},
    {"needs", FIELD_NAMES, true, offsetof(struct verdict_rule, needs), NULL},
    {"which", FIELD_NAMES, false, offsetof(struct verdict_rule, which), NULL},
    {"evidence", FIELD_NAMES, true, offsetof(struct verdict_rule, evidence), NULL},
    {"advice", FIELD_TEXT, true, offsetof(struct verdict_rule, advice), NULL},
};

uint32_t verdict_fact_find(const struct verdict_rules *rules, const char *name)
{
	for (uint32_t i = 0; i < rules->fact_count; i++)
		if (strcmp(rules->facts[i].name, name) == 0)
			return i;
	return SX_NONE;
}

static bool read_formula(struct loader *l, uint32_t line, const char *text, struct sx_expr **out)
{
	struct sx_error why = {0};
	enum sx_status status = sx_expr_parse(text, SX_INFIX, out, &why);
	if (status == SX_ERR_NO_MEMORY)
		return load_no_memory(l);
	return !status || load_fail(l, line, "\"%s\": %s", text, why.message);
}

/* Room for what a list of mappings becomes, in the memory of the loader; NULL after a failure. */
static void *make_room(struct loader *l, const struct yaml_node *list, const char *what,
		       size_t size)
{
	return load_expect(l, list, YAML_LIST, what) ? load_array(l, list, size) : NULL;
}

static bool read_ways(struct loader *l, const struct yaml_node *list, struct verdict_fact *fact)
{
	fact->ways = make_room(l, list, "from", sizeof(*fact->ways));
	if (!fact->ways)
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		struct verdict_way *way = &fact->ways[fact->way_count++];
		way->trust = 1;
		if (!fields_read(l, n, FIELDS("a formula", way_fields), way) ||
		    !read_formula(l, n->line, way->expr, &way->tree))
			return false;
		if (!(way->trust > 0 && way->trust <= 1))
			return load_fail(l, n->line, "trust must be above 0 and at most 1");
	}
	return true;
}

static bool read_facts(struct loader *l, const struct yaml_node *list, struct verdict_rules *out)
{
	out->facts = make_room(l, list, "facts", sizeof(*out->facts));
	if (!out->facts)
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		struct fact fact = {.from = NULL};
		if (!fields_read(l, n, FIELDS("a fact", fact_fields), &fact))
			return false;
		if (verdict_fact_find(out, fact.fact.name) != SX_NONE)
			return load_fail(l, n->line, "\"%s\" appears twice", fact.fact.name);
		if (out->fact_count == VERDICT_FACTS_MAX)
			return load_fail(l, n->line, "more than %u facts", VERDICT_FACTS_MAX);
		fact.fact.line = n->line;
		out->facts[out->fact_count] = fact.fact;
		if (!read_ways(l, fact.from, &out->facts[out->fact_count++]))
			return false;
	}
	return true;
}

static bool check_facts(struct loader *l, uint32_t line, const struct verdict_rules *rules,
			const struct sx_strings *names)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (verdict_fact_find(rules, names->items[i]) == SX_NONE)
			return load_fail(l, line, "there is no fact \"%s\"", names->items[i]);
	return true;
}

static bool read_rules(struct loader *l, const struct yaml_node *list, struct verdict_rules *out)
{
	out->rules = make_room(l, list, "verdicts", sizeof(*out->rules));
	if (!out->rules)
		return false;
	for (const struct yaml_node *n = list->first; n; n = n->next) {
		struct verdict_rule *rule = &out->rules[out->rule_count++];
		rule->line = n->line;
		if (!fields_read(l, n, FIELDS("a verdict", rule_fields), rule) ||
		    !read_formula(l, n->line, rule->when, &rule->when_tree) ||
		    !read_formula(l, n->line, rule->keep, &rule->keep_tree) ||
		    !check_facts(l, n->line, out, &rule->needs) ||
		    !check_facts(l, n->line, out, &rule->which) ||
		    !check_facts(l, n->line, out, &rule->evidence))
			return false;
	}
	return true;
}

static bool read_window(struct loader *l, const struct yaml_node *map, struct verdict_rules *out)
{
	struct window w = {0};
	if (!fields_read(l, map, FIELDS("the window", window_fields), &w))
		return false;
	if (!w.time_ms || !w.most || w.most > 4096)
		return load_fail(l, map->line,
				 "a window lasts 1 ms or more, and there are 1 to "
				 "4096 of them");
	out->window_ns = (uint64_t)w.time_ms * 1000000;
	out->frames = w.frames;
	out->most = w.most;
	out->steady = w.steady;
	return true;
}

static bool verdict_read_file(struct loader *l, const struct yaml_node *root,
			      struct verdict_rules *out)
{
	struct file file = {0};
	bool fine = fields_read(l, root, FIELDS("the verdict's rules", file_fields), &file) &&
		    read_window(l, file.window, out) && read_facts(l, file.facts, out) &&
		    read_rules(l, file.verdicts, out);
	if (fine && !out->rule_count) /* the last rule is for missing data */
		return load_fail(l, file.verdicts->line, "there is no verdict");
	return fine;
}

enum sx_status verdict_rules_parse(const char *text, size_t size, const char *origin,
				   struct verdict_rules *out, struct sx_error *err)
{
	struct sx_catalog memory = {.arena = {0}}; /* of texts and lists */
	struct arena nodes = {0};
	struct yaml_node *root;
	struct loader l = {.cat = &memory, .files = {origin}, .err = err};
	struct yaml_input input = {text, size, origin, false};
	*out = (struct verdict_rules){.window_ns = 0};
	units_init(&l.units);
	enum sx_status status = yaml_read(&input, &nodes, &memory.arena, &root, err);
	if (status == SX_OK && !verdict_read_file(&l, root, out))
		status = l.status;
	out->arena = memory.arena;
	arena_finish(&nodes);
	if (status != SX_OK)
		verdict_rules_finish(out);
	return status;
}

enum sx_status verdict_rules_read(struct verdict_rules *out, struct sx_error *err)
{
	const struct embedded_file *file = embedded_data;
	while (strcmp(file->name, "verdict.yaml") != 0)
		file++;
	return verdict_rules_parse(file->begin, (size_t)(file->end - file->begin), file->name, out,
				   err);
}

void verdict_rules_finish(struct verdict_rules *rules)
{
	for (uint32_t i = 0; i < rules->fact_count; i++)
		for (uint32_t w = 0; w < rules->facts[i].way_count; w++)
			sx_expr_destroy(rules->facts[i].ways[w].tree);
	for (uint32_t i = 0; i < rules->rule_count; i++) {
		sx_expr_destroy(rules->rules[i].when_tree);
		sx_expr_destroy(rules->rules[i].keep_tree);
	}
	arena_finish(&rules->arena);
	*rules = (struct verdict_rules){.window_ns = 0};
}
