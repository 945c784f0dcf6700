/* Why a rule cannot be judged: the missing counters, constants and sets, as text. */
#include "analysis/rules/rules.h"
#include "base/no_data.h"
#include "base/text_buf.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <string.h>

#define LISTED_MAX 6 /* names in a sentence; the list has all */

/* What has been found missing so far. */
struct gap {
	const struct rules *rules;
	struct arena *arena;
	const char **items; /* counters and constants */
	size_t count, cap;
	const char *reason; /* what no counter would cure; the first one counts */
};

static const char *keep(struct gap *gap, const char *text)
{
	const char *copy = arena_strndup(gap->arena, text, strlen(text));
	return copy ? copy : "out of memory";
}

static void lack(struct gap *gap, const char *name)
{
	for (size_t i = 0; i < gap->count; i++)
		if (strcmp(gap->items[i], name) == 0)
			return;
	if (gap->count == gap->cap) {
		size_t cap = gap->cap ? gap->cap * 2 : 8;
		const char **items = arena_alloc(gap->arena, cap * sizeof(*items));
		if (!items)
			return;
		if (gap->count)
			memcpy(items, gap->items, gap->count * sizeof(*items));
		gap->items = items;
		gap->cap = cap;
	}
	gap->items[gap->count++] = name;
}

static void lack_of_column(struct gap *gap, const struct rule_name *name)
{
	uint32_t count;
	const struct rules *rules = gap->rules;
	char text[512];
	if (name->column == SX_NONE)
		return;
	const struct sx_metric_column *column =
	    &sx_metrics_columns(rules->metrics, &count)[name->column];
	if (column->why && !gap->reason) {
		snprintf(text, sizeof(text), "%s: %s", name->name, column->why);
		gap->reason = keep(gap, text);
	}
	const struct sx_metric_input *inputs = sx_metrics_inputs(rules->metrics, &count);
	const uint32_t *used = sx_metrics_column_inputs(rules->metrics, name->column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (rules->missing[used[i]])
			lack(gap, keep(gap, inputs[used[i]].name));
}

static void lack_of_constant(struct gap *gap, const struct rule_name *name)
{
	uint32_t count;
	const struct rules *rules = gap->rules;
	const struct sx_constant_info *all = sx_catalog_constants(rules->catalog, &count);
	bool known = all[name->index].has_value ||
		     constants_given(rules->catalog, name->index,
				     &(struct constants_list){rules->options.constants,
							      rules->options.constant_count});
	for (uint32_t i = 0; !known && i < sx_table_column_count(rules->raw); i++)
		known = sx_catalog_find_constant(
			    rules->catalog, sx_table_column(rules->raw, i)->name) == name->index;
	if (!known)
		lack(gap, all[name->index].name);
}

static void lack_of_time(struct gap *gap)
{
	if (!gap->rules->timed)
		lack(gap, "duration_ns");
}

static const char *set_name(const struct rules *rules, uint32_t group)
{
	uint32_t count;
	return group == SX_NONE ? "none" : sx_catalog_groups(rules->catalog, &count)[group].name;
}

static void blocked(struct gap *gap, const struct rule_name *name)
{
	uint32_t count;
	char detail[256], text[512] = "";
	const struct rules *rules = gap->rules;
	enum no_data why = NO_DATA_OTHER_SOURCE;
	if (gap->reason)
		return;
	if (name->target == RULE_ELSEWHERE) {
		const struct sx_metric_info *metrics = sx_catalog_metrics(rules->catalog, &count);
		snprintf(detail, sizeof(detail), "set %s%s, not %s",
			 set_name(rules, metrics[name->index].group),
			 name->group_count > 1 ? " and others" : "", set_name(rules, rules->set));
	} else if (name->target == RULE_AMBIGUOUS) {
		snprintf(detail, sizeof(detail), "--set chooses one of %u", name->group_count);
	} else {
		why = NO_DATA_NO_COUNTER;
		snprintf(detail, sizeof(detail), "the catalog does not know it");
	}
	text_append(text, sizeof(text), "%s: ", name->name);
	no_data_append(text, sizeof(text), why, detail);
	gap->reason = keep(gap, text);
}

static void walk(struct gap *gap, const struct sx_node *node)
{
	const struct rule_name *name =
	    node->kind == SX_NODE_NAME ? rules_find(gap->rules, node->name) : NULL;
	if (name && name->target == RULE_COLUMN)
		lack_of_column(gap, name);
	else if (name && name->target == RULE_CONSTANT)
		lack_of_constant(gap, name);
	else if (name && (name->target == RULE_DURATION || name->target == RULE_SECONDS))
		lack_of_time(gap);
	else if (name)
		blocked(gap, name);
	for (uint32_t i = 0; i < node->child_count; i++)
		walk(gap, node->children[i]);
}

static const char *sentence(struct gap *gap)
{
	char names[900] = "", text[1024] = "";
	for (size_t i = 0; i < gap->count && i < LISTED_MAX; i++) {
		uint32_t constant = sx_catalog_find_constant(gap->rules->catalog, gap->items[i]);
		text_append_item(names, sizeof(names), ", ", "%.128s%s", gap->items[i],
				 constant == SX_NONE ? "" : " with --const");
	}
	if (gap->count > LISTED_MAX)
		text_append(names, sizeof(names), " and %zu more", gap->count - LISTED_MAX);
	no_data_append(text, sizeof(text), NO_DATA_NOT_COLLECTED, names);
	return keep(gap, text);
}

struct rule_gap rules_gap(const struct rules *rules, const struct sx_node *node,
			  struct arena *arena)
{
	struct gap gap = {.rules = rules, .arena = arena};
	walk(&gap, node);
	const char *why = gap.reason ? gap.reason : gap.count ? sentence(&gap) : NULL;
	return (struct rule_gap){.why = why,
				 .missing = {.items = gap.items, .count = (uint32_t)gap.count}};
}
