/* A comparison as one JSON document. */
#include "output/diff/diff.h"

#include "output/report/report.h"

static const struct compare_device *next_by_number(const struct compare_set *set,
						   const struct compare_device *last)
{
	const struct compare_device *next = NULL;
	for (size_t i = 0; i < set->device_count; i++) {
		const struct compare_device *d = &set->devices[i];
		if ((!last || d->number > last->number) && (!next || d->number < next->number))
			next = d;
	}
	return next;
}

static void json_side(struct json *json, const char *key, const struct compare_set *set)
{
	uint64_t samples = 0;
	json_kv_object(json, key);
	json_kv_array_flat(json, "files");
	for (size_t i = 0; i < set->file_count; i++)
		json_string(json, set->files[i]);
	json_array_end(json);
	for (size_t d = 0; d < set->device_count; d++)
		samples += set->devices[d].samples;
	json_kv_string(json, "catalog", set->device_count ? set->devices[0].catalog : NULL);
	json_kv_u64(json, "samples", samples);
	json_kv_u64(json, "runs", set->runs);
	json_kv_string(json, "about", set->about);
	json_kv_u64(json, "warm_up_ns", set->warm_up_ns);
	json_kv_array(json, "devices");
	for (const struct compare_device *d = next_by_number(set, NULL); d;
	     d = next_by_number(set, d)) {
		json_object_begin_flat(json);
		json_kv_u64(json, "id", d->number);
		json_kv_string(json, "catalog", d->catalog);
		json_kv_string(json, "name", d->name);
		json_kv_string(json, "driver", d->driver);
		json_kv_u64(json, "samples", d->samples);
		json_kv_u64(json, "lost", d->lost);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

static void values(struct json *json, const char *key, const struct compare_metric *m)
{
	json_key(json, key);
	if (!m || !m->runs) {
		json_null(json);
		return;
	}
	json_object_begin_flat(json);
	json_kv_f64(json, "total", m->stats.total);
	json_kv_f64(json, "mean", m->stats.mean);
	if (m->rate_unit)
		json_kv_f64(json, "rate", m->stats.rate);
	json_kv_f64(json, "min", m->stats.min);
	json_kv_f64(json, "p50", m->stats.p50);
	json_kv_f64(json, "p95", m->stats.p95);
	json_kv_f64(json, "p99", m->stats.p99);
	json_kv_f64(json, "max", m->stats.max);
	json_object_end(json);
}

static void row_json(struct json *json, const struct comparison *c, const struct compare_row *row)
{
	const struct compare_metric *m = row->a ? row->a : row->b;
	const struct compare_set *set = row->a ? c->a : c->b;
	json_object_begin_flat(json);
	json_kv_string(json, "name", row->name);
	json_kv_u64(json, "device", set->devices[m->device].number);
	json_kv_string(json, "unit", m->unit);
	values(json, "a", row->a);
	values(json, "b", row->b);
	json_kv_string(json, "compared", row->total ? "total" : row->rate ? "rate" : "mean");
	json_kv_bool(json, "of_rows", (row->a && row->a->of_rows) || (row->b && row->b->of_rows));
	json_kv_f64(json, "change", row->change);
	json_kv_f64(json, "noise", row->noise);
	json_kv_f64(json, "chance", row->chance);
	json_kv_bool(json, "exact", row->exact);
	json_kv_string(json, "verdict", compare_verdict_name(row->verdict));
	json_kv_string(json, "why", row->why);
	json_object_end(json);
}

static enum sx_status diff_write_json(const struct view *view, const struct comparison *c,
				      struct sx_error *err)
{
	struct json json = view_json_begin(view, "diff");
	(void)err;
	if (compare_set_is_simulated(c->a) || compare_set_is_simulated(c->b))
		json_kv_bool(&json, "simulated", true);
	json_kv_bool(&json, "comparable", c->comparable);
	json_kv_string(&json, "why_not", c->why_not);
	json_side(&json, "a", c->a);
	json_side(&json, "b", c->b);
	json_kv_array(&json, "metrics");
	for (size_t i = 0; i < c->row_count; i++)
		if (compare_row_is_known(&c->rows[i]))
			row_json(&json, c, &c->rows[i]);
	json_array_end(&json);
	json_kv_array(&json, "findings");
	for (size_t i = 0; i < c->advice_count; i++) {
		json_object_begin_flat(&json);
		json_kv_string(&json, "title", c->advice[i].title);
		json_kv_bool(&json, "appeared", c->advice[i].appeared);
		json_object_end(&json);
	}
	json_array_end(&json);
	gates_json(&json, c->gates, c->gate_count);
	view_json_end(&json);
	return SX_OK;
}

const struct diff_view diff_json = {.format = FORMAT_JSON, .write = diff_write_json};
