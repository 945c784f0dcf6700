/* The processes that use the devices: sorted, filtered, or as a tree. */
#include "output/live/parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text_buf.h"

#define DEPTH_MOST    16
#define ENGINES_MOST  6
#define ENGINES_FROM  100 /* columns from which on engines have columns of their own */
#define COMMAND_LEAST 16

struct process_row {
	const struct live_process *process;
	int depth;
};

struct process_rows {
	struct process_row *rows;
	uint32_t count;
	const char *engines[ENGINES_MOST]; /* that have a column */
	int engine_count;
	bool devices, users, cpu, frames, many; /* columns that have a value; several devices */
};

/* The larger number first; no data comes last. */
static int compare_numbers(double a, double b)
{
	bool no_a = isnan(a), no_b = isnan(b);
	if (no_a || no_b)
		return no_a - no_b; /* no data comes last */
	return a > b ? -1 : a < b;
}

static int compare_texts(const char *a, const char *b)
{
	if (!a || !b)
		return !a - !b;
	return strcmp(a, b);
}

static int compare_processes(const void *x, const void *y, void *user)
{
	const struct live_view *view = user;
	const struct live_process *a = ((const struct process_row *)x)->process;
	const struct live_process *b = ((const struct process_row *)y)->process;
	int order = 0;
	switch (view->sort) {
	case LIVE_SORT_BUSY:
		order = compare_numbers(a->busy, b->busy);
		break;
	case LIVE_SORT_MEMORY:
		order = compare_numbers(a->memory, b->memory);
		break;
	case LIVE_SORT_CPU:
		order = compare_numbers(a->cpu, b->cpu);
		break;
	case LIVE_SORT_USER:
		order = compare_texts(a->user, b->user);
		break;
	case LIVE_SORT_DEVICE:
		order = a->device < b->device ? -1 : a->device > b->device;
		break;
	case LIVE_SORT_NAME:
		order = compare_texts(a->name, b->name);
		break;
	case LIVE_SORT_PID:
	case LIVE_SORTS:
		break;
	}
	order = view->reversed ? -order : order;
	if (!order)
		order = a->pid < b->pid ? -1 : a->pid > b->pid;
	return view->sort == LIVE_SORT_PID && view->reversed ? -order : order;
}

/* Puts those that descend from `pid` behind row *count of `out`, which has room. */
static void add_children(const struct process_rows *in, bool *used, uint32_t pid, int depth,
			 struct process_row *out, uint32_t *count)
{
	for (uint32_t i = 0; i < in->count && depth < DEPTH_MOST; i++) {
		const struct live_process *p = in->rows[i].process;
		if (used[i] || !p->parent || p->parent != pid || p->pid == pid)
			continue;
		used[i] = true;
		out[(*count)++] = (struct process_row){p, depth};
		add_children(in, used, p->pid, depth + 1, out, count);
	}
}

static bool has_parent(const struct process_rows *in, const struct live_process *p)
{
	for (uint32_t i = 0; i < in->count; i++)
		if (p->parent && in->rows[i].process->pid == p->parent && p->pid != p->parent)
			return true;
	return false;
}

/* Orders rows as a tree. False when memory is out. */
static bool make_tree(struct process_rows *r)
{
	bool *used = calloc(r->count + 1, sizeof(*used));
	struct process_row *out = malloc((r->count + 1) * sizeof(*out));
	uint32_t count = 0;
	if (!used || !out) {
		free(used);
		free(out);
		return false;
	}
	for (int all = 0; all < 2; all++)
		for (uint32_t i = 0; i < r->count; i++) {
			const struct live_process *p = r->rows[i].process;
			if (used[i] || (!all && has_parent(r, p)))
				continue;
			used[i] = true;
			out[count++] = (struct process_row){p, 0};
			add_children(r, used, p->pid, 1, out, &count);
		}
	free(used);
	free(r->rows);
	r->rows = out;
	return true;
}

