/* One rule of advice or of the verdict: its text, its condition, and its inputs. */
#include "output/catalog/catalog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/suggest.h"
#include "base/text_buf.h"
#include "catalog/verdict.h"

#define FIELD_COLUMN 13 /* where values begin */
#define NAMES_MAX    64

/* Names of a condition in order of appearance, without repeats. */
struct names {
	const char *items[NAMES_MAX];
	size_t count;
};

static void rule_collect(const struct sx_node *node, struct names *names)
{
	for (size_t i = 0; node->kind == SX_NODE_NAME; i++) {
		if (i == names->count && i < NAMES_MAX)
			names->items[names->count++] = node->name;
		else if (i < names->count && strcmp(names->items[i], node->name) != 0)
			continue;
		break;
	}
	for (uint32_t i = 0; i < node->child_count; i++)
		rule_collect(node->children[i], names);
}

uint32_t rule_find(const struct catalog_view *view, const char *name)
{
	for (uint32_t i = 0; i < view->advice_count; i++)
		if (strcasecmp(view->advice[i].rule, name) == 0)
			return i;
	return SX_NONE;
}

void rule_offer(const struct catalog_view *view, struct suggest *near)
{
	for (uint32_t i = 0; i < view->advice_count; i++)
		suggest_offer(near, view->advice[i].rule);
}

static void rule_title(const struct view *out, const char *name, const char *title)
{
	text_styled(&out->out, TEXT_BOLD, name);
	fprintf(out->out.out, "  %s\n\n", title);
}

static void rule_join(const struct sx_strings *strings, char *buf, size_t size)
{
	buf[0] = '\0';
	for (uint32_t i = 0; i < strings->count; i++)
		text_append_item(buf, size, ", ", "%s", strings->items[i]);
}

/* What a name of a condition is: a metric, a counter, else a constant. */
static const char *input_of(const struct catalog_view *view, const char *name, const char **unit)
{
	uint32_t metric, counter;
	*unit = NULL;
	if (!describe_find(view, name, SX_NONE, &metric, &counter)) {
		uint32_t at = sx_catalog_find_constant(view->catalog, name);
		*unit = at == SX_NONE ? NULL : view->constants[at].unit;
		return at == SX_NONE ? "" : "constant";
	}
	bool is_metric = metric != SX_NONE;
	*unit = is_metric ? view->metrics[metric].unit : view->counters[counter].unit;
	return is_metric ? view->metrics[metric].title : "counter";
}

static void inputs_text(const struct view *out, const struct catalog_view *view,
			const struct names *names)
{
	char line[512];
	if (names->count)
		text_heading(&out->out, "inputs");
	for (size_t i = 0; i < names->count; i++) {
		const char *unit, *title = input_of(view, names->items[i], &unit);
		snprintf(line, sizeof(line), "%s%s%s%s%s%s", names->items[i],
			 unit && *unit ? " (" : "", unit && *unit ? unit : "",
			 unit && *unit ? ")" : "", *title ? ": " : "", title);
		text_wrap(&out->out, 2, line);
	}
}

static const char *unit_of_metric(const struct catalog_view *view, const struct sx_advice_info *a)
{
	const char *unit = NULL;
	if (a->metric)
		input_of(view, a->metric, &unit);
	return unit;
}

static void rule_text(const struct view *out, const struct catalog_view *view,
		      const struct sx_advice_info *a, const struct names *names)
{
	char text[512], number[HUMAN_MAX];
	rule_title(out, a->rule, a->title);
	text_field(&out->out, FIELD_COLUMN, "catalog", view->info->title);
	text_field(&out->out, FIELD_COLUMN, "severity", describe_severity(a->severity));
	text_field(&out->out, FIELD_COLUMN, "metric", a->metric);
	text_field(&out->out, FIELD_COLUMN, "condition", a->when);
	text_field(&out->out, FIELD_COLUMN, "needs", a->needs);
	if (!isnan(a->limit)) {
		const char *unit = unit_of_metric(view, a);
		human_value(&out->human, number, a->limit, unit ? unit : "");
		snprintf(text, sizeof(text), "%s, %s", number,
			 a->threshold_from_guide ? "as the vendor's guide has it"
						 : "ours: the guide gives no number");
		text_field(&out->out, FIELD_COLUMN, "limit", text);
	}
	if (a->when) {
		human_value(&out->human, number, a->min_share * 100, "percent");
		snprintf(text, sizeof(text), "where %s of the samples fulfil it", number);
		text_field(&out->out, FIELD_COLUMN, "applies", text);
	}
	rule_join(&a->sections, text, sizeof(text));
	text_field(&out->out, FIELD_COLUMN, "sections", text);
	snprintf(text, sizeof(text), "catalog %s (%s), line %u", view->info->name,
		 view->info->origin, a->line);
	text_field(&out->out, FIELD_COLUMN, "source", text);
	inputs_text(out, view, names);
	text_heading(&out->out, "advice");
	text_wrap(&out->out, 2, a->advice);
}

