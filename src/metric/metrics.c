/* Selections: made from a catalog, compiled once, evaluated over tables. */
#include "metric/metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "catalog/internal.h"
#include "expr/eval.h"
#include "catalog/column.h"
#include "expr/compile.h"
#include "wire/share.h"

/* Rows of one instance each have columns that say 1 of what counts them. */
static void leave_to_instances(struct sx_metrics *m)
{
	uint32_t count;
	const struct sx_block_info *blocks = sx_catalog_blocks(m->catalog, &count);
	for (uint32_t i = 0; i < count; i++) {
		const char *name = blocks[i].instances_constant;
		uint32_t at = name ? sx_catalog_find_constant(m->catalog, name) : SX_NONE;
		if (at != SX_NONE)
			m->listed[at] = false;
	}
}

static enum sx_status set_constants(struct sx_metrics *m, const struct sx_metrics_options *options,
				    struct sx_error *err)
{
	uint32_t count;
	const struct sx_constant_info *all = sx_catalog_constants(m->catalog, &count);
	m->constants = arena_alloc(&m->arena, count * sizeof(*m->constants) + 1);
	m->per_row = arena_alloc(&m->arena, count * sizeof(*m->per_row) + 1);
	m->listed = arena_alloc(&m->arena, count * sizeof(*m->listed) + 1);
	if (!m->constants || !m->per_row || !m->listed)
		return error_nomem(err, "setting constants");
	for (uint32_t i = 0; i < count; i++)
		m->constants[i] = all[i].has_value ? all[i].value : NAN;
	for (uint32_t i = 0; i < options->constant_count; i++) {
		uint32_t at = sx_catalog_find_constant(m->catalog, options->constants[i].name);
		if (at == SX_NONE) {
			const char *catalog = sx_catalog_info(m->catalog)->name;
			error_set(err, SX_ERR_NOT_FOUND, "no constant %s in catalog %s",
				  options->constants[i].name, catalog);
			error_because(err, "the catalog defines %u constants", count);
			error_try(err, "sextant list constants --for %s", catalog);
			return SX_ERR_NOT_FOUND;
		}
		m->constants[at] = options->constants[i].value;
		m->listed[at] = true;
	}
	if (options->by_instance)
		leave_to_instances(m);
	return SX_OK;
}

/* What the columns of the table to come are. */
static enum sx_status read_like(struct sx_metrics *m, const struct sx_table *like, bool derive,
				struct sx_error *err)
{
	if (!like)
		return SX_OK;
	m->like = like;
	m->like_count = sx_table_column_count(like);
	m->like_counter = arena_alloc(&m->arena, m->like_count * sizeof(uint32_t) + 1);
	m->like_instance = arena_alloc(&m->arena, m->like_count * sizeof(uint32_t) + 1);
	m->unknown = arena_alloc(&m->arena, m->like_count * sizeof(bool) + 1);
	m->as_is = arena_alloc(&m->arena, m->like_count * sizeof(uint32_t) + 1);
	if (!m->like_counter || !m->like_instance || !m->unknown || !m->as_is)
		return error_nomem(err, "reading columns");
	for (uint32_t i = 0; i < m->like_count; i++) {
		const struct sx_column *column = sx_table_column(like, i);
		struct column_meaning is = column_meaning(m->catalog, column->name, m->set);
		m->as_is[i] = SX_NONE;
		m->like_counter[i] = is.counter.counter;
		m->like_instance[i] = is.counter.instance;
		if (is.constant != SX_NONE && !m->listed[is.constant])
			m->per_row[is.constant] = true;
		if (is.metric != SX_NONE && !derive && m->given[is.metric] == SX_NONE)
			m->given[is.metric] = i;
		m->unknown[i] = !column_is_known(&is) && column->unit[0] &&
				!share_length(column->name) &&
				!column_is_imbalance(m->catalog, column->name);
	}
	return SX_OK;
}

static enum sx_status choose(struct sx_metrics *m, const struct sx_metrics_options *options,
			     struct sx_error *err)
{
	m->set = SX_NONE;
	if (options->variant) {
		m->variant = sx_catalog_find_variant(m->catalog, options->variant);
		if (m->variant == SX_NONE)
			return refs_no_variant(m->catalog, options->variant, err);
	}
	if (!options->set)
		return SX_OK;
	m->set = sx_catalog_find_group(m->catalog, options->set);
	return m->set != SX_NONE ? SX_OK : refs_no_group(m->catalog, options->set, err);
}

static double known_constant(void *user, const char *name)
{
	struct sx_metrics *m = user;
	uint32_t found = sx_catalog_find_constant(m->catalog, name);
	if (found != SX_NONE && m->per_row[found])
		m->asked_per_row = true;
	return found == SX_NONE || m->per_row[found] ? NAN : m->constants[found];
}

