/* Findings as text, JSON and CSV. */
#include "output/report/report.h"

#include <math.h>
#include <string.h>

#include "base/number.h"
#include "base/text_buf.h"
#include "output/catalog/catalog.h"
#include "output/write/csv.h"

#define FINDINGS_SHOWN 10

struct findings_count findings_count(const struct sx_advice *advice)
{
	struct findings_count n = {0};
	const struct sx_finding *all = sx_advice_findings(advice, &n.all);
	for (size_t i = 0; i < n.all; i++) {
		n.fired += all[i].fired;
		n.unjudged += all[i].why != NULL;
	}
	n.quiet = n.all - n.fired - n.unjudged;
	return n;
}

static double share(const struct sx_finding *f)
{
	return f->rows ? (double)f->samples / (double)f->rows : NAN;
}

/* A value with its unit, for a sentence. */
static void with_unit(const struct view *view, char *buf, size_t size, double value,
		      const char *unit)
{
	char number[HUMAN_MAX];
	human_value(&view->human, number, value, unit);
	const char *after = unit ? human_unit(&view->human, unit) : "";
	snprintf(buf, size, "%s%s%s", number, *after ? " " : "", after);
}

static void samples_line(const struct view *view, const struct sx_finding *f)
{
	char line[160];
	if (f->rows == 1)
		snprintf(line, sizeof(line), "in the only sample");
	else if (f->samples == f->rows)
		snprintf(line, sizeof(line), "in all of %s", COUNTED(f->rows, "sample"));
	else if (f->first == f->last)
		snprintf(line, sizeof(line), "in %zu of %s, first in sample %zu", f->samples,
			 COUNTED(f->rows, "sample"), f->first);
	else
		snprintf(line, sizeof(line), "in %zu of %zu samples, longest run %zu..%zu",
			 f->samples, f->rows, f->first, f->last);
	text_wrap(&view->out, 4, line);
}

/* On which side of its limit a value is: rules have upper limits and lower ones. */
static const char *value_side(double value, double limit)
{
	if (value > limit)
		return "above";
	return value < limit ? "below" : "at";
}

/* "34.2 %, above 20.0 %", by what the condition compares, which is *name; "" without a value. */
static void value_text(const struct view *view, const struct sx_finding *f, const char **name,
		       char *buf, size_t size)
{
	char limit[HUMAN_MAX];
	bool direct = !f->compared || !f->rule->metric || !strcmp(f->compared, f->rule->metric);
	const char *unit = direct ? f->unit : f->compared_unit;
	double value = direct ? f->value : f->measured;
	*name = direct ? f->rule->metric : f->compared;
	*buf = '\0';
	if (!f->rule->metric || isnan(value))
		return;
	with_unit(view, buf, size, value, unit);
	human_value(&view->human, limit, f->limit, unit);
	if (f->compared && !isnan(f->limit))
		text_append(buf, size, ", %s %s", value_side(value, f->limit), limit);
}

static void value_line(const struct view *view, const struct sx_finding *f)
{
	const char *name;
	char value[128], line[1024];
	value_text(view, f, &name, value, sizeof(value));
	if (!*value)
		return;
	snprintf(line, sizeof(line), "%s: %s", name, value);
	text_wrap(&view->out, 4, line);
}

static void sections_line(const struct view *view, const struct sx_catalog *catalog,
			  const struct sx_finding *f)
{
	char line[1024];
	const struct sx_strings *ids = &f->rule->sections;
	if (!ids->count)
		return;
	snprintf(line, sizeof(line), "see");
	for (uint32_t i = 0; i < ids->count; i++) {
		const char *title = describe_section_title(catalog, ids->items[i]);
		text_append(line, sizeof(line), "%s %s%s%s", i ? "," : "", ids->items[i],
			    title ? " " : "", title ? title : "");
	}
	text_wrap(&view->out, 4, line);
}

