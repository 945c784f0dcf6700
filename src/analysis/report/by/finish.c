/* The end of grouping: the groups with their metrics, after all rows. */
#include "analysis/report/by/state.h"

#include <math.h>

#include "analysis/report/by/instances.h"
#include "analysis/stats.h"
#include "base/error.h"
#include "base/mem.h"
#include "metric/metrics.h"
#include "table/total.h"

static enum sx_status no_label(const struct report_by *g, struct sx_error *err)
{
	static const char *const who[] = {"a source that encloses frames, such as gl, gives them",
					  "sextant record --per group -- PROGRAM records them",
					  "these rows have no times",
					  "the counters are of the whole device",
					  "rows of OpenGL programs name their processes",
					  "OpenGL programs and Intel's OA unit have contexts"};
	const char *way = g->timed ? "--by time" : g->framed ? "--by frame" : "without --by";
	error_set(err, SX_ERR_NOT_FOUND, "no row of %s has a %s",
		  sx_catalog_info(g->o.catalog)->name, report_key_name(g->o.by));
	error_because(err, g->o.by == REPORT_BY_GROUP ? "no sample was recorded with one"
						      : "its source does not report it");
	error_try(err, "%s; %s", way, who[g->o.by]);
	return SX_ERR_NOT_FOUND;
}

/* Instances are columns: the groups are the rows of the split table. */
static enum sx_status split_whole(struct report_by *g, struct sx_error *err)
{
	sx_table_destroy(g->groups);
	sx_summary_destroy(g->summary);
	sx_metrics_destroy(g->metrics);
	g->groups = NULL;
	g->summary = NULL;
	g->metrics = NULL;
	enum sx_status status = total_table(g->whole, TOTAL_RUN, &g->total, err);
	if (!status)
		status = instances_split(&g->o, g->total, &g->groups, &g->metrics, err);
	size_t rows = status ? 0 : sx_table_row_count(g->groups);
	if (!status && (!by_reserve_vectors(g, g->groups) ||
			!mem_grow(&g->list, &g->list_cap, rows + 1, sizeof(*g->list))))
		status = error_nomem(err, "a report");
	for (size_t i = 0; !status && i < rows; i++)
		g->list[i] = (struct report_group){
		    .key = i, .context = SX_LABEL_ABSENT, .rows = g->rows, .order = (double)NAN};
	g->seen = rows;
	g->labelled = true;
	return status;
}

static enum sx_status close_groups(struct report_by *g, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (size_t i = 0; !status && i < g->open.count; i++) {
		struct open_group *open = g->open.list[i];
		if (!open || !open->rows)
			continue;
		g->result.others |= open->key == REPORT_KEY_OTHERS;
		status = by_finish_group(g, open, err);
	}
	return status;
}

static uint32_t find_sort(const struct report_by *g)
{
	uint32_t n;
	return g->sort ? sx_table_find(g->values, sx_metrics_columns(g->sort, &n)[0].name)
		       : SX_NONE;
}

static void count_owners(struct report_by *g)
{
	g->result.contexts = g->owner_count;
	g->result.processes = 0;
	for (size_t i = 0; i < g->owner_count; i++) {
		size_t first = 0;
		while (g->owners[first].process != g->owners[i].process)
			first++;
		g->result.processes += first == i;
	}
}

enum sx_status report_by_finish(struct report_by *g, const struct report_groups **out,
				struct sx_error *err)
{
	uint32_t count;
	struct report_groups *r = &g->result;
	enum sx_status status = g->whole ? split_whole(g, err) : close_groups(g, err);
	if (!status)
		status = by_prune(g, err);
	r->whole_frames = !g->labelled && g->framed && g->o.by == REPORT_BY_GROUP;
	if (!status && !g->labelled && !r->whole_frames)
		status = no_label(g, err);
	if (!status)
		status = by_evaluate(g, &g->values, err);
	if (!status && !g->whole)
		status = sx_summary_stats(g->summary, &r->stats, &count, err);
	if (status)
		return status;
	r->by = g->o.by;
	r->bucket_ns = g->bucket_ns;
	r->begin_ns = g->o.begin_ns;
	r->seen = g->seen;
	r->most = g->open.way == OPEN_BY_TIME ? OPEN_STRETCHES : OPEN_KEYS_MAX;
	r->list = g->list;
	r->count = sx_table_row_count(g->groups);
	r->raw = g->groups;
	r->whole = g->total;
	r->values = g->values;
	r->sort_column = find_sort(g);
	for (size_t i = 0; report_key_is_text(g->o.by) && i < r->count; i++)
		g->list[i].text = strings_get(&g->texts, g->list[i].key);
	for (size_t i = 0; g->owner_count && i < r->count; i++) {
		const struct row_owner *owner = &g->owners[g->list[i].owner];
		g->list[i].process = strings_get(&g->texts, owner->process);
		g->list[i].context = owner->context;
	}
	count_owners(g);
	*out = r;
	return SX_OK;
}
