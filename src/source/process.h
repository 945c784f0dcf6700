/* What /proc says of one process, for the sources that tell whose work is measured. */
#ifndef SOURCE_PROCESS_H
#define SOURCE_PROCESS_H

#include "base/sys.h"

struct process_stat {
	char state; /* 'Z' and 'X': it has ended */
	pid_t parent, group;
	uint64_t begun; /* in the kernel's ticks: tells it from others of its number */
};

/* False, and errno, when it cannot be read; numbers that are missing are 0. */
bool process_stat_read(const struct sx_sys *sys, pid_t pid, struct process_stat *out);
/* The name of a process, or "?"; as text that can be shown. */
void process_name_read(const struct sx_sys *sys, pid_t pid, char *out, size_t size);

#endif
