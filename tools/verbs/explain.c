/* sextant explain: what one metric or counter means, and what it is made of. */
#include "tools/verbs/oa/explain.h"
#include "analysis/stats.h"
#include "output/catalog/also.h"
#include "output/catalog/formula.h"
#include "output/catalog/rule.h"
#include "tools/cli/input/capture_view.h"
#include "tools/cli/input/input.h"
#include "tools/cli/selection.h"
#include "tools/cli/ticker.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"

/* What is printed, and the numbers to put in when there is an input file. */
struct explanation {
	const struct cli *cli;
	struct catalog_view view;
	uint32_t variant, set;
	const struct sx_table *totals; /* one row of raw counters, or NULL */
};

static void field(const struct explanation *e, const char *name, const char *value)
{
	text_field(&e->cli->view.out, 12, name, value);
}

/* The value of a metric or counter over the input file; NaN without one. */
static double value_of(const struct explanation *e, const char *name)
{
	struct sx_metrics *metrics = NULL;
	struct sx_table *out = NULL;
	double value = NAN;
	struct sx_metrics_options options = options_selection(&e->cli->options, e->totals);
	options.patterns = &name;
	options.pattern_count = 1;
	options.keep_neutral = false;
	options.set = NULL;
	options.variant =
	    e->view.info->variant_count ? e->view.info->variants[e->variant].name : NULL;
	if (e->totals && sx_metrics_create(e->view.catalog, &options, &metrics, NULL) == SX_OK &&
	    sx_metrics_eval(metrics, e->totals, &out, NULL) == SX_OK)
		value = sx_table_get(out, 0, 0);
	sx_table_destroy(out);
	sx_metrics_destroy(metrics);
	return value;
}

/* The same as text; empty without an input file. */
static void number_of(const struct explanation *e, const char *name, const char *unit,
		      char buf[HUMAN_MAX + 4])
{
	char value[HUMAN_MAX];
	buf[0] = '\0';
	if (!e->totals)
		return;
	human_value(&e->cli->view.human, value, value_of(e, name), unit);
	snprintf(buf, HUMAN_MAX + 4, " = %s", value);
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

static bool advice_reads(const struct explanation *e, const struct sx_advice_info *advice,
			 const char *name)
{
	struct sx_expr *parsed = NULL;
	if (advice->metric && strcmp(advice->metric, name) == 0)
		return true;
	enum sx_status status =
	    advice->when ? sx_expr_parse(advice->when, SX_INFIX, &parsed, NULL) : SX_OK;
	if (status == SX_ERR_NO_MEMORY)
		*e->view.no_memory = true;
	if (!parsed)
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
		if (!advice_reads(e, a, name))
			continue;
		if (!any)
			text_heading(&e->cli->view.out, "advice");
		any = true;
		char line[1200];
		snprintf(line, sizeof(line), "%s (%s): %s", a->rule, describe_severity(a->severity),
			 a->when ? a->when : a->needs);
		text_wrap(&e->cli->view.out, 2, line);
		text_wrap(&e->cli->view.out, 4, a->advice);
	}
}

static void strings(const struct explanation *e, const char *heading, const struct sx_strings *s)
{
	if (!s->count)
		return;
	text_heading(&e->cli->view.out, heading);
	for (uint32_t i = 0; i < s->count; i++)
		text_wrap(&e->cli->view.out, 2, s->items[i]);
}

static void names_line(const struct explanation *e, const char *name, const struct sx_strings *s)
{
	char line[512] = "";
	for (uint32_t i = 0; i < s->count && strlen(line) + 2 < sizeof(line); i++)
		snprintf(line + strlen(line), sizeof(line) - strlen(line), "%s%s", i ? ", " : "",
			 s->items[i]);
	field(e, name, line);
}

/* "4.2.4 Content behavior > Geometry culling": the last title is often the metric's own. */
static void section_path(const struct explanation *e, const struct sx_metric_info *m)
{
	for (uint32_t i = 0; i < m->section_count; i++) {
		uint32_t chain[16];
		size_t depth = 0;
		char line[512];
		const struct sx_section_info *own = &e->view.sections[m->sections[i]];
		bool shown = !m->title || strcmp(own->title, m->title) != 0;
		for (uint32_t s = m->sections[i]; s != SX_NONE && depth < 16;
		     s = e->view.sections[s].parent)
			chain[depth++] = s;
		size_t used = (size_t)snprintf(line, sizeof(line), "%s", own->id);
		for (size_t d = depth; d-- > (shown ? 0u : 1u) && used < sizeof(line);)
			used += (size_t)snprintf(line + used, sizeof(line) - used, "%s%s",
						 d + 1 == depth ? " " : " > ",
						 e->view.sections[chain[d]].title);
		field(e, i ? "and" : "section", line);
	}
}

