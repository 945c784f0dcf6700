/* Keys of the live view: see keys.h. They are htop's and nvtop's where these have one. */
#include "tools/verbs/top/keys.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"

#define FAR 10 /* points of a curve that [ and ] go at once */

static void list_move(struct live_list *list, int key)
{
	uint32_t page = list->page ? list->page : 1, last = list->count ? list->count - 1 : 0;
	uint32_t at = list->selected;
	if (key == TOP_KEY_UP)
		at = at ? at - 1 : 0;
	else if (key == TOP_KEY_DOWN)
		at++;
	else if (key == TOP_KEY_PAGE_UP)
		at = at > page ? at - page : 0;
	else if (key == TOP_KEY_PAGE_DOWN)
		at += page;
	else
		at = key == TOP_KEY_HOME ? 0 : last;
	list->selected = at < last ? at : last;
}

static bool is_list_key(int key)
{
	return key == TOP_KEY_UP || key == TOP_KEY_DOWN || key == TOP_KEY_PAGE_UP ||
	       key == TOP_KEY_PAGE_DOWN || key == TOP_KEY_HOME || key == TOP_KEY_END;
}

/* The pane that a search or a filter is for: devices have none. */
static enum live_pane text_pane(const struct live_view *view)
{
	return view->pane == LIVE_PANE_PROCESSES ? LIVE_PANE_PROCESSES : LIVE_PANE_METRICS;
}

static void dialog_open(struct live_view *view, enum live_dialog dialog)
{
	view->dialog = dialog;
	view->dialog_list = (struct live_list){0};
	view->typed[0] = '\0';
}

static void move_in_time(struct live_view *view, int64_t points)
{
	uint64_t step = live_view_step_ns(view);
	if (!view->paused)
		view->end_ns = view->newest_ns;
	view->paused = true;
	uint64_t far = step * (uint64_t)(points < 0 ? -points : points);
	if (points < 0)
		view->end_ns = view->end_ns > far ? view->end_ns - far : 0;
	else
		view->end_ns += far;
	/* Of a recording there is more behind what was shown so far. */
	uint64_t last = view->replay ? view->last_ns : view->newest_ns;
	if (view->end_ns > last)
		view->end_ns = last;
	if (view->end_ns < view->oldest_ns)
		view->end_ns = view->oldest_ns;
}

static void pause_or_go_on(struct live_view *view)
{
	view->paused = !view->paused;
	view->end_ns = view->newest_ns;
}

static void select_in_pane(struct live_view *view, int key)
{
	struct live_list *list = &view->lists[view->pane];
	if (!list->count && view->pane == LIVE_PANE_DEVICES)
		return;
	list_move(list, key);
	if (view->pane == LIVE_PANE_PROCESSES)
		view->pid = 0; /* another row from now on */
	if (view->pane == LIVE_PANE_DEVICES)
		view->lists[LIVE_PANE_METRICS] = (struct live_list){0};
}

static void next_device(struct live_view *view)
{
	struct live_list *list = &view->lists[LIVE_PANE_DEVICES];
	list->selected = list->selected + 1 < list->count ? list->selected + 1 : 0;
	view->lists[LIVE_PANE_METRICS] = (struct live_list){0};
}

static void next_pane(struct live_view *view, int by)
{
	do
		view->pane = (enum live_pane)(((int)view->pane + LIVE_PANES + by) % LIVE_PANES);
	while (view->pane == LIVE_PANE_PROCESSES && !view->had_processes);
}

static enum top_action ask_signal(struct live_view *view)
{
	if (!view->pid) {
		snprintf(view->message, sizeof(view->message), "no process is selected");
		return TOP_DRAW;
	}
	view->signal_pid = view->pid;
	memcpy(view->signal_process, view->process, sizeof(view->process));
	dialog_open(view, LIVE_DIALOG_SIGNAL);
	return TOP_DRAW;
}

static enum top_action leave(struct live_view *view)
{
	view->filters[text_pane(view)][0] = '\0';
	return TOP_DRAW;
}

