/* Conditions are small programs without inputs, evaluated over one row. */
#include "expr/condition.h"

#include <math.h>

#include "expr/compile.h"

struct asking {
	condition_constant_fn constant;
	void *user;
};

static enum sx_status condition_resolve(void *user, const struct expr_name *asked,
					struct expr_ref *out, struct sx_error *err)
{
	const char *name = asked->text;
	const struct asking *asking = user;
	double value = asking->constant(asking->user, name);
	*out = isnan(value)
		   ? (struct expr_ref){.kind = EXPR_REF_NO_DATA}
		   : (struct expr_ref){.kind = EXPR_REF_CONSTANT, .type = SX_U64, .value = value};
	return SX_OK;
}

static uint32_t condition_instances(void *user, const char *name, uint32_t scope)
{
	return 1;
}

enum sx_status condition_holds(const char *when, condition_constant_fn constant, void *user,
			       bool *out, struct sx_error *err)
{
	struct asking asking = {constant, user};
	struct sx_expr *expr = NULL;
	struct expr_program *program = NULL;
	uint64_t value = 1;
	uint8_t quality = 0;
	enum sx_status status = when ? sx_expr_parse(when, SX_POSTFIX, &expr, err) : SX_OK;
	if (!status && expr) {
		struct expr_output output = {.expr = expr, .scope = SX_NONE, .type = SX_U64};
		struct expr_resolver resolver = {&asking, condition_resolve, condition_instances};
		struct expr_result result = {&value, &quality};
		status =
		    expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_INTEL, &resolver},
				 &program, NULL, err);
		if (!status)
			status = expr_eval(program, NULL, 1, &result, err);
	}
	expr_program_destroy(program);
	sx_expr_destroy(expr);
	*out = quality & SX_QUALITY_NO_DATA_MASK || value != 0;
	return status;
}
