/* The CPU source, in parts: topology, /proc, perf events, and the readings that join them. */
#ifndef SOURCE_CPU_CPU_H
#define SOURCE_CPU_CPU_H

#include "source/perf/perf.h"
#include "source/source.h"
#include "source/process_tree.h"

#define CPU_IDS_MAX	 PERF_CPUS_MAX
#define CPU_CLUSTERS_MAX 16

/* Which CPUs there are, and of which core type each is. Zero-initialise; cpu_topology_finish(). */
struct cpu_topology {
	uint32_t cpu_count;
	uint32_t cluster_count;
	uint16_t *cpus;	  /* numbers of the CPUs online, ascending */
	uint8_t *cluster; /* of each CPU; 0 is the weakest */
	/* perf type of each cluster's own PMU; 0 where one PMU serves all CPUs */
	uint32_t pmu_type[CPU_CLUSTERS_MAX];
	bool mixed; /* several core PMUs */
};

enum sx_status cpu_topology_read(const struct sx_sys *sys, struct cpu_topology *out,
				 struct sx_error *err);
void cpu_topology_finish(struct cpu_topology *topology);

/* The fields of a "cpu" line of /proc/stat, in ticks. */
enum cpu_tick {
	CPU_TICK_USER,
	CPU_TICK_NICE,
	CPU_TICK_SYSTEM,
	CPU_TICK_IDLE,
	CPU_TICK_IOWAIT,
	CPU_TICK_IRQ,
	CPU_TICK_SOFTIRQ,
	CPU_TICK_STEAL,
	CPU_TICK_COUNT
};

/* Single numbers out of /proc. */
enum cpu_number {
	CPU_NUMBER_INTERRUPTS,
	CPU_NUMBER_SWITCHES,
	CPU_NUMBER_STARTED,
	CPU_NUMBER_RUNNABLE,
	CPU_NUMBER_BLOCKED,
	CPU_NUMBER_FAULTS,
	CPU_NUMBER_MAJOR_FAULTS,
	CPU_NUMBER_COUNT
};

/* What /proc has said so far; everything only grows. Zero-initialise; cpu_proc_finish(). */
struct cpu_proc {
	char *text; /* buffer for files */
	uint64_t tick_ns;
	uint64_t (*last)[CPU_TICK_COUNT]; /* one a CPU of the topology */
	bool *seen;			  /* CPU has been read before */
	bool stat_valid;
	uint64_t ticks[CPU_CLUSTERS_MAX][CPU_TICK_COUNT]; /* sums of differences, by cluster */
	uint64_t numbers[CPU_NUMBER_COUNT];
	bool number_valid[CPU_NUMBER_COUNT];
};

enum sx_status cpu_proc_init(struct cpu_proc *proc, const struct cpu_topology *topology,
			     struct sx_error *err);
void cpu_proc_finish(struct cpu_proc *proc);
/* Reads /proc/stat and /proc/vmstat; what cannot be read is marked invalid. */
void cpu_proc_read(struct cpu_proc *proc, const struct sx_sys *sys,
		   const struct cpu_topology *topology);

/* A process as /proc/PID/stat and its CPU clock show it. */
struct cpu_process {
	bool valid, ended;
	uint64_t cpu_ns; /* with children that it has waited for */
	uint64_t faults, major_faults;
};
void cpu_process_read(const struct sx_sys *sys, pid_t pid, uint64_t tick_ns,
		      struct cpu_process *out);
/* Mean of what cpufreq reports for a cluster's CPUs, in Hz; false when it does not. */
bool cpu_frequency_read(const struct sx_sys *sys, const struct cpu_topology *topology,
			uint32_t cluster, uint64_t *hz);

enum cpu_counter {
#define COUNTER(id, name, event) CPU_##id,
#include "source/cpu/counters.def"
#undef COUNTER
	CPU_COUNTER_COUNT
};

#define CPU_FIRST_CLUSTER_COUNTER CPU_CLUSTER_TIME
#define CPU_NO_EVENT		  UINT32_MAX

/* What is known of a counter beside the catalog. */
struct cpu_counter_def {
	const char *name;
	uint32_t perf_type; /* or CPU_NO_EVENT */
	uint64_t perf_config;
	bool gauge; /* a state, not a sum: read, not differenced */
};
extern const struct cpu_counter_def cpu_counter_defs[CPU_COUNTER_COUNT];

