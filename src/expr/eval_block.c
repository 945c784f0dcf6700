/* The fast path over a block of rows. */
#include "expr/eval.h"
#include "expr/fast/fast.h"

#include <math.h>
#include <string.h>

static const double *input_rows(const struct eval *eval, uint32_t position)
{
	const struct sx_vector *input = &eval->inputs[eval->program->graph.inputs[position].index];
	return input->data ? (const double *)input->data + eval->row : NULL;
}

/* The result of a slot behind those of registers and inputs. */
static const struct expr_result *result_of(const struct eval *eval, uint32_t slot)
{
	return &eval->results[slot - eval->program->fast.registers -
			      eval->program->graph.input_count];
}

/* Where a slot's values of this block are. */
static double *slot_rows(const struct eval *eval, uint32_t slot)
{
	uint32_t registers = eval->program->fast.registers;
	if (slot < registers)
		return eval->registers + slot * eval->stride;
	if (slot - registers >= eval->program->graph.input_count)
		return (double *)result_of(eval, slot)->data + eval->row;
	const double *rows = input_rows(eval, slot - registers);
	/* Operations only read inputs. */
	return rows ? (double *)(uintptr_t)rows : eval->none;
}

static void fill_none(double *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = NAN;
}

static void eval_block_store(const struct eval *eval, const struct fast_insn *insn)
{
	const struct expr_result *result = result_of(eval, insn->out);
	uint64_t *out = (uint64_t *)result->data + eval->row;
	uint8_t *quality = result->quality ? result->quality + eval->row : NULL;
	const double *from = slot_rows(eval, insn->a);
	if (insn->op == FAST_STORE)
		eval->loops->store(out, quality, from, eval->count);
	else
		eval->loops->store_whole(out, quality, from, eval->count);
}

static void move(const struct eval *eval, const struct fast_move *move)
{
	const struct expr_result *result = &eval->results[move->output];
	size_t bytes = eval->count * sizeof(double);
	double *out = (double *)result->data + eval->row;
	if (move->kind == FAST_MOVE_OUTPUT) {
		memcpy(out, (const double *)eval->results[move->from].data + eval->row, bytes);
	} else if (move->kind == FAST_MOVE_INPUT) {
		const double *from = input_rows(eval, move->from);
		if (from)
			memcpy(out, from, bytes);
		else
			memset(out, 0, bytes);
	} else {
		for (size_t i = 0; i < eval->count; i++)
			memcpy(out + i, &move->value, sizeof(*out));
	}
}

/* Whether the columns that an operation loads are there. */
static bool columns_exist(const struct eval *eval, const struct fast_insn *insn)
{
	const uint32_t args[3] = {insn->a, insn->b, insn->c};
	for (int i = 0; i < 3; i++)
		if ((insn->columns >> i & 1) &&
		    !input_rows(eval, args[i] - eval->program->fast.registers))
			return false;
	return true;
}

/* Operations that load, compute and store. */
static bool store_computed(const struct eval *eval, const struct fast_insn *insn)
{
	const struct expr_result *result = result_of(eval, insn->out);
	uint64_t *out = (uint64_t *)result->data + eval->row;
	uint8_t *quality = result->quality ? result->quality + eval->row : NULL;
	if (!columns_exist(eval, insn)) {
		eval->loops->store_whole(out, quality, eval->none, eval->count);
		return true;
	}
	if (quality)
		memset(quality, 0, eval->count);
	const struct fast_operands in = {
	    .a = slot_rows(eval, insn->a), .b = slot_rows(eval, insn->b), .k = insn->k};
	return !eval->loops->ops[insn->op]((double *)out, &in, eval->count);
}

static bool eval_block_compute(const struct eval *eval, const struct fast_insn *insn)
{
	double *out = slot_rows(eval, insn->out);
	if (insn->columns && !columns_exist(eval, insn)) {
		fill_none(out, eval->count);
		return true;
	}
	const struct fast_operands in = {slot_rows(eval, insn->a), slot_rows(eval, insn->b),
					 slot_rows(eval, insn->c), insn->k};
	return !eval->loops->ops[insn->op](out, &in, eval->count);
}

bool eval_block(struct eval *eval)
{
	const struct fast_code *code = &eval->program->fast;
	bool good = true;
	for (uint32_t i = 0; good && i < code->insn_count; i++) {
		const struct fast_insn *insn = &code->insns[i];
		if (insn->op == FAST_STORE || insn->op == FAST_STORE_WHOLE)
			eval_block_store(eval, insn);
		else if (fast_stores(insn->op))
			good = store_computed(eval, insn);
		else
			good = eval_block_compute(eval, insn);
	}
	for (uint32_t i = 0; good && i < code->move_count; i++)
		move(eval, &code->moves[i]);
	return good;
}
