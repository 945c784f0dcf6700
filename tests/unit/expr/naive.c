/* A second evaluator: walks the tree for one row at a time, written from the format's text alone.
 */
#include "unit/expr/naive.h"

#include <math.h>

static struct naive real(double f, uint8_t quality)
{
	return (struct naive){.f = f, .no_data = isnan(f), .quality = quality};
}

static struct naive whole(naive_i128 exact, uint8_t quality)
{
	return (struct naive){.whole = true, .exact = exact, .quality = quality};
}

static struct naive nothing(uint8_t quality)
{
	return (struct naive){.f = NAN, .no_data = true, .quality = quality};
}

static double number(const struct naive *value)
{
	if (value->no_data)
		return NAN;
	if (value->product)
		return (double)value->wide;
	return value->whole ? (double)value->exact : value->f;
}

/* A product is seen modulo 2^64 by everything but a division and a further product. */
static struct naive seen(struct naive value)
{
	if (!value.product)
		return value;
	return whole((naive_i128)(uint64_t)value.wide, value.quality);
}

static struct naive cut(struct naive value)
{
	if (value.no_data || value.whole)
		return value;
	if (value.f >= 0x1p64)
		return whole((naive_i128)UINT64_MAX, value.quality);
	return whole(value.f > 0 ? (naive_i128)(uint64_t)value.f : 0, value.quality);
}

static double apply_f64(enum sx_op op, double a, double b, bool zero)
{
	switch (op) {
	case SX_OP_ADD:
	case SX_OP_SUM:
	case SX_OP_AVG:
	case SX_OP_UADD:
	case SX_OP_FADD:
		return a + b;
	case SX_OP_SUB:
	case SX_OP_USUB:
	case SX_OP_FSUB:
		return a - b;
	case SX_OP_MUL:
	case SX_OP_UMUL:
	case SX_OP_FMUL:
		return a * b;
	case SX_OP_DIV:
	case SX_OP_FDIV:
		if (b == 0)
			return zero ? 0 : NAN;
		return a / b;
	case SX_OP_MIN:
	case SX_OP_UMIN:
	case SX_OP_FMIN:
		return a < b ? a : b;
	case SX_OP_MAX:
	case SX_OP_UMAX:
	case SX_OP_FMAX:
		return a > b ? a : b;
	case SX_OP_LT:
		return a < b;
	case SX_OP_LE:
		return a <= b;
	case SX_OP_GT:
		return a > b;
	case SX_OP_GE:
		return a >= b;
	case SX_OP_EQ:
		return a == b;
	case SX_OP_NE:
		return a != b;
	case SX_OP_AND:
		return a != 0 && b != 0;
	case SX_OP_OR:
		return a != 0 || b != 0;
	default:
		return NAN;
	}
}

static uint64_t apply_u64(enum sx_op op, uint64_t a, uint64_t b)
{
	switch (op) {
	case SX_OP_UADD:
		return a + b;
	case SX_OP_USUB:
		return a - b;
	case SX_OP_UMIN:
		return a < b ? a : b;
	case SX_OP_UMAX:
		return a > b ? a : b;
	case SX_OP_UAND:
		return a & b;
	case SX_OP_UOR:
		return a | b;
	case SX_OP_ULT:
		return a < b;
	case SX_OP_ULE:
		return a <= b;
	case SX_OP_UGT:
		return a > b;
	case SX_OP_UGE:
		return a >= b;
	default: /* SX_OP_UEQ */
		return a == b;
	}
}

static struct naive unsigned_op(const struct naive_world *world, enum sx_op op, struct naive a,
				struct naive b, uint8_t quality)
{
	if (op == SX_OP_UMUL && a.whole && b.whole) {
		naive_u128 x = a.product ? a.wide : (naive_u128)a.exact;
		naive_u128 y = b.product ? b.wide : (naive_u128)b.exact;
		return (struct naive){
		    .whole = true, .product = true, .wide = x * y, .quality = quality};
	}
	if (op == SX_OP_UDIV) {
		a = cut(a);
		b = cut(seen(b));
		naive_u128 x = a.product ? a.wide : (naive_u128)a.exact;
		naive_u128 y = (naive_u128)b.exact;
		if (y == 0)
			return world->dialect == SX_DIALECT_STANDARD ? nothing(quality)
								     : whole(0, quality);
		return whole((naive_i128)(uint64_t)(x / y), quality);
	}
	a = seen(a);
	b = seen(b);
	/* A difference below zero is no data. */
	if (op == SX_OP_USUB && a.whole && b.whole && a.exact < b.exact)
		return nothing(quality);
	if (op == SX_OP_USUB && (!a.whole || !b.whole) && number(&a) < number(&b))
		return nothing(quality);
	bool arithmetic = op == SX_OP_UADD || op == SX_OP_USUB || op == SX_OP_UMUL ||
			  op == SX_OP_UMIN || op == SX_OP_UMAX;
	if (arithmetic && (!a.whole || !b.whole))
		return cut(real(apply_f64(op, number(&a), number(&b), false), quality));
	a = cut(a);
	b = cut(b);
	return whole((naive_i128)apply_u64(op, (uint64_t)a.exact, (uint64_t)b.exact), quality);
}

