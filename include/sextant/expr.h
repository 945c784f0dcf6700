/*
 * Expressions: parsing of both notations into one tree, and compilation of many trees into one
 * program that evaluates by column. docs/catalog-format.md defines the language and its arithmetic.
 */
#ifndef SEXTANT_EXPR_H
#define SEXTANT_EXPR_H

#include <sextant/catalog.h>

#ifdef __cplusplus
extern "C" {
#endif

struct sx_expr;

#define SX_EXPR_LENGTH_MAX    65536 /* bytes of text */
#define SX_EXPR_DEPTH_MAX     200   /* levels of one tree */
#define SX_EXPR_NODES_MAX     16384 /* nodes of one tree */
#define SX_EXPR_NAME_MAX      128   /* bytes of a name */
#define SX_EXPR_INSTANCES_MAX 4096  /* instances of one range */

enum sx_node_kind { SX_NODE_NUMBER, SX_NODE_NAME, SX_NODE_OP };

/* Operators of both notations. Those that say U or F come from the postfix notation only. */
enum sx_op {
	SX_OP_ADD,
	SX_OP_SUB,
	SX_OP_MUL,
	SX_OP_DIV,
	SX_OP_NEG,
	SX_OP_ABS,
	SX_OP_MIN,
	SX_OP_MAX,
	SX_OP_SUM,
	SX_OP_AVG, /* of one or more children */
	SX_OP_LT,
	SX_OP_LE,
	SX_OP_GT,
	SX_OP_GE,
	SX_OP_EQ,
	SX_OP_NE,
	SX_OP_AND,
	SX_OP_OR,
	SX_OP_NOT,
	SX_OP_IF, /* condition, then, else */
	SX_OP_UADD,
	SX_OP_USUB,
	SX_OP_UMUL,
	SX_OP_UDIV,
	SX_OP_UMIN,
	SX_OP_UMAX,
	SX_OP_UAND,
	SX_OP_UOR,
	SX_OP_ULT,
	SX_OP_ULE,
	SX_OP_UGT,
	SX_OP_UGE,
	SX_OP_UEQ,
	SX_OP_FADD,
	SX_OP_FSUB,
	SX_OP_FMUL,
	SX_OP_FDIV,
	SX_OP_FMIN,
	SX_OP_FMAX,
	SX_OP_COUNT
};

enum sx_instances { SX_INSTANCES_NONE, SX_INSTANCES_RANGE, SX_INSTANCES_ALL };

/* One node of a parsed expression; owned by its sx_expr. */
struct sx_node {
	enum sx_node_kind kind;
	enum sx_op op;	  /* SX_NODE_OP */
	double number;	  /* SX_NODE_NUMBER */
	uint64_t integer; /* the same as an integer, when is_integer */
	bool is_integer;
	const char *name;	     /* SX_NODE_NAME: without `$` and without the instance part */
	enum sx_instances instances; /* SX_NODE_NAME: what its brackets select */
	uint32_t first, last;	     /* SX_INSTANCES_RANGE, inclusive */
	uint32_t position;	     /* byte offset in the text; for an operator, of its sign */
	uint32_t child_count;
	const struct sx_node *const *children;
};

/*
 * Parses `text`. *out is owned by the caller (sx_expr_destroy). Errors: SX_ERR_BAD_INPUT and
 * SX_ERR_LIMIT; the message holds the column, counted from 1, and what was expected there.
 * Thread-safe.
 */
SX_API enum sx_status sx_expr_parse(const char *text, enum sx_notation notation,
				    struct sx_expr **out, struct sx_error *err);
/* Releases an expression; NULL is fine. */
SX_API void sx_expr_destroy(struct sx_expr *expr);
/* The root of the tree; lives as long as the expression. Thread-safe. */
SX_API const struct sx_node *sx_expr_root(const struct sx_expr *expr);
/*
 * Writes a node and all below it as infix text, with the parentheses that it needs and names in
 * infix form ("BLOCK[0..3].EVENT"), whatever notation it was parsed from. As snprintf(), cuts at
 * `size` bytes with the NUL and returns the length of the whole text. Thread-safe.
 */
SX_API size_t sx_node_text(const struct sx_node *node, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif
