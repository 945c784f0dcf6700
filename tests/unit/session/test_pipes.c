/*
 * A host of the library that leaves SIGPIPE as it is: nothing that the library writes to may end
 * it, whoever was to read has died.
 */
#include <sextant/session.h>

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/wait.h>
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

/* Asked to stop when nobody waits any more, before the first run and after the last. */
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

static int setup(void **state)
{
	/* Whoever runs this may ignore it. */
	signal(SIGPIPE, SIG_DFL);
	return context_open(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(a_program_that_dies_at_once),
	    cmocka_unit_test(stops_that_nobody_reads),
	};
	return cmocka_run_group_tests(tests, setup, context_close);
}
