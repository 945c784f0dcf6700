/* Gates as lines of text and as JSON. */
#include "output/report/gates.h"

#include <ctype.h>
#include <string.h>

#include "output/report/table.h"

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
		table_number(view, buf, value, gate->unit);
}

/* A limit that was written without a unit, in the one that it was taken for; "" where it has none.
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
