/* The PMUs that the kernel shows in sysfs, and a report on every event of them. */
#include "source/pmu/pmu.h"

#include <ctype.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/mem.h"
#include "base/text_buf.h"

#define PMUS_MAX 4096

struct listing {
	const struct sx_sys *sys;
	struct pmu_list *list;
	int error;	/* of the current PMU */
	bool no_memory; /* ends the listing */
};

/*
 * A file that does not exist is no error: this kernel or PMU has no such attribute. Any other
 * failure is one.
 */
static bool list_read_attribute(struct listing *l, const char *pmu, const char *file, char *out,
				size_t size)
{
	char path[sizeof(PMU_FOLDER) + PMU_NAME_MAX + 32];
	snprintf(path, sizeof(path), PMU_FOLDER "/%s/%s", pmu, file);
	ssize_t n = l->sys->read_file(l->sys->user, path, out, size);
	if (n < 0 && errno != ENOENT && errno != ENOTDIR)
		l->error = errno ? errno : EIO;
	if (n <= 0)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
	return n > 0;
}

/* A name of characters that can be typed and printed; the kernel has no others. */
static bool is_name(const char *name)
{
	for (const char *at = name; *at; at++)
		if (!isgraph((unsigned char)*at) || *at == '/')
			return false;
	return *name != '\0';
}

static int list_visit(void *arg, const char *name)
{
	struct listing *l = arg;
	struct pmu_list *list = l->list;
	struct pmu_device d = {.type = 0};
	char type[32], *end;
	if (strlen(name) >= sizeof(d.name) || !is_name(name))
		return 0;
	snprintf(d.name, sizeof(d.name), "%s", name);
	l->error = 0;
	if (!list_read_attribute(l, name, "type", type, sizeof(type)) && !l->error)
		return 0;
	unsigned long number = strtoul(type, &end, 10);
	if (!l->error && (!isdigit((unsigned char)type[0]) || *end || number > INT32_MAX))
		return 0;
	d.type = (uint32_t)number;
	if (!l->error)
		d.is_shared = list_read_attribute(l, name, "cpumask", d.cpus, sizeof(d.cpus));
	if (!d.is_shared && !l->error)
		list_read_attribute(l, name, "cpus", d.cpus, sizeof(d.cpus)); /* hybrid */
	d.unreadable = l->error;
	if (d.unreadable)
		d.type = UINT32_MAX;
	l->no_memory = d.unreadable == ENOMEM ||
		       !mem_grow(&list->items, &list->cap, list->count + 1, sizeof(*list->items));
	if (l->no_memory)
		return 1;
	list->items[list->count++] = d;
	return list->count == PMUS_MAX;
}

/* "uncore_imc_2" behind "uncore_imc_1", "uncore_imc_10" behind both. */
static int by_name(const void *a, const void *b)
{
	return strverscmp(((const struct pmu_device *)a)->name,
			  ((const struct pmu_device *)b)->name);
}

enum sx_status pmu_list_read(const struct sx_sys *sys, struct pmu_list *out, struct sx_error *err)
{
	struct listing l = {.sys = sys, .list = out};
	int failed = sys->list_dir(sys->user, PMU_FOLDER, list_visit, &l) < 0 ? errno : 0;
	if (l.no_memory || failed == ENOMEM)
		return error_nomem(err, "the list of PMUs");
	bool some = !out->count;
	for (uint32_t i = 0; i < out->count; i++)
		some |= !out->items[i].unreadable;
	if (!some)
		failed = out->items[0].unreadable;
	if (failed && failed != ENOENT)
		return error_errno(err, failed, "cannot read the PMUs in " PMU_FOLDER);
	if (out->count)
		qsort(out->items, out->count, sizeof(*out->items), by_name);
	return SX_OK;
}

void pmu_list_finish(struct pmu_list *list)
{
	free(list->items);
	*list = (struct pmu_list){0};
}

/* The name without a number at its end. */
static size_t family(const char *name)
{
	size_t length = strlen(name), all = length;
	while (length && isdigit((unsigned char)name[length - 1]))
		length--;
	return length < all && length > 1 && name[length - 1] == '_' ? length - 1 : all;
}

