/* sextant oa: flexible EU events and trigger registers, between their names and their bits. */
#include <sextant/oa.h>
#include <sextant/session.h>
#include "tools/cli.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum sx_status usage(struct sx_error *err, const char *what, const char *remedy)
{
	error_set(err, SX_ERR_USAGE, "%s", what);
	error_because(err, "sextant oa needs it");
	error_try(err, "%s", remedy);
	return SX_ERR_USAGE;
}

/* "A7": 7; 0 when it is no flexible counter. */
static uint32_t counter_number(const char *text)
{
	struct sx_oa_flex_place place;
	char *end;
	if (toupper((unsigned char)text[0]) != 'A' || !isdigit((unsigned char)text[1]))
		return 0;
	unsigned long n = strtoul(text + 1, &end, 10);
	return !*end && n < 100 && sx_oa_flex_place((uint32_t)n, &place) ? (uint32_t)n : 0;
}

static enum sx_status read_register_value(const char *text, uint32_t *out, struct sx_error *err)
{
	char *end;
	unsigned long value = text ? strtoul(text, &end, 0) : 0;
	if (!text || !isdigit((unsigned char)*text) || *end || value > UINT32_MAX)
		return usage(err, "no register value", "--value 0x5004: 32 bits");
	*out = (uint32_t)value;
	return SX_OK;
}

static void hex(struct json *json, const char *key, uint32_t value, int digits)
{
	char text[16];
	snprintf(text, sizeof(text), "0x%0*x", digits, value);
	json_kv_string(json, key, text);
}

/* What one event means and whether the manual supports it. */
static enum sx_status event_json(struct json *json, const struct sx_oa_flex *flex,
				 struct sx_error *err)
{
	const char *warnings[SX_OA_FLEX_WARNINGS_MAX];
	uint32_t count;
	bool supported;
	enum sx_status status = sx_oa_flex_check(flex, warnings, &count, &supported, err);
	if (status) {
		json_kv_bool(json, "defined", false);
		return status;
	}
	json_kv_bool(json, "supported", supported);
	json_key(json, "warnings");
	json_array_begin(json);
	for (uint32_t i = 0; i < count; i++)
		json_string(json, warnings[i]);
	json_array_end(json);
	return SX_OK;
}

static void event_names_json(struct json *json, const struct sx_oa_flex *flex)
{
	const uint8_t parts[] = {flex->event, flex->coarse, flex->fine};
	static const char keys[][16] = {"event", "coarse", "fine"};
	static const char names[][16] = {"event_name", "coarse_name", "fine_name"};
	for (int i = 0; i < 3; i++) {
		json_kv_u64(json, keys[i], parts[i]);
		json_kv_string(json, names[i], sx_oa_flex_name((enum sx_oa_flex_part)i, parts[i]));
	}
}

static void event_text(const struct cli *cli, uint32_t counter, const struct sx_oa_flex *flex)
{
	const uint8_t parts[] = {flex->event, flex->coarse, flex->fine};
	FILE *out = cli->out.out;
	fprintf(out, "A%u = eu(%s", counter,
		sx_oa_flex_name(SX_OA_FLEX_EVENT, flex->event)
		    ? sx_oa_flex_name(SX_OA_FLEX_EVENT, flex->event)
		    : "undefined");
	for (int i = 1; i < 3; i++) {
		const char *name = sx_oa_flex_name((enum sx_oa_flex_part)i, parts[i]);
		if (parts[i])
			fprintf(out, ", %s=%s", i == 1 ? "coarse" : "fine",
				name ? name : "undefined");
	}
	fputs(")\n", out);
	for (int i = 0; i < 3; i++) {
		const char *about = sx_oa_flex_describe((enum sx_oa_flex_part)i, parts[i]);
		if (about && (i == 0 || parts[i]))
			fprintf(out, "  %s\n", about);
	}
}

