/* A child that asks a driver, with a deadline. */
#include "source/guest/inject.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privilege.h"
#include "base/sys.h"

#define NS_PER_MS UINT64_C(1000000)

/* Gone without running anybody's exit handlers. */
static _Noreturn void child(int to, bool (*ask)(int to, void *user), void *user)
{
	privilege_forget(); /* drivers run with the user's own rights */
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	unsetenv("LD_PRELOAD");
	_exit(ask(to, user) ? 0 : 1);
}

/* Until the child has closed its end; false: it took too long. */
static bool gather(int from, uint64_t until_ns, char *out, size_t cap, size_t *size)
{
	struct pollfd fd = {.fd = from, .events = POLLIN};
	for (;;) {
		uint64_t now = sys_now_ns(sys_real());
		if (now >= until_ns || poll(&fd, 1, (int)((until_ns - now) / NS_PER_MS) + 1) < 0)
			return false;
		if (!fd.revents)
			continue;
		ssize_t n = read(from, out + *size, cap - *size);
		if (n <= 0)
			return n == 0;
		*size += (size_t)n;
		if (*size == cap)
			return true;
	}
}

static size_t ask_once(bool (*ask)(int to, void *user), void *user, int deadline_ms, void *out,
		       size_t cap, bool *late)
{
	int ends[2], how = 1;
	*late = false;
	size_t size = 0;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	uint64_t until_ns = sys_now_ns(sys_real()) + (uint64_t)deadline_ms * NS_PER_MS;
	pid_t pid = fork();
	if (pid == 0)
		child(ends[1], ask, user);
	close(ends[1]);
	bool all = pid > 0 && gather(ends[0], until_ns, out, cap, &size);
	close(ends[0]);
	*late = pid > 0 && !all;
	if (pid > 0) {
		/* The asked process has said all, or is too late; a driver may hang in its end. */
		if (!all || size == cap)
			kill(pid, SIGKILL);
		waitpid(pid, &how, 0);
	}
	return all && (size == cap || how == 0) ? size : 0;
}

/*
 * A child may wait for ever for a lock that one of our threads held at the fork: a late one is
 * asked again.
 */
size_t guest_ask(bool (*ask)(int to, void *user), void *user, int deadline_ms, void *out,
		 size_t cap)
{
	bool late;
	size_t size = ask_once(ask, user, deadline_ms / 2, out, cap, &late);
	return late ? ask_once(ask, user, deadline_ms, out, cap, &late) : size;
}
