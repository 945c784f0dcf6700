/* What names in formulas refer to: metrics, counters, constants and the sample's length. */
#include "metric/metrics.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "catalog/internal.h"
#include "catalog/column.h"
#include "catalog/units.h"
#include "expr/compile.h"

/* Means of whole numbers are none, and a table of totals has them in such a column. */
static enum sx_type like_type(const struct sx_column *column)
{
	return column->over_time == SX_REDUCE_MEAN ? SX_F64 : column->type;
}

/* The type that the column of a counter will have. */
static enum sx_type input_type(const struct sx_metrics *m, uint32_t counter, uint32_t instance,
			       enum sx_type otherwise)
{
	for (uint32_t i = 0; i < m->like_count; i++)
		if (m->like_counter[i] == counter && m->like_instance[i] == instance)
			return like_type(sx_table_column(m->like, i));
	return otherwise;
}

uint32_t resolve_input(struct sx_metrics *m, const char *name, uint32_t counter, uint32_t instance,
		       enum sx_type type)
{
	for (uint32_t i = 0; i < m->input_count; i++)
		if (m->inputs[i].counter == counter && m->inputs[i].instance == instance &&
		    m->inputs[i].metric == SX_NONE && !m->inputs[i].as_is &&
		    (counter != SX_NONE || strcmp(m->inputs[i].name, name) == 0))
			return i;
	type = counter == SX_NONE ? type : input_type(m, counter, instance, type);
	char spelled[256];
	column_spell(spelled, sizeof(spelled), name, instance);
	char *copy = arena_strndup(&m->arena, spelled, strlen(spelled));
	if (!copy || !mem_grow(&m->inputs, &m->input_cap, m->input_count + 1, sizeof(*m->inputs)))
		return SX_NONE;
	m->inputs[m->input_count] =
	    (struct sx_metric_input){copy, counter, instance, type, SX_NONE, false};
	return m->input_count++;
}

enum sx_type resolve_metric_type(const struct sx_metrics *m, uint32_t metric)
{
	uint32_t count;
	struct alias alias;
	enum sx_type type = sx_catalog_metrics(m->catalog, &count)[metric].type;
	bool fractions = false;
	for (uint32_t i = 0; type == SX_U64 && i < m->like_count; i++)
		fractions |= m->like_counter[i] != SX_NONE &&
			     like_type(sx_table_column(m->like, i)) == SX_F64;
	if (!fractions)
		return type;
	alias_find(m->catalog, metric, m->variant, &alias);
	return alias.counter == SX_NONE ? type : input_type(m, alias.counter, SX_NONE, type);
}

enum sx_type resolve_given_type(const struct sx_metrics *m, uint32_t metric)
{
	uint32_t count;
	enum sx_type type = sx_table_column(m->like, m->given[metric])->type;
	return type == SX_F64 ? type : sx_catalog_metrics(m->catalog, &count)[metric].type;
}

uint32_t resolve_given(struct sx_metrics *m, uint32_t column, uint32_t metric)
{
	const struct sx_column *like = sx_table_column(m->like, column);
	if (metric == SX_NONE && m->as_is[column] != SX_NONE)
		return m->as_is[column];
	for (uint32_t i = 0; metric != SX_NONE && i < m->input_count; i++)
		if (m->inputs[i].metric == metric)
			return i;
	char *copy = arena_strndup(&m->arena, like->name, strlen(like->name));
	if (!copy || !mem_grow(&m->inputs, &m->input_cap, m->input_count + 1, sizeof(*m->inputs)))
		return SX_NONE;
	enum sx_type type = metric == SX_NONE ? like->type : resolve_given_type(m, metric);
	m->inputs[m->input_count] =
	    (struct sx_metric_input){copy, SX_NONE, SX_NONE, type, metric, metric == SX_NONE};
	if (metric == SX_NONE)
		m->as_is[column] = m->input_count;
	return m->input_count++;
}

/* A column of the raw table: a counter's, or of a name alone. */
struct wanted_input {
	const char *name;
	uint32_t counter, instance;
	enum sx_type type;
};

static enum sx_status as_input(struct sx_metrics *m, struct wanted_input want, struct expr_ref *out,
			       struct sx_error *err)
{
	uint32_t input = resolve_input(m, want.name, want.counter, want.instance, want.type);
	if (input == SX_NONE)
		return error_nomem(err, "resolving names");
	*out = (struct expr_ref){
	    .kind = EXPR_REF_INPUT, .input = input, .type = m->inputs[input].type};
	return SX_OK;
}

enum sx_status resolve_metric(struct sx_metrics *m, uint32_t metric, struct sx_expr **out,
			      struct sx_error *err)
{
	uint32_t count;
	const struct sx_metric_info *info = &sx_catalog_metrics(m->catalog, &count)[metric];
	*out = m->exprs[metric];
	if (*out || info->unavailable || !info->exprs || !info->exprs[m->variant])
		return SX_OK;
	enum sx_status status =
	    sx_expr_parse(info->exprs[m->variant], sx_catalog_info(m->catalog)->notation, out, err);
	m->exprs[metric] = *out;
	return status;
}

