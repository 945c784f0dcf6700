/* The report by frame, debug group, time or instance: rows with one key become one. */
#include "analysis/report/by/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/report/by/instances.h"
#include "analysis/report/by/keys.h"
#include "analysis/summary.h"
#include "base/mem.h"
#include "metric/metrics.h"
#include "table/fill.h"
#include "table/total.h"

#define PRUNE_AT 1024 /* groups beyond the wanted ones that wait before the smaller ones go */

/* Tables count their strings each for itself. */
static uint64_t key_of_text(struct report_by *g, uint64_t index)
{
	const char *text = index == SX_LABEL_ABSENT ? NULL : sx_table_string(g->raw, index);
	uint32_t key = text ? strings_intern(&g->texts, text, strlen(text), NULL) : UINT32_MAX;
	return key == UINT32_MAX ? UINT64_MAX : key;
}

static uint64_t key_of(struct report_by *g, size_t row)
{
	const struct sx_table *raw = g->raw;
	if (g->o.by == REPORT_BY_TIME) {
		uint64_t begin = sx_table_begin_ns(raw)[row];
		g->labelled |= begin != SX_TIME_UNKNOWN;
		return begin == SX_TIME_UNKNOWN || begin < g->o.begin_ns
			   ? UINT64_MAX
			   : (begin - g->o.begin_ns) / g->bucket_ns;
	}
	uint64_t key = sx_table_label(raw, by_label(g->o.by), row);
	if (key == SX_LABEL_ABSENT && g->o.by == REPORT_BY_FRAME &&
	    sx_table_kind(raw) == SX_SAMPLE_FRAME)
		key = g->next_frame++;
	g->labelled |= key != SX_LABEL_ABSENT;
	return report_key_is_text(g->o.by) ? key_of_text(g, key) : key;
}

/*
 * Values of --sort for the groups: those that are shown. Where no formula is worked out of more
 * than a group's totals, or this one is not shown, it alone is.
 */
static enum sx_status set_order(struct report_by *g, struct sx_error *err)
{
	uint32_t n, column = SX_NONE;
	struct sx_table *values = NULL;
	enum sx_status status = SX_OK;
	if (!g->sort)
		return SX_OK;
	if (g->ratios || g->rates)
		status = by_evaluate(g, &values, err);
	if (!status && values)
		column = sx_table_find(values, sx_metrics_columns(g->sort, &n)[0].name);
	if (!status && column == SX_NONE) {
		sx_table_destroy(values);
		column = 0;
		status = sx_metrics_eval(g->sort, g->rates ? g->rates : g->groups, &values, err);
	}
	for (size_t i = 0; !status && i < sx_table_row_count(g->groups); i++)
		g->list[i].order = (g->smallest_first ? -1 : 1) * sx_table_get(values, column, i);
	sx_table_destroy(values);
	return status;
}

struct ranked {
	double order;
	size_t row;
};

/* Largest order first, no data last, else as they came. */
static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (isnan(x->order) != isnan(y->order))
		return isnan(x->order) ? 1 : -1;
	if (!isnan(x->order) && x->order != y->order)
		return x->order < y->order ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* The rows of a table that are kept, in their order. */
static enum sx_status keep_ranked(struct report_by *g, struct sx_table **table,
				  const struct ranked *ranks, size_t kept, struct sx_error *err)
{
	struct sx_table *out = NULL;
	if (!*table)
		return SX_OK;
	enum sx_status status = table_like(*table, &out, err);
	for (size_t i = 0; !status && i < kept; i++)
		status =
		    frames_append(out, *table, (struct row_span){ranks[i].row, 1}, g->vectors, err);
	sx_table_destroy(status ? out : *table);
	if (!status)
		*table = out;
	return status;
}

