/* The program that is measured: started as if Sextant were not there, and waited for. */
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
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

/* Our environment with the sources' additions in place of entries of the same name. */
static char **make_environment(const struct sx_session *s)
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
			out[at] = (char *)(uintptr_t)*add;
			count += at == count;
		}
	}
	return out;
}

/*
 * In the child: nothing of ours may show. Waits for the word to go, and sends errno through the
 * pipe when exec fails.
 */
static void run_child(char *const *argv, char **env, const int *go, int report)
{
	char word;
	close(go[1]); /* or the end of the session would never be seen */
	sigset_t none;
	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	signal(SIGUSR2, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	privilege_forget();
	if (read(go[0], &word, 1) != 1)
		_exit(127); /* the session gave up */
	execvpe(argv[0], argv, env);
	int saved = errno;
	ssize_t ignored = write(report, &saved, sizeof(saved));
	(void)ignored;
	_exit(127);
}

static void close_pipes(struct sx_session *s)
{
	if (s->child_go > 0)
		close(s->child_go);
	if (s->child_report > 0)
		close(s->child_report);
	s->child_go = s->child_report = 0;
}

void child_abandon(struct sx_session *s)
{
	close_pipes(s);
	if (s->child > 0)
		waitpid(s->child, NULL, 0);
	s->child = 0;
}

static enum sx_status cannot_run(const char *program, int saved, struct sx_error *err)
{
	enum sx_status status = error_errno(err, saved, "cannot run %s", program);
	if (saved == ENOENT) {
		error_because(err, "no such program, in $PATH or at that path");
		error_try(err, "check the spelling, or give a path");
		return SX_ERR_NOT_FOUND;
	}
	error_try(err, saved == EACCES ? "chmod +x, or another program" : "another program");
	return status;
}

enum sx_status child_fork(struct sx_session *s, char *const *argv, struct sx_error *err)
{
	int go[2], report[2];
	char **env = make_environment(s);
	if (!env)
		return error_nomem(err, "preparing the program's environment");
	if (pipe2(go, O_CLOEXEC) < 0) {
		free(env);
		return error_errno(err, errno, "cannot start %s", argv[0]);
	}
	int saved = pipe2(report, O_CLOEXEC) < 0 ? errno : 0;
	if (!saved) {
		s->child = fork();
		saved = s->child < 0 ? errno : 0;
		if (s->child == 0)
			run_child(argv, env, go, report[1]);
		close(report[1]);
		s->child_report = report[0];
	}
	close(go[0]);
	s->child_go = go[1];
	free(env);
	if (!saved)
		return SX_OK;
	s->child = 0;
	child_abandon(s);
	return error_errno(err, saved, "cannot start %s", argv[0]);
}

enum sx_status child_exec(struct sx_session *s, char *const *argv, struct sx_error *err)
{
	int saved = 0;
	ssize_t n;
	do
		n = write(s->child_go, "g", 1);
	while (n < 0 && errno == EINTR);
	do
		n = read(s->child_report, &saved, sizeof(saved));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(saved)) {
		s->child_status.ran = true;
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

bool child_ended(struct sx_session *s)
{
	int status;
	struct rusage usage;
	if (s->child <= 0)
		return true;
	pid_t pid = wait4(s->child, &status, WNOHANG, &usage);
	if (pid == 0 || (pid < 0 && errno == EINTR))
		return false;
	if (pid == s->child) {
		s->child_status.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 0;
		s->child_status.term_signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		s->child_status.user_ns = timeval_ns(usage.ru_utime);
		s->child_status.system_ns = timeval_ns(usage.ru_stime);
	}
	s->child = 0;
	return true;
}
