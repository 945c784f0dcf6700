/* The plan as JSON: see plan.h. */
#include "tools/verbs/plan/plan.h"

static void write_passes(const struct planning *p, struct json *json)
{
	uint32_t count;
	const struct sx_plan_pass *passes = sx_plan_passes(p->plan, &count);
	json_kv_array(json, "passes");
	for (uint32_t i = 0; i < count; i++) {
		json_object_begin(json);
		json_kv_array_flat(json, "counters");
		for (uint32_t k = 0; k < passes[i].count; k++)
			json_string(json, p->counters[passes[i].counters[k]].name);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

static void write_metrics(const struct planning *p, struct json *json)
{
	json_kv_object(json, "metrics");
	for (uint32_t i = 0; i < p->column_count; i++) {
		uint32_t count;
		const uint32_t *used = sx_plan_item_passes(p->plan, i, &count);
		if (p->why[i] || plan_is_drivers(p, i))
			continue;
		json_kv_array_flat(json, p->columns[i].name);
		for (uint32_t k = 0; k < count; k++)
			json_u64(json, used[k]);
		json_array_end(json);
	}
	json_object_end(json);
	json_kv_object(json, "unavailable");
	for (uint32_t i = 0; i < p->column_count; i++)
		if (p->why[i] && !p->hidden[i])
			json_kv_string(json, p->columns[i].name, p->why[i]);
	json_object_end(json);
}

static void write_driver_json(const struct planning *p, struct json *json)
{
	if (!p->driver.count)
		return;
	json_kv_array(json, "driver_passes");
	for (uint32_t pass = 0; pass < p->driver.count; pass++) {
		json_object_begin(json);
		json_kv_array_flat(json, "counters");
		for (uint32_t i = 0; i < p->driver.name_count; i++)
			if (p->driver.of[i] == pass)
				json_string(json, p->driver.names[i]);
		json_array_end(json);
		json_object_end(json);
	}
	json_array_end(json);
}

void plan_write_json(const struct planning *p)
{
	struct json json = view_json_begin(&p->cli->view, "plan");
	json_kv_string(&json, "for", sx_catalog_info(p->catalog)->name);
	if (p->cli->options.api)
		json_kv_string(&json, "api", p->cli->options.api);
	write_passes(p, &json);
	write_metrics(p, &json);
	write_driver_json(p, &json);
	view_json_end(&json);
}
