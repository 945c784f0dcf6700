/* The report by frame, debug group, time or instance: rows with one key become one. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "metric/column.h"
#include "table/like.h"
#include "table/total.h"
#include "tools/report_groups.h"

#define TOP_TEXT    20
#define TOP_MACHINE 100000
#define PRUNE_AT    1024 /* groups beyond --top that wait before the smaller ones go */
#define KEYS_MAX    4096 /* debug groups or instances */

static uint64_t key_of(struct grouping *g, size_t row)
{
	static const enum sx_label labels[] = {SX_LABEL_FRAME, SX_LABEL_GROUP, SX_LABEL_COUNT,
					       SX_LABEL_INSTANCE};
	const struct sx_table *raw = g->d->raw;
	if (g->by == BY_TIME) {
		uint64_t begin = sx_table_begin_ns(raw)[row];
		g->labelled |= begin != SX_TIME_UNKNOWN;
		return begin == SX_TIME_UNKNOWN || begin < g->d->begin_ns
			   ? UINT64_MAX
			   : (begin - g->d->begin_ns) / g->bucket_ns;
	}
	uint64_t key = sx_table_label(raw, labels[g->by], row);
	if (key == SX_LABEL_ABSENT && g->by == BY_FRAME && sx_table_kind(raw) == SX_SAMPLE_FRAME)
		key = g->next_frame++;
	g->labelled |= key != SX_LABEL_ABSENT;
	return key;
}

/* Values of --sort for the groups from `first` on. */
static enum sx_status set_order(struct grouping *g, size_t first, struct sx_error *err)
{
	struct sx_table *values = NULL;
	if (!g->sort)
		return SX_OK;
	enum sx_status status = sx_metrics_eval(g->sort, g->groups, &values, err);
	for (size_t i = first; !status && i < sx_table_row_count(g->groups); i++)
		g->list[i].order = sx_table_get(values, 0, i);
	sx_table_destroy(values);
	return status;
}

struct ranked {
	double order;
	size_t row;
};

/* Largest first, no data last, else as they came. */
static int compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (isnan(x->order) != isnan(y->order))
		return isnan(x->order) ? 1 : -1;
	if (!isnan(x->order) && x->order != y->order)
		return x->order < y->order ? 1 : -1;
	return (x->row > y->row) - (x->row < y->row);
}

/* Puts the groups in order and keeps the first ones. */
static enum sx_status prune(struct grouping *g, struct sx_error *err)
{
	size_t rows = sx_table_row_count(g->groups), kept = rows < g->top ? rows : (size_t)g->top;
	struct ranked *ranks = calloc(rows + 1, sizeof(*ranks));
	struct group *list = calloc(rows + 1, sizeof(*list));
	struct sx_table *table = NULL;
	struct sx_rows span;
	enum sx_status status = ranks && list ? set_order(g, 0, err) : error_nomem(err, "a report");
	if (!status)
		status = table_like(g->groups, &table, err);
	for (size_t i = 0; !status && i < rows; i++)
		ranks[i] = (struct ranked){g->sort ? g->list[i].order : (double)NAN, i};
	if (!status)
		qsort(ranks, rows, sizeof(*ranks), compare);
	for (size_t i = 0; !status && i < kept; i++) {
		list[i] = g->list[ranks[i].row];
		sx_table_rows(g->groups, ranks[i].row, 1, g->vectors, &span);
		status = sx_table_append(table, &span, err);
	}
	free(ranks);
	if (status) {
		free(list);
		sx_table_destroy(table);
		return status;
	}
	sx_table_destroy(g->groups);
	free(g->list);
	g->groups = table;
	g->list = list;
	g->list_cap = rows + 1;
	return SX_OK;
}

