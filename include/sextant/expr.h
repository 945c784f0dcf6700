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
	enum sx_instances instances; /* SX_NODE_NAME: what stood in brackets */
	uint32_t first, last;	     /* SX_INSTANCES_RANGE, inclusive */
	uint32_t position;	     /* byte offset in the text; of an operator, where it stands */
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
 * Writes a node and all below it as infix text, with the parentheses that it needs and names as
 * they stand in infix ("BLOCK[0..3].EVENT"), whatever notation it was parsed from. As snprintf()
 * cuts at `size` bytes with the NUL and returns the length that the whole text has. Thread-safe.
 */
SX_API size_t sx_node_text(const struct sx_node *node, char *buf, size_t size);

/* Quality of one value: bits, 0 is valid. The first four mean that there is no value to use. */
enum sx_quality {
	SX_QUALITY_VALID = 0,
	SX_QUALITY_NOT_COLLECTED = 1 << 0, /* nobody counted it */
	SX_QUALITY_DISTURBED = 1 << 1,	   /* the program used the same query; no value */
	SX_QUALITY_GAP = 1 << 2,	   /* device off, protected content, broken accumulation */
	SX_QUALITY_UNDEFINED = 1 << 3,	   /* a division by zero or the like */
	SX_QUALITY_LOST = 1 << 4,    /* samples were lost within the interval; sums still hold */
	SX_QUALITY_WRAPPED = 1 << 5, /* may have wrapped more than once */
	SX_QUALITY_MULTIPLEXED = 1 << 6, /* counted for a part of the interval and scaled */
	SX_QUALITY_STRETCHED = 1 << 7,	 /* the interval is longer than asked for */
};
#define SX_QUALITY_NO_DATA_MASK 0x0f
/*
 * Together: not measured in this sample, to bound what measuring costs. The samples that were
 * measured stand for it: totals are scaled up and carry SX_QUALITY_MULTIPLEXED.
 */
#define SX_QUALITY_SKIPPED                                                                         \
	(SX_QUALITY_NOT_COLLECTED | SX_QUALITY_MULTIPLEXED | SX_QUALITY_STRETCHED)

static inline bool sx_quality_is_skipped(uint8_t quality)
{
	return (quality & SX_QUALITY_SKIPPED) == SX_QUALITY_SKIPPED;
}

/* Reservations about a value mean nothing where there is none, but where others stand for it. */
static inline uint8_t sx_quality_settled(uint8_t quality)
{
	if (!(quality & SX_QUALITY_NO_DATA_MASK))
		return quality;
	return (uint8_t)(quality & (SX_QUALITY_NO_DATA_MASK |
				    (sx_quality_is_skipped(quality) ? SX_QUALITY_SKIPPED : 0)));
}

/*
 * A column of values. `data` is uint64_t or double by type; `quality` has one byte a row or is NULL
 * when all are valid. A NULL `data` means that the whole column is not collected.
 */
struct sx_vector {
	enum sx_type type;
	const void *data;
	const uint8_t *quality;
};

#ifdef __cplusplus
}
#endif

#endif
