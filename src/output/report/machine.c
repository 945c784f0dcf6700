/* A report's numbers for machines: base units, one shape for every format. */
#include "output/report/report.h"

#include <string.h>

#include "base/device_texts.h"

bool machine_simulated(const struct report *report)
{
	bool any = false;
	for (uint32_t i = 0; i < report->device_count; i++)
		any |= report->devices[i].facts.simulated;
	return any;
}

void machine_row(const struct view *view, const struct report_row *row, struct machine_row *out)
{
	double factor;
	const struct sx_stats *s = &row->stats;
	out->unit = units_base(&view->human.units, row->unit, out->unit_text, &factor);
	struct units_step step = units_step(factor);
	/* The largest u64 is 2^64 as a double, and has digits. */
	bool fits = s->total >= 0 && (s->total < 0x1p64 || s->total_u64);
	out->total_u64 = s->total_u64;
	bool whole = row->type == SX_U64 && factor == 1;
	out->exact = whole && fits;
	out->min_u64 = whole ? s->min_u64 : 0;
	out->max_u64 = whole ? s->max_u64 : 0;
	out->total = units_apply(step, s->total);
	out->total_error = units_apply(step, s->total_error);
	out->mean = units_apply(step, s->mean);
	out->min = units_apply(step, s->min);
	out->p50 = units_apply(step, s->p50);
	out->p95 = units_apply(step, s->p95);
	out->p99 = units_apply(step, s->p99);
	out->max = units_apply(step, s->max);
	out->peak = units_apply(step, row->peak);
}

static void frames_json(struct json *json, const struct report_frames *f)
{
	if (!f->count)
		return;
	json_kv_object_flat(json, "frames");
	json_kv_u64(json, "count", f->count);
	json_kv_f64(json, "fps", f->fps);
	json_kv_f64(json, "fps_each", f->each);
	json_kv_f64(json, "low_1_percent", f->low_1);
	json_kv_f64(json, "low_0_1_percent", f->low_01);
	json_kv_f64(json, "median_s", f->median_s);
	json_kv_u64(json, "stutters", f->stutters);
	json_object_end(json);
}

/* Of whole frames over the time that they took; none of programs without, and of parts of frames.
 */
static void rate_json(struct json *json, enum sx_sample_kind kind, uint64_t frames,
		      uint64_t frames_ns)
{
	json_key(json, "fps");
	if (kind == SX_SAMPLE_FRAME && frames && frames_ns)
		json_f64(json, (double)frames * 1e9 / (double)frames_ns);
	else
		json_null(json);
}

/* Times that are not known are no 0. */
static void duration_json(struct json *json, uint64_t duration_ns)
{
	json_key(json, "duration_ns");
	if (duration_ns)
		json_u64(json, duration_ns);
	else
		json_null(json);
}

static void contexts_json(struct json *json, enum sx_sample_kind kind,
			  const struct report_process *p)
{
	json_kv_array(json, "each_context");
	for (uint32_t i = 0; i < p->each_count; i++) {
		json_object_begin_flat(json);
		json_kv_u64(json, "context", p->each[i].number);
		json_kv_u64(json, "samples", p->each[i].samples);
		duration_json(json, p->each[i].duration_ns);
		rate_json(json, kind, p->each[i].frames, p->each[i].frames_ns);
		json_object_end(json);
	}
	json_array_end(json);
}

static void processes_json(struct json *json, const struct report_device *d)
{
	if (!d->process_count)
		return;
	json_kv_array(json, "processes");
	for (uint32_t i = 0; i < d->process_count; i++) {
		json_object_begin_flat(json);
		json_kv_u64(json, "pid", d->processes[i].pid);
		json_kv_string(json, "name", d->processes[i].name);
		json_kv_u64(json, "contexts", d->processes[i].contexts);
		json_kv_u64(json, "samples", d->processes[i].samples);
		duration_json(json, d->processes[i].duration_ns);
		rate_json(json, d->kind, d->processes[i].frames, d->processes[i].frames_ns);
		contexts_json(json, d->kind, &d->processes[i]);
		json_object_end(json);
	}
	json_array_end(json);
}

/* From when on there are no samples, and why. */
static void failure_json(struct json *json, const struct report_device *d)
{
	json_key(json, "failure");
	if (!d->run.failure) {
		json_null(json);
		return;
	}
	json_object_begin_flat(json);
	json_kv_string(json, "message", d->run.failure->message);
	json_kv_string(json, "because", d->run.failure->because);
	json_kv_u64(json, "after_ns", d->run.failed_after_ns);
	json_object_end(json);
}

