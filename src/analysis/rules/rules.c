/* Names in rules: resolved once for all rules, in the set that the counters were made under. */
#include "analysis/rules/rules.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/internal.h"
#include "metric/metrics.h"

const struct rule_name *rules_find(const struct rules *rules, const char *name)
{
	for (size_t i = 0; i < rules->name_count; i++)
		if (strcmp(rules->names[i].name, name) == 0)
			return &rules->names[i];
	return NULL;
}

static bool add_name(struct rules *rules, const char *name)
{
	if (rules_find(rules, name))
		return true;
	if (!mem_grow(&rules->names, &rules->name_cap, rules->name_count + 1,
		      sizeof(*rules->names)))
		return false;
	rules->names[rules->name_count++] = (struct rule_name){.name = name, .column = SX_NONE};
	return true;
}

static bool add_names(struct rules *rules, const struct sx_node *node)
{
	bool ok = node->kind != SX_NODE_NAME || add_name(rules, node->name);
	for (uint32_t i = 0; ok && i < node->child_count; i++)
		ok = add_names(rules, node->children[i]);
	return ok;
}

static enum sx_status collect_names(struct rules *rules, struct sx_error *err)
{
	bool ok = true;
	for (uint32_t i = 0; ok && i < rules->count; i++) {
		const struct sx_advice_info *info = &rules->infos[i];
		if (info->when)
			ok = sx_expr_parse(info->when, SX_INFIX, &rules->conditions[i], NULL) !=
			     SX_ERR_NO_MEMORY;
		if (ok && rules->conditions[i])
			ok = add_names(rules, sx_expr_root(rules->conditions[i]));
		if (ok && info->metric)
			ok = add_name(rules, info->metric);
	}
	return ok ? SX_OK : error_nomem(err, "reading advice");
}

/* Metrics of another set cannot be had from counts that were made under this one. */
static enum rule_target target_of_metric(const struct rules *rules, uint32_t set, uint32_t group)
{
	uint32_t count;
	if (set == SX_NONE || group == SX_NONE || group == set)
		return RULE_COLUMN;
	bool heading = sx_catalog_groups(rules->catalog, &count)[group].kind == SX_GROUP_LIST;
	return heading ? RULE_COLUMN : RULE_ELSEWHERE;
}

/* Rules name metrics first, then whatever a formula could name. */
static void resolve_name(const struct rules *rules, struct rule_name *name, uint32_t set)
{
	uint32_t count, matches = 1;
	const struct sx_metric_info *metrics = sx_catalog_metrics(rules->catalog, &count);
	name->index = SX_NONE;
	if (set != SX_NONE)
		name->index = sx_catalog_find_metric(rules->catalog, name->name, set, NULL);
	if (name->index == SX_NONE)
		name->index = sx_catalog_find_metric(rules->catalog, name->name, SX_NONE, &matches);
	name->counter = false;
	name->group_count = matches;
	if (name->index != SX_NONE) {
		name->target = target_of_metric(rules, set, metrics[name->index].group);
		if (name->target == RULE_COLUMN && matches > 1)
			name->target = RULE_AMBIGUOUS;
		return;
	}
	switch (refs_resolve(rules->catalog, name->name, set, &name->index, NULL)) {
	case REF_COUNTER:
		name->counter = true;
		name->target = RULE_COLUMN;
		return;
	case REF_CONSTANT:
		name->target = RULE_CONSTANT;
		return;
	case REF_BUILTIN:
		name->target = strcmp(name->name, "seconds") ? RULE_DURATION : RULE_SECONDS;
		return;
	default:
		name->target = RULE_UNKNOWN;
	}
}

/* The name that selects exactly this metric or counter. Buffers hold "Group.name" of counters. */
static const char *pattern_of(const struct rules *rules, const struct rule_name *name,
			      struct arena *arena)
{
	uint32_t count;
	if (!name->counter)
		return sx_catalog_metrics(rules->catalog, &count)[name->index].qualified;
	const struct sx_counter_info *info =
	    &sx_catalog_counters(rules->catalog, &count)[name->index];
	if (info->group == SX_NONE)
		return info->name;
	const char *group = sx_catalog_groups(rules->catalog, &count)[info->group].name;
	size_t head = strlen(group), tail = strlen(info->name);
	char *text = arena_alloc(arena, head + tail + 2);
	if (!text)
		return NULL;
	memcpy(text, group, head);
	text[head] = '.';
	memcpy(text + head + 1, info->name, tail);
	return text;
}

