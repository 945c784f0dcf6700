/*
 * Programs that were started with our environment, and run on when the one that started them has
 * ended: a launcher's, which may load a library of ours late, or never. Found in /proc, by the
 * socket's path in their environment.
 */
#ifndef SOURCE_GUEST_HEIRS_H
#define SOURCE_GUEST_HEIRS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/sys.h"

#define HEIRS_MOST 64u

struct heir {
	pid_t pid;
	char program[64]; /* the end of its path: one that executes another begins anew */
	bool sure;	  /* it has the path; not so one that has no environment */
	bool begins;	  /* it has none yet: the kernel is loading its program */
	uint64_t since_ns;
	bool here; /* in this look */
};

/* Zero-initialise. */
struct heirs {
	struct heir items[HEIRS_MOST];
	size_t count;
	uint64_t looked_ns;
	uint64_t sure_ns; /* when one was last known to be awaited, or the first look */
	bool any;	  /* at the last look */
};

/* Who is not looked for. */
struct heirs_known {
	bool (*lives)(void *user, pid_t pid);
	void *user;
};

/* Somebody is there who may start others: what begins from now on may be an heir. */
void heirs_expect(struct heirs *heirs);
/*
 * Whether there is one that came so short a while ago, as far as these looks have seen, that it may
 * yet be measured. Looks are some milliseconds apart, whenever it is asked. Those that only may be
 * heirs are waited for a while together: on some machines strangers without an environment come
 * one after another.
 */
bool heirs_awaited(struct heirs *heirs, const struct sx_sys *sys, const char *path,
		   const struct heirs_known *known);

#endif
