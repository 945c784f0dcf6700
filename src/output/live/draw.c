/* The live view: where its parts are on a screen of any size. */
#include "output/live/parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/mem.h"
#include "base/text_buf.h"

#define SIDE_BY_SIDE  150  /* columns from which on metrics and processes are beside each other */
#define STEP_FROM     100  /* columns from which on the first line has the time of a point */
#define PERCENT_LEAST 0.01 /* smaller ones are "<0.01 %" */
#define CURVES_FROM   16   /* lines from which on a device has curves */
#define CURVES_MOST   16   /* lines of them */
#define OUTPUT_MOST   12   /* lines of what programs write */
#define ADVICE_LINES  4
#define LOW	      14 /* lines below which the panes share none */

void live_view_init(struct live_view *view, uint64_t interval_ns)
{
	*view = (struct live_view){.interval_ns = interval_ns, .column = UINT32_MAX};
	view->setup_column = UINT32_MAX;
	view->advice = true;
	human_init(&view->human);
}

void live_view_finish(struct live_view *view)
{
	for (uint32_t i = 0; i < view->choice_count; i++) {
		free(view->choices[i].shown);
		free(view->choices[i].seen);
	}
	free(view->choices);
	*view = (struct live_view){0};
}

const char *live_sort_name(enum live_sort sort)
{
	static const char *const names[LIVE_SORTS] = {
	    [LIVE_SORT_BUSY] = "busy", [LIVE_SORT_MEMORY] = "memory", [LIVE_SORT_CPU] = "cpu",
	    [LIVE_SORT_PID] = "pid",   [LIVE_SORT_USER] = "user",     [LIVE_SORT_DEVICE] = "device",
	    [LIVE_SORT_NAME] = "name"};
	return names[sort];
}

/* Whole intervals: 1, 2, 5, 10, 20, 50, 100 and 200 of them. */
uint64_t live_view_step_ns(const struct live_view *view)
{
	static const uint64_t steps[LIVE_ZOOMS] = {1, 2, 5, 10, 20, 50, 100, 200};
	return view->interval_ns * steps[view->zoom < LIVE_ZOOMS ? view->zoom : LIVE_ZOOMS - 1];
}

struct live_moment live_view_moment(const struct live_view *view, const struct live_device *device)
{
	struct live_moment at = {.end_ns = view->paused ? view->end_ns : 0};
	/* Frames and other short samples are combined; samples of time are as they are. */
	if (device->each_ns && device->each_ns < view->interval_ns / 2)
		at.span_ns = view->interval_ns;
	return at;
}

/* Without a choice: what has a neutral name, which other devices have, too. */
static bool live_is_important(const struct live_device *device, uint32_t column)
{
	const struct sx_metric_column *c = &device->columns[column];
	uint32_t count;
	if (c->metric != SX_NONE)
		return sx_catalog_metrics(device->catalog, &count)[c->metric].neutral;
	if (c->counter != SX_NONE)
		return sx_catalog_counters(device->catalog, &count)[c->counter].neutral;
	return true;
}

static bool live_any_important(const struct live_device *device)
{
	for (uint32_t i = 0; i < device->column_count; i++)
		if (live_is_important(device, i))
			return true;
	return false;
}

bool live_view_shows(const struct live_view *view, const struct live *live, uint32_t device,
		     uint32_t column)
{
	const struct live_choice *choice =
	    device < view->choice_count ? &view->choices[device] : NULL;
	if (choice && choice->shown)
		return column < choice->count && choice->shown[column];
	struct live_device d = live_device(live, device);
	return view->chosen || live_is_important(&d, column);
}

struct live_choice *live_choice_of(struct live_view *view, const struct live *live, uint32_t device)
{
	size_t cap = view->choice_count;
	while (view->choice_count <= device) {
		if (!mem_grow(&view->choices, &cap, device + 1, sizeof(*view->choices)))
			return NULL;
		view->choices[view->choice_count++] = (struct live_choice){0};
	}
	struct live_choice *choice = &view->choices[device];
	struct live_device d = live_device(live, device);
	if (choice->shown && choice->count == d.column_count)
		return choice;
	bool *shown = calloc(d.column_count + 1, sizeof(*shown));
	bool *seen = calloc(d.column_count + 1, sizeof(*seen));
	bool all = view->chosen || !live_any_important(&d);
	for (uint32_t i = 0; shown && i < d.column_count; i++)
		shown[i] = all || live_is_important(&d, i);
	if (!shown || !seen) {
		free(shown);
		free(seen);
		return NULL;
	}
	free(choice->shown);
	free(choice->seen);
	*choice = (struct live_choice){view->chosen, shown, seen, d.column_count};
	return choice;
}

bool live_view_toggle(struct live_view *view, const struct live *live, uint32_t device,
		      uint32_t column)
{
	struct live_choice *choice = live_choice_of(view, live, device);
	if (choice && column < choice->count) {
		choice->shown[column] = !choice->shown[column];
		choice->chosen = true;
	}
	return choice;
}