static void write_finding(const struct view *view, const struct sx_catalog *catalog,
			  const struct sx_finding *f)
{
	static const enum text_style styles[] = {TEXT_RED, TEXT_YELLOW, TEXT_PLAIN, TEXT_PLAIN};
	fputs("  ", view->out.out);
	text_styled(&view->out, styles[f->rule->severity], f->rule->title);
	fprintf(view->out.out, "  [%s, %s]\n", describe_severity(f->rule->severity), f->rule->rule);
	value_line(view, f);
	samples_line(view, f);
	sections_line(view, catalog, f);
	text_wrap(&view->out, 4, f->rule->advice);
}

void findings_text(const struct view *view, const struct sx_catalog *catalog,
		   const struct sx_advice *advice)
{
	size_t count, fired = 0, most = view->verbose ? SIZE_MAX : FINDINGS_SHOWN;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (; fired < count && all[fired].fired; fired++) {
		if (fired >= most)
			continue;
		if (!fired)
			text_heading(&view->out, "advice");
		write_finding(view, catalog, &all[fired]);
	}
	if (fired > most)
		fprintf(view->out.out, "  %zu more of less weight (-v shows them)\n", fired - most);
}

/* What the rule compares, unless that is a formula, and where it holds, unless that is everywhere.
 */
static void finding_line(const struct view *view, const struct sx_finding *f)
{
	const char *name;
	char value[128], line[1024];
	value_text(view, f, &name, value, sizeof(value));
	snprintf(line, sizeof(line), "advice: %s", f->rule->title);
	bool formula = *value && strchr(name, '('); /* without a value there may be no name */
	if (*value)
		text_append(line, sizeof(line), ": %s%s%s", formula ? "" : name, formula ? "" : " ",
			    value);
	if (f->samples < f->rows)
		text_append(line, sizeof(line), ", in %zu of %zu samples", f->samples, f->rows);
	text_append(line, sizeof(line), " [%s]", f->rule->rule);
	text_hang(&view->out, 2, line);
}

void findings_brief(const struct view *view, const struct sx_advice *advice)
{
	size_t count, fired = 0, most = view->brief > 1 ? 1 : FINDINGS_BRIEF;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (; fired < count && all[fired].fired; fired++)
		if (fired < most)
			finding_line(view, &all[fired]);
	if (fired > most)
		fprintf(view->out.out, "  advice: %zu more (-v)\n", fired - most);
}

static void rest_line(const struct view *view, const struct sx_finding *f)
{
	char line[1400];
	fprintf(view->out.out, "  %s  %s\n", f->rule->rule, f->rule->title);
	if (f->why) {
		snprintf(line, sizeof(line), "%s", f->why);
		text_wrap(&view->out, 4, line);
	}
}

void findings_rest_text(const struct view *view, const struct sx_advice *advice)
{
	static const char *const titles[] = {"does not apply", "not judged",
					     "not for counters to judge"};
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (int kind = 0; kind < 3; kind++) {
		bool any = false;
		for (size_t i = 0; i < count; i++) {
			int own = !all[i].why ? 0 : all[i].rule->needs ? 2 : 1;
			if (all[i].fired || own != kind)
				continue;
			if (!any)
				text_heading(&view->out, titles[kind]);
			any = true;
			rest_line(view, &all[i]);
		}
	}
}

/* The numbers of a finding in base units. */
struct machine_finding {
	const char *unit; /* of `value`, or NULL */
	char unit_text[2 * UNITS_TEXT_MAX];
	double value, limit, measured;
};

static void machine_finding(const struct view *view, const struct sx_finding *f,
			    struct machine_finding *out)
{
	char buf[2 * UNITS_TEXT_MAX];
	double own = 1, other = 1;
	bool direct = !f->compared || (f->rule->metric && !strcmp(f->compared, f->rule->metric));
	const char *compared = direct ? f->unit : f->compared_unit;
	const struct units *units = &view->human.units;
	out->unit = f->unit ? units_base(units, f->unit, out->unit_text, &own) : NULL;
	if (compared)
		units_base(units, compared, buf, &other);
	out->value = units_apply(units_step(own), f->value);
	out->limit = units_apply(units_step(other), f->limit);
	out->measured = units_apply(units_step(other), f->measured);
}