static void rule_inputs_json(struct json *json, const struct names *names)
{
	json_kv_array_flat(json, "inputs");
	for (size_t i = 0; i < names->count; i++)
		json_string(json, names->items[i]);
	json_array_end(json);
}

static void rule_json(const struct view *out, const struct catalog_view *view,
		      const struct sx_advice_info *a, const struct names *names)
{
	struct json json = view_json_begin(out, "explain");
	json_kv_string(&json, "for", view->info->name);
	json_kv_array(&json, "rules");
	json_object_begin(&json);
	json_kv_string(&json, "rule", a->rule);
	json_kv_string(&json, "kind", "advice");
	json_kv_string(&json, "severity", describe_severity(a->severity));
	json_kv_string(&json, "title", a->title);
	json_kv_string(&json, "metric", a->metric);
	json_kv_string(&json, "unit", unit_of_metric(view, a));
	json_kv_string(&json, "when", a->when);
	json_kv_string(&json, "needs", a->needs);
	json_kv_f64(&json, "limit", a->limit);
	json_kv_bool(&json, "limit_from_guide", a->threshold_from_guide);
	json_kv_f64(&json, "min_share", a->min_share);
	rule_inputs_json(&json, names);
	describe_strings_json(&json, "sections", &a->sections);
	json_kv_string(&json, "origin", view->info->origin);
	json_kv_u64(&json, "line", a->line);
	json_kv_string(&json, "advice", a->advice);
	json_object_end(&json);
	json_array_end(&json);
	view_json_end(&json);
}

enum sx_status rule_write(const struct view *out, const struct catalog_view *view, uint32_t rule,
			  struct sx_error *err)
{
	struct names names = {.count = 0};
	struct sx_expr *parsed = NULL;
	const struct sx_advice_info *a = &view->advice[rule];
	enum sx_status status = a->when ? sx_expr_parse(a->when, SX_INFIX, &parsed, err) : SX_OK;
	if (status)
		return status;
	if (parsed)
		rule_collect(sx_expr_root(parsed), &names);
	if (out->format == FORMAT_JSON)
		rule_json(out, view, a, &names);
	else
		rule_text(out, view, a, &names);
	sx_expr_destroy(parsed);
	return SX_OK;
}

/* A fact, and the ways to it: the first that has a value is taken. */
static void fact_text(const struct view *out, const struct verdict_fact *fact)
{
	char line[1024];
	snprintf(line, sizeof(line), "%s (%s): %s", fact->name, fact->unit, fact->title);
	text_wrap(&out->out, 2, line);
	for (uint32_t i = 0; i < fact->way_count; i++) {
		const struct verdict_way *way = &fact->ways[i];
		snprintf(line, sizeof(line), "%s%s%s%s%s", i ? "else " : "", way->expr,
			 way->of ? " (" : "", way->of ? way->of : "", way->of ? ")" : "");
		text_wrap(&out->out, 4, line);
	}
}

