/* The dialog in which metrics are chosen: a list with a search, and how many passes they need. */
#include "output/live/parts.h"

#include <stdlib.h>

#include <sextant/plan.h>

#include "base/number.h"
#include "base/text_buf.h"

#define SETUP_WIDTH 96

struct setup {
	const struct live_canvas *canvas;
	struct live_device device;
	uint32_t shown, *columns, count; /* columns: those that the typed text fits */
};

static const char *setup_title(const struct setup *s, uint32_t column)
{
	const struct sx_metric_column *c = &s->device.columns[column];
	return c->title && *c->title ? c->title : c->name;
}

static bool setup_find(struct setup *s)
{
	const struct live_view *view = s->canvas->view;
	s->columns = malloc((s->device.column_count + 1) * sizeof(*s->columns));
	for (uint32_t i = 0; s->columns && i < s->device.column_count; i++) {
		s->shown += live_view_shows(view, s->canvas->live, view->device, i);
		if (live_matches(setup_title(s, i), view->typed) ||
		    live_matches(s->device.columns[i].name, view->typed))
			s->columns[s->count++] = i;
	}
	return s->columns;
}

/* The counters of each column that is shown. */
static void setup_items(const struct setup *s, struct sx_plan_item *items, uint32_t *counters,
			uint32_t *item_count)
{
	uint32_t all, used = 0;
	const struct live_view *view = s->canvas->view;
	const struct sx_metric_input *inputs = sx_metrics_inputs(s->device.metrics, &all);
	for (uint32_t i = 0; i < s->device.column_count; i++) {
		uint32_t count;
		const uint32_t *needed = sx_metrics_column_inputs(s->device.metrics, i, &count);
		if (!live_view_shows(view, s->canvas->live, view->device, i))
			continue;
		struct sx_plan_item *item = &items[(*item_count)++];
		*item = (struct sx_plan_item){.counters = counters + used};
		for (uint32_t k = 0; k < count; k++)
			if (inputs[needed[k]].counter != SX_NONE)
				counters[used + item->count++] = inputs[needed[k]].counter;
		used += item->count;
	}
}

/* How many passes the metrics that are shown need; 0: unknown. */
static uint32_t setup_passes(const struct setup *s)
{
	uint32_t room = 0, passes = 0, items = 0;
	for (uint32_t i = 0; s->device.metrics && i < s->device.column_count; i++) {
		uint32_t count;
		sx_metrics_column_inputs(s->device.metrics, i, &count);
		room += count;
	}
	struct sx_plan_item *list = calloc(s->device.column_count + 1, sizeof(*list));
	uint32_t *counters = malloc((room + 1) * sizeof(*counters));
	struct sx_plan *plan = NULL;
	if (list && counters && room)
		setup_items(s, list, counters, &items);
	const struct sx_plan_request request = {.items = list, .count = items};
	if (items && !sx_plan_create(s->device.catalog, &request, &plan, NULL))
		sx_plan_passes(plan, &passes);
	sx_plan_destroy(plan);
	free(counters);
	free(list);
	return passes;
}

static void setup_head(const struct setup *s, struct screen_area in)
{
	struct screen *screen = s->canvas->screen;
	char text[256] = "";
	uint32_t passes = setup_passes(s);
	text_append(text, sizeof(text), "%u of %u shown", s->shown, s->device.column_count);
	if (passes == 1)
		text_append(text, sizeof(text), "; they fit one pass");
	else if (passes)
		text_append(text, sizeof(text), "; they need %s", COUNTED(passes, "pass"));
	screen_put(screen, in.x, in.y, in.width, SCREEN_BOLD, text);
	snprintf(text, sizeof(text), "Search: %s_", s->canvas->view->typed);
	screen_put(screen, in.x, in.y + 1, in.width, SCREEN_PLAIN, text);
	screen_put_right(screen, in.x + in.width / 2, in.y + 1, in.width - in.width / 2, SCREEN_DIM,
			 "Space: show or hide");
}

static void setup_rows(const struct setup *s, struct screen_area in)
{
	struct live_view *view = s->canvas->view;
	struct live_list *list = &view->dialog_list;
	struct screen *screen = s->canvas->screen;
	int title = in.width > 60 ? in.width / 2 : in.width - 4;
	live_list_fit(list, s->count, in.height);
	for (uint32_t i = 0; i < list->page && list->first + i < s->count; i++) {
		uint32_t row = list->first + i, column = s->columns[row];
		struct screen_area line = {in.x, in.y + (int)i, in.width, 1};
		bool shown = live_view_shows(view, s->canvas->live, view->device, column);
		screen_put(screen, line.x, line.y, 3, SCREEN_PLAIN, shown ? "[x]" : "[ ]");
		screen_put(screen, line.x + 4, line.y, title, SCREEN_PLAIN, setup_title(s, column));
		screen_put(screen, line.x + 5 + title, line.y, line.width - 5 - title, SCREEN_DIM,
			   s->device.columns[column].name);
		if (row == list->selected)
			screen_restyle(screen, line, SCREEN_SELECTED);
	}
	view->setup_column = s->count ? s->columns[list->selected] : UINT32_MAX;
}

enum sx_status live_setup_draw(const struct live_canvas *c, struct sx_error *err)
{
	struct setup s = {.canvas = c};
	if (!live_device_count(c->live))
		return SX_OK;
	s.device = live_device(c->live, c->view->device);
	if (!setup_find(&s))
		return error_nomem(err, "drawing the list of metrics");
	char title[LIVE_TEXT_MAX + 40];
	snprintf(title, sizeof(title), "Metrics of %.60s", live_device_name(&s.device));
	struct screen_area in = screen_box(
	    c->screen, screen_centre(c->screen, SETUP_WIDTH, c->screen->height - 2), title);
	setup_head(&s, in);
	in.y += 2;
	in.height -= 2;
	setup_rows(&s, in);
	free(s.columns);
	return SX_OK;
}
