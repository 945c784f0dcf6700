/* Lint of the verdict's rules, beyond their format. */
#include "catalog/lint/lint.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "expr/compile.h"

struct verdict_lint {
	sx_lint_fn fn;
	void *user;
	struct sx_context *context;
	struct verdict_rules rules;
	struct neutral neutral;
	uint32_t count;
	bool used[VERDICT_FACTS_MAX];
};

/* The current formula or condition. */
struct formula {
	struct verdict_lint *lint;
	uint32_t line, before;		 /* facts that it may use */
	const struct verdict_rule *rule; /* of a condition; NULL: a fact's */
};

static void verdict_say(struct verdict_lint *l, uint32_t line, const char *fmt, ...)
    SX_PRINTF(3, 4);

static void verdict_say(struct verdict_lint *l, uint32_t line, const char *fmt, ...)
{
	char text[256];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	struct sx_lint_finding finding = {"embedded", line, text};
	l->count++;
	if (l->fn)
		l->fn(l->user, &finding);
}

static bool has(const struct sx_strings *names, const char *name)
{
	for (uint32_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return true;
	return false;
}

/* Whether a catalog has a constant of this name, so that a device can supply it. */
static bool is_constant(const struct verdict_lint *l, const char *name)
{
	size_t count = 0;
	bool found = false;
	const char *const *names = sx_catalog_names(l->context, &count);
	for (size_t i = 0; names && !found && i < count; i++) {
		struct sx_catalog *catalog = NULL;
		if (sx_catalog_open(l->context, names[i], &catalog, NULL))
			continue;
		found = sx_catalog_find_constant(catalog, name) != SX_NONE;
		sx_catalog_unref(catalog);
	}
	return found;
}

static bool is_known(const struct verdict_lint *l, const char *name)
{
	if (strcmp(name, "time") == 0 || strcmp(name, "frame.spread") == 0 ||
	    strcmp(name, "frame.length") == 0 || strcmp(name, "kernel.cover") == 0)
		return true;
	return strchr(name, '.') ? neutral_find(&l->neutral, name) != NULL : is_constant(l, name);
}

static enum sx_status visit_name(void *user, const struct sx_node *node)
{
	struct formula *f = user;
	struct verdict_lint *l = f->lint;
	if (node->kind != SX_NODE_NAME)
		return SX_OK;
	uint32_t fact = verdict_fact_find(&l->rules, node->name);
	if (fact < f->before) {
		l->used[fact] = true;
		return SX_OK;
	}
	if (f->rule)
		verdict_say(l, f->line, "%s: there is no fact \"%s\"", f->rule->name, node->name);
	else if (!is_known(l, node->name))
		verdict_say(l, f->line, "\"%s\" is no neutral name, constant or fact above",
			    node->name);
	return SX_OK;
}

/* Whether a rule's needs contain a fact, or else all facts that it is computed from. */
struct needing {
	const struct verdict_rules *rules;
	const struct verdict_rule *rule;
	const char *missing;
};

static enum sx_status visit_need(void *user, const struct sx_node *node)
{
	struct needing *n = user;
	uint32_t fact =
	    node->kind == SX_NODE_NAME ? verdict_fact_find(n->rules, node->name) : SX_NONE;
	if (fact == SX_NONE || has(&n->rule->needs, node->name))
		return SX_OK;
	const struct verdict_fact *f = &n->rules->facts[fact];
	struct needing parts = {n->rules, n->rule, NULL};
	bool made_of_facts = false;
	for (uint32_t w = 0; w < f->way_count && f->way_count == 1; w++) {
		const struct sx_node *root = sx_expr_root(f->ways[w].tree);
		made_of_facts = root->kind == SX_NODE_OP;
		expr_visit(f->ways[w].tree, visit_need, &parts);
	}
	if (!made_of_facts || parts.missing)
		n->missing = node->name;
	return SX_OK;
}

/* A condition over what is not in `needs` would be judged without it. */
static void verdict_check_rule(struct verdict_lint *l, const struct verdict_rule *rule)
{
	struct formula f = {l, rule->line, l->rules.fact_count, rule};
	struct needing needing = {&l->rules, rule, NULL};
	expr_visit(rule->when_tree, visit_name, &f);
	expr_visit(rule->keep_tree, visit_name, &f);
	expr_visit(rule->when_tree, visit_need, &needing);
	expr_visit(rule->keep_tree, visit_need, &needing);
	if (needing.missing)
		verdict_say(l, rule->line,
			    "%s: its conditions use \"%s\", its needs do not name it", rule->name,
			    needing.missing);
	const struct sx_strings *lists[] = {&rule->needs, &rule->which, &rule->evidence};
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++)
		for (uint32_t k = 0; k < lists[i]->count; k++)
			l->used[verdict_fact_find(&l->rules, lists[i]->items[k])] = true;
}

static void check(struct verdict_lint *l)
{
	for (uint32_t i = 0; i < l->rules.fact_count; i++) {
		const struct verdict_fact *fact = &l->rules.facts[i];
		struct formula f = {l, fact->line, i, NULL};
		for (uint32_t w = 0; w < fact->way_count; w++)
			expr_visit(fact->ways[w].tree, visit_name, &f);
	}
	for (uint32_t i = 0; i < l->rules.rule_count; i++)
		verdict_check_rule(l, &l->rules.rules[i]);
	for (uint32_t i = 0; i < l->rules.fact_count; i++)
		if (!l->used[i])
			verdict_say(l, l->rules.facts[i].line, "no rule uses the fact \"%s\"",
				    l->rules.facts[i].name);
}

enum sx_status verdict_lint(struct sx_context *context, const struct verdict_lint_request *request,
			    uint32_t *count, struct sx_error *err)
{
	struct verdict_lint l = {.fn = request->fn, .user = request->user, .context = context};
	enum sx_status status = neutral_init(&l.neutral, err);
	if (!status && request->text)
		status = verdict_rules_parse(request->text, request->size, request->origin,
					     &l.rules, err);
	else if (!status)
		status = verdict_rules_read(&l.rules, err);
	if (!status)
		check(&l);
	*count = l.count;
	verdict_rules_finish(&l.rules);
	neutral_finish(&l.neutral);
	return status;
}
