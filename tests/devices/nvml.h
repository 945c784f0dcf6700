/*
 * What a test shares with its fake of libnvidia-ml.so.1, a shared object of its own that checks its
 * callers as strictly as the real one: handles, sizes, order of calls. From the public nvml.h.
 */
#ifndef TESTS_DEVICES_NVML_H
#define TESTS_DEVICES_NVML_H

#include <stdbool.h>

#include "base/sys.h"

#define FAKE_NVML_PROGRAMS 8

/* One program on the GPU: in the lists of graphics, of compute or of both; 0 percent: not sampled.
 */
struct fake_nvml_program {
	unsigned pid;
	bool graphics, compute;
	unsigned long long memory; /* all ones: unknown */
	unsigned sm[2];		   /* of the samples since the last question */
	unsigned encoder;	   /* in both */
};

struct fake_nvml {
	int init_code; /* what nvmlInit_v2() returns */
	int inits;     /* that were not shut down */
	unsigned devices;
	bool lost;			      /* the GPU fell off the bus */
	bool no_energy, no_fan, no_processes; /* NOT_SUPPORTED */
	unsigned gpu_busy, clock_mhz, power_mw;
	unsigned long long energy_mj, throttle;
	struct fake_nvml_program programs[FAKE_NVML_PROGRAMS];
	unsigned program_count;
	bool misused; /* a call that breaks the rules */
	unsigned long calls;
};

/* The one state of the library that is loaded; under this name. */
#define FAKE_NVML_STATE "fake_nvml_state"

#define FAKE_NVML_PID 4242

/* What the library's state is when it is loaded: two GPUs at work, three programs. */
#define FAKE_NVML_DEFAULT                                                                          \
	{                                                                                          \
		.devices = 2, .gpu_busy = 80, .clock_mhz = 1000, .power_mw = 150000,               \
		.energy_mj = 123456, .program_count = 3,                                           \
		.programs = {                                                                      \
		    {100, true, false, 1 << 20, {90, 0}, 0},                                       \
		    {FAKE_NVML_PID, true, true, 64 << 20, {30, 50}, 7},                            \
		    {300, false, true, ~0ULL, {0, 0}, 0},                                          \
		},                                                                                 \
	}

/* A process of the machine. */
struct fake_nvml_process {
	int pid, parent;
	unsigned long begun;
	const char *name;
};

/* A machine with that library at the path of $SEXTANT_FAKE_NVML. A clock that only poll() moves. */
struct fake_nvml_machine {
	struct sx_sys sys;
	uint64_t now_ns;
	struct fake_nvml *state; /* NULL while the library is not loaded */
	struct fake_nvml next;	 /* what the state is when it is loaded */
	bool no_driver, no_library;
	const char *hidden; /* a symbol that an old library lacks, or NULL */
	uint64_t ends_ns;   /* when the process becomes a zombie; 0: never */
	int open_libraries;
	struct fake_nvml_process processes[FAKE_NVML_PROGRAMS]; /* until pid 0 */
};

void fake_nvml_init(struct fake_nvml_machine *fake);

#endif
