/*
 * Opens events. Events of one PMU are opened as one group, so that they count at the same time;
 * where the PMU has no room for all, groups are multiplexed, and each reports how long it ran.
 */
#include "source/pmu/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/no_data.h"
#include "base/text_buf.h"

#define ONLINE "/sys/devices/system/cpu/online"

static void describe_event(void *user, const struct perf_place *place, struct perf_event *event,
			   struct perf_event_attr *attr)
{
	const struct pmu_run *run = user;
	const struct pmu_code *code = &run->parts[event->member].code;
	attr->type = code->type;
	attr->config = code->config[0];
	attr->config1 = code->config[1];
	attr->config2 = code->config[2];
}

/* Some CPUs alone would pass for all. */
static bool is_cpu_list(const char *list)
{
	uint64_t first, last;
	while (perf_cpus_next(&list, &first, &last))
		;
	return *list == '\0' || *list == '\n';
}

static void open_cpus(struct perf_opening *o, const char *list)
{
	uint64_t first, last;
	if (!is_cpu_list(list))
		o->error = EINVAL;
	while (!o->error && perf_cpus_next(&list, &first, &last))
		for (uint64_t cpu = first; cpu <= last && !o->error; cpu++) {
			perf_open_place(o, &(struct perf_place){.pid = -1, .cpu = (int)cpu});
			if (o->trial)
				return;
		}
}

static void open_everywhere(struct perf_opening *o, const struct pmu_run *run,
			    const struct pmu_device *device)
{
	char online[4096];
	if (run->pid > 0 && !(device && device->is_shared)) {
		perf_open_threads(o, run->pid, 1);
	} else if (device && device->cpus[0]) {
		open_cpus(o, device->cpus);
	} else if (run->sys->read_file(run->sys->user, ONLINE, online, sizeof(online)) <= 0) {
		o->error = errno ? errno : EIO;
	} else {
		open_cpus(o, online);
	}
	if (!o->error && !o->places)
		o->error = run->pid > 0 ? ESRCH : ENODEV;
}

static int open_group(struct pmu_run *run, const uint32_t *parts, uint32_t count, bool trial)
{
	uint32_t device = run->parts[parts[0]].device;
	struct perf_opening o = {.sys = run->sys,
				 .events = &run->events,
				 .before = run->events.count,
				 .members = parts,
				 .count = count,
				 .trial = trial,
				 .waits = true,
				 .describe = describe_event,
				 .user = run};
	open_everywhere(&o, run, device == SX_NONE ? NULL : &run->list->items[device]);
	return perf_opened(&o);
}

/* What cannot be opened alone is left out, with the reason; the rest moves up. */
static uint32_t keep_possible(struct pmu_run *run, uint32_t *parts, uint32_t count)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < count; i++) {
		int error = open_group(run, &parts[i], 1, true);
		if (error)
			run->outputs[run->parts[parts[i]].output].error = error;
		else
			parts[kept++] = parts[i];
	}
	return kept;
}

static int open_for_good(struct pmu_run *run, const uint32_t *parts, uint32_t count)
{
	int error = count ? open_group(run, parts, count, false) : 0;
	for (uint32_t i = 0; i < count; i++) {
		struct pmu_output *output = &run->outputs[run->parts[parts[i]].output];
		if (error)
			output->error = error;
		else
			output->is_open = true;
	}
	return error;
}

/* In as few groups as there is room for, in the order of the parts. Returns an errno or 0. */
static int open_device(struct pmu_run *run, uint32_t *parts, uint32_t count)
{
	uint32_t begin = 0, turns = 1;
	count = keep_possible(run, parts, count);
	for (uint32_t i = 1; i < count; i++) {
		int error = open_group(run, parts + begin, i + 1 - begin, true);
		if (error == ENOMEM)
			return error;
		if (!error)
			continue;
		if (open_for_good(run, parts + begin, i - begin) == ENOMEM)
			return ENOMEM;
		begin = i;
		turns++;
	}
	if (turns > run->turns)
		run->turns = turns;
	return begin < count ? open_for_good(run, parts + begin, count - begin) : 0;
}

