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
#include "base/clock.h"
#include "base/error.h"

#define NS_PER_MS	    UINT64_C(1000000)
#define NS_PER_S	    UINT64_C(1000000000)
#define DEFAULT_INTERVAL_NS (100 * NS_PER_MS) /* ten ticks of /proc/stat */
#define MIN_INTERVAL_NS	    NS_PER_MS
#define MAX_INTERVAL_NS	    (3600 * NS_PER_S)
#define WATCH_MS	    10 /* how often the end of a process is looked for */

struct cpu_source {
	struct source base;
	struct source_desc desc;
	struct source_constant constants[2];
	char name[128], driver[128];
	struct cpu_topology topology;
	/* What start() set up. */
	struct cpu_run run;
	uint32_t notes_told;
	uint64_t interval_ns, last_ns, due_ns;
	bool started, stopped;
	uint8_t *sample;	   /* values, then one quality byte each */
	struct raw_sample pending; /* taken by stop() */
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
	s->base = (struct source){&source_cpu, sys, host->catalogs};
	enum sx_status status = cpu_topology_read(sys, &s->topology, err);
	if (status != SX_OK) {
		source_cpu_close(&s->base);
		return status;
	}
	cpu_name(sys, s->name, sizeof(s->name));
	driver_name(sys, s->driver, sizeof(s->driver));
	s->constants[0] = (struct source_constant){"cpus", s->topology.cpu_count};
	s->constants[1] = (struct source_constant){"clusters", s->topology.cluster_count};
	s->desc = (struct source_desc){.catalog = "cpu",
				       .name = s->name,
				       .driver = s->driver,
				       .min_interval_ns = MIN_INTERVAL_NS,
				       .max_interval_ns = MAX_INTERVAL_NS,
				       .constants = s->constants,
				       .constant_count = 2};
	*out = &s->base;
	return SX_OK;
}

static const struct source_desc *source_cpu_describe(struct source *source)
{
	return &cpu_from(source)->desc;
}

static void release_run(struct cpu_source *s)
{
	cpu_run_finish(&s->run);
	free(s->sample);
	s->sample = NULL;
	s->pending = (struct raw_sample){.data = NULL};
	s->desc.counters = NULL;
	s->desc.counter_count = 0;
	s->notes_told = 0;
	s->started = s->stopped = false;
}

static void source_cpu_close(struct source *source)
{
	struct cpu_source *s = cpu_from(source);
	release_run(s);
	cpu_topology_finish(&s->topology);
	free(s);
}

static enum sx_status begin_run(struct cpu_source *s, const struct source_request *request,
				struct sx_error *err)
{
	s->run.sys = s->base.sys;
	s->run.topology = &s->topology;
	enum sx_status status = cpu_run_start(&s->run, request, err);
	if (status != SX_OK)
		return status;
	s->sample = calloc((size_t)s->run.output_count + 1, sizeof(uint64_t) + 1);
	if (!s->sample)
		return error_nomem(err, "the CPU source");
	s->last_ns = sys_now_ns(s->base.sys);
	if (!s->last_ns)
		return error_errno(err, errno, "cannot read the monotonic clock");
	cpu_run_swap(&s->run);
	s->due_ns = s->last_ns + s->interval_ns;
	s->desc.counters = (const char *const *)s->run.names;
	s->desc.counter_count = s->run.output_count;
	s->started = true;
	return SX_OK;
}

static enum sx_status check_request(const struct source_request *request, struct sx_error *err)
{
	if (request->set) {
		error_set(err, SX_ERR_NOT_FOUND, "the CPU source has no set \"%s\"", request->set);
		error_because(err, "a processor's counters are chosen one by one");
		error_try(err, "-m with their names");
		return SX_ERR_NOT_FOUND;
	}
	if (request->interval_ns &&
	    (request->interval_ns < MIN_INTERVAL_NS || request->interval_ns > MAX_INTERVAL_NS)) {
		enum sx_status status =
		    error_set(err, SX_ERR_USAGE, "the CPU source cannot sample every %.6g us",
			      (double)request->interval_ns * 1e-3);
		error_because(err,
			      "the kernel's own counts of time are no finer, or it is too long");
		error_try(err, "an interval from 1ms to 3600s");
		return status;
	}
	return SX_OK;
}

static enum sx_status source_cpu_start(struct source *source, const struct source_request *request,
				       struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	if (s->started && !s->stopped)
		return error_set(err, SX_ERR_USAGE, "the CPU source is started already");
	release_run(s);
	enum sx_status status = check_request(request, err);
	if (status != SX_OK)
		return status;
	s->interval_ns = request->interval_ns ? request->interval_ns : DEFAULT_INTERVAL_NS;
	status = begin_run(s, request, err);
	if (status != SX_OK)
		release_run(s);
	return status;
}

