/*
 * The online CPUs, and their clusters: the CPUs of one core type. What Linux reports of them on
 * every machine: /proc/stat, /proc/vmstat, /proc/PID/stat and cpufreq.
 */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "source/files.h"

#define CPU_DIR "/sys/devices/system/cpu"

/* One core type: CPUs with the same PMU, or else the same capacity. */
struct core_type {
	uint64_t capacity; /* the highest of its CPUs */
	uint32_t pmu;	   /* index, or SX_NONE */
};

static bool list_holds(const char *text, uint64_t cpu)
{
	uint64_t first, last;
	while (perf_cpus_next(&text, &first, &last))
		if (cpu >= first && cpu <= last)
			return true;
	return false;
}

static enum sx_status read_online(const struct sx_sys *sys, struct cpu_topology *out,
				  struct sx_error *err)
{
	char list[4096];
	if (sys->read_file(sys->user, CPU_DIR "/online", list, sizeof(list)) < 0)
		return error_errno(err, errno, "cannot read " CPU_DIR "/online");
	uint64_t first, last;
	uint32_t count = 0;
	for (const char *at = list; perf_cpus_next(&at, &first, &last);)
		count += (uint32_t)(last - first + 1);
	if (count == 0 || count > CPU_IDS_MAX)
		return error_set(err, SX_ERR_BAD_INPUT, CPU_DIR "/online holds no list of CPUs");
	out->cpus = calloc(count, sizeof(*out->cpus));
	out->cluster = calloc(count, sizeof(*out->cluster));
	if (!out->cpus || !out->cluster)
		return error_nomem(err, "the list of CPUs");
	for (const char *at = list; perf_cpus_next(&at, &first, &last);)
		for (uint64_t cpu = first; cpu <= last; cpu++)
			out->cpus[out->cpu_count++] = (uint16_t)cpu;
	return SX_OK;
}

/* Only the PMUs of cores list the CPUs that they serve; those of other devices have a mask. */
static bool is_core(const struct pmu_device *pmu)
{
	return pmu->cpus[0] && !pmu->is_shared;
}

static uint32_t find_pmu(const struct pmu_list *list, uint64_t cpu)
{
	for (uint32_t i = 0; i < list->count; i++)
		if (is_core(&list->items[i]) && list_holds(list->items[i].cpus, cpu))
			return i;
	return SX_NONE;
}

/* Index of the CPU's core type, added when new. More types than fit share the last one. */
static uint32_t find_type(struct core_type *types, uint32_t *count, bool by_pmu, uint32_t pmu,
			  uint64_t capacity)
{
	for (uint32_t i = 0; i < *count; i++) {
		if (by_pmu ? types[i].pmu != pmu : types[i].capacity != capacity)
			continue;
		if (capacity > types[i].capacity)
			types[i].capacity = capacity;
		return i;
	}
	if (*count == CPU_CLUSTERS_MAX)
		return *count - 1;
	types[*count] = (struct core_type){.capacity = capacity, .pmu = pmu};
	return (*count)++;
}

/* Place of a type when the weakest comes first; names decide where capacities are equal. */
static uint32_t rank_of(const struct core_type *types, uint32_t count, uint32_t type,
			const struct pmu_list *list)
{
	uint32_t rank = 0;
	for (uint32_t i = 0; i < count; i++) {
		if (types[i].capacity != types[type].capacity)
			rank += types[i].capacity < types[type].capacity;
		else if (types[i].pmu != SX_NONE && types[type].pmu != SX_NONE)
			rank += strcmp(list->items[types[i].pmu].name,
				       list->items[types[type].pmu].name) < 0;
	}
	return rank;
}

