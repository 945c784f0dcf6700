/* Arithmetic of the three dialects as tables, quality, folding, references and limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/expr/world.h"

#define NONE	  SX_QUALITY_NOT_COLLECTED
#define UNDEFINED SX_QUALITY_UNDEFINED
#define BIG	  (UINT64_C(1) << 53)
#define INPUTS	  8  /* a to d are u64, e to h are f64 */
#define COPIES	  37 /* rows of the same values: whole vectors and a rest */

/* One formula over a to d (u64) and e (f64). */
struct row {
	const char *text;
	uint64_t a, b;
	uint8_t qa, qb;
	double value; /* NaN: no data */
	uint8_t quality;
};

static void fill_world(struct world *world)
{
	static const char *const names[INPUTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	for (uint32_t i = 0; i < INPUTS; i++)
		world_input(world, names[i], i, i < 4 ? SX_U64 : SX_F64);
	world_constant(world, "TWO", 2);
	world_constant(world, "ZERO", 0);
	world_constant(world, "HALF", 0.5);
	world_missing(world, "missing");
}

/* Columns of `rows` equal rows. */
struct columns {
	uint64_t u64[4][COPIES];
	double f64[4][COPIES];
	uint8_t quality[INPUTS][COPIES];
	struct sx_vector vectors[INPUTS];
};

static void fill_columns(struct columns *columns, const struct row *row)
{
	memset(columns, 0, sizeof(*columns));
	for (size_t r = 0; r < COPIES; r++) {
		columns->u64[0][r] = row->a;
		columns->u64[1][r] = row->b;
		columns->u64[2][r] = 7;
		columns->u64[3][r] = UINT64_MAX;
		columns->f64[0][r] = 0.5;
		columns->f64[1][r] = -3;
		columns->f64[2][r] = NAN;
		columns->f64[3][r] = 1e300;
		columns->quality[0][r] = row->qa;
		columns->quality[1][r] = row->qb;
	}
	for (size_t i = 0; i < INPUTS; i++) {
		columns->vectors[i].type = i < 4 ? SX_U64 : SX_F64;
		columns->vectors[i].data =
		    i < 4 ? (const void *)columns->u64[i] : columns->f64[i - 4];
		columns->vectors[i].quality = i < 2 ? columns->quality[i] : NULL;
	}
}

static struct expr_program *compile(struct world *world, const struct sx_expr *expr,
				    enum sx_dialect dialect, enum sx_type type)
{
	struct expr_output output = {.expr = expr, .type = type};
	struct expr_resolver resolver = world_resolver(world);
	struct expr_program *program;
	struct sx_error err;
	if (expr_compile(&(struct expr_request){&output, 1, dialect, &resolver}, &program, NULL,
			 &err) != SX_OK)
		fail_msg("%s", err.message);
	return program;
}

static bool same(double x, double y)
{
	return (isnan(x) && isnan(y)) || x == y;
}

static void check_f64(const struct row *row, const struct expr_program *program, size_t rows)
{
	struct columns columns;
	fill_columns(&columns, row);
	double value[COPIES];
	uint8_t quality[COPIES];
	struct expr_result result = {.data = value, .quality = quality};
	struct sx_error err;
	assert_int_equal(expr_eval(program, columns.vectors, rows, &result, &err), SX_OK);
	for (size_t r = 0; r < rows; r++) {
		if (!same(value[r], row->value) || quality[r] != row->quality)
			fail_msg("%s, row %zu of %zu: %.17g quality %#x, expected %.17g %#x",
				 row->text, r, rows, value[r], quality[r], row->value,
				 row->quality);
	}
	result.quality = NULL;
	assert_int_equal(expr_eval(program, columns.vectors, rows, &result, &err), SX_OK);
	for (size_t r = 0; r < rows; r++)
		assert_true(same(value[r], row->value));
}

static void check_rows(const struct row *rows, size_t count, enum sx_dialect dialect,
		       enum sx_notation notation)
{
	struct world world = {.instances = 0};
	fill_world(&world);
	for (size_t i = 0; i < count; i++) {
		struct sx_expr *expr = world_parse(rows[i].text, notation);
		struct expr_program *program = compile(&world, expr, dialect, SX_F64);
		check_f64(&rows[i], program, 1);
		check_f64(&rows[i], program, COPIES);
		expr_program_destroy(program);
		sx_expr_destroy(expr);
	}
}

#define CHECK_ROWS(rows, dialect, notation)                                                        \
	check_rows(rows, sizeof(rows) / sizeof((rows)[0]), dialect, notation)

static void test_standard(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"a", 5, 0, 0, 0, 5, 0},
	    {"a / b", 6, 4, 0, 0, 1.5, 0},
	    {"a / b", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"a / b", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"a / ZERO", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"1 / 0", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"min(a / b, 100)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"min(100, a / b)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"max(a / b, 0)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"max(0, a / b)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"max(a / b, g)", 5, 1, 0, 0, NAN, UNDEFINED},
	    {"max(min((a / b) * 100, 100), 0)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"max(min((a / b) * 100, 100), 0)", 5, 2, 0, 0, 100, 0},
	    {"max(min((a / b) * 100, 100), 0)", 1, 4, 0, 0, 25, 0},
	    {"max(min(((a - b) / c) * 100, 100), 0)", 1, 4, 0, 0, 0, 0},
	    {"max(min(((a - b) / c) * 100, 100), 0)", 8, 1, NONE, 0, NAN, NONE},
	    {"if(a / b, 1, 2)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"if(a > b, a, a / b)", 5, 0, 0, 0, 5, 0},
	    {"if(a < b, a, a / b)", 5, 0, 0, 0, NAN, UNDEFINED},
	    {"if(a, a, b)", 5, 0, 0, NONE, 5, 0},
	    {"if(a, a, b)", 0, 6, 0, NONE, NAN, NONE},
	    {"if(a, a, b)", 5, 6, NONE, 0, NAN, NONE},
	    {"if(b, a, c)", 5, 0, SX_QUALITY_LOST, 0, 7, 0},
	    {"if(b, a, c)", 5, 1, SX_QUALITY_LOST, SX_QUALITY_WRAPPED, 5,
	     SX_QUALITY_LOST | SX_QUALITY_WRAPPED},
	    {"if(a, missing, b)", 1, 3, 0, 0, NAN, NONE},
	    {"if(a, missing, b)", 0, 3, 0, 0, 3, 0},
	    {"if(a, missing, c / b)", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"a - b", BIG + 1, BIG, 0, 0, 1, 0},
	    {"a - b", 3, 5, 0, 0, -2, 0},
	    {"a - b", 0, UINT64_MAX, 0, 0, -0x1p64, 0},
	    {"a + b - d", UINT64_MAX, UINT64_MAX, 0, 0, 0x1p64, 0},
	    {"a + b - d", UINT64_MAX, 5, 0, 0, 5, 0},
	    {"sum(a, b) - c", BIG + 1, 6 - BIG, 0, 0, 0x1p64, 0},
	    {"(a + 1) - b", BIG, BIG, 0, 0, 1, 0},
	    {"-a + b", BIG, BIG + 1, 0, 0, 1, 0},
	    {"-5 + a", 3, 0, 0, 0, -2, 0},
	    {"(a - b) * 2", BIG + 1, BIG, 0, 0, 2, 0},
	    {"a * 1 - b", BIG + 1, BIG, 0, 0, 0, 0},
	    {"avg(a, b)", BIG + 1, BIG + 3, 0, 0, (double)BIG + 2, 0},
	    {"avg(a, b, c)", 1, 1, 0, 0, 3, 0},
	    {"min(a, b, c)", 9, 8, 0, 0, 7, 0},
	    {"max(a, b, c)", 9, 8, 0, 0, 9, 0},
	    {"abs(a - b)", 3, 5, 0, 0, 2, 0},
	    {"a * e", 9, 0, 0, 0, 4.5, 0},
	    {"a + e", 9, 0, 0, 0, 9.5, 0},
	    {"a + f", 9, 0, 0, 0, 6, 0},
	    {"g", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"g < 1", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"g == g", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"not g", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"0 and g", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"a and g", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"a or g", 1, 0, 0, 0, NAN, UNDEFINED},
	    {"a < b", 1, 2, 0, 0, 1, 0},
	    {"a <= b", 2, 2, 0, 0, 1, 0},
	    {"a > b", 2, 2, 0, 0, 0, 0},
	    {"a >= b", 2, 2, 0, 0, 1, 0},
	    {"a == b", 2, 2, 0, 0, 1, 0},
	    {"a != b", 2, 2, 0, 0, 0, 0},
	    {"a and b", 2, 0, 0, 0, 0, 0},
	    {"a or b", 2, 0, 0, 0, 1, 0},
	    {"not a", 2, 0, 0, 0, 0, 0},
	    {"a > 1 and b < 3 or a == 100", 2, 2, 0, 0, 1, 0},
	    {"a * TWO + HALF", 2, 2, 0, 0, 4.5, 0},
	    {"a + b", 1, 2, NONE, 0, NAN, NONE},
	    {"a + b", 1, 2, SX_QUALITY_GAP, SX_QUALITY_LOST, NAN, SX_QUALITY_GAP | SX_QUALITY_LOST},
	    {"a + b", 1, 2, SX_QUALITY_STRETCHED, SX_QUALITY_LOST, 3,
	     SX_QUALITY_STRETCHED | SX_QUALITY_LOST},
	    {"a / b", 1, 0, SX_QUALITY_LOST, 0, NAN, SX_QUALITY_LOST | UNDEFINED},
	    {"a / b", 1, 0, SX_QUALITY_GAP, 0, NAN, SX_QUALITY_GAP},
	    {"a", 1, 0, SX_QUALITY_DISTURBED, 0, NAN, SX_QUALITY_DISTURBED},
	    {"missing + a", 1, 0, 0, 0, NAN, NONE},
	    {"missing", 1, 0, 0, 0, NAN, NONE},
	    {"sum(x[*])", 1, 0, 0, 0, NAN, NONE},
	    {"h * h", 0, 0, 0, 0, INFINITY, 0},
	    {"h * h - h * h", 0, 0, 0, 0, NAN, UNDEFINED},
	    {"if(1, 2, nothing)", 0, 0, 0, 0, 2, 0},
	};
	/* The last row names what is unknown: even a dead branch is checked. */
	check_rows(rows, sizeof(rows) / sizeof(rows[0]) - 1, SX_DIALECT_STANDARD, SX_INFIX);
	struct world world = {.instances = 0};
	struct sx_expr *expr = world_parse(rows[sizeof(rows) / sizeof(rows[0]) - 1].text, SX_INFIX);
	struct expr_output output = {.expr = expr, .type = SX_F64};
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	struct sx_error err;
	uint32_t failed;
	assert_int_equal(
	    expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_STANDARD, &resolver},
			 &program, &failed, &err),
	    SX_ERR_NOT_FOUND);
	assert_string_equal(err.message, "column 10: unknown name \"nothing\"");
	assert_int_equal(failed, 0);
	sx_expr_destroy(expr);
}