static void device_json(struct json *json, const struct report *r, const struct report_device *d)
{
	json_object_begin(json);
	json_kv_u64(json, "id", d->facts.number);
	json_kv_string(json, "catalog", sx_catalog_info(d->catalog)->name);
	json_kv_string(json, "name", d->facts.name);
	json_kv_string(json, "source", d->facts.source);
	json_kv_string(json, "driver", d->facts.driver);
	json_kv_bool(json, "simulated", d->facts.simulated);
	json_kv_string(json, "kind", sx_sample_kind_name(d->kind));
	json_kv_u64(json, "samples", d->samples);
	json_kv_u64(json, "lost", d->run.lost);
	duration_json(json, d->duration_ns);
	frames_json(json, &d->frames);
	processes_json(json, d);
	json_kv_bool(json, "lost_more", d->run.lost_more);
	if (d->run.left_out)
		json_kv_u64(json, "left_out", d->run.left_out);
	failure_json(json, d);
	if (d->joined && d->joined_to != SX_NONE)
		json_kv_u64(json, "joined_to", r->devices[d->joined_to].facts.number);
	else if (d->joined)
		json_kv_null(json, "joined_to");
#define KEPT(text) json_kv_string(json, #text, d->facts.text);
	DEVICE_TEXTS_KEPT(KEPT)
#undef KEPT
	json_kv_array(json, "notes");
	for (uint32_t i = 0; i < d->run.notes.count; i++)
		json_string(json, d->run.notes.items[i]);
	json_array_end(json);
	json_kv_string(json, "why", d->run.silence ? d->run.silence->message : NULL);
	json_object_end(json);
}

static void cost_json(struct json *json, const struct report_device *d)
{
	/*
	 * Samples of time cost a program nothing that it reports, unless samples of it were spared.
	 */
	if (d->kind != SX_SAMPLE_FRAME && d->cost.measured == d->cost.all)
		return;
	json_kv_object_flat(json, "cost");
	json_kv_f64(json, "share", d->cost.share);
	json_kv_u64(json, "measured_samples", d->cost.measured);
	json_kv_u64(json, "all_samples", d->cost.all);
	json_kv_u64(json, "guessed_samples", d->guessed);
	json_kv_f64(json, "slowdown_of_measured", d->cost.slowdown);
	json_object_end(json);
}

/* Programs find a device by its id, and where no id is left out by its place, too. */
static const struct report_device *next_by_number(const struct report *r,
						  const struct report_device *last)
{
	const struct report_device *next = NULL;
	for (uint32_t i = 0; i < r->device_count; i++) {
		const struct report_device *d = &r->devices[i];
		if ((!last || d->facts.number > last->facts.number) &&
		    (!next || d->facts.number < next->facts.number))
			next = d;
	}
	return next;
}

static const struct report_device *first_with_samples(const struct report *r)
{
	for (uint32_t i = 0; i < r->device_count; i++)
		if (r->devices[i].samples)
			return &r->devices[i];
	return r->device_count ? &r->devices[0] : NULL;
}

void machine_head_json(struct json *json, const struct report *r)
{
	const struct report_device *first = first_with_samples(r);
	if (r->file)
		json_kv_string(json, "file", r->file);
	if (machine_simulated(r))
		json_kv_bool(json, "simulated", true);
	json_kv_array(json, "devices");
	for (const struct report_device *d = next_by_number(r, NULL); d; d = next_by_number(r, d))
		device_json(json, r, d);
	json_array_end(json);
	json_kv_object_flat(json, "samples");
	json_kv_string(json, "kind", sx_sample_kind_name(first ? first->kind : SX_SAMPLE_TIME));
	json_kv_u64(json, "count", first ? first->samples : 0);
	json_object_end(json);
	duration_json(json, r->duration_ns);
	json_key(json, "exit");
	if (r->ran)
		json_i64(json, r->exit_code);
	else
		json_null(json);
	json_key(json, "signal");
	if (r->ran && r->term_signal)
		json_i64(json, r->term_signal);
	else
		json_null(json);
	json_kv_string(json, "ended_by", r->ended_by);
	if (first)
		cost_json(json, first);
}

static void total_json(struct json *json, const struct machine_row *m)
{
	json_key(json, "total");
	if (m->exact)
		json_u64(json, m->total_u64);
	else
		json_f64(json, m->total);
	json_kv_f64(json, "total_error", m->total_error);
}

/* A number of which `digits` has those that a double lacks, or 0. */
static void whole_json(struct json *json, const char *key, double value, uint64_t digits)
{
	json_key(json, key);
	if (digits)
		json_u64(json, digits);
	else
		json_f64(json, value);
}

void machine_row_json(struct json *json, const struct view *view, const char *schema,
		      const struct report_row *row, uint32_t device)
{
	static const char *const directions[] = {NULL, "lower", "higher"};
	struct machine_row m;
	machine_row(view, row, &m);
	json_kv_string(json, "name", row->name);
	json_kv_u64(json, "device", device);
	json_kv_string(json, "unit", m.unit);
	total_json(json, &m);
	json_kv_f64(json, "mean", m.mean);
	whole_json(json, "min", m.min, m.min_u64);
	json_kv_f64(json, "p50", m.p50);
	json_kv_f64(json, "p95", m.p95);
	json_kv_f64(json, "p99", m.p99);
	whole_json(json, "max", m.max, m.max_u64);
	json_kv_f64(json, "running", row->running);
	json_kv_string(json, "why", row->stats.why);
	json_kv_u64(json, "count", row->stats.count);
	json_kv_u64(json, "lost", row->stats.lost);
	if (strcmp(schema, "stat") == 0)
		return;
	json_kv_string(json, "better", directions[row->direction]);
	json_kv_f64(json, "peak", m.peak);
}
