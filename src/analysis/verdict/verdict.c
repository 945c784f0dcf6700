/* The verdict of each window, made steady, and what they come to over the run. */
#include "analysis/verdict/verdict.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/verdict/facts.h"
#include "base/error.h"

#define NO_RULE	       UINT32_MAX /* no rule holds, or none can be judged */
#define KEPT	       0.6	  /* confidence where a rule only just holds */
#define OVERRULED      0.3	  /* in windows that are too few to count by themselves */
#define SMOOTH_MOST    9	  /* windows whose median stands for the one in the middle */
#define SCALED	       0.8	  /* where samples stand for others, or some were lost */
#define WHICH_LEAST    50.0	  /* percent that a unit must be busy to be named */
#define CONFIDENCE_BIG 0.75
#define CONFIDENCE_FEW 0.45

struct judging {
	struct verdict *verdict;
	struct verdict_facts facts;
	double **when, **keep; /* of each rule, a value a window */
	uint32_t *rule;	       /* of each window, or NO_RULE */
	double *confidence;    /* of each window */
	bool *overruled;       /* its own facts say something else */
	double **measured;     /* of each fact, before they were smoothed */
};

static const struct verdict_rule *rule_at(const struct judging *j, uint32_t rule)
{
	return &j->verdict->rules.rules[rule];
}

static bool same_verdict(const struct judging *j, uint32_t a, uint32_t b)
{
	if (a == NO_RULE || b == NO_RULE)
		return a == b;
	return strcmp(rule_at(j, a)->name, rule_at(j, b)->name) == 0;
}

/* A value of which nobody knows how often it wrapped decides nothing. */
static bool is_sound(const struct verdict_column *c, size_t window)
{
	return !isnan(c->values[window]) && !(c->quality[window] & SX_QUALITY_WRAPPED);
}

/* The first fact of a list without a sound value; SX_NONE: all have one. */
static uint32_t first_missing(const struct judging *j, const struct sx_strings *names,
			      size_t window)
{
	for (uint32_t i = 0; i < names->count; i++) {
		uint32_t fact = verdict_fact_find(&j->verdict->rules, names->items[i]);
		if (!is_sound(&j->facts.facts[fact], window))
			return fact;
	}
	return SX_NONE;
}

static bool holds(const struct judging *j, uint32_t rule, double *const *of, size_t window)
{
	double value = of[rule][window];
	return !isnan(value) && value != 0 &&
	       first_missing(j, &rule_at(j, rule)->needs, window) == SX_NONE;
}