static void heading(const struct explanation *e, const char *name, const char *number,
		    const char *what)
{
	const struct text_target *target = &e->cli->view.out;
	const char *title = what ? what : "";
	size_t width = text_width(name) + text_width(number) + text_width(title) + 2;
	text_styled(target, TEXT_BOLD, name);
	fputs(number, target->out);
	if (*title && width > (size_t)target->width)
		fputs("\n  ", target->out);
	fprintf(target->out, "%s%s\n", *title && width <= (size_t)target->width ? "  " : "", title);
}

static void formula_text(const struct explanation *e, const struct formula *f,
			 const struct sx_metric_info *m)
{
	char infix[8192];
	if (!f->expr)
		return;
	text_heading(&e->cli->view.out, "formula");
	text_wrap(&e->cli->view.out, 2, m->exprs[e->variant]);
	if (e->view.info->notation == SX_POSTFIX) {
		sx_node_text(sx_expr_root(f->expr), infix, sizeof(infix));
		fputs("  in other words\n", e->cli->view.out.out);
		text_wrap(&e->cli->view.out, 2, infix);
	}
	fputc('\n', e->cli->view.out.out);
	formula_tree_text(f, m->unit);
	text_heading(&e->cli->view.out, "inputs");
	formula_inputs_text(f);
}

/* The other sets that have it, in the same way or in another. */
static void also_in(const struct explanation *e, uint32_t index)
{
	struct also also;
	also_describe(&e->view, index, e->variant, &also);
	field(e, "also", also.other);
	field(e, also.other[0] ? "and" : "also", also.same);
}

static void explain_metric(struct explanation *e, uint32_t index, const struct formula *f)
{
	const struct sx_metric_info *m = &e->view.metrics[index];
	char number[HUMAN_MAX + 4];
	e->set = m->group;
	number_of(e, m->qualified, m->unit, number);
	heading(e, describe_metric_name(&e->view, index), number, m->title);
	text_wrap(&e->cli->view.out, 2, m->description ? m->description : "");
	fputc('\n', e->cli->view.out.out);
	field(e, "catalog", e->view.info->title);
	field(e, "values", e->cli->view.simulated ? "SIMULATED, not a real device" : NULL);
	section_path(e, m);
	field(e, "set", m->group == SX_NONE ? NULL : e->view.groups[m->group].name);
	if (m->group != SX_NONE)
		also_in(e, index);
	field(e, "group", m->category);
	field(e, "unit", m->unit);
	field(e, "neutral", m->neutral);
	names_line(e, "APIs", &m->apis);
	names_line(e, "aliases", &m->aliases);
	field(e, "maximum", m->max);
	if (m->unavailable)
		field(e, "no value", m->unavailable);
	formula_text(e, f, m);
	advice_using(e, m->name);
	strings(e, "notes", &m->notes);
}

static bool reads_counter(const struct explanation *e, const struct sx_metric_info *m,
			  const char *counter)
{
	struct sx_expr *parsed;
	const char **inputs =
	    describe_inputs(&e->view, m->exprs ? m->exprs[e->variant] : NULL, &parsed);
	bool reads = false;
	for (size_t n = 0; inputs && inputs[n] && !reads; n++)
		reads = strcmp(inputs[n], counter) == 0;
	free(inputs);
	sx_expr_destroy(parsed);
	return reads;
}

/* How many groups have the metric, as far as they come after it; 0 when one came before. */
static uint32_t groups_from(const struct explanation *e, uint32_t index)
{
	uint32_t count = 0;
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		if (strcmp(e->view.metrics[i].name, e->view.metrics[index].name) != 0)
			continue;
		if (i < index)
			return 0;
		count++;
	}
	return count;
}

static void metrics_using(const struct explanation *e, const char *counter)
{
	bool any = false;
	for (uint32_t i = 0; i < e->view.metric_count; i++) {
		const struct sx_metric_info *m = &e->view.metrics[i];
		uint32_t groups = reads_counter(e, m, counter) ? groups_from(e, i) : 0;
		if (!groups)
			continue;
		if (!any)
			text_heading(&e->cli->view.out, "metrics that read it");
		any = true;
		if (groups > 1)
			fprintf(e->cli->view.out.out, "  %s, of %s and %u further sets\n", m->name,
				e->view.groups[m->group].name, groups - 1);
		else
			fprintf(e->cli->view.out.out, "  %s\n", describe_metric_name(&e->view, i));
	}
}

