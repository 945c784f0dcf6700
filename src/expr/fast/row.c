/* The form of a program for single rows: a list schedule that groups operations of one kind. */
#include <stdlib.h>
#include <string.h>

#include "expr/fast/plan.h"

/* How many constants are searched for one that is there already. */
#define SEARCH_MAX 64

struct scheduler {
	const struct live_graph *program;
	const struct fast_code *fast;
	struct row_code *code;
	const struct fast_step *steps;
	uint32_t *slot;	      /* of each node */
	uint32_t *pending;    /* operands that are not computed yet, of each node */
	uint32_t *first_user; /* of each node: an edge, or SX_NONE */
	uint32_t *next_user;  /* of each edge, three a node: the operand's next edge */
	uint32_t *next_ready; /* of each node */
	uint32_t first[FAST_OP_COUNT], last[FAST_OP_COUNT], ready[FAST_OP_COUNT];
	size_t constant_cap;
};

static bool is_operation(const struct fast_step *step, uint32_t node)
{
	return step->needed && step->alias == node && step->op != FAST_SET &&
	       step->op != FAST_LOAD && step->op != FAST_LOAD_WHOLE && step->op != FAST_OP_COUNT;
}

/* What the operation is when its constant is an operand like any other. */
static enum fast_op general_op(enum fast_op op)
{
	if (op < FAST_NEG)
		return (enum fast_op)((uint32_t)op / 3 * 3);
	return op;
}

/* Where `count` constants stand in this order; SX_NONE when memory is out. */
static uint32_t constants_at(struct scheduler *scheduler, const double *k, uint32_t count)
{
	struct row_code *code = scheduler->code;
	uint32_t limit = code->constant_count < SEARCH_MAX ? code->constant_count : SEARCH_MAX;
	for (uint32_t i = 0; code->constants && i + count <= limit; i++) {
		if (memcmp(&code->constants[i], k, count * sizeof(*k)) == 0)
			return i;
	}
	if (!mem_grow(&code->constants, &scheduler->constant_cap,
		      (size_t)code->constant_count + count, sizeof(*k)))
		return SX_NONE;
	memcpy(&code->constants[code->constant_count], k, count * sizeof(*k));
	code->constant_count += count;
	return code->constant_count - count;
}

static void *fast_row_array(size_t count, size_t size)
{
	return calloc(count + 1, size);
}

static bool fast_row_begin(struct scheduler *scheduler, const struct live_graph *program,
			   struct fast_code *fast, const struct fast_step *steps)
{
	size_t nodes = program->node_count;
	struct row_code *code = &fast->row;
	*scheduler =
	    (struct scheduler){.program = program, .fast = fast, .code = code, .steps = steps};
	scheduler->slot = fast_row_array(nodes, sizeof(uint32_t));
	scheduler->pending = fast_row_array(nodes, sizeof(uint32_t));
	scheduler->first_user = fast_row_array(nodes, sizeof(uint32_t));
	scheduler->next_user = fast_row_array(nodes * 3, sizeof(uint32_t));
	scheduler->next_ready = fast_row_array(nodes, sizeof(uint32_t));
	code->loads = fast_row_array(program->input_count, sizeof(*code->loads));
	code->insns = fast_row_array(nodes, sizeof(*code->insns));
	code->runs = fast_row_array(nodes, sizeof(*code->runs));
	code->stores = fast_row_array(program->output_count, sizeof(*code->stores));
	if (!scheduler->slot || !scheduler->pending || !scheduler->first_user ||
	    !scheduler->next_user || !scheduler->next_ready || !code->loads || !code->insns ||
	    !code->runs || !code->stores)
		return false;
	memset(scheduler->first_user, 0xff, nodes * sizeof(uint32_t));
	return true;
}

static void fast_row_finish(struct scheduler *scheduler)
{
	free(scheduler->slot);
	free(scheduler->pending);
	free(scheduler->first_user);
	free(scheduler->next_user);
	free(scheduler->next_ready);
}

static void make_ready(struct scheduler *scheduler, uint32_t node)
{
	enum fast_op op = general_op(scheduler->steps[node].op);
	scheduler->next_ready[node] = SX_NONE;
	if (scheduler->ready[op]++ == 0)
		scheduler->first[op] = node;
	else
		scheduler->next_ready[scheduler->last[op]] = node;
	scheduler->last[op] = node;
}