static bool has_column(const struct sx_metrics *m, uint32_t counter)
{
	for (uint32_t i = 0; i < m->like_count; i++)
		if (m->like_counter[i] == counter)
			return true;
	return false;
}

/* The unit of what says the same as a counter, where the table gives that; else NULL. */
static const char *same_unit(const struct sx_metrics *m, const char *same)
{
	uint32_t count;
	uint32_t counter = sx_catalog_find_counter(m->catalog, same, SX_NONE, NULL);
	if (counter != SX_NONE)
		return has_column(m, counter)
			   ? sx_catalog_counters(m->catalog, &count)[counter].unit
			   : NULL;
	uint32_t metric = sx_catalog_find_metric(m->catalog, same, SX_NONE, NULL);
	return metric != SX_NONE && m->given[metric] != SX_NONE
		   ? sx_catalog_metrics(m->catalog, &count)[metric].unit
		   : NULL;
}

/* Finds the counters that given metrics are of; false when memory is out. */
static bool find_inverse(struct sx_metrics *m)
{
	struct alias alias;
	uint32_t metrics, counters;
	sx_catalog_metrics(m->catalog, &metrics);
	sx_catalog_counters(m->catalog, &counters);
	m->inverse = arena_alloc(&m->arena, counters * sizeof(*m->inverse) + 1);
	for (uint32_t i = 0; m->inverse && i < counters; i++)
		m->inverse[i] = SX_NONE;
	for (uint32_t i = 0; m->inverse && i < metrics; i++) {
		if (m->given[i] == SX_NONE)
			continue;
		alias_find(m->catalog, i, m->variant, &alias);
		if (alias.counter != SX_NONE && alias.back[0] &&
		    m->inverse[alias.counter] == SX_NONE)
			m->inverse[alias.counter] = i;
	}
	return m->inverse;
}

/* A counter from the given metric that has it as its formula; NULL where there is none. */
static enum sx_status from_metric(struct sx_metrics *m, uint32_t counter, struct sx_expr **out,
				  struct sx_error *err)
{
	struct alias alias;
	if (!m->inverse && !find_inverse(m))
		return error_nomem(err, "resolving names");
	if (m->inverse[counter] == SX_NONE)
		return SX_OK;
	alias_find(m->catalog, m->inverse[counter], m->variant, &alias);
	return alias.counter == counter ? sx_expr_parse(alias.back, SX_INFIX, out, err) : SX_OK;
}

enum sx_status resolve_same(struct sx_metrics *m, uint32_t counter, struct sx_expr **out,
			    struct sx_error *err)
{
	uint32_t count;
	struct units units;
	char text[256];
	const struct sx_counter_info *info = &sx_catalog_counters(m->catalog, &count)[counter];
	*out = NULL;
	if (!m->like || has_column(m, counter))
		return SX_OK;
	const char *unit = info->same ? same_unit(m, info->same) : NULL;
	units_init(&units);
	double factor = unit ? units_factor(&units, unit, info->unit) : 0;
	if (factor == 0)
		return from_metric(m, counter, out, err);
	snprintf(text, sizeof(text), "%s * %.17g", info->same, factor);
	return sx_expr_parse(text, SX_INFIX, out, err);
}

/* True where a given metric replaces the counter; *out is then filled, or *status an error. */
static bool as_same(struct sx_metrics *m, uint32_t counter, struct expr_ref *out,
		    enum sx_status *status, struct sx_error *err)
{
	uint32_t count;
	sx_catalog_counters(m->catalog, &count);
	if (!m->same)
		m->same = arena_alloc(&m->arena, count * sizeof(*m->same) + 1);
	if (!m->same) {
		*status = error_nomem(err, "resolving names");
		return true;
	}
	*status = SX_OK;
	if (!m->same[counter])
		*status = resolve_same(m, counter, &m->same[counter], err);
	*out = (struct expr_ref){
	    .kind = EXPR_REF_EXPR, .expr = m->same[counter], .type = SX_F64, .scope = SX_NONE};
	return *status || m->same[counter];
}

static enum sx_status as_metric(struct sx_metrics *m, uint32_t metric, struct expr_ref *out,
				struct sx_error *err)
{
	uint32_t count;
	const struct sx_metric_info *info = &sx_catalog_metrics(m->catalog, &count)[metric];
	struct sx_expr *expr;
	if (m->given[metric] != SX_NONE) {
		uint32_t input = resolve_given(m, m->given[metric], metric);
		if (input == SX_NONE)
			return error_nomem(err, "resolving names");
		*out = (struct expr_ref){
		    .kind = EXPR_REF_INPUT, .input = input, .type = m->inputs[input].type};
		return SX_OK;
	}
	enum sx_status status = resolve_metric(m, metric, &expr, err);
	*out = (struct expr_ref){.kind = expr ? EXPR_REF_EXPR : EXPR_REF_NO_DATA,
				 .expr = expr,
				 .type = info->type,
				 .scope = info->group};
	return status;
}

