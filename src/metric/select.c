/* Names and globs to columns. */
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>

#include "metric/metrics.h"
#include "base/error.h"
#include "base/no_data.h"
#include "catalog/column.h"
#include "catalog/lint/lint.h"
#include "expr/compile.h"
#include "base/suggest.h"

/* Several groups have the metric. */
static enum sx_status missing_ambiguous(const struct sx_metrics *m, const char *name,
					uint32_t matches, struct sx_error *err)
{
	uint32_t count, first = sx_catalog_find_metric(m->catalog, name, SX_NONE, NULL);
	error_set(err, SX_ERR_AMBIGUOUS, "%s is ambiguous in catalog %s", name,
		  sx_catalog_info(m->catalog)->name);
	error_because(err, "%u groups have a metric of this name", matches);
	error_try(err, "%s, or choose the group with --set",
		  sx_catalog_metrics(m->catalog, &count)[first].qualified);
	return SX_ERR_AMBIGUOUS;
}

static const struct sx_group_info *group_at(const struct sx_metrics *m, uint32_t i)
{
	uint32_t count;
	return &sx_catalog_groups(m->catalog, &count)[i];
}

/* The names of the set that come near, and of counters, which every set has. */
static void suggest_in_set(const struct sx_metrics *m, const char *name, struct suggest *near)
{
	uint32_t metrics, counters;
	const struct sx_metric_info *metric = sx_catalog_metrics(m->catalog, &metrics);
	const struct sx_counter_info *counter = sx_catalog_counters(m->catalog, &counters);
	const char *dot = strrchr(name, '.');
	suggest_begin(near, dot ? dot + 1 : name, 3);
	for (uint32_t i = 0; i < metrics; i++)
		if (metric[i].group == m->set)
			suggest_offer(near, metric[i].name);
	for (uint32_t i = 0; i < counters; i++)
		if (counter[i].group == SX_NONE || counter[i].group == m->set)
			suggest_offer(near, counter[i].name);
}

/* A name that the current set does not have: which sets have it, and what this set has instead. */
static enum sx_status not_in_set(const struct sx_metrics *m, const char *name, struct sx_error *err)
{
	char text[256];
	struct suggest near;
	uint32_t matches, count;
	const char *set = group_at(m, m->set)->name;
	uint32_t other = sx_catalog_find_metric(m->catalog, name, SX_NONE, &matches);
	error_set(err, SX_ERR_NOT_FOUND, "set %s has no metric or counter %s", set, name);
	if (other == SX_NONE)
		error_because(err, "no name or alias of catalog %s matches",
			      sx_catalog_info(m->catalog)->name);
	else if (matches > 1)
		error_because(err, "%u other sets of catalog %s have it", matches,
			      sx_catalog_info(m->catalog)->name);
	else
		error_because(
		    err, "it is of set %s, another one",
		    group_at(m, sx_catalog_metrics(m->catalog, &count)[other].group)->name);
	suggest_in_set(m, name, &near);
	if (near.count)
		error_try(err, "%s", suggest_text(&near, text, sizeof(text)));
	else
		error_try(err, "sextant list metrics --for %s --set %s",
			  sx_catalog_info(m->catalog)->name, set);
	return SX_ERR_NOT_FOUND;
}

/*
 * No metric or counter has the name, or none of the current set. Without err it was only a
 * question.
 */
static enum sx_status missing_name(const struct sx_metrics *m, const char *name,
				   struct sx_error *err)
{
	const char *near[3];
	if (!err)
		return SX_ERR_NOT_FOUND; /* without err no caller reads similar names */
	if (m->set != SX_NONE)
		return not_in_set(m, name, err);
	size_t count = sx_catalog_suggest(m->catalog, name, near, 3);
	const char *catalog = sx_catalog_info(m->catalog)->name;
	error_set(err, SX_ERR_NOT_FOUND, "no metric or counter %s in catalog %s", name, catalog);
	error_because(err, "no name or alias matches");
	if (count == 0)
		error_try(err, "sextant list metrics --for %s", catalog);
	else if (count == 1)
		error_try(err, "%s", near[0]);
	else
		error_try(err, "%s or %s", near[0], near[1]);
	return SX_ERR_NOT_FOUND;
}

static bool is_glob(const char *pattern)
{
	return strpbrk(pattern, "*?") != NULL;
}

