/* The option table and its parser. Every mistake is answered with what would have been right. */
#include "tools/cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/mem.h"
#include "base/suggest.h"

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
	COLOR,
	PER
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
    {"map", 0, TEXTS, AT(maps), "NAME=PMU/EVENT/", "feed a counter by this event of the kernel", 0},
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
    {"join", 0, FLAG, AT(join), NULL, "what other devices did during each row of the first", 0},
    {"by", 0, STRING, AT(by), "KEY", "frame, group, time, instance, process or context", 0},
    {"sort", 0, STRING, AT(sort), "METRIC", "order rows by this metric", 0},
    {"top", 0, COUNT, AT(top), "N", "only the first N rows", 0},
    {"sync", 0, STRING, AT(sync), "DUR", "put what was recorded on the disk every DUR", 0},
    {"keep", 0, STRING, AT(keep), "DUR", "keep only the last DUR; SIGUSR2 writes them", 0},
    {"profiling", 0, FLAG, AT(profiling), NULL,
     "switch the accounting of panfrost and panthor on for the run", 0},
    {"realtime", 0, FLAG, AT(realtime), NULL, "replay at the speed of the recording", 0},
    {"overhead", 0, SHARE, AT(overhead), "PERCENT",
     "what measuring may cost a program (default 5); 0: count every frame", 0},
    {"per", 0, PER, AT(per), "KIND",
     "a sample a frame, pass, group, draw, kernel, submit, queue, …", 0},
    {"context", 0, ID, AT(context), "ID", "only what ran in this context", 0},
    {"process", 0, STRING, AT(process), "NAME|PID", "only this process's samples", 0},
    {"pid", 'p', ID, AT(pid), "PID", "a process that runs already", 0},
    {"offset", 0, STRING, AT(offset), "DUR", "what to add to the second file's times, as -1.5s", 0},
    {"delay", 0, DURATION, AT(delay_ns), "DUR", "begin to measure so much later", 0},
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
    {"merge", 0, STRING, AT(merge), "FILE", "into one archive with this trace of the system", 0},
    {"selftest", 0, FLAG, AT(selftest), NULL, "check the hardware's invariants", 0},
    {"format", 'f', FORMAT, 0, "FMT", "how to write the result", -1},
    {"json", 0, FORMAT, 0, NULL, "short for --format json", FORMAT_JSON},
    {"csv", 0, FORMAT, 0, NULL, "short for --format csv", FORMAT_CSV},
    {"color", 0, COLOR, 0, "WHEN", "auto, always or never", 0},
    {"quiet", 'q', FLAG, AT(quiet), NULL, "say less", 0},
    {"verbose", 'v', TALLY, AT(verbose), NULL, "say more", 0},
    {"help", 'h', FLAG, AT(help), NULL, "this text", 0},
};

#define SPEC_COUNT (sizeof(specs) / sizeof(specs[0]))
static_assert(SPEC_COUNT <= 64, "a bit for each is kept");
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

/* "text, json and csv": the formats of a mask. */
static const char *format_list(unsigned formats, char *buf, size_t size)
{
	size_t used = 0, left = 0;
	for (int i = 0; i < FORMAT_COUNT; i++)
		left += formats >> i & 1;
	buf[0] = '\0';
	for (int i = 0; i < FORMAT_COUNT && used < size; i++) {
		if (!(formats >> i & 1))
			continue;
		const char *before = !used ? "" : left == 1 ? " or " : ", ";
		used += (size_t)snprintf(buf + used, size - used, "%s%s", before,
					 format_name((enum format)i));
		left--;
	}
	return buf;
}

static enum sx_status not_written(const struct verb *verb, const char *format, struct sx_error *err)
{
	const char *names[FORMAT_COUNT + 1] = {0};
	char list[96];
	size_t count = 0;
	for (int i = 0; i < FORMAT_COUNT; i++)
		if (verb->formats >> i & 1)
			names[count++] = format_name((enum format)i);
	error_set(err, SX_ERR_USAGE, "sextant %s does not write %s", verb->name, format);
	error_because(err, "it writes %s", format_list(verb->formats, list, sizeof(list)));
	const char *near = options_nearest(format, names);
	error_try(err, "--format %s", near ? near : names[0]);
	return SX_ERR_USAGE;
}

