/* See rows.h. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <cmocka.h>

#include "unit/expr/rows.h"

void rows_world(struct world *world)
{
	static const char *const names[INPUTS] = {"a", "b", "c", "d", "e", "f", "g", "h"};
	for (uint32_t i = 0; i < INPUTS; i++)
		world_input(world, names[i], i, i < 4 ? SX_U64 : SX_F64);
	world_constant(world, "TWO", 2);
	world_constant(world, "ZERO", 0);
	world_constant(world, "HALF", 0.5);
	world_missing(world, "missing");
}

void rows_fill(struct columns *columns, const struct row *row)
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

struct expr_program *rows_compile(struct world *world, const struct sx_expr *expr,
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

void rows_check(const struct row *row, const struct expr_program *program, size_t rows)
{
	struct columns columns;
	rows_fill(&columns, row);
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
