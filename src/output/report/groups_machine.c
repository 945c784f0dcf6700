/* Groups of rows as JSON and CSV. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/number.h"
#include "output/report/report.h"
#include "output/rows/rows.h"
#include "output/write/csv.h"

static void differences_json(struct json *json, const struct groups_out *o, size_t group)
{
	struct report_difference found[REPORT_DIFFERENCES];
	size_t count = report_by_differences(o->g, group, found);
	json_kv_array_flat(json, "different");
	for (size_t i = 0; i < count; i++) {
		json_object_begin_flat(json);
		json_kv_string(json, "metric",
			       sx_table_column(o->g->values, found[i].column)->name);
		json_kv_f64(json, "times_median", found[i].times);
		json_object_end(json);
	}
	json_array_end(json);
}

/* A value in its base unit; `exact` holds it where it needs no factor. */
struct group_value {
	bool whole;
	uint64_t exact;
	double value; /* NAN: no data */
};

static struct group_value value_of(const struct groups_out *o, const struct sx_table *t,
				   uint32_t column, size_t row)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor = 1;
	const char *unit = sx_table_column(t, column)->unit;
	struct sx_vector v = sx_table_vector(t, column);
	struct group_value out = {.value = sx_table_get(t, column, row)};
	units_base(&o->view->human.units, unit ? unit : "", buf, &factor);
	out.whole = v.type == SX_U64 && !isnan(out.value) && factor == 1;
	if (out.whole)
		out.exact = ((const uint64_t *)v.data)[row];
	out.value = units_apply(units_step(factor), out.value);
	return out;
}

static void value_json(struct json *json, struct group_value v)
{
	if (v.whole)
		json_u64(json, v.exact);
	else
		json_f64(json, v.value);
}

/* `known`: else there is no number. */
static void optional_json(struct json *json, const char *key, uint64_t value, bool known)
{
	json_key(json, key);
	if (known)
		json_u64(json, value);
	else
		json_null(json);
}

/* The begin of an interval, in s; else the key as in text. */
static const char *machine_key(const struct groups_out *o, size_t row, char buf[GROUPS_KEY_MAX])
{
	const struct report_group *group = &o->g->list[row];
	_Static_assert(GROUPS_KEY_MAX > NUMBER_F64_MAX, "any number of seconds fits");
	if (o->g->by != REPORT_BY_TIME || group->text || group->key >= REPORT_KEY_OTHERS)
		return groups_key(o, row, buf);
	memset(buf, 0, GROUPS_KEY_MAX);
	number_put_decimal(buf, group->key * o->g->bucket_ns, 9);
	return buf;
}

static void group_json(struct json *json, const struct groups_out *o, const struct sx_table *values,
		       size_t row)
{
	char key[GROUPS_KEY_MAX];
	uint64_t begin = sx_table_begin_ns(o->g->raw)[row], time = o->g->list[row].time_ns;
	json_object_begin_flat(json);
	json_kv_string(json, "key", machine_key(o, row, key));
	if (o->g->contexts) {
		json_kv_string(json, "process", o->g->list[row].process);
		optional_json(json, "context", o->g->list[row].context,
			      o->g->list[row].context != SX_LABEL_ABSENT);
	}
	json_kv_u64(json, "rows", o->g->list[row].rows);
	optional_json(json, "begin_ns", begin, begin != SX_TIME_UNKNOWN);
	optional_json(json, "time_ns", time, time != 0);
	json_kv_object_flat(json, "values");
	for (uint32_t c = 0; c < sx_table_column_count(values); c++) {
		json_key(json, sx_table_column(values, c)->name);
		value_json(json, value_of(o, values, c, row));
	}
	json_object_end(json);
	if (o->g->sort_column != SX_NONE)
		differences_json(json, o, row);
	json_object_end(json);
}

/* What the numbers of each value are in. */
static void units_json(struct json *json, const struct groups_out *o, const struct sx_table *values)
{
	char buf[2 * UNITS_TEXT_MAX];
	double factor;
	json_kv_object_flat(json, "units");
	for (uint32_t c = 0; c < sx_table_column_count(values); c++)
		json_kv_string(json, sx_table_column(values, c)->name,
			       units_base(&o->view->human.units, sx_table_column(values, c)->unit,
					  buf, &factor));
	json_object_end(json);
}

