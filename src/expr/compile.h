/* Compilation of many trees into one program, which evaluates by column. */
#ifndef EXPR_COMPILE_H
#define EXPR_COMPILE_H

#include "expr/graph/lower.h"
#include "expr/parse/tree.h"
#include "expr/fast/fast.h"

struct expr_program;

/* One result of a program. */
struct expr_output {
	const struct sx_expr *expr; /* must outlive the compilation only */
	uint32_t scope;
	enum sx_type
	    type; /* of the result column; a u64 result of an f64 value is rounded to nearest */
	const struct sx_node *node; /* the part of `expr` that is wanted; NULL: all of it */
};

/* What is compiled into one program. */
struct expr_request {
	const struct expr_output *outputs;
	uint32_t count;
	enum sx_dialect dialect;
	const struct expr_resolver *resolver;
};

/*
 * Compiles outputs into one program with common subexpressions shared and constants folded.
 * *out is owned by the caller. Errors: SX_ERR_NOT_FOUND (unknown name), SX_ERR_BAD_INPUT (cycle),
 * SX_ERR_LIMIT. On error *failed (may be NULL) receives the index of the output that is
 * the cause, SX_NONE when none is (SX_ERR_NO_MEMORY). Thread-safe.
 */
enum sx_status expr_compile(const struct expr_request *request, struct expr_program **out,
			    uint32_t *failed, struct sx_error *err);
/* Releases a program; NULL is fine. */
void expr_program_destroy(struct expr_program *program);

/*
 * Inputs that output `output` really needs after folding: indices as the resolver gave them,
 * sorted. The array lives as long as the program. Thread-safe.
 */
const uint32_t *expr_program_inputs(const struct expr_program *program, uint32_t output,
				    uint32_t *count);

/* Where results go. `data` has room for the rows; `quality` too, or is NULL when not wanted. */
struct expr_result {
	void *data;
	uint8_t *quality;
};

/*
 * Evaluates all outputs over `rows` rows. `inputs` are indexed as the resolver's EXPR_REF_INPUT
 * said. f64 results without data are NaN; u64 results without data are 0 with a quality that says
 * so. Allocates nothing proportional to rows; scratch comes from the stack or the thread's own
 * memory. Errors: SX_ERR_NO_MEMORY. Thread-safe: one program may be evaluated by several threads.
 */
enum sx_status expr_eval(const struct expr_program *program, const struct sx_vector *inputs,
			 size_t rows, const struct expr_result *results, struct sx_error *err);

struct expr_program {
	struct live_graph graph;
	struct fast_code fast;
	const struct fast_loops *loops;
};

#endif