/* The same of f64 counts; a difference below zero that rounding explains is none. */
static struct naive rest(double a, double b, uint8_t quality)
{
	if (a >= b || isnan(a) || isnan(b))
		return real(a - b, quality);
	return b - a <= b * 0x1p-50 ? real(0, quality) : nothing(quality);
}

static struct naive binary_value(const struct naive_world *world, enum sx_op op, struct naive a,
				 struct naive b)
{
	uint8_t quality = (uint8_t)(a.quality | b.quality);
	if (a.no_data || b.no_data)
		return nothing(quality);
	if (op >= SX_OP_UADD && op <= SX_OP_UEQ)
		return unsigned_op(world, op, a, b, quality);
	if (op >= SX_OP_FADD) {
		a = op == SX_OP_FDIV ? a : seen(a);
		b = seen(b);
	}
	/* The difference of two counts is exact, and no data below zero. */
	if (op == SX_OP_FSUB && a.whole && b.whole)
		return a.exact < b.exact ? nothing(quality)
					 : real((double)(a.exact - b.exact), quality);
	if (op == SX_OP_FSUB)
		return rest(number(&a), number(&b), quality);
	bool exact =
	    world->dialect == SX_DIALECT_STANDARD && a.whole && b.whole && !a.product && !b.product;
	if (exact && (op == SX_OP_ADD || op == SX_OP_SUM || op == SX_OP_AVG))
		return whole(a.exact + b.exact, quality);
	if (exact && op == SX_OP_SUB)
		return whole(a.exact - b.exact, quality);
	bool zero = world->dialect != SX_DIALECT_STANDARD;
	return real(apply_f64(op, number(&a), number(&b), zero), quality);
}

static struct naive unary_value(const struct naive_world *world, enum sx_op op, struct naive a)
{
	if (a.no_data)
		return a;
	if (op == SX_OP_NEG && a.whole && !a.product && world->dialect == SX_DIALECT_STANDARD)
		return whole(-a.exact, a.quality);
	double f = number(&a);
	return real(op == SX_OP_NEG ? -f : op == SX_OP_ABS ? fabs(f) : f == 0, a.quality);
}

static struct naive binary(const struct naive_world *world, enum sx_op op, struct naive a,
			   struct naive b)
{
	struct naive value = binary_value(world, op, a, b);
	value.constant = a.constant && b.constant;
	return value;
}

static struct naive unary(const struct naive_world *world, enum sx_op op, struct naive a)
{
	struct naive value = unary_value(world, op, a);
	value.constant = a.constant;
	return value;
}

/* f64, unless the condition is constant: then the type of the branch. */
static struct naive choose(const struct naive_world *world, const struct sx_node *node)
{
	struct naive condition = naive_eval(world, node->children[0]);
	if (condition.no_data)
		return condition;
	struct naive value = naive_eval(world, node->children[number(&condition) != 0 ? 1 : 2]);
	if (condition.constant)
		return value;
	return real(number(&value), (uint8_t)(value.quality | condition.quality));
}

static struct naive literal(const struct sx_node *node)
{
	struct naive value =
	    node->is_integer ? whole((naive_i128)node->integer, 0) : real(node->number, 0);
	value.constant = true;
	return value;
}

struct naive naive_eval(const struct naive_world *world, const struct sx_node *node)
{
	if (node->kind == SX_NODE_NAME)
		return world->name(world->user, node);
	if (node->kind == SX_NODE_NUMBER)
		return literal(node);
	if (node->op == SX_OP_IF)
		return choose(world, node);
	struct naive value = naive_eval(world, node->children[0]);
	bool reduces = node->op == SX_OP_MIN || node->op == SX_OP_MAX || node->op == SX_OP_SUM ||
		       node->op == SX_OP_AVG;
	if (node->child_count == 1 && !reduces)
		return unary(world, node->op, value);
	for (uint32_t i = 1; i < node->child_count; i++)
		value = binary(world, node->op, value, naive_eval(world, node->children[i]));
	if (node->op == SX_OP_AVG) {
		struct naive count = whole(node->child_count, 0);
		count.constant = true;
		value = binary(world, SX_OP_DIV, value, count);
	}
	return value;
}

static void no_data_quality(const struct naive *value, uint8_t *quality)
{
	*quality = value->quality;
	if (!(*quality & SX_QUALITY_NO_DATA_MASK))
		*quality |= SX_QUALITY_UNDEFINED;
}

double naive_f64(const struct naive *value, uint8_t *quality)
{
	*quality = value->quality;
	if (value->no_data)
		no_data_quality(value, quality);
	return number(value);
}

uint64_t naive_u64(const struct naive *value, uint8_t *quality)
{
	*quality = value->quality;
	if (value->no_data) {
		no_data_quality(value, quality);
		return 0;
	}
	struct naive narrow = seen(*value);
	if (narrow.whole && narrow.exact >= 0 && narrow.exact <= (naive_i128)UINT64_MAX)
		return (uint64_t)narrow.exact;
	double f = narrow.whole ? -1 : rint(narrow.f);
	if (f >= 0 && f < 0x1p64)
		return (uint64_t)f;
	*quality |= SX_QUALITY_UNDEFINED;
	return 0;
}
