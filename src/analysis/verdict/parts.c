/* The verdict of a run, from the verdicts of its windows. */
#include "analysis/verdict/facts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"

#define WHICH_LEAST    50.0 /* percent that a unit must be busy to be named */
#define CONFIDENCE_BIG 0.75

/* Each window counts by its length; all alike where the length of one is not known. */
static double mean_of_windows(const struct judging *j, uint32_t rule, uint32_t fact, bool overruled,
			      size_t *one)
{
	const struct verdict_column *c = &j->facts.facts[fact];
	double sum = 0, sum_of_times = 0, time = 0;
	size_t count = 0;
	for (size_t w = 0; w < j->facts.count; w++) {
		if (!judging_same(j, j->rule[w], rule) || !judging_is_sound(c, w) ||
		    j->overruled[w] != overruled)
			continue;
		double length = verdict_time(&j->facts, w);
		sum += c->values[w];
		sum_of_times += c->values[w] * length;
		time += length;
		count++;
		*one = w;
	}
	if (time > 0)
		return sum_of_times / time;
	return count ? sum / (double)count : NAN;
}

/*
 * The mean of a fact over the windows of one verdict: those with facts that support it, if there
 * are any.
 */
static double mean_fact(const struct judging *j, uint32_t rule, uint32_t fact, size_t *one)
{
	double mean = mean_of_windows(j, rule, fact, false, one);
	return isnan(mean) ? mean_of_windows(j, rule, fact, true, one) : mean;
}