static void explain_counter(struct explanation *e, uint32_t index)
{
	const struct sx_counter_info *c = &e->view.counters[index];
	char where[160], bits[64], number[HUMAN_MAX + 4];
	e->set = c->group;
	number_of(e, c->name, c->unit, number);
	heading(e, c->name, number, c->title);
	text_wrap(&e->cli->view.out, 2, c->description ? c->description : "");
	fputc('\n', e->cli->view.out.out);
	formula_place(&e->view, c, where, sizeof(where));
	snprintf(bits, sizeof(bits), "%u bits", c->bits);
	if (c->scale > 1)
		snprintf(bits, sizeof(bits), "%u bits, each count stands for %llu", c->bits,
			 (unsigned long long)c->scale);
	field(e, "catalog", e->view.info->title);
	field(e, "values", e->cli->view.simulated ? "SIMULATED, not a real device" : NULL);
	field(e, "place", where);
	field(e, "group", c->group == SX_NONE ? NULL : e->view.groups[c->group].name);
	field(e, "unit", c->unit);
	field(e, "width", bits);
	field(e, "neutral", c->neutral);
	names_line(e, "aliases", &c->aliases);
	metrics_using(e, c->name);
	advice_using(e, c->name);
	strings(e, "notes", &c->notes);
}

static void advice_json(struct json *json, const struct explanation *e, const char *name)
{
	json_kv_array(json, "advice");
	for (uint32_t i = 0; i < e->view.advice_count; i++) {
		const struct sx_advice_info *a = &e->view.advice[i];
		if (!advice_reads(e, a, name))
			continue;
		json_object_begin_flat(json);
		json_kv_string(json, "rule", a->rule);
		json_kv_string(json, "severity", describe_severity(a->severity));
		json_kv_string(json, "when", a->when);
		json_kv_string(json, "needs", a->needs);
		json_kv_string(json, "advice", a->advice);
		json_object_end(json);
	}
	json_array_end(json);
}

static void explain_json(const struct explanation *e, uint32_t metric, uint32_t counter,
			 const struct formula *f)
{
	bool is_metric = metric != SX_NONE;
	const char *name =
	    is_metric ? e->view.metrics[metric].qualified : e->view.counters[counter].name;
	struct json json = view_json_begin(&e->cli->view, "explain");
	json_kv_string(&json, "for", e->view.info->name);
	json_key(&json, is_metric ? "metric" : "counter");
	if (is_metric)
		describe_metric_json(&json, &e->view, metric, e->variant);
	else
		describe_counter_json(&json, &e->view, counter);
	if (is_metric && e->view.metrics[metric].group != SX_NONE)
		also_json(&json, &e->view, metric, e->variant);
	if (e->totals)
		json_kv_f64(&json, "value", value_of(e, name));
	formula_json(&json, f);
	advice_json(&json, e, is_metric ? e->view.metrics[metric].name : name);
	view_json_end(&json);
}

/* Rules are words with points between them ("cpu.saturated"), as neutral names are. */
static bool looks_like_rule(const char *name)
{
	return strchr(name, '.') != NULL;
}

/* Of several sets' metrics the first one, which says where else it is; else a counter. */
static enum sx_status look_up(struct explanation *e, const char *name, uint32_t *metric,
			      uint32_t *counter, struct sx_error *err)
{
	const char *near[2];
	if (describe_find(&e->view, name, e->set, metric, counter))
		return SX_OK;
	struct suggest rules;
	suggest_begin(&rules, name, 1);
	rule_offer(&e->view, &rules);
	error_set(err, SX_ERR_NOT_FOUND, "no metric, counter or rule %s in catalog %s", name,
		  e->view.info->name);
	error_because(err, "no name or alias matches");
	if (rules.count && looks_like_rule(name))
		error_try(err, "sextant explain %s --for %s", rules.items[0], e->view.info->name);
	else if (sx_catalog_suggest(e->view.catalog, name, near, 2))
		error_try(err, "sextant explain %s --for %s", near[0], e->view.info->name);
	else
		error_try(err, "sextant list metrics --for %s", e->view.info->name);
	return SX_ERR_NOT_FOUND;
}

