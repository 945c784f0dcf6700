/* The metrics of the selected device, by section, with a value, a bar and a curve each. */
#include "output/live/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"

#define POINTS_MOST  512
#define VALUE_WIDTH  18
#define METRIC_LEAST 20
#define METRIC_MOST  44
#define NAMES_FROM   110 /* columns from which on names are shown beside titles */
#define BARS_FROM    20	 /* columns behind the value */
#define BAR_MOST     20
#define HEADED	     8 /* lines from which on sections have headings */

/* The metrics that are shown, and where. */
struct metric_rows {
	struct live_device device;
	const struct sx_section_info *sections;
	const struct sx_metric_info *metrics;
	const struct live_value *values;  /* NULL: no sample at that moment */
	uint32_t *columns, count, silent; /* silent: those without data are not shown */
	struct screen_area area;
	bool headed;
};

static const char *metric_title(const struct metric_rows *r, uint32_t column)
{
	const struct sx_metric_column *c = &r->device.columns[column];
	return c->title && *c->title ? c->title : c->name;
}

/* The section that a metric is in, or its set. A section of this metric alone is its title. */
static const char *metric_section(const struct metric_rows *r, uint32_t row)
{
	const struct sx_metric_column *c = &r->device.columns[r->columns[row]];
	uint32_t count;
	if (c->metric == SX_NONE)
		return "Counters";
	const struct sx_metric_info *m = &r->metrics[c->metric];
	if (m->group != SX_NONE)
		return sx_catalog_groups(r->device.catalog, &count)[m->group].name;
	if (!m->section_count)
		return m->category ? m->category : "Metrics";
	const struct sx_section_info *s = &r->sections[m->sections[0]];
	bool own = m->title && strcmp(s->title, m->title) == 0;
	return own && s->parent != SX_NONE ? r->sections[s->parent].title : s->title;
}

static bool metric_begins_section(const struct metric_rows *r, uint32_t row, uint32_t first)
{
	return r->headed &&
	       (row == first || strcmp(metric_section(r, row), metric_section(r, row - 1)) != 0);
}

/* Lines of rows [first, end) with their headings. */
static int metric_lines(const struct metric_rows *r, uint32_t first, uint32_t end)
{
	int lines = 0;
	for (uint32_t row = first; row < end; row++)
		lines += 1 + metric_begins_section(r, row, first);
	return lines;
}

/* The rows by what is chosen and filtered. False when memory is out. */
static bool metrics_find(const struct live_canvas *c, struct metric_rows *r)
{
	uint32_t count;
	const struct live_view *view = c->view;
	const struct live_choice *choice = &view->choices[view->device];
	const char *filter = view->filters[LIVE_PANE_METRICS];
	r->device = live_device(c->live, view->device);
	r->sections = sx_catalog_sections(r->device.catalog, &count);
	r->metrics = sx_catalog_metrics(r->device.catalog, &count);
	r->columns = malloc((choice->count + 1) * sizeof(*r->columns));
	for (uint32_t i = 0; r->columns && i < choice->count; i++) {
		if (!choice->shown[i] || (!live_matches(metric_title(r, i), filter) &&
					  !live_matches(r->device.columns[i].name, filter)))
			continue;
		if (choice->chosen || choice->seen[i])
			r->columns[r->count++] = i;
		else
			r->silent++;
	}
	return r->columns;
}

int live_metrics_height(const struct live_canvas *c)
{
	struct metric_rows r = {.count = 0};
	if (!live_device_count(c->live) || !metrics_find(c, &r))
		return 0;
	r.headed = true;
	int lines = 1 + metric_lines(&r, 0, r.count);
	free(r.columns);
	return lines;
}

static void metric_seek(const struct live_canvas *c, const struct metric_rows *r)
{
	struct live_view *view = c->view;
	struct live_list *list = &view->lists[LIVE_PANE_METRICS];
	if (!view->seek || view->pane == LIVE_PANE_PROCESSES)
		return;
	view->seek = false;
	for (uint32_t i = 0; i < r->count; i++) {
		uint32_t row = (list->selected + 1 + i) % r->count, column = r->columns[row];
		if (!live_matches(metric_title(r, column), view->search) &&
		    !live_matches(r->device.columns[column].name, view->search))
			continue;
		list->selected = row;
		return;
	}
	snprintf(view->message, sizeof(view->message), "no metric shown has \"%s\" in its name",
		 view->search);
}

/* The first row that is seen, such that the selected one is, too. */
static void metrics_scroll(struct live_list *list, const struct metric_rows *r)
{
	if (list->selected >= r->count)
		list->selected = r->count ? r->count - 1 : 0;
	if (list->first > list->selected)
		list->first = list->selected;
	while (list->first < list->selected &&
	       metric_lines(r, list->first, list->selected + 1) > r->area.height)
		list->first++;
	while (list->first && metric_lines(r, list->first - 1, r->count) <= r->area.height)
		list->first--;
	list->count = r->count;
}

