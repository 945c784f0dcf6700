/* Parsing of both notations: precedence, names, errors with their columns, and limits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/expr/world.h"

struct text {
	char bytes[4096];
	size_t length;
};

static void put(struct text *text, const char *part)
{
	size_t length = strlen(part);
	assert_true(text->length + length < sizeof(text->bytes));
	memcpy(text->bytes + text->length, part, length + 1);
	text->length += length;
}

/* A tree as an unambiguous s-expression. */
static void print(struct text *text, const struct sx_node *node)
{
	char part[256];
	if (node->kind == SX_NODE_NUMBER) {
		snprintf(part, sizeof(part), node->is_integer ? "%.0f" : "%gf", node->number);
		put(text, part);
		return;
	}
	if (node->kind == SX_NODE_NAME) {
		put(text, node->name);
		if (node->instances == SX_INSTANCES_ALL)
			put(text, "[*]");
		if (node->instances == SX_INSTANCES_RANGE) {
			snprintf(part, sizeof(part), "[%u-%u]", node->first, node->last);
			put(text, part);
		}
		return;
	}
	put(text, "(");
	put(text, expr_op_name(node->op));
	for (uint32_t i = 0; i < node->child_count; i++) {
		put(text, " ");
		print(text, node->children[i]);
	}
	put(text, ")");
}

static void expect_tree(const char *source, enum sx_notation notation, const char *tree)
{
	struct sx_expr *expr = world_parse(source, notation);
	struct text text = {.length = 0};
	print(&text, sx_expr_root(expr));
	if (strcmp(text.bytes, tree) != 0)
		fail_msg("%s: parsed as %s, expected %s", source, text.bytes, tree);
	sx_expr_destroy(expr);
}

