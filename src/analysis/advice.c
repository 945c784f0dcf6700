/* Advice: evaluates the catalog's rules over samples as they come, each with its evidence. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/rules/rules.h"
#include "base/error.h"
#include "base/no_data.h"
#include "expr/compile.h"
#include "table/fill.h"

/* What a mean is made of. */
struct mean {
	double sum;
	size_t count;
};

/* Means over the samples that fulfil a rule. */
enum side { SIDE_VALUE, SIDE_MEASURED, SIDE_LIMIT, SIDES };

#define WINDOWS_MAX                                                                                \
	8 /* the longest runs of samples that fulfil a rule; of more the shortest goes */

/* Zero-initialise. */
struct windows {
	struct sx_window kept[WINDOWS_MAX]; /* the longest so far, in order of time */
	struct sx_window open, longest;	    /* the run that goes on; the first of the longest */
	size_t count;			    /* of those kept */
	bool running;
};

/* What samples say of a rule. */
struct share {
	size_t rows, samples; /* could be judged; fulfil it */
	struct mean means[SIDES];
	struct windows windows;
};

/* One rule while it is judged. */
struct judged {
	const struct sx_advice_info *rule;
	const struct sx_expr *when;
	struct expr_program *condition;
	struct comparison comparison;
	struct expr_program *sides[SIDES]; /* NULL: not asked for; SIDE_VALUE is a column */
	uint32_t column;		   /* of the rules' values: the metric's */
	struct share share;
	const char *why;
	bool compiled, sided;
};

struct sx_advice {
	struct arena arena;
	struct sx_catalog *catalog;
	struct sx_table *empty; /* the columns, where no row is ever added */
	struct rules rules;
	struct judged *judged;
	double *verdicts, *values; /* a row a sample; serve all rules */
	size_t row_cap;
	uint64_t seen; /* rows before the current ones */
	struct sx_finding *findings;
	size_t count;
	const char *set;
};

static size_t length_of(const struct sx_window *w)
{
	return w->last - w->first + 1;
}

/* Adds a sample (a window of one row) to the run that goes on, or begins one. */
static void windows_extend(struct windows *w, const struct sx_window *row)
{
	if (!w->running) {
		w->running = true;
		w->open = *row;
		return;
	}
	w->open.last = row->last;
	w->open.end_ns = row->end_ns;
}

static void drop_shortest(struct windows *w)
{
	size_t least = 0;
	for (size_t i = 1; i < w->count; i++)
		if (length_of(&w->kept[i]) <= length_of(&w->kept[least]))
			least = i;
	memmove(&w->kept[least], &w->kept[least + 1], (--w->count - least) * sizeof(*w->kept));
}

/* Ends the run that goes on, if there is one. */
static void windows_close(struct windows *w)
{
	if (!w->running)
		return;
	w->running = false;
	if (!w->count || length_of(&w->open) > length_of(&w->longest))
		w->longest = w->open;
	if (w->count == WINDOWS_MAX) {
		size_t least = length_of(&w->open);
		for (size_t i = 0; i < w->count; i++)
			least = length_of(&w->kept[i]) < least ? length_of(&w->kept[i]) : least;
		if (least == length_of(&w->open))
			return; /* as short as the shortest: the earlier ones stay */
		drop_shortest(w);
	}
	w->kept[w->count++] = w->open;
}

/* The kept ones as memory of the arena; NULL without any. */
static const struct sx_window *windows_keep(const struct windows *w, struct arena *arena,
					    size_t *count)
{
	struct sx_window *kept = w->count ? arena_alloc(arena, w->count * sizeof(*kept)) : NULL;
	*count = kept ? w->count : 0;
	if (kept)
		memcpy(kept, w->kept, w->count * sizeof(*kept));
	return kept;
}

static bool fulfils(const struct sx_advice *a, size_t row)
{
	return !isnan(a->verdicts[row]) && a->verdicts[row] != 0;
}

/* Whether a sample fulfils the rule; counts those that the rule can say anything of. */
static bool any_fulfils(const struct sx_advice *a, struct share *share)
{
	size_t rows = sx_table_row_count(a->rules.raw);
	uint64_t known = 0, zeros = 0; /* without a branch: a rule may go either way at random */
	for (size_t r = 0; r < rows; r++) {
		known += (uint64_t)(a->verdicts[r] == a->verdicts[r]);
		zeros += (uint64_t)(a->verdicts[r] == 0);
	}
	share->rows += known;
	return known > zeros;
}

