/*
 * Qualities of a block. The inputs of an output without `if` are known from the program, so that
 * their qualities are OR-ed column by column. With `if` they depend on the row, which is then
 * evaluated exactly.
 */
#include <math.h>
#include <string.h>

#include "expr/eval.h"

static const struct sx_vector *input_of(const struct eval *eval, uint32_t position)
{
	return &eval->inputs[eval->program->graph.inputs[position].index];
}

void eval_scan(struct eval *eval)
{
	for (uint32_t i = 0; i < eval->program->graph.input_count; i++) {
		const struct sx_vector *input = input_of(eval, i);
		uint8_t all = input->data ? 0 : SX_QUALITY_NOT_COLLECTED;
		if (input->data && input->quality)
			all = eval->loops->any(input->quality + eval->row, eval->count);
		eval->dirty[i] = all;
	}
}

/* Joins the qualities of one input to those in `joined`. */
static void quality_join(const struct eval *eval, uint32_t position, uint8_t *joined)
{
	const struct sx_vector *input = input_of(eval, position);
	if (!input->data) {
		for (size_t r = 0; r < eval->count; r++)
			joined[r] |= SX_QUALITY_NOT_COLLECTED;
		return;
	}
	eval->loops->join(joined, input->quality + eval->row, eval->count);
}

/* Without regard to the inputs: no data is undefined. u64 results got theirs when stored. */
static void write_own(const struct eval *eval, uint32_t output)
{
	const struct expr_result *result = &eval->results[output];
	if (!result->quality || eval->program->graph.outputs[output].type == SX_U64)
		return;
	eval->loops->quality(result->quality + eval->row, (const double *)result->data + eval->row,
			     eval->count);
}

static void write_moved(const struct eval *eval, const struct fast_move *move)
{
	const struct expr_result *result = &eval->results[move->output];
	if (!result->quality)
		return;
	if (move->kind == FAST_MOVE_FILL)
		memset(result->quality + eval->row, move->quality, eval->count);
	else if (eval->program->graph.outputs[move->output].type == SX_U64)
		memset(result->quality + eval->row, 0, eval->count);
}

static void take_away(const struct eval *eval, uint32_t output, const uint8_t *joined)
{
	const struct expr_result *result = &eval->results[output];
	bool u64 = eval->program->graph.outputs[output].type == SX_U64;
	for (size_t r = 0; r < eval->count; r++) {
		bool missing = joined[r] & SX_QUALITY_NO_DATA_MASK;
		if (missing && u64)
			((uint64_t *)result->data)[eval->row + r] = 0;
		else if (missing)
			((double *)result->data)[eval->row + r] = NAN;
		if (result->quality && missing)
			result->quality[eval->row + r] = joined[r];
		else if (result->quality)
			result->quality[eval->row + r] |= joined[r];
	}
}

static bool is_dirty(const struct eval *eval, const struct program_output *output)
{
	uint8_t all = 0;
	for (uint32_t i = 0; i < output->input_count; i++)
		all |= eval->dirty[output->reads[i]];
	return all != 0;
}

/* Marks the rows of a selective output that need an exact evaluation. */
static void mark_rows(struct eval *eval, uint32_t index, uint8_t *rows)
{
	const struct program_output *output = &eval->program->graph.outputs[index];
	bool can_miss = output->can_miss;
	for (uint32_t i = 0; i < output->input_count; i++) {
		uint32_t position = output->reads[i];
		if (!input_of(eval, position)->data)
			can_miss = true;
		else if (eval->dirty[position])
			quality_join(eval, position, rows);
	}
	if (!can_miss)
		return;
	/* A value that is there did not need what is missing. */
	const double *data = (const double *)eval->results[index].data + eval->row;
	for (size_t r = 0; r < eval->count; r++)
		rows[r] |= output->type == SX_U64 || data[r] != data[r];
}