static void test_intel(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"a b UDIV", 7, 2, 0, 0, 3, 0},
	    {"a b UDIV", 7, 0, 0, 0, 0, 0},
	    {"a b FDIV", 7, 0, 0, 0, 0, 0},
	    {"a b FDIV", 7, 2, 0, 0, 3.5, 0},
	    {"a b FDIV", 7, 0, NONE, 0, NAN, NONE},
	    {"a b UDIV", 7, 0, NONE, 0, NAN, NONE},
	    {"a b UDIV", 7, 0, 0, NONE, NAN, NONE},
	    {"a b USUB", 1, 3, 0, 0, NAN, UNDEFINED}, /* below zero: no data */
	    {"a b USUB", 3, 1, 0, 0, 2, 0},
	    {"a b USUB 100 UMUL c UDIV", 1, 3, 0, 0, NAN, UNDEFINED},
	    {"a b USUB 5 UMIN", 1, 3, 0, 0, NAN, UNDEFINED},
	    {"a b USUB 5 FMAX", 1, 3, 0, 0, NAN, UNDEFINED},
	    {"a b USUB", 1, 3, SX_QUALITY_LOST, 0, NAN, SX_QUALITY_LOST | UNDEFINED},
	    {"a b USUB", 1, 3, NONE, 0, NAN, NONE},
	    {"a 0.5 FADD b USUB", 1, 3, 0, 0, NAN, UNDEFINED},
	    {"a 0.5 FADD b USUB", 7, 3, 0, 0, 4, 0},
	    {"a b UADD", UINT64_MAX, 3, 0, 0, 2, 0},
	    {"a 1000000000 UMUL b UDIV", UINT64_MAX, 1000000000, 0, 0, 0x1p64, 0},
	    {"a 1000000000 UMUL b UDIV", 125000000000, 12500000, 0, 0, 1e13, 0},
	    {"a b UMUL 100 FDIV", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0, 0x1p80 / 100, 0},
	    {"a b UMUL c UADD", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0, 7, 0},
	    {"a b UMUL c UMIN", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0, 0, 0},
	    {"a b UMUL 1 FADD", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0, 1, 0},
	    {"c a b UMUL UDIV", UINT64_C(1) << 40, UINT64_C(1) << 40, 0, 0, 0, 0},
	    {"a b UMUL b UMUL b UDIV a UDIV", 3, 5, 0, 0, 5, 0},
	    {"8 a FMUL c FDIV b UDIV 100 UMUL", 7, 3, 0, 0, 200, 0},
	    {"a 0.5 UADD", 3, 0, 0, 0, 3, 0},
	    {"a 0.75 UMUL", 3, 0, 0, 0, 2, 0},
	    {"f a UADD", 1, 0, 0, 0, 0, 0},
	    {"h a UADD", 1, 0, 0, 0, 0x1p64, 0},
	    {"g a UADD", 1, 0, 0, 0, NAN, UNDEFINED},
	    {"g a UDIV", 1, 0, 0, 0, NAN, UNDEFINED},
	    {"e f UMAX", 1, 0, 0, 0, 0, 0},
	    {"a b UMAX", 1, 9, 0, 0, 9, 0},
	    {"a b FMAX", 1, 9, 0, 0, 9, 0},
	    {"e f FMIN", 1, 9, 0, 0, -3, 0},
	    {"a b FSUB", 1, 9, 0, 0, NAN, UNDEFINED},
	    {"a b FSUB", 9, 1, 0, 0, 8, 0},
	    {"a b FSUB", UINT64_MAX, UINT64_MAX - 1, 0, 0, 1, 0}, /* exact */
	    {"a 1 FMUL b FSUB", 1, 9, 0, 0, NAN, UNDEFINED},
	    {"a b FADD c FSUB", 3, 1, 0, 0, NAN, UNDEFINED},
	    {"a b FADD c FSUB", 5, 2, 0, 0, 0, 0},
	    {"1 a b FDIV FSUB", 1003, 1000, 0, 0, NAN, UNDEFINED},
	    {"1 a b FDIV FSUB", 750, 1000, 0, 0, 0.25, 0},
	    {"1.0 a 10 FDIV b 10 FDIV FADD FSUB", 7, 3, 0, 0, 0, 0},
	    {"0.3 0.1 0.2 FADD FSUB", 0, 0, 0, 0, 0, 0}, /* rounding is no count */
	    {"a 0x2 AND", 6, 0, 0, 0, 2, 0},
	    {"a 0x1 OR", 6, 0, 0, 0, 7, 0},
	    {"a b ULT", 6, 7, 0, 0, 1, 0},
	    {"a b ULTE", 7, 7, 0, 0, 1, 0},
	    {"a b UGT", 7, 7, 0, 0, 0, 0},
	    {"a b UGTE", 7, 7, 0, 0, 1, 0},
	    {"a b UEQ", 7, 7, 0, 0, 1, 0},
	    {"a TWO UMUL", 7, 7, 0, 0, 14, 0},
	    {"a HALF UMUL", 7, 7, 0, 0, 3, 0},
	    {"a 2 UADD b UADD", BIG, BIG, 0, 0, 0x1p54 + 2, 0},
	};
	CHECK_ROWS(rows, SX_DIALECT_INTEL, SX_POSTFIX);
	static const struct row infix[] = {
	    {"a / b", 7, 0, 0, 0, 0, 0},
	    {"a - b", 7, 9, 0, 0, -2, 0},
	};
	CHECK_ROWS(infix, SX_DIALECT_INTEL, SX_INFIX);
}

