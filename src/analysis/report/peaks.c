/*
 * Peaks: the most that a device can reach, computed from its constants; or, where the vendor's
 * maximum depends on other counts (bytes on clocks), from these counts over the whole run.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/fill.h"
#include "analysis/stats.h"

/* The formulas of the rows that have one; `of` is the row of each. */
struct peaks {
	struct sx_metrics_formula *formulas;
	struct sx_expr **exprs;
	char (*names)[16];
	uint32_t *of;
	uint32_t count;
};

/* A peak as the catalog spells it. */
struct peak_text {
	const char *text; /* NULL: it has none */
	enum sx_notation notation;
	uint32_t group;
};

static struct peak_text peak_text(const struct filling *f, const struct report_row *row)
{
	uint32_t count;
	struct peak_text out = {.notation = SX_INFIX, .group = SX_NONE};
	if (row->counter != SX_NONE)
		out.text = sx_catalog_counters(f->source.catalog, &count)[row->counter].peak;
	if (row->counter != SX_NONE || row->metric == SX_NONE)
		return out;
	const struct sx_metric_info *m =
	    &sx_catalog_metrics(f->source.catalog, &count)[row->metric];
	out.group = m->group;
	out.text = m->peak;
	if (!m->peak && m->max && strcmp(m->unit, "percent") != 0) {
		out.text = m->max;
		out.notation = sx_catalog_info(f->source.catalog)->notation;
	}
	return out;
}

static bool reserve(struct peaks *p, uint32_t count)
{
	p->formulas = calloc(count + 1, sizeof(*p->formulas));
	p->exprs = calloc(count + 1, sizeof(struct sx_expr *));
	p->names = calloc(count + 1, sizeof(*p->names));
	p->of = calloc(count + 1, sizeof(*p->of));
	return p->formulas && p->exprs && p->names && p->of;
}

static void peaks_collect(struct peaks *p, const struct filling *f, const struct report_row *rows,
			  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t n = p->count;
		struct peak_text peak = peak_text(f, &rows[i]);
		if (!peak.text ||
		    sx_expr_parse(peak.text, peak.notation, &p->exprs[n], NULL) != SX_OK)
			continue;
		snprintf(p->names[n], sizeof(p->names[n]), "%u", (unsigned)n);
		p->formulas[n] = (struct sx_metrics_formula){
		    .name = p->names[n], .unit = "count", .expr = p->exprs[n], .group = peak.group};
		p->of[p->count++] = i;
	}
}

/* Amounts that go with the run's counts are those of the run: here, of a second of it. */
static double peak_of(const struct filling *f, const struct report_row *row, double value)
{
	uint32_t count;
	uint64_t ns = cover_ns(&f->cover);
	bool of_run = row->metric != SX_NONE &&
		      !sx_catalog_metrics(f->source.catalog, &count)[row->metric].peak &&
		      stats_adds_up(row->unit);
	if (!of_run)
		return value;
	return ns ? value * 1e9 / (double)ns : (double)NAN;
}

static enum sx_status evaluate(const struct peaks *p, const struct filling *f,
			       const struct sx_table *total, struct report_row *rows,
			       struct sx_error *err)
{
	struct sx_metrics_options options = f->options;
	struct sx_metrics *metrics = NULL;
	struct sx_table *none = NULL, *values = NULL;
	enum sx_status status = SX_OK;
	if (!total) { /* constants alone */
		status = sx_table_create(NULL, 0, SX_SAMPLE_TIME, &none, err);
		status = status ? status : sx_table_add_rows(none, 1, NULL, err);
		total = none;
	}
	options.set = NULL;
	options.like = total;
	options.formulas = p->formulas;
	options.formula_count = p->count;
	if (!status)
		status = sx_metrics_create(f->source.catalog, &options, &metrics, err);
	if (!status)
		status = sx_metrics_eval(metrics, total, &values, err);
	for (uint32_t i = 0; !status && i < p->count; i++) {
		struct report_row *row = &rows[p->of[i]];
		row->peak = peak_of(f, row, sx_table_get(values, i, 0));
	}
	sx_table_destroy(values);
	sx_table_destroy(none);
	sx_metrics_destroy(metrics);
	return status;
}

/* A share of all has its peak in its unit, unless it is seen to be no share of all. */
static void assume_percent(struct report_row *row)
{
	if (isnan(row->peak) && strcmp(row->unit, "percent") == 0 && !(row->stats.max > 100))
		row->peak = 100;
}

/* Words by which titles say that a share of time is that of a unit at work. */
static bool is_load(const struct report_row *row)
{
	static const char *const words[] = {"utilization", "utilisation", "busy", " load"};
	const char *busy = row->neutral ? strstr(row->neutral, ".busy") : NULL;
	if (busy && !busy[5])
		return true;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(row->title, words[i]))
			return true;
	return false;
}

/* How near a unit is to its peak over the whole run; `given`: the catalog has a peak of it. */
static void find_load(struct report_row *row, bool given, uint64_t duration_ns)
{
	const struct sx_stats *s = &row->stats;
	double value = s->mean;
	if (!isnan(s->total))
		value = duration_ns ? s->total * 1e9 / (double)duration_ns : NAN;
	if (row->peak > 0 && (given || is_load(row)))
		row->load = value / row->peak;
}

enum sx_status report_find_peaks(struct filling *f, const struct sx_table *total,
				 struct report_row *rows, uint32_t count, struct sx_error *err)
{
	struct peaks p = {0};
	enum sx_status status = reserve(&p, count) ? SX_OK : error_nomem(err, "a report");
	if (!status)
		peaks_collect(&p, f, rows, count);
	if (!status && p.count)
		status = evaluate(&p, f, total, rows, err);
	for (uint32_t i = 0; i < p.count; i++)
		sx_expr_destroy(p.exprs[i]);
	free(p.formulas);
	free(p.exprs);
	free(p.names);
	free(p.of);
	for (uint32_t i = 0; i < count; i++) {
		bool given = !isnan(rows[i].peak);
		assume_percent(&rows[i]);
		find_load(&rows[i], given, cover_ns(&f->cover));
	}
	return status;
}
