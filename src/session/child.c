/* The measured program: started as if Sextant were not there, and waited for. */
#include "session/session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/privilege.h"

extern char **environ;

static bool names_same(const char *a, const char *b)
{
	size_t len = strcspn(a, "=");
	return strncmp(a, b, len) == 0 && b[len] == '=';
}

/* Two sources may each want a library of theirs in the program. */
static const char *both_preloads(struct sx_session *s, const char *there, const char *more)
{
	static const char name[] = "LD_PRELOAD=";
	size_t length = strlen(name);
	bool is_ours = false; /* not a source's, which holds ours already */
	for (char **at = environ; there && *at; at++)
		is_ours |= *at == there;
	if (!there || is_ours || strncmp(more, name, length) != 0)
		return more;
	size_t size = strlen(there) + strlen(more) + 2;
	char *text = arena_alloc(&s->run_arena, size);
	if (text)
		snprintf(text, size, "%s:%s", there, more + length);
	return text ? text : more;
}

/* Our environment with the sources' additions in place of entries of the same name. */
static char **make_environment(struct sx_session *s)
{
	size_t count = 0, more = 0;
	while (environ[count])
		count++;
	for (uint32_t d = 0; d < s->device_count; d++) {
		const struct session_device *device = &s->devices[d];
		const char *const *add =
		    device->ops->spawn_env ? device->ops->spawn_env(device->source) : NULL;
		while (add && *add++)
			more++;
	}
	char **out = calloc(count + more + 1, sizeof(*out));
	if (!out)
		return NULL;
	memcpy(out, environ, count * sizeof(*out));
	for (uint32_t d = 0; d < s->device_count; d++) {
		const struct session_device *device = &s->devices[d];
		const char *const *add =
		    device->ops->spawn_env ? device->ops->spawn_env(device->source) : NULL;
		for (; add && *add; add++) {
			size_t at = 0;
			while (at < count && !names_same(*add, out[at]))
				at++;
			out[at] =
			    (char *)(uintptr_t)both_preloads(s, count > at ? out[at] : NULL, *add);
			count += at == count;
		}
	}
	return out;
}

