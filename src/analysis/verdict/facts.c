/*
 * Facts: formulas over values of windows (sources.c); of several formulas, the first with a value.
 */
#include "analysis/verdict/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "expr/compile.h"

#define WINDOW_TIME "time" /* the length of a window in ns */

static bool make_column(struct verdict_facts *f, struct verdict_column *c)
{
	size_t n = f->count + 1;
	c->values = arena_alloc(&f->arena, n * sizeof(*c->values));
	c->quality = arena_alloc(&f->arena, n);
	c->trust = arena_alloc(&f->arena, n * sizeof(*c->trust));
	c->device = arena_alloc(&f->arena, n * sizeof(*c->device));
	c->way = arena_alloc(&f->arena, n);
	if (!c->values || !c->quality || !c->trust || !c->device || !c->way)
		return false;
	for (size_t i = 0; i < f->count; i++) {
		c->values[i] = NAN;
		c->quality[i] = SX_QUALITY_NOT_COLLECTED;
		c->trust[i] = 1;
		c->device[i] = VERDICT_NO_DEVICE;
	}
	return true;
}

static struct verdict_column *facts_make_columns(struct verdict_facts *f, uint32_t count)
{
	struct verdict_column *columns = arena_alloc(&f->arena, (count + 1) * sizeof(*columns));
	for (uint32_t i = 0; columns && i < count; i++)
		if (!make_column(f, &columns[i]))
			return NULL;
	return columns;
}

/*
 * The index of a name that formulas use, or SX_NONE. Facts come before names: one that is called as
 * a neutral name hides it from those behind it.
 */
static uint32_t facts_find_name(const struct verdict_facts *f, const char *name)
{
	for (uint32_t i = 0; i < f->name_count; i++)
		if (strcmp(f->names[i], name) == 0)
			return i;
	return SX_NONE;
}

struct collecting {
	struct verdict_facts *facts;
	uint32_t before; /* facts that may be used */
	size_t cap;
	const char **list; /* grows; becomes memory of the arena */
};

static enum sx_status facts_collect(void *user, const struct sx_node *node)
{
	struct collecting *c = user;
	struct verdict_facts *f = c->facts;
	if (node->kind != SX_NODE_NAME || verdict_fact_find(f->rules, node->name) < c->before ||
	    facts_find_name(f, node->name) != SX_NONE)
		return SX_OK;
	if (!mem_grow(&c->list, &c->cap, f->name_count + 1, sizeof(*c->list)))
		return SX_ERR_NO_MEMORY;
	c->list[f->name_count++] = node->name;
	f->names = c->list;
	return SX_OK;
}

/* The names that formulas use and no fact before them has. */
static enum sx_status collect_names(struct verdict_facts *f)
{
	static const struct sx_node length = {.kind = SX_NODE_NAME, .name = FRAME_TIME};
	struct collecting c = {.facts = f};
	enum sx_status status = facts_collect(&c, &length);
	for (uint32_t i = 0; !status && i < f->rules->fact_count; i++) {
		const struct verdict_fact *fact = &f->rules->facts[i];
		c.before = i;
		for (uint32_t w = 0; !status && w < fact->way_count; w++)
			status = expr_visit(fact->ways[w].tree, facts_collect, &c);
	}
	const char **kept = arena_alloc(&f->arena, (f->name_count + 1) * sizeof(*kept));
	if (kept && c.list)
		memcpy(kept, c.list, f->name_count * sizeof(*kept));
	free(c.list);
	f->names = kept;
	f->time = kept ? facts_find_name(f, WINDOW_TIME) : SX_NONE;
	f->inputs = facts_make_columns(f, f->name_count);
	f->facts = facts_make_columns(f, f->rules->fact_count);
	return !status && kept && f->inputs && f->facts ? SX_OK : SX_ERR_NO_MEMORY;
}

