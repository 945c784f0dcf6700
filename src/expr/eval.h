/* One evaluation: what its stages share. */
#ifndef EXPR_EVAL_H
#define EXPR_EVAL_H

#include "expr/program.h"

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

#endif