/* A condition that is judged in every row; metrics that ask the same share it. */
static enum sx_status add_condition(struct sx_metrics *m, uint32_t column, const char *when,
				    struct sx_error *err)
{
	struct column_plan *plan = &m->plans[column];
	for (uint32_t i = 0; i < m->condition_count; i++)
		if (strcmp(m->conditions[i].text, when) == 0) {
			plan->condition = i;
			return SX_OK;
		}
	uint32_t at = m->condition_count;
	if (!mem_grow(&m->conditions, &m->condition_cap, at + 1, sizeof(*m->conditions)) ||
	    !mem_grow(&m->whens, &m->when_cap, at + 1, sizeof(struct sx_expr *)))
		return error_nomem(err, "selecting metrics");
	enum sx_status status = sx_expr_parse(when, SX_POSTFIX, &m->whens[at], err);
	if (status)
		return status;
	m->conditions[at] = (struct column_condition){.text = when, .output = SX_NONE};
	m->condition_count++;
	plan->condition = at;
	return SX_OK;
}

/* Reports that the device lacks a metric. */
static enum sx_status check_condition(struct sx_metrics *m, uint32_t index, const char *when,
				      struct sx_error *err)
{
	struct sx_metric_column *column = &m->columns[index];
	char why[512] = "";
	bool exists = true;
	m->asked_per_row = false;
	enum sx_status status = condition_holds(when, known_constant, m, &exists, err);
	if (!status && exists && m->asked_per_row)
		return add_condition(m, index, when, err);
	if (status || exists)
		return status;
	no_data_append(why, sizeof(why), NO_DATA_NO_COUNTER, when);
	column->why = arena_strndup(&m->arena, why, strlen(why));
	return column->why ? SX_OK : error_nomem(err, "selecting metrics");
}

/* Collects the outputs of the program; metrics without a formula get none. */
static enum sx_status gather(struct sx_metrics *m, struct expr_output *outputs, uint32_t *which,
			     uint32_t *count, struct sx_error *err)
{
	uint32_t metric_count;
	const struct sx_metric_info *all = sx_catalog_metrics(m->catalog, &metric_count);
	for (uint32_t i = 0; i < m->column_count; i++) {
		struct sx_metric_column *column = &m->columns[i];
		if (m->plans[i].expr) {
			which[*count] = i;
			m->plans[i].output = *count;
			outputs[(*count)++] = (struct expr_output){
			    .expr = m->plans[i].expr, .scope = m->set, .type = column->type};
		}
		const struct sx_metrics_formula *formula = m->plans[i].formula;
		if (formula) {
			which[*count] = i;
			m->plans[i].output = *count;
			outputs[(*count)++] = (struct expr_output){.expr = formula->expr,
								   .node = formula->node,
								   .scope = formula->group,
								   .type = column->type};
		}
		if (column->metric == SX_NONE || m->plans[i].copy)
			continue;
		struct sx_expr *expr;
		enum sx_status status = resolve_metric(m, column->metric, &expr, err);
		if (!status && expr)
			status = check_condition(m, i, all[column->metric].when, err);
		if (status)
			return status;
		if (!expr || column->why) {
			if (!column->why)
				column->why = no_data_text(NO_DATA_NO_FORMULA);
			continue;
		}
		which[*count] = i;
		m->plans[i].output = *count;
		m->plans[i].divides = ratios_divide(m, sx_expr_root(expr));
		outputs[(*count)++] = (struct expr_output){
		    .expr = expr, .scope = all[column->metric].group, .type = column->type};
	}
	for (uint32_t i = 0; i < m->condition_count; i++) {
		which[*count] = m->column_count; /* none */
		m->conditions[i].output = *count;
		outputs[(*count)++] =
		    (struct expr_output){.expr = m->whens[i], .scope = SX_NONE, .type = SX_U64};
	}
	return SX_OK;
}

static enum sx_status plan_inputs(struct sx_metrics *m, struct sx_error *err)
{
	for (uint32_t i = 0; i < m->column_count; i++) {
		struct column_plan *plan = &m->plans[i];
		if (plan->output == SX_NONE)
			continue;
		const uint32_t *inputs =
		    expr_program_inputs(m->program, plan->output, &plan->input_count);
		plan->inputs = arena_alloc(&m->arena, plan->input_count * sizeof(uint32_t) + 1);
		if (!plan->inputs)
			return error_nomem(err, "planning inputs");
		if (plan->input_count)
			memcpy(plan->inputs, inputs, plan->input_count * sizeof(uint32_t));
	}
	return SX_OK;
}