/* Counts the samples that fulfil the rule and finds where they run. */
static size_t weigh(struct sx_advice *a, struct judged *j)
{
	const struct sx_table *raw = a->rules.raw;
	const uint64_t *begin = sx_table_begin_ns(raw), *end = sx_table_end_ns(raw);
	struct share *share = &j->share;
	size_t yes = 0;
	if (!any_fulfils(a, share)) {
		windows_close(&share->windows);
		return 0;
	}
	for (size_t r = 0; r < sx_table_row_count(raw); r++) {
		struct sx_window row = {(size_t)a->seen + r, (size_t)a->seen + r, begin[r], end[r]};
		if (fulfils(a, r)) {
			yes++;
			share->samples++;
			windows_extend(&share->windows, &row);
		} else {
			windows_close(&share->windows);
		}
	}
	return yes;
}

/* Adds a->values of the samples that fulfil the rule. */
static void add_side(const struct sx_advice *a, struct judged *j, enum side side)
{
	for (size_t r = 0; r < sx_table_row_count(a->rules.raw); r++) {
		if (!fulfils(a, r) || isnan(a->values[r]))
			continue;
		struct mean *mean = &j->share.means[side];
		mean->sum += a->values[r];
		mean->count++;
	}
}

static double mean_of(const struct mean *mean)
{
	return mean->count ? mean->sum / (double)mean->count : NAN;
}

static uint32_t column_of(const struct sx_advice *a, const char *metric)
{
	const struct rule_name *name = metric ? rules_find(&a->rules, metric) : NULL;
	return name && name->target == RULE_COLUMN ? name->column : SX_NONE;
}

static enum sx_status compile_sides(struct sx_advice *a, struct judged *j, struct sx_error *err)
{
	struct comparison *c = &j->comparison;
	j->sided = true;
	if (j->rule->metric)
		comparison_find(sx_expr_root(j->when), j->rule, c);
	if (!c->compared)
		return SX_OK;
	enum sx_status status =
	    rules_compile(&a->rules, j->when, c->compared, &j->sides[SIDE_MEASURED], err);
	return status ? status
		      : rules_compile(&a->rules, j->when, c->limit, &j->sides[SIDE_LIMIT], err);
}

static enum sx_status add_program(struct sx_advice *a, struct judged *j, enum side side,
				  struct sx_error *err)
{
	if (!j->sides[side])
		return SX_OK;
	enum sx_status status = rules_eval(&a->rules, j->sides[side], a->values, err);
	if (!status)
		add_side(a, j, side);
	return status;
}

static enum sx_status add_evidence(struct sx_advice *a, struct judged *j, struct sx_error *err)
{
	enum sx_status status = j->sided ? SX_OK : compile_sides(a, j, err);
	for (size_t r = 0; j->column != SX_NONE && r < sx_table_row_count(a->rules.raw); r++)
		a->values[r] = sx_table_get(a->rules.values, j->column, r);
	if (j->column != SX_NONE)
		add_side(a, j, SIDE_VALUE);
	if (!status)
		status = add_program(a, j, SIDE_MEASURED, err);
	return status ? status : add_program(a, j, SIDE_LIMIT, err);
}

/* One rule that means nothing is no reason to withhold the others. */
static enum sx_status judge(struct sx_advice *a, struct judged *j, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	if (!j->compiled) {
		j->compiled = true;
		j->column = column_of(a, j->rule->metric);
		status = rules_compile(&a->rules, j->when, NULL, &j->condition, err);
	}
	if (!status)
		status = rules_eval(&a->rules, j->condition, a->verdicts, err);
	if (status == SX_ERR_NO_MEMORY)
		return status;
	if (status) {
		j->why = "its condition cannot be evaluated";
		return SX_OK;
	}
	return weigh(a, j) ? add_evidence(a, j, err) : SX_OK;
}

