/*
 * Chooses the fast operation of each node: conversions vanish, constants become immediate, and the
 * usual percentage becomes one operation.
 */
#include <math.h>
#include <stdlib.h>

#include "expr/fast/fast.h"

struct plan {
	const struct live_graph *program;
	struct fast_step *steps;
	uint32_t *uses; /* of each alias: operations and outputs that read it */
	bool usable;
};

bool fast_is_move(const struct live_graph *program, uint32_t output)
{
	const struct graph_node *node = &program->nodes[program->outputs[output].node];
	if (node->op == GRAPH_INPUT)
		return (node->type == VALUE_U64) == (program->outputs[output].type == SX_U64);
	return node->op == GRAPH_CONST || node->op == GRAPH_NO_DATA;
}

static const struct graph_node *node_at(const struct plan *plan, uint32_t index)
{
	return &plan->program->nodes[index];
}

static bool is_constant(const struct plan *plan, uint32_t index)
{
	return node_at(plan, index)->op == GRAPH_CONST;
}

/* A constant of any type as f64. */
static double constant_f64(const struct plan *plan, uint32_t index)
{
	const struct graph_node *node = node_at(plan, index);
	if (node->op == GRAPH_NO_DATA)
		return NAN;
	if (node->type == VALUE_F64)
		return node->scalar.f;
	if (node->type == VALUE_SUM)
		return (double)(expr_i128)node->scalar.u;
	return (double)node->scalar.u;
}

/* Conversions between whole numbers and f64 change nothing here. */
static void find_aliases(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->program->node_count; i++) {
		const struct graph_node *node = node_at(plan, i);
		bool converts = node->op == GRAPH_TO_F64 || node->op == GRAPH_NARROW;
		plan->steps[i].alias = converts ? plan->steps[node->args[0]].alias : i;
		/* A negative sum would wrap. */
		if (node->op == GRAPH_NARROW && node_at(plan, node->args[0])->type == VALUE_SUM)
			plan->usable = false;
	}
}

static void count_uses(struct plan *plan)
{
	for (uint32_t i = 0; i < plan->program->node_count; i++) {
		const struct graph_node *node = node_at(plan, i);
		if (plan->steps[i].alias != i)
			continue;
		for (uint32_t a = 0; a < graph_arity(node->op); a++)
			plan->uses[plan->steps[node->args[a]].alias]++;
	}
	for (uint32_t i = 0; i < plan->program->output_count; i++)
		plan->uses[plan->steps[plan->program->outputs[i].node].alias]++;
}

/* How far whole numbers can go; marks the inputs that have to be in range for that. */
static double magnitude_of(struct plan *plan, uint32_t index)
{
	struct fast_step *step = &plan->steps[plan->steps[index].alias];
	const struct graph_node *node = node_at(plan, plan->steps[index].alias);
	if (node->op == GRAPH_CONST)
		return fabs(constant_f64(plan, plan->steps[index].alias));
	if (node->op == GRAPH_INPUT) {
		step->whole = true;
		return (double)(UINT64_C(1) << FAST_INPUT_BITS);
	}
	return step->magnitude;
}

/* The operation, or its checked form when the result may leave the range. */
static void bounded(struct fast_step *step, double magnitude, enum fast_op plain,
		    enum fast_op checked)
{
	step->op = magnitude > FAST_WHOLE_MAX ? checked : plain;
	step->magnitude = fmin(magnitude, FAST_WHOLE_MAX);
}