static enum sx_status finish_group(struct grouping *g, uint64_t key, uint64_t count,
				   struct total *total, struct sx_error *err)
{
	struct sx_table *row = NULL;
	struct sx_rows span;
	size_t at = sx_table_row_count(g->groups);
	g->seen++;
	if (!g->sort && at >= g->top) {
		total_reset(total);
		return SX_OK;
	}
	if (!mem_grow(&g->list, &g->list_cap, at + 1, sizeof(*g->list)))
		return error_nomem(err, "a report");
	enum sx_status status = total_table(total, &row, err);
	if (!status) {
		sx_table_rows(row, 0, 1, g->vectors, &span);
		status = sx_table_append(g->groups, &span, err);
	}
	g->list[at] = (struct group){key, count, (double)NAN};
	sx_table_destroy(row);
	total_reset(total);
	if (!status && at + 1 >= g->top + PRUNE_AT)
		status = prune(g, err);
	return status;
}

static struct open_group *find_open(struct grouping *g, uint64_t key, struct sx_error *err)
{
	for (size_t i = g->open_count; i > 0; i--)
		if (g->open[i - 1].key == key)
			return &g->open[i - 1];
	struct open_group new = {.key = key};
	if (g->open_count >= KEYS_MAX) {
		error_set(err, SX_ERR_LIMIT, "more than %d different keys", KEYS_MAX);
		error_try(err, "export, and a program of your own");
		return NULL;
	}
	if (!mem_grow(&g->open, &g->open_cap, g->open_count + 1, sizeof(*g->open)) ||
	    total_create(g->d->raw, &new.total, err) != SX_OK) {
		error_nomem(err, "a report");
		return NULL;
	}
	g->open[g->open_count] = new;
	return &g->open[g->open_count++];
}

static bool comes_in_runs(const struct grouping *g)
{
	return g->by == BY_FRAME || g->by == BY_TIME;
}

/* Rows [first, last) have one key. Runs: the group before ends with the first other key. */
static enum sx_status add_run(struct grouping *g, uint64_t key, size_t first, size_t last,
			      struct sx_error *err)
{
	enum sx_status status = SX_OK;
	bool runs = comes_in_runs(g);
	struct open_group *open = runs && g->open_count ? &g->open[0] : NULL;
	if (!open && !(open = find_open(g, key, err)))
		return err->status;
	if (runs && open->key != key) {
		status = finish_group(g, open->key, open->rows, open->total, err);
		open->key = key;
		open->rows = 0;
	}
	if (!runs && open->key != key && !(open = find_open(g, key, err)))
		return err->status;
	total_add_rows(open->total, g->d->raw, first, last - first);
	open->rows += last - first;
	return status;
}

static enum sx_status add_rows(struct grouping *g, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	size_t rows = sx_table_row_count(g->d->raw), first = 0;
	uint64_t key = rows ? key_of(g, 0) : 0;
	for (size_t i = 1; !status && i <= rows; i++) {
		uint64_t next = i < rows ? key_of(g, i) : 0;
		if (i < rows && next == key)
			continue;
		status = add_run(g, key, first, i, err);
		first = i;
		key = next;
	}
	return status;
}

static enum sx_status read_groups(struct grouping *g, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	while (!status) {
		status = capture_view_next(g->d->view, g->d->raw, err);
		g->d->rows += status ? 0 : sx_table_row_count(g->d->raw);
		if (!status)
			status = add_rows(g, err);
	}
	if (status == SX_END)
		status = SX_OK;
	for (size_t i = 0; !status && i < g->open_count; i++)
		if (g->open[i].rows)
			status =
			    finish_group(g, g->open[i].key, g->open[i].rows, g->open[i].total, err);
	return prune(g, err);
}

/* A round length that gives about twenty stretches. */
static uint64_t round_bucket(uint64_t duration_ns)
{
	uint64_t step = 1;
	while (step <= UINT64_MAX / 10 && step * 10 <= duration_ns / 20)
		step *= 10;
	uint64_t times = duration_ns / 20 / step;
	return times >= 5 ? step * 5 : times >= 2 ? step * 2 : step;
}

static enum sx_status parse_by(struct grouping *g, struct sx_error *err)
{
	const char *by = g->cli->options.by;
	for (int i = 0; i < 4; i++)
		if (strcmp(by, report_by_name((enum by)i)) == 0) {
			g->by = (enum by)i;
			return SX_OK;
		}
	error_set(err, SX_ERR_USAGE, "--by cannot be \"%s\"", by);
	error_because(err, "rows can be put together by frame, group, time or instance");
	error_try(err, "--by frame");
	return SX_ERR_USAGE;
}

