/* The live view as lines that say what they are of, without any place on a screen. */
#include "output/live/parts.h"

#include <math.h>

#include "base/text_buf.h"
#include "output/write/text.h"

/* "memory 1.12 GiB of 8.00 GiB" */
static void plain_gauge(const struct live_view *view, const struct live_gauge_value *g, char *line,
			size_t size)
{
	char now[LIVE_TEXT_MAX], peak[LIVE_TEXT_MAX];
	if (!g->title)
		return;
	live_text(view, now, g->now.value, g->unit);
	text_append_item(line, size, ", ", "%s %s", g->title,
			 isnan(g->now.value) ? "no data" : now);
	if (isnan(g->peak) || isnan(g->now.value) || g->unit[0] == 'p')
		return;
	live_text(view, peak, g->peak, g->unit);
	text_append(line, size, " of %s", peak);
}

static enum sx_status plain_device(const struct live_canvas *c, uint32_t index, FILE *out,
				   struct sx_error *err)
{
	struct live_device device = live_device(c->live, index);
	struct live_headline headline;
	char line[2048] = "", state[2 * SX_ERROR_TEXT_MAX], number[LIVE_TEXT_MAX];
	const struct live_moment at = live_view_moment(c->view, &device);
	enum sx_status status = live_headline(c->live, index, &at, &headline, err);
	if (status)
		return status;
	live_state_text(c->view, &device, state, sizeof(state));
	text_append(line, sizeof(line), "%s", state);
	for (int i = 0; i < LIVE_GAUGES; i++)
		plain_gauge(c->view, &headline.gauges[i], line, sizeof(line));
	for (uint32_t i = 0; i < headline.engine_count; i++) {
		live_text(c->view, number, headline.engines[i].busy.value, "percent");
		text_append_item(line, sizeof(line), ", ", "engine %s %s", headline.engines[i].name,
				 number);
	}
	fprintf(out, "device %u: ", index);
	text_write(out, live_device_name(&device));
	fputs(device.facts->simulated ? ": SIMULATED, not a real device: " : ": ", out);
	text_write(out, line);
	fputc('\n', out);
	return SX_OK;
}

static enum sx_status plain_metrics(const struct live_canvas *c, uint32_t index, FILE *out,
				    struct sx_error *err)
{
	struct live_device device = live_device(c->live, index);
	const struct live_value *values = NULL;
	const struct live_moment at = live_view_moment(c->view, &device);
	char number[LIVE_TEXT_MAX];
	enum sx_status status = live_values(c->live, index, &at, &values, NULL, NULL, err);
	for (uint32_t i = 0; !status && values && i < device.column_count; i++) {
		const struct sx_metric_column *m = &device.columns[i];
		if (!live_view_shows(c->view, c->live, index, i))
			continue;
		live_text(c->view, number, values[i].value, m->unit);
		fprintf(out, "device %u: ", index);
		text_write(out, m->title && *m->title ? m->title : m->name);
		fprintf(out, ": %s", isnan(values[i].value) ? "no data" : number);
		if (isnan(values[i].value) && values[i].why)
			fprintf(out, " (%s)", values[i].why);
		fputc('\n', out);
	}
	return status;
}

static enum sx_status plain_processes(const struct live_canvas *c, FILE *out, struct sx_error *err)
{
	const struct live_process *all;
	uint32_t count;
	char busy[LIVE_TEXT_MAX], memory[LIVE_TEXT_MAX];
	const struct live_moment at = {.end_ns = c->view->paused ? c->view->end_ns : 0};
	enum sx_status status = live_processes(c->live, &at, &all, &count, err);
	for (uint32_t i = 0; !status && i < count; i++) {
		live_text(c->view, busy, all[i].busy, "percent");
		live_text(c->view, memory, all[i].memory, "bytes");
		fprintf(out, "process %u: ", all[i].pid);
		text_write(out, all[i].name ? all[i].name : "unknown");
		fprintf(out, ": device %u, busy %s, memory %s\n", all[i].device,
			isnan(all[i].busy) ? "no data" : busy,
			isnan(all[i].memory) ? "no data" : memory);
	}
	return status;
}

enum sx_status live_view_write(struct live_view *view, struct live *live, FILE *out,
			       struct sx_error *err)
{
	struct live_canvas c = {.view = view, .live = live};
	char title[256], evidence[512];
	enum sx_status status = SX_OK;
	view->newest_ns = live_newest_ns(live);
	live_verdict_text(&c, title, evidence, sizeof(title));
	fputs("verdict: ", out);
	text_write(out, title);
	fputs(evidence[0] ? ": " : "", out);
	text_write(out, evidence);
	fputc('\n', out);
	for (uint32_t i = 0; !status && i < live_device_count(live); i++) {
		status = plain_device(&c, i, out, err);
		if (!status)
			status = plain_metrics(&c, i, out, err);
	}
	return status ? status : plain_processes(&c, out, err);
}
