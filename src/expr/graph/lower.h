/* From trees to the graph of values: names are resolved and dialects are given their meaning. */
#ifndef EXPR_GRAPH_LOWER_H
#define EXPR_GRAPH_LOWER_H

#include <sextant/expr.h>

#include "expr/graph/graph.h"

#define EXPR_PROGRAM_DEPTH_MAX 1000    /* levels of trees that refer to each other */
#define EXPR_PROGRAM_WORK_MAX  4000000 /* nodes visited to compile it, each instance of one */

/* What a name in an expression refers to. */
enum expr_ref_kind {
	EXPR_REF_INPUT,	   /* a column handed to expr_eval(): `input`, an index */
	EXPR_REF_CONSTANT, /* a number known now: `value`; folded */
	EXPR_REF_EXPR,	   /* another expression: `expr`, resolved in `scope` */
	EXPR_REF_NO_DATA,  /* known, but never delivered: the result is no data */
};

struct expr_ref {
	enum expr_ref_kind kind;
	uint32_t input;
	enum sx_type type; /* of the input or constant */
	double value;
	const struct sx_expr *expr;
	uint32_t scope;
};

/* A name with its place in the text. */
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

/* One expression that has been lowered, or is being. */
struct lowered {
	const struct sx_expr *expr;
	uint32_t scope;
	uint32_t value; /* SX_NONE while it is being lowered */
};

struct lower {
	struct graph graph;
	enum sx_dialect dialect;
	const struct expr_resolver *resolver;
	struct sx_error *err;
	enum sx_status status;
	struct lowered *done;
	size_t done_count, done_cap;
	struct slots slots; /* of done */
	uint32_t depth, work;
};

/* The value of an expression, SX_NONE when lower->status says why not. */
uint32_t lower_expr(struct lower *lower, const struct sx_expr *expr, uint32_t scope);
/* The value of a part of one. */
uint32_t lower_node(struct lower *lower, const struct sx_node *node, uint32_t scope);
/* The same value as f64. */
uint32_t lower_to_f64(struct lower *lower, uint32_t value);
void lower_finish(struct lower *lower);

/* Used between lower.c and lower_ops.c: the value of an operator over values. */
uint32_t lower_binary(struct lower *lower, enum sx_op op, uint32_t a, uint32_t b);
uint32_t lower_unary(struct lower *lower, enum sx_op op, uint32_t a);
uint32_t lower_select(struct lower *lower, uint32_t condition, uint32_t yes, uint32_t no);
/* What a reference to another expression sees of its value. */
uint32_t lower_reference(struct lower *lower, uint32_t value);

struct program_input {
	uint32_t index; /* as the resolver gave it */
	uint32_t node;
	enum sx_type type;
};

struct program_output {
	uint32_t node;
	enum sx_type type;
	uint32_t *inputs; /* indices as the resolver gave them, sorted */
	uint32_t *reads;  /* the same as positions in the program's inputs, in any order */
	uint32_t input_count;
	bool selective; /* an `if` decides what the output reads */
	bool can_miss;	/* selective, and one branch has no data whatever the inputs are */
};

struct live_graph {
	struct graph_node *nodes;
	uint32_t node_count;
	struct program_input *inputs; /* inputs that any output needs, by first use */
	uint32_t input_count;
	struct program_output *outputs;
	uint32_t output_count;
};

#endif
