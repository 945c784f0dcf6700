/* The fake kernel with PMUs behind struct sx_sys. */
#include "pmu.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#include "fake.h"

#define FOLDER	 "/sys/bus/event_source/devices"
#define NS_PER_S UINT64_C(1000000000)
#define CPUS	 2

void fake_pmu_file(struct fake_pmu *fake, const char *path, const char *text)
{
	if (fake->file_count == FAKE_PMU_FILES)
		abort();
	snprintf(fake->files[fake->file_count].path, sizeof(fake->files[0].path), FOLDER "/%s",
		 path);
	snprintf(fake->files[fake->file_count++].text, sizeof(fake->files[0].text), "%s\n", text);
}

void fake_pmu_add(struct fake_pmu *fake, const struct fake_pmu_type *type)
{
	char path[96], text[32];
	if (fake->type_count == FAKE_PMU_TYPES)
		abort();
	fake->types[fake->type_count++] = *type;
	snprintf(path, sizeof(path), "%s/type", type->name);
	snprintf(text, sizeof(text), "%u", type->type);
	fake_pmu_file(fake, path, text);
	snprintf(path, sizeof(path), "%s/cpumask", type->name);
	if (type->shared)
		fake_pmu_file(fake, path, type->cpus);
}

void fake_pmu_rate(struct fake_pmu *fake, uint32_t type, uint64_t config, uint64_t hz)
{
	if (fake->rate_count == FAKE_PMU_RATES)
		abort();
	fake->rates[fake->rate_count++] = (struct fake_pmu_rate){type, config, hz};
}

static int fake_close(void *user, int fd)
{
	struct fake_pmu *fake = user;
	if (fd < 3 || fd >= FAKE_PMU_FDS || !fake->fds[fd].open)
		abort(); /* closed twice, or not ours */
	fake->fds[fd].open = false;
	fake->open_fds--;
	return FAKE_FAILS(fake) ? -1 : 0;
}

static const char *find_file(const struct fake_pmu *fake, const char *path)
{
	for (uint32_t i = 0; i < fake->file_count; i++)
		if (strcmp(fake->files[i].path, path) == 0)
			return fake->files[i].text;
	return NULL;
}

static bool has_ended(const struct fake_pmu *fake)
{
	return fake->ends_ns && fake->now_ns >= fake->ends_ns;
}

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake_pmu *fake = user;
	char text[sizeof(fake->files[0].text)];
	if (FAKE_FAILS(fake))
		return -1;
	const char *pmu = strstr(path, "event_source/devices/");
	size_t length = fake->shut ? strlen(fake->shut) : 0;
	if (pmu && fake->shut && strncmp(pmu + 21, fake->shut, length) == 0)
		return fake_refuse(EACCES);
	const char *file = fake->no_tree ? NULL : find_file(fake, path);
	if (file)
		snprintf(text, sizeof(text), "%s", file);
	else if (strcmp(path, "/sys/devices/system/cpu/online") == 0)
		snprintf(text, sizeof(text), "0-%d\n", CPUS - 1);
	else if (strcmp(path, "/proc/sys/kernel/perf_event_paranoid") == 0 && !fake->no_tree)
		snprintf(text, sizeof(text), "%d\n", fake->paranoid);
	else if (strcmp(path, "/proc/sys/kernel/osrelease") == 0)
		snprintf(text, sizeof(text), "6.12.0-fake\n");
	else if (strcmp(path, "/proc/4242/stat") == 0)
		snprintf(text, sizeof(text), "4242 (a) b) %c 1\n", has_ended(fake) ? 'Z' : 'S');
	else
		return fake_refuse(ENOENT);
	int n = snprintf(buf, size, "%s", text);
	return (size_t)n < size ? n : (ssize_t)size - 1;
}

/* Files right below a folder. */
static int list_files(const struct fake_pmu *fake, const char *path,
		      int (*visit)(void *arg, const char *name), void *arg)
{
	size_t length = strlen(path);
	bool any = false;
	for (uint32_t i = 0; i < fake->file_count; i++) {
		const char *file = fake->files[i].path;
		if (strncmp(file, path, length) != 0 || file[length] != '/')
			continue;
		any = true;
		if (visit(arg, file + length + 1))
			break;
	}
	return any ? 0 : fake_refuse(ENOENT);
}