/* Whether all that an output reads, and that is dirty, is a column that is not there. */
static bool rests_on_none(const struct eval *eval, const struct program_output *output)
{
	bool none = false;
	for (uint32_t i = 0; i < output->input_count; i++) {
		bool exists = input_of(eval, output->reads[i])->data;
		if (exists && eval->dirty[output->reads[i]])
			return false;
		none |= !exists;
	}
	return none;
}

/* What take_away() would do to each row, where every row is NOT_COLLECTED. */
static void take_block_away(const struct eval *eval, uint32_t output)
{
	const struct expr_result *result = &eval->results[output];
	if (eval->program->graph.outputs[output].type == SX_U64)
		memset((uint64_t *)result->data + eval->row, 0, eval->count * sizeof(uint64_t));
	else
		for (size_t r = 0; r < eval->count; r++)
			((double *)result->data)[eval->row + r] = NAN;
	if (result->quality)
		memset(result->quality + eval->row, SX_QUALITY_NOT_COLLECTED, eval->count);
}

static void join_all(const struct eval *eval, uint32_t output)
{
	if (rests_on_none(eval, &eval->program->graph.outputs[output])) {
		take_block_away(eval, output);
		return;
	}
	uint8_t joined[EVAL_ROWS_MAX] = {0};
	const struct program_output *about = &eval->program->graph.outputs[output];
	for (uint32_t i = 0; i < about->input_count; i++) {
		if (eval->dirty[about->reads[i]])
			quality_join(eval, about->reads[i], joined);
	}
	take_away(eval, output, joined);
}

/* Whether an output reads nothing but columns that are not there: all rows of it are alike. */
static bool is_alike(const struct eval *eval, const struct program_output *output)
{
	for (uint32_t i = 0; i < output->input_count; i++)
		if (input_of(eval, output->reads[i])->data)
			return false;
	return true;
}

static void repeat_first(const struct eval *eval, uint32_t output)
{
	const struct expr_result *result = &eval->results[output];
	uint64_t *data = (uint64_t *)result->data + eval->row; /* of either type */
	for (size_t r = 1; r < eval->count; r++)
		data[r] = data[0];
	if (result->quality)
		memset(result->quality + eval->row, result->quality[eval->row], eval->count);
}

/* Outputs that are alike in all rows are evaluated in the first and are no longer wanted. */
static enum sx_status eval_alike(struct eval *eval, struct sx_error *err)
{
	const struct expr_program *program = eval->program;
	uint8_t first[EVAL_ROWS_MAX] = {1};
	bool any = false;
	for (uint32_t i = 0; i < program->graph.output_count; i++) {
		const struct program_output *output = &program->graph.outputs[i];
		eval->wanted[i] = output->selective &&
				  (output->can_miss || is_dirty(eval, output)) &&
				  is_alike(eval, output);
		any |= eval->wanted[i];
	}
	enum sx_status status = any ? eval_exactly(eval, first, eval->wanted, err) : SX_OK;
	for (uint32_t i = 0; !status && i < program->graph.output_count; i++)
		if (eval->wanted[i])
			repeat_first(eval, i);
	return status;
}

enum sx_status eval_quality(struct eval *eval, struct sx_error *err)
{
	const struct expr_program *program = eval->program;
	uint8_t rows[EVAL_ROWS_MAX] = {0};
	for (uint32_t i = 0; i < program->graph.output_count; i++)
		write_own(eval, i);
	for (uint32_t i = 0; i < program->fast.move_count; i++)
		write_moved(eval, &program->fast.moves[i]);
	enum sx_status status = eval_alike(eval, err);
	if (status)
		return status;
	for (uint32_t i = 0; i < program->graph.output_count; i++) {
		const struct program_output *output = &program->graph.outputs[i];
		bool dirty = is_dirty(eval, output);
		if (eval->wanted[i]) {
			eval->wanted[i] = false;
			continue;
		}
		eval->wanted[i] = output->selective && (dirty || output->can_miss);
		if (eval->wanted[i])
			mark_rows(eval, i, rows);
		else if (dirty)
			join_all(eval, i);
	}
	return eval_exactly(eval, rows, eval->wanted, err);
}
