/* A small world of inputs, constants and expressions for the tests of expressions. */
#ifndef EXPR_WORLD_H
#define EXPR_WORLD_H

#include <sextant/expr.h>

#include "expr/compile.h"

#define WORLD_MAX 64

struct world_name {
	const char *name;
	struct expr_ref ref;
};

struct world {
	struct world_name names[WORLD_MAX];
	uint32_t count;
	uint32_t instances; /* behind every NAME[*] */
	uint32_t asked;	    /* resolutions so far */
};

/* Resolver over a world: exact name, or NAME with an instance as "NAME[3]". */
struct expr_resolver world_resolver(struct world *world);
void world_input(struct world *world, const char *name, uint32_t input, enum sx_type type);
void world_constant(struct world *world, const char *name, double value);
void world_expr(struct world *world, const char *name, const struct sx_expr *expr);
void world_missing(struct world *world, const char *name);

/* Parses or fails the test. */
struct sx_expr *world_parse(const char *text, enum sx_notation notation);

#endif
