/* The fast path for a single row: the same operations on single values. */
#include <math.h>
#include <string.h>

#include "expr/eval.h"

#define WHOLE_RANGE 0x1p64

static void store(const struct eval *eval, const struct fast_insn *insn, double x, size_t row)
{
	uint32_t index = insn->out - eval->program->fast.registers - eval->program->input_count;
	const struct sx_result *result = &eval->results[index];
	if (insn->op == FAST_STORE)
		x = rint(x);
	bool good = x >= 0 && x < WHOLE_RANGE;
	((uint64_t *)result->data)[row] = good ? (uint64_t)x : 0;
	if (result->quality)
		result->quality[row] = good ? 0 : SX_QUALITY_UNDEFINED;
}

static double muldiv(enum fast_op op, double x, double y, double z)
{
	double zero = isnan(x + y) || op == FAST_MULDIV ? NAN : 0;
	return z == 0 ? zero : fast_muldiv(x, y, z);
}

/* Runs one operation over the slots; 0 or more when the result left the range. */
static inline uint64_t run(const struct eval *eval, const struct fast_insn *insn, double *slots,
			   size_t row)
{
	const double *k = insn->k;
	double x = slots[insn->a], y = slots[insn->b], r;
	uint64_t out_of_range = 0, bits;
	const struct sx_program *program = eval->program;
	const struct sx_vector *column;
	switch (insn->op) {
#define CASE(name, value, bad)                                                                     \
	case FAST_##name:                                                                          \
		r = value;                                                                         \
		out_of_range = (uint64_t)(bad);                                                    \
		break;
#define OP(name, value, bad)                                                                       \
	CASE(name, value, bad)                                                                     \
	case FAST_##name##_VK:                                                                     \
		y = k[0];                                                                          \
		r = value;                                                                         \
		out_of_range = (uint64_t)(bad);                                                    \
		break;                                                                             \
	case FAST_##name##_KV:                                                                     \
		x = k[0];                                                                          \
		r = value;                                                                         \
		out_of_range = (uint64_t)(bad);                                                    \
		break;
		FAST_BINARY(OP)
		FAST_UNARY(CASE)
#undef OP
	case FAST_PERCENT:
		r = fast_max(fast_min(fast_divide(x, y) * k[0], k[1]), k[2]);
		break;
	case FAST_PERCENT_0:
		r = fast_max(fast_min(fast_divide_0(x, y) * k[0], k[1]), k[2]);
		break;
	case FAST_MULDIV:
	case FAST_MULDIV_0:
		r = muldiv(insn->op, x, y, slots[insn->c]);
		out_of_range = r > FAST_WHOLE_MAX;
		break;
	case FAST_SELECT:
		r = x != 0 ? y : slots[insn->c];
		r = x != x ? x : r;
		break;
	case FAST_LOAD:
	case FAST_LOAD_WHOLE:
		column = &eval->inputs[program->inputs[insn->a - program->fast.registers].index];
		bits = ((const uint64_t *)column->data)[row];
		r = (double)bits;
		out_of_range = insn->op == FAST_LOAD_WHOLE ? bits >> FAST_INPUT_BITS : 0;
		break;
	case FAST_STORE:
	case FAST_STORE_WHOLE:
		store(eval, insn, x, row);
		return 0;
	default: /* FAST_SET */
		r = k[0];
		break;
	}
	slots[insn->out] = r;
	return out_of_range;
}

static void move(const struct eval *eval, const struct fast_move *move, size_t row)
{
	const struct sx_result *result = &eval->results[move->output];
	double *out = (double *)result->data + row;
	uint8_t quality = 0;
	if (move->kind == FAST_MOVE_FILL) {
		memcpy(out, &move->value, sizeof(*out));
		quality = move->quality;
	} else {
		const void *from = move->kind == FAST_MOVE_OUTPUT
				       ? eval->results[move->from].data
				       : eval->inputs[eval->program->inputs[move->from].index].data;
		memcpy(out, (const double *)from + row, sizeof(*out));
		if (eval->program->outputs[move->output].type == SX_F64 && isnan(*out))
			quality = SX_QUALITY_UNDEFINED;
	}
	if (result->quality)
		result->quality[row] = quality;
}

static void write_direct(const struct eval *eval, const double *slots, size_t row)
{
	const struct fast_code *code = &eval->program->fast;
	const double *values = slots + code->registers + eval->program->input_count;
	for (uint32_t i = 0; i < code->direct_count; i++) {
		uint32_t output = code->direct[i];
		const struct sx_result *result = &eval->results[output];
		double value = values[output];
		((double *)result->data)[row] = value;
		if (result->quality)
			result->quality[row] = isnan(value) ? SX_QUALITY_UNDEFINED : 0;
	}
}

bool eval_row(struct eval *eval, size_t row)
{
	const struct sx_program *program = eval->program;
	const struct fast_code *code = &program->fast;
	double *slots = eval->registers;
	for (uint32_t i = 0; i < program->input_count; i++) {
		const struct program_input *input = &program->inputs[i];
		if (input->type == SX_F64)
			slots[code->registers + i] =
			    ((const double *)eval->inputs[input->index].data)[row];
	}
	for (uint32_t i = 0; i < code->insn_count; i++) {
		if (run(eval, &code->insns[i], slots, row))
			return false;
	}
	write_direct(eval, slots, row);
	for (uint32_t i = 0; i < code->move_count; i++)
		move(eval, &code->moves[i], row);
	return true;
}