/* Counts what each operation waits for, and links it to that. */
static void link_operands(struct scheduler *scheduler)
{
	for (uint32_t i = 0; i < scheduler->program->node_count; i++) {
		const struct fast_step *step = &scheduler->steps[i];
		if (!is_operation(step, i))
			continue;
		for (uint32_t a = 0; a < 3; a++) {
			uint32_t arg = step->args[a];
			if (arg == SX_NONE || !is_operation(&scheduler->steps[arg], arg))
				continue;
			scheduler->pending[i]++;
			scheduler->next_user[i * 3 + a] = scheduler->first_user[arg];
			scheduler->first_user[arg] = i * 3 + a;
		}
		if (scheduler->pending[i] == 0)
			make_ready(scheduler, i);
	}
}

static void fast_row_place_inputs(struct scheduler *scheduler, int kind)
{
	struct row_code *code = scheduler->code;
	for (uint32_t i = 0; i < scheduler->program->input_count; i++) {
		const struct program_input *input = &scheduler->program->inputs[i];
		const struct fast_step *step = &scheduler->steps[input->node];
		int is = input->type == SX_F64 ? 2 : step->op == FAST_LOAD_WHOLE ? 0 : 1;
		if (!step->needed || is != kind)
			continue;
		scheduler->slot[input->node] = code->load_count;
		code->loads[code->load_count++] = input->index;
	}
}

/* Slots of what is there before the first operation. */
static bool place_leaves(struct scheduler *scheduler)
{
	const struct live_graph *program = scheduler->program;
	struct row_code *code = scheduler->code;
	for (uint32_t i = 0; i < program->node_count; i++) {
		const struct fast_step *step = &scheduler->steps[i];
		if (!step->needed || step->op != FAST_SET)
			continue;
		scheduler->slot[i] = constants_at(scheduler, step->k, 1);
		if (scheduler->slot[i] == SX_NONE)
			return false;
	}
	for (int kind = 0; kind < 3; kind++) {
		fast_row_place_inputs(scheduler, kind);
		if (kind == 0)
			code->whole_count = code->load_count;
		if (kind == 1)
			code->u64_count = code->load_count;
	}
	return true;
}

/*
 * Operands as slots, where inputs and results still count from 0: the number of constants is not
 * known. They are told apart by bits that place_all() takes away.
 */
#define IS_INPUT  UINT32_C(0x40000000)
#define IS_RESULT UINT32_C(0x80000000)

static uint32_t operand(const struct scheduler *scheduler, uint32_t node)
{
	const struct fast_step *step = &scheduler->steps[node];
	uint32_t slot = scheduler->slot[node];
	if (is_operation(step, node))
		return slot | IS_RESULT;
	return step->op == FAST_SET ? slot : slot | IS_INPUT;
}

static bool clamps(enum fast_op op)
{
	return op == FAST_CLAMP || op == FAST_PERCENT || op == FAST_PERCENT_0;
}

static bool add(struct scheduler *scheduler, uint32_t node)
{
	struct row_code *code = scheduler->code;
	const struct fast_step *step = &scheduler->steps[node];
	uint32_t places[3] = {0, 0, 0};
	for (uint32_t a = 0; a < 3; a++) {
		if (step->args[a] != SX_NONE)
			places[a] = operand(scheduler, step->args[a]);
	}
	enum fast_op op = general_op(step->op);
	if (clamps(op))
		places[2] = constants_at(scheduler, step->k, 3);
	else if (op != step->op)
		places[step->op - op == 1 ? 1 : 0] = constants_at(scheduler, step->k, 1);
	scheduler->slot[node] = code->insn_count;
	code->insns[code->insn_count] = (struct row_insn){
	    .out = code->insn_count | IS_RESULT, .a = places[0], .b = places[1], .c = places[2]};
	code->insn_count++;
	return places[0] != SX_NONE && places[1] != SX_NONE && places[2] != SX_NONE;
}

static enum fast_op most_ready(const struct scheduler *scheduler)
{
	enum fast_op best = FAST_OP_COUNT;
	for (uint32_t op = 0; op < FAST_OP_COUNT; op++) {
		if (scheduler->ready[op] &&
		    (best == FAST_OP_COUNT || scheduler->ready[op] > scheduler->ready[best]))
			best = (enum fast_op)op;
	}
	return best;
}

