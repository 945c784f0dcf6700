/*
 * What a sample of the DRM source costs with many processes: a machine of 10,000 in memory, of
 * which 500 have the card open, through the source's own code; and on this machine's real /proc.
 * The limits are those of docs/sources.md: 50 ms a sample, and 1 % of a CPU at 1 Hz with 500
 * processes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "source/drm/drm.h"

#define SAMPLES 20

struct world {
	int processes, holders, fds;
};

static bool is_holder(const struct world *w, int pid)
{
	return pid % (w->processes / w->holders) == 0;
}

static ssize_t world_read_file(void *user, const char *path, char *buf, size_t size)
{
	int pid, fd, n;
	static unsigned long long now;
	now += 1000;
	if (sscanf(path, "/proc/%d/fdinfo/%d", &pid, &fd) == 2)
		n = snprintf(buf, size,
			     "pos:\t0\nflags:\t02100002\ndrm-driver:\tamdgpu\ndrm-client-id:\t%d\n"
			     "drm-pdev:\t0000:03:00.0\ndrm-memory-vram:\t5000 KiB\n"
			     "drm-memory-gtt: \t100 KiB\ndrm-memory-cpu: \t0 KiB\n"
			     "drm-engine-gfx:\t%llu ns\ndrm-engine-compute:\t1 ns\n",
			     pid, now);
	else if (strstr(path, "/comm"))
		n = snprintf(buf, size, "program\n");
	else
		n = snprintf(buf, size, "1 (program) S 1 1 1\n");
	return n;
}

static int world_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			  void *arg)
{
	const struct world *w = user;
	char name[16];
	bool all = strcmp(path, "/proc") == 0;
	for (int i = all; i < (all ? w->processes : w->fds); i++) {
		snprintf(name, sizeof(name), "%d", i);
		if (visit(arg, name))
			break;
	}
	return 0;
}

static ssize_t world_read_link(void *user, const char *path, char *buf, size_t size)
{
	int pid, fd;
	const struct world *w = user;
	bool node = sscanf(path, "/proc/%d/fd/%d", &pid, &fd) == 2 && fd == 3 && is_holder(w, pid);
	return snprintf(buf, size, "%s", node ? "/dev/dri/renderD128" : "/dev/null");
}

static int world_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	return clock_gettime(clock, out);
}

static double cpu_ms(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The least CPU time of a reading after the first one, and that of the first. */
static double measure(const struct sx_sys *sys, struct drm_clients *counts, double *first)
{
	static const struct drm_card card = {
	    .card = 0, .render = 128, .driver = "amdgpu", .pdev = "0000:03:00.0"};
	struct drm_clients c = {.sys = sys, .card = &card, .all = true};
	double least = 1e9;
	if (drm_clients_init(&c, NULL) != SX_OK)
		exit(1);
	for (int i = 0; i <= SAMPLES; i++) {
		double begin = cpu_ms();
		drm_clients_read(&c);
		double took = cpu_ms() - begin;
		if (!i)
			*first = took;
		else if (took < least)
			least = took;
	}
	*counts =
	    (struct drm_clients){.client_count = c.client_count, .process_count = c.process_count};
	drm_clients_finish(&c);
	return least;
}

/* 1 % of a CPU at 1 Hz with few processes, 50 ms with very many. */
static bool run(const char *name, const struct sx_sys *sys, size_t expected)
{
	struct drm_clients counts;
	double first = 0, took = measure(sys, &counts, &first);
	double limit = counts.process_count > 1000 ? 50 : 10;
	bool right = took < limit && (!expected || counts.client_count == expected);
	printf("%-12s %6zu processes %4zu clients, first %6.1f ms, each %5.2f ms of %2.0f: %s\n",
	       name, counts.process_count, counts.client_count, first, took, limit,
	       right ? "ok" : "TOO SLOW");
	return right;
}

int main(void)
{
	struct world many = {10000, 500, 40}, some = {500, 50, 40};
	struct sx_sys sys = {.read_file = world_read_file,
			     .list_dir = world_list_dir,
			     .read_link = world_read_link,
			     .clock_gettime = world_clock_gettime};
	bool right = true;
	sys.user = &many;
	right &= run("in memory", &sys, 499);
	sys.user = &some;
	right &= run("in memory", &sys, 49);
	right &= run("this machine", sys_real(), 0);
	return right ? 0 : 1;
}