static void warn(const struct cli *cli, const struct sx_oa_flex *flex)
{
	const char *warnings[SX_OA_FLEX_WARNINGS_MAX];
	uint32_t count = 0;
	if (sx_oa_flex_check(flex, warnings, &count, NULL, NULL))
		return;
	for (uint32_t i = 0; i < count; i++)
		cli_note(cli, "warning: %s", warnings[i]);
}

static enum sx_status read_event(const struct cli *cli, uint32_t *counter, struct sx_oa_flex *flex,
				 struct sx_error *err)
{
	const struct options *o = &cli->options;
	enum sx_status status = SX_OK;
	*counter = o->counter ? counter_number(o->counter) : 0;
	if (!*counter)
		return usage(err, o->counter ? "not a flexible counter" : "no counter was named",
			     "--counter with one of A7 to A20");
	if (!o->event)
		return usage(err, "no event was named", "--event NAME; sextant oa flex list");
	status = sx_oa_flex_find(SX_OA_FLEX_EVENT, o->event, &flex->event, err);
	if (!status && o->coarse)
		status = sx_oa_flex_find(SX_OA_FLEX_COARSE, o->coarse, &flex->coarse, err);
	if (!status && o->fine)
		status = sx_oa_flex_find(SX_OA_FLEX_FINE, o->fine, &flex->fine, err);
	return status ? status : sx_oa_flex_check(flex, NULL, NULL, NULL, err);
}

static enum sx_status flex_encode(const struct cli *cli, struct sx_error *err)
{
	struct sx_oa_flex flex = {0};
	struct sx_oa_flex_place place;
	uint32_t counter;
	enum sx_status status = read_event(cli, &counter, &flex, err);
	if (status)
		return status;
	char name[8];
	uint32_t field = sx_oa_flex_field(&flex);
	sx_oa_flex_place(counter, &place);
	snprintf(name, sizeof(name), "A%u", counter);
	if (cli->options.format != FORMAT_JSON) {
		event_text(cli, counter, &flex);
		fprintf(cli->out.out, "%s (0x%x): 0x%03x << %u = 0x%06x\n", place.register_name,
			place.address, field, place.shift, field << place.shift);
		warn(cli, &flex);
		return SX_OK;
	}
	struct json json = cli_json_begin(cli, "oa.flex");
	json_kv_string(&json, "counter", name);
	json_kv_string(&json, "register", place.register_name);
	hex(&json, "address", place.address, 4);
	hex(&json, "field", field, 3);
	json_kv_u64(&json, "shift", place.shift);
	event_names_json(&json, &flex);
	status = event_json(&json, &flex, err);
	cli_json_end(&json);
	return status;
}

static enum sx_status decode_one(const struct cli *cli, struct json *json, uint32_t counter,
				 uint32_t value, struct sx_error *err)
{
	struct sx_oa_flex flex = sx_oa_flex_decode(counter, value);
	char name[8];
	if (cli->options.format != FORMAT_JSON) {
		event_text(cli, counter, &flex);
		warn(cli, &flex);
		return sx_oa_flex_check(&flex, NULL, NULL, NULL, err);
	}
	snprintf(name, sizeof(name), "A%u", counter);
	json_object_begin(json);
	json_kv_string(json, "counter", name);
	hex(json, "field", sx_oa_flex_field(&flex), 3);
	struct sx_oa_flex_place place;
	if (sx_oa_flex_place(counter, &place))
		json_kv_u64(json, "shift", place.shift);
	event_names_json(json, &flex);
	enum sx_status status = event_json(json, &flex, err);
	json_object_end(json);
	return status;
}

