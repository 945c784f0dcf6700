/* Devices: a line each with gauges and a curve; engines and curves of the selected one. */
#include "output/live/parts.h"

#include <math.h>
#include <string.h>

#include "base/text_buf.h"
#include "output/write/text.h"

#define CURVE_MOST  512
#define NAME_LEAST  14
#define NAME_MOST   30
#define GAUGE_MOST  24
#define CURVE_LEAST 6
#define DEGREES	    2 /* columns that "deg C" takes more than its sign */
#define ENGINE	    26

/* What a device's line shows, the most important first: later ones are left out where it is narrow.
 */
static const struct device_column {
	enum live_gauge gauge;
	const char *title;
	int least; /* columns; those with a bar grow */
	bool bar;
} device_columns[] = {
    {LIVE_LOAD, "Load", 13, true},
    {LIVE_MEMORY, "Memory", 14, true},
    {LIVE_TEMPERATURE, "Temp", 6, false},
    {LIVE_POWER, "Power", 7, false},
    {LIVE_CLOCK, "Clock", 8, false},
    {LIVE_FRAME_RATE, "Frames", 8, false},
    {LIVE_BANDWIDTH, "Bandwidth", 10, false},
    {LIVE_THROTTLED, "Throttled", 9, false},
};
#define DEVICE_COLUMNS ((int)(sizeof(device_columns) / sizeof(*device_columns)))

/* The columns of a screen: a width of 0 leaves one out. */
struct device_layout {
	int name, widths[DEVICE_COLUMNS], curve;
};

const char *live_device_name(const struct live_device *device)
{
	const char *name = device->facts ? device->facts->name : NULL;
	const struct sx_catalog_info *info = sx_catalog_info(device->catalog);
	return name && *name ? name : info->title ? info->title : info->name;
}

const struct live_gauge_value *live_load(const struct live_headline *headline,
					 enum live_gauge *which)
{
	const struct live_gauge_value *load = &headline->gauges[LIVE_LOAD];
	bool known = load->title && !isnan(load->now.value);
	enum live_gauge gauge = known ? LIVE_LOAD : LIVE_BUSY;
	if (which)
		*which = gauge;
	return &headline->gauges[gauge];
}

static double gauge_share(const struct live_gauge_value *g)
{
	double peak = g->title && strcmp(g->unit, "percent") == 0 ? 100 : g->peak;
	return g->title && peak > 0 ? g->now.value / peak : NAN;
}

int live_devices_height(const struct live_canvas *c, int most)
{
	uint32_t count = live_device_count(c->live);
	return count + 1 < (uint32_t)most ? (int)count + 1 : most;
}

/* Shares out the columns of the screen between those that any device has. */
static struct device_layout devices_layout(int width, bool ascii, const bool has[DEVICE_COLUMNS])
{
	struct device_layout l = {.name = NAME_LEAST};
	int left = width - 1 - l.name, bars = 0;
	for (int i = 0; i < DEVICE_COLUMNS; i++) {
		int need = device_columns[i].least;
		need += ascii && device_columns[i].gauge == LIVE_TEMPERATURE ? DEGREES : 0;
		if (!has[i] || left < need + 1)
			continue;
		l.widths[i] = need;
		left -= need + 1;
		bars += device_columns[i].bar;
	}
	if (left > CURVE_LEAST + 1) {
		l.curve = CURVE_LEAST;
		left -= CURVE_LEAST + 1;
	}
	int more = left / 3 < NAME_MOST - l.name ? left / 3 : NAME_MOST - l.name;
	l.name += more;
	left -= more;
	for (int i = 0; i < DEVICE_COLUMNS; i++) {
		if (!l.widths[i] || !device_columns[i].bar)
			continue;
		more = left / (bars + 1) < GAUGE_MOST ? left / (bars + 1) : GAUGE_MOST;
		l.widths[i] += more;
		left -= more;
		bars--;
	}
	l.curve += l.curve ? left : 0;
	return l;
}

