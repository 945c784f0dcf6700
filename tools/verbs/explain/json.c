/* What a name means, as JSON: see explain.h. */
#include "tools/verbs/explain/explain.h"

#include "output/catalog/catalog.h"

static void advice_json(struct json *json, const struct explanation *e, const char *name)
{
	json_kv_array(json, "advice");
	for (uint32_t i = 0; i < e->view.advice_count; i++) {
		const struct sx_advice_info *a = &e->view.advice[i];
		if (!explain_advice_reads(e, a, name))
			continue;
		json_object_begin_flat(json);
		json_kv_string(json, "rule", a->rule);
		json_kv_string(json, "severity", describe_severity(a->severity));
		json_kv_string(json, "when", a->when);
		json_kv_string(json, "needs", a->needs);
		json_kv_string(json, "advice", a->advice);
		json_object_end(json);
	}
	json_array_end(json);
}

enum sx_status explain_json(const struct explanation *e, uint32_t metric, uint32_t counter,
			    const struct formula *f, struct sx_error *err)
{
	bool verdict, is_metric = metric != SX_NONE;
	const char *name =
	    is_metric ? e->view.metrics[metric].qualified : e->view.counters[counter].name;
	struct json json = view_json_begin(&e->cli->view, "explain");
	json_kv_string(&json, "for", e->view.info->name);
	json_key(&json, is_metric ? "metric" : "counter");
	if (is_metric)
		describe_metric_json(&json, &e->view, metric, e->variant);
	else
		describe_counter_json(&json, &e->view, counter);
	if (is_metric && e->view.metrics[metric].group != SX_NONE)
		also_json(&json, &e->view, metric, e->variant);
	if (e->totals)
		json_kv_f64(&json, "value", explain_value(e, name));
	formula_json(&json, f);
	advice_json(&json, e, is_metric ? e->view.metrics[metric].name : name);
	enum sx_status status = rule_write_verdict(&e->cli->view, e->cli->options.args.items[0],
						   &(struct rule_behind){&json}, &verdict, err);
	view_json_end(&json);
	return status;
}