/* The length of windows; where it is unknown, that of their frames. */
static void fill_time(struct verdict_facts *f)
{
	uint32_t frames = facts_find_name(f, FRAME_TIME);
	for (size_t r = 0; f->time != SX_NONE && r < f->count; r++) {
		double length = verdict_length(f, r);
		if (isnan(length) && frames != SX_NONE)
			length = f->inputs[frames].values[r];
		facts_take(&f->inputs[f->time], r, length, 0, VERDICT_NO_DEVICE);
	}
}

double verdict_time(const struct verdict_facts *f, size_t window)
{
	return f->time == SX_NONE ? NAN : f->inputs[f->time].values[window];
}

/* What windows say of rows themselves. */
static void fill_own_names(struct verdict_facts *f)
{
	const struct {
		const char *name;
		double (*of)(const struct verdict_facts *facts, size_t window);
	} own[] = {{FRAME_SPREAD, verdict_spread},
		   {FRAME_LENGTH, verdict_frame_length},
		   {KERNEL_COVER, verdict_kernel_cover}};
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++) {
		uint32_t input = facts_find_name(f, own[i].name);
		for (size_t r = 0; input != SX_NONE && r < f->count; r++)
			facts_take(&f->inputs[input], r, own[i].of(f, r), 0, VERDICT_NO_DEVICE);
	}
}

/* Inputs of a formula are all names, then all facts. */
struct naming {
	const struct verdict_facts *facts;
	uint32_t before; /* facts that it may use */
};

static enum sx_status facts_resolve(void *user, const struct expr_name *asked, struct expr_ref *out,
				    struct sx_error *err)
{
	const char *text = asked->text;
	const struct naming *n = user;
	uint32_t fact = verdict_fact_find(n->facts->rules, text);
	uint32_t name = facts_find_name(n->facts, text);
	*out = (struct expr_ref){.kind = EXPR_REF_NO_DATA, .type = SX_F64};
	if (fact < n->before)
		name = n->facts->name_count + fact;
	if (name != SX_NONE)
		*out = (struct expr_ref){.kind = EXPR_REF_INPUT, .input = name, .type = SX_F64};
	return SX_OK;
}

static uint32_t one_instance(void *user, const char *name, uint32_t scope)
{
	return 1;
}

static struct verdict_column *column_of(const struct verdict_facts *f, uint32_t input)
{
	return input < f->name_count ? &f->inputs[input] : &f->facts[input - f->name_count];
}

static enum sx_status compile(const struct verdict_facts *f, const struct sx_expr *expr,
			      uint32_t before, struct expr_program **out, struct sx_error *err)
{
	struct naming naming = {f, before};
	struct expr_resolver resolver = {&naming, facts_resolve, one_instance};
	struct expr_output output = {.expr = expr, .scope = SX_NONE, .type = SX_F64};
	return expr_compile(&(struct expr_request){&output, 1, SX_DIALECT_STANDARD, &resolver}, out,
			    NULL, err);
}

static enum sx_status facts_run(const struct verdict_facts *f, const struct expr_program *program,
				struct expr_result *result, struct sx_error *err)
{
	uint32_t count = f->name_count + f->rules->fact_count;
	struct sx_vector *inputs = calloc((size_t)count + 1, sizeof(*inputs));
	if (!inputs)
		return error_nomem(err, "judging a run");
	for (uint32_t i = 0; i < count; i++) {
		const struct verdict_column *c = column_of(f, i);
		inputs[i] = (struct sx_vector){SX_F64, c->values, c->quality};
	}
	enum sx_status status = expr_eval(program, inputs, f->count, result, err);
	free(inputs);
	return status;
}

/* What a value rests on: the least trust of its inputs, and the device where it is one. */
static void judge_inputs(const struct verdict_facts *f, const struct expr_program *program,
			 size_t row, double *trust, uint32_t *device)
{
	uint32_t count;
	bool any = false;
	const uint32_t *inputs = expr_program_inputs(program, 0, &count);
	for (uint32_t i = 0; i < count; i++) {
		const struct verdict_column *c = column_of(f, inputs[i]);
		*trust = c->trust[row] < *trust ? c->trust[row] : *trust;
		if (c->device[row] == VERDICT_NO_DEVICE)
			continue;
		*device = any && *device != c->device[row] ? VERDICT_NO_DEVICE : c->device[row];
		any = true;
	}
}

