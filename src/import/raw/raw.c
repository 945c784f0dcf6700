/*
 * Files of raw counters: given constants, the device of a file, Mali dumps back to back, and of
 * files of Intel's OA unit the metric set and the bytes on their way through the decoder.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <sextant/mali.h>

#include "base/error.h"
#include "import/raw/raw.h"
#include "wire/oa/flex.h"
#include "wire/oa/oa.h"

static bool same_constant(const struct raw_input *in, const char *a, const char *b)
{
	if (!strcmp(a, b))
		return true;
	if (!in->catalog)
		return false;
	uint32_t index = sx_catalog_find_constant(in->catalog, a);
	return index != SX_NONE && index == sx_catalog_find_constant(in->catalog, b);
}

/* A constant by name or alias; false when it has no value. */
static bool raw_constant(const struct raw_input *in, const char *name, double *value)
{
	for (uint32_t i = 0; i < in->constant_count; i++) {
		if (!same_constant(in, in->constants[i].name, name))
			continue;
		*value = in->constants[i].value;
		return true;
	}
	return false;
}

/* Adds a constant unless it was given. */
static void raw_add_constant(struct raw_input *in, const char *name, double value)
{
	double given;
	if (raw_constant(in, name, &given) || in->constant_count >= RAW_CONSTANTS_MAX)
		return;
	in->constants[in->constant_count++] = (struct sx_constant_value){name, value};
}

const struct decoder_file *import_raw_file(const char *path)
{
	uint8_t head[DECODER_HEAD];
	FILE *file = path && strcmp(path, "-") != 0 ? fopen(path, "rbe") : NULL;
	if (!file)
		return NULL;
	size_t size = fread(head, 1, sizeof(head), file);
	fclose(file);
	return decode_recognise(head, size);
}

static enum sx_status need(struct sx_error *err, const char *name, const char *example)
{
	error_set(err, SX_ERR_USAGE, "Mali dumps need the constant %s", name);
	error_because(err, "it says how many blocks a dump has");
	error_try(err, "--const %s=%s", name, example);
	return SX_ERR_USAGE;
}

static bool whole(double value, double max)
{
	return value >= 1 && value <= max && value == floor(value);
}

/* Slices and cores as the constants give them; what follows from them becomes a constant as well.
 */
static enum sx_status take_layout(struct raw_input *in, struct sx_mali_options *options,
				  struct sx_error *err)
{
	double slices, mask, cores;
	if (!raw_constant(in, "l2_slices", &slices))
		return need(err, "l2_slices", "1");
	if (raw_constant(in, "shader_core_mask", &mask)) {
		if (!whole(mask, 0x1p53))
			return need(err, "shader_core_mask", "0x7");
		options->core_mask = (uint64_t)mask;
	} else if (raw_constant(in, "shader_cores", &cores) && whole(cores, 53)) {
		options->core_mask = (UINT64_C(1) << (uint64_t)cores) - 1;
	} else {
		return need(err, "shader_core_mask", "0x7");
	}
	if (!whole(slices, SX_MALI_SLICES_MAX))
		return need(err, "l2_slices", "1");
	options->l2_slices = (uint32_t)slices;
	raw_add_constant(in, "shader_core_mask", (double)options->core_mask);
	raw_add_constant(in, "shader_cores", __builtin_popcountll(options->core_mask));
	return SX_OK;
}

enum sx_status raw_mali_dump(struct raw_input *in, struct sx_error *err)
{
	struct sx_mali_options options = {.variant = in->variant, .instances = in->instances};
	struct sx_mali_decoder *decoder = NULL;
	const char *width = strchr(in->kind, ':') + 1;
	options.value_bytes = !strcmp(width, "u32") ? 4 : !strcmp(width, "u64") ? 8 : 0;
	if (!options.value_bytes) {
		error_set(err, SX_ERR_USAGE, "Mali dumps have no values of kind \"%s\"", width);
		error_because(err, "counters are of 32 or of 64 bits");
		error_try(err, "--as mali-dump:u32, or mali-dump:u64");
		return SX_ERR_USAGE;
	}
	if (!in->catalog) {
		error_set(err, SX_ERR_USAGE, "a Mali dump does not say which GPU it is of");
		error_because(err, "its bytes are counters alone");
		error_try(err, "--for mali-g310, or --for mali-g625");
		return SX_ERR_USAGE;
	}
	enum sx_status status = take_layout(in, &options, err);
	if (!status)
		status = sx_mali_decoder_create(in->catalog, &options, &decoder, err);
	if (!status)
		status = sx_mali_table_create(decoder, &in->table, err);
	if (!status)
		status = sx_mali_decode(decoder, in->data, in->size, in->table, err);
	sx_mali_decoder_destroy(decoder);
	return status;
}

