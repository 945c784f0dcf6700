/* sextant oa trigger: registers of triggers and custom events as fields, and back. */
#include "tools/verbs/oa/oa.h"
#include "wire/oa/oa.h"

#include <stdlib.h>
#include <string.h>

#define COMMENT_COLUMN 26
#define BLANKS	       " \t\r\n"

/* Registers on their way out; json when JSON was asked for. */
struct writer {
	const struct cli *cli;
	struct json *json;
	bool encode;
	size_t count;
};

static void fields_json(struct json *json, uint32_t address, uint32_t value)
{
	struct oa_trigger_field field;
	json_kv_array(json, "fields");
	for (uint32_t i = 0; oa_trigger_field(address, value, i, &field); i++) {
		if (!field.shown)
			continue;
		json_object_begin(json);
		json_kv_string(json, "name", field.name);
		json_kv_u64(json, "value", field.value);
		json_kv_string(json, "text", field.text);
		json_kv_string(json, "meaning", field.meaning);
		json_object_end(json);
	}
	json_array_end(json);
}

static void register_json(struct json *json, uint32_t address, uint32_t value, const char *text,
			  const char *warning)
{
	json_object_begin(json);
	oa_json_hex(json, "address", address, 4);
	oa_json_hex(json, "value", value, 8);
	json_kv_string(json, "text", text);
	fields_json(json, address, value);
	json_kv_array(json, "warnings");
	if (warning)
		json_string(json, warning);
	json_array_end(json);
	json_object_end(json);
}

/* One field a line; behind # what it means, which encoding leaves out. */
static void register_text(const struct writer *w, uint32_t address, uint32_t value,
			  const char *name, int name_length)
{
	FILE *out = w->cli->view.out.out;
	struct oa_trigger_field field;
	if (w->encode) {
		fprintf(out, "%04x:%08x  %.*s\n", address, value, name_length, name);
		return;
	}
	fprintf(out, "%s%.*s:%*s# 0x%04x = 0x%08x\n", w->count ? "\n" : "", name_length, name,
		COMMENT_COLUMN - name_length - 1, "", address, value);
	for (uint32_t i = 0; oa_trigger_field(address, value, i, &field); i++) {
		if (!field.shown)
			continue;
		int used = fprintf(out, "  %s=%s", field.name, field.text);
		fprintf(out, "%*s# %s\n", used < COMMENT_COLUMN ? COMMENT_COLUMN - used : 1, "",
			field.meaning);
	}
}

/* Writes a register also when the manual leaves it undefined, and says so then. */
static enum sx_status write_register(struct writer *w, uint32_t address, uint32_t value,
				     struct sx_error *err)
{
	char text[OA_TRIGGER_TEXT_MAX];
	const char *warning = NULL;
	enum sx_status status = oa_trigger_describe(address, value, text, err);
	if (status)
		return status;
	int length = (int)strcspn(text, ":");
	status = oa_trigger_check(address, value, &warning, err);
	if (w->json)
		register_json(w->json, address, value, text, warning);
	else
		register_text(w, address, value, text, length);
	if (warning && !w->json)
		cli_note(w->cli, "warning: %.*s: %s", length, text, warning);
	w->count++;
	return status;
}

static void trigger_begin(struct writer *w, const struct cli *cli, struct json *json)
{
	w->cli = cli;
	if (cli->view.format != FORMAT_JSON)
		return;
	*json = view_json_begin(&cli->view, "oa.trigger");
	json_kv_array(json, "registers");
	w->json = json;
}

static void trigger_end(struct writer *w)
{
	if (!w->json)
		return;
	json_array_end(w->json);
	view_json_end(w->json);
}

/* Every boolean register that a set writes, in order. */
static enum sx_status decode_group(struct writer *w, const struct sx_group_info *group,
				   struct sx_error *err)
{
	enum sx_status status = SX_OK;
	for (uint32_t p = 0; !status && p < group->program_count; p++) {
		const struct sx_program_info *program = &group->programs[p];
		const char *at = program->writes;
		for (uint32_t n = 0;
		     program->kind == SX_PROGRAM_BOOLEAN && !status && n < program->count; n++) {
			uint32_t address, value;
			oa_next_write(&at, &address, &value);
			status = write_register(w, address, value, err);
		}
	}
	return status;
}