static void finding_json(const struct view *view, struct json *json, const struct sx_finding *f,
			 uint32_t device)
{
	const struct sx_advice_info *rule = f->rule;
	struct machine_finding m;
	machine_finding(view, f, &m);
	json_object_begin(json);
	json_kv_string(json, "rule", rule->rule);
	json_kv_u64(json, "device", device);
	json_kv_string(json, "severity", describe_severity(rule->severity));
	json_kv_string(json, "title", rule->title);
	json_kv_string(json, "metric", rule->metric);
	json_kv_string(json, "unit", m.unit);
	json_kv_f64(json, "value", m.value);
	json_kv_f64(json, "limit", m.limit);
	json_kv_string(json, "compared", f->compared);
	json_kv_f64(json, "measured", m.measured);
	json_kv_f64(json, "share", share(f));
	json_kv_u64(json, "rows", f->rows);
	json_kv_array_flat(json, "samples");
	json_u64(json, f->first);
	json_u64(json, f->last);
	json_array_end(json);
	describe_strings_json(json, "sections", &rule->sections);
	json_kv_string(json, "advice", rule->advice);
	json_object_end(json);
}

void findings_json(const struct view *view, struct json *json, const struct sx_advice *advice,
		   uint32_t device)
{
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	for (size_t i = 0; i < count && all[i].fired; i++)
		finding_json(view, json, &all[i], device);
}

void findings_rest_json(struct json *json, const struct sx_advice *advice)
{
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	json_kv_array(json, "quiet");
	for (size_t i = 0; i < count; i++)
		if (!all[i].fired && !all[i].why)
			json_string(json, all[i].rule->rule);
	json_array_end(json);
	json_kv_array(json, "unjudged");
	for (size_t i = 0; i < count; i++) {
		if (!all[i].why)
			continue;
		json_object_begin(json);
		json_kv_string(json, "rule", all[i].rule->rule);
		json_kv_string(json, "needs", all[i].rule->needs);
		describe_strings_json(json, "missing", &all[i].missing);
		json_kv_string(json, "why", all[i].why);
		json_object_end(json);
	}
	json_array_end(json);
}

static void finding_csv(const struct view *view, struct csv *csv, const struct findings_of *of,
			const struct sx_finding *f)
{
	struct machine_finding m;
	const struct sx_advice_info *rule = f->rule;
	machine_finding(view, f, &m);
	char sections[512] = "";
	for (uint32_t i = 0; i < rule->sections.count; i++)
		text_append_item(sections, sizeof(sections), " ", "%s", rule->sections.items[i]);
	csv_u64(csv, of->device);
	if (of->column)
		csv_text(csv, of->simulated ? "true" : "false");
	csv_text(csv, rule->rule);
	csv_text(csv, describe_severity(rule->severity));
	csv_text(csv, rule->title);
	csv_text(csv, rule->metric);
	csv_text(csv, m.unit);
	csv_f64(csv, m.value);
	csv_f64(csv, m.limit);
	csv_text(csv, f->compared);
	csv_f64(csv, m.measured);
	csv_f64(csv, share(f));
	csv_u64(csv, f->rows);
	csv_u64(csv, f->first);
	csv_u64(csv, f->last);
	csv_text(csv, sections);
	csv_text(csv, rule->advice);
	csv_end_line(csv);
}

void findings_csv(const struct view *view, const struct sx_advice *advice,
		  const struct findings_of *of)
{
	static const char *const head[] = {"rule",  "severity", "title",    "metric",	"unit",
					   "value", "limit",	"compared", "measured", "share",
					   "rows",  "first",	"last",	    "sections", "advice"};
	struct csv csv = {.out = view->out.out};
	size_t count;
	const struct sx_finding *all = sx_advice_findings(advice, &count);
	if (!of->no_head) {
		csv_text(&csv, "device");
		if (of->column)
			csv_text(&csv, "simulated");
		for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
			csv_text(&csv, head[i]);
		csv_end_line(&csv);
	}
	for (size_t i = 0; i < count && all[i].fired; i++)
		finding_csv(view, &csv, of, &all[i]);
}
