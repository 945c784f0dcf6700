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

#include "base/mem.h"
#include "base/no_data.h"
#include "base/text_buf.h"

struct cpu_perf_event {
	int fd;
	uint32_t output;
	uint32_t also;	 /* a cluster's output that the same event serves, or SX_NONE */
	bool keeps_time; /* the event's enabled time counts; false for further PMUs of one thread */
};

/* Where the events of one group are opened. */
struct opening {
	struct cpu_run *run;
	const struct cpu_group *group;
	bool trial; /* one place of each kind is enough */
	int error;
	uint32_t opened;
};

static void set_attr(struct perf_event_attr *attr, const struct cpu_counter_def *def,
		     uint32_t pmu_type, bool inherit)
{
	*attr = (struct perf_event_attr){0};
	perf_prepare(attr);
	attr->type = def->perf_type;
	attr->config = def->perf_config;
	if (def->perf_type == PERF_TYPE_HARDWARE)
		attr->config |= (uint64_t)pmu_type << 32;
	attr->inherit = inherit;
}

/* One place where events are opened. */
struct place {
	struct perf_place at;
	uint32_t pmu_type;
	uint32_t cluster;
	bool keeps_time;
};

/* Opens one event, without the kernel's part where the system forbids that. */
static int open_fd(struct cpu_run *run, const struct cpu_counter_def *def,
		   const struct place *place, int leader)
{
	struct perf_event_attr attr;
	set_attr(&attr, def, place->pmu_type, place->at.pid > 0);
	return perf_open(run->sys, &attr, &place->at, leader, &run->perf.user_only);
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

/* The whole group at one place: its first event leads the others. */
static void open_place(struct opening *o, const struct place *place)
{
	struct cpu_run *run = o->run;
	struct cpu_perf *perf = &run->perf;
	int leader = -1;
	for (uint32_t i = 0; i < o->group->count && !o->error; i++) {
		uint32_t output = o->group->outputs[i];
		enum cpu_counter counter = run->outputs[output].counter;
		if (!mem_grow(&perf->events, &perf->capacity, perf->count + 1,
			      sizeof(*perf->events))) {
			o->error = ENOMEM;
			return;
		}
		int fd = open_fd(run, &cpu_counter_defs[counter], place, leader);
		if (fd < 0) {
			o->error = errno;
			return;
		}
		leader = leader < 0 ? fd : leader;
		perf->events[perf->count++] = (struct cpu_perf_event){
		    fd, output, cluster_output(run, counter, place->cluster), place->keeps_time};
		o->opened++;
	}
}

/* On a machine with several core PMUs a hardware event of a thread needs one of each. */
static void open_thread(struct opening *o, pid_t tid)
{
	const struct cpu_topology *topology = o->run->topology;
	bool hardware = cpu_is_hardware(o->run->outputs[o->group->outputs[0]].counter);
	uint32_t pmus = hardware && topology->mixed ? topology->cluster_count : 1;
	for (uint32_t i = 0; i < pmus && !o->error; i++)
		open_place(o, &(struct place){.pmu_type = pmus > 1 ? topology->pmu_type[i] : 0,
					      .at = {tid, -1},
					      .keeps_time = i == 0});
}

static int visit_thread(void *arg, pid_t tid)
{
	struct opening *o = arg;
	open_thread(o, tid);
	if (o->error == ESRCH)
		o->error = 0; /* the thread ended between the listing and now */
	return o->error != 0 || (o->trial && o->opened);
}

static void open_process(struct opening *o, pid_t pid)
{
	int error = process_each_thread(o->run->sys, pid, visit_thread, o);
	if (error)
		o->error = error; /* one thread alone would pass for all */
	if (!o->error && o->opened == 0)
		o->error = ESRCH;
}

static void open_cpus(struct opening *o)
{
	const struct cpu_topology *topology = o->run->topology;
	const struct cpu_output *output = &o->run->outputs[o->group->outputs[0]];
	bool one = output->counter >= CPU_FIRST_CLUSTER_COUNTER;
	uint32_t tried = 0; /* bit mask of clusters */
	for (uint32_t i = 0; i < topology->cpu_count && !o->error; i++) {
		uint32_t cluster = topology->cluster[i];
		if ((one && cluster != output->cluster) || (o->trial && tried >> cluster & 1))
			continue;
		tried |= 1u << cluster;
		open_place(o, &(struct place){.pmu_type = topology->pmu_type[cluster],
					      .at = {-1, topology->cpus[i]},
					      .cluster = cluster,
					      .keeps_time = true});
	}
}

static void close_from(struct cpu_perf *perf, const struct sx_sys *sys, size_t first)
{
	while (perf->count > first)
		sys->close(sys->user, perf->events[--perf->count].fd);
}

int cpu_perf_open(struct cpu_run *run, const struct cpu_group *group, bool trial)
{
	size_t first = run->perf.count;
	struct opening o = {.run = run, .group = group, .trial = trial};
	if (run->pid > 0 && run->outputs[group->outputs[0]].counter < CPU_FIRST_CLUSTER_COUNTER)
		open_process(&o, run->pid);
	else
		open_cpus(&o);
	if (o.error || trial)
		close_from(&run->perf, run->sys, first);
	return o.error;
}

void cpu_perf_read(struct cpu_perf *perf, const struct sx_sys *sys, struct perf_reading *readings)
{
	for (size_t i = 0; i < perf->count; i++) {
		const struct cpu_perf_event *event = &perf->events[i];
		struct perf_reading now = {.valid = true};
		perf_add(sys, event->fd, event->keeps_time, &now);
		perf_sum(&readings[event->output], &now);
		if (event->also != SX_NONE)
			perf_sum(&readings[event->also], &now);
	}
}

void cpu_perf_finish(struct cpu_perf *perf, const struct sx_sys *sys)
{
	close_from(perf, sys, 0);
	free(perf->events);
	*perf = (struct cpu_perf){0};
}

int cpu_perf_probe(const struct sx_sys *sys)
{
	struct perf_event_attr attr;
	set_attr(&attr, &cpu_counter_defs[CPU_CYCLES], 0, false);
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
