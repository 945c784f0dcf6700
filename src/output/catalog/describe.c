/* Catalog things as JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/catalog/catalog.h"
#include "catalog/column.h"
#include "catalog/internal.h"
#include "base/no_data.h"
#include "base/number.h"
#include "base/text_buf.h"

#define NAME_ROOM 100

static bool is_same(const struct sx_metric_info *a, const struct sx_metric_info *b,
		    uint32_t variant)
{
	const char *x = a->exprs ? a->exprs[variant] : NULL;
	const char *y = b->exprs ? b->exprs[variant] : NULL;
	return x && y && strcmp(x, y) == 0 && strcmp(a->unit, b->unit) == 0;
}

/* The next metric from `at` on that has the name of `index` in another group; SX_NONE: no more. */
static uint32_t next_of_name(const struct catalog_view *view, uint32_t index, uint32_t at)
{
	const struct sx_metric_info *m = view->metrics;
	for (uint32_t i = at; i < view->metric_count; i++)
		if (i != index && m[i].group != SX_NONE && strcmp(m[i].name, m[index].name) == 0)
			return i;
	return SX_NONE;
}

static const char *group_of(const struct catalog_view *view, uint32_t index)
{
	return view->groups[view->metrics[index].group].name;
}

void also_describe(const struct catalog_view *view, uint32_t index, uint32_t variant,
		   struct also *out)
{
	uint32_t same = 0, other = 0;
	*out = (struct also){.other = ""};
	for (uint32_t i = next_of_name(view, index, 0); i != SX_NONE;
	     i = next_of_name(view, index, i + 1)) {
		if (is_same(&view->metrics[index], &view->metrics[i], variant)) {
			same++;
			continue;
		}
		size_t used = strlen(out->other);
		if (used + NAME_ROOM < sizeof(out->other))
			text_append(out->other, sizeof(out->other), "%s%s",
				    other ? ", " : "with another formula in ", group_of(view, i));
		other++;
	}
	if (same)
		snprintf(out->same, sizeof(out->same), "the same in %s",
			 COUNTED(same, other ? "other set" : "further set"));
}

void also_json(struct json *json, const struct catalog_view *view, uint32_t index, uint32_t variant)
{
	static const char *const keys[] = {"other_formula", "same_formula"};
	json_kv_object_flat(json, "also");
	for (int same = 0; same < 2; same++) {
		json_kv_array_flat(json, keys[same]);
		for (uint32_t i = next_of_name(view, index, 0); i != SX_NONE;
		     i = next_of_name(view, index, i + 1))
			if (is_same(&view->metrics[index], &view->metrics[i], variant) == same)
				json_string(json, group_of(view, i));
		json_array_end(json);
	}
	json_object_end(json);
}

struct catalog_view describe_view(struct sx_catalog *catalog)
{
	struct catalog_view v = {.catalog = catalog, .info = sx_catalog_info(catalog)};
	v.constants = sx_catalog_constants(catalog, &v.constant_count);
	v.blocks = sx_catalog_blocks(catalog, &v.block_count);
	v.sections = sx_catalog_sections(catalog, &v.section_count);
	v.groups = sx_catalog_groups(catalog, &v.group_count);
	v.counters = sx_catalog_counters(catalog, &v.counter_count);
	v.metrics = sx_catalog_metrics(catalog, &v.metric_count);
	v.advice = sx_catalog_advice(catalog, &v.advice_count);
	return v;
}

const char *describe_metric_name(const struct catalog_view *view, uint32_t metric)
{
	uint32_t matches = 1;
	const struct sx_metric_info *info = &view->metrics[metric];
	sx_catalog_find_metric(view->catalog, info->name, SX_NONE, &matches);
	return matches > 1 ? info->qualified : info->name;
}

bool describe_find(const struct catalog_view *view, const char *name, uint32_t group,
		   uint32_t *metric, uint32_t *counter)
{
	*metric = sx_catalog_find_metric(view->catalog, name, group, NULL);
	*counter = sx_catalog_find_counter(view->catalog, name, SX_NONE, NULL);
	for (uint32_t i = 0; *metric == SX_NONE && *counter == SX_NONE && i < view->metric_count;
	     i++) {
		const struct sx_metric_info *m = &view->metrics[i];
		if (m->neutral && strcmp(m->neutral, name) == 0 &&
		    (group == SX_NONE || m->group == group))
			*metric = i;
	}
	for (uint32_t i = 0; *metric == SX_NONE && *counter == SX_NONE && i < view->counter_count;
	     i++)
		if (view->counters[i].neutral && strcmp(view->counters[i].neutral, name) == 0)
			*counter = i;
	if (*metric == SX_NONE && *counter == SX_NONE) {
		struct column_meaning is = column_meaning(view->catalog, name, group);
		*metric = is.metric;
		*counter = is.counter.counter;
	}
	return *metric != SX_NONE || *counter != SX_NONE;
}

