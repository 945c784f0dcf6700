/* Describes a file of OA reports, as text and JSON: see formats.h. */
#include "tools/verbs/decode/formats.h"
#include "base/text_buf.h"

#include <inttypes.h>
#include <string.h>

#include "import/raw/raw.h"

/* Appends "N things", with a separator before it unless it is the first. */
static void add_count(char *line, size_t size, uint64_t count, const char *one, const char *many)
{
	text_append_item(line, size, ", ", "%" PRIu64 " %s", count, count == 1 ? one : many);
}

void oa_about_device(const struct cli *cli, const struct sx_oa_device *device, const char *set)
{
	char line[640] = "";
	const struct raw_oa_units units = raw_oa_units(device);
	const char *generation = sx_oa_generation(device->device_id);
	if (device->device_id)
		snprintf(line, sizeof(line), "%s%sdevice 0x%04x revision %u",
			 generation ? generation : "", generation ? ", " : "", device->device_id,
			 device->revision);
	if (units.eus) {
		add_count(line, sizeof(line), units.eus, "EU", "EUs");
		add_count(line, sizeof(line), units.subslices, "subslice", "subslices");
	}
	if (set)
		text_append_item(line, sizeof(line), ", ", "set %.255s", set);
	if (line[0])
		text_wrap(&cli->view.out, 0, line);
}

void oa_about_reports(const struct cli *cli, const struct sx_oa_stats *stats, size_t left)
{
	const struct option_id *only = &cli->options.context;
	char line[320] = "";
	size_t size = sizeof(line);
	add_count(line, size, stats->reports, "report", "reports");
	add_count(line, size, stats->intervals, "interval", "intervals");
	if (only->given)
		text_append(line, size, " of context %u", only->value);
	add_count(line, size, stats->switches, "context switch", "context switches");
	size_t whole = strlen(line);
	if (stats->lost_reports)
		add_count(line, size, stats->lost_reports, "gap of lost reports",
			  "gaps of lost reports");
	if (stats->lost_buffers)
		add_count(line, size, stats->lost_buffers, "overflow of the OA buffer",
			  "overflows of the OA buffer");
	if (stats->skipped_bytes)
		add_count(line, size, stats->skipped_bytes, "byte skipped", "bytes skipped");
	if (left)
		add_count(line, size, left, "byte cut off at the end", "bytes cut off at the end");
	if (strlen(line) == whole)
		text_append(line, size, ", nothing lost");
	text_wrap(&cli->view.out, 0, line);
}

void oa_about_json(struct json *json, const struct sx_oa_device *device, const char *set,
		   const struct sx_oa_stats *stats)
{
	const struct raw_oa_units units = raw_oa_units(device);
	char id[16];
	snprintf(id, sizeof(id), "0x%04x", device->device_id);
	json_kv_object(json, "recording");
	json_kv_string(json, "device", device->device_id ? id : NULL);
	json_kv_u64(json, "revision", device->revision);
	json_kv_u64(json, "slices", units.slices);
	json_kv_u64(json, "subslices", units.subslices);
	json_kv_u64(json, "eus", units.eus);
	json_kv_string(json, "set", set);
	json_kv_string(json, "uuid", device->uuid[0] ? device->uuid : NULL);
	json_kv_string(json, "format", sx_oa_format_name(device->format));
	json_kv_u64(json, "reports", stats->reports);
	json_kv_u64(json, "intervals", stats->intervals);
	json_kv_u64(json, "switches", stats->switches);
	json_kv_u64(json, "lost_reports", stats->lost_reports);
	json_kv_u64(json, "lost_buffers", stats->lost_buffers);
	json_kv_u64(json, "skipped_bytes", stats->skipped_bytes);
	json_object_end(json);
}
