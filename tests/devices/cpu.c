/* The fake machine behind struct sx_sys. */
#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fake.h"

#define NS_PER_S UINT64_C(1000000000)

static int fake_open(void *user, const char *path, int flags)
{
	return fake_refuse(ENOENT); /* the CPU source opens nothing but events */
}

static int fake_close(void *user, int fd)
{
	struct fake_cpu *fake = user;
	if (fd < 0 || fd >= FAKE_CPU_FDS || !fake->fds[fd].open)
		abort(); /* a descriptor is closed twice, or one that is not ours */
	fake->fds[fd].open = false;
	fake->open_fds--;
	return FAKE_FAILS(fake) ? -1 : 0;
}

static uint64_t seconds_times(const struct fake_cpu *fake, uint64_t rate)
{
	return fake->now_ns / 1000000 * rate / 1000;
}

/* In a second CPU n runs 10 * (n + 1) ticks of user and 5 of system time; the rest is idle. */
static void print_cpu(const struct fake_cpu *fake, char *out, size_t size, int cpu)
{
	uint64_t user = seconds_times(fake, 10 * ((uint64_t)cpu + 1));
	uint64_t system = seconds_times(fake, 5);
	uint64_t all = seconds_times(fake, 100);
	snprintf(out, size, "cpu%d %lu 0 %lu %lu 0 0 0 0 0 0\n", cpu, user, system,
		 all - user - system);
}

static void print_stat(const struct fake_cpu *fake, char *out, size_t size)
{
	size_t used = (size_t)snprintf(out, size, "cpu  1 2 3 4 5 6 7 8 0 0\n");
	for (int cpu = 0; cpu < (fake->cpu3_offline ? 3 : 4); cpu++) {
		print_cpu(fake, out + used, size - used, cpu);
		used += strlen(out + used);
	}
	snprintf(out + used, size - used,
		 "intr %lu 0 0 1\nctxt %lu\nbtime 1\nprocesses %lu\nprocs_running 3\n"
		 "procs_blocked 1\nsoftirq 1 2 3\n",
		 seconds_times(fake, 1000), seconds_times(fake, 500), seconds_times(fake, 7));
}

/* 90 minor and 10 major faults a second, and a name made to confuse a parser. */
static int print_process(const struct fake_cpu *fake, char *out, size_t size)
{
	bool ended = fake->ends_ns && fake->now_ns >= fake->ends_ns;
	if (fake->reaped && ended)
		return fake_refuse(ENOENT);
	snprintf(out, size, "%d (a) 9 (b) %c 1 1 1 0 -1 0 %lu 0 %lu 0 %lu %lu 0 0 20 0 1 0\n",
		 FAKE_CPU_PID, ended ? 'Z' : 'S', seconds_times(fake, 90), seconds_times(fake, 10),
		 seconds_times(fake, 60), seconds_times(fake, 20));
	return 0;
}

static int print_sysfs(const struct fake_cpu *fake, const char *path, char *out, size_t size)
{
	int cpu;
	char file[64];
	if (sscanf(path, "/sys/devices/system/cpu/cpu%d/%63s", &cpu, file) == 2) {
		if (fake->capacities && strcmp(file, "cpu_capacity") == 0)
			return snprintf(out, size, "%d\n", cpu < 2 ? 1024 : 400), 0;
		if (!fake->no_cpufreq && strcmp(file, "cpufreq/scaling_cur_freq") == 0)
			return snprintf(out, size, "%d\n", 1000000 * (cpu + 1)), 0;
		return fake_refuse(ENOENT);
	}
	if (!fake->hybrid || strstr(path, "/cpumask"))
		return fake_refuse(ENOENT);
	if (strstr(path, "/cpu_atom/"))
		snprintf(out, size, "%s\n", strstr(path, "/type") ? "10" : "0-1");
	else if (strstr(path, "/cpu_core/"))
		snprintf(out, size, "%s\n", strstr(path, "/type") ? "4" : "2-3");
	else
		return fake_refuse(ENOENT);
	return 0;
}

