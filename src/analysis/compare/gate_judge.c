/* Checks gates against the numbers of a report or comparison. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "analysis/compare/gate.h"
#include "base/no_data.h"
#include "base/suggest.h"
#include "base/text_buf.h"
#include "catalog/column.h"

#define TEXT_MAX 256

static bool gate_holds(enum gate_op op, double value, double limit)
{
	switch (op) {
	case GATE_LESS:
		return value < limit;
	case GATE_AT_MOST:
		return value <= limit;
	case GATE_MORE:
		return value > limit;
	case GATE_AT_LEAST:
		return value >= limit;
	case GATE_EQUAL:
		break;
	}
	return value == limit;
}

static double stat_of(enum gate_stat stat, const struct compare_stats *s)
{
	const double all[] = {s->total, s->mean, s->min, s->p50, s->p95, s->p99, s->max};
	return all[stat];
}

static void judge_value(const struct gate *gate, double value, const char *unit,
			struct arena *arena, struct report_gate *out)
{
	double factor;
	out->value = value;
	out->unit = unit;
	if (!gate_unit_factor(gate->unit, unit, &factor)) {
		char why[TEXT_MAX];
		int n = snprintf(why, sizeof(why), "%s is measured in %s, not in %s", gate->metric,
				 unit, gate->unit);
		out->why = arena_strndup(arena, why, (size_t)n < sizeof(why) ? (size_t)n : 0);
		return;
	}
	out->limit = gate->number * factor;
	if (isnan(value))
		out->why =
		    no_data_text(gate->stat == GATE_TOTAL ? NO_DATA_NO_TOTAL : NO_DATA_NO_VALUE);
	else
		out->passed = gate_holds(gate->op, value, out->limit);
}

static struct report_gate gate_begin(const struct gate *gate)
{
	return (struct report_gate){.text = gate->text,
				    .metric = gate->metric,
				    .unit = "",
				    .of_samples = gate->stat != GATE_TOTAL && !gate->relative,
				    .above = gate->op == GATE_LESS || gate->op == GATE_AT_MOST,
				    .value = (double)NAN,
				    .limit = gate->number};
}

/* Names are compared without regard to case; a neutral name serves too, as people write it. */
static bool is_named(const char *wanted, const char *name, const char *neutral)
{
	return strcasecmp(wanted, name) == 0 || column_alike(neutral, wanted);
}

/*
 * The name of a gate, and what -m means by it in the catalog of a device; `rest` is what follows
 * the device's source or catalog, as in "cpu.cpu_busy", or NULL.
 */
struct gate_wanted {
	const char *name, *rest;
	struct column_meaning is;
};

static struct gate_wanted wanted_of(const char *name, const struct report_device *device)
{
	const char *rest = suggest_behind(name, device->facts.source, device->facts.number);
	struct column_meaning is = column_wanted(device->catalog, name, SX_NONE);
	if (!rest)
		rest = suggest_behind(name, sx_catalog_info(device->catalog)->name,
				      device->facts.number);
	if (rest && is.metric == SX_NONE && is.counter.counter == SX_NONE)
		is = column_wanted(device->catalog, rest, SX_NONE);
	return (struct gate_wanted){name, rest, is};
}

/* An instance of a counter has a name of its own. */
static bool is_row(const struct gate_wanted *wanted, const struct report_row *row)
{
	if (is_named(wanted->name, row->name, row->neutral) ||
	    (wanted->rest && is_named(wanted->rest, row->name, row->neutral)))
		return true;
	if (row->metric != SX_NONE)
		return wanted->is.metric == row->metric;
	return row->counter != SX_NONE && !strchr(row->name, '[') &&
	       wanted->is.counter.instance == SX_NONE && wanted->is.counter.counter == row->counter;
}

/* Whether a report has a row that a gate names so. */
static bool has_row(const struct report *report, const char *name)
{
	for (uint32_t d = 0; d < report->device_count; d++) {
		const struct report_device *device = &report->devices[d];
		struct gate_wanted wanted = wanted_of(name, device);
		for (uint32_t i = 0; i < device->row_count; i++)
			if (is_row(&wanted, &device->rows[i]))
				return true;
	}
	return false;
}

/* The name before the last dot, or NULL. */
static bool before_dot(const char *name, char *out, size_t size)
{
	const char *dot = strrchr(name, '.');
	if (!dot || dot == name || (size_t)(dot - name) >= size)
		return false;
	memcpy(out, name, (size_t)(dot - name));
	out[dot - name] = '\0';
	return true;
}

static enum sx_status no_statistic(const struct gate *gate, const char *metric,
				   struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "%s has no \"%s\" that a gate can hold", metric,
		  gate->metric + strlen(metric) + 1);
	error_because(err, "there are total, mean, min, p50, p95, p99 and max");
	error_try(err, "'%s.p95 ...'", metric);
	return SX_ERR_USAGE;
}

