/*
 * The operations of the fast path. Everything is f64: whole numbers are exact there while they stay
 * below FAST_WHOLE_MAX, and operations that could leave that range report it, whereupon the rows
 * are evaluated exactly instead. No data is NaN.
 */
#ifndef EXPR_FAST_OPS_H
#define EXPR_FAST_OPS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sextant/expr.h>

#define FAST_WHOLE_MAX 0x1p51
/* Inputs of exact sums and integer operations: 2^44, so that sums of 128 need no check. */
#define FAST_INPUT_BITS 44
#define FAST_ROUNDING	0x1p-50

/* Operations of two operands: name, result over x and y, and whether the result is out of range. */
#define FAST_BINARY(OP)                                                                            \
	OP(ADD, x + y, 0)                                                                          \
	OP(SUB, x - y, 0)                                                                          \
	OP(MUL, x *y, 0)                                                                           \
	OP(DIV, fast_divide(x, y), 0)                                                              \
	OP(DIV_0, fast_divide_0(x, y), 0)                                                          \
	OP(MIN, fast_min(x, y), 0)                                                                 \
	OP(MAX, fast_max(x, y), 0)                                                                 \
	OP(LT, fast_truth(x, y, x < y), 0)                                                         \
	OP(LE, fast_truth(x, y, x <= y), 0)                                                        \
	OP(EQ, fast_truth(x, y, x == y), 0)                                                        \
	OP(NE, fast_truth(x, y, x != y), 0)                                                        \
	OP(AND, fast_truth(x, y, (x != 0) & (y != 0)), 0)                                          \
	OP(OR, fast_truth(x, y, (x != 0) | (y != 0)), 0)                                           \
	OP(QUOTIENT, fast_floor(fast_divide(x, y)), 0)                                             \
	OP(QUOTIENT_0, fast_floor(fast_divide_0(x, y)), 0)                                         \
	OP(ADD_CHECKED, x + y, (r > FAST_WHOLE_MAX) | (r < -FAST_WHOLE_MAX))                       \
	OP(SUB_CHECKED, x - y, (r > FAST_WHOLE_MAX) | (r < -FAST_WHOLE_MAX))                       \
	OP(DIFFERENCE, fast_not_negative(x - y), 0)                                                \
	OP(REST, fast_rest(x, y), 0)                                                               \
	OP(MUL_CHECKED, x *y, r > FAST_WHOLE_MAX)

/* Operations of one operand. */
#define FAST_UNARY(OP)                                                                             \
	OP(NEG, -x, 0)                                                                             \
	OP(ABS, __builtin_fabs(x), 0)                                                              \
	OP(NOT, fast_truth(x, x, x == 0), 0)                                                       \
	OP(CUT_DIFFERENCE, fast_floor(fast_not_negative(x)), x > FAST_WHOLE_MAX)                   \
	OP(CUT, fast_floor(x), (x > FAST_WHOLE_MAX) | (x < 0))                                     \
	OP(CLAMP, fast_max(fast_min(x, k[1]), k[2]), 0)

enum fast_op {
#define OP(name, value, bad) FAST_##name, FAST_##name##_VK, FAST_##name##_KV,
	FAST_BINARY(OP)
#undef OP
#define OP(name, value, bad) FAST_##name,
	    FAST_UNARY(OP)
#undef OP
		FAST_SELECT,
	FAST_PERCENT,	  /* max(min((x / y) * k0, k1), k2) */
	FAST_PERCENT_0,	  /* the same where a division by zero is 0 */
	FAST_MULDIV,	  /* (x * y) / z of whole numbers, the product in 128 bits */
	FAST_MULDIV_0,	  /* the same where a division by zero is 0 */
	FAST_SET,	  /* a constant */
	FAST_LOAD,	  /* a u64 column, rounded to f64 */
	FAST_LOAD_WHOLE,  /* a u64 column; its values must be exact in f64 */
	FAST_STORE,	  /* to a u64 result, rounded */
	FAST_STORE_WHOLE, /* the same of what is whole and not negative */
	/*
	 * Several operations in one pass, of u64 columns x and y with values that are exact in f64.
	 */
	FAST_LOAD_MUL_STORE,	      /* x * k0, to a u64 result */
	FAST_LOAD_ADD_MUL_STORE,      /* (x + y) * k0, to a u64 result */
	FAST_LOAD_MUL_DIV,	      /* (x * k0) / b */
	FAST_LOAD_MUL_DIV_0,	      /* the same where a division by zero is 0 */
	FAST_LOAD_QUOTIENT_MUL_DIV,   /* (floor(x / k1) * k0) / b */
	FAST_LOAD_QUOTIENT_MUL_DIV_0, /* the same where a division by zero is 0 */
	FAST_OP_COUNT
};

