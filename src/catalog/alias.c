/* Aliases of counters: see alias_find() in internal.h. */
#include "catalog/internal.h"

#include <stdio.h>
#include <string.h>

#include <sextant/expr.h>

#define ALIAS_DEPTH_MAX 16 /* metrics of metrics */

/* A formula that is being followed. */
struct alias_path {
	const struct sx_catalog *catalog;
	uint32_t variant, scope; /* scope: the group of the metric that the formula is of */
	struct sx_expr *expr;
	struct alias *out;
	bool too_long; /* out->back */
};

static enum ref_target alias_target(const struct alias_path *p, const struct sx_node *node,
				    uint32_t *index)
{
	uint32_t matches;
	enum ref_target is = refs_resolve(p->catalog, node->name, p->scope, index, &matches);
	return matches == 1 && node->instances == SX_INSTANCES_NONE ? is : REF_NONE;
}

/* Numbers, constants of the device and the sample's length: what a counter can be freed of. */
static bool alias_is_known(struct alias_path *p, const struct sx_node *node)
{
	uint32_t index;
	if (node->kind == SX_NODE_NUMBER)
		return true;
	if (node->kind == SX_NODE_NAME) {
		enum ref_target is = alias_target(p, node, &index);
		p->out->of_time |= is == REF_BUILTIN;
		return is == REF_CONSTANT || is == REF_BUILTIN;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		if (!alias_is_known(p, node->children[i]))
			return false;
	return true;
}

/* Undoes an operation with what is known: what the other side of it is. */
static void alias_undo(struct alias_path *p, char operation, const struct sx_node *known)
{
	char side[ALIAS_TEXT_MAX], before[ALIAS_TEXT_MAX];
	memcpy(before, p->out->back, sizeof(before));
	size_t size = sx_node_text(known, side, sizeof(side));
	int all = snprintf(p->out->back, ALIAS_TEXT_MAX, "(%s) %c (%s)", before, operation, side);
	p->too_long |= size >= sizeof(side) || all < 0 || all >= ALIAS_TEXT_MAX;
}

/* The side of an operation that is not known where the other is; NULL: there is no way back. */
static const struct sx_node *alias_side(struct alias_path *p, const struct sx_node *node)
{
	const struct sx_node *const *sides = node->children;
	switch (node->op) {
	case SX_OP_SUM:
	case SX_OP_AVG:
	case SX_OP_MIN:
	case SX_OP_MAX:
		return node->child_count == 1 ? sides[0] : NULL;
	case SX_OP_DIV:
	case SX_OP_FDIV:
		if (!alias_is_known(p, sides[1]))
			return NULL;
		alias_undo(p, '*', sides[1]);
		return sides[0];
	case SX_OP_MUL:
	case SX_OP_FMUL:
	case SX_OP_UMUL: {
		unsigned at = alias_is_known(p, sides[0]) ? 0 : 1;
		if (!alias_is_known(p, sides[at]))
			return NULL;
		alias_undo(p, '/', sides[at]);
		return sides[1 - at];
	}
	default:
		return NULL;
	}
}

/* The root of a metric's formula, or NULL. */
static const struct sx_node *alias_enter(struct alias_path *p, uint32_t metric)
{
	uint32_t count;
	const struct sx_metric_info *info = &sx_catalog_metrics(p->catalog, &count)[metric];
	sx_expr_destroy(p->expr);
	p->expr = NULL;
	p->scope = info->group;
	if (info->unavailable || !info->exprs || !info->exprs[p->variant] ||
	    sx_expr_parse(info->exprs[p->variant], sx_catalog_info(p->catalog)->notation, &p->expr,
			  NULL))
		return NULL;
	return sx_expr_root(p->expr);
}

static uint32_t alias_follow(struct alias_path *p, uint32_t metric)
{
	uint32_t index, count, depth = 0;
	const struct sx_node *node = alias_enter(p, metric);
	while (node && !p->too_long) {
		if (node->kind == SX_NODE_OP) {
			node = alias_side(p, node);
			continue;
		}
		enum ref_target is =
		    node->kind == SX_NODE_NAME ? alias_target(p, node, &index) : REF_NONE;
		if (is == REF_COUNTER &&
		    sx_catalog_counters(p->catalog, &count)[index].reduce != SX_REDUCE_EACH)
			return index;
		bool further = is == REF_METRIC && depth++ < ALIAS_DEPTH_MAX;
		node = further ? alias_enter(p, index) : NULL;
	}
	return SX_NONE;
}

/* A name that means this metric in every context, or NULL. */
static const char *alias_name(const struct sx_catalog *catalog, uint32_t metric)
{
	uint32_t count, index, matches;
	const struct sx_metric_info *info = &sx_catalog_metrics(catalog, &count)[metric];
	const char *const names[] = {info->name, info->qualified};
	for (unsigned i = 0; i < 2; i++)
		if (refs_resolve(catalog, names[i], SX_NONE, &index, &matches) == REF_METRIC &&
		    index == metric && matches == 1)
			return names[i];
	return NULL;
}

void alias_find(const struct sx_catalog *catalog, uint32_t metric, uint32_t variant,
		struct alias *out)
{
	struct alias_path p = {.catalog = catalog, .variant = variant, .out = out};
	const char *name = alias_name(catalog, metric);
	*out = (struct alias){.counter = SX_NONE};
	if (name && strlen(name) + 1 >= sizeof(out->back))
		return;
	out->back[0] = '$'; /* names may begin with a digit */
	memcpy(out->back + 1, name ? name : "", name ? strlen(name) + 1 : 1);
	out->counter = alias_follow(&p, metric);
	if (!name)
		out->back[0] = '\0';
	sx_expr_destroy(p.expr);
}

static bool amount_is(struct alias_path *p, const struct sx_node *node, uint32_t depth);

/* Whether a metric's formula is an amount: through a path of its own. */
static bool amount_of(const struct alias_path *from, uint32_t metric, uint32_t depth)
{
	struct alias ignored = {.counter = SX_NONE};
	struct alias_path p = {.catalog = from->catalog, .variant = from->variant, .out = &ignored};
	const struct sx_node *root = depth < ALIAS_DEPTH_MAX ? alias_enter(&p, metric) : NULL;
	bool is = root && amount_is(&p, root, depth) && !ignored.of_time;
	sx_expr_destroy(p.expr);
	return is;
}

/* What adds up when its counters do: sums and differences of them, times what is known. */
static bool amount_is(struct alias_path *p, const struct sx_node *node, uint32_t depth)
{
	uint32_t index, count;
	const struct sx_node *const *sides = node->children;
	if (node->kind == SX_NODE_NAME) {
		enum ref_target is = alias_target(p, node, &index);
		if (is == REF_METRIC)
			return amount_of(p, index, depth + 1);
		const struct sx_counter_info *counters = sx_catalog_counters(p->catalog, &count);
		return is == REF_COUNTER && counters[index].reduce != SX_REDUCE_EACH &&
		       counters[index].over_time == SX_REDUCE_SUM;
	}
	if (node->kind != SX_NODE_OP)
		return false;
	switch (node->op) {
	case SX_OP_SUM:
	case SX_OP_ADD:
	case SX_OP_UADD:
	case SX_OP_FADD:
	case SX_OP_SUB:
	case SX_OP_FSUB:
		for (uint32_t i = 0; i < node->child_count; i++)
			if (!amount_is(p, sides[i], depth))
				return false;
		return node->child_count > 0;
	case SX_OP_MUL:
	case SX_OP_UMUL:
	case SX_OP_FMUL:
		return (alias_is_known(p, sides[0]) && amount_is(p, sides[1], depth)) ||
		       (alias_is_known(p, sides[1]) && amount_is(p, sides[0], depth));
	case SX_OP_DIV:
	case SX_OP_FDIV:
		return alias_is_known(p, sides[1]) && amount_is(p, sides[0], depth);
	default:
		return false;
	}
}

enum sx_reduce alias_over_time(const struct sx_catalog *catalog, uint32_t metric)
{
	uint32_t count;
	struct alias alias;
	enum sx_reduce own = sx_catalog_metrics(catalog, &count)[metric].over_time;
	if (own != SX_REDUCE_RATIO)
		return own;
	alias_find(catalog, metric, 0, &alias);
	if (amount_of(&(struct alias_path){.catalog = catalog}, metric, 0))
		return SX_REDUCE_SUM;
	return alias.counter == SX_NONE || alias.of_time
		   ? SX_REDUCE_MEAN
		   : sx_catalog_counters(catalog, &count)[alias.counter].over_time;
}
