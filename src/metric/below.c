/*
 * Why a difference has no value: a counter underflow, since the count that is subtracted is larger.
 */
#include "metric/metrics.h"
#include "base/no_data.h"

#include <math.h>
#include <stdio.h>

#define OPERAND_TEXT 96

static bool is_difference(const struct sx_node *node)
{
	return node->kind == SX_NODE_OP && node->child_count == 2 &&
	       (node->op == SX_OP_SUB || node->op == SX_OP_USUB || node->op == SX_OP_FSUB);
}

/* The rows that are checked. */
struct look {
	const struct sx_table *in;
	size_t row;
	char *out;
	size_t size;
};

/* The value of counts, of sums of counts and of their multiples; NaN for anything else. */
static double count_of(const struct look *look, const struct sx_node *node)
{
	if (node->kind == SX_NODE_NUMBER)
		return node->number;
	if (node->kind == SX_NODE_NAME) {
		uint32_t column = node->instances == SX_INSTANCES_NONE
				      ? sx_table_find(look->in, node->name)
				      : SX_NONE;
		return column == SX_NONE ? NAN : sx_table_get(look->in, column, look->row);
	}
	if (node->child_count != 2)
		return NAN;
	double a = count_of(look, node->children[0]), b = count_of(look, node->children[1]);
	switch (node->op) {
	case SX_OP_ADD:
	case SX_OP_UADD:
	case SX_OP_FADD:
		return a + b;
	case SX_OP_MUL:
	case SX_OP_UMUL:
	case SX_OP_FMUL:
		return a * b;
	default:
		return is_difference(node) ? a - b : NAN;
	}
}

static bool find_below(const struct look *look, const struct sx_node *node)
{
	for (uint32_t i = 0; i < node->child_count; i++)
		if (find_below(look, node->children[i]))
			return true;
	if (!is_difference(node) ||
	    !(count_of(look, node->children[0]) < count_of(look, node->children[1])))
		return false;
	char from[OPERAND_TEXT], what[OPERAND_TEXT], detail[2 * OPERAND_TEXT + 32];
	if (sx_node_text(node->children[0], from, sizeof(from)) >= sizeof(from) ||
	    sx_node_text(node->children[1], what, sizeof(what)) >= sizeof(what))
		return false;
	snprintf(detail, sizeof(detail), "%s counted less than %s", from, what);
	look->out[0] = '\0';
	no_data_append(look->out, look->size, NO_DATA_UNDEFINED, detail);
	return true;
}

bool below_reason(const struct sx_metrics *metrics, uint32_t column, const struct sx_table *in,
		  char *out, size_t size)
{
	uint32_t count;
	struct sx_expr *parsed;
	const struct sx_catalog_info *info = sx_catalog_info(metrics->catalog);
	const struct sx_metric_info *all = sx_catalog_metrics(metrics->catalog, &count);
	uint32_t metric = metrics->columns[column].metric;
	if (metric >= count || info->variant_count || !all[metric].exprs ||
	    sx_expr_parse(all[metric].exprs[0], info->notation, &parsed, NULL))
		return false;
	bool found = false;
	for (size_t row = 0; !found && row < sx_table_row_count(in); row++)
		found = find_below(&(struct look){in, row, out, size}, sx_expr_root(parsed));
	sx_expr_destroy(parsed);
	return found;
}