static enum sx_status flex_decode(const struct cli *cli, struct sx_error *err)
{
	struct sx_oa_flex_place place;
	uint32_t value, counter;
	counter = cli->options.reg ? sx_oa_flex_register(cli->options.reg) : 0;
	if (!sx_oa_flex_place(counter, &place))
		return usage(err, cli->options.reg ? "not a flexible EU register" : "no register",
			     "--register EU_PERF_CNT_CTL0 to CTL6, or an address");
	enum sx_status status = read_register_value(cli->options.value, &value, err);
	if (status)
		return status;
	struct json json = {0};
	if (cli->options.format == FORMAT_JSON) {
		json = cli_json_begin(cli, "oa.flex");
		json_kv_string(&json, "register", place.register_name);
		hex(&json, "address", place.address, 4);
		hex(&json, "value", value, 8);
		json_key(&json, "counters");
		json_array_begin(&json);
	}
	status = decode_one(cli, &json, counter, value, err);
	enum sx_status second = decode_one(cli, &json, counter + 1, value, status ? NULL : err);
	if (cli->options.format == FORMAT_JSON) {
		json_array_end(&json);
		cli_json_end(&json);
	}
	if (value >> 24)
		cli_note(cli, "warning: bits 31:24 are set; no published set does that");
	return status ? status : second;
}