/* By uuid, which names the registers that were programmed; names are the same on every GPU. */
static uint32_t raw_oa_set_by_uuid(const struct raw_input *in, const char *uuid)
{
	uint32_t count;
	const struct sx_group_info *groups = sx_catalog_groups(in->catalog, &count);
	for (uint32_t i = 0; *uuid && i < count; i++)
		if (groups[i].uuid && strcasecmp(groups[i].uuid, uuid) == 0)
			return i;
	return SX_NONE;
}

static enum sx_status raw_oa_unknown_set(const struct raw_input *in, struct sx_error *err)
{
	error_set(err, SX_ERR_NOT_FOUND, "the recording's metric set \"%.64s\" is unknown",
		  in->set);
	error_because(err, "catalog %s does not have it", sx_catalog_info(in->catalog)->name);
	error_try(err, "--counters for the raw values, or --set with one that fits");
	return SX_ERR_NOT_FOUND;
}

/* Reports alone do not say which set was programmed, and formulas depend on it. */
static enum sx_status raw_oa_no_set(struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "reports do not say which metric set was programmed");
	error_because(err, "what a B or C counter counts, and so every formula, depends on it");
	error_try(err, "--set RenderBasic, or --counters for the raw values");
	return SX_ERR_USAGE;
}

/* The set that the recording says: its uuid decides, else its name. */
static void raw_oa_choose_set(struct raw_input *in, const struct sx_oa_device *device,
			      uint32_t by_uuid)
{
	uint32_t count, by_name = sx_catalog_find_group(in->catalog, device->set);
	const struct sx_group_info *groups = sx_catalog_groups(in->catalog, &count);
	bool matters = !in->counters;
	in->set = by_uuid != SX_NONE ? groups[by_uuid].name : device->set;
	if (matters && by_uuid != SX_NONE && by_name != SX_NONE && by_uuid != by_name)
		note_sink_write(&in->notes,
				"note: the recording names set %s, "
				"but its uuid is that of %s, which is taken",
				device->set, in->set);
	if (matters && by_uuid == SX_NONE && by_name != SX_NONE && device->uuid[0])
		note_sink_write(&in->notes,
				"note: uuid %s is not of set %s; "
				"its registers may differ from what the formulas expect",
				device->uuid, device->set);
}

/* A published uuid says what each counter counted, whatever the user's definition claims. */
static void raw_oa_check_definitions(const struct raw_input *in, uint32_t by_uuid)
{
	for (size_t i = 0; by_uuid != SX_NONE && i < in->pattern_count; i++) {
		struct oa_flex_counter given;
		struct oa_flex real;
		char text[OA_FLEX_TEXT_MAX];
		if (oa_flex_parse(in->patterns[i], &given, NULL) ||
		    !oa_flex_programmed(in->catalog, by_uuid, given.counter, &real) ||
		    oa_flex_field(&real) == oa_flex_field(&given.flex))
			continue;
		note_sink_write(&in->notes,
				"warning: in this recording A%u is %s, "
				"as its metric set programs it",
				given.counter, oa_flex_text(&real, text));
	}
}

enum sx_status raw_oa_kind(const char *kind, struct sx_oa_options *options, struct sx_error *err)
{
	char name[64];
	const char *text = strchr(kind, ':') + 1;
	size_t length = strcspn(text, ":");
	options->input = SX_OA_REPORTS;
	if (length < sizeof(name)) {
		memcpy(name, text, length);
		name[length] = '\0';
		options->format = sx_oa_format_find(name);
	}
	if (strcmp(text + length, ":command") == 0)
		options->header = SX_OA_HEADER_COMMAND;
	else if (text[length])
		options->format = SX_OA_FORMAT_NONE;
	if (options->format)
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "no OA report format \"%.64s\"", text);
	error_because(err,
		      "there are A45_B8_C8 (Haswell), A32u40_A4u32_B8_C8 (Gen8 to 12), "
		      "A24u40_A14u32_B8_C8 (Arc, Meteor Lake), MPEC8u32_B8_C8 (media), PEC64u64 "
		      "(Xe2) and shorter ones");
	error_try(err, "--as oa:A32u40_A4u32_B8_C8, and :command after it for queries");
	return SX_ERR_USAGE;
}

/* A frequency that may be given, and what it may be. */
struct frequency {
	const char *name;
	double min, max;
};

