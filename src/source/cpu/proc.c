/* What Linux tells everywhere: /proc/stat, /proc/vmstat, /proc/PID/stat and cpufreq. */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/clock.h"
#include "base/error.h"

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

/* Fields of /proc/PID/stat, counted behind the name, which may hold anything. */
enum { FIELD_MINFLT = 6, FIELD_MAJFLT = 8, FIELD_UTIME = 10, FIELD_CUTIME = 12, FIELD_COUNT = 14 };

static bool parse_process(const char *text, char *state, uint64_t *fields)
{
	const char *at = strrchr(text, ')');
	if (!at || at[1] != ' ' || at[2] == '\0')
		return false;
	*state = at[2];
	at += 3;
	for (int i = 0; i < FIELD_COUNT; i++) {
		char *end;
		fields[i] = (uint64_t)strtoll(at, &end, 10);
		if (end == at)
			return false;
		at = end;
	}
	return true;
}

/* The kernel's number for the CPU clock of a process, as clock_getcpuclockid() makes it. */
static clockid_t process_clock(pid_t pid)
{
	return (clockid_t)((~(uint32_t)pid << 3) | 2u);
}

void cpu_process_read(const struct sx_sys *sys, pid_t pid, uint64_t tick_ns,
		      struct cpu_process *out)
{
	char path[64], text[1024], state;
	uint64_t fields[FIELD_COUNT];
	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	if (sys->read_file(sys->user, path, text, sizeof(text)) < 0) {
		out->ended = errno == ENOENT || errno == ESRCH; /* the last values stand */
		return;
	}
	if (!parse_process(text, &state, fields))
		return;
	out->ended = state == 'Z' || state == 'X';
	uint64_t own = (fields[FIELD_UTIME] + fields[FIELD_UTIME + 1]) * tick_ns;
	sys_clock_ns(sys, process_clock(pid), &own);
	out->cpu_ns = own + (fields[FIELD_CUTIME] + fields[FIELD_CUTIME + 1]) * tick_ns;
	out->faults = fields[FIELD_MINFLT] + fields[FIELD_MINFLT + 1] + fields[FIELD_MAJFLT] +
		      fields[FIELD_MAJFLT + 1];
	out->major_faults = fields[FIELD_MAJFLT] + fields[FIELD_MAJFLT + 1];
	out->valid = true;
}

bool cpu_frequency_read(const struct sx_sys *sys, const struct cpu_topology *topology,
			uint32_t cluster, uint64_t *hz)
{
	char path[128], text[64];
	uint64_t sum = 0, count = 0, khz;
	for (uint32_t i = 0; i < topology->cpu_count; i++) {
		if (topology->cluster[i] != cluster)
			continue;
		snprintf(path, sizeof(path),
			 "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
			 topology->cpus[i]);
		bool read = sys->read_file(sys->user, path, text, sizeof(text)) > 0;
		if (!read && errno == ENOENT)
			continue; /* gone offline */
		if (!read || read_numbers(text, &khz, 1) != 1)
			return false;
		sum += khz;
		count++;
	}
	if (count == 0)
		return false;
	*hz = sum * 1000 / count;
	return true;
}