/* Errors: that of a CPU's capacity; one that does not exist is none. */
static int assign_clusters(const struct sx_sys *sys, struct cpu_topology *out,
			   const struct pmu_list *list)
{
	int error = 0;
	struct core_type types[CPU_CLUSTERS_MAX];
	uint32_t rank[CPU_CLUSTERS_MAX];
	char folder[64];
	for (uint32_t i = 0; i < out->cpu_count; i++) {
		uint64_t capacity = 0;
		snprintf(folder, sizeof(folder), CPU_DIR "/cpu%u", out->cpus[i]);
		if (!file_u64(sys, folder, "cpu_capacity", &capacity) && errno && errno != ENOENT &&
		    errno != ENOTDIR)
			error = errno;
		uint32_t pmu = out->mixed ? find_pmu(list, out->cpus[i]) : SX_NONE;
		out->cluster[i] =
		    (uint8_t)find_type(types, &out->cluster_count, out->mixed, pmu, capacity);
	}
	for (uint32_t i = 0; i < out->cluster_count; i++) {
		rank[i] = rank_of(types, out->cluster_count, i, list);
		if (types[i].pmu != SX_NONE)
			out->pmu_type[rank[i]] = list->items[types[i].pmu].type;
	}
	for (uint32_t i = 0; i < out->cpu_count; i++)
		out->cluster[i] = (uint8_t)rank[out->cluster[i]];
	return error;
}

enum sx_status cpu_topology_read(const struct sx_sys *sys, struct cpu_topology *out,
				 struct sx_error *err)
{
	enum sx_status status = read_online(sys, out, err);
	if (status != SX_OK)
		return status;
	struct pmu_list list = {0};
	uint32_t cores = 0;
	status = pmu_list_read(sys, &list, err);
	int error = 0;
	for (uint32_t i = 0; i < list.count; i++) {
		cores += is_core(&list.items[i]);
		error = list.items[i].unreadable ? list.items[i].unreadable : error;
	}
	out->mixed = cores > 1;
	if (!status && !error)
		error = assign_clusters(sys, out, &list);
	if (!status && error)
		status = error_errno(err, error, "cannot read the CPUs' core types");
	pmu_list_finish(&list);
	return status;
}

void cpu_topology_finish(struct cpu_topology *topology)
{
	free(topology->cpus);
	free(topology->cluster);
	*topology = (struct cpu_topology){0};
}

/* Index of a CPU number in `cpus`, or SX_NONE. */
static uint32_t cpu_topology_find(const struct cpu_topology *topology, uint64_t cpu)
{
	uint32_t low = 0, high = topology->cpu_count;
	while (low < high) {
		uint32_t middle = (low + high) / 2;
		if (topology->cpus[middle] < cpu)
			low = middle + 1;
		else
			high = middle;
	}
	return low < topology->cpu_count && topology->cpus[low] == cpu ? low : SX_NONE;
}

#define TEXT_SIZE ((size_t)512 * 1024) /* the line of interrupts is long on big machines */
#define NS_PER_S  UINT64_C(1000000000)

enum sx_status cpu_proc_init(struct cpu_proc *proc, const struct cpu_topology *topology,
			     struct sx_error *err)
{
	long hz = sysconf(_SC_CLK_TCK);
	proc->tick_ns = NS_PER_S / (uint64_t)(hz > 0 ? hz : 100);
	proc->text = malloc(TEXT_SIZE);
	proc->last = calloc(topology->cpu_count, sizeof(*proc->last));
	proc->seen = calloc(topology->cpu_count, sizeof(*proc->seen));
	if (!proc->text || !proc->last || !proc->seen)
		return error_nomem(err, "the CPU source");
	return SX_OK;
}

void cpu_proc_finish(struct cpu_proc *proc)
{
	free(proc->text);
	free(proc->last);
	free(proc->seen);
	*proc = (struct cpu_proc){0};
}

/* Reads up to `count` decimal numbers; returns how many. */
static uint32_t read_numbers(const char *text, uint64_t *out, uint32_t count)
{
	uint32_t found = 0;
	while (found < count) {
		char *end;
		text += strspn(text, " ");
		if (*text < '0' || *text > '9')
			break;
		out[found++] = strtoull(text, &end, 10);
		text = end;
	}
	return found;
}

/* A CPU that appears during the run only sets its base line: its past is not ours. */
static void add_cpu(struct cpu_proc *proc, const struct cpu_topology *topology, const char *line)
{
	char *end;
	uint64_t now[CPU_TICK_COUNT] = {0};
	uint32_t i = cpu_topology_find(topology, strtoull(line, &end, 10));
	if (i == SX_NONE || read_numbers(end, now, CPU_TICK_COUNT) < CPU_TICK_IDLE + 1)
		return;
	uint64_t *sums = proc->ticks[topology->cluster[i]];
	for (uint32_t t = 0; t < CPU_TICK_COUNT; t++)
		if (proc->seen[i] && now[t] > proc->last[i][t])
			sums[t] += now[t] - proc->last[i][t];
	memcpy(proc->last[i], now, sizeof(now));
	proc->seen[i] = true;
	proc->stat_valid = true;
}