static const struct sx_metric_info *metric_at(const struct sx_metrics *m, uint32_t i)
{
	uint32_t count;
	return &sx_catalog_metrics(m->catalog, &count)[i];
}

static const char *shown_name(const struct sx_metrics *m, const struct sx_metric_info *info)
{
	uint32_t matches = 1;
	sx_catalog_find_metric(m->catalog, info->name, SX_NONE, &matches);
	return m->set != SX_NONE || matches <= 1 ? info->name : info->qualified;
}

static enum sx_status add(struct sx_metrics *m, struct sx_metric_column column,
			  struct sx_error *err)
{
	bool added = false;
	if (strings_intern(&m->names, column.name, strlen(column.name), &added) == UINT32_MAX)
		return error_nomem(err, "selecting metrics");
	if (!added)
		return SX_OK;
	if (!mem_grow(&m->columns, &m->column_cap, m->column_count + 1, sizeof(*m->columns)) ||
	    !mem_grow(&m->plans, &m->plan_cap, m->column_count + 1, sizeof(*m->plans)))
		return error_nomem(err, "selecting metrics");
	m->plans[m->column_count] = (struct column_plan){
	    .output = SX_NONE, .condition = SX_NONE, .whole = SX_NONE, .divisor = SX_NONE};
	m->columns[m->column_count++] = column;
	return SX_OK;
}

/* The last added column copies the values of one input. */
static enum sx_status copies(struct sx_metrics *m, uint32_t before, uint32_t input,
			     struct sx_error *err)
{
	if (m->column_count == before)
		return SX_OK; /* selected twice */
	struct column_plan *plan = &m->plans[before];
	plan->inputs = arena_alloc(&m->arena, sizeof(uint32_t));
	if (!plan->inputs || input == SX_NONE)
		return error_nomem(err, "selecting columns");
	plan->inputs[0] = input;
	plan->input_count = 1;
	plan->copy = true;
	return SX_OK;
}

/* A metric that the table gives. */
static enum sx_status add_given(struct sx_metrics *m, uint32_t index, struct sx_error *err)
{
	const struct sx_metric_info *info = metric_at(m, index);
	uint32_t before = m->column_count;
	enum sx_status status = add(m,
				    (struct sx_metric_column){.name = shown_name(m, info),
							      .title = info->title,
							      .unit = info->unit,
							      .type = resolve_given_type(m, index),
							      .over_time = info->over_time,
							      .metric = index,
							      .counter = SX_NONE},
				    err);
	return status ? status : copies(m, before, resolve_given(m, m->given[index], index), err);
}

/* A column of the table as it is: one that the catalog does not know, or with a constant. */
static enum sx_status add_unknown(struct sx_metrics *m, uint32_t column, struct sx_error *err)
{
	const struct sx_column *like = sx_table_column(m->like, column);
	uint32_t before = m->column_count;
	char *name = arena_strndup(&m->arena, like->name, strlen(like->name));
	char *unit = arena_strndup(&m->arena, like->unit, strlen(like->unit));
	if (!name || !unit)
		return error_nomem(err, "selecting columns");
	enum sx_status status = add(m,
				    (struct sx_metric_column){.name = name,
							      .title = name,
							      .unit = unit,
							      .type = like->type,
							      .over_time = like->over_time,
							      .metric = SX_NONE,
							      .counter = SX_NONE},
				    err);
	return status ? status : copies(m, before, resolve_given(m, column, SX_NONE), err);
}

/* Columns that the catalog does not know, by a glob; they are used as they are. */
static enum sx_status add_unknowns(struct sx_metrics *m, const char *glob, bool *any,
				   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < m->like_count; i++) {
		if (!m->unknown[i] || fnmatch(glob, sx_table_column(m->like, i)->name, 0) != 0)
			continue;
		*any = true;
		status = add_unknown(m, i, err);
	}
	return status;
}