static enum sx_status explain_prepare(struct explanation *e, struct sx_catalog *catalog,
				      struct sx_table **totals, struct sx_error *err)
{
	const struct options *o = &e->cli->options;
	struct sx_table *raw = NULL;
	e->view = describe_view(catalog);
	e->set = SX_NONE;
	enum sx_status status = describe_group(&e->view, o->set, &e->set, err);
	if (!status)
		status = describe_variant(&e->view, o->api, &e->variant, err);
	if (status)
		return status;
	if (!o->input)
		return SX_OK;
	status = input_table(e->cli, o->input, catalog, &raw, err);
	if (!status)
		status = stats_whole(raw, totals, err);
	sx_table_destroy(raw);
	e->totals = *totals;
	return status;
}

/* What a catalog knows by this name. */
static enum sx_status explain_name(struct explanation *e, const char *name, struct sx_error *err)
{
	struct formula f = {0};
	const struct options *o = &e->cli->options;
	struct formula_input input = {.view = &e->view,
				      .variant = e->variant,
				      .constants = o->constants,
				      .constant_count = (uint32_t)o->constant_count,
				      .totals = e->totals};
	uint32_t metric = SX_NONE, counter = SX_NONE, rule;
	if (!describe_find(&e->view, name, e->set, &metric, &counter) &&
	    (rule = rule_find(&e->view, name)) != SX_NONE)
		return rule_write(&e->cli->view, &e->view, rule, err);
	enum sx_status status = look_up(e, name, &metric, &counter, err);
	if (!status && metric != SX_NONE)
		status = formula_open(&f, &e->cli->view, &input, metric, err);
	ticker_stop(e->cli);
	if (!status && e->cli->view.format == FORMAT_JSON)
		explain_json(e, metric, counter, &f);
	else if (!status && metric != SX_NONE)
		explain_metric(e, metric, &f);
	else if (!status)
		explain_counter(e, counter);
	formula_close(&f);
	return status;
}

/* Who knows a name, of all catalogs. */
struct search {
	const char *name;
	struct sx_catalog *found; /* the first */
	char others[512];
	struct suggest near;
};

static bool search_one(void *user, struct sx_catalog *catalog)
{
	struct search *s = user;
	struct catalog_view view = describe_view(catalog);
	uint32_t metric, counter;
	const char *near[1];
	if (!describe_find(&view, s->name, SX_NONE, &metric, &counter) &&
	    rule_find(&view, s->name) == SX_NONE) {
		if (!s->found && sx_catalog_suggest(catalog, s->name, near, 1))
			suggest_offer(&s->near, near[0]);
		if (!s->found && looks_like_rule(s->name))
			rule_offer(&view, &s->near);
		return true;
	}
	size_t used = strlen(s->others);
	if (!s->found)
		s->found = sx_catalog_ref(catalog);
	else
		snprintf(s->others + used, sizeof(s->others) - used, "%s%s", used ? ", " : "",
			 view.info->name);
	return true;
}

/* Nobody said which device is meant: whoever knows the name, this machine's devices first. */
static enum sx_status search_catalogs(struct cli *cli, const char *name, struct sx_catalog **out,
				      struct sx_error *err)
{
	char verdict[64];
	struct search s = {.name = name};
	suggest_begin(&s.near, name, 1);
	selection_each_catalog(cli, search_one, &s);
	if (s.found) {
		*out = s.found;
		if (s.others[0])
			cli_note(cli, "as catalog %s has it; --for chooses another of: %s",
				 sx_catalog_info(s.found)->name, s.others);
		return SX_OK;
	}
	error_set(err, SX_ERR_NOT_FOUND, "no catalog has a metric, counter or rule %s", name);
	error_because(err, "no name, alias or title of theirs matches");
	if (*rule_near_verdict(name, verdict, sizeof(verdict)))
		suggest_offer(&s.near, verdict);
	if (s.near.count)
		error_try(err, "sextant explain %s", s.near.items[0]);
	else
		error_try(err, "sextant list metrics");
	return SX_ERR_NOT_FOUND;
}

/*
 * Of a capture's devices the one that knows the name is meant, where nobody chose one: it is then
 * chosen as --device would.
 */
