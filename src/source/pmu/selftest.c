/*
 * Every event of every PMU, tried on this machine: encoded, opened, counted for a moment. Users can
 * send the report in from hardware that the developers do not have.
 */
#include "source/pmu/pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"

#define COUNT_MS   20
#define EVENTS_MAX 4096 /* of one PMU */

/* One report. */
struct trial {
	const struct sx_sys *sys;
	const struct pmu_device *device;
	const struct note_sink *to;
	uint32_t events, opened, wrong, seen;
};

/* What one CPU, or the machine's own unit, counts in a moment. */
static int count(const struct trial *t, const struct pmu_code *code, struct perf_reading *out,
		 uint64_t *took_ns)
{
	const char *cpus = t->device->cpus[0] ? t->device->cpus : "0";
	uint64_t cpu, last;
	struct perf_event_attr attr = {.type = code->type,
				       .config = code->config[0],
				       .config1 = code->config[1],
				       .config2 = code->config[2]};
	if (!perf_cpus_next(&cpus, &cpu, &last))
		return EINVAL;
	perf_prepare(&attr);
	uint64_t before = sys_now_ns(t->sys);
	int fd =
	    perf_open(t->sys, &attr, &(struct perf_place){.pid = -1, .cpu = (int)cpu}, -1, NULL);
	if (fd < 0)
		return errno;
	t->sys->poll(t->sys->user, NULL, 0, COUNT_MS);
	*out = (struct perf_reading){.valid = true};
	perf_add(t->sys, fd, true, out);
	*took_ns = sys_now_ns(t->sys) - before;
	t->sys->close(t->sys->user, fd);
	return out->valid ? 0 : EIO;
}

/* Time by the CPU's clock is time, and the kernel's account of it is not longer than it took. */
static const char *doubt(const struct pmu_code *code, const struct perf_reading *r,
			 uint64_t took_ns)
{
	if (r->running > r->enabled)
		return "it ran for longer than it was switched on";
	if (r->enabled > took_ns + took_ns / 10)
		return "it was switched on for longer than it was open";
	bool is_clock =
	    code->type == PERF_TYPE_SOFTWARE && code->config[0] == PERF_COUNT_SW_CPU_CLOCK;
	if (is_clock &&
	    (r->value > r->enabled + r->enabled / 50 || r->value < r->enabled - r->enabled / 50))
		return "its time is not the time that passed";
	return NULL;
}

static void try_event(struct trial *t, const char *event)
{
	struct pmu_code code;
	struct perf_reading r = {0};
	struct sx_error why = {0};
	uint64_t took_ns = 0;
	const char *pmu = t->device->name;
	t->events++;
	if (pmu_encode(t->sys, t->device, event, &code, &why)) {
		/* One that wants a parameter is as it should be. */
		t->wrong += why.status != SX_ERR_USAGE;
		note_sink_write(t->to, "%s/%s/: %s%.200s", pmu, event,
				why.status == SX_ERR_USAGE ? "" : "WRONG: ", why.because);
		return;
	}
	int error = count(t, &code, &r, &took_ns);
	if (error) {
		note_sink_write(t->to, "%s/%s/: not counted: %s", pmu, event, strerror(error));
		return;
	}
	t->opened++;
	const char *bad = doubt(&code, &r, took_ns);
	t->wrong += bad != NULL;
	note_sink_write(t->to, "%s/%s/: %s%s%s%llu in %.3g ms, %g %s each", pmu, event,
			bad ? "WRONG: " : "", bad ? bad : "", bad ? ": " : "",
			(unsigned long long)r.value, (double)r.enabled * 1e-6, code.scale,
			code.unit[0] ? code.unit : "counts");
}

/* "energy-pkg.scale" belongs to an event and is none. */
static int visit_event(void *arg, const char *name)
{
	struct trial *t = arg;
	const char *dot = strrchr(name, '.');
	bool about = dot && (!strcmp(dot, ".scale") || !strcmp(dot, ".unit") ||
			     !strcmp(dot, ".per-pkg") || !strcmp(dot, ".snapshot"));
	if (!about)
		try_event(t, name);
	return ++t->seen >= EVENTS_MAX;
}

static void try_device(struct trial *t)
{
	char path[sizeof(PMU_FOLDER) + PMU_NAME_MAX + 16];
	note_sink_write(t->to, "%s: type %u%s%.64s", t->device->name, t->device->type,
			t->device->cpus[0] ? ", CPUs " : "", t->device->cpus);
	t->seen = 0;
	snprintf(path, sizeof(path), PMU_FOLDER "/%s/events", t->device->name);
	t->sys->list_dir(t->sys->user, path, visit_event, t);
	if (t->device->type == PERF_TYPE_SOFTWARE)
		try_event(t, "cpu-clock");
}

enum sx_status pmu_selftest(const struct sx_sys *sys, const struct pmu_list *list,
			    const struct note_sink *to, struct sx_error *err)
{
	char line[160];
	struct trial t = {.sys = sys, .to = to};
	for (uint32_t i = 0; i < list->count; i++) {
		t.device = &list->items[i];
		if (!t.device->unreadable)
			try_device(&t);
	}
	if (pmu_list_unreadable(list, line, sizeof(line)))
		note_sink_write(to, "%s", line);
	note_sink_write(to, "%u PMUs, %u events, %u counted, %u wrong", list->count, t.events,
			t.opened, t.wrong);
	if (!t.wrong)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "%u of %u events are not as they should be", t.wrong,
		  t.events);
	error_because(err, "the lines with WRONG say how");
	error_try(err, "send the report in, with the processor's name");
	return SX_INCOMPLETE;
}
