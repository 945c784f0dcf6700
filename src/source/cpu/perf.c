/*
 * perf events of the CPU source: opened one by one, read as sums with their share of time; which of
 * them share a group, and why some are not collected.
 */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/no_data.h"
#include "base/text_buf.h"

static void set_attr(struct perf_event_attr *attr, const struct cpu_counter_def *def,
		     uint32_t pmu_type)
{
	attr->type = def->perf_type;
	attr->config = def->perf_config;
	if (def->perf_type == PERF_TYPE_HARDWARE)
		attr->config |= (uint64_t)pmu_type << 32;
}

/* The machine's cycles of a cluster's CPU are the cluster's as well: no second event for them. */
static uint32_t cluster_output(const struct cpu_run *run, enum cpu_counter counter,
			       uint32_t cluster)
{
	enum cpu_counter wanted = counter == CPU_CYCLES		? CPU_CLUSTER_CYCLES
				  : counter == CPU_INSTRUCTIONS ? CPU_CLUSTER_INSTRUCTIONS
								: CPU_COUNTER_COUNT;
	for (uint32_t i = 0; run->pid <= 0 && i < run->output_count; i++)
		if (run->outputs[i].counter == wanted && run->outputs[i].cluster == cluster)
			return i;
	return SX_NONE;
}

/* A place's kind is the cluster of its CPU; of a thread, one with a PMU of its own. */
static void describe_event(void *user, const struct perf_place *place, struct perf_event *event,
			   struct perf_event_attr *attr)
{
	struct cpu_run *run = user;
	enum cpu_counter counter = run->outputs[event->member].counter;
	set_attr(attr, &cpu_counter_defs[counter], run->topology->pmu_type[place->kind]);
	event->also = cluster_output(run, counter, place->kind);
	event->keeps_time = place->pid < 0 || place->kind == 0;
}

static void open_cpus(struct perf_opening *o, const struct cpu_run *run)
{
	const struct cpu_topology *topology = run->topology;
	const struct cpu_output *output = &run->outputs[o->members[0]];
	bool one = output->counter >= CPU_FIRST_CLUSTER_COUNTER;
	uint32_t tried = 0; /* bit mask of clusters */
	for (uint32_t i = 0; i < topology->cpu_count && !o->error; i++) {
		uint32_t cluster = topology->cluster[i];
		if ((one && cluster != output->cluster) || (o->trial && tried >> cluster & 1))
			continue;
		tried |= 1u << cluster;
		perf_open_place(o, &(struct perf_place){-1, topology->cpus[i], cluster});
	}
}

/* On a machine with several core PMUs a hardware event of a thread needs one of each. */
int cpu_perf_open(struct cpu_run *run, const struct cpu_group *group, bool trial)
{
	struct perf_opening o = {.sys = run->sys,
				 .events = &run->perf,
				 .before = run->perf.count,
				 .members = group->outputs,
				 .count = group->count,
				 .trial = trial,
				 .describe = describe_event,
				 .user = run};
	enum cpu_counter leader = run->outputs[group->outputs[0]].counter;
	bool all = cpu_is_hardware(leader) && run->topology->mixed;
	if (run->pid > 0 && leader < CPU_FIRST_CLUSTER_COUNTER)
		perf_open_threads(&o, run->pid, all ? run->topology->cluster_count : 1);
	else
		open_cpus(&o, run);
	return perf_opened(&o);
}

void cpu_perf_read(const struct cpu_run *run, struct perf_reading *readings)
{
	for (size_t i = 0; i < run->perf.count; i++) {
		const struct perf_event *event = &run->perf.items[i];
		struct perf_reading now = {.valid = true};
		perf_add(run->sys, event->fd, event->keeps_time, &now);
		perf_sum(&readings[event->member], &now);
		if (event->also != SX_NONE)
			perf_sum(&readings[event->also], &now);
	}
}

