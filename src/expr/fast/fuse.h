/* The step between planning and registers: several operations in one pass. */
#ifndef EXPR_FAST_FUSE_H
#define EXPR_FAST_FUSE_H

#include "expr/fast/fast.h"

/* Whether an operation's result is an output of u64 itself. */
static inline bool fast_stores(enum fast_op op)
{
	return op == FAST_STORE || op == FAST_STORE_WHOLE || op == FAST_LOAD_MUL_STORE ||
	       op == FAST_LOAD_ADD_MUL_STORE;
}

/*
 * Joins operations into one where nobody else reads what is between them. Operands are nodes, those
 * of columns the inputs'. `place` is SX_NONE for each node that is no result itself. False when
 * memory is out.
 */
bool fast_fuse(struct fast_code *code, uint32_t node_count, const uint32_t *place);

#endif
