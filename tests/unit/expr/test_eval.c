/* Arithmetic of the three dialects as tables, quality and folding. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/expr/rows.h"

static void check_rows(const struct row *rows, size_t count, enum sx_dialect dialect,
		       enum sx_notation notation)
{
	struct world world = {.instances = 0};
	rows_world(&world);
	for (size_t i = 0; i < count; i++) {
		struct sx_expr *expr = world_parse(rows[i].text, notation);
		struct expr_program *program = rows_compile(&world, expr, dialect, SX_F64);
		rows_check(&rows[i], program, 1);
		rows_check(&rows[i], program, COPIES);
		expr_program_destroy(program);
		sx_expr_destroy(expr);
	}
}

#define CHECK_ROWS(rows, dialect, notation)                                                        \
	check_rows(rows, sizeof(rows) / sizeof((rows)[0]), dialect, notation)
static const struct row standard_rows[] = {
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
};

static void test_standard(void **state)
{
	(void)state;
	CHECK_ROWS(standard_rows, SX_DIALECT_STANDARD, SX_INFIX);
}

/* Even a dead branch is checked. */
static void test_unknown_name(void **state)
{
	(void)state;
	struct world world = {.instances = 0};
	struct sx_expr *expr = world_parse("if(1, 2, nothing)", SX_INFIX);
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

static const struct row intel_rows[] = {
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

static void test_intel(void **state)
{
	(void)state;
	CHECK_ROWS(intel_rows, SX_DIALECT_INTEL, SX_POSTFIX);
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
static const struct row_u64 {
	const char *text;
	uint64_t a, b;
	uint8_t qa;
	uint64_t value;
	uint8_t quality;
} u64_rows[] = {
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

static void check_u64(const struct row_u64 *row, const struct expr_program *program, size_t rows)
{
	struct columns columns;
	rows_fill(&columns, &(struct row){.a = row->a, .b = row->b, .qa = row->qa});
	uint64_t value[COPIES];
	uint8_t quality[COPIES];
	struct expr_result result = {.data = value, .quality = quality};
	struct sx_error err;
	assert_int_equal(expr_eval(program, columns.vectors, rows, &result, &err), SX_OK);
	for (size_t r = 0; r < rows; r++)
		if (value[r] != row->value || quality[r] != row->quality)
			fail_msg("%s of %ju, %ju: %ju quality %#x", row->text, (uintmax_t)row->a,
				 (uintmax_t)row->b, (uintmax_t)value[r], quality[r]);
}

static void test_u64(void **state)
{
	(void)state;
	struct world world = {.instances = 0};
	rows_world(&world);
	for (size_t i = 0; i < sizeof(u64_rows) / sizeof(u64_rows[0]); i++) {
		struct sx_expr *expr = world_parse(u64_rows[i].text, SX_INFIX);
		struct expr_program *program =
		    rows_compile(&world, expr, SX_DIALECT_STANDARD, SX_U64);
		check_u64(&u64_rows[i], program, 1);
		check_u64(&u64_rows[i], program, COPIES);
		expr_program_destroy(program);
		sx_expr_destroy(expr);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_standard), cmocka_unit_test(test_unknown_name),
	    cmocka_unit_test(test_intel),    cmocka_unit_test(test_amd),
	    cmocka_unit_test(test_u64),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
