/* What each operator means in each dialect, as operations of the graph. */
#include "expr/graph/lower.h"

/* Sums stay exact while no input can make them leave 128 bits. */
#define SUM_MAGNITUDE_MAX 0x1p125

static enum value_type type_of(const struct lower *lower, uint32_t value)
{
	return value == SX_NONE ? VALUE_F64 : lower->graph.nodes[value].type;
}

static uint32_t apply(struct lower *lower, enum graph_op op, enum value_type type, uint32_t a,
		      uint32_t b)
{
	return graph_apply(&lower->graph, op, type, (const uint32_t[3]){a, b, SX_NONE});
}

uint32_t lower_to_f64(struct lower *lower, uint32_t value)
{
	if (type_of(lower, value) == VALUE_F64)
		return value;
	return apply(lower, GRAPH_TO_F64, VALUE_F64, value, SX_NONE);
}

static uint32_t narrow(struct lower *lower, uint32_t value)
{
	enum value_type type = type_of(lower, value);
	if (type == VALUE_U64 || type == VALUE_F64)
		return value;
	return apply(lower, GRAPH_NARROW, VALUE_U64, value, SX_NONE);
}

/* Cut to an integer; a product stays one. */
static uint32_t to_integer(struct lower *lower, uint32_t value)
{
	switch (type_of(lower, value)) {
	case VALUE_F64:
		return apply(lower, GRAPH_CUT, VALUE_U64, value, SX_NONE);
	case VALUE_SUM:
		return narrow(lower, value);
	default:
		return value;
	}
}

static uint32_t f64_op(struct lower *lower, enum graph_op op, uint32_t a, uint32_t b)
{
	a = lower_to_f64(lower, a);
	b = lower_to_f64(lower, b);
	return apply(lower, op, VALUE_F64, a, b);
}

static enum graph_op by_zero(const struct lower *lower, enum graph_op no_data, enum graph_op zero)
{
	return lower->dialect == SX_DIALECT_STANDARD ? no_data : zero;
}

static bool is_exact(const struct lower *lower, uint32_t value)
{
	enum value_type type = type_of(lower, value);
	return type == VALUE_U64 || type == VALUE_SUM;
}

/* Sums and differences of whole numbers are exact in the standard dialect. */
static uint32_t sum_op(struct lower *lower, bool minus, uint32_t a, uint32_t b)
{
	bool exact = lower->dialect == SX_DIALECT_STANDARD && a != SX_NONE && b != SX_NONE &&
		     is_exact(lower, a) && is_exact(lower, b);
	if (exact) {
		const struct graph_node *nodes = lower->graph.nodes;
		exact = nodes[a].magnitude + nodes[b].magnitude <= SUM_MAGNITUDE_MAX;
	}
	if (exact)
		return apply(lower, minus ? GRAPH_ISUB : GRAPH_IADD, VALUE_SUM, a, b);
	return f64_op(lower, minus ? GRAPH_FSUB : GRAPH_FADD, a, b);
}

/*
 * A difference of counts: exact, and no data below zero. With an f64 operand it is computed in f64
 * and truncated.
 */
static uint32_t difference(struct lower *lower, uint32_t a, uint32_t b)
{
	a = narrow(lower, a);
	b = narrow(lower, b);
	if (type_of(lower, a) != VALUE_F64 && type_of(lower, b) != VALUE_F64)
		return apply(lower, GRAPH_ISUB, VALUE_U64, a, b);
	return apply(lower, GRAPH_CUT_DIFFERENCE, VALUE_U64, f64_op(lower, GRAPH_FSUB, a, b),
		     SX_NONE);
}

/* An integer operation. With an f64 operand it is computed in f64 and truncated. */
static uint32_t integer_op(struct lower *lower, enum graph_op op, enum graph_op f64, uint32_t a,
			   uint32_t b)
{
	a = narrow(lower, a);
	b = narrow(lower, b);
	if (type_of(lower, a) == VALUE_F64 || type_of(lower, b) == VALUE_F64)
		return to_integer(lower, f64_op(lower, f64, a, b));
	return apply(lower, op, VALUE_U64, a, b);
}

