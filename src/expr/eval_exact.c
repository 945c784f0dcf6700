/* The row at a time: every node is computed by value_apply(). */
#include "expr/eval.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct cell *exact_begin(const struct expr_program *program)
{
	struct cell *cells = calloc((size_t)program->graph.node_count + 1, sizeof(*cells));
	for (uint32_t i = 0; cells && i < program->graph.node_count; i++) {
		const struct graph_node *node = &program->graph.nodes[i];
		if (node->op == GRAPH_CONST)
			cells[i].value = node->scalar;
		if (node->op != GRAPH_NO_DATA)
			continue;
		cells[i].value.f = NAN;
		cells[i].quality = (uint8_t)node->scalar.u;
		cells[i].missing = true;
	}
	return cells;
}

static struct cell read_input(const struct sx_vector *input, enum value_type type, size_t row)
{
	struct cell cell = {.quality = SX_QUALITY_NOT_COLLECTED};
	if (input->data)
		cell.quality = input->quality ? input->quality[row] : 0;
	cell.missing = cell.quality & SX_QUALITY_NO_DATA_MASK;
	if (type == VALUE_U64)
		cell.value.u = cell.missing ? 0 : ((const uint64_t *)input->data)[row];
	else
		cell.value.f = cell.missing ? NAN : ((const double *)input->data)[row];
	return cell;
}

static void write_output(const struct program_output *output, enum value_type type,
			 const struct cell *cell, const struct expr_result *result, size_t row)
{
	uint8_t quality;
	if (output->type == SX_U64)
		((uint64_t *)result->data)[row] = value_to_u64(cell, type, &quality);
	else
		((double *)result->data)[row] = value_to_f64(cell, &quality);
	if (result->quality)
		result->quality[row] = quality;
}

void exact_need(const struct expr_program *program, const uint8_t *wanted, uint8_t *needed)
{
	memset(needed, 0, program->graph.node_count);
	for (uint32_t i = 0; i < program->graph.output_count; i++)
		needed[program->graph.outputs[i].node] |= !wanted || wanted[i];
	/* A node comes after the nodes that it reads. */
	for (uint32_t i = program->graph.node_count; i > 0; i--) {
		const struct graph_node *node = &program->graph.nodes[i - 1];
		for (uint32_t a = 0; needed[i - 1] && a < graph_arity(node->op); a++)
			needed[node->args[a]] = 1;
	}
}

void exact_eval(const struct exact *e, const struct sx_vector *inputs,
		const struct expr_result *results, size_t row)
{
	const struct expr_program *program = e->program;
	struct cell *cells = e->cells;
	static const struct cell none;
	for (uint32_t i = 0; i < program->graph.node_count; i++) {
		const struct graph_node *node = &program->graph.nodes[i];
		if (!e->needed[i])
			continue;
		if (node->op == GRAPH_INPUT)
			cells[i] = read_input(&inputs[node->input], node->type, row);
		uint32_t arity = graph_arity(node->op);
		if (arity == 0)
			continue;
		const struct cell *const args[3] = {&cells[node->args[0]],
						    arity > 1 ? &cells[node->args[1]] : &none,
						    arity > 2 ? &cells[node->args[2]] : &none};
		cells[i] = value_apply(node->op, node->type,
				       program->graph.nodes[node->args[0]].type, args);
	}
	for (uint32_t i = 0; i < program->graph.output_count; i++) {
		const struct program_output *output = &program->graph.outputs[i];
		if (!e->wanted || e->wanted[i])
			write_output(output, program->graph.nodes[output->node].type,
				     &cells[output->node], &results[i], row);
	}
}