static void note_engines(struct process_rows *r, const struct live_process *p)
{
	for (uint32_t e = 0; e < p->engine_count; e++) {
		int at = 0;
		while (at < r->engine_count && strcmp(r->engines[at], p->engines[e].name) != 0)
			at++;
		if (at == r->engine_count && at < ENGINES_MOST)
			r->engines[r->engine_count++] = p->engines[e].name;
	}
}

static enum sx_status processes_find(const struct live_canvas *c, struct process_rows *r,
				     struct sx_error *err)
{
	const struct live_process *all;
	uint32_t count;
	struct live_view *view = c->view;
	const struct live_moment at = {.end_ns = view->paused ? view->end_ns : 0};
	enum sx_status status = live_processes(c->live, &at, &all, &count, err);
	*r = (struct process_rows){.many = live_device_count(c->live) > 1};
	if (status)
		return status;
	r->rows = malloc((count + 1) * sizeof(*r->rows));
	if (!r->rows)
		return error_nomem(err, "drawing processes");
	for (uint32_t i = 0; i < count; i++) {
		if (!live_matches(all[i].name ? all[i].name : "",
				  view->filters[LIVE_PANE_PROCESSES]))
			continue;
		r->rows[r->count++] = (struct process_row){&all[i], 0};
		r->users |= all[i].user != NULL;
		r->cpu |= !isnan(all[i].cpu);
		r->frames |= !isnan(all[i].frame_rate);
		note_engines(r, &all[i]);
	}
	qsort_r(r->rows, r->count, sizeof(*r->rows), compare_processes, view);
	if (view->tree && !make_tree(r))
		return error_nomem(err, "drawing processes");
	return SX_OK;
}

static void process_seek(struct live_view *view, struct live_list *list,
			 const struct process_rows *r)
{
	if (view->seek && view->pane == LIVE_PANE_PROCESSES) {
		view->seek = false;
		for (uint32_t i = 0; i < r->count; i++) {
			uint32_t row = (list->selected + 1 + i) % r->count;
			if (!live_matches(r->rows[row].process->name, view->search))
				continue;
			list->selected = row;
			view->pid = 0;
			return;
		}
		snprintf(view->message, sizeof(view->message), "no process has \"%s\" in its name",
			 view->search);
	}
	/* A selected process stays selected when the order changes. */
	for (uint32_t i = 0; view->pid && i < r->count; i++)
		if (r->rows[i].process->pid == view->pid &&
		    r->rows[i].process->device == view->process_device)
			list->selected = i;
}

/* One column of the table: writes it, or its title where there is no process. */
static int process_cell(const struct live_canvas *c, int x, int y, int width,
			const struct live_process *p, const char *title, const char *text)
{
	bool dim = p && strcmp(text, "-") == 0;
	screen_put_right(c->screen, x, y, width,
			 !p    ? SCREEN_HEADING
			 : dim ? SCREEN_DIM
			       : SCREEN_PLAIN,
			 p ? text : title);
	return x + width + 1;
}

static int process_number(const struct live_canvas *c, int x, int y, int width,
			  const struct live_process *p, const char *title, double value,
			  const char *unit)
{
	char text[LIVE_TEXT_MAX] = "";
	if (p)
		live_brief(c->view, text, value, unit);
	return process_cell(c, x, y, width, p, title, text);
}

static double process_engine(const struct live_process *p, const char *name)
{
	for (uint32_t i = 0; p && i < p->engine_count; i++)
		if (strcmp(p->engines[i].name, name) == 0)
			return p->engines[i].busy.value;
	return NAN;
}

/* The engine that a process uses most. */
static const char *process_busiest(const struct live_process *p)
{
	const char *name = "-";
	double most = 0;
	for (uint32_t i = 0; p && i < p->engine_count; i++)
		if (p->engines[i].busy.value > most) {
			most = p->engines[i].busy.value;
			name = p->engines[i].name;
		}
	return name;
}

static void process_command(const struct live_canvas *c, struct screen_area area, int x,
			    const struct process_row *row)
{
	char text[160] = "";
	int width = area.x + area.width - x;
	if (!row) {
		screen_put(c->screen, x, area.y, width, SCREEN_HEADING, "Command");
		return;
	}
	for (int i = 1; i < row->depth; i++)
		text_append(text, sizeof(text), "  ");
	if (row->depth)
		text_append(text, sizeof(text), c->screen->ascii ? "`-" : "└─");
	text_append(text, sizeof(text), "%s", row->process->name ? row->process->name : "-");
	screen_put(c->screen, x, area.y, width, SCREEN_PLAIN, text);
}

