/*
 * The command on a machine with an i915 card: the same program, whose table of system calls asks
 * the fake kernel about the card and this machine about all else, in this machine's time. For tests
 * alone, and never installed. What the kernel holds after each call, configurations and streams, is
 * in the file $SEXTANT_FAKE_STATE, which outlives the command; $SEXTANT_FAKE_GONE_MS after a stream
 * was opened the card goes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define sys_real sys_underneath
#include "base/sys.c"
#undef sys_real

#include "i915_oa.h"

#define FD_BASE	 5000 /* descriptors of the fake, out of this machine's way */
#define FDS_MOST 64

static struct {
	struct sx_sys sys;
	struct fake_i915 fake;
	uint64_t gone_ns;
	int state;
} machine;

const struct sx_sys *sys_real(void);

static bool is_fake(int fd)
{
	return fd >= FD_BASE;
}

static bool is_card(const char *path)
{
	static const char *const of_card[] = {"/dev/dri/", "/sys/class/drm", "/proc/sys/dev/i915/",
					      "/proc/thread-self/status"};
	for (size_t i = 0; i < sizeof(of_card) / sizeof(of_card[0]); i++)
		if (strncmp(path, of_card[i], strlen(of_card[i])) == 0)
			return true;
	return false;
}

static void keep_time(void)
{
	struct fake_i915 *f = &machine.fake;
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	f->now_ns = (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
	if (machine.gone_ns && f->stream && f->now_ns - f->opened_ns > machine.gone_ns)
		f->gone = true;
}

static void keep_state(void)
{
	char text[64];
	int saved = errno;
	int size = snprintf(text, sizeof(text), "configurations %u streams %u\n",
			    fake_i915_config_count(&machine.fake), machine.fake.stream != 0);
	if (machine.state >= 0 && pwrite(machine.state, text, (size_t)size, 0) != size)
		abort();
	errno = saved;
}

static int command_open(void *user, const char *path, int flags)
{
	if (!is_card(path))
		return sys_underneath()->open(user, path, flags);
	int fd = machine.fake.sys.open(&machine.fake, path, flags & ~O_CLOEXEC);
	return fd < 0 ? fd : fd + FD_BASE;
}

static int command_close(void *user, int fd)
{
	if (!is_fake(fd))
		return sys_underneath()->close(user, fd);
	int result = machine.fake.sys.close(&machine.fake, fd - FD_BASE);
	keep_state();
	return result;
}

static int command_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	if (!is_fake(fd))
		return sys_underneath()->ioctl(user, fd, request, arg);
	keep_time();
	int before = machine.fake.stream;
	int result = machine.fake.sys.ioctl(&machine.fake, fd - FD_BASE, request, arg);
	keep_state();
	bool opened = !before && machine.fake.stream && result == machine.fake.stream;
	return opened ? result + FD_BASE : result;
}

static ssize_t command_read(void *user, int fd, void *buf, size_t size)
{
	if (!is_fake(fd))
		return sys_underneath()->read(user, fd, buf, size);
	keep_time();
	return machine.fake.sys.read(&machine.fake, fd - FD_BASE, buf, size);
}

/* What is ready at once; the fake's entries are asked one by one. */
static int look(struct pollfd *fds, nfds_t count)
{
	int ready = 0;
	for (nfds_t i = 0; i < count; i++) {
		struct pollfd one = fds[i];
		fds[i].revents = 0;
		if (is_fake(one.fd)) {
			one.fd -= FD_BASE;
			if (machine.fake.sys.poll(&machine.fake, &one, 1, 0) < 0)
				return -1;
		} else if (sys_underneath()->poll(NULL, &one, 1, 0) < 0) {
			return -1;
		}
		fds[i].revents = one.revents;
		ready += one.revents != 0;
	}
	return ready;
}

static int command_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	bool any = false;
	for (nfds_t i = 0; i < count; i++)
		any |= is_fake(fds[i].fd);
	if (!any)
		return sys_underneath()->poll(user, fds, count, timeout_ms);
	for (int waited = 0;; waited++) {
		keep_time();
		int ready = look(fds, count);
		if (ready || (timeout_ms >= 0 && waited >= timeout_ms))
			return ready;
		if (sys_underneath()->poll(user, NULL, 0, 1) < 0)
			return -1;
	}
}

static ssize_t command_read_file(void *user, const char *path, char *buf, size_t size)
{
	return is_card(path) ? machine.fake.sys.read_file(&machine.fake, path, buf, size)
			     : sys_underneath()->read_file(user, path, buf, size);
}

static int command_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			    void *arg)
{
	return is_card(path) ? machine.fake.sys.list_dir(&machine.fake, path, visit, arg)
			     : sys_underneath()->list_dir(user, path, visit, arg);
}

static int command_is_char_device(void *user, int fd)
{
	return is_fake(fd) ? 1 : sys_underneath()->is_char_device(user, fd);
}

const struct sx_sys *sys_real(void)
{
	const char *state = getenv("SEXTANT_FAKE_STATE"), *gone = getenv("SEXTANT_FAKE_GONE_MS");
	if (machine.sys.open)
		return &machine.sys;
	fake_i915_init(&machine.fake);
	machine.state = state ? open(state, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1;
	machine.gone_ns = gone ? strtoull(gone, NULL, 10) * 1000000 : 0;
	keep_time();
	keep_state();
	machine.sys = *sys_underneath();
	machine.sys.open = command_open;
	machine.sys.close = command_close;
	machine.sys.ioctl = command_ioctl;
	machine.sys.read = command_read;
	machine.sys.poll = command_poll;
	machine.sys.read_file = command_read_file;
	machine.sys.list_dir = command_list_dir;
	machine.sys.is_char_device = command_is_char_device;
	return &machine.sys;
}
