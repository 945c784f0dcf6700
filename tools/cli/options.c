/* The option table and its parser. Every mistake is answered with what would have been right. */
#include "tools/cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"

enum kind {
	FLAG,
	TALLY,
	STRING,
	TEXTS,
	LIST,
	DURATION,
	COUNT,
	NUMBER,
	SHARE,
	ID,
	CONSTANT,
	FORMAT,
	COLOR
};

struct spec {
	const char *name;
	char letter;
	enum kind kind;
	size_t offset;
	const char *arg, *help;
	int value; /* FORMAT: what a short form sets */
};

#define AT(member) offsetof(struct options, member)

static const struct spec specs[] = {
    {"device", 'd', LIST, AT(devices), "SEL", "a device of this machine (see: sextant devices)", 0},
    {"for", 0, STRING, AT(catalog), "NAME", "a catalog, for a device that need not be here", 0},
    {"metric", 'm', LIST, AT(metrics), "LIST", "metrics and counters: names, globs, all", 0},
    {"set", 's', STRING, AT(set), "NAME", "a metric set or group", 0},
    {"interval", 'I', DURATION, AT(interval_ns), "DUR", "time between samples, as 10ms", 0},
    {"duration", 't', DURATION, AT(duration_ns), "DUR", "how long to measure, as 5s", 0},
    {"from", 0, DURATION, AT(from_ns), "DUR", "begin this long after the first sample", 0},
    {"to", 0, DURATION, AT(to_ns), "DUR", "end this long after the first sample", 0},
    {"count", 'n', COUNT, AT(count), "N", "how many samples", 0},
    {"repeat", 'r', COUNT, AT(repeat), "N", "run it so many times, and tell the spread", 0},
    {"input", 'i', STRING, AT(input), "FILE", "read this file; - is standard input", 0},
    {"output", 'o', STRING, AT(output), "FILE", "write the result here", 0},
    {"const", 0, CONSTANT, 0, "NAME=VALUE", "a constant of the device", 0},
    {"api", 0, STRING, AT(api), "NAME", "the API or variant whose formulas apply", 0},
    {"as", 0, STRING, AT(as), "KIND", "what the input file is", 0},
    {"counters", 0, FLAG, AT(counters), NULL, "raw counters instead of metrics", 0},
    {"by", 0, STRING, AT(by), "KEY", "frame, group, time, instance, process or context", 0},
    {"sort", 0, STRING, AT(sort), "METRIC", "order rows by this metric", 0},
    {"top", 0, COUNT, AT(top), "N", "only the first N rows", 0},
    {"keep", 0, STRING, AT(keep), "DUR", "keep only the last DUR; SIGUSR2 writes them", 0},
    {"realtime", 0, FLAG, AT(realtime), NULL, "replay at the speed of the recording", 0},
    {"overhead", 0, SHARE, AT(overhead), "PERCENT",
     "what measuring may cost a program (default 5); 0: count every frame", 0},
    {"context", 0, ID, AT(context), "ID", "only what ran in this context", 0},
    {"process", 0, STRING, AT(process), "NAME|PID", "only this process's samples", 0},
    {"summary", 0, FLAG, AT(summary), NULL, "one row for the whole input", 0},
    {"counter", 0, STRING, AT(counter), "A7..A20", "a flexible EU counter", 0},
    {"event", 0, STRING, AT(event), "N|NAME", "what increments it", 0},
    {"coarse", 0, STRING, AT(coarse), "N|NAME", "coarse filter", 0},
    {"fine", 0, STRING, AT(fine), "N|NAME", "fine filter", 0},
    {"register", 0, STRING, AT(reg), "NAME", "a register", 0},
    {"value", 0, STRING, AT(value), "HEX", "its value", 0},
    {"fps", 0, NUMBER, AT(fps), "N", "frame rate to reach", 0},
    {"resolution", 0, STRING, AT(resolution), "WxH", "size of the picture", 0},
    {"gate", 0, TEXTS, AT(gates), "GATE", "a limit, as 'frame_time.p95 < 16.6ms'; any number", 0},
    {"gates", 0, STRING, AT(gates_file), "FILE", "limits, one a line", 0},
    {"gate-missing", 0, STRING, AT(gate_missing), "WHAT", "fail or skip what cannot be judged", 0},
    {"gate-warn", 0, FLAG, AT(gate_warn), NULL, "a gate that fails does not change the status", 0},
    {"baseline", 0, STRING, AT(baseline), "FILE", "A: what to compare with", 0},
    {"update-baseline", 0, STRING, AT(update_baseline), "FILE", "write B's numbers as a baseline",
     0},
    {"selftest", 0, FLAG, AT(selftest), NULL, "check the hardware's invariants", 0},
    {"format", 'f', FORMAT, 0, "FMT",
     "text json ndjson csv html perfetto openmetrics markdown junit", -1},
    {"json", 0, FORMAT, 0, NULL, "short for --format json", FORMAT_JSON},
    {"csv", 0, FORMAT, 0, NULL, "short for --format csv", FORMAT_CSV},
    {"color", 0, COLOR, 0, "WHEN", "auto, always or never", 0},
    {"quiet", 'q', FLAG, AT(quiet), NULL, "say less", 0},
    {"verbose", 'v', TALLY, AT(verbose), NULL, "say more", 0},
    {"help", 'h', FLAG, AT(help), NULL, "this text", 0},
};