static int fake_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	static const char *const threads[] = {"4242", "4243", NULL};
	struct fake_pmu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	if (strcmp(path, "/proc/4242/task") == 0) {
		for (const char *const *name = threads; *name && !visit(arg, *name); name++)
			;
		return 0;
	}
	if (fake->no_tree)
		return fake_refuse(ENOENT);
	if (strcmp(path, FOLDER) != 0)
		return list_files(fake, path, visit, arg);
	for (uint32_t i = 0; i < fake->type_count; i++)
		if (visit(arg, fake->types[i].name))
			break;
	return 0;
}

static const struct fake_pmu_type *find_type(const struct fake_pmu *fake, uint32_t type)
{
	for (uint32_t i = 0; i < fake->type_count; i++)
		if (fake->types[i].type == type)
			return &fake->types[i];
	return NULL;
}

static bool in_mask(const char *cpus, int cpu)
{
	char digit[2] = {(char)('0' + cpu), '\0'};
	return strstr(cpus, digit) != NULL; /* masks of the fake are single digits */
}

/* perf_copy_attr() and the checks in front of a PMU's own. */
static int check_call(struct fake_pmu *fake, const struct perf_event_attr *attr, pid_t pid, int cpu,
		      unsigned long flags)
{
	uint64_t formats = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	if (attr->size < PERF_ATTR_SIZE_VER0 || attr->__reserved_2 || attr->__reserved_3 ||
	    attr->read_format & ~formats || flags & ~(unsigned long)PERF_FLAG_FD_CLOEXEC ||
	    (pid == -1 && cpu == -1) || pid < -1 || cpu < -1) {
		fake->misused = true;
		return EINVAL;
	}
	bool free = fake->capable;
	if (!attr->exclude_kernel && fake->paranoid > 1 && !free)
		return EACCES;
	if (pid == -1 && fake->paranoid > 0 && !free)
		return EACCES;
	if (pid > 0 && pid != FAKE_PMU_PID && pid != FAKE_PMU_PID + 1)
		return ESRCH;
	return cpu >= CPUS ? ENODEV : 0;
}

/* What the PMU's event_init() refuses. */
static int check_event(const struct fake_pmu_type *type, const struct perf_event_attr *attr,
		       pid_t pid, int cpu)
{
	if (!type)
		return ENOENT;
	if (attr->config & ~type->configs || attr->config1 & ~type->configs1 ||
	    attr->config2 & ~type->configs2)
		return EINVAL;
	if (type->no_exclude && (attr->exclude_kernel || attr->exclude_hv))
		return EINVAL;
	if (type->shared && (pid != -1 || !in_mask(type->cpus, cpu)))
		return EINVAL;
	return 0;
}

/* A group is of one place and, but for software events, of one PMU, which has room for it. */
static bool joins(struct fake_pmu *fake, const struct fake_pmu_type *type, pid_t pid, int cpu,
		  int leader)
{
	uint32_t members = 1;
	if (leader < 0)
		return true;
	if (leader >= FAKE_PMU_FDS || !fake->fds[leader].open || fake->fds[leader].pid != pid ||
	    fake->fds[leader].cpu != cpu || fake->fds[leader].leader != leader)
		return false;
	if (fake->fds[leader].type != type->type && fake->fds[leader].type != PERF_TYPE_SOFTWARE &&
	    type->type != PERF_TYPE_SOFTWARE)
		return false;
	for (int fd = 3; fd < FAKE_PMU_FDS; fd++)
		members += fake->fds[fd].open && fake->fds[fd].leader == leader &&
			   fake->fds[fd].type == type->type;
	return !type->counters || members <= type->counters;
}

