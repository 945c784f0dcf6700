/* One evaluation: what its stages share. */
#ifndef EXPR_EVAL_H
#define EXPR_EVAL_H

#include <sextant/expr.h>

#include "expr/compile.h"

#define EVAL_ROWS_MAX 512

/*
 * Lives on the caller's stack or, when a program needs more than that, on the heap; never
 * proportional to the rows.
 */
struct eval {
	const struct expr_program *program;
	const struct sx_vector *inputs;
	const struct expr_result *results;
	const struct fast_loops *loops;
	double *registers;  /* `block` rows each */
	size_t stride;	    /* values from one register to the next */
	double *none;	    /* a block of NaN, for an f64 column that is not there */
	size_t block;	    /* rows evaluated at once */
	uint8_t *dirty;	    /* of each input: qualities that occur in this block, OR-ed */
	uint8_t *wanted;    /* of each output: whether rows of it are evaluated exactly */
	struct cell *cells; /* allocated when the first row needs it, as is: */
	uint8_t *needed;    /* of each node: whether the wanted outputs rest on it */
	size_t row, count;  /* the block */
};

/* Runs the operations and moves over the block. False: whole numbers left the range. */
bool eval_block(struct eval *eval);
/* OR of the qualities in the block of each input, into eval->dirty. */
void eval_scan(struct eval *eval);
/* After eval_block(): writes qualities, and takes away values that rest on no data. */
enum sx_status eval_quality(struct eval *eval, struct sx_error *err);
/*
 * Evaluates rows of the block exactly: those that are marked (NULL: all), of the outputs that are
 * `wanted`, as in exact_need().
 */
enum sx_status eval_exactly(struct eval *eval, const uint8_t *rows, const uint8_t *wanted,
			    struct sx_error *err);

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

/* The value of a constant, NaN when it is not known. */
typedef double (*condition_constant_fn)(void *user, const char *name);

/*
 * Whether a condition holds; NULL does, and so does one over constants that are not known. Errors:
 * those of sx_expr_parse() and expr_compile().
 */
enum sx_status condition_holds(const char *when, condition_constant_fn constant, void *user,
			       bool *out, struct sx_error *err);

#endif