static bool reach_rows(struct sx_advice *a, size_t rows)
{
	if (rows + 1 <= a->row_cap)
		return true;
	free(a->verdicts);
	free(a->values);
	a->verdicts = calloc(rows + 1, sizeof(*a->verdicts));
	a->values = calloc(rows + 1, sizeof(*a->values));
	a->row_cap = a->verdicts && a->values ? rows + 1 : 0;
	return a->row_cap != 0;
}

static enum sx_status advice_feed(struct sx_advice *a, const struct sx_table *raw,
				  struct sx_error *err)
{
	if (!reach_rows(a, sx_table_row_count(raw)))
		return error_nomem(err, "judging samples");
	enum sx_status status = rules_feed(&a->rules, raw, err);
	for (uint32_t i = 0; !status && i < a->rules.count; i++)
		if (!a->judged[i].why)
			status = judge(a, &a->judged[i], err);
	a->seen += sx_table_row_count(raw);
	return status;
}

enum sx_status sx_advice_add(struct sx_advice *a, const struct sx_table *raw, struct sx_error *err)
{
	return sx_table_row_count(raw) ? advice_feed(a, raw, err) : SX_OK;
}

static const char *keep_text(struct sx_advice *a, const struct sx_node *node)
{
	size_t length = sx_node_text(node, NULL, 0);
	char *text = arena_alloc(&a->arena, length + 1);
	if (text)
		sx_node_text(node, text, length + 1);
	return text;
}

static const char *unit_of(const struct sx_advice *a, const char *metric)
{
	uint32_t count;
	const struct rule_name *name = metric ? rules_find(&a->rules, metric) : NULL;
	if (!name || name->target != RULE_COLUMN || name->index == SX_NONE)
		return NULL;
	return name->counter ? sx_catalog_counters(a->catalog, &count)[name->index].unit
			     : sx_catalog_metrics(a->catalog, &count)[name->index].unit;
}

/*
 * The unit of an expression: that of a name, or the common unit of the operands of a sum, a
 * difference, min or max; else NULL.
 */
static const char *unit_of_node(const struct sx_advice *a, const struct sx_node *node)
{
	const char *unit = NULL;
	if (node->kind == SX_NODE_NAME)
		return unit_of(a, node->name);
	if (node->kind != SX_NODE_OP || (node->op != SX_OP_ADD && node->op != SX_OP_SUB &&
					 node->op != SX_OP_MIN && node->op != SX_OP_MAX))
		return NULL;
	for (uint32_t i = 0; i < node->child_count; i++) {
		if (node->children[i]->kind == SX_NODE_NUMBER)
			continue;
		const char *one = unit_of_node(a, node->children[i]);
		if (!one || (unit && strcmp(unit, one) != 0))
			return NULL;
		unit = one;
	}
	return unit;
}

static void conclude_gap(struct sx_advice *a, const struct judged *j, struct sx_finding *f)
{
	f->why = j->why;
	if (f->why)
		return;
	struct rule_gap gap = rules_gap(&a->rules, sx_expr_root(j->when), &a->arena);
	f->why = gap.why ? gap.why : no_data_text(a->seen ? NO_DATA_UNDEFINED : NO_DATA_NO_SAMPLES);
	f->missing = gap.missing;
}

static enum sx_status conclude(struct sx_advice *a, struct judged *j, struct sx_finding *f,
			       struct sx_error *err)
{
	struct share *s = &j->share;
	double measured = mean_of(&s->means[SIDE_MEASURED]), limit = mean_of(&s->means[SIDE_LIMIT]);
	*f = (struct sx_finding){.rule = j->rule,
				 .unit = unit_of(a, j->rule->metric),
				 .value = mean_of(&s->means[SIDE_VALUE]),
				 .measured = NAN,
				 .limit = j->rule->limit,
				 .samples = s->samples,
				 .rows = s->rows};
	if (!s->rows) {
		conclude_gap(a, j, f);
		return SX_OK;
	}
	windows_close(&s->windows);
	f->windows = windows_keep(&s->windows, &a->arena, &f->window_count);
	if (s->windows.count) {
		f->first = s->windows.longest.first;
		f->last = s->windows.longest.last;
	}
	/* A quotient, not a product: 7 of 100 is exactly what "0.07" says, 0.07 * 100 is above 7.
	 */
	f->fired = f->samples && (double)f->samples / (double)f->rows >= f->rule->min_share;
	if (!j->comparison.compared || !comparison_holds(j->comparison.op, measured, limit))
		return SX_OK;
	f->compared = keep_text(a, j->comparison.compared);
	f->compared_unit = unit_of_node(a, j->comparison.compared);
	f->measured = measured;
	if (isnan(f->limit))
		f->limit = limit;
	return f->compared ? SX_OK : error_nomem(err, "judging samples");
}

