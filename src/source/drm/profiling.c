/*
 * The switch of panfrost's and panthor's accounting, which costs a little and is off by default. It
 * is put back at the end; a guard, a process that waits for ours to be gone, does so after a kill.
 */
#include "source/drm/drm.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/error.h"

static bool write_switch(const struct sx_sys *sys, const char *path, const char *value)
{
	int fd = sys->open(sys->user, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t size = (ssize_t)strlen(value);
	bool written = sys->write(sys->user, fd, value, (size_t)size) == size;
	int saved = errno;
	sys->close(sys->user, fd);
	errno = saved;
	return written;
}

/*
 * The guard after fork; uses only calls that are safe there. It ignores the terminal's signals. The
 * pipe ends when no other process holds its other end, however this program ended. A byte means:
 * nothing to restore.
 */
static void run_guard(const struct sx_sys *sys, int pipe, const char *path, const char *before)
{
	char byte;
	ssize_t n;
	sigset_t all;
	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "sextant-guard");
	do
		n = sys->read(sys->user, pipe, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		(void)write_switch(sys, path, before);
	_exit(0);
}

static void set_guard(struct drm_profiling *p, const struct sx_sys *sys)
{
	int fds[2];
	p->guard = 0;
	if (sys->pipe(sys->user, fds) < 0)
		return;
	p->guard = sys->fork(sys->user);
	if (p->guard == 0) {
		sys->close(sys->user, fds[1]);
		run_guard(sys, fds[0], p->path, p->before);
	}
	sys->close(sys->user, fds[0]);
	if (p->guard > 0) {
		p->pipe = fds[1];
		return;
	}
	sys->close(sys->user, fds[1]);
	p->guard = 0;
}

static enum sx_status refused(const char *path, struct sx_error *err)
{
	int why = errno;
	enum sx_status status =
	    error_errno(err, why, "cannot switch the GPU's accounting on by %s", path);
	error_try(err,
		  why == EACCES || why == EPERM ? "run as root, or echo 1 | sudo tee %s" : "cat %s",
		  path);
	return status;
}

enum sx_status drm_profiling_begin(struct drm_profiling *p, const struct sx_sys *sys,
				   const struct drm_card *card, struct sx_error *err)
{
	/* panthor's is a mask: cycles and times. */
	const char *on = strcmp(card->driver, "panthor") == 0 ? "3" : "1";
	*p = (struct drm_profiling){.pipe = -1};
	if (!card->profiling[0])
		return SX_OK; /* the driver needs none */
	snprintf(p->path, sizeof(p->path), "%s", card->profiling);
	if (!file_line(sys, card->device, "profiling", p->before, sizeof(p->before)))
		return refused(p->path, err);
	if (strcmp(p->before, on) == 0)
		return SX_OK;
	set_guard(p, sys);
	if (p->pipe < 0) {
		enum sx_status status =
		    error_errno(err, errno, "cannot start what puts %s back after a kill", p->path);
		error_try(err, "without --profiling; echo %s | sudo tee %s does the same", on,
			  p->path);
		return status;
	}
	p->on = write_switch(sys, p->path, on);
	if (p->on)
		return SX_OK;
	enum sx_status status = refused(p->path, err);
	drm_profiling_end(p, sys);
	return status;
}

void drm_profiling_end(struct drm_profiling *p, const struct sx_sys *sys)
{
	if (p->on && write_switch(sys, p->path, p->before))
		p->on = false;
	if (p->pipe >= 0) {
		/* Where putting back failed, the guard tries once more. */
		if (!p->on && sys->write(sys->user, p->pipe, "k", 1) < 0)
			errno = 0; /* the guard then puts back what is there already */
		sys->close(sys->user, p->pipe);
		int status;
		while (sys->wait(sys->user, p->guard, &status, 0, NULL) < 0 && errno == EINTR)
			;
	}
	p->pipe = -1;
	p->on = false;
}
