/*
 * The CPU source: /proc and perf events as samples of time, for a process or the whole machine.
 * What the machine does not offer is not collected, and a note says why.
 */
#include "source/cpu/cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sextant/expr.h>
#include "base/error.h"
#include "source/interval.h"

#define DEFAULT_INTERVAL_NS UINT64_C(100000000) /* ten ticks of /proc/stat */

struct cpu_source {
	struct source base;
	struct source_desc desc;
	struct sx_constant_value constants[2];
	char name[128], driver[128];
	struct cpu_topology topology;
	/* What start() set up. */
	struct cpu_run run;
	struct interval interval;
	uint8_t *sample; /* values, then one quality byte each */
};

static struct cpu_source *cpu_from(struct source *source)
{
	return (struct cpu_source *)source;
}

static void first_line(const struct sx_sys *sys, const char *path, char *out, size_t size)
{
	if (sys->read_file(sys->user, path, out, size) <= 0)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
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
	first_line(sys, "/proc/device-tree/model", text, sizeof(text));
	if (text[0])
		snprintf(out, size, "%.*s", (int)size - 1, text);
}

static void driver_name(const struct sx_sys *sys, char *out, size_t size)
{
	char release[96];
	first_line(sys, "/proc/sys/kernel/osrelease", release, sizeof(release));
	snprintf(out, size, "Linux %s%s", release, cpu_perf_probe(sys) ? ", no PMU" : "");
}

static void source_cpu_probe(const struct source_host *host, source_found_fn found, void *user)
{
	const struct sx_sys *sys = host->sys;
	char name[128], driver[128], text[64];
	struct sx_device device = {.id = "cpu", .source = "cpu", .catalog = "cpu"};
	cpu_name(sys, name, sizeof(name));
	driver_name(sys, driver, sizeof(driver));
	device.name = name;
	device.driver = driver;
	device.state = SX_DEVICE_READY;
	if (sys->read_file(sys->user, "/proc/stat", text, sizeof(text)) < 0) {
		device.state = SX_DEVICE_UNUSABLE;
		device.obstacle =
		    errno == EACCES || errno == EPERM ? SX_ERR_PERMISSION : SX_ERR_UNSUPPORTED;
		device.because = "/proc/stat cannot be read";
		device.remedy = "mount -t proc proc /proc";
	}
	found(user, &device);
}

static void source_cpu_close(struct source *source);

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
	struct cpu_source *s = calloc(1, sizeof(*s));
	if (!s)
		return error_nomem(err, "the CPU source");
	s->base = (struct source){&source_cpu, sys, host->catalogs, &s->desc};
	enum sx_status status = cpu_topology_read(sys, &s->topology, err);
	if (status != SX_OK) {
		source_cpu_close(&s->base);
		return status;
	}
	cpu_name(sys, s->name, sizeof(s->name));
	driver_name(sys, s->driver, sizeof(s->driver));
	s->constants[0] = (struct sx_constant_value){"cpus", s->topology.cpu_count};
	s->constants[1] = (struct sx_constant_value){"clusters", s->topology.cluster_count};
	s->desc = (struct source_desc){.catalog = "cpu",
				       .facts.name = s->name,
				       .facts.driver = s->driver,
				       .min_interval_ns = INTERVAL_MIN_NS,
				       .max_interval_ns = INTERVAL_MAX_NS,
				       .facts.constants = s->constants,
				       .facts.constant_count = 2};
	*out = &s->base;
	return SX_OK;
}

static void release_run(struct cpu_source *s)
{
	cpu_run_finish(&s->run);
	free(s->sample);
	s->sample = NULL;
	s->interval = (struct interval){0};
	s->desc.counters = NULL;
	s->desc.counter_count = 0;
}

