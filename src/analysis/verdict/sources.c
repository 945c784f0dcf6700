/*
 * Values of sources for windows: their rows joined to the windows, their metrics with neutral
 * names.
 */
#include "analysis/verdict/facts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/column.h"
#include "catalog/internal.h"
#include "expr/compile.h"
#include "table/fill.h"
#include "table/total.h"

static bool is_neutral(const char *name)
{
	return strchr(name, '.') && strcmp(name, FRAME_SPREAD) != 0 &&
	       strcmp(name, FRAME_LENGTH) != 0 && strcmp(name, KERNEL_COVER) != 0;
}

void facts_take(struct verdict_column *c, size_t row, double value, uint8_t quality,
		uint32_t device)
{
	if (isnan(value) || quality & SX_QUALITY_NO_DATA_MASK || c->values[row] >= value)
		return;
	c->values[row] = value;
	c->quality[row] = quality;
	c->device[row] = device;
}

#define SPARED_MOST 16 /* windows from which a measured one replaces a spared one */

/* The window with a value that is nearest to one in which nothing was measured, or that itself. */
static size_t nearest_measured(const struct sx_table *values, uint32_t column, size_t window)
{
	size_t rows = sx_table_row_count(values);
	for (size_t d = 1; d <= SPARED_MOST; d++) {
		if (window >= d && !isnan(sx_table_get(values, column, window - d)))
			return window - d;
		if (window + d < rows && !isnan(sx_table_get(values, column, window + d)))
			return window + d;
	}
	return window;
}

static void take_values(struct verdict_facts *f, const struct verdict_source *source,
			const struct sx_table *values, uint32_t column, uint32_t name)
{
	struct sx_vector v = sx_table_vector(values, column);
	bool of_frames = strcmp(f->names[name], FRAME_RATE) == 0;
	for (size_t r = 0; v.data && r < f->count && r < sx_table_row_count(values); r++) {
		uint8_t quality = v.quality ? v.quality[r] : SX_QUALITY_VALID;
		if (of_frames && !verdict_has_frames(f, source->rows, r))
			continue;
		size_t from =
		    sx_quality_is_skipped(quality) ? nearest_measured(values, column, r) : r;
		if (from != r)
			quality = SX_QUALITY_MULTIPLEXED;
		facts_take(&f->inputs[name], r, sx_table_get(values, column, from), quality,
			   source->device);
	}
}

/* One name of one source; what its catalog does not map, or several sets have, is no data. */
static enum sx_status evaluate(struct verdict_facts *f, const struct verdict_source *source,
			       const struct sx_table *raw, uint32_t name)
{
	struct sx_metrics_options options = *source->options;
	struct sx_metrics *metrics = NULL;
	struct sx_table *values = NULL;
	options.patterns = &f->names[name];
	options.pattern_count = 1;
	options.like = raw;
	options.keep_neutral = true;
	enum sx_status status = sx_metrics_create(source->catalog, &options, &metrics, NULL);
	if (!status)
		status = sx_metrics_eval(metrics, raw, &values, NULL);
	if (!status && sx_table_column_count(values))
		take_values(f, source, values, 0, name);
	sx_table_destroy(values);
	sx_metrics_destroy(metrics);
	return status == SX_ERR_NO_MEMORY ? status : SX_OK;
}

/* Of rows without times: a frame's time adds up to theirs, but not where it is a mean of some. */
static bool is_length(const struct verdict_facts *f, const struct verdict_source *source,
		      const char *name)
{
	const char *metric = column_of_neutral(source->catalog, name, true);
	uint32_t count, at = sx_catalog_find_metric(source->catalog, metric, SX_NONE, NULL);
	return f->timed || strcmp(name, FRAME_TIME) != 0 || at == SX_NONE ||
	       sx_catalog_metrics(source->catalog, &count)[at].over_time != SX_REDUCE_RATIO;
}

