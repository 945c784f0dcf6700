/* The table of options, one for all verbs, and what of it a verb takes. */
#include "tools/cli/options/internal.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text_buf.h"

#define AT(member) offsetof(struct options, member)

const struct option_spec table_specs[] = {
    {"device", 'd', LIST, AT(devices), "SEL", "a device of this machine (see: sextant devices)", 0},
    {"for", 0, STRING, AT(catalog), "NAME", "a catalog, for a device that need not be here", 0},
    {"metric", 'm', LIST, AT(metrics), "LIST", "metrics and counters: names, globs, all", 0},
    {"map", 0, TEXTS, AT(maps), "NAME=PMU/EVENT/", "feed a counter by this event of the kernel", 0},
    {"set", 's', STRING, AT(set), "NAME", "a metric set or group", 0},
    {"interval", 'I', DURATION, AT(interval_ns), "DUR", "time between samples, as 10ms", 0},
    {"duration", 't', DURATION, AT(duration_ns), "DUR", "how long to measure, as 5s", 0},
    {"from", 0, DURATION, AT(from_ns), "DUR", "begin this long after the first sample", 1},
    {"to", 0, DURATION, AT(to_ns), "DUR", "end this long after the first sample", 0},
    {"count", 'n', COUNT, AT(count), "N", "how many samples", 0},
    {"once", 0, FLAG, AT(once), NULL, "one screen as text", 0},
    {"repeat", 'r', COUNT, AT(repeat), "N", "run it so many times, and report the spread", 0},
    {"input", 'i', STRING, AT(input), "FILE", "read this file; - is standard input", 0},
    {"output", 'o', STRING, AT(output), "FILE", "write the result here", 0},
    {"const", 0, CONSTANT, 0, "NAME=VALUE", "a constant of the device", 0},
    {"api", 0, STRING, AT(api), "NAME", "the API or variant whose formulas apply", 0},
    {"as", 0, STRING, AT(as), "KIND", "what the input file is", 0},
    {"counters", 0, FLAG, AT(counters), NULL, "raw counters instead of metrics", 0},
    {"join", 0, FLAG, AT(join), NULL, "what other devices did during each row of the first", 0},
    {"by", 0, STRING, AT(by), "KEY", "frame, group, time, instance, process or context", 0},
    {"sort", 0, STRING, AT(sort), "METRIC",
     "worst rows by this metric first; +METRIC smallest, -METRIC largest", 0},
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
    {"delay", 0, DURATION, AT(delay_ns), "DUR", "begin to measure so much later", 1},
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

#define SPEC_COUNT (sizeof(table_specs) / sizeof(table_specs[0]))
const size_t table_count = SPEC_COUNT;
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

bool table_takes(const struct verb *verb, const struct option_spec *spec)
{
	if (options_word(always, spec->name) || options_word(verb->options, spec->name))
		return true;
	bool shorthand = spec->kind == FORMAT && spec->value >= 0;
	return shorthand && options_word(verb->options, "format");
}

/* The option of this name, or the only one that begins so; *others are as many as begin so. */
const struct option_spec *table_find_long(const struct verb *verb, const char *name, size_t len,
					  size_t *others)
{
	const struct option_spec *found = NULL;
	*others = 0;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (!len || strncmp(table_specs[i].name, name, len) != 0 ||
		    !table_takes(verb, &table_specs[i]))
			continue;
		if (strlen(table_specs[i].name) == len) {
			*others = 1;
			return &table_specs[i];
		}
		found = found ? found : &table_specs[i];
		++*others;
	}
	return *others == 1 ? found : NULL;
}

enum sx_status table_several(const struct verb *verb, const char *name, struct sx_error *err)
{
	char list[256] = "";
	const char *first = NULL;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (strncmp(table_specs[i].name, name, strlen(name)) != 0 ||
		    !table_takes(verb, &table_specs[i]))
			continue;
		first = first ? first : table_specs[i].name;
		text_append_item(list, sizeof(list), ", ", "--%s", table_specs[i].name);
	}
	error_set(err, SX_ERR_USAGE, "--%s is short for several options", name);
	error_because(err, "%s begin so", list);
	error_try(err, "--%s", first);
	return SX_ERR_USAGE;
}

const struct option_spec *table_find_short(const struct verb *verb, char letter)
{
	for (size_t i = 0; letter && i < SPEC_COUNT; i++)
		if (table_specs[i].letter == letter && table_takes(verb, &table_specs[i]))
			return &table_specs[i];
	return NULL;
}

enum sx_status table_unknown(const struct verb *verb, const char *name, struct sx_error *err)
{
	const char *taken[SPEC_COUNT + 1];
	size_t count = 0;
	bool elsewhere = false;
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		if (table_takes(verb, &table_specs[i]))
			taken[count++] = table_specs[i].name;
		else if (strcmp(table_specs[i].name, name) == 0)
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

void options_describe(const struct verb *verb, const struct text_target *out)
{
	for (size_t i = 0; i < SPEC_COUNT; i++) {
		const struct option_spec *spec = &table_specs[i];
		char left[64];
		bool unwritten =
		    spec->kind == FORMAT && spec->value >= 0 && !(verb->formats >> spec->value & 1);
		if (!table_takes(verb, spec) || unwritten)
			continue;
		snprintf(left, sizeof(left), "  %c%c%c --%s%s%s", spec->letter ? '-' : ' ',
			 spec->letter ? spec->letter : ' ', spec->letter ? ',' : ' ', spec->name,
			 spec->arg ? " " : "", spec->arg ? spec->arg : "");
		bool by = verb->by && strcmp(spec->name, "by") == 0;
		bool formats = spec->kind == FORMAT && spec->value < 0;
		char list[96];
		text_entry(out, 29, left,
			   by	     ? verb->by
			   : formats ? format_list(verb->formats, list, sizeof(list))
				     : spec->help);
	}
}
