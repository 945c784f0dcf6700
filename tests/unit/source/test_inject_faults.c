/*
 * The sources of Vulkan and OpenCL, each around a program that sends what is known, with every
 * system call of theirs failing once.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "guest/channel.h"
#include "source/source.h"

#define RECORDS	 20u
#define AGO_NS	 UINT64_C(800000000) /* nothing drew then; a channel may be so much younger */
#define EACH_NS	 UINT64_C(1000)
#define NO_CHILD 9 /* the program's status when it got no channel */
#define CALLS	 400u

/* Calls so far, and the one that fails. Only the thread of the test calls. */
struct faults {
	unsigned calls, fail_at;
	int why;
};

static bool fails(void *user)
{
	struct faults *f = user;
	if (++f->calls != f->fail_at)
		return false;
	errno = f->why;
	return true;
}

/* A call of the running system, unless it is the one that fails. */
#define FAULTY(type, name, parameters, arguments)                                                  \
	static type faulty_##name parameters                                                       \
	{                                                                                          \
		return fails(user) ? (type)-1 : sys_real()->name arguments;                        \
	}
FAULTY(int, open, (void *user, const char *path, int flags), (NULL, path, flags))
FAULTY(int, ioctl, (void *user, int fd, unsigned long request, void *arg), (NULL, fd, request, arg))
FAULTY(ssize_t, read, (void *user, int fd, void *buf, size_t size), (NULL, fd, buf, size))
FAULTY(ssize_t, write, (void *user, int fd, const void *buf, size_t size), (NULL, fd, buf, size))
FAULTY(void *, mmap, (void *user, size_t size, int prot, int flags, int fd, off_t at),
       (NULL, size, prot, flags, fd, at))
FAULTY(int, poll, (void *user, struct pollfd *fds, nfds_t count, int timeout_ms),
       (NULL, fds, count, timeout_ms))
FAULTY(ssize_t, read_file, (void *user, const char *path, char *buf, size_t size),
       (NULL, path, buf, size))
FAULTY(int, list_dir,
       (void *user, const char *path, int (*visit)(void *arg, const char *name), void *arg),
       (NULL, path, visit, arg))
FAULTY(int, make_folder, (void *user, char *path), (NULL, path))
FAULTY(int, listen_at, (void *user, const char *path, int backlog), (NULL, path, backlog))
FAULTY(int, pipe, (void *user, int fds[2]), (NULL, fds))
FAULTY(ssize_t, read_link, (void *user, const char *path, char *buf, size_t size),
       (NULL, path, buf, size))
FAULTY(int, perf_event_open,
       (void *user, void *attr, pid_t pid, int cpu, int group, unsigned long flags),
       (NULL, attr, pid, cpu, group, flags))
FAULTY(int, process_fd, (void *user, pid_t pid), (NULL, pid))
FAULTY(int, clock_gettime, (void *user, clockid_t clock, struct timespec *out), (NULL, clock, out))

static struct sx_sys faulty_table(struct faults *f)
{
	struct sx_sys sys = *sys_real();
	sys.user = f;
	sys.open = faulty_open;
	sys.ioctl = faulty_ioctl;
	sys.read = faulty_read;
	sys.write = faulty_write;
	sys.mmap = faulty_mmap;
	sys.poll = faulty_poll;
	sys.read_file = faulty_read_file;
	sys.list_dir = faulty_list_dir;
	sys.make_folder = faulty_make_folder;
	sys.listen_at = faulty_listen_at;
	sys.pipe = faulty_pipe;
	sys.read_link = faulty_read_link;
	sys.perf_event_open = faulty_perf_event_open;
	sys.process_fd = faulty_process_fd;
	sys.clock_gettime = faulty_clock_gettime;
	return sys;
}

struct subject {
	const struct source_ops *ops;
	const char *id, *variable; /* variable: names the channel to the program */
	enum wire_kind kind;
	unsigned counter; /* that says which record it is */
};

static const struct subject vulkan = {&source_vulkan, "vulkan", WIRE_ENV_VULKAN, WIRE_FRAME,
				      WIRE_DRAWS};
static const struct subject opencl = {&source_opencl, "opencl", WIRE_ENV_OPENCL, WIRE_KERNEL, 0};

/* The channel's path, of what the source wants in a program's environment. */
static const char *path_of(const struct subject *s, struct source *source)
{
	size_t length = strlen(s->variable);
	for (const char *const *item = s->ops->spawn_env(source); *item; item++)
		if (strncmp(*item, s->variable, length) == 0 && (*item)[length] == '=')
			return *item + length + 1;
	fail_msg("%s: %s is not in the environment", s->id, s->variable);
	return NULL;
}

/*
 * A program: the k-th record says k. Its thread is called as those of a software rasteriser, which
 * are watched. It runs until it is killed. `written` has something to read once all is written, or
 * the program is gone.
 */
