/* A second evaluator: walks the tree for one row at a time, written from the format's text alone.
 */
#ifndef EXPR_NAIVE_H
#define EXPR_NAIVE_H

#include <sextant/expr.h>

__extension__ typedef unsigned __int128 naive_u128;
__extension__ typedef __int128 naive_i128;

/* A whole number, exact, or an f64. */
struct naive {
	bool whole;
	bool product;	  /* whole: may still be divided with its 128 bits */
	naive_i128 exact; /* whole and no product */
	naive_u128 wide;  /* product */
	double f;
	bool no_data;
	bool constant; /* no row can change it */
	uint8_t quality;
};

struct naive_world {
	enum sx_dialect dialect;
	/* The value of a name in this row. */
	struct naive (*name)(void *user, const struct sx_node *node);
	void *user;
};

struct naive naive_eval(const struct naive_world *world, const struct sx_node *node);
/* As result columns hold it. */
double naive_f64(const struct naive *value, uint8_t *quality);
uint64_t naive_u64(const struct naive *value, uint8_t *quality);

#endif
