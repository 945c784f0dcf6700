/*
 * The command on a machine that is a text: the same program with another table of system calls, in
 * which /sys, /proc and /dev/dri are the tree in $SEXTANT_TREE. For tests only, never installed.
 * The clock is the tree's own, so that a minute takes no time; SEXTANT_TREE_REALTIME=1 makes it
 * this machine's. What is written goes to the file $SEXTANT_TREE_WRITES as well. Its PMUs, if any,
 * are those of the text $SEXTANT_PMUS. A program that the command starts is in the tree what the
 * text $SEXTANT_TREE_PROGRAM says, in which PROGRAM is its number and CHILD another one; it is
 * ended once the clock has come to $SEXTANT_TREE_ENDS milliseconds.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#define sys_real sys_underneath
#include "base/sys.c"
#undef sys_real

#include "pmu.h"
#include "tree.h"

#define PMU_FOLDER "/sys/bus/event_source/devices"
#define PMU_FD	   10000 /* the fake's descriptors, beyond all others */

/* The tree, and the PMUs beside it. */
static struct {
	struct tree tree;
	struct fake_pmu pmus;
	struct sx_sys sys;
	pid_t program; /* 0: none yet, -1: it has ended */
	uint64_t ends_ns;
} machine;

static bool is_perf(int fd)
{
	machine.pmus.now_ns = machine.tree.now_ns;
	return fd >= PMU_FD;
}

static bool is_pmus(const char *path)
{
	return strncmp(path, PMU_FOLDER, strlen(PMU_FOLDER)) == 0 ||
	       strcmp(path, "/sys/devices/system/cpu/online") == 0 ||
	       strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0;
}

static int machine_close(void *user, int fd)
{
	const struct sx_sys *sys = is_perf(fd) ? &machine.pmus.sys : &machine.tree.sys;
	return sys->close(sys->user, fd < PMU_FD ? fd : fd - PMU_FD);
}

static ssize_t machine_read(void *user, int fd, void *buf, size_t size)
{
	const struct sx_sys *sys = is_perf(fd) ? &machine.pmus.sys : &machine.tree.sys;
	return sys->read(sys->user, fd < PMU_FD ? fd : fd - PMU_FD, buf, size);
}

static int machine_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	const struct sx_sys *sys = is_perf(fd) ? &machine.pmus.sys : &machine.tree.sys;
	return sys->ioctl(sys->user, fd < PMU_FD ? fd : fd - PMU_FD, request, arg);
}

static ssize_t machine_read_file(void *user, const char *path, char *buf, size_t size)
{
	const struct sx_sys *sys = is_pmus(path) ? &machine.pmus.sys : &machine.tree.sys;
	return sys->read_file(sys->user, path, buf, size);
}

static int machine_list_dir(void *user, const char *path, int (*visit)(void *, const char *),
			    void *arg)
{
	const struct sx_sys *sys = is_pmus(path) ? &machine.pmus.sys : &machine.tree.sys;
	return sys->list_dir(sys->user, path, visit, arg);
}

static int machine_perf_event_open(void *user, void *attr, pid_t pid, int cpu, int group,
				   unsigned long flags)
{
	const struct sx_sys *sys = &machine.pmus.sys;
	is_perf(group);
	int fd =
	    sys->perf_event_open(sys->user, attr, pid, cpu, group < 0 ? -1 : group - PMU_FD, flags);
	return fd < 0 ? fd : fd + PMU_FD;
}

/* The functions that are asked of both take no notice of `user`; the others are the tree's. */
static void add_pmus(const char *path)
{
	fake_pmu_init(&machine.pmus);
	if (!fake_pmu_load(&machine.pmus, path)) {
		fprintf(stderr, "SEXTANT_PMUS: %s cannot be read\n", path);
		exit(99);
	}
	machine.sys.close = machine_close;
	machine.sys.read = machine_read;
	machine.sys.ioctl = machine_ioctl;
	machine.sys.read_file = machine_read_file;
	machine.sys.list_dir = machine_list_dir;
	machine.sys.perf_event_open = machine_perf_event_open;
}

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

/* Every word PROGRAM and CHILD of a text by its number. */
static void fill_in(const char *text, pid_t pid, char *out, size_t size)
{
	size_t used = 0;
	while (*text && used + 16 < size) {
		bool program = strncmp(text, "PROGRAM", 7) == 0;
		bool child = strncmp(text, "CHILD", 5) == 0;
		if (program || child) {
			used += (size_t)snprintf(out + used, size - used, "%d",
						 (int)pid + (child ? 1 : 0));
			text += program ? 7 : 5;
		} else {
			out[used++] = *text++;
		}
	}
	out[used] = '\0';
}

static pid_t machine_fork(void *user)
{
	static char text[16384];
	pid_t pid = fork();
	if (pid <= 0 || machine.program)
		return pid;
	machine.program = pid;
	fill_in(getenv("SEXTANT_TREE_PROGRAM"), pid, text, sizeof(text));
	if (!tree_add(&machine.tree, text)) {
		fprintf(stderr, "SEXTANT_TREE_PROGRAM: %s\n", machine.tree.why);
		_exit(99);
	}
	return pid;
}

/* It is gone before the clock goes on, so that each run is the same. */
static int machine_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	siginfo_t info;
	const struct sx_sys *sys = &machine.tree.sys;
	if (machine.program > 0 && machine.tree.now_ns >= machine.ends_ns) {
		kill(machine.program, SIGTERM);
		waitid(P_PID, (id_t)machine.program, &info, WEXITED | WNOWAIT);
		machine.program = -1;
	}
	return sys->poll(sys->user, fds, count, timeout_ms);
}

static void add_program(const char *ends_ms)
{
	machine.ends_ns = machine.tree.start_ns + strtoull(ends_ms, NULL, 10) * 1000000;
	machine.sys.fork = machine_fork;
	machine.sys.poll = machine_poll;
}

const struct sx_sys *sys_real(void)
{
	struct tree *tree = &machine.tree;
	const char *path = getenv("SEXTANT_TREE"), *realtime = getenv("SEXTANT_TREE_REALTIME"),
		   *pmus = getenv("SEXTANT_PMUS");
	if (machine.sys.open)
		return &machine.sys;
	tree_init(tree, sys_underneath());
	tree->writes = getenv("SEXTANT_TREE_WRITES");
	tree->strict = !getenv("SEXTANT_TREE_HOSTILE");
	if (!path || !tree_load(tree, path)) {
		fprintf(stderr, "SEXTANT_TREE: %s\n", path ? tree->why : "is not set");
		exit(99);
	}
	if (realtime) {
		struct timespec now;
		clock_gettime(CLOCK_MONOTONIC, &now);
		tree->realtime = true;
		tree->start_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
		tree->now_ns = tree->start_ns;
	}
	machine.sys = tree->sys;
	if (pmus)
		add_pmus(pmus);
	if (getenv("SEXTANT_TREE_PROGRAM") && getenv("SEXTANT_TREE_ENDS"))
		add_program(getenv("SEXTANT_TREE_ENDS"));
	return &machine.sys;
}
