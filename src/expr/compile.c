/* Compiles outputs into a program: lowering, removal of dead nodes, and each output's inputs. */
#include "expr/compile.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "expr/graph/lower.h"

static enum sx_status lower_outputs(struct lower *lower, const struct expr_output *outputs,
				    uint32_t count, struct live_graph *program, uint32_t *failed)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct expr_output *o = &outputs[i];
		uint32_t value = o->node ? lower_node(lower, o->node, o->scope)
					 : lower_expr(lower, o->expr, o->scope);
		if (value != SX_NONE && outputs[i].type == SX_F64) {
			value = lower_to_f64(lower, value);
			if (value == SX_NONE && !lower->status)
				lower->status = error_nomem(lower->err, "compiling expressions");
		}
		if (value == SX_NONE) {
			if (failed)
				*failed = i;
			return lower->status;
		}
		program->outputs[i].node = value;
		program->outputs[i].type = outputs[i].type;
	}
	return SX_OK;
}

static void mark_live(const struct live_graph *program, const struct graph *graph, uint8_t *live)
{
	for (uint32_t i = 0; i < program->output_count; i++)
		live[program->outputs[i].node] = 1;
	for (size_t i = graph->count; i-- > 0;) {
		const struct graph_node *node = &graph->nodes[i];
		for (uint32_t a = 0; live[i] && a < graph_arity(node->op); a++)
			live[node->args[a]] = 1;
	}
}

/* Copies the live nodes, in order; `map` receives where each went. */
static void copy_live(struct live_graph *program, const struct graph *graph, const uint8_t *live,
		      uint32_t *map)
{
	for (size_t i = 0; i < graph->count; i++) {
		if (!live[i])
			continue;
		uint32_t at = program->node_count++;
		struct graph_node *node = &program->nodes[at];
		map[i] = at;
		*node = graph->nodes[i];
		for (uint32_t a = 0; a < graph_arity(node->op); a++)
			node->args[a] = map[node->args[a]];
		if (node->op == GRAPH_INPUT)
			program->inputs[program->input_count++] = (struct program_input){
			    .index = node->input,
			    .node = at,
			    .type = node->type == VALUE_U64 ? SX_U64 : SX_F64,
			};
	}
	for (uint32_t i = 0; i < program->output_count; i++)
		program->outputs[i].node = map[program->outputs[i].node];
}

static enum sx_status strip(struct live_graph *program, const struct graph *graph,
			    struct sx_error *err)
{
	enum sx_status status = SX_OK;
	uint8_t *live = calloc(graph->count + 1, 1);
	uint32_t *map = calloc(graph->count + 1, sizeof(*map));
	program->nodes = calloc(graph->count + 1, sizeof(*program->nodes));
	program->inputs = calloc(graph->count + 1, sizeof(*program->inputs));
	if (live && map && program->nodes && program->inputs) {
		mark_live(program, graph, live);
		copy_live(program, graph, live, map);
	} else {
		status = error_nomem(err, "compiling expressions");
	}
	free(map);
	free(live);
	return status;
}

/* Walks from outputs to the inputs that they reach. */
struct walk {
	const struct live_graph *program;
	uint32_t *seen;	     /* one a node: the last output that reached it, from 1 */
	uint32_t *stack;     /* nodes with arguments that are still to be followed */
	uint32_t *found;     /* inputs of this output, as nodes */
	uint32_t *positions; /* of input nodes: where they are in the program's inputs */
	uint64_t steps;
	bool selective, can_miss; /* whether this output reaches an `if`, or what is never there */
};

static bool walk_begin(struct walk *walk, const struct live_graph *program)
{
	size_t count = (size_t)program->node_count + 1;
	walk->program = program;
	walk->seen = calloc(count, sizeof(*walk->seen));
	walk->stack = calloc(count, sizeof(*walk->stack));
	walk->found = calloc(count, sizeof(*walk->found));
	walk->positions = calloc(count, sizeof(*walk->positions));
	for (uint32_t i = 0; walk->positions && i < program->input_count; i++)
		walk->positions[program->inputs[i].node] = i;
	return walk->seen && walk->stack && walk->found && walk->positions;
}

static void walk_finish(struct walk *walk)
{
	free(walk->seen);
	free(walk->stack);
	free(walk->found);
	free(walk->positions);
}

