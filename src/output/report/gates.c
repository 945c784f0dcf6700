/* Gates as lines of text and as JSON. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output/report/report.h"
#include "analysis/budget.h"

static void number(const struct view *view, char buf[HUMAN_MAX], double value, const char *unit)
{
	human_value(&view->human, buf, value, unit);
}

void budget_text(const struct view *view, const struct report_device *d)
{
	const struct budget *b = &d->budget;
	char a[HUMAN_MAX], c[HUMAN_MAX], line[256];
	FILE *out = view->out.out;
	if (!d->has_budget)
		return;
	snprintf(line, sizeof(line), "budget of %gx%g at %g frames/s", d->goal.width,
		 d->goal.height, d->goal.fps);
	text_heading(&view->out, line);
	if (isnan(b->spent)) {
		fputs("  no sample counted cycles\n", out);
		return;
	}
	number(view, a, b->clock_hz, "Hz");
	fprintf(out, "  core cycles for a pixel  %.3g: %g core%s at %s%s\n", b->available, b->cores,
		b->cores == 1 ? "" : "s", a,
		b->clock_known ? "" : ", the most that was seen (--const gpu_max_clock_hz)");
	fprintf(out, "  usable (85 %%)            %.3g\n", b->usable);
	fprintf(out, "  spent                    %.3g: %.3g %% of what is usable%s\n", b->spent,
		b->spent / b->usable * 100, b->spent > b->usable ? ", more than there is" : "");
	if (isnan(b->low_mw))
		return;
	number(view, a, b->bytes_per_second, "bytes/s");
	number(view, c, b->bytes_per_second / d->goal.fps, "bytes");
	fprintf(out, "  external memory          %s, %s a frame\n", a, c);
	fprintf(out, "  its power, if all DRAM   %.3g to %.3g mW\n", b->low_mw, b->high_mw);
}

void budget_json(struct json *json, const struct report_device *d)
{
	const struct budget *b = &d->budget;
	if (!d->has_budget)
		return;
	json_object_begin_flat(json);
	json_kv_u64(json, "device", d->facts.number);
	json_kv_f64(json, "width", d->goal.width);
	json_kv_f64(json, "height", d->goal.height);
	json_kv_f64(json, "fps", d->goal.fps);
	json_kv_f64(json, "clock_hz", b->clock_hz);
	json_kv_f64(json, "cores", b->cores);
	json_kv_f64(json, "available_cycles_per_pixel", b->available);
	json_kv_f64(json, "usable_cycles_per_pixel", b->usable);
	json_kv_f64(json, "spent_cycles_per_pixel", b->spent);
	json_kv_f64(json, "bytes_per_second", b->bytes_per_second);
	json_kv_f64(json, "dram_low_mw", b->low_mw);
	json_kv_f64(json, "dram_high_mw", b->high_mw);
	json_object_end(json);
}

const char *gates_state(const struct report_gate *gate)
{
	return gate->why ? "not judged" : gate->passed ? "passed" : "FAILED";
}

void gates_number(const struct view *view, char buf[HUMAN_MAX], const struct report_gate *gate,
		  double value)
{
	if (strcmp(gate->unit, "ratio") == 0)
		human_value(&view->human, buf, value * 100, "percent");
	else
		human_cell(&view->human, buf, value, gate->unit);
}

/*
 * A limit that was written without a unit, with the unit in which it was read; "" where it has
 * none.
 */
static void bare_limit(const struct view *view, const struct report_gate *g, char out[64])
{
	char limit[HUMAN_MAX];
	const char *number = strrchr(g->text, '=');
	number = number ? number : strpbrk(g->text, "<>");
	out[0] = '\0';
	if (g->why || !number || !isdigit((unsigned char)g->text[strlen(g->text) - 1]))
		return;
	gates_number(view, limit, g, g->limit);
	number += 1 + strspn(number + 1, " ");
	if (strcmp(number, limit) != 0)
		snprintf(out, 64, ", limit %s", limit);
}

void gates_finding(const struct view *view, const struct report_gate *gate, char *buf, size_t size)
{
	char value[HUMAN_MAX], limit[64];
	gates_number(view, value, gate, gate->value);
	bare_limit(view, gate, limit);
	snprintf(buf, size, "%s%s", gate->why ? gate->why : value, limit);
}

void gates_text(const struct view *view, const struct report_gate *gates, size_t count)
{
	if (count)
		text_heading(&view->out, "gates");
	for (size_t i = 0; i < count; i++) {
		const struct report_gate *g = &gates[i];
		char found[256], line[512];
		enum text_style style = g->why ? TEXT_YELLOW : g->passed ? TEXT_GREEN : TEXT_RED;
		gates_finding(view, g, found, sizeof(found));
		fputs("  ", view->out.out);
		text_styled(&view->out, style, gates_state(g));
		size_t used = 2 + strlen(gates_state(g));
		int room = view->out.width;
		snprintf(line, sizeof(line), "  %s: %s", g->text, found);
		if (room <= 0 || used + text_width(line) <= (size_t)room) {
			fprintf(view->out.out, "%s\n", line);
			continue;
		}
		fprintf(view->out.out, "  %s:\n", g->text);
		text_wrap(&view->out, 4, found);
	}
}

void gates_json(struct json *json, const struct report_gate *gates, size_t count)
{
	json_kv_array(json, "gates");
	for (size_t i = 0; i < count; i++) {
		const struct report_gate *g = &gates[i];
		json_object_begin_flat(json);
		json_kv_string(json, "gate", g->text);
		json_kv_f64(json, "value", g->value);
		json_kv_f64(json, "limit", g->limit);
		json_kv_string(json, "unit", g->unit);
		if (g->why)
			json_kv_null(json, "passed");
		else
			json_kv_bool(json, "passed", g->passed);
		json_kv_string(json, "why", g->why);
		json_object_end(json);
	}
	json_array_end(json);
}