static enum sx_status flex_list(const struct cli *cli)
{
	static const char titles[][8] = {"events", "coarse", "fine"};
	struct json json = {0};
	bool as_json = cli->options.format == FORMAT_JSON;
	if (as_json)
		json = cli_json_begin(cli, "oa.flex");
	for (int part = 0; part < 3; part++) {
		if (as_json) {
			json_key(&json, titles[part]);
			json_array_begin(&json);
		} else {
			fprintf(cli->out.out, "%s%s\n", part ? "\n" : "", titles[part]);
		}
		for (uint32_t i = 0; i < 16; i++) {
			const char *name = sx_oa_flex_name((enum sx_oa_flex_part)part, i);
			const char *about = sx_oa_flex_describe((enum sx_oa_flex_part)part, i);
			if (!name)
				continue;
			if (!as_json) {
				fprintf(cli->out.out, "  %2u  %-16s %s\n", i, name, about);
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
		cli_json_end(&json);
	return SX_OK;
}

static enum sx_status trigger_line(const struct cli *cli, struct json *json, uint32_t address,
				   uint32_t value, struct sx_error *err)
{
	char text[SX_OA_TRIGGER_TEXT_MAX];
	enum sx_status status = sx_oa_trigger_describe(address, value, text, err);
	if (status)
		return status;
	if (cli->options.format != FORMAT_JSON) {
		fprintf(cli->out.out, "%04x:%08x  %s\n", address, value, text);
		return SX_OK;
	}
	json_object_begin(json);
	hex(json, "address", address, 4);
	hex(json, "value", value, 8);
	json_kv_string(json, "text", text);
	json_object_end(json);
	return SX_OK;
}

/* Every boolean register that a set writes, in order. */
static enum sx_status trigger_set(const struct cli *cli, struct json *json, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	const char *name = cli->options.catalog ? cli->options.catalog : "intel-bdw";
	enum sx_status status = sx_catalog_open(cli->context, name, &catalog, err);
	uint32_t count = 0, group = SX_NONE;
	if (status)
		return status;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	group = sx_catalog_find_group(catalog, cli->options.set);
	if (group == SX_NONE) {
		status = error_set(err, SX_ERR_NOT_FOUND, "%s has no set \"%.64s\"", name,
				   cli->options.set);
		error_try(err, "sextant list sets --for %s", name);
	}
	for (uint32_t p = 0; !status && p < groups[group].program_count; p++) {
		const struct sx_program_info *program = &groups[group].programs[p];
		const char *at = program->writes;
		for (uint32_t n = 0;
		     program->kind == SX_PROGRAM_BOOLEAN && !status && n < program->count; n++) {
			char *end;
			uint32_t address = (uint32_t)strtoul(at, &end, 16);
			uint32_t value = (uint32_t)strtoul(end + 1, &end, 16);
			at = end;
			status = trigger_line(cli, json, address, value, err);
		}
	}
	sx_catalog_unref(catalog);
	return status;
}

static enum sx_status trigger_decode(const struct cli *cli, struct json *json, struct sx_error *err)
{
	if (cli->options.set)
		return trigger_set(cli, json, err);
	uint32_t value, address = cli->options.reg ? sx_oa_trigger_register(cli->options.reg) : 0;
	if (!address)
		return usage(err, "no trigger register", "--register OACEC0_0, or --set TestOa");
	enum sx_status status = read_register_value(cli->options.value, &value, err);
	return status ? status : trigger_line(cli, json, address, value, err);
}

static enum sx_status trigger_encode(const struct cli *cli, struct json *json, struct sx_error *err)
{
	const struct string_list *args = &cli->options.args;
	if (args->count < 3)
		return usage(err, "no line to encode",
			     "sextant oa trigger encode \"OACEC0_0: compare=equal value=1\"");
	for (size_t i = 2; i < args->count; i++) {
		uint32_t address, value;
		enum sx_status status = sx_oa_trigger_parse(args->items[i], &address, &value, err);
		if (!status)
			status = trigger_line(cli, json, address, value, err);
		if (status)
			return status;
	}
	return SX_OK;
}

static enum sx_status trigger(const struct cli *cli, bool encode, struct sx_error *err)
{
	struct json json = {0};
	bool as_json = cli->options.format == FORMAT_JSON;
	if (as_json) {
		json = cli_json_begin(cli, "oa.trigger");
		json_key(&json, "registers");
		json_array_begin(&json);
	}
	enum sx_status status =
	    encode ? trigger_encode(cli, &json, err) : trigger_decode(cli, &json, err);
	if (as_json) {
		json_array_end(&json);
		cli_json_end(&json);
	}
	return status;
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

/* Ends the file; the error that counts is that of the file, if there is one. */
static enum sx_status close_recording(struct recording_file *to, enum sx_status status,
				      struct sx_error *err)
{
	if (to->file && to->file != stdout && fclose(to->file) != 0 && !to->err.status)
		error_errno(&to->err, errno, "cannot write %s", to->path);
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
		return usage(err, "no file to record into", "-o FILE");
	struct sx_oa_recording recording = {.device = o->devices.count ? o->devices.items[0]
								       : "i915:card0",
					    .set = o->set,
					    .definitions = o->metrics.items,
					    .definition_count = (uint32_t)o->metrics.count,
					    .interval_ns = o->interval_ns,
					    .duration_ns = o->duration_ns};
	enum sx_status status = sx_oa_record(&recording, write_out, &to, err);
	return close_recording(&to, status, err);
}

static enum sx_status dispatch(const struct cli *cli, struct sx_error *err)
{
	const struct string_list *args = &cli->options.args;
	const char *noun = args->count > 0 ? args->items[0] : "";
	const char *verb = args->count > 1 ? args->items[1] : "";
	bool flex = strcmp(noun, "flex") == 0, encode = strcmp(verb, "encode") == 0;
	bool decode = strcmp(verb, "decode") == 0;
	if (strcmp(noun, "record") == 0)
		return record(cli, err);
	if (flex && encode)
		return flex_encode(cli, err);
	if (flex && decode)
		return flex_decode(cli, err);
	if (flex && strcmp(verb, "list") == 0)
		return flex_list(cli);
	if (strcmp(noun, "trigger") == 0 && (encode || decode))
		return trigger(cli, encode, err);
	error_set(err, SX_ERR_USAGE, "nothing to do");
	error_because(err, "sextant oa wants record, or flex or trigger and then encode or decode");
	error_try(err, "sextant oa --help");
	return SX_ERR_USAGE;
}

static int run(struct cli *cli)
{
	struct sx_error err = {0};
	enum sx_status status = cli_formats(cli, 1u << FORMAT_TEXT | 1u << FORMAT_JSON, &err);
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
	 .options = "counter event coarse fine register value set for device metric interval "
		    "duration output format",
	 .max_args = -1,
	 .own_output = true,
	 .examples = "  sextant oa flex encode --counter A7 --event eu-active\n"
		     "  sextant oa flex decode --register EU_PERF_CNT_CTL0 --value 0x5004 --json\n"
		     "  sextant oa trigger decode --set TestOa\n"
		     "  sextant oa record -d i915:card0 --set ComputeBasic -t 5s -o trace.i915\n"},
    .run = run,
};