static enum sx_status choose_device(struct cli *cli, const char *name, struct sx_error *err)
{
	struct options *o = &cli->options;
	uint32_t *list = NULL, count = 0, metric, counter;
	if (!o->input || o->catalog || o->devices.count || !capture_view_is(o->input))
		return SX_OK;
	enum sx_status status = capture_view_list(cli, o->input, &list, &count, err);
	bool known = count < 2 || sx_definition_is(name);
	for (uint32_t i = 0; !status && !known && i < count; i++) {
		struct capture_view *device = NULL;
		if (capture_view_device(cli, o->input, list[i], &device, NULL))
			continue;
		struct catalog_view view = describe_view(device->catalog);
		known = describe_find(&view, name, SX_NONE, &metric, &counter) ||
			rule_find(&view, name) != SX_NONE;
		capture_view_close(device);
		char number[16];
		snprintf(number, sizeof(number), "%u", (unsigned)list[i]);
		if (known)
			status = options_add(o, &o->devices, number, true, err);
	}
	free(list);
	return status;
}

static enum sx_status open_catalog(struct cli *cli, const char *name, struct sx_catalog **out,
				   struct sx_error *err)
{
	const struct options *o = &cli->options;
	enum sx_status chosen = choose_device(cli, name, err);
	if (chosen)
		return chosen;
	bool anywhere = !o->catalog && !o->input && !o->devices.count;
	if (sx_definition_is(name) && anywhere)
		return sx_catalog_open(cli->context, "intel-bdw", out, err);
	return anywhere ? search_catalogs(cli, name, out, err) : cli_catalog(cli, out, err);
}

/* SX_ERR_NOT_FOUND, and the error as it is, when the verdict has no such rule. */
static enum sx_status explain_verdict(struct cli *cli, const char *name, bool *known,
				      struct sx_error *err)
{
	struct sx_error why = {0};
	enum sx_status status = rule_write_verdict(&cli->view, name, known, &why);
	if (status)
		*err = why;
	return status || *known ? status : SX_ERR_NOT_FOUND;
}

static int explain_run(struct cli *cli)
{
	struct sx_error err = {0};
	struct sx_catalog *catalog = NULL;
	struct sx_table *totals = NULL;
	struct explanation e = {.cli = cli};
	const char *name = cli->options.args.count ? cli->options.args.items[0] : NULL;
	bool no_memory = false;
	enum sx_status status = SX_OK;
	if (!status && !name) {
		status = error_set(&err, SX_ERR_USAGE, "nothing to explain was named");
		error_because(&err, "explain takes the name of a metric, counter or rule");
		error_try(&err, "sextant explain gpu.busy --for amd-gcn2");
	}
	bool verdict = false;
	if (!status)
		status = open_catalog(cli, name, &catalog, &err);
	/* The verdict's rules are no catalog's: of names that nobody else has. */
	if (status == SX_ERR_NOT_FOUND && name && !catalog)
		status = explain_verdict(cli, name, &verdict, &err);
	if (verdict)
		return status ? cli_fail(cli, &err) : EXIT_OK;
	if (!status)
		status = explain_prepare(&e, catalog, &totals, &err);
	e.view.no_memory = &no_memory;
	if (!status && sx_definition_is(name))
		status = explain_flex(cli, &e.view, name,
				      &(struct measured_value){totals, value_of(&e, name)}, &err);
	else if (!status)
		status = explain_name(&e, name, &err);
	if (!status && no_memory)
		status = error_nomem(&err, "explaining");
	sx_table_destroy(totals);
	sx_catalog_unref(catalog);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_explain = {
    .verb = {.name = "explain",
	     .synopsis = "NAME [--for CATALOG] [-i FILE]",
	     .summary = "what a metric or rule means: unit, formula as a tree, inputs, advice",
	     .about =
		 "Shows title, unit, meaning, the formula as a tree with each input's block and "
		 "slot, and the advice that uses it. With -i the numbers of a file are put in. "
		 "Without --for, -d and -i every catalog is searched, those of this machine's "
		 "devices first. NAME may also be a rule of the catalog's advice or of the "
		 "verdict, as advise and stat name them: its condition, limit and inputs; or "
		 "define a flexible EU counter of Intel's OA unit.",
	     .pages = true,
	     .formats = FORMATS_TEXT_JSON,
	     .reads = true,
	     .options = "for device set api input output const format",
	     .max_args = 1,
	     .examples = "  sextant explain VSInvocations --for opengl\n"
			 "  sextant explain RenderBasic.EuActive --for intel-bdw\n"
			 "  sextant explain 'A12=eu(fpu0-active, coarse=ps)'\n"},
    .run = explain_run,
};
