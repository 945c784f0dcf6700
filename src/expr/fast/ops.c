/*
 * The inner loops, plain C for the compiler to vectorise. Compiled again with wider registers where
 * the build knows how; FAST_TABLE names the table of this copy.
 */
#include "expr/fast/ops.h"

#ifndef FAST_TABLE
#define FAST_TABLE fast_loops_base
#endif

extern const struct fast_loops FAST_TABLE;

#define LOOP(x_is, y_is, value, bad)                                                               \
	uint64_t out_of_range = 0;                                                                 \
	for (size_t i = 0; i < n; i++) {                                                           \
		double x = x_is, y = y_is, r = value;                                              \
		(void)y;                                                                           \
		out[i] = r;                                                                        \
		out_of_range |= (bad) ? UINT64_C(1) : UINT64_C(0);                                 \
	}                                                                                          \
	return out_of_range;

#define FUNCTION(name, x_is, y_is, value, bad)                                                     \
	static uint64_t run_##name(double *restrict out, const struct fast_operands *in, size_t n) \
	{                                                                                          \
		const double *a = in->a, *b = in->b, *k = in->k;                                   \
		(void)a;                                                                           \
		(void)b;                                                                           \
		(void)k;                                                                           \
		LOOP(x_is, y_is, value, bad)                                                       \
	}

/* clang-format off */
#define OP(name, value, bad) FUNCTION(name, a[i], b[i], value, bad)
FAST_BINARY(OP)
#undef OP
#define OP(name, value, bad) FUNCTION(name##_VK, a[i], k[0], value, bad)
FAST_BINARY(OP)
#undef OP
#define OP(name, value, bad) FUNCTION(name##_KV, k[0], b[i], value, bad)
FAST_BINARY(OP)
#undef OP
#define OP(name, value, bad) FUNCTION(name, a[i], 0, value, bad)
FAST_UNARY(OP)
#undef OP
FUNCTION(PERCENT, a[i], b[i], fast_max(fast_min(fast_divide(x, y) * k[0], k[1]), k[2]), 0)
FUNCTION(PERCENT_0, a[i], b[i], fast_max(fast_min(fast_divide_0(x, y) * k[0], k[1]), k[2]), 0)
/* clang-format on */

static uint64_t run_SELECT(double *restrict out, const struct fast_operands *in, size_t n)
{
	const double *a = in->a, *b = in->b, *c = in->c;
	for (size_t i = 0; i < n; i++) {
		double yes = b[i], no = c[i], chosen = a[i] != 0 ? yes : no;
		out[i] = a[i] != a[i] ? a[i] : chosen;
	}
	return 0;
}

#define MULDIV(name, by_zero)                                                                      \
	static uint64_t run_##name(double *restrict out, const struct fast_operands *in, size_t n) \
	{                                                                                          \
		const double *a = in->a, *b = in->b, *c = in->c;                                   \
		uint64_t out_of_range = 0;                                                         \
		for (size_t i = 0; i < n; i++) {                                                   \
			double x = a[i], y = b[i], z = c[i];                                       \
			double zero = x + y != x + y ? x + y : by_zero;                            \
			double r = fast_muldiv(x, y, z);                                           \
			out_of_range |= r > FAST_WHOLE_MAX && z != 0 ? UINT64_C(1) : UINT64_C(0);  \
			out[i] = z == 0 ? zero : r;                                                \
		}                                                                                  \
		return out_of_range;                                                               \
	}
MULDIV(MULDIV, __builtin_nan(""))
MULDIV(MULDIV_0, 0)

static uint64_t run_SET(double *restrict out, const struct fast_operands *in, size_t n)
{
	const double *k = in->k;
	for (size_t i = 0; i < n; i++)
		out[i] = k[0];
	return 0;
}

static uint64_t run_LOAD(double *restrict out, const struct fast_operands *in, size_t n)
{
	const double *a = in->a;
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;
		memcpy(&bits, &a[i], sizeof(bits));
		out[i] = fast_from_u64(bits);
	}
	return 0;
}

static uint64_t run_LOAD_WHOLE(double *restrict out, const struct fast_operands *in, size_t n)
{
	const double *a = in->a;
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t bits;
		memcpy(&bits, &a[i], sizeof(bits));
		all |= bits;
		out[i] = fast_from_whole(bits);
	}
	return all >> FAST_INPUT_BITS;
}

static inline uint64_t column(const double *from, size_t i)
{
	uint64_t bits;
	memcpy(&bits, &from[i], sizeof(bits));
	return bits;
}

static inline void put_whole(double *out, size_t i, double value)
{
	uint64_t whole = fast_to_whole(value);
	memcpy(&out[i], &whole, sizeof(whole));
}

