/* The fast form of a program for single rows. */
#ifndef EXPR_FAST_ROW_H
#define EXPR_FAST_ROW_H

#include <stdbool.h>

#include "expr/fast/ops.h"

struct fast_code;
struct fast_step;
struct live_graph;

enum row_store_kind {
	ROW_STORE_F64,
	ROW_STORE_WHOLE,
	ROW_STORE_ROUND,
	ROW_STORE_INPUT_U64,
	ROW_STORE_INPUT_F64,
	ROW_STORE_FILL, /* `from`: an index in the program's moves */
	ROW_STORE_KINDS
};

/* One value of the row form: slots hold constants, then inputs, then results. */
struct row_insn {
	uint32_t out, a, b, c; /* `c` of clamps and percentages: the first of three constants */
};

/*
 * Operations of one kind that do not need each other; their results lie side by side. Clamps and
 * percentages have the same constants.
 */
struct row_run {
	enum fast_op op;
	uint32_t begin, end;
};

/* An output and where it comes from: a slot, or an input by the resolver's index. */
struct row_store {
	uint32_t output, from;
};

/* The form for single rows: the same operations, ordered so that there are few kinds in turn. */
struct row_code {
	double *constants;
	uint32_t constant_count;
	/*
	 * Inputs that operations read, by the resolver's index: u64 that must be exact, other u64,
	 * then f64. Their slots follow the constants.
	 */
	uint32_t *loads;
	uint32_t whole_count, u64_count, load_count; /* each includes the one before */
	struct row_run *runs;
	uint32_t run_count;
	struct row_insn *insns;
	uint32_t insn_count;
	/*
	 * Outputs: f64 from slots, u64 from whole and from other slots, then inputs as they stand,
	 * u64 and f64.
	 */
	struct row_store *stores;
	uint32_t store_ends[ROW_STORE_KINDS]; /* of each kind; the next one begins there */
	uint32_t slot_count;
};

/* Fills code->row from the plan; false when memory is out. */
bool row_compile(const struct live_graph *program, struct fast_code *code,
		 const struct fast_step *steps);
void row_finish(struct row_code *code);

#endif
