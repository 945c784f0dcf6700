/* Gates from the command line, and the exit status that they give. */
#include "tools/cli/gate_options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "output/report/report.h"

#define GATES_BYTES_MAX (1 << 20)

static enum sx_status read_gates(const char *path, struct arena *arena, char **text,
				 struct sx_error *err)
{
	FILE *file = fopen(path, "re");
	if (!file) {
		enum sx_status status = error_input(err, errno, "cannot read the gates of", path);
		if (strncmp(err->remedy, "check", 5) == 0) /* no file is near */
			error_try(err, "--gates FILE, a text with one gate a line (frame_time.p95 "
				       "< 16.6ms), or --gate 'frame_time.p95 < 16.6ms'");
		return status;
	}
	*text = arena_alloc(arena, GATES_BYTES_MAX + 1);
	size_t size = *text ? fread(*text, 1, GATES_BYTES_MAX + 1, file) : 0;
	bool bad = ferror(file);
	fclose(file);
	if (!*text)
		return error_nomem(err, "gates");
	if (bad || size > GATES_BYTES_MAX || memchr(*text, '\0', size)) {
		error_set(err, SX_ERR_BAD_INPUT, "%s is no list of gates", path);
		error_because(err, "it is no text, or larger than 1 MiB");
		error_try(err, "one gate a line: frame_time.p95 < 16.6ms");
		return SX_ERR_BAD_INPUT;
	}
	(*text)[size] = '\0';
	return SX_OK;
}

/* What is said of gates says nothing where there are none. */
static enum sx_status check_words(const struct options *o, size_t gates, struct sx_error *err)
{
	const char *name = o->gate_warn ? "gate-warn" : o->gate_missing ? "gate-missing" : NULL;
	if (gates || o->gates_file || !name || options_is_default(o, name))
		return SX_OK;
	error_set(err, SX_ERR_USAGE, "--%s does nothing without a gate", name);
	error_because(err, "it says what becomes of gates, and none is set");
	error_try(err, "--gate 'frame_time.p95 < 16.6ms' beside it, or --gates FILE");
	return SX_ERR_USAGE;
}

enum sx_status gate_options_read(const struct cli *cli, struct arena *arena, struct gate **out,
				 size_t *count, struct sx_error *err)
{
	const struct options *o = &cli->options;
	struct gates lines = {0};
	enum sx_status status = check_words(o, o->gates.count, err);
	if (!status && o->gates_file) {
		char *text = NULL;
		status = read_gates(o->gates_file, arena, &text, err);
		if (!status)
			status = gate_parse_lines(arena, o->gates_file, text, &lines, err);
	}
	if (!status && o->gate_missing && strcmp(o->gate_missing, "skip") != 0 &&
	    strcmp(o->gate_missing, "fail") != 0) {
		error_set(err, SX_ERR_USAGE, "--gate-missing=%s is not known", o->gate_missing);
		error_because(err, "a gate that cannot be judged fails, or is skipped");
		error_try(err, "--gate-missing=skip");
		status = SX_ERR_USAGE;
	}
	*count = 0;
	*out = arena_alloc(arena, (o->gates.count + lines.count + 1) * sizeof(**out));
	if (!*out)
		return error_nomem(err, "gates");
	for (size_t i = 0; !status && i < o->gates.count; i++)
		status = gate_parse(arena, o->gates.items[i], &(*out)[(*count)++], err);
	for (size_t i = 0; !status && i < lines.count; i++)
		(*out)[(*count)++] = lines.items[i];
	return status;
}

enum sx_status gate_options_check(const struct cli *cli, struct sx_error *err)
{
	struct arena arena = {0};
	struct gates gates;
	enum sx_status status = gate_options_read(cli, &arena, &gates.items, &gates.count, err);
	arena_finish(&arena);
	return status;
}

enum sx_status gate_options_names(struct arena *arena, struct gates gates, struct gate_names *out,
				  struct sx_error *err)
{
	*out = (struct gate_names){arena_alloc(arena, (2 * gates.count + 1) * sizeof(char *)), 0};
	if (!out->items)
		return error_nomem(err, "gates");
	for (size_t i = 0; i < gates.count; i++) {
		const char *name = gates.items[i].metric, *dot = strrchr(name, '.');
		out->items[out->count++] = name;
		if (dot && (name = arena_strndup(arena, name, (size_t)(dot - name))))
			out->items[out->count++] = name;
	}
	return SX_OK;
}

bool gate_options_skip(const struct cli *cli)
{
	const char *missing = cli->options.gate_missing;
	return missing && strcmp(missing, "skip") == 0;
}

int gate_options_exit(const struct cli *cli, const struct report_gate *gates, size_t count)
{
	const struct options *o = &cli->options;
	bool skip = gate_options_skip(cli);
	const unsigned no_place =
	    1u << FORMAT_CSV | 1u << FORMAT_NDJSON | 1u << FORMAT_HTML | 1u << FORMAT_OPENMETRICS;
	bool says = no_place >> cli->view.format & 1;
	char found[256];
	int code = EXIT_OK;
	for (size_t i = 0; i < count; i++) {
		const struct report_gate *g = &gates[i];
		if (says) {
			gates_finding(&cli->view, g, found, sizeof(found));
			cli_note(cli, "gate %s: %s, %s", g->text, gates_state(g), found);
		}
		if (g->why && !skip && code == EXIT_OK)
			code = EXIT_INCOMPLETE;
		if (!g->why && !g->passed && !o->gate_warn)
			code = EXIT_REGRESSION;
	}
	return code;
}
