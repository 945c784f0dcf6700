/* Programs as a whole: inputs, absent columns, instances, references and limits. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"
#include "unit/expr/rows.h"

static void expect_inputs(const struct expr_program *program, uint32_t output, const char *letters)
{
	uint32_t count;
	const uint32_t *inputs = expr_program_inputs(program, output, &count);
	assert_int_equal(count, strlen(letters));
	for (uint32_t i = 0; i < count; i++)
		assert_int_equal(inputs[i], letters[i] - 'a');
}

/* One program of several outputs, or fails the test. */
static struct expr_program *compile_outputs(struct world *world, const struct expr_output *outputs,
					    uint32_t count)
{
	struct expr_resolver resolver = world_resolver(world);
	struct expr_program *program = NULL;
	struct sx_error err;
	assert_int_equal(
	    expr_compile(&(struct expr_request){outputs, count, SX_DIALECT_STANDARD, &resolver},
			 &program, NULL, &err),
	    SX_OK);
	return program;
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
	rows_world(&world);
	enum { COUNT = sizeof(rows) / sizeof(rows[0]) };
	struct expr_output outputs[COUNT];
	struct sx_expr *exprs[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		exprs[i] = world_parse(rows[i][0], SX_INFIX);
		outputs[i] = (struct expr_output){.expr = exprs[i], .type = SX_F64};
	}
	struct expr_program *program = compile_outputs(&world, outputs, COUNT);
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
	rows_world(&world);
	static const char *const texts[] = {"a + c", "if(c, a, c)", "a", "c", "e * c", "c / a"};
	enum { COUNT = sizeof(texts) / sizeof(texts[0]) };
	struct expr_output outputs[COUNT];
	struct sx_expr *exprs[COUNT];
	for (size_t i = 0; i < COUNT; i++) {
		exprs[i] = world_parse(texts[i], SX_INFIX);
		outputs[i] =
		    (struct expr_output){.expr = exprs[i], .type = i == 2 ? SX_U64 : SX_F64};
	}
	struct expr_program *program = compile_outputs(&world, outputs, COUNT);
	struct columns columns;
	rows_fill(&columns, &(struct row){.a = 1});
	for (size_t r = 0; r < COPIES; r++)
		columns.u64[2][r] = r % 2;
	columns.vectors[0].data = NULL;
	columns.vectors[4].data = NULL;
	double values[COUNT][COPIES];
	uint8_t quality[COUNT][COPIES];
	struct expr_result results[COUNT];
	for (size_t i = 0; i < COUNT; i++)
		results[i] = (struct expr_result){.data = values[i], .quality = quality[i]};
	assert_int_equal(expr_eval(program, columns.vectors, COPIES, results, NULL), SX_OK);
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
		struct expr_program *program = rows_compile(&world, expr, SX_DIALECT_AMD, SX_F64);
		rows_check(&rows[i], program, COPIES);
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
	rows_world(&world);
	struct sx_expr *total = world_parse("a + b", SX_INFIX);
	struct sx_expr *loop = world_parse("a + loop2", SX_INFIX);
	struct sx_expr *loop2 = world_parse("loop * 2", SX_INFIX);
	world_expr(&world, "total", total);
	world_expr(&world, "loop", loop);
	world_expr(&world, "loop2", loop2);
	struct sx_expr *use = world_parse("total - b", SX_INFIX);
	struct expr_program *program = rows_compile(&world, use, SX_DIALECT_STANDARD, SX_F64);
	struct row row = {.text = "total - b", .a = BIG, .b = 1, .value = (double)BIG};
	rows_check(&row, program, 1);
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
	rows_world(&world);
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
	struct expr_program *program = compile_outputs(&world, outputs, MANY);
	for (size_t rows = 1; rows <= LONG_ROWS; rows += LONG_ROWS - 1) {
		memset(values, 0, sizeof(values));
		assert_int_equal(expr_eval(program, inputs, rows, results, NULL), SX_OK);
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
	    cmocka_unit_test(test_inputs),    cmocka_unit_test(test_absent_column),
	    cmocka_unit_test(test_instances), cmocka_unit_test(test_references),
	    cmocka_unit_test(test_chain),     cmocka_unit_test(test_large),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