static enum sx_status decode_set(struct writer *w, struct sx_error *err)
{
	struct sx_catalog *catalog = NULL;
	const struct options *o = &w->cli->options;
	const char *name = o->catalog ? o->catalog : "intel-bdw";
	enum sx_status status = sx_catalog_open(w->cli->context, name, &catalog, err);
	uint32_t count = 0;
	if (status)
		return status;
	const struct sx_group_info *groups = sx_catalog_groups(catalog, &count);
	uint32_t group = sx_catalog_find_group(catalog, o->set);
	if (group == SX_NONE) {
		status = error_set(err, SX_ERR_NOT_FOUND, "%s has no set \"%.64s\"", name, o->set);
		error_because(err, "its name is none of the sets'");
		error_try(err, "sextant list sets --for %s", name);
	} else {
		status = decode_group(w, &groups[group], err);
	}
	sx_catalog_unref(catalog);
	return status;
}

static enum sx_status trigger_decode(struct writer *w, struct sx_error *err)
{
	const struct options *o = &w->cli->options;
	if (o->set)
		return decode_set(w, err);
	uint32_t value, address = o->reg ? oa_trigger_register(o->reg) : 0;
	if (!address)
		return oa_usage(err, o->reg ? "not a trigger register" : "no trigger register",
				"there are OASTARTTRIG1 to 8, OAREPORTTRIG1 to 8, OACEC0_0 to 7_1",
				"--register OACEC0_0 --value 0x4, or --set TestOa");
	enum sx_status status = oa_register_value(o->value, &value, err);
	return status ? status : write_register(w, address, value, err);
}

enum sx_status oa_trigger_decode(const struct cli *cli, struct sx_error *err)
{
	struct json json = {0};
	struct writer w = {0};
	trigger_begin(&w, cli, &json);
	enum sx_status status = trigger_decode(&w, err);
	trigger_end(&w);
	return status;
}

/* In place: no comments, which go from # to the end of the line, and one blank between words. */
static void strip_comments(char *text)
{
	char *to = text;
	for (const char *at = text; *at;) {
		size_t blank = *at == '#' ? strcspn(at, "\n") : strspn(at, BLANKS);
		at += blank;
		if (!blank)
			*to++ = *at++;
		else if (to > text && to[-1] != ' ')
			*to++ = ' ';
	}
	*to = '\0';
}

static enum sx_status encode_line(struct writer *w, const char *line, struct sx_error *err)
{
	uint32_t address, value;
	enum sx_status status = oa_trigger_parse(line, &address, &value, err);
	return status ? status : write_register(w, address, value, err);
}

/* A register begins with a word that ends in a colon; what follows are its fields. */
static enum sx_status encode_text(struct writer *w, char *text, struct sx_error *err)
{
	enum sx_status status = SX_OK;
	strip_comments(text);
	char *line = text + strspn(text, BLANKS), *at = line;
	while (!status && *line) {
		at += strcspn(at, BLANKS);
		at += strspn(at, BLANKS);
		size_t word = strcspn(at, BLANKS);
		if (*at && at[word - 1] != ':')
			continue;
		char first = *at;
		*at = '\0';
		status = encode_line(w, line, err);
		*at = first;
		line = at;
	}
	return status;
}

enum sx_status oa_trigger_encode(const struct cli *cli, struct sx_error *err)
{
	const struct string_list *args = &cli->options.args;
	struct json json = {0};
	struct writer w = {.encode = true};
	enum sx_status status = SX_OK;
	trigger_begin(&w, cli, &json);
	for (size_t i = 2; !status && i < args->count; i++) {
		char *copy = strdup(args->items[i]);
		status = copy ? encode_text(&w, copy, err) : error_nomem(err, "registers");
		free(copy);
	}
	trigger_end(&w);
	if (!status && !w.count)
		return oa_usage(err, "no register to encode", "registers are arguments",
				"sextant oa trigger encode 'OACEC0_0: compare=equal value=1'");
	return status;
}
