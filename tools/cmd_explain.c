/* sextant explain: what one metric or counter means, and what it is made of. */
#include "tools/describe.h"
#include "tools/input.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TREE_DEPTH_MAX 64

/* What is printed, and the numbers to put in when there is an input file. */
struct explanation {
	const struct cli *cli;
	struct catalog_view view;
	uint32_t variant, set;
	const struct sx_table *totals; /* one row of raw counters, or NULL */
	bool last[TREE_DEPTH_MAX];     /* the node at this depth is its parent's last child */
};

static void field(const struct explanation *e, const char *name, const char *value)
{
	if (value && *value)
		fprintf(e->cli->out.out, "  %-9s %s\n", name, value);
}

static void title(const struct explanation *e, const char *text)
{
	fputc('\n', e->cli->out.out);
	text_styled(&e->cli->out, TEXT_BOLD, text);
	fputc('\n', e->cli->out.out);
}

static void branch(const struct explanation *e, int depth)
{
	fputs("  ", e->cli->out.out);
	for (int i = 1; i < depth; i++)
		fputs(e->last[i] ? "   " : "\u2502  ", e->cli->out.out);
	if (depth)
		fputs(e->last[depth] ? "\u2514\u2500 " : "\u251c\u2500 ", e->cli->out.out);
}

/* The value of a name over the input file, as text; empty without one. */
static void number_of(const struct explanation *e, const char *name, const char *unit,
		      char buf[HUMAN_MAX + 4])
{
	buf[0] = '\0';
	if (!e->totals)
		return;
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	struct sx_metrics_options options = {
	    .patterns = &name,
	    .pattern_count = 1,
	    .set = e->set == SX_NONE ? NULL : e->view.groups[e->set].name,
	    .variant = e->view.info->variant_count ? e->view.info->variants[e->variant].name : NULL,
	    .constants = e->cli->options.constants,
	    .constant_count = (uint32_t)e->cli->options.constant_count,
	    .like = e->totals};
	if (sx_metrics_create(e->view.catalog, &options, &metrics, NULL) == SX_OK &&
	    sx_metrics_eval(metrics, e->totals, &out, NULL) == SX_OK) {
		char value[HUMAN_MAX];
		human_value(&e->cli->human, value, sx_table_get(out, 0, 0), unit);
		snprintf(buf, HUMAN_MAX + 4, " = %s", value);
	}
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
}

static double constant_value(const struct explanation *e, uint32_t constant)
{
	const struct options *o = &e->cli->options;
	for (size_t i = 0; i < o->constant_count; i++)
		if (sx_catalog_find_constant(e->view.catalog, o->constants[i].name) == constant)
			return o->constants[i].value;
	const struct sx_constant_info *c = &e->view.constants[constant];
	return c->has_value ? c->value : NAN;
}

static void place(const struct explanation *e, const struct sx_counter_info *c, char *buf,
		  size_t size)
{
	const char *where = c->block != SX_NONE	  ? e->view.blocks[c->block].name
			    : c->group != SX_NONE ? e->view.groups[c->group].name
						  : "";
	int n = snprintf(buf, size, "%s", where);
	if (c->slot != SX_NONE && n >= 0 && (size_t)n < size)
		n += snprintf(buf + n, size - (size_t)n, "%sslot %u", *where ? ", " : "", c->slot);
	if (c->reduce != SX_REDUCE_SINGLE && n >= 0 && (size_t)n < size)
		snprintf(buf + n, size - (size_t)n, "%s%s over instances", n ? ", " : "",
			 describe_reduce(c->reduce));
}

