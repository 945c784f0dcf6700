/*
 * The CPU source: /proc and perf events as samples of time, for a process or the whole machine.
 * What the machine does not offer is not collected, and a note says why.
 */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sextant/expr.h>
#include "base/error.h"
#include "source/interval.h"
#include "source/nodes.h"

struct cpu_source {
	struct interval_source in; /* first */
	struct sx_constant_value constants[2];
	struct cpu_topology topology;
	struct cpu_run run; /* what start() set up */
};

static struct cpu_source *cpu_from(struct source *source)
{
	return (struct cpu_source *)source;
}

/* x86 names its CPUs in cpuinfo; boards with a device tree name themselves there. */
static void cpu_name(const struct sx_sys *sys, char *out, size_t size)
{
	char text[4096];
	const char *key = "model name";
	snprintf(out, size, "CPU");
	if (sys->read_file(sys->user, "/proc/cpuinfo", text, sizeof(text)) > 0) {
		char *at = strstr(text, key);
		char *colon = at ? strchr(at, ':') : NULL;
		if (colon) {
			colon += 1 + strspn(colon + 1, " \t");
			colon[strcspn(colon, "\n")] = '\0';
			snprintf(out, size, "%s", colon);
			return;
		}
	}
	if (sys->read_file(sys->user, "/proc/device-tree/model", text, sizeof(text)) > 0 && text[0])
		snprintf(out, size, "%.*s", (int)strcspn(text, "\n"), text);
}

static void driver_name(const struct sx_sys *sys, char *out, size_t size)
{
	char release[96];
	nodes_kernel_release(sys, release, sizeof(release));
	snprintf(out, size, "Linux %s%s", release, cpu_perf_probe(sys) ? ", no PMU" : "");
}

static void source_cpu_probe(const struct source_host *host, source_found_fn found, void *user)
{
	const struct sx_sys *sys = host->sys;
	char name[128], driver[128], text[64];
	struct sx_error err;
	struct sx_device device = {.id = "cpu", .source = "cpu", .catalog = "cpu"};
	cpu_name(sys, name, sizeof(name));
	driver_name(sys, driver, sizeof(driver));
	device.name = name;
	device.driver = driver;
	device.state = SX_DEVICE_READY;
	if (sys->read_file(sys->user, "/proc/stat", text, sizeof(text)) < 0) {
		bool right = errno == EACCES || errno == EPERM;
		error_set(&err, right ? SX_ERR_PERMISSION : SX_ERR_UNSUPPORTED, "cpu is unusable");
		error_because(&err, "/proc/stat cannot be read");
		error_try(&err, "mount -t proc proc /proc");
		source_unusable(&device, &err);
	}
	found(user, &device);
}

static const struct interval_ops cpu_interval;

static enum sx_status source_cpu_open(const struct source_host *host, const char *id,
				      struct source **out, struct sx_error *err)
{
	if (strcmp(id, "cpu") != 0) {
		enum sx_status status =
		    error_set(err, SX_ERR_NOT_FOUND, "there is no CPU device \"%s\"", id);
		error_try(err, "--device cpu");
		return status;
	}
	const struct sx_sys *sys = host->sys;
	struct cpu_source *s = interval_create(sizeof(*s), &source_cpu, &cpu_interval, host, err);
	enum sx_status status = s ? cpu_topology_read(sys, &s->topology, err) : SX_ERR_NO_MEMORY;
	if (status != SX_OK) {
		if (s)
			interval_close(&s->in.base);
		return status;
	}
	cpu_name(sys, s->in.name, sizeof(s->in.name));
	driver_name(sys, s->in.driver, sizeof(s->in.driver));
	s->constants[0] = (struct sx_constant_value){"cpus", s->topology.cpu_count};
	s->constants[1] = (struct sx_constant_value){"clusters", s->topology.cluster_count};
	s->in.desc.facts.constants = s->constants;
	s->in.desc.facts.constant_count = 2;
	*out = &s->in.base;
	return SX_OK;
}

/* How much of an interval an event was on its PMU. */
static uint64_t counted_ns(const struct perf_reading *from, const struct perf_reading *to,
			   uint64_t length_ns)
{
	uint64_t enabled = to->enabled > from->enabled ? to->enabled - from->enabled : 0;
	uint64_t running = to->running > from->running ? to->running - from->running : 0;
	if (running >= enabled)
		return length_ns;
	return (uint64_t)((double)length_ns * ((double)running / (double)enabled) + 0.5);
}

/* Until here from the reading before; the first reading was taken by cpu_run_start(). */
static void cpu_take(struct source *source, struct raw_sample *out)
{
	struct cpu_source *s = cpu_from(source);
	struct cpu_run *run = &s->run;
	uint32_t share = 0;
	if (out)
		cpu_run_take(run);
	for (uint32_t i = 0; out && i < run->output_count; i++) {
		const struct perf_reading *from = &run->before[i], *to = &run->now[i];
		uint8_t quality;
		uint64_t value = cpu_reading_delta(&run->outputs[i], from, to, &quality);
		interval_put_value(&s->in, i, value, quality);
		if (share < run->share_count && run->shares[share] == i)
			interval_put_value(&s->in, run->output_count + share++,
					   counted_ns(from, to, out->end_ns - out->begin_ns),
					   quality & SX_QUALITY_NO_DATA_MASK);
	}
	if (out) {
		interval_give_values(&s->in, out);
		s->in.run.over |= run->process.ended;
	}
	cpu_run_swap(run);
}

/* What the process did up to its end is read with it. */
static bool cpu_ended(struct source *source)
{
	struct cpu_run *run = &cpu_from(source)->run;
	cpu_process_read(source->sys, run->pid, run->proc.tick_ns, &run->process);
	return run->process.ended;
}

static const char *cpu_note(struct source *source, uint32_t index)
{
	const struct cpu_notes *notes = &cpu_from(source)->run.notes;
	return index < notes->count ? notes->items[index].text : NULL;
}

static enum sx_status cpu_begin(struct source *source, const struct source_request *request,
				struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	s->run.sys = source->sys;
	s->run.topology = &s->topology;
	enum sx_status status = cpu_run_start(&s->run, request, err);
	s->in.desc.counters = (const char *const *)s->run.names;
	s->in.desc.whys = s->run.whys;
	s->in.desc.counter_count = s->run.output_count + s->run.share_count;
	return status;
}

static void cpu_halt(struct source *source)
{
	perf_close(&cpu_from(source)->run.perf, source->sys);
}

static void cpu_release(struct source *source)
{
	cpu_run_finish(&cpu_from(source)->run);
}

static void cpu_finish(struct source *source)
{
	cpu_topology_finish(&cpu_from(source)->topology);
}

static const struct interval_ops cpu_interval = {
    .what = "the CPU source",
    .no_set = "a processor's counters are chosen one by one",
    .no_finer = "the kernel's own counts of time are no finer, or it is too long",
    .begin = cpu_begin,
    .take = cpu_take,
    .ended = cpu_ended,
    .note = cpu_note,
    .halt = cpu_halt,
    .release = cpu_release,
    .finish = cpu_finish,
};

const struct source_ops source_cpu = {
    .name = "cpu",
    .raw = RAW_VALUES,
    .probe = source_cpu_probe,
    .open = source_cpu_open,
    INTERVAL_SOURCE_OPS,
};
