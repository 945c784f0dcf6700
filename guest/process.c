/*
 * Start, fork and exit of the measured process. Files are opened only at the start, and for the
 * first context of a forked child. Nothing is printed.
 */
#include <errno.h>
#include <pthread.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <unwind.h>

#include "guest/channel.h"
#include "guest/clock.h"
#include "guest/process.h"
#include "wire/channel.h"
#include "wire/counters.h"

/* Each injected library has its own channel, even if a program has several of them. */
#ifndef GUEST_ENV
#define GUEST_ENV WIRE_ENV
#endif

static struct wire_header *channel;  /* set before main(), and again in a forked child */
static struct wire_header *counters; /* the same for hardware counters, or NULL */
static bool active;		     /* atomic */
static bool forked;		     /* atomic: a forked child without its own channel */
static void (*at_exit)(void);	     /* atomic */
static volatile char *wiped_by_fork; /* a page with MADV_WIPEONFORK, or NULL */
static pid_t owner;
static pthread_once_t started = PTHREAD_ONCE_INIT, armed = PTHREAD_ONCE_INIT;

static __thread unsigned depth __attribute__((tls_model("initial-exec")));
static __thread unsigned bypasses __attribute__((tls_model("initial-exec")));

static void detach(void)
{
	__atomic_store_n(&active, false, __ATOMIC_RELEASE);
}

static void detach_child(void)
{
	if (channel)
		__atomic_store_n(&forked, true, __ATOMIC_RELEASE);
	detach();
}

bool guest_active(void)
{
	return __atomic_load_n(&active, __ATOMIC_ACQUIRE) && bypasses == 0;
}

void guest_bypass(bool on)
{
	if (on)
		bypasses++;
	else
		bypasses--;
}

/* The page is also zero after a clone() that calls no fork handlers; no system call is needed. */
static bool is_owner(void)
{
	return wiped_by_fork ? *wiped_by_fork != 0 : getpid() == owner;
}

bool guest_check_active(void)
{
	if (guest_active() && !is_owner())
		detach();
	return guest_active();
}

struct wire_header *guest_channel(void)
{
	return guest_active() ? channel : NULL;
}

struct wire_header *guest_counters(void)
{
	return guest_active() ? counters : NULL;
}

struct guest_visit guest_enter(void)
{
	depth++;
	return (struct guest_visit){.saved_errno = errno};
}

void guest_leave(struct guest_visit visit)
{
	depth--;
	errno = visit.saved_errno;
}

static bool guest_inside(void)
{
	return depth > 0;
}

void guest_keep_errno(struct guest_visit *visit)
{
	visit->saved_errno = errno;
}

void guest_restore_errno(const struct guest_visit *visit)
{
	errno = visit->saved_errno;
}

static _Unwind_Reason_Code look_for_signal(struct _Unwind_Context *frame, void *found)
{
	int before = 0;
	_Unwind_GetIPInfo(frame, &before);
	*(bool *)found |= before != 0;
	return *(bool *)found ? _URC_END_OF_STACK : _URC_NO_REASON;
}

/* Whether a signal handler called exit(): it may have interrupted the driver. */
static bool in_signal_handler(void)
{
	bool found = false;
	_Unwind_Backtrace(look_for_signal, &found);
	return found;
}

bool guest_executes(void)
{
	return guest_active() && !guest_clock_sealed() && owner == getpid() &&
	       guest_check_active() && !guest_inside() && !in_signal_handler();
}

static void on_exit_of_program(void)
{
	if (!guest_check_active())
		return;
	if (!guest_inside() && !in_signal_handler())
		__atomic_load_n(&at_exit, __ATOMIC_ACQUIRE)();
	detach();
}

static void arm_exit(void)
{
	atexit(on_exit_of_program);
}

void guest_at_exit(void (*finish)(void))
{
	__atomic_store_n(&at_exit, finish, __ATOMIC_RELEASE);
	pthread_once(&armed, arm_exit);
}

static void make_page(void)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);
	char *page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		return;
	if (madvise(page, size, MADV_WIPEONFORK) != 0) {
		munmap(page, size);
		return;
	}
	*page = 1;
	wiped_by_fork = page;
}

/* A seccomp filter may kill the process for system calls that only we make. */
static bool is_sandboxed(void)
{
	char text[4096];
	int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	ssize_t size = fd >= 0 ? read(fd, text, sizeof(text) - 1) : -1;
	if (fd >= 0)
		close(fd);
	if (size < 0)
		return true;
	text[size] = '\0';
	char *line = strstr(text, "\nSeccomp:");
	return line && strtol(line + strlen("\nSeccomp:"), NULL, 10) != 0;
}

static struct wire_header *open_named(const char *variable)
{
	const char *path = getenv(variable);
	return path && path[0] != '\0' ? channel_open(path) : NULL;
}

static void open_channels(void)
{
	channel = open_named(GUEST_ENV);
#ifdef GUEST_ENV_COUNTERS
	counters = open_named(GUEST_ENV_COUNTERS);
	if (!channel)
		channel = counters;
#endif
}

static void process_start(void)
{
	open_channels();
	if (!channel)
		return;
	if (is_sandboxed())
		guest_clock_seal();
	make_page();
	if (!wiped_by_fork || !guest_clock_sealed())
		owner = getpid();
	pthread_atfork(NULL, NULL, detach_child);
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
}

bool guest_may_reopen(void)
{
	return __atomic_load_n(&forked, __ATOMIC_ACQUIRE) && bypasses == 0;
}

/* The parent's channel remains mapped, and is not used. */
bool guest_reopen(void (*renew_locks)(void))
{
	if (!guest_may_reopen() || !__atomic_exchange_n(&forked, false, __ATOMIC_ACQ_REL) ||
	    guest_clock_sealed() || is_sandboxed())
		return false;
	channel = counters = NULL;
	open_channels();
	if (!channel)
		return false;
	if (wiped_by_fork)
		*wiped_by_fork = 1;
	owner = getpid();
	renew_locks();
	__atomic_store_n(&active, true, __ATOMIC_RELEASE);
	return true;
}

/* Runs before main(), so that no file is opened later. */
__attribute__((constructor)) static void guest_start(void)
{
	int saved_errno = errno;
	pthread_once(&started, process_start);
	errno = saved_errno;
}