/* How far the facts of a rule can be relied upon. */
static double trust_of(const struct judging *j, uint32_t rule, size_t window)
{
	double trust = 1;
	const struct sx_strings *needs = &rule_at(j, rule)->needs;
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

/* The verdict of the window before stays while it holds by half, and nothing above it in full. */
static void judge_window(struct judging *j, size_t w)
{
	uint32_t count = j->verdict->rules.rule_count, before = w ? j->rule[w - 1] : NO_RULE;
	uint32_t found = NO_RULE;
	bool full = false;
	for (uint32_t i = 0; found == NO_RULE && i < count; i++) {
		full = holds(j, i, j->when, w);
		bool stays = before != NO_RULE && same_verdict(j, i, before);
		if (full || (stays && holds(j, i, j->keep, w)))
			found = i;
	}
	for (uint32_t i = 0; found == NO_RULE && i < count; i++)
		if (holds(j, i, j->keep, w))
			found = i;
	j->rule[w] = found;
	j->confidence[w] = found == NO_RULE ? 0 : trust_of(j, found, w) * (full ? 1 : KEPT);
}

/* The run of windows with one verdict that begins at a window. */
static size_t run_length(const struct judging *j, size_t first)
{
	size_t last = first + 1;
	while (last < j->facts.count && same_verdict(j, j->rule[first], j->rule[last]))
		last++;
	return last - first;
}

/* The shortest run that is too short; false when all last long enough. */
static bool find_short_run(const struct judging *j, size_t *first, size_t *length)
{
	size_t least = j->verdict->rules.steady;
	bool found = false;
	for (size_t w = 0; w < j->facts.count;) {
		size_t run = run_length(j, w);
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
		for (size_t w = first; w && same_verdict(j, j->rule[w - 1], j->rule[first - 1]);
		     w--)
			left++;
		if (after < j->facts.count)
			right = run_length(j, after);
		uint32_t rule = left >= right && first ? j->rule[first - 1] : j->rule[after];
		for (size_t w = first; w < after; w++) {
			j->rule[w] = rule;
			j->confidence[w] = rule == NO_RULE ? 0 : OVERRULED;
			j->overruled[w] = true;
		}
	}
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
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
	qsort(near, count, sizeof(near[0]), by_value);
	return count % 2 ? near[count / 2] : (near[count / 2 - 1] + near[count / 2]) / 2;
}

/* Single windows that stand out are levelled; a change that lasts stays where it was. */
static void smooth(struct judging *j, size_t width)
{
	for (uint32_t i = 0; i < j->verdict->rules.fact_count; i++)
		for (size_t w = 0; w < j->facts.count; w++)
			j->facts.facts[i].values[w] = median_around(j, j->measured[i], w, width);
}

static enum sx_status judge_once(struct judging *j, struct sx_error *err)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	enum sx_status status = SX_OK;
	for (uint32_t i = 0; !status && i < rules->rule_count; i++) {
		status = verdict_facts_eval(&j->facts, rules->rules[i].when_tree, j->when[i], err);
		if (!status)
			status = verdict_facts_eval(&j->facts, rules->rules[i].keep_tree,
						    j->keep[i], err);
	}
	for (size_t w = 0; !status && w < j->facts.count; w++)
		judge_window(j, w);
	return status;
}

/* Room for one value a window in each of `count` columns. */
static double **make_columns(struct judging *j, uint32_t count)
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
	j->when = make_columns(j, rules->rule_count);
	j->keep = make_columns(j, rules->rule_count);
	j->measured = make_columns(j, rules->fact_count);
	j->rule = arena_alloc(arena, n * sizeof(*j->rule));
	j->confidence = arena_alloc(arena, n * sizeof(*j->confidence));
	j->overruled = arena_alloc(arena, n * sizeof(*j->overruled));
	if (!j->when || !j->keep || !j->measured || !j->rule || !j->confidence || !j->overruled)
		return false;
	for (uint32_t i = 0; i < rules->fact_count; i++)
		memcpy(j->measured[i], j->facts.facts[i].values, j->facts.count * sizeof(double));
	return true;
}

/* Verdicts that flicker are judged by what holds around each window, and only then overruled. */
static enum sx_status judge_windows(struct judging *j, struct sx_error *err)
{
	size_t first, length;
	if (!make_room(j))
		return error_nomem(err, "judging a run");
	enum sx_status status = judge_once(j, err);
	for (size_t width = 3;
	     !status && width <= SMOOTH_MOST && find_short_run(j, &first, &length); width += 2) {
		smooth(j, width);
		status = judge_once(j, err);
	}
	if (!status)
		make_steady(j);
	for (uint32_t i = 0; !status && i < j->verdict->rules.fact_count; i++)
		memcpy(j->facts.facts[i].values, j->measured[i], j->facts.count * sizeof(double));
	return status;
}

static double mean_of_windows(const struct judging *j, uint32_t rule, uint32_t fact, bool overruled,
			      size_t *one)
{
	const struct verdict_column *c = &j->facts.facts[fact];
	double sum = 0;
	size_t count = 0;
	for (size_t w = 0; w < j->facts.count; w++) {
		if (!same_verdict(j, j->rule[w], rule) || !is_sound(c, w) ||
		    j->overruled[w] != overruled)
			continue;
		sum += c->values[w];
		count++;
		*one = w;
	}
	return count ? sum / (double)count : NAN;
}