static pid_t program(const struct subject *s, const char *path, int *written)
{
	int ends[2];
	assert_int_equal(pipe(ends), 0);
	pid_t pid = fork();
	*written = ends[0];
	if (pid != 0) {
		close(ends[1]);
		return pid;
	}
	close(ends[0]);
	struct wire_header *channel = channel_open(path);
	if (!channel)
		_exit(NO_CHILD);
	prctl(PR_SET_NAME, "llvmpipe-0");
	struct channel_identity identity = {.serial = 1, .api = WIRE_VULKAN};
	struct channel_stream stream = {0};
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	uint64_t from_ns = (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
	from_ns -= AGO_NS;
	identity.why[WIRE_GPU_TIME] = s->kind == WIRE_FRAME ? WIRE_WHY_THREADS : 0;
	__atomic_add_fetch(&channel->contexts, 1, __ATOMIC_RELAXED);
	for (uint64_t i = 0; i < RECORDS; i++) {
		struct wire_record record = {.kind = s->kind,
					     .frame = i,
					     .begin_ns = from_ns + i * EACH_NS,
					     .end_ns = from_ns + (i + 1) * EACH_NS};
		record.states[s->counter] = WIRE_VALID;
		record.values[s->counter] = i;
		channel_write(channel, &stream, &identity, &record);
	}
	if (write(ends[1], "w", 1) != 1)
		_exit(1);
	for (;;)
		usleep(1000);
}

struct run {
	unsigned samples;
	bool shown; /* of something that is missing */
};

static void check_sample(const struct subject *s, const struct raw_sample *raw, struct run *run)
{
	struct wire_sample sample;
	if (raw->kind == RAW_NOTE) {
		run->shown = true;
		return;
	}
	assert_true(raw->size >= sizeof(sample));
	memcpy(&sample, raw->data, sizeof(sample));
	assert_int_equal(sample.record.values[s->counter], run->samples++);
	run->shown |= raw->lost != 0;
}

static enum sx_status read_some(const struct subject *s, struct source *source, struct run *run,
				struct sx_error *err)
{
	struct raw_sample raw;
	enum sx_status status = s->ops->read(source, 2, &raw, err);
	if (status == SX_OK)
		check_sample(s, &raw, run);
	return status == SX_AGAIN ? SX_OK : status;
}

/* While the program runs, and then what is left. */
static enum sx_status read_all(const struct subject *s, struct source *source, struct run *run,
			       struct sx_error *err)
{
	enum sx_status status = SX_OK;
	struct pollfd written = {.events = POLLIN};
	pid_t pid = program(s, path_of(s, source), &written.fd);
	int ended;
	while (!status && poll(&written, 1, 0) == 0) /* a busy machine may take its time */
		status = read_some(s, source, run, err);
	close(written.fd);
	for (unsigned i = 0, more = 0; !status && i < 2 * RECORDS && more < 4; i++) {
		more += run->samples == RECORDS;
		status = read_some(s, source, run, err);
	}
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, &ended, 0), pid);
	run->shown |= WIFEXITED(ended) && WEXITSTATUS(ended) == NO_CHILD;
	if (!status)
		status = s->ops->stop(source, err);
	for (unsigned i = 0; !status && i < 10000; i++)
		status = read_some(s, source, run, err);
	if (!status)
		fail_msg("%s: it never ends", s->id);
	return status;
}

static unsigned open_descriptors(void)
{
	DIR *dir = opendir("/proc/self/fd");
	unsigned count = 0;
	assert_non_null(dir);
	while (readdir(dir))
		count++;
	closedir(dir);
	return count;
}

static enum sx_status measure(const struct subject *s, struct source *source, struct run *run,
			      struct sx_error *err)
{
	const struct source_request request = {.overhead_permille = 50};
	enum sx_status result = s->ops->start(source, &request, err);
	if (result)
		return result;
	return read_all(s, source, run, err);
}

/* One run with the k-th call failing; true when that call was reached. */
static bool faulty_run(const struct subject *s, unsigned k, int why)
{
	struct faults faults = {.fail_at = k, .why = why};
	const struct sx_sys sys = faulty_table(&faults);
	const struct source_host host = {.sys = &sys};
	unsigned before = open_descriptors();
	struct sx_error err = {0};
	struct source *source = NULL;
	struct run run = {0};
	enum sx_status status = s->ops->open(&host, s->id, &source, &err);
	if (!status)
		status = measure(s, source, &run, &err);
	if (status && status != SX_END)
		assert_true(err.message[0] != '\0' && err.because[0] != '\0');
	else if (run.samples != RECORDS && !run.shown)
		fail_msg("%s: call %u, errno %d: %u samples and not a word", s->id, k, why,
			 run.samples);
	if (source)
		s->ops->close(source);
	if (open_descriptors() != before)
		fail_msg("%s: call %u, errno %d: a descriptor is left open", s->id, k, why);
	return faults.calls >= k;
}

static void every_call_fails_once(const struct subject *s)
{
	static const int errors[] = {EIO, EINTR, ENOMEM, EMFILE, EPERM};
	unsigned k = 1;
	assert_true(faulty_run(s, UINT32_MAX, EIO) == false); /* none: all is there */
	while (k < CALLS && faulty_run(s, k, errors[k % 5]))
		k++;
	print_message("%s: each of %u calls failed once\n", s->id, k - 1);
	assert_in_range(k, 20, CALLS - 1);
}

static void vulkan_calls_fail(void **state)
{
	every_call_fails_once(&vulkan);
}

static void opencl_calls_fail(void **state)
{
	every_call_fails_once(&opencl);
}

/* What is looked for, in a folder of its own. */
static int make_layers(void **state)
{
	static char folder[] = "/tmp/sextant-layers-XXXXXX";
	static const char *const files[] = {"sextant_vulkan." SX_CPU ".json",
					    "libsextant-opencl.so"};
	char path[128];
	if (!mkdtemp(folder))
		return -1;
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
		FILE *file = fopen(path, "we");
		if (!file)
			return -1;
		fputs("{\"layer\": {\"library_path\": \"./libsextant-opencl.so\"}}\n", file);
		fclose(file);
	}
	setenv("SEXTANT_LAYER_DIR", folder, 1);
	*state = folder;
	return 0;
}

static int remove_layers(void **state)
{
	char command[160];
	snprintf(command, sizeof(command), "rm -r %s", (const char *)*state);
	return system(command) == 0 ? 0 : -1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(vulkan_calls_fail),
	    cmocka_unit_test(opencl_calls_fail),
	};
	return cmocka_run_group_tests(tests, make_layers, remove_layers);
}
