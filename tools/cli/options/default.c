/* Options that the configuration gives. */
#include "tools/cli/options/internal.h"

#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/suggest.h"

/* "yes" and "no" for what is a switch on the command line. */
static enum sx_status default_switch(struct options *options, const struct verb *verb,
				     const struct option_spec *spec, const char *value,
				     struct sx_error *err)
{
	if (strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0)
		return value_set(options, verb, spec, NULL, err);
	if (strcasecmp(value, "no") == 0 || strcasecmp(value, "false") == 0)
		return SX_OK;
	value_bad(err, spec, value, "yes or no");
	error_try(err, "--%s yes", spec->name);
	return SX_ERR_USAGE;
}

static const struct option_spec *find_spec(const char *name)
{
	for (size_t i = 0; i < table_count; i++)
		if (strcmp(table_specs[i].name, name) == 0)
			return &table_specs[i];
	return NULL;
}

bool options_add_up(const char *name)
{
	const struct option_spec *spec = find_spec(name);
	return spec && (spec->kind == TEXTS || spec->kind == LIST || spec->kind == CONSTANT);
}

bool options_is_default(const struct options *options, const char *name)
{
	const struct option_spec *spec = find_spec(name);
	return spec && options->defaulted >> (spec - table_specs) & 1;
}

/* Whether a format is one that only other verbs write. */
static bool is_of_others(const struct verb *verb, const struct option_spec *spec, const char *value)
{
	for (int i = 0; spec->kind == FORMAT && i < FORMAT_COUNT; i++)
		if (spec->value >= 0 ? spec->value == i
				     : strcasecmp(format_name((enum format)i), value) == 0)
			return !(verb->formats >> i & 1);
	return false;
}

/* Whether the command line gave an option of this name. */
static bool is_typed(const struct option_default *given, const char *name)
{
	const struct option_spec *spec = find_spec(name);
	return spec && given->given >> (spec - table_specs) & 1;
}

/*
 * Whether the command line replaces this option by another way to say the same: a file as argument,
 * a program or a device replaces --input, and --device and --for replace each other.
 */
static bool is_said_otherwise(const struct options *o, const struct verb *verb,
			      const struct option_default *given)
{
	if (strcmp(given->name, "input") == 0)
		return verb->files_from ? o->args.count >= verb->files_from
					: o->child || is_typed(given, "pid") ||
					      is_typed(given, "device") || is_typed(given, "for");
	if (strcmp(given->name, "device") == 0)
		return is_typed(given, "for");
	return strcmp(given->name, "for") == 0 && is_typed(given, "device");
}

static enum sx_status no_such_option(const char *name, struct sx_error *err)
{
	struct suggest near;
	suggest_begin(&near, name + strspn(name, "-"), 1);
	for (size_t i = 0; i < table_count; i++)
		suggest_offer(&near, table_specs[i].name);
	error_set(err, SX_ERR_USAGE, "no verb has an option %s", name);
	error_because(err, "options are called as on the command line, without dashes");
	if (near.count)
		error_try(err, "%s, or: sextant stat --help, for names", near.items[0]);
	else
		error_try(err, "sextant stat --help, for names");
	return SX_ERR_USAGE;
}

static enum sx_status no_such_verb(const struct verb *const *verbs, const char *name,
				   struct sx_error *err)
{
	struct suggest near;
	suggest_begin(&near, name, 1);
	for (size_t i = 0; verbs[i]; i++)
		suggest_offer(&near, verbs[i]->name);
	error_set(err, SX_ERR_USAGE, "\"%s\" is not a verb of sextant", name);
	error_because(err, "the word before the dot is the verb of the line");
	error_try(err, "%s%ssextant --help, which lists all verbs", near.count ? near.items[0] : "",
		  near.count ? ", or: " : "");
	return SX_ERR_USAGE;
}

static enum sx_status not_taken(const struct verb *verb, const char *name, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "sextant %s has no option %s", verb->name, name);
	error_because(err, "only other verbs take it");
	error_try(err, "sextant %s --help, or the line without \"%s.\"", verb->name, verb->name);
	return SX_ERR_USAGE;
}

/* A format that no verb writes is no mistake about one of them. */
static enum sx_status check_format(const char *value, struct sx_error *err)
{
	const char *names[FORMAT_COUNT + 1] = {0};
	char list[128];
	for (int i = 0; i < FORMAT_COUNT; i++) {
		names[i] = format_name((enum format)i);
		if (strcasecmp(names[i], value) == 0)
			return SX_OK;
	}
	const char *near = options_nearest(value, names);
	error_set(err, SX_ERR_USAGE, "no verb writes %s", value);
	error_because(err, "there are %s", format_list(~0u, list, sizeof(list)));
	error_try(err, "--format %s", near ? near : "json");
	return SX_ERR_USAGE;
}

enum sx_status options_default(struct options *options, const struct verb *verb,
			       const struct option_default *given, bool *set, struct sx_error *err)
{
	const struct option_spec *spec = find_spec(given->name);
	*set = false;
	if (!spec)
		return no_such_option(given->name, err);
	bool wins =
	    spec->kind == FORMAT ? given->format_given : given->given >> (spec - table_specs) & 1;
	if (wins || !table_takes(verb, spec) || is_said_otherwise(options, verb, given) ||
	    (given->general && is_of_others(verb, spec, given->value)))
		return SX_OK;
	*set = true;
	options->defaulted |= UINT64_C(1) << (spec - table_specs);
	if (!spec->arg)
		return default_switch(options, verb, spec, given->value, err);
	char *copy = value_keep(options, given->value);
	return copy ? value_set(options, verb, spec, copy, err)
		    : error_nomem(err, "reading options");
}

enum sx_status options_check_default(const struct verb *const *verbs, const char *of,
				     const struct option_default *given, struct sx_error *err)
{
	const struct option_spec *spec = find_spec(given->name);
	size_t at = 0;
	while (of && verbs[at] && strcmp(verbs[at]->name, of) != 0)
		at++;
	if (of && !verbs[at])
		return no_such_verb(verbs, of, err);
	if (!spec)
		return no_such_option(given->name, err);
	if (of && !table_takes(verbs[at], spec))
		return not_taken(verbs[at], given->name, err);
	if (!of && spec->kind == FORMAT && spec->value < 0)
		return check_format(given->value, err);
	while (!of && verbs[at] && !table_takes(verbs[at], spec))
		at++;
	bool set;
	struct options tried = {0};
	enum sx_status status =
	    verbs[at] ? options_default(&tried, verbs[at], given, &set, err) : SX_OK;
	options_finish(&tried);
	return status;
}
