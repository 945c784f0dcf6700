/*
 * The metrics that every device is asked for: those with vendor-neutral names, and engines, which
 * catalogs tag.
 */
#include "analysis/live/state.h"

#include <sextant/expr.h>

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"

/* By gauge: neutral names, the best first, and that of the most that there can be. */
static const struct {
	const char *names[2], *peak;
} gauges[LIVE_GAUGES] = {
    [LIVE_LOAD] = {{"gpu.load"}, NULL},
    [LIVE_BUSY] = {{"gpu.busy", "cpu.busy"}, NULL},
    [LIVE_MEMORY] = {{"gpu.memory.used"}, "gpu.memory.total"},
    [LIVE_BANDWIDTH] = {{"memory.bandwidth", "system.memory.bandwidth"}, NULL},
    [LIVE_POWER] = {{"gpu.power"}, "gpu.power.limit"},
    [LIVE_TEMPERATURE] = {{"gpu.temperature"}, NULL},
    [LIVE_CLOCK] = {{"gpu.frequency", "cpu.frequency"}, "gpu.frequency.highest"},
    [LIVE_THROTTLED] = {{"gpu.throttled"}, NULL},
    [LIVE_FRAME_RATE] = {{"frame.rate"}, NULL},
};

/* Names while they are gathered; a column is a place among them. */
struct patterns {
	const char *items[LIVE_HEADING_MAX];
	uint32_t count;
};

static uint32_t add(struct patterns *p, const char *name)
{
	for (uint32_t i = 0; i < p->count; i++)
		if (strcmp(p->items[i], name) == 0)
			return i;
	if (p->count == LIVE_HEADING_MAX)
		return SX_NONE;
	p->items[p->count] = name;
	return p->count++;
}

static uint32_t set_of(const struct live_source *d)
{
	const char *set = d->options.set;
	return set ? sx_catalog_find_group(d->source.catalog, set) : SX_NONE;
}

/* The catalog's name for what has a neutral name, in the set that is programmed; or NULL. */
static const char *find_neutral(const struct live_source *d, const char *neutral)
{
	uint32_t count, set = set_of(d);
	const struct sx_metric_info *m = sx_catalog_metrics(d->source.catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (text_same(m[i].neutral, neutral) && !m[i].unavailable &&
		    (m[i].group == SX_NONE || m[i].group == set))
			return m[i].qualified;
	const struct sx_counter_info *c = sx_catalog_counters(d->source.catalog, &count);
	for (uint32_t i = 0; i < count; i++)
		if (text_same(c[i].neutral, neutral) &&
		    (c[i].group == SX_NONE || c[i].group == set))
			return c[i].name;
	return NULL;
}

static uint32_t add_neutral(struct patterns *p, const struct live_source *d, const char *neutral)
{
	const char *name = neutral ? find_neutral(d, neutral) : NULL;
	return name ? add(p, name) : SX_NONE;
}

static bool has_tag(const struct sx_metric_info *m, const char *tag)
{
	for (uint32_t i = 0; i < m->tags.count; i++)
		if (strcmp(m->tags.items[i], tag) == 0)
			return true;
	return false;
}

/* "render" of "Render engine busy". */
static void name_engine(const char *title, char *out, size_t size)
{
	static const char *const ends[] = {" with the program", " busy", " engine", " engines"};
	snprintf(out, size, "%s", title);
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		size_t length = strlen(out), end = strlen(ends[i]);
		if (length > end && strcmp(out + length - end, ends[i]) == 0)
			out[length - end] = '\0';
	}
	out[0] = (char)tolower((unsigned char)out[0]);
}

static uint32_t add_engines(struct patterns *p, const struct live_source *d, const char *tag,
			    struct heading_part *out)
{
	uint32_t count, used = 0;
	const struct sx_metric_info *m = sx_catalog_metrics(d->source.catalog, &count);
	for (uint32_t i = 0; i < count && used < LIVE_PARTS_MAX; i++) {
		if (!has_tag(&m[i], tag))
			continue;
		uint32_t column = add(p, m[i].qualified);
		if (column == SX_NONE)
			break;
		out[used].column = column;
		name_engine(m[i].title, out[used].name, sizeof(out[used].name));
		used++;
	}
	return used;
}

