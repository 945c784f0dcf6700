/* Advice: the catalog's rules held against samples, each with its evidence. */
#include <sextant/analysis.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

struct sx_advice {
	struct arena arena;
	struct sx_catalog *catalog;
	struct sx_finding *findings;
	size_t count;
};

/* Everything while the rules are judged. */
struct judge {
	struct sx_advice *advice;
	struct sx_catalog *catalog;
	const struct sx_metrics_options *options;
	struct sx_metrics *metrics; /* what the rules name */
	struct sx_table *table;	    /* its values, a row a sample */
	struct sx_vector *inputs;   /* its columns */
	uint32_t input_count;
	double *verdicts; /* of one rule, a row a sample */
	char missing[256];
};

/* Collects the names that conditions use, as patterns for a selection. */
struct names {
	const char **items;
	size_t count, cap;
	bool failed;
};

static void names_add(struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->items[i], name) == 0)
			return;
	if (!mem_grow(&names->items, &names->cap, names->count + 1, sizeof(*names->items)))
		names->failed = true;
	else
		names->items[names->count++] = name;
}

static void names_walk(struct names *names, const struct sx_node *node)
{
	if (node->kind == SX_NODE_NAME)
		names_add(names, node->name);
	for (uint32_t i = 0; i < node->child_count; i++)
		names_walk(names, node->children[i]);
}

/* A name that can be selected: a metric or counter, found without ambiguity. */
static bool selectable(const struct sx_catalog *catalog, const char *name, uint32_t set)
{
	uint32_t matches = 0;
	if (sx_catalog_find_metric(catalog, name, set, &matches) != SX_NONE)
		return matches <= 1;
	return sx_catalog_find_counter(catalog, name, SX_NONE, NULL) != SX_NONE;
}

static enum sx_status select_named(struct judge *j, struct sx_expr **conditions,
				   const struct sx_metrics_options *options, struct sx_error *err)
{
	struct names names = {0};
	struct sx_metrics_options wanted = *options;
	uint32_t count, set = SX_NONE;
	const struct sx_advice_info *rules = sx_catalog_advice(j->catalog, &count);
	if (options->set)
		set = sx_catalog_find_group(j->catalog, options->set);
	for (uint32_t i = 0; i < count; i++) {
		if (conditions[i])
			names_walk(&names, sx_expr_root(conditions[i]));
		if (rules[i].metric)
			names_add(&names, rules[i].metric);
	}
	size_t kept = 0;
	for (size_t i = 0; i < names.count; i++)
		if (selectable(j->catalog, names.items[i], set))
			names.items[kept++] = names.items[i];
	wanted.patterns = names.items;
	wanted.pattern_count = (uint32_t)kept;
	enum sx_status status = names.failed ? error_nomem(err, "reading advice") : SX_OK;
	if (!status && kept)
		status = sx_metrics_create(j->catalog, &wanted, &j->metrics, err);
	free(names.items);
	return status;
}

static uint32_t column_of(const struct judge *j, const char *name)
{
	uint32_t count;
	if (!j->metrics)
		return SX_NONE;
	const struct sx_metric_column *columns = sx_metrics_columns(j->metrics, &count);
	const struct sx_metric_info *metrics = sx_catalog_metrics(j->catalog, &(uint32_t){0});
	const struct sx_counter_info *counters = sx_catalog_counters(j->catalog, &(uint32_t){0});
	uint32_t counter = sx_catalog_find_counter(j->catalog, name, SX_NONE, NULL);
	for (uint32_t i = 0; i < count; i++) {
		const struct sx_metric_column *c = &columns[i];
		if (c->metric != SX_NONE && (strcmp(metrics[c->metric].name, name) == 0 ||
					     strcmp(metrics[c->metric].qualified, name) == 0))
			return i;
		if (c->counter != SX_NONE && counter != SX_NONE &&
		    strcmp(counters[c->counter].name, counters[counter].name) == 0)
			return i;
	}
	return SX_NONE;
}