static uint32_t walk_output(struct walk *walk, uint32_t root, uint32_t stamp)
{
	uint32_t depth = 0, found = 0;
	walk->selective = walk->can_miss = false;
	walk->stack[depth++] = root;
	walk->seen[root] = stamp;
	while (depth) {
		uint32_t at = walk->stack[--depth];
		const struct graph_node *node = &walk->program->nodes[at];
		walk->steps++;
		walk->selective |= node->op == GRAPH_SELECT;
		walk->can_miss |= node->op == GRAPH_NO_DATA;
		if (node->op == GRAPH_INPUT)
			walk->found[found++] = at;
		for (uint32_t a = 0; a < graph_arity(node->op); a++) {
			if (walk->seen[node->args[a]] == stamp)
				continue;
			walk->seen[node->args[a]] = stamp;
			walk->stack[depth++] = node->args[a];
		}
	}
	return found;
}

static enum sx_status collect_output(struct walk *walk, struct program_output *output,
				     uint32_t stamp, struct sx_error *err)
{
	uint32_t found = walk_output(walk, output->node, stamp);
	walk->steps += found;
	if (walk->steps > EXPR_PROGRAM_WORK_MAX) {
		error_set(err, SX_ERR_LIMIT, "the expressions share more than a program can hold");
		error_because(err, "following every output takes more than %d steps",
			      EXPR_PROGRAM_WORK_MAX);
		error_try(err, "select fewer metrics");
		return SX_ERR_LIMIT;
	}
	output->inputs = malloc(((size_t)found + 1) * sizeof(*output->inputs));
	output->reads = malloc(((size_t)found + 1) * sizeof(*output->reads));
	if (!output->inputs || !output->reads)
		return error_nomem(err, "compiling expressions");
	for (uint32_t i = 0; i < found; i++) {
		output->inputs[i] = walk->program->nodes[walk->found[i]].input;
		output->reads[i] = walk->positions[walk->found[i]];
	}
	output->selective = walk->selective;
	output->can_miss = walk->selective && walk->can_miss;
	qsort(output->inputs, found, sizeof(*output->inputs), number_compare_u32);
	output->input_count = found;
	return SX_OK;
}

static enum sx_status collect_inputs(struct expr_program *program, uint32_t *failed,
				     struct sx_error *err)
{
	struct walk walk = {0};
	enum sx_status status = SX_OK;
	if (!walk_begin(&walk, &program->graph))
		status = error_nomem(err, "compiling expressions");
	for (uint32_t i = 0; status == SX_OK && i < program->graph.output_count; i++) {
		status = collect_output(&walk, &program->graph.outputs[i], i + 1, err);
		if (status && failed)
			*failed = i;
	}
	walk_finish(&walk);
	return status;
}

enum sx_status expr_compile(const struct expr_request *request, struct expr_program **out,
			    uint32_t *failed, struct sx_error *err)
{
	const struct expr_output *outputs = request->outputs;
	uint32_t count = request->count;
	*out = NULL;
	if (failed)
		*failed = SX_NONE;
	struct lower lower = {
	    .dialect = request->dialect, .resolver = request->resolver, .err = err};
	enum sx_status status = SX_ERR_NO_MEMORY;
	struct expr_program *program = calloc(1, sizeof(*program));
	if (program) {
		program->loops = fast_loops();
		program->graph.output_count = count;
		program->graph.outputs = calloc((size_t)count + 1, sizeof(*program->graph.outputs));
	}
	if (!program || !program->graph.outputs)
		error_nomem(err, "compiling expressions");
	else
		status = lower_outputs(&lower, outputs, count, &program->graph, failed);
	if (status == SX_OK)
		status = strip(&program->graph, &lower.graph, err);
	if (status == SX_OK)
		status = collect_inputs(program, failed, err);
	if (status == SX_OK)
		status = fast_compile(&program->graph, &program->fast, err);
	lower_finish(&lower);
	if (status == SX_OK)
		*out = program;
	else
		expr_program_destroy(program);
	return status;
}

void expr_program_destroy(struct expr_program *program)
{
	if (!program)
		return;
	for (uint32_t i = 0; program->graph.outputs && i < program->graph.output_count; i++) {
		free(program->graph.outputs[i].inputs);
		free(program->graph.outputs[i].reads);
	}
	fast_finish(&program->fast);
	free(program->graph.outputs);
	free(program->graph.inputs);
	free(program->graph.nodes);
	free(program);
}

const uint32_t *expr_program_inputs(const struct expr_program *program, uint32_t output,
				    uint32_t *count)
{
	*count = program->graph.outputs[output].input_count;
	return program->graph.outputs[output].inputs;
}
