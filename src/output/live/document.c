/* One line of JSON a moment. */
#include "output/live/document.h"

#include <math.h>

#include "catalog/units.h"
#include "output/live/parts.h"

/* A moment on its way out. */
struct document {
	struct json json;
	struct units units;
	struct live *live;
	const struct live_process *processes;
	uint32_t process_count;
	bool counters;
};

/* A value in base units, as exported rows have it. */
static void put_value(struct document *d, const char *key, const char *unit,
		      const struct live_value *value)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor = 1;
	units_base(&d->units, unit ? unit : "", buf, &factor);
	json_key(&d->json, key);
	if (isnan(value->value))
		json_null(&d->json);
	else if (factor == 1 && value->u64)
		json_u64(&d->json, value->u64);
	else
		json_f64(&d->json, units_apply(units_step(factor), value->value));
}

static void put_number(struct document *d, const char *key, const char *unit, double number)
{
	const struct live_value value = {.value = number};
	if (key && !isnan(number))
		put_value(d, key, unit, &value);
}

static const char *state_name(enum live_state state)
{
	static const char *const names[] = {[LIVE_WAITING] = "waiting",
					    [LIVE_MEASURING] = "measuring",
					    [LIVE_SILENT] = "silent",
					    [LIVE_GONE] = "gone",
					    [LIVE_BACK] = "back"};
	return names[state];
}

static void put_state(struct document *d, const struct live_device *device)
{
	json_kv_string(&d->json, "state", state_name(device->state));
	if (!device->why)
		return;
	json_kv_string(&d->json, "why", device->why->message);
	if (device->why->because[0])
		json_kv_string(&d->json, "because", device->why->because);
	if (device->why->remedy[0])
		json_kv_string(&d->json, "try", device->why->remedy);
}

static enum sx_status put_metrics(struct document *d, uint32_t device, const struct live_moment *at,
				  const struct live_device *info, struct sx_error *err)
{
	const struct live_value *values;
	uint64_t begin = 0, end = 0;
	enum sx_status status = live_values(d->live, device, at, &values, &begin, &end, err);
	if (status)
		return status;
	if (values && end) {
		json_kv_u64(&d->json, "begin_ns", begin);
		json_kv_u64(&d->json, "end_ns", end);
	}
	json_kv_object(&d->json, "metrics");
	for (uint32_t i = 0; values && i < info->column_count; i++)
		if (d->counters || info->columns[i].counter == SX_NONE)
			put_value(d, info->columns[i].name, info->columns[i].unit, &values[i]);
	json_object_end(&d->json);
	return SX_OK;
}

static void put_process(struct document *d, const struct live_process *p,
			const struct live_device *info)
{
	json_object_begin(&d->json);
	json_kv_u64(&d->json, "pid", p->pid);
	json_kv_string(&d->json, "name", p->name);
	if (p->user)
		json_kv_string(&d->json, "user", p->user);
	if (p->parent)
		json_kv_u64(&d->json, "parent", p->parent);
	put_number(d, "cpu", "percent", p->cpu);
	json_kv_object(&d->json, "metrics");
	put_number(d, info->program_busy ? info->program_busy : "gpu.busy", "percent", p->busy);
	put_number(d, info->program_memory, "bytes", p->memory);
	put_number(d, "frame.rate", "frames/s", p->frame_rate);
	for (uint32_t i = 0; i < p->engine_count; i++)
		put_number(d, p->engines[i].metric, "percent", p->engines[i].busy.value);
	json_object_end(&d->json);
	json_object_end(&d->json);
}

static enum sx_status put_device(struct document *d, uint32_t device, const struct live_moment *at,
				 struct sx_error *err)
{
	const struct live_device info = live_device(d->live, device);
	json_object_begin(&d->json);
	json_kv_u64(&d->json, "id", info.facts->number);
	json_kv_string(&d->json, "name", info.facts->name ? info.facts->name : info.facts->source);
	json_kv_string(&d->json, "catalog", sx_catalog_info(info.catalog)->name);
	if (info.facts->simulated)
		json_kv_bool(&d->json, "simulated", true);
	put_state(d, &info);
	enum sx_status status = put_metrics(d, device, at, &info, err);
	json_kv_array(&d->json, "processes");
	for (uint32_t i = 0; i < d->process_count; i++)
		if (d->processes[i].device == device)
			put_process(d, &d->processes[i], &info);
	json_array_end(&d->json);
	json_object_end(&d->json);
	return status;
}

static void put_verdict(struct document *d)
{
	const struct live_verdict v = live_verdict(d->live);
	json_key(&d->json, "verdict");
	if (!v.name) {
		json_null(&d->json);
		return;
	}
	json_object_begin(&d->json);
	json_kv_string(&d->json, "name", v.name);
	json_kv_string(&d->json, "title", v.title);
	if (v.which)
		json_kv_string(&d->json, "which", v.which);
	if (v.program)
		json_kv_string(&d->json, "program", v.program);
	if (v.because)
		json_kv_string(&d->json, "because", v.because);
	json_kv_f64(&d->json, "confidence", v.confidence);
	json_kv_u64(&d->json, "since_ns", v.since_ns);
	if (v.advice)
		json_kv_string(&d->json, "advice", v.advice);
	json_kv_array(&d->json, "evidence");
	for (uint32_t i = 0; i < v.evidence_count; i++) {
		json_object_begin(&d->json);
		json_kv_string(&d->json, "name", v.evidence[i].name);
		put_number(d, "value", v.evidence[i].unit, v.evidence[i].value);
		json_object_end(&d->json);
	}
	json_array_end(&d->json);
	json_object_end(&d->json);
}

enum sx_status live_document_write(const struct view *view, struct live *live,
				   const struct live_moment *at, bool counters,
				   struct sx_error *err)
{
	struct document d = {
	    .json = {.out = view->out.out, .compact = true}, .live = live, .counters = counters};
	units_init(&d.units);
	enum sx_status status = live_processes(live, at, &d.processes, &d.process_count, err);
	json_object_begin(&d.json);
	json_kv_string(&d.json, "schema", "sextant.top/1");
	if (live_any_simulated(live))
		json_kv_bool(&d.json, "simulated", true);
	json_kv_u64(&d.json, "time_ns", at->end_ns ? at->end_ns : live_newest_ns(live));
	json_kv_array(&d.json, "devices");
	for (uint32_t i = 0; !status && i < live_device_count(live); i++)
		status = put_device(&d, i, at, err);
	json_array_end(&d.json);
	put_verdict(&d);
	json_object_end(&d.json);
	json_end(&d.json);
	return status;
}