/* A difference below zero is no data. */
static inline double fast_not_negative(double x)
{
	return x < 0 ? __builtin_nan("") : x;
}

/* The same for f64 counts, where a negative difference that is only a rounding error is 0. */
static inline double fast_rest(double x, double y)
{
	double d = x - y;
	double r = d < 0 ? __builtin_nan("") : d;
	return ((d < 0) & (-d <= y * FAST_ROUNDING)) ? 0 : r;
}

/* A division by zero is no data. */
static inline double fast_divide(double x, double y)
{
	return y == 0 ? __builtin_nan("") : x / y;
}

/* A division by zero is 0, but an operand without data gives no data. */
static inline double fast_divide_0(double x, double y)
{
	double r = y == 0 ? 0 : x / y;
	return x != x ? x : r;
}

static inline double fast_min(double x, double y)
{
	double r = x < y ? x : y; /* y when either is NaN */
	return x != x ? x : r;
}

static inline double fast_max(double x, double y)
{
	double r = x > y ? x : y;
	return x != x ? x : r;
}

static inline double fast_truth(double x, double y, int holds)
{
	double r = holds ? 1.0 : 0.0;
	r = x != x ? x : r;
	return y != y ? y : r;
}

/* For values from 0 to FAST_WHOLE_MAX. */
static inline double fast_floor(double x)
{
	double r = (x + 0x1p52) - 0x1p52;
	return r > x ? r - 1 : r;
}

/* Correctly rounded for all of u64: both halves are exact, and their sum is rounded once. */
static inline double fast_from_u64(uint64_t x)
{
	uint64_t high = (x >> 32) | UINT64_C(0x4530000000000000);
	uint64_t low = (x & UINT32_MAX) | UINT64_C(0x4330000000000000);
	double h, l;
	memcpy(&h, &high, sizeof(h));
	memcpy(&l, &low, sizeof(l));
	return (h - (0x1p84 + 0x1p52)) + l;
}

/* Below 2^52 only. */
static inline double fast_from_whole(uint64_t x)
{
	double d;
	x |= UINT64_C(0x4330000000000000);
	memcpy(&d, &x, sizeof(d));
	return d - 0x1p52;
}

/* Whole numbers from 0 to FAST_WHOLE_MAX; NaN gives 0. */
static inline uint64_t fast_to_whole(double x)
{
	uint64_t bits;
	double shifted = x + 0x1p52;
	memcpy(&bits, &shifted, sizeof(bits));
	return x == x ? bits & UINT64_C(0x000fffffffffffff) : 0;
}

/*
 * floor(x * y / z) for whole numbers to FAST_WHOLE_MAX. The quotient in f64 is at most 1 off while
 * it is below that range; the sign of the remainder, which fits 64 bits, says in which direction.
 */
static inline double fast_muldiv(double x, double y, double z)
{
	double q = fast_floor(x * y / z);
	uint64_t d = fast_to_whole(z);
	uint64_t rest = fast_to_whole(x) * fast_to_whole(y) - fast_to_whole(q) * d;
	double more = (int64_t)rest >= (int64_t)d ? 1.0 : 0.0;
	q += (int64_t)rest < 0 ? -1.0 : more;
	double none = x != x ? x : y;
	return none != none ? none : q;
}

/* Operands of an operation: columns, and constants. `a` of the loads is a u64 column. */
struct fast_operands {
	const double *a, *b, *c, *k;
};
/* An operation over n rows; not 0 when a result left the range. */
typedef uint64_t fast_function(double *restrict out, const struct fast_operands *in, size_t n);

/* The loops of one copy. */
struct fast_loops {
	fast_function *ops[FAST_OP_COUNT]; /* NULL for the stores */
	/* Rounds to u64; marks what is out of its range in `quality` (may be NULL). */
	void (*store)(uint64_t *restrict out, uint8_t *restrict quality, const double *in,
		      size_t n);
	/* The same for whole numbers from 0 to FAST_WHOLE_MAX, and NaN. */
	void (*store_whole)(uint64_t *restrict out, uint8_t *restrict quality, const double *in,
			    size_t n);
	/* Qualities of values that rest on valid inputs: NaN is undefined. */
	void (*quality)(uint8_t *restrict out, const double *in, size_t n);
	uint8_t (*any)(const uint8_t *in, size_t n);			  /* all OR-ed */
	void (*join)(uint8_t *restrict out, const uint8_t *in, size_t n); /* OR-s into `out` */
};

/* The copy for this CPU; static storage. */
const struct fast_loops *fast_loops(void);

#endif