static void leaf_name(const struct explanation *e, const struct sx_node *node)
{
	FILE *out = e->cli->out.out;
	char number[HUMAN_MAX + 4], where[160];
	uint32_t metric = e->set == SX_NONE
			      ? SX_NONE
			      : sx_catalog_find_metric(e->view.catalog, node->name, e->set, NULL);
	uint32_t counter = sx_catalog_find_counter(e->view.catalog, node->name, e->set, NULL);
	if (counter == SX_NONE)
		counter = sx_catalog_find_counter(e->view.catalog, node->name, SX_NONE, NULL);
	uint32_t constant = sx_catalog_find_constant(e->view.catalog, node->name);
	if (metric == SX_NONE && counter == SX_NONE && constant == SX_NONE)
		metric = sx_catalog_find_metric(e->view.catalog, node->name, SX_NONE, NULL);
	fputs(node->name, out);
	if (node->instances == SX_INSTANCES_ALL)
		fputs("[*]", out);
	else if (node->instances == SX_INSTANCES_RANGE && node->first == node->last)
		fprintf(out, "[%u]", node->first);
	else if (node->instances == SX_INSTANCES_RANGE)
		fprintf(out, "[%u..%u]", node->first, node->last);
	if (metric != SX_NONE) {
		number_of(e, node->name, e->view.metrics[metric].unit, number);
		fprintf(out, "%s  (metric, %s)\n", number, e->view.metrics[metric].unit);
	} else if (counter != SX_NONE) {
		const struct sx_counter_info *c = &e->view.counters[counter];
		place(e, c, where, sizeof(where));
		number_of(e, c->name, c->unit, number);
		fprintf(out, "%s  (%s%s%s)\n", number, c->unit, *where ? "; " : "", where);
	} else if (constant != SX_NONE) {
		double value = constant_value(e, constant);
		uint32_t column = e->totals ? sx_table_find(e->totals, node->name) : SX_NONE;
		if (column != SX_NONE)
			value = sx_table_get(e->totals, column, 0);
		number[0] = '\0';
		if (!isnan(value))
			snprintf(number, sizeof(number), " = %.15g", value);
		fprintf(out, "%s  (constant, %s%s)\n", number, e->view.constants[constant].unit,
			isnan(value) ? "; not known without the device or --const" : "");
	} else {
		fputs("  (length of the sample)\n", out);
	}
}

static void tree(struct explanation *e, const struct sx_node *node, int depth)
{
	branch(e, depth);
	if (node->kind == SX_NODE_NUMBER) {
		fprintf(e->cli->out.out, "%.15g\n", node->number);
		return;
	}
	if (node->kind == SX_NODE_NAME) {
		leaf_name(e, node);
		return;
	}
	fprintf(e->cli->out.out, "%s\n", sx_op_name(node->op));
	for (uint32_t i = 0; depth + 1 < TREE_DEPTH_MAX && i < node->child_count; i++) {
		e->last[depth + 1] = i + 1 == node->child_count;
		tree(e, node->children[i], depth + 1);
	}
}

static bool node_names(const struct sx_node *node, const char *name)
{
	if (node->kind == SX_NODE_NAME && strcmp(node->name, name) == 0)
		return true;
	for (uint32_t i = 0; i < node->child_count; i++)
		if (node_names(node->children[i], name))
			return true;
	return false;
}

static bool advice_reads(const struct sx_advice_info *advice, const char *name)
{
	struct sx_expr *parsed = NULL;
	if (advice->metric && strcmp(advice->metric, name) == 0)
		return true;
	if (!advice->when || sx_expr_parse(advice->when, SX_INFIX, &parsed, NULL) != SX_OK)
		return false;
	bool reads = node_names(sx_expr_root(parsed), name);
	sx_expr_destroy(parsed);
	return reads;
}

static void advice_using(const struct explanation *e, const char *name)
{
	bool any = false;
	for (uint32_t i = 0; i < e->view.advice_count; i++) {
		const struct sx_advice_info *a = &e->view.advice[i];
		if (!advice_reads(a, name))
			continue;
		if (!any)
			title(e, "advice");
		any = true;
		fprintf(e->cli->out.out, "  %s (%s): %s\n", a->rule, describe_severity(a->severity),
			a->when ? a->when : a->needs);
		text_wrap(&e->cli->out, 4, a->advice);
	}
}

static void strings(const struct explanation *e, const char *heading, const struct sx_strings *s)
{
	if (!s->count)
		return;
	title(e, heading);
	for (uint32_t i = 0; i < s->count; i++)
		text_wrap(&e->cli->out, 2, s->items[i]);
}

static void names_line(const struct explanation *e, const char *name, const struct sx_strings *s)
{
	char line[512] = "";
	for (uint32_t i = 0; i < s->count && strlen(line) + 2 < sizeof(line); i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? ", " : "",
			 s->items[i]);
	field(e, name, line);
}

static void section_path(const struct explanation *e, const struct sx_metric_info *m)
{
	for (uint32_t i = 0; i < m->section_count; i++) {
		uint32_t chain[16];
		size_t depth = 0;
		char line[512];
		for (uint32_t s = m->sections[i]; s != SX_NONE && depth < 16;
		     s = e->view.sections[s].parent)
			chain[depth++] = s;
		snprintf(line, sizeof(line), "%s ", e->view.sections[m->sections[i]].id);
		while (depth-- > 1)
			snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s",
				 e->view.sections[chain[depth]].title, depth > 1 ? " > " : "");
		field(e, i ? "and" : "section", line);
	}
}

