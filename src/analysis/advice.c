/* Advice: the catalog's rules held against samples, each with its evidence. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rules.h"
#include "base/error.h"

struct sx_advice {
	struct arena arena;
	struct sx_catalog *catalog;
	struct sx_finding *findings;
	size_t count;
	const char *set;
};

/* One rule while it is judged; the arrays have a row a sample and serve all rules. */
struct judge {
	struct rules rules;
	struct sx_advice *advice;
	double *verdicts, *side;
};

/* Counts the samples that fulfil the rule and finds their longest run. */
static void weigh(const struct judge *j, struct sx_finding *f)
{
	size_t rows = sx_table_row_count(j->rules.raw), run = 0, longest = 0;
	for (size_t r = 0; r < rows; r++) {
		bool judged = !isnan(j->verdicts[r]);
		bool yes = judged && j->verdicts[r] != 0;
		f->rows += judged;
		f->samples += yes;
		run = yes ? run + 1 : 0;
		if (run > longest) {
			longest = run;
			f->last = r;
			f->first = r + 1 - run;
		}
	}
	/* A quotient, not a product: 7 of 100 is exactly what "0.07" says, 0.07 * 100 is above 7.
	 */
	f->fired = f->samples && (double)f->samples / (double)f->rows >= f->rule->min_share;
}

/* Mean of `side` over the samples that fulfil the rule. */
static double mean_of_side(const struct judge *j)
{
	double sum = 0;
	size_t count = 0;
	for (size_t r = 0; r < sx_table_row_count(j->rules.raw); r++) {
		if (isnan(j->verdicts[r]) || j->verdicts[r] == 0 || isnan(j->side[r]))
			continue;
		sum += j->side[r];
		count++;
	}
	return count ? sum / (double)count : NAN;
}

static double mean_of_metric(const struct judge *j, const char *metric)
{
	const struct rule_name *name = metric ? rules_find(&j->rules, metric) : NULL;
	if (!name || name->target != RULE_COLUMN || name->column == SX_NONE)
		return NAN;
	for (size_t r = 0; r < sx_table_row_count(j->rules.raw); r++)
		j->side[r] = sx_table_get(j->rules.values, name->column, r);
	return mean_of_side(j);
}

static bool is_comparison(const struct sx_node *node)
{
	return node->kind == SX_NODE_OP && node->op >= SX_OP_LT && node->op <= SX_OP_NE;
}

static bool is_name(const struct sx_node *node, const char *name)
{
	return node->kind == SX_NODE_NAME && strcmp(node->name, name) == 0;
}

static bool contains(const struct sx_node *node, const char *name)
{
	bool found = is_name(node, name);
	for (uint32_t i = 0; !found && i < node->child_count; i++)
		found = contains(node->children[i], name);
	return found;
}

static bool is_limit(const struct sx_node *node, const struct sx_advice_info *rule)
{
	return node->kind == SX_NODE_NUMBER && node->number == rule->limit;
}

/* A comparison with the metric on one side; `good` grows with how directly it is compared. */
struct comparison {
	const struct sx_node *compared, *limit;
	enum sx_op op; /* compared OP limit */
	int good;
};

static enum sx_op mirrored(enum sx_op op)
{
	switch (op) {
	case SX_OP_LT:
		return SX_OP_GT;
	case SX_OP_LE:
		return SX_OP_GE;
	case SX_OP_GT:
		return SX_OP_LT;
	case SX_OP_GE:
		return SX_OP_LE;
	default:
		return op;
	}
}

/* Of `a < 1 or b > 2` only one need hold: the other would be no evidence. */
static bool holds(enum sx_op op, double a, double b)
{
	switch (op) {
	case SX_OP_LT:
		return a < b;
	case SX_OP_LE:
		return a <= b;
	case SX_OP_GT:
		return a > b;
	case SX_OP_GE:
		return a >= b;
	default:
		return (a == b) == (op == SX_OP_EQ);
	}
}

static void find_comparison(const struct sx_node *node, const struct sx_advice_info *rule,
			    struct comparison *best)
{
	for (uint32_t i = 0; i < node->child_count; i++)
		find_comparison(node->children[i], rule, best);
	if (!is_comparison(node))
		return;
	for (uint32_t side = 0; side < 2; side++) {
		const struct sx_node *a = node->children[side], *b = node->children[1 - side];
		bool alone = is_name(a, rule->metric), with_limit = is_limit(b, rule);
		if (!contains(a, rule->metric) || contains(b, rule->metric))
			continue;
		if (!isnan(rule->limit) && !with_limit)
			continue;
		/* `x > 0 and y * x > z`: zero only says that there is something. */
		bool guard = b->kind == SX_NODE_NUMBER && b->number == 0 && !with_limit;
		int good = guard ? 1 : 2 + 2 * alone + with_limit;
		if (good > best->good)
			*best =
			    (struct comparison){a, b, side ? mirrored(node->op) : node->op, good};
	}
}

static const char *keep_text(struct judge *j, const struct sx_node *node)
{
	size_t length = sx_node_text(node, NULL, 0);
	char *text = arena_alloc(&j->advice->arena, length + 1);
	if (text)
		sx_node_text(node, text, length + 1);
	return text;
}

static enum sx_status evidence(struct judge *j, struct sx_finding *f, const struct sx_expr *when,
			       struct sx_error *err)
{
	struct comparison c = {0};
	f->value = mean_of_metric(j, f->rule->metric);
	if (f->rule->metric)
		find_comparison(sx_expr_root(when), f->rule, &c);
	if (!c.compared || !f->samples)
		return SX_OK;
	enum sx_status status = rules_eval(&j->rules, when, c.compared, j->side, err);
	double measured = mean_of_side(j);
	if (!status)
		status = rules_eval(&j->rules, when, c.limit, j->side, err);
	double limit = mean_of_side(j);
	if (status || !holds(c.op, measured, limit))
		return status;
	f->compared = keep_text(j, c.compared);
	f->measured = measured;
	if (isnan(f->rule->limit))
		f->limit = limit;
	return f->compared ? SX_OK : error_nomem(err, "judging samples");
}