int cpu_perf_probe(const struct sx_sys *sys)
{
	struct perf_event_attr attr = {.disabled = 0};
	perf_prepare(&attr);
	set_attr(&attr, &cpu_counter_defs[CPU_CYCLES], 0);
	attr.exclude_kernel = attr.exclude_hv = 1;
	int fd = sys->perf_event_open(sys->user, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	sys->close(sys->user, fd);
	return 0;
}

/*
 * Which hardware events share a group. Counters that a formula relates are counted at the same
 * time. Where the PMU has no room for an event beside the rest, it is multiplexed, or left out
 * where the user did not name it.
 */

#define UNIT_MAX 2

/* In order of importance; the members of one unit appear in one formula. */
static const struct {
	enum cpu_counter members[UNIT_MAX];
	uint32_t count;
} units[] = {
    {{CPU_CYCLES, CPU_INSTRUCTIONS}, 2},
    {{CPU_CACHE_REFERENCES, CPU_CACHE_MISSES}, 2},
    {{CPU_BRANCHES, CPU_BRANCH_MISSES}, 2},
    {{CPU_REF_CYCLES}, 1},
    {{CPU_STALLED_FRONTEND, CPU_STALLED_BACKEND}, 2},
};
#define UNITS (sizeof(units) / sizeof(units[0]))

bool cpu_is_hardware(enum cpu_counter counter)
{
	return counter < CPU_FIRST_CLUSTER_COUNTER &&
	       cpu_counter_defs[counter].perf_type == PERF_TYPE_HARDWARE;
}

static uint32_t find_output(const struct cpu_run *run, enum cpu_counter counter)
{
	for (uint32_t i = 0; i < run->output_count; i++)
		if (run->outputs[i].counter == counter)
			return i;
	return SX_NONE;
}

/*
 * Whether all is wanted that metrics use, which is so when the user chose none: then it has to fit.
 * No metric uses RefCycles.
 */
static bool wants_everything(const struct cpu_run *run)
{
	for (size_t u = 0; u < UNITS; u++)
		for (uint32_t i = 0; i < units[u].count; i++)
			if (units[u].members[i] != CPU_REF_CYCLES &&
			    find_output(run, units[u].members[i]) == SX_NONE)
				return false;
	return true;
}

/* The unit's counters that are wanted and that this machine has, behind those of the group. */
static void add_unit(struct cpu_run *run, size_t unit, struct cpu_group *group)
{
	for (uint32_t i = 0; i < units[unit].count; i++) {
		enum cpu_counter counter = units[unit].members[i];
		uint32_t output = find_output(run, counter);
		if (output == SX_NONE)
			continue;
		struct cpu_group alone = {.outputs = {output}, .count = 1};
		int error = cpu_perf_open(run, &alone, true);
		if (error)
			cpu_notes_add(run, error, output);
		else
			group->outputs[group->count++] = output;
	}
}

static void leave_out(struct cpu_run *run, const struct cpu_group *group, uint32_t from)
{
	for (uint32_t i = from; i < group->count; i++)
		cpu_notes_add(run, CPU_NO_ROOM, group->outputs[i]);
}

uint32_t cpu_groups_plan(struct cpu_run *run, struct cpu_group groups[CPU_GROUPS_MAX])
{
	bool everything = run->everything = wants_everything(run);
	uint32_t count = 0;
	struct cpu_group *now = &groups[0];
	*now = (struct cpu_group){.count = 0};
	for (size_t u = 0; u < UNITS; u++) {
		struct cpu_group more = *now;
		add_unit(run, u, &more);
		if (more.count == now->count)
			continue;
		if (!now->count || !cpu_perf_open(run, &more, true)) {
			*now = more;
			continue;
		}
		if (everything) {
			leave_out(run, &more, now->count);
			continue;
		}
		struct cpu_group next = {.count = 0};
		for (uint32_t i = now->count; i < more.count; i++)
			next.outputs[next.count++] = more.outputs[i];
		groups[++count] = next;
		now = &groups[count];
	}
	return now->count ? count + 1 : count;
}

/* Why CPU counters are not collected: one note for each cause, with the counters that it concerns.
 */

/* "ClusterCycles[1]" is named once, without its instance. */
static bool holds(const char *text, const char *name, size_t length)
{
	for (const char *at = text; (at = strstr(at, name)); at += length)
		if ((at == text || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
			return true;
	return false;
}

void cpu_notes_add(struct cpu_run *run, int error, uint32_t output)
{
	struct cpu_notes *notes = &run->notes;
	const char *counter = cpu_counter_defs[run->outputs[output].counter].name;
	uint32_t i = 0;
	run->outputs[output].error = error;
	while (i < notes->count && notes->items[i].error != error)
		i++;
	if (i == CPU_NOTES_MAX)
		return;
	char *text = notes->items[i].text;
	size_t size = sizeof(notes->items[i].text) - 192; /* room for the cause */
	if (i == notes->count) {
		notes->items[notes->count++].error = error;
		snprintf(text, size, "not collected: ");
	} else if (holds(text, counter, strlen(counter))) {
		return;
	} else {
		text_append(text, size, ", ");
	}
	text_append(text, size, "%s", counter);
}

static void notes_explain(int error, const struct sx_sys *sys, char *out, size_t size)
{
	switch (error) {
	case CPU_NO_ROOM:
		no_data_append(out, size, NO_DATA_REFUSED,
			       "its PMU is full; counters of -m take turns");
		break;
	case CPU_OTHERS_ONLY:
		no_data_append(out, size, NO_DATA_WHOLE_DEVICE,
			       "a run without a command counts it");
		break;
	default:
		perf_explain(sys, error, out, size);
		break;
	}
}

void cpu_notes_finish(struct cpu_run *run)
{
	struct cpu_notes *notes = &run->notes;
	for (uint32_t i = 0; i < notes->count; i++) {
		char *cause = notes->items[i].cause;
		notes_explain(notes->items[i].error, run->sys, cause,
			      sizeof(notes->items[i].cause));
		for (uint32_t k = 0; k < run->output_count; k++)
			if (run->outputs[k].error == notes->items[i].error)
				run->whys[k] = cause;
		text_append(notes->items[i].text, sizeof(notes->items[i].text), ": %s", cause);
	}
	if (run->hardware_groups > 1 && notes->count < CPU_NOTES_MAX)
		snprintf(notes->items[notes->count++].text, sizeof(notes->items[0].text),
			 "hardware counters take turns in %u groups: each runs a part of the time, "
			 "and its values are scaled up; fewer with -m are exact",
			 run->hardware_groups);
	if (!run->perf.user_only || notes->count == CPU_NOTES_MAX)
		return;
	snprintf(notes->items[notes->count++].text, sizeof(notes->items[0].text),
		 "hardware events and page faults count user mode alone, since the kernel's own "
		 "work may not be observed here; effective frequency reads too low");
}
