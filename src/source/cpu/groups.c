/*
 * Which hardware events share a group. What is put in relation is counted at the same time; what
 * the PMU has no room for beside the rest takes turns with it, or is left out where nobody named
 * it.
 */
#include "source/cpu/cpu.h"

#include <linux/perf_event.h>

#define UNIT_MAX 2

/* In order of importance; the members of one unit stand in one formula. */
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

/* What all metrics together need is what nobody chose: then it has to fit. No metric needs
 * RefCycles. */
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
		int error = cpu_perf_try(run, &alone);
		if (error)
			cpu_notes_add(&run->notes, error, cpu_counter_defs[counter].name);
		else
			group->outputs[group->count++] = output;
	}
}

static void leave_out(struct cpu_run *run, const struct cpu_group *group, uint32_t from)
{
	for (uint32_t i = from; i < group->count; i++)
		cpu_notes_add(&run->notes, CPU_NO_ROOM,
			      cpu_counter_defs[run->outputs[group->outputs[i]].counter].name);
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
		if (!now->count || !cpu_perf_try(run, &more)) {
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