static void verdict_rule_text(const struct view *out, const struct verdict_rules *rules,
			      const struct verdict_rule *r, const struct names *names)
{
	char text[512];
	rule_title(out, r->name, r->title);
	text_field(&out->out, FIELD_COLUMN, "kind",
		   "verdict: the first rule that holds, for each window of time");
	text_field(&out->out, FIELD_COLUMN, "condition", r->when);
	text_field(&out->out, FIELD_COLUMN, "stays", r->keep);
	rule_join(&r->needs, text, sizeof(text));
	text_field(&out->out, FIELD_COLUMN, "needs", text);
	rule_join(&r->evidence, text, sizeof(text));
	text_field(&out->out, FIELD_COLUMN, "evidence", text);
	snprintf(text, sizeof(text), "verdict.yaml, line %u", r->line);
	text_field(&out->out, FIELD_COLUMN, "source", text);
	if (names->count)
		text_heading(&out->out, "inputs");
	for (size_t i = 0; i < names->count; i++) {
		uint32_t at = verdict_fact_find(rules, names->items[i]);
		if (at != SX_NONE)
			fact_text(out, &rules->facts[at]);
	}
	text_heading(&out->out, "advice");
	text_wrap(&out->out, 2, r->advice);
}

static void verdict_rule_json(struct json *json, const struct verdict_rule *r,
			      const struct names *names)
{
	json_object_begin(json);
	json_kv_string(json, "rule", r->name);
	json_kv_string(json, "kind", "verdict");
	json_kv_string(json, "title", r->title);
	json_kv_string(json, "when", r->when);
	json_kv_string(json, "keep", r->keep);
	rule_inputs_json(json, names);
	describe_strings_json(json, "needs", &r->needs);
	describe_strings_json(json, "evidence", &r->evidence);
	json_kv_string(json, "origin", "verdict.yaml");
	json_kv_u64(json, "line", r->line);
	json_kv_string(json, "advice", r->advice);
	json_object_end(json);
}

static void write_named(const struct view *out, const struct verdict_rules *rules, const char *name,
			struct json *json)
{
	bool any = false;
	for (uint32_t i = 0; i < rules->rule_count; i++) {
		struct names names = {.count = 0};
		const struct verdict_rule *r = &rules->rules[i];
		if (strcasecmp(r->name, name) != 0)
			continue;
		if (r->when_tree)
			rule_collect(sx_expr_root(r->when_tree), &names);
		if (any && !json)
			fputc('\n', out->out.out);
		any = true;
		if (json)
			verdict_rule_json(json, r, &names);
		else
			verdict_rule_text(out, rules, r, &names);
	}
}

static void rules_json(const struct view *out, const struct verdict_rules *rules, const char *name,
		       struct json *into)
{
	struct json own = {0}, *json = into ? into : &own;
	if (!into) {
		own = view_json_begin(out, "explain");
		json_kv_null(json, "for");
	}
	json_kv_array(json, "rules");
	write_named(out, rules, name, json);
	json_array_end(json);
	if (!into)
		view_json_end(json);
}

enum sx_status rule_write_verdict(const struct view *out, const char *name,
				  const struct rule_behind *behind, bool *known,
				  struct sx_error *err)
{
	struct verdict_rules *rules = calloc(1, sizeof(*rules));
	*known = false;
	if (!rules)
		return error_nomem(err, "explaining");
	enum sx_status status = verdict_rules_read(rules, err);
	for (uint32_t i = 0; !status && i < rules->rule_count; i++)
		*known |= strcasecmp(rules->rules[i].name, name) == 0;
	if (*known && out->format == FORMAT_JSON) {
		rules_json(out, rules, name, behind ? behind->json : NULL);
	} else if (*known) {
		fputs(behind ? "\n" : "", out->out.out);
		write_named(out, rules, name, NULL);
	}
	if (!status)
		verdict_rules_finish(rules);
	free(rules);
	return status;
}

const char *rule_near_verdict(const char *name, char *text, size_t size)
{
	struct suggest near;
	struct verdict_rules *rules = calloc(1, sizeof(*rules));
	*text = '\0';
	if (!rules)
		return text;
	suggest_begin(&near, name, 1);
	if (!verdict_rules_read(rules, NULL)) {
		for (uint32_t i = 0; i < rules->rule_count; i++)
			suggest_offer(&near, rules->rules[i].name);
		suggest_text(&near, text, size);
		verdict_rules_finish(rules);
	}
	free(rules);
	return text;
}
