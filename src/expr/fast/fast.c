/* Turns the plan of a program into a list of operations, and gives values their registers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "expr/fast/fast.h"
#include "base/error.h"
#include "expr/fast/ops.h"

extern const struct fast_loops fast_loops_base, fast_loops_avx2;

const struct fast_loops *fast_loops(void)
{
#ifdef FAST_HAVE_AVX2
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx2"))
		return &fast_loops_avx2;
#endif
	return &fast_loops_base;
}

/* Where a value is, while the number of registers is not known. */
#define PLACE_KINDS UINT32_C(0xc0000000)
#define IN_INPUT    UINT32_C(0x40000000)
#define IN_OUTPUT   UINT32_C(0x80000000)

struct emitter {
	const struct live_graph *program;
	struct fast_code *code;
	struct fast_step *steps;
	uint32_t *first_output; /* of each node: the first output that takes it, or SX_NONE */
	uint32_t *next_output;	/* of each output: the next one of the same node */
	uint32_t *place;	/* of each node */
	uint32_t *last;		/* of each node: the last operation that reads it */
	uint32_t *free;		/* registers to use again */
	uint32_t free_count;
	size_t insn_cap, move_cap;
};

static void *fast_array(size_t count)
{
	uint32_t *items = malloc((count + 1) * sizeof(*items));
	if (items)
		memset(items, 0xff, (count + 1) * sizeof(*items));
	return items;
}

static bool emitter_begin(struct emitter *emitter, const struct live_graph *program,
			  struct fast_code *code)
{
	emitter->program = program;
	emitter->code = code;
	emitter->steps = fast_plan(program, &code->usable);
	emitter->first_output = fast_array(program->node_count);
	emitter->next_output = fast_array(program->output_count);
	emitter->place = fast_array(program->node_count);
	emitter->last = fast_array(program->node_count);
	emitter->free = fast_array(program->node_count);
	return emitter->steps && emitter->first_output && emitter->next_output && emitter->place &&
	       emitter->last && emitter->free;
}

static void emitter_finish(struct emitter *emitter)
{
	free(emitter->steps);
	free(emitter->first_output);
	free(emitter->next_output);
	free(emitter->place);
	free(emitter->last);
	free(emitter->free);
}

static bool add_move(struct emitter *emitter, const struct fast_move *move)
{
	struct fast_code *code = emitter->code;
	if (!mem_grow(&code->moves, &emitter->move_cap, (size_t)code->move_count + 1,
		      sizeof(*move)))
		return false;
	code->moves[code->move_count++] = *move;
	return true;
}

static bool add_insn(struct emitter *emitter, const struct fast_insn *insn)
{
	struct fast_code *code = emitter->code;
	if (!mem_grow(&code->insns, &emitter->insn_cap, (size_t)code->insn_count + 1,
		      sizeof(*insn)))
		return false;
	code->insns[code->insn_count++] = *insn;
	return true;
}

/* An output that is an input's column, or a constant. */
static bool emit_move(struct emitter *emitter, uint32_t output)
{
	const struct live_graph *program = emitter->program;
	const struct graph_node *node = &program->nodes[program->outputs[output].node];
	struct fast_move move = {.output = output, .kind = FAST_MOVE_FILL};
	if (node->op == GRAPH_INPUT) {
		move.kind = FAST_MOVE_INPUT;
		move.from = program->outputs[output].reads[0];
		return add_move(emitter, &move);
	}
	struct cell cell = {.value = node->scalar};
	if (node->op == GRAPH_NO_DATA) {
		cell.quality = (uint8_t)node->scalar.u;
		cell.value.f = NAN;
		cell.missing = true;
	}
	if (program->outputs[output].type == SX_U64)
		move.value.u = value_to_u64(&cell, node->type, &move.quality);
	else
		move.value.f = value_to_f64(&cell, &move.quality);
	return add_move(emitter, &move);
}

static bool sort_outputs(struct emitter *emitter)
{
	const struct live_graph *program = emitter->program;
	for (uint32_t i = program->output_count; i-- > 0;) {
		if (fast_is_move(program, i)) {
			if (!emit_move(emitter, i))
				return false;
			continue;
		}
		uint32_t node = emitter->steps[program->outputs[i].node].alias;
		emitter->next_output[i] = emitter->first_output[node];
		emitter->first_output[node] = i;
	}
	return true;
}

/* Stores to u64 results follow the operation; further f64 results are copies of the first. */
static bool emit_outputs(struct emitter *emitter, uint32_t node)
{
	const struct live_graph *program = emitter->program;
	uint32_t written = emitter->place[node];
	for (uint32_t o = emitter->first_output[node]; o != SX_NONE; o = emitter->next_output[o]) {
		enum value_type type = program->nodes[program->outputs[o].node].type;
		bool whole = type == VALUE_U64 || type == VALUE_U128;
		struct fast_insn store = {.op = whole ? FAST_STORE_WHOLE : FAST_STORE,
					  .out = o,
					  .a = node,
					  .b = SX_NONE,
					  .c = SX_NONE};
		struct fast_move copy = {.kind = FAST_MOVE_OUTPUT, .output = o};
		bool good = true;
		if (program->outputs[o].type == SX_U64) {
			good = add_insn(emitter, &store);
		} else if (written != (IN_OUTPUT | o)) {
			copy.from = written & ~PLACE_KINDS;
			good = add_move(emitter, &copy);
		}
		if (!good)
			return false;
	}
	return true;
}

