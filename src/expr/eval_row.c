/* The fast path for a single row: runs of one operation over slots, without blocks. */
#include <string.h>

#include "expr/eval.h"

#define WHOLE_RANGE   0x1p64
#define BATCH	      64 /* operands gathered at once */
#define DIVISIONS_MIN 4

/* Gathers inputs; not 0 when one is not valid. */
static uint64_t gather(const struct sx_vector *inputs, const uint32_t *loads, size_t count,
		       double *out, size_t row)
{
	uint64_t odd = 0;
	for (size_t i = 0; i < count; i++) {
		const struct sx_vector *input = &inputs[loads[i]];
		if (!input->data)
			return 1;
		if (input->quality)
			odd |= input->quality[row];
		memcpy(&out[i], (const double *)input->data + row, sizeof(*out));
	}
	return odd;
}

/* u64 inputs from `begin` to `end` through a conversion. */
static uint64_t load_u64(const struct eval *eval, const struct row_code *code, enum fast_op op,
			 uint32_t begin, uint32_t end, double *slots, size_t row)
{
	double bits[BATCH];
	for (uint32_t at = begin; at < end; at += BATCH) {
		size_t count = end - at < BATCH ? end - at : BATCH;
		if (gather(eval->inputs, code->loads + at, count, bits, row) ||
		    eval->loops->ops[op](slots + at, bits, bits, bits, bits, count))
			return 1;
	}
	return 0;
}

static uint64_t load(const struct eval *eval, const struct row_code *code, double *slots,
		     size_t row)
{
	uint32_t u64 = code->u64_count;
	return load_u64(eval, code, FAST_LOAD_WHOLE, 0, code->whole_count, slots, row) ||
	       load_u64(eval, code, FAST_LOAD, code->whole_count, u64, slots, row) ||
	       gather(eval->inputs, code->loads + u64, code->load_count - u64, slots + u64, row);
}

static double muldiv(double x, double y, double z, double by_zero)
{
	double zero = x + y != x + y ? x + y : by_zero;
	return z == 0 ? zero : fast_muldiv(x, y, z);
}

#define LOOP(kind, value, bad)                                                                     \
	case FAST_##kind:                                                                          \
		for (; insn < end; insn++) {                                                       \
			const double x = slots[insn->a], y = slots[insn->b];                       \
			const double *k = slots + insn->c;                                         \
			const double r = value;                                                    \
			(void)y;                                                                   \
			(void)k;                                                                   \
			slots[insn->out] = r;                                                      \
			odd |= (bad) ? UINT64_C(1) : UINT64_C(0);                                  \
		}                                                                                  \
		break;

/* Not 0 when a result left the range. */
static uint64_t eval_row_compute(enum fast_op op, const struct row_insn *insn,
				 const struct row_insn *end, double *slots)
{
	uint64_t odd = 0;
	switch (op) {
		FAST_BINARY(LOOP)
		FAST_UNARY(LOOP)
		LOOP(PERCENT, fast_max(fast_min(fast_divide(x, y) * k[0], k[1]), k[2]), 0)
		LOOP(PERCENT_0, fast_max(fast_min(fast_divide_0(x, y) * k[0], k[1]), k[2]), 0)
		LOOP(MULDIV, muldiv(x, y, *k, __builtin_nan("")), r > FAST_WHOLE_MAX)
		LOOP(MULDIV_0, muldiv(x, y, *k, 0), r > FAST_WHOLE_MAX)
		LOOP(SELECT, x != x ? x : x != 0 ? y : *k, 0)
	default:
		break;
	}
	return odd;
}

/* Divisions are worth gathering their operands: processors do several in the time of one. */
static bool divides(enum fast_op op)
{
	return op == FAST_DIV || op == FAST_DIV_0 || op == FAST_PERCENT || op == FAST_PERCENT_0;
}

