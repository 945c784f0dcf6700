/* The report's budget: --fps and --resolution held against the cycles that were spent. */
#include <math.h>
#include <stdio.h>

#include "tools/report.h"

#define FPS_DEFAULT 60

static enum sx_status parse_goal(const struct cli *cli, struct sx_budget_goal *goal,
				 struct sx_error *err)
{
	const struct options *o = &cli->options;
	unsigned width, height;
	char rest;
	if (!o->resolution) {
		error_set(err, SX_ERR_USAGE, "--fps alone is no budget");
		error_because(err, "it takes the size of the picture too");
		error_try(err, "--fps %g --resolution 1920x1080", o->fps);
		return SX_ERR_USAGE;
	}
	if (sscanf(o->resolution, "%ux%u%c", &width, &height, &rest) != 2 || !width || !height ||
	    width > 65536 || height > 65536) {
		error_set(err, SX_ERR_USAGE, "--resolution cannot be \"%s\"", o->resolution);
		error_because(err, "it is a width and a height in pixels");
		error_try(err, "--resolution 1920x1080");
		return SX_ERR_USAGE;
	}
	*goal = (struct sx_budget_goal){width, height, o->fps > 0 ? o->fps : FPS_DEFAULT};
	return SX_OK;
}

enum sx_status report_budget(const struct cli *cli, struct report_device *d,
			     const struct sx_table *rows, struct sx_error *err)
{
	const struct options *o = &cli->options;
	if (!o->resolution && !(o->fps > 0))
		return SX_OK;
	struct sx_metrics_options options = {.variant = o->api,
					     .constants = d->view->constants,
					     .constant_count = d->view->constant_count};
	enum sx_status status = parse_goal(cli, &d->goal, err);
	if (status == SX_OK)
		status = sx_budget_of(d->view->catalog, &options, rows, &d->goal, &d->budget, err);
	d->has_budget = status == SX_OK;
	if (status != SX_ERR_NOT_FOUND)
		return status;
	cli_note(cli, "note: %s has no budget, for it does not count cycles with work",
		 d->view->info->catalog);
	return SX_OK;
}

static void number(const struct cli *cli, char buf[HUMAN_MAX], double value, const char *unit)
{
	human_value(&cli->view.human, buf, value, unit);
}

void report_budget_text(const struct cli *cli, const struct report_device *d)
{
	const struct sx_budget *b = &d->budget;
	char a[HUMAN_MAX], c[HUMAN_MAX], line[256];
	FILE *out = cli->view.out.out;
	if (!d->has_budget)
		return;
	snprintf(line, sizeof(line), "\nbudget of %gx%g at %g frames/s\n", d->goal.width,
		 d->goal.height, d->goal.fps);
	text_styled(&cli->view.out, TEXT_BOLD, line);
	if (isnan(b->spent)) {
		fputs("  no sample counted cycles\n", out);
		return;
	}
	number(cli, a, b->clock_hz, "Hz");
	fprintf(out, "  core cycles for a pixel  %.3g: %g core%s at %s%s\n", b->available, b->cores,
		b->cores == 1 ? "" : "s", a,
		b->clock_known ? "" : ", the most that was seen (--const gpu_max_clock_hz)");
	fprintf(out, "  usable (85 %%)            %.3g\n", b->usable);
	fprintf(out, "  spent                    %.3g: %.3g %% of what is usable%s\n", b->spent,
		b->spent / b->usable * 100, b->spent > b->usable ? ", more than there is" : "");
	if (isnan(b->low_mw))
		return;
	number(cli, a, b->bytes_per_second, "bytes/s");
	number(cli, c, b->bytes_per_second / d->goal.fps, "bytes");
	fprintf(out, "  external memory          %s, %s a frame\n", a, c);
	fprintf(out, "  its power, if all DRAM   %.3g to %.3g mW\n", b->low_mw, b->high_mw);
}

void report_budget_json(struct json *json, const struct report_device *d, uint32_t device)
{
	const struct sx_budget *b = &d->budget;
	if (!d->has_budget)
		return;
	json_object_begin_flat(json);
	json_kv_u64(json, "device", device);
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
