/* What a tree is made of, for those who look through one. */
#ifndef EXPR_PARSE_VISIT_H
#define EXPR_PARSE_VISIT_H

#include <sextant/expr.h>

/* The infix spelling of an operator ("+", "max", "if"); static storage. */
const char *expr_op_name(enum sx_op op);

/*
 * Calls `visit` for every node, a node before its children and those from left to right, until it
 * returns something else than SX_OK, which is then returned. Thread-safe.
 */
enum sx_status expr_visit(const struct sx_expr *expr,
			  enum sx_status (*visit)(void *user, const struct sx_node *node),
			  void *user);

#endif
