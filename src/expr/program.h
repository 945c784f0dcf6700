/* A compiled program: what it computes, and the fast form of that. */
#ifndef EXPR_PROGRAM_H
#define EXPR_PROGRAM_H

#include "expr/compile.h"
#include "expr/fast/fast.h"

struct expr_program {
	struct live_graph graph;
	struct fast_code fast;
	const struct fast_loops *loops;
};

#endif
