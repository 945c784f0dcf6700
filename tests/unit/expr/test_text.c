/* Trees written as infix mean what they meant, with no parenthesis too many. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <sextant/expr.h>

static void check(const char *text, enum sx_notation notation, const char *expected)
{
	char buf[512];
	struct sx_expr *expr;
	assert_int_equal(sx_expr_parse(text, notation, &expr, NULL), SX_OK);
	assert_int_equal(sx_node_text(sx_expr_root(expr), buf, sizeof(buf)), strlen(expected));
	assert_string_equal(buf, expected);
	sx_expr_destroy(expr);
}

static void test_infix(void **state)
{
	static const char *const texts[] = {
	    "a",
	    "1.5",
	    "a + b - c",
	    "a - (b - c)",
	    "(a + b) * c",
	    "a * (b / c)",
	    "a * b / c",
	    "max(min(a / b * 100, 100), 0)",
	    "if(a > 0, b, -c)",
	    "a and (b or c)",
	    "a and b or c",
	    "not (a > b)",
	    "(not a) > b",
	    "a > 5 and not (b)",
	    "sum(TA[0..3].TA_BUSY)",
	    "max(TA[*].TA_BUSY) + X[2]",
	    "-(a + b)",
	    "a - -b",
	    "a + $16_bit_slots",
	};
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		check(texts[i], SX_INFIX,
		      strcmp(texts[i], "a > 5 and not (b)") ? texts[i] : "a > 5 and not b");
	check("((a))+(b)*$c", SX_INFIX, "a + b * c");
	check("0x10", SX_INFIX, "16");
}

static void test_postfix(void **state)
{
	check("A 7 READ $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV", SX_POSTFIX,
	      "A7 / EuCoresTotalCount * 100 / GpuCoreClocks");
	check("A 1 READ B 2 READ C 3 READ USUB USUB", SX_POSTFIX, "A1 - (B2 - C3)");
	check("A 1 READ B 2 READ FMAX", SX_POSTFIX, "max(A1, B2)");
}

static void test_cut(void **state)
{
	char buf[6] = "xxxxx";
	struct sx_expr *expr;
	assert_int_equal(sx_expr_parse("abc + def", SX_INFIX, &expr, NULL), SX_OK);
	assert_int_equal(sx_node_text(sx_expr_root(expr), buf, sizeof(buf)), 9);
	assert_string_equal(buf, "abc +");
	assert_int_equal(sx_node_text(sx_expr_root(expr), NULL, 0), 9);
	sx_expr_destroy(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_infix),
	    cmocka_unit_test(test_postfix),
	    cmocka_unit_test(test_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
