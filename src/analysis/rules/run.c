/* Conditions of rules: the current rows as inputs, and programs over them. */
#include "analysis/rules/rules.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "catalog/internal.h"
#include "expr/compile.h"

/* Room for a duration a row. */
static bool rules_reach_rows(struct rules *rules, size_t rows)
{
	if (rows + 1 <= rules->row_cap)
		return true;
	free(rules->duration_ns);
	free(rules->duration_quality);
	rules->duration_ns = calloc(rows + 1, sizeof(*rules->duration_ns));
	rules->duration_quality = calloc(rows + 1, 1);
	rules->row_cap = rows + 1;
	return rules->duration_ns && rules->duration_quality;
}

static enum sx_status bind_durations(struct rules *rules, struct sx_error *err)
{
	size_t rows = sx_table_row_count(rules->raw);
	const uint64_t *begin = sx_table_begin_ns(rules->raw), *end = sx_table_end_ns(rules->raw);
	if (!rules_reach_rows(rules, rows)) {
		rules->row_cap = 0;
		return error_nomem(err, "judging samples");
	}
	for (size_t i = 0; i < rows; i++) {
		bool known =
		    begin[i] != SX_TIME_UNKNOWN && end[i] != SX_TIME_UNKNOWN && end[i] >= begin[i];
		rules->duration_ns[i] = known ? end[i] - begin[i] : 0;
		rules->duration_quality[i] = known ? 0 : SX_QUALITY_NOT_COLLECTED;
		rules->timed |= known;
	}
	return SX_OK;
}

/* The columns of `values`, then those of the raw table (constants may be among them), the time. */
enum sx_status rules_bind(struct rules *rules, struct sx_error *err)
{
	uint32_t own = rules->values ? sx_table_column_count(rules->values) : 0;
	uint32_t raw = sx_table_column_count(rules->raw);
	if (!rules->inputs)
		rules->inputs = calloc((size_t)own + raw + 1, sizeof(*rules->inputs));
	if (!rules->inputs)
		return error_nomem(err, "judging samples");
	enum sx_status status = bind_durations(rules, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < own; i++)
		rules->inputs[i] = sx_table_vector(rules->values, i);
	for (uint32_t i = 0; i < raw; i++)
		rules->inputs[own + i] = sx_table_vector(rules->raw, i);
	rules->inputs[own + raw] =
	    (struct sx_vector){SX_U64, rules->duration_ns, rules->duration_quality};
	return SX_OK;
}

/* The column of the raw table that holds a constant, or SX_NONE; one that is listed goes before. */
static uint32_t constant_column(const struct rules *rules, uint32_t constant)
{
	for (uint32_t i = 0; i < sx_table_column_count(rules->raw); i++)
		if (sx_catalog_find_constant(rules->catalog,
					     sx_table_column(rules->raw, i)->name) == constant)
			return i;
	return SX_NONE;
}

static struct expr_ref as_input(const struct rules *rules, uint32_t input)
{
	return (struct expr_ref){
	    .kind = EXPR_REF_INPUT, .input = input, .type = rules->inputs[input].type};
}

static struct expr_ref as_constant(const struct rules *rules, uint32_t constant)
{
	uint32_t own = rules->values ? sx_table_column_count(rules->values) : 0;
	const struct sx_metrics_options *o = &rules->options;
	const struct constants_list list = {o->constants, o->constant_count};
	uint32_t column = constants_given(rules->catalog, constant, &list)
			      ? SX_NONE
			      : constant_column(rules, constant);
	double value = constants_value(rules->catalog, constant, &list);
	if (column != SX_NONE)
		return as_input(rules, own + column);
	if (isnan(value))
		return (struct expr_ref){.kind = EXPR_REF_NO_DATA, .type = SX_F64};
	return (struct expr_ref){.kind = EXPR_REF_CONSTANT, .type = SX_F64, .value = value};
}

/* One compilation: the rules, and the formula behind `seconds` once it was asked for. */
struct naming {
	const struct rules *rules;
	struct sx_expr *seconds;
};

static enum sx_status rules_resolve(void *user, const struct expr_name *asked, struct expr_ref *out,
				    struct sx_error *err)
{
	const char *text = asked->text;
	struct naming *e = user;
	const struct rules *rules = e->rules;
	const struct rule_name *name = rules_find(rules, text);
	uint32_t own = rules->values ? sx_table_column_count(rules->values) : 0;
	enum sx_status status = SX_OK;
	*out = (struct expr_ref){.kind = EXPR_REF_NO_DATA, .type = SX_F64};
	if (asked->instance != SX_NONE) /* rules are over metrics, and these are over instances */
		return SX_OK;
	if (name && name->target == RULE_COLUMN && name->column != SX_NONE)
		*out = as_input(rules, name->column);
	else if (strcmp(text, "duration_ns") == 0)
		*out = as_input(rules, own + sx_table_column_count(rules->raw));
	else if (name && name->target == RULE_CONSTANT)
		*out = as_constant(rules, name->index);
	else if (name && name->target == RULE_SECONDS) {
		if (!e->seconds)
			status =
			    sx_expr_parse("duration_ns / 1000000000", SX_INFIX, &e->seconds, err);
		*out = (struct expr_ref){
		    .kind = EXPR_REF_EXPR, .expr = e->seconds, .type = SX_F64, .scope = SX_NONE};
	}
	return status;
}

static uint32_t one_instance(void *user, const char *name, uint32_t scope)
{
	return 1;
}

enum sx_status rules_compile(const struct rules *rules, const struct sx_expr *expr,
			     const struct sx_node *node, struct expr_program **out,
			     struct sx_error *err)
{
	struct expr_output output = {.expr = expr, .node = node, .scope = SX_NONE, .type = SX_F64};
	struct naming naming = {.rules = rules};
	struct expr_resolver resolver = {
	    .user = &naming, .resolve = rules_resolve, .instances = one_instance};
	enum sx_status status = expr_compile(
	    &(struct expr_request){&output, 1, SX_DIALECT_STANDARD, &resolver}, out, NULL, err);
	sx_expr_destroy(naming.seconds);
	return status;
}

enum sx_status rules_eval(const struct rules *rules, const struct expr_program *program,
			  double *out, struct sx_error *err)
{
	return expr_eval(program, rules->inputs, sx_table_row_count(rules->raw),
			 &(struct expr_result){.data = out}, err);
}
