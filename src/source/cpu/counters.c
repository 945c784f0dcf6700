/* The counters of the CPU source: their names and events, and differences between readings. */
#include "source/cpu/cpu.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sextant/expr.h>

#define HARDWARE(event) .perf_type = PERF_TYPE_HARDWARE, .perf_config = PERF_COUNT_HW_##event
#define SOFTWARE(event) .perf_type = PERF_TYPE_SOFTWARE, .perf_config = PERF_COUNT_SW_##event
#define NO_EVENT	.perf_type = CPU_NO_EVENT

const struct cpu_counter_def cpu_counter_defs[CPU_COUNTER_COUNT] = {
    [CPU_TASK_CLOCK] = {"TaskClock", SOFTWARE(TASK_CLOCK)},
    [CPU_CYCLES] = {"Cycles", HARDWARE(CPU_CYCLES)},
    [CPU_REF_CYCLES] = {"RefCycles", HARDWARE(REF_CPU_CYCLES)},
    [CPU_INSTRUCTIONS] = {"Instructions", HARDWARE(INSTRUCTIONS)},
    [CPU_CACHE_REFERENCES] = {"CacheReferences", HARDWARE(CACHE_REFERENCES)},
    [CPU_CACHE_MISSES] = {"CacheMisses", HARDWARE(CACHE_MISSES)},
    [CPU_BRANCHES] = {"Branches", HARDWARE(BRANCH_INSTRUCTIONS)},
    [CPU_BRANCH_MISSES] = {"BranchMisses", HARDWARE(BRANCH_MISSES)},
    [CPU_STALLED_FRONTEND] = {"StalledFrontend", HARDWARE(STALLED_CYCLES_FRONTEND)},
    [CPU_STALLED_BACKEND] = {"StalledBackend", HARDWARE(STALLED_CYCLES_BACKEND)},
    [CPU_CONTEXT_SWITCHES] = {"ContextSwitches", SOFTWARE(CONTEXT_SWITCHES)},
    [CPU_MIGRATIONS] = {"Migrations", SOFTWARE(CPU_MIGRATIONS)},
    [CPU_PAGE_FAULTS] = {"PageFaults", SOFTWARE(PAGE_FAULTS)},
    [CPU_MAJOR_FAULTS] = {"MajorFaults", SOFTWARE(PAGE_FAULTS_MAJ)},
    [CPU_THREAD_TIME] = {"ThreadTime", NO_EVENT},
    [CPU_THREAD_WAIT] = {"ThreadWait", NO_EVENT},
    [CPU_USER_TIME] = {"UserTime", NO_EVENT},
    [CPU_NICE_TIME] = {"NiceTime", NO_EVENT},
    [CPU_SYSTEM_TIME] = {"SystemTime", NO_EVENT},
    [CPU_IDLE_TIME] = {"IdleTime", NO_EVENT},
    [CPU_IOWAIT_TIME] = {"IOWaitTime", NO_EVENT},
    [CPU_IRQ_TIME] = {"IrqTime", NO_EVENT},
    [CPU_SOFTIRQ_TIME] = {"SoftIrqTime", NO_EVENT},
    [CPU_STEAL_TIME] = {"StealTime", NO_EVENT},
    [CPU_INTERRUPTS] = {"Interrupts", NO_EVENT},
    [CPU_PROCESSES_STARTED] = {"ProcessesStarted", NO_EVENT},
    [CPU_RUNNABLE] = {"Runnable", NO_EVENT, .gauge = true},
    [CPU_BLOCKED] = {"Blocked", NO_EVENT, .gauge = true},
    [CPU_CLUSTER_TIME] = {"ClusterTime", NO_EVENT},
    [CPU_CLUSTER_BUSY_TIME] = {"ClusterBusyTime", NO_EVENT},
    [CPU_CLUSTER_USER_TIME] = {"ClusterUserTime", NO_EVENT},
    [CPU_CLUSTER_CYCLES] = {"ClusterCycles", HARDWARE(CPU_CYCLES)},
    [CPU_CLUSTER_INSTRUCTIONS] = {"ClusterInstructions", HARDWARE(INSTRUCTIONS)},
    [CPU_CLUSTER_FREQUENCY] = {"ClusterFrequency", NO_EVENT, .gauge = true},
};

/* "[12]" and nothing behind it. */
static bool parse_instance(const char *text, uint32_t clusters, uint32_t *out)
{
	char *end;
	if (text[0] != '[' || text[1] < '0' || text[1] > '9')
		return false;
	unsigned long value = strtoul(text + 1, &end, 10);
	if (strcmp(end, "]") != 0 || value >= clusters)
		return false;
	*out = (uint32_t)value;
	return true;
}

bool cpu_output_parse(const char *name, uint32_t clusters, struct cpu_output *out)
{
	size_t length = strcspn(name, "[");
	for (uint32_t i = 0; i < CPU_COUNTER_COUNT; i++) {
		const char *known = cpu_counter_defs[i].name;
		if (strlen(known) != length || memcmp(known, name, length) != 0)
			continue;
		*out = (struct cpu_output){.counter = (enum cpu_counter)i};
		if (i < CPU_FIRST_CLUSTER_COUNTER)
			return name[length] == '\0';
		return parse_instance(name + length, clusters, &out->cluster);
	}
	return false;
}

uint64_t cpu_reading_delta(const struct cpu_output *output, const struct perf_reading *from,
			   const struct perf_reading *to, uint8_t *quality)
{
	if (cpu_counter_defs[output->counter].gauge) {
		*quality = to->valid ? SX_QUALITY_VALID : SX_QUALITY_NOT_COLLECTED;
		return to->valid ? to->value : 0;
	}
	/* Linux lets iowait and the values of processes that were reaped step back: that is 0. */
	return perf_delta(from, to, quality);
}