static void plan_integer(struct plan *plan, struct fast_step *step, const struct graph_node *node)
{
	double a = magnitude_of(plan, node->args[0]), b = magnitude_of(plan, node->args[1]);
	bool sum = node->type == VALUE_SUM;
	if (a > FAST_WHOLE_MAX || b > FAST_WHOLE_MAX)
		plan->usable = false;
	step->magnitude = fmax(a, b);
	switch (node->op) {
	case GRAPH_IADD:
		bounded(step, a + b, FAST_ADD, FAST_ADD_CHECKED);
		break;
	case GRAPH_ISUB:
		if (sum)
			bounded(step, a + b, FAST_SUB, FAST_SUB_CHECKED);
		else
			step->op = FAST_DIFFERENCE;
		break;
	case GRAPH_IMUL:
		bounded(step, a * b, FAST_MUL, FAST_MUL_CHECKED);
		break;
	case GRAPH_IDIV:
	case GRAPH_IDIV_0:
		step->op = node->op == GRAPH_IDIV ? FAST_QUOTIENT : FAST_QUOTIENT_0;
		step->magnitude = a;
		break;
	case GRAPH_IMIN:
		step->op = FAST_MIN;
		break;
	case GRAPH_IMAX:
		step->op = FAST_MAX;
		break;
	case GRAPH_ILT:
		step->op = FAST_LT;
		break;
	case GRAPH_ILE:
		step->op = FAST_LE;
		break;
	case GRAPH_IEQ:
		step->op = FAST_EQ;
		break;
	default: /* bits */
		plan->usable = false;
		break;
	}
}

static enum fast_op plain_op(enum graph_op op)
{
	switch (op) {
	case GRAPH_FADD:
		return FAST_ADD;
	case GRAPH_FSUB:
		return FAST_SUB;
	case GRAPH_FREST:
		return FAST_REST;
	case GRAPH_FMUL:
		return FAST_MUL;
	case GRAPH_FDIV:
		return FAST_DIV;
	case GRAPH_FDIV_0:
		return FAST_DIV_0;
	case GRAPH_FNEG:
		return FAST_NEG;
	case GRAPH_FABS:
		return FAST_ABS;
	case GRAPH_FMIN:
		return FAST_MIN;
	case GRAPH_FMAX:
		return FAST_MAX;
	case GRAPH_FLT:
		return FAST_LT;
	case GRAPH_FLE:
		return FAST_LE;
	case GRAPH_FEQ:
		return FAST_EQ;
	case GRAPH_FNE:
		return FAST_NE;
	case GRAPH_AND:
		return FAST_AND;
	case GRAPH_OR:
		return FAST_OR;
	case GRAPH_NOT:
		return FAST_NOT;
	case GRAPH_CUT:
		return FAST_CUT;
	case GRAPH_CUT_DIFFERENCE:
		return FAST_CUT_DIFFERENCE;
	default:
		return FAST_SELECT;
	}
}

static bool commutes(enum fast_op op)
{
	switch (op) {
	case FAST_ADD:
	case FAST_ADD_CHECKED:
	case FAST_MUL:
	case FAST_MUL_CHECKED:
	case FAST_MIN:
	case FAST_MAX:
	case FAST_EQ:
	case FAST_NE:
	case FAST_AND:
	case FAST_OR:
		return true;
	default:
		return false;
	}
}

/* A constant operand goes into the operation itself, as the second where that is the same. */
static void take_constant(struct plan *plan, struct fast_step *step)
{
	bool first = is_constant(plan, step->args[0]);
	if (!first && !is_constant(plan, step->args[1]))
		return;
	if (first && commutes(step->op)) {
		uint32_t swap = step->args[0];
		step->args[0] = step->args[1];
		step->args[1] = swap;
		first = false;
	}
	uint32_t a = first ? 0 : 1;
	step->k[0] = constant_f64(plan, step->args[a]);
	step->args[a] = SX_NONE;
	step->op = (enum fast_op)(step->op + (first ? 2 : 1));
}

static void plan_node(struct plan *plan, uint32_t index)
{
	const struct graph_node *node = node_at(plan, index);
	struct fast_step *step = &plan->steps[index];
	uint32_t arity = graph_arity(node->op);
	for (uint32_t a = 0; a < 3; a++)
		step->args[a] = a < arity ? plan->steps[node->args[a]].alias : SX_NONE;
	step->op = FAST_OP_COUNT;
	if (node->op == GRAPH_CONST || node->op == GRAPH_NO_DATA) {
		step->op = FAST_SET;
		step->k[0] = constant_f64(plan, index);
	} else if (node->op == GRAPH_INPUT) {
		step->op = node->type == VALUE_U64 ? FAST_LOAD : FAST_OP_COUNT;
	} else if (node->op >= GRAPH_IADD) {
		plan_integer(plan, step, node);
	} else if (step->alias == index) {
		step->op = plain_op(node->op);
		step->magnitude = FAST_WHOLE_MAX;
	}
	if (arity == 2 && step->op != FAST_OP_COUNT)
		take_constant(plan, step);
}