/* Values of one way, where no way before it had one. */
static enum sx_status fill_way(struct verdict_facts *f, uint32_t fact, uint32_t way, double *values,
			       uint8_t *quality)
{
	struct verdict_column *c = &f->facts[fact];
	const struct verdict_way *from = &f->rules->facts[fact].ways[way];
	struct expr_program *program = NULL;
	struct expr_result result = {values, quality};
	enum sx_status status = compile(f, from->tree, fact, &program, NULL);
	if (!status)
		status = facts_run(f, program, &result, NULL);
	for (size_t r = 0; !status && r < f->count; r++) {
		double trust = 1;
		if (!isnan(c->values[r]) || isnan(values[r]) ||
		    quality[r] & SX_QUALITY_NO_DATA_MASK)
			continue;
		judge_inputs(f, program, r, &trust, &c->device[r]);
		c->values[r] = values[r];
		c->quality[r] = quality[r];
		c->trust[r] = trust * from->trust;
		c->way[r] = (uint8_t)way;
	}
	expr_program_destroy(program);
	return status == SX_ERR_NO_MEMORY ? status : SX_OK;
}

/* `own`: only by what is known of one program, without constants in place of other facts. */
static enum sx_status fill_facts(struct verdict_facts *f, bool own)
{
	double *values = calloc(f->count + 1, sizeof(*values));
	uint8_t *quality = calloc(f->count + 1, 1);
	enum sx_status status = values && quality ? SX_OK : SX_ERR_NO_MEMORY;
	fill_time(f);
	fill_own_names(f);
	for (uint32_t i = 0; !status && i < f->rules->fact_count; i++) {
		const struct verdict_fact *fact = &f->rules->facts[i];
		for (uint32_t w = 0; !status && w < fact->way_count; w++)
			if (!own || sx_expr_root(fact->ways[w].tree)->kind != SX_NODE_NUMBER)
				status = fill_way(f, i, w, values, quality);
	}
	free(values);
	free(quality);
	return status;
}

/* What is known of one program goes before what is known of all together. */
static void prefer(struct verdict_facts *f, const struct verdict_column *own)
{
	for (uint32_t n = 0; n < f->name_count; n++)
		for (size_t r = 0; r < f->count; r++) {
			if (isnan(own[n].values[r]))
				continue;
			f->inputs[n].values[r] = own[n].values[r];
			f->inputs[n].quality[r] = own[n].quality[r];
			f->inputs[n].device[r] = own[n].device[r];
		}
}

static enum sx_status fill(struct verdict_facts *f)
{
	enum sx_status status = collect_names(f);
	struct verdict_column *own = NULL;
	if (!status && facts_ask_sources(f, true, &status) && !status) {
		status = fill_facts(f, true);
		own = f->inputs;
		f->inputs = facts_make_columns(f, f->name_count);
		status = f->inputs ? status : SX_ERR_NO_MEMORY;
	}
	if (!status)
		facts_ask_sources(f, false, &status);
	if (!status && own)
		prefer(f, own);
	return status ? status : fill_facts(f, false);
}

enum sx_status verdict_facts_fill(struct verdict_facts *f, struct sx_error *err)
{
	return fill(f) ? error_nomem(err, "judging a run") : SX_OK;
}

enum sx_status verdict_facts_eval(const struct verdict_facts *f, const struct sx_expr *expr,
				  double *out, struct sx_error *err)
{
	struct expr_program *program = NULL;
	struct expr_result result = {out, NULL};
	enum sx_status status = compile(f, expr, f->rules->fact_count, &program, err);
	if (!status)
		status = facts_run(f, program, &result, err);
	expr_program_destroy(program);
	return status;
}

void verdict_facts_finish(struct verdict_facts *f)
{
	sx_table_destroy(f->windows);
	arena_finish(&f->arena);
	*f = (struct verdict_facts){.count = 0};
}