static void source_cpu_close(struct source *source)
{
	struct cpu_source *s = cpu_from(source);
	release_run(s);
	cpu_topology_finish(&s->topology);
	free(s);
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
static void cpu_take(void *user, struct raw_sample *out)
{
	struct cpu_source *s = user;
	struct cpu_run *run = &s->run;
	uint32_t count = run->output_count + run->share_count;
	uint8_t *quality = s->sample + count * sizeof(uint64_t);
	if (out)
		cpu_run_take(run);
	for (uint32_t i = 0; out && i < run->output_count; i++) {
		uint64_t value =
		    cpu_reading_delta(&run->outputs[i], &run->before[i], &run->now[i], &quality[i]);
		interval_put_u64(s->sample + i * sizeof(value), value);
	}
	for (uint32_t i = 0; out && i < run->share_count; i++) {
		uint32_t of = run->shares[i], at = run->output_count + i;
		uint64_t length = out->end_ns - out->begin_ns;
		quality[at] = quality[of] & SX_QUALITY_NO_DATA_MASK;
		interval_put_u64(s->sample + at * sizeof(length),
				 counted_ns(&run->before[of], &run->now[of], length));
	}
	if (out) {
		out->kind = RAW_VALUES;
		out->data = s->sample;
		out->size = count * (sizeof(uint64_t) + 1);
		s->interval.over |= run->process.ended;
	}
	cpu_run_swap(run);
}

/* Whether the process that is measured is gone. */
static bool cpu_ended(void *user)
{
	struct cpu_source *s = user;
	struct cpu_run *run = &s->run;
	cpu_process_read(s->base.sys, run->pid, run->proc.tick_ns, &run->process);
	return run->process.ended;
}

static const char *cpu_note(void *user, uint32_t index)
{
	const struct cpu_notes *notes = &((struct cpu_source *)user)->run.notes;
	return index < notes->count ? notes->items[index].text : NULL;
}

static enum sx_status begin_run(struct cpu_source *s, const struct source_request *request,
				struct sx_error *err)
{
	static const struct interval_ops ops = {cpu_take, cpu_ended, cpu_note};
	s->run.sys = s->base.sys;
	s->run.topology = &s->topology;
	enum sx_status status = cpu_run_start(&s->run, request, err);
	if (status != SX_OK)
		return status;
	uint32_t count = s->run.output_count + s->run.share_count;
	s->sample = calloc((size_t)count + 1, sizeof(uint64_t) + 1);
	if (!s->sample)
		return error_nomem(err, "the CPU source");
	s->interval = (struct interval){.ops = &ops,
					.user = s,
					.sys = s->base.sys,
					.watched = s->run.pid > 0,
					.child = request->child ? request->pid : 0};
	status = interval_start(
	    &s->interval, request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS, err);
	if (status != SX_OK)
		return status;
	s->desc.counters = (const char *const *)s->run.names;
	s->desc.counter_count = count;
	return SX_OK;
}

static const struct interval_words cpu_refusals = {
    .what = "the CPU source",
    .no_set = "a processor's counters are chosen one by one",
    .no_finer = "the kernel's own counts of time are no finer, or it is too long",
};

static enum sx_status source_cpu_start(struct source *source, const struct source_request *request,
				       struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	enum sx_status status = interval_check(&s->interval, request, &cpu_refusals, err);
	if (status)
		return status;
	release_run(s);
	status = begin_run(s, request, err);
	if (status)
		release_run(s);
	return status;
}

static enum sx_status source_cpu_read(struct source *source, int timeout_ms, struct raw_sample *out,
				      struct sx_error *err)
{
	return interval_read(&cpu_from(source)->interval, timeout_ms, out, err);
}

static void source_cpu_wake(struct source *source, struct source_wake *out)
{
	interval_wake(&cpu_from(source)->interval, out);
}

static enum sx_status source_cpu_stop(struct source *source, struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	interval_stop(&s->interval);
	cpu_perf_finish(&s->run.perf, s->base.sys);
	return SX_OK;
}

static bool source_cpu_clock(struct source *source, struct source_clock *out)
{
	return interval_clock(&cpu_from(source)->interval, out);
}

const struct source_ops source_cpu = {
    .name = "cpu",
    .raw = RAW_VALUES,
    .probe = source_cpu_probe,
    .open = source_cpu_open,
    .start = source_cpu_start,
    .read = source_cpu_read,
    .wake = source_cpu_wake,
    .stop = source_cpu_stop,
    .close = source_cpu_close,
    .clock = source_cpu_clock,
};