#define SPEC_COUNT (sizeof(specs) / sizeof(specs[0]))
static const char always[] = "color quiet verbose help";

bool options_word(const char *words, const char *word)
{
	size_t len = strlen(word);
	for (const char *p = words; p && len && (p = strstr(p, word)); p += len)
		if ((p == words || p[-1] == ' ') && (p[len] == ' ' || !p[len]))
			return true;
	return false;
}

static bool verb_takes(const struct verb *verb, const struct spec *spec)
{
	if (options_word(always, spec->name) || options_word(verb->options, spec->name))
		return true;
	bool shorthand = spec->kind == FORMAT && spec->value >= 0;
	return shorthand && options_word(verb->options, "format");
}

static bool list_add(struct string_list *list, const char *item)
{
	if (!mem_grow(&list->items, &list->cap, list->count + 1, sizeof(*list->items)))
		return false;
	list->items[list->count++] = item;
	return true;
}

/* Splits at commas that do not stand in parentheses: A12=eu(fpu0-active, coarse=ps),EuActive. */
static bool list_split(struct string_list *list, char *text)
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

enum sx_status options_duration(const char *text, uint64_t *ns, struct sx_error *err)
{
	static const struct {
		const char *unit;
		double ns;
	} units[] = {{"ns", 1},	 {"us", 1e3},	{"\u00b5s", 1e3}, {"ms", 1e6},
		     {"s", 1e9}, {"min", 60e9}, {"h", 3600e9}};
	char *end;
	errno = 0;
	double value = strtod(text, &end);
	if (end == text || !isfinite(value) || value < 0 || !isdigit((unsigned char)text[0])) {
		error_set(err, SX_ERR_USAGE, "\"%s\" is not a duration", text);
		error_because(err, "a duration is a number and a unit");
		error_try(err, "500us, 10ms, 2s or 1min");
		return SX_ERR_USAGE;
	}
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		double total = value * units[i].ns;
		if (strcmp(end, units[i].unit) != 0)
			continue;
		if (total < 1 || total > 9e18)
			break;
		*ns = (uint64_t)(total + 0.5);
		return SX_OK;
	}
	if (!*end) {
		error_set(err, SX_ERR_USAGE, "the duration \"%s\" has no unit", text);
		error_because(err, "a bare number could mean seconds or milliseconds");
		error_try(err, "%sms or %ss", text, text);
		return SX_ERR_USAGE;
	}
	error_set(err, SX_ERR_USAGE, "\"%s\" is not a duration that can be used", text);
	error_because(err, "the unit must be ns, us, ms, s, min or h, and the length above zero");
	error_try(err, "500us, 10ms, 2s or 1min");
	return SX_ERR_USAGE;
}

static enum sx_status bad_value(struct sx_error *err, const struct spec *spec, const char *text,
				const char *expected)
{
	error_set(err, SX_ERR_USAGE, "--%s cannot be \"%s\"", spec->name, text);
	error_because(err, "it takes %s", expected);
	error_try(err, "--%s %s", spec->name, spec->arg ? spec->arg : "");
	return SX_ERR_USAGE;
}

static enum sx_status set_constant(struct options *options, const struct spec *spec, char *text,
				   struct sx_error *err)
{
	char *equals = strchr(text, '=');
	char *end = NULL;
	double value = equals ? strtod(equals + 1, &end) : 0;
	if (!equals || equals == text || end == equals + 1 || *end || !isfinite(value))
		return bad_value(err, spec, text, "a name and a number, as shader_cores=4");
	if (!mem_grow(&options->constants, &options->constant_cap, options->constant_count + 1,
		      sizeof(*options->constants)))
		return error_nomem(err, "reading options");
	*equals = '\0';
	options->constants[options->constant_count++] = (struct sx_constant_value){text, value};
	return SX_OK;
}