static enum sx_status set_format(struct options *options, const struct spec *spec,
				 const struct verb *verb, const char *text, struct sx_error *err)
{
	options->format_given = true;
	for (int i = 0; i < FORMAT_COUNT; i++) {
		bool named = spec->value >= 0 ? spec->value == i
					      : strcasecmp(format_name((enum format)i), text) == 0;
		if (!named)
			continue;
		options->format = (enum format)i;
		if (verb->formats >> i & 1)
			return SX_OK;
	}
	return not_written(verb, spec->value >= 0 ? spec->name : text, err);
}

/* What a result file's name says of its format, among those that the verb writes. */
static enum sx_status format_by_suffix(struct options *options, const struct verb *verb,
				       struct sx_error *err)
{
	static const struct {
		const char *suffix;
		enum format format;
	} suffixes[] = {{".txt", FORMAT_TEXT},	       {".json", FORMAT_JSON},
			{".ndjson", FORMAT_NDJSON},    {".jsonl", FORMAT_NDJSON},
			{".csv", FORMAT_CSV},	       {".html", FORMAT_HTML},
			{".pftrace", FORMAT_PERFETTO}, {".perfetto-trace", FORMAT_PERFETTO},
			{".md", FORMAT_MARKDOWN},      {".xml", FORMAT_JUNIT},
			{".prom", FORMAT_OPENMETRICS}, {".om", FORMAT_OPENMETRICS}};
	size_t length = options->output ? strlen(options->output) : 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		size_t tail = strlen(suffixes[i].suffix);
		if (length <= tail ||
		    strcasecmp(options->output + length - tail, suffixes[i].suffix) != 0)
			continue;
		bool writes = verb->formats >> suffixes[i].format & 1;
		if (!writes && verb->formats && suffixes[i].format != FORMAT_TEXT)
			return not_written(verb, format_name(suffixes[i].format), err);
		if (!writes)
			continue;
		options->format = suffixes[i].format;
		options->format_given = true;
	}
	return SX_OK;
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
		error_try(err, "--%s 0x1a2b%s", spec->name,
			  spec->letter ? "" : "; decode --by context shows the ids");
		return SX_ERR_USAGE;
	}
	*id = (struct option_id){true, (uint32_t)value};
	return SX_OK;
}

static enum sx_status set_per(struct options *options, const struct spec *spec, const char *text,
			      struct sx_error *err)
{
	static const char *const kinds[] = {
	    "frame",	      "pass",	"group", "draw",    "kernel",
	    "command-buffer", "submit", "queue", "process", NULL};
	for (size_t i = 0; kinds[i]; i++)
		if (strcasecmp(kinds[i], text) == 0) {
			options->per = sx_sample_kind_find(kinds[i]);
			return SX_OK;
		}
	bad_value(err, spec, text,
		  "frame, pass, group, draw, kernel, command-buffer, submit, queue or process");
	const char *near = options_nearest(text, kinds);
	error_try(err, "--per %s", near ? near : "frame");
	return SX_ERR_USAGE;
}

static enum sx_status set(struct options *options, const struct verb *verb, const struct spec *spec,
			  char *text, struct sx_error *err)
{
	options->given |= UINT64_C(1) << (spec - specs);
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
		return set_format(options, spec, verb, text, err);
	case COLOR:
		return set_color(options, spec, text, err);
	case PER:
		return set_per(options, spec, text, err);
	}
	return SX_ERR_USAGE;
}

const char *options_nearest(const char *word, const char *const *candidates)
{
	struct suggest near;
	suggest_begin(&near, word, 1);
	for (; *candidates; candidates++)
		suggest_offer(&near, *candidates);
	return near.count ? near.items[0] : NULL;
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
		      elsewhere ? "it means nothing to sextant %s, only to other verbs"
				: "sextant %s has no such option",
		      verb->name);
	const char *near = options_nearest(name, taken);
	if (near)
		error_try(err, "--%s, or: sextant %s --help", near, verb->name);
	else
		error_try(err, "sextant %s --help", verb->name);
	return SX_ERR_USAGE;
}

