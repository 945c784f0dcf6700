/* A machine with a fake libnvidia-ml.so.1, behind struct sx_sys. */
#include "nvml.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_S UINT64_C(1000000000)

static ssize_t fake_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct fake_nvml_machine *f = user;
	if (!f->no_driver && strcmp(path, "/proc/driver/nvidia/version") == 0)
		return snprintf(buf, size, "NVRM version: fake\n");
	for (const struct fake_nvml_process *p = f->processes; p->pid; p++) {
		char stat[64], comm[64];
		bool ended = p->pid == FAKE_NVML_PID && f->ends_ns && f->now_ns >= f->ends_ns;
		snprintf(stat, sizeof(stat), "/proc/%d/stat", p->pid);
		snprintf(comm, sizeof(comm), "/proc/%d/comm", p->pid);
		if (strcmp(path, comm) == 0)
			return snprintf(buf, size, "%s\n", p->name);
		if (strcmp(path, stat) == 0)
			return snprintf(buf, size,
					"%d (%s) %c %d 1 1 0 -1 4194304 1 0 0 0 1 1 0 0 20 0 1 0 "
					"%lu 1 1\n",
					p->pid, p->name, ended ? 'Z' : 'S', p->parent, p->begun);
	}
	errno = ENOENT;
	return -1;
}

static int fake_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	errno = ENOENT;
	return -1;
}

static int fake_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	((struct fake_nvml_machine *)user)->now_ns += (uint64_t)timeout_ms * 1000000;
	return 0;
}

static int fake_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	const struct fake_nvml_machine *f = user;
	out->tv_sec = (time_t)(f->now_ns / NS_PER_S);
	out->tv_nsec = (long)(f->now_ns % NS_PER_S);
	return 0;
}

static void *fake_library_open(void *user, const char *name)
{
	struct fake_nvml_machine *f = user;
	const char *path = getenv("SEXTANT_FAKE_NVML");
	if (f->no_library || strcmp(name, "libnvidia-ml.so.1") != 0)
		return NULL;
	void *library = path ? dlopen(path, RTLD_NOW | RTLD_LOCAL) : NULL;
	if (!library)
		abort(); /* the build made it */
	f->state = dlsym(library, FAKE_NVML_STATE);
	if (!f->open_libraries++)
		*f->state = f->next;
	return library;
}

static void *fake_library_symbol(void *user, void *library, const char *name)
{
	const struct fake_nvml_machine *f = user;
	return f->hidden && strcmp(f->hidden, name) == 0 ? NULL : dlsym(library, name);
}

static void fake_library_close(void *user, void *library)
{
	struct fake_nvml_machine *f = user;
	if (f->state->misused || (f->open_libraries == 1 && f->state->inits))
		abort(); /* not shut down, or asked in a way that no library takes */
	f->open_libraries--;
	f->state = NULL;
	dlclose(library);
}

void fake_nvml_init(struct fake_nvml_machine *f)
{
	*f = (struct fake_nvml_machine){.now_ns = 1000 * NS_PER_S,
					.next = FAKE_NVML_DEFAULT,
					.processes = {{1, 0, 1, "init"},
						      {100, 1, 50, "compositor"},
						      {FAKE_NVML_PID, 1, 60, "a) b"},
						      {300, 1, 70, "trainer"}}};
	f->sys = (struct sx_sys){.user = f,
				 .poll = fake_poll,
				 .clock_gettime = fake_clock_gettime,
				 .read_file = fake_read_file,
				 .list_dir = fake_list_dir,
				 .library_open = fake_library_open,
				 .library_symbol = fake_library_symbol,
				 .library_close = fake_library_close};
}
