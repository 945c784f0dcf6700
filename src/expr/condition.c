/* Conditions are small programs without inputs, evaluated over one row. */
#include "expr/condition.h"

#include <math.h>

struct asking {
	condition_constant_fn constant;
	void *user;
};

static enum sx_status resolve(void *user, const char *name, uint32_t instance, uint32_t scope,
			      struct sx_ref *out, struct sx_error *err)
{
	const struct asking *asking = user;
	double value = asking->constant(asking->user, name);
	*out = isnan(value)
		   ? (struct sx_ref){.kind = SX_REF_NO_DATA}
		   : (struct sx_ref){.kind = SX_REF_CONSTANT, .type = SX_U64, .value = value};
	return SX_OK;
}

static uint32_t instances(void *user, const char *name, uint32_t scope)
{
	return 1;
}

enum sx_status condition_holds(const char *when, condition_constant_fn constant, void *user,
			       bool *out, struct sx_error *err)
{
	struct asking asking = {constant, user};
	struct sx_expr *expr = NULL;
	struct sx_program *program = NULL;
	uint64_t value = 1;
	uint8_t quality = 0;
	enum sx_status status = when ? sx_expr_parse(when, SX_POSTFIX, &expr, err) : SX_OK;
	if (!status && expr) {
		struct sx_program_output output = {.expr = expr, .scope = SX_NONE, .type = SX_U64};
		struct sx_resolver resolver = {&asking, resolve, instances};
		struct sx_result result = {&value, &quality};
		status = sx_program_compile(&output, 1, SX_DIALECT_INTEL, &resolver, &program, NULL,
					    err);
		if (!status)
			status = sx_program_eval(program, NULL, 1, &result, err);
	}
	sx_program_destroy(program);
	sx_expr_destroy(expr);
	*out = quality & SX_QUALITY_NO_DATA_MASK || value != 0;
	return status;
}