static void explain_metric(struct explanation *e, uint32_t index)
{
	const struct sx_metric_info *m = &e->view.metrics[index];
	const char *name = describe_metric_name(&e->view, index);
	const char *expr = m->exprs ? m->exprs[e->variant] : NULL;
	char number[HUMAN_MAX + 4];
	e->set = m->group;
	number_of(e, m->qualified, m->unit, number);
	text_styled(&e->cli->out, TEXT_BOLD, name);
	fprintf(e->cli->out.out, "%s  %s\n", number, m->title ? m->title : "");
	text_wrap(&e->cli->out, 2, m->description ? m->description : "");
	fputc('\n', e->cli->out.out);
	field(e, "catalog", e->view.info->title);
	section_path(e, m);
	field(e, "set", m->group == SX_NONE ? NULL : e->view.groups[m->group].name);
	field(e, "group", m->category);
	field(e, "unit", m->unit);
	field(e, "neutral", m->neutral);
	names_line(e, "APIs", &m->apis);
	names_line(e, "aliases", &m->aliases);
	field(e, "maximum", m->max);
	if (m->unavailable)
		field(e, "no value", m->unavailable);
	struct sx_expr *parsed = NULL;
	if (expr && sx_expr_parse(expr, e->view.info->notation, &parsed, NULL) == SX_OK) {
		title(e, "formula");
		text_wrap(&e->cli->out, 2, expr);
		fputc('\n', e->cli->out.out);
		tree(e, sx_expr_root(parsed), 0);
	}
	sx_expr_destroy(parsed);
	advice_using(e, m->name);
	strings(e, "notes", &m->notes);
}

static void metrics_using(const struct explanation *e, const char *counter)
{
	bool any = false;
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		const struct sx_metric_info *m = &e->view.metrics[i];
		struct sx_expr *parsed;
		const char **inputs =
		    describe_inputs(&e->view, m->exprs ? m->exprs[e->variant] : NULL, &parsed);
		for (size_t n = 0; inputs && inputs[n]; n++) {
			if (strcmp(inputs[n], counter) != 0)
				continue;
			if (!any)
				title(e, "metrics that read it");
			any = true;
			fprintf(e->cli->out.out, "  %s\n", describe_metric_name(&e->view, i));
		}
		free(inputs);
		sx_expr_destroy(parsed);
	}
}

static void explain_counter(struct explanation *e, uint32_t index)
{
	const struct sx_counter_info *c = &e->view.counters[index];
	char where[160], bits[64], number[HUMAN_MAX + 4];
	e->set = c->group;
	number_of(e, c->name, c->unit, number);
	text_styled(&e->cli->out, TEXT_BOLD, c->name);
	fprintf(e->cli->out.out, "%s  %s\n", number, c->title ? c->title : "");
	text_wrap(&e->cli->out, 2, c->description ? c->description : "");
	fputc('\n', e->cli->out.out);
	place(e, c, where, sizeof(where));
	snprintf(bits, sizeof(bits), "%u bits%s", c->bits, c->scale > 1 ? ", scaled" : "");
	field(e, "catalog", e->view.info->title);
	field(e, "place", where);
	field(e, "unit", c->unit);
	field(e, "width", bits);
	field(e, "neutral", c->neutral);
	names_line(e, "aliases", &c->aliases);
	metrics_using(e, c->name);
	advice_using(e, c->name);
	strings(e, "notes", &c->notes);
}

static void explain_json(const struct explanation *e, uint32_t metric, uint32_t counter)
{
	struct json json = cli_json_begin(e->cli, "explain");
	json_kv_string(&json, "for", e->view.info->name);
	json_key(&json, metric != SX_NONE ? "metric" : "counter");
	if (metric != SX_NONE)
		describe_metric_json(&json, &e->view, metric, e->variant);
	else
		describe_counter_json(&json, &e->view, counter);
	cli_json_end(&json);
}

/* The first metric, or else counter, that maps a neutral name. */
static bool look_up_neutral(const struct explanation *e, const char *name, uint32_t *metric,
			    uint32_t *counter)
{
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		const struct sx_metric_info *m = &e->view.metrics[i];
		if (m->neutral && strcmp(m->neutral, name) == 0 &&
		    (e->set == SX_NONE || m->group == e->set)) {
			*metric = i;
			return true;
		}
	}
	for (uint32_t i = 0; i < e->view.counter_count; i++)
		if (e->view.counters[i].neutral && strcmp(e->view.counters[i].neutral, name) == 0) {
			*counter = i;
			return true;
		}
	return false;
}