static void test_precedence(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
	    {"a", "a"},
	    {" $a ", "a"},
	    {"a + b * c", "(+ a (* b c))"},
	    {"(a + b) * c", "(* (+ a b) c)"},
	    {"a - b - c", "(- (- a b) c)"},
	    {"a / b * c", "(* (/ a b) c)"},
	    {"a - -b", "(- a (- b))"},
	    {"-a * b", "(* (- a) b)"},
	    {"a * -b + c", "(+ (* a (- b)) c)"},
	    {"a + b < c * d", "(< (+ a b) (* c d))"},
	    {"a<=b and c>=d", "(and (<= a b) (>= c d))"},
	    {"a == b or c != d and e", "(or (== a b) (and (!= c d) e))"},
	    {"not a < b", "(not (< a b))"},
	    {"not not a or b", "(or (not (not a)) b)"},
	    {"a and not b", "(and a (not b))"},
	    {"max(min(($A / $B) * 100, 100), 0)", "(max (min (* (/ A B) 100) 100) 0)"},
	    {"if(a > 1, b, if(c, d, 0))", "(if (> a 1) b (if c d 0))"},
	    {"sum(TA[0..3].X, 2 * b)", "(sum TA.X[0-3] (* 2 b))"},
	    {"max(TA[*].TA_BUSY)", "(max TA.TA_BUSY[*])"},
	    {"SPI[2].BUSY + c[1]", "(+ SPI.BUSY[2-2] c[1-1])"},
	    {"avg(core[*])", "(avg core[*])"},
	    {"abs(a - b)", "(abs (- a b))"},
	    {"min + max(a)", "(+ min (max a))"},
	    {"$and and $not", "(and and not)"},
	    {"0x1F + 1e3 + .5 + 1.5e-1", "(+ (+ (+ 31 1000f) 0.5f) 0.15f)"},
	    {"18446744073709551615", "18446744073709551616"},
	    {"gpu.busy>20", "(> gpu.busy 20)"},
	    {"0x1e+1", "(+ 30 1)"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_tree(rows[i][0], SX_INFIX, rows[i][1]);
}

static void test_postfix(void **state)
{
	(void)state;
	static const char *const rows[][2] = {
	    {"A 7 READ", "A7"},
	    {"GPU_TIME 0 READ", "GPU_TIME"},
	    {"GPU_CLOCK 0 READ", "GPU_CLOCK"},
	    {"PERFCNT 0 READ", "PERFCNT0"},
	    {"A 12 READ  $EuCoresTotalCount UDIV 100 UMUL $GpuCoreClocks FDIV",
	     "(/ (* (/ A12 EuCoresTotalCount) 100) GpuCoreClocks)"},
	    {"$SliceMask 0x02 AND", "(& SliceMask 2)"},
	    {"a b USUB", "(- a b)"},
	    {"a b ULTE c UGT 1 UEQ", "(== (> (<= a b) c) 1)"},
	    {"a 0.5 FMUL b FMAX", "(max (* a 0.5f) b)"},
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		expect_tree(rows[i][0], SX_POSTFIX, rows[i][1]);
}

struct bad {
	const char *text, *message;
};

static void expect_error(const struct bad *bad, enum sx_notation notation)
{
	struct sx_expr *expr;
	struct sx_error err = {0};
	enum sx_status status = sx_expr_parse(bad->text, notation, &expr, &err);
	if (status != SX_ERR_BAD_INPUT || strcmp(err.message, bad->message) != 0)
		fail_msg("%s: status %d, %s\nexpected %s", bad->text, (int)status, err.message,
			 bad->message);
	assert_null(expr);
	assert_true(err.because[0] && err.remedy[0]);
}

static const struct bad bad_infix[] = {
    {"", "column 1: expected a value, found the end"},
    {"   ", "column 4: expected a value, found the end"},
    {"a +", "column 4: expected a value, found the end"},
    {"a b", "column 3: expected an operator or the end, found \"b\""},
    {"(a", "column 3: expected an operator or \")\", found the end"},
    {"a)", "column 2: expected an operator or the end, found \")\""},
    {"a * (b + )", "column 10: expected a value, found \")\""},
    {"max()", "column 5: expected a value, found \")\""},
    {"max(a,)", "column 7: expected a value, found \")\""},
    {"if(a, b)", "column 8: expected \",\" and a further argument, found \")\""},
    {"abs(a, b)", "column 6: expected \")\", found \",\""},
    {"if(a, b, c, d)", "column 11: expected \")\", found \",\""},
    {"foo(a)", "column 1: expected a function (min, max, sum, avg, abs, if) before \"(\", "
	       "found \"foo\""},
    {"a < b < c", "column 7: expected one comparison (use \"and\" between two), found \"<\""},
    {"a * not b", "column 5: expected a value (put \"not\" into parentheses), found \"not\""},
    {"12abc", "column 1: expected a number, found \"12abc\""},
    {"1e999", "column 1: expected a number, found \"1e999\""},
    {"a ? b", "column 3: expected a name, a number or an operator, found \"?\""},
    {"\xc3\xa9", "column 1: expected a name, a number or an operator, found \"?\""},
    {"a + $", "column 5: expected a name after \"$\", found \"$\""},
    {"+a", "column 1: expected a value, found \"+\""},
    {"a[*] + 1",
     "column 1: expected min, max, sum or avg around several instances, found \"a[*]\""},
    {"a[0..1]",
     "column 1: expected min, max, sum or avg around several instances, found \"a[0..1]\""},
    {"max(-a[*])",
     "column 6: expected min, max, sum or avg around several instances, found \"a[*]\""},
    {"max((a[*]))",
     "column 6: expected min, max, sum or avg around several instances, found \"a[*]\""},
    {"abs(a[*])", "column 5: expected one instance in abs(), found \"a[*]\""},
    {"sum(a[3..1])", "column 7: expected an instance, FIRST..LAST or *, found \"3..1\""},
    {"sum(a[1..])", "column 7: expected an instance, FIRST..LAST or *, found \"1..\""},
    {"sum(a[])", "column 7: expected an instance, FIRST..LAST or *, found \"]\""},
    {"a[1", "column 4: expected \"]\" to close the instances, found the end"},
    {"a[1][2]", "column 5: expected a name, a number or an operator, found \"[\""},
    {"a\nb", "column 2: expected a name, a number or an operator, found \"?\""},
};

static const struct bad bad_postfix[] = {
    {"", "column 1: expected a value, found the end"},
    {"1 2", "column 4: expected an operator, as 2 values are left, found the end"},
    {"UADD", "column 1: expected two operands before an operator, found \"UADD\""},
    {"1 UADD", "column 3: expected two operands before an operator, found \"UADD\""},
    {"A READ", "column 3: expected a counter file and a number before, found \"READ\""},
    {"$A 1 READ", "column 1: expected a counter file before READ, found \"$A\""},
    {"A 1.5 READ", "column 3: expected a counter's number before READ, found \"1.5\""},
    {"GPU_TIME 1 READ", "column 10: expected 0, as GPU_TIME is single, found \"1\""},
    {"a b ++", "column 5: expected a name, a number or an operator, found \"++\""},
    {"a 1x UADD", "column 3: expected a number, found \"1x\""},
};

static void test_errors(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad_infix) / sizeof(bad_infix[0]); i++)
		expect_error(&bad_infix[i], SX_INFIX);
	for (size_t i = 0; i < sizeof(bad_postfix) / sizeof(bad_postfix[0]); i++)
		expect_error(&bad_postfix[i], SX_POSTFIX);
}

