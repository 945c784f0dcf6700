/* Opens, reads and scales perf events, and explains why the kernel refuses them. */
#include "source/perf/perf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include <sextant/expr.h>

#include "base/mem.h"
#include "base/no_data.h"
#include "source/files.h"
#include "source/process_tree.h"

#define PLACES_MAX 65536 /* threads of a process that is already running */

/* What read() gives for our read_format, in 64-bit words. */
enum { WORD_VALUE, WORD_ENABLED, WORD_RUNNING, WORD_COUNT };

void perf_prepare(struct perf_event_attr *attr)
{
	attr->size = sizeof(*attr);
	attr->read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
}

static int open_as(const struct sx_sys *sys, struct perf_event_attr *attr,
		   const struct perf_place *place, int leader, bool user_only)
{
	attr->exclude_kernel = user_only;
	attr->exclude_hv = user_only;
	return sys->perf_event_open(sys->user, attr, place->pid, place->cpu, leader,
				    PERF_FLAG_FD_CLOEXEC);
}

int perf_open(const struct sx_sys *sys, struct perf_event_attr *attr,
	      const struct perf_place *place, int leader, bool *user_only)
{
	/* Events that happen in the kernel would be a false 0 without its part. */
	bool kernel =
	    attr->type == PERF_TYPE_SOFTWARE && (attr->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
						 attr->config == PERF_COUNT_SW_CPU_MIGRATIONS);
	bool may_drop = user_only && place->pid > 0 && !kernel;
	bool drop = may_drop && *user_only;
	int fd = open_as(sys, attr, place, leader, drop);
	if (fd < 0 && drop &&
	    errno == EINVAL) /* a PMU that excludes nothing: all of it, or why not */
		return open_as(sys, attr, place, leader, false);
	if (fd >= 0 || drop || !may_drop || (errno != EACCES && errno != EPERM))
		return fd;
	int refused = errno;
	fd = open_as(sys, attr, place, leader, true);
	*user_only = fd >= 0;
	if (fd < 0)
		errno = refused; /* what is in the way, also of PMUs that exclude nothing */
	return fd;
}

void perf_close_from(struct perf_events *events, const struct sx_sys *sys, size_t first)
{
	while (events->count > first)
		sys->close(sys->user, events->items[--events->count].fd);
}

void perf_close(struct perf_events *events, const struct sx_sys *sys)
{
	perf_close_from(events, sys, 0);
	free(events->items);
	*events = (struct perf_events){0};
}

static int open_member(struct perf_opening *o, const struct perf_place *place, uint32_t member,
		       int *leader)
{
	struct perf_events *all = o->events;
	struct perf_event event = {.member = member};
	struct perf_event_attr attr = {.disabled = 0};
	if (!mem_grow(&all->items, &all->cap, all->count + 1, sizeof(*all->items)))
		return ENOMEM;
	perf_prepare(&attr);
	attr.inherit = place->pid > 0;
	attr.disabled = *leader < 0 && o->waits;
	o->describe(o->user, place, &event, &attr);
	event.fd = perf_open(o->sys, &attr, place, *leader, &all->user_only);
	if (event.fd < 0)
		return errno;
	*leader = *leader < 0 ? event.fd : *leader;
	all->items[all->count++] = event;
	return 0;
}

void perf_open_place(struct perf_opening *o, const struct perf_place *place)
{
	const struct sx_sys *sys = o->sys;
	size_t first = o->events->count;
	int leader = -1;
	for (uint32_t i = 0; i < o->count && !o->error; i++)
		o->error = open_member(o, place, o->members[i], &leader);
	if (!o->error && !o->trial && o->waits &&
	    sys->ioctl(sys->user, leader, PERF_EVENT_IOC_ENABLE, 0) < 0)
		o->error = errno;
	if (o->error)
		perf_close_from(o->events, sys, first);
	else
		o->places++;
}

struct thread_visit {
	struct perf_opening *opening;
	uint32_t kinds;
};

static int open_thread(void *arg, pid_t tid)
{
	const struct thread_visit *visit = arg;
	struct perf_opening *o = visit->opening;
	for (uint32_t kind = 0; kind < visit->kinds && !o->error; kind++)
		perf_open_place(o, &(struct perf_place){tid, -1, kind});
	if (o->error == ESRCH)
		o->error = 0; /* the thread ended between the listing and now */
	if (o->places > PLACES_MAX && !o->error)
		o->error = EMFILE;
	return o->error != 0 || (o->trial && o->places);
}

void perf_open_threads(struct perf_opening *o, pid_t pid, uint32_t kinds)
{
	int error = process_each_thread(o->sys, pid, open_thread, &(struct thread_visit){o, kinds});
	o->error = error ? error : o->error; /* one thread alone would pass for all */
	if (!o->error && !o->places)
		o->error = ESRCH;
}