enum sx_status by_prune(struct report_by *g, struct sx_error *err)
{
	size_t rows = sx_table_row_count(g->groups),
	       kept = rows < g->o.top ? rows : (size_t)g->o.top;
	struct ranked *ranks = calloc(rows + 1, sizeof(*ranks));
	struct report_group *list = calloc(rows + 1, sizeof(*list));
	enum sx_status status = ranks && list ? set_order(g, err) : error_nomem(err, "a report");
	for (size_t i = 0; !status && i < rows; i++)
		ranks[i] = (struct ranked){g->sort ? g->list[i].order : (double)NAN, i};
	if (!status)
		qsort(ranks, rows, sizeof(*ranks), compare);
	for (size_t i = 0; !status && i < kept; i++)
		list[i] = g->list[ranks[i].row];
	struct sx_table **tables[] = {&g->groups, &g->ratios, &g->rates};
	for (size_t i = 0; !status && i < sizeof(tables) / sizeof(tables[0]); i++)
		status = keep_ranked(g, tables[i], ranks, kept, err);
	free(ranks);
	if (status) {
		free(list);
		return status;
	}
	free(g->list);
	g->list = list;
	g->list_cap = rows + 1;
	return SX_OK;
}

/* The rows of a group begin anew. */
static void reset_group(const struct open_group *open)
{
	total_reset(open->total);
	if (open->ratios)
		total_reset(open->ratios);
}

/* What ratios of a group are made of. */
static enum sx_status finish_ratios(struct report_by *g, const struct open_group *open,
				    struct sx_error *err)
{
	const struct sx_table *of = evaluation_ratios(g->summary->evaluation);
	if (!open->ratios)
		return SX_OK;
	enum sx_status status = g->ratios ? SX_OK : table_like_totals(of, &g->ratios, err);
	return status ? status : total_append(open->ratios, TOTAL_COUNTED, NULL, g->ratios, err);
}

/*
 * Some rows of a group lack an amount: its total is of the others, but rates and ratios are as if
 * all had it, since time goes on. From the first such group on, groups are kept in a second table.
 */
static enum sx_status finish_rates(struct report_by *g, const struct total *total,
				   struct sx_error *err)
{
	if (!g->rates && !total_lacks(total))
		return SX_OK;
	enum sx_status status = g->rates ? SX_OK : table_like(g->groups, &g->rates, err);
	size_t before = sx_table_row_count(g->groups) - 1;
	size_t copied = status ? 0 : sx_table_row_count(g->rates);
	if (!status && copied < before)
		status = frames_append(g->rates, g->groups,
				       (struct row_span){copied, before - copied}, g->vectors, err);
	return status ? status : total_append(total, TOTAL_WHOLE, NULL, g->rates, err);
}

enum sx_status by_finish_group(struct report_by *g, const struct open_group *open,
			       struct sx_error *err)
{
	struct total *total = open->total;
	struct sx_table *row = NULL;
	size_t at = sx_table_row_count(g->groups);
	g->seen++;
	if (!g->sort && at >= g->o.top) {
		reset_group(open);
		return SX_OK;
	}
	if (!mem_grow(&g->list, &g->list_cap, at + 1, sizeof(*g->list)))
		return error_nomem(err, "a report");
	enum sx_status status = total_table(total, TOTAL_RUN, &row, err);
	if (!status)
		status = frames_append(g->groups, row, (struct row_span){0, 1}, g->vectors, err);
	if (!status)
		status = finish_rates(g, total, err);
	if (!status)
		status = finish_ratios(g, open, err);
	g->list[at] = (struct report_group){.key = open->key,
					    .owner = open->owner,
					    .context = SX_LABEL_ABSENT,
					    .rows = open->rows,
					    .time_ns = row ? slices_length_ns(row, 0) : 0,
					    .order = (double)NAN};
	sx_table_destroy(row);
	reset_group(open);
	if (!status && at + 1 >= g->o.top + PRUNE_AT)
		status = by_prune(g, err);
	return status;
}

static bool is_of(const struct row_owner *owner, uint32_t process, uint64_t context)
{
	return owner->process == process && owner->context == context;
}

/*
 * Each program and context counts frames for itself: which of them a row is of; `last`: that of the
 * row before.
 */
