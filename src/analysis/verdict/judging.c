/* Evaluates the rules over each window, and smooths the result. */
#include "analysis/verdict/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"

#define KEPT	    0.6 /* confidence where a rule only just holds */
#define OVERRULED   0.3 /* in windows that are too few to count by themselves */
#define SMOOTH_MOST 9	/* windows of the running median */
#define SCALED	    0.8 /* where samples represent others, or some were lost */
#define FLICKERS    0.2 /* share of windows with facts that contradict the smoothed verdict */

const struct verdict_rule *judging_rule(const struct judging *j, uint32_t rule)
{
	return &j->verdict->rules.rules[rule];
}

bool judging_same(const struct judging *j, uint32_t a, uint32_t b)
{
	if (a == NO_RULE || b == NO_RULE)
		return a == b;
	return strcmp(judging_rule(j, a)->name, judging_rule(j, b)->name) == 0;
}

bool judging_is_sound(const struct verdict_column *c, size_t window)
{
	return !isnan(c->values[window]) && !(c->quality[window] & SX_QUALITY_WRAPPED);
}

/* Whether a rule's condition holds, and all facts that it needs have a sound value. */
static bool holds(const struct judging *j, uint32_t rule, double *const *of, size_t window)
{
	const struct sx_strings *needs = &judging_rule(j, rule)->needs;
	bool sound = !isnan(of[rule][window]) && of[rule][window] != 0;
	for (uint32_t i = 0; sound && i < needs->count; i++) {
		uint32_t fact = verdict_fact_find(&j->verdict->rules, needs->items[i]);
		sound = judging_is_sound(&j->facts.facts[fact], window);
	}
	return sound;
}

/* How far the facts of a rule can be relied upon. */
static double trust_of(const struct judging *j, uint32_t rule, size_t window)
{
	double trust = 1;
	const struct sx_strings *needs = &judging_rule(j, rule)->needs;
	for (uint32_t i = 0; i < needs->count; i++) {
		uint32_t fact = verdict_fact_find(&j->verdict->rules, needs->items[i]);
		const struct verdict_column *c = &j->facts.facts[fact];
		double own = c->trust[window];
		if (c->quality[window] & (SX_QUALITY_MULTIPLEXED | SX_QUALITY_LOST))
			own *= SCALED;
		trust = own < trust ? own : trust;
	}
	return trust;
}

static void take_rule(struct judging *j, size_t w, uint32_t rule, double share)
{
	j->rule[w] = rule;
	j->confidence[w] = rule == NO_RULE ? 0 : trust_of(j, rule, w) * share;
}

/* The verdict of the window before stays while it holds by half, and nothing above it in full. */
static void judge_window(struct judging *j, size_t w)
{
	uint32_t count = j->verdict->rules.rule_count, before = w ? j->rule[w - 1] : NO_RULE;
	uint32_t found = NO_RULE;
	bool full = false;
	for (uint32_t i = 0; found == NO_RULE && i < count; i++) {
		full = holds(j, i, j->when, w);
		bool stays = before != NO_RULE && judging_same(j, i, before);
		if (full || (stays && holds(j, i, j->keep, w)))
			found = i;
	}
	take_rule(j, w, found, full ? 1 : KEPT);
}

/* Before the window that begins it in full, a verdict may hold by half, where no other does. */
static void extend_back(struct judging *j, size_t w)
{
	uint32_t after = j->rule[w + 1], count = j->verdict->rules.rule_count;
	for (uint32_t i = 0; after != NO_RULE && j->rule[w] == NO_RULE && i < count; i++)
		if (judging_same(j, i, after) && holds(j, i, j->keep, w))
			take_rule(j, w, i, KEPT);
}

size_t judging_run(const struct judging *j, size_t first)
{
	size_t last = first + 1;
	while (last < j->facts.count && judging_same(j, j->rule[first], j->rule[last]))
		last++;
	return last - first;
}