/* What a gauge says as a number: with its limit where the columns hold both. */
static void gauge_text(const struct live_canvas *c, const struct live_gauge_value *g, int width,
		       char buf[2 * LIVE_TEXT_MAX + 4])
{
	char now[LIVE_TEXT_MAX], peak[LIVE_TEXT_MAX];
	live_brief(c->view, now, g->now.value, g->unit);
	snprintf(buf, 2 * LIVE_TEXT_MAX + 4, "%s", now);
	if (strcmp(g->unit, "percent") == 0 || isnan(g->peak) || isnan(g->now.value))
		return;
	live_brief(c->view, peak, g->peak, g->unit);
	int both = screen_columns(c->screen, now) + screen_columns(c->screen, peak) + 3;
	if (both <= width)
		snprintf(buf, 2 * LIVE_TEXT_MAX + 4, "%s / %s", now, peak);
}

static enum screen_style gauge_style(enum live_gauge gauge, double share)
{
	if (gauge == LIVE_THROTTLED)
		return share > 0 ? SCREEN_BAD : SCREEN_PLAIN;
	if (gauge == LIVE_CLOCK || gauge == LIVE_FRAME_RATE || isnan(share))
		return SCREEN_PLAIN;
	return screen_level(share);
}

static void device_gauge_draw(const struct live_canvas *c, struct screen_area at,
			      const struct device_column *column, const struct live_gauge_value *g,
			      enum live_gauge gauge)
{
	char text[2 * LIVE_TEXT_MAX + 4];
	double share = gauge_share(g);
	enum screen_style style = gauge_style(gauge, share);
	if (!g->title) {
		screen_put_right(c->screen, at.x, at.y, at.width, SCREEN_DIM, "-");
		return;
	}
	int number = !column->bar ? at.width : gauge == LIVE_MEMORY ? 8 : 7;
	if (column->bar && at.width >= 30)
		number = gauge == LIVE_MEMORY ? 19 : number;
	gauge_text(c, g, number, text);
	enum screen_style plain = isnan(g->now.value) ? SCREEN_DIM : SCREEN_PLAIN;
	screen_put_right(c->screen, at.x + at.width - number, at.y, number,
			 column->bar || style == SCREEN_GOOD ? plain : style, text);
	if (column->bar)
		screen_gauge(c->screen, at.x, at.y, at.width - number - 1, share, style);
}

/* The course of a gauge, which ends at the moment that is shown. */
static void gauge_curve(const struct live_canvas *c, struct screen_area area, uint32_t device,
			enum live_gauge gauge, double peak)
{
	struct live_point points[CURVE_MOST];
	double values[CURVE_MOST], most = 0;
	int count = area.width < CURVE_MOST ? area.width : CURVE_MOST;
	const struct live_line line = {c->view->paused ? c->view->end_ns : 0,
				       live_view_step_ns(c->view), (uint32_t)count};
	if (count <= 0 || !live_gauge_history(c->live, device, gauge, &line, points))
		return;
	for (int i = 0; i < count; i++) {
		values[i] = points[i].mean;
		most = values[i] > most ? values[i] : most;
	}
	screen_curve(c->screen, area, values, count, peak > 0 ? peak : most, SCREEN_GRAPH);
}

static bool device_has_gauges(const struct live_headline *headline)
{
	for (int i = 0; i < LIVE_GAUGES; i++)
		if (headline->gauges[i].title)
			return true;
	return false;
}

