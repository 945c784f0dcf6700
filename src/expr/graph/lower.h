/* From trees to the graph of values: names are resolved and dialects are given their meaning. */
#ifndef EXPR_GRAPH_LOWER_H
#define EXPR_GRAPH_LOWER_H

#include "expr/graph/graph.h"
#include "expr/graph/names.h"

/* One expression that has been lowered, or is being. */
struct lowered {
	const struct sx_expr *expr;
	uint32_t scope;
	uint32_t value; /* SX_NONE while it is being lowered */
};

struct lower {
	struct graph graph;
	enum sx_dialect dialect;
	const struct expr_resolver *resolver;
	struct sx_error *err;
	enum sx_status status;
	struct lowered *done;
	size_t done_count, done_cap;
	struct slots slots; /* of done */
	uint32_t depth, work;
};

/* The value of an expression, SX_NONE when lower->status says why not. */
uint32_t lower_expr(struct lower *lower, const struct sx_expr *expr, uint32_t scope);
/* The value of a part of one. */
uint32_t lower_node(struct lower *lower, const struct sx_node *node, uint32_t scope);
/* The same value as f64. */
uint32_t lower_to_f64(struct lower *lower, uint32_t value);
void lower_finish(struct lower *lower);

/* Used between lower.c and lower_ops.c: the value of an operator over values. */
uint32_t lower_binary(struct lower *lower, enum sx_op op, uint32_t a, uint32_t b);
uint32_t lower_unary(struct lower *lower, enum sx_op op, uint32_t a);
uint32_t lower_select(struct lower *lower, uint32_t condition, uint32_t yes, uint32_t no);
/* What a reference to another expression sees of its value. */
uint32_t lower_reference(struct lower *lower, uint32_t value);

#endif
