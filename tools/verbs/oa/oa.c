/* sextant oa: flexible EU events and trigger registers, between their names and their bits. */
#include <sextant/oa.h>
#include <sextant/session.h>
#include "tools/verbs/run.h"
#include "tools/verbs/oa/oa.h"
#include "wire/oa/flex.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum sx_status oa_usage(struct sx_error *err, const char *what, const char *why, const char *remedy)
{
	error_set(err, SX_ERR_USAGE, "%s", what);
	error_because(err, "%s", why);
	error_try(err, "%s", remedy);
	return SX_ERR_USAGE;
}

/* "A7": 7; 0 when it is no flexible counter. */
static uint32_t counter_number(const char *text)
{
	struct oa_flex_place place;
	char *end;
	if (toupper((unsigned char)text[0]) != 'A' || !isdigit((unsigned char)text[1]))
		return 0;
	unsigned long n = strtoul(text + 1, &end, 10);
	return !*end && n < 100 && oa_flex_place((uint32_t)n, &place) ? (uint32_t)n : 0;
}

enum sx_status oa_register_value(const char *text, uint32_t *out, struct sx_error *err)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 0) : 0;
	if (!text || !isdigit((unsigned char)*text) || *end || value > UINT32_MAX)
		return oa_usage(err, text ? "not a register value" : "no register value",
				text ? "it is no number of 32 bits" : "bits are to be decoded",
				"--value 0x5004");
	*out = (uint32_t)value;
	return SX_OK;
}

void oa_json_hex(struct json *json, const char *key, uint32_t value, int digits)
{
	char text[16];
	snprintf(text, sizeof(text), "0x%0*x", digits, value);
	json_kv_string(json, key, text);
}

void oa_json_check(struct json *json, bool supported, const char *const *warnings, uint32_t count)
{
	json_kv_bool(json, "supported", supported);
	json_kv_array(json, "warnings");
	for (uint32_t i = 0; i < count; i++)
		json_string(json, warnings[i]);
	json_array_end(json);
}

/* What one event means and whether the manual supports it. */
static enum sx_status event_json(struct json *json, const struct oa_flex *flex,
				 struct sx_error *err)
{
	const char *warnings[OA_FLEX_WARNINGS_MAX];
	uint32_t count;
	bool supported;
	enum sx_status status = oa_flex_check(flex, warnings, &count, &supported, err);
	if (status) {
		json_kv_bool(json, "defined", false);
		return status;
	}
	oa_json_check(json, supported, warnings, count);
	return SX_OK;
}

static void event_names_json(struct json *json, const struct oa_flex *flex)
{
	const uint8_t parts[] = {flex->event, flex->coarse, flex->fine};
	static const char keys[][16] = {"event", "coarse", "fine"};
	static const char names[][16] = {"event_name", "coarse_name", "fine_name"};
	for (int i = 0; i < 3; i++) {
		json_kv_u64(json, keys[i], parts[i]);
		json_kv_string(json, names[i], oa_flex_name((enum oa_flex_part)i, parts[i]));
	}
}

static void event_text(const struct cli *cli, uint32_t counter, const struct oa_flex *flex)
{
	const uint8_t parts[] = {flex->event, flex->coarse, flex->fine};
	FILE *out = cli->view.out.out;
	fprintf(out, "A%u = eu(%s", counter,
		oa_flex_name(OA_FLEX_EVENT, flex->event) ? oa_flex_name(OA_FLEX_EVENT, flex->event)
							 : "undefined");
	for (int i = 1; i < 3; i++) {
		const char *name = oa_flex_name((enum oa_flex_part)i, parts[i]);
		if (parts[i])
			fprintf(out, ", %s=%s", i == 1 ? "coarse" : "fine",
				name ? name : "undefined");
	}
	fputs(")\n", out);
	for (int i = 0; i < 3; i++) {
		const char *about = oa_flex_describe((enum oa_flex_part)i, parts[i]);
		if (about && (i == 0 || parts[i]))
			fprintf(out, "  %s\n", about);
	}
}

