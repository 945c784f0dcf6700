/* The machine around a fake device. */
#include "machine.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "fake.h"

#define FIRST_PIPE 5000
#define PROCESS_FD 6000
#define NS_PER_MS  UINT64_C(1000000)
#define LONGEST_MS 60000 /* a wait without end is a hang */

uint64_t machine_now_ns(struct machine *m)
{
	struct timespec t = {0};
	m->base->clock_gettime(m->base->user, CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static bool is_pipe(int fd)
{
	return fd >= FIRST_PIPE && fd < FIRST_PIPE + 2 * MACHINE_PIPES;
}

static bool is_ours(int fd)
{
	return is_pipe(fd) || fd == PROCESS_FD;
}

static bool has_ended(struct machine *m)
{
	return m->runs && machine_now_ns(m) >= m->ends_ns;
}

#define DELEGATE(m, call, ...)                                                                     \
	(FAKE_FAILS(m)	    ? -1                                                                   \
	 : !(m)->base->call ? fake_refuse(ENOSYS)                                                  \
			    : (m)->base->call((m)->base->user, __VA_ARGS__))

static int machine_open(void *user, const char *path, int flags)
{
	struct machine *m = user;
	return DELEGATE(m, open, path, flags);
}

static int close_pipe(struct machine *m, int fd)
{
	bool *open = &m->pipes[(fd - FIRST_PIPE) / 2].open[(fd - FIRST_PIPE) % 2];
	if (!*open)
		abort(); /* closed twice */
	*open = false;
	m->open_fds--;
	return FAKE_FAILS(m) ? -1 : 0;
}

static int machine_close(void *user, int fd)
{
	struct machine *m = user;
	if (is_pipe(fd))
		return close_pipe(m, fd);
	if (fd == PROCESS_FD) {
		if (!m->process_fd_open)
			abort();
		m->process_fd_open = false;
		return FAKE_FAILS(m) ? -1 : 0;
	}
	int closed = m->base->close ? m->base->close(m->base->user, fd) : fake_refuse(ENOSYS);
	return FAKE_FAILS(m) ? -1 : closed; /* as the kernel's, closed all the same */
}

static int machine_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct machine *m = user;
	return DELEGATE(m, ioctl, fd, request, arg);
}

static ssize_t machine_read(void *user, int fd, void *buf, size_t size)
{
	struct machine *m = user;
	if (!is_ours(fd))
		return DELEGATE(m, read, fd, buf, size);
	if (FAKE_FAILS(m))
		return -1;
	int *bytes = &m->pipes[(fd - FIRST_PIPE) / 2].bytes;
	size_t n = (size_t)*bytes < size ? (size_t)*bytes : size;
	memset(buf, 's', n);
	*bytes -= (int)n;
	return (ssize_t)n; /* 0: the other end is closed, as by exec */
}

static ssize_t machine_read_at(void *user, int fd, void *buf, size_t size, off_t offset)
{
	struct machine *m = user;
	return DELEGATE(m, read_at, fd, buf, size, offset);
}

static ssize_t machine_write(void *user, int fd, const void *buf, size_t size)
{
	struct machine *m = user;
	if (!is_ours(fd))
		return DELEGATE(m, write, fd, buf, size);
	if (FAKE_FAILS(m))
		return -1;
	if (m->forked && !m->runs && size == 1 && *(const char *)buf == 'g') {
		m->runs = true;
		m->ends_ns = m->lasts_ns ? machine_now_ns(m) + m->lasts_ns : UINT64_MAX;
		return 1;
	}
	m->pipes[(fd - FIRST_PIPE) / 2].bytes += (int)size;
	return (ssize_t)size;
}

static void *machine_mmap(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return (void *)-1;
	return m->base->mmap(m->base->user, size, prot, flags, fd, offset);
}

static int machine_munmap(void *user, void *addr, size_t size)
{
	struct machine *m = user;
	return m->base->munmap(m->base->user, addr, size);
}

static int poll_ours(struct machine *m, struct pollfd *fds, nfds_t count)
{
	int ready = 0;
	for (nfds_t i = 0; i < count; i++) {
		fds[i].revents = 0;
		if (fds[i].fd == PROCESS_FD && has_ended(m))
			fds[i].revents = POLLIN;
		if (is_pipe(fds[i].fd) && m->pipes[(fds[i].fd - FIRST_PIPE) / 2].bytes)
			fds[i].revents = POLLIN;
		ready += fds[i].revents != 0;
	}
	return ready;
}

static bool watches_process(const struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (fds[i].fd == PROCESS_FD)
			return true;
	return false;
}

/* One device descriptor at most: the fakes know no more. */
static struct pollfd *device_fd(struct pollfd *fds, nfds_t count)
{
	for (nfds_t i = 0; i < count; i++)
		if (!is_ours(fds[i].fd))
			return &fds[i];
	return NULL;
}

static int machine_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	int ready = poll_ours(m, fds, count);
	struct pollfd *device = device_fd(fds, count);
	uint64_t now = machine_now_ns(m), wait_ms = (uint64_t)timeout_ms;
	if (timeout_ms < 0)
		wait_ms = LONGEST_MS;
	if (ready)
		wait_ms = 0;
	if (watches_process(fds, count) && m->runs && m->ends_ns > now &&
	    (m->ends_ns - now) / NS_PER_MS < wait_ms)
		wait_ms = (m->ends_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	if (device) {
		int got = m->base->poll(m->base->user, device, 1, (int)wait_ms);
		if (got < 0)
			return -1;
		ready += got > 0;
	} else {
		m->advance(m->device, wait_ms * NS_PER_MS);
	}
	if (!ready)
		ready = poll_ours(m, fds, count);
	if (!ready && timeout_ms < 0)
		abort(); /* it would have waited for ever */
	return ready;
}

static int machine_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	struct machine *m = user;
	if (m->look_ns)
		m->advance(m->device, m->look_ns);
	return DELEGATE(m, clock_gettime, clock, out);
}