/* A line of the table; without a row its heading. */
static void process_line(const struct live_canvas *c, struct screen_area line,
			 const struct process_rows *r, const struct process_row *row)
{
	const struct live_process *p = row ? row->process : NULL;
	char pid[16] = "-", device[16] = "";
	int x = line.x, y = line.y, w = line.width;
	if (p && p->pid)
		snprintf(pid, sizeof(pid), "%u", p->pid);
	if (p)
		snprintf(device, sizeof(device), "%u", p->device);
	x = process_cell(c, x, y, 7, p, "PID", pid);
	if (r->users && w >= 72) {
		screen_put(c->screen, x, y, 8, p ? SCREEN_PLAIN : SCREEN_HEADING,
			   p ? p->user ? p->user : "-" : "User");
		x += 9;
	}
	if (r->many && w >= 50)
		x = process_cell(c, x, y, 3, p, "Dev", device);
	x = process_number(c, x, y, 7, p, "GPU", p ? p->busy : NAN, "percent");
	if (w >= 40)
		x = process_number(c, x, y, 8, p, "Memory", p ? p->memory : NAN, "bytes");
	if (r->cpu && w >= 60)
		x = process_number(c, x, y, 7, p, "CPU", p ? p->cpu : NAN, "percent");
	if (r->frames && w >= 80)
		x = process_number(c, x, y, 8, p, "Frames", p ? p->frame_rate : NAN, "frames/s");
	if (r->engine_count && w >= 66 && w < ENGINES_FROM)
		x = process_cell(c, x, y, 8, p, "Engine", process_busiest(p));
	for (int i = 0; w >= ENGINES_FROM && i < r->engine_count; i++)
		if (line.x + w - x >= COMMAND_LEAST + 9)
			x = process_number(c, x, y, 8, p, r->engines[i],
					   process_engine(p, r->engines[i]), "percent");
	process_command(c, line, x, row);
}

static void processes_draw(const struct live_canvas *c, struct screen_area area,
			   const struct process_rows *r)
{
	struct live_view *view = c->view;
	struct live_list *list = &view->lists[LIVE_PANE_PROCESSES];
	bool focus = view->pane == LIVE_PANE_PROCESSES;
	const char *filter = view->filters[LIVE_PANE_PROCESSES];
	char title[4 * LIVE_TEXT_MAX];
	snprintf(title, sizeof(title), "%u process%s%s%s, by %s%s%s", r->count,
		 r->count == 1 ? "" : "es", *filter ? " with " : "", filter,
		 live_sort_name(view->sort), view->reversed ? ", reversed" : "",
		 view->tree ? ", as a tree" : "");
	screen_rule(c->screen, area.x, area.y, area.width, title, focus);
	struct screen_area line = {area.x, area.y + 1, area.width, 1};
	process_line(c, line, r, NULL);
	process_seek(view, list, r);
	live_list_fit(list, r->count, area.height - 2);
	for (uint32_t i = 0; i < list->page && list->first + i < r->count; i++) {
		line.y++;
		process_line(c, line, r, &r->rows[list->first + i]);
		if (focus && list->first + i == list->selected)
			screen_restyle(c->screen, line, SCREEN_SELECTED);
	}
	const struct live_process *p = r->count ? r->rows[list->selected].process : NULL;
	view->pid = p ? p->pid : 0;
	view->process_device = p ? p->device : 0;
	snprintf(view->process, sizeof(view->process), "%s", p && p->name ? p->name : "");
}

enum sx_status live_processes_draw(const struct live_canvas *c, struct screen_area area,
				   struct sx_error *err)
{
	struct process_rows r;
	if (area.height < 3)
		return SX_OK;
	enum sx_status status = processes_find(c, &r, err);
	if (!status)
		processes_draw(c, area, &r);
	free(r.rows);
	return status;
}