static enum sx_status begin(struct grouping *g, struct sx_error *err)
{
	const struct options *o = &g->cli->options;
	const struct sx_capture_info *info = sx_capture_info(g->d->view->reader);
	uint64_t top = g->cli->view.format == FORMAT_TEXT ? TOP_TEXT : TOP_MACHINE;
	enum sx_status status = parse_by(g, err);
	g->top = o->top ? o->top : top;
	g->d->begin_ns = info->begin_ns;
	g->d->end_ns = info->end_ns == SX_TIME_UNKNOWN ? 0 : info->end_ns;
	g->bucket_ns =
	    o->interval_ns
		? o->interval_ns
		: round_bucket(g->d->end_ns > info->begin_ns ? g->d->end_ns - info->begin_ns : 0);
	g->vectors = calloc(sx_table_column_count(g->d->raw) + 1, sizeof(*g->vectors));
	if (!status && !g->vectors)
		status = error_nomem(err, "a report");
	if (!status)
		status = table_like(g->d->raw, &g->groups, err);
	if (status || !o->sort)
		return status;
	struct sx_metrics_options options = {.patterns = &o->sort,
					     .pattern_count = 1,
					     .set = o->set,
					     .variant = o->api,
					     .constants = g->d->view->constants,
					     .constant_count = g->d->view->constant_count,
					     .like = g->d->raw};
	return sx_metrics_create(g->d->view->catalog, &options, &g->sort, err);
}

static enum sx_status no_label(const struct grouping *g, struct sx_error *err)
{
	static const char *const remedies[] = {
	    "--by time; a source that encloses frames, such as gl, gives them",
	    "--by frame; programs name their groups with glPushDebugGroup",
	    "export; these rows have no times", "--by time"};
	error_set(err, SX_ERR_NOT_FOUND, "no row of %s has a %s", g->d->view->info->catalog,
		  report_by_name(g->by));
	error_because(err, "its source does not tell");
	error_try(err, "%s", remedies[g->by]);
	return SX_ERR_NOT_FOUND;
}

/* Whether a column of the table is of one instance. */
static bool has_instances(const struct report_device *d)
{
	bool any = false;
	for (uint32_t i = 0; !any && i < sx_table_column_count(d->raw); i++)
		any =
		    column_identify(d->view->catalog, sx_table_column(d->raw, i)->name).instance !=
		    SX_NONE;
	return any;
}

/* Instances are columns: the groups are the rows of the split table. */
static enum sx_status read_split(struct grouping *g, struct sx_error *err)
{
	sx_table_destroy(g->groups);
	g->groups = NULL;
	enum sx_status status = report_instances(g->cli, g->d, &g->groups, err);
	if (status)
		return status;
	size_t rows = sx_table_row_count(g->groups);
	free(g->vectors);
	g->vectors = calloc(sx_table_column_count(g->groups) + 1, sizeof(*g->vectors));
	if (!g->vectors || !mem_grow(&g->list, &g->list_cap, rows + 1, sizeof(*g->list)))
		return error_nomem(err, "a report");
	for (size_t i = 0; i < rows; i++)
		g->list[i] = (struct group){i, g->d->rows, (double)NAN};
	g->seen = rows;
	g->labelled = true;
	return status ? status : prune(g, err);
}

enum sx_status report_by(const struct cli *cli, struct report_device *d, struct sx_error *err)
{
	struct grouping g = {.cli = cli, .d = d};
	enum sx_status status = begin(&g, err);
	if (!status && g.by == BY_INSTANCE && has_instances(d))
		status = read_split(&g, err);
	else if (!status)
		status = read_groups(&g, err);
	if (!status && !g.labelled)
		status = no_label(&g, err);
	if (!status)
		status = report_groups_write(&g, err);
	for (size_t i = 0; i < g.open_count; i++)
		total_destroy(g.open[i].total);
	free(g.open);
	free(g.list);
	free(g.vectors);
	sx_metrics_destroy(g.sort);
	sx_table_destroy(g.groups);
	return status;
}