static enum sx_status set_format(struct options *options, const struct spec *spec, const char *text,
				 struct sx_error *err)
{
	static const char *const names[] = {"text",	"json",	       "ndjson",   "csv",   "html",
					    "perfetto", "openmetrics", "markdown", "junit", NULL};
	options->format_given = true;
	if (spec->value >= 0) {
		options->format = (enum format)spec->value;
		return SX_OK;
	}
	for (int i = 0; names[i]; i++) {
		if (strcmp(names[i], text) == 0) {
			options->format = (enum format)i;
			return SX_OK;
		}
	}
	bad_value(err, spec, text,
		  "text, json, ndjson, csv, html, perfetto, openmetrics, markdown or junit");
	const char *near = options_nearest(text, names);
	if (near)
		error_try(err, "--format %s", near);
	return SX_ERR_USAGE;
}

static enum sx_status set_color(struct options *options, const struct spec *spec, const char *text,
				struct sx_error *err)
{
	static const char *const names[] = {"auto", "always", "never"};
	for (int i = 0; i < 3; i++) {
		if (strcmp(names[i], text) == 0) {
			options->color = (enum color)i;
			return SX_OK;
		}
	}
	return bad_value(err, spec, text, "auto, always or never");
}

static enum sx_status set_number(void *member, const struct spec *spec, const char *text,
				 struct sx_error *err)
{
	char *end;
	errno = 0;
	if (spec->kind == COUNT) {
		unsigned long long value = strtoull(text, &end, 10);
		if (!isdigit((unsigned char)text[0]) || *end || errno || value == 0)
			return bad_value(err, spec, text, "a whole number above zero");
		*(uint64_t *)member = value;
		return SX_OK;
	}
	double value = strtod(text, &end);
	if (end == text || *end || !isfinite(value) || value <= 0)
		return bad_value(err, spec, text, "a number above zero");
	*(double *)member = value;
	return SX_OK;
}

/* A percentage, with or without its sign. */
static enum sx_status set_share(struct option_share *share, const struct spec *spec,
				const char *text, struct sx_error *err)
{
	char *end;
	double value = strtod(text, &end);
	bool number = end != text && isfinite(value) && value >= 0 && value <= 1000;
	if (!number || strcmp(end + (*end == '%'), "") != 0)
		return bad_value(err, spec, text, "a percentage from 0 on, as 5 or 2.5%");
	share->given = true;
	share->permille = (uint32_t)ceil(value * 10);
	return SX_OK;
}

/* Decimal, or hexadecimal behind 0x, as drivers print ids. */
static enum sx_status set_id(struct option_id *id, const struct spec *spec, const char *text,
			     struct sx_error *err)
{
	char *end;
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	errno = 0;
	unsigned long long value = strtoull(digits, &end, hex ? 16 : 10);
	if (!isxdigit((unsigned char)digits[0]) || *end || errno || value > UINT32_MAX) {
		bad_value(err, spec, text, "a number of 32 bits, decimal or behind 0x");
		error_try(err, "--%s 0x1a2b; decode --by context shows the ids", spec->name);
		return SX_ERR_USAGE;
	}
	*id = (struct option_id){true, (uint32_t)value};
	return SX_OK;
}

static enum sx_status set(struct options *options, const struct spec *spec, char *text,
			  struct sx_error *err)
{
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
		return options_duration(text, member, err);
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
		return set_format(options, spec, text, err);
	case COLOR:
		return set_color(options, spec, text, err);
	}
	return SX_ERR_USAGE;
}

static size_t distance(const char *a, const char *b)
{
	size_t la = strlen(a), lb = strlen(b);
	size_t row[64];
	if (la >= 63 || lb >= 63)
		return 64;
	for (size_t j = 0; j <= lb; j++)
		row[j] = j;
	for (size_t i = 1; i <= la; i++) {
		size_t diagonal = row[0];
		row[0] = i;
		for (size_t j = 1; j <= lb; j++) {
			size_t above = row[j];
			size_t best = diagonal + (a[i - 1] != b[j - 1]);
			if (above + 1 < best)
				best = above + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
			diagonal = above;
		}
	}
	return row[lb];
}

const char *options_nearest(const char *word, const char *const *candidates)
{
	const char *best = NULL;
	size_t least = 1 + strlen(word) / 3;
	for (; *candidates; candidates++) {
		size_t d = distance(word, *candidates);
		if (d <= least && (!best || d < least)) {
			best = *candidates;
			least = d;
		}
	}
	return best;
}

static enum sx_status unknown(const struct verb *verb, const char *name, struct sx_error *err)
{
	const char *taken[SPEC_COUNT + 1];
	size_t count = 0;
	bool elsewhere = false;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (verb_takes(verb, &specs[i]))
			taken[count++] = specs[i].name;
		else if (strcmp(specs[i].name, name) == 0)
			elsewhere = true;
	}
	taken[count] = NULL;
	error_set(err, SX_ERR_USAGE, "unknown option %s%s", strlen(name) > 1 ? "--" : "-", name);
	error_because(err,
		      elsewhere ? "sextant %s does not take it, other verbs do"
				: "sextant %s does not take it",
		      verb->name);
	const char *near = options_nearest(name, taken);
	if (near)
		error_try(err, "--%s, or: sextant %s --help", near, verb->name);
	else
		error_try(err, "sextant %s --help", verb->name);
	return SX_ERR_USAGE;
}