static void test_amd(void **state)
{
	(void)state;
	static const struct row rows[] = {
	    {"a / b", 7, 0, 0, 0, 0, 0},
	    {"a / b", 0, 0, 0, 0, 0, 0},
	    {"a / b", 7, 0, NONE, 0, NAN, NONE},
	    {"a / b", 7, 2, 0, NONE, NAN, NONE},
	    {"a - b", 3, 5, 0, 0, -2, 0},
	    {"a - b", BIG + 1, BIG, 0, 0, 0, 0},
	    {"min(a / b * 100, 100)", 3, 2, 0, 0, 100, 0},
	    {"if(a, b / a, 0)", 0, 2, 0, 0, 0, 0},
	    {"if(a, b / a, 0)", 2, 3, 0, 0, 1.5, 0},
	    {"if(a, b / a, 0)", 0, 3, 0, NONE, 0, 0},
	    {"sum(a, 2 * b)", 1, 3, 0, 0, 7, 0},
	    {"if(missing, a, b)", 1, 3, 0, 0, NAN, NONE},
	    {"h * h / b", 1, 0, 0, 0, 0, 0},
	};
	CHECK_ROWS(rows, SX_DIALECT_AMD, SX_INFIX);
	static const struct row postfix[] = {
	    {"a b UDIV", 7, 0, 0, 0, 0, 0},
	};
	CHECK_ROWS(postfix, SX_DIALECT_AMD, SX_POSTFIX);
	static const struct row standard[] = {
	    {"a b UDIV", 7, 0, 0, 0, NAN, UNDEFINED},
	    {"a b UDIV", 7, 2, 0, 0, 3, 0},
	    {"7 0 UDIV", 7, 2, 0, 0, NAN, UNDEFINED},
	};
	CHECK_ROWS(standard, SX_DIALECT_STANDARD, SX_POSTFIX);
}

