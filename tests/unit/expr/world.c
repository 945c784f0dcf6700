/* A small world of inputs, constants and expressions for the tests of expressions. */
#include "unit/expr/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "expr/compile.h"

static enum sx_status resolve(void *user, const struct expr_name *asked, struct expr_ref *out,
			      struct sx_error *err)
{
	const char *name = asked->text;
	struct world *world = user;
	(void)asked->scope;
	(void)err;
	char full[SX_EXPR_NAME_MAX + 16];
	if (asked->instance == SX_NONE)
		snprintf(full, sizeof(full), "%s", name);
	else
		snprintf(full, sizeof(full), "%s[%u]", name, asked->instance);
	world->asked++;
	for (uint32_t i = 0; i < world->count; i++) {
		if (strcmp(world->names[i].name, full) == 0) {
			*out = world->names[i].ref;
			return SX_OK;
		}
	}
	return SX_ERR_NOT_FOUND;
}

static uint32_t instances(void *user, const char *name, uint32_t scope)
{
	(void)name;
	(void)scope;
	return ((struct world *)user)->instances;
}

struct expr_resolver world_resolver(struct world *world)
{
	return (struct expr_resolver){.user = world, .resolve = resolve, .instances = instances};
}

static void add(struct world *world, const char *name, struct expr_ref ref)
{
	assert_true(world->count < WORLD_MAX);
	world->names[world->count++] = (struct world_name){.name = name, .ref = ref};
}

void world_input(struct world *world, const char *name, uint32_t input, enum sx_type type)
{
	add(world, name, (struct expr_ref){.kind = EXPR_REF_INPUT, .input = input, .type = type});
}

void world_constant(struct world *world, const char *name, double value)
{
	add(world, name, (struct expr_ref){.kind = EXPR_REF_CONSTANT, .value = value});
}

void world_expr(struct world *world, const char *name, const struct sx_expr *expr)
{
	add(world, name, (struct expr_ref){.kind = EXPR_REF_EXPR, .expr = expr});
}

void world_missing(struct world *world, const char *name)
{
	add(world, name, (struct expr_ref){.kind = EXPR_REF_NO_DATA});
}

struct sx_expr *world_parse(const char *text, enum sx_notation notation)
{
	struct sx_expr *expr;
	struct sx_error err;
	if (sx_expr_parse(text, notation, &expr, &err) != SX_OK)
		fail_msg("%s: %s", text, err.message);
	return expr;
}