/* Keys that open a dialog. */
static enum live_dialog dialog_of(int key)
{
	switch (key) {
	case TOP_KEY_F0 + 1:
	case '?':
	case 'h':
		return LIVE_DIALOG_HELP;
	case TOP_KEY_F0 + 2:
	case 'S':
		return LIVE_DIALOG_SETUP;
	case TOP_KEY_F0 + 3:
	case '/':
		return LIVE_DIALOG_SEARCH;
	case TOP_KEY_F0 + 4:
	case '\\':
		return LIVE_DIALOG_FILTER;
	case TOP_KEY_F0 + 6:
	case '>':
		return LIVE_DIALOG_SORT;
	default:
		return LIVE_DIALOG_NONE;
	}
}

/* Keys that change how time and rows are shown. */
static bool press_view(struct live_view *view, int key)
{
	switch (key) {
	case TOP_KEY_F0 + 5:
	case 't':
		view->tree = !view->tree;
		return true;
	case 'I':
		view->reversed = !view->reversed;
		return true;
	case ' ':
	case 'p':
		pause_or_go_on(view);
		return true;
	case TOP_KEY_LEFT:
	case TOP_KEY_RIGHT:
		move_in_time(view, key == TOP_KEY_LEFT ? -1 : 1);
		return true;
	case '[':
	case ']':
		move_in_time(view, key == '[' ? -FAR : FAR);
		return true;
	case ',':
		view->speed -= view->replay && view->speed > LIVE_SLOWEST;
		return view->replay;
	case '.':
		view->speed += view->replay && view->speed < LIVE_FASTEST;
		return view->replay;
	case '+':
		view->zoom -= view->zoom > 0;
		return true;
	case '-':
		view->zoom += view->zoom + 1 < LIVE_ZOOMS;
		return true;
	case 'a':
	case 'A':
		view->advice = !view->advice;
		return true;
	default:
		return false;
	}
}

static enum top_action press_main(struct live_view *view, int key)
{
	enum live_dialog dialog = dialog_of(key);
	if (dialog != LIVE_DIALOG_NONE) {
		dialog_open(view, dialog);
		return TOP_DRAW;
	}
	if (press_view(view, key))
		return TOP_DRAW;
	if (is_list_key(key)) {
		select_in_pane(view, key);
		return TOP_DRAW;
	}
	switch (key) {
	case TOP_KEY_F10:
	case 'q':
		return TOP_QUIT;
	case TOP_KEY_F0 + 9:
	case 'k':
		return ask_signal(view);
	case TOP_KEY_TAB:
	case TOP_KEY_BACKTAB:
		next_pane(view, key == TOP_KEY_TAB ? 1 : -1);
		return TOP_DRAW;
	case 'd':
		next_device(view);
		return TOP_DRAW;
	case 'n':
		view->seek = view->search[0];
		return TOP_DRAW;
	case 'r':
		return TOP_RECORD;
	case TOP_KEY_ENTER:
		return view->column == UINT32_MAX ? TOP_NOTHING : TOP_EXPLAIN;
	case TOP_KEY_ESCAPE:
		return leave(view);
	default:
		return TOP_NOTHING;
	}
}

/* A character more or less in what is typed; false for other keys. */
static bool type_key(char typed[LIVE_TYPED_MAX], int key)
{
	size_t length = strlen(typed);
	if (key == TOP_KEY_BACKSPACE || key == '\b') {
		while (length && !utf8_begins(typed[length - 1]))
			length--;
		typed[length ? length - 1 : 0] = '\0';
		return true;
	}
	if (key < ' ' || key >= TOP_KEY_UP || (key >= 0x7f && key < 0xa0))
		return false;
	char bytes[4];
	size_t size = utf8_put(bytes, (uint32_t)key);
	if (length + size >= LIVE_TYPED_MAX)
		return true;
	memcpy(typed + length, bytes, size);
	typed[length + size] = '\0';
	return true;
}