static void fill_note(struct cpu_source *s, struct raw_sample *out)
{
	const char *text = s->run.notes.items[s->notes_told++].text;
	*out = (struct raw_sample){.kind = RAW_NOTE,
				   .begin_ns = s->last_ns,
				   .end_ns = s->last_ns,
				   .data = (const uint8_t *)text,
				   .size = strlen(text)};
}

static void put_u64(uint8_t *to, uint64_t value)
{
	for (int i = 0; i < 8; i++)
		to[i] = (uint8_t)(value >> 8 * i);
}

static void fill_sample(struct cpu_source *s, uint64_t now, struct raw_sample *out)
{
	struct cpu_run *run = &s->run;
	uint8_t *quality = s->sample + run->output_count * sizeof(uint64_t);
	for (uint32_t i = 0; i < run->output_count; i++) {
		uint64_t value =
		    cpu_reading_delta(&run->outputs[i], &run->before[i], &run->now[i], &quality[i]);
		put_u64(s->sample + i * sizeof(value), value);
	}
	*out = (struct raw_sample){.kind = RAW_VALUES,
				   .begin_ns = s->last_ns,
				   .end_ns = now,
				   .data = s->sample,
				   .size = run->output_count * (sizeof(uint64_t) + 1)};
	if (now - s->last_ns > s->interval_ns + s->interval_ns / 2)
		out->flags |= RAW_STRETCHED;
	cpu_run_swap(run);
	s->last_ns = now;
	/* The grid of times is kept; what was missed is skipped. */
	if (now >= s->due_ns)
		s->due_ns += s->interval_ns * ((now - s->due_ns) / s->interval_ns + 1);
}

/* Whether the process that is measured is gone; then its last sample is due at once. */
static bool process_ended(struct cpu_source *s)
{
	struct cpu_run *run = &s->run;
	if (run->pid <= 0)
		return false;
	cpu_process_read(s->base.sys, run->pid, run->proc.tick_ns, &run->process);
	return run->process.ended;
}

/* Waits until a sample is due or the time is over: SX_OK, SX_AGAIN or an error. */
static enum sx_status wait_due(struct cpu_source *s, int timeout_ms, uint64_t *now,
			       struct sx_error *err)
{
	const struct sx_sys *sys = s->base.sys;
	uint64_t deadline = 0;
	for (bool first = true;; first = false) {
		*now = sys_now_ns(sys);
		if (!*now)
			return error_errno(err, errno, "cannot read the monotonic clock");
		if (first)
			deadline = *now + (uint64_t)(timeout_ms > 0 ? timeout_ms : 0) * NS_PER_MS;
		if (*now >= s->due_ns || process_ended(s))
			return SX_OK;
		if (*now >= deadline)
			return SX_AGAIN;
		uint64_t until = s->due_ns < deadline ? s->due_ns : deadline;
		uint64_t wait_ms = (until - *now + NS_PER_MS - 1) / NS_PER_MS;
		if (s->run.pid > 0 && wait_ms > WATCH_MS)
			wait_ms = WATCH_MS;
		if (sys->poll(sys->user, NULL, 0, (int)wait_ms) < 0) {
			if (errno == EINTR)
				return SX_AGAIN; /* a signal is the caller's affair */
			return error_errno(err, errno, "cannot wait for the next sample");
		}
	}
}

static enum sx_status source_cpu_read(struct source *source, int timeout_ms, struct raw_sample *out,
				      struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	uint64_t now = 0;
	if (!s->started)
		return error_set(err, SX_ERR_USAGE, "the CPU source is not started");
	if (s->notes_told < s->run.notes.count) {
		fill_note(s, out);
		return SX_OK;
	}
	if (s->pending.data) {
		*out = s->pending;
		s->pending.data = NULL;
		return SX_OK;
	}
	if (s->run.process.ended || s->stopped)
		return SX_END;
	enum sx_status status = wait_due(s, timeout_ms, &now, err);
	if (status != SX_OK)
		return status;
	cpu_run_take(&s->run);
	fill_sample(s, now, out);
	return SX_OK;
}

/* The rest of an interval is a sample of its own, however short: totals are of the whole run. */
static enum sx_status source_cpu_stop(struct source *source, struct sx_error *err)
{
	struct cpu_source *s = cpu_from(source);
	uint64_t now;
	if (!s->started || s->stopped)
		return SX_OK;
	s->stopped = true;
	if (!s->run.process.ended && (now = sys_now_ns(s->base.sys)) && now > s->last_ns) {
		cpu_run_take(&s->run);
		fill_sample(s, now, &s->pending);
	}
	cpu_perf_finish(&s->run.perf, s->base.sys);
	return SX_OK;
}

const struct source_ops source_cpu = {
    .name = "cpu",
    .raw = RAW_VALUES,
    .probe = source_cpu_probe,
    .open = source_cpu_open,
    .describe = source_cpu_describe,
    .start = source_cpu_start,
    .read = source_cpu_read,
    .stop = source_cpu_stop,
    .close = source_cpu_close,
};
