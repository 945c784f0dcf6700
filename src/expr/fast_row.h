/* The fast form of a program for single rows. */
#ifndef EXPR_FAST_ROW_H
#define EXPR_FAST_ROW_H

#include <stdbool.h>

#include "expr/fast_ops.h"

struct sx_program;
struct fast_step;

/* One value of the row form: slots hold constants, then inputs, then results. */
struct row_insn {
	uint32_t out, a, b, c; /* `c` of clamps and percentages: the first of three constants */
};

/* Operations of one kind that do not need each other, or only earlier ones. */
struct row_run {
	enum fast_op op;
	uint32_t begin, end;
};

/* An input that operations read. */
struct row_load {
	uint32_t index; /* as the resolver gave it */
	uint32_t slot;
	enum sx_type type;
	uint64_t too_large; /* bits that must not be set */
};

/* An output that operations write. */
struct row_store {
	uint32_t output, slot;
	bool whole; /* not negative, to u64 */
};

/* The form for single rows: the same operations, ordered so that there are few kinds in turn. */
struct row_code {
	double *constants;
	uint32_t constant_count;
	struct row_load *loads;
	uint32_t load_count;
	struct row_run *runs;
	uint32_t run_count;
	struct row_insn *insns;
	uint32_t insn_count;
	struct row_store *stores;
	uint32_t store_count;
	uint32_t slot_count;
};

/* Fills program->fast.row from the plan; false when memory is out. */
bool row_compile(struct sx_program *program, const struct fast_step *steps);
void row_finish(struct row_code *code);

#endif