static uint32_t product(struct lower *lower, uint32_t a, uint32_t b)
{
	if (type_of(lower, a) == VALUE_F64 || type_of(lower, b) == VALUE_F64)
		return integer_op(lower, GRAPH_IMUL, GRAPH_FMUL, a, b);
	a = to_integer(lower, a);
	b = to_integer(lower, b);
	return apply(lower, GRAPH_IMUL, VALUE_U128, a, b);
}

/*
 * x * k1 / k2 of constants where k2 divides k1: a clock's ticks in ns. Nothing is lost, as neither
 * the product nor what it is instead reaches 128 bits.
 */
static uint32_t scaled(struct lower *lower, uint32_t a, uint32_t b)
{
	if (a == SX_NONE || b == SX_NONE)
		return SX_NONE;
	const struct graph_node *nodes = lower->graph.nodes, *product = &nodes[a];
	if (product->op != GRAPH_IMUL || nodes[b].op != GRAPH_CONST || nodes[b].scalar.u == 0)
		return SX_NONE;
	uint32_t first = nodes[product->args[0]].op == GRAPH_CONST ? 0 : 1;
	uint32_t x = product->args[1 - first], k = product->args[first];
	if (nodes[k].op != GRAPH_CONST || nodes[k].type != VALUE_U64 ||
	    nodes[x].type != VALUE_U64 || nodes[k].scalar.u % nodes[b].scalar.u != 0)
		return SX_NONE;
	uint64_t factor = (uint64_t)(nodes[k].scalar.u / nodes[b].scalar.u);
	return narrow(lower,
		      apply(lower, GRAPH_IMUL, VALUE_U128, x, graph_u64(&lower->graph, factor)));
}

/* The dividend brings its 128 bits; the divisor is u64. */
static uint32_t quotient(struct lower *lower, uint32_t a, uint32_t b)
{
	a = to_integer(lower, a);
	b = narrow(lower, to_integer(lower, b));
	uint32_t simple = scaled(lower, a, b);
	if (simple != SX_NONE)
		return simple;
	return apply(lower, by_zero(lower, GRAPH_IDIV, GRAPH_IDIV_0), VALUE_U64, a, b);
}

/* Operations that look at bits or order see whole numbers. */
static uint32_t cut_op(struct lower *lower, enum graph_op op, uint32_t a, uint32_t b)
{
	a = narrow(lower, to_integer(lower, a));
	b = narrow(lower, to_integer(lower, b));
	return apply(lower, op, VALUE_U64, a, b);
}

/* F-operators see a product modulo 2^64, except one that they divide. */
static uint32_t postfix_f64(struct lower *lower, enum sx_op op, uint32_t a, uint32_t b)
{
	if (op == SX_OP_FDIV)
		return f64_op(lower, by_zero(lower, GRAPH_FDIV, GRAPH_FDIV_0), a, narrow(lower, b));
	a = narrow(lower, a);
	b = narrow(lower, b);
	switch (op) {
	case SX_OP_FADD:
		return f64_op(lower, GRAPH_FADD, a, b);
	case SX_OP_FSUB:
		if (type_of(lower, a) != VALUE_F64 && type_of(lower, b) != VALUE_F64)
			return lower_to_f64(lower, difference(lower, a, b));
		return f64_op(lower, GRAPH_FREST, a, b);
	case SX_OP_FMUL:
		return f64_op(lower, GRAPH_FMUL, a, b);
	case SX_OP_FMIN:
		return f64_op(lower, GRAPH_FMIN, a, b);
	default:
		return f64_op(lower, GRAPH_FMAX, a, b);
	}
}