static void device_line_draw(const struct live_canvas *c, struct screen_area line,
			     const struct device_layout *l, uint32_t index,
			     const struct live_headline *headline)
{
	struct live_device device = live_device(c->live, index);
	char state[2 * SX_ERROR_TEXT_MAX];
	enum live_gauge which;
	const struct live_gauge_value *load = live_load(headline, &which);
	bool selected = index == c->view->device;
	const char *mark = !selected ? " " : c->screen->ascii ? ">" : "▶";
	screen_put(c->screen, line.x, line.y, 1, SCREEN_BOLD, mark);
	screen_put(c->screen, line.x + 1, line.y, l->name, SCREEN_BOLD, live_device_name(&device));
	int x = line.x + l->name + 2;
	live_state_text(c->view, &device, state, sizeof(state));
	if (*state && device.state != LIVE_BACK) {
		screen_put(c->screen, x, line.y, line.width - x, SCREEN_WARNING, state);
		return;
	}
	if (!device_has_gauges(headline)) {
		screen_put(c->screen, x, line.y, line.width - x, SCREEN_DIM,
			   "its catalog has no load, memory, power or clock");
		return;
	}
	for (int i = 0; i < DEVICE_COLUMNS; i++) {
		const struct device_column *column = &device_columns[i];
		if (!l->widths[i])
			continue;
		bool is_load = column->gauge == LIVE_LOAD;
		device_gauge_draw(c, (struct screen_area){x, line.y, l->widths[i], 1}, column,
				  is_load ? load : &headline->gauges[column->gauge],
				  is_load ? which : column->gauge);
		x += l->widths[i] + 1;
	}
	if (l->curve)
		gauge_curve(c, (struct screen_area){x, line.y, l->curve, 1}, index, which, 100);
}

static void devices_heading(const struct live_canvas *c, struct screen_area area,
			    const struct device_layout *l)
{
	bool focus = c->view->pane == LIVE_PANE_DEVICES;
	screen_put(c->screen, area.x + 1, area.y, l->name, focus ? SCREEN_BOLD : SCREEN_HEADING,
		   "Device");
	int x = area.x + l->name + 2;
	for (int i = 0; i < DEVICE_COLUMNS; i++) {
		if (!l->widths[i])
			continue;
		const struct device_column *column = &device_columns[i];
		if (column->bar)
			screen_put(c->screen, x, area.y, l->widths[i], SCREEN_HEADING,
				   column->title);
		else
			screen_put_right(c->screen, x, area.y, l->widths[i], SCREEN_HEADING,
					 column->title);
		x += l->widths[i] + 1;
	}
	char last[HUMAN_MAX], title[LIVE_TEXT_MAX];
	human_duration(last, live_view_step_ns(c->view) * (uint64_t)l->curve);
	snprintf(title, sizeof(title), "%s", last);
	if (l->curve)
		screen_put(c->screen, x, area.y, l->curve, SCREEN_HEADING, title);
}

static enum sx_status device_headline(const struct live_canvas *c, uint32_t index,
				      struct live_headline *out, struct sx_error *err)
{
	struct live_device device = live_device(c->live, index);
	const struct live_moment at = live_view_moment(c->view, &device);
	return live_headline(c->live, index, &at, out, err);
}

/* The columns that any device has, or had, a value for. */
static enum sx_status devices_have(const struct live_canvas *c, bool has[DEVICE_COLUMNS],
				   struct sx_error *err)
{
	bool *had = c->view->had_gauges;
	enum sx_status status = SX_OK;
	for (uint32_t d = 0; !status && d < live_device_count(c->live); d++) {
		struct live_headline headline;
		status = device_headline(c, d, &headline, err);
		for (int g = 0; !status && g < LIVE_GAUGES; g++)
			had[g] |= headline.gauges[g].title && !isnan(headline.gauges[g].now.value);
	}
	for (int i = 0; i < DEVICE_COLUMNS; i++) {
		enum live_gauge gauge = device_columns[i].gauge;
		has[i] = had[gauge] || (gauge == LIVE_LOAD && had[LIVE_BUSY]);
	}
	return status;
}