static uint64_t run_LOAD_MUL_STORE(double *restrict out, const struct fast_operands *in, size_t n)
{
	const double *a = in->a, *k = in->k;
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = column(a, i);
		all |= x;
		put_whole(out, i, fast_from_whole(x) * k[0]);
	}
	return all >> FAST_INPUT_BITS;
}

static uint64_t run_LOAD_ADD_MUL_STORE(double *restrict out, const struct fast_operands *in,
				       size_t n)
{
	const double *a = in->a, *b = in->b, *k = in->k;
	uint64_t all = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t x = column(a, i), y = column(b, i);
		all |= x | y;
		put_whole(out, i, (fast_from_whole(x) + fast_from_whole(y)) * k[0]);
	}
	return all >> FAST_INPUT_BITS;
}

#define LOAD_DIVIDE(name, value, divide)                                                           \
	static uint64_t run_##name(double *restrict out, const struct fast_operands *in, size_t n) \
	{                                                                                          \
		const double *a = in->a, *b = in->b, *k = in->k;                                   \
		uint64_t all = 0;                                                                  \
		for (size_t i = 0; i < n; i++) {                                                   \
			uint64_t bits = column(a, i);                                              \
			double x = fast_from_whole(bits);                                          \
			all |= bits;                                                               \
			out[i] = divide((value)*k[0], b[i]);                                       \
		}                                                                                  \
		return all >> FAST_INPUT_BITS;                                                     \
	}
LOAD_DIVIDE(LOAD_MUL_DIV, x, fast_divide)
LOAD_DIVIDE(LOAD_MUL_DIV_0, x, fast_divide_0)
LOAD_DIVIDE(LOAD_QUOTIENT_MUL_DIV, fast_floor(x / k[1]), fast_divide)
LOAD_DIVIDE(LOAD_QUOTIENT_MUL_DIV_0, fast_floor(x / k[1]), fast_divide_0)

static void fast_store(uint64_t *restrict out, uint8_t *restrict quality, const double *in,
		       size_t n)
{
	for (size_t i = 0; i < n; i++) {
		double x = __builtin_rint(in[i]);
		int good = x >= 0 && x < 0x1p64;
		out[i] = good ? (uint64_t)x : 0;
		if (quality)
			quality[i] = good ? 0 : SX_QUALITY_UNDEFINED;
	}
}

static void write_quality(uint8_t *restrict out, const double *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = in[i] != in[i] ? SX_QUALITY_UNDEFINED : 0;
}

static void ops_store_whole(uint64_t *restrict out, uint8_t *restrict quality, const double *in,
			    size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] = fast_to_whole(in[i]);
	if (quality)
		write_quality(quality, in, n);
}

static uint8_t ops_any(const uint8_t *in, size_t n)
{
	uint8_t all = 0;
	for (size_t i = 0; i < n; i++)
		all |= in[i];
	return all;
}

static void ops_join(uint8_t *restrict out, const uint8_t *in, size_t n)
{
	for (size_t i = 0; i < n; i++)
		out[i] |= in[i];
}

/* clang-format off */
const struct fast_loops FAST_TABLE = {
    .ops = {
#define OP(name, value, bad)                                                                       \
    	[FAST_##name] = run_##name, [FAST_##name##_VK] = run_##name##_VK,                          \
    	[FAST_##name##_KV] = run_##name##_KV,
        FAST_BINARY(OP)
#undef OP
#define OP(name, value, bad) [FAST_##name] = run_##name,
    	FAST_UNARY(OP)
#undef OP
    	    [FAST_SELECT] = run_SELECT,
        [FAST_PERCENT] = run_PERCENT,
        [FAST_PERCENT_0] = run_PERCENT_0,
        [FAST_MULDIV] = run_MULDIV,
        [FAST_MULDIV_0] = run_MULDIV_0,
        [FAST_SET] = run_SET,
        [FAST_LOAD] = run_LOAD,
        [FAST_LOAD_WHOLE] = run_LOAD_WHOLE,
        [FAST_LOAD_MUL_STORE] = run_LOAD_MUL_STORE,
        [FAST_LOAD_ADD_MUL_STORE] = run_LOAD_ADD_MUL_STORE,
        [FAST_LOAD_MUL_DIV] = run_LOAD_MUL_DIV,
        [FAST_LOAD_MUL_DIV_0] = run_LOAD_MUL_DIV_0,
        [FAST_LOAD_QUOTIENT_MUL_DIV] = run_LOAD_QUOTIENT_MUL_DIV,
        [FAST_LOAD_QUOTIENT_MUL_DIV_0] = run_LOAD_QUOTIENT_MUL_DIV_0,
    },
    .store = fast_store,
    .store_whole = ops_store_whole,
    .quality = write_quality,
    .any = ops_any,
    .join = ops_join,
};
/* clang-format on */