/* A constant is that of any source, or of its catalog. */
static double constant_of(const struct verdict_source *source, const char *name)
{
	const struct sx_metrics_options *o = source->options;
	return constants_value(source->catalog, sx_catalog_find_constant(source->catalog, name),
			       &(struct constants_list){o->constants, o->constant_count});
}

/* Some rows of a source as one. */
static enum sx_status total_rows(const struct sx_table *from, size_t first, size_t count,
				 struct sx_table *to)
{
	struct total *total = NULL;
	enum sx_status status = total_create(from, &total, NULL);
	if (!status) {
		total_add_rows(total, from, first, count);
		status = total_append(total, TOTAL_WHOLE, NULL, to, NULL);
	}
	total_destroy(total);
	return status;
}

/* Where samples have no times, a window is a number of them, combined. */
static enum sx_status group_rows(const struct verdict_facts *f, const struct sx_table *from,
				 struct sx_table **out)
{
	size_t rows = sx_table_row_count(from);
	enum sx_status status = table_like_totals(from, out, NULL);
	for (size_t w = 0; !status && w < f->count; w++) {
		size_t first = w * f->rows_each;
		size_t count = w + 1 == f->count ? rows - first : f->rows_each;
		status = total_rows(from, first, count, *out);
	}
	return status;
}

static enum sx_status ask_source(struct verdict_facts *f, const struct verdict_source *source)
{
	struct sx_table *raw = NULL;
	enum sx_status status = f->timed ? sx_table_join(f->windows, source->rows, &raw, NULL)
					 : group_rows(f, source->rows, &raw);
	for (uint32_t n = 0; !status && n < f->name_count; n++) {
		if (is_neutral(f->names[n]) &&
		    column_of_neutral(source->catalog, f->names[n], true) &&
		    is_length(f, source, f->names[n]))
			status = evaluate(f, source, raw, n);
		double constant = is_neutral(f->names[n]) ? NAN : constant_of(source, f->names[n]);
		for (size_t r = 0; !isnan(constant) && r < f->count; r++)
			facts_take(&f->inputs[n], r, constant, 0, source->device);
	}
	sx_table_destroy(raw);
	return status;
}

static enum sx_status known_name(void *user, const struct sx_node *node)
{
	const struct verdict_facts *f = user;
	bool known = false;
	for (uint32_t i = 0; node->kind == SX_NODE_NAME && !known && i < f->source_count; i++)
		known = column_of_neutral(f->sources[i].catalog, node->name, true) != NULL;
	return known ? SX_AGAIN : SX_OK; /* to stop there */
}

bool facts_may_know(const struct verdict_facts *f, uint32_t fact)
{
	bool known = false;
	const struct verdict_fact *of = &f->rules->facts[fact];
	for (uint32_t w = 0; !known && w < of->way_count; w++)
		known = expr_visit(of->ways[w].tree, known_name, (void *)f) == SX_AGAIN;
	return known;
}

struct other_fact {
	const struct verdict_rules *rules;
	uint32_t fact;
};

static enum sx_status other_fact(void *user, const struct sx_node *node)
{
	const struct other_fact *of = user;
	uint32_t at =
	    node->kind == SX_NODE_NAME ? verdict_fact_find(of->rules, node->name) : SX_NONE;
	return at < of->fact ? SX_AGAIN : SX_OK; /* to stop there */
}

bool facts_is_of_others(const struct verdict_facts *f, uint32_t fact)
{
	const struct verdict_fact *asked = &f->rules->facts[fact];
	struct other_fact of = {f->rules, fact};
	return asked->way_count && expr_visit(asked->ways->tree, other_fact, &of) == SX_AGAIN;
}

bool facts_ask_sources(struct verdict_facts *f, bool own, enum sx_status *status)
{
	bool any = false;
	uint32_t sources = f->timed || !f->source_count ? f->source_count : 1;
	for (uint32_t i = 0; !*status && i < sources; i++) {
		if (f->sources[i].own != own)
			continue;
		any = true;
		*status = ask_source(f, &f->sources[i]);
	}
	return any;
}
