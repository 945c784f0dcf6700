/* A report as one JSON document. */
#include "output/report/report.h"

static void metrics_json(struct json *json, const struct view *view, const struct report *r)
{
	json_kv_array(json, "metrics");
	for (uint32_t d = 0; d < r->device_count; d++)
		for (uint32_t i = 0; i < r->devices[d].row_count; i++) {
			json_object_begin_flat(json);
			machine_row_json(json, view, r->schema, &r->devices[d].rows[i],
					 r->devices[d].facts.number);
			json_object_end(json);
		}
	json_array_end(json);
}

static enum sx_status report_write_json(const struct view *view, const struct report *r,
					struct sx_error *err)
{
	struct json json = view_json_begin(view, r->schema);
	bool budgets = false;
	machine_head_json(&json, r);
	verdict_json(&json, r->verdict);
	metrics_json(&json, view, r);
	json_kv_array(&json, "findings");
	for (uint32_t d = 0; d < r->device_count; d++) {
		if (r->devices[d].advice)
			findings_json(view, &json, r->devices[d].advice,
				      r->devices[d].facts.number);
		budgets |= r->devices[d].has_budget;
	}
	json_array_end(&json);
	if (budgets) {
		json_kv_array(&json, "budgets");
		for (uint32_t d = 0; d < r->device_count; d++)
			budget_json(&json, &r->devices[d]);
		json_array_end(&json);
	}
	if (r->gate_count)
		gates_json(&json, r->gates, r->gate_count);
	view_json_end(&json);
	return SX_OK;
}

const struct report_view view_json = {.write = report_write_json};
