/* Walks trees, resolves names, and follows references between expressions. */
#include "expr/graph/lower.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"

#define WHOLE_MAX 0x1p53

static uint32_t fail(struct lower *lower, enum sx_status status)
{
	if (lower->status == SX_OK)
		lower->status = status;
	return SX_NONE;
}

/*
 * The column of a name, counted in bytes: names are ASCII, and so is what precedes one except in
 * hostile text.
 */
static uint32_t column(const struct sx_node *node)
{
	return node->position + 1;
}

static uint32_t fail_name(struct lower *lower, const struct sx_node *node, enum sx_status status,
			  const struct sx_error *why)
{
	if (lower->status != SX_OK)
		return SX_NONE;
	if (why->message[0])
		error_set(lower->err, status, "column %u: %.400s", column(node), why->message);
	else
		error_set(lower->err, status, "column %u: unknown name \"%s\"", column(node),
			  node->name);
	error_because(lower->err, "%s",
		      why->because[0] ? why->because
				      : "it is no metric, counter, constant or built-in input");
	error_try(lower->err, "%s",
		  why->remedy[0] ? why->remedy : "correct the name, or declare it");
	return fail(lower, status);
}

static uint32_t fail_limit(struct lower *lower, const char *what, uint32_t limit)
{
	if (lower->status != SX_OK)
		return SX_NONE;
	error_set(lower->err, SX_ERR_LIMIT, "the expressions need more than %u %s", limit, what);
	error_because(lower->err, "expressions are limited, so that a bad file costs nothing");
	error_try(lower->err, "refer to fewer metrics from one another, or to fewer instances");
	return fail(lower, SX_ERR_LIMIT);
}

/* Whole numbers are integers, also where they are given as f64. */
static uint32_t number(struct lower *lower, double value)
{
	if (value >= 0 && value <= WHOLE_MAX && value == floor(value))
		return graph_u64(&lower->graph, (uint64_t)value);
	return graph_f64(&lower->graph, value);
}

static uint32_t referred(struct lower *lower, const struct expr_ref *ref)
{
	switch (ref->kind) {
	case EXPR_REF_INPUT:
		return graph_input(&lower->graph, ref->input,
				   ref->type == SX_U64 ? VALUE_U64 : VALUE_F64);
	case EXPR_REF_CONSTANT:
		return number(lower, ref->value);
	case EXPR_REF_EXPR:
		return lower_reference(lower, lower_expr(lower, ref->expr, ref->scope));
	default:
		return graph_no_data(&lower->graph, SX_QUALITY_NOT_COLLECTED);
	}
}

static uint32_t lower_instance(struct lower *lower, const struct sx_node *node, uint32_t scope,
			       uint32_t instance)
{
	if (lower->work++ >= EXPR_PROGRAM_WORK_MAX)
		return fail_limit(lower, "steps to compile", EXPR_PROGRAM_WORK_MAX);
	struct expr_ref ref = {0};
	struct sx_error why = {0};
	const struct expr_resolver *resolver = lower->resolver;
	enum sx_status status = resolver->resolve(
	    resolver->user, &(struct expr_name){node->name, instance, scope}, &ref, &why);
	if (status != SX_OK)
		return fail_name(lower, node, status, &why);
	return referred(lower, &ref);
}

/* Joins one more operand to what a reduction has so far (SX_NONE: nothing yet). */
struct reduction {
	enum sx_op op;
	uint32_t value, count;
};

static bool lower_join(struct lower *lower, struct reduction *reduction, uint32_t value)
{
	if (value == SX_NONE)
		return false;
	if (reduction->count++ == 0)
		reduction->value = value;
	else
		reduction->value = lower_binary(lower, reduction->op, reduction->value, value);
	return reduction->value != SX_NONE;
}

static bool join_instances(struct lower *lower, struct reduction *reduction,
			   const struct sx_node *node, uint32_t scope)
{
	uint32_t first = node->first, last = node->last;
	if (node->instances == SX_INSTANCES_ALL) {
		const struct expr_resolver *resolver = lower->resolver;
		uint32_t count = resolver->instances
				     ? resolver->instances(resolver->user, node->name, scope)
				     : 0;
		if (count > SX_EXPR_INSTANCES_MAX) {
			fail_limit(lower, "instances of one name", SX_EXPR_INSTANCES_MAX);
			return false;
		}
		/*
		 * The number of instances is unknown, so a reduction over all of them has no value.
		 */
		if (count == 0)
			return lower_join(lower, reduction,
					  graph_no_data(&lower->graph, SX_QUALITY_NOT_COLLECTED));
		first = 0;
		last = count - 1;
	}
	for (uint32_t i = first; i <= last; i++) {
		if (!lower_join(lower, reduction, lower_instance(lower, node, scope, i)))
			return false;
	}
	return true;
}