static int fake_perf_event_open(void *user, void *arg, pid_t pid, int cpu, int group_fd,
				unsigned long flags)
{
	struct fake_pmu *fake = user;
	const struct perf_event_attr *attr = arg;
	if (FAKE_FAILS(fake))
		return -1;
	if (fake->no_tree)
		return fake_refuse(ENOSYS);
	int error = check_call(fake, attr, pid, cpu, flags);
	const struct fake_pmu_type *type = find_type(fake, attr->type);
	if (!error)
		error = check_event(type, attr, pid, cpu);
	if (error)
		return fake_refuse(error);
	if (!joins(fake, type, pid, cpu, group_fd))
		return fake_refuse(EINVAL);
	int fd = 3;
	while (fd < FAKE_PMU_FDS && fake->fds[fd].open)
		fd++;
	if (fd == FAKE_PMU_FDS)
		return fake_refuse(EMFILE);
	fake->fds[fd].open = true;
	fake->fds[fd].leader = group_fd < 0 ? fd : group_fd;
	fake->fds[fd].enabled = !attr->disabled;
	fake->fds[fd].stuck = group_fd >= 0 && fake->fds[group_fd].enabled;
	fake->fds[fd].type = attr->type;
	fake->fds[fd].config = attr->config;
	fake->fds[fd].since_ns = fake->now_ns;
	fake->fds[fd].cpu = cpu;
	fake->fds[fd].pid = pid;
	fake->open_fds++;
	return fd;
}

static int fake_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct fake_pmu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	if (fd < 3 || fd >= FAKE_PMU_FDS || !fake->fds[fd].open)
		return fake_refuse(EBADF);
	if (request != PERF_EVENT_IOC_ENABLE)
		return fake_refuse(ENOTTY);
	for (int i = 3; i < FAKE_PMU_FDS; i++)
		if (fake->fds[i].open && fake->fds[i].leader == fd)
			fake->fds[i].since_ns = fake->now_ns;
	fake->fds[fd].enabled = true;
	return 0;
}

/* Groups of one place and PMU that take turns because not all of them fit. */
static uint32_t turns(const struct fake_pmu *fake, int fd)
{
	const struct fake_pmu_type *type = find_type(fake, fake->fds[fd].type);
	uint32_t events = 0, groups = 0;
	for (int i = 3; i < FAKE_PMU_FDS; i++) {
		bool here = fake->fds[i].open && fake->fds[i].type == type->type &&
			    fake->fds[i].cpu == fake->fds[fd].cpu &&
			    fake->fds[i].pid == fake->fds[fd].pid;
		events += here;
		groups += here && fake->fds[i].leader == i;
	}
	return type->counters && events > type->counters ? groups : 1;
}

static uint64_t rate_of(const struct fake_pmu *fake, int fd)
{
	for (uint32_t i = 0; i < fake->rate_count; i++)
		if (fake->rates[i].type == fake->fds[fd].type &&
		    fake->rates[i].config == fake->fds[fd].config)
			return fake->rates[i].hz;
	return 1000;
}

static ssize_t fake_read(void *user, int fd, void *buf, size_t size)
{
	struct fake_pmu *fake = user;
	uint64_t words[3] = {0};
	if (FAKE_FAILS(fake))
		return -1;
	if (fd < 3 || fd >= FAKE_PMU_FDS || !fake->fds[fd].open)
		return fake_refuse(EBADF);
	if (size < sizeof(words))
		return fake_refuse(ENOSPC);
	uint64_t elapsed = fake->now_ns - fake->fds[fd].since_ns;
	if (fake->fds[fake->fds[fd].leader].enabled) {
		words[1] = elapsed;
		words[2] = fake->fds[fd].stuck ? 0 : elapsed / turns(fake, fd);
		words[0] = (uint64_t)((double)rate_of(fake, fd) * (double)words[2] * 1e-9);
	}
	memcpy(buf, words, sizeof(words));
	return sizeof(words);
}

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct fake_pmu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	fake->now_ns += (uint64_t)timeout_ms * 1000000;
	return 0;
}

static int fake_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct fake_pmu *fake = user;
	if (FAKE_FAILS(fake))
		return -1;
	return fake_time(out, fake->now_ns);
}

void fake_pmu_init(struct fake_pmu *fake)
{
	*fake = (struct fake_pmu){.now_ns = 1000 * NS_PER_S, .paranoid = -1};
	fake->sys = (struct sx_sys){
	    .user = fake,
	    .close = fake_close,
	    .ioctl = fake_ioctl,
	    .read = fake_read,
	    .poll = fake_poll,
	    .clock_gettime = fake_clock_gettime,
	    .read_file = fake_read_file,
	    .list_dir = fake_list_dir,
	    .perf_event_open = fake_perf_event_open,
	};
	fake_pmu_add(fake, &(struct fake_pmu_type){
			       .name = "software", .type = PERF_TYPE_SOFTWARE, .configs = 15});
	fake_pmu_add(fake, &(struct fake_pmu_type){
			       .name = "msr", .type = 9, .no_exclude = true, .configs = 0xff});
	fake_pmu_file(fake, "msr/events/tsc", "event=0x00");
	fake_pmu_file(fake, "msr/events/smi", "event=0x04");
	fake_pmu_file(fake, "msr/format/event", "config:0-63");
	fake_pmu_rate(fake, 9, 0, 2600000000);
	fake_pmu_rate(fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, NS_PER_S);
	fake_pmu_rate(fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, NS_PER_S);
	fake_pmu_rate(fake, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 2000);
}