static void divide(const struct eval *eval, enum fast_op op, const struct row_insn *insn,
		   const struct row_insn *end, double *slots)
{
	double x[BATCH], y[BATCH];
	while (insn < end) {
		size_t count = (size_t)(end - insn) < BATCH ? (size_t)(end - insn) : BATCH;
		for (size_t i = 0; i < count; i++) {
			x[i] = slots[insn[i].a];
			y[i] = slots[insn[i].b];
		}
		eval->loops->ops[op](slots + insn->out, x, y, y, slots + insn->c, count);
		insn += count;
	}
}

static uint64_t run_all(const struct eval *eval, const struct row_code *code, double *slots)
{
	uint64_t odd = 0;
	for (uint32_t i = 0; i < code->run_count; i++) {
		const struct row_run *run = &code->runs[i];
		const struct row_insn *begin = code->insns + run->begin;
		const struct row_insn *end = code->insns + run->end;
		if (divides(run->op) && end - begin >= DIVISIONS_MIN)
			divide(eval, run->op, begin, end, slots);
		else
			odd |= eval_row_compute(run->op, begin, end, slots);
	}
	return odd;
}

static void store_f64(const struct expr_result *results, const struct row_store *store,
		      const struct row_store *end, const double *slots, size_t row)
{
	for (; store < end; store++) {
		const struct expr_result *result = &results[store->output];
		double value = slots[store->from];
		((double *)result->data)[row] = value;
		if (result->quality)
			result->quality[row] = value == value ? 0 : SX_QUALITY_UNDEFINED;
	}
}

static void store_u64(const struct expr_result *results, const struct row_store *store,
		      const struct row_store *end, const double *slots, size_t row, bool whole)
{
	for (; store < end; store++) {
		const struct expr_result *result = &results[store->output];
		double value = slots[store->from];
		value = whole ? value : __builtin_rint(value);
		bool good = value >= 0 && value < WHOLE_RANGE;
		((uint64_t *)result->data)[row] = good ? (uint64_t)value : 0;
		if (result->quality)
			result->quality[row] = good ? 0 : SX_QUALITY_UNDEFINED;
	}
}

/* Inputs as they stand. Not 0 when one is not valid. */
static uint64_t copy(const struct eval *eval, const struct row_store *store,
		     const struct row_store *end, size_t row, bool f64)
{
	uint64_t odd = 0;
	for (; store < end; store++) {
		const struct sx_vector *input = &eval->inputs[store->from];
		const struct expr_result *result = &eval->results[store->output];
		if (!input->data)
			return 1;
		if (input->quality)
			odd |= input->quality[row];
		memcpy((double *)result->data + row, (const double *)input->data + row,
		       sizeof(double));
		double value = f64 ? ((const double *)input->data)[row] : 0;
		if (result->quality)
			result->quality[row] = value == value ? 0 : SX_QUALITY_UNDEFINED;
	}
	return odd;
}

static void fill(const struct eval *eval, const struct row_store *store,
		 const struct row_store *end, size_t row)
{
	for (; store < end; store++) {
		const struct fast_move *move = &eval->program->fast.moves[store->from];
		const struct expr_result *result = &eval->results[store->output];
		memcpy((double *)result->data + row, &move->value, sizeof(double));
		if (result->quality)
			result->quality[row] = move->quality;
	}
}

bool eval_row(struct eval *eval, size_t row)
{
	const struct row_code *code = &eval->program->fast.row;
	const struct expr_result *results = eval->results;
	const struct row_store *stores = code->stores;
	const uint32_t *ends = code->store_ends;
	double *slots = eval->registers;
	if (code->constant_count)
		memcpy(slots, code->constants, code->constant_count * sizeof(*slots));
	if (load(eval, code, slots + code->constant_count, row) || run_all(eval, code, slots))
		return false;
	store_f64(results, stores, stores + ends[0], slots, row);
	store_u64(results, stores + ends[0], stores + ends[1], slots, row, true);
	store_u64(results, stores + ends[1], stores + ends[2], slots, row, false);
	fill(eval, stores + ends[4], stores + ends[5], row);
	return !copy(eval, stores + ends[2], stores + ends[3], row, false) &&
	       !copy(eval, stores + ends[3], stores + ends[4], row, true);
}
