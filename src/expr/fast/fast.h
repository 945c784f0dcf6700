/*
 * The fast form of a program: a list of operations over blocks of rows, all of them f64, with
 * registers that stay in the L1 cache. It is correct as long as whole numbers stay small and every
 * input is valid; eval.c checks that.
 */
#ifndef EXPR_FAST_FAST_H
#define EXPR_FAST_FAST_H

#include <stdbool.h>

#include "expr/fast/ops.h"
#include "expr/graph/lower.h"

/*
 * Where operands are: registers, then the columns of the program's inputs, then those of its
 * outputs.
 */
struct fast_insn {
	enum fast_op op;
	uint8_t columns; /* bit n: operand n is an input's u64 column, which only operations load */
	uint32_t out, a, b, c;
	double k[3];
};

enum fast_move_kind {
	FAST_MOVE_INPUT,  /* the input's column as it is */
	FAST_MOVE_OUTPUT, /* the same as an earlier output */
	FAST_MOVE_FILL,	  /* a constant */
};

/* An output that needs no operation. */
struct fast_move {
	enum fast_move_kind kind;
	uint32_t output, from; /* `from`: position in the program's inputs, or an output */
	union scalar value;    /* FAST_MOVE_FILL, of the output's type */
	uint8_t quality;       /* FAST_MOVE_FILL */
};

struct fast_code {
	bool usable; /* false: every row has to be evaluated exactly */
	uint32_t registers;
	struct fast_insn *insns;
	uint32_t insn_count;
	struct fast_move *moves;
	uint32_t move_count;
};

/* Fills `code`, which is empty, with the fast form of what a program computes. */
enum sx_status fast_compile(const struct live_graph *program, struct fast_code *code,
			    struct sx_error *err);
void fast_finish(struct fast_code *code);

/* Whether an operation's result is an output of u64 itself. */
static inline bool fast_stores(enum fast_op op)
{
	return op == FAST_STORE || op == FAST_STORE_WHOLE || op == FAST_LOAD_MUL_STORE ||
	       op == FAST_LOAD_ADD_MUL_STORE;
}

/*
 * Fuses operations where no other operation reads the result between them. Operands are nodes;
 * those of columns are the inputs'. `place` is SX_NONE for each node that is not a result itself.
 * False when memory is out.
 */
bool fast_fuse(struct fast_code *code, uint32_t node_count, const uint32_t *place);

/* One node in the fast form. Operands are nodes too; SX_NONE where there is none. */
struct fast_step {
	bool needed;	 /* its result is read, so that it gets an operation and a place */
	bool whole;	 /* a u64 input that integer operations read */
	enum fast_op op; /* FAST_OP_COUNT: the node needs no operation */
	uint32_t alias;	 /* the node that has the same value: itself, except for conversions */
	uint32_t args[3];
	double k[3];
	double magnitude; /* of whole numbers, while inputs are in range */
};

/*
 * One step a node, in the order of the nodes. *usable is false when some node has no fast form.
 * NULL when memory is out. Released by free().
 */
struct fast_step *fast_plan(const struct live_graph *program, bool *usable);

/* True for an output that is an unchanged input, or a constant. */
bool fast_is_move(const struct live_graph *program, uint32_t output);

#endif
