/* Evaluation of single rows with exact integers and qualities: slow, and right for every input. */
#ifndef EXPR_EVAL_EXACT_H
#define EXPR_EVAL_EXACT_H

#include "expr/program.h"

/* Memory for one row, one cell a node. NULL when memory is out. Released by free(). */
struct cell *exact_begin(const struct sx_program *program);
/* Evaluates one row. `wanted` has one byte an output, or is NULL for all of them. */
void exact_eval(const struct sx_program *program, struct cell *cells,
		const struct sx_vector *inputs, size_t row, const struct sx_result *results,
		const uint8_t *wanted);

#endif
