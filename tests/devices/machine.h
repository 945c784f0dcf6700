/*
 * A machine around a fake device: its table of system calls, and beside it pipes and one process.
 * Time is the device's; only waiting moves it far. Any call, the device's or ours, can be made to
 * fail.
 */
#ifndef DEVICES_MACHINE_H
#define DEVICES_MACHINE_H

#include <stdbool.h>

#include "base/sys.h"

#define MACHINE_PID   4242 /* that of the CPU fake, too */
#define MACHINE_PIPES 16

struct machine {
	struct sx_sys sys;	   /* hand out &machine.sys */
	const struct sx_sys *base; /* the device's */
	void (*advance)(void *device, uint64_t ns);
	void *device;
	/* The process. */
	uint64_t lasts_ns;    /* from the word to go; 0: until it is killed */
	bool ignores_sigterm; /* and everything but SIGKILL */
	bool no_process_fd;   /* a kernel without pidfd_open */
	uint64_t look_ns;     /* that each look at the clock takes */
	/* The k-th call from now fails with this errno; 0: none. */
	unsigned fail_at, calls;
	int fail_errno;
	/* State. */
	bool forked, runs, reaped;
	uint64_t ends_ns; /* UINT64_MAX: not known */
	int signals[64];  /* how often each was sent */
	int open_fds;
	bool process_fd_open;
	struct {
		bool open[2];
		int bytes;
	} pipes[MACHINE_PIPES];
};

/* The device's table and its clock, or how that is moved. Change members before use. */
void machine_init(struct machine *m, const struct sx_sys *base, uint64_t *now_ns);
void machine_init_advance(struct machine *m, const struct sx_sys *base, void *device,
			  void (*advance)(void *device, uint64_t ns));
/* True when every descriptor was closed and the process was waited for. */
bool machine_clean(const struct machine *m);
uint64_t machine_now_ns(struct machine *m);

#endif
