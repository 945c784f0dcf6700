/* Which comparison of a condition is the evidence for a rule. */
#include "analysis/rules/rules.h"

#include <math.h>
#include <string.h>

static bool is_comparison(const struct sx_node *node)
{
	return node->kind == SX_NODE_OP && node->op >= SX_OP_LT && node->op <= SX_OP_NE;
}

static bool is_name(const struct sx_node *node, const char *name)
{
	return node->kind == SX_NODE_NAME && strcmp(node->name, name) == 0;
}

static bool contains(const struct sx_node *node, const char *name)
{
	bool found = is_name(node, name);
	for (uint32_t i = 0; !found && i < node->child_count; i++)
		found = contains(node->children[i], name);
	return found;
}

static bool is_limit(const struct sx_node *node, const struct sx_advice_info *rule)
{
	return node->kind == SX_NODE_NUMBER && node->number == rule->limit;
}

static enum sx_op mirrored(enum sx_op op)
{
	switch (op) {
	case SX_OP_LT:
		return SX_OP_GT;
	case SX_OP_LE:
		return SX_OP_GE;
	case SX_OP_GT:
		return SX_OP_LT;
	case SX_OP_GE:
		return SX_OP_LE;
	default:
		return op;
	}
}

/* Of `a < 1 or b > 2` only one need hold: the other would be no evidence. */
bool comparison_holds(enum sx_op op, double a, double b)
{
	switch (op) {
	case SX_OP_LT:
		return a < b;
	case SX_OP_LE:
		return a <= b;
	case SX_OP_GT:
		return a > b;
	case SX_OP_GE:
		return a >= b;
	default:
		return (a == b) == (op == SX_OP_EQ);
	}
}

void comparison_find(const struct sx_node *node, const struct sx_advice_info *rule,
		     struct comparison *best)
{
	for (uint32_t i = 0; i < node->child_count; i++)
		comparison_find(node->children[i], rule, best);
	if (!is_comparison(node))
		return;
	for (uint32_t side = 0; side < 2; side++) {
		const struct sx_node *a = node->children[side], *b = node->children[1 - side];
		bool alone = is_name(a, rule->metric), with_limit = is_limit(b, rule);
		if (!contains(a, rule->metric) || contains(b, rule->metric))
			continue;
		if (!isnan(rule->limit) && !with_limit)
			continue;
		/* `x > 0 and y * x > z`: zero only says that there is something. */
		bool guard = b->kind == SX_NODE_NUMBER && b->number == 0 && !with_limit;
		int good = guard ? 1 : 2 + 2 * alone + with_limit;
		if (good > best->good)
			*best =
			    (struct comparison){a, b, side ? mirrored(node->op) : node->op, good};
	}
}