static void metric_curve(const struct live_canvas *c, struct screen_area area, uint32_t column,
			 bool percent)
{
	struct live_point points[POINTS_MOST];
	double values[POINTS_MOST], most = 0;
	int count = area.width < POINTS_MOST ? area.width : POINTS_MOST;
	const struct live_line line = {c->view->paused ? c->view->end_ns : 0,
				       live_view_step_ns(c->view), (uint32_t)count};
	if (!live_history(c->live, c->view->device, column, &line, points))
		return;
	for (int i = 0; i < count; i++) {
		values[i] = points[i].mean;
		most = values[i] > most ? values[i] : most;
	}
	screen_curve(c->screen, area, values, count, percent ? 100 : most, SCREEN_GRAPH);
}

static void metric_row_draw(const struct live_canvas *c, const struct metric_rows *r,
			    struct screen_area line, uint32_t column)
{
	const struct sx_metric_column *m = &r->device.columns[column];
	int name = line.width * 2 / 5, x = line.x + 1;
	bool names = line.width >= NAMES_FROM, percent = strcmp(m->unit, "percent") == 0;
	char number[LIVE_TEXT_MAX];
	name = name < METRIC_LEAST ? METRIC_LEAST : name > METRIC_MOST ? METRIC_MOST : name;
	screen_put(c->screen, x, line.y, name, SCREEN_PLAIN, metric_title(r, column));
	x += name + 1;
	if (names)
		screen_put(c->screen, x, line.y, 30, SCREEN_DIM, m->name);
	x += names ? 31 : 0;
	int value = line.width - x < VALUE_WIDTH ? line.width - x : VALUE_WIDTH;
	const struct live_value *v = c->values ? &c->values[column] : NULL;
	bool known = v && !isnan(v->value);
	live_text(c->view, number, known ? v->value : NAN, m->unit);
	screen_put_right(c->screen, x, line.y, value, known ? SCREEN_PLAIN : SCREEN_DIM, number);
	x += value + 2;
	int left = line.x + line.width - x, bar = left >= BARS_FROM ? left / 3 : 0;
	bar = bar < BAR_MOST ? bar : BAR_MOST;
	if (!known && v && v->why && left > 0)
		screen_put(c->screen, x, line.y, left, SCREEN_DIM, v->why);
	if (!known || left < 6)
		return;
	if (bar && percent)
		screen_gauge(c->screen, x, line.y, bar, v->value / 100, SCREEN_GRAPH);
	bar += bar > 0; /* curves begin alike */
	metric_curve(c, (struct screen_area){x + bar, line.y, left - bar, 1}, column, percent);
}

static void metrics_title(const struct live_canvas *c, struct screen_area area,
			  const struct metric_rows *r)
{
	char title[4 * LIVE_TEXT_MAX];
	const char *filter = c->view->filters[LIVE_PANE_METRICS];
	snprintf(title, sizeof(title), "%.80s%s: %u of %u metrics%s%s",
		 live_device_name(&r->device), r->device.facts->simulated ? " (SIMULATED)" : "",
		 r->count, r->device.column_count, *filter ? " with " : "", filter);
	if (r->silent)
		text_append(title, sizeof(title), ", %u more without data", r->silent);
	screen_rule(c->screen, area.x, area.y, area.width, title,
		    c->view->pane == LIVE_PANE_METRICS);
}

static void metrics_rows_draw(const struct live_canvas *c, const struct metric_rows *r)
{
	struct live_list *list = &c->view->lists[LIVE_PANE_METRICS];
	int y = r->area.y, end = r->area.y + r->area.height;
	uint32_t row = list->first;
	for (; row < r->count && y < end; row++) {
		if (metric_begins_section(r, row, list->first))
			screen_put(c->screen, r->area.x, y++, r->area.width, SCREEN_HEADING,
				   metric_section(r, row));
		if (y == end)
			break;
		const struct screen_area line = {r->area.x, y++, r->area.width, 1};
		metric_row_draw(c, r, line, r->columns[row]);
		if (row == list->selected && c->view->pane == LIVE_PANE_METRICS)
			screen_restyle(c->screen, line, SCREEN_SELECTED);
	}
	list->page = row - list->first;
}

enum sx_status live_metrics_draw(const struct live_canvas *c, struct screen_area area,
				 struct sx_error *err)
{
	struct metric_rows r = {.count = 0};
	struct live_list *list = &c->view->lists[LIVE_PANE_METRICS];
	c->view->column = UINT32_MAX;
	if (area.height < 2 || !live_device_count(c->live))
		return SX_OK;
	if (!metrics_find(c, &r))
		return error_nomem(err, "drawing metrics");
	r.headed = area.height > HEADED;
	r.area = (struct screen_area){area.x, area.y + 1, area.width, area.height - 1};
	metric_seek(c, &r);
	metrics_scroll(list, &r);
	metrics_title(c, area, &r);
	metrics_rows_draw(c, &r);
	if (r.count)
		c->view->column = r.columns[list->selected];
	free(r.columns);
	return SX_OK;
}