/* A frequency that --const gave; *out stays when it gave none. */
static enum sx_status given(const struct raw_input *in, struct frequency f, double *out,
			    struct sx_error *err)
{
	const char *name = f.name;
	const double min = f.min, max = f.max;
	double value;
	if (!raw_constant(in, name, &value))
		return SX_OK;
	if (!(value >= min && value <= max)) {
		error_set(err, SX_ERR_USAGE, "%s of %g Hz is impossible", name, value);
		error_because(err, "it is given in Hz, from %g to %g", min, max);
		error_try(err, "no --const %s: a recording says it, and most GPUs have a default",
			  name);
		return SX_ERR_USAGE;
	}
	*out = value;
	return SX_OK;
}

/* Decoder and formulas have to use the same frequencies. */
static enum sx_status given_frequencies(const struct raw_input *in, struct sx_oa_device *device,
					struct sx_error *err)
{
	double hz = 0, min_hz = 0, max_hz = 0;
	enum sx_status status =
	    given(in, (struct frequency){"GpuTimestampFrequency", 1e3, 1e10}, &hz, err);
	if (!status)
		status = given(in, (struct frequency){"GpuMinFrequency", 1, 4e9}, &min_hz, err);
	if (!status)
		status = given(in, (struct frequency){"GpuMaxFrequency", 1, 4e9}, &max_hz, err);
	device->timestamp_hz = (uint64_t)hz;
	device->gt_min_hz = (uint32_t)min_hz;
	device->gt_max_hz = (uint32_t)max_hz;
	return status;
}

static enum sx_status open_named(struct raw_input *in, const char *name, struct sx_error *err)
{
	return sx_catalog_open(in->context, name, &in->catalog, err);
}

/* Bare reports do not name their GPU; only Broadwell's had these formats. */
static enum sx_status open_for_reports(struct raw_input *in, enum sx_oa_format format,
				       struct sx_error *err)
{
	if (format == SX_OA_A32U40_A4U32_B8_C8 || format == SX_OA_C4_B8 || format == SX_OA_A12 ||
	    format == SX_OA_A12_B8_C8)
		return open_named(in, "intel-bdw", err);
	error_set(err, SX_ERR_USAGE, "reports do not say which GPU wrote them");
	error_because(err, "format %s is of several chipsets", sx_oa_format_name(format));
	error_try(err, "--for intel-tglgt2 or another; sextant devices lists catalogs");
	return SX_ERR_USAGE;
}

static enum sx_status no_catalog(struct raw_input *in, const struct sx_oa_device *device,
				 const char *nearest, struct sx_error *err)
{
	const char *generation = sx_oa_generation(device->device_id);
	error_set(err, SX_ERR_UNSUPPORTED, "no catalog describes device 0x%04x of the recording",
		  device->device_id);
	error_because(err, "it is %s; its metric sets were never published",
		      generation ? generation : "an unknown GPU");
	if (nearest)
		error_try(err, "the nearest, at your own risk: --for %s", nearest);
	else
		error_try(err, "--for with a catalog that is near, or --counters");
	return SX_ERR_UNSUPPORTED;
}

/* An unknown device is read as a Broadwell where the uuid, or the user, says which set. */
static enum sx_status open_for_unknown(struct raw_input *in, const struct sx_oa_device *device,
				       struct sx_error *err)
{
	enum sx_status status = open_named(in, "intel-bdw", err);
	bool said = in->set || in->counters || !device->device_id;
	if (status || said || raw_oa_set_by_uuid(in, device->uuid) != SX_NONE)
		return status;
	sx_catalog_unref(in->catalog);
	in->catalog = NULL;
	return no_catalog(in, device, NULL, err);
}

/* The catalog that the recording's device has. */
static enum sx_status open_for_device(struct raw_input *in, const struct sx_oa_device *device,
				      struct sx_error *err)
{
	char name[SX_OA_CATALOG_NAME_MAX];
	enum sx_oa_match found = sx_oa_find_catalog(in->context, device->device_id, name);
	if (found != SX_OA_MATCH_OWN && !sx_catalog_heads(in->context, NULL))
		return error_nomem(err, "reading the catalogs' heads");
	if (found == SX_OA_MATCH_NONE)
		return open_for_unknown(in, device, err);
	if (found == SX_OA_MATCH_NEAR && !in->counters)
		return no_catalog(in, device, name, err);
	return open_named(in, name, err);
}

/* One that the catalog names, by its name there, which lives as long as the catalog. */
static void add_constant(struct raw_input *in, const struct sx_constant_value *constant)
{
	uint32_t count, at = sx_catalog_find_constant(in->catalog, constant->name);
	const struct sx_constant_info *all = sx_catalog_constants(in->catalog, &count);
	if (at != SX_NONE)
		raw_add_constant(in, all[at].name, constant->value);
}