/* u64 results: exact counts, rounding, and what does not fit. */
static void test_u64(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		uint64_t a, b;
		uint8_t qa;
		uint64_t value;
		uint8_t quality;
	} rows[] = {
	    {"a", UINT64_MAX, 0, 0, UINT64_MAX, 0},
	    {"a", BIG + 1, 0, SX_QUALITY_LOST, BIG + 1, SX_QUALITY_LOST},
	    {"a", 5, 0, NONE, 0, NONE},
	    {"a + b", BIG, 1, 0, BIG + 1, 0},
	    {"a + b", UINT64_MAX, 1, 0, 0, UNDEFINED},
	    {"a - b", 3, 5, 0, 0, UNDEFINED},
	    {"a / b", 5, 2, 0, 2, 0},
	    {"a / b", 7, 2, 0, 4, 0},
	    {"a / b", 8, 3, 0, 3, 0},
	    {"a / b", 8, 0, 0, 0, UNDEFINED},
	    {"-(a / b)", 1, 3, 0, 0, 0},
	    {"-(a / b)", 2, 3, 0, 0, UNDEFINED},
	    {"a * 2", UINT64_C(1) << 63, 0, 0, 0, UNDEFINED},
	    {"a * 1.5", UINT64_C(1) << 62, 0, 0, UINT64_C(3) << 61, 0},
	    {"missing", 0, 0, 0, 0, NONE},
	    {"5", 0, 0, 0, 5, 0},
	    {"if(a, b, 1)", 1, BIG, 0, BIG, 0},
	};
	struct world world = {.instances = 0};
	fill_world(&world);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sx_expr *expr = world_parse(rows[i].text, SX_INFIX);
		struct expr_program *program = compile(&world, expr, SX_DIALECT_STANDARD, SX_U64);
		struct row row = {.a = rows[i].a, .b = rows[i].b, .qa = rows[i].qa};
		struct columns columns;
		fill_columns(&columns, &row);
		uint64_t value[COPIES];
		uint8_t quality[COPIES];
		struct expr_result result = {.data = value, .quality = quality};
		for (size_t n = 1; n <= COPIES; n += COPIES - 1) {
			struct sx_error err;
			assert_int_equal(expr_eval(program, columns.vectors, n, &result, &err),
					 SX_OK);
			for (size_t r = 0; r < n; r++) {
				if (value[r] != rows[i].value || quality[r] != rows[i].quality)
					fail_msg("%s of %ju, %ju: %ju quality %#x", rows[i].text,
						 (uintmax_t)rows[i].a, (uintmax_t)rows[i].b,
						 (uintmax_t)value[r], quality[r]);
			}
		}
		expr_program_destroy(program);
		sx_expr_destroy(expr);
	}
}