static void take_number(struct cpu_proc *proc, const char *line, const char *key,
			enum cpu_number which)
{
	size_t length = strlen(key);
	if (strncmp(line, key, length) != 0 || line[length] != ' ')
		return;
	proc->number_valid[which] = read_numbers(line + length, &proc->numbers[which], 1) == 1;
}

static void parse_line(struct cpu_proc *proc, const struct cpu_topology *topology, const char *line)
{
	static const struct {
		const char *key;
		enum cpu_number which;
	} keys[] = {
	    {"intr", CPU_NUMBER_INTERRUPTS},	     {"ctxt", CPU_NUMBER_SWITCHES},
	    {"processes", CPU_NUMBER_STARTED},	     {"procs_running", CPU_NUMBER_RUNNABLE},
	    {"procs_blocked", CPU_NUMBER_BLOCKED},   {"pgfault", CPU_NUMBER_FAULTS},
	    {"pgmajfault", CPU_NUMBER_MAJOR_FAULTS},
	};
	if (strncmp(line, "cpu", 3) == 0 && line[3] >= '0' && line[3] <= '9') {
		add_cpu(proc, topology, line + 3);
		return;
	}
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		take_number(proc, line, keys[i].key, keys[i].which);
}

static void parse_file(struct cpu_proc *proc, const struct sx_sys *sys,
		       const struct cpu_topology *topology, const char *path)
{
	if (sys->read_file(sys->user, path, proc->text, TEXT_SIZE) < 0)
		return;
	for (char *line = proc->text; line && *line;) {
		char *next = strchr(line, '\n');
		if (!next)
			break; /* a line without an end is cut off: its last number may be too */
		*next = '\0';
		parse_line(proc, topology, line);
		line = next + 1;
	}
}

void cpu_proc_read(struct cpu_proc *proc, const struct sx_sys *sys,
		   const struct cpu_topology *topology)
{
	proc->stat_valid = false;
	memset(proc->number_valid, 0, sizeof(proc->number_valid));
	parse_file(proc, sys, topology, "/proc/stat");
	parse_file(proc, sys, topology, "/proc/vmstat");
}

/* The kernel's number for the CPU clock of a process, as clock_getcpuclockid() makes it. */
static clockid_t process_clock(pid_t pid)
{
	return (clockid_t)((~(uint32_t)pid << 3) | 2u);
}

void cpu_process_read(const struct sx_sys *sys, pid_t pid, uint64_t tick_ns,
		      struct cpu_process *out)
{
	struct process_stat stat;
	if (!process_stat_read(sys, pid, &stat)) {
		out->ended = errno == ENOENT || errno == ESRCH; /* the last values stay */
		return;
	}
	if (!stat.whole)
		return;
	out->ended = stat.ended;
	uint64_t own = stat.ticks * tick_ns;
	sys_clock_ns(sys, process_clock(pid), &own);
	out->cpu_ns = own + stat.waited_ticks * tick_ns;
	out->faults = stat.faults;
	out->major_faults = stat.major_faults;
	out->valid = true;
}

bool cpu_frequency_read(const struct sx_sys *sys, const struct cpu_topology *topology,
			uint32_t cluster, uint64_t *hz)
{
	char folder[64];
	uint64_t sum = 0, count = 0, khz;
	for (uint32_t i = 0; i < topology->cpu_count; i++) {
		if (topology->cluster[i] != cluster)
			continue;
		snprintf(folder, sizeof(folder), CPU_DIR "/cpu%u/cpufreq", topology->cpus[i]);
		bool read = file_u64(sys, folder, "scaling_cur_freq", &khz);
		if (!read && errno == ENOENT)
			continue; /* gone offline */
		if (!read)
			return false;
		sum += khz;
		count++;
	}
	if (count == 0)
		return false;
	*hz = sum * 1000 / count;
	return true;
}