/* Selects what the names refer to; *out stays NULL when that is nothing. */
static enum sx_status select_named(const struct rules *rules, struct sx_metrics **out,
				   struct sx_error *err)
{
	struct arena arena = {.chunk_bytes = 4096};
	struct sx_metrics_options wanted = rules->options;
	const char **patterns = calloc(rules->name_count + 1, sizeof(*patterns));
	uint32_t count = 0;
	bool ok = patterns != NULL;
	for (size_t i = 0; ok && i < rules->name_count; i++) {
		if (rules->names[i].target != RULE_COLUMN)
			continue;
		patterns[count] = pattern_of(rules, &rules->names[i], &arena);
		ok = patterns[count++] != NULL;
	}
	wanted.set = NULL;
	wanted.patterns = patterns;
	wanted.pattern_count = count;
	enum sx_status status = ok ? SX_OK : error_nomem(err, "reading advice");
	if (!status && count)
		status = sx_metrics_create(rules->catalog, &wanted, out, err);
	free(patterns);
	arena_finish(&arena);
	return status;
}

static enum sx_status find_missing(const struct sx_metrics *metrics, struct sx_evaluation *e,
				   const struct sx_table *raw, bool **out, struct sx_error *err)
{
	uint32_t count;
	sx_metrics_inputs(metrics, &count);
	*out = calloc(count + 1, sizeof(**out));
	return *out ? evaluation_missing(e, raw, *out, err) : error_nomem(err, "reading advice");
}

static uint32_t find_column(const struct sx_metrics *metrics, const struct rule_name *name)
{
	uint32_t count;
	const struct sx_metric_column *columns = sx_metrics_columns(metrics, &count);
	for (uint32_t i = 0; i < count; i++)
		if (name->index == (name->counter ? columns[i].counter : columns[i].metric))
			return i;
	return SX_NONE;
}

/* Whether the table has every counter that a column reads; constants may come later. */
static bool column_counted(const struct sx_metrics *metrics, uint32_t column, const bool *missing)
{
	uint32_t count;
	if (column == SX_NONE || sx_metrics_columns(metrics, &count)[column].why)
		return false;
	const struct sx_metric_input *inputs = sx_metrics_inputs(metrics, &count);
	const uint32_t *used = sx_metrics_column_inputs(metrics, column, &count);
	for (uint32_t i = 0; i < count; i++)
		if (missing[used[i]] && inputs[used[i]].counter != SX_NONE)
			return false;
	return true;
}

static void rules_resolve_names(struct rules *rules, uint32_t set)
{
	for (size_t i = 0; i < rules->name_count; i++)
		resolve_name(rules, &rules->names[i], set);
}

/* Whether a set has what a rule names: FOREIGN when the set does not measure something of it. */
enum coverage { COUNTED, SHORT, FOREIGN };

static enum coverage coverage_of(const struct rules *rules, const struct sx_metrics *metrics,
				 const bool *missing, const struct sx_node *node)
{
	const struct rule_name *name =
	    node->kind == SX_NODE_NAME ? rules_find(rules, node->name) : NULL;
	enum coverage worst = COUNTED;
	if (name && name->target >= RULE_ELSEWHERE)
		return FOREIGN;
	if (name && name->target == RULE_COLUMN &&
	    !column_counted(metrics, find_column(metrics, name), missing))
		worst = SHORT;
	for (uint32_t i = 0; i < node->child_count; i++) {
		enum coverage child = coverage_of(rules, metrics, missing, node->children[i]);
		worst = child > worst ? child : worst;
	}
	return worst;
}

/* How many rules the table has the counters of, and of how many not, were this the set. */
static enum sx_status try_set(struct rules *rules, uint32_t set, uint32_t coverages[3],
			      struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct sx_evaluation *evaluation = NULL;
	bool *missing = NULL;
	memset(coverages, 0, 3 * sizeof(*coverages));
	rules_resolve_names(rules, set);
	enum sx_status status = select_named(rules, &metrics, err);
	if (!status && metrics)
		status = sx_evaluation_create(metrics, rules->raw, &evaluation, err);
	if (!status && metrics)
		status = find_missing(metrics, evaluation, rules->raw, &missing, err);
	for (uint32_t i = 0; !status && metrics && i < rules->count; i++)
		if (rules->conditions[i])
			coverages[coverage_of(rules, metrics, missing,
					      sx_expr_root(rules->conditions[i]))]++;
	free(missing);
	sx_evaluation_destroy(evaluation);
	sx_metrics_destroy(metrics);
	return status;
}

