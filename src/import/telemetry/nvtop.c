/*
 * nvtop -s: an array of devices with strings that carry their unit. Seen: 3.2 to 3.3 (3.3.0 forgets
 * commas), several snapshots behind each other.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/units.h"
#include "import/json.h"

static const struct import_word nvtop_words[] = {
    {"gpu_clock", "GpuFrequency", "Hz", 1e6},	  {"mem_clock", "MemoryFrequency", "Hz", 1e6},
    {"temp", "GpuTemperature", "degC", 1},	  {"fan_speed", "FanSpeed", "percent", 1},
    {"power_draw", "GpuPower", "mW", 1e3},	  {"gpu_util", "GpuBusy", "percent", 1},
    {"encode", "EncoderBusy", "percent", 1},	  {"decode", "DecoderBusy", "percent", 1},
    {"encode_decode", "VideoBusy", "percent", 1}, {"mem_util", "MemoryShare", "percent", 1},
    {"mem_total", "MemoryTotal", "bytes", 1},	  {"mem_used", "MemoryUsed", "bytes", 1},
    {"mem_free", "MemoryFree", "bytes", 1},
};

#define NVTOP_WORDS (sizeof(nvtop_words) / sizeof(nvtop_words[0]))

#define DEVICE_VALUES 32

/* One device of one snapshot, until its end is seen. */
struct sample {
	struct import_cell name;
	struct import_cell keys[DEVICE_VALUES], values[DEVICE_VALUES];
	size_t count;
};

struct nvtop_device {
	struct import_cell name;
	uint32_t twin; /* how many of the same name precede it in a snapshot */
	uint32_t seen; /* the last snapshot that it was in */
	struct import_rows *rows;
};

struct nvtop_reader {
	struct import_job *job;
	struct sample sample;
	bool open;
	struct nvtop_device devices[IMPORT_DEVICES_MAX];
	uint32_t device_count, snapshot; /* the snapshot's number, from 1 */
	struct units units;
	struct import_factor factors[NVTOP_WORDS];
	struct import_odd garbage;
};

static bool nvtop_recognise(const struct import_head *head)
{
	return memmem(head->text, head->size, "\"device_name\"", 13) &&
	       memmem(head->text, head->size, "\"gpu_clock\"", 11) &&
	       memmem(head->text, head->size, "\"power_draw\"", 12);
}

static struct nvtop_device *add_device(struct nvtop_reader *r, uint32_t twin)
{
	char number[16] = "";
	if (r->device_count >= IMPORT_DEVICES_MAX)
		return NULL;
	struct nvtop_device *device = &r->devices[r->device_count++];
	*device = (struct nvtop_device){.name = r->sample.name, .twin = twin};
	device->rows = import_rows_create(
	    r->job, &(struct import_rows_options){.catalog = "monitor", .kind = SX_SAMPLE_TIME});
	struct import_cell plain = read_json_unescape(r->job, device->name);
	const char *name = import_text(r->job, plain.text, plain.size);
	if (twin)
		snprintf(number, sizeof(number), " #%u", twin + 1);
	char full[256];
	snprintf(full, sizeof(full), "%.200s%s", name ? name : "", number);
	import_rows_describe(device->rows, &(struct import_rows_options){.name = full});
	return device;
}

/* Cards of one name are identified by their order, which is the same in every snapshot. */
static struct nvtop_device *nvtop_find_device(struct nvtop_reader *r)
{
	uint32_t twin = 0;
	for (uint32_t i = 0; i < r->device_count; i++) {
		struct nvtop_device *device = &r->devices[i];
		if (!import_same(device->name, r->sample.name))
			continue;
		if (device->seen != r->snapshot) {
			device->seen = r->snapshot;
			return device;
		}
		twin++;
	}
	struct nvtop_device *device = add_device(r, twin);
	if (device)
		device->seen = r->snapshot;
	return device;
}

