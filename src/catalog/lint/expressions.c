/* Lint of formulas and conditions: each parses, and every name in it means one thing. */
#include "base/suggest.h"
#include "catalog/lint/lint.h"
#include "catalog/internal.h"

#include <stdio.h>
#include <sextant/expr.h>

/* One expression being checked, and how its names are to be understood. */
struct check {
	struct lint *lint;
	uint32_t line;
	const char *what; /* for messages: "the formula of \"x\"" */
	uint32_t group;
	bool constants_only;
	bool any_group; /* names of a rule are those of the group that was measured */
};

/* An instance part needs a counter of a block with that many instances. */
static void check_instances(const struct check *c, const struct sx_node *node,
			    enum ref_target target, uint32_t index)
{
	const struct sx_catalog *cat = c->lint->cat;
	const struct sx_counter_info *counter =
	    target == REF_COUNTER ? &cat->counters[index] : NULL;
	const struct sx_block_info *block =
	    counter && counter->block != SX_NONE ? &cat->blocks[counter->block] : NULL;
	if (node->instances == SX_INSTANCES_NONE) {
		if (counter && counter->reduce == SX_REDUCE_EACH)
			lint_report(c->lint, c->line,
				    "%s: \"%s\" is kept by instance and needs [N] or [*]", c->what,
				    node->name);
		return;
	}
	if (!block || (block->instances == 1 && !block->instances_constant))
		lint_report(c->lint, c->line, "%s: \"%s\" has no instances", c->what, node->name);
	else if (node->instances == SX_INSTANCES_RANGE && !block->instances_constant &&
		 node->last >= block->instances)
		lint_report(c->lint, c->line, "%s: \"%s\" has instances 0 to %u, not %u", c->what,
			    node->name, block->instances - 1, node->last);
}

static void report_unknown(const struct check *c, const char *name)
{
	const char *near[3];
	size_t count = sx_catalog_suggest(c->lint->cat, name, near, 3);
	lint_report(c->lint, c->line, "%s: \"%s\" means nothing%s%s", c->what, name,
		    count ? "; did you mean " : "", count ? near[0] : "");
}

static void check_name(const struct check *c, const struct sx_node *node)
{
	uint32_t index, matches;
	enum ref_target target = refs_resolve(c->lint->cat, node->name, c->group, &index, &matches);
	if (target == REF_NONE)
		report_unknown(c, node->name);
	else if (c->constants_only && target != REF_CONSTANT)
		lint_report(c->lint, c->line, "%s: \"%s\" is not a constant", c->what, node->name);
	else if (matches > 1 && !c->any_group)
		lint_report(c->lint, c->line, "%s: \"%s\" is in %u groups: qualify it", c->what,
			    node->name, matches);
	else
		check_instances(c, node, target, index);
}

/* The parser bounds the depth. */
static void check_node(const struct check *c, const struct sx_node *node)
{
	if (node->kind == SX_NODE_NAME)
		check_name(c, node);
	for (uint32_t i = 0; i < node->child_count; i++)
		check_node(c, node->children[i]);
}

static void check_expression(const struct check *c, const char *text, enum sx_notation notation)
{
	struct sx_expr *expr = NULL;
	struct sx_error err = {0};
	enum sx_status status = sx_expr_parse(text, notation, &expr, &err);
	if (status == SX_ERR_NO_MEMORY) {
		c->lint->out_of_memory = true;
		return;
	}
	if (status != SX_OK) {
		lint_report(c->lint, c->line, "%s: %s", c->what, err.message);
		return;
	}
	check_node(c, sx_expr_root(expr));
	sx_expr_destroy(expr);
}

static void check_keep(const struct check *c, const struct sx_metric_info *m)
{
	for (uint32_t i = 0; i < m->keep.count; i++)
		check_expression(c, m->keep.items[i], SX_INFIX);
}

static void check_metric(struct lint *lint, const struct sx_metric_info *m, uint32_t line)
{
	const struct sx_catalog_info *info = sx_catalog_info(lint->cat);
	uint32_t variants = info->variant_count ? info->variant_count : 1;
	char what[512];
	struct check c = {.lint = lint, .line = line, .what = what, .group = m->group};
	for (uint32_t v = 0; v < variants; v++) {
		snprintf(what, sizeof(what), "the formula of \"%s\"%s%s", m->qualified,
			 v ? " for " : "", v ? info->variants[v].name : "");
		/* Variants without a formula of their own share the first. */
		if (m->exprs[v] && (v == 0 || m->exprs[v] != m->exprs[0]))
			check_expression(&c, m->exprs[v], info->notation);
	}
	snprintf(what, sizeof(what), "the inputs that \"%s\" keeps", m->qualified);
	check_keep(&c, m);
	snprintf(what, sizeof(what), "the maximum of \"%s\"", m->qualified);
	if (m->max)
		check_expression(&c, m->max, info->notation);
	c.constants_only = true;
	snprintf(what, sizeof(what), "the peak of \"%s\"", m->qualified);
	if (m->peak)
		check_expression(&c, m->peak, SX_INFIX);
	snprintf(what, sizeof(what), "the condition of \"%s\"", m->qualified);
	if (m->when)
		check_expression(&c, m->when, SX_POSTFIX);
}

static void check_counter(struct lint *lint, const struct sx_counter_info *info, uint32_t line)
{
	char what[256];
	struct check c = {.lint = lint, .line = line, .what = what, .constants_only = true};
	c.group = info->group;
	snprintf(what, sizeof(what), "the peak of \"%s\"", info->name);
	if (info->peak)
		check_expression(&c, info->peak, SX_INFIX);
}

static void check_programs(struct lint *lint, const struct sx_group_info *g, uint32_t line)
{
	char what[256];
	struct check c = {
	    .lint = lint, .line = line, .what = what, .group = SX_NONE, .constants_only = true};
	for (uint32_t i = 0; i < g->program_count; i++) {
		snprintf(what, sizeof(what), "the condition of program %u of \"%s\"", i + 1,
			 g->name);
		if (g->programs[i].when)
			check_expression(&c, g->programs[i].when, SX_POSTFIX);
	}
}

static void expressions_check_rule(struct lint *lint, const struct sx_advice_info *a, uint32_t line)
{
	char what[256];
	struct check c = {
	    .lint = lint, .line = line, .what = what, .group = SX_NONE, .any_group = true};
	snprintf(what, sizeof(what), "the condition of rule \"%s\"", a->rule);
	if (a->when)
		check_expression(&c, a->when, SX_INFIX);
	snprintf(what, sizeof(what), "the metric of rule \"%s\"", a->rule);
	/* A name as `-m` takes it, which may begin with a digit. */
	uint32_t index;
	if (a->metric && refs_resolve(lint->cat, a->metric, SX_NONE, &index, NULL) == REF_NONE)
		report_unknown(&c, a->metric);
}

void lint_expressions(struct lint *lint)
{
	const struct sx_catalog *cat = lint->cat;
	for (uint32_t i = 0; i < cat->group_count; i++)
		check_programs(lint, &cat->groups[i], cat->lines[INDEX_GROUP][i]);
	for (uint32_t i = 0; i < cat->counter_count; i++)
		check_counter(lint, &cat->counters[i], cat->lines[INDEX_COUNTER][i]);
	for (uint32_t i = 0; i < cat->metric_count; i++)
		check_metric(lint, &cat->metrics[i], cat->lines[INDEX_METRIC][i]);
	for (uint32_t i = 0; i < cat->advice_count; i++)
		expressions_check_rule(lint, &cat->advice[i], cat->lines[INDEX_ADVICE][i]);
}