static enum sx_status look_up(struct explanation *e, const char *name, uint32_t *metric,
			      uint32_t *counter, struct sx_error *err)
{
	uint32_t matches = 0;
	const char *near[2];
	*metric = sx_catalog_find_metric(e->view.catalog, name, e->set, &matches);
	*counter = sx_catalog_find_counter(e->view.catalog, name, SX_NONE, NULL);
	if (*metric != SX_NONE && matches > 1) {
		error_set(err, SX_ERR_AMBIGUOUS, "%s is ambiguous in catalog %s", name,
			  e->view.info->name);
		error_because(err, "%u groups have a metric of this name", matches);
		error_try(err, "%s, or choose the group with --set",
			  e->view.metrics[*metric].qualified);
		return SX_ERR_AMBIGUOUS;
	}
	if (*metric != SX_NONE || *counter != SX_NONE)
		return SX_OK;
	if (look_up_neutral(e, name, metric, counter))
		return SX_OK;
	error_set(err, SX_ERR_NOT_FOUND, "no metric or counter %s in catalog %s", name,
		  e->view.info->name);
	error_because(err, "no name or alias matches");
	if (sx_catalog_suggest(e->view.catalog, name, near, 2))
		error_try(err, "sextant explain %s --for %s", near[0], e->view.info->name);
	else
		error_try(err, "sextant list metrics --for %s", e->view.info->name);
	return SX_ERR_NOT_FOUND;
}

static enum sx_status prepare(struct explanation *e, struct sx_catalog *catalog,
			      struct sx_table **totals, struct sx_error *err)
{
	const struct options *o = &e->cli->options;
	struct sx_table *raw = NULL;
	enum sx_status status = SX_OK;
	e->view = describe_view(catalog);
	e->set = o->set ? sx_catalog_find_group(catalog, o->set) : SX_NONE;
	if (o->api)
		e->variant = sx_catalog_find_variant(catalog, o->api);
	if ((o->set && e->set == SX_NONE) || e->variant == SX_NONE) {
		error_set(err, SX_ERR_NOT_FOUND, "catalog %s has no %s %s", e->view.info->name,
			  e->variant == SX_NONE ? "API" : "set",
			  e->variant == SX_NONE ? o->api : o->set);
		error_because(err, "no name matches");
		error_try(err, "sextant list sets --for %s", e->view.info->name);
		return SX_ERR_NOT_FOUND;
	}
	if (!o->input)
		return SX_OK;
	status = input_table(e->cli, o->input, catalog, &raw, err);
	if (!status)
		status = sx_table_total(raw, totals, err);
	sx_table_destroy(raw);
	e->totals = *totals;
	return status;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct sx_table *totals = NULL;
	struct explanation e = {.cli = cli};
	uint32_t metric = SX_NONE, counter = SX_NONE;
	enum sx_status status = cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON, &err);
	if (!status && cli->options.args.count == 0) {
		status = error_set(&err, SX_ERR_USAGE, "nothing to explain was named");
		error_because(&err, "explain takes the name of a metric or counter");
		error_try(&err, "sextant explain gpu.busy --for amd-gcn2");
	}
	if (!status)
		status = cli_catalog(cli, &catalog, &err);
	if (!status)
		status = prepare(&e, catalog, &totals, &err);
	if (!status)
		status = look_up(&e, cli->options.args.items[0], &metric, &counter, &err);
	if (!status && cli->options.format == FORMAT_JSON)
		explain_json(&e, metric, counter);
	else if (!status && metric != SX_NONE)
		explain_metric(&e, metric);
	else if (!status)
		explain_counter(&e, counter);
	sx_table_destroy(totals);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_explain = {
    .verb = {.name = "explain",
	     .synopsis = "NAME --for CATALOG [-i FILE]",
	     .summary = "what a metric means: unit, formula as a tree, inputs, advice",
	     .about =
		 "Shows title, unit, meaning, the formula as a tree with each input's block and "
		 "slot, and the advice that uses it. With -i the numbers of a file are put in.",
	     .options = "for set api input output const format",
	     .max_args = 1,
	     .examples = "  sextant explain VSInvocations --for opengl\n"
			 "  sextant explain RenderBasic.EuActive --for intel-bdw\n"},
    .run = run,
};