static uint32_t row_owner_of(struct report_by *g, size_t row, uint32_t last)
{
	if (g->o.by != REPORT_BY_FRAME)
		return 0;
	uint64_t label = sx_table_label(g->raw, SX_LABEL_PROCESS, row);
	uint64_t context = sx_table_label(g->raw, SX_LABEL_CONTEXT, row);
	if (row && label == sx_table_label(g->raw, SX_LABEL_PROCESS, row - 1) &&
	    context == sx_table_label(g->raw, SX_LABEL_CONTEXT, row - 1))
		return last;
	const char *text = label == SX_LABEL_ABSENT ? NULL : sx_table_string(g->raw, label);
	uint32_t process = text ? strings_intern(&g->texts, text, strlen(text), NULL) : UINT32_MAX;
	for (size_t i = g->owner_count; i-- > 0;)
		if (is_of(&g->owners[i], process, context))
			return (uint32_t)i;
	if (g->owner_count == OPEN_KEYS_MAX ||
	    !mem_grow(&g->owners, &g->owner_cap, g->owner_count + 1, sizeof(*g->owners)))
		return g->owner_count ? (uint32_t)g->owner_count - 1 : 0;
	g->owners[g->owner_count] = (struct row_owner){process, context};
	return (uint32_t)g->owner_count++;
}

/* Rows [first, last) have one key and are of one. */
static enum sx_status by_add_run(struct report_by *g, struct open_rows *rows, size_t first,
				 size_t last, struct sx_error *err)
{
	struct open_group *open = NULL;
	enum sx_status status = open_groups_find(&g->open, rows, &open, err);
	if (status)
		return status;
	if (open->key != rows->key) {
		status = by_finish_group(g, open, err);
		open->key = rows->key;
		open->rows = 0;
	}
	total_add_both(open->total, g->raw, (struct row_span){first, last - first}, open->ratios,
		       rows->ratios);
	open->rows += slices_samples(&rows->slices, g->raw, first, last - first);
	return status;
}

static enum sx_status add_rows(struct report_by *g, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t count = sx_table_row_count(g->raw), first = 0;
	struct open_rows rows = {.of = g->raw,
				 .slices = slices_of(g->raw),
				 .ratios = evaluation_ratios(g->summary->evaluation)};
	for (size_t i = 0; !status && i <= count; i++) {
		uint64_t key = i < count ? key_of(g, i) : 0;
		uint32_t owner = i < count ? row_owner_of(g, i, rows.owner) : 0;
		if (i && (i == count || key != rows.key || owner != rows.owner)) {
			status = by_add_run(g, &rows, first, i, err);
			first = i;
		}
		rows.key = key;
		rows.owner = owner;
	}
	return status;
}

/* A round length that gives about twenty intervals. */
static uint64_t round_bucket(uint64_t duration_ns)
{
	uint64_t step = 1;
	while (step <= UINT64_MAX / 10 && step * 10 <= duration_ns / 20)
		step *= 10;
	uint64_t times = duration_ns / 20 / step;
	return times >= 5 ? step * 5 : times >= 2 ? step * 2 : step;
}

bool by_reserve_vectors(struct report_by *g, const struct sx_table *like)
{
	const struct sx_table *ratios =
	    g->summary ? evaluation_ratios(g->summary->evaluation) : NULL;
	uint32_t count = sx_table_column_count(like);
	uint32_t more = ratios ? sx_table_column_count(ratios) : 0;
	free(g->vectors);
	g->vectors = calloc((size_t)(count > more ? count : more) + 1, sizeof(*g->vectors));
	return g->vectors != NULL;
}

/* Then the worst are the smallest. */
static bool more_is_better(const struct report_by *g)
{
	uint32_t count;
	const struct sx_metric_column *column = sx_metrics_columns(g->sort, &count);
	enum sx_direction direction = SX_DIRECTION_UNKNOWN;
	if (column->metric != SX_NONE)
		direction = sx_catalog_metrics(g->o.catalog, &count)[column->metric].direction;
	else if (column->counter != SX_NONE)
		direction = sx_catalog_counters(g->o.catalog, &count)[column->counter].direction;
	return direction == SX_DIRECTION_HIGHER;
}