/* The mean of a fact over the windows of one verdict: those whose own facts say so, if there are.
 */
static double mean_fact(const struct judging *j, uint32_t rule, uint32_t fact, size_t *one)
{
	double mean = mean_of_windows(j, rule, fact, false, one);
	return isnan(mean) ? mean_of_windows(j, rule, fact, true, one) : mean;
}

static bool tell_evidence(struct judging *j, uint32_t rule, struct verdict_part *part)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	/* What is known where nothing can be told is what the last rule would have shown. */
	uint32_t shows = rule == NO_RULE ? rules->rule_count - 1 : rule;
	const struct sx_strings *names = &rule_at(j, shows)->evidence;
	struct verdict_value *list =
	    arena_alloc(&j->verdict->arena, (names->count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < names->count; i++) {
		uint32_t at = verdict_fact_find(rules, names->items[i]);
		const struct verdict_fact *fact = &rules->facts[at];
		const struct verdict_column *c = &j->facts.facts[at];
		size_t w = 0;
		double mean = mean_fact(j, rule, at, &w);
		/* What stands in for a fact that this run has not is no evidence. */
		const struct verdict_way *way = &fact->ways[c->way[w]];
		if (isnan(mean) || sx_expr_root(way->tree)->kind == SX_NODE_NUMBER)
			continue;
		list[part->evidence_count++] = (struct verdict_value){.name = fact->name,
								      .title = fact->title,
								      .unit = fact->unit,
								      .of = way->of,
								      .value = mean,
								      .device = c->device[w]};
	}
	part->evidence = list;
	return list != NULL;
}

/* The unit that is at work most, if one is most of the time. */
static void tell_which(struct judging *j, uint32_t rule, struct verdict_part *part)
{
	const struct sx_strings *names = &rule_at(j, rule)->which;
	double most = WHICH_LEAST;
	for (uint32_t i = 0; i < names->count; i++) {
		size_t w;
		uint32_t fact = verdict_fact_find(&j->verdict->rules, names->items[i]);
		double mean = mean_fact(j, rule, fact, &w);
		if (isnan(mean) || mean < most)
			continue;
		most = mean;
		part->which = j->verdict->rules.facts[fact].title;
	}
}

/* What the rule that needs least would have needed: the last one. */
static bool tell_unknown(struct judging *j, size_t window, struct verdict_part *part)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	uint32_t last = rules->rule_count - 1;
	uint32_t missing = SX_NONE;
	for (size_t w = window; missing == SX_NONE && w < j->facts.count; w++)
		if (j->rule[w] == NO_RULE)
			missing = first_missing(j, &rules->rules[last].needs, w);
	char text[256] = "the facts contradict each other: no rule holds";
	part->name = VERDICT_UNKNOWN;
	part->title = "Cannot tell";
	if (missing != SX_NONE) {
		snprintf(text, sizeof(text), "this was not measured: %s",
			 rules->facts[missing].title);
		part->advice = rules->facts[missing].remedy;
	}
	part->because = arena_strndup(&j->verdict->arena, text, strlen(text));
	return part->because && tell_evidence(j, NO_RULE, part);
}

static uint64_t window_length(const struct judging *j, size_t w)
{
	const struct sx_table *t = j->facts.windows;
	return j->facts.timed ? sx_table_end_ns(t)[w] - sx_table_begin_ns(t)[w] : 0;
}

/* One part for all windows that have the verdict of this one. */
static bool tell_part(struct judging *j, size_t first, struct verdict_part *part)
{
	uint32_t rule = j->rule[first];
	size_t count = 0;
	for (size_t w = 0; w < j->facts.count; w++) {
		if (!same_verdict(j, j->rule[w], rule))
			continue;
		count++;
		part->confidence += j->confidence[w];
		part->time_ns += window_length(j, w);
	}
	part->share = (double)count / (double)j->facts.count;
	/* No digits that sums of tenths leave behind. */
	part->confidence = round(part->confidence / (double)count * 1e4) / 1e4;
	if (rule == NO_RULE)
		return tell_unknown(j, first, part);
	part->name = rule_at(j, rule)->name;
	part->title = rule_at(j, rule)->title;
	part->advice = rule_at(j, rule)->advice;
	tell_which(j, rule, part);
	return tell_evidence(j, rule, part);
}

