/* What all views share. */
#include "output/view.h"

const char *format_name(enum format format)
{
	static const char *const names[FORMAT_COUNT] = {"text",	       "json",	   "ndjson",
							"csv",	       "html",	   "perfetto",
							"openmetrics", "markdown", "junit"};
	return names[format];
}

struct json view_json_begin(const struct view *view, const char *name)
{
	struct json json = {.out = view->out.out};
	char schema[64];
	snprintf(schema, sizeof(schema), "sextant.%s/1", name);
	json_object_begin(&json);
	json_kv_string(&json, "schema", schema);
	if (view->simulated)
		json_kv_bool(&json, "simulated", true);
	return json;
}

void view_json_end(struct json *json)
{
	json_object_end(json);
	json_end(json);
}