static uint32_t postfix_op(struct lower *lower, enum sx_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case SX_OP_UADD:
		return integer_op(lower, GRAPH_IADD, GRAPH_FADD, a, b);
	case SX_OP_USUB:
		return difference(lower, a, b);
	case SX_OP_UMIN:
		return integer_op(lower, GRAPH_IMIN, GRAPH_FMIN, a, b);
	case SX_OP_UMAX:
		return integer_op(lower, GRAPH_IMAX, GRAPH_FMAX, a, b);
	case SX_OP_UMUL:
		return product(lower, a, b);
	case SX_OP_UDIV:
		return quotient(lower, a, b);
	case SX_OP_UAND:
		return cut_op(lower, GRAPH_IAND, a, b);
	case SX_OP_UOR:
		return cut_op(lower, GRAPH_IOR, a, b);
	case SX_OP_ULT:
		return cut_op(lower, GRAPH_ILT, a, b);
	case SX_OP_ULE:
		return cut_op(lower, GRAPH_ILE, a, b);
	case SX_OP_UGT:
		return cut_op(lower, GRAPH_ILT, b, a);
	case SX_OP_UGE:
		return cut_op(lower, GRAPH_ILE, b, a);
	case SX_OP_UEQ:
		return cut_op(lower, GRAPH_IEQ, a, b);
	default:
		return postfix_f64(lower, op, a, b);
	}
}

uint32_t lower_binary(struct lower *lower, enum sx_op op, uint32_t a, uint32_t b)
{
	switch (op) {
	case SX_OP_ADD:
	case SX_OP_SUM:
	case SX_OP_AVG:
		return sum_op(lower, false, a, b);
	case SX_OP_SUB:
		return sum_op(lower, true, a, b);
	case SX_OP_MUL:
		return f64_op(lower, GRAPH_FMUL, a, b);
	case SX_OP_DIV:
		return f64_op(lower, by_zero(lower, GRAPH_FDIV, GRAPH_FDIV_0), a, b);
	case SX_OP_MIN:
		return f64_op(lower, GRAPH_FMIN, a, b);
	case SX_OP_MAX:
		return f64_op(lower, GRAPH_FMAX, a, b);
	case SX_OP_LT:
		return f64_op(lower, GRAPH_FLT, a, b);
	case SX_OP_LE:
		return f64_op(lower, GRAPH_FLE, a, b);
	case SX_OP_GT:
		return f64_op(lower, GRAPH_FLT, b, a);
	case SX_OP_GE:
		return f64_op(lower, GRAPH_FLE, b, a);
	case SX_OP_EQ:
		return f64_op(lower, GRAPH_FEQ, a, b);
	case SX_OP_NE:
		return f64_op(lower, GRAPH_FNE, a, b);
	case SX_OP_AND:
		return f64_op(lower, GRAPH_AND, a, b);
	case SX_OP_OR:
		return f64_op(lower, GRAPH_OR, a, b);
	default:
		return postfix_op(lower, op, a, b);
	}
}

uint32_t lower_unary(struct lower *lower, enum sx_op op, uint32_t a)
{
	switch (op) {
	case SX_OP_NEG:
		if (lower->dialect == SX_DIALECT_STANDARD && is_exact(lower, a))
			return sum_op(lower, true, graph_u64(&lower->graph, 0), a);
		return apply(lower, GRAPH_FNEG, VALUE_F64, lower_to_f64(lower, a), SX_NONE);
	case SX_OP_ABS:
		return apply(lower, GRAPH_FABS, VALUE_F64, lower_to_f64(lower, a), SX_NONE);
	default:
		return apply(lower, GRAPH_NOT, VALUE_F64, lower_to_f64(lower, a), SX_NONE);
	}
}

uint32_t lower_select(struct lower *lower, uint32_t condition, uint32_t yes, uint32_t no)
{
	condition = lower_to_f64(lower, condition);
	if (condition == SX_NONE || yes == SX_NONE || no == SX_NONE)
		return SX_NONE;
	const struct graph_node *test = &lower->graph.nodes[condition];
	/* A mode switch costs nothing, and leaves the chosen branch its type. */
	if (test->op == GRAPH_CONST && test->scalar.f == test->scalar.f)
		return test->scalar.f != 0 ? yes : no;
	yes = lower_to_f64(lower, yes);
	no = lower_to_f64(lower, no);
	return graph_apply(&lower->graph, GRAPH_SELECT, VALUE_F64,
			   (const uint32_t[3]){condition, yes, no});
}

uint32_t lower_reference(struct lower *lower, uint32_t value)
{
	if (value == SX_NONE || type_of(lower, value) != VALUE_U128)
		return value;
	return narrow(lower, value);
}
