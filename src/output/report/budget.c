/* The budget of a picture: the cycles that were spent, held against the goal. */
#include <math.h>
#include <stdio.h>

#include "analysis/budget.h"
#include "output/report/budget.h"

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