static int print_file(const struct fake_cpu *fake, const char *path, char *out, size_t size)
{
	char process[64];
	snprintf(process, sizeof(process), "/proc/%d/stat", FAKE_CPU_PID);
	if (strcmp(path, process) == 0)
		return print_process(fake, out, size);
	if (strcmp(path, "/proc/stat") == 0 && !fake->no_proc)
		return print_stat(fake, out, size), 0;
	if (strcmp(path, "/proc/vmstat") == 0)
		return snprintf(out, size, "nr_free_pages 1\npgfault %lu\npgmajfault %lu\n",
				seconds_times(fake, 2000), seconds_times(fake, 3)),
		       0;
	if (strcmp(path, "/sys/devices/system/cpu/online") == 0)
		return snprintf(out, size, "0-1,2-3\n"), 0;
	if (strcmp(path, "/proc/cpuinfo") == 0)
		return snprintf(out, size, "processor : 0\nmodel name\t: Fake CPU 9000\n"), 0;
	if (strcmp(path, "/proc/sys/kernel/osrelease") == 0)
		return snprintf(out, size, "6.1.0-fake\n"), 0;
	if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0)
		return snprintf(out, size, "3\n"), 0;
	if (strncmp(path, "/sys/", 5) == 0)
		return print_sysfs(fake, path, out, size);
	return fake_refuse(ENOENT);
}

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake_cpu *fake = user;
	char text[8192];
	if (FAKE_FAILS(fake) || print_file(user, path, text, sizeof(text)) < 0)
		return -1;
	size_t length = strlen(text);
	if (length >= size)
		length = size - 1;
	memcpy(buf, text, length);
	buf[length] = '\0';
	return (ssize_t)length;
}

static int fake_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	static const char *const pmus[] = {"cpu_core", "software", "cpu_atom", NULL};
	struct fake_cpu *fake = user;
	uint32_t threads = fake->threads ? fake->threads : 2;
	char name[16];
	if (FAKE_FAILS(fake))
		return -1;
	if (!strstr(path, "/task"))
		for (const char *const *names = pmus; *names && !visit(arg, *names); names++)
			continue;
	for (uint32_t i = 0; strstr(path, "/task") && i < threads; i++) {
		snprintf(name, sizeof(name), "%u", FAKE_CPU_PID + i);
		if (visit(arg, name))
			break;
	}
	return 0;
}

static int refusal(const struct fake_cpu *fake, const struct perf_event_attr *attr, pid_t pid,
		   int cpu)
{
	uint32_t pmu = (uint32_t)(attr->config >> 32);
	if (fake->no_perf)
		return EACCES;
	if (fake->no_kernel && (pid < 0 || !attr->exclude_kernel))
		return EACCES;
	if (attr->type != PERF_TYPE_HARDWARE)
		return 0;
	if (fake->no_pmu)
		return ENOENT;
	/* A PMU serves its own CPUs alone. */
	if (fake->hybrid && cpu >= 0 && pmu != (cpu < 2 ? 10u : 4u))
		return ENOENT;
	return 0;
}

/* The kernel refuses a group that could never count at once, and members of another place. */
static bool joins(const struct fake_cpu *fake, const struct perf_event_attr *attr, pid_t pid,
		  int cpu, int leader)
{
	uint32_t members = 1;
	if (leader < 0)
		return true;
	if (leader >= FAKE_CPU_FDS || !fake->fds[leader].open || fake->fds[leader].pid != pid ||
	    fake->fds[leader].cpu != cpu || fake->fds[leader].leader != leader ||
	    fake->fds[leader].config >> 32 != attr->config >> 32)
		return false;
	for (int fd = 0; fd < FAKE_CPU_FDS; fd++)
		members += fake->fds[fd].open && fake->fds[fd].leader == leader &&
			   fake->fds[fd].type == PERF_TYPE_HARDWARE;
	return !fake->counters || members <= fake->counters;
}

/*
 * Groups of the same place that take turns because not all fit; a program's CPU counts the whole
 * machine's events first.
 */
static uint32_t turns(const struct fake_cpu *fake, int fd)
{
	uint32_t groups = 0, events = 0;
	for (int i = 0; i < FAKE_CPU_FDS; i++) {
		bool here = fake->fds[i].open && fake->fds[i].type == PERF_TYPE_HARDWARE &&
			    fake->fds[i].pid == fake->fds[fd].pid &&
			    fake->fds[i].cpu == fake->fds[fd].cpu &&
			    fake->fds[i].config >> 32 == fake->fds[fd].config >> 32;
		events += here;
		groups += here && fake->fds[i].leader == i;
	}
	return fake->counters && events > fake->counters ? groups : 1;
}