/* `missing`: a fact that is no evidence, for it is what was not measured; or SX_NONE. */
static bool note_evidence(struct judging *j, uint32_t rule, uint32_t missing,
			  struct verdict_part *part)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	/* Without a verdict, the evidence is what the last rule would have shown. */
	uint32_t shows = rule == NO_RULE ? rules->rule_count - 1 : rule;
	const struct sx_strings *names = &judging_rule(j, shows)->evidence;
	struct verdict_value *list =
	    arena_alloc(&j->verdict->arena, (names->count + 1) * sizeof(*list));
	for (uint32_t i = 0; list && i < names->count; i++) {
		uint32_t at = verdict_fact_find(rules, names->items[i]);
		const struct verdict_fact *fact = &rules->facts[at];
		const struct verdict_column *c = &j->facts.facts[at];
		size_t w = 0;
		double mean = mean_fact(j, rule, at, &w);
		/* A constant in place of a fact that this run does not have is no evidence. */
		const struct verdict_way *way = &fact->ways[c->way[w]];
		if (at == missing || isnan(mean) || sx_expr_root(way->tree)->kind == SX_NODE_NUMBER)
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
static void note_which(struct judging *j, uint32_t rule, struct verdict_part *part)
{
	const struct sx_strings *names = &judging_rule(j, rule)->which;
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

/*
 * What of these facts a window lacks and can be had: one that a source knows of first. *alone: no
 * other lacks, and no source knows of it.
 */
static uint32_t first_missing(const struct judging *j, const struct sx_strings *needs,
			      size_t window, bool *alone)
{
	uint32_t found = SX_NONE, lacks = 0;
	bool known = false;
	for (uint32_t i = 0; i < needs->count; i++) {
		uint32_t fact = verdict_fact_find(&j->verdict->rules, needs->items[i]);
		if (judging_is_sound(&j->facts.facts[fact], window) ||
		    (found != SX_NONE && facts_is_of_others(&j->facts, fact)))
			continue;
		bool knows = facts_may_know(&j->facts, fact);
		if (found == SX_NONE || (knows && !known))
			found = fact;
		known |= knows;
		lacks++;
	}
	*alone = lacks == 1 && !known;
	return found;
}

/* Nothing of a file can be measured again by an option. */
static const char *remedy_of(const struct judging *j, const struct verdict_fact *fact, bool alone)
{
	bool live = false;
	for (uint32_t i = 0; i < j->facts.source_count; i++)
		live |= !j->facts.sources[i].imported;
	if (!live && fact->in_files)
		return fact->in_files;
	return alone && fact->elsewhere ? fact->elsewhere : fact->remedy;
}

/* Of facts that are missing: why, and how to get the first. */
static void note_missing(const struct judging *j, uint32_t missing, bool alone,
			 struct verdict_part *part, char *text, size_t size)
{
	const struct verdict_fact *fact = &j->verdict->rules.facts[missing];
	/* All that such a fact is made of was measured, and does not show it. */
	bool of_others = facts_is_of_others(&j->facts, missing);
	const char *own = of_others ? fact->undecided : alone ? fact->nowhere : NULL;
	snprintf(text, size, "%s%s", own ? own : fact->title, own ? "" : ": ");
	if (!own)
		no_data_append(text, size, of_others ? NO_DATA_NO_VALUE : NO_DATA_NOT_COLLECTED,
			       NULL);
	part->advice = remedy_of(j, fact, alone);
}

/* What a rule lacks that would hold but for a bound; else what the rule that needs least does. */
static bool note_unknown(struct judging *j, size_t window, struct verdict_part *part)
{
	const struct verdict_rules *rules = &j->verdict->rules;
	uint32_t last = rules->rule_count - 1, missing = SX_NONE, bound = SX_NONE;
	bool alone = false;
	char text[512] = "no rule holds: the values lie between those of two verdicts";
	part->name = VERDICT_UNKNOWN;
	part->title = "Unknown";
	for (size_t w = window; bound == SX_NONE && w < j->facts.count; w++) {
		if (j->rule[w] != NO_RULE)
			continue;
		if (missing == SX_NONE)
			missing = first_missing(j, &rules->rules[last].needs, w, &alone);
		bound = j->bound[w];
		window = w;
	}
	if (bound != SX_NONE) {
		const struct verdict_fact *fact = &rules->facts[bound];
		const char *of = fact->ways[j->facts.facts[bound].way[window]].of;
		snprintf(text, sizeof(text), "%s: %s, does not decide", fact->title,
			 of ? of : "a bound");
		part->advice = remedy_of(j, fact, false);
	} else if (missing != SX_NONE) {
		note_missing(j, missing, alone, part, text, sizeof(text));
	}
	part->because = arena_strndup(&j->verdict->arena, text, strlen(text));
	return part->because && note_evidence(j, NO_RULE, missing, part);
}

static uint64_t window_length(const struct judging *j, size_t w)
{
	const struct sx_table *t = j->facts.windows;
	return j->facts.timed ? sx_table_end_ns(t)[w] - sx_table_begin_ns(t)[w] : 0;
}

/* One part for all windows that have the verdict of this one. */
static bool note_part(struct judging *j, size_t first, struct verdict_part *part)
{
	uint32_t rule = j->rule[first];
	size_t count = 0;
	for (size_t w = 0; w < j->facts.count; w++) {
		if (!judging_same(j, j->rule[w], rule))
			continue;
		count++;
		part->confidence += j->confidence[w];
		part->time_ns += window_length(j, w);
	}
	part->share = (double)count / (double)j->facts.count;
	/* The run is too short to know whether it would have lasted. */
	if (j->facts.count < j->verdict->rules.steady)
		part->confidence *= (double)j->facts.count / j->verdict->rules.steady;
	/* No digits that sums of tenths leave behind. */
	part->confidence = round(part->confidence / (double)count * 1e4) / 1e4;
	if (rule == NO_RULE)
		return note_unknown(j, first, part);
	part->name = judging_rule(j, rule)->name;
	part->title = judging_rule(j, rule)->title;
	part->advice = judging_rule(j, rule)->advice;
	note_which(j, rule, part);
	return note_evidence(j, rule, SX_NONE, part);
}

static int by_share(const void *a, const void *b)
{
	const struct verdict_part *x = a, *y = b;
	if (x->share != y->share)
		return x->share < y->share ? 1 : -1;
	return (x > y) - (x < y);
}

static bool note_parts(struct judging *j)
{
	struct verdict *v = j->verdict;
	struct verdict_part *parts =
	    arena_alloc(&v->arena, (v->rules.rule_count + 2) * sizeof(*parts));
	for (size_t w = 0; parts && w < j->facts.count; w++) {
		bool shown = false;
		for (size_t k = 0; k < w; k++)
			shown |= judging_same(j, j->rule[k], j->rule[w]);
		if (!shown && !note_part(j, w, &parts[v->part_count++]))
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
	const char *name = rule == NO_RULE ? VERDICT_UNKNOWN : judging_rule(j, rule)->name;
	for (uint32_t i = 0; i < j->verdict->part_count; i++)
		if (strcmp(j->verdict->parts[i].name, name) == 0)
			return i;
	return 0;
}

static bool note_stretches(struct judging *j)
{
	struct verdict *v = j->verdict;
	const struct sx_table *t = j->facts.windows;
	struct verdict_stretch *list = arena_alloc(&v->arena, (j->facts.count + 1) * sizeof(*list));
	for (size_t w = 0; list && w < j->facts.count;) {
		size_t run = judging_run(j, w);
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
	j->facts.rules = &j->verdict->rules;
	enum sx_status status = verdict_windows(&j->facts, err);
	if (status || !j->facts.count)
		return status;
	status = verdict_facts_fill(&j->facts, err);
	if (!status)
		status = judging_run_rules(j, err);
	if (!status && (!note_parts(j) || !note_stretches(j)))
		status = error_nomem(err, "judging a run");
	return status;
}

enum sx_status verdict_judge_by(struct verdict_rules *rules, const struct verdict_source *sources,
				uint32_t count, struct verdict **out, struct sx_error *err)
{
	struct judging j = {.facts = {.sources = sources, .source_count = count}};
	*out = NULL;
	j.verdict = calloc(1, sizeof(*j.verdict));
	if (!j.verdict) {
		verdict_rules_finish(rules);
		return error_nomem(err, "judging a run");
	}
	j.verdict->rules = *rules;
	enum sx_status status = judge(&j, err);
	verdict_facts_finish(&j.facts);
	if (status || !j.verdict->windows) {
		verdict_destroy(j.verdict);
		return status;
	}
	*out = j.verdict;
	return SX_OK;
}

enum sx_status verdict_judge(const struct verdict_source *sources, uint32_t count,
			     struct verdict **out, struct sx_error *err)
{
	struct verdict_rules rules;
	*out = NULL;
	enum sx_status status = verdict_rules_read(&rules, err);
	return status ? status : verdict_judge_by(&rules, sources, count, out, err);
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
	return confidence >= VERDICT_MEDIUM ? "medium" : "low";
}