static void add_event(struct fake_pmu *fake, const char *path, const char *terms, const char *scale,
		      const char *unit)
{
	char name[128];
	fake_pmu_file(fake, path, terms);
	snprintf(name, sizeof(name), "%s.scale", path);
	fake_pmu_file(fake, name, scale);
	snprintf(name, sizeof(name), "%s.unit", path);
	fake_pmu_file(fake, name, unit);
}

static void add_channel(struct fake_pmu *fake, const char *name, uint32_t type)
{
	char path[96];
	struct fake_pmu_type channel = {.shared = true,
					.no_exclude = true,
					.type = type,
					.counters = 4,
					.configs = 0xffff,
					.cpus = "0"};
	snprintf(channel.name, sizeof(channel.name), "%s", name);
	fake_pmu_add(fake, &channel);
	snprintf(path, sizeof(path), "%s/format/event", name);
	fake_pmu_file(fake, path, "config:0-7");
	snprintf(path, sizeof(path), "%s/format/umask", name);
	fake_pmu_file(fake, path, "config:8-15");
	snprintf(path, sizeof(path), "%s/events/cas_count_read", name);
	add_event(fake, path, "event=0x04,umask=0x03", "6.103515625e-5", "MiB");
	snprintf(path, sizeof(path), "%s/events/cas_count_write", name);
	add_event(fake, path, "event=0x04,umask=0x0c", "6.103515625e-5", "MiB");
}

void fake_pmu_uncore(struct fake_pmu *fake)
{
	fake_pmu_add(fake, &(struct fake_pmu_type){.name = "power",
						   .type = 12,
						   .shared = true,
						   .no_exclude = true,
						   .configs = 0xff,
						   .cpus = "0"});
	fake_pmu_file(fake, "power/format/event", "config:0-7");
	add_event(fake, "power/events/energy-pkg", "event=0x02", "2.3283064365386962890625e-10",
		  "Joules");
	add_event(fake, "power/events/energy-gpu", "event=0x04", "2.3283064365386962890625e-10",
		  "Joules");
	add_channel(fake, "uncore_imc_0", 20);
	add_channel(fake, "uncore_imc_1", 21);
	fake_pmu_add(fake, &(struct fake_pmu_type){.name = "uncore_imc",
						   .type = 22,
						   .shared = true,
						   .no_exclude = true,
						   .configs = 0xff,
						   .cpus = "0"});
	fake_pmu_file(fake, "uncore_imc/format/event", "config:0-7");
	add_event(fake, "uncore_imc/events/gt_requests", "event=0x03", "6.103515625e-5", "MiB");
	add_event(fake, "uncore_imc/events/ia_requests", "event=0x04", "6.103515625e-5", "MiB");
	add_event(fake, "uncore_imc/events/io_requests", "event=0x05", "6.103515625e-5", "MiB");
}

void fake_pmu_core(struct fake_pmu *fake, uint32_t counters)
{
	static const char *const names[] = {"a", "b", "c", "d", "e"};
	char path[64], text[32];
	fake_pmu_add(fake, &(struct fake_pmu_type){
			       .name = "cpu", .type = 4, .counters = counters, .configs = 0xffff});
	fake_pmu_file(fake, "cpu/format/event", "config:0-7");
	fake_pmu_file(fake, "cpu/format/umask", "config:8-15");
	fake_pmu_file(fake, "cpu/format/wide", "config1:0-3,8-11");
	for (unsigned i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "cpu/events/%s", names[i]);
		snprintf(text, sizeof(text), "event=0x%x,umask=0x1", 0x10 + i);
		fake_pmu_file(fake, path, text);
		fake_pmu_rate(fake, 4, 0x110 + i, 1000000 * (i + 1));
	}
}