int perf_opened(struct perf_opening *o)
{
	if (o->error || o->trial)
		perf_close_from(o->events, o->sys, o->before);
	return o->error;
}

void perf_add(const struct sx_sys *sys, int fd, bool keeps_time, struct perf_reading *to)
{
	uint64_t words[WORD_COUNT];
	if (sys->read(sys->user, fd, words, sizeof(words)) != (ssize_t)sizeof(words)) {
		to->valid = false;
		return;
	}
	to->value += words[WORD_VALUE];
	to->running += words[WORD_RUNNING];
	if (keeps_time)
		to->enabled += words[WORD_ENABLED];
}

void perf_sum(struct perf_reading *to, const struct perf_reading *part)
{
	to->valid = to->valid && part->valid;
	to->value += part->value;
	to->running += part->running;
	to->enabled += part->enabled;
}

uint64_t perf_delta(const struct perf_reading *from, const struct perf_reading *to,
		    uint8_t *quality)
{
	*quality = SX_QUALITY_NOT_COLLECTED;
	if (!from->valid || !to->valid)
		return 0;
	uint64_t value = to->value > from->value ? to->value - from->value : 0;
	uint64_t enabled = to->enabled > from->enabled ? to->enabled - from->enabled : 0;
	uint64_t running = to->running > from->running ? to->running - from->running : 0;
	*quality = SX_QUALITY_VALID;
	if (running >= enabled)
		return value;
	if (running == 0) {
		*quality = SX_QUALITY_NOT_COLLECTED;
		return 0;
	}
	*quality = SX_QUALITY_MULTIPLEXED;
	double scaled = (double)value * ((double)enabled / (double)running);
	return scaled < 0x1p63 ? (uint64_t)(scaled + 0.5) : value;
}

static void read_level(const struct sx_sys *sys, char level[16])
{
	if (!file_line(sys, "/proc/sys/kernel", "perf_event_paranoid", level, 16) || !*level)
		snprintf(level, 16, "unknown");
}

void perf_explain(const struct sx_sys *sys, int error, char *out, size_t size)
{
	char level[16], detail[128];
	enum no_data why = NO_DATA_REFUSED;
	switch (error) {
	case ENOENT:
	case ENODEV:
	case EOPNOTSUPP:
	case EINVAL:
		why = NO_DATA_NO_COUNTER;
		snprintf(detail, sizeof(detail), "usual in virtual machines and containers");
		break;
	case EACCES:
	case EPERM:
		why = NO_DATA_FORBIDDEN;
		read_level(sys, level);
		snprintf(detail, sizeof(detail),
			 "perf_event_paranoid is %s and CAP_PERFMON is missing", level);
		break;
	case EMFILE:
		snprintf(detail, sizeof(detail), "too many open files: ulimit -n 65536");
		break;
	case ENOSYS:
		why = NO_DATA_NO_COUNTER;
		snprintf(detail, sizeof(detail), "this kernel has no perf events");
		break;
	default:
		snprintf(detail, sizeof(detail), "%s", strerror(error));
		break;
	}
	*out = '\0';
	no_data_append(out, size, why, detail);
}

bool perf_is_limited(const struct sx_sys *sys, char *because, char *remedy, size_t size)
{
	char level[16];
	struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
				       .config = PERF_COUNT_SW_CPU_CLOCK};
	perf_prepare(&attr);
	int fd = perf_open(sys, &attr, &(struct perf_place){.pid = -1}, -1, NULL);
	if (fd >= 0) {
		sys->close(sys->user, fd);
		return false;
	}
	int error = errno;
	if (error != EACCES && error != EPERM) {
		snprintf(because, size, "the kernel opens no perf event: %s", strerror(error));
		snprintf(remedy, size, "%s",
			 error == ENOSYS
			     ? "a kernel with CONFIG_PERF_EVENTS; containers need perf_event_open"
			     : "sextant doctor as root");
		return true;
	}
	read_level(sys, level);
	snprintf(because, size,
		 "kernel.perf_event_paranoid is %s and CAP_PERFMON is missing: events of a "
		 "program only, none of the whole machine (memory, energy, GPU)",
		 level);
	snprintf(remedy, size,
		 "sudo sysctl kernel.perf_event_paranoid=0; or CAP_PERFMON (in a container: "
		 "--cap-add PERFMON)");
	return true;
}

bool perf_cpus_next(const char **text, uint64_t *first, uint64_t *last)
{
	char *end;
	if (**text < '0' || **text > '9')
		return false;
	*first = *last = strtoull(*text, &end, 10);
	if (*end == '-' && end[1] >= '0' && end[1] <= '9')
		*last = strtoull(end + 1, &end, 10);
	if (*end == ',')
		end++;
	*text = end;
	return *last >= *first && *last < PERF_CPUS_MAX;
}