static void warn(const struct cli *cli, const struct oa_flex *flex)
{
	const char *warnings[OA_FLEX_WARNINGS_MAX];
	uint32_t count = 0;
	if (oa_flex_check(flex, warnings, &count, NULL, NULL))
		return;
	for (uint32_t i = 0; i < count; i++)
		cli_warn(cli, "%s", warnings[i]);
}

static enum sx_status read_event(const struct cli *cli, uint32_t *counter, struct oa_flex *flex,
				 struct sx_error *err)
{
	const struct options *o = &cli->options;
	enum sx_status status = SX_OK;
	if (o->args.count > 2 && !o->counter && !o->event) {
		struct oa_flex_counter definition = {0};
		status = oa_flex_parse(o->args.items[2], &definition, err);
		*counter = definition.counter;
		*flex = definition.flex;
		return status;
	}
	*counter = o->counter ? counter_number(o->counter) : 0;
	if (!*counter)
		return oa_usage(err, o->counter ? "not a flexible counter" : "no counter was named",
				"flexible counters are A7 to A20",
				"--counter A12 --event NAME, or 'A12=eu(NAME)'");
	if (!o->event)
		return oa_usage(err, "no event was named", "it is what the counter counts",
				"--event NAME; sextant oa flex list");
	status = oa_flex_find(OA_FLEX_EVENT, o->event, &flex->event, err);
	if (!status && o->coarse)
		status = oa_flex_find(OA_FLEX_COARSE, o->coarse, &flex->coarse, err);
	if (!status && o->fine)
		status = oa_flex_find(OA_FLEX_FINE, o->fine, &flex->fine, err);
	return status ? status : oa_flex_check(flex, NULL, NULL, NULL, err);
}

static enum sx_status flex_encode(const struct cli *cli, struct sx_error *err)
{
	struct oa_flex flex = {0};
	struct oa_flex_place place;
	uint32_t counter;
	enum sx_status status = read_event(cli, &counter, &flex, err);
	if (status)
		return status;
	char name[8];
	uint32_t field = oa_flex_field(&flex);
	oa_flex_place(counter, &place);
	snprintf(name, sizeof(name), "A%u", counter);
	if (cli->view.format != FORMAT_JSON) {
		event_text(cli, counter, &flex);
		fprintf(cli->view.out.out, "%s (0x%x): 0x%03x << %u = 0x%06x\n",
			place.register_name, place.address, field, place.shift,
			field << place.shift);
		warn(cli, &flex);
		return SX_OK;
	}
	struct json json = view_json_begin(&cli->view, "oa.flex");
	json_kv_string(&json, "counter", name);
	json_kv_string(&json, "register", place.register_name);
	oa_json_hex(&json, "address", place.address, 4);
	oa_json_hex(&json, "field", field, 3);
	json_kv_u64(&json, "shift", place.shift);
	event_names_json(&json, &flex);
	status = event_json(&json, &flex, err);
	view_json_end(&json);
	return status;
}

static enum sx_status decode_one(const struct cli *cli, struct json *json, uint32_t counter,
				 uint32_t value, struct sx_error *err)
{
	struct oa_flex flex = oa_flex_decode(counter, value);
	char name[8];
	if (cli->view.format != FORMAT_JSON) {
		event_text(cli, counter, &flex);
		warn(cli, &flex);
		return oa_flex_check(&flex, NULL, NULL, NULL, err);
	}
	snprintf(name, sizeof(name), "A%u", counter);
	json_object_begin(json);
	json_kv_string(json, "counter", name);
	oa_json_hex(json, "field", oa_flex_field(&flex), 3);
	struct oa_flex_place place;
	if (oa_flex_place(counter, &place))
		json_kv_u64(json, "shift", place.shift);
	event_names_json(json, &flex);
	enum sx_status status = event_json(json, &flex, err);
	json_object_end(json);
	return status;
}