static const char *unit_of(const struct judge *j, const char *metric)
{
	uint32_t count;
	const struct rule_name *name = metric ? rules_find(&j->rules, metric) : NULL;
	if (!name || name->target != RULE_COLUMN || name->index == SX_NONE)
		return NULL;
	return name->counter ? sx_catalog_counters(j->rules.catalog, &count)[name->index].unit
			     : sx_catalog_metrics(j->rules.catalog, &count)[name->index].unit;
}

static enum sx_status judge_rule(struct judge *j, struct sx_finding *f, const struct sx_expr *when,
				 struct sx_error *err)
{
	const struct sx_advice_info *rule = f->rule;
	f->value = f->measured = NAN;
	f->limit = rule->limit;
	f->unit = unit_of(j, rule->metric);
	f->verdict = strncmp(rule->rule, "bound.", 6) == 0;
	if (rule->needs || !when) {
		f->why = rule->needs ? rule->needs : "its condition cannot be read";
		return SX_OK;
	}
	enum sx_status status = rules_eval(&j->rules, when, NULL, j->verdicts, err);
	if (status == SX_ERR_NO_MEMORY)
		return status;
	if (status) { /* one rule that means nothing is no reason to withhold the others */
		f->why = "its condition cannot be evaluated";
		return SX_OK;
	}
	weigh(j, f);
	if (f->rows)
		return evidence(j, f, when, err);
	struct rule_gap gap = rules_gap(&j->rules, sx_expr_root(when), &j->advice->arena);
	f->why = gap.why ? gap.why
		 : sx_table_row_count(j->rules.raw)
		     ? "it is no data in every sample, as after a division by zero"
		     : "there are no samples";
	f->missing = gap.missing;
	return SX_OK;
}

static int rank(const struct sx_finding *f)
{
	if (!f->fired)
		return f->why ? 200 : 100;
	return (f->verdict ? 0 : 50) + (int)f->rule->severity;
}

static int compare(const void *a, const void *b)
{
	const struct sx_finding *x = a, *y = b;
	if (rank(x) != rank(y))
		return rank(x) - rank(y);
	double share_x = x->rows ? (double)x->samples / (double)x->rows : 0;
	double share_y = y->rows ? (double)y->samples / (double)y->rows : 0;
	if (share_x != share_y)
		return share_x < share_y ? 1 : -1;
	return (x->rule > y->rule) - (x->rule < y->rule);
}

static enum sx_status judge_all(struct judge *j, struct sx_error *err)
{
	uint32_t count;
	struct sx_advice *advice = j->advice;
	size_t rows = sx_table_row_count(j->rules.raw);
	advice->count = j->rules.count;
	advice->findings =
	    arena_alloc(&advice->arena, advice->count * sizeof(*advice->findings) + 1);
	j->verdicts = calloc(rows + 1, sizeof(*j->verdicts));
	j->side = calloc(rows + 1, sizeof(*j->side));
	if (!advice->findings || !j->verdicts || !j->side)
		return error_nomem(err, "judging samples");
	if (j->rules.set != SX_NONE)
		advice->set = sx_catalog_groups(advice->catalog, &count)[j->rules.set].name;
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < j->rules.count; i++) {
		advice->findings[i] = (struct sx_finding){.rule = &j->rules.infos[i]};
		status = judge_rule(j, &advice->findings[i], j->rules.conditions[i], err);
	}
	if (!status && advice->count)
		qsort(advice->findings, advice->count, sizeof(*advice->findings), compare);
	return status;
}

/* Whether set, variant and constants exist, also where no rule makes anybody look at them. */
static enum sx_status check_options(struct sx_catalog *catalog,
				    const struct sx_metrics_options *options, struct sx_error *err)
{
	struct sx_metrics *metrics = NULL;
	struct sx_metrics_options bare = *options;
	bare.pattern_count = 0;
	bare.counters = true;
	enum sx_status status = sx_metrics_create(catalog, &bare, &metrics, err);
	sx_metrics_destroy(metrics);
	return status;
}

enum sx_status sx_advice_create(struct sx_catalog *catalog,
				const struct sx_metrics_options *options,
				const struct sx_table *raw, struct sx_advice **out,
				struct sx_error *err)
{
	struct sx_metrics_options chosen = options ? *options : (struct sx_metrics_options){0};
	struct judge j = {.advice = calloc(1, sizeof(struct sx_advice))};
	if (!j.advice)
		return error_nomem(err, "judging samples");
	chosen.like = raw;
	j.advice->catalog = sx_catalog_ref(catalog);
	enum sx_status status = check_options(catalog, &chosen, err);
	if (!status) {
		status = rules_init(&j.rules, catalog, &chosen, raw, err);
		if (!status)
			status = judge_all(&j, err);
		rules_finish(&j.rules);
	}
	free(j.verdicts);
	free(j.side);
	if (status) {
		sx_advice_destroy(j.advice);
		return status;
	}
	*out = j.advice;
	return SX_OK;
}

void sx_advice_destroy(struct sx_advice *advice)
{
	if (!advice)
		return;
	sx_catalog_unref(advice->catalog);
	arena_finish(&advice->arena);
	free(advice);
}

const struct sx_finding *sx_advice_findings(const struct sx_advice *advice, size_t *count)
{
	if (count)
		*count = advice->count;
	return advice->findings;
}

const char *sx_advice_set(const struct sx_advice *advice)
{
	return advice->set;
}