static enum sx_status add_metric(struct sx_metrics *m, uint32_t index, struct sx_error *err)
{
	const struct sx_metric_info *info = metric_at(m, index);
	char text[256] = "";
	const char *why = NULL;
	if (m->given[index] != SX_NONE)
		return add_given(m, index, err);
	if (info->unavailable) {
		no_data_append(text, sizeof(text), NO_DATA_NO_FORMULA, info->unavailable);
		why = arena_strndup(&m->arena, text, strlen(text));
		if (!why)
			return error_nomem(err, "selecting metrics");
	}
	return add(m,
		   (struct sx_metric_column){.name = shown_name(m, info),
					     .title = info->title,
					     .unit = info->unit,
					     .type = resolve_metric_type(m, index),
					     .over_time = info->over_time,
					     .metric = index,
					     .counter = SX_NONE,
					     .why = why},
		   err);
}

/* A counter that a given metric replaces: *any says whether it is one. */
static enum sx_status add_same(struct sx_metrics *m, uint32_t index, bool *any,
			       struct sx_error *err)
{
	uint32_t count, before = m->column_count;
	const struct sx_counter_info *info = &sx_catalog_counters(m->catalog, &count)[index];
	struct sx_expr *expr;
	enum sx_status status = resolve_same(m, index, &expr, err);
	*any = expr != NULL;
	if (status || !expr)
		return status;
	status = add(m,
		     (struct sx_metric_column){.name = info->name,
					       .title = info->title ? info->title : info->name,
					       .unit = info->unit,
					       .type = SX_F64,
					       .over_time = info->over_time,
					       .metric = SX_NONE,
					       .counter = index},
		     err);
	if (!status && m->column_count > before)
		m->plans[before].expr = expr;
	else
		sx_expr_destroy(expr);
	return status;
}

static enum sx_status add_counter(struct sx_metrics *m, uint32_t index, uint32_t instance,
				  struct sx_error *err)
{
	bool same = false;
	enum sx_status made = instance == SX_NONE ? add_same(m, index, &same, err) : SX_OK;
	if (made || same)
		return made;
	uint32_t count;
	const struct sx_counter_info *info = &sx_catalog_counters(m->catalog, &count)[index];
	uint32_t input = resolve_input(m, info->name, index, instance, info->type);
	if (input == SX_NONE)
		return error_nomem(err, "selecting counters");
	enum sx_status status =
	    add(m,
		(struct sx_metric_column){.name = m->inputs[input].name,
					  .title = info->title ? info->title : info->name,
					  .unit = info->unit,
					  .type = m->inputs[input].type,
					  .over_time = info->over_time,
					  .metric = SX_NONE,
					  .counter = index},
		err);
	struct column_plan *plan = &m->plans[m->column_count - 1];
	if (!status && !plan->inputs) {
		plan->inputs = arena_alloc(&m->arena, sizeof(uint32_t));
		if (!plan->inputs)
			return error_nomem(err, "selecting counters");
		plan->inputs[0] = input;
		plan->input_count = 1;
	}
	return status;
}

/* A counter; one column an instance where instances stay apart. */
static enum sx_status add_instances(struct sx_metrics *m, uint32_t index, struct sx_error *err)
{
	uint32_t count;
	const struct sx_counter_info *info = &sx_catalog_counters(m->catalog, &count)[index];
	if (info->reduce != SX_REDUCE_EACH)
		return add_counter(m, index, SX_NONE, err);
	struct expr_resolver resolver = resolve_names(m);
	uint32_t instances = resolver.instances(m, info->name, SX_NONE);
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < instances; i++)
		status = add_counter(m, index, i, err);
	return status;
}

/* All metrics or counters with a matching name or qualified name. */
enum matching { MATCH_METRICS = 1, MATCH_COUNTERS = 2 };

static enum sx_status add_matching(struct sx_metrics *m, const char *glob, unsigned of, bool *any,
				   struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	sx_catalog_metrics(m->catalog, &count);
	for (uint32_t i = 0; of & MATCH_METRICS && !status && i < count; i++) {
		const struct sx_metric_info *info = metric_at(m, i);
		if (m->set != SX_NONE && info->group != m->set)
			continue;
		if (fnmatch(glob, info->name, 0) != 0 && fnmatch(glob, info->qualified, 0) != 0 &&
		    !(info->neutral && fnmatch(glob, info->neutral, 0) == 0))
			continue;
		*any = true;
		status = add_metric(m, i, err);
	}
	const struct sx_counter_info *all = sx_catalog_counters(m->catalog, &count);
	for (uint32_t i = 0; of & MATCH_COUNTERS && !status && i < count; i++) {
		if (m->set != SX_NONE && all[i].group != SX_NONE && all[i].group != m->set)
			continue;
		if (fnmatch(glob, all[i].name, 0) != 0)
			continue;
		*any = true;
		status = add_instances(m, i, err);
	}
	return status ? status : add_unknowns(m, glob, any, err);
}