static int rank(const struct sx_finding *f)
{
	if (!f->fired)
		return f->why ? 200 : 100;
	return (int)f->rule->severity;
}

static int advice_compare(const void *a, const void *b)
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

enum sx_status sx_advice_finish(struct sx_advice *a, struct sx_error *err)
{
	uint32_t count;
	enum sx_status status = a->rules.fed ? SX_OK : advice_feed(a, a->empty, err);
	a->count = a->rules.count;
	a->findings = arena_alloc(&a->arena, a->count * sizeof(*a->findings) + 1);
	if (!status && !a->findings)
		status = error_nomem(err, "judging samples");
	if (!status && a->rules.set != SX_NONE)
		a->set = sx_catalog_groups(a->catalog, &count)[a->rules.set].name;
	for (uint32_t i = 0; !status && i < a->rules.count; i++)
		status = conclude(a, &a->judged[i], &a->findings[i], err);
	if (!status && a->count)
		qsort(a->findings, a->count, sizeof(*a->findings), advice_compare);
	if (status)
		a->count = 0;
	return status;
}

/* Checks that set, variant and constants exist; without rules nothing else would. */
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

static enum sx_status begin_rules(struct sx_advice *a, const struct sx_metrics_options *options,
				  struct sx_error *err)
{
	enum sx_status status = rules_init(&a->rules, a->catalog, options, err);
	if (status)
		return status;
	a->judged = calloc((size_t)a->rules.count + 1, sizeof(*a->judged));
	if (!a->judged)
		return error_nomem(err, "judging samples");
	for (uint32_t i = 0; i < a->rules.count; i++) {
		struct judged *j = &a->judged[i];
		j->rule = &a->rules.infos[i];
		j->when = a->rules.conditions[i];
		j->column = SX_NONE;
		if (j->rule->needs || !j->when)
			j->why = j->rule->needs ? j->rule->needs : "its condition cannot be read";
	}
	return SX_OK;
}

enum sx_status sx_advice_create(struct sx_catalog *catalog,
				const struct sx_metrics_options *options,
				const struct sx_table *like, struct sx_advice **out,
				struct sx_error *err)
{
	struct sx_metrics_options chosen = options ? *options : (struct sx_metrics_options){0};
	struct sx_advice *a = calloc(1, sizeof(*a));
	if (!a)
		return error_nomem(err, "judging samples");
	a->catalog = sx_catalog_ref(catalog);
	chosen.like = like;
	enum sx_status status = check_options(catalog, &chosen, err);
	chosen.like = NULL;
	if (!status)
		status = table_like(like, &a->empty, err);
	if (!status)
		status = begin_rules(a, &chosen, err);
	if (status) {
		sx_advice_destroy(a);
		return status;
	}
	*out = a;
	return SX_OK;
}

void sx_advice_destroy(struct sx_advice *advice)
{
	if (!advice)
		return;
	for (uint32_t i = 0; advice->judged && i < advice->rules.count; i++) {
		expr_program_destroy(advice->judged[i].condition);
		for (int s = 0; s < SIDES; s++)
			expr_program_destroy(advice->judged[i].sides[s]);
	}
	rules_finish(&advice->rules);
	free(advice->judged);
	free(advice->verdicts);
	free(advice->values);
	sx_table_destroy(advice->empty);
	sx_catalog_unref(advice->catalog);
	arena_finish(&advice->arena);
	free(advice);
}

const struct sx_finding *sx_advice_findings(const struct sx_advice *advice, size_t *count)
{
	if (count)
		*count = advice ? advice->count : 0;
	return advice ? advice->findings : NULL;
}

const char *sx_advice_set(const struct sx_advice *advice)
{
	return advice->set;
}
