/*
 * Perf events as sources count them: opened with or without the kernel's part, read as sums with
 * the time they ran, and scaled where they were multiplexed. Shared by the sources that use them.
 */
#ifndef SOURCE_PERF_PERF_H
#define SOURCE_PERF_PERF_H

#include "source/source.h"

struct perf_event_attr;

/* The state of a count at one moment. */
struct perf_reading {
	bool valid;
	uint64_t value;
	uint64_t enabled, running; /* ns */
};

/* A thread on any CPU, or everything on one: pid -1. */
struct perf_place {
	pid_t pid;
	int cpu;
	uint32_t kind; /* the source's own */
};

/* What `attr` needs to be read by perf_add(); its size, too. */
void perf_prepare(struct perf_event_attr *attr);
/*
 * Opens an event; -1 and errno. Of a thread, where the kernel's part may not be counted, it is
 * opened without, and *user_only says so from then on; NULL, and events that happen in the kernel:
 * all or nothing.
 */
int perf_open(const struct sx_sys *sys, struct perf_event_attr *attr,
	      const struct perf_place *place, int leader, bool *user_only);

/* An event that is counted at one place. */
struct perf_event {
	int fd;
	uint32_t member; /* of its group */
	/* The source's own. */
	uint32_t also;
	bool keeps_time;
	struct perf_reading before, now;
};

/* All that are open. Zero-initialise; perf_close(). */
struct perf_events {
	struct perf_event *items;
	size_t count, cap;
	bool user_only; /* the kernel's own work may not be counted */
};

/* Opens a group at places: its members count at the same time, the first one leads. */
struct perf_opening {
	const struct sx_sys *sys;
	struct perf_events *events;
	size_t before; /* events that were open */
	const uint32_t *members;
	uint32_t count;
	bool trial; /* one place of each kind is enough, and nothing stays open */
	bool waits; /* a leader for its group: members that join one that runs may never count */
	/* Says what a member is at a place. */
	void (*describe)(void *user, const struct perf_place *place, struct perf_event *event,
			 struct perf_event_attr *attr);
	void *user;
	int error; /* errno of what failed; nothing more is opened then */
	uint32_t places;
};
void perf_open_place(struct perf_opening *o, const struct perf_place *place);
/* At all threads of a process that do not end meanwhile, once for each kind from 0 on. */
void perf_open_threads(struct perf_opening *o, pid_t pid, uint32_t kinds);
/* After all places: leaves nothing open of a trial or a failure. Returns o->error. */
int perf_opened(struct perf_opening *o);
/* Closes all but the first so many. */
void perf_close_from(struct perf_events *events, const struct sx_sys *sys, size_t first);
void perf_close(struct perf_events *events, const struct sx_sys *sys);

/*
 * Adds what an event has counted so far. `keeps_time`: its enabled time counts; false for further
 * PMUs of one thread. What cannot be read makes *to invalid.
 */
void perf_add(const struct sx_sys *sys, int fd, bool keeps_time, struct perf_reading *to);
/* Adds a part, another CPU's or thread's; one that is not valid makes the sum so. */
void perf_sum(struct perf_reading *to, const struct perf_reading *part);
/*
 * What lies between two readings, scaled up where the event ran for a part of the time; *quality
 * receives an enum sx_quality.
 */
uint64_t perf_delta(const struct perf_reading *from, const struct perf_reading *to,
		    uint8_t *quality);
/* Why an event could not be opened, with the remedy where there is one. */
void perf_explain(const struct sx_sys *sys, int error, char *out, size_t size);
/*
 * What keeps this process from counting the whole machine: false when nothing does; else cause and
 * remedy.
 */
bool perf_is_limited(const struct sx_sys *sys, char *because, char *remedy, size_t size);

/* Next "a-b" or "a" of a list of CPUs ("0-3,8"); false at its end or where it is malformed. */
bool perf_cpus_next(const char **text, uint64_t *first, uint64_t *last);
#define PERF_CPUS_MAX 4096 /* highest CPU number + 1 that is looked at */

#define PMU_FOLDER   "/sys/bus/event_source/devices"
#define PMU_NAME_MAX 64

/* One PMU of the kernel. */
struct pmu_device {
	char name[PMU_NAME_MAX];
	uint32_t type;
	bool is_shared;	 /* counts for the machine: only on the CPUs of its mask */
	int unreadable;	 /* errno: the PMU's folder is there, and nothing in it can be read */
	char cpus[4096]; /* a list; empty: all that are online */
};

struct pmu_list {
	struct pmu_device *items;
	uint32_t count;
	size_t cap;
};

/*
 * Reads the PMUs of the kernel. A tree without them gives an empty list; a PMU that cannot be read
 * is in the list and says so. Errors: SX_ERR_NO_MEMORY, that of the folder when none can be read.
 * pmu_list_finish() in every case.
 */
enum sx_status pmu_list_read(const struct sx_sys *sys, struct pmu_list *out, struct sx_error *err);
void pmu_list_finish(struct pmu_list *list);
/* "msr, software, uncore_imc (6)": families with their number. */
void pmu_list_note(const struct pmu_list *list, char *out, size_t size);
/* "PMU power cannot be read: Permission denied"; false, and "", when all can. */
bool pmu_list_unreadable(const struct pmu_list *list, char *out, size_t size);

#endif