enum sx_status live_devices_draw(const struct live_canvas *c, struct screen_area area,
				 struct sx_error *err)
{
	bool has[DEVICE_COLUMNS] = {false};
	uint32_t count = live_device_count(c->live);
	struct live_list *list = &c->view->lists[LIVE_PANE_DEVICES];
	enum sx_status status = devices_have(c, has, err);
	struct device_layout layout = devices_layout(area.width, c->screen->ascii, has);
	live_list_fit(list, count, area.height - 1);
	devices_heading(c, area, &layout);
	for (uint32_t i = 0; !status && i < list->page && list->first + i < count; i++) {
		struct live_headline headline;
		uint32_t index = list->first + i;
		status = device_headline(c, index, &headline, err);
		if (!status)
			device_line_draw(
			    c, (struct screen_area){area.x, area.y + 1 + (int)i, area.width, 1},
			    &layout, index, &headline);
	}
	return status;
}

/* Load and memory, or what else there is, as curves beside each other. Returns the lines used. */
static int device_curves_draw(const struct live_canvas *c, struct screen_area area,
			      const struct live_headline *headline)
{
	enum live_gauge load;
	live_load(headline, &load);
	const enum live_gauge wanted[] = {
	    load,	LIVE_MEMORY,	 LIVE_BANDWIDTH, LIVE_POWER, LIVE_FRAME_RATE,
	    LIVE_CLOCK, LIVE_TEMPERATURE};
	enum live_gauge shown[4];
	int count = 0, most = area.width >= 200 ? 4 : area.width >= 120 ? 3 : 2;
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted) && count < most; i++)
		if (headline->gauges[wanted[i]].title &&
		    !isnan(headline->gauges[wanted[i]].now.value))
			shown[count++] = wanted[i];
	if (!count || area.height < 3)
		return 0;
	int width = (area.width + 1) / count - 1;
	for (int i = 0; i < count; i++) {
		const struct live_gauge_value *g = &headline->gauges[shown[i]];
		char number[2 * LIVE_TEXT_MAX + 4], title[3 * LIVE_TEXT_MAX];
		int x = area.x + i * (width + 1);
		gauge_text(c, g, width / 2, number);
		snprintf(title, sizeof(title), "%.40s  %s", g->title, number);
		double peak = strcmp(g->unit, "percent") == 0 ? 100 : g->peak;
		screen_rule(c->screen, x, area.y, width, title, false);
		gauge_curve(c, (struct screen_area){x, area.y + 1, width, area.height - 1},
			    c->view->device, shown[i], peak);
	}
	return area.height;
}

static int engines_draw(const struct live_canvas *c, struct screen_area area,
			const struct live_headline *headline)
{
	int across = area.width / ENGINE, lines = 0;
	across = across > 0 ? across : 1;
	for (int i = 0; i < (int)headline->engine_count && i / across < area.height; i++) {
		const struct live_engine *engine = &headline->engines[i];
		int x = area.x + i % across * ENGINE, y = area.y + i / across;
		char number[LIVE_TEXT_MAX];
		double share = engine->busy.value / 100;
		live_brief(c->view, number, engine->busy.value, "percent");
		screen_put(c->screen, x + 1, y, 9, SCREEN_PLAIN, engine->name);
		screen_gauge(c->screen, x + 11, y, ENGINE - 20, share, SCREEN_GRAPH);
		screen_put_right(c->screen, x + ENGINE - 8, y, 7,
				 isnan(share) ? SCREEN_DIM : SCREEN_PLAIN, number);
		lines = i / across + 1;
	}
	return lines;
}

enum sx_status live_engines_draw(const struct live_canvas *c, struct screen_area area, int curves,
				 int *used, struct sx_error *err)
{
	struct live_headline headline;
	*used = 0;
	if (!live_device_count(c->live))
		return SX_OK;
	enum sx_status status = device_headline(c, c->view->device, &headline, err);
	if (status)
		return status;
	struct screen_area engines = area, below = area;
	engines.height = area.height / 8 > 0 ? area.height / 8 : 1;
	*used = engines_draw(c, engines, &headline);
	below.y += *used;
	below.height = curves < area.height - *used ? curves : area.height - *used;
	*used += device_curves_draw(c, below, &headline);
	return SX_OK;
}
