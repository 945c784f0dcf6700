/* What names in an expression mean, which whoever compiles one has to say. */
#ifndef EXPR_GRAPH_NAMES_H
#define EXPR_GRAPH_NAMES_H

#include <sextant/expr.h>

#define EXPR_PROGRAM_DEPTH_MAX 1000    /* levels of trees that refer to each other */
#define EXPR_PROGRAM_WORK_MAX  4000000 /* nodes visited to compile it, each instance of one */

/* What a name in an expression stands for. */
enum expr_ref_kind {
	EXPR_REF_INPUT,	   /* a column handed to expr_eval(): `input`, an index */
	EXPR_REF_CONSTANT, /* a number known now: `value`; folded */
	EXPR_REF_EXPR,	   /* another expression: `expr`, resolved in `scope` */
	EXPR_REF_NO_DATA,  /* known, but nobody can deliver it: the result is no data */
};

struct expr_ref {
	enum expr_ref_kind kind;
	uint32_t input;
	enum sx_type type; /* of the input or constant */
	double value;
	const struct sx_expr *expr;
	uint32_t scope;
};

/* A name where it stands. */
struct expr_name {
	const char *text;
	uint32_t instance; /* SX_NONE for a plain name */
	uint32_t scope; /* given with the output (or by EXPR_REF_EXPR): usually a group's index */
};

/* How the compiler asks what names mean. */
struct expr_resolver {
	void *user;
	/* SX_OK and *out; SX_ERR_NOT_FOUND makes the compilation fail with the name's position. */
	enum sx_status (*resolve)(void *user, const struct expr_name *name, struct expr_ref *out,
				  struct sx_error *err);
	/* Number of instances behind NAME[*]. */
	uint32_t (*instances)(void *user, const char *name, uint32_t scope);
};

#endif