enum sx_status pmu_groups_open(struct pmu_run *run, struct sx_error *err)
{
	uint32_t *parts = calloc((size_t)run->part_count + 1, sizeof(*parts));
	bool *done = calloc((size_t)run->part_count + 1, sizeof(*done));
	int error = parts && done ? 0 : ENOMEM;
	run->turns = 1;
	for (uint32_t i = 0; i < run->part_count && error != ENOMEM; i++) {
		uint32_t count = 0;
		for (uint32_t j = i; j < run->part_count && !done[i]; j++) {
			if (run->parts[j].device != run->parts[i].device ||
			    run->parts[j].code.type != run->parts[i].code.type)
				continue;
			parts[count++] = j;
			done[j] = j != i;
		}
		if (count)
			error = open_device(run, parts, count);
	}
	free(parts);
	free(done);
	return error == ENOMEM ? error_nomem(err, "perf events") : SX_OK;
}

/* What is not collected, and why: for each value in a few words, and all together in one note. */

#define NAMES_SHOWN 4

/* The same cause has the same text, so that names gather behind it. */
static const char *cause_of(struct pmu_run *run, const struct pmu_output *output)
{
	char detail[256], text[320] = "";
	uint32_t count;
	const struct sx_counter_info *c =
	    &sx_catalog_counters(run->catalog, &count)[output->counter];
	if (output->unreadable) {
		snprintf(detail, sizeof(detail), "PMU %s: %s", output->unreadable->name,
			 strerror(output->unreadable->unreadable));
		no_data_append(text, sizeof(text),
			       output->unreadable->unreadable == EACCES ? NO_DATA_FORBIDDEN
									: NO_DATA_REFUSED,
			       detail);
	} else if (output->error) {
		perf_explain(run->sys, output->error, text, sizeof(text));
	} else {
		no_data_append(text, sizeof(text), NO_DATA_NO_COUNTER,
			       c->unfed	       ? c->unfed
			       : c->from.count ? "no PMU of this machine counts it"
					       : "--map NAME=PMU/EVENT/ names a PMU's event");
	}
	return arena_strndup(&run->texts, text, strlen(text));
}

/* Names the counters that share one cause, and the cause once. */
static void note_cause(struct pmu_run *run, uint32_t first, char *note, size_t size)
{
	uint32_t names = 0;
	for (uint32_t i = first; i < run->output_count; i++) {
		if (!run->whys[i] || strcmp(run->whys[i], run->whys[first]) != 0)
			continue;
		if (names++ < NAMES_SHOWN) {
			text_append(note, size, "%s%s", names > 1 ? ", " : "", run->names[i]);
		}
	}
	if (names > NAMES_SHOWN)
		text_append(note, size, " and %u more", names - NAMES_SHOWN);
	text_append(note, size, ": %s", run->whys[first]);
}

static bool is_reported(const struct pmu_run *run, uint32_t index)
{
	for (uint32_t i = 0; i < index; i++)
		if (run->whys[i] && strcmp(run->whys[i], run->whys[index]) == 0)
			return true;
	return false;
}

void pmu_note_write(struct pmu_run *run)
{
	char *note = run->note;
	size_t size = sizeof(run->note), reported = 0;
	pmu_list_unreadable(run->list, note, size);
	for (uint32_t i = 0; i < run->output_count; i++)
		if (!run->outputs[i].is_open)
			run->whys[i] = cause_of(run, &run->outputs[i]);
	for (uint32_t i = 0; i < run->output_count; i++) {
		if (!run->whys[i] || is_reported(run, i))
			continue;
		text_append_item(note, size, "; ", "%s", reported++ ? "" : "not collected: ");
		note_cause(run, i, note, size);
	}
	if (run->turns > 1)
		text_append_item(note, size, "; ",
				 "events take turns in %u groups: each runs a part of the time, "
				 "and its values are scaled up; fewer with -m are exact",
				 run->turns);
	if (run->events.user_only)
		text_append(note, size, "%s",
			    *note ? "; user mode alone is counted"
				  : "user mode alone is counted, since "
				    "the kernel's own work may not be observed here");
}