/* "210MHz", "37C", "22W", "5%", "34.59 MiB", or a number in the word's own unit. */
static void set_value(struct nvtop_reader *r, struct import_rows *rows, size_t row, size_t at)
{
	struct import_cell key = r->sample.keys[at], text = r->sample.values[at], unit;
	const struct import_word *word = nvtop_words, *end = word + NVTOP_WORDS;
	double value, factor = 1;
	while (word < end && !import_is(key, word->word))
		word++;
	if (word == end)
		return;
	struct import_field field = {.name = word->column,
				     .unit = word->unit,
				     .over_time = SX_REDUCE_MEAN,
				     .factor = word->factor};
	uint32_t column = import_column(rows, &field);
	bool number = import_amount(text, &value, &unit);
	if (import_is(unit, "F")) /* the option for Fahrenheit */
		value = (value - 32) / 1.8;
	else if (unit.size)
		factor = import_unit_factor(&r->factors[word - nvtop_words], &r->units, unit,
					    word->unit) /
			 word->factor;
	if (number && factor > 0)
		import_set(rows, column, row, value * factor);
	else if (import_is(text, "CPU Fan") || import_is(unit, "RPM"))
		import_remark(r->job, "fan speeds in revolutions were left out: they are no share");
	else if (!import_no_data(text))
		import_odd_add(&r->garbage, row + 1, key, text);
}

static void end_device(struct nvtop_reader *r)
{
	struct nvtop_device *device = nvtop_find_device(r);
	if (!device)
		return;
	size_t row = import_row(device->rows, SX_TIME_UNKNOWN, SX_TIME_UNKNOWN);
	for (size_t i = 0; i < r->sample.count; i++)
		set_value(r, device->rows, row, i);
}

static void nvtop_see(void *user, enum read_json_event event, const struct read_json_place *at,
		      struct import_cell value)
{
	struct nvtop_reader *r = user;
	if (event == READ_JSON_BEGIN && at->depth == 0) {
		r->sample = (struct sample){.name = {"", 0}};
		r->open = true;
	} else if (event == READ_JSON_END && at->depth == 0) {
		end_device(r);
		r->open = false;
	} else if (event == READ_JSON_LAST) {
		r->snapshot += at->depth == 0;
	} else if (at->depth > 1) {
		import_remark(r->job, "what single programs used (processes) was left out");
	} else if (event == READ_JSON_TEXT && read_json_at(at, 1, "device_name", NULL, NULL)) {
		r->sample.name = value;
	} else if ((event == READ_JSON_TEXT || event == READ_JSON_BARE) && at->depth == 1 &&
		   r->sample.count < DEVICE_VALUES) {
		r->sample.keys[r->sample.count] = at->keys[0];
		r->sample.values[r->sample.count++] = value;
	}
}

/* A snapshot ends with its bracket: without it devices may be missing. */
static bool is_closed(const struct import_job *job)
{
	size_t size = job->size;
	while (size && memchr(" \t\r\n", job->text[size - 1], 4))
		size--;
	return size && job->text[size - 1] == ']';
}

static enum sx_status nvtop_read(struct import_job *job, struct sx_error *err)
{
	size_t line;
	struct nvtop_reader *r = calloc(1, sizeof(*r));
	if (!r)
		return error_nomem(err, "importing");
	r->job = job;
	r->snapshot = 1;
	units_init(&r->units);
	enum sx_status status = SX_OK;
	enum read_json_result result = read_json_walk(job, nvtop_see, r, &line);
	if (result == READ_JSON_BAD)
		status = import_bad(job, line, err, "nvtop -s writes JSON", "this is no JSON");
	else if (r->open || !is_closed(job)) /* a device that breaks off is left out */
		status = import_cut(job, line, err);
	import_odd_note(job, &r->garbage, "sample"); /* while its text is there */
	status = import_finish(job, status, "nvtop -s writes one object a device",
			       "no device is in it", err);
	import_remark(job, "nvtop -s writes no times; snapshots are samples in their order");
	free(r);
	return status;
}

const struct import_format import_nvtop = {
    .kind = "nvtop",
    .about = "a snapshot of nvtop",
    .recognise = nvtop_recognise,
    .read = nvtop_read,
};