/* One value that is delivered. */
struct cpu_output {
	enum cpu_counter counter;
	uint32_t cluster; /* of a cluster counter */
	bool perf;	  /* comes from perf events */
	int error;	  /* why its event could not be opened, as cpu_notes_add(); 0: nothing */
};

/* What lies between two readings; *quality receives an enum sx_quality. */
uint64_t cpu_reading_delta(const struct cpu_output *output, const struct perf_reading *from,
			   const struct perf_reading *to, uint8_t *quality);

/* Why events could not be opened, by errno: one line a cause. */
#define CPU_NOTES_MAX 8
struct cpu_notes {
	struct {
		int error;
		char text[512], cause[192];
	} items[CPU_NOTES_MAX];
	uint32_t count;
};
#define CPU_NO_ROOM	(-1) /* no errno: the PMU has no room beside the rest */
#define CPU_OTHERS_ONLY (-2) /* of the whole machine, while one program is measured */
struct cpu_run;
/* Adds an output that is not collected because of an errno, or of one of these. */
void cpu_notes_add(struct cpu_run *run, int error, uint32_t output);
/* Puts the causes behind the names and into run->whys; asks the system for what explains them. */
void cpu_notes_finish(struct cpu_run *run);

struct cpu_run;
/* Adds up all events into the readings (by output index). */
void cpu_perf_read(const struct cpu_run *run, struct perf_reading *readings);
/* Whether this machine has a PMU that we may use: 0, or an errno. */
int cpu_perf_probe(const struct sx_sys *sys);

#define CPU_GROUPS_MAX 5
#define CPU_GROUP_MAX  9
/* Outputs with events that are counted at the same time; the first one is the group's leader. */
struct cpu_group {
	uint32_t outputs[CPU_GROUP_MAX];
	uint32_t count;
};

/* One run, from start() to stop(). Set `sys` and `topology`; cpu_run_finish() also after errors. */
struct cpu_run {
	const struct sx_sys *sys;
	const struct cpu_topology *topology;
	pid_t pid; /* 0: the whole machine */
	struct cpu_proc proc;
	struct perf_events perf;
	struct cpu_process process;
	struct threads threads;		/* of the process and its children */
	struct threads_busiest busiest; /* summed over the readings so far */
	struct cpu_notes notes;
	uint32_t hardware_groups; /* groups that take turns on the PMU */
	bool everything;	  /* no metric was chosen: all hardware counters are wanted */
	struct cpu_output *outputs;
	char **names;	   /* of the outputs, then of the shares */
	const char **whys; /* beside the names: why a value can never be had, or NULL */
	uint32_t output_count;
	uint32_t *shares; /* outputs that come with how long they were counted */
	uint32_t share_count;
	struct perf_reading *before, *now; /* one an output */
};

/*
 * Opens the events of a group: for a process (pid > 0) on each of its threads, with children; else
 * on each CPU of the machine or of the outputs' cluster. 0, or the errno of what failed; then none
 * of them stays open. EINVAL: they do not fit on the PMU together. ENOMEM when memory is out. A
 * trial, on one thread or one CPU of each kind alone, leaves nothing open.
 */
int cpu_perf_open(struct cpu_run *run, const struct cpu_group *group, bool trial);
/* Whether a counter is an event of the core's PMU, but no cluster's. */
bool cpu_is_hardware(enum cpu_counter counter);
/*
 * Puts the wanted hardware events that this machine has into groups; notes what it lacks, and what
 * has no room when everything is wanted. Returns how many groups there are.
 */
uint32_t cpu_groups_plan(struct cpu_run *run, struct cpu_group groups[CPU_GROUPS_MAX]);

/* Finds the counters, opens what they need and takes the first readings into `now`. */
enum sx_status cpu_run_start(struct cpu_run *run, const struct source_request *request,
			     struct sx_error *err);
/* Reads everything into `now`. */
void cpu_run_take(struct cpu_run *run);
/* What is now becomes what was before. */
void cpu_run_swap(struct cpu_run *run);
void cpu_run_finish(struct cpu_run *run);

#endif