static enum sx_status check_unit(const struct gate *gate, const char *base, struct sx_error *err)
{
	const char *op = strpbrk(gate->text, "<>=");
	int before = op ? (int)(op - gate->text) + (int)strspn(op, "<>=") : 0;
	double factor;
	if (gate->relative || gate_unit_factor(gate->unit, base, &factor))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "\"%s\" is no gate", gate->text);
	error_because(err, "%s is measured in %s, not in %s", gate->metric, base, gate->unit);
	error_try(err, "'%.*s %g%s'", before, gate->text, gate->number, gate_unit_example(base));
	return SX_ERR_USAGE;
}

static enum sx_status check_units(const struct gate *gate, const struct report *report,
				  const struct units *units, struct sx_error *err)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	enum sx_status status = SX_OK;
	for (uint32_t d = 0; !status && d < report->device_count; d++) {
		const struct report_device *device = &report->devices[d];
		struct gate_wanted wanted = wanted_of(gate->metric, device);
		for (uint32_t i = 0; !status && i < device->row_count; i++)
			if (is_row(&wanted, &device->rows[i]))
				status = check_unit(
				    gate, units_base(units, device->rows[i].unit, buf, &factor),
				    err);
	}
	return status;
}

enum sx_status gate_check_report(const struct gate *gates, size_t count,
				 const struct report *report, struct sx_error *err)
{
	char name[TEXT_MAX];
	struct units units;
	units_init(&units);
	for (size_t g = 0; g < count; g++) {
		enum sx_status status = check_units(&gates[g], report, &units, err);
		if (status)
			return status;
		if (before_dot(gates[g].metric, name, sizeof(name)) &&
		    !has_row(report, gates[g].metric) && has_row(report, name))
			return no_statistic(&gates[g], name, err);
	}
	return SX_OK;
}

/*
 * What a gate names of a comparison. Without a catalog: by its name, or where none is called so, by
 * a name or title that is alike.
 */
static bool is_metric(const struct comparison *c, const char *wanted,
		      const struct compare_metric *m)
{
	if (is_named(wanted, m->name, m->neutral))
		return true;
	if (!column_alike(m->name, wanted) && !column_alike(m->title, wanted))
		return false;
	for (size_t i = 0; i < c->row_count; i++) {
		const struct compare_metric *other = c->rows[i].b ? c->rows[i].b : c->rows[i].a;
		if (is_named(wanted, other->name, other->neutral))
			return false;
	}
	return true;
}

/* The same, also behind the catalog of the row's device. */
static bool is_compared(const struct comparison *c, const char *wanted,
			const struct compare_row *row)
{
	const struct compare_metric *m = row->b ? row->b : row->a;
	const struct compare_device *d = &(row->b ? c->b : c->a)->devices[m->device];
	const char *rest = suggest_behind(wanted, d->catalog, d->number);
	return is_metric(c, wanted, m) || (rest && is_metric(c, rest, m));
}

enum sx_status gate_check_comparison(const struct gate *gates, size_t count,
				     const struct comparison *c, struct sx_error *err)
{
	char name[TEXT_MAX];
	for (size_t g = 0; g < count; g++) {
		bool found = !before_dot(gates[g].metric, name, sizeof(name)), prefix = false;
		for (size_t i = 0; i < c->row_count; i++) {
			const struct compare_metric *m = c->rows[i].b ? c->rows[i].b : c->rows[i].a;
			bool meant = is_compared(c, gates[g].metric, &c->rows[i]);
			if (meant && check_unit(&gates[g], m->unit, err))
				return SX_ERR_USAGE;
			found |= meant;
			prefix |= !found && is_compared(c, name, &c->rows[i]);
		}
		if (!found && prefix)
			return no_statistic(&gates[g], name, err);
	}
	return SX_OK;
}

/*
 * Checks a gate against a number with a known range: false where a part of the range passes and
 * another does not.
 */
static bool is_decided(const struct gate *gate, double low, double high, double limit)
{
	if (gate->op == GATE_EQUAL)
		return low == high || limit < low || limit > high;
	return gate_holds(gate->op, low, limit) == gate_holds(gate->op, high, limit);
}

/*
 * Of a ratio that was given by row the run's is not known: where the rows' lie on both sides of the
 * limit, neither passes nor fails.
 */
