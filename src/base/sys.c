/* struct sx_sys over the real kernel. */
#include "base/sys.h"

#include "base/privilege.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * Rights are raised for what the system itself made: nothing in these folders is a user's, and no
 * user can put something else in their place.
 */
static struct privilege raise_for(const char *path)
{
	static const char *const folders[] = {"/dev/dri/",	   "/dev/mali", "/dev/accel/",
					      "/dev/nvidia",	   "/sys/",	"/proc/sys/",
					      "/proc/thread-self/"};
	bool ours = false;
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]); i++)
		ours |= strncmp(path, folders[i], strlen(folders[i])) == 0;
	return ours && !strstr(path, "/..") ? privilege_raise() : (struct privilege){0};
}

static int real_open(void *user, const char *path, int flags)
{
	struct privilege before = raise_for(path);
	int fd = open(path, flags | O_CLOEXEC);
	privilege_restore(&before);
	return fd;
}

static int real_close(void *user, int fd)
{
	return close(fd);
}

static int real_ioctl(void *user, int fd, unsigned long request, void *arg)
{
	struct privilege before = privilege_raise();
	int result = ioctl(fd, request, arg);
	privilege_restore(&before);
	return result;
}

static ssize_t real_read(void *user, int fd, void *buf, size_t size)
{
	return read(fd, buf, size);
}

static ssize_t real_read_at(void *user, int fd, void *buf, size_t size, off_t offset)
{
	return pread(fd, buf, size, offset);
}

static ssize_t real_write(void *user, int fd, const void *buf, size_t size)
{
	return write(fd, buf, size);
}

static void *real_mmap(void *user, size_t size, int prot, int flags, int fd, off_t offset)
{
	struct privilege before = fd >= 0 ? privilege_raise() : (struct privilege){0};
	void *memory = mmap(NULL, size, prot, flags, fd, offset);
	privilege_restore(&before);
	return memory;
}

static int real_munmap(void *user, void *addr, size_t size)
{
	return munmap(addr, size);
}

static int real_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	return poll(fds, count, timeout_ms);
}

static int real_clock_gettime(void *user, clockid_t clock, struct timespec *out)
{
	return clock_gettime(clock, out);
}

static int real_is_char_device(void *user, int fd)
{
	struct stat st;
	if (fstat(fd, &st) < 0)
		return -1;
	return S_ISCHR(st.st_mode) ? 1 : 0;
}

static ssize_t real_read_file(void *user, const char *path, char *buf, size_t size)
{
	struct privilege before = raise_for(path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t n = fd < 0 ? -1 : 1;
	while (n > 0 && used + 1 < size) {
		n = read(fd, buf + used, size - 1 - used);
		if (n > 0)
			used += (size_t)n;
	}
	privilege_restore(&before);
	int saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	if (n < 0)
		return -1;
	buf[used] = '\0';
	return (ssize_t)used;
}

static int real_list_dir(void *user, const char *path, int (*visit)(void *arg, const char *name),
			 void *arg)
{
	struct privilege before = raise_for(path);
	DIR *dir = opendir(path);
	privilege_restore(&before);
	if (!dir)
		return -1;
	int stop = 0;
	for (struct dirent *e; !stop && (e = readdir(dir));)
		if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
			stop = visit(arg, e->d_name);
	closedir(dir);
	return 0;
}

static ssize_t real_read_link(void *user, const char *path, char *buf, size_t size)
{
	ssize_t n = readlink(path, buf, size - 1);
	if (n >= 0)
		buf[n] = '\0';
	return n;
}

/* Whether a process or thread is the real user's; one that has rights of its own is root's. */
static bool is_users(pid_t pid)
{
	char path[32];
	struct stat st;
	snprintf(path, sizeof(path), "/proc/%ld", (long)pid);
	return stat(path, &st) == 0 && st.st_uid == getuid();
}

/* Raised privileges are for devices only: they must not open a view into another user's program. */
static int real_perf_event_open(void *user, void *attr, pid_t pid, int cpu, int group_fd,
				unsigned long flags)
{
	bool ours = pid <= 0 || is_users(pid);
	struct privilege before = ours ? privilege_raise() : (struct privilege){0};
	int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
	privilege_restore(&before);
	if (fd >= 0 && before.raised && pid > 0 &&
	    !is_users(pid)) { /* the file has just become the user's */
		close(fd);
		fd = -1;
		errno = EACCES;
	}
	return fd;
}

static int real_make_folder(void *user, char *path)
{
	return mkdtemp(path) ? 0 : -1;
}

static int real_listen_at(void *user, const char *path, int backlog)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	size_t length = strlen(path);
	if (length >= sizeof(address.sun_path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	memcpy(address.sun_path, path, length);
	int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd >= 0 && (bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
			listen(fd, backlog) < 0)) {
		int saved = errno;
		close(fd);
		errno = saved;
		return -1;
	}
	return fd;
}

static int real_pipe(void *user, int fds[2])
{
	return pipe2(fds, O_CLOEXEC);
}

static pid_t real_fork(void *user)
{
	return fork();
}

static pid_t real_wait(void *user, pid_t pid, int *status, int flags, struct rusage *usage)
{
	return wait4(pid, status, flags, usage);
}

static int real_ended(void *user, pid_t pid)
{
	siginfo_t info = {0};
	if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0)
		return -1;
	return info.si_pid == pid;
}