static enum sx_status compile(struct sx_metrics *m, struct sx_error *err)
{
	struct expr_output *outputs = calloc(2 * (size_t)m->column_count + 1, sizeof(*outputs));
	uint32_t *which = calloc(2 * (size_t)m->column_count + 1, sizeof(*which));
	uint32_t count = 0, failed = 0;
	enum sx_status status = outputs && which ? gather(m, outputs, which, &count, err)
						 : error_nomem(err, "compiling metrics");
	if (!status && count) {
		struct expr_resolver resolver = resolve_names(m);
		struct sx_error why = {0};
		status = expr_compile(&(struct expr_request){outputs, count,
							     sx_catalog_info(m->catalog)->dialect,
							     &resolver},
				      &m->program, &failed, &why);
		if (status && failed != SX_NONE && which[failed] < m->column_count) {
			error_set(err, status, "%s: %s", m->columns[which[failed]].name,
				  why.message);
			error_because(err, "%s", why.because);
			error_try(err, "%s", why.remedy);
		} else if (status && err) {
			*err = why;
		}
	}
	free(outputs);
	free(which);
	return status ? status : plan_inputs(m, err);
}

static void drop_scaffold(struct sx_metrics *m)
{
	uint32_t count;
	sx_catalog_metrics(m->catalog, &count);
	for (uint32_t i = 0; m->exprs && i < count; i++)
		sx_expr_destroy(m->exprs[i]);
	sx_catalog_counters(m->catalog, &count);
	for (uint32_t i = 0; m->same && i < count; i++)
		sx_expr_destroy(m->same[i]);
	for (uint32_t i = 0; i < m->column_count; i++) {
		sx_expr_destroy(m->plans[i].expr);
		m->plans[i].expr = NULL;
		m->plans[i].formula = NULL;
	}
	for (uint32_t i = 0; i < m->condition_count; i++)
		sx_expr_destroy(m->whens[i]);
	strings_finish(&m->names);
	free(m->whens);
	m->whens = NULL;
	sx_expr_destroy(m->seconds);
	m->exprs = NULL;
	m->same = NULL;
	m->seconds = NULL;
	m->like = NULL;
}

enum sx_status sx_metrics_create(struct sx_catalog *catalog,
				 const struct sx_metrics_options *options, struct sx_metrics **out,
				 struct sx_error *err)
{
	static const struct sx_metrics_options everything;
	uint32_t count;
	if (!options)
		options = &everything;
	struct sx_metrics *m = calloc(1, sizeof(*m));
	if (!m)
		return error_nomem(err, "selecting metrics");
	m->catalog = sx_catalog_ref(catalog);
	sx_catalog_metrics(catalog, &count);
	m->exprs = arena_alloc(&m->arena, count * sizeof(*m->exprs) + 1);
	m->given = arena_alloc(&m->arena, count * sizeof(*m->given) + 1);
	for (uint32_t i = 0; m->given && i < count; i++)
		m->given[i] = SX_NONE;
	enum sx_status status =
	    m->exprs && m->given ? choose(m, options, err) : error_nomem(err, "selecting metrics");
	if (!status)
		status = set_constants(m, options, err);
	if (!status)
		status = read_like(m, options->like, options->derive, err);
	if (!status)
		status = select_columns(m, options, err);
	if (!status)
		status = compile(m, err);
	if (!status && m->like)
		ratios_compile_wholes(m);
	if (!status && (sx_catalog_find_counter(catalog, SLICES_FRAMES, SX_NONE, NULL) != SX_NONE ||
			(m->like && sx_table_kind(m->like) == SX_SAMPLE_ROW)))
		ratios_compile(m);
	drop_scaffold(m);
	if (status) {
		sx_metrics_destroy(m);
		return status;
	}
	*out = m;
	return SX_OK;
}

void sx_metrics_destroy(struct sx_metrics *m)
{
	if (!m)
		return;
	expr_program_destroy(m->program);
	expr_program_destroy(m->wholes);
	expr_program_destroy(m->divisors);
	sx_catalog_unref(m->catalog);
	free(m->columns);
	free(m->plans);
	free(m->inputs);
	free(m->conditions);
	free(m->definitions);
	free(m->defined);
	arena_finish(&m->arena);
	free(m);
}

const struct sx_metric_column *sx_metrics_columns(const struct sx_metrics *m, uint32_t *count)
{
	*count = m->column_count;
	return m->columns;
}

const struct sx_metric_input *sx_metrics_inputs(const struct sx_metrics *m, uint32_t *count)
{
	*count = m->input_count;
	return m->inputs;
}

const uint32_t *sx_metrics_column_inputs(const struct sx_metrics *m, uint32_t column,
					 uint32_t *count)
{
	*count = m->plans[column].input_count;
	return m->plans[column].inputs;
}

struct sx_catalog *metrics_catalog(const struct sx_metrics *m)
{
	return m->catalog;
}