/* The option of this name, or the only one that begins so; *others are as many as begin so. */
static const struct spec *find_long(const struct verb *verb, const char *name, size_t len,
				    size_t *others)
{
	const struct spec *found = NULL;
	*others = 0;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (!len || strncmp(specs[i].name, name, len) != 0 || !verb_takes(verb, &specs[i]))
			continue;
		if (strlen(specs[i].name) == len) {
			*others = 1;
			return &specs[i];
		}
		found = found ? found : &specs[i];
		++*others;
	}
	return *others == 1 ? found : NULL;
}

static enum sx_status several(const struct verb *verb, const char *name, struct sx_error *err)
{
	char list[256] = "";
	const char *first = NULL;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		size_t used = strlen(list);
		if (strncmp(specs[i].name, name, strlen(name)) != 0 || !verb_takes(verb, &specs[i]))
			continue;
		first = first ? first : specs[i].name;
		snprintf(list + used, sizeof(list) - used, "%s--%s", used ? ", " : "",
			 specs[i].name);
	}
	error_set(err, SX_ERR_USAGE, "--%s is short for several options", name);
	error_because(err, "%s begin so", list);
	error_try(err, "--%s", first);
	return SX_ERR_USAGE;
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
	struct options *options; /* that receive what is read */
};

/* Applies an option whose value is `inline_value`, the next argument, or none. */
static enum sx_status apply(struct cursor *cursor, const struct verb *verb, const struct spec *spec,
			    char *inline_value, struct sx_error *err)
{
	if (!spec->arg) {
		if (inline_value) {
			error_set(err, SX_ERR_USAGE, "--%s takes no value", spec->name);
			error_because(err, "it is a switch");
			error_try(err, "--%s", spec->name);
			return SX_ERR_USAGE;
		}
		return set(cursor->options, verb, spec, NULL, err);
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
	return set(cursor->options, verb, spec, inline_value, err);
}

static enum sx_status parse_long(const struct verb *verb, struct cursor *cursor,
				 struct sx_error *err)
{
	char *name = cursor->argv[cursor->at] + 2;
	char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	size_t others;
	const struct spec *spec = find_long(verb, name, len, &others);
	if (!spec) {
		if (equals)
			*equals = '\0';
		return others ? several(verb, name, err) : unknown(verb, name, err);
	}
	return apply(cursor, verb, spec, equals ? equals + 1 : NULL, err);
}

/* -vv, -I10ms, -I 10ms */
static enum sx_status parse_short(const struct verb *verb, struct cursor *cursor,
				  struct sx_error *err)
{
	for (char *p = cursor->argv[cursor->at] + 1; *p; p++) {
		const struct spec *spec = find_short(verb, *p);
		if (!spec)
			return unknown(verb, (char[]){*p, '\0'}, err);
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

/* An option that does nothing beside the others would mislead whoever gave it. */
static enum sx_status check_together(const struct options *o, const struct verb *verb,
				     struct sx_error *err)
{
	bool report = strcmp(verb->name, "report") == 0;
	const char *alone = !report || o->by ? NULL
			    : o->sort	     ? "--sort"
			    : o->top	     ? "--top"
			    : o->interval_ns ? "--interval"
					     : NULL;
	if (alone) {
		error_set(err, SX_ERR_USAGE, "%s does nothing without --by", alone);
		error_because(err, "only rows that are put together have an order and a length");
		error_try(err, "--by time%s", o->interval_ns ? "" : ", or --by frame");
		return SX_ERR_USAGE;
	}
	if (o->realtime && !o->input && !o->args.count) {
		error_set(err, SX_ERR_USAGE, "--realtime does nothing without a recording");
		error_because(err, "devices have no other speed");
		error_try(err, "-i FILE");
		return SX_ERR_USAGE;
	}
	if (o->pid.given && o->child) {
		error_set(err, SX_ERR_USAGE, "--pid and a command at once");
		error_because(err, "one program is measured at a time");
		error_try(err, "--pid %u without the command", o->pid.value);
		return SX_ERR_USAGE;
	}
	if (o->delay_ns && (o->input || (o->child && o->count))) {
		error_set(err, SX_ERR_USAGE, "--delay does not go with %s", o->input ? "-i" : "-n");
		error_because(err, o->input ? "a recording is over"
					    : "the samples before its end would count");
		error_try(err, o->input ? "sextant capture cut FILE --from 5s" : "-t DUR");
		return SX_ERR_USAGE;
	}
	if (o->repeat && (o->input || o->delay_ns)) {
		error_set(err, SX_ERR_USAGE, "--repeat does not go with %s",
			  o->input ? "-i" : "--delay");
		error_because(err, o->input ? "a recording is what it is"
					    : "each run is measured whole");
		error_try(err, "-r %llu -- COMMAND", (unsigned long long)o->repeat);
		return SX_ERR_USAGE;
	}
	if (o->repeat > 1 && !o->child && !o->duration_ns && !o->count) {
		error_set(err, SX_ERR_USAGE, "--repeat has nothing to repeat");
		error_because(err, "without a command a run ends by --duration or --count alone");
		error_try(err, "-r %llu -t 1s", (unsigned long long)o->repeat);
		return SX_ERR_USAGE;
	}
	if (o->child && o->output && strcmp(o->output, "-") == 0) {
		error_set(err, SX_ERR_USAGE, "the result cannot go to standard output");
		error_because(err, "the program writes there");
		error_try(err, "-o FILE, or no -o: the result then comes after the program's");
		return SX_ERR_USAGE;
	}
	return SX_OK;
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
			status = take_argument(options, verb, arg, err);
	}
	if (!status && !options->format_given && !verb->own_output)
		status = format_by_suffix(options, verb, err);
	return status ? status : check_together(options, verb, err);
}

/* A copy that lives as long as the options. */
static char *keep_text(struct options *options, const char *text)
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
	char *copy = split ? keep_text(options, text) : NULL;
	bool ok = split ? copy && list_split(list, copy) : list_add(list, text);
	return ok ? SX_OK : error_nomem(err, "reading options");
}

/* "yes" and "no" for what is a switch on the command line. */
static enum sx_status default_switch(struct options *options, const struct verb *verb,
				     const struct spec *spec, const char *value,
				     struct sx_error *err)
{
	if (strcasecmp(value, "yes") == 0 || strcasecmp(value, "true") == 0)
		return set(options, verb, spec, NULL, err);
	if (strcasecmp(value, "no") == 0 || strcasecmp(value, "false") == 0)
		return SX_OK;
	return bad_value(err, spec, value, "yes or no");
}

enum sx_status options_default(struct options *options, const struct verb *verb, const char *name,
			       const char *value, struct sx_error *err)
{
	bool known = false;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		const struct spec *spec = &specs[i];
		if (strcmp(spec->name, name) != 0)
			continue;
		known = true;
		bool given = spec->kind == FORMAT ? options->format_given : options->given >> i & 1;
		if (!verb_takes(verb, spec) || given)
			return SX_OK;
		if (!spec->arg)
			return default_switch(options, verb, spec, value, err);
		char *copy = keep_text(options, value);
		return copy ? set(options, verb, spec, copy, err)
			    : error_nomem(err, "reading options");
	}
	error_set(err, SX_ERR_USAGE, "no verb has an option %s", name);
	error_because(err, "options are called as on the command line, without dashes");
	error_try(err, "sextant stat --help, for names");
	return known ? SX_OK : SX_ERR_USAGE;
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

void options_describe(const struct verb *verb, FILE *out)
{
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		const struct spec *spec = &specs[i];
		char left[64];
		bool unwritten =
		    spec->kind == FORMAT && spec->value >= 0 && !(verb->formats >> spec->value & 1);
		if (!verb_takes(verb, spec) || unwritten)
			continue;
		snprintf(left, sizeof(left), "%c%c%c --%s%s%s", spec->letter ? '-' : ' ',
			 spec->letter ? spec->letter : ' ', spec->letter ? ',' : ' ', spec->name,
			 spec->arg ? " " : "", spec->arg ? spec->arg : "");
		bool by = verb->by && strcmp(spec->name, "by") == 0;
		bool formats = spec->kind == FORMAT && spec->value < 0;
		char list[96];
		fprintf(out, "  %-26s %s\n", left,
			by	  ? verb->by
			: formats ? format_list(verb->formats, list, sizeof(list))
				  : spec->help);
	}
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