/* The first f64 result of a node is where it is computed. */
static void place_in_output(struct emitter *emitter, uint32_t node)
{
	for (uint32_t o = emitter->first_output[node]; o != SX_NONE; o = emitter->next_output[o]) {
		if (emitter->program->outputs[o].type != SX_F64)
			continue;
		emitter->place[node] = IN_OUTPUT | o;
		return;
	}
}

static bool emit_node(struct emitter *emitter, uint32_t node)
{
	const struct fast_step *step = &emitter->steps[node];
	if (!step->needed || step->alias != node)
		return true;
	if (step->op != FAST_OP_COUNT) {
		struct fast_insn insn = {.op = step->op,
					 .out = node,
					 .a = step->args[0],
					 .b = step->args[1],
					 .c = step->args[2]};
		memcpy(insn.k, step->k, sizeof(insn.k));
		if (step->op == FAST_LOAD || step->op == FAST_LOAD_WHOLE) {
			insn.a = node;
			insn.columns = 1;
		}
		place_in_output(emitter, node);
		if (!add_insn(emitter, &insn))
			return false;
	}
	return emit_outputs(emitter, node);
}

static void fast_place_inputs(struct emitter *emitter)
{
	for (uint32_t i = 0; i < emitter->program->input_count; i++) {
		const struct program_input *input = &emitter->program->inputs[i];
		if (input->type == SX_F64)
			emitter->place[input->node] = IN_INPUT | i;
	}
}

static void fast_release(struct emitter *emitter, uint32_t node, uint32_t at)
{
	if (emitter->last[node] != at)
		return;
	uint32_t place = emitter->place[node];
	emitter->last[node] = SX_NONE;
	if (!(place & PLACE_KINDS))
		emitter->free[emitter->free_count++] = place;
}

static bool in_register(const struct fast_insn *insn, int operand, uint32_t node)
{
	return node != SX_NONE && !(insn->columns >> operand & 1);
}

static void find_last(struct emitter *emitter)
{
	for (uint32_t i = 0; i < emitter->code->insn_count; i++) {
		const struct fast_insn *insn = &emitter->code->insns[i];
		const uint32_t args[3] = {insn->a, insn->b, insn->c};
		for (int a = 0; a < 3; a++)
			if (in_register(insn, a, args[a]))
				emitter->last[args[a]] = i;
	}
}

static uint32_t place_operand(const struct emitter *emitter, const struct fast_insn *insn,
			      int operand, uint32_t node)
{
	if (node == SX_NONE)
		return 0;
	return insn->columns >> operand & 1 ? IN_INPUT | emitter->steps[node].args[0]
					    : emitter->place[node];
}

/* A linear scan: a register is free again after the last operation that reads it. */
static void allocate(struct emitter *emitter)
{
	struct fast_code *code = emitter->code;
	find_last(emitter);
	for (uint32_t i = 0; i < code->insn_count; i++) {
		struct fast_insn *insn = &code->insns[i];
		const uint32_t args[3] = {insn->a, insn->b, insn->c};
		uint32_t out = insn->out;
		if (!fast_stores(insn->op) && emitter->place[out] == SX_NONE)
			emitter->place[out] = emitter->free_count
						  ? emitter->free[--emitter->free_count]
						  : code->registers++;
		insn->out = fast_stores(insn->op) ? IN_OUTPUT | out : emitter->place[out];
		insn->a = place_operand(emitter, insn, 0, args[0]);
		insn->b = place_operand(emitter, insn, 1, args[1]);
		insn->c = place_operand(emitter, insn, 2, args[2]);
		for (int a = 0; a < 3; a++)
			if (in_register(insn, a, args[a]))
				fast_release(emitter, args[a], i);
	}
}

static uint32_t slot_of(const struct emitter *emitter, uint32_t place)
{
	uint32_t index = place & ~PLACE_KINDS;
	if (place & IN_OUTPUT)
		return emitter->code->registers + emitter->program->input_count + index;
	return place & IN_INPUT ? emitter->code->registers + index : index;
}

static void number_slots(struct emitter *emitter)
{
	for (uint32_t i = 0; i < emitter->code->insn_count; i++) {
		struct fast_insn *insn = &emitter->code->insns[i];
		insn->out = slot_of(emitter, insn->out);
		insn->a = slot_of(emitter, insn->a);
		insn->b = slot_of(emitter, insn->b);
		insn->c = slot_of(emitter, insn->c);
	}
}

static bool emit(struct emitter *emitter)
{
	if (!sort_outputs(emitter))
		return false;
	fast_place_inputs(emitter);
	for (uint32_t i = 0; i < emitter->program->input_count; i++)
		emitter->steps[emitter->program->inputs[i].node].args[0] = i;
	for (uint32_t i = 0; i < emitter->program->node_count; i++) {
		if (!emit_node(emitter, i))
			return false;
	}
	if (!fast_fuse(emitter->code, emitter->program->node_count, emitter->place))
		return false;
	allocate(emitter);
	number_slots(emitter);
	return true;
}

enum sx_status fast_compile(const struct live_graph *program, struct fast_code *code,
			    struct sx_error *err)
{
	struct emitter emitter = {0};
	bool good = emitter_begin(&emitter, program, code);
	if (good && code->usable)
		good = emit(&emitter);
	emitter_finish(&emitter);
	return good ? SX_OK : error_nomem(err, "compiling expressions");
}

void fast_finish(struct fast_code *code)
{
	free(code->insns);
	free(code->moves);
	*code = (struct fast_code){0};
}
