/*
 * Whether a value is a bound: a formula over bounds is one, too, in a direction that its operators
 * say. No value and no constant of these rules is below zero.
 */
#include "analysis/verdict/facts.h"

#include <math.h>

static uint32_t swapped(uint32_t bound)
{
	return (bound & VERDICT_LOWER ? VERDICT_UPPER : 0) |
	       (bound & VERDICT_UPPER ? VERDICT_LOWER : 0);
}

/* A division of constants, by which a formula says that it has no value. */
static bool is_no_data(const struct sx_node *n)
{
	return n->kind == SX_NODE_OP && n->op == SX_OP_DIV &&
	       n->children[1]->kind == SX_NODE_NUMBER && n->children[1]->number == 0;
}

static uint32_t bound_of_op(const struct sx_node *n, const uint32_t *children)
{
	uint32_t all = children[0] | children[1] | children[2];
	switch (n->op) {
	case SX_OP_ADD:
	case SX_OP_MUL:
	case SX_OP_MIN:
	case SX_OP_MAX:
	case SX_OP_AND:
	case SX_OP_OR:
		return all;
	case SX_OP_SUB:
	case SX_OP_DIV:
	case SX_OP_GT:
	case SX_OP_GE:
		return children[0] | swapped(children[1]);
	case SX_OP_LT:
	case SX_OP_LE:
		return swapped(children[0]) | children[1];
	case SX_OP_IF: /* without a value where the condition does not hold, it may fail wrongly */
		all = is_no_data(n->children[2]) ? children[0] & VERDICT_UPPER : children[0];
		return all ? VERDICT_LOWER | VERDICT_UPPER : children[1] | children[2];
	default:
		return all ? VERDICT_LOWER | VERDICT_UPPER : 0;
	}
}

static uint32_t bound_of_fact(const struct verdict_facts *f, uint32_t fact, uint32_t only,
			      size_t window)
{
	const struct verdict_column *c = &f->facts[fact];
	const struct verdict_way *way = &f->rules->facts[fact].ways[c->way[window]];
	if (isnan(c->values[window]))
		return 0;
	return (only == SX_NONE || only == fact ? way->bound : 0) |
	       verdict_bound(f, sx_expr_root(way->tree), (struct bound_of){fact, only}, window);
}

uint32_t verdict_bound(const struct verdict_facts *f, const struct sx_node *n, struct bound_of of,
		       size_t window)
{
	uint32_t children[3] = {0};
	if (n->kind == SX_NODE_NAME) {
		uint32_t fact = verdict_fact_find(f->rules, n->name);
		return fact < of.before ? bound_of_fact(f, fact, of.only, window) : 0;
	}
	for (uint32_t i = 0; n->kind == SX_NODE_OP && i < n->child_count; i++)
		children[i < 2 ? i : 2] |= verdict_bound(f, n->children[i], of, window);
	return n->kind == SX_NODE_OP ? bound_of_op(n, children) : 0;
}