static int fake_perf_event_open(void *user, void *arg, pid_t pid, int cpu, int group_fd,
				unsigned long flags)
{
	struct fake_cpu *fake = user;
	struct perf_event_attr *attr = arg;
	if (FAKE_FAILS(fake))
		return -1;
	int error = refusal(fake, attr, pid, cpu);
	if (error)
		return fake_refuse(error);
	int fd = 3;
	while (fd < FAKE_CPU_FDS && fake->fds[fd].open)
		fd++;
	if (fd == FAKE_CPU_FDS)
		return fake_refuse(EMFILE);
	if (!joins(fake, attr, pid, cpu, group_fd))
		return fake_refuse(EINVAL);
	fake->fds[fd].leader = group_fd < 0 ? fd : group_fd;
	fake->fds[fd].open = true;
	fake->fds[fd].since_ns = fake->now_ns;
	fake->fds[fd].type = attr->type;
	fake->fds[fd].config = attr->config;
	fake->fds[fd].cpu = cpu;
	fake->fds[fd].pid = pid;
	fake->fds[fd].user_only = attr->exclude_kernel;
	fake->open_fds++;
	return fd;
}

/* What a thread, or a CPU, adds to a software event; the process has two threads. */
static uint64_t software_value(const struct fake_cpu *fake, int fd, uint64_t elapsed)
{
	if (fake->fds[fd].pid < 0)
		return elapsed;
	switch (fake->fds[fd].config) {
	case PERF_COUNT_SW_TASK_CLOCK:
		return elapsed / 10 * 4;
	case PERF_COUNT_SW_PAGE_FAULTS:
		return elapsed / 1000000 * 50 / 1000;
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
		return elapsed / 1000000 * 5 / 1000;
	default:
		return elapsed;
	}
}

/* Hardware events grow with FAKE_CPU_HZ, event n at 1/(n + 1) of it. */
static ssize_t fake_read(void *user, int fd, void *buf, size_t size)
{
	struct fake_cpu *fake = user;
	uint64_t words[3];
	if (FAKE_FAILS(fake))
		return -1;
	if (fd < 3 || fd >= FAKE_CPU_FDS || !fake->fds[fd].open || size < sizeof(words))
		return fake_refuse(EBADF);
	uint64_t elapsed = fake->now_ns - fake->fds[fd].since_ns;
	bool hardware = fake->fds[fd].type == PERF_TYPE_HARDWARE;
	uint64_t event = fake->fds[fd].config & 0xffffffff;
	words[0] = hardware ? elapsed * (FAKE_CPU_HZ / NS_PER_S) / (event + 1)
			    : software_value(fake, fd, elapsed);
	words[1] = words[2] = elapsed;
	/* A thread's time is shared evenly between the two kinds of core. */
	bool half = hardware && (fake->multiplexed || (fake->hybrid && fake->fds[fd].cpu < 0));
	if (half) {
		words[0] /= 2;
		words[2] /= 2;
	}
	if (hardware) {
		/* What is counted in turns misses the busy part: 3/4 of what its share would be. */
		uint32_t n = turns(fake, fd);
		words[0] = n > 1 ? words[0] / n / 4 * 3 : words[0];
		words[2] /= n;
	}
	memcpy(buf, words, sizeof(words));
	return sizeof(words);
}

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct fake_cpu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	fake->now_ns += (uint64_t)timeout_ms * 1000000;
	return 0;
}

/* The CPU clock of the process runs at 0.8 of time, to the ns. */
static int fake_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct fake_cpu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	uint64_t ns = fake->now_ns;
	if (clock != CLOCK_MONOTONIC)
		ns = ns / 10 * 8;
	out->tv_sec = (time_t)(ns / NS_PER_S);
	out->tv_nsec = (long)(ns % NS_PER_S);
	return 0;
}

void fake_cpu_init(struct fake_cpu *fake)
{
	*fake = (struct fake_cpu){.now_ns = 1000 * NS_PER_S};
	fake->sys = (struct sx_sys){
	    .user = fake,
	    .open = fake_open,
	    .close = fake_close,
	    .read = fake_read,
	    .poll = fake_poll,
	    .clock_gettime = fake_clock_gettime,
	    .read_file = fake_read_file,
	    .list_dir = fake_list_dir,
	    .perf_event_open = fake_perf_event_open,
	};
}
