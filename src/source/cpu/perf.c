/* perf events of the CPU source: opened one by one, read as sums with their share of time. */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include "base/mem.h"

#define THREADS_MAX 1024 /* threads of a process that is already running */

/* What read() gives for our read_format, in 64-bit words. */
enum { WORD_VALUE, WORD_ENABLED, WORD_RUNNING, WORD_COUNT };

struct cpu_perf_event {
	int fd;
	uint32_t output;
	bool keeps_time; /* its enabled time counts; false for further PMUs of one thread */
};

/* Where the events of one output are opened. */
struct opening {
	struct cpu_perf *perf;
	const struct sx_sys *sys;
	const struct cpu_topology *topology;
	const struct cpu_output *output;
	uint32_t index;
	int error;
	uint32_t opened;
};

static void set_attr(struct perf_event_attr *attr, const struct cpu_counter_def *def,
		     uint32_t pmu_type, bool user_only, bool inherit)
{
	*attr = (struct perf_event_attr){0};
	attr->size = sizeof(*attr);
	attr->type = def->perf_type;
	attr->config = def->perf_config;
	if (def->perf_type == PERF_TYPE_HARDWARE)
		attr->config |= (uint64_t)pmu_type << 32;
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	attr->inherit = inherit;
	attr->exclude_kernel = user_only;
	attr->exclude_hv = user_only;
}

/* These happen in the kernel: counted for user mode alone they would be a false 0. */
static bool needs_kernel(const struct cpu_counter_def *def)
{
	return def->perf_type == PERF_TYPE_SOFTWARE &&
	       (def->perf_config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		def->perf_config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

/* Opens one event, without the kernel's part where the system forbids that. */
static int open_fd(struct opening *o, uint32_t pmu_type, pid_t pid, int cpu)
{
	struct perf_event_attr attr;
	const struct sx_sys *sys = o->sys;
	const struct cpu_counter_def *def = &cpu_counter_defs[o->output->counter];
	bool may_drop = pid > 0 && !needs_kernel(def);
	bool user_only = may_drop && o->perf->user_only;
	set_attr(&attr, def, pmu_type, user_only, pid > 0);
	int fd = sys->perf_event_open(sys->user, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 || user_only || !may_drop || (errno != EACCES && errno != EPERM))
		return fd;
	set_attr(&attr, def, pmu_type, true, true);
	fd = sys->perf_event_open(sys->user, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	o->perf->user_only = fd >= 0;
	return fd;
}

static void open_one(struct opening *o, uint32_t pmu_type, pid_t pid, int cpu, bool keeps_time)
{
	struct cpu_perf *perf = o->perf;
	if (!mem_grow(&perf->events, &perf->capacity, perf->count + 1, sizeof(*perf->events))) {
		o->error = ENOMEM;
		return;
	}
	int fd = open_fd(o, pmu_type, pid, cpu);
	if (fd < 0) {
		o->error = errno;
		return;
	}
	perf->events[perf->count++] = (struct cpu_perf_event){fd, o->index, keeps_time};
	o->opened++;
}

/* On a machine with several core PMUs a hardware event of a thread needs one of each. */
static void open_thread(struct opening *o, pid_t tid)
{
	bool hardware = cpu_counter_defs[o->output->counter].perf_type == PERF_TYPE_HARDWARE;
	uint32_t pmus = hardware && o->topology->mixed ? o->topology->cluster_count : 1;
	for (uint32_t i = 0; i < pmus && !o->error; i++)
		open_one(o, pmus > 1 ? o->topology->pmu_type[i] : 0, tid, -1, i == 0);
}

static int visit_thread(void *arg, const char *name)
{
	struct opening *o = arg;
	long tid = strtol(name, NULL, 10);
	if (tid <= 0)
		return 0;
	open_thread(o, (pid_t)tid);
	if (o->error == ESRCH)
		o->error = 0; /* it ended between the listing and now */
	return o->error != 0 || o->opened >= THREADS_MAX;
}

static void open_process(struct opening *o, pid_t pid)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	if (o->sys->list_dir(o->sys->user, path, visit_thread, o) < 0)
		o->error = errno; /* one thread alone would pass for all */
	if (!o->error && o->opened == 0)
		o->error = ESRCH;
}

static void open_cpus(struct opening *o)
{
	bool one = o->output->counter >= CPU_FIRST_CLUSTER_COUNTER;
	for (uint32_t i = 0; i < o->topology->cpu_count && !o->error; i++) {
		uint32_t cluster = o->topology->cluster[i];
		if (one && cluster != o->output->cluster)
			continue;
		open_one(o, o->topology->pmu_type[cluster], -1, o->topology->cpus[i], true);
	}
}

static void close_from(struct cpu_perf *perf, const struct sx_sys *sys, size_t first)
{
	while (perf->count > first)
		sys->close(sys->user, perf->events[--perf->count].fd);
}

int cpu_perf_open(struct cpu_perf *perf, const struct sx_sys *sys,
		  const struct cpu_topology *topology, const struct cpu_output *output,
		  uint32_t index, pid_t pid)
{
	size_t first = perf->count;
	struct opening o = {
	    .perf = perf, .sys = sys, .topology = topology, .output = output, .index = index};
	if (pid > 0 && output->counter < CPU_FIRST_CLUSTER_COUNTER)
		open_process(&o, pid);
	else
		open_cpus(&o);
	if (o.error)
		close_from(perf, sys, first);
	return o.error;
}

void cpu_perf_read(struct cpu_perf *perf, const struct sx_sys *sys, struct cpu_reading *readings)
{
	for (size_t i = 0; i < perf->count; i++) {
		const struct cpu_perf_event *event = &perf->events[i];
		struct cpu_reading *to = &readings[event->output];
		uint64_t words[WORD_COUNT];
		if (sys->read(sys->user, event->fd, words, sizeof(words)) !=
		    (ssize_t)sizeof(words)) {
			to->valid = false;
			continue;
		}
		to->value += words[WORD_VALUE];
		to->running += words[WORD_RUNNING];
		if (event->keeps_time)
			to->enabled += words[WORD_ENABLED];
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
	set_attr(&attr, &cpu_counter_defs[CPU_CYCLES], 0, true, false);
	int fd = sys->perf_event_open(sys->user, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		return errno;
	sys->close(sys->user, fd);
	return 0;
}