void pmu_list_note(const struct pmu_list *list, char *out, size_t size)
{
	out[0] = '\0';
	for (uint32_t i = 0, same; i < list->count; i += same) {
		const char *name = list->items[i].name;
		size_t length = family(name);
		if (list->items[i].unreadable) {
			same = 1;
			continue;
		}
		for (same = 1; i + same < list->count; same++) {
			const char *other = list->items[i + same].name;
			if (list->items[i + same].unreadable || family(other) != length ||
			    memcmp(other, name, length) != 0)
				break;
		}
		text_append_item(out, size, ", ", "%.*s", (int)(same > 1 ? length : strlen(name)),
				 name);
		if (same > 1)
			text_append(out, size, " (%u)", same);
	}
}

bool pmu_list_unreadable(const struct pmu_list *list, char *out, size_t size)
{
	const struct pmu_device *first = NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; i < list->count; i++) {
		if (!list->items[i].unreadable)
			continue;
		first = first ? first : &list->items[i];
		count++;
	}
	out[0] = '\0';
	if (count == 1)
		snprintf(out, size, "PMU %s cannot be read: %s", first->name,
			 strerror(first->unreadable));
	else if (count)
		snprintf(out, size, "PMU %s and %u more cannot be read: %s", first->name, count - 1,
			 strerror(first->unreadable));
	return count != 0;
}

/*
 * Every event of every PMU, tried on this machine: encoded, opened, counted for a moment. Users can
 * send the report in from hardware that the developers do not have.
 */

#define COUNT_MS   20
#define EVENTS_MAX 4096 /* of one PMU */

/* One report. */
struct trial {
	const struct sx_sys *sys;
	const struct pmu_device *device;
	void (*say)(void *user, const char *line);
	void *user;
	uint32_t events, opened, wrong, seen;
};

static void say_event(const struct trial *t, const char *event, const char *what)
{
	char line[512];
	snprintf(line, sizeof(line), "%s/%s/: %s", t->device->name, event, what);
	t->say(t->user, line);
}

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
	int fd = perf_open(t->sys, &attr, &(struct perf_place){-1, (int)cpu}, -1, NULL);
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
	char text[256];
	t->events++;
	if (pmu_encode(t->sys, t->device, event, &code, &why)) {
		/* One that wants a parameter is as it should be. */
		t->wrong += why.status != SX_ERR_USAGE;
		snprintf(text, sizeof(text), "%s%.200s",
			 why.status == SX_ERR_USAGE ? "" : "WRONG: ", why.because);
		say_event(t, event, text);
		return;
	}
	int error = count(t, &code, &r, &took_ns);
	if (error) {
		snprintf(text, sizeof(text), "not counted: %s", strerror(error));
		say_event(t, event, text);
		return;
	}
	t->opened++;
	const char *bad = doubt(&code, &r, took_ns);
	t->wrong += bad != NULL;
	snprintf(text, sizeof(text), "%s%s%s%llu in %.3g ms, %g %s each", bad ? "WRONG: " : "",
		 bad ? bad : "", bad ? ": " : "", (unsigned long long)r.value,
		 (double)r.enabled * 1e-6, code.scale, code.unit[0] ? code.unit : "counts");
	say_event(t, event, text);
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
	char path[sizeof(PMU_FOLDER) + PMU_NAME_MAX + 16], line[256];
	snprintf(line, sizeof(line), "%s: type %u%s%.64s", t->device->name, t->device->type,
		 t->device->cpus[0] ? ", CPUs " : "", t->device->cpus);
	t->say(t->user, line);
	t->seen = 0;
	snprintf(path, sizeof(path), PMU_FOLDER "/%s/events", t->device->name);
	t->sys->list_dir(t->sys->user, path, visit_event, t);
	if (t->device->type == PERF_TYPE_SOFTWARE)
		try_event(t, "cpu-clock");
}

enum sx_status pmu_selftest(const struct sx_sys *sys, const struct pmu_list *list,
			    void (*say)(void *user, const char *line), void *user,
			    struct sx_error *err)
{
	char line[160];
	struct trial t = {.sys = sys, .say = say, .user = user};
	for (uint32_t i = 0; i < list->count; i++) {
		t.device = &list->items[i];
		if (!t.device->unreadable)
			try_device(&t);
	}
	if (pmu_list_unreadable(list, line, sizeof(line)))
		say(user, line);
	snprintf(line, sizeof(line), "%u PMUs, %u events, %u counted, %u wrong", list->count,
		 t.events, t.opened, t.wrong);
	say(user, line);
	if (!t.wrong)
		return SX_OK;
	error_set(err, SX_INCOMPLETE, "%u of %u events are not as they should be", t.wrong,
		  t.events);
	error_because(err, "the lines with WRONG say how");
	error_try(err, "send the report in, with the processor's name");
	return SX_INCOMPLETE;
}