static double constant_value(const struct judge *j, const char *name)
{
	uint32_t count;
	uint32_t at = sx_catalog_find_constant(j->catalog, name);
	if (at == SX_NONE)
		return NAN;
	for (uint32_t i = 0; i < j->options->constant_count; i++)
		if (sx_catalog_find_constant(j->catalog, j->options->constants[i].name) == at)
			return j->options->constants[i].value;
	const struct sx_constant_info *info = &sx_catalog_constants(j->catalog, &count)[at];
	return info->has_value ? info->value : NAN;
}

static enum sx_status resolve(void *user, const char *name, uint32_t instance, uint32_t scope,
			      struct sx_ref *out, struct sx_error *err)
{
	struct judge *j = user;
	uint32_t column = column_of(j, name);
	if (column != SX_NONE) {
		const char *why = sx_table_column(j->table, column)->why;
		if (why && !j->missing[0])
			snprintf(j->missing, sizeof(j->missing), "%s: %s", name, why);
		*out = (struct sx_ref){
		    .kind = SX_REF_INPUT, .input = column, .type = j->inputs[column].type};
		return SX_OK;
	}
	double value = constant_value(j, name);
	if (!isnan(value)) {
		*out = (struct sx_ref){.kind = SX_REF_CONSTANT, .type = SX_F64, .value = value};
		return SX_OK;
	}
	if (!j->missing[0])
		snprintf(j->missing, sizeof(j->missing), "%s is not known here", name);
	*out = (struct sx_ref){.kind = SX_REF_NO_DATA, .type = SX_F64};
	return SX_OK;
}

static uint32_t one_instance(void *user, const char *name, uint32_t scope)
{
	return 1;
}

static enum sx_status run_condition(struct judge *j, const struct sx_expr *condition,
				    struct sx_error *err)
{
	struct sx_program_output output = {.expr = condition, .scope = SX_NONE, .type = SX_F64};
	struct sx_resolver resolver = {.user = j, .resolve = resolve, .instances = one_instance};
	struct sx_program *program = NULL;
	enum sx_status status =
	    sx_program_compile(&output, 1, SX_DIALECT_STANDARD, &resolver, &program, NULL, err);
	if (!status)
		status = sx_program_eval(program, j->inputs, sx_table_row_count(j->table),
					 &(struct sx_result){.data = j->verdicts}, err);
	sx_program_destroy(program);
	return status;
}

/* Counts the samples that fulfil the rule and finds their longest run. */
static void weigh(struct judge *j, struct sx_finding *f)
{
	size_t rows = sx_table_row_count(j->table), run = 0, longest = 0;
	uint32_t metric = f->rule->metric ? column_of(j, f->rule->metric) : SX_NONE;
	double sum = 0;
	size_t valued = 0;
	for (size_t r = 0; r < rows; r++) {
		bool judged = !isnan(j->verdicts[r]);
		bool yes = judged && j->verdicts[r] != 0;
		f->rows += judged;
		run = yes ? run + 1 : 0;
		if (run > longest) {
			longest = run;
			f->last = r;
			f->first = r + 1 - run;
		}
		if (!yes)
			continue;
		f->samples++;
		double value = metric == SX_NONE ? NAN : sx_table_get(j->table, metric, r);
		if (!isnan(value)) {
			sum += value;
			valued++;
		}
	}
	f->value = valued ? sum / (double)valued : NAN;
	f->fired = f->samples && (double)f->samples >= f->rule->min_share * (double)f->rows;
}

static const char *keep(struct judge *j, const char *text)
{
	const char *copy = arena_strndup(&j->advice->arena, text, strlen(text));
	return copy ? copy : "unknown";
}