/* A dotted neutral name selects every metric that maps it. */
static enum sx_status add_neutral(struct sx_metrics *m, const char *name, bool *any,
				  struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = SX_OK;
	const struct sx_metric_info *all = sx_catalog_metrics(m->catalog, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		bool in_set = m->set == SX_NONE || all[i].group == m->set;
		if (in_set && all[i].neutral && strcmp(all[i].neutral, name) == 0) {
			*any = true;
			status = add_metric(m, i, err);
		}
	}
	const struct sx_counter_info *counters = sx_catalog_counters(m->catalog, &count);
	for (uint32_t i = 0; !status && i < count; i++) {
		if (counters[i].neutral && strcmp(counters[i].neutral, name) == 0) {
			*any = true;
			status = add_counter(m, i, SX_NONE, err);
		}
	}
	return status;
}

/* Names in any spelling: a title, other case, blanks for underscores. */
static enum sx_status add_loose(struct sx_metrics *m, const char *name, bool *any,
				struct sx_error *err)
{
	struct column_meaning is = column_wanted(m->catalog, name, m->set);
	*any = true;
	if (is.metric != SX_NONE)
		return add_metric(m, is.metric, err);
	if (is.counter.counter != SX_NONE)
		return add_instances(m, is.counter.counter, err);
	*any = false;
	return SX_OK;
}

/* A neutral name that nothing here maps: known, so it has a reason instead of an error. */
static enum sx_status add_absent(struct sx_metrics *m, const char *name,
				 const struct neutral_name *known, struct sx_error *err)
{
	char catalog[128], why[256] = "";
	snprintf(catalog, sizeof(catalog), "catalog %s", sx_catalog_info(m->catalog)->name);
	no_data_append(why, sizeof(why), NO_DATA_NO_COUNTER, catalog);
	struct sx_metric_column column = {
	    .name = arena_strndup(&m->arena, name, strlen(name)),
	    .title = arena_strndup(&m->arena, name, strlen(name)),
	    .unit = arena_strndup(&m->arena, known->unit, strlen(known->unit)),
	    .type = SX_F64,
	    .over_time = SX_REDUCE_RATIO,
	    .metric = SX_NONE,
	    .counter = SX_NONE,
	    .why = arena_strndup(&m->arena, why, strlen(why))};
	bool kept = column.name && column.title && column.unit && column.why;
	return kept ? add(m, column, err) : error_nomem(err, "selecting metrics");
}

/* What the vocabulary knows by another spelling ("frame_rate") or an alias ("fps"). */
static enum sx_status add_spelled(struct sx_metrics *m, const char *name, bool *any,
				  struct sx_error *err)
{
	struct neutral words;
	enum sx_status status = neutral_init(&words, err);
	const struct neutral_name *known = status ? NULL : neutral_find_spelled(&words, name);
	if (known)
		status = add_neutral(m, known->name, any, err);
	if (known && !status && !*any && m->keep_neutral) {
		status = add_absent(m, name, known, err);
		*any = true;
	}
	neutral_finish(&words);
	return status;
}

static enum sx_status add_name(struct sx_metrics *m, const char *name, struct sx_error *err)
{
	uint32_t matches = 0;
	uint32_t metric = sx_catalog_find_metric(m->catalog, name, m->set, &matches);
	if (metric != SX_NONE && matches > 1)
		return missing_ambiguous(m, name, matches, err);
	if (metric != SX_NONE)
		return add_metric(m, metric, err);
	struct column_id id = column_identify(m->catalog, name);
	if (id.counter != SX_NONE && id.instance == SX_NONE)
		return add_instances(m, id.counter, err);
	if (id.counter != SX_NONE)
		return add_counter(m, id.counter, id.instance, err);
	bool any = false;
	enum sx_status status = add_neutral(m, name, &any, err);
	for (uint32_t i = 0; !status && !any && i < m->like_count; i++) {
		if (!m->unknown[i] || strcmp(sx_table_column(m->like, i)->name, name) != 0)
			continue;
		any = true;
		status = add_unknown(m, i, err);
	}
	if (!status && !any)
		status = add_loose(m, name, &any, err);
	if (!status && !any)
		status = add_spelled(m, name, &any, err);
	return status || any ? status : missing_name(m, name, err);
}