/* The type of the column that gives a constant: whole ones are as exact as those of --const. */
static enum sx_type constant_type(const struct sx_metrics *m, uint32_t constant)
{
	for (uint32_t i = 0; m->per_row[constant] && i < m->like_count; i++) {
		const struct sx_column *column = sx_table_column(m->like, i);
		if (column_meaning(m->catalog, column->name, m->set).constant == constant)
			return column->type;
	}
	return SX_F64;
}

static enum sx_status as_constant(struct sx_metrics *m, uint32_t constant, struct expr_ref *out,
				  struct sx_error *err)
{
	uint32_t count;
	const struct sx_constant_info *info = &sx_catalog_constants(m->catalog, &count)[constant];
	double value = m->constants[constant];
	if (m->per_row[constant] || isnan(value))
		return as_input(
		    m,
		    (struct wanted_input){info->name, SX_NONE, SX_NONE, constant_type(m, constant)},
		    out, err);
	bool whole = value >= 0 && value < 9007199254740992.0 && value == floor(value);
	*out = (struct expr_ref){
	    .kind = EXPR_REF_CONSTANT, .value = value, .type = whole ? SX_U64 : SX_F64};
	return SX_OK;
}

static enum sx_status as_builtin(struct sx_metrics *m, const char *name, struct expr_ref *out,
				 struct sx_error *err)
{
	name += *name == '$';
	if (strcmp(name, "duration_ns") == 0)
		return as_input(m, (struct wanted_input){name, SX_NONE, SX_NONE, SX_U64}, out, err);
	enum sx_status status = SX_OK;
	if (!m->seconds)
		status = sx_expr_parse("duration_ns / 1000000000", SX_INFIX, &m->seconds, err);
	*out = (struct expr_ref){
	    .kind = EXPR_REF_EXPR, .expr = m->seconds, .type = SX_F64, .scope = SX_NONE};
	return status;
}

/* Only counters have instances. */
static enum ref_target target_of(const struct sx_metrics *m, const char *name, uint32_t instance,
				 uint32_t scope, uint32_t *index)
{
	if (instance == SX_NONE)
		return refs_resolve(m->catalog, name, scope, index, NULL);
	*index = sx_catalog_find_counter(m->catalog, name, scope, NULL);
	if (*index == SX_NONE && scope != SX_NONE)
		*index = sx_catalog_find_counter(m->catalog, name, SX_NONE, NULL);
	return *index == SX_NONE ? REF_NONE : REF_COUNTER;
}

static enum sx_status resolve_one(void *user, const struct expr_name *asked, struct expr_ref *out,
				  struct sx_error *err)
{
	const char *name = asked->text;
	struct sx_metrics *m = user;
	enum sx_status status;
	uint32_t index, count;
	switch (target_of(m, name, asked->instance, asked->scope, &index)) {
	case REF_METRIC:
		return as_metric(m, index, out, err);
	case REF_COUNTER: {
		if (asked->instance == SX_NONE && as_same(m, index, out, &status, err))
			return status;
		const struct sx_counter_info *info =
		    &sx_catalog_counters(m->catalog, &count)[index];
		return as_input(
		    m, (struct wanted_input){info->name, index, asked->instance, info->type}, out,
		    err);
	}
	case REF_CONSTANT:
		return as_constant(m, index, out, err);
	case REF_BUILTIN:
		return as_builtin(m, name, out, err);
	case REF_NONE:
		break;
	}
	error_set(err, SX_ERR_NOT_FOUND, "%s means nothing in catalog %s", name,
		  sx_catalog_info(m->catalog)->name);
	error_because(err, "no metric, counter or constant has this name");
	error_try(err, "sextant catalog lint %s", sx_catalog_info(m->catalog)->name);
	return SX_ERR_NOT_FOUND;
}

/* Instances that the table has, for blocks with a constant as their number that has no value. */
static uint32_t instances_seen(const struct sx_metrics *m, uint32_t counter)
{
	uint32_t seen = 0;
	for (uint32_t i = 0; i < m->like_count; i++)
		if (m->like_counter[i] == counter && m->like_instance[i] != SX_NONE &&
		    m->like_instance[i] >= seen)
			seen = m->like_instance[i] + 1;
	return seen;
}

static uint32_t resolve_instances(void *user, const char *name, uint32_t scope)
{
	struct sx_metrics *m = user;
	uint32_t count;
	uint32_t counter = sx_catalog_find_counter(m->catalog, name, SX_NONE, NULL);
	const struct sx_counter_info *counters = sx_catalog_counters(m->catalog, &count);
	if (counter == SX_NONE || counters[counter].block == SX_NONE)
		return 1;
	const struct sx_block_info *block =
	    &sx_catalog_blocks(m->catalog, &count)[counters[counter].block];
	if (!block->instances_constant)
		return block->instances;
	uint32_t constant = sx_catalog_find_constant(m->catalog, block->instances_constant);
	double value = constant == SX_NONE ? NAN : m->constants[constant];
	if (value >= 1 && value <= 4096)
		return (uint32_t)value;
	uint32_t seen = instances_seen(m, counter);
	return seen ? seen : 1;
}

struct expr_resolver resolve_names(struct sx_metrics *m)
{
	return (struct expr_resolver){
	    .user = m, .resolve = resolve_one, .instances = resolve_instances};
}