static void expect_inputs(const struct expr_program *program, uint32_t output, const char *letters)
{
	uint32_t count;
	const uint32_t *inputs = expr_program_inputs(program, output, &count);
	assert_int_equal(count, strlen(letters));
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(inputs[i], letters[i] - 'a');
}

/* Each output's inputs, after dead branches are gone. */
static void test_inputs(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
	    {"b + a", "ab"},	    {"if(ZERO, a, b)", "b"}, {"if(TWO > 1, a, missing)", "a"},
	    {"if(a, b, c)", "abc"}, {"missing + a", ""},     {"1 + 2", ""},
	    {"a + a * a", "a"},	    {"a - a", "a"},	     {"h + d", "dh"},
	};
	struct world world = {.instances = 0};
	fill_world(&world);
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct expr_output outputs[COUNT];
	struct sx_expr *exprs[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		exprs[i] = world_parse(rows[i][0], SX_INFIX);
		outputs[i] = (struct expr_output){.expr = exprs[i], .type = SX_F64};
	}
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	struct sx_error err;
	assert_int_equal(
	    expr_compile(&(struct expr_request){outputs, COUNT, SX_DIALECT_STANDARD, &resolver},
			 &program, NULL, &err),
	    SX_OK);
	for (uint32_t i = 0; i < COUNT; i++) {
		expect_inputs(program, i, rows[i][1]);
		sx_expr_destroy(exprs[i]);
	}
	expr_program_destroy(program);
}

