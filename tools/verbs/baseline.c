/* Writing baselines: what a comparison needs of a set, as JSON that can be committed. */
#include <errno.h>

#include "tools/verbs/diff.h"

static const char *const directions[] = {NULL, "lower", "higher"};

static void numbers(struct json *json, const char *key, const double *values, uint32_t count)
{
	json_kv_array_flat(json, key);
	for (uint32_t i = 0; i < count; i++)
		json_f64(json, values[i]);
	json_array_end(json);
}

static void write_metric(struct json *json, const struct compare_metric *m)
{
	json_object_begin_flat(json);
	json_kv_string(json, "name", m->name);
	json_kv_string(json, "title", m->title);
	json_kv_string(json, "unit", m->unit);
	json_kv_string(json, "neutral", m->neutral);
	json_kv_string(json, "heading", m->heading);
	json_kv_string(json, "direction", directions[m->direction]);
	json_kv_bool(json, "counts", m->counts);
	json_kv_bool(json, "amount", m->amount);
	if (m->scaled)
		json_kv_bool(json, "scaled", true);
	if (m->partial)
		json_kv_bool(json, "partial", true);
	if (m->hidden)
		json_kv_bool(json, "hidden", true);
	json_kv_bool(json, "constant", m->constant);
	json_kv_u64(json, "device", m->device);
	numbers(json, "means", m->means, m->runs);
	numbers(json, "totals", m->totals, m->runs);
	json_kv_array_flat(json, "samples");
	for (uint32_t i = 0; i < m->runs; i++)
		json_u64(json, m->samples[i]);
	json_array_end(json);
	if (m->rate_unit)
		numbers(json, "seconds", m->seconds, m->runs);
	numbers(json, "within", m->within, m->runs);
	numbers(json, "blocks", m->blocks, m->runs);
	json_kv_f64(json, "min", m->stats.min);
	json_kv_f64(json, "p50", m->stats.p50);
	json_kv_f64(json, "p95", m->stats.p95);
	json_kv_f64(json, "p99", m->stats.p99);
	json_kv_f64(json, "max", m->stats.max);
	json_object_end(json);
}

/* Which rules fired, each in how many runs. */
static void write_advice(struct json *json, const struct compare_device *device)
{
	json_kv_bool(json, "advised", true);
	json_kv_array_flat(json, "advice");
	for (size_t i = 0; i < device->advice_count; i++)
		json_string(json, device->advice[i]);
	json_array_end(json);
	json_kv_array_flat(json, "fired");
	for (size_t i = 0; i < device->advice_count; i++)
		json_u64(json, device->fired[i]);
	json_array_end(json);
}

static void baseline_write_devices(struct json *json, const struct compare_set *set)
{
	json_kv_array(json, "devices");
	for (size_t d = 0; d < set->device_count; d++) {
		json_object_begin_flat(json);
		json_kv_string(json, "catalog", set->devices[d].catalog);
		json_kv_string(json, "name", set->devices[d].name);
		json_kv_string(json, "driver", set->devices[d].driver);
		json_kv_bool(json, "simulated", set->devices[d].simulated);
		json_kv_u64(json, "samples", set->devices[d].samples);
		json_kv_u64(json, "lost", set->devices[d].lost);
		write_advice(json, &set->devices[d]);
		json_object_end(json);
	}
	json_array_end(json);
}

enum sx_status baseline_write(const char *path, const struct compare_set *set, struct sx_error *err)
{
	struct result_file file = RESULT_FILE_NONE;
	enum sx_status status = result_file_open(&file, path, err);
	if (status)
		return status;
	struct json json = {.out = file.file};
	json_object_begin(&json);
	json_kv_string(&json, "schema", BASELINE_SCHEMA);
	json_kv_u64(&json, "runs", set->runs);
	json_kv_bool(&json, "ended", set->ended);
	json_kv_string(&json, "about", set->about);
	baseline_write_devices(&json, set);
	json_kv_array(&json, "metrics");
	for (size_t i = 0; i < set->metric_count; i++)
		if (set->metrics[i].runs)
			write_metric(&json, &set->metrics[i]);
	json_array_end(&json);
	json_object_end(&json);
	json_end(&json);
	bool ok = !ferror(file.file) && result_file_keep(&file);
	int saved = errno;
	result_file_drop(&file);
	return ok ? SX_OK : result_file_refused(saved ? saved : EIO, path, err);
}
