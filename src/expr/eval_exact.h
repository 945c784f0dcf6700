/* Evaluation of single rows with exact integers and qualities: slow, and right for every input. */
#ifndef EXPR_EVAL_EXACT_H
#define EXPR_EVAL_EXACT_H

#include "expr/program.h"

/* Memory for one row, one cell a node. NULL when memory is out. Released by free(). */
struct cell *exact_begin(const struct expr_program *program);
/*
 * Marks the nodes that some outputs rest on, in one byte a node. `wanted` has one byte an output,
 * or is NULL for all of them.
 */
void exact_need(const struct expr_program *program, const uint8_t *wanted, uint8_t *needed);
/* What is evaluated: memory for a row, the nodes that are marked, the outputs that are wanted. */
struct exact {
	const struct expr_program *program;
	struct cell *cells;
	const uint8_t *needed;
	const uint8_t *wanted; /* as for exact_need() */
};
/* Evaluates one row of the wanted outputs. */
void exact_eval(const struct exact *e, const struct sx_vector *inputs,
		const struct expr_result *results, size_t row);

#endif
