/* A report as the data of its page, which page/report.js reads. */
#include "output/report/report.h"
#include "output/html/html.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/compare/compare.h"
#include "analysis/cost.h"
#include "base/no_data.h"
#include "base/text_buf.h"
#include "output/catalog/catalog.h"

/* What one document is written with. */
struct model {
	const struct view *view;
	struct json json;
	const struct report *report; /* the run, or its baseline */
	bool full;		     /* with everything that is said once, not for the baseline */
	bool no_memory;
};

/* Times of the page; null is not known. */
static void time_json(struct model *m, const char *key, uint64_t ns)
{
	uint64_t origin = course_origin(m->report);
	json_key(&m->json, key);
	if (ns == SX_TIME_UNKNOWN)
		json_null(&m->json);
	else
		json_f64(&m->json, ns < origin ? -(double)(origin - ns) : (double)(ns - origin));
}

/* How a value in base units reads: the unit's symbol and its prefixes. */
static void unit_json(struct model *m, const char *name)
{
	static const char *const scales[] = {"plain", "si", "iec", "fine"};
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	const char *base = units_base(&m->view->human.units, name, buf, &factor);
	const struct unit *unit = units_find(&m->view->human.units, base);
	json_kv_f64(&m->json, "factor", factor);
	json_kv_string(&m->json, "symbol", unit ? unit->symbol : base);
	json_kv_string(&m->json, "scale", unit ? scales[unit->scale] : "si");
	json_kv_bool(&m->json, "joined",
		     unit && unit->symbol[0] && !*human_unit(&m->view->human, base));
	json_kv_bool(&m->json, "percent", strcmp(base, "percent") == 0);
}

static const char *description_of(const struct report_device *d, const struct report_row *row)
{
	uint32_t count;
	if (row->metric != SX_NONE)
		return sx_catalog_metrics(d->catalog, &count)[row->metric].description;
	if (row->counter != SX_NONE)
		return sx_catalog_counters(d->catalog, &count)[row->counter].description;
	return NULL;
}

/* The formula of a metric and the numbers of the whole run that go into it. */
static void formula_of_row(struct model *m, const struct formula_input *input,
			   const struct report_row *row)
{
	struct formula f;
	struct sx_error ignored;
	if (row->metric == SX_NONE)
		return;
	json_kv_object_flat(&m->json, "formula");
	enum sx_status status = formula_open(&f, m->view, input, row->metric, &ignored);
	m->no_memory |= status == SX_ERR_NO_MEMORY;
	if (!status)
		formula_short_json(&m->json, &f);
	formula_close(&f);
	json_object_end(&m->json);
}

