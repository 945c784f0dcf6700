/*
 * One run of the CPU source: which values are wanted, where each comes from, and their readings,
 * for a process or the whole machine; a note names what is not available.
 */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sextant/expr.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "source/interval.h"
#include "source/process_tree.h"
#include "wire/share.h"

#define HARDWARE(event) .perf_type = PERF_TYPE_HARDWARE, .perf_config = PERF_COUNT_HW_##event
#define SOFTWARE(event) .perf_type = PERF_TYPE_SOFTWARE, .perf_config = PERF_COUNT_SW_##event
#define NO_EVENT	.perf_type = CPU_NO_EVENT
#define STATE		NO_EVENT, .gauge = true

const struct cpu_counter_def cpu_counter_defs[CPU_COUNTER_COUNT] = {
#define COUNTER(id, name, event) {name, event},
#include "source/cpu/counters.def"
#undef COUNTER
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

/* Resolves "Cycles" or "ClusterCycles[1]"; false when there is no such counter or cluster. */
static bool cpu_output_parse(const char *name, uint32_t clusters, struct cpu_output *out)
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

static enum sx_status allocate_run(struct cpu_run *run, uint32_t count, struct sx_error *err)
{
	run->outputs = calloc(count, sizeof(*run->outputs));
	run->names = calloc(2 * (size_t)count, sizeof(*run->names));
	run->whys = calloc(2 * (size_t)count, sizeof(*run->whys));
	run->shares = calloc(count, sizeof(*run->shares));
	run->before = calloc(count, sizeof(*run->before));
	run->now = calloc(count, sizeof(*run->now));
	if (!run->outputs || !run->names || !run->whys || !run->shares || !run->before || !run->now)
		return error_nomem(err, "the CPU source");
	return cpu_proc_init(&run->proc, run->topology, err);
}

static enum sx_status add_output(struct cpu_run *run, const char *name, struct sx_error *err)
{
	struct cpu_output output = {0};
	/* What this machine lacks (a second cluster) is left out: its column is not collected. */
	if (!cpu_output_parse(name, run->topology->cluster_count, &output))
		return SX_OK;
	run->names[run->output_count] = strdup(name);
	if (!run->names[run->output_count])
		return error_nomem(err, "the CPU source");
	run->outputs[run->output_count++] = output;
	return SX_OK;
}

static enum sx_status add_all(struct cpu_run *run, struct sx_error *err)
{
	char name[64];
	for (uint32_t c = 0; c < CPU_COUNTER_COUNT; c++) {
		bool many = c >= CPU_FIRST_CLUSTER_COUNTER;
		for (uint32_t i = 0; i < (many ? run->topology->cluster_count : 1); i++) {
			snprintf(name, sizeof(name), many ? "%s[%u]" : "%s",
				 cpu_counter_defs[c].name, i);
			enum sx_status status = add_output(run, name, err);
			if (status != SX_OK)
				return status;
		}
	}
	return SX_OK;
}

static enum sx_status select_outputs(struct cpu_run *run, const struct source_request *request,
				     struct sx_error *err)
{
	uint32_t count = request->counter_count;
	if (!request->counters)
		count = CPU_COUNTER_COUNT * run->topology->cluster_count;
	enum sx_status status = allocate_run(run, count ? count : 1, err);
	if (status == SX_OK && !request->counters)
		status = add_all(run, err);
	for (uint32_t i = 0; status == SX_OK && request->counters && i < count; i++)
		status = add_output(run, request->counters[i], err);
	return status;
}

/* A machine's own counts of these come from /proc, which everybody may read. */
static bool wants_event(const struct cpu_run *run, const struct cpu_output *output)
{
	if (cpu_counter_defs[output->counter].perf_type == CPU_NO_EVENT)
		return false;
	switch (output->counter) {
	case CPU_TASK_CLOCK:
	case CPU_CONTEXT_SWITCHES:
	case CPU_PAGE_FAULTS:
	case CPU_MAJOR_FAULTS:
		return run->pid > 0;
	default:
		return true;
	}
}

/* Counters that a process has in /proc as well, if less exactly. */
static bool has_fallback(enum cpu_counter counter)
{
	return counter == CPU_TASK_CLOCK || counter == CPU_PAGE_FAULTS ||
	       counter == CPU_MAJOR_FAULTS;
}

/* Opens an event alone; where that fails, /proc may replace it. */
static enum sx_status open_alone(struct cpu_run *run, uint32_t index, struct sx_error *err)
{
	struct cpu_output *output = &run->outputs[index];
	struct cpu_group alone = {.outputs = {index}, .count = 1};
	int error = cpu_perf_open(run, &alone, false);
	output->perf = error == 0;
	if (error == ENOMEM)
		return error_nomem(err, "perf events");
	if (error && !(run->pid > 0 && has_fallback(output->counter)))
		cpu_notes_add(run, error, index);
	return SX_OK;
}

static enum sx_status open_groups(struct cpu_run *run, struct sx_error *err)
{
	struct cpu_group groups[CPU_GROUPS_MAX];
	uint32_t count = cpu_groups_plan(run, groups);
	for (uint32_t g = 0; g < count; g++) {
		int error = cpu_perf_open(run, &groups[g], false);
		if (error == ENOMEM)
			return error_nomem(err, "perf events");
		for (uint32_t i = 0; i < groups[g].count; i++) {
			struct cpu_output *output = &run->outputs[groups[g].outputs[i]];
			output->perf = error == 0;
			if (error)
				cpu_notes_add(run, error, groups[g].outputs[i]);
		}
	}
	run->hardware_groups = count;
	return SX_OK;
}

/* Whether an event that a cluster's output needs is there already, as the machine's. */
static bool shares_event(const struct cpu_run *run, const struct cpu_output *output)
{
	enum cpu_counter whole =
	    output->counter == CPU_CLUSTER_CYCLES ? CPU_CYCLES : CPU_INSTRUCTIONS;
	for (uint32_t i = 0; run->pid <= 0 && i < run->output_count; i++)
		if (run->outputs[i].counter == whole && run->outputs[i].perf)
			return true;
	return false;
}

static enum sx_status open_events(struct cpu_run *run, struct sx_error *err)
{
	enum sx_status status = open_groups(run, err);
	for (uint32_t i = 0; !status && i < run->output_count; i++) {
		struct cpu_output *output = &run->outputs[i];
		if (cpu_is_hardware(output->counter) || !wants_event(run, output))
			continue;
		bool cluster = output->counter >= CPU_FIRST_CLUSTER_COUNTER;
		if (cluster && shares_event(run, output))
			output->perf = true;
		else if (cluster && run->pid > 0 && run->everything && run->hardware_groups)
			/* Counting the machine would take the counters that the program needs. */
			cpu_notes_add(run, CPU_OTHERS_ONLY, i);
		else
			status = open_alone(run, i, err);
	}
	if (!status)
		cpu_notes_finish(run);
	return status;
}

static void set_number(const struct cpu_run *run, struct perf_reading *to, enum cpu_number which)
{
	to->valid = run->proc.number_valid[which];
	to->value = run->proc.numbers[which];
}

static uint64_t sum_ticks(const struct cpu_run *run, uint32_t cluster, uint32_t mask)
{
	uint64_t sum = 0;
	for (uint32_t t = 0; t < CPU_TICK_COUNT; t++)
		if (mask & 1u << t)
			sum += run->proc.ticks[cluster][t];
	return sum * run->proc.tick_ns;
}

#define TICKS_ALL  ((1u << CPU_TICK_COUNT) - 1)
#define TICKS_USER (1u << CPU_TICK_USER | 1u << CPU_TICK_NICE)
/* In stolen time, the host ran another guest. */
#define TICKS_BUSY                                                                                 \
	(TICKS_ALL & ~(1u << CPU_TICK_IDLE | 1u << CPU_TICK_IOWAIT | 1u << CPU_TICK_STEAL))

static void set_ticks(const struct cpu_run *run, struct perf_reading *to, uint32_t mask)
{
	to->valid = run->proc.stat_valid;
	for (uint32_t i = 0; i < run->topology->cluster_count; i++)
		to->value += sum_ticks(run, i, mask);
}

static void set_cluster(const struct cpu_run *run, const struct cpu_output *output,
			struct perf_reading *to)
{
	to->valid = run->proc.stat_valid;
	if (output->counter == CPU_CLUSTER_FREQUENCY)
		to->valid =
		    cpu_frequency_read(run->sys, run->topology, output->cluster, &to->value);
	else if (output->counter == CPU_CLUSTER_TIME)
		to->value = sum_ticks(run, output->cluster, TICKS_ALL);
	else if (output->counter == CPU_CLUSTER_BUSY_TIME)
		to->value = sum_ticks(run, output->cluster, TICKS_BUSY);
	else if (output->counter == CPU_CLUSTER_USER_TIME)
		to->value = sum_ticks(run, output->cluster, TICKS_USER);
	else
		to->valid = false; /* an event that could not be opened */
}

/* Counters of the measured scope when no perf event delivers them. */
static void set_scope(const struct cpu_run *run, enum cpu_counter counter, struct perf_reading *to)
{
	const struct cpu_process *p = &run->process;
	bool one = run->pid > 0;
	to->valid = one && p->valid && has_fallback(counter);
	if (one)
		to->value = counter == CPU_TASK_CLOCK	 ? p->cpu_ns
			    : counter == CPU_PAGE_FAULTS ? p->faults
							 : p->major_faults;
	else if (counter == CPU_TASK_CLOCK)
		set_ticks(run, to, TICKS_BUSY);
	else if (counter == CPU_CONTEXT_SWITCHES)
		set_number(run, to, CPU_NUMBER_SWITCHES);
	else if (counter == CPU_PAGE_FAULTS)
		set_number(run, to, CPU_NUMBER_FAULTS);
	else if (counter == CPU_MAJOR_FAULTS)
		set_number(run, to, CPU_NUMBER_MAJOR_FAULTS);
}

static void set_threads(const struct cpu_run *run, enum cpu_counter counter,
			struct perf_reading *to)
{
	to->valid = run->pid > 0 && run->busiest.known;
	to->value = counter == CPU_THREAD_TIME ? run->busiest.run_ns : run->busiest.wait_ns;
}

static void set_reading(const struct cpu_run *run, const struct cpu_output *output,
			struct perf_reading *to)
{
	enum cpu_counter c = output->counter;
	*to = (struct perf_reading){0};
	if (output->perf)
		to->valid = true; /* cpu_perf_read() adds the value */
	else if (c >= CPU_FIRST_CLUSTER_COUNTER)
		set_cluster(run, output, to);
	else if (c >= CPU_INTERRUPTS)
		set_number(run, to,
			   c == CPU_INTERRUPTS		? CPU_NUMBER_INTERRUPTS
			   : c == CPU_PROCESSES_STARTED ? CPU_NUMBER_STARTED
			   : c == CPU_RUNNABLE		? CPU_NUMBER_RUNNABLE
							: CPU_NUMBER_BLOCKED);
	else if (c == CPU_THREAD_TIME || c == CPU_THREAD_WAIT)
		set_threads(run, c, to);
	else if (c >= CPU_USER_TIME)
		set_ticks(run, to, 1u << (c - CPU_USER_TIME));
	else
		set_scope(run, c, to);
}

static bool wants_threads(const struct cpu_run *run)
{
	for (uint32_t i = 0; run->pid > 0 && i < run->output_count; i++)
		if (run->outputs[i].counter == CPU_THREAD_TIME ||
		    run->outputs[i].counter == CPU_THREAD_WAIT)
			return true;
	return false;
}

/* Sums of what the busiest thread of each interval did. */
static void take_threads(struct cpu_run *run)
{
	pid_t family[PROCESS_FAMILY_MOST];
	struct threads_busiest since;
	run->threads.sys = run->sys;
	size_t count = process_family(run->sys, run->pid, family);
	run->busiest.known = threads_read(&run->threads, family, count, &since) && since.known &&
			     count < PROCESS_FAMILY_MOST;
	run->busiest.run_ns += since.run_ns;
	run->busiest.wait_ns += since.wait_ns;
}

void cpu_run_take(struct cpu_run *run)
{
	const struct sx_sys *sys = run->sys;
	cpu_proc_read(&run->proc, sys, run->topology);
	if (run->pid > 0)
		cpu_process_read(sys, run->pid, run->proc.tick_ns, &run->process);
	if (wants_threads(run))
		take_threads(run);
	for (uint32_t i = 0; i < run->output_count; i++)
		set_reading(run, &run->outputs[i], &run->now[i]);
	cpu_perf_read(run, run->now);
}

/*
 * Hardware events may be multiplexed, also with those of other programs: adds columns of how long
 * each was counted.
 */
static enum sx_status add_shares(struct cpu_run *run, struct sx_error *err)
{
	for (uint32_t i = 0; i < run->output_count; i++) {
		const struct cpu_output *output = &run->outputs[i];
		char *name = NULL;
		if (!output->perf ||
		    cpu_counter_defs[output->counter].perf_type != PERF_TYPE_HARDWARE)
			continue;
		if (asprintf(&name, "%s" SHARE_SUFFIX, run->names[i]) < 0)
			return error_nomem(err, "the CPU source");
		run->names[run->output_count + run->share_count] = name;
		run->shares[run->share_count++] = i;
	}
	return SX_OK;
}

enum sx_status cpu_run_start(struct cpu_run *run, const struct source_request *request,
			     struct sx_error *err)
{
	run->pid = request->pid;
	enum sx_status status = select_outputs(run, request, err);
	if (status == SX_OK)
		status = open_events(run, err);
	if (status == SX_OK)
		status = add_shares(run, err);
	if (status != SX_OK)
		return status;
	cpu_run_take(run);
	if (run->pid <= 0 || run->process.valid)
		return SX_OK;
	struct process_stat stat; /* errno says why it cannot be read */
	process_stat_read(run->sys, run->pid, &stat);
	return interval_no_process(run->pid, err);
}

void cpu_run_swap(struct cpu_run *run)
{
	struct perf_reading *spare = run->before;
	run->before = run->now;
	run->now = spare;
}

void cpu_run_finish(struct cpu_run *run)
{
	perf_close(&run->perf, run->sys);
	cpu_proc_finish(&run->proc);
	threads_finish(&run->threads);
	for (uint32_t i = 0; run->names && i < run->output_count + run->share_count; i++)
		free(run->names[i]);
	free(run->names);
	free(run->whys);
	free(run->shares);
	free(run->outputs);
	free(run->before);
	free(run->now);
	*run = (struct cpu_run){0};
}