static enum sx_status repeat(const char *head, const char *part, size_t times, const char *tail,
			     enum sx_notation notation)
{
	size_t each = strlen(part);
	char *text = malloc(strlen(head) + each * times + strlen(tail) + 1);
	assert_non_null(text);
	char *at = stpcpy(text, head);
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, part);
	stpcpy(at, tail);
	struct sx_expr *expr;
	struct sx_error err = {0};
	enum sx_status status = sx_expr_parse(text, notation, &expr, &err);
	if (status != SX_OK)
		assert_int_equal(memcmp(err.message, "column ", 7), 0);
	sx_expr_destroy(expr);
	free(text);
	return status;
}

static void test_limits(void **state)
{
	(void)state;
	assert_int_equal(repeat("a", "+a", SX_EXPR_DEPTH_MAX - 1, "", SX_INFIX), SX_OK);
	assert_int_equal(repeat("a", "+a", SX_EXPR_DEPTH_MAX, "", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "(", 30000, "", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "-", 30000, "a", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "not ", 15000, "a", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "max(", 15000, "a", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("sum(a", ",a", 10000, ")", SX_INFIX), SX_OK);
	assert_int_equal(repeat("sum(a", ",a", 20000, ")", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("a", " ", SX_EXPR_LENGTH_MAX - 1, "", SX_INFIX), SX_OK);
	assert_int_equal(repeat("a", " ", SX_EXPR_LENGTH_MAX, "", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "a", SX_EXPR_NAME_MAX, "", SX_INFIX), SX_OK);
	assert_int_equal(repeat("", "a", SX_EXPR_NAME_MAX + 1, "", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("x[1].", "a", SX_EXPR_NAME_MAX, "", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "9", 400, "", SX_INFIX), SX_ERR_BAD_INPUT);
	assert_int_equal(repeat("sum(a[0..4095]", "", 0, ")", SX_INFIX), SX_OK);
	assert_int_equal(repeat("sum(a[0..4096]", "", 0, ")", SX_INFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "a ", 300, "", SX_POSTFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("a", " a UADD", 300, "", SX_POSTFIX), SX_ERR_LIMIT);
	assert_int_equal(repeat("", "A", SX_EXPR_NAME_MAX, " 7 READ", SX_POSTFIX), SX_ERR_LIMIT);
}

static enum sx_status count_names(void *user, const struct sx_node *node)
{
	size_t *left = user;
	if (node->kind == SX_NODE_NAME && --*left == 0)
		return SX_END;
	return SX_OK;
}

static void test_visit(void **state)
{
	(void)state;
	struct sx_expr *expr = world_parse("a + max(b, c * 2)", SX_INFIX);
	size_t left = 10;
	assert_int_equal(expr_visit(expr, count_names, &left), SX_OK);
	assert_int_equal(left, 7);
	left = 2;
	assert_int_equal(expr_visit(expr, count_names, &left), SX_END);
	assert_int_equal(sx_expr_root(expr)->position, 2);
	assert_int_equal(sx_expr_root(expr)->children[1]->children[1]->children[0]->position, 11);
	sx_expr_destroy(expr);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(test_precedence), cmocka_unit_test(test_postfix),
	    cmocka_unit_test(test_errors),     cmocka_unit_test(test_limits),
	    cmocka_unit_test(test_visit),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