static int real_kill(void *user, pid_t pid, int signal_number)
{
	return kill(pid, signal_number);
}

static int real_process_fd(void *user, pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int real_watch_create(void *user)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int real_watch_set(void *user, int watch, int fd, bool in)
{
	struct epoll_event event = {.events = EPOLLIN};
	return epoll_ctl(watch, in ? EPOLL_CTL_ADD : EPOLL_CTL_DEL, fd, &event);
}

static int real_timer_create(void *user)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
}

/* Setting a timer clears an expiry that was not read; all zeros disarm it (timerfd_settime(2)). */
static int real_timer_set(void *user, int timer, uint64_t at_ns)
{
	struct itimerspec at = {{0}, {0}};
	if (at_ns != UINT64_MAX)
		at.it_value = (struct timespec){.tv_sec = (time_t)(at_ns / 1000000000),
						.tv_nsec = (long)(at_ns % 1000000000)};
	return timerfd_settime(timer, TFD_TIMER_ABSTIME, &at, NULL);
}

static void *real_library_open(void *user, const char *name)
{
	return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

static void *real_library_symbol(void *user, void *library, const char *name)
{
	return dlsym(library, name);
}

static void real_library_close(void *user, void *library)
{
	dlclose(library);
}

const struct sx_sys *sys_real(void)
{
	static const struct sx_sys real = {
	    .open = real_open,
	    .close = real_close,
	    .ioctl = real_ioctl,
	    .read = real_read,
	    .read_at = real_read_at,
	    .write = real_write,
	    .mmap = real_mmap,
	    .munmap = real_munmap,
	    .poll = real_poll,
	    .clock_gettime = real_clock_gettime,
	    .is_char_device = real_is_char_device,
	    .read_file = real_read_file,
	    .list_dir = real_list_dir,
	    .read_link = real_read_link,
	    .perf_event_open = real_perf_event_open,
	    .make_folder = real_make_folder,
	    .listen_at = real_listen_at,
	    .pipe = real_pipe,
	    .fork = real_fork,
	    .wait = real_wait,
	    .ended = real_ended,
	    .kill = real_kill,
	    .process_fd = real_process_fd,
	    .watch_create = real_watch_create,
	    .watch_set = real_watch_set,
	    .timer_create = real_timer_create,
	    .timer_set = real_timer_set,
	    .library_open = real_library_open,
	    .library_symbol = real_library_symbol,
	    .library_close = real_library_close,
	};
	return &real;
}