/* A column that is not there at all. */
static void test_absent_column(void **state)
{
	(void)state;
	struct world world = {.instances = 0};
	fill_world(&world);
	static const char *const texts[] = {"a + c", "if(c, a, c)", "a", "c", "e * c", "c / a"};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct expr_output outputs[COUNT];
	struct sx_expr *exprs[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		exprs[i] = world_parse(texts[i], SX_INFIX);
		outputs[i] =
		    (struct expr_output){.expr = exprs[i], .type = i == 2 ? SX_U64 : SX_F64};
	}
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	struct sx_error err;
	assert_int_equal(
	    expr_compile(&(struct expr_request){outputs, COUNT, SX_DIALECT_STANDARD, &resolver},
			 &program, NULL, &err),
	    SX_OK);
	struct columns columns;
	fill_columns(&columns, &(struct row){.a = 1});
	for (size_t r = 0; r < COPIES; r++)
		columns.u64[2][r] = r % 2;
	columns.vectors[0].data = NULL;
	columns.vectors[4].data = NULL;
	double values[COUNT][COPIES];
	uint8_t quality[COUNT][COPIES];
	struct expr_result results[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		results[i] = (struct expr_result){.data = values[i], .quality = quality[i]};
	assert_int_equal(expr_eval(program, columns.vectors, COPIES, results, &err), SX_OK);
	for (size_t r = 0; r < COPIES; r++) {
		assert_true(isnan(values[0][r]) && quality[0][r] == NONE);
		/* The condition chooses the absent column, or the present one. */
		assert_int_equal(quality[1][r], r % 2 ? NONE : 0);
		assert_true(r % 2 ? isnan(values[1][r]) : values[1][r] == 0);
		uint64_t u64;
		memcpy(&u64, &values[2][r], sizeof(u64));
		assert_true(u64 == 0 && quality[2][r] == NONE);
		assert_true(values[3][r] == (double)(r % 2) && quality[3][r] == 0);
		assert_true(isnan(values[4][r]) && quality[4][r] == NONE);
		assert_true(isnan(values[5][r]) && quality[5][r] == NONE);
	}
	for (size_t i = 0; i < COUNT; i++)
		sx_expr_destroy(exprs[i]);
	expr_program_destroy(program);
}

static void test_instances(void **state)
{
	(void)state;
	struct world world = {.instances = 3};
	world_input(&world, "TA.BUSY[0]", 0, SX_U64);
	world_input(&world, "TA.BUSY[1]", 1, SX_U64);
	world_input(&world, "TA.BUSY[2]", 2, SX_U64);
	static const struct row rows[] = {
	    {"max(TA[*].BUSY)", 5, 9, 0, 0, 9, 0},
	    {"sum(TA[*].BUSY)", 5, 9, 0, 0, 21, 0},
	    {"avg(TA[*].BUSY)", 5, 9, 0, 0, 7, 0},
	    {"min(TA[1..2].BUSY)", 5, 9, 0, 0, 7, 0},
	    {"sum(TA[0..1].BUSY, TA[2].BUSY * 2)", 5, 9, 0, 0, 28, 0},
	    {"TA[1].BUSY", 5, 9, 0, 0, 9, 0},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sx_expr *expr = world_parse(rows[i].text, SX_INFIX);
		struct expr_program *program = compile(&world, expr, SX_DIALECT_AMD, SX_F64);
		check_f64(&rows[i], program, COPIES);
		expr_program_destroy(program);
		sx_expr_destroy(expr);
	}
	world.instances = SX_EXPR_INSTANCES_MAX + 1;
	struct sx_expr *expr = world_parse("sum(TA[*].BUSY)", SX_INFIX);
	struct expr_output output = {.expr = expr, .type = SX_F64};
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	assert_int_equal(expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_AMD, &resolver},
				      &program, NULL, NULL),
			 SX_ERR_LIMIT);
	sx_expr_destroy(expr);
}