/* The device's constants, where --const gave none. */
static void add_constants(struct raw_input *in, const struct sx_oa_device *device)
{
	struct sx_oa_constants constants;
	sx_oa_device_constants(device, &constants);
	for (uint32_t i = 0; i < constants.count; i++)
		add_constant(in, &constants.items[i]);
}

/* The recording's device is not the catalog's: said once. */
static void check_device(const struct raw_input *in, const struct sx_oa_device *device)
{
	if (device->device_id && !sx_oa_generation(device->device_id))
		note_sink_write(&in->notes,
				"note: device 0x%04x is unknown; its reports are read as %s's",
				device->device_id, sx_catalog_info(in->catalog)->name);
}

void raw_oa_ambiguous(const struct raw_input *in, struct sx_error *err)
{
	if (in->set)
		error_because(err,
			      "several sets have it, and the recording's, \"%.64s\", is unknown",
			      in->set);
	else
		error_because(
		    err, "several sets have it, and reports do not say which one was programmed");
}

enum sx_status raw_oa_use_device(struct raw_input *in, const struct sx_oa_device *device,
				 bool *known, struct sx_error *err)
{
	bool given_set = in->set != NULL;
	enum sx_status status = in->catalog ? SX_OK : open_for_device(in, device, err);
	if (status)
		return status;
	uint32_t by_uuid = raw_oa_set_by_uuid(in, device->uuid);
	check_device(in, device);
	raw_oa_check_definitions(in, by_uuid);
	add_constants(in, device);
	if (!given_set && (device->set[0] || by_uuid != SX_NONE))
		raw_oa_choose_set(in, device, by_uuid);
	*known = in->set && sx_catalog_find_group(in->catalog, in->set) != SX_NONE;
	if (!*known && !given_set && !in->counters && !in->pattern_count)
		return in->set ? raw_oa_unknown_set(in, err) : raw_oa_no_set(err);
	return SX_OK;
}

struct raw_oa_units raw_oa_units(const struct sx_oa_device *device)
{
	struct raw_oa_units units;
	oa_device_count(device, &units.eus, &units.slices, &units.subslices);
	return units;
}

enum sx_status raw_oa_prepare(struct raw_input *in, struct sx_oa_options *options,
			      struct sx_error *err)
{
	bool bare = options->input == SX_OA_REPORTS;
	enum sx_status status = SX_OK;
	if (bare && !in->catalog)
		status = open_for_reports(in, options->format, err);
	if (!status)
		status = given_frequencies(in, &options->device, err);
	if (!status && bare)
		options->device.device_id = oa_device_of(in->catalog);
	return status;
}

#define CHUNK ((size_t)1 << 17) /* of which a record takes 64 KiB at most */

/* *size: bytes available, then those that are left. */
static enum sx_status pump_bytes(const struct raw_oa_sink *pump, const uint8_t *data, size_t *size,
				 struct sx_error *err)
{
	size_t at = 0, used;
	enum sx_status status;
	do {
		status = sx_oa_decoder_feed(pump->decoder, data + at, *size - at, &used, err);
		at += used;
		if (status == SX_AGAIN) {
			status = pump->rows(pump->user, err);
			used = 1;
		}
	} while (!status && used && at < *size);
	*size -= at;
	return status;
}

/* What is there now, at most size bytes; *got is 0 at the end. */
static enum sx_status read_some(int fd, uint8_t *to, size_t size, size_t *got, struct sx_error *err)
{
	ssize_t n;
	do
		n = read(fd, to, size);
	while (n < 0 && errno == EINTR);
	*got = n > 0 ? (size_t)n : 0;
	if (n >= 0)
		return SX_OK;
	error_set(err, SX_ERR_BAD_INPUT, "cannot read the input");
	error_because(err, "%s", strerror(errno));
	error_try(err, "a file, or - for standard input");
	return SX_ERR_BAD_INPUT;
}

enum sx_status raw_oa_pump(const struct raw_oa_sink *pump, int fd, size_t *left,
			   struct sx_error *err)
{
	uint8_t *buffer = malloc(CHUNK);
	enum sx_status status = buffer ? SX_OK : error_nomem(err, "OA reports");
	size_t held = 0, got = 1;
	while (!status && got) {
		status = read_some(fd, buffer + held, CHUNK - held, &got, err);
		if (status || !got)
			break;
		size_t have = held + got;
		held = have;
		status = pump_bytes(pump, buffer, &held, err);
		if (!status)
			memmove(buffer, buffer + have - held, held);
	}
	if (!status && held) {
		sx_oa_decoder_end(pump->decoder);
		status = pump_bytes(pump, buffer, &held, err);
	}
	free(buffer);
	*left = held;
	return status;
}
