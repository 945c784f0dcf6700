/* Every allocation of parsing, compiling and evaluating fails once: an error each time, no leak. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/allocations.h"
#include "unit/expr/world.h"

/* More values at once than fit the stack, an `if`, a constant, and columns of trouble. */
#define TEXT_SIZE 8192

static size_t write_text(char *text)
{
	size_t length = 0;
	for (int i = 0; i < 150; i++)
		length += (size_t)snprintf(text + length, TEXT_SIZE - length, "(a * %d.5 - ", i);
	length +=
	    (size_t)snprintf(text + length, TEXT_SIZE - length, "max(min((a / b) * 100, 100), 0)");
	memset(text + length, ')', 150);
	length += 150;
	length += (size_t)snprintf(text + length, TEXT_SIZE - length, " + if(b > 2, a, other)");
	return length;
}

static enum sx_status evaluate(const struct expr_program *program, struct sx_error *err)
{
	enum { ROWS = 20 };
	uint64_t a[ROWS], b[ROWS];
	uint8_t quality[ROWS] = {0, SX_QUALITY_LOST};
	double out[2][ROWS];
	for (size_t i = 0; i < ROWS; i++) {
		a[i] = i == 7 ? UINT64_MAX : i;
		b[i] = i;
	}
	struct sx_vector inputs[] = {{SX_U64, a, quality}, {SX_U64, b, NULL}};
	struct expr_result results[] = {{out[0], NULL}, {out[1], NULL}};
	return expr_eval(program, inputs, ROWS, results, err);
}

static enum sx_status use(const char *text, struct sx_error *err)
{
	struct world world = {.count = 0};
	struct sx_expr *expr = NULL, *other = NULL;
	struct expr_program *program = NULL;
	enum sx_status status = sx_expr_parse(text, SX_INFIX, &expr, err);
	if (!status)
		status = sx_expr_parse("a + b", SX_INFIX, &other, err);
	world_input(&world, "a", 0, SX_U64);
	world_input(&world, "b", 1, SX_U64);
	world_expr(&world, "other", other);
	struct expr_resolver resolver = world_resolver(&world);
	struct expr_output outputs[] = {{.expr = expr, .type = SX_F64},
					{.expr = other, .type = SX_U64}};
	if (!status)
		status =
		    expr_compile(&(struct expr_request){outputs, 2, SX_DIALECT_STANDARD, &resolver},
				 &program, NULL, err);
	if (!status)
		status = evaluate(program, err);
	expr_program_destroy(program);
	sx_expr_destroy(other);
	sx_expr_destroy(expr);
	return status;
}

static void test_every_allocation_may_fail(void **state)
{
	(void)state;
	static char text[TEXT_SIZE];
	write_text(text);
	for (long k = 0;; k++) {
		struct sx_error err = {0};
		allocations_until_failure = k;
		enum sx_status status = use(text, &err);
		bool reached = allocations_until_failure < 0;
		allocations_until_failure = -1;
		if (!reached) {
			assert_int_equal(status, SX_OK);
			assert_true(k > 40);
			return;
		}
		assert_int_equal(status, SX_ERR_NO_MEMORY);
		assert_int_equal(err.status, SX_ERR_NO_MEMORY);
		assert_true(err.message[0]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_allocation_may_fail)};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