static int machine_is_char_device(void *user, int fd)
{
	struct machine *m = user;
	return DELEGATE(m, is_char_device, fd);
}

static ssize_t machine_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct machine *m = user;
	return DELEGATE(m, read_file, path, buf, size);
}

static int machine_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			    void *arg)
{
	struct machine *m = user;
	return DELEGATE(m, list_dir, path, visit, arg);
}

static ssize_t machine_read_link(void *user, const char *path, char *buf, size_t size)
{
	struct machine *m = user;
	return DELEGATE(m, read_link, path, buf, size);
}

static int machine_perf_event_open(void *user, void *attr, pid_t pid, int cpu, int group_fd,
				   unsigned long flags)
{
	struct machine *m = user;
	return DELEGATE(m, perf_event_open, attr, pid, cpu, group_fd, flags);
}

static void *machine_library_open(void *user, const char *name)
{
	struct machine *m = user;
	bool here = !FAKE_FAILS(m) && m->base->library_open;
	return here ? m->base->library_open(m->base->user, name) : NULL;
}

static void *machine_library_symbol(void *user, void *library, const char *name)
{
	struct machine *m = user;
	return FAKE_FAILS(m) ? NULL : m->base->library_symbol(m->base->user, library, name);
}

static void machine_library_close(void *user, void *library)
{
	struct machine *m = user;
	m->base->library_close(m->base->user, library);
}

static int machine_pipe(void *user, int fds[2])
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	for (int i = 0; i < MACHINE_PIPES; i++) {
		if (m->pipes[i].open[0] || m->pipes[i].open[1])
			continue;
		m->pipes[i].open[0] = m->pipes[i].open[1] = true;
		m->pipes[i].bytes = 0;
		m->open_fds += 2;
		fds[0] = FIRST_PIPE + 2 * i;
		fds[1] = FIRST_PIPE + 2 * i + 1;
		return 0;
	}
	return fake_refuse(EMFILE);
}

static pid_t machine_fork(void *user)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	m->forked = true;
	m->runs = m->reaped = false;
	m->ends_ns = UINT64_MAX;
	return MACHINE_PID;
}

static pid_t machine_wait(void *user, pid_t pid, int *status, int flags, struct rusage *usage)
{
	struct machine *m = user;
	if (FAKE_FAILS(m)) {
		m->reaped |= m->fail_errno != EINTR; /* all else means that there is no child */
		return -1;
	}
	if (!m->forked || m->reaped || pid != MACHINE_PID)
		return fake_refuse(ECHILD);
	bool gone = !m->runs || has_ended(m); /* it ends when the word to go never comes */
	if (!gone && flags & WNOHANG)
		return 0;
	if (!gone)
		m->advance(m->device, m->ends_ns - machine_now_ns(m));
	m->reaped = true;
	if (status)
		*status = m->signals[SIGKILL] ? SIGKILL : m->signals[SIGTERM] ? SIGTERM : 0;
	if (usage)
		*usage = (struct rusage){.ru_utime = {.tv_usec = 1000}};
	return pid;
}

static int machine_ended(void *user, pid_t pid)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	return pid == MACHINE_PID && has_ended(m);
}

static int machine_kill(void *user, pid_t pid, int signal_number)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	if (pid != MACHINE_PID || m->reaped)
		abort(); /* it would have hit a stranger */
	m->signals[signal_number]++;
	if (signal_number == SIGKILL || (signal_number == SIGTERM && !m->ignores_sigterm))
		m->ends_ns = machine_now_ns(m);
	return 0;
}

static int machine_process_fd(void *user, pid_t pid)
{
	struct machine *m = user;
	if (FAKE_FAILS(m))
		return -1;
	if (m->no_process_fd)
		return fake_refuse(ENOSYS);
	m->process_fd_open = true;
	return PROCESS_FD;
}

static void advance_clock(void *now_ns, uint64_t ns)
{
	*(uint64_t *)now_ns += ns;
}

void machine_init(struct machine *m, const struct sx_sys *base, uint64_t *now_ns)
{
	machine_init_advance(m, base, now_ns, advance_clock);
}

void machine_init_advance(struct machine *m, const struct sx_sys *base, void *device,
			  void (*advance)(void *device, uint64_t ns))
{
	*m = (struct machine){.base = base,
			      .advance = advance,
			      .device = device,
			      .ends_ns = UINT64_MAX,
			      .lasts_ns = 300 * NS_PER_MS};
	m->sys = (struct sx_sys){.user = m,
				 .open = machine_open,
				 .close = machine_close,
				 .ioctl = machine_ioctl,
				 .read = machine_read,
				 .read_at = machine_read_at,
				 .write = machine_write,
				 .mmap = machine_mmap,
				 .munmap = machine_munmap,
				 .poll = machine_poll,
				 .clock_gettime = machine_clock_gettime,
				 .is_char_device = machine_is_char_device,
				 .read_file = machine_read_file,
				 .list_dir = machine_list_dir,
				 .read_link = machine_read_link,
				 .perf_event_open = machine_perf_event_open,
				 .library_open = machine_library_open,
				 .library_symbol = machine_library_symbol,
				 .library_close = machine_library_close,
				 .pipe = machine_pipe,
				 .fork = machine_fork,
				 .wait = machine_wait,
				 .ended = machine_ended,
				 .kill = machine_kill,
				 .process_fd = machine_process_fd};
}

bool machine_clean(const struct machine *m)
{
	return !m->open_fds && !m->process_fd_open && (!m->forked || m->reaped);
}