/* Expressions that refer to expressions: sharing, exactness, cycles, and too long a chain. */
static void test_references(void **state)
{
	(void)state;
	struct world world = {.instances = 0};
	fill_world(&world);
	struct sx_expr *total = world_parse("a + b", SX_INFIX);
	struct sx_expr *loop = world_parse("a + loop2", SX_INFIX);
	struct sx_expr *loop2 = world_parse("loop * 2", SX_INFIX);
	world_expr(&world, "total", total);
	world_expr(&world, "loop", loop);
	world_expr(&world, "loop2", loop2);
	struct sx_expr *use = world_parse("total - b", SX_INFIX);
	struct expr_program *program = compile(&world, use, SX_DIALECT_STANDARD, SX_F64);
	struct row row = {.text = "total - b", .a = BIG, .b = 1, .value = (double)BIG};
	check_f64(&row, program, 1);
	expr_program_destroy(program);

	struct expr_output outputs[2] = {{.expr = use, .type = SX_F64},
					 {.expr = loop, .type = SX_F64}};
	struct expr_resolver resolver = world_resolver(&world);
	struct sx_error err;
	uint32_t failed;
	assert_int_equal(
	    expr_compile(&(struct expr_request){outputs, 2, SX_DIALECT_STANDARD, &resolver},
			 &program, &failed, &err),
	    SX_ERR_BAD_INPUT);
	assert_int_equal(failed, 1);
	assert_null(program);
	sx_expr_destroy(use);
	sx_expr_destroy(total);
	sx_expr_destroy(loop);
	sx_expr_destroy(loop2);
}

