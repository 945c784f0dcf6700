/*
 * A fake machine for the CPU source: four CPUs. Their load and events grow with a clock that
 * only poll() moves. Any system call can be made to fail.
 */
#ifndef TESTS_DEVICES_CPU_H
#define TESTS_DEVICES_CPU_H

#include <stdbool.h>
#include "base/sys.h"

#define FAKE_CPU_PID 4242
#define FAKE_CPU_FDS 2048
#define FAKE_CPU_HZ  UINT64_C(2000000000) /* cycles of a CPU in a second */

struct fake_cpu {
	struct sx_sys sys;
	uint64_t now_ns;
	/* What the machine is like. */
	bool hybrid;	 /* cpu_atom serves 0 and 1, cpu_core 2 and 3 */
	bool capacities; /* CPUs 0 and 1 have 1024, 2 and 3 have 400 */
	bool no_pmu, no_perf, no_kernel, no_proc, no_cpufreq;
	uint32_t threads;  /* of the process; 0: two */
	uint32_t counters; /* of a PMU; 0: as many as are asked for */
	bool multiplexed;  /* hardware events run half of the time */
	bool cpu3_offline; /* from now on */
	uint64_t ends_ns;  /* when the process becomes a zombie; 0: never */
	bool reaped;
	/* The k-th call from now fails with this errno; 0: none. */
	int fail_at, fail_errno;
	int calls, open_fds;
	struct {
		bool open;
		uint64_t since_ns;
		uint32_t type;
		uint64_t config;
		int cpu, pid, leader; /* leader: a descriptor, its own for a leader */
		bool user_only;
	} fds[FAKE_CPU_FDS];
};

void fake_cpu_init(struct fake_cpu *fake);

#endif