static enum sx_status flex_decode(const struct cli *cli, struct sx_error *err)
{
	struct oa_flex_place place;
	uint32_t value;
	uint32_t counter = cli->options.reg ? oa_flex_register(cli->options.reg) : 0;
	if (!oa_flex_place(counter, &place))
		return oa_usage(err,
				cli->options.reg ? "not a flexible EU register" : "no register",
				"flexible counters are programmed in EU_PERF_CNT_CTL0 to CTL6",
				"--register with one of them, or its address");
	enum sx_status status = oa_register_value(cli->options.value, &value, err);
	if (status)
		return status;
	struct json json = {0};
	if (cli->view.format == FORMAT_JSON) {
		json = view_json_begin(&cli->view, "oa.flex");
		json_kv_string(&json, "register", place.register_name);
		oa_json_hex(&json, "address", place.address, 4);
		oa_json_hex(&json, "value", value, 8);
		json_kv_array(&json, "counters");
	}
	status = decode_one(cli, &json, counter, value, err);
	enum sx_status second = decode_one(cli, &json, counter + 1, value, status ? NULL : err);
	if (cli->view.format == FORMAT_JSON) {
		json_array_end(&json);
		view_json_end(&json);
	}
	if (value >> 24)
		cli_warn(cli, "bits 31:24 are set; no published set does that");
	return status ? status : second;
}

static enum sx_status flex_list(const struct cli *cli)
{
	static const char titles[][8] = {"events", "coarse", "fine"};
	struct json json = {0};
	bool as_json = cli->view.format == FORMAT_JSON;
	if (as_json)
		json = view_json_begin(&cli->view, "oa.flex");
	for (int part = 0; part < 3; part++) {
		if (as_json) {
			json_kv_array(&json, titles[part]);
		} else {
			fprintf(cli->view.out.out, "%s%s\n", part ? "\n" : "", titles[part]);
		}
		for (uint32_t i = 0; i < 16; i++) {
			const char *name = oa_flex_name((enum oa_flex_part)part, i);
			const char *about = oa_flex_describe((enum oa_flex_part)part, i);
			if (!name)
				continue;
			if (!as_json) {
				char left[32];
				snprintf(left, sizeof(left), "  %2u  %s", i, name);
				text_entry(&cli->view.out, 23, left, about);
				continue;
			}
			json_object_begin(&json);
			json_kv_u64(&json, "encoding", i);
			json_kv_string(&json, "name", name);
			json_kv_string(&json, "description", about);
			json_object_end(&json);
		}
		if (as_json)
			json_array_end(&json);
	}
	if (as_json)
		view_json_end(&json);
	return SX_OK;
}

/* A file that is created by the first bytes: one that is there outlives a device that is not. */
struct recording_file {
	const char *path;
	FILE *file;
	struct sx_error err;
};

static bool write_out(void *user, const uint8_t *data, size_t size)
{
	struct recording_file *to = user;
	if (!to->file)
		to->file = strcmp(to->path, "-") == 0 ? stdout : fopen(to->path, "we");
	if (to->file && fwrite(data, size, 1, to->file) == 1)
		return true;
	error_errno(&to->err, errno, "cannot write %s", to->path);
	return false;
}

/* The kernel's configuration is taken back, and the file ends with a whole record. */
static bool asked_to_end(void *user)
{
	return run_noted_signal() != 0;
}

/* Ends the file; the error that counts is that of the file, if there is one. */
static enum sx_status close_recording(struct recording_file *to, enum sx_status status,
				      struct sx_error *err)
{
	if (to->file && to->file != stdout && fclose(to->file) != 0 && !to->err.status)
		error_errno(&to->err, errno, "cannot write %s", to->path);
	/* What was recorded until then is there. */
	if (!to->err.status && status == SX_ERR_DEVICE_LOST && to->file)
		return err->status = SX_INCOMPLETE;
	if (!to->err.status)
		return status;
	*err = to->err;
	error_try(err, "free space, or another file with -o");
	return err->status = SX_ERR_PERMISSION;
}