static void judge_mean_of_rows(const struct gate *gate, const struct compare_stats *s,
			       struct arena *arena, struct report_gate *out)
{
	char why[192];
	if (out->why || gate->stat != GATE_MEAN || is_decided(gate, s->min, s->max, out->limit))
		return;
	snprintf(why, sizeof(why),
		 "given by row, the run's ratio is not known: between %.3g and %.3g, the rows' "
		 "mean is %.3g",
		 s->min, s->max, s->mean);
	out->why = arena_strndup(arena, why, strlen(why));
	out->passed = false;
}

/* What a report, or one side of a comparison, has of a metric. */
struct judged {
	const struct compare_stats *stats;
	const char *unit;
	bool of_rows; /* see sx_stats */
};

static void judge_stats(const struct gate *gate, const struct judged *of, struct arena *arena,
			struct report_gate *out)
{
	out->why = NULL;
	judge_value(gate, stat_of(gate->stat, of->stats), of->unit, arena, out);
	if (of->of_rows)
		judge_mean_of_rows(gate, of->stats, arena, out);
}

static void judge_row(const struct gate *gate, const struct report_row *row,
		      const struct units *units, struct arena *arena, struct report_gate *out)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	const char *base = units_base(units, row->unit, buf, &factor);
	const struct sx_stats *s = &row->stats;
	const struct compare_stats in_base = {.total = s->total * factor,
					      .mean = s->mean * factor,
					      .min = s->min * factor,
					      .p50 = s->p50 * factor,
					      .p95 = s->p95 * factor,
					      .p99 = s->p99 * factor,
					      .max = s->max * factor};
	const struct judged of = {&in_base, arena_strndup(arena, base, strlen(base)), s->of_rows};
	judge_stats(gate, &of, arena, out);
	if (s->why && (!out->why || isnan(out->value))) { /* as much was lost as was counted */
		out->why = s->why;
		out->value = (double)NAN;
		out->passed = false;
	}
}

/* What a report says of how evenly frames came, under the names of its JSON. */
static const char *const evenness[] = {"low_1_percent", "low_0_1_percent", "stutters"};
#define EVENNESS_COUNT (sizeof(evenness) / sizeof(evenness[0]))

static void judge_evenness(const struct gate *gate, const struct report_device *device, uint32_t d,
			   struct arena *arena, struct report_gate *out)
{
	const struct report_frames *frames = &device->frames;
	const double values[EVENNESS_COUNT] = {frames->low_1, frames->low_01,
					       (double)frames->stutters};
	for (size_t i = 0; i < EVENNESS_COUNT; i++) {
		if (!frames->count || gate->stated || !is_named(gate->metric, evenness[i], NULL))
			continue;
		out->why = NULL;
		out->device = d;
		out->of_samples = false;
		judge_value(gate, values[i], i < 2 ? "frames/s" : "frames", arena, out);
		if (isnan(values[i]))
			out->why = "too few frames";
	}
}

/* Why a gate's metric was not found, with a name that may have been meant. */
static const char *why_absent(const struct suggest *near, const char *where, struct arena *arena)
{
	char text[192];
	snprintf(text, sizeof(text), "%s: %s is one that is near", where,
		 near->count ? near->items[0] : "");
	const char *kept = near->count ? arena_strndup(arena, text, strlen(text)) : NULL;
	return kept ? kept : where;
}

static const char *absent_in_report(const char *name, const struct report *report,
				    struct arena *arena)
{
	struct suggest near;
	suggest_begin(&near, name, 1);
	for (uint32_t d = 0; d < report->device_count; d++) {
		const struct report_device *device = &report->devices[d];
		uint32_t counters = device->total ? sx_table_column_count(device->total) : 0;
		for (uint32_t i = 0; i < device->row_count; i++)
			suggest_offer(&near, device->rows[i].name);
		/* A gate may choose what the report does not show. */
		for (uint32_t i = 0; i < counters; i++)
			suggest_offer(&near, sx_table_column(device->total, i)->name);
		for (size_t i = 0; device->frames.count && i < EVENNESS_COUNT; i++)
			suggest_offer(&near, evenness[i]);
	}
	return why_absent(&near, "there is no such metric in this report", arena);
}

static const char *absent_in_comparison(const char *name, const struct comparison *c,
					struct arena *arena)
{
	struct suggest near;
	suggest_begin(&near, name, 1);
	for (size_t i = 0; i < c->row_count; i++)
		if (c->rows[i].a && c->rows[i].b)
			suggest_offer(&near, c->rows[i].a->name);
	return why_absent(&near, "there is no such metric in both", arena);
}