/* The shortest run that is too short; false when all last long enough. */
static bool find_short_run(const struct judging *j, size_t *first, size_t *length)
{
	size_t least = j->verdict->rules.steady;
	bool found = false;
	for (size_t w = 0; w < j->facts.count;) {
		size_t run = judging_run(j, w);
		if (run < least) {
			least = run;
			*first = w;
			*length = run;
			found = true;
		}
		w += run;
	}
	return found && *length < j->facts.count;
}

/* Runs that are too short have the verdict of the longer one beside them. */
static void make_steady(struct judging *j)
{
	size_t first = 0, length = 0;
	while (find_short_run(j, &first, &length)) {
		size_t after = first + length, left = 0, right = 0;
		for (size_t w = first; w && judging_same(j, j->rule[w - 1], j->rule[first - 1]);
		     w--)
			left++;
		if (after < j->facts.count)
			right = judging_run(j, after);
		uint32_t rule = left >= right && first ? j->rule[first - 1] : j->rule[after];
		for (size_t w = first; w < after; w++) {
			j->rule[w] = rule;
			j->confidence[w] = rule == NO_RULE ? 0 : OVERRULED;
			j->overruled[w] = true;
		}
	}
}

/* The median of a fact in a window and those around it, as far as they have a value. */
static double median_around(const struct judging *j, const double *values, size_t window,
			    size_t width)
{
	double near[SMOOTH_MOST];
	size_t count = 0, half = width / 2;
	if (isnan(values[window]))
		return NAN;
	size_t first = window > half ? window - half : 0;
	for (size_t w = first; w <= window + half && w < j->facts.count; w++)
		if (!isnan(values[w]))
			near[count++] = values[w];
	qsort(near, count, sizeof(near[0]), number_compare_f64);
	return count % 2 ? near[count / 2] : (near[count / 2 - 1] + near[count / 2]) / 2;
}

/* A running median removes single outliers; a change that lasts stays where it was. */
static void smooth(struct judging *j, size_t width)
{
	for (uint32_t i = 0; i < j->verdict->rules.fact_count; i++)
		for (size_t w = 0; w < j->facts.count; w++)
			j->facts.facts[i].values[w] = median_around(j, j->measured[i], w, width);
}

/* A condition that holds only by a bound on the wrong side does not: of which fact, if any. */
static bool is_bound(const struct judging *j, const struct sx_expr *tree, size_t w, uint32_t *fact)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	const struct sx_node *root = sx_expr_root(tree);
	struct bound_of of = {rules->fact_count, SX_NONE};
	if (!(verdict_bound(&j->facts, root, of, w) & VERDICT_UPPER))
		return false;
	for (of.only = 0; *fact == SX_NONE && of.only < rules->fact_count; of.only++)
		if (rules->facts[of.only].remedy &&
		    verdict_bound(&j->facts, root, of, w) & VERDICT_UPPER)
			*fact = of.only;
	return true;
}

static enum sx_status eval_condition(struct judging *j, const struct sx_expr *tree, double *out,
				     struct sx_error *err)
{
	enum sx_status status = verdict_facts_eval(&j->facts, tree, out, err);
	for (size_t w = 0; !status && w < j->facts.count; w++)
		if (!isnan(out[w]) && out[w] != 0 && is_bound(j, tree, w, &j->bound[w]))
			out[w] = 0;
	return status;
}

static enum sx_status eval_rules(struct judging *j, struct sx_error *err)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < rules->rule_count; i++) {
		status = eval_condition(j, rules->rules[i].when_tree, j->when[i], err);
		if (!status)
			status = eval_condition(j, rules->rules[i].keep_tree, j->keep[i], err);
	}
	return status;
}

static enum sx_status judge_once(struct judging *j, struct sx_error *err)
{
	enum sx_status status = eval_rules(j, err);
	for (size_t w = 0; !status && w < j->facts.count; w++)
		judge_window(j, w);
	for (size_t w = j->facts.count; !status && w > 1; w--)
		extend_back(j, w - 2);
	return status;
}

