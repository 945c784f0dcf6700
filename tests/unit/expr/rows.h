/* Formulas over rows with known values, and their check. */
#ifndef EXPR_ROWS_H
#define EXPR_ROWS_H

#include "unit/expr/world.h"

#define NONE	  SX_QUALITY_NOT_COLLECTED
#define UNDEFINED SX_QUALITY_UNDEFINED
#define BIG	  (UINT64_C(1) << 53)
#define INPUTS	  8  /* a to d are u64, e to h are f64 */
#define COPIES	  37 /* rows of the same values: whole vectors and a rest */

/* One formula over a to d (u64) and e (f64). */
struct row {
	const char *text;
	uint64_t a, b;
	uint8_t qa, qb;
	double value; /* NaN: no data */
	uint8_t quality;
};

/* Columns of `rows` equal rows. */
struct columns {
	uint64_t u64[4][COPIES];
	double f64[4][COPIES];
	uint8_t quality[INPUTS][COPIES];
	struct sx_vector vectors[INPUTS];
};

/* Inputs "a" to "h", constants TWO, ZERO and HALF, and a column that is missing. */
void rows_world(struct world *world);
void rows_fill(struct columns *columns, const struct row *row);
/* Compiles one formula or fails the test. */
struct expr_program *rows_compile(struct world *world, const struct sx_expr *expr,
				  enum sx_dialect dialect, enum sx_type type);
/* Evaluates `rows` equal rows, with quality and without. */
void rows_check(const struct row *row, const struct expr_program *program, size_t rows);

#endif