static int by_share(const void *a, const void *b)
{
	const struct verdict_part *x = a, *y = b;
	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x > y) - (x < y);
}

static bool tell_parts(struct judging *j)
{
	struct verdict *v = j->verdict;
	struct verdict_part *parts =
	    arena_alloc(&v->arena, (v->rules.rule_count + 2) * sizeof(*parts));
	for (size_t w = 0; parts && w < j->facts.count; w++) {
		bool told = false;
		for (size_t k = 0; k < w; k++)
			told |= same_verdict(j, j->rule[k], j->rule[w]);
		if (!told && !tell_part(j, w, &parts[v->part_count++]))
			return false;
	}
	if (!parts)
		return false;
	qsort(parts, v->part_count, sizeof(*parts), by_share);
	v->parts = parts;
	return true;
}

static uint32_t part_of(const struct judging *j, size_t window)
{
	uint32_t rule = j->rule[window];
	const char *name = rule == NO_RULE ? VERDICT_UNKNOWN : rule_at(j, rule)->name;
	for (uint32_t i = 0; i < j->verdict->part_count; i++)
		if (strcmp(j->verdict->parts[i].name, name) == 0)
			return i;
	return 0;
}

static bool tell_stretches(struct judging *j)
{
	struct verdict *v = j->verdict;
	const struct sx_table *t = j->facts.windows;
	struct verdict_stretch *list = arena_alloc(&v->arena, (j->facts.count + 1) * sizeof(*list));
	for (size_t w = 0; list && w < j->facts.count;) {
		size_t run = run_length(j, w);
		list[v->stretch_count++] =
		    (struct verdict_stretch){.part = part_of(j, w),
					     .begin_ns = sx_table_begin_ns(t)[w],
					     .end_ns = sx_table_end_ns(t)[w + run - 1],
					     .windows = (uint32_t)run};
		w += run;
	}
	v->stretches = list;
	v->windows = (uint32_t)j->facts.count;
	v->window_ns = window_length(j, 0);
	return list != NULL;
}

static enum sx_status judge(struct judging *j, struct sx_error *err)
{
	enum sx_status status = verdict_rules_read(&j->verdict->rules, err);
	j->facts.rules = &j->verdict->rules;
	if (!status)
		status = verdict_windows(&j->facts, err);
	if (status || !j->facts.count)
		return status;
	status = verdict_facts_fill(&j->facts, err);
	if (!status)
		status = judge_windows(j, err);
	if (!status && (!tell_parts(j) || !tell_stretches(j)))
		status = error_nomem(err, "judging a run");
	return status;
}

enum sx_status verdict_judge(const struct verdict_source *sources, uint32_t count,
			     struct verdict **out, struct sx_error *err)
{
	struct judging j = {.facts = {.sources = sources, .source_count = count}};
	*out = NULL;
	j.verdict = calloc(1, sizeof(*j.verdict));
	if (!j.verdict)
		return error_nomem(err, "judging a run");
	enum sx_status status = judge(&j, err);
	verdict_facts_finish(&j.facts);
	if (status || !j.verdict->windows) {
		verdict_destroy(j.verdict);
		return status;
	}
	*out = j.verdict;
	return SX_OK;
}

void verdict_destroy(struct verdict *v)
{
	if (!v)
		return;
	verdict_rules_finish(&v->rules);
	arena_finish(&v->arena);
	free(v);
}

const char *verdict_confidence_name(double confidence)
{
	if (confidence >= CONFIDENCE_BIG)
		return "high";
	return confidence >= CONFIDENCE_FEW ? "medium" : "low";
}
