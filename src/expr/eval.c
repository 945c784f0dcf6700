/* Evaluation of a program over columns. */
#include <stdlib.h>

#include "base/error.h"
#include "expr/eval_rows.h"

enum sx_status sx_program_eval(const struct sx_program *program, const struct sx_vector *inputs,
			       size_t rows, const struct sx_result *results, struct sx_error *err)
{
	struct cell *cells = rows_begin(program);
	if (!cells)
		return error_nomem(err, "evaluating expressions");
	for (size_t row = 0; row < rows; row++)
		rows_eval(program, cells, inputs, row, results, NULL);
	free(cells);
	return SX_OK;
}
