/* The fast path for a single row: runs of one operation over slots, without blocks. */
#include <math.h>
#include <string.h>

#include "expr/eval.h"

#define WHOLE_RANGE 0x1p64

static double muldiv(double x, double y, double z, double by_zero)
{
	double zero = isnan(x + y) ? NAN : by_zero;
	return z == 0 ? zero : fast_muldiv(x, y, z);
}

/* Not 0 when an input is not valid or out of range. */
static uint64_t load(const struct eval *eval, const struct row_code *code, double *slots,
		     size_t row)
{
	uint64_t odd = 0;
	for (uint32_t i = 0; i < code->load_count; i++) {
		const struct row_load *load = &code->loads[i];
		const struct sx_vector *input = &eval->inputs[load->index];
		if (!input->data)
			return 1;
		if (input->quality)
			odd |= input->quality[row];
		uint64_t bits;
		memcpy(&bits, (const char *)input->data + row * sizeof(bits), sizeof(bits));
		if (load->type == SX_U64)
			slots[load->slot] = fast_from_u64(bits);
		else
			memcpy(&slots[load->slot], &bits, sizeof(bits));
		odd |= bits & load->too_large;
	}
	return odd;
}

#define LOOP(kind, value, bad)                                                                     \
	case FAST_##kind:                                                                          \
		for (uint32_t i = run->begin; i < run->end; i++) {                                 \
			const double x = slots[insns[i].a], y = slots[insns[i].b];                 \
			const double *k = slots + insns[i].c;                                      \
			const double r = value;                                                    \
			(void)y;                                                                   \
			(void)k;                                                                   \
			slots[insns[i].out] = r;                                                   \
			odd |= (uint64_t)(bad);                                                    \
		}                                                                                  \
		break;

/* Not 0 when a result left the range. Every result has a slot of its own. */
static uint64_t compute(const struct row_run *run, const struct row_insn *insns, double *slots)
{
	uint64_t odd = 0;
	switch (run->op) {
		FAST_BINARY(LOOP)
		FAST_UNARY(LOOP)
		LOOP(PERCENT, fast_max(fast_min(fast_divide(x, y) * k[0], k[1]), k[2]), 0)
		LOOP(PERCENT_0, fast_max(fast_min(fast_divide_0(x, y) * k[0], k[1]), k[2]), 0)
		LOOP(MULDIV, muldiv(x, y, *k, NAN), r > FAST_WHOLE_MAX)
		LOOP(MULDIV_0, muldiv(x, y, *k, 0), r > FAST_WHOLE_MAX)
		LOOP(SELECT, x != x ? x : x != 0 ? y : *k, 0)
	default:
		break;
	}
	return odd;
}

static void store(const struct eval *eval, const struct row_code *code, const double *slots,
		  size_t row)
{
	for (uint32_t i = 0; i < code->store_count; i++) {
		const struct row_store *store = &code->stores[i];
		const struct sx_result *result = &eval->results[store->output];
		double value = slots[store->slot];
		bool good = value == value;
		if (eval->program->outputs[store->output].type == SX_F64) {
			((double *)result->data)[row] = value;
		} else {
			double whole = store->whole ? value : rint(value);
			good = whole >= 0 && whole < WHOLE_RANGE;
			((uint64_t *)result->data)[row] = good ? (uint64_t)whole : 0;
		}
		if (result->quality)
			result->quality[row] = good ? 0 : SX_QUALITY_UNDEFINED;
	}
}

/* False when the input is not valid. */
static bool move(const struct eval *eval, const struct fast_move *move, size_t row)
{
	const struct sx_result *result = &eval->results[move->output];
	double *out = (double *)result->data + row;
	uint8_t quality = move->quality;
	if (move->kind == FAST_MOVE_FILL) {
		memcpy(out, &move->value, sizeof(*out));
	} else if (move->kind == FAST_MOVE_INPUT) {
		const struct sx_vector *input =
		    &eval->inputs[eval->program->inputs[move->from].index];
		if (!input->data || (input->quality && input->quality[row]))
			return false;
		memcpy(out, (const double *)input->data + row, sizeof(*out));
		bool f64 = eval->program->outputs[move->output].type == SX_F64;
		quality = f64 && isnan(*out) ? SX_QUALITY_UNDEFINED : 0;
	} else {
		return true; /* store() writes every output of a node */
	}
	if (result->quality)
		result->quality[row] = quality;
	return true;
}

bool eval_row(struct eval *eval, size_t row)
{
	const struct fast_code *fast = &eval->program->fast;
	const struct row_code *code = &fast->row;
	double *slots = eval->registers;
	if (code->constant_count)
		memcpy(slots, code->constants, code->constant_count * sizeof(*slots));
	if (load(eval, code, slots, row))
		return false;
	for (uint32_t i = 0; i < code->run_count; i++) {
		if (compute(&code->runs[i], code->insns, slots))
			return false;
	}
	store(eval, code, slots, row);
	for (uint32_t i = 0; i < fast->move_count; i++) {
		if (!move(eval, &fast->moves[i], row))
			return false;
	}
	return true;
}