/* Our handlers are not the program's; what is ignored stays so, as after any exec. */
static void drop_handlers(void)
{
	struct sigaction action;
	for (int n = 1; n < NSIG; n++)
		if (sigaction(n, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
		    action.sa_handler != SIG_IGN)
			signal(n, SIG_DFL);
}

/*
 * In the child: the program must not see anything of ours. Waits for the order to start, and sends
 * errno through the pipe when exec fails. Signals are blocked until then; `mask` is what the
 * program gets.
 */
static _Noreturn void run_child(const struct sx_session *s, char *const *argv, char **env,
				int report, const sigset_t *mask)
{
	char word;
	const int *go = s->child.go;
	if (s->options.own_session)
		setsid();
	close(go[1]); /* or the end of the session would never be seen */
	privilege_forget();
	drop_handlers();
	if (read(go[0], &word, 1) != 1)
		_exit(127); /* the session gave up */
	pthread_sigmask(SIG_SETMASK, mask, NULL);
	execvpe(argv[0], argv, env);
	int saved = errno;
	ssize_t ignored = write(report, &saved, sizeof(saved));
	(void)ignored;
	_exit(127);
}

static void close_one(const struct sx_session *s, int *fd)
{
	if (*fd >= 0)
		s->sys->close(s->sys->user, *fd);
	*fd = -1;
}

static void close_pipes(struct sx_session *s)
{
	close_one(s, &s->child.go[0]);
	close_one(s, &s->child.go[1]);
	close_one(s, &s->child.report);
}

void child_init(struct sx_session *s)
{
	s->child = (struct session_child){.go = {-1, -1}, .report = -1, .fd = -1};
}

void child_abandon(struct sx_session *s)
{
	close_pipes(s);
	while (s->child.pid > 0 && s->sys->wait(s->sys->user, s->child.pid, NULL, 0, NULL) < 0 &&
	       errno == EINTR)
		;
	close_one(s, &s->child.fd);
	s->child.pid = 0;
}

static enum sx_status cannot_run(const char *program, int saved, struct sx_error *err)
{
	enum sx_status status = error_errno(err, saved, "cannot run %s", program);
	if (saved == ENOENT) {
		error_because(err, "no such program, in $PATH or at that path");
		error_try(err, "check the spelling, or give a path");
		return SX_ERR_NOT_FOUND;
	}
	struct stat st;
	if (strchr(program, '/') && stat(program, &st) == 0 && S_ISDIR(st.st_mode)) {
		error_because(err, "it is a folder");
		error_try(err, "ls %s, for a program in it",
			  error_word((char[ERROR_WORD_MAX]){0}, program));
		return status;
	}
	error_try(err, saved == EACCES ? "chmod +x, or another program" : "another program");
	return status;
}

enum sx_status child_fork(struct sx_session *s, char *const *argv, struct sx_error *err)
{
	const struct sx_sys *sys = s->sys;
	int report[2] = {-1, -1};
	sigset_t all, before;
	char **env = make_environment(s);
	if (!env)
		return error_nomem(err, "preparing the program's environment");
	sigfillset(&all);
	int saved = sys->pipe(sys->user, s->child.go) < 0 ? errno : 0;
	if (!saved)
		saved = sys->pipe(sys->user, report) < 0 ? errno : 0;
	if (!saved) {
		pthread_sigmask(SIG_SETMASK, &all, &before);
		s->child.pid = sys->fork(sys->user);
		s->child.over = s->child.fresh = false;
		saved = s->child.pid < 0 ? errno : 0;
		if (s->child.pid == 0)
			run_child(s, argv, env, report[1], &before);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	close_one(s, &report[1]);
	s->child.report = report[0];
	free(env);
	if (!saved) {
		/* Where the kernel has none, the end is looked for now and then. */
		s->child.fd = sys->process_fd(sys->user, s->child.pid);
		return SX_OK;
	}
	s->child.pid = 0;
	child_abandon(s);
	enum sx_status status = error_errno(err, saved, "cannot start %s", argv[0]);
	error_try(err, "fewer processes or open files at once; ulimit -a shows the limits");
	return status;
}

enum sx_status child_exec(struct sx_session *s, char *const *argv, struct sx_error *err)
{
	const struct sx_sys *sys = s->sys;
	int saved = 0;
	ssize_t n;
	do
		n = sys->write(sys->user, s->child.go[1], "g", 1);
	while (n < 0 && errno == EINTR);
	if (n != 1) {
		saved = errno;
		child_abandon(s);
		return error_errno(err, saved, "cannot start %s", argv[0]);
	}
	do
		n = sys->read(sys->user, s->child.report, &saved, sizeof(saved));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(saved)) {
		s->child.status.ran = true;
		close_pipes(s);
		return SX_OK;
	}
	child_abandon(s);
	return cannot_run(argv[0], saved, err);
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_usec * 1000;
}

void child_look(struct sx_session *s)
{
	if (s->child.pid > 0 && !s->child.over)
		s->child.over = s->sys->ended(s->sys->user, s->child.pid) != 0;
}

bool child_ended(const struct sx_session *s)
{
	return s->child.pid <= 0 || s->child.over;
}

bool child_reap(struct sx_session *s)
{
	int status;
	struct rusage usage;
	struct session_child *child = &s->child;
	if (child->pid <= 0)
		return true;
	pid_t pid = s->sys->wait(s->sys->user, child->pid, &status, WNOHANG, &usage);
	if (pid == 0 || (pid < 0 && errno == EINTR))
		return false;
	if (pid == child->pid) {
		child->status.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		child->status.term_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		child->status.user_ns = timeval_ns(usage.ru_utime);
		child->status.system_ns = timeval_ns(usage.ru_stime);
	} else {
		child->status.exit_code = 127; /* another waited for it */
	}
	close_one(s, &child->fd);
	child->pid = 0;
	return true;
}

void child_leave(struct sx_session *s)
{
	s->child.status.running_pid = (uint32_t)s->child.pid;
	close_one(s, &s->child.fd);
	s->child.pid = 0;
}

bool child_left_group(const struct sx_session *s)
{
	return s->child.pid > 0 && getpgid(s->child.pid) != getpgrp();
}

bool child_signal(struct sx_session *s, int signal_number)
{
	const struct sx_sys *sys = s->sys;
	if (s->child.pid <= 0)
		return true;
	/* What it started gets signals of keys from no terminal either. */
	if (s->options.own_session && sys->kill(sys->user, -s->child.pid, signal_number) == 0)
		return true;
	return !(sys->kill(sys->user, s->child.pid, signal_number) < 0 && errno == EPERM);
}