static void rows_json(struct model *m, const struct report_device *d,
		      const struct formula_input *input)
{
	json_kv_array(&m->json, "rows");
	for (uint32_t i = 0; i < d->row_count; i++) {
		const struct report_row *row = &d->rows[i];
		json_object_begin_flat(&m->json);
		machine_row_json(&m->json, m->view, "page", row, d->facts.number);
		unit_json(m, row->unit);
		json_kv_string(&m->json, "title", row->title);
		json_kv_string(&m->json, "neutral", row->neutral);
		json_kv_u64(&m->json, "heading", row->heading);
		json_kv_f64(&m->json, "load", row->load);
		json_kv_u64(&m->json, "quality", row->stats.quality);
		if (m->full) {
			json_kv_string(&m->json, "description", description_of(d, row));
			formula_of_row(m, input, row);
		}
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

/* The totals that formulas have their numbers of; without them they have none. */
static void rows_of_device(struct model *m, const struct report_device *d)
{
	bool no_memory = false;
	struct catalog_view catalog = describe_view(d->catalog);
	catalog.no_memory = &no_memory;
	struct formula_input input = {.view = &catalog,
				      .constants = d->facts.constants,
				      .constant_count = d->facts.constant_count,
				      .totals = m->full ? d->total : NULL};
	rows_json(m, d, &input);
	m->no_memory |= no_memory;
}

static void headings_json(struct model *m, const struct report_device *d)
{
	json_kv_array(&m->json, "headings");
	for (uint32_t i = 0; i < d->heading_count; i++) {
		json_object_begin_flat(&m->json);
		json_kv_string(&m->json, "title", d->headings[i].title);
		json_kv_string(&m->json, "id", d->headings[i].id);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void windows_json(struct model *m, const struct sx_finding *f)
{
	json_kv_array(&m->json, "windows");
	for (size_t i = 0; i < f->window_count; i++) {
		json_object_begin_flat(&m->json);
		json_kv_u64(&m->json, "first", f->windows[i].first);
		json_kv_u64(&m->json, "last", f->windows[i].last);
		time_json(m, "begin_ns", f->windows[i].begin_ns);
		time_json(m, "end_ns", f->windows[i].end_ns);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void finding_json(struct model *m, const struct report_device *d, const struct sx_finding *f)
{
	json_object_begin_flat(&m->json);
	json_kv_string(&m->json, "rule", f->rule->rule);
	json_kv_string(&m->json, "title", f->rule->title);
	json_kv_string(&m->json, "severity", describe_severity(f->rule->severity));
	json_kv_bool(&m->json, "fired", f->fired);
	json_kv_string(&m->json, "why", f->why);
	json_kv_string(&m->json, "needs", f->rule->needs);
	if (f->fired) {
		json_kv_string(&m->json, "metric", f->rule->metric);
		json_kv_string(&m->json, "unit", f->unit);
		if (f->unit)
			unit_json(m, f->unit);
		json_kv_f64(&m->json, "value", f->value);
		json_kv_f64(&m->json, "limit", f->limit);
		json_kv_string(&m->json, "compared", f->compared);
		json_kv_f64(&m->json, "measured", f->measured);
		json_kv_u64(&m->json, "samples", f->samples);
		json_kv_u64(&m->json, "rows", f->rows);
		json_kv_string(&m->json, "advice", f->rule->advice);
		windows_json(m, f);
		json_kv_array(&m->json, "sections");
		for (uint32_t i = 0; i < f->rule->sections.count; i++) {
			char text[256];
			const char *id = f->rule->sections.items[i];
			const char *title = describe_section_title(d->catalog, id);
			snprintf(text, sizeof(text), "%s %s", id, title ? title : "");
			json_string(&m->json, text);
		}
		json_array_end(&m->json);
	}
	json_object_end(&m->json);
}

/* The verdict of the run in one line, why it is unknown, and what to do; with the first device. */
static void verdict_of_run(struct model *m)
{
	char title[256], line[400], share[HUMAN_MAX];
	const struct verdict *v = m->report->verdict;
	if (!v)
		return;
	verdict_heading(v, line, sizeof(line));
	json_kv_string(&m->json, "verdict_heading", line);
	verdict_title(&v->parts[0], title, sizeof(title));
	human_value(&m->view->human, share, v->parts[0].share * 100, "percent");
	snprintf(line, sizeof(line), "%s: %s of the time", title, share);
	json_kv_string(&m->json, "verdict_line", line);
	char reason[1200] = "";
	const char *advice = v->parts[0].advice;
	if (v->parts[0].because)
		text_append(reason, sizeof(reason), "Because %s%s%s", v->parts[0].because,
			    advice ? "; try: " : "", advice ? advice : "");
	json_kv_string(&m->json, "verdict_advice", *reason ? reason : advice);
}

static void findings_of_device(struct model *m, const struct report_device *d)
{
	json_kv_array(&m->json, "findings");
	for (size_t i = 0; i < d->finding_count; i++)
		finding_json(m, d, &d->findings[i]);
	json_array_end(&m->json);
}

static void gaps_json(struct model *m, const struct report_device *d)
{
	json_kv_array(&m->json, "gaps");
	for (uint32_t i = 0; i < d->run.gap_count; i++) {
		json_object_begin_flat(&m->json);
		time_json(m, "begin_ns", d->run.gaps[i].begin_ns);
		time_json(m, "end_ns", d->run.gaps[i].end_ns);
		json_key(&m->json, "lost");
		if (d->run.gaps[i].lost == UINT64_MAX)
			json_null(&m->json);
		else
			json_u64(&m->json, d->run.gaps[i].lost);
		json_kv_string(&m->json, "text", d->run.gaps[i].text);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void histogram_json(struct model *m, const struct report_device *d)
{
	if (!(d->histogram.width_ns > 0))
		return;
	json_kv_object_flat(&m->json, "histogram");
	json_kv_f64(&m->json, "width_ns", d->histogram.width_ns);
	json_kv_array(&m->json, "counts");
	for (int i = 0; i <= REPORT_BINS; i++)
		json_u64(&m->json, d->histogram.counts[i]);
	json_array_end(&m->json);
	json_object_end(&m->json);
}

static void constants_json(struct model *m, const struct report_device *d)
{
	json_kv_array(&m->json, "constants");
	for (uint32_t i = 0; i < d->facts.constant_count; i++) {
		json_object_begin_flat(&m->json);
		json_kv_string(&m->json, "name", d->facts.constants[i].name);
		json_kv_f64(&m->json, "value", d->facts.constants[i].value);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void cost_json(struct model *m, const struct report_device *d)
{
	const struct cost *c = &d->cost;

	json_kv_object_flat(&m->json, "cost");
	json_kv_u64(&m->json, "measured", c->measured);
	json_kv_u64(&m->json, "all", c->all);
	json_kv_f64(&m->json, "share", c->share);
	json_kv_f64(&m->json, "slowdown", c->slowdown);
	json_kv_u64(&m->json, "guessed", d->guessed);
	json_object_end(&m->json);
}

/* What machine_head_json() does not say of a device. */
static void device_json(struct model *m, const struct report_device *d, uint32_t place)
{
	const struct sx_catalog_info *catalog = sx_catalog_info(d->catalog);
	char hash[24];
	snprintf(hash, sizeof(hash), "%016" PRIx64, catalog->hash);
	json_object_begin(&m->json);
	json_kv_u64(&m->json, "id", d->facts.number);
	json_kv_string(&m->json, "title",
		       d->facts.name && *d->facts.name ? d->facts.name : catalog->title);
	json_kv_string(&m->json, "catalog_title", catalog->title);
	json_kv_string(&m->json, "catalog_hash", hash);
	time_json(m, "begin_ns", d->begin_ns);
	time_json(m, "end_ns", d->end_ns);
	json_kv_string(&m->json, "because", d->run.silence ? d->run.silence->because : NULL);
	histogram_json(m, d);
	gaps_json(m, d);
	headings_json(m, d);
	rows_of_device(m, d);
	if (m->full) {
		cost_json(m, d);
		constants_json(m, d);
		if (!place)
			verdict_of_run(m);
		findings_of_device(m, d);
	}
	if (d->pyramid) {
		json_kv_object_flat(&m->json, "course");
		course_json(&m->json, d);
		json_object_end(&m->json);
	}
	json_object_end(&m->json);
}

static void report_json(struct model *m, const struct report *r)
{
	char origin[24];
	m->report = r;
	snprintf(origin, sizeof(origin), "%" PRIu64, course_origin(r));
	machine_head_json(&m->json, r);
	json_kv_string(&m->json, "origin_ns", origin);
	json_kv_array(&m->json, "of_devices");
	for (uint32_t d = 0; d < r->device_count; d++)
		device_json(m, &r->devices[d], d);
	json_array_end(&m->json);
}

/* Why a stretch has no value: the first of which it has all bits of the quality. */
static void reasons_json(struct model *m)
{
	static const uint8_t qualities[] = {SX_QUALITY_SKIPPED, SX_QUALITY_DISTURBED,
					    SX_QUALITY_GAP, SX_QUALITY_NOT_COLLECTED,
					    SX_QUALITY_UNDEFINED};
	json_kv_array(&m->json, "no_data");
	for (size_t i = 0; i < sizeof(qualities); i++) {
		json_object_begin_flat(&m->json);
		json_kv_u64(&m->json, "quality", qualities[i]);
		json_kv_string(&m->json, "why", no_data_text(no_data_of_quality(qualities[i])));
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void gate_lines_json(struct model *m, const struct report *r)
{
	gates_json(&m->json, r->gates, r->gate_count);
	json_kv_array(&m->json, "gate_lines");
	for (uint32_t i = 0; i < r->gate_count; i++) {
		const struct report_gate *g = &r->gates[i];
		json_object_begin_flat(&m->json);
		json_kv_u64(&m->json, "gate", i);
		json_kv_u64(&m->json, "device",
			    g->device < r->device_count ? r->devices[g->device].facts.number
							: g->device);
		json_kv_string(&m->json, "metric", g->metric);
		json_kv_bool(&m->json, "of_samples", g->of_samples && !g->why);
		json_kv_bool(&m->json, "above", g->above);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
}

static void change_json(struct model *m, const struct comparison *c, const struct compare_row *row)
{
	const struct compare_set *set = row->b ? c->b : c->a;
	const struct compare_metric *metric = row->b ? row->b : row->a;
	json_object_begin_flat(&m->json);
	json_kv_string(&m->json, "name", metric->name);
	json_kv_u64(&m->json, "device", set->devices[metric->device].number);
	json_kv_f64(&m->json, "change", row->change);
	json_kv_f64(&m->json, "noise", row->noise);
	json_kv_string(&m->json, "verdict", compare_verdict_name(row->verdict));
	json_kv_string(&m->json, "why", row->why);
	json_object_end(&m->json);
}

static void comparison_json(struct model *m, const struct comparison *c)
{
	json_kv_object(&m->json, "comparison");
	json_kv_bool(&m->json, "comparable", c->comparable);
	json_kv_string(&m->json, "why_not", c->why_not);
	json_kv_array(&m->json, "changes");
	for (size_t i = 0; i < c->row_count; i++)
		if (compare_row_is_known(&c->rows[i]))
			change_json(m, c, &c->rows[i]);
	json_array_end(&m->json);
	json_kv_array(&m->json, "advice");
	for (size_t i = 0; i < c->advice_count; i++) {
		json_object_begin_flat(&m->json);
		json_kv_string(&m->json, "title", c->advice[i].title);
		json_kv_bool(&m->json, "appeared", c->advice[i].appeared);
		json_object_end(&m->json);
	}
	json_array_end(&m->json);
	json_object_end(&m->json);
}

enum sx_status model_write(const struct view *view, const struct report *r, struct sx_error *err)
{
	struct model m = {.view = view, .json = {.out = view->out.out, .html = true}, .full = true};
	json_object_begin(&m.json);
	json_kv_string(&m.json, "schema", "sextant.page/1");
	json_kv_string(&m.json, "version", SX_VERSION);
	report_json(&m, r);
	reasons_json(&m);
	gate_lines_json(&m, r);
	if (r->baseline) {
		m.full = false;
		json_kv_object(&m.json, "baseline");
		report_json(&m, r->baseline);
		json_object_end(&m.json);
	}
	if (r->against)
		comparison_json(&m, r->against);
	json_object_end(&m.json);
	json_end(&m.json);
	return m.no_memory ? error_nomem(err, "writing a page") : SX_OK;
}
