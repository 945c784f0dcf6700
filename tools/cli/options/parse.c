/* The parser of command lines, and what becomes of its result. */
#include "tools/cli/options/internal.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/suggest.h"
#include "base/text_buf.h"

const char *options_nearest(const char *word, const char *const *candidates)
{
	struct suggest near;
	suggest_begin(&near, word, 1);
	for (; *candidates; candidates++)
		suggest_offer(&near, *candidates);
	return near.count ? near.items[0] : NULL;
}

struct cursor {
	int argc, at;
	char **argv;
	struct options *options; /* options that receive what is read */
};

/* Applies an option. Its value is `inline_value`, the next argument, or none. */
static enum sx_status apply(struct cursor *cursor, const struct verb *verb,
			    const struct option_spec *spec, char *inline_value,
			    struct sx_error *err)
{
	if (!spec->arg) {
		if (inline_value) {
			error_set(err, SX_ERR_USAGE, "--%s takes no value", spec->name);
			error_because(err, "it is a switch");
			error_try(err, "--%s", spec->name);
			return SX_ERR_USAGE;
		}
		return value_set(cursor->options, verb, spec, NULL, err);
	}
	if (!inline_value) {
		if (cursor->at + 1 >= cursor->argc ||
		    strcmp(cursor->argv[cursor->at + 1], "--") == 0) {
			error_set(err, SX_ERR_USAGE, "--%s needs a value", spec->name);
			error_because(err, "%s", spec->help);
			error_try(err, "--%s %s", spec->name, spec->arg);
			return SX_ERR_USAGE;
		}
		inline_value = cursor->argv[++cursor->at];
	}
	return value_set(cursor->options, verb, spec, inline_value, err);
}

static enum sx_status parse_long(const struct verb *verb, struct cursor *cursor,
				 struct sx_error *err)
{
	char *name = cursor->argv[cursor->at] + 2;
	char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	size_t others;
	const struct option_spec *spec = table_find_long(verb, name, len, &others);
	if (!spec) {
		if (equals)
			*equals = '\0';
		return others ? table_several(verb, name, err) : table_unknown(verb, name, err);
	}
	return apply(cursor, verb, spec, equals ? equals + 1 : NULL, err);
}

/* -vv, -I10ms, -I 10ms */
static enum sx_status parse_short(const struct verb *verb, struct cursor *cursor,
				  struct sx_error *err)
{
	for (char *p = cursor->argv[cursor->at] + 1; *p; p++) {
		const struct option_spec *spec = table_find_short(verb, *p);
		if (!spec)
			return table_unknown(verb, (char[]){*p, '\0'}, err);
		if (spec->arg)
			return apply(cursor, verb, spec, p[1] ? p + 1 : NULL, err);
		enum sx_status status = apply(cursor, verb, spec, NULL, err);
		if (status)
			return status;
	}
	return SX_OK;
}

static enum sx_status take_child(struct options *options, const struct verb *verb,
				 struct cursor *cursor, struct sx_error *err)
{
	if (verb->child && cursor->at + 1 < cursor->argc) {
		options->child = cursor->argv + cursor->at + 1;
		return SX_OK;
	}
	error_set(err, SX_ERR_USAGE,
		  verb->child ? "no command after --" : "sextant %s runs no command", verb->name);
	error_because(err, verb->child ? "-- is followed by the program to measure"
				       : "only verbs that measure take -- and a program");
	error_try(err, "sextant stat -- COMMAND");
	return SX_ERR_USAGE;
}

/* Appends a word as a shell wants it. */
static void append_word(char *line, size_t size, const char *word)
{
	char quoted[ERROR_WORD_MAX];
	text_append(line, size, " %s", error_word(quoted, word));
}

/* Whether two commands are expected and two words left, of which none parts the commands. */
static bool is_pair(const struct cursor *cursor, const struct verb *verb)
{
	return strstr(verb->synopsis, ":::") && cursor->argc - cursor->at == 2 &&
	       strcmp(cursor->argv[cursor->at + 1], ":::") != 0;
}