/* Room for one value a window in each of `count` columns. */
static double **judging_make_columns(struct judging *j, uint32_t count)
{
	double **columns = arena_alloc(&j->facts.arena, (count + 1) * sizeof(double *));
	for (uint32_t i = 0; columns && i < count; i++) {
		columns[i] = arena_alloc(&j->facts.arena, (j->facts.count + 1) * sizeof(double));
		if (!columns[i])
			return NULL;
	}
	return columns;
}

static bool make_room(struct judging *j)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	struct arena *arena = &j->facts.arena;
	size_t n = j->facts.count + 1;
	j->when = judging_make_columns(j, rules->rule_count);
	j->keep = judging_make_columns(j, rules->rule_count);
	j->measured = judging_make_columns(j, rules->fact_count);
	j->rule = arena_alloc(arena, n * sizeof(*j->rule));
	j->confidence = arena_alloc(arena, n * sizeof(*j->confidence));
	j->overruled = arena_alloc(arena, n * sizeof(*j->overruled));
	j->bound = arena_alloc(arena, n * sizeof(*j->bound));
	j->own_rule = arena_alloc(arena, n * sizeof(*j->own_rule));
	j->own_confidence = arena_alloc(arena, n * sizeof(*j->own_confidence));
	if (!j->when || !j->keep || !j->measured || !j->rule || !j->confidence || !j->overruled ||
	    !j->bound || !j->own_rule || !j->own_confidence)
		return false;
	for (size_t w = 0; w < j->facts.count; w++)
		j->bound[w] = SX_NONE;
	for (uint32_t i = 0; i < rules->fact_count; i++)
		memcpy(j->measured[i], j->facts.facts[i].values, j->facts.count * sizeof(double));
	return true;
}

/* Whether a window's own facts speak against its verdict, and not only fail to bear it in full. */
static bool contradicts(const struct judging *j, size_t w)
{
	uint32_t rule = j->rule[w];
	if (judging_same(j, rule, j->own_rule[w]))
		return false;
	for (uint32_t i = 0; rule != NO_RULE && i < j->verdict->rules.rule_count; i++)
		if (judging_same(j, i, rule) && holds(j, i, j->keep, w))
			return false;
	return true;
}

/*
 * Where verdicts alternate all the time, the smoothed one is nearly arbitrary: then each window
 * keeps its own, and the verdict is by shares of time.
 */
static enum sx_status keep_flicker(struct judging *j, struct sx_error *err)
{
	size_t n = j->facts.count, against = 0;
	for (uint32_t i = 0; i < j->verdict->rules.fact_count; i++)
		memcpy(j->facts.facts[i].values, j->measured[i], n * sizeof(double));
	enum sx_status status = eval_rules(j, err);
	for (size_t w = 0; !status && w < n; w++)
		against += contradicts(j, w);
	if (status || (double)against <= FLICKERS * (double)n)
		return status;
	memcpy(j->rule, j->own_rule, n * sizeof(*j->rule));
	memcpy(j->confidence, j->own_confidence, n * sizeof(*j->confidence));
	memset(j->overruled, 0, n * sizeof(*j->overruled));
	j->verdict->flickers = true;
	return SX_OK;
}

/* Verdicts that flicker are judged by what holds around each window, and only then overruled. */
enum sx_status judging_run_rules(struct judging *j, struct sx_error *err)
{
	size_t first = 0, length = 0;
	if (!make_room(j))
		return error_nomem(err, "judging a run");
	enum sx_status status = judge_once(j, err);
	memcpy(j->own_rule, j->rule, j->facts.count * sizeof(*j->rule));
	memcpy(j->own_confidence, j->confidence, j->facts.count * sizeof(*j->confidence));
	for (size_t width = 3;
	     !status && width <= SMOOTH_MOST && find_short_run(j, &first, &length); width += 2) {
		smooth(j, width);
		status = judge_once(j, err);
	}
	if (!status)
		make_steady(j);
	return status ? status : keep_flicker(j, err);
}