static enum sx_status begin_selection(struct report_by *g, struct sx_error *err)
{
	struct sx_metrics_options options = g->o.metrics;
	options.like = g->groups;
	enum sx_status status = sx_metrics_create(g->o.catalog, &options, &g->metrics, err);
	if (!status)
		status = sx_summary_create(g->metrics, g->o.like, &g->summary, err);
	if (status || !g->o.sort)
		return status;
	const char *name = g->o.sort + (*g->o.sort == '+' || *g->o.sort == '-');
	options.patterns = &name;
	options.pattern_count = 1;
	options.counters = false;
	options.keep_neutral = false; /* an order by what is not there is none */
	status = sx_metrics_create(g->o.catalog, &options, &g->sort, err);
	if (!status)
		g->smallest_first = *g->o.sort == '+' || (name == g->o.sort && more_is_better(g));
	return status;
}

enum sx_status report_by_begin(const struct report_by_options *options, struct report_by **out,
			       struct sx_error *err)
{
	struct report_by *g = calloc(1, sizeof(*g));
	if (!g)
		return error_nomem(err, "a report");
	g->o = *options;
	g->open.way = options->by == REPORT_BY_TIME    ? OPEN_BY_TIME
		      : options->by == REPORT_BY_FRAME ? OPEN_RUNS
						       : OPEN_ANYWHERE;
	g->bucket_ns = options->interval_ns ? options->interval_ns
		       : options->end_ns != SX_TIME_UNKNOWN && options->end_ns > options->begin_ns
			   ? round_bucket(options->end_ns - options->begin_ns)
			   : 1000000000;
	enum sx_status status = table_like_totals(options->like, &g->groups, err);
	if (!status)
		status = begin_selection(g, err);
	if (!status && !by_reserve_vectors(g, options->like))
		status = error_nomem(err, "a report");
	if (!status && options->by == REPORT_BY_INSTANCE &&
	    instances_are_columns(options->catalog, options->like))
		status = total_create(options->like, &g->whole, err);
	g->o.like = NULL;
	g->open.run = g->summary ? g->summary->total : NULL;
	g->open.run_ratios = g->summary ? g->summary->ratios : NULL;
	if (status) {
		report_by_destroy(g);
		return status;
	}
	*out = g;
	return SX_OK;
}

/* Notes what else the rows could be grouped by. */
static void note_keys(struct report_by *g, const struct sx_table *raw)
{
	size_t count = sx_table_row_count(raw);
	for (size_t i = 0; !g->timed && i < count; i++)
		g->timed = sx_table_begin_ns(raw)[i] != SX_TIME_UNKNOWN;
	g->framed |= sx_table_kind(raw) == SX_SAMPLE_FRAME;
	for (size_t i = 0; !g->framed && i < count; i++)
		g->framed = sx_table_label(raw, SX_LABEL_FRAME, i) != SX_LABEL_ABSENT;
}

enum sx_status report_by_add(struct report_by *g, const struct sx_table *raw, struct sx_error *err)
{
	g->raw = raw;
	g->rows += sx_table_row_count(raw);
	if (!g->labelled)
		note_keys(g, raw);
	if (g->whole) {
		total_add(g->whole, raw);
		return SX_OK;
	}
	enum sx_status status = sx_summary_add(g->summary, raw, err);
	return status ? status : add_rows(g, err);
}

void report_by_destroy(struct report_by *g)
{
	if (!g)
		return;
	open_groups_finish(&g->open);
	total_destroy(g->whole);
	sx_summary_destroy(g->summary);
	sx_metrics_destroy(g->metrics);
	sx_table_destroy(g->ratios);
	sx_table_destroy(g->rates);
	sx_metrics_destroy(g->sort);
	sx_table_destroy(g->groups);
	sx_table_destroy(g->values);
	sx_table_destroy(g->total);
	strings_finish(&g->texts);
	free(g->owners);
	free(g->list);
	free(g->vectors);
	free(g);
}
