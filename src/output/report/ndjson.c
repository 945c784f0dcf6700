/* A report as lines of JSON: first what was measured, then an object for each metric. */
#include <stdio.h>

#include "output/report/report.h"

static enum sx_status report_write_ndjson(const struct view *view, const struct report *r,
					  struct sx_error *err)
{
	struct json json = {.out = view->out.out, .compact = true};
	char schema[64];
	snprintf(schema, sizeof(schema), "sextant.%s/1", r->schema);
	json_object_begin(&json);
	json_kv_string(&json, "schema", schema);
	machine_head_json(&json, r);
	json_object_end(&json);
	json_end(&json);
	for (uint32_t d = 0; d < r->device_count; d++)
		for (uint32_t i = 0; i < r->devices[d].row_count; i++) {
			json = (struct json){.out = view->out.out, .compact = true};
			json_object_begin(&json);
			machine_row_json(&json, view, r->schema, &r->devices[d].rows[i],
					 r->devices[d].facts.number);
			json_object_end(&json);
			json_end(&json);
		}
	return SX_OK;
}

const struct report_view view_ndjson = {.write = report_write_ndjson};
