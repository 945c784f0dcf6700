/*
 * A fake kernel with PMUs: their tree in sysfs, and perf_event_open() that refuses what the kernel
 * refuses. Written from perf_event_open(2), Documentation/ABI/testing/sysfs-bus-event_source-* and
 * the rules of kernel/events/core.c. A clock that only poll() moves.
 */
#ifndef TESTS_DEVICES_PMU_H
#define TESTS_DEVICES_PMU_H

#include <stdbool.h>

#include "base/sys.h"

#define FAKE_PMU_PID   4242
#define FAKE_PMU_FDS   512
#define FAKE_PMU_FILES 512
#define FAKE_PMU_TYPES 32
#define FAKE_PMU_RATES 64

/* What one PMU is like. */
struct fake_pmu_type {
	char name[64];
	uint32_t type;
	bool shared;	   /* of the machine: pid -1, on the CPUs of its mask */
	bool no_exclude;   /* PERF_PMU_CAP_NO_EXCLUDE */
	uint32_t counters; /* of hardware; 0: any number */
	uint64_t configs;  /* bits of config that are defined */
	uint64_t configs1; /* bits of config1 */
	uint64_t configs2; /* bits of config2 */
	const char *cpus;  /* its mask, NULL: every CPU */
};

/* How fast an event counts, per second. */
struct fake_pmu_rate {
	uint32_t type;
	uint64_t config;
	uint64_t hz;
};

struct fake_pmu {
	struct sx_sys sys;
	uint64_t now_ns;
	struct {
		char path[160], text[320];
	} files[FAKE_PMU_FILES];
	uint32_t file_count;
	struct fake_pmu_type types[FAKE_PMU_TYPES];
	uint32_t type_count;
	struct fake_pmu_rate rates[FAKE_PMU_RATES];
	uint32_t rate_count;
	int paranoid;	  /* -1 to 4 */
	bool capable;	  /* CAP_PERFMON */
	bool no_tree;	  /* a kernel without perf events */
	const char *shut; /* the PMU without permission to read its files; "" all */
	uint64_t ends_ns; /* when the process becomes a zombie; 0: never */
	/* The k-th call from now fails with this errno; 0: none. */
	int fail_at, fail_errno;
	int calls, open_fds;
	bool misused; /* a call that no kernel takes */
	struct {
		bool open, enabled, stuck; /* stuck: joined a group that ran already */
		uint32_t type;
		uint64_t config;
		uint64_t since_ns;
		int cpu, pid, leader;
	} fds[FAKE_PMU_FDS];
};

/* A machine of two CPUs with software and msr. */
void fake_pmu_init(struct fake_pmu *fake);
/* Adds a PMU with its folder; files are added by fake_pmu_file(). */
void fake_pmu_add(struct fake_pmu *fake, const struct fake_pmu_type *type);
/* Adds a file below the PMUs' folder: "power/events/energy-pkg". */
void fake_pmu_file(struct fake_pmu *fake, const char *path, const char *text);
void fake_pmu_rate(struct fake_pmu *fake, uint32_t type, uint64_t config, uint64_t hz);

/* Adds what a text says (tests/data/pmu); false when it cannot be read, or says what it may not. */
bool fake_pmu_load(struct fake_pmu *fake, const char *path);

/* Energy, a server's two memory channels, and a client's memory controller. */
void fake_pmu_uncore(struct fake_pmu *fake);
/* A core PMU with this many counters, and events a, b, c, d, e. */
void fake_pmu_core(struct fake_pmu *fake, uint32_t counters);

#endif
