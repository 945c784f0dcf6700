/* The fast path over a block of rows. */
#include "expr/eval.h"

#include <math.h>
#include <string.h>

static const double *input_rows(const struct eval *eval, uint32_t position)
{
	const struct sx_vector *input = &eval->inputs[eval->program->inputs[position].index];
	return input->data ? (const double *)input->data + eval->row : NULL;
}

/* Where a slot's values of this block are. */
static double *slot_rows(const struct eval *eval, uint32_t slot)
{
	const struct fast_code *code = &eval->program->fast;
	if (slot < code->registers)
		return eval->registers + slot * eval->stride;
	slot -= code->registers;
	if (slot >= eval->program->input_count)
		return (double *)eval->results[slot - eval->program->input_count].data + eval->row;
	const double *rows = input_rows(eval, slot);
	/* Operations only read inputs. */
	return rows ? (double *)(uintptr_t)rows : eval->none;
}

static void fill_none(double *out, size_t count)
{
	for (size_t i = 0; i < count; i++)
		out[i] = NAN;
}

static void store(const struct eval *eval, const struct fast_insn *insn)
{
	uint32_t index = insn->out - eval->program->fast.registers - eval->program->input_count;
	const struct sx_result *result = &eval->results[index];
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
	const struct sx_result *result = &eval->results[move->output];
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

bool eval_block(struct eval *eval)
{
	const struct fast_code *code = &eval->program->fast;
	for (uint32_t i = 0; i < code->insn_count; i++) {
		const struct fast_insn *insn = &code->insns[i];
		if (insn->op == FAST_STORE || insn->op == FAST_STORE_WHOLE) {
			store(eval, insn);
			continue;
		}
		double *out = slot_rows(eval, insn->out);
		bool load = insn->op == FAST_LOAD || insn->op == FAST_LOAD_WHOLE;
		if (load && !input_rows(eval, insn->a - code->registers)) {
			fill_none(out, eval->count);
			continue;
		}
		if (eval->loops->ops[insn->op](out, slot_rows(eval, insn->a),
					       slot_rows(eval, insn->b), slot_rows(eval, insn->c),
					       insn->k, eval->count))
			return false;
	}
	for (uint32_t i = 0; i < code->move_count; i++)
		move(eval, &code->moves[i]);
	return true;
}
