/* Between the two halves of fast compilation: what operation each node becomes. */
#ifndef EXPR_FAST_PLAN_H
#define EXPR_FAST_PLAN_H

#include "expr/fast/fast.h"

/* One node in the fast form. Operands are nodes too; SX_NONE where there is none. */
struct fast_step {
	bool needed;	 /* somebody reads it, so that it gets an operation and a place */
	bool whole;	 /* a u64 input that integer operations read */
	enum fast_op op; /* FAST_OP_COUNT: the node needs no operation */
	uint32_t alias;	 /* the node whose value it has: itself, but for conversions */
	uint32_t args[3];
	double k[3];
	double magnitude; /* of whole numbers, while inputs are in range */
};

/*
 * One step a node, in the order of the nodes. *usable is false when some node has no fast form.
 * NULL when memory is out. Released by free().
 */
struct fast_step *fast_plan(const struct live_graph *program, bool *usable);

/* True for an output that is an input as it stands, or a constant. */
bool fast_is_move(const struct live_graph *program, uint32_t output);

#endif
