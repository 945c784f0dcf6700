/* Parses values of options. Every error says what would be right. */
#include "tools/cli/options/internal.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/mem.h"

bool list_add(struct string_list *list, const char *item)
{
	if (!mem_grow(&list->items, &list->cap, list->count + 1, sizeof(*list->items)))
		return false;
	list->items[list->count++] = item;
	return true;
}

bool list_split(struct string_list *list, char *text)
{
	int depth = 0;
	char *start = text;
	for (char *p = text;; p++) {
		if (*p == '(')
			depth++;
		else if (*p == ')')
			depth--;
		if (*p && !(*p == ',' && depth <= 0))
			continue;
		bool last = !*p;
		*p = '\0';
		start += strspn(start, " ");
		if (*start && !list_add(list, start))
			return false;
		start = p + 1;
		if (last)
			return true;
	}
}

/* The error of a duration of 0. */
static enum sx_status no_time(const char *text, struct sx_error *err)
{
	error_set(err, SX_ERR_USAGE, "the duration \"%s\" is no time at all", text);
	error_because(err, "a duration must be above zero");
	error_try(err, "500us, 10ms, 2s or 1min");
	return SX_ERR_USAGE;
}

/* The error of an ambiguous or missing unit: "20m" may be minutes or milliseconds. */
static enum sx_status no_unit(const char *text, const char *unit, double value,
			      struct sx_error *err)
{
	bool minutes = strcmp(unit, "m") == 0;
	if (!*unit) {
		error_set(err, SX_ERR_USAGE, "the duration \"%s\" has no unit", text);
		error_because(err, "a bare number could mean seconds or milliseconds");
		error_try(err, "%sms or %ss", text, text);
		return SX_ERR_USAGE;
	}
	error_set(err, SX_ERR_USAGE, "\"%s\" is not a duration that can be used", text);
	error_because(err, minutes ? "m could mean minutes or milliseconds"
				   : "the unit must be ns, us, ms, s, min or h, and the length "
				     "between 1ns and 292 years");
	if (minutes)
		error_try(err, "%gms or %gmin", value, value);
	else
		error_try(err, "500us, 10ms, 2s or 1min");
	return SX_ERR_USAGE;
}

static const struct {
	const char *unit;
	double ns;
} units[] = {{"ns", 1},	 {"us", 1e3},	{"\u00b5s", 1e3}, {"ms", 1e6},
	     {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};

/* "0ms": a place in time where lengths have no use for it. */
static bool is_no_time(const char *text)
{
	const char *unit = text + strspn(text, "0");
	bool known = false;
	for (size_t i = 0; unit > text && i < sizeof(units) / sizeof(units[0]); i++)
		known |= strcmp(unit, units[i].unit) == 0;
	return known;
}

enum sx_status options_duration(const char *text, uint64_t *ns, struct sx_error *err)
{
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || !isfinite(value) || value < 0 || !isdigit((unsigned char)text[0])) {
		error_set(err, SX_ERR_USAGE, "\"%s\" is not a duration", text);
		error_because(err, "a duration is a number and a unit");
		error_try(err, "500us, 10ms, 2s or 1min");
		return SX_ERR_USAGE;
	}
	if (value == 0 && !*end)
		return no_time(text, err);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double total = value * units[i].ns;
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (value == 0)
			return no_time(text, err);
		if (total < 1 || total > 9e18)
			break;
		*ns = (uint64_t)(total + 0.5);
		return SX_OK;
	}
	return no_unit(text, end, value, err);
}

enum sx_status value_bad(struct sx_error *err, const struct option_spec *spec, const char *text,
			 const char *expected)
{
	error_set(err, SX_ERR_USAGE, "--%s cannot be \"%s\"", spec->name, text);
	error_because(err, "it takes %s", expected);
	error_try(err, "--%s %s", spec->name, spec->arg ? spec->arg : "");
	return SX_ERR_USAGE;
}

static enum sx_status bad_number(struct sx_error *err, const struct option_spec *spec,
				 const char *text, const char *expected, const char *example)
{
	value_bad(err, spec, text, expected);
	error_try(err, "--%s %s", spec->name, example);
	return SX_ERR_USAGE;
}

static enum sx_status set_constant(struct options *options, const struct option_spec *spec,
				   char *text, struct sx_error *err)
{
	char *equals = strchr(text, '=');
	char *end = NULL;
	double value = equals ? strtod(equals + 1, &end) : 0;
	if (!equals || equals == text || end == equals + 1 || *end || !isfinite(value))
		return bad_number(err, spec, text, "a name and a number", "shader_cores=4");
	if (!mem_grow(&options->constants, &options->constant_cap, options->constant_count + 1,
		      sizeof(*options->constants)))
		return error_nomem(err, "reading options");
	*equals = '\0';
	options->constants[options->constant_count++] = (struct sx_constant_value){text, value};
	return SX_OK;
}