static void release_users(struct scheduler *scheduler, uint32_t node)
{
	for (uint32_t edge = scheduler->first_user[node]; edge != SX_NONE;
	     edge = scheduler->next_user[edge]) {
		if (--scheduler->pending[edge / 3] == 0)
			make_ready(scheduler, edge / 3);
	}
}

/* Takes what is ready of one kind; what becomes ready through that waits for a later run. */
static bool drain(struct scheduler *scheduler, enum fast_op op)
{
	struct row_code *code = scheduler->code;
	struct row_run *run = NULL;
	uint32_t node = scheduler->first[op], count = scheduler->ready[op];
	scheduler->ready[op] = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t next = scheduler->next_ready[node], at = code->insn_count;
		if (!add(scheduler, node))
			return false;
		if (!run || (clamps(op) && code->insns[at].c != code->insns[at - 1].c)) {
			run = &code->runs[code->run_count++];
			*run = (struct row_run){.op = op, .begin = at};
		}
		run->end = code->insn_count;
		release_users(scheduler, node);
		node = next;
	}
	return true;
}

static uint32_t final_slot(const struct row_code *code, uint32_t place)
{
	uint32_t index = place & ~(IS_INPUT | IS_RESULT);
	if (place & IS_RESULT)
		return code->constant_count + code->load_count + index;
	return place & IS_INPUT ? code->constant_count + index : index;
}

/* The kind of an output, and where it comes from. */
static enum row_store_kind store_kind(const struct scheduler *scheduler, uint32_t output,
				      uint32_t *from)
{
	const struct live_graph *program = scheduler->program;
	const struct graph_node *node = &program->nodes[program->outputs[output].node];
	bool u64 = program->outputs[output].type == SX_U64;
	if (!fast_is_move(program, output)) {
		uint32_t alias = scheduler->steps[program->outputs[output].node].alias;
		bool whole = node->type == VALUE_U64 || node->type == VALUE_U128;
		*from = final_slot(scheduler->code, operand(scheduler, alias));
		return !u64 ? ROW_STORE_F64 : whole ? ROW_STORE_WHOLE : ROW_STORE_ROUND;
	}
	*from = node->input;
	if (node->op != GRAPH_INPUT)
		return ROW_STORE_FILL;
	return u64 ? ROW_STORE_INPUT_U64 : ROW_STORE_INPUT_F64;
}

static void place_outputs(struct scheduler *scheduler)
{
	struct row_code *code = scheduler->code;
	const struct fast_code *fast = scheduler->fast;
	uint32_t count = 0;
	for (int kind = 0; kind < ROW_STORE_FILL; kind++) {
		for (uint32_t i = 0; i < scheduler->program->output_count; i++) {
			uint32_t from;
			if ((int)store_kind(scheduler, i, &from) == kind)
				code->stores[count++] = (struct row_store){i, from};
		}
		code->store_ends[kind] = count;
	}
	for (uint32_t i = 0; i < fast->move_count; i++) {
		if (fast->moves[i].kind == FAST_MOVE_FILL)
			code->stores[count++] = (struct row_store){fast->moves[i].output, i};
	}
	code->store_ends[ROW_STORE_FILL] = count;
}

static void place_all(struct scheduler *scheduler)
{
	struct row_code *code = scheduler->code;
	code->slot_count = code->constant_count + code->load_count + code->insn_count;
	for (uint32_t i = 0; i < code->insn_count; i++) {
		struct row_insn *insn = &code->insns[i];
		insn->out = final_slot(code, insn->out);
		insn->a = final_slot(code, insn->a);
		insn->b = final_slot(code, insn->b);
		insn->c = final_slot(code, insn->c);
	}
	place_outputs(scheduler);
}

bool row_compile(const struct live_graph *program, struct fast_code *code,
		 const struct fast_step *steps)
{
	struct scheduler scheduler;
	bool good = fast_row_begin(&scheduler, program, code, steps) && place_leaves(&scheduler);
	if (good)
		link_operands(&scheduler);
	for (enum fast_op op; good && (op = most_ready(&scheduler)) != FAST_OP_COUNT;)
		good = drain(&scheduler, op);
	if (good)
		place_all(&scheduler);
	fast_row_finish(&scheduler);
	return good;
}

void row_finish(struct row_code *code)
{
	free(code->constants);
	free(code->loads);
	free(code->runs);
	free(code->insns);
	free(code->stores);
	*code = (struct row_code){0};
}