/*
 * Why values are null: of whole columns "why"; of single groups "quality", with rows that are
 * groups counted from 0.
 */
static void reasons_json(struct json *json, const struct sx_table *values)
{
	struct rows_marks marks = {0};
	json_kv_object_flat(json, "why");
	rows_whys_json(values, NULL, json);
	json_object_end(json);
	rows_marks_add(&marks, values, 0);
	rows_marks_add_absent(&marks, values, 0);
	rows_marks_json(&marks, values, json);
}

void groups_json(const struct groups_out *o)
{
	const struct sx_table *values = o->g->values;
	struct json *json = o->within;
	json_object_begin(json);
	json_kv_u64(json, "id", o->number);
	json_kv_bool(json, "simulated", o->device->facts.simulated);
	if (o->report->file)
		json_kv_string(json, "file", o->report->file);
	json_kv_string(json, "for", sx_catalog_info(o->device->catalog)->name);
	json_kv_string(json, "by", groups_by(o));
	json_kv_u64(json, "count", o->g->seen);
	units_json(json, o, values);
	json_kv_array(json, "groups");
	for (size_t r = 0; r < sx_table_row_count(values); r++)
		group_json(json, o, values, r);
	json_array_end(json);
	reasons_json(json, values);
	json_object_end(json);
}

static void csv_value(struct csv *csv, struct group_value v)
{
	if (v.whole)
		csv_u64(csv, v.exact);
	else
		csv_f64(csv, v.value);
}

static void optional_csv(struct csv *csv, uint64_t value, bool known)
{
	if (known)
		csv_u64(csv, value);
	else
		csv_text(csv, NULL);
}

static void head_csv(struct csv *csv, const struct groups_out *o)
{
	csv_text(csv, "device");
	if (o->view->simulated)
		csv_text(csv, "simulated");
	csv_text(csv, o->g->by == REPORT_BY_TIME ? "time (s)" : groups_by(o));
	if (o->shows_process)
		csv_text(csv, "process");
	if (o->shows_context)
		csv_text(csv, "context");
	csv_text(csv, "rows");
	csv_text(csv, "begin_ns");
	csv_text(csv, "time_ns");
	for (uint32_t i = 0; i < o->name_count; i++)
		csv_column(csv, &o->view->human.units, o->names[i].name, o->names[i].unit,
			   CSV_UNITS_OTHER);
	csv_end_line(csv);
}

void groups_csv(const struct groups_out *o)
{
	const struct sx_table *values = o->g->values;
	struct csv csv = {.out = o->view->out.out};
	if (!o->no_head)
		head_csv(&csv, o);
	for (size_t r = 0; r < sx_table_row_count(values); r++) {
		char key[GROUPS_KEY_MAX];
		uint64_t begin = sx_table_begin_ns(o->g->raw)[r];
		csv_u64(&csv, o->number);
		if (o->view->simulated)
			csv_text(&csv, o->device->facts.simulated ? "true" : "false");
		csv_text(&csv, machine_key(o, r, key));
		if (o->shows_process)
			csv_text(&csv, o->g->list[r].process);
		if (o->shows_context)
			optional_csv(&csv, o->g->list[r].context,
				     o->g->list[r].context != SX_LABEL_ABSENT);
		csv_u64(&csv, o->g->list[r].rows);
		optional_csv(&csv, begin, begin != SX_TIME_UNKNOWN);
		optional_csv(&csv, o->g->list[r].time_ns, o->g->list[r].time_ns != 0);
		for (uint32_t i = 0; i < o->name_count; i++) {
			uint32_t at = sx_table_find(values, o->names[i].name);
			if (at == SX_NONE)
				csv_text(&csv, NULL);
			else
				csv_value(&csv, value_of(o, values, at, r));
		}
		csv_end_line(&csv);
	}
}