static const struct spec *find_long(const struct verb *verb, const char *name, size_t len)
{
	for (size_t i = 0; i < SPEC_COUNT; i++)
		if (strlen(specs[i].name) == len && memcmp(specs[i].name, name, len) == 0 &&
		    verb_takes(verb, &specs[i]))
			return &specs[i];
	return NULL;
}

static const struct spec *find_short(const struct verb *verb, char letter)
{
	for (size_t i = 0; letter && i < SPEC_COUNT; i++)
		if (specs[i].letter == letter && verb_takes(verb, &specs[i]))
			return &specs[i];
	return NULL;
}

struct cursor {
	int argc, at;
	char **argv;
};

/* Applies an option whose value is `inline_value`, the next argument, or none. */
static enum sx_status apply(struct options *options, const struct spec *spec, char *inline_value,
			    struct cursor *cursor, struct sx_error *err)
{
	if (!spec->arg) {
		if (inline_value) {
			error_set(err, SX_ERR_USAGE, "--%s takes no value", spec->name);
			error_because(err, "it is a switch");
			error_try(err, "--%s", spec->name);
			return SX_ERR_USAGE;
		}
		return set(options, spec, NULL, err);
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
	return set(options, spec, inline_value, err);
}

static enum sx_status parse_long(struct options *options, const struct verb *verb,
				 struct cursor *cursor, struct sx_error *err)
{
	char *name = cursor->argv[cursor->at] + 2;
	char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	const struct spec *spec = find_long(verb, name, len);
	if (!spec) {
		if (equals)
			*equals = '\0';
		return unknown(verb, name, err);
	}
	return apply(options, spec, equals ? equals + 1 : NULL, cursor, err);
}

/* -vv, -I10ms, -I 10ms */
static enum sx_status parse_short(struct options *options, const struct verb *verb,
				  struct cursor *cursor, struct sx_error *err)
{
	for (char *p = cursor->argv[cursor->at] + 1; *p; p++) {
		const struct spec *spec = find_short(verb, *p);
		if (!spec)
			return unknown(verb, (char[]){*p, '\0'}, err);
		if (spec->arg)
			return apply(options, spec, p[1] ? p + 1 : NULL, cursor, err);
		enum sx_status status = apply(options, spec, NULL, cursor, err);
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

static enum sx_status take_argument(struct options *options, const struct verb *verb, char *text,
				    struct sx_error *err)
{
	if (verb->max_args < 0 || options->args.count < (size_t)verb->max_args)
		return list_add(&options->args, text) ? SX_OK : error_nomem(err, "reading options");
	error_set(err, SX_ERR_USAGE, "\"%s\" is one argument too many", text);
	if (verb->child) {
		error_because(err, "a program to measure stands after --");
		error_try(err, "sextant %s -- %s", verb->name, text);
	} else {
		error_because(err, "usage is: sextant %s %s", verb->name, verb->synopsis);
		error_try(err, "sextant %s --help", verb->name);
	}
	return SX_ERR_USAGE;
}

enum sx_status options_parse(struct options *options, const struct verb *verb, int argc,
			     char **argv, struct sx_error *err)
{
	struct cursor cursor = {.argc = argc, .argv = argv};
	enum sx_status status = SX_OK;
	for (; !status && cursor.at < argc && !options->child; cursor.at++) {
		char *arg = argv[cursor.at];
		if (strcmp(arg, "--") == 0)
			status = take_child(options, verb, &cursor, err);
		else if (arg[0] == '-' && arg[1] == '-')
			status = parse_long(options, verb, &cursor, err);
		else if (arg[0] == '-' && arg[1])
			status = parse_short(options, verb, &cursor, err);
		else
			status = take_argument(options, verb, arg, err);
	}
	return status;
}

void options_finish(struct options *options)
{
	free(options->devices.items);
	free(options->metrics.items);
	free(options->args.items);
	free(options->gates.items);
	free(options->constants);
}

void options_describe(const struct verb *verb, FILE *out)
{
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		const struct spec *spec = &specs[i];
		char left[64];
		if (!verb_takes(verb, spec))
			continue;
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", spec->letter ? '-' : ' ',
			 spec->letter ? spec->letter : ' ', spec->letter ? ',' : ' ', spec->name,
			 spec->arg ? " " : "", spec->arg ? spec->arg : "");
		bool by = verb->by && strcmp(spec->name, "by") == 0;
		fprintf(out, "  %-26s %s\n", left, by ? verb->by : spec->help);
	}
}
