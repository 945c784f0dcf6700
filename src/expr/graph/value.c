/*
 * The arithmetic of single values: what every operation means. Constants are folded with it, and
 * rows that the fast path cannot do are evaluated with it.
 */
#include <math.h>

#include "expr/graph/graph.h"

#define U64_RANGE 0x1p64
#define ROUNDING  0x1p-50 /* of a difference of f64 counts */

/* No data in either operand is no data in the result, also where IEEE 754 would hide it. */
static double lesser(double a, double b)
{
	if (isnan(a))
		return a;
	return isnan(b) || b < a ? b : a;
}

static double greater(double a, double b)
{
	if (isnan(a))
		return a;
	return isnan(b) || b > a ? b : a;
}

static double truth(double a, double b, bool holds)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return holds;
}

static double divide(double a, double b, double by_zero)
{
	if (isnan(a) || isnan(b))
		return NAN;
	return b == 0 ? by_zero : a / b;
}

/* What f64 counts differ by: NaN below zero, and 0 where that is no more than rounding. */
static double value_rest(double a, double b)
{
	double d = a - b;
	if (d < 0)
		return -d <= b * ROUNDING ? 0 : NAN;
	return d;
}

static double f64_result(enum graph_op op, double a, double b)
{
	switch (op) {
	case GRAPH_FADD:
		return a + b;
	case GRAPH_FSUB:
		return a - b;
	case GRAPH_FREST:
		return value_rest(a, b);
	case GRAPH_FMUL:
		return a * b;
	case GRAPH_FDIV:
		return divide(a, b, NAN);
	case GRAPH_FDIV_0:
		return divide(a, b, 0);
	case GRAPH_FNEG:
		return -a;
	case GRAPH_FABS:
		return fabs(a);
	case GRAPH_FMIN:
		return lesser(a, b);
	case GRAPH_FMAX:
		return greater(a, b);
	case GRAPH_FLT:
		return truth(a, b, a < b);
	case GRAPH_FLE:
		return truth(a, b, a <= b);
	case GRAPH_FEQ:
		return truth(a, b, a == b);
	case GRAPH_FNE:
		return truth(a, b, a != b);
	case GRAPH_AND:
		return truth(a, b, a != 0 && b != 0);
	case GRAPH_OR:
		return truth(a, b, a != 0 || b != 0);
	case GRAPH_NOT:
		return truth(a, a, a == 0);
	default:
		return NAN;
	}
}

static expr_u128 integer_result(enum graph_op op, expr_u128 a, expr_u128 b)
{
	switch (op) {
	case GRAPH_NARROW:
		return (uint64_t)a;
	case GRAPH_IADD:
		return a + b;
	case GRAPH_ISUB:
		return a - b;
	case GRAPH_IMUL:
		return a * b;
	case GRAPH_IDIV:
	case GRAPH_IDIV_0:
		return b ? a / b : 0;
	case GRAPH_IMIN:
		return a < b ? a : b;
	case GRAPH_IMAX:
		return a > b ? a : b;
	case GRAPH_IAND:
		return a & b;
	case GRAPH_IOR:
		return a | b;
	case GRAPH_ILT:
		return a < b;
	case GRAPH_ILE:
		return a <= b;
	case GRAPH_IEQ:
		return a == b;
	default:
		return 0;
	}
}

static struct cell to_f64(const struct cell *a, enum value_type type)
{
	struct cell out = {.quality = a->quality, .missing = a->missing};
	if (a->missing)
		out.value.f = NAN;
	else if (type == VALUE_SUM)
		out.value.f = (double)(expr_i128)a->value.u;
	else if (type == VALUE_U64)
		out.value.f = (double)(uint64_t)a->value.u;
	else
		out.value.f = (double)a->value.u;
	return out;
}

static struct cell cut(const struct cell *a, bool difference)
{
	double f = a->value.f;
	struct cell out = {.quality = a->quality, .missing = isnan(f) || (difference && f < 0)};
	if (f >= U64_RANGE)
		out.value.u = UINT64_MAX;
	else if (f > 0)
		out.value.u = (uint64_t)f;
	return out;
}

static struct cell select_value(const struct cell *a, const struct cell *b, const struct cell *c)
{
	if (isnan(a->value.f))
		return *a;
	struct cell out = a->value.f != 0 ? *b : *c;
	out.quality |= a->quality;
	return out;
}

struct cell value_apply(enum graph_op op, enum value_type type, enum value_type arg_type,
			const struct cell *const args[3])
{
	const struct cell *a = args[0], *b = args[1];
	switch (op) {
	case GRAPH_TO_F64:
		return to_f64(a, arg_type);
	case GRAPH_CUT:
	case GRAPH_CUT_DIFFERENCE:
		return cut(a, op == GRAPH_CUT_DIFFERENCE);
	case GRAPH_SELECT:
		return select_value(a, b, args[2]);
	default:
		break;
	}
	struct cell out = {.quality = (uint8_t)(a->quality | b->quality)};
	if (type == VALUE_F64) {
		out.value.f = f64_result(op, a->value.f, b->value.f);
		return out;
	}
	out.value.u = integer_result(op, a->value.u, b->value.u);
	if (type == VALUE_U64)
		out.value.u = (uint64_t)out.value.u;
	/* One counter that is a part of another may have been read later, and be ahead of it. */
	bool below = op == GRAPH_ISUB && type == VALUE_U64 && a->value.u < b->value.u;
	out.missing = a->missing || b->missing || below || (op == GRAPH_IDIV && b->value.u == 0);
	return out;
}

/* The quality of a result. A reason for no data that is known already is enough. */
static uint8_t result_quality(const struct cell *cell, bool missing)
{
	if (missing && !(cell->quality & SX_QUALITY_NO_DATA_MASK))
		return cell->quality | SX_QUALITY_UNDEFINED;
	return cell->quality;
}

/* Nearest whole number, ties to even; false outside of u64. */
static bool round_f64(double f, uint64_t *out)
{
	double rounded = rint(f);
	bool fits = rounded >= 0 && rounded < U64_RANGE;
	*out = fits ? (uint64_t)rounded : 0;
	return fits;
}

uint64_t value_to_u64(const struct cell *cell, enum value_type type, uint8_t *quality)
{
	uint64_t out = (uint64_t)cell->value.u;
	bool fits = !cell->missing;
	if (type == VALUE_F64)
		fits = round_f64(cell->value.f, &out);
	else if (type == VALUE_SUM)
		fits = fits && cell->value.u <= UINT64_MAX;
	*quality = result_quality(cell, !fits);
	return fits ? out : 0;
}

double value_to_f64(const struct cell *cell, uint8_t *quality)
{
	*quality = result_quality(cell, isnan(cell->value.f));
	return cell->value.f;
}