/* Every name is the next expression of a chain without end. */
static enum sx_status resolve_chain(void *user, const struct expr_name *asked, struct expr_ref *out,
				    struct sx_error *err)
{
	const char *name = asked->text;
	(void)name;
	(void)asked->instance;
	(void)err;
	*out = (struct expr_ref){.kind = EXPR_REF_EXPR, .expr = user, .scope = asked->scope + 1};
	return SX_OK;
}

static void test_chain(void **state)
{
	(void)state;
	struct sx_expr *expr = world_parse("x + x", SX_INFIX);
	struct expr_resolver resolver = {.user = expr, .resolve = resolve_chain};
	struct expr_output output = {.expr = expr, .type = SX_F64};
	struct expr_program *program;
	struct sx_error err;
	assert_int_equal(
	    expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_STANDARD, &resolver},
			 &program, NULL, &err),
	    SX_ERR_LIMIT);
	sx_expr_destroy(expr);
}

/* p0 - (p1 - (p2 - ...)): every product waits until the innermost is there. */
enum { LEVELS = 90, CHAIN = 5, MANY = 3000, LONG_ROWS = 300 };

static void write_level(char *text, size_t size, const char *inner)
{
	size_t length = 0;
	for (int i = 0; i < LEVELS; i++)
		length += (size_t)snprintf(text + length, size - length, "(a * %d.5 - ", i);
	length += (size_t)snprintf(text + length, size - length, "%s", inner);
	memset(text + length, ')', LEVELS);
	text[length + LEVELS] = '\0';
}

static double level(double a, double inner)
{
	for (int i = LEVELS; i-- > 0;)
		inner = a * (i + 0.5) - inner;
	return inner;
}

/* More values at once, and more outputs, than the stack has room for. */
static void test_large(void **state)
{
	(void)state;
	static const char *const names[] = {"l0", "l1", "l2", "l3", "l4"};
	static double values[MANY][LONG_ROWS];
	static struct expr_output outputs[MANY];
	static struct expr_result results[MANY];
	struct world world = {.instances = 0};
	fill_world(&world);
	struct sx_expr *exprs[CHAIN];
	for (int i = 0; i < CHAIN; i++) {
		char text[4096];
		write_level(text, sizeof(text), i ? names[i - 1] : "b");
		exprs[i] = world_parse(text, SX_INFIX);
		world_expr(&world, names[i], exprs[i]);
	}
	for (int i = 0; i < MANY; i++) {
		outputs[i] =
		    (struct expr_output){.expr = exprs[CHAIN - 1 - i % CHAIN], .type = SX_F64};
		results[i].data = values[i];
	}
	uint64_t a[LONG_ROWS], b[LONG_ROWS];
	for (size_t r = 0; r < LONG_ROWS; r++) {
		a[r] = r;
		b[r] = 3 * r;
	}
	struct sx_vector inputs[] = {{SX_U64, a, NULL}, {SX_U64, b, NULL}};
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_program *program;
	struct sx_error err;
	assert_int_equal(
	    expr_compile(&(struct expr_request){outputs, MANY, SX_DIALECT_STANDARD, &resolver},
			 &program, NULL, &err),
	    SX_OK);
	for (size_t rows = 1; rows <= LONG_ROWS; rows += LONG_ROWS - 1) {
		memset(values, 0, sizeof(values));
		assert_int_equal(expr_eval(program, inputs, rows, results, &err), SX_OK);
		for (size_t r = 0; r < rows; r++) {
			double expected = (double)b[r];
			for (int i = 0; i < CHAIN; i++) {
				expected = level((double)a[r], expected);
				for (int o = CHAIN - 1 - i; o < MANY; o += CHAIN)
					assert_true(values[o][r] == expected);
			}
		}
	}
	expr_program_destroy(program);
	for (int i = 0; i < CHAIN; i++)
		sx_expr_destroy(exprs[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard),  cmocka_unit_test(test_intel),
	    cmocka_unit_test(test_amd),	      cmocka_unit_test(test_u64),
	    cmocka_unit_test(test_inputs),    cmocka_unit_test(test_absent_column),
	    cmocka_unit_test(test_instances), cmocka_unit_test(test_references),
	    cmocka_unit_test(test_chain),     cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
