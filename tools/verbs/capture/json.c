/* Contents of a capture as JSON: see capture.h. */
#include "tools/cli/request.h"
#include "input/input.h"
#include "tools/verbs/capture/capture.h"

static void device_json(struct json *json, const struct contents *c, uint32_t number)
{
	const struct sx_capture_device *d = sx_capture_device(c->reader, number);
	json_object_begin(json);
	json_kv_u64(json, "id", input_number(c->reader, number));
	json_kv_string(json, "catalog", d->catalog);
	json_kv_string(json, "name", d->facts.name);
	json_kv_string(json, "source", d->facts.source);
	json_kv_string(json, "driver", *d->facts.driver ? d->facts.driver : NULL);
	json_kv_bool(json, "simulated", d->facts.simulated);
	json_kv_string(json, "kind", sx_sample_kind_name(d->kind));
	json_kv_u64(json, "rows", c->rows[number]);
	json_kv_string(json, "clock", d->facts.clock);
	json_kv_u64(json, "clock_error_ns", d->clock_error_ns);
	capture_clocks_json(json, &c->clocks, number);
	json_kv_u64(json, "interval_ns", d->interval_ns);
	json_kv_object_flat(json, "properties");
	for (uint32_t i = 0; i < d->property_count; i++)
		json_kv_string(json, d->properties[i].name, d->properties[i].value);
	json_object_end(json);
	json_kv_object_flat(json, "constants");
	for (uint32_t i = 0; i < d->facts.constant_count; i++)
		json_kv_f64(json, d->facts.constants[i].name, d->facts.constants[i].value);
	json_object_end(json);
	json_kv_array(json, "columns");
	for (uint32_t i = 0; i < d->column_count; i++) {
		json_object_begin_flat(json);
		json_kv_string(json, "name", d->columns[i].name);
		json_kv_string(json, "unit", d->columns[i].unit);
		json_kv_string(json, "type", d->columns[i].type == SX_U64 ? "u64" : "f64");
		json_kv_string(json, "why", d->columns[i].why);
		json_object_end(json);
	}
	json_array_end(json);
	json_object_end(json);
}

/* Unknown times and counts have the same number. */
static void json_time(struct json *json, uint64_t value)
{
	if (value == SX_TIME_UNKNOWN)
		json_null(json);
	else
		json_u64(json, value);
}

static void json_device(struct json *json, const struct contents *c, uint32_t device)
{
	json_key(json, "device");
	if (device == SX_CAPTURE_NO_DEVICE)
		json_null(json);
	else
		json_u64(json, input_number(c->reader, device));
}

static void notes_json(struct json *json, const struct contents *c)
{
	json_kv_array(json, "notes");
	for (uint64_t i = 0; i < c->notes && i < CONTENTS_SHOWN; i++) {
		json_object_begin_flat(json);
		json_device(json, c, c->first_notes[i].device);
		json_kv_string(json, "text", c->first_notes[i].text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void losses_json(struct json *json, const struct contents *c)
{
	json_kv_array(json, "losses");
	for (uint64_t i = 0; i < c->losses && i < CONTENTS_SHOWN; i++) {
		const struct shown *l = &c->first_losses[i];
		json_object_begin_flat(json);
		json_device(json, c, l->device);
		json_key(json, "begin_ns");
		json_time(json, l->begin_ns);
		json_key(json, "end_ns");
		json_time(json, l->end_ns);
		json_key(json, "samples");
		json_time(json, l->lost);
		json_kv_string(json, "why", l->text);
		json_object_end(json);
	}
	json_array_end(json);
}

static void account_json(struct json *json, const struct contents *c)
{
	json_kv_u64(json, "loss_records", c->losses);
	losses_json(json, c);
	json_kv_object_flat(json, "damage");
	json_kv_u64(json, "records", c->account->damaged_records);
	json_kv_u64(json, "missing_records", c->account->missing_records);
	json_kv_u64(json, "bytes", c->account->damaged_bytes);
	json_kv_u64(json, "cut_bytes", c->account->cut_bytes);
	json_kv_string(json, "first", c->account->what[0] ? c->account->what : NULL);
	json_object_end(json);
}

void contents_json(const struct cli *cli, const struct contents *c)
{
	char version[16], shown[IMPORTED_TEXT_MAX];
	struct json json = view_json_begin(&cli->view, "capture");
	snprintf(version, sizeof(version), "%u.%u", c->info->major, c->info->minor);
	json_kv_string(&json, "file", imported_text(cli, c->path, shown));
	json_kv_string(&json, "version", version);
	json_kv_u64(&json, "bytes", c->info->size_bytes);
	json_kv_bool(&json, "clean", c->info->clean);
	json_kv_u64(&json, "created_ns", c->info->created_ns);
	json_kv_u64(&json, "duration_ns", contents_duration_ns(c->info));
	json_kv_u64(&json, "chunks", c->info->chunks);
	json_kv_u64(&json, "rows", c->rows_read);
	json_kv_u64(&json, "lost_rows", c->account->lost_rows);
	json_kv_u64(&json, "gaps", c->gaps);
	json_kv_object_flat(&json, "properties");
	for (uint32_t i = 0; i < c->info->property_count; i++)
		json_kv_string(&json, c->info->properties[i].name, c->info->properties[i].value);
	json_object_end(&json);
	json_kv_array(&json, "devices");
	for (uint32_t i = 0; i < c->info->device_count; i++)
		if (sx_capture_device(c->reader, i))
			device_json(&json, c, i);
	json_array_end(&json);
	json_kv_u64(&json, "note_records", c->notes);
	notes_json(&json, c);
	capture_clocks_json(&json, &c->clocks, SX_CAPTURE_NO_DEVICE);
	account_json(&json, c);
	view_json_end(&json);
}