static enum sx_status set_color(struct options *options, const struct option_spec *spec,
				const char *text, struct sx_error *err)
{
	static const char *const names[] = {"auto", "always", "never"};
	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], text) == 0) {
			options->color = (enum color)i;
			return SX_OK;
		}
	}
	value_bad(err, spec, text, "auto, always or never");
	error_try(err, "--%s never", spec->name);
	return SX_ERR_USAGE;
}

static enum sx_status set_number(void *member, const struct option_spec *spec, const char *text,
				 struct sx_error *err)
{
	char *end;
	errno = 0;
	if (spec->kind == COUNT) {
		unsigned long long value = strtoull(text, &end, 10);
		if (!isdigit((unsigned char)text[0]) || *end || errno || value == 0)
			return bad_number(err, spec, text, "a whole number above zero", "10");
		*(uint64_t *)member = value;
		return SX_OK;
	}
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value <= 0)
		return bad_number(err, spec, text, "a number above zero", "60");
	*(double *)member = value;
	return SX_OK;
}

/* A percentage, with or without its sign. */
static enum sx_status set_share(struct option_share *share, const struct option_spec *spec,
				const char *text, struct sx_error *err)
{
	char *end;
	double value = strtod(text, &end);
	bool number = end != text && isfinite(value) && value >= 0 && value <= 1000;
	if (!number || strcmp(end + (*end == '%'), "") != 0)
		return bad_number(err, spec, text, "a percentage from 0 on, as 5 or 2.5%", "5");
	share->given = true;
	share->permille = (uint32_t)ceil(value * 10);
	return SX_OK;
}

/* Decimal, or hexadecimal behind 0x, as drivers print ids. */
static enum sx_status set_id(struct option_id *id, const struct option_spec *spec, const char *text,
			     struct sx_error *err)
{
	char *end;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hex ? 16 : 10);
	if (!isxdigit((unsigned char)digits[0]) || *end || errno || value > UINT32_MAX) {
		value_bad(err, spec, text, "a number of 32 bits, decimal or after 0x");
		/* A name is what people have. */
		if (spec->letter)
			error_try(err, "--%s \"$(pidof -s %s)\"", spec->name,
				  isalpha((unsigned char)text[0])
				      ? error_word((char[ERROR_WORD_MAX]){0}, text)
				      : "PROGRAM");
		else
			error_try(err, "--%s 0x1a2b; decode --by context shows the ids",
				  spec->name);
		return SX_ERR_USAGE;
	}
	*id = (struct option_id){true, (uint32_t)value};
	return SX_OK;
}

static enum sx_status set_per(struct options *options, const struct option_spec *spec,
			      const char *text, struct sx_error *err)
{
	static const char *const kinds[] = {
	    "frame",	      "pass",	"group", "draw",    "kernel",
	    "command-buffer", "submit", "queue", "process", NULL};
	for (size_t i = 0; kinds[i]; i++)
		if (strcasecmp(kinds[i], text) == 0) {
			options->per = sx_sample_kind_find(kinds[i]);
			return SX_OK;
		}
	value_bad(err, spec, text,
		  "frame, pass, group, draw, kernel, command-buffer, submit, queue or process");
	const char *near = options_nearest(text, kinds);
	error_try(err, "--per %s", near ? near : "frame");
	return SX_ERR_USAGE;
}

/* The error of an empty value, mostly an unset variable of a shell. */
static enum sx_status empty_value(struct sx_error *err, const struct option_spec *spec)
{
	error_set(err, SX_ERR_USAGE, "--%s is empty", spec->name);
	error_because(err, "it takes %s: %s", spec->arg, spec->help);
	error_try(err, "--%s %s, or no --%s", spec->name, spec->arg, spec->name);
	return SX_ERR_USAGE;
}

enum sx_status value_set(struct options *options, const struct verb *verb,
			 const struct option_spec *spec, char *text, struct sx_error *err)
{
	if (text && (!*text || (spec->kind == LIST && !text[strspn(text, ", ")])))
		return empty_value(err, spec);
	options->given |= UINT64_C(1) << (spec - table_specs);
	void *member = (char *)options + spec->offset;
	switch (spec->kind) {
	case FLAG:
		*(bool *)member = true;
		return SX_OK;
	case TALLY:
		++*(int *)member;
		return SX_OK;
	case STRING:
		*(const char **)member = text;
		return SX_OK;
	case TEXTS:
		return list_add(member, text) ? SX_OK : error_nomem(err, "reading options");
	case LIST:
		return list_split(member, text) ? SX_OK : error_nomem(err, "reading options");
	case DURATION:
		return spec->value && is_no_time(text) ? SX_OK
						       : options_duration(text, member, err);
	case COUNT:
	case NUMBER:
		return set_number(member, spec, text, err);
	case SHARE:
		return set_share(member, spec, text, err);
	case ID:
		return set_id(member, spec, text, err);
	case CONSTANT:
		return set_constant(options, spec, text, err);
	case FORMAT:
		return format_set(options, spec, verb, text, err);
	case COLOR:
		return set_color(options, spec, text, err);
	case PER:
		return set_per(options, spec, text, err);
	}
	return SX_ERR_USAGE;
}