void gate_judge_report(const struct gate *gates, size_t count, const struct report *report,
		       struct arena *arena, struct report_gate *out)
{
	struct units *units = count ? arena_alloc(arena, sizeof(*units)) : NULL;
	if (units)
		units_init(units);
	for (size_t g = 0; g < count; g++) {
		out[g] = gate_begin(&gates[g]);
		out[g].why = absent_in_report(gates[g].metric, report, arena);
		if (gates[g].relative) {
			out[g].why = "a limit with a sign needs a baseline: see sextant diff";
			continue;
		}
		for (uint32_t d = report->device_count; units && d-- > 0;) {
			const struct report_device *device = &report->devices[d];
			struct gate_wanted wanted = wanted_of(gates[g].metric, device);
			judge_evenness(&gates[g], device, d, arena, &out[g]);
			for (uint32_t i = device->row_count; i-- > 0;) {
				if (!is_row(&wanted, &device->rows[i]))
					continue;
				out[g].device = d;
				judge_row(&gates[g], &device->rows[i], units, arena, &out[g]);
			}
		}
	}
}

/* Relative to A: what the table says of the two, or of the statistic that is stated. NaN: no data.
 */
static double change_of(const struct gate *gate, const struct compare_row *row)
{
	double a = stat_of(gate->stat, &row->a->stats), b = stat_of(gate->stat, &row->b->stats);
	if (isnan(a) || isnan(b))
		return (double)NAN;
	if (!gate->stated && !isnan(row->change))
		return row->change;
	return a != 0 ? (b - a) / fabs(a) : b == 0 ? 0 : (double)INFINITY;
}

/* Where the change of a mean lies, of ratios of which the rows' are known, not the run's. */
struct change_range {
	double low, high;
};

static struct change_range range_of(const struct compare_row *row)
{
	const struct compare_stats *a = &row->a->stats, *b = &row->b->stats;
	double from[] = {row->a->of_rows ? a->min : a->mean, row->a->of_rows ? a->max : a->mean};
	double to[] = {row->b->of_rows ? b->min : b->mean, row->b->of_rows ? b->max : b->mean};
	struct change_range range = {(double)INFINITY, -(double)INFINITY};
	if (from[0] <= 0 && from[1] >= 0)
		return (struct change_range){-(double)INFINITY, (double)INFINITY};
	for (int i = 0; i < 4; i++) {
		double change = (to[i / 2] - from[i % 2]) / fabs(from[i % 2]);
		range.low = fmin(range.low, change);
		range.high = fmax(range.high, change);
	}
	return range;
}

static void judge_change_of_rows(const struct gate *gate, const struct compare_row *row,
				 struct arena *arena, struct report_gate *out)
{
	char why[192];
	struct change_range range = range_of(row);
	if (out->why || gate->stat != GATE_MEAN ||
	    is_decided(gate, range.low, range.high, out->limit))
		return;
	snprintf(why, sizeof(why), "given by row, the runs' ratios are not known: ");
	if (isfinite(range.low))
		text_append(why, sizeof(why),
			    "the change is between %+.3g %% and %+.3g %%, that of the rows' means "
			    "%+.3g %%",
			    range.low * 100, range.high * 100, out->value * 100);
	else
		text_append(why, sizeof(why),
			    "A may be 0, the change of the rows' means is %+.3g %%",
			    out->value * 100);
	out->why = arena_strndup(arena, why, strlen(why));
	out->passed = false;
}

static void judge_change(const struct gate *gate, const struct compare_row *row,
			 struct arena *arena, struct report_gate *out)
{
	if (!row->a || !row->b || row->verdict == COMPARE_INCOMPARABLE) {
		out->why = row->why;
		return;
	}
	out->unit = "ratio";
	out->limit = gate->number;
	out->value = change_of(gate, row);
	out->why = isnan(out->value) ? no_data_text(NO_DATA_NO_VALUE) : NULL;
	out->passed = !out->why && gate_holds(gate->op, out->value, gate->number);
	if (row->a->of_rows || row->b->of_rows)
		judge_change_of_rows(gate, row, arena, out);
}

void gate_judge_comparison(const struct gate *gates, size_t count, const struct comparison *c,
			   struct arena *arena, struct report_gate *out)
{
	for (size_t g = 0; g < count; g++) {
		out[g] = gate_begin(&gates[g]);
		out[g].why = absent_in_comparison(gates[g].metric, c, arena);
		for (size_t i = c->row_count; i-- > 0;) {
			const struct compare_row *row = &c->rows[i];
			const struct compare_metric *m = row->b ? row->b : row->a;
			if (!is_compared(c, gates[g].metric, row))
				continue;
			out[g].device = m->device;
			out[g].why = NULL;
			if (gates[g].relative)
				judge_change(&gates[g], row, arena, &out[g]);
			else if (!row->b)
				out[g].why = row->why;
			else
				judge_stats(
				    &gates[g],
				    &(struct judged){&row->b->stats, row->b->unit, row->b->of_rows},
				    arena, &out[g]);
		}
	}
}
