/*
 * A host of the library that leaves SIGPIPE as it is: no write of the library may end it, even if
 * the reader has ended.
 */
#include <sextant/session.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "session/session.h"
#include "unit/context.h"

/* The program dies before it is let run. */
static pid_t fork_and_kill(void *user)
{
	siginfo_t info;
	pid_t pid = sys_real()->fork(user);
	if (pid > 0) {
		kill(pid, SIGKILL);
		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT);
	}
	return pid;
}

static struct sx_session *open_session(const struct sx_sys *sys)
{
	static const char *const devices[] = {"cpu"};
	struct sx_session_options options = {
	    .devices = devices, .device_count = 1, .child = true, .interval_ns = 20000000};
	struct sx_session *session = NULL;
	struct sx_error err = {0};
	if (session_create_on(sys, context, &options, &session, &err))
		fail_msg("%s: %s", err.message, err.because);
	return session;
}

static void a_program_that_dies_at_once(void **state)
{
	static char name[] = "/bin/true", *argv[] = {name, NULL};
	struct sx_sys sys = *sys_real();
	struct sx_error err = {0};
	sys.fork = fork_and_kill;
	struct sx_session *session = open_session(&sys);
	enum sx_status status = sx_session_run(session, argv, NULL, &err);
	assert_true(status == SX_OK || (err.message[0] && err.because[0]));
	if (!status)
		assert_int_equal(sx_session_child(session).term_signal, SIGKILL);
	sx_session_destroy(session);
}

/* A stop request while no thread waits, before the first run and after the last. */
static void stops_that_nobody_reads(void **state)
{
	static char name[] = "/bin/true", *argv[] = {name, NULL};
	struct sx_session *session = open_session(sys_real());
	for (int i = 0; i < 3; i++) {
		sx_session_stop(session, SIGTERM);
		sx_session_run(session, argv, NULL, NULL);
		sx_session_stop(session, SIGINT);
	}
	sx_session_destroy(session);
}

#define HASTE 20 /* so many times faster than ours a session's clock goes */

static int hasty_clock(void *user, clockid_t clock, struct timespec *out)
{
	if (sys_real()->clock_gettime(user, clock, out) < 0)
		return -1;
	uint64_t ns = ((uint64_t)out->tv_sec * 1000000000 + (uint64_t)out->tv_nsec) * HASTE;
	*out = (struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
	return 0;
}

static int hasty_poll(void *user, struct pollfd *fds, nfds_t count, int timeout_ms)
{
	return sys_real()->poll(user, fds, count,
				timeout_ms > HASTE ? timeout_ms / HASTE : timeout_ms);
}

/* The program has become another user. */
static int refuse_to_kill(void *user, pid_t pid, int signal_number)
{
	errno = EPERM;
	return -1;
}

/* An interrupt that never reaches the program: the run has an end nevertheless. */
static void an_interrupt_that_is_refused(void **state)
{
	static char name[] = "/bin/sleep", seconds[] = "30", *argv[] = {name, seconds, NULL};
	struct sx_sys sys = *sys_real();
	sys.clock_gettime = hasty_clock;
	sys.poll = hasty_poll;
	sys.kill = refuse_to_kill;
	struct sx_session *session = open_session(&sys);
	assert_int_equal(sx_session_start(session, argv, NULL, NULL), SX_OK);
	sx_session_stop(session, SIGINT);
	time_t begun = time(NULL);
	while (sx_session_poll(session, -1, NULL) != SX_END)
		assert_true(time(NULL) < begun + 10);
	sx_session_finish(session, NULL);
	pid_t pid = (pid_t)sx_session_child(session).running_pid;
	assert_true(pid > 0);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	sx_session_destroy(session);
}

static int setup(void **state)
{
	/* The caller of this test may ignore it. */
	signal(SIGPIPE, SIG_DFL);
	return context_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_program_that_dies_at_once),
	    cmocka_unit_test(stops_that_nobody_reads),
	    cmocka_unit_test(an_interrupt_that_is_refused),
	};
	return cmocka_run_group_tests(tests, setup, context_close);
}
