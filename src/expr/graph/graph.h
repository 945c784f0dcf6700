/*
 * The graph of values that a program computes. Equal values have one node, constants are folded,
 * and a node comes after its arguments, so that the order of nodes is an order of evaluation.
 */
#ifndef EXPR_GRAPH_GRAPH_H
#define EXPR_GRAPH_GRAPH_H

#include <sextant/expr.h>

#include "base/mem.h"
#include "base/slots.h"

__extension__ typedef unsigned __int128 expr_u128;
__extension__ typedef __int128 expr_i128;

enum value_type {
	VALUE_F64,
	VALUE_U64,
	VALUE_U128, /* a product that may still be divided */
	VALUE_SUM,  /* an exact signed sum of u64 values */
};

enum graph_op {
	GRAPH_CONST,
	GRAPH_NO_DATA, /* `scalar.u` holds the quality, 0 for what is undefined */
	GRAPH_INPUT,
	GRAPH_TO_F64,	      /* of an integer */
	GRAPH_CUT,	      /* f64 to u64: below 0 is 0, above the range its end */
	GRAPH_CUT_DIFFERENCE, /* the same of a difference: below 0 is no data */
	GRAPH_NARROW,	      /* an integer modulo 2^64 */
	GRAPH_FADD,
	GRAPH_FSUB,
	GRAPH_FREST, /* of counts: below 0 is no data, but for what is lost in rounding */
	GRAPH_FMUL,
	GRAPH_FDIV,   /* by zero is no data */
	GRAPH_FDIV_0, /* by zero is 0 */
	GRAPH_FNEG,
	GRAPH_FABS,
	GRAPH_FMIN,
	GRAPH_FMAX,
	GRAPH_FLT,
	GRAPH_FLE,
	GRAPH_FEQ,
	GRAPH_FNE,
	GRAPH_AND,
	GRAPH_OR,
	GRAPH_NOT,
	GRAPH_SELECT, /* condition, then, else */
	GRAPH_IADD,
	GRAPH_ISUB, /* of u64: below 0 is no data */
	GRAPH_IMUL,
	GRAPH_IDIV,
	GRAPH_IDIV_0,
	GRAPH_IMIN,
	GRAPH_IMAX,
	GRAPH_IAND,
	GRAPH_IOR,
	GRAPH_ILT,
	GRAPH_ILE,
	GRAPH_IEQ
};

/* A number of any type; integers are kept in 128 bits, sums with their sign extended. */
union scalar {
	double f;
	expr_u128 u;
};

/*
 * A number with the qualities of its inputs. An f64 that is missing is NaN as well. A value that is
 * missing although all its inputs are valid is undefined; the evaluation marks that at the end.
 */
struct cell {
	union scalar value;
	uint8_t quality;
	bool missing;
};

struct graph_node {
	enum graph_op op;
	enum value_type type;
	uint32_t args[3]; /* indices of earlier nodes, SX_NONE beyond graph_arity() */
	uint32_t input;	  /* GRAPH_INPUT */
	union scalar scalar;
	double magnitude; /* integers: no larger than this whatever the inputs are */
};

struct graph {
	struct graph_node *nodes;
	size_t count, cap;
	struct slots slots; /* of nodes */
};

/* Number of arguments that nodes of this operation have. */
uint32_t graph_arity(enum graph_op op);

/* Each returns the index of the node, SX_NONE when memory is out. */
uint32_t graph_f64(struct graph *graph, double value);
uint32_t graph_u64(struct graph *graph, uint64_t value);
uint32_t graph_no_data(struct graph *graph, uint8_t quality);
uint32_t graph_input(struct graph *graph, uint32_t input, enum value_type type);
/* An operation over nodes, folded where its arguments allow. SX_NONE among them gives SX_NONE. */
uint32_t graph_apply(struct graph *graph, enum graph_op op, enum value_type type,
		     const uint32_t args[3]);

void graph_finish(struct graph *graph);

/* Computes one operation over `args`; defines the arithmetic of every operation. */
struct cell value_apply(enum graph_op op, enum value_type type, enum value_type arg_type,
			const struct cell *const args[3]);
/* The value as a result column of type u64 holds it. */
uint64_t value_to_u64(const struct cell *cell, enum value_type type, uint8_t *quality);
/* The same for f64: NaN where there is no data. */
double value_to_f64(const struct cell *cell, uint8_t *quality);

#endif