static enum top_action press_line(struct live_view *view, int key)
{
	bool filter = view->dialog == LIVE_DIALOG_FILTER;
	char *text = filter ? view->filters[text_pane(view)] : view->search;
	if (key == TOP_KEY_ENTER) {
		view->dialog = LIVE_DIALOG_NONE;
		view->seek = !filter && view->typed[0];
	} else if (!type_key(view->typed, key)) {
		return TOP_NOTHING;
	}
	if (filter || key == TOP_KEY_ENTER)
		memcpy(text, view->typed, sizeof(view->typed));
	return TOP_DRAW;
}

static enum top_action press_signal(struct live_view *view, int key)
{
	uint32_t count;
	const struct live_signal *signals = live_signals(&count);
	if (view->dialog == LIVE_DIALOG_SIGNAL) {
		if (key != TOP_KEY_ENTER || view->dialog_list.selected >= count)
			return TOP_NOTHING;
		view->signal = signals[view->dialog_list.selected].number;
		view->dialog = LIVE_DIALOG_CONFIRM;
		return TOP_DRAW;
	}
	if (key != 'y' && key != 'Y' && key != 'n' && key != 'N')
		return TOP_NOTHING;
	view->dialog = LIVE_DIALOG_NONE;
	return key == 'y' || key == 'Y' ? TOP_SIGNAL : TOP_DRAW;
}

static enum top_action press_setup(struct live_view *view, int key)
{
	if (key == ' ' && view->setup_column != UINT32_MAX)
		return TOP_TOGGLE;
	if (key == TOP_KEY_ENTER || key == TOP_KEY_F0 + 2) {
		view->dialog = LIVE_DIALOG_NONE;
		return TOP_DRAW;
	}
	return type_key(view->typed, key) ? TOP_DRAW : TOP_NOTHING;
}

static enum top_action press_sort(struct live_view *view, int key)
{
	if (key != TOP_KEY_ENTER || view->dialog_list.selected >= LIVE_SORTS)
		return TOP_NOTHING;
	view->sort = (enum live_sort)view->dialog_list.selected;
	view->dialog = LIVE_DIALOG_NONE;
	return TOP_DRAW;
}

static enum top_action press_dialog(struct live_view *view, int key)
{
	if (key == TOP_KEY_ESCAPE || key == TOP_KEY_F10) {
		if (view->dialog == LIVE_DIALOG_FILTER)
			view->filters[text_pane(view)][0] = '\0';
		view->dialog = LIVE_DIALOG_NONE;
		return TOP_DRAW;
	}
	bool line = view->dialog == LIVE_DIALOG_SEARCH || view->dialog == LIVE_DIALOG_FILTER;
	if (is_list_key(key) && !line) {
		list_move(&view->dialog_list, key);
		return TOP_DRAW;
	}
	switch (view->dialog) {
	case LIVE_DIALOG_SEARCH:
	case LIVE_DIALOG_FILTER:
		return press_line(view, key);
	case LIVE_DIALOG_SIGNAL:
	case LIVE_DIALOG_CONFIRM:
		return press_signal(view, key);
	case LIVE_DIALOG_SETUP:
		return press_setup(view, key);
	case LIVE_DIALOG_SORT:
		return press_sort(view, key);
	case LIVE_DIALOG_HELP:
	case LIVE_DIALOG_PAGE:
		if (key != 'q' && key != TOP_KEY_ENTER && dialog_of(key) != LIVE_DIALOG_HELP)
			return TOP_NOTHING;
		view->dialog = LIVE_DIALOG_NONE;
		return TOP_DRAW;
	case LIVE_DIALOG_NONE:
		break;
	}
	return TOP_NOTHING;
}

enum top_action top_press(struct live_view *view, int key)
{
	bool message = view->message[0];
	view->message[0] = '\0';
	enum top_action action = TOP_DRAW;
	if (key != TOP_KEY_RESIZE)
		action = view->dialog ? press_dialog(view, key) : press_main(view, key);
	return action == TOP_NOTHING && message ? TOP_DRAW : action;
}
