/* Value numbering: one node for equal values, and constants folded as nodes are made. */
#include "expr/graph/graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

uint32_t graph_arity(enum graph_op op)
{
	switch (op) {
	case GRAPH_CONST:
	case GRAPH_NO_DATA:
	case GRAPH_INPUT:
		return 0;
	case GRAPH_TO_F64:
	case GRAPH_CUT:
	case GRAPH_CUT_DIFFERENCE:
	case GRAPH_NARROW:
	case GRAPH_FNEG:
	case GRAPH_FABS:
	case GRAPH_NOT:
		return 1;
	case GRAPH_SELECT:
		return 3;
	default:
		return 2;
	}
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ (hash >> 29);
}

static uint64_t scalar_low(const struct graph_node *node)
{
	uint64_t bits;
	if (node->type != VALUE_F64)
		return (uint64_t)node->scalar.u;
	memcpy(&bits, &node->scalar.f, sizeof(bits));
	return bits;
}

static uint32_t node_hash(const struct graph_node *node)
{
	uint64_t hash = mix((uint64_t)node->op * 8 + (uint64_t)node->type, node->input);
	for (int i = 0; i < 3; i++)
		hash = mix(hash, node->args[i]);
	return slots_hash(mix(hash, scalar_low(node)));
}

static bool node_equal(const struct graph_node *a, const struct graph_node *b)
{
	return a->op == b->op && a->type == b->type && a->input == b->input &&
	       memcmp(a->args, b->args, sizeof(a->args)) == 0 && scalar_low(a) == scalar_low(b) &&
	       (a->type == VALUE_F64 || a->scalar.u == b->scalar.u);
}

/* The index of an equal node, or of this one after it has been added. */
static uint32_t intern(struct graph *graph, const struct graph_node *node)
{
	uint32_t hash = node_hash(node);
	size_t at = hash;
	for (uint32_t i; (i = slots_next(&graph->slots, hash, &at)) != SLOTS_NONE;)
		if (node_equal(&graph->nodes[i], node))
			return i;
	if (graph->count >= SX_NONE || !slots_reserve(&graph->slots) ||
	    !mem_grow(&graph->nodes, &graph->cap, graph->count + 1, sizeof(*node)))
		return SX_NONE;
	slots_add(&graph->slots, hash, (uint32_t)graph->count);
	graph->nodes[graph->count] = *node;
	return (uint32_t)graph->count++;
}

#define LEAF                                                                                       \
	{                                                                                          \
		SX_NONE, SX_NONE, SX_NONE                                                          \
	}

static uint32_t constant(struct graph *graph, union scalar scalar, enum value_type type)
{
	struct graph_node node = {.op = GRAPH_CONST, .type = type, .args = LEAF, .input = SX_NONE};
	node.scalar = scalar;
	if (type == VALUE_SUM)
		node.magnitude = fabs((double)(expr_i128)scalar.u);
	else if (type != VALUE_F64)
		node.magnitude = (double)scalar.u;
	return intern(graph, &node);
}

uint32_t graph_f64(struct graph *graph, double value)
{
	return constant(graph, (union scalar){.f = value}, VALUE_F64);
}

uint32_t graph_u64(struct graph *graph, uint64_t value)
{
	return constant(graph, (union scalar){.u = value}, VALUE_U64);
}

uint32_t graph_no_data(struct graph *graph, uint8_t quality)
{
	struct graph_node node = {
	    .op = GRAPH_NO_DATA, .type = VALUE_U64, .args = LEAF, .input = SX_NONE};
	node.scalar.u = quality;
	return intern(graph, &node);
}

uint32_t graph_input(struct graph *graph, uint32_t input, enum value_type type)
{
	struct graph_node node = {.op = GRAPH_INPUT, .type = type, .args = LEAF, .input = input};
	node.magnitude = type == VALUE_U64 ? 0x1p64 : 0;
	return intern(graph, &node);
}

static bool is_constant(const struct graph *graph, uint32_t index)
{
	return index == SX_NONE || graph->nodes[index].op == GRAPH_CONST;
}

static bool is_no_data(const struct graph *graph, uint32_t index)
{
	return index != SX_NONE && graph->nodes[index].op == GRAPH_NO_DATA;
}

static bool is_f64_one(const struct graph *graph, uint32_t index)
{
	const struct graph_node *node = &graph->nodes[index];
	return node->op == GRAPH_CONST && node->type == VALUE_F64 && node->scalar.f == 1;
}

static uint32_t fold_constants(struct graph *graph, const struct graph_node *node)
{
	struct cell cells[3] = {0};
	for (uint32_t i = 0; i < graph_arity(node->op); i++)
		cells[i].value = graph->nodes[node->args[i]].scalar;
	struct cell out =
	    value_apply(node->op, node->type, graph->nodes[node->args[0]].type,
			(const struct cell *const[3]){&cells[0], &cells[1], &cells[2]});
	if (out.missing)
		return graph_no_data(graph, 0);
	return constant(graph, out.value, node->type);
}

/* What the node is without being computed, or SX_NONE. */
static uint32_t fold(struct graph *graph, const struct graph_node *node)
{
	const uint32_t *args = node->args;
	if (node->op == GRAPH_SELECT) {
		if (is_no_data(graph, args[0]))
			return args[0];
		if (!is_constant(graph, args[0]) || isnan(graph->nodes[args[0]].scalar.f))
			return SX_NONE;
		return graph->nodes[args[0]].scalar.f != 0 ? args[1] : args[2];
	}
	for (int i = 0; i < 3; i++) {
		if (is_no_data(graph, args[i]))
			return args[i];
	}
	if (is_constant(graph, args[0]) && is_constant(graph, args[1]))
		return fold_constants(graph, node);
	bool scale = node->op == GRAPH_FMUL || node->op == GRAPH_FDIV || node->op == GRAPH_FDIV_0;
	if (scale && is_f64_one(graph, args[1]))
		return args[0];
	if (node->op == GRAPH_FMUL && is_f64_one(graph, args[0]))
		return args[1];
	return SX_NONE;
}

static bool commutes(enum graph_op op)
{
	return op == GRAPH_FADD || op == GRAPH_FMUL || op == GRAPH_IADD || op == GRAPH_IMUL;
}

uint32_t graph_apply(struct graph *graph, enum graph_op op, enum value_type type,
		     const uint32_t args[3])
{
	struct graph_node node = {
	    .op = op, .type = type, .args = {args[0], args[1], args[2]}, .input = SX_NONE};
	for (uint32_t i = 0; i < graph_arity(op); i++) {
		if (node.args[i] == SX_NONE)
			return SX_NONE;
	}
	uint32_t folded = fold(graph, &node);
	if (folded != SX_NONE)
		return folded;
	if (commutes(op) && args[0] > args[1]) {
		node.args[0] = args[1];
		node.args[1] = args[0];
	}
	if (type == VALUE_SUM)
		node.magnitude = graph->nodes[args[0]].magnitude + graph->nodes[args[1]].magnitude;
	else if (type != VALUE_F64)
		node.magnitude = type == VALUE_U128 ? 0x1p128 : 0x1p64;
	return intern(graph, &node);
}

void graph_finish(struct graph *graph)
{
	free(graph->nodes);
	slots_finish(&graph->slots);
	*graph = (struct graph){0};
}
