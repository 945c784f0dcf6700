/* What a program computes: the live part of the graph, the inputs that it reads, and its outputs.
 */
#ifndef EXPR_GRAPH_OUTPUTS_H
#define EXPR_GRAPH_OUTPUTS_H

#include "expr/graph/graph.h"

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