/* The operand of a step that is `op` and has no other reader, or NULL. */
static const struct fast_step *plan_absorbed(const struct plan *plan, const struct fast_step *step,
					     enum fast_op op)
{
	if (step->args[0] == SX_NONE || plan->uses[step->args[0]] != 1)
		return NULL;
	const struct fast_step *arg = &plan->steps[step->args[0]];
	return arg->op == op ? arg : NULL;
}

/* max(min(x, k1), k2), and x = (y / z) * k0 with it. */
static void fuse_clamp(const struct plan *plan, struct fast_step *step)
{
	const struct fast_step *least = plan_absorbed(plan, step, FAST_MIN_VK);
	if (step->op != FAST_MAX_VK || !least)
		return;
	double k[3] = {1, least->k[0], step->k[0]};
	const struct fast_step *scaled = plan_absorbed(plan, least, FAST_MUL_VK);
	const struct fast_step *ratio = scaled ? plan_absorbed(plan, scaled, FAST_DIV) : NULL;
	const struct fast_step *ratio_0 = scaled ? plan_absorbed(plan, scaled, FAST_DIV_0) : NULL;
	if (ratio_0)
		ratio = ratio_0;
	if (ratio)
		k[0] = scaled->k[0];
	step->op = !ratio ? FAST_CLAMP : ratio_0 ? FAST_PERCENT_0 : FAST_PERCENT;
	step->args[1] = ratio ? ratio->args[1] : SX_NONE;
	step->args[0] = ratio ? ratio->args[0] : least->args[0];
	for (int i = 0; i < 3; i++)
		step->k[i] = k[i];
}

/* A division of a product that may be larger than f64 can hold. Constants become operands again. */
static void fuse_muldiv(const struct plan *plan, uint32_t index)
{
	struct fast_step *step = &plan->steps[index];
	const struct graph_node *node = node_at(plan, index);
	if (node->op != GRAPH_IDIV && node->op != GRAPH_IDIV_0)
		return;
	const struct fast_step *product = plan_absorbed(plan, step, FAST_MUL_CHECKED);
	if (!product)
		product = plan_absorbed(plan, step, FAST_MUL_CHECKED_VK);
	if (!product)
		return;
	const struct graph_node *factors = node_at(plan, step->args[0]);
	step->op = node->op == GRAPH_IDIV ? FAST_MULDIV : FAST_MULDIV_0;
	step->args[0] = plan->steps[factors->args[0]].alias;
	step->args[1] = plan->steps[factors->args[1]].alias;
	step->args[2] = plan->steps[node->args[1]].alias;
}

/* From the outputs downwards, so that what is absorbed is not computed on its own. */
static void mark_needed(struct plan *plan)
{
	const struct live_graph *program = plan->program;
	for (uint32_t i = 0; i < program->output_count; i++) {
		if (!fast_is_move(program, i))
			plan->steps[plan->steps[program->outputs[i].node].alias].needed = true;
	}
	for (uint32_t i = program->node_count; i-- > 0;) {
		struct fast_step *step = &plan->steps[i];
		if (!step->needed)
			continue;
		fuse_clamp(plan, step);
		fuse_muldiv(plan, i);
		for (uint32_t a = 0; a < 3; a++) {
			if (step->args[a] != SX_NONE)
				plan->steps[step->args[a]].needed = true;
		}
		if (step->op == FAST_LOAD && step->whole)
			step->op = FAST_LOAD_WHOLE;
	}
}

struct fast_step *fast_plan(const struct live_graph *program, bool *usable)
{
	size_t count = (size_t)program->node_count + 1;
	struct plan plan = {.program = program, .usable = true};
	plan.steps = calloc(count, sizeof(*plan.steps));
	plan.uses = calloc(count, sizeof(*plan.uses));
	if (plan.steps && plan.uses) {
		find_aliases(&plan);
		count_uses(&plan);
		for (uint32_t i = 0; i < program->node_count; i++)
			plan_node(&plan, i);
		mark_needed(&plan);
	} else {
		free(plan.steps);
		plan.steps = NULL;
	}
	free(plan.uses);
	*usable = plan.usable;
	return plan.steps;
}
