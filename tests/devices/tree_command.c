/*
 * The command on a machine that is a text: the same program, whose table of system calls answers
 * /sys, /proc and /dev/dri from the tree in $SEXTANT_TREE. For tests alone, and never installed.
 * The clock is the tree's own, so that a minute takes no time; SEXTANT_TREE_REALTIME=1 makes it
 * this machine's. What is written goes to the file $SEXTANT_TREE_WRITES as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define sys_real sys_underneath
#include "base/sys.c"
#undef sys_real

#include "tree.h"

const struct sx_sys *sys_real(void);

/* Whether a process of the tree is there is asked past the table, by the command's -p. */
int kill(pid_t pid, int signal_number)
{
	char path[64], name[64];
	const struct sx_sys *sys = sys_real();
	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	if (signal_number == 0 && sys->read_file(sys->user, path, name, sizeof(name)) > 0)
		return 0;
	return (int)syscall(SYS_kill, pid, signal_number);
}

const struct sx_sys *sys_real(void)
{
	static struct tree tree;
	const char *path = getenv("SEXTANT_TREE"), *realtime = getenv("SEXTANT_TREE_REALTIME");
	if (tree.sys.open)
		return &tree.sys;
	tree_init(&tree, sys_underneath());
	tree.writes = getenv("SEXTANT_TREE_WRITES");
	tree.strict = !getenv("SEXTANT_TREE_HOSTILE");
	if (!path || !tree_load(&tree, path)) {
		fprintf(stderr, "SEXTANT_TREE: %s\n", path ? tree.why : "is not set");
		exit(99);
	}
	if (realtime) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		tree.realtime = true;
		tree.start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		tree.now_ns = tree.start_ns;
	}
	return &tree.sys;
}
