/* The verdict: what limits the program, for how long, with which confidence, and why. */
#include "output/report/report.h"
#include "base/text_buf.h"

#include <inttypes.h>

#include "output/catalog/catalog.h"

#define PARTS_SHOWN 4
#define LEADING	    0.5	 /* a part that holds most of the time is the verdict */
#define NO_MATTER   0.02 /* parts that hold less of it are not listed */

void verdict_title(const struct verdict_part *part, char *buf, size_t size)
{
	snprintf(buf, size, "%s%s%s%s", part->title, part->which ? " (" : "",
		 part->which ? part->which : "", part->which ? ")" : "");
}

/* "GPU at work 97.3 %, busiest thread 12.1 %" */
static void evidence_line(const struct view *view, const struct verdict_part *part)
{
	char line[1024] = "", number[HUMAN_MAX];
	for (uint32_t i = 0; i < part->evidence_count; i++) {
		const struct verdict_value *v = &part->evidence[i];
		const char *unit = human_unit(&view->human, v->unit);
		human_value(&view->human, number, v->value, v->unit);
		text_append_item(line, sizeof(line), ", ", "%s %s%s%s", v->title, number,
				 *unit ? " " : "", unit);
	}
	if (line[0])
		text_wrap(&view->out, 4, line);
}

/* What is no plain measurement says so. */
static void reservations(const struct view *view, const struct verdict_part *part)
{
	char line[512];
	for (uint32_t i = 0; i < part->evidence_count; i++) {
		const struct verdict_value *v = &part->evidence[i];
		if (!v->of)
			continue;
		snprintf(line, sizeof(line), "%s: %s", v->title, v->of);
		text_wrap(&view->out, 4, line);
	}
}

static void part_text(const struct view *view, const struct verdict_part *part, bool title_only)
{
	char title[256], share[HUMAN_MAX], line[512];
	verdict_title(part, title, sizeof(title));
	fputs("  ", view->out.out);
	text_styled(&view->out, TEXT_BOLD, title);
	human_value(&view->human, share, part->share * 100, "percent");
	if (part->confidence > 0)
		snprintf(line, sizeof(line), "%s of the time, confidence %s", share,
			 verdict_confidence_name(part->confidence));
	else
		snprintf(line, sizeof(line), "%s of the time", share);
	bool fits = 2 + text_width(title) + 2 + text_width(line) <= (size_t)view->out.width;
	fprintf(view->out.out, fits ? "  %s\n" : "\n", line);
	if (!fits)
		text_wrap(&view->out, 4, line);
	if (title_only)
		return;
	if (part->because) {
		snprintf(line, sizeof(line), "because %s", part->because);
		text_wrap(&view->out, 4, line);
	}
	evidence_line(view, part);
	bool low = part->confidence > 0 && part->confidence < VERDICT_MEDIUM;
	if (view->verbose || low)
		reservations(view, part);
	if (part->advice) {
		snprintf(line, sizeof(line), "%s%s", part->because ? "try: " : "", part->advice);
		text_wrap(&view->out, 4, line);
	}
}

void verdict_heading(const struct verdict *v, char *buf, size_t size)
{
	snprintf(buf, size, "verdict");
	if (v->program)
		snprintf(buf, size, "verdict on %s, the busiest of %u programs", v->program,
			 (unsigned)v->programs);
}

void verdict_text(const struct view *view, const struct verdict *v)
{
	char heading[256];
	if (!v)
		return;
	verdict_heading(v, heading, sizeof(heading));
	text_styled(&view->out, TEXT_BOLD, heading);
	if (v->flickers)
		fputs(": it changes all the time", view->out.out);
	else if (v->parts[0].share < LEADING)
		fputs(": it changes", view->out.out);
	fputc('\n', view->out.out);
	for (uint32_t i = 0; i < v->part_count && i < PARTS_SHOWN; i++)
		if (!i || v->parts[i].share >= NO_MATTER)
			part_text(view, &v->parts[i], view->brief && i);
	fputc('\n', view->out.out);
}

static void evidence_json(struct json *json, const struct verdict_part *part)
{
	json_kv_array(json, "evidence");
	for (uint32_t i = 0; i < part->evidence_count; i++) {
		const struct verdict_value *v = &part->evidence[i];
		json_object_begin_flat(json);
		json_kv_string(json, "name", v->name);
		json_kv_string(json, "title", v->title);
		json_kv_string(json, "unit", v->unit);
		json_kv_f64(json, "value", v->value);
		json_key(json, "device");
		if (v->device == VERDICT_NO_DEVICE)
			json_null(json);
		else
			json_u64(json, v->device);
		json_kv_string(json, "of", v->of);
		json_object_end(json);
	}
	json_array_end(json);
}

static void part_json(struct json *json, const struct verdict_part *part)
{
	json_object_begin(json);
	json_kv_string(json, "verdict", part->name);
	json_kv_string(json, "title", part->title);
	json_kv_string(json, "which", part->which);
	json_kv_f64(json, "share", part->share);
	json_kv_f64(json, "confidence", part->confidence);
	json_kv_u64(json, "time_ns", part->time_ns);
	json_kv_string(json, "because", part->because);
	evidence_json(json, part);
	json_kv_string(json, "advice", part->advice);
	json_object_end(json);
}

static void time_json(struct json *json, const char *key, uint64_t time_ns)
{
	json_key(json, key);
	if (time_ns == SX_TIME_UNKNOWN)
		json_null(json);
	else
		json_u64(json, time_ns);
}

/* The program of the verdict, where there are several programs. */
static void process_json(struct json *json, const struct verdict *v)
{
	json_key(json, "process");
	if (!v->program) {
		json_null(json);
		return;
	}
	json_object_begin_flat(json);
	json_kv_u64(json, "pid", v->pid);
	json_kv_string(json, "name", v->name);
	json_kv_u64(json, "of", v->programs);
	json_object_end(json);
}

void verdict_json(struct json *json, const struct verdict *v)
{
	json_key(json, "verdict");
	if (!v) {
		json_null(json);
		return;
	}
	json_object_begin(json);
	json_kv_string(json, "verdict", v->parts[0].name);
	json_kv_f64(json, "share", v->parts[0].share);
	json_kv_f64(json, "confidence", v->parts[0].confidence);
	json_kv_u64(json, "windows", v->windows);
	json_kv_u64(json, "window_ns", v->window_ns);
	json_kv_bool(json, "flickers", v->flickers);
	process_json(json, v);
	json_kv_array(json, "parts");
	for (uint32_t i = 0; i < v->part_count; i++)
		part_json(json, &v->parts[i]);
	json_array_end(json);
	json_kv_array(json, "stretches");
	for (uint32_t i = 0; i < v->stretch_count; i++) {
		const struct verdict_stretch *s = &v->stretches[i];
		json_object_begin_flat(json);
		json_kv_string(json, "verdict", v->parts[s->part].name);
		time_json(json, "begin_ns", s->begin_ns);
		time_json(json, "end_ns", s->end_ns);
		json_kv_u64(json, "windows", s->windows);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}