static uint32_t lower_reduction(struct lower *lower, const struct sx_node *node, uint32_t scope)
{
	struct reduction reduction = {.op = node->op, .value = SX_NONE};
	for (uint32_t i = 0; i < node->child_count; i++) {
		const struct sx_node *child = node->children[i];
		bool many = child->kind == SX_NODE_NAME && child->instances != SX_INSTANCES_NONE;
		bool joined = many ? join_instances(lower, &reduction, child, scope)
				   : lower_join(lower, &reduction, lower_node(lower, child, scope));
		if (!joined)
			return SX_NONE;
	}
	if (node->op != SX_OP_AVG)
		return reduction.value;
	return lower_binary(lower, SX_OP_DIV, reduction.value,
			    graph_u64(&lower->graph, reduction.count));
}

static uint32_t lower_op(struct lower *lower, const struct sx_node *node, uint32_t scope)
{
	if (node->op == SX_OP_MIN || node->op == SX_OP_MAX || node->op == SX_OP_SUM ||
	    node->op == SX_OP_AVG)
		return lower_reduction(lower, node, scope);
	uint32_t values[3] = {SX_NONE, SX_NONE, SX_NONE};
	for (uint32_t i = 0; i < node->child_count; i++) {
		values[i] = lower_node(lower, node->children[i], scope);
		if (values[i] == SX_NONE)
			return SX_NONE;
	}
	if (node->op == SX_OP_IF)
		return lower_select(lower, values[0], values[1], values[2]);
	if (node->child_count == 1)
		return lower_unary(lower, node->op, values[0]);
	return lower_binary(lower, node->op, values[0], values[1]);
}

static uint32_t lower_leaf_or_op(struct lower *lower, const struct sx_node *node, uint32_t scope)
{
	switch (node->kind) {
	case SX_NODE_NUMBER:
		return node->is_integer ? graph_u64(&lower->graph, node->integer)
					: graph_f64(&lower->graph, node->number);
	case SX_NODE_NAME:
		return lower_instance(lower, node, scope,
				      node->instances == SX_INSTANCES_RANGE ? node->first
									    : SX_NONE);
	default:
		return lower_op(lower, node, scope);
	}
}

uint32_t lower_node(struct lower *lower, const struct sx_node *node, uint32_t scope)
{
	if (lower->status != SX_OK)
		return SX_NONE;
	if (lower->depth >= EXPR_PROGRAM_DEPTH_MAX)
		return fail_limit(lower, "levels of nesting", EXPR_PROGRAM_DEPTH_MAX);
	if (lower->work++ >= EXPR_PROGRAM_WORK_MAX)
		return fail_limit(lower, "steps to compile", EXPR_PROGRAM_WORK_MAX);
	lower->depth++;
	uint32_t value = lower_leaf_or_op(lower, node, scope);
	lower->depth--;
	if (value == SX_NONE && lower->status == SX_OK)
		lower->status = error_nomem(lower->err, "compiling expressions");
	return value;
}

static uint32_t fail_cycle(struct lower *lower)
{
	if (lower->status != SX_OK)
		return SX_NONE;
	error_set(lower->err, SX_ERR_BAD_INPUT, "an expression refers to itself");
	error_because(lower->err, "following its names leads back to where it began");
	error_try(lower->err, "break the cycle: spell out one of the expressions");
	return fail(lower, SX_ERR_BAD_INPUT);
}

uint32_t lower_expr(struct lower *lower, const struct sx_expr *expr, uint32_t scope)
{
	if (lower->status != SX_OK)
		return SX_NONE;
	uint32_t hash = slots_hash(((uint64_t)(uintptr_t)expr >> 4) ^ ((uint64_t)scope << 32));
	size_t at = hash;
	for (uint32_t i; (i = slots_next(&lower->slots, hash, &at)) != SLOTS_NONE;)
		if (lower->done[i].expr == expr && lower->done[i].scope == scope)
			return lower->done[i].value == SX_NONE ? fail_cycle(lower)
							       : lower->done[i].value;
	if (!slots_reserve(&lower->slots) ||
	    !mem_grow(&lower->done, &lower->done_cap, lower->done_count + 1,
		      sizeof(*lower->done))) {
		lower->status = error_nomem(lower->err, "compiling expressions");
		return SX_NONE;
	}
	size_t index = lower->done_count++;
	slots_add(&lower->slots, hash, (uint32_t)index);
	lower->done[index] = (struct lowered){.expr = expr, .scope = scope, .value = SX_NONE};
	uint32_t value = lower_node(lower, sx_expr_root(expr), scope);
	lower->done[index].value = value;
	return value;
}

void lower_finish(struct lower *lower)
{
	graph_finish(&lower->graph);
	free(lower->done);
	slots_finish(&lower->slots);
	*lower = (struct lower){0};
}