/* A gauge that is worked out of others where the catalog has no metric of it. */
struct derived {
	char text[512];
	struct sx_expr *expr; /* NULL: it cannot be worked out either */
};
static const struct {
	enum live_gauge gauge;
	const char *name, *unit;
} derivable[] = {
    {LIVE_LOAD, "load", "percent"},
    {LIVE_BANDWIDTH, "bandwidth", "MB/s"},
};
#define DERIVABLE (sizeof(derivable) / sizeof(derivable[0]))

/* The text of a formula; false where something of it is not there. */
static bool derive(const struct live_source *d, enum live_gauge gauge, char *out, size_t size)
{
	static const char clock[] = "gpu_max_clock_hz";
	const char *active = find_neutral(d, "gpu.clocks.active");
	const char *reads = find_neutral(d, "memory.read.bytes");
	const char *writes = find_neutral(d, "memory.write.bytes");
	bool has_clock = sx_catalog_find_constant(d->source.catalog, clock) != SX_NONE;
	out[0] = '\0';
	if (gauge == LIVE_LOAD && active && has_clock)
		snprintf(out, size, "%s * 100 / %s / seconds", active, clock);
	else if (gauge == LIVE_BANDWIDTH && reads && writes)
		snprintf(out, size, "(%s + %s) / 1000000 / seconds", reads, writes);
	return out[0] != '\0';
}

/* Adds formulas of gauges that have no metric; returns how many. */
static uint32_t derive_gauges(struct live_source *d, uint32_t first, struct derived *derived,
			      struct sx_metrics_formula *formulas)
{
	uint32_t count = 0;
	for (size_t i = 0; i < DERIVABLE; i++) {
		struct derived *now = &derived[count];
		uint32_t *column = &d->heading.gauges[derivable[i].gauge];
		if (*column != SX_NONE ||
		    !derive(d, derivable[i].gauge, now->text, sizeof(now->text)) ||
		    sx_expr_parse(now->text, SX_INFIX, &now->expr, NULL) != SX_OK)
			continue;
		*column = first + count;
		formulas[count++] = (struct sx_metrics_formula){.name = derivable[i].name,
								.unit = derivable[i].unit,
								.expr = now->expr,
								.group = set_of(d)};
	}
	return count;
}

static void find_columns(struct live_source *d, struct patterns *p)
{
	struct live_heading *h = &d->heading;
	for (int i = 0; i < LIVE_GAUGES; i++) {
		h->gauges[i] = add_neutral(p, d, gauges[i].names[0]);
		if (h->gauges[i] == SX_NONE)
			h->gauges[i] = add_neutral(p, d, gauges[i].names[1]);
		h->peaks[i] = add_neutral(p, d, gauges[i].peak);
	}
	h->engine_count = add_engines(p, d, "engine", h->engines);
	h->program_engine_count = add_engines(p, d, "program-engine", h->program_engines);
	h->program_busy = add_neutral(p, d, "program.busy");
	h->program_memory = add_neutral(p, d, "program.memory");
}

enum sx_status live_heading_create(struct live_source *d, const struct sx_table *like,
				   struct sx_error *err)
{
	struct patterns p = {.count = 0};
	struct derived derived[DERIVABLE] = {0};
	struct sx_metrics_formula formulas[DERIVABLE];
	struct sx_metrics_options options = d->options;
	find_columns(d, &p);
	options.patterns = p.items;
	options.pattern_count = p.count;
	options.formulas = formulas;
	options.formula_count = derive_gauges(d, p.count, derived, formulas);
	options.like = like;
	enum sx_status status = SX_OK;
	if (options.pattern_count || options.formula_count)
		status = sx_metrics_create(d->source.catalog, &options, &d->heading.metrics, err);
	for (size_t i = 0; i < DERIVABLE; i++)
		sx_expr_destroy(derived[i].expr);
	return status;
}
