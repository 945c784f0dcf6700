/* Conditions over device constants, as metrics and register programs have them: always postfix. */
#ifndef EXPR_CONDITION_H
#define EXPR_CONDITION_H

#include <sextant/expr.h>

/* The value of a constant, NaN when it is not known. */
typedef double (*condition_constant_fn)(void *user, const char *name);

/*
 * Whether a condition holds; NULL does, and so does one over constants that are not known. Errors:
 * those of sx_expr_parse() and expr_compile().
 */
enum sx_status condition_holds(const char *when, condition_constant_fn constant, void *user,
			       bool *out, struct sx_error *err);

#endif