void live_text(const struct live_view *view, char buf[LIVE_TEXT_MAX], double value,
	       const char *unit)
{
	char number[HUMAN_MAX];
	bool small = value > 0 && value < PERCENT_LEAST && strcmp(unit, "percent") == 0;
	human_value(&view->human, number, small ? PERCENT_LEAST : value, unit);
	const char *behind = isnan(value) ? "" : human_unit(&view->human, unit);
	buf[0] = '\0';
	text_append(buf, LIVE_TEXT_MAX, "%s%s%s%s", small ? "<" : "", number, *behind ? " " : "",
		    behind);
}

void live_brief(const struct live_view *view, char buf[LIVE_TEXT_MAX], double value,
		const char *unit)
{
	const char *rate = human_cell_unit(&view->human, unit);
	bool percent = strcmp(unit, "percent") == 0;
	if (percent && value >= PERCENT_LEAST && value < 1) {
		snprintf(buf, LIVE_TEXT_MAX, "%.2f %%", value);
		return;
	}
	live_text(view, buf, value, rate[0] == '/' ? "count" : unit);
	if (rate[0] == '/' && !isnan(value))
		text_append(buf, LIVE_TEXT_MAX, "%s", rate);
}

bool live_matches(const char *text, const char *part)
{
	size_t length = strlen(part);
	for (; text && strlen(text) >= length; text++)
		if (strncasecmp(text, part, length) == 0)
			return true;
	return false;
}

void live_list_fit(struct live_list *list, uint32_t count, int page)
{
	list->count = count;
	list->page = page > 0 ? (uint32_t)page : 0;
	if (list->selected >= count)
		list->selected = count ? count - 1 : 0;
	if (list->first > list->selected)
		list->first = list->selected;
	if (list->page && list->selected >= list->first + list->page)
		list->first = list->selected - list->page + 1;
	if (list->first + list->page > count)
		list->first = count > list->page ? count - list->page : 0;
}

/* The moment that is shown, and what a point of a curve is of where there is room. */
static void live_time_text(const struct live_view *view, int width, char buf[LIVE_TEXT_MAX],
			   bool simulated)
{
	char step[HUMAN_MAX], ago[HUMAN_MAX];
	human_duration(step, live_view_step_ns(view));
	human_duration(ago, view->newest_ns > view->end_ns ? view->newest_ns - view->end_ns : 0);
	buf[0] = '\0';
	if (view->paused)
		text_append(buf, LIVE_TEXT_MAX, "PAUSED %s ago", ago);
	else if (view->replay && view->newest_ns >= view->last_ns)
		text_append(buf, LIVE_TEXT_MAX, "end of the recording");
	else if (view->replay)
		text_append(buf, LIVE_TEXT_MAX, "replay x%s%d", view->speed < 0 ? "1/" : "",
			    1 << (view->speed < 0 ? -view->speed : view->speed));
	else if (!view->still)
		text_append(buf, LIVE_TEXT_MAX, "live");
	if (simulated)
		text_append_item(buf, LIVE_TEXT_MAX, ", ", "SIMULATED");
	if (width >= STEP_FROM)
		text_append_item(buf, LIVE_TEXT_MAX, ", ", "%s a point", step);
}

/* The first line: what limits the program, and the moment that is shown. */
static void live_draw_verdict(const struct live_canvas *c)
{
	char title[256], evidence[512], moment[LIVE_TEXT_MAX];
	int width = c->screen->width;
	bool simulated = live_any_simulated(c->live);
	live_time_text(c->view, width, moment, simulated);
	int taken = screen_columns(c->screen, moment);
	bool room = width >= taken + (simulated ? 4 : 30);
	live_verdict_text(c, title, evidence, sizeof(title));
	int most = room ? width - taken - 2 : width;
	int used = c->view->paused ? screen_put(c->screen, 0, 0, most, SCREEN_DIM, "Now: ") : 0;
	used += screen_put(c->screen, used, 0, most - used, SCREEN_BOLD, title);
	if (used + 4 < most)
		screen_put(c->screen, used + 2, 0, most - used - 2, SCREEN_PLAIN, evidence);
	if (room)
		screen_put_right(c->screen, 0, 0, width,
				 c->view->paused || simulated ? SCREEN_WARNING : SCREEN_DIM,
				 moment);
}

/* Lines of the upper pane: a half, what it needs, or what the lower one leaves. */
static int live_upper_lines(const struct live_canvas *c, int height)
{
	if (height < LOW)
		return c->view->pane == LIVE_PANE_PROCESSES ? 0 : height;
	int upper = live_metrics_height(c), half = height / 2;
	int rest = c->process_count < (uint32_t)height ? height - 2 - (int)c->process_count : 0;
	int most = rest > half ? rest : half;
	return upper < most ? upper : most;
}