/* The same command line with the -- that is missing before the argument at hand. */
static void try_as_child(const struct cursor *cursor, const struct verb *verb, struct sx_error *err)
{
	char line[SX_ERROR_TEXT_MAX] = "";
	for (int i = 0; i < cursor->argc; i++) {
		if (i == cursor->at)
			append_word(line, sizeof(line), "--");
		else if (i == cursor->at + 1 && is_pair(cursor, verb))
			append_word(line, sizeof(line), ":::");
		append_word(line, sizeof(line), cursor->argv[i]);
	}
	error_try(err, "sextant %s%s", verb->name, line);
}

static enum sx_status take_argument(const struct cursor *cursor, const struct verb *verb,
				    struct sx_error *err)
{
	struct options *options = cursor->options;
	char *text = cursor->argv[cursor->at];
	if (!*text) {
		error_set(err, SX_ERR_USAGE, "an argument is empty");
		error_because(err, "usage is: sextant %s %s", verb->name, verb->synopsis);
		error_try(err, "sextant %s --help", verb->name);
		return SX_ERR_USAGE;
	}
	if (verb->max_args < 0 || options->args.count < (size_t)verb->max_args)
		return list_add(&options->args, text) ? SX_OK : error_nomem(err, "reading options");
	error_set(err, SX_ERR_USAGE, "\"%s\" is one argument too many", text);
	if (strcmp(text, "help") == 0) {
		error_because(err, "help is an option after a verb, and a word before one");
		error_try(err, "sextant %s --help", verb->name);
		return SX_ERR_USAGE;
	}
	bool file = access(text, R_OK) == 0 && access(text, X_OK) < 0;
	if (verb->child && file && options_word(verb->options, "input")) {
		error_because(err, "a file to read follows -i, a program to measure follows --");
		error_try(err, "sextant %s -i %s", verb->name,
			  error_word((char[ERROR_WORD_MAX]){0}, text));
	} else if (verb->child) {
		error_because(err, "a program to measure follows --");
		try_as_child(cursor, verb, err);
	} else {
		error_because(err, "usage is: sextant %s %s", verb->name, verb->synopsis);
		error_try(err, "sextant %s --help", verb->name);
	}
	return SX_ERR_USAGE;
}

enum sx_status options_parse(struct options *options, const struct verb *verb, int argc,
			     char **argv, struct sx_error *err)
{
	struct cursor cursor = {.argc = argc, .argv = argv, .options = options};
	enum sx_status status = SX_OK;
	for (; !status && cursor.at < argc && !options->child; cursor.at++) {
		char *arg = argv[cursor.at];
		if (strcmp(arg, "--") == 0)
			status = take_child(options, verb, &cursor, err);
		else if (arg[0] == '-' && arg[1] == '-')
			status = parse_long(verb, &cursor, err);
		else if (arg[0] == '-' && arg[1])
			status = parse_short(verb, &cursor, err);
		else
			status = take_argument(&cursor, verb, err);
	}
	if (!status && !options->format_given)
		status = format_by_suffix(options, verb, err);
	if (!status)
		status = format_stdout_capture(options, verb, err);
	return status ? status : together_check(options, verb, err);
}

char *value_keep(struct options *options, const char *text)
{
	char *copy = strdup(text);
	if (copy && !list_add(&options->owned, copy)) {
		free(copy);
		copy = NULL;
	}
	return copy;
}

enum sx_status options_add(struct options *options, struct string_list *list, const char *text,
			   bool split, struct sx_error *err)
{
	char *copy = split ? value_keep(options, text) : NULL;
	bool ok = split ? copy && list_split(list, copy) : list_add(list, text);
	return ok ? SX_OK : error_nomem(err, "reading options");
}

void options_finish(struct options *options)
{
	for (size_t i = 0; i < options->owned.count; i++)
		free((char *)(uintptr_t)options->owned.items[i]);
	free(options->owned.items);
	free(options->devices.items);
	free(options->metrics.items);
	free(options->args.items);
	free(options->gates.items);
	free(options->maps.items);
	free(options->constants);
}

struct sx_metrics_options options_selection(const struct options *options,
					    const struct sx_table *like)
{
	return (struct sx_metrics_options){.patterns = options->metrics.items,
					   .pattern_count = (uint32_t)options->metrics.count,
					   .keep_neutral = true,
					   .set = options->set,
					   .variant = options->api,
					   .constants = options->constants,
					   .constant_count = (uint32_t)options->constant_count,
					   .counters = options->counters,
					   .like = like};
}
