/* Which comparison of a condition is the evidence for a rule. */
#ifndef ANALYSIS_COMPARISON_H
#define ANALYSIS_COMPARISON_H

#include <sextant/expr.h>

/* A comparison with the metric on one side; `good` grows with how directly it is compared. */
struct comparison {
	const struct sx_node *compared, *limit;
	enum sx_op op; /* compared OP limit */
	int good;
};

/* Finds the best one below a node; `best` begins as zero. */
void comparison_find(const struct sx_node *node, const struct sx_advice_info *rule,
		     struct comparison *best);
/* Of `a < 1 or b > 2` only one need hold: the other would be no evidence. */
bool comparison_holds(enum sx_op op, double a, double b);

#endif