static bool has_metric_in(const struct rules *rules, uint32_t set)
{
	for (size_t i = 0; i < rules->name_count; i++)
		if (sx_catalog_find_metric(rules->catalog, rules->names[i].name, set, NULL) !=
		    SX_NONE)
			return true;
	return false;
}

/*
 * A table holds the counts of one set, and programmable counters mean something else in each. Where
 * the set is unknown, the first set is assumed of which the table has every counter of the rules,
 * or else the one with most of them; for all rules alike.
 */
static enum sx_status choose_set(struct rules *rules, struct sx_error *err)
{
	uint32_t count, best = 0;
	const struct sx_group_info *groups = sx_catalog_groups(rules->catalog, &count);
	enum sx_status status = SX_OK;
	rules->set = SX_NONE;
	if (rules->options.set) {
		rules->set = sx_catalog_find_group(rules->catalog, rules->options.set);
		return SX_OK;
	}
	for (uint32_t i = 0; !status && i < count; i++) {
		uint32_t coverages[3];
		if (groups[i].kind != SX_GROUP_SET || !groups[i].exclusive ||
		    !has_metric_in(rules, i))
			continue;
		status = try_set(rules, i, coverages, err);
		if (rules->set == SX_NONE || coverages[COUNTED] > best) {
			rules->set = i;
			best = coverages[COUNTED];
		}
		if (coverages[COUNTED] && !coverages[SHORT])
			break;
	}
	return status;
}

enum sx_status rules_init(struct rules *rules, struct sx_catalog *catalog,
			  const struct sx_metrics_options *options, struct sx_error *err)
{
	*rules = (struct rules){.catalog = catalog, .options = *options, .set = SX_NONE};
	rules->infos = sx_catalog_advice(catalog, &rules->count);
	rules->conditions = calloc((size_t)rules->count + 1, sizeof(*rules->conditions));
	if (!rules->conditions)
		return error_nomem(err, "reading advice");
	return collect_names(rules, err);
}

/* Chooses the set and selects what the names refer to, by the first rows. */
static enum sx_status select_by(struct rules *rules, struct sx_error *err)
{
	enum sx_status status = choose_set(rules, err);
	if (status)
		return status;
	rules_resolve_names(rules, rules->set);
	status = select_named(rules, &rules->metrics, err);
	if (!status && rules->metrics)
		status = sx_evaluation_create(rules->metrics, rules->raw, &rules->evaluation, err);
	if (!status && rules->metrics)
		status = find_missing(rules->metrics, rules->evaluation, rules->raw,
				      &rules->missing, err);
	for (size_t i = 0; !status && rules->metrics && i < rules->name_count; i++)
		if (rules->names[i].target == RULE_COLUMN)
			rules->names[i].column = find_column(rules->metrics, &rules->names[i]);
	return status;
}

/* What has no value in these rows either is still missing. */
static enum sx_status still_missing(struct rules *rules, struct sx_error *err)
{
	uint32_t count;
	bool *here = NULL;
	sx_metrics_inputs(rules->metrics, &count);
	enum sx_status status =
	    find_missing(rules->metrics, rules->evaluation, rules->raw, &here, err);
	for (uint32_t i = 0; !status && i < count; i++)
		rules->missing[i] = rules->missing[i] && here[i];
	free(here);
	return status;
}

enum sx_status rules_feed(struct rules *rules, const struct sx_table *raw, struct sx_error *err)
{
	bool first = !rules->fed;
	enum sx_status status = SX_OK;
	rules->raw = raw;
	rules->fed = true;
	if (first) {
		rules->options.like = raw;
		status = select_by(rules, err);
		rules->options.like = NULL;
	} else if (rules->metrics) {
		status = still_missing(rules, err);
	}
	if (!status && rules->metrics)
		status = sx_evaluation_run(rules->evaluation, raw, &rules->values, err);
	return status ? status : rules_bind(rules, err);
}

void rules_finish(struct rules *rules)
{
	for (uint32_t i = 0; rules->conditions && i < rules->count; i++)
		sx_expr_destroy(rules->conditions[i]);
	free(rules->conditions);
	free(rules->names);
	free(rules->missing);
	free(rules->duration_ns);
	free(rules->duration_quality);
	free(rules->inputs);
	sx_evaluation_destroy(rules->evaluation);
	sx_metrics_destroy(rules->metrics);
}