/* A recording for any reader of i915-perf-recorder's files. */
static enum sx_status record(const struct cli *cli, struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct recording_file to = {.path = o->output};
	if (!o->output)
		return oa_usage(err, "no file to record into", "a recording is no text", "-o FILE");
	struct sx_raw_recording recording = {.device = o->devices.count ? o->devices.items[0]
									: "i915:card0",
					     .set = o->set,
					     .definitions = o->metrics.items,
					     .definition_count = (uint32_t)o->metrics.count,
					     .interval_ns = o->interval_ns,
					     .duration_ns = o->duration_ns,
					     .stop = asked_to_end};
	run_note_signals(true);
	enum sx_status status = sx_raw_record(cli->context, &recording, write_out, &to, err);
	run_note_signals(false);
	return close_recording(&to, status, err);
}

static enum sx_status dispatch(const struct cli *cli, struct sx_error *err)
{
	const struct options *o = &cli->options;
	const struct string_list *args = &o->args;
	const char *noun = args->count > 0 ? args->items[0] : "";
	const char *verb = args->count > 1 ? args->items[1] : "";
	bool flex = strcmp(noun, "flex") == 0, trigger = strcmp(noun, "trigger") == 0;
	bool encode = strcmp(verb, "encode") == 0, decode = strcmp(verb, "decode") == 0;
	bool record_one = strcmp(noun, "record") == 0;
	bool list = flex && strcmp(verb, "list") == 0;
	size_t most = record_one ? 1 : 2;
	if (!record_one && !list && !((flex || trigger) && (encode || decode))) {
		error_set(err, SX_ERR_USAGE, "nothing to do");
		error_because(
		    err, "sextant oa wants record, or flex or trigger and then encode or decode");
		error_try(err, "sextant oa --help");
		return SX_ERR_USAGE;
	}
	if (flex && encode && !o->counter && !o->event && !o->coarse && !o->fine)
		most = 3; /* a definition */
	if (args->count > most && !(trigger && encode)) {
		error_set(err, SX_ERR_USAGE, "nothing takes the argument \"%.64s\"",
			  args->items[most]);
		error_because(err, "what it could mean was given already, or is an option");
		error_try(err, "sextant oa --help");
		return SX_ERR_USAGE;
	}
	if (record_one)
		return record(cli, err);
	if (trigger)
		return encode ? oa_trigger_encode(cli, err) : oa_trigger_decode(cli, err);
	return encode ? flex_encode(cli, err) : decode ? flex_decode(cli, err) : flex_list(cli);
}

static int oa_command_run(struct cli *cli)
{
	struct sx_error err = {0};
	enum sx_status status = SX_OK;
	bool recording = cli->options.args.count && !strcmp(cli->options.args.items[0], "record");
	if (!status && !recording)
		status = cli_open_output(cli, &err);
	if (!status)
		status = dispatch(cli, &err);
	return status ? cli_fail(cli, &err) : EXIT_OK;
}

const struct command cmd_oa = {
    .verb =
	{.name = "oa",
	 .synopsis = "flex encode|decode|list, trigger encode|decode, record [options]",
	 .summary = "flexible EU events and triggers of Intel's OA unit; raw recordings",
	 .about =
	     "Translates the flexible EU counters A7 to A20 and the trigger and custom event "
	     "registers of Intel's OA unit between names and bits. An encoding that the "
	     "manual does not define is an error; a combination that it calls unsupported "
	     "is a warning, since published metric sets use such. record writes the reports of a "
	     "device into a file, in the format of i915-perf-recorder.",
	 .formats = FORMATS_TEXT_JSON,
	 .options = "counter event coarse fine register value set for device metric interval "
		    "duration output format",
	 .max_args = -1,
	 .own_output = true,
	 .examples = "  sextant oa flex encode --counter A7 --event eu-active\n"
		     "  sextant oa flex encode 'A12=eu(fpu0-active, coarse=ps)'\n"
		     "  sextant oa flex decode --register EU_PERF_CNT_CTL0 --value 0x5004 --json\n"
		     "  sextant oa trigger decode --set TestOa\n"
		     "  sextant oa trigger encode 'OACEC5_0: compare=equal value=0x10'\n"
		     "  sextant oa record -d i915:card0 --set ComputeBasic -t 5s -o trace.i915\n"},
    .run = oa_command_run,
};
