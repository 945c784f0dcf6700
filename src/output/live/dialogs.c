/* Dialogs of the live view, and its last line. */
#include "output/live/parts.h"

#include <signal.h>
#include <string.h>

#include "base/text_buf.h"

#define HELP_WIDTH 76
#define PAGE_WIDTH 100

static const struct {
	const char *keys, *does;
} help_rows[] = {
    {"F1 ? h", "this help"},
    {"F2 S", "choose the metrics that are shown"},
    {"F3 /", "search in the pane; n: the next one"},
    {"F4 \\", "show only rows with a text"},
    {"F5 t", "processes as a tree"},
    {"F6 >", "sort processes; I: the other way round"},
    {"F9 k", "send a signal to the selected process"},
    {"F10 q", "quit"},
    {"Tab", "the next pane: devices, metrics, processes"},
    {"Up Down PgUp PgDn", "select a row; Home, End: the first, the last"},
    {"d", "the next device"},
    {"Space p", "pause, and go on"},
    {"Left Right", "back and forward in time, a point; [ ] ten points"},
    {", .", "a recording slower or faster"},
    {"+ -", "less or more time in a point of a curve"},
    {"Enter", "explain the selected metric"},
    {"a", "show or hide advice"},
    {"r", "write the last ten minutes as a capture, and go on"},
    {"Esc", "leave a dialog; forget a filter"},
};
#define HELP_ROWS (sizeof(help_rows) / sizeof(*help_rows))

static const char *const help_notes[] = {
    "",
    "Load is how busy the device is, times its clock's share of the highest",
    "clock; without a known clock, how busy it is. \"-\" is no data, never zero.",
    "In curves a blank is no data, and a low line is zero.",
};
#define HELP_NOTES (sizeof(help_notes) / sizeof(*help_notes))

static void help_draw(const struct live_canvas *c)
{
	struct screen *s = c->screen;
	struct live_list *list = &c->view->dialog_list;
	int lines = (int)(HELP_ROWS + HELP_NOTES);
	struct screen_area in =
	    screen_box(s, screen_centre(s, HELP_WIDTH, lines + 2), "Keys (Esc leaves)");
	uint32_t most = lines > in.height ? (uint32_t)(lines - in.height) : 0;
	list->count = most + 1;
	list->page = in.height > 1 ? (uint32_t)in.height - 1 : 1;
	list->selected = list->selected > most ? most : list->selected;
	for (int i = 0; i < in.height; i++) {
		size_t row = list->selected + (size_t)i;
		if (row < HELP_ROWS) {
			screen_put(s, in.x, in.y + i, 18, SCREEN_BOLD, help_rows[row].keys);
			screen_put(s, in.x + 19, in.y + i, in.width - 19, SCREEN_PLAIN,
				   help_rows[row].does);
		} else if (row < HELP_ROWS + HELP_NOTES) {
			screen_put(s, in.x, in.y + i, in.width, SCREEN_DIM,
				   help_notes[row - HELP_ROWS]);
		}
	}
}

/* A page of text, which is as wide as there is room for. */
static void page_draw(const struct live_canvas *c)
{
	struct live_view *view = c->view;
	struct live_list *list = &view->dialog_list;
	struct screen *s = c->screen;
	uint32_t lines = 0;
	for (const char *p = view->page; p && *p; p++)
		lines += *p == '\n' || !p[1];
	struct screen_area in =
	    screen_box(s, screen_centre(s, PAGE_WIDTH, (int)lines + 2), view->page_title);
	uint32_t most = lines > (uint32_t)in.height ? lines - (uint32_t)in.height : 0, row = 0;
	list->count = most + 1;
	list->page = in.height > 1 ? (uint32_t)in.height - 1 : 1;
	list->selected = list->selected > most ? most : list->selected;
	for (const char *p = view->page; p && *p; row++) {
		size_t length = strcspn(p, "\n");
		int y = in.y + (int)row - (int)list->selected;
		char line[512] = "";
		text_append(line, sizeof(line), "%.*s", (int)length, p);
		if (row >= list->selected && y < in.y + in.height)
			screen_put(s, in.x, y, in.width, SCREEN_PLAIN, line);
		p += length + (p[length] == '\n');
	}
}

/* A short list of which one is chosen. */
static void choice_draw(const struct live_canvas *c, const char *title, const char *const *items,
			uint32_t count)
{
	struct screen *s = c->screen;
	struct live_list *list = &c->view->dialog_list;
	int width = screen_columns(s, title) + 6;
	struct screen_area in =
	    screen_box(s, screen_centre(s, width < 30 ? 30 : width, (int)count + 2), title);
	live_list_fit(list, count, in.height);
	for (uint32_t i = 0; i < list->page && list->first + i < count; i++) {
		struct screen_area line = {in.x, in.y + (int)i, in.width, 1};
		screen_put(s, line.x, line.y, line.width, SCREEN_PLAIN, items[list->first + i]);
		if (list->first + i == list->selected)
			screen_restyle(s, line, SCREEN_SELECTED);
	}
}

