/* Evaluation of a program over columns: block by block, each by the fastest way that is right. */
#include <math.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/error.h"
#include "expr/eval.h"
#include "expr/compile.h"

struct asking {
	condition_constant_fn constant;
	void *user;
};

static enum sx_status condition_resolve(void *user, const struct expr_name *asked,
					struct expr_ref *out, struct sx_error *err)
{
	const char *name = asked->text;
	const struct asking *asking = user;
	double value = asking->constant(asking->user, name);
	*out = isnan(value)
		   ? (struct expr_ref){.kind = EXPR_REF_NO_DATA}
		   : (struct expr_ref){.kind = EXPR_REF_CONSTANT, .type = SX_U64, .value = value};
	return SX_OK;
}

static uint32_t condition_instances(void *user, const char *name, uint32_t scope)
{
	return 1;
}

enum sx_status condition_holds(const char *when, condition_constant_fn constant, void *user,
			       bool *out, struct sx_error *err)
{
	struct asking asking = {constant, user};
	struct sx_expr *expr = NULL;
	struct expr_program *program = NULL;
	uint64_t value = 1;
	uint8_t quality = 0;
	enum sx_status status = when ? sx_expr_parse(when, SX_POSTFIX, &expr, err) : SX_OK;
	if (!status && expr) {
		struct expr_output output = {.expr = expr, .scope = SX_NONE, .type = SX_U64};
		struct expr_resolver resolver = {&asking, condition_resolve, condition_instances};
		struct expr_result result = {&value, &quality};
		status =
		    expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_INTEL, &resolver},
				 &program, NULL, err);
		if (!status)
			status = expr_eval(program, NULL, 1, &result, err);
	}
	expr_program_destroy(program);
	sx_expr_destroy(expr);
	*out = quality & SX_QUALITY_NO_DATA_MASK || value != 0;
	return status;
}

/* Registers of a block fit a usual first-level cache; shorter blocks would cost more calls. */
#define REGISTER_VALUES 4096
#define REGISTER_GAP	8 /* a line of the cache, so that registers do not all share its sets */
#define SCRATCH_VALUES	8192
#define FLAGS_MAX	2048
#define BLOCK_ROWS_MIN	16

/* Scratch memory that needs no allocation for most programs. */
struct scratch {
	alignas(64) double values[SCRATCH_VALUES];
	uint8_t flags[FLAGS_MAX];
	double *more_values;
	uint8_t *more_flags;
};

static bool scratch_begin(struct scratch *scratch, struct eval *eval)
{
	const struct expr_program *program = eval->program;
	size_t flags = (size_t)program->graph.input_count + program->graph.output_count;
	size_t registers = (size_t)program->fast.registers + 1;
	size_t block = REGISTER_VALUES / registers / 8 * 8;
	eval->block = block > EVAL_ROWS_MAX ? EVAL_ROWS_MAX : block;
	if (eval->block < BLOCK_ROWS_MIN)
		eval->block = BLOCK_ROWS_MIN;
	eval->stride = eval->block + REGISTER_GAP;
	size_t values = registers * eval->stride;
	scratch->more_values = NULL;
	scratch->more_flags = NULL;
	if (values > SCRATCH_VALUES)
		scratch->more_values = malloc(values * sizeof(double));
	if (flags > FLAGS_MAX)
		scratch->more_flags = malloc(flags);
	if ((values > SCRATCH_VALUES && !scratch->more_values) ||
	    (flags > FLAGS_MAX && !scratch->more_flags))
		return false;
	eval->registers = scratch->more_values ? scratch->more_values : scratch->values;
	eval->none = eval->registers + program->fast.registers * eval->stride;
	eval->dirty = scratch->more_flags ? scratch->more_flags : scratch->flags;
	eval->wanted = eval->dirty + program->graph.input_count;
	return true;
}

enum sx_status eval_exactly(struct eval *eval, const uint8_t *rows, const uint8_t *wanted,
			    struct sx_error *err)
{
	if (rows && !eval->loops->any(rows, eval->count))
		return SX_OK;
	if (!eval->cells)
		eval->cells = exact_begin(eval->program);
	if (!eval->needed)
		eval->needed = malloc((size_t)eval->program->graph.node_count + 1);
	if (!eval->cells || !eval->needed)
		return error_nomem(err, "evaluating expressions");
	exact_need(eval->program, wanted, eval->needed);
	const struct exact exact = {eval->program, eval->cells, eval->needed, wanted};
	for (size_t r = 0; r < eval->count; r++)
		if (!rows || rows[r])
			exact_eval(&exact, eval->inputs, eval->results, eval->row + r);
	return SX_OK;
}

static enum sx_status run_rows(struct eval *eval, struct sx_error *err)
{
	if (!eval_block(eval))
		return eval_exactly(eval, NULL, NULL, err);
	eval_scan(eval);
	return eval_quality(eval, err);
}

/* A block that fails is tried again in parts, so that one odd row does not cost all of it. */
static enum sx_status run_block(struct eval *eval, struct sx_error *err)
{
	if (eval->count > BLOCK_ROWS_MIN && !eval_block(eval)) {
		size_t row = eval->row, count = eval->count;
		enum sx_status status = SX_OK;
		for (size_t done = 0; status == SX_OK && done < count; done += eval->count) {
			eval->row = row + done;
			eval->count = count - done < BLOCK_ROWS_MIN ? count - done : BLOCK_ROWS_MIN;
			status = run_rows(eval, err);
		}
		eval->row = row;
		eval->count = count;
		return status;
	}
	if (eval->count <= BLOCK_ROWS_MIN)
		return run_rows(eval, err);
	eval_scan(eval);
	return eval_quality(eval, err);
}

static enum sx_status run_blocks(struct eval *eval, size_t rows, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (size_t i = 0; i < eval->block && i < rows; i++)
		eval->none[i] = NAN;
	for (eval->row = 0; status == SX_OK && eval->row < rows; eval->row += eval->count) {
		size_t left = rows - eval->row;
		eval->count = left < eval->block ? left : eval->block;
		status = eval->program->fast.usable ? run_block(eval, err)
						    : eval_exactly(eval, NULL, NULL, err);
	}
	return status;
}

enum sx_status expr_eval(const struct expr_program *program, const struct sx_vector *inputs,
			 size_t rows, const struct expr_result *results, struct sx_error *err)
{
	struct scratch scratch;
	struct eval eval = {
	    .program = program, .inputs = inputs, .results = results, .loops = fast_loops()};
	enum sx_status status = SX_OK;
	if (!scratch_begin(&scratch, &eval))
		status = error_nomem(err, "evaluating expressions");
	else
		status = run_blocks(&eval, rows, err);
	free(eval.cells);
	free(eval.needed);
	free(scratch.more_values);
	free(scratch.more_flags);
	return status;
}