static enum sx_status judge_rule(struct judge *j, struct sx_finding *f,
				 const struct sx_expr *condition, struct sx_error *err)
{
	j->missing[0] = '\0';
	f->value = NAN;
	if (f->rule->needs || !condition) {
		f->why = f->rule->needs ? f->rule->needs : "its condition cannot be read";
		return SX_OK;
	}
	if (!j->table) {
		f->why = "nothing that it reads was measured";
		return SX_OK;
	}
	enum sx_status status = run_condition(j, condition, err);
	if (status)
		return status;
	weigh(j, f);
	if (f->rows == 0)
		f->why = keep(j, j->missing[0] ? j->missing : "no sample has the data");
	return SX_OK;
}

static int rank(const struct sx_finding *f)
{
	return f->fired ? (int)f->rule->severity : f->why ? 20 : 10;
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

static enum sx_status prepare(struct judge *j, struct sx_expr **conditions,
			      const struct sx_metrics_options *options, const struct sx_table *raw,
			      struct sx_error *err)
{
	uint32_t count;
	const struct sx_advice_info *rules = sx_catalog_advice(j->catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (rules[i].when)
			sx_expr_parse(rules[i].when, SX_INFIX, &conditions[i], NULL);
	enum sx_status status = select_named(j, conditions, options, err);
	if (!status && j->metrics)
		status = sx_metrics_eval(j->metrics, raw, &j->table, err);
	if (status || !j->table)
		return status;
	j->input_count = sx_table_column_count(j->table);
	j->inputs = calloc(j->input_count + 1, sizeof(*j->inputs));
	j->verdicts = calloc(sx_table_row_count(j->table) + 1, sizeof(*j->verdicts));
	if (!j->inputs || !j->verdicts)
		return error_nomem(err, "judging samples");
	for (uint32_t i = 0; i < j->input_count; i++)
		j->inputs[i] = sx_table_vector(j->table, i);
	return SX_OK;
}

static enum sx_status judge_all(struct judge *j, struct sx_expr **conditions,
				const struct sx_metrics_options *options,
				const struct sx_table *raw, struct sx_error *err)
{
	uint32_t count;
	const struct sx_advice_info *rules = sx_catalog_advice(j->catalog, &count);
	struct sx_advice *advice = j->advice;
	enum sx_status status = prepare(j, conditions, options, raw, err);
	advice->findings = arena_alloc(&advice->arena, count * sizeof(*advice->findings) + 1);
	if (!status && !advice->findings)
		status = error_nomem(err, "judging samples");
	for (uint32_t i = 0; !status && i < count; i++) {
		advice->findings[i] = (struct sx_finding){.rule = &rules[i]};
		status = judge_rule(j, &advice->findings[i], conditions[i], err);
	}
	advice->count = count;
	if (!status)
		qsort(advice->findings, count, sizeof(*advice->findings), compare);
	return status;
}

enum sx_status sx_advice_create(struct sx_catalog *catalog,
				const struct sx_metrics_options *options,
				const struct sx_table *raw, struct sx_advice **out,
				struct sx_error *err)
{
	uint32_t count;
	struct sx_metrics_options chosen = options ? *options : (struct sx_metrics_options){0};
	chosen.like = raw;
	sx_catalog_advice(catalog, &count);
	struct judge j = {
	    .catalog = catalog, .options = &chosen, .advice = calloc(1, sizeof(struct sx_advice))};
	struct sx_expr **conditions = calloc(count + 1, sizeof(*conditions));
	enum sx_status status = SX_ERR_NO_MEMORY;
	if (j.advice && conditions) {
		j.advice->catalog = sx_catalog_ref(catalog);
		status = judge_all(&j, conditions, &chosen, raw, err);
	} else {
		error_nomem(err, "judging samples");
	}
	for (uint32_t i = 0; conditions && i < count; i++)
		sx_expr_destroy(conditions[i]);
	free(conditions);
	sx_metrics_destroy(j.metrics);
	sx_table_destroy(j.table);
	free(j.inputs);
	free(j.verdicts);
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