/* A counter that the user defines: its value, and behind it the counter itself. */
static enum sx_status add_definition(struct sx_metrics *m, const char *pattern,
				     struct sx_error *err)
{
	struct sx_metric_column column;
	struct sx_expr *expr = NULL;
	uint32_t before = m->column_count;
	enum sx_status status = define_column(m, pattern, &column, &expr, err);
	if (!status)
		status = add(m, column, err);
	if (!status && m->column_count > before)
		m->plans[before].expr = expr;
	else
		sx_expr_destroy(expr);
	return status ? status : add_counter(m, column.counter, SX_NONE, err);
}

static enum sx_status add_formula(struct sx_metrics *m, const struct sx_metrics_formula *formula,
				  struct sx_error *err)
{
	uint32_t before = m->column_count;
	const char *name = arena_strndup(&m->arena, formula->name, strlen(formula->name));
	const char *unit = arena_strndup(&m->arena, formula->unit, strlen(formula->unit));
	if (!name || !unit)
		return error_nomem(err, "selecting formulas");
	enum sx_status status = add(m,
				    (struct sx_metric_column){.name = name,
							      .title = name,
							      .unit = unit,
							      .type = SX_F64,
							      .over_time = SX_REDUCE_RATIO,
							      .metric = SX_NONE,
							      .counter = SX_NONE},
				    err);
	if (!status && m->column_count > before)
		m->plans[before].formula = formula;
	return status;
}

/* A catalog without metrics has its counters. */
static enum sx_status add_all(struct sx_metrics *m, bool counters, bool *any, struct sx_error *err)
{
	enum sx_status status =
	    add_matching(m, "*", counters ? MATCH_COUNTERS : MATCH_METRICS, any, err);
	return status || *any ? status : add_matching(m, "*", MATCH_COUNTERS, any, err);
}

static enum sx_status select_patterns(struct sx_metrics *m,
				      const struct sx_metrics_options *options,
				      struct sx_error *err)
{
	bool any = false;
	if (options->pattern_count == 0 && options->formula_count == 0)
		return add_matching(m, "*", options->counters ? MATCH_COUNTERS : MATCH_METRICS,
				    &any, err);
	for (uint32_t i = 0; i < options->pattern_count; i++) {
		const char *pattern = options->patterns[i];
		enum sx_status status;
		any = false;
		if (strcmp(pattern, "all") == 0)
			status = add_all(m, options->counters, &any, err);
		else if (sx_definition_is(pattern))
			status = add_definition(m, pattern, err), any = true;
		else if (is_glob(pattern) && !strchr(pattern, '['))
			status =
			    add_matching(m, pattern, MATCH_METRICS | MATCH_COUNTERS, &any, err);
		else
			status = add_name(m, pattern, err), any = true;
		if (status)
			return status;
		if (!any)
			return missing_name(m, pattern, err);
	}
	return SX_OK;
}

/*
 * Columns that say which device each row is of are copied; constants that were selected by name are
 * other columns.
 */
static enum sx_status add_given_constants(struct sx_metrics *m, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < m->like_count; i++) {
		const char *name = sx_table_column(m->like, i)->name;
		uint32_t before = m->column_count;
		uint32_t constant = column_meaning(m->catalog, name, m->set).constant;
		if (constant == SX_NONE || m->listed[constant])
			continue;
		status = add_unknown(m, i, err);
		if (!status && m->column_count > before) {
			m->columns[before].constant = true;
			m->columns[before].unit = ""; /* the catalog's, which names say */
		}
	}
	return status;
}

enum sx_status select_columns(struct sx_metrics *m, const struct sx_metrics_options *options,
			      struct sx_error *err)
{
	m->keep_neutral = options->keep_neutral;
	enum sx_status status = select_patterns(m, options, err);
	for (uint32_t i = 0; !status && i < options->formula_count; i++)
		status = add_formula(m, &options->formulas[i], err);
	if (!status && options->keep_constants)
		status = add_given_constants(m, err);
	return status;
}