bool describe_may_find(struct sx_context *context, const char *catalog, const char *name)
{
	struct catalog_names names;
	catalog_names_begin(context, &name, 1, &names);
	return catalog_names_most(&names, catalog) > 0;
}

static const char *describe_reduce(enum sx_reduce reduce)
{
	static const char *const names[] = {"single", "sum",  "mean", "max",
					    "last",   "each", "ratio"};
	return names[reduce];
}

const char *describe_section_title(const struct sx_catalog *catalog, const char *id)
{
	uint32_t count;
	const struct sx_section_info *all = sx_catalog_sections(catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (strcmp(all[i].id, id) == 0)
			return all[i].title;
	return NULL;
}

const char *describe_severity(enum sx_severity severity)
{
	static const char *const names[] = {"high", "medium", "low", "info"};
	return names[severity];
}

static size_t count_names(const struct sx_node *node)
{
	size_t count = node->kind == SX_NODE_NAME;
	for (uint32_t i = 0; i < node->child_count; i++)
		count += count_names(node->children[i]);
	return count;
}

/* Aliases in formulas are shown as the counters they mean. */
static const char *canonical(const struct catalog_view *view, const char *name)
{
	uint32_t counter = sx_catalog_find_counter(view->catalog, name, SX_NONE, NULL);
	return counter == SX_NONE ? name : view->counters[counter].name;
}

static void collect_names(const struct catalog_view *view, const struct sx_node *node,
			  const char **out, size_t *count)
{
	if (node->kind == SX_NODE_NAME) {
		const char *name = canonical(view, node->name);
		for (size_t i = 0; i < *count; i++)
			if (strcmp(out[i], name) == 0)
				return;
		out[(*count)++] = name;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		collect_names(view, node->children[i], out, count);
}

const char **describe_inputs(const struct catalog_view *view, const char *expr,
			     struct sx_expr **parsed)
{
	size_t count = 0;
	*parsed = NULL;
	enum sx_status status =
	    expr ? sx_expr_parse(expr, view->info->notation, parsed, NULL) : SX_OK;
	const struct sx_node *root = *parsed ? sx_expr_root(*parsed) : NULL;
	const char **out = calloc(root ? count_names(root) + 1 : 1, sizeof(*out));
	if (out && root)
		collect_names(view, root, out, &count);
	if (view->no_memory && (!out || status == SX_ERR_NO_MEMORY))
		*view->no_memory = true;
	return out;
}

void describe_strings_json(struct json *json, const char *key, const struct sx_strings *strings)
{
	json_kv_array_flat(json, key);
	for (uint32_t i = 0; i < strings->count; i++)
		json_string(json, strings->items[i]);
	json_array_end(json);
}

static void path_titles(struct json *json, const struct catalog_view *view, uint32_t section)
{
	if (section == SX_NONE)
		return;
	path_titles(json, view, view->sections[section].parent);
	json_string(json, view->sections[section].title);
}

static void sections_json(struct json *json, const struct catalog_view *view,
			  const struct sx_metric_info *m)
{
	uint32_t first = m->section_count ? m->sections[0] : SX_NONE;
	json_kv_string(json, "section", first == SX_NONE ? NULL : view->sections[first].id);
	json_kv_array_flat(json, "sections");
	for (uint32_t i = 0; i < m->section_count; i++)
		json_string(json, view->sections[m->sections[i]].id);
	json_array_end(json);
	json_kv_array_flat(json, "path");
	if (first != SX_NONE)
		path_titles(json, view, view->sections[first].parent);
	json_array_end(json);
}

/* What is known of good and bad values, and of the most that there can be. */
static void judgement_json(struct json *json, enum sx_direction direction, const char *peak)
{
	if (direction)
		json_kv_string(json, "direction",
			       direction == SX_DIRECTION_LOWER ? "lower" : "higher");
	if (peak)
		json_kv_string(json, "peak", peak);
}

static void describe_inputs_json(struct json *json, const struct catalog_view *view,
				 const char *expr)
{
	struct sx_expr *parsed;
	const char **inputs = describe_inputs(view, expr, &parsed);
	json_kv_array_flat(json, "inputs");
	for (size_t i = 0; inputs && inputs[i]; i++)
		json_string(json, inputs[i]);
	json_array_end(json);
	free(inputs);
	sx_expr_destroy(parsed);
}

/* What only some vendors' metrics have. */
static void vendor_json(struct json *json, const struct catalog_view *view,
			const struct sx_metric_info *m)
{
	const struct sx_group_info *group = m->group == SX_NONE ? NULL : &view->groups[m->group];
	if (group)
		json_kv_string(json, group->kind == SX_GROUP_SET ? "set" : "group", group->name);
	if (m->apis.count)
		describe_strings_json(json, "apis", &m->apis);
	if (m->category)
		json_kv_string(json, group ? "category" : "group", m->category);
	if (m->usage)
		json_kv_string(json, "usage", m->usage);
	json_kv_string(json, "type", m->type == SX_U64 ? "uint64" : "float64");
	if (m->max)
		json_kv_string(json, "max", m->max);
	json_kv_bool(json, "available", !m->unavailable);
	if (m->unavailable) {
		char why[256] = "";
		no_data_append(why, sizeof(why), NO_DATA_NO_FORMULA, m->unavailable);
		json_kv_string(json, "why", why);
	}
}

/* The catalog's unit, which formulas come to, and the one that numbers for machines are in. */
static void unit_json(struct json *json, const struct catalog_view *view, const char *unit)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	json_kv_string(json, "unit", unit);
	if (view->units)
		json_kv_string(json, "base_unit",
			       unit ? units_base(view->units, unit, buf, &factor) : NULL);
}

void describe_metric_json(struct json *json, const struct catalog_view *view, uint32_t metric,
			  uint32_t variant)
{
	const struct sx_metric_info *m = &view->metrics[metric];
	const char *expr = m->exprs ? m->exprs[variant] : NULL;
	for (uint32_t i = 0; !expr && m->exprs && i < view->info->variant_count; i++)
		expr = m->exprs[i];
	json_object_begin(json);
	if (view->names_catalog)
		json_kv_string(json, "for", view->info->name);
	json_kv_string(json, "name", describe_metric_name(view, metric));
	if (m->group != SX_NONE)
		json_kv_string(json, "symbol", m->name);
	json_kv_string(json, "title", m->title);
	sections_json(json, view, m);
	unit_json(json, view, m->unit);
	json_kv_string(json, "expression", expr);
	describe_inputs_json(json, view, expr);
	json_kv_string(json, "neutral", m->neutral);
	judgement_json(json, m->direction, m->peak);
	vendor_json(json, view, m);
	describe_strings_json(json, "aliases", &m->aliases);
	if (m->notes.count)
		describe_strings_json(json, "notes", &m->notes);
	json_kv_string(json, "description", m->description);
	json_object_end(json);
}

void describe_counter_json(struct json *json, const struct catalog_view *view, uint32_t counter)
{
	const struct sx_counter_info *c = &view->counters[counter];
	json_object_begin(json);
	if (view->names_catalog)
		json_kv_string(json, "for", view->info->name);
	json_kv_string(json, "name", c->name);
	describe_strings_json(json, "aliases", &c->aliases);
	json_kv_string(json, "block", c->block == SX_NONE ? NULL : view->blocks[c->block].name);
	json_key(json, "slot");
	if (c->slot == SX_NONE)
		json_null(json);
	else
		json_u64(json, c->slot);
	if (c->group != SX_NONE)
		json_kv_string(json, "group", view->groups[c->group].name);
	json_kv_u64(json, "bits", c->bits);
	json_kv_u64(json, "scale", c->scale);
	json_kv_string(json, "reduce", describe_reduce(c->reduce));
	unit_json(json, view, c->unit);
	json_kv_string(json, "neutral", c->neutral);
	judgement_json(json, c->direction, c->peak);
	if (c->tags.count)
		describe_strings_json(json, "tags", &c->tags);
	if (c->notes.count)
		describe_strings_json(json, "notes", &c->notes);
	json_kv_string(json, "description", c->description);
	json_object_end(json);
}

enum sx_status describe_group(const struct catalog_view *view, const char *name, uint32_t *out,
			      struct sx_error *err)
{
	uint32_t group = name ? sx_catalog_find_group(view->catalog, name) : *out;
	if (name && group == SX_NONE)
		return refs_no_group(view->catalog, name, err);
	*out = group;
	return SX_OK;
}

enum sx_status describe_variant(const struct catalog_view *view, const char *name, uint32_t *out,
				struct sx_error *err)
{
	uint32_t variant = name ? sx_catalog_find_variant(view->catalog, name) : *out;
	if (name && variant == SX_NONE)
		return refs_no_variant(view->catalog, name, err);
	*out = variant;
	return SX_OK;
}
