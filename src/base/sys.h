/*
 * The system calls that sources use, as a table, so that a test can replace them by a fake device
 * or a failing call. Every entry behaves as the call of its name: -1 and errno on failure. `user`
 * is handed to each; the real table ignores it. No source calls the system around this table.
 */
#ifndef BASE_SYS_H
#define BASE_SYS_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <time.h>

struct sx_sys {
	void *user;
	int (*open)(void *user, const char *path, int flags);
	int (*close)(void *user, int fd);
	int (*ioctl)(void *user, int fd, unsigned long request, void *arg);
	ssize_t (*read)(void *user, int fd, void *buf, size_t size);
	/* pread(2). */
	ssize_t (*read_at)(void *user, int fd, void *buf, size_t size, off_t offset);
	ssize_t (*write)(void *user, int fd, const void *buf, size_t size);
	void *(*mmap)(void *user, size_t size, int prot, int flags, int fd, off_t offset);
	int (*munmap)(void *user, void *addr, size_t size);
	int (*poll)(void *user, struct pollfd *fds, nfds_t count, int timeout_ms);
	int (*clock_gettime)(void *user, clockid_t clock, struct timespec *out);
	/* 1 when fd is a character device, 0 when it is not, -1 on failure. */
	int (*is_char_device)(void *user, int fd);
	/* Reads a whole small file into buf (NUL-terminated); its length, or -1. */
	ssize_t (*read_file)(void *user, const char *path, char *buf, size_t size);
	/* Calls visit for each entry of a folder, until it returns non-zero; 0, or -1. */
	int (*list_dir)(void *user, const char *path, int (*visit)(void *arg, const char *name),
			void *arg);
	/* The target of a symbolic link, NUL-terminated; its length, or -1. */
	ssize_t (*read_link)(void *user, const char *path, char *buf, size_t size);
	/* perf_event_open(2); attr is a struct perf_event_attr. */
	int (*perf_event_open)(void *user, void *attr, pid_t pid, int cpu, int group_fd,
			       unsigned long flags);
	/* mkdtemp(3): 0, or -1. */
	int (*make_folder)(void *user, char *path);
	/* A socket for messages that listens at a path and never blocks; its descriptor. */
	int (*listen_at)(void *user, const char *path, int backlog);
	/* Two ends, both closed by exec. */
	int (*pipe)(void *user, int fds[2]);
	pid_t (*fork)(void *user);
	/* wait4(2). */
	pid_t (*wait)(void *user, pid_t pid, int *status, int flags, struct rusage *usage);
	/* 1 when a child has ended and waits to be waited for, 0 when it runs, -1 on failure. */
	int (*ended)(void *user, pid_t pid);
	int (*kill)(void *user, pid_t pid, int signal_number);
	/* A descriptor that is readable once the process has ended (pidfd_open). */
	int (*process_fd)(void *user, pid_t pid);
	/* A descriptor that is readable while one of a set is (epoll); the set gains or loses one.
	 */
	int (*watch_create)(void *user);
	int (*watch_set)(void *user, int watch, int fd, bool in);
	/* A descriptor that is readable from a time of CLOCK_MONOTONIC on; UINT64_MAX: never. */
	int (*timer_create)(void *user);
	int (*timer_set)(void *user, int timer, uint64_t at_ns);
	/* dlopen(3), dlsym(3) and dlclose(3), for libraries that need not be here. NULL on failure.
	 */
	void *(*library_open)(void *user, const char *name);
	void *(*library_symbol)(void *user, void *library, const char *name);
	void (*library_close)(void *user, void *library);
};

/* The table of the running system. Static storage, thread-safe. */
const struct sx_sys *sys_real(void);

#endif