static enum sx_status live_draw_panes(const struct live_canvas *c, struct screen_area area,
				      struct sx_error *err)
{
	struct live_view *view = c->view;
	struct screen_area metrics = area, processes = area;
	if (area.height < 2)
		return SX_OK;
	if (!view->had_processes) {
		processes.height = 0;
	} else if (area.width >= SIDE_BY_SIDE) {
		metrics.width = area.width / 2 - 1;
		processes.x += area.width / 2 + 1;
		processes.width = area.width - area.width / 2 - 1;
	} else {
		metrics.height = live_upper_lines(c, area.height);
		processes.y += metrics.height;
		processes.height -= metrics.height;
	}
	enum sx_status status = live_metrics_draw(c, metrics, err);
	return status ? status : live_processes_draw(c, processes, err);
}

/* Curves get a quarter of the lines, and those that metrics and processes do not fill. */
static int live_curve_lines(const struct live_canvas *c, struct screen_area area)
{
	if (c->view->newest_ns - c->view->oldest_ns < 2 * live_view_step_ns(c->view))
		return 0; /* a curve of one point is none */
	int quarter = area.height >= CURVES_FROM ? area.height / 4 : 0;
	int left = area.height - 2 - live_metrics_height(c) - ADVICE_LINES;
	if (c->view->had_processes)
		left -= area.width < SIDE_BY_SIDE ? area.height / 3 : 0;
	left = left < CURVES_MOST ? left : CURVES_MOST;
	return left > quarter ? left : quarter;
}

/* The last lines of what programs wrote, at the end of an area. Returns the lines used. */
static int live_draw_output(const struct live_canvas *c, struct screen_area area)
{
	const char *text = c->view->output, *end = text ? text + strlen(text) : NULL;
	int most = area.height / 4 < OUTPUT_MOST ? area.height / 4 : OUTPUT_MOST, lines = 0;
	if (end && end > text && end[-1] == '\n')
		end--;
	if (!end || end == text || most < 2)
		return 0;
	for (const char *last = end; lines + 1 < most && last > text; lines++) {
		const char *begin = last;
		while (begin > text && begin[-1] != '\n')
			begin--;
		char line[512] = "";
		text_append(line, sizeof(line), "%.*s", (int)(last - begin), begin);
		screen_put(c->screen, area.x + 1, area.y + area.height - 1 - lines, area.width - 1,
			   SCREEN_PLAIN, line);
		last = begin > text ? begin - 1 : text;
	}
	screen_rule(c->screen, area.x, area.y + area.height - 1 - lines, area.width, "Output",
		    false);
	return lines + 1;
}

static enum sx_status live_draw_parts(const struct live_canvas *c, struct sx_error *err)
{
	const struct screen *s = c->screen;
	struct screen_area area = {0, 1, s->width, s->height - 2};
	int most = s->height < LOW ? area.height / 2 : area.height / 3 + 1, used = 0;
	live_draw_verdict(c);
	struct screen_area part = area;
	part.height = live_devices_height(c, most > 2 ? most : 2);
	enum sx_status status = live_devices_draw(c, part, err);
	area.y += part.height;
	area.height -= part.height;
	if (!status && s->height >= LOW)
		status = live_engines_draw(c, area, live_curve_lines(c, area), &used, err);
	area.y += used;
	area.height -= used;
	if (!status && c->view->advice && area.height > LOW) {
		used = live_advice_draw(c, area);
		area.y += used;
		area.height -= used;
	}
	area.height -= live_draw_output(c, area);
	if (!status)
		status = live_draw_panes(c, area, err);
	if (!c->view->still)
		live_keys_draw(c, s->height - 1);
	return status ? status : live_dialog_draw(c, err);
}

/* The values of the selected device; notes which of its columns have data. */
static enum sx_status live_find_values(struct live_canvas *c, struct sx_error *err)
{
	struct live_view *view = c->view;
	uint32_t count = live_device_count(c->live);
	struct live_list *devices = &view->lists[LIVE_PANE_DEVICES];
	if (devices->selected >= count)
		devices->selected = count ? count - 1 : 0;
	view->device = devices->selected;
	if (!count)
		return SX_OK;
	struct live_choice *choice = live_choice_of(view, c->live, view->device);
	if (!choice)
		return error_nomem(err, "drawing metrics");
	const struct live_device device = live_device(c->live, view->device);
	const struct live_moment at = live_view_moment(view, &device);
	enum sx_status status =
	    live_values(c->live, view->device, &at, &c->values, NULL, NULL, err);
	for (uint32_t i = 0; !status && c->values && i < choice->count; i++)
		choice->seen[i] |= !isnan(c->values[i].value);
	return status;
}

enum sx_status live_view_draw(struct live_view *view, struct live *live, struct screen *screen,
			      struct sx_error *err)
{
	struct live_canvas canvas = {.view = view, .live = live, .screen = screen};
	const struct live_process *processes = NULL;
	view->newest_ns = live_newest_ns(live);
	view->oldest_ns = live_oldest_ns(live);
	if (view->paused && view->end_ns < view->oldest_ns)
		view->end_ns = view->oldest_ns;
	const struct live_moment now = {.end_ns = view->paused ? view->end_ns : 0};
	enum sx_status status = live_find_values(&canvas, err);
	if (!status)
		status = live_processes(live, &now, &processes, &canvas.process_count, err);
	view->had_processes |= canvas.process_count > 0;
	return status ? status : live_draw_parts(&canvas, err);
}