static void sort_draw(const struct live_canvas *c)
{
	const char *items[LIVE_SORTS];
	for (int i = 0; i < LIVE_SORTS; i++)
		items[i] = live_sort_name((enum live_sort)i);
	choice_draw(c, "Sort processes by", items, LIVE_SORTS);
}

static const struct live_signal signals[] = {
    {SIGTERM, "SIGTERM", "end"},
    {SIGINT, "SIGINT", "interrupt"},
    {SIGHUP, "SIGHUP", "hang up"},
    {SIGQUIT, "SIGQUIT", "quit and dump core"},
    {SIGKILL, "SIGKILL", "end at once"},
    {SIGSTOP, "SIGSTOP", "stop"},
    {SIGCONT, "SIGCONT", "go on"},
    {SIGUSR1, "SIGUSR1", ""},
    {SIGUSR2, "SIGUSR2", ""},
};

const struct live_signal *live_signals(uint32_t *count)
{
	*count = sizeof(signals) / sizeof(*signals);
	return signals;
}

static const char *signal_name(int number)
{
	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (signals[i].number == number)
			return signals[i].name;
	return "?";
}

static void signal_draw(const struct live_canvas *c)
{
	char title[2 * LIVE_TYPED_MAX], texts[16][40];
	const char *items[16];
	uint32_t count;
	live_signals(&count);
	for (uint32_t i = 0; i < count; i++) {
		snprintf(texts[i], sizeof(texts[i]), "%2d %-8s %s", signals[i].number,
			 signals[i].name, signals[i].does);
		items[i] = texts[i];
	}
	snprintf(title, sizeof(title), "Signal to %.40s (%u)", c->view->signal_process,
		 c->view->signal_pid);
	choice_draw(c, title, items, count);
}

static void confirm_draw(const struct live_canvas *c)
{
	char text[3 * LIVE_TYPED_MAX];
	const struct live_view *view = c->view;
	snprintf(text, sizeof(text), "Send %s to %.40s (%u)?  y: yes  n: no",
		 signal_name(view->signal), view->signal_process, view->signal_pid);
	int width = screen_columns(c->screen, text) + 4;
	struct screen_area in =
	    screen_box(c->screen, screen_centre(c->screen, width, 3), "Send a signal");
	screen_put(c->screen, in.x, in.y, in.width, SCREEN_BOLD, text);
}

void live_keys_draw(const struct live_canvas *c, int y)
{
	static const char *const keys[][2] = {{"F1", "Help"},	{"F2", "Setup"}, {"F3", "Search"},
					      {"F4", "Filter"}, {"F5", "Tree"},	 {"F6", "Sort"},
					      {"F9", "Signal"}, {"F10", "Quit"}};
	const struct live_view *view = c->view;
	struct screen *s = c->screen;
	char typed[2 * LIVE_TYPED_MAX];
	int x = 0;
	if (view->dialog == LIVE_DIALOG_SEARCH || view->dialog == LIVE_DIALOG_FILTER) {
		snprintf(typed, sizeof(typed), "%s: %s_",
			 view->dialog == LIVE_DIALOG_SEARCH ? "Search" : "Filter", view->typed);
		screen_put(s, 0, y, s->width, SCREEN_BOLD, typed);
		return;
	}
	if (view->message[0]) {
		screen_put(s, 0, y, s->width, SCREEN_WARNING, view->message);
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys) && x < s->width; i++) {
		x += screen_put(s, x, y, s->width - x, SCREEN_KEY, keys[i][0]);
		int used = screen_put(s, x, y, s->width - x, SCREEN_PLAIN, keys[i][1]);
		screen_restyle(s, (struct screen_area){x, y, used + 1, 1}, SCREEN_SELECTED);
		x += used + 1;
	}
}

enum sx_status live_dialog_draw(const struct live_canvas *c, struct sx_error *err)
{
	switch (c->view->dialog) {
	case LIVE_DIALOG_HELP:
		help_draw(c);
		break;
	case LIVE_DIALOG_SETUP:
		return live_setup_draw(c, err);
	case LIVE_DIALOG_SORT:
		sort_draw(c);
		break;
	case LIVE_DIALOG_SIGNAL:
		signal_draw(c);
		break;
	case LIVE_DIALOG_CONFIRM:
		confirm_draw(c);
		break;
	case LIVE_DIALOG_PAGE:
		page_draw(c);
		break;
	case LIVE_DIALOG_NONE:
	case LIVE_DIALOG_SEARCH:
	case LIVE_DIALOG_FILTER:
		break;
	}
	return SX_OK;
}
